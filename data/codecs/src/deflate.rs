//! The filter "deflate": the zlib format, with the level as its parameter.

use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use libdeflater::{CompressionLvl, Compressor, DecompressionError, Decompressor};

use crate::codec::Codec;
use crate::error::{CodecError, Unsupported};
use crate::work::{Work, sized};

/// The library's level for each of zlib's, so that what is written is hardly ever longer than by zlib: its own first levels
/// are faster, but not as thorough.
const LEVELS: [i32; 10] = [0, 2, 2, 3, 4, 5, 6, 7, 8, 9];

/// The library's fastest level. Shuffled bytes are often compressed as well by it as by zlib at its first levels.
const FASTEST: usize = 1;

/// zlib's levels for which the fastest one is tried.
const FAST_LEVELS: core::ops::RangeInclusive<usize> = 2..=4;

/// How much longer than at the next level the result may be, in percent: that is about as much as the next level gains on
/// zlib where it gains anything.
const LONGER: usize = 6;

/// Every so many chunks it is tried which level will do, on so many bytes.
const TRIED: usize = 64;
const SAMPLE: usize = 64 << 10;

/// The codec with these parameters.
pub(crate) fn codec(parameters: &[u32]) -> Result<Box<dyn Codec>, Unsupported> {
    match *parameters {
        [level @ 0..=9] => {
            let level = usize::try_from(level).unwrap_or(0);
            Ok(Box::new(Deflate {
                level,
                shuffled: false,
                chunks: AtomicUsize::new(0),
                fast: AtomicBool::new(false),
            }))
        }
        _ => Err(Unsupported(format!("parameters {parameters:?} instead of a level"))),
    }
}

/// Level 0 is data in zlib's wrapping, without compression.
#[derive(Debug)]
struct Deflate {
    /// zlib's level, 0 to 9.
    level: usize,
    /// Whether it is given shuffled bytes.
    shuffled: bool,
    /// Chunks encoded so far, and whether the fastest level does for those to come.
    chunks: AtomicUsize,
    fast: AtomicBool,
}

impl Deflate {
    /// The library's level for a chunk.
    fn level_for(&self, input: &[u8], output: &mut Vec<u8>, work: &mut Work) -> Result<usize, CodecError> {
        let usual = usize::try_from(LEVELS[self.level]).unwrap_or(0);
        if !self.shuffled || !FAST_LEVELS.contains(&self.level) {
            return Ok(usual);
        }
        // Relaxed: numbers that stand for themselves. Threads may try at the same time, or not at all.
        if self.chunks.fetch_add(1, Ordering::Relaxed).is_multiple_of(TRIED) {
            let sample = &input[(input.len() - input.len().min(SAMPLE)) / 2..][..input.len().min(SAMPLE)];
            let fast = compress(FASTEST, sample, output, work)?;
            let next = compress(FASTEST + 1, sample, output, work)?;
            self.fast.store(fast <= next + next * LONGER / 100, Ordering::Relaxed);
        }
        Ok(if self.fast.load(Ordering::Relaxed) { FASTEST } else { usual })
    }
}

/// Compresses at one of the library's levels; the number of bytes.
fn compress(level: usize, input: &[u8], output: &mut Vec<u8>, work: &mut Work) -> Result<usize, CodecError> {
    const NO_LEVEL: CodecError = CodecError::NotApplicable("no such level");
    let compressor = match &mut work.deflate[level] {
        Some(compressor) => compressor,
        empty => {
            let level = i32::try_from(level).ok().and_then(|level| CompressionLvl::new(level).ok());
            empty.insert(Compressor::new(level.ok_or(NO_LEVEL)?))
        }
    };
    let bound = compressor.zlib_compress_bound(input.len());
    let written = compressor.zlib_compress(input, sized(output, bound)?);
    written.map_err(|_| CodecError::NotApplicable("no room for the result"))
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

    fn after_shuffle(&mut self) {
        self.shuffled = true;
    }

    // Unlike what a comment in HDF5 says, its filter does not fail if the result is longer than the input.
    fn encode(&self, input: &[u8], output: &mut Vec<u8>, work: &mut Work) -> Result<(), CodecError> {
        let level = self.level_for(input, output, work)?;
        let written = compress(level, input, output, work)?;
        output.truncate(written);
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
