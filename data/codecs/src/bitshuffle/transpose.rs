//! Matrices of bits and bytes turned over.
//!
//! Elements are a matrix: one row per element, one column per byte, or per bit. Its columns one after another
//! are the *planes*: the first bytes of all elements, then the second bytes, ... These compress better. Bit
//! planes are made from byte planes: the bits of each byte, lowest first.
//!
//! Byte planes are those of the filter "shuffle". Bits are turned over in squares of eight by eight bytes, held in
//! eight `u64`s, or of eight by eight bits, eight squares at a time, in three steps that exchange ever smaller quarters.

use crate::shuffle::{shuffle, unshuffle};

/// Eight rows of eight bytes.
type Square = [u64; 8];

/// One step: in each square of twice `apart` rows, exchanges the upper right quarter with the lower left one.
#[inline]
fn exchange(rows: &mut Square, apart: usize, shift: u32, mask: u64) {
    for upper in 0..8 {
        if upper & apart == 0 {
            let differing = ((rows[upper] >> shift) ^ rows[upper + apart]) & mask;
            rows[upper + apart] ^= differing;
            rows[upper] ^= differing << shift;
        }
    }
}

/// Byte `j` of row `i` becomes byte `i` of row `j`.
#[inline]
fn turn_bytes(rows: &mut Square) {
    exchange(rows, 4, 32, 0x0000_0000_ffff_ffff);
    exchange(rows, 2, 16, 0x0000_ffff_0000_ffff);
    exchange(rows, 1, 8, 0x00ff_00ff_00ff_00ff);
}

/// In each byte: bit `j` of row `i` becomes bit `i` of row `j`.
#[inline]
fn turn_bits(rows: &mut Square) {
    exchange(rows, 4, 4, 0x0f0f_0f0f_0f0f_0f0f);
    exchange(rows, 2, 2, 0x3333_3333_3333_3333);
    exchange(rows, 1, 1, 0x5555_5555_5555_5555);
}

/// Bit `j` of byte `i` becomes bit `i` of byte `j`.
#[inline]
fn turn_bits_of_one(square: u64) -> u64 {
    let mut turned = square;
    for (shift, mask) in
        [(7, 0x00aa_00aa_00aa_00aa_u64), (14, 0x0000_cccc_0000_cccc), (28, 0x0000_0000_f0f0_f0f0)]
    {
        let differing = ((turned >> shift) ^ turned) & mask;
        turned ^= differing ^ (differing << shift);
    }
    turned
}

#[inline]
fn load(bytes: &[u8], at: usize) -> u64 {
    let mut row = [0; 8];
    row.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(row)
}

#[inline]
fn store(bytes: &mut [u8], at: usize, row: u64) {
    bytes[at..at + 8].copy_from_slice(&row.to_le_bytes());
}

/// Elements of `size` bytes from their byte planes. What is left after the last whole element stays in place.
pub(crate) fn bytes_from_planes(size: usize, planes: &[u8], elements: &mut [u8]) {
    let whole = elements.len() / size * size;
    unshuffle(size, &planes[..whole], &mut elements[..whole]);
    let rest = whole..elements.len();
    elements[rest.clone()].copy_from_slice(&planes[rest]);
}

/// The byte planes of elements of `size` bytes. What is left after the last whole element stays in place.
pub(crate) fn planes_from_bytes(size: usize, elements: &[u8], planes: &mut [u8]) {
    let whole = elements.len() / size * size;
    shuffle(size, &elements[..whole], &mut planes[..whole]);
    planes[whole..elements.len()].copy_from_slice(&elements[whole..]);
}

/// Bytes from their bit planes. Their number must be a multiple of eight.
fn bytes_from_bits(bits: &[u8], bytes: &mut [u8]) {
    let row = bytes.len() / 8;
    let squared = row / 8 * 8;
    for at in (0..squared).step_by(8) {
        let mut rows: Square = core::array::from_fn(|bit| load(bits, bit * row + at));
        turn_bits(&mut rows);
        turn_bytes(&mut rows);
        for (i, eight) in rows.into_iter().enumerate() {
            store(bytes, (at + i) * 8, eight);
        }
    }
    for at in squared..row {
        let eight = u64::from_le_bytes(core::array::from_fn(|bit| bits[bit * row + at]));
        store(bytes, at * 8, turn_bits_of_one(eight));
    }
}

/// The bit planes of bytes. Their number must be a multiple of eight.
fn bits_from_bytes(bytes: &[u8], bits: &mut [u8]) {
    let row = bytes.len() / 8;
    let squared = row / 8 * 8;
    for at in (0..squared).step_by(8) {
        let mut rows: Square = core::array::from_fn(|i| load(bytes, (at + i) * 8));
        turn_bytes(&mut rows);
        turn_bits(&mut rows);
        for (bit, eight) in rows.into_iter().enumerate() {
            store(bits, bit * row + at, eight);
        }
    }
    for at in squared..row {
        let eight = turn_bits_of_one(load(bytes, at * 8)).to_le_bytes();
        for (bit, byte) in eight.into_iter().enumerate() {
            bits[bit * row + at] = byte;
        }
    }
}

/// Elements of `size` bytes from their bit planes. Their number must be a multiple of eight. `between` has at
/// least as many bytes as they.
pub(crate) fn elements_from_bits(size: usize, bits: &[u8], elements: &mut [u8], between: &mut [u8]) {
    let plane = elements.len() / size;
    if size == 1 {
        return bytes_from_bits(bits, elements);
    }
    let between = &mut between[..elements.len()];
    for (bits, bytes) in bits.chunks_exact(plane.max(1)).zip(between.chunks_exact_mut(plane.max(1))) {
        bytes_from_bits(bits, bytes);
    }
    bytes_from_planes(size, between, elements);
}

/// The bit planes of elements of `size` bytes. Their number must be a multiple of eight. `between` has at least
/// as many bytes as they.
pub(crate) fn bits_from_elements(size: usize, elements: &[u8], bits: &mut [u8], between: &mut [u8]) {
    let plane = elements.len() / size;
    if size == 1 {
        return bits_from_bytes(elements, bits);
    }
    let between = &mut between[..elements.len()];
    planes_from_bytes(size, elements, between);
    for (bytes, bits) in between.chunks_exact(plane.max(1)).zip(bits.chunks_exact_mut(plane.max(1))) {
        bits_from_bytes(bytes, bits);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Bit by bit, as the definition says.
    fn bits_slowly(size: usize, elements: &[u8]) -> Vec<u8> {
        let count = elements.len() / size;
        let mut bits = vec![0; elements.len()];
        for (at, &byte) in elements.iter().enumerate() {
            let (element, column) = (at / size, at % size);
            for bit in 0..8 {
                let plane = column * 8 + bit;
                bits[plane * (count / 8) + element / 8] |= (byte >> bit & 1) << (element % 8);
            }
        }
        bits
    }

    fn planes_slowly(size: usize, elements: &[u8]) -> Vec<u8> {
        let count = elements.len() / size;
        let mut planes = elements.to_vec();
        for element in 0..count {
            for column in 0..size {
                planes[column * count + element] = elements[element * size + column];
            }
        }
        planes
    }

    proptest! {
        #[test]
        fn bits_are_those_of_the_definition(size in 1_usize..40, eights in 0_usize..40, seed in any::<u64>()) {
            let elements = noise(size * eights * 8, seed);
            let (mut bits, mut between) = (vec![0; elements.len()], vec![0; elements.len()]);
            bits_from_elements(size, &elements, &mut bits, &mut between);
            prop_assert_eq!(&bits, &bits_slowly(size, &elements));
            let mut back = vec![0; elements.len()];
            elements_from_bits(size, &bits, &mut back, &mut between);
            prop_assert_eq!(back, elements);
        }

        #[test]
        fn planes_are_those_of_the_definition(size in 1_usize..40, len in 0_usize..2000, seed in any::<u64>()) {
            let elements = noise(len, seed);
            let mut planes = vec![0; len];
            planes_from_bytes(size, &elements, &mut planes);
            prop_assert_eq!(&planes, &planes_slowly(size, &elements));
            let mut back = vec![0; len];
            bytes_from_planes(size, &planes, &mut back);
            prop_assert_eq!(back, elements);
        }
    }

    fn noise(len: usize, seed: u64) -> Vec<u8> {
        let mut random = fastrand::Rng::with_seed(seed);
        (0..len).map(|_| random.u8(..)).collect()
    }
}
