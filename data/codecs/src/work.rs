//! Memory and decompressors that are used again and again.

use core::fmt;

use zstd::zstd_safe::{CCtx, DCtx};

use crate::error::CodecError;
use crate::inflate::Codes;

/// What one thread needs to run a pipeline. Kept between chunks: setting decompressors up costs more than small
/// chunks do.
#[derive(Default)]
pub struct Work {
    /// For the results between two filters of the pipeline when decoding. See [`room`]: their length is what
    /// was needed so far, not what is in them.
    pub(crate) between: [Vec<u8>; 2],
    /// The result of every second filter when encoding.
    pub(crate) spare: Vec<u8>,
    /// For one filter's own use.
    pub(crate) inside: Vec<u8>,
    pub(crate) inflate: Option<Codes>,
    /// One for each level: a level cannot be changed once the compressor is there.
    pub(crate) deflate: [Option<libdeflater::Compressor>; 10],
    pub(crate) zstd: Option<DCtx<'static>>,
    pub(crate) zstd_compress: Option<CCtx<'static>>,
    /// Where the LZF compressor last saw each three bytes.
    pub(crate) lzf: Vec<u32>,
}

impl Work {
    /// Nothing is allocated before it is needed.
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives back buffers of more than so many bytes: for a thread that has nothing to do for the moment.
    pub fn trim(&mut self, most: usize) {
        let [first, second] = &mut self.between;
        for buffer in [first, second, &mut self.spare, &mut self.inside] {
            if buffer.capacity() > most {
                *buffer = Vec::new();
            }
        }
    }
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Work").finish_non_exhaustive()
    }
}

/// The first `len` bytes of a buffer that only ever grows, so that in the steady state nothing is allocated or
/// cleared. What is in them is left from earlier use.
pub(crate) fn room(buffer: &mut Vec<u8>, len: usize) -> Result<&mut [u8], CodecError> {
    if let Some(more) = len.checked_sub(buffer.len()) {
        buffer.try_reserve_exact(more).map_err(|_| CodecError::OutOfMemory(len))?;
        buffer.resize(len, 0);
    }
    Ok(&mut buffer[..len])
}

/// Makes a buffer exactly `len` bytes long for an encoder that writes into a slice. What is in it is left from
/// earlier use or zero.
pub(crate) fn sized(buffer: &mut Vec<u8>, len: usize) -> Result<&mut [u8], CodecError> {
    room(buffer, len)?;
    buffer.truncate(len);
    Ok(buffer)
}

/// Replaces the content of a buffer by these bytes.
pub(crate) fn copied(buffer: &mut Vec<u8>, bytes: &[u8]) -> Result<(), CodecError> {
    buffer.clear();
    appended(buffer, bytes)
}

/// Adds bytes to a buffer.
pub(crate) fn appended(buffer: &mut Vec<u8>, bytes: &[u8]) -> Result<(), CodecError> {
    buffer.try_reserve(bytes.len()).map_err(|_| CodecError::OutOfMemory(bytes.len()))?;
    buffer.extend_from_slice(bytes);
    Ok(())
}
