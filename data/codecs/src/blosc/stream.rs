//! The compressors behind both Blosc formats, and behind bitshuffle: one stream at a time.

use core::ffi::{c_char, c_int};
use core::mem;

use ::zstd::zstd_safe::{CCtx, max_c_level, min_c_level};
use libdeflater::CompressionLvl;

use crate::blosc::blosclz;
use crate::error::CodecError;
use crate::inflate::{Wrapping, inflate};
use crate::work::Work;
use crate::{lz4, zstd};

/// Bytes of a first-level cache.
pub(crate) const FIRST_LEVEL: usize = 32 << 10;

/// How a stream is compressed: the number chunks have in the upper three bits of their flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    BloscLz,
    Lz4,
    Zlib,
    Zstd,
}

impl Format {
    /// As the flags of a chunk say.
    pub(crate) fn from_flags(flags: u8) -> Result<Self, CodecError> {
        match flags >> 5 {
            0 => Ok(Self::BloscLz),
            1 => Ok(Self::Lz4),
            2 => Err(CodecError::Foreign("a chunk is compressed with Snappy, which is not supported")),
            3 => Ok(Self::Zlib),
            4 => Ok(Self::Zstd),
            _ => Err(CodecError::Foreign("a chunk is compressed with an unknown compressor")),
        }
    }

    /// Its number in the place for it in the flags of a chunk.
    pub(crate) fn flags(self) -> u8 {
        match self {
            Self::BloscLz => 0,
            Self::Lz4 => 1 << 5,
            Self::Zlib => 3 << 5,
            Self::Zstd => 4 << 5,
        }
    }
}

/// A compressor as the parameters of a filter name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compressor {
    BloscLz,
    Lz4,
    Lz4Hc,
    Zlib,
    Zstd,
}

impl Compressor {
    /// By its number; there is none for Snappy (3), which nearly nobody uses.
    pub(crate) fn from_number(number: u32) -> Option<Self> {
        Some(match number {
            0 => Self::BloscLz,
            1 => Self::Lz4,
            2 => Self::Lz4Hc,
            4 => Self::Zlib,
            5 => Self::Zstd,
            _ => return None,
        })
    }

    pub(crate) fn number(self) -> u8 {
        match self {
            Self::BloscLz => 0,
            Self::Lz4 => 1,
            Self::Lz4Hc => 2,
            Self::Zlib => 4,
            Self::Zstd => 5,
        }
    }

    pub(crate) fn format(self) -> Format {
        match self {
            Self::BloscLz => Format::BloscLz,
            Self::Lz4 | Self::Lz4Hc => Format::Lz4,
            Self::Zlib => Format::Zlib,
            Self::Zstd => Format::Zstd,
        }
    }

    /// Bytes of a block by the level of compression: blocks should fit the first-level cache, or the second one if more
    /// compression is wanted.
    pub(crate) fn block_size(self, level: u32) -> usize {
        // Meant for small results rather than for speed.
        let is_thorough = matches!(self, Self::Lz4Hc | Self::Zlib | Self::Zstd);
        let block = FIRST_LEVEL * if is_thorough { 2 } else { 1 };
        match level {
            0 => block / 4,
            1 => block / 2,
            2 => block,
            3 => block * 2,
            4 | 5 => block * 4,
            9 if is_thorough => block * 16,
            _ => block * 8,
        }
    }
}

/// Decodes a stream that fills the whole output.
pub(crate) fn decompress(
    format: Format,
    stream: &[u8],
    output: &mut [u8],
    work: &mut Work,
) -> Result<(), CodecError> {
    const WRONG_LENGTH: CodecError = CodecError::Corrupt("a stream does not have the length of its block");
    let written = match format {
        Format::BloscLz => return blosclz::decompress(stream, output),
        Format::Lz4 => lz4::decompress_block(stream, output),
        Format::Zlib => inflate(Wrapping::Zlib, stream, output, work.inflate.get_or_insert_default()),
        Format::Zstd => zstd::decompress(stream, output, work),
    };
    match written {
        Ok(written) if written == output.len() => Ok(()),
        Ok(_) | Err(CodecError::NoRoom) => Err(WRONG_LENGTH),
        Err(error) => Err(error),
    }
}

/// How streams are compressed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Encoder {
    BloscLz(u32),
    /// With its acceleration.
    Lz4(i32),
    Lz4Hc(i32),
    Zlib(i32),
    Zstd(i32),
}

impl Encoder {
    /// Levels are Blosc's: 1 to 9.
    pub(crate) fn new(compressor: Compressor, level: u32) -> Self {
        let own = i32::try_from(level.min(9)).unwrap_or(9);
        match compressor {
            Compressor::BloscLz => Self::BloscLz(level),
            Compressor::Lz4 => Self::Lz4(10 - own),
            Compressor::Lz4Hc => Self::Lz4Hc(own),
            Compressor::Zlib => Self::Zlib(own),
            Compressor::Zstd => Self::Zstd(if level < 9 { own * 2 - 1 } else { max_c_level() }),
        }
    }

    /// Appends the compressed input if that takes less than `limit` bytes; says whether it does. If not, the
    /// output is as it was.
    pub(crate) fn compress(
        self,
        input: &[u8],
        output: &mut Vec<u8>,
        limit: usize,
        work: &mut Work,
    ) -> Result<bool, CodecError> {
        if limit < 2 {
            return Ok(false);
        }
        let begin = output.len();
        output.try_reserve(limit).map_err(|_| CodecError::OutOfMemory(limit))?;
        let written = if let Self::BloscLz(level) = self {
            blosclz::compress(level, input, output, limit).then(|| output.len() - begin)
        } else {
            output.resize(begin + limit - 1, 0);
            self.compress_into(input, &mut output[begin..], work)?
        };
        output.truncate(begin + written.unwrap_or(0));
        Ok(written.is_some())
    }

    /// The number of bytes written, if they fit.
    fn compress_into(
        self,
        input: &[u8],
        room: &mut [u8],
        work: &mut Work,
    ) -> Result<Option<usize>, CodecError> {
        Ok(match self {
            Self::BloscLz(_) => None,
            Self::Lz4(acceleration) => lz4_compress(input, room, |from, to, length, room| {
                // SAFETY: LZ4 reads `length` bytes of the input and writes at most `room` bytes.
                unsafe { lz4_sys::LZ4_compress_fast(from, to, length, room, acceleration) }
            }),
            Self::Lz4Hc(level) => lz4_compress(input, room, |from, to, length, room| {
                // SAFETY: As above.
                unsafe { lz4_sys::LZ4_compress_HC(from, to, length, room, level) }
            }),
            Self::Zlib(level) => {
                let no_level = CodecError::NotApplicable("no such level");
                let setting = CompressionLvl::new(level).map_err(|_| no_level.clone())?;
                let place = usize::try_from(level).ok().and_then(|level| work.deflate.get_mut(level));
                let compressor =
                    place.ok_or(no_level)?.get_or_insert_with(|| libdeflater::Compressor::new(setting));
                compressor.zlib_compress(input, room).ok()
            }
            Self::Zstd(level) => {
                if work.zstd_compress.is_none() {
                    work.zstd_compress = CCtx::try_create();
                }
                let context =
                    work.zstd_compress.as_mut().ok_or(CodecError::OutOfMemory(size_of::<CCtx<'_>>()))?;
                context.compress(room, input, level.clamp(min_c_level(), max_c_level())).ok()
            }
        })
    }
}

/// Calls LZ4 with both slices, and their lengths if it can have them.
fn lz4_compress(
    input: &[u8],
    room: &mut [u8],
    call: impl FnOnce(*const c_char, *mut c_char, c_int, c_int) -> c_int,
) -> Option<usize> {
    let (length, most) = (c_int::try_from(input.len()).ok()?, c_int::try_from(room.len()).ok()?);
    let written = call(input.as_ptr().cast(), room.as_mut_ptr().cast(), length, most);
    usize::try_from(written).ok().filter(|&written| written > 0)
}

/// Lends the memory for a filter's own use apart from the rest.
pub(crate) fn with_memory<T>(work: &mut Work, run: impl FnOnce(&mut Vec<u8>, &mut Work) -> T) -> T {
    let mut memory = mem::take(&mut work.inside);
    let result = run(&mut memory, work);
    work.inside = memory;
    result
}
