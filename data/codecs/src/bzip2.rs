//! The filter "bzip2": one stream, with the size of its blocks (1 to 9) as an optional parameter.

use ::bzip2::{Action, Compress, Compression, Decompress, Status};

use crate::codec::Codec;
use crate::error::{CodecError, Unsupported};
use crate::work::Work;

/// The codec with these parameters.
#[expect(clippy::unnecessary_wraps, reason = "all filters are made in the same way")]
pub(crate) fn codec(parameters: &[u32]) -> Result<Box<dyn Codec>, Unsupported> {
    Ok(Box::new(Bzip2 { level: parameters.first().copied().unwrap_or(9) }))
}

#[derive(Debug)]
struct Bzip2 {
    /// Only encoding cares whether it is a valid one, as in the filter's plugin.
    level: u32,
}

impl Codec for Bzip2 {
    fn decode(&self, input: &[u8], output: &mut [u8], _work: &mut Work) -> Result<usize, CodecError> {
        let mut stream = Decompress::new(false);
        loop {
            let from = tail(input, stream.total_in());
            let used = stream.total_in();
            let written = stream.total_out();
            let to = usize::try_from(written).ok().and_then(|written| output.get_mut(written..));
            let to = to.filter(|to| !to.is_empty());
            // The end of the stream is only found while there is room for another byte.
            let full = to.is_none();
            let status = stream.decompress(from, to.unwrap_or(&mut [0]));
            if full && stream.total_out() > written {
                return Err(CodecError::NoRoom);
            }
            match status.map_err(|_| CodecError::Corrupt("not a valid bzip2 stream"))? {
                Status::StreamEnd => break,
                Status::MemNeeded => return Err(CodecError::OutOfMemory(output.len())),
                _ if stream.total_in() == used && stream.total_out() == written => {
                    return Err(CodecError::Corrupt("the bzip2 stream ends too early"));
                }
                _ => {}
            }
        }
        usize::try_from(stream.total_out()).map_err(|_| CodecError::NoRoom)
    }

    fn decoded_len(&self, _input: &[u8]) -> Option<usize> {
        None
    }

    fn encode(&self, input: &[u8], output: &mut Vec<u8>, _work: &mut Work) -> Result<(), CodecError> {
        if !(1..=9).contains(&self.level) {
            return Err(CodecError::NotApplicable("no such level"));
        }
        let mut stream = Compress::new(Compression::new(self.level), 0);
        output.clear();
        // What bzip2's documentation gives as the longest result.
        let most = input.len().saturating_add(input.len() / 100).saturating_add(600);
        output.try_reserve(most).map_err(|_| CodecError::OutOfMemory(most))?;
        loop {
            let from = tail(input, stream.total_in());
            let before = (stream.total_in(), stream.total_out());
            let status = stream.compress_vec(from, output, Action::Finish);
            match status.map_err(|_| CodecError::NotApplicable("bzip2 failed"))? {
                Status::StreamEnd => return Ok(()),
                _ if (stream.total_in(), stream.total_out()) == before => {
                    return Err(CodecError::NotApplicable("bzip2 failed"));
                }
                _ => {}
            }
        }
    }
}

/// What is left after that many bytes.
fn tail(bytes: &[u8], used: u64) -> &[u8] {
    usize::try_from(used).ok().and_then(|used| bytes.get(used..)).unwrap_or_default()
}
