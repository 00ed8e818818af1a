//! The chunks of a frame.
//!
//! A chunk has a header of 32 bytes, where each of its blocks begins (four bytes each, little-endian), and the
//! blocks. These are one or more streams, each with its length before it. There are chunks without blocks: copied
//! ones, and those that have only one value.

use crate::blosc::stream::{self, Format};
use crate::blosc2::filters::{MOST, Step, steps, undo_delta};
use crate::error::CodecError;
use crate::work::Work;

/// Length of a chunk's header.
pub(super) const HEADER: usize = 32;

/// In the flags: that the header is of this length.
pub(super) const EXTENDED: u8 = 1 | 4;
/// In the flags: that the bytes are as they were.
pub(super) const COPIED: u8 = 2;
/// In the flags: that the blocks have a delta.
pub(super) const DELTA: u8 = 8;
/// In the flags: that each block is one stream.
pub(super) const NOT_SPLIT: u8 = 16;

const CUT_SHORT: CodecError = CodecError::Corrupt("a block lies outside of its chunk");

/// A chunk whose header has been read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chunk<'frame> {
    /// Bytes before compression; not 0.
    pub(super) len: usize,
    /// Bytes of a block; not 0, not more than all.
    pub(super) block: usize,
    /// Bytes of an element; not 0.
    element: usize,
    /// In the order in which they were applied.
    steps: [Option<Step>; MOST],
    content: Content<'frame>,
}

#[derive(Debug, Clone, Copy)]
enum Content<'frame> {
    Zeros,
    /// The only element's value, again and again.
    Repeated(&'frame [u8]),
    Copied(&'frame [u8]),
    Blocks {
        /// All of the chunk.
        chunk: &'frame [u8],
        format: Format,
        split: bool,
    },
}

/// One number that is none, as `nan("")` gives it.
const NAN_4: [u8; 4] = 0x7fc0_0000_u32.to_le_bytes();
const NAN_8: [u8; 8] = 0x7ff8_0000_0000_0000_u64.to_le_bytes();

impl<'frame> Chunk<'frame> {
    /// Reads and checks a header.
    pub(super) fn read(bytes: &'frame [u8]) -> Result<Self, CodecError> {
        let header: &[u8; HEADER] =
            bytes.first_chunk().ok_or(CodecError::Corrupt("a chunk is shorter than its header"))?;
        let size = |at: usize| -> Result<usize, CodecError> {
            let size = i32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
            usize::try_from(size).map_err(|_| CodecError::Corrupt("a size in a chunk is negative"))
        };
        let (version, flags, element) = (header[0], header[2], usize::from(header[3]));
        let (len, block, stored) = (size(4)?, size(8)?, size(12)?);
        let (more, special) = (header[31], header[31] >> 4 & 7);
        if !(3..=6).contains(&version) || flags & EXTENDED != EXTENDED {
            return Err(CodecError::Foreign("a chunk has another version of Blosc2's format"));
        }
        if header[30] != 0 || more & 0x89 != 0 {
            return Err(CodecError::Foreign(
                "a chunk has variable blocks, a dictionary or measurements: not supported",
            ));
        }
        if len == 0 || block == 0 || element == 0 {
            return Err(CodecError::Corrupt("a size in a chunk is 0"));
        }
        if stored < HEADER || stored > bytes.len() {
            return Err(CodecError::Corrupt("a chunk is shorter than its header says"));
        }
        let chunk = &bytes[..stored];
        let value = &chunk[HEADER..];
        let mut steps_there = [None; MOST];
        let content = match special {
            0 if flags & COPIED != 0 => {
                if value.len() != len {
                    return Err(CodecError::Corrupt("a copied chunk does not have the length of its data"));
                }
                Content::Copied(value)
            }
            0 => {
                let mut numbers = *header[16..].first_chunk().unwrap_or(&[0; MOST]);
                let settings = *header[24..].first_chunk().unwrap_or(&[0; MOST]);
                if version == 3 {
                    // There were only five then, and anything in the place of the sixth.
                    numbers[5] = 0;
                }
                steps_there = steps(numbers, settings, element)?;
                Content::Blocks { chunk, format: Format::from_flags(flags)?, split: flags & NOT_SPLIT == 0 }
            }
            // What is not initialised is not shown either.
            1 | 4 => Content::Zeros,
            2 => nans(element, len)?,
            3 if !value.is_empty() && len.is_multiple_of(value.len()) => Content::Repeated(value),
            _ => return Err(CodecError::Corrupt("a chunk has a special value that is not known")),
        };
        Ok(Self { len, block: block.min(len), element, steps: steps_there, content })
    }

    /// The chunk that is not there: the index says that it has only one value, and which.
    pub(super) fn special(number: u8, len: usize, element: usize) -> Result<Self, CodecError> {
        let content = match number & 7 {
            1 | 4 => Content::Zeros,
            2 => nans(element, len)?,
            _ => return Err(CodecError::Corrupt("the index has a special value that is not known")),
        };
        if len == 0 {
            return Err(CodecError::Corrupt("the frame has no data"));
        }
        Ok(Self { len, block: len, element, steps: [None; MOST], content })
    }

    /// Whether its blocks must be told from each other: if not, any part of it can be had.
    pub(super) fn is_uniform(&self) -> bool {
        matches!(self.content, Content::Zeros | Content::Repeated(_))
    }

    /// Whether blocks can only be read after the first.
    pub(super) fn needs_first(&self) -> bool {
        self.steps.contains(&Some(Step::Delta))
    }
}

fn nans(element: usize, len: usize) -> Result<Content<'static>, CodecError> {
    let value: &[u8] = match element {
        4 => &NAN_4,
        8 => &NAN_8,
        _ => {
            return Err(CodecError::Corrupt(
                "a chunk of numbers that are none has elements that are not numbers",
            ));
        }
    };
    if !len.is_multiple_of(element) {
        return Err(CodecError::Corrupt("a chunk is not a whole number of elements"));
    }
    Ok(Content::Repeated(value))
}

/// Reads the blocks of a chunk.
pub(super) struct Blocks<'frame, 'memory> {
    chunk: Chunk<'frame>,
    /// Three blocks.
    memory: &'memory mut [u8],
    /// How many bytes may still be read. Blocks never share bytes; checked, because otherwise a small chunk could
    /// be made of many blocks that each take long to read.
    unread: usize,
}

impl<'frame, 'memory> Blocks<'frame, 'memory> {
    /// How much memory it takes to read the blocks of a chunk.
    pub(super) fn memory(chunk: &Chunk<'_>) -> usize {
        match chunk.content {
            Content::Blocks { .. } if chunk.steps.iter().any(Option::is_some) => chunk.block * 3,
            _ => 0,
        }
    }

    /// With so much memory.
    pub(super) fn new(chunk: Chunk<'frame>, memory: &'memory mut [u8]) -> Self {
        let unread = match chunk.content {
            Content::Blocks { chunk, .. } => chunk.len(),
            _ => 0,
        };
        Self { chunk, memory, unread }
    }

    /// Reads all blocks. The output has the chunk's length.
    pub(super) fn all(&mut self, output: &mut [u8], work: &mut Work) -> Result<(), CodecError> {
        let block = self.chunk.block;
        let (first, others) = output.split_at_mut(block.min(output.len()));
        self.block(0, first, None, work)?;
        for (number, output) in others.chunks_mut(block).enumerate() {
            self.block(number + 1, output, Some(first), work)?;
        }
        Ok(())
    }

    /// Reads one block. The output has its length. `first` is the first block, needed only for others and if the
    /// chunk says so.
    pub(super) fn block(
        &mut self,
        number: usize,
        output: &mut [u8],
        first: Option<&[u8]>,
        work: &mut Work,
    ) -> Result<(), CodecError> {
        match self.chunk.content {
            Content::Zeros => output.fill(0),
            Content::Repeated(value) => repeat(value, output)?,
            Content::Copied(bytes) => {
                let from = number
                    .checked_mul(self.chunk.block)
                    .and_then(|from| bytes.get(from..))
                    .ok_or(CUT_SHORT)?;
                output.copy_from_slice(from.get(..output.len()).ok_or(CUT_SHORT)?);
            }
            Content::Blocks { chunk, format, split } => {
                let start = number
                    .checked_mul(4)
                    .and_then(|at| chunk[HEADER..].get(at..)?.first_chunk())
                    .and_then(|start| usize::try_from(i32::from_le_bytes(*start)).ok());
                let streams = start.and_then(|start| chunk.get(start..)).ok_or(CUT_SHORT)?;
                let full = output.len() == self.chunk.block;
                let count = if split && full { self.chunk.element } else { 1 };
                self.compressed((format, streams, count), output, first, work)?;
            }
        }
        Ok(())
    }

    fn compressed(
        &mut self,
        (format, streams, count): (Format, &[u8], usize),
        output: &mut [u8],
        first: Option<&[u8]>,
        work: &mut Work,
    ) -> Result<(), CodecError> {
        let element = self.chunk.element;
        let len = output.len();
        let moves = |step: &&Step| step.moves();
        let mut moving = self.chunk.steps.iter().flatten().filter(moves).count();
        let memory = if self.memory.is_empty() { &mut [] } else { &mut self.memory[..len * 3] };
        let (mut from, rest) = memory.split_at_mut(memory.len() / 3);
        let (mut to, between) = rest.split_at_mut(rest.len() / 2);
        let target = if moving == 0 { &mut *output } else { &mut *from };
        let read = decompress(format, streams, count, target, work)?;
        self.unread = self.unread.checked_sub(read).ok_or(CodecError::Corrupt("blocks overlap"))?;
        for step in self.chunk.steps.iter().flatten().rev() {
            if !step.moves() {
                undo_delta(element, if moving == 0 { &mut *output } else { &mut *from }, first);
                continue;
            }
            moving -= 1;
            if moving == 0 {
                step.undo(element, from, output, between);
            } else {
                step.undo(element, from, to, between);
                core::mem::swap(&mut from, &mut to);
            }
        }
        Ok(())
    }
}

/// Fills the output with a value again and again.
fn repeat(value: &[u8], output: &mut [u8]) -> Result<(), CodecError> {
    if !output.len().is_multiple_of(value.len()) {
        return Err(CodecError::Corrupt("a block is not a whole number of elements"));
    }
    for element in output.chunks_exact_mut(value.len()) {
        element.copy_from_slice(value);
    }
    Ok(())
}

/// Decodes the streams of one block: each with its length before it, or with the one byte it is made of. Gives
/// how many bytes they take.
fn decompress(
    format: Format,
    streams: &[u8],
    count: usize,
    block: &mut [u8],
    work: &mut Work,
) -> Result<usize, CodecError> {
    if block.len() < count || !block.len().is_multiple_of(count) {
        return Err(CodecError::Corrupt("a block cannot be split into streams"));
    }
    let mut rest = streams;
    for part in block.chunks_exact_mut(block.len() / count) {
        let (stored, after) = rest.split_first_chunk().ok_or(CUT_SHORT)?;
        let stored = i32::from_le_bytes(*stored);
        rest = after;
        if stored == 0 {
            part.fill(0);
        } else if let Ok(stored) = usize::try_from(stored) {
            let (bytes, after) = rest.split_at_checked(stored).ok_or(CUT_SHORT)?;
            rest = after;
            if stored == part.len() {
                part.copy_from_slice(bytes);
            } else {
                stream::decompress(format, bytes, part, work)?;
            }
        } else {
            let (&token, after) = rest.split_first().ok_or(CUT_SHORT)?;
            rest = after;
            match u8::try_from(stored.unsigned_abs()) {
                Ok(byte) if token & 1 != 0 => part.fill(byte),
                _ => return Err(CodecError::Corrupt("a stream has an encoding that is not known")),
            }
        }
    }
    Ok(streams.len() - rest.len())
}
