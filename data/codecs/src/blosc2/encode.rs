//! Writing frames.

use crate::blosc::stream::{Compressor, Encoder, FIRST_LEVEL, with_memory};
use crate::blosc2::Blosc2;
use crate::blosc2::array::Array;
use crate::blosc2::chunk::{COPIED, DELTA, EXTENDED, HEADER, NOT_SPLIT};
use crate::blosc2::filters::{Step, apply_delta};
use crate::blosc2::frame::{Description, Place, finish};
use crate::error::CodecError;
use crate::work::{Work, room};

/// Shorter data is never compressed.
const LEAST: usize = 32;
/// Blocks of longer elements are not split into streams.
const MOST_SPLITS: usize = 16;

const TOO_LONG: CodecError = CodecError::NotApplicable("the data is too long for Blosc2");

/// Encodes a frame of one chunk.
pub(super) fn encode(
    blosc: &Blosc2,
    step: Option<Step>,
    input: &[u8],
    output: &mut Vec<u8>,
    work: &mut Work,
) -> Result<(), CodecError> {
    if input.is_empty() {
        return Err(CodecError::NotApplicable("there is no data"));
    }
    // A filter before this one can have changed the length; then it is no array any more.
    let array = blosc.shape.as_ref().and_then(|shape| {
        let whole = shape.iter().try_fold(blosc.element, |len, &length| len.checked_mul(length));
        (whole == Some(input.len()))
            .then(|| Array::of_chunk(shape, blosc.element, block_size(blosc, input.len())))
    });
    let mut blocks = Vec::new();
    let (data, block) = match &array {
        Some(array) => (array.in_blocks(input, &mut blocks)?, array.block_len().ok_or(TOO_LONG)?),
        None => (input, block_size(blosc, input.len())),
    };
    let layer = array.as_ref().map(|array| array.write().ok_or(TOO_LONG)).transpose()?;
    let description = Description {
        len: data.len(),
        element: blosc.element,
        block,
        level: u8::try_from(blosc.level).unwrap_or(9),
        compressor: blosc.compressor.number(),
        filter: blosc.filter,
        array: layer.as_deref(),
    };
    description.write(output).ok_or(TOO_LONG)?;
    let header = output.len();
    // Every byte of an element has its own stream, as long as blocks are of whole elements.
    let is_whole = block > 0 && block.is_multiple_of(blosc.element_in_chunks());
    let chunk = ChunkEncoder { blosc, step, block, split: is_whole && splits(blosc, data.len()) };
    let place = with_memory(work, |memory, work| chunk.encode(data, output, memory, work))?;
    finish(&place, header, output).ok_or(TOO_LONG)
}

struct ChunkEncoder<'a> {
    blosc: &'a Blosc2,
    step: Option<Step>,
    /// Bytes of a block.
    block: usize,
    /// Whether blocks are split into one stream per byte of an element.
    split: bool,
}

impl ChunkEncoder<'_> {
    /// Appends the chunk, unless it is all zeros.
    fn encode(
        &self,
        data: &[u8],
        output: &mut Vec<u8>,
        memory: &mut Vec<u8>,
        work: &mut Work,
    ) -> Result<Place, CodecError> {
        if data.iter().all(|&byte| byte == 0) {
            return Ok(Place::Zeros);
        }
        let begin = output.len();
        output.try_reserve(data.len() + HEADER).map_err(|_| CodecError::OutOfMemory(data.len()))?;
        let compressed =
            self.blosc.level > 0 && data.len() >= LEAST && self.encode_blocks(data, output, memory, work)?;
        if !compressed {
            output.truncate(begin);
            output.extend([0; HEADER]);
            output.extend_from_slice(data);
        }
        let flags = if compressed {
            let delta = if self.step == Some(Step::Delta) { DELTA } else { 0 };
            let split = if self.split { 0 } else { NOT_SPLIT };
            self.blosc.compressor.format().flags() | delta | split
        } else {
            COPIED
        };
        let stored = output.len() - begin;
        let header = &mut output[begin..begin + HEADER];
        // Version 5 of the format, and 1 of the compressor's.
        header[..3].copy_from_slice(&[5, 1, flags | EXTENDED]);
        header[3] = u8::try_from(self.blosc.element_in_chunks()).unwrap_or(1);
        for (at, size) in [(4, data.len()), (8, self.block), (12, stored)] {
            header[at..at + 4].copy_from_slice(&i32::try_from(size).map_err(|_| TOO_LONG)?.to_le_bytes());
        }
        // The last of six filters, and the compressor.
        (header[21], header[22]) = (self.blosc.filter, self.blosc.compressor.number());
        Ok(Place::Here)
    }

    /// Appends room for the header, and the blocks. `false` if that would be longer than the data.
    fn encode_blocks(
        &self,
        data: &[u8],
        output: &mut Vec<u8>,
        memory: &mut Vec<u8>,
        work: &mut Work,
    ) -> Result<bool, CodecError> {
        let begin = output.len();
        let starts = begin + HEADER;
        output.resize(starts + data.len().div_ceil(self.block) * 4, 0);
        let element = self.blosc.element_in_chunks();
        let encoder = Encoder::new(self.blosc.compressor, self.blosc.level);
        let (filtered, between) = room(memory, self.block * 2)?.split_at_mut(self.block);
        for (number, block) in data.chunks(self.block).enumerate() {
            let start = i32::try_from(output.len() - begin).map_err(|_| TOO_LONG)?;
            output[starts + number * 4..][..4].copy_from_slice(&start.to_le_bytes());
            let filtered = &mut filtered[..block.len()];
            let block = match self.step {
                None => block,
                Some(step) => {
                    step.apply(element, block, filtered, between);
                    if step == Step::Delta {
                        apply_delta(element, filtered, (number > 0).then_some(data));
                    }
                    filtered
                }
            };
            let streams = if self.split && block.len() == self.block { element } else { 1 };
            for part in block.chunks_exact(block.len() / streams) {
                encode_stream(encoder, part, output, work)?;
            }
            if output.len() - begin >= data.len() + HEADER {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Appends a stream with its length before it, or the one byte it is made of.
fn encode_stream(
    encoder: Encoder,
    part: &[u8],
    output: &mut Vec<u8>,
    work: &mut Work,
) -> Result<(), CodecError> {
    let begin = output.len();
    output.extend([0; 4]);
    let Some(&first) = part.first() else { return Ok(()) };
    let stored = if part.iter().all(|&byte| byte == first) {
        if first != 0 {
            // That this is a run.
            output.push(1);
        }
        -i32::from(first)
    } else {
        if !encoder.compress(part, output, part.len(), work)? {
            output.extend_from_slice(part);
        }
        i32::try_from(output.len() - begin - 4).map_err(|_| TOO_LONG)?
    };
    output[begin..begin + 4].copy_from_slice(&stored.to_le_bytes());
    Ok(())
}

/// Whether blocks are split. `len` is the number of bytes of all, as C-Blosc has it.
fn splits(blosc: &Blosc2, len: usize) -> bool {
    let fast = match blosc.compressor {
        Compressor::BloscLz | Compressor::Lz4 => true,
        Compressor::Zstd => blosc.level <= 5,
        Compressor::Lz4Hc | Compressor::Zlib => false,
    };
    fast && blosc.filter == 1 && blosc.element <= MOST_SPLITS && len / blosc.element >= LEAST
}

/// Bytes of a block: what the parameters say, or about the size of a cache, which one depending on the level.
/// The sizes are those C-Blosc takes, since they also decide how well it compresses.
fn block_size(blosc: &Blosc2, len: usize) -> usize {
    let mut block = len;
    if blosc.block > 0 {
        block = blosc.block;
    } else if splits(blosc, len) && blosc.level > 0 {
        let stream = match blosc.level {
            1..=3 => 32,
            4..=6 => 64,
            7 => 128,
            8 => 256,
            _ => 512,
        };
        block = ((stream << 10) * blosc.element).clamp(FIRST_LEVEL, 4 << 20);
    } else if len >= FIRST_LEVEL {
        block = blosc.compressor.block_size(blosc.level);
    }
    block = block.min(len);
    if block > blosc.element { block / blosc.element * blosc.element } else { block }
}
