//! The filter "zstd": whole frames, with the level as an optional parameter.

use ::zstd::zstd_safe::zstd_sys::ZSTD_ErrorCode;
use ::zstd::zstd_safe::{
    CCtx, CLEVEL_DEFAULT, DCtx, ErrorCode, compress_bound, get_frame_content_size, max_c_level, min_c_level,
};

use crate::codec::Codec;
use crate::error::{CodecError, Unsupported};
use crate::work::{Work, sized};

/// The codec with these parameters.
#[expect(clippy::unnecessary_wraps, reason = "all filters are made in the same way")]
pub(crate) fn codec(parameters: &[u32]) -> Result<Box<dyn Codec>, Unsupported> {
    // Levels below zero are stored as what C makes of them.
    let level = parameters.first().map_or(CLEVEL_DEFAULT, |level| level.cast_signed());
    Ok(Box::new(Zstd { level: level.clamp(min_c_level(), max_c_level()) }))
}

#[derive(Debug)]
struct Zstd {
    level: i32,
}

impl Codec for Zstd {
    fn decode(&self, input: &[u8], output: &mut [u8], work: &mut Work) -> Result<usize, CodecError> {
        decompress(input, output, work)
    }

    fn decoded_len(&self, input: &[u8]) -> Option<usize> {
        get_frame_content_size(input).ok().flatten().and_then(|len| usize::try_from(len).ok())
    }

    fn encode(&self, input: &[u8], output: &mut Vec<u8>, work: &mut Work) -> Result<(), CodecError> {
        let context = ready(&mut work.zstd_compress, CCtx::try_create)?;
        let written = context.compress(sized(output, compress_bound(input.len()))?, input, self.level);
        output.truncate(written.map_err(|_| CodecError::NotApplicable("zstd failed"))?);
        Ok(())
    }
}

/// Decompresses all frames of the input.
pub(crate) fn decompress(input: &[u8], output: &mut [u8], work: &mut Work) -> Result<usize, CodecError> {
    let context = ready(&mut work.zstd, DCtx::try_create)?;
    context.decompress(output, input).map_err(|code| {
        if is(code, ZSTD_ErrorCode::ZSTD_error_dstSize_tooSmall) {
            CodecError::NoRoom
        } else if is(code, ZSTD_ErrorCode::ZSTD_error_memory_allocation) {
            CodecError::OutOfMemory(output.len())
        } else {
            CodecError::Corrupt("not a valid zstd frame")
        }
    })
}

/// zstd gives the negative of an error's number.
fn is(code: ErrorCode, error: ZSTD_ErrorCode) -> bool {
    code.wrapping_neg() == error as usize
}

/// The context, made if it is not there yet.
fn ready<T>(place: &mut Option<T>, create: impl FnOnce() -> Option<T>) -> Result<&mut T, CodecError> {
    if place.is_none() {
        *place = create();
    }
    place.as_mut().ok_or(CodecError::OutOfMemory(size_of::<T>()))
}
