//! The filter "blosc" (32001): chunks as C-Blosc 1 has them.
//!
//! The containers are read and written by our own code, in which damaged files meet nothing but bounds checks;
//! only the compressors are libraries.

pub(crate) mod blosclz;
mod decode;
mod encode;
mod header;
pub(crate) mod stream;

use crate::codec::Codec;
use crate::error::{CodecError, Unsupported};
use crate::work::Work;
use header::Header;
use stream::Compressor;

/// Elements longer than this are taken as single bytes.
pub(crate) const LONGEST_ELEMENT: u32 = 255;

/// The codec with these parameters: version of the filter, version of Blosc, size of an element, bytes of a
/// chunk, level, shuffle and compressor. All after the fourth may be missing.
pub(crate) fn codec(parameters: &[u32]) -> Result<Box<dyn Codec>, Unsupported> {
    Ok(Box::new(blosc(parameters)?))
}

/// The same, but data that becomes no shorter is stored in Blosc's format, too.
pub(crate) fn always_codec(parameters: &[u32]) -> Result<Box<dyn Codec>, Unsupported> {
    Ok(Box::new(Blosc { always: true, ..blosc(parameters)? }))
}

fn blosc(parameters: &[u32]) -> Result<Blosc, Unsupported> {
    let &[_, _, element, _, ref options @ ..] = parameters else {
        return Err(Unsupported(format!("blosc has 4 parameters or more, not {}", parameters.len())));
    };
    let option = |at: usize, default: u32| options.get(at).copied().unwrap_or(default);
    let element = match element {
        0 => return Err(Unsupported("blosc of elements without a size".to_owned())),
        1..=LONGEST_ELEMENT => usize::try_from(element).unwrap_or(1),
        _ => 1,
    };
    let level = option(0, 5);
    if level > 9 {
        return Err(Unsupported(format!("blosc has no level {level}")));
    }
    let shuffle = match option(1, 1) {
        0 => Shuffle::None,
        1 => Shuffle::Bytes,
        2 => Shuffle::Bits,
        other => return Err(Unsupported(format!("blosc has no shuffle {other}"))),
    };
    let compressor = match option(2, 0) {
        3 => return Err(Unsupported("blosc with the compressor Snappy".to_owned())),
        number => Compressor::from_number(number)
            .ok_or_else(|| Unsupported(format!("blosc has no compressor {number}")))?,
    };
    Ok(Blosc { element, level, shuffle, compressor, always: false })
}

/// What is done with the elements of a block before it is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shuffle {
    None,
    Bytes,
    Bits,
}

#[derive(Debug)]
struct Blosc {
    /// Size of an element in bytes, 1 to 255.
    element: usize,
    level: u32,
    shuffle: Shuffle,
    compressor: Compressor,
    /// Whether data that becomes no shorter is stored in Blosc's format, as C-Blosc does, rather than not at all, as HDF5's
    /// filter does.
    always: bool,
}

impl Codec for Blosc {
    fn may_be_foreign(&self) -> bool {
        true
    }

    fn decode(&self, input: &[u8], output: &mut [u8], work: &mut Work) -> Result<usize, CodecError> {
        decode::decode(input, output, work)
    }

    fn decoded_len(&self, input: &[u8]) -> Option<usize> {
        Header::read(input).ok().map(|header| header.len)
    }

    fn encode(&self, input: &[u8], output: &mut Vec<u8>, work: &mut Work) -> Result<(), CodecError> {
        match encode::encode(self, input, output, work) {
            Err(CodecError::NotApplicable(_)) if self.always => encode::copy(self, input, output),
            encoded => encoded,
        }
    }
}
