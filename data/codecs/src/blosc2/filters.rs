//! What is done with the elements of a block before it is compressed.

use crate::bitshuffle::transpose;
use crate::error::CodecError;

/// One filter of Blosc2 that changes something when it is undone. (Truncating the precision of numbers does
/// not.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Byte planes of elements of this size.
    Bytes(usize),
    /// Bit planes.
    Bits,
    /// Exclusive or: in the first block with the element before, in the others with the first block.
    Delta,
}

/// The most filters a chunk can have.
pub(super) const MOST: usize = 6;

/// The filters of a chunk with elements of this size, in the order in which they are applied.
pub(super) fn steps(
    numbers: [u8; MOST],
    settings: [u8; MOST],
    element: usize,
) -> Result<[Option<Step>; MOST], CodecError> {
    let mut steps = [None; MOST];
    for ((step, number), setting) in steps.iter_mut().zip(numbers).zip(settings) {
        *step = match (number, setting) {
            // No filter, or truncated precision.
            (0 | 4, _) => None,
            (1, 0) => Some(Step::Bytes(element)).filter(|_| element > 1),
            (1, size) => Some(Step::Bytes(usize::from(size))).filter(|_| size > 1),
            (2, _) => Some(Step::Bits),
            (3, _) => Some(Step::Delta),
            _ => return Err(CodecError::Foreign("a chunk has a filter of Blosc2 that is not supported")),
        };
    }
    Ok(steps)
}

/// Of how many bytes of a block the bit planes are taken: whole elements, a multiple of eight.
fn in_bit_planes(block: usize, element: usize) -> usize {
    let eight = element * 8;
    block / eight * eight
}

impl Step {
    /// Whether the result cannot be where the input is.
    pub(super) fn moves(self) -> bool {
        self != Self::Delta
    }

    /// Undoes a step that moves bytes. `between` is as long as the block.
    pub(super) fn undo(self, element: usize, from: &[u8], to: &mut [u8], between: &mut [u8]) {
        match self {
            Self::Bytes(size) => transpose::bytes_from_planes(size, from, to),
            Self::Bits => {
                let (elements, rest) = to.split_at_mut(in_bit_planes(from.len(), element));
                let (bits, stored) = from.split_at(elements.len());
                transpose::elements_from_bits(element, bits, elements, between);
                rest.copy_from_slice(stored);
            }
            Self::Delta => to.copy_from_slice(from),
        }
    }

    /// Does a step that moves bytes. `between` is as long as the block.
    pub(super) fn apply(self, element: usize, from: &[u8], to: &mut [u8], between: &mut [u8]) {
        match self {
            Self::Bytes(size) => transpose::planes_from_bytes(size, from, to),
            Self::Bits => {
                let (bits, rest) = to.split_at_mut(in_bit_planes(from.len(), element));
                let (elements, stored) = from.split_at(bits.len());
                transpose::bits_from_elements(element, elements, bits, between);
                rest.copy_from_slice(stored);
            }
            Self::Delta => to.copy_from_slice(from),
        }
    }
}

/// The size of what is xored as one. Only sizes for which there is an integer are; the rest is bytes.
fn delta_size(element: usize) -> usize {
    match element {
        1 | 2 | 4 => element,
        _ if element.is_multiple_of(8) => 8,
        _ => 1,
    }
}

/// Undoes the delta of a block, or of the first block if there is no other.
pub(super) fn undo_delta(element: usize, block: &mut [u8], first: Option<&[u8]>) {
    let size = delta_size(element);
    let whole = block.len() / size * size;
    match first {
        Some(first) => xor(&mut block[..whole], first),
        None => {
            for at in size..whole {
                block[at] ^= block[at - size];
            }
        }
    }
}

/// Does the delta of a block, or of the first block if there is no other.
pub(super) fn apply_delta(element: usize, block: &mut [u8], first: Option<&[u8]>) {
    let size = delta_size(element);
    let whole = block.len() / size * size;
    match first {
        Some(first) => xor(&mut block[..whole], first),
        None => {
            for at in (size..whole).rev() {
                block[at] ^= block[at - size];
            }
        }
    }
}

fn xor(block: &mut [u8], first: &[u8]) {
    for (byte, other) in block.iter_mut().zip(first) {
        *byte ^= other;
    }
}
