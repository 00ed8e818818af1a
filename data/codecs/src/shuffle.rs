//! The filter "shuffle": all first bytes of the elements, then all second bytes, and so on. Bytes after the
//! last whole element stay where they are.

mod halving;

use core::ops::Range;

use crate::codec::Codec;
use crate::error::{CodecError, Unsupported};
use crate::work::{Work, copied, sized};

/// How many bytes of elements are done at a time where their size has no loop of its own: they stay in the
/// first-level cache while their bytes come from or go to distant places.
const BLOCK: usize = 8 * 1024;

/// How many elements are done at a time at least, so that each cache line of a plane is not fetched for little.
const MIN_RUN: usize = 64;

/// The codec with these parameters.
pub(crate) fn codec(parameters: &[u32]) -> Result<Box<dyn Codec>, Unsupported> {
    match *parameters {
        [size] if size > 0 => match usize::try_from(size) {
            Ok(size) => Ok(Box::new(Shuffle { size })),
            Err(_) => Err(Unsupported(format!("elements of {size} bytes"))),
        },
        [] => Ok(Box::new(SizeUnknown)),
        _ => Err(Unsupported(format!("parameters {parameters:?} instead of a size of elements"))),
    }
}

#[derive(Debug)]
struct Shuffle {
    /// Of an element. Not zero.
    size: usize,
}

/// The filter of a dataset with variable-length data: HDF5 does not tell it the size of an element, and it fails. So chunks are
/// stored without it.
#[derive(Debug)]
struct SizeUnknown;

impl Codec for SizeUnknown {
    fn may_be_foreign(&self) -> bool {
        true
    }

    fn decode(&self, _input: &[u8], _output: &mut [u8], _work: &mut Work) -> Result<usize, CodecError> {
        Err(CodecError::Foreign("the size of an element is not known"))
    }

    fn decoded_len(&self, input: &[u8]) -> Option<usize> {
        Some(input.len())
    }

    fn encode(&self, _input: &[u8], _output: &mut Vec<u8>, _work: &mut Work) -> Result<(), CodecError> {
        Err(CodecError::NotApplicable("the size of an element is not known"))
    }
}

impl Shuffle {
    /// Whether shuffling this many bytes changes nothing.
    fn keeps(&self, len: usize) -> bool {
        self.is_identity() || len / self.size <= 1
    }
}

impl Codec for Shuffle {
    fn always_applies(&self) -> bool {
        true
    }

    fn decode(&self, input: &[u8], output: &mut [u8], _work: &mut Work) -> Result<usize, CodecError> {
        let output = output.get_mut(..input.len()).ok_or(CodecError::NoRoom)?;
        let whole = input.len() - input.len() % self.size;
        let (planes, rest) = input.split_at(whole);
        let (elements, last) = output.split_at_mut(whole);
        last.copy_from_slice(rest);
        unshuffle(self.size, planes, elements);
        Ok(input.len())
    }

    fn decoded_len(&self, input: &[u8]) -> Option<usize> {
        Some(input.len())
    }

    fn contained(&self, input: &[u8], _verify: bool) -> Option<Result<Range<usize>, CodecError>> {
        self.keeps(input.len()).then_some(Ok(0..input.len()))
    }

    fn is_identity(&self) -> bool {
        self.size == 1
    }

    fn encode(&self, input: &[u8], output: &mut Vec<u8>, _work: &mut Work) -> Result<(), CodecError> {
        if self.keeps(input.len()) {
            return copied(output, input);
        }
        let whole = input.len() - input.len() % self.size;
        let (elements, rest) = input.split_at(whole);
        let (planes, last) = sized(output, input.len())?.split_at_mut(whole);
        last.copy_from_slice(rest);
        shuffle(self.size, elements, planes);
        Ok(())
    }

    fn encoded_len(&self, input: usize) -> Option<usize> {
        Some(input)
    }
}

/// Makes elements of planes.
pub(crate) fn unshuffle(size: usize, planes: &[u8], elements: &mut [u8]) {
    match size {
        2 => halving::unshuffle::<2>(planes, elements),
        4 => halving::unshuffle::<4>(planes, elements),
        8 => halving::unshuffle::<8>(planes, elements),
        16 => halving::unshuffle::<16>(planes, elements),
        _ => {}
    }
    let count = elements.len() / size;
    let first = done(size, count);
    let block = (BLOCK / size).max(MIN_RUN);
    for (number, elements) in elements[first * size..].chunks_mut(block.saturating_mul(size)).enumerate() {
        let length = elements.len() / size;
        for byte in 0..size {
            let plane = &planes[byte * count + first + number * block..][..length];
            for (element, from) in elements.chunks_exact_mut(size).zip(plane) {
                element[byte] = *from;
            }
        }
    }
}

/// Makes planes of elements.
pub(crate) fn shuffle(size: usize, elements: &[u8], planes: &mut [u8]) {
    match size {
        2 => halving::shuffle::<2>(elements, planes),
        4 => halving::shuffle::<4>(elements, planes),
        8 => halving::shuffle::<8>(elements, planes),
        16 => halving::shuffle::<16>(elements, planes),
        _ => {}
    }
    let count = elements.len() / size;
    let first = done(size, count);
    let block = (BLOCK / size).max(MIN_RUN);
    for (number, elements) in elements[first * size..].chunks(block.saturating_mul(size)).enumerate() {
        let length = elements.len() / size;
        for byte in 0..size {
            let plane = &mut planes[byte * count + first + number * block..][..length];
            for (to, element) in plane.iter_mut().zip(elements.chunks_exact(size)) {
                *to = element[byte];
            }
        }
    }
}

/// How many elements were already done in the way of their size.
fn done(size: usize, count: usize) -> usize {
    match size {
        2 | 4 | 8 | 16 => count - halving::left_over(size, count),
        _ => 0,
    }
}
