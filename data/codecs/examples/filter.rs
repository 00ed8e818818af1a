//! Runs chunks through pipelines, for tests that compare our codecs with the real filters.
//!
//! Reads requests from the standard input until it ends, and answers each on the standard output. Numbers are
//! little-endian:
//!
//! ```text
//! request   u8 'd' decode or 'e' encode
//!           u32 number of filters; for each: i32 id, u32 optional, u32 number of parameters, u32 parameters
//!           u32 mask of the filters that were left out    (decoding only looks at these three)
//!           u32 whether checksums are verified
//!           u64 length of the decoded chunk
//!           u64 length of the data, data
//! answer    u8 0 done, 1 failed, 2 not supported
//!           u32 mask of the filters that were left out    (encoding)
//!           u64 length of the data or of the text, data or text
//! ```

use std::error::Error;
use std::io::{self, BufWriter, Read, Write};

use codecs::{Filter, Pipeline, Work};

/// No request of a test comes near this: a longer one means that the two sides have lost step.
const LONGEST: u64 = 1 << 30;

struct Request {
    decode: bool,
    filters: Vec<Filter>,
    mask: u32,
    verify: bool,
    decoded_len: usize,
    data: Vec<u8>,
}

enum Answer {
    Done { mask: u32, data: Vec<u8> },
    Failed(String),
    Unsupported(String),
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut input = io::stdin().lock();
    let mut output = BufWriter::new(io::stdout().lock());
    let mut work = Work::new();
    while let Some(request) = read_request(&mut input)? {
        write_answer(&mut output, answer(&request, &mut work))?;
        output.flush()?;
    }
    Ok(())
}

/// The next request, or `None` where the input ends.
fn read_request(input: &mut impl Read) -> Result<Option<Request>, Box<dyn Error>> {
    let mut way = [0];
    if input.read(&mut way)? == 0 {
        return Ok(None);
    }
    let decode = match way[0] {
        b'd' => true,
        b'e' => false,
        other => return Err(format!("a request begins with byte {other}").into()),
    };
    let mut filters = Vec::new();
    for _ in 0..read_u32(input)? {
        let id = i32::from_le_bytes(read_array(input)?);
        let optional = read_u32(input)? != 0;
        let parameters = (0..read_u32(input)?).map(|_| read_u32(input)).collect::<io::Result<_>>()?;
        filters.push(Filter { id, name: id.to_string(), optional, parameters });
    }
    let mask = read_u32(input)?;
    let verify = read_u32(input)? != 0;
    let decoded_len = read_length(input)?;
    let mut data = vec![0; read_length(input)?];
    input.read_exact(&mut data)?;
    Ok(Some(Request { decode, filters, mask, verify, decoded_len, data }))
}

fn answer(request: &Request, work: &mut Work) -> Answer {
    let pipeline = match Pipeline::new(&request.filters) {
        Ok(pipeline) => pipeline,
        Err(reason) => return Answer::Unsupported(reason.to_string()),
    };
    let done = if request.decode {
        let mut elements = vec![0; request.decoded_len];
        pipeline
            .decode(&request.data, request.mask, request.verify, &mut elements, work)
            .map(|()| (request.mask, elements))
    } else {
        let mut stored = Vec::new();
        pipeline.encode(&request.data, &mut stored, work).map(|mask| (mask, stored))
    };
    match done {
        Ok((mask, data)) => Answer::Done { mask, data },
        Err(error) => Answer::Failed(error.to_string()),
    }
}

fn write_answer(output: &mut impl Write, answer: Answer) -> io::Result<()> {
    let (status, mask, data) = match answer {
        Answer::Done { mask, data } => (0, mask, data),
        Answer::Failed(text) => (1, 0, text.into_bytes()),
        Answer::Unsupported(text) => (2, 0, text.into_bytes()),
    };
    output.write_all(&[status])?;
    output.write_all(&mask.to_le_bytes())?;
    output.write_all(&(data.len() as u64).to_le_bytes())?;
    output.write_all(&data)
}

fn read_array<const N: usize>(input: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn read_u32(input: &mut impl Read) -> io::Result<u32> {
    read_array(input).map(u32::from_le_bytes)
}

fn read_length(input: &mut impl Read) -> Result<usize, Box<dyn Error>> {
    let length = u64::from_le_bytes(read_array(input)?);
    if length > LONGEST {
        return Err(format!("a request of {length} bytes").into());
    }
    Ok(usize::try_from(length)?)
}
