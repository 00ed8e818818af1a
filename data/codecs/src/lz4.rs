//! The filter "lz4": blocks in a framing of its own, all numbers big-endian: the length of the data (8 bytes),
//! the length of a block (4), then for each block its compressed length (4) and its bytes. A block that does
//! not shrink is stored as it is.

use core::ffi::c_int;

use crate::codec::Codec;
use crate::error::{CodecError, Unsupported};
use crate::work::{Work, sized};

/// What the filter takes if the parameter is missing or zero.
const DEFAULT_BLOCK: usize = 1 << 30;

const HEADER: usize = 12;

/// The codec with these parameters.
#[expect(clippy::unnecessary_wraps, reason = "all filters are made in the same way")]
pub(crate) fn codec(parameters: &[u32]) -> Result<Box<dyn Codec>, Unsupported> {
    let block = parameters.first().and_then(|&block| usize::try_from(block).ok()).filter(|&block| block > 0);
    Ok(Box::new(Lz4 { block: block.unwrap_or(DEFAULT_BLOCK) }))
}

#[derive(Debug)]
struct Lz4 {
    /// How much is compressed at a time. Not zero. Decoding takes it from the data instead.
    block: usize,
}

impl Codec for Lz4 {
    fn decode(&self, input: &[u8], output: &mut [u8], _work: &mut Work) -> Result<usize, CodecError> {
        let (&[l0, l1, l2, l3, l4, l5, l6, l7, b0, b1, b2, b3], mut input) =
            input.split_first_chunk::<HEADER>().ok_or(TRUNCATED)?;
        let len = u64::from_be_bytes([l0, l1, l2, l3, l4, l5, l6, l7]);
        let len = usize::try_from(len).map_err(|_| CodecError::NoRoom)?;
        let block = length([b0, b1, b2, b3]);
        let output = output.get_mut(..len).ok_or(CodecError::NoRoom)?;
        if block == 0 && len > 0 {
            return Err(CodecError::Corrupt("blocks of no bytes"));
        }
        for to in output.chunks_mut(block.max(1)) {
            let (stored, rest) = input.split_first_chunk::<4>().ok_or(TRUNCATED)?;
            let (from, rest) = rest.split_at_checked(length(*stored)).ok_or(TRUNCATED)?;
            input = rest;
            if from.len() == to.len() {
                to.copy_from_slice(from);
            } else if decompress_block(from, to)? < to.len() {
                return Err(CodecError::Corrupt("a block is too short"));
            }
        }
        Ok(len)
    }

    fn decoded_len(&self, input: &[u8]) -> Option<usize> {
        let (len, _) = input.split_first_chunk::<8>()?;
        usize::try_from(u64::from_be_bytes(*len)).ok()
    }

    fn encode(&self, input: &[u8], output: &mut Vec<u8>, _work: &mut Work) -> Result<(), CodecError> {
        const LENGTH: CodecError = CodecError::NotApplicable("no bytes, or 2 GiB and more");
        if input.is_empty() || c_int::try_from(input.len()).is_err() {
            return Err(LENGTH);
        }
        let block = self.block.min(input.len());
        let most = HEADER + 4 * input.len().div_ceil(block) + input.len();
        let all = sized(output, most)?;
        all[..8].copy_from_slice(&u64::try_from(input.len()).map_err(|_| LENGTH)?.to_be_bytes());
        all[8..HEADER].copy_from_slice(&u32::try_from(block).map_err(|_| LENGTH)?.to_be_bytes());
        let mut end = HEADER;
        for from in input.chunks(block) {
            let (length, to) = all[end..].split_at_mut(4);
            // Without room for a block that does not shrink.
            let written = compress_block(from, &mut to[..from.len() - 1]).unwrap_or_else(|| {
                to[..from.len()].copy_from_slice(from);
                from.len()
            });
            length.copy_from_slice(&u32::try_from(written).map_err(|_| LENGTH)?.to_be_bytes());
            end += 4 + written;
        }
        output.truncate(end);
        Ok(())
    }
}

/// The codec of one block after its length.
pub(crate) fn single_block_codec(parameters: &[u32]) -> Result<Box<dyn Codec>, Unsupported> {
    match parameters {
        [] => Ok(Box::new(SingleBlock)),
        _ => Err(Unsupported(format!("{} parameters instead of none", parameters.len()))),
    }
}

/// One block after the length of the data (4 bytes, little-endian), as numcodecs has it.
#[derive(Debug)]
struct SingleBlock;

impl SingleBlock {
    fn parts(input: &[u8]) -> Result<(usize, &[u8]), CodecError> {
        let (length, block) = input.split_first_chunk::<4>().ok_or(TRUNCATED)?;
        Ok((usize::try_from(u32::from_le_bytes(*length)).map_err(|_| CodecError::NoRoom)?, block))
    }
}

impl Codec for SingleBlock {
    fn decode(&self, input: &[u8], output: &mut [u8], _work: &mut Work) -> Result<usize, CodecError> {
        let (length, block) = Self::parts(input)?;
        let output = output.get_mut(..length).ok_or(CodecError::NoRoom)?;
        match decompress_block(block, output)? {
            written if written == length => Ok(length),
            _ => Err(CodecError::Corrupt("the block is too short")),
        }
    }

    fn decoded_len(&self, input: &[u8]) -> Option<usize> {
        Self::parts(input).ok().map(|(length, _)| length)
    }

    fn encode(&self, input: &[u8], output: &mut Vec<u8>, _work: &mut Work) -> Result<(), CodecError> {
        const LENGTH: CodecError = CodecError::NotApplicable("2 GiB and more");
        let length = c_int::try_from(input.len()).map_err(|_| LENGTH)?;
        // What LZ4 gives as the longest result.
        let most = input.len() + input.len() / 255 + 16;
        let all = sized(output, 4 + most)?;
        let (header, block) = all.split_at_mut(4);
        header.copy_from_slice(&length.to_le_bytes());
        let written = compress_block(input, block).ok_or(LENGTH)?;
        output.truncate(4 + written);
        Ok(())
    }
}

const TRUNCATED: CodecError = CodecError::Corrupt("the data ends too early");

fn length(bytes: [u8; 4]) -> usize {
    // Saturating is for machines with less than 32 bits; the check against what is there follows.
    usize::try_from(u32::from_be_bytes(bytes)).unwrap_or(usize::MAX)
}

/// Decompresses one LZ4 block without framing and gives the number of bytes.
pub(crate) fn decompress_block(input: &[u8], output: &mut [u8]) -> Result<usize, CodecError> {
    const CORRUPT: CodecError = CodecError::Corrupt("not a valid LZ4 block");
    let from = c_int::try_from(input.len()).map_err(|_| CORRUPT)?;
    // A block never has more than that, so a longer output is just not filled.
    let to = c_int::try_from(output.len()).unwrap_or(c_int::MAX);
    // SAFETY: both lengths are at most those of the slices, which do not overlap, and the function stays within
    // them for any input.
    let written =
        unsafe { lz4_sys::LZ4_decompress_safe(input.as_ptr().cast(), output.as_mut_ptr().cast(), from, to) };
    // It gives something negative for bad input and for too little room alike.
    usize::try_from(written).map_err(|_| CORRUPT)
}

/// Compresses one block. `None` if it does not fit in the output.
pub(crate) fn compress_block(input: &[u8], output: &mut [u8]) -> Option<usize> {
    let from = c_int::try_from(input.len()).ok()?;
    let to = c_int::try_from(output.len()).unwrap_or(c_int::MAX);
    // SAFETY: as for decompressing.
    let written =
        unsafe { lz4_sys::LZ4_compress_default(input.as_ptr().cast(), output.as_mut_ptr().cast(), from, to) };
    usize::try_from(written).ok().filter(|&written| written > 0)
}
