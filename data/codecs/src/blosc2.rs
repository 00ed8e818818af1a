//! The filter "blosc2" (32026): each chunk of a dataset is a contiguous frame of C-Blosc 2.
//!
//! A [frame](frame) has a header, one chunk of Blosc's own, an index with the chunk's place, and a trailer. Data
//! of two or more dimensions is an [array](array): cut into blocks of many dimensions, each of which is
//! compressed on its own, with a description in the frame's header. Other programs write such frames with more
//! than one chunk.
//!
//! As with [`blosc`](crate::blosc), only the compressors are libraries.

mod array;
mod chunk;
mod encode;
mod filters;
mod frame;

use crate::blosc::stream::{Compressor, with_memory};
use crate::codec::Codec;
use crate::error::{CodecError, Unsupported};
use crate::work::{Work, room};
use array::{Array, MOST_DIMENSIONS};
use chunk::Blocks;
use filters::Step;
use frame::Frame;

/// The codec with these parameters: version of the filter, bytes of a block (0: to be chosen), size of an
/// element, bytes of a chunk, level, filter, compressor, number of dimensions, and the chunk's lengths in them.
/// All after the fourth may be missing.
pub(crate) fn codec(parameters: &[u32]) -> Result<Box<dyn Codec>, Unsupported> {
    let &[_, block, element, _, ref options @ ..] = parameters else {
        return Err(Unsupported(format!("blosc2 has 4 parameters or more, not {}", parameters.len())));
    };
    let size = |number: u32| usize::try_from(i32::try_from(number).ok()?).ok();
    let (Some(element @ 1..), Some(block)) = (size(element), size(block)) else {
        return Err(Unsupported(format!("blosc2 with elements of {element} and blocks of {block} bytes")));
    };
    let option = |at: usize, default: u32| options.get(at).copied().unwrap_or(default);
    let level = option(0, 5);
    if level > 9 {
        return Err(Unsupported(format!("blosc2 has no level {level}")));
    }
    let filter = option(1, 1);
    let filter = match filter {
        0..=4 => u8::try_from(filter).unwrap_or(0),
        other => return Err(Unsupported(format!("blosc2 with the filter {other}"))),
    };
    let number = option(2, 0);
    let compressor = Compressor::from_number(number)
        .ok_or_else(|| Unsupported(format!("blosc2 with the compressor {number}")))?;
    let shape = match options.get(3) {
        None => None,
        Some(&dimensions) => {
            let lengths = usize::try_from(dimensions).ok().filter(|n| (2..=MOST_DIMENSIONS).contains(n));
            let shape: Option<Vec<usize>> = lengths
                .and_then(|dimensions| options.get(4..4 + dimensions))
                .and_then(|lengths| lengths.iter().map(|&length| size(length).filter(|&n| n > 0)).collect());
            Some(shape.ok_or_else(|| Unsupported("blosc2 with a shape that makes no sense".to_owned()))?)
        }
    };
    // The filter refuses to compress if not even the level and the filter are there.
    let complete = options.len() >= 2;
    Ok(Box::new(Blosc2 { block, element, level, filter, compressor, shape, complete }))
}

#[derive(Debug)]
struct Blosc2 {
    /// Bytes of a block; 0 if that is to be chosen.
    block: usize,
    /// Bytes of an element; not 0.
    element: usize,
    level: u32,
    /// By its number in Blosc2.
    filter: u8,
    compressor: Compressor,
    /// Lengths of a chunk if it has two or more dimensions.
    shape: Option<Vec<usize>>,
    /// Whether all is known that compressing needs.
    complete: bool,
}

impl Blosc2 {
    /// The description of a frame as an array, if it is one. It must be what the parameters say.
    fn array(&self, frame: &Frame<'_>) -> Result<Option<Array>, CodecError> {
        let Some(description) = frame.array() else { return Ok(None) };
        let array = Array::read(description?, frame.element)?;
        if self.shape.as_ref().is_some_and(|shape| *shape != array.shape) || frame.element != self.element {
            return Err(CodecError::Corrupt("the frame's array does not have the shape of a chunk"));
        }
        Ok(Some(array))
    }
}

impl Codec for Blosc2 {
    fn may_be_foreign(&self) -> bool {
        true
    }

    fn decode(&self, input: &[u8], output: &mut [u8], work: &mut Work) -> Result<usize, CodecError> {
        let frame = Frame::read(input)?;
        let array = self.array(&frame)?;
        with_memory(work, |memory, work| {
            if let Some(array) = array {
                let len = array.len().ok_or(CodecError::NoRoom)?;
                let output = output.get_mut(..len).ok_or(CodecError::NoRoom)?;
                array.decode(&frame, output, memory, work)?;
                return Ok(len);
            }
            let index = frame.index(output.len(), memory, work)?;
            let chunk = frame.chunk(&index, 0)?;
            let output = output.get_mut(..chunk.len).ok_or(CodecError::NoRoom)?;
            Blocks::new(chunk, room(memory, Blocks::memory(&chunk))?).all(output, work)?;
            Ok(output.len())
        })
    }

    fn decoded_len(&self, input: &[u8]) -> Option<usize> {
        let frame = Frame::read(input).ok()?;
        match self.array(&frame).ok()? {
            Some(array) => array.len(),
            None => Some(frame.len.min(frame.chunk)),
        }
    }

    fn encode(&self, input: &[u8], output: &mut Vec<u8>, work: &mut Work) -> Result<(), CodecError> {
        output.clear();
        if !self.complete {
            return Err(CodecError::NotApplicable("the filter's parameters do not say how"));
        }
        let step = match self.filter {
            0 => None,
            1 => Some(Step::Bytes(self.element_in_chunks())),
            2 => Some(Step::Bits),
            3 => Some(Step::Delta),
            _ => return Err(CodecError::NotApplicable("the precision to truncate to is not known")),
        };
        encode::encode(self, step, input, output, work)
    }
}

impl Blosc2 {
    /// Blosc2's chunks have no place for larger sizes of elements: those are taken as single bytes.
    fn element_in_chunks(&self) -> usize {
        if self.element > 255 { 1 } else { self.element }
    }
}
