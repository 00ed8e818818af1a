//! Arrays of many dimensions, cut into chunks and these into blocks.
//!
//! All blocks of a chunk have the same shape. Where they do not fit they reach over the chunk's end, and the last
//! chunks of an array over its end; what is stored there has no meaning.

use core::convert::Infallible;
use core::ops::Range;

use crate::blosc2::chunk::{Blocks, Chunk};
use crate::blosc2::frame::{Frame, big_endian};
use crate::error::CodecError;
use crate::work::{Work, room};

/// The most dimensions a description has a number for.
pub(super) const MOST_DIMENSIONS: usize = 15;

const NO_SENSE: CodecError = CodecError::Corrupt("the frame's array makes no sense");

/// The shape of an array and of its parts, in elements. No length is 0.
#[derive(Debug)]
pub(super) struct Array {
    pub(super) shape: Vec<usize>,
    chunk: Vec<usize>,
    block: Vec<usize>,
    /// Bytes of an element; not 0.
    element: usize,
}

impl Array {
    /// Reads the description in a frame's header.
    pub(super) fn read(description: &[u8], element: usize) -> Result<Self, CodecError> {
        Self::parse(description, element).ok_or(NO_SENSE)
    }

    fn parse(description: &[u8], element: usize) -> Option<Self> {
        // Version and number of dimensions, then the lengths, each with a byte that says what kind of number
        // they are.
        let &[_, _, dimensions, ref rest @ ..] = description else { return None };
        let dimensions = usize::from(dimensions);
        if !(1..=MOST_DIMENSIONS).contains(&dimensions) {
            return None;
        }
        let (shape, rest) = lengths::<8>(rest, dimensions)?;
        let (chunk, rest) = lengths::<4>(rest, dimensions)?;
        let (block, _) = lengths::<4>(rest, dimensions)?;
        Some(Self { shape, chunk, block, element })
    }

    /// An array of one chunk with blocks of about this many bytes, as the filter of PyTables has it: their lengths
    /// are doubled, the last ones first.
    pub(super) fn of_chunk(shape: &[usize], element: usize, block: usize) -> Self {
        let most = block / element;
        let mut lengths: Vec<usize> = shape.iter().map(|&length| length.min(2)).collect();
        let mut all: usize = lengths.iter().product();
        loop {
            let before = all;
            for (length, &whole) in lengths.iter_mut().zip(shape).rev() {
                let larger = if *length * 2 <= whole { *length * 2 } else { whole };
                if all / *length * larger <= most {
                    all = all / *length * larger;
                    *length = larger;
                }
            }
            if all == before {
                break;
            }
        }
        Self { shape: shape.to_vec(), chunk: shape.to_vec(), block: lengths, element }
    }

    /// The description for a frame's header.
    pub(super) fn write(&self) -> Option<Vec<u8>> {
        let dimensions = u8::try_from(self.shape.len()).ok()?;
        let list = 0x90 | dimensions;
        let mut layer = vec![0x97, 0, dimensions, list];
        for &length in &self.shape {
            layer.push(0xd3);
            layer.extend(i64::try_from(length).ok()?.to_be_bytes());
        }
        for lengths in [&self.chunk, &self.block] {
            layer.push(list);
            for &length in lengths {
                layer.push(0xd2);
                layer.extend(i32::try_from(length).ok()?.to_be_bytes());
            }
        }
        // The type of the elements: NumPy's opaque one.
        let name = format!("|V{}", self.element);
        layer.extend([0, 0xdb]);
        layer.extend(i32::try_from(name.len()).ok()?.to_be_bytes());
        layer.extend(name.as_bytes());
        Some(layer)
    }

    /// Bytes of all elements.
    pub(super) fn len(&self) -> Option<usize> {
        product(&self.shape, self.element)
    }

    /// Bytes of a block.
    pub(super) fn block_len(&self) -> Option<usize> {
        product(&self.block, self.element)
    }

    /// How many blocks a chunk has in each dimension.
    fn blocks(&self) -> Vec<usize> {
        self.chunk.iter().zip(&self.block).map(|(chunk, block)| chunk.div_ceil(*block)).collect()
    }

    /// Bytes of the blocks of a chunk.
    fn chunk_len(&self) -> Option<usize> {
        product(&self.blocks(), self.block_len()?)
    }

    /// Reads all chunks. The output has the array's length.
    pub(super) fn decode(
        &self,
        frame: &Frame<'_>,
        output: &mut [u8],
        memory: &mut Vec<u8>,
        work: &mut Work,
    ) -> Result<(), CodecError> {
        let block = self.block_len().ok_or(NO_SENSE)?;
        // A block that is much larger than the array would take memory and time that nothing explains.
        let fits = self.block.iter().zip(&self.shape).all(|(block, length)| *block / 2 <= *length);
        if !fits || block > output.len().saturating_mul(4) {
            return Err(CodecError::Corrupt("a block is larger than the array"));
        }
        let index = frame.index(output.len(), memory, work)?;
        let counts: Vec<usize> =
            self.shape.iter().zip(&self.chunk).map(|(length, chunk)| length.div_ceil(*chunk)).collect();
        let mut number = 0;
        each(&counts, |at| {
            let chunk = frame.chunk(&index, number)?;
            number += 1;
            let origin: Vec<usize> = at.iter().zip(&self.chunk).map(|(at, chunk)| at * chunk).collect();
            self.decode_chunk(chunk, &origin, block, output, memory, work)
        })
    }

    fn decode_chunk(
        &self,
        chunk: Chunk<'_>,
        origin: &[usize],
        block: usize,
        output: &mut [u8],
        memory: &mut Vec<u8>,
        work: &mut Work,
    ) -> Result<(), CodecError> {
        if self.chunk_len() != Some(chunk.len) || !(chunk.block == block || chunk.is_uniform()) {
            return Err(CodecError::Corrupt("a chunk does not have the shape of the frame's array"));
        }
        let memory = room(memory, Blocks::memory(&chunk) + block * 2)?;
        let (own, for_blocks) = memory.split_at_mut(block * 2);
        let (first, other) = own.split_at_mut(block);
        let needs_first = chunk.needs_first();
        let mut blocks = Blocks::new(chunk, for_blocks);
        let mut number = 0;
        each(&self.blocks(), |at| {
            let this = number;
            number += 1;
            let Some(part) = self.part(origin, at) else { return Ok(()) };
            if let Some(contiguous) = part.contiguous(block).filter(|_| this > 0 || !needs_first) {
                return blocks.block(this, &mut output[contiguous], Some(first), work);
            }
            let read = if this == 0 {
                blocks.block(0, first, None, work)?;
                &*first
            } else {
                blocks.block(this, other, Some(first), work)?;
                &*other
            };
            part.rows(|inside, outside| output[outside].copy_from_slice(&read[inside]));
            Ok(())
        })
    }

    /// What of a block lies inside its chunk and inside the array. `origin` is where the chunk begins, `at` the
    /// block's place among those of its chunk. `None` if nothing does.
    fn part(&self, origin: &[usize], at: &[usize]) -> Option<Part> {
        let dimensions = self.shape.len();
        let mut part = Part { dimensions, ..Part::default() };
        let (mut in_block, mut in_array) = (self.element, self.element);
        // How many of the last dimensions are whole, and so can be copied as one.
        let mut whole = true;
        part.row = self.element;
        for d in (0..dimensions).rev() {
            let in_chunk = at[d] * self.block[d];
            let begin = origin[d] + in_chunk;
            let extent = self.block[d]
                .min(self.chunk[d].checked_sub(in_chunk)?)
                .min(self.shape[d].checked_sub(begin)?);
            if extent == 0 {
                return None;
            }
            part.start += begin * in_array;
            (part.in_block[d], part.in_array[d]) = (in_block, in_array);
            part.extent[d] = extent;
            if whole {
                part.row *= extent;
                part.extent[d] = 1;
                whole = extent == self.block[d] && extent == self.shape[d];
            }
            in_block *= self.block[d];
            in_array *= self.shape[d];
        }
        Some(part)
    }

    /// Puts the blocks of the only chunk one after another. What they have too much is zeros.
    pub(super) fn in_blocks<'a>(
        &self,
        elements: &[u8],
        blocks: &'a mut Vec<u8>,
    ) -> Result<&'a [u8], CodecError> {
        let too_large = CodecError::NotApplicable("the chunk is too large for Blosc2");
        let (Some(block), Some(len)) = (self.block_len(), self.chunk_len()) else { return Err(too_large) };
        let blocks = room(blocks, len)?;
        blocks.fill(0);
        let origin = vec![0; self.shape.len()];
        let mut stored = blocks.chunks_exact_mut(block);
        each(&self.blocks(), |at| {
            if let (Some(part), Some(stored)) = (self.part(&origin, at), stored.next()) {
                part.rows(|inside, outside| stored[inside].copy_from_slice(&elements[outside]));
            }
            Ok(())
        })?;
        Ok(blocks)
    }
}

/// A part of an array that is also part of a block, as rows of bytes.
#[derive(Debug, Default)]
struct Part {
    dimensions: usize,
    /// How many rows there are in each dimension; 1 in those the rows are made of.
    extent: [usize; MOST_DIMENSIONS],
    /// Bytes from one element to the next in a dimension of the block.
    in_block: [usize; MOST_DIMENSIONS],
    /// Bytes from one element to the next in a dimension of the array.
    in_array: [usize; MOST_DIMENSIONS],
    /// Where the first row begins in the array.
    start: usize,
    /// Bytes of a row.
    row: usize,
}

impl Part {
    /// Where a whole block lies in the array, if it is one piece there.
    fn contiguous(&self, block: usize) -> Option<Range<usize>> {
        (self.row == block).then(|| self.start..self.start + block)
    }

    /// Calls with each row: where it is in the block, and where in the array.
    fn rows(&self, mut row: impl FnMut(Range<usize>, Range<usize>)) {
        let offset = |at: &[usize], steps: &[usize]| -> usize {
            at.iter().zip(steps).map(|(at, step)| at * step).sum()
        };
        let Ok(()) = each(&self.extent[..self.dimensions], |at| {
            let inside = offset(at, &self.in_block);
            let outside = self.start + offset(at, &self.in_array);
            row(inside..inside + self.row, outside..outside + self.row);
            Ok::<_, Infallible>(())
        });
    }
}

/// Calls with each place in a grid of these lengths, the last dimension fastest. No length is 0.
fn each<E>(lengths: &[usize], mut visit: impl FnMut(&[usize]) -> Result<(), E>) -> Result<(), E> {
    let mut at = vec![0; lengths.len()];
    loop {
        visit(&at)?;
        let mut turned = None;
        for d in (0..lengths.len()).rev() {
            at[d] += 1;
            if at[d] < lengths[d] {
                turned = Some(d);
                break;
            }
            at[d] = 0;
        }
        if turned.is_none() {
            return Ok(());
        }
    }
}

/// The product of all of these.
fn product(lengths: &[usize], by: usize) -> Option<usize> {
    lengths.iter().try_fold(by, |product, &length| product.checked_mul(length))
}

/// A list of lengths of `N` bytes each, and what follows it.
fn lengths<const N: usize>(bytes: &[u8], count: usize) -> Option<(Vec<usize>, &[u8])> {
    let (list, rest) = bytes.get(1..)?.split_at_checked(count * (N + 1))?;
    let most = usize::try_from(i32::MAX).unwrap_or(usize::MAX);
    let lengths = list.chunks_exact(N + 1).map(|length| {
        usize::try_from(big_endian::<N>(length, 1)?).ok().filter(|length| (1..=most).contains(length))
    });
    Some((lengths.collect::<Option<_>>()?, rest))
}
