//! The filter "szip": the Rice coding of CCSDS 121.0, the way libaec does it for HDF5.
//!
//! A stored chunk begins with its decoded size, four bytes, little-endian. What follows is coded line by line,
//! a line being a row of the chunk or something like it, in blocks of a few samples. Each block is coded in the
//! shortest of several ways: low bits as they are and the rest in unary, pairs of small samples in unary, as it
//! is, or, together with its neighbours, as blocks of zeroes. Before that, samples are usually replaced by their
//! differences to the one before, so that only the first of each line is stored as it is.
//!
//! Elements of 32 and 64 bits are taken apart: first come the first bytes of all elements, then the second ones
//! and so on, and samples are single bytes.

mod bits;
mod decode;
mod encode;
mod stream;
#[cfg(test)]
mod tests;

use stream::{Stream, nonsense};

use crate::codec::Codec;
use crate::error::{CodecError, Unsupported};
use crate::nbit::fields::reserve;
use crate::work::{Work, room};

/// Options, of those in the first parameter, that make a difference.
const BIG_ENDIAN: u32 = 16;
const NEAREST_NEIGHBOUR: u32 = 32;

/// The codec with these parameters.
pub(crate) fn codec(parameters: &[u32]) -> Result<Box<dyn Codec>, Unsupported> {
    let [options, block, bits, line] = *parameters else {
        return Err(nonsense(&format!("there are {}, not 4", parameters.len())));
    };
    let (bits, planes) = match bits {
        1..=31 => (bits, Planes::One),
        32 => (8, Planes::Four),
        64 => (8, Planes::Eight),
        _ => return Err(nonsense(&format!("{bits} bits per pixel"))),
    };
    let (big_endian, differences) = (options & BIG_ENDIAN != 0, options & NEAREST_NEIGHBOUR != 0);
    let stream = Stream::new(bits, big_endian, differences, block, line)?;
    Ok(Box::new(Szip { stream, planes }))
}

/// How many bytes of an element are coded separately.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Planes {
    /// Elements are coded whole.
    One,
    Four,
    Eight,
}

#[derive(Debug)]
struct Szip {
    stream: Stream,
    planes: Planes,
}

impl Szip {
    /// What a chunk's size must be a multiple of.
    fn unit(&self) -> usize {
        match self.planes {
            Planes::One => self.stream.bytes(),
            Planes::Four => 4,
            Planes::Eight => 8,
        }
    }
}

impl Codec for Szip {
    fn decode(&self, input: &[u8], output: &mut [u8], work: &mut Work) -> Result<usize, CodecError> {
        let len = self.decoded_len(input).ok_or(CodecError::Corrupt("there is no size"))?;
        let output = output.get_mut(..len).ok_or(CodecError::NoRoom)?;
        if len == 0 || len % self.unit() != 0 {
            return Err(CodecError::Corrupt("a chunk cannot be of this size"));
        }
        let coded = &input[4..];
        if self.planes == Planes::One {
            decode::decode(&self.stream, coded, output)?;
            return Ok(len);
        }
        let planes = room(&mut work.inside, len)?;
        decode::decode(&self.stream, coded, planes)?;
        if self.planes == Planes::Four {
            join::<4>(planes, output.as_chunks_mut().0);
        } else {
            join::<8>(planes, output.as_chunks_mut().0);
        }
        Ok(len)
    }

    fn decoded_len(&self, input: &[u8]) -> Option<usize> {
        let len = u32::from_le_bytes(*input.first_chunk()?);
        usize::try_from(len).ok()
    }

    fn encode(&self, input: &[u8], output: &mut Vec<u8>, work: &mut Work) -> Result<(), CodecError> {
        let len = u32::try_from(input.len()).ok().filter(|_| input.len().is_multiple_of(self.unit()));
        let len = len.ok_or(CodecError::NotApplicable("a chunk cannot be of this size"))?;
        output.clear();
        reserve(output, input.len() + 4)?;
        output.extend_from_slice(&len.to_le_bytes());
        let input = if self.planes == Planes::One {
            input
        } else {
            let planes = room(&mut work.inside, input.len())?;
            if self.planes == Planes::Four {
                split::<4>(input.as_chunks().0, planes);
            } else {
                split::<8>(input.as_chunks().0, planes);
            }
            planes
        };
        encode::encode(&self.stream, input, output, input.len())
    }
}

/// How many elements are done at a time: they stay in the cache while their bytes come from different places.
const TILE: usize = 512;

/// Puts elements together whose first bytes come first, then their second ones and so on.
fn join<const SIZE: usize>(planes: &[u8], elements: &mut [[u8; SIZE]]) {
    let count = elements.len();
    for (tile, elements) in elements.chunks_mut(TILE).enumerate() {
        for (byte, plane) in planes.chunks_exact(count).enumerate() {
            for (element, value) in elements.iter_mut().zip(&plane[tile * TILE..]) {
                element[byte] = *value;
            }
        }
    }
}

/// Takes elements apart: the first byte of each, then the second ones and so on.
fn split<const SIZE: usize>(elements: &[[u8; SIZE]], planes: &mut [u8]) {
    let count = elements.len();
    for (tile, elements) in elements.chunks(TILE).enumerate() {
        for (byte, plane) in planes.chunks_exact_mut(count).enumerate() {
            for (element, value) in elements.iter().zip(&mut plane[tile * TILE..]) {
                *value = element[byte];
            }
        }
    }
}
