//! The filter "bitshuffle" (32008): bit planes of the elements, and LZ4 or Zstandard over them.
//!
//! The elements are taken in blocks; of the last one only a multiple of eight elements, and what remains is
//! stored as it is. Without a compressor the blocks follow each other and have the length they had. With one
//! there is a header: the number of bytes (eight bytes) and the size of a block in bytes (four); then each block
//! with its length (four bytes) before it. All numbers are big-endian.

pub(crate) mod transpose;

use crate::blosc::stream::{Encoder, Format, decompress, with_memory};
use crate::codec::Codec;
use crate::error::{CodecError, Unsupported};
use crate::work::{Work, room};

/// Length of the header that compressed data has.
const HEADER: usize = 12;

const CUT_SHORT: CodecError = CodecError::Corrupt("the compressed data is cut short");

/// The codec with these parameters: version (two numbers), size of an element, elements in a block, compressor
/// and its level.
pub(crate) fn codec(parameters: &[u32]) -> Result<Box<dyn Codec>, Unsupported> {
    let &[_, _, element, ref options @ ..] = parameters else {
        return Err(Unsupported(format!("bitshuffle has 3 parameters or more, not {}", parameters.len())));
    };
    let option = |at: usize| options.get(at).copied().unwrap_or(0);
    let element = usize::try_from(element).unwrap_or(0);
    let block = usize::try_from(option(0)).unwrap_or(usize::MAX);
    let compression = match option(1) {
        0 => Compression::None,
        2 => Compression::Lz4,
        // The level is a signed number.
        3 => Compression::Zstd(option(2).cast_signed()),
        other => return Err(Unsupported(format!("bitshuffle has no compressor {other}"))),
    };
    if element == 0 {
        return Err(Unsupported("bitshuffle of elements without a size".to_owned()));
    }
    if !block.is_multiple_of(8) {
        return Err(Unsupported(format!(
            "bitshuffle has no blocks of {block} elements: not a multiple of 8"
        )));
    }
    let block = if block == 0 { default_block(element) } else { block };
    if block.checked_mul(element).is_none_or(|bytes| i32::try_from(bytes).is_err()) {
        return Err(Unsupported(format!("bitshuffle has no blocks of {block} elements of {element} bytes")));
    }
    Ok(Box::new(Bitshuffle { element, block, compression }))
}

/// About eight kilobytes. Part of the format: data without a header does not say.
fn default_block(element: usize) -> usize {
    (8192 / element / 8 * 8).max(128)
}

#[derive(Debug, Clone, Copy)]
enum Compression {
    None,
    Lz4,
    Zstd(i32),
}

impl Compression {
    fn format(self) -> Option<Format> {
        match self {
            Self::None => None,
            Self::Lz4 => Some(Format::Lz4),
            Self::Zstd(_) => Some(Format::Zstd),
        }
    }

    fn encoder(self) -> Option<Encoder> {
        match self {
            Self::None => None,
            // LZ4's default acceleration.
            Self::Lz4 => Some(Encoder::Lz4(1)),
            Self::Zstd(level) => Some(Encoder::Zstd(level)),
        }
    }
}

#[derive(Debug)]
struct Bitshuffle {
    /// Size of an element in bytes.
    element: usize,
    /// Number of elements in a block.
    block: usize,
    compression: Compression,
}

impl Bitshuffle {
    /// The bytes of all but the last elements, which are in no block.
    fn in_blocks(&self, len: usize) -> usize {
        let eight = self.element * 8;
        len / eight * eight
    }

    fn decode_compressed(
        &self,
        format: Format,
        input: &[u8],
        output: &mut [u8],
        memory: &mut Vec<u8>,
        work: &mut Work,
    ) -> Result<usize, CodecError> {
        let (len, block, mut rest) = header(input).ok_or(CUT_SHORT)?;
        let len = usize::try_from(len).map_err(|_| CodecError::NoRoom)?;
        let output = output.get_mut(..len).ok_or(CodecError::NoRoom)?;
        if !len.is_multiple_of(self.element) {
            return Err(CodecError::Corrupt("the data is not a whole number of elements"));
        }
        let block = match block / self.element {
            0 => default_block(self.element),
            block => block,
        };
        if !block.is_multiple_of(8) {
            return Err(CodecError::Corrupt("the size of a block is not a multiple of 8 elements"));
        }
        let (blocks, last) = output.split_at_mut(self.in_blocks(len));
        // Blocks can be longer than all there is, but not more is needed.
        let block = block.saturating_mul(self.element).min(blocks.len().max(1));
        let (bits, between) = room(memory, block * 2)?.split_at_mut(block);
        for elements in blocks.chunks_mut(block) {
            let (stored, after) = rest.split_first_chunk().ok_or(CUT_SHORT)?;
            let stored = usize::try_from(u32::from_be_bytes(*stored)).map_err(|_| CUT_SHORT)?;
            let (stream, after) = after.split_at_checked(stored).ok_or(CUT_SHORT)?;
            rest = after;
            let bits = &mut bits[..elements.len()];
            decompress(format, stream, bits, work)?;
            transpose::elements_from_bits(self.element, bits, elements, between);
        }
        last.copy_from_slice(rest.get(..last.len()).ok_or(CUT_SHORT)?);
        Ok(len)
    }

    fn encode_blocks(
        &self,
        input: &[u8],
        output: &mut Vec<u8>,
        memory: &mut Vec<u8>,
        work: &mut Work,
    ) -> Result<(), CodecError> {
        const TOO_LARGE: CodecError = CodecError::NotApplicable("the blocks are too large");
        let (blocks, last) = input.split_at(self.in_blocks(input.len()));
        let block = self.block * self.element;
        let encoder = self.compression.encoder();
        if encoder.is_some() {
            output.extend(u64::try_from(input.len()).unwrap_or(u64::MAX).to_be_bytes());
            output.extend(u32::try_from(block).map_err(|_| TOO_LARGE)?.to_be_bytes());
        }
        let block = block.min(blocks.len().max(1));
        let (bits, between) = room(memory, block * 2)?.split_at_mut(block);
        for elements in blocks.chunks(block) {
            let bits = &mut bits[..elements.len()];
            transpose::bits_from_elements(self.element, elements, bits, between);
            let Some(encoder) = encoder else {
                output.extend_from_slice(bits);
                continue;
            };
            let begin = output.len();
            output.extend([0; 4]);
            // Streams may be longer than their blocks here. The bound is larger than those of both compressors.
            if !encoder.compress(bits, output, bits.len() + bits.len() / 128 + 128, work)? {
                return Err(CodecError::NotApplicable("a block could not be compressed"));
            }
            let stored = u32::try_from(output.len() - begin - 4).map_err(|_| TOO_LARGE)?;
            output[begin..begin + 4].copy_from_slice(&stored.to_be_bytes());
        }
        output.extend_from_slice(last);
        Ok(())
    }
}

/// The number of bytes, the bytes in a block, and what follows.
fn header(input: &[u8]) -> Option<(u64, usize, &[u8])> {
    let (len, rest) = input.split_first_chunk()?;
    let (block, rest) = rest.split_first_chunk()?;
    Some((u64::from_be_bytes(*len), usize::try_from(u32::from_be_bytes(*block)).ok()?, rest))
}

impl Codec for Bitshuffle {
    fn decode(&self, input: &[u8], output: &mut [u8], work: &mut Work) -> Result<usize, CodecError> {
        if let Some(format) = self.compression.format() {
            return with_memory(work, |memory, work| {
                self.decode_compressed(format, input, output, memory, work)
            });
        }
        let output = output.get_mut(..input.len()).ok_or(CodecError::NoRoom)?;
        if !input.len().is_multiple_of(self.element) {
            return Err(CodecError::Corrupt("the data is not a whole number of elements"));
        }
        let in_blocks = self.in_blocks(input.len());
        let block = (self.block * self.element).min(in_blocks.max(1));
        let between = room(&mut work.inside, block)?;
        let blocks = output[..in_blocks].chunks_mut(block).zip(input[..in_blocks].chunks(block));
        for (elements, bits) in blocks {
            transpose::elements_from_bits(self.element, bits, elements, between);
        }
        output[in_blocks..].copy_from_slice(&input[in_blocks..]);
        Ok(input.len())
    }

    fn decoded_len(&self, input: &[u8]) -> Option<usize> {
        match self.compression {
            Compression::None => Some(input.len()),
            _ => usize::try_from(header(input)?.0).ok(),
        }
    }

    fn encode(&self, input: &[u8], output: &mut Vec<u8>, work: &mut Work) -> Result<(), CodecError> {
        output.clear();
        if !input.len().is_multiple_of(self.element) {
            return Err(CodecError::NotApplicable("the data is not a whole number of elements"));
        }
        output.try_reserve(input.len() + HEADER).map_err(|_| CodecError::OutOfMemory(input.len()))?;
        with_memory(work, |memory, work| self.encode_blocks(input, output, memory, work))
    }

    fn encoded_len(&self, input: usize) -> Option<usize> {
        matches!(self.compression, Compression::None).then_some(input)
    }
}
