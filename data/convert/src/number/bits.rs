//! Elements as words, and fields of their bits.

use crate::datatype::{Bits, Order, Pad};

/// The bytes of the largest element that fits a word.
pub(super) const WORD: usize = 16;

/// Bits of a word.
const WIDTH: usize = 8 * WORD;

/// The lowest `size` bits.
pub(super) fn mask(size: usize) -> u128 {
    match size {
        0 => 0,
        size => u128::MAX >> (WIDTH - size),
    }
}

/// `size` bits from `position` on.
pub(super) fn get(word: u128, position: usize, size: usize) -> u128 {
    (word >> position) & mask(size)
}

/// Replaces `size` bits from `position` on by the low bits of `value`.
pub(super) fn put(word: &mut u128, position: usize, size: usize, value: u128) {
    let mask = mask(size);
    *word = *word & !(mask << position) | (value & mask) << position;
}

/// Sets or clears `size` bits from `position` on.
pub(super) fn fill(word: &mut u128, position: usize, size: usize, with: bool) {
    if size > 0 {
        put(word, position, size, if with { u128::MAX } else { 0 });
    }
}

/// The position of the highest bit that is set.
pub(super) fn highest(word: u128) -> Option<usize> {
    word.checked_ilog2().map(|position| position as usize)
}

/// The word for an element in some byte order.
pub(super) fn read(element: &[u8], order: Order) -> u128 {
    let mut bytes = [0; WORD];
    let kept = &mut bytes[..element.len()];
    kept.copy_from_slice(element);
    reorder(kept, order);
    u128::from_le_bytes(bytes)
}

/// The element for a word.
pub(super) fn write(word: u128, element: &mut [u8], order: Order) {
    element.copy_from_slice(&word.to_le_bytes()[..element.len()]);
    reorder(element, order);
}

/// Between least significant byte first and another order.
fn reorder(element: &mut [u8], order: Order) {
    match order {
        Order::Little => {}
        Order::Big => element.reverse(),
        Order::Vax => {
            element.reverse();
            element.chunks_exact_mut(2).for_each(<[u8]>::reverse);
        }
    }
}

/// Whether there are bits of a number of `size` bytes, all in it, and in an order that HDF5 knows for integers.
pub(super) fn is_sound(bits: &Bits, size: usize) -> bool {
    size <= WORD
        && bits.precision > 0
        && bits.offset.checked_add(bits.precision).is_some_and(|end| end <= 8 * size)
        && bits.order != Order::Vax
}

/// What the unused bits of a number of `size` bytes become.
#[derive(Debug, Clone, Copy)]
pub(super) struct Padding {
    used: u128,
    unused: u128,
}

impl Padding {
    pub(super) fn new(bits: &Bits, size: usize) -> Self {
        let used = mask(bits.precision) << bits.offset;
        let mut unused = 0;
        fill(&mut unused, 0, bits.offset, bits.low_pad == Pad::One);
        let end = bits.offset + bits.precision;
        fill(&mut unused, end, 8 * size - end, bits.high_pad == Pad::One);
        Self { used, unused }
    }

    pub(super) fn apply(&self, word: u128) -> u128 {
        word & self.used | self.unused
    }
}
