//! The filter "deflate": the zlib format, with the level as its parameter.

use libdeflater::{CompressionLvl, Compressor, DecompressionError, Decompressor};

use crate::codec::Codec;
use crate::error::{CodecError, Unsupported};
use crate::work::{Work, sized};

/// The library's level for each of zlib's, so that what is written is hardly ever longer than by zlib: at its own first
/// levels and at the sixth this library is faster, but not as thorough.
const LEVELS: [i32; 10] = [0, 2, 3, 4, 4, 5, 7, 7, 8, 9];

/// The codec with these parameters.
pub(crate) fn codec(parameters: &[u32]) -> Result<Box<dyn Codec>, Unsupported> {
    let number = match *parameters {
        [level @ 0..=9] => usize::try_from(level).ok(),
        _ => None,
    };
    let level = number.and_then(|number| CompressionLvl::new(*LEVELS.get(number)?).ok());
    match (number, level) {
        (Some(number), Some(level)) => Ok(Box::new(Deflate { number, level })),
        _ => Err(Unsupported(format!("parameters {parameters:?} instead of a level"))),
    }
}

/// Level 0 is data in zlib's wrapping, without compression.
#[derive(Debug)]
struct Deflate {
    /// The level, 0 to 9.
    number: usize,
    /// The same for the library.
    level: CompressionLvl,
}

impl Codec for Deflate {
    fn always_applies(&self) -> bool {
        true
    }

    fn decode(&self, input: &[u8], output: &mut [u8], work: &mut Work) -> Result<usize, CodecError> {
        inflate(input, output, work)
    }

    fn decoded_len(&self, _input: &[u8]) -> Option<usize> {
        None
    }

    // Unlike what a comment in HDF5 says, its filter does not fail if the result is longer than the input.
    fn encode(&self, input: &[u8], output: &mut Vec<u8>, work: &mut Work) -> Result<(), CodecError> {
        let compressor = work.deflate[self.number].get_or_insert_with(|| Compressor::new(self.level));
        let bound = compressor.zlib_compress_bound(input.len());
        let written = compressor.zlib_compress(input, sized(output, bound)?);
        output.truncate(written.map_err(|_| CodecError::NotApplicable("no room for the result"))?);
        Ok(())
    }
}

/// Decompresses one zlib stream. Bytes after its end are ignored, as HDF5 does.
pub(crate) fn inflate(input: &[u8], output: &mut [u8], work: &mut Work) -> Result<usize, CodecError> {
    let decompressor = work.inflate.get_or_insert_with(Decompressor::new);
    decompressor.zlib_decompress(input, output).map_err(|error| match error {
        DecompressionError::InsufficientSpace => CodecError::NoRoom,
        DecompressionError::BadData => CodecError::Corrupt("not a valid zlib stream"),
    })
}
