//! Shuffling elements whose size is a power of two, by the one step that every machine has vectors for.
//!
//! Laying the first and the second half of some bytes over each other like a zip, byte from here, byte from
//! there, and doing so once for each factor of two in the size of an element turns planes of bytes into
//! elements; undoing it as often turns elements into planes. That is done in blocks that stay in the
//! first-level cache. It is 19, 12 and 9 GB/s for elements of 4, 8 and 16 bytes, where taking the bytes of
//! an element one by one is 8, 4 and 1.

use core::mem;

/// Bytes of elements done at a time. A multiple of each size of elements.
const BLOCK: usize = 2048;

/// How many elements the two functions below leave undone at the end.
pub(super) const fn left_over(size: usize, count: usize) -> usize {
    count % (BLOCK / size)
}

/// Fills `elements` from `planes`, except for what is [left over](left_over) at the end.
pub(super) fn unshuffle<const SIZE: usize>(planes: &[u8], elements: &mut [u8]) {
    const { assert!(SIZE.is_power_of_two() && SIZE >= 2 && BLOCK.is_multiple_of(SIZE)) };
    let count = elements.len() / SIZE;
    let width = BLOCK / SIZE;
    let (mut one, mut other) = (&mut [0; BLOCK], &mut [0; BLOCK]);
    for (number, elements) in elements.as_chunks_mut::<BLOCK>().0.iter_mut().enumerate() {
        let row = |byte: usize| &planes[byte * count + number * width..][..width];
        if SIZE == 2 {
            zip(row(0), row(1), elements);
            continue;
        }
        for (byte, pairs) in one.chunks_exact_mut(2 * width).enumerate() {
            zip(row(byte), row(byte + SIZE / 2), pairs);
        }
        for _ in 2..SIZE.ilog2() {
            zip_halves(one, other);
            mem::swap(&mut one, &mut other);
        }
        zip_halves(one, elements);
    }
}

/// Fills `planes` from `elements`, except for what is [left over](left_over) at the end.
pub(super) fn shuffle<const SIZE: usize>(elements: &[u8], planes: &mut [u8]) {
    const { assert!(SIZE.is_power_of_two() && SIZE >= 2 && BLOCK.is_multiple_of(SIZE)) };
    let count = elements.len() / SIZE;
    let width = BLOCK / SIZE;
    let (mut one, mut other) = (&mut [0; BLOCK], &mut [0; BLOCK]);
    for (number, elements) in elements.as_chunks::<BLOCK>().0.iter().enumerate() {
        unzip_halves(elements, one);
        for _ in 1..SIZE.ilog2() {
            unzip_halves(one, other);
            mem::swap(&mut one, &mut other);
        }
        for (byte, row) in one.chunks_exact(width).enumerate() {
            planes[byte * count + number * width..][..width].copy_from_slice(row);
        }
    }
}

/// By itself, because the compiler sometimes finds no vectors for several of these together.
#[inline(never)]
fn zip(first: &[u8], second: &[u8], zipped: &mut [u8]) {
    for ((pair, first), second) in zipped.as_chunks_mut::<2>().0.iter_mut().zip(first).zip(second) {
        *pair = [*first, *second];
    }
}

fn zip_halves(halves: &[u8; BLOCK], zipped: &mut [u8; BLOCK]) {
    let (first, second) = halves.split_at(BLOCK / 2);
    zip(first, second, zipped);
}

fn unzip_halves(zipped: &[u8; BLOCK], halves: &mut [u8; BLOCK]) {
    let (first, second) = halves.split_at_mut(BLOCK / 2);
    let (pairs, _) = zipped.as_chunks::<2>();
    // Two loops over words, because the compiler makes vectors of those but not of one loop over bytes.
    for (byte, pair) in first.iter_mut().zip(pairs) {
        *byte = (u16::from_le_bytes(*pair) & 0xff) as u8;
    }
    for (byte, pair) in second.iter_mut().zip(pairs) {
        *byte = (u16::from_le_bytes(*pair) >> 8) as u8;
    }
}
