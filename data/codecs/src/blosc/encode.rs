//! Writing chunks.

use crate::bitshuffle::transpose;
use crate::blosc::header::{Content, HEADER, Header, splits};
use crate::blosc::stream::{Compressor, Encoder, FIRST_LEVEL, with_memory};
use crate::blosc::{Blosc, Shuffle};
use crate::error::CodecError;
use crate::work::{Work, appended, copied, room};

/// Shorter data is never compressed.
const LEAST: usize = 128;

/// Like HDF5's filter, never gives a chunk longer than the data: it fails instead.
const NO_GAIN: CodecError = CodecError::NotApplicable("Blosc does not make the data shorter");

/// Encodes a chunk.
pub(super) fn encode(
    blosc: &Blosc,
    input: &[u8],
    output: &mut Vec<u8>,
    work: &mut Work,
) -> Result<(), CodecError> {
    output.clear();
    if blosc.level == 0 || input.len() < LEAST {
        return Err(NO_GAIN);
    }
    let block = block_size(blosc, input.len());
    let format = blosc.compressor.format();
    let split = may_split(blosc.compressor) && splits(blosc.element, block);
    let mut header = Header {
        len: input.len(),
        block,
        stored: 0,
        element: blosc.element,
        shuffle: blosc.shuffle,
        content: Content::Blocks { format, split },
    };
    let starts = HEADER + header.blocks() * 4;
    output.try_reserve(input.len()).map_err(|_| CodecError::OutOfMemory(input.len()))?;
    output.resize(starts, 0);
    with_memory(work, |memory, work| encode_blocks(blosc, &header, input, output, memory, work))?;
    header.stored = output.len();
    let header = header.to_bytes().ok_or(CodecError::NotApplicable("the data is too long for Blosc"))?;
    output[..HEADER].copy_from_slice(&header);
    Ok(())
}

/// A chunk with the data as it is.
pub(super) fn copy(blosc: &Blosc, input: &[u8], output: &mut Vec<u8>) -> Result<(), CodecError> {
    let header = Header {
        len: input.len(),
        block: block_size(blosc, input.len()),
        stored: input.len().saturating_add(HEADER),
        element: blosc.element,
        shuffle: blosc.shuffle,
        content: Content::Copied,
    };
    let header = header.to_bytes().ok_or(CodecError::NotApplicable("the data is too long for Blosc"))?;
    copied(output, &header)?;
    appended(output, input)
}

/// Appends the blocks and enters where they begin.
fn encode_blocks(
    blosc: &Blosc,
    header: &Header,
    input: &[u8],
    output: &mut Vec<u8>,
    memory: &mut Vec<u8>,
    work: &mut Work,
) -> Result<(), CodecError> {
    let block = header.block;
    let encoder = Encoder::new(blosc.compressor, blosc.level);
    let (planes, between) = room(memory, block * 2)?.split_at_mut(block);
    for (number, elements) in input.chunks(block).enumerate() {
        let too_large = |_| CodecError::NotApplicable("the data is too long for Blosc");
        let start = i32::try_from(output.len()).map_err(too_large)?;
        output[HEADER + number * 4..][..4].copy_from_slice(&start.to_le_bytes());
        let shuffled = shuffled(blosc, elements, &mut planes[..elements.len()], between);
        for part in shuffled.chunks_exact(shuffled.len() / header.streams(shuffled.len())) {
            let begin = output.len();
            output.extend([0; 4]);
            if !encoder.compress(part, output, part.len(), work)? {
                output.extend_from_slice(part);
            }
            let stored = i32::try_from(output.len() - begin - 4).map_err(too_large)?;
            output[begin..begin + 4].copy_from_slice(&stored.to_le_bytes());
        }
        if output.len() > input.len() {
            return Err(NO_GAIN);
        }
    }
    Ok(())
}

/// The block as it is compressed.
fn shuffled<'a>(blosc: &Blosc, elements: &'a [u8], planes: &'a mut [u8], between: &mut [u8]) -> &'a [u8] {
    match blosc.shuffle {
        Shuffle::Bytes if blosc.element > 1 => {
            transpose::planes_from_bytes(blosc.element, elements, planes);
            planes
        }
        Shuffle::Bits
            if (elements.len() / blosc.element).is_multiple_of(8) && elements.len() >= blosc.element =>
        {
            let whole = elements.len() / blosc.element * blosc.element;
            let (bits, rest) = planes.split_at_mut(whole);
            transpose::bits_from_elements(blosc.element, &elements[..whole], bits, between);
            rest.copy_from_slice(&elements[whole..]);
            planes
        }
        _ => elements,
    }
}

/// Versions of Blosc from before there was a choice always split; those could not read Zstandard anyway.
fn may_split(compressor: Compressor) -> bool {
    compressor != Compressor::Zstd
}

/// Bytes of a block. The sizes are those C-Blosc takes, since they also decide how well it compresses.
fn block_size(blosc: &Blosc, len: usize) -> usize {
    let mut block = if len >= FIRST_LEVEL { blosc.compressor.block_size(blosc.level) } else { len };
    if may_split(blosc.compressor) && splits(blosc.element, block) {
        block = (block.min(1 << 18) * blosc.element).clamp(1 << 16, 1 << 20);
    }
    block = block.min(len);
    if block > blosc.element { block / blosc.element * blosc.element } else { block }
}
