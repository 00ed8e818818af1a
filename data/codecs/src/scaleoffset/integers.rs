//! Integers.

use super::{Header, Numbers, bits_for, nonsense, pack_each, unpack_each};
use crate::error::Unsupported;
use crate::nbit::fields::{FieldWriter, from_bytes, low_bits};

/// Integers of that many bytes.
pub(super) fn numbers<const SIZE: usize>(
    factor: i32,
    signed: bool,
    fill: Option<u64>,
) -> Result<Box<dyn Numbers>, Unsupported> {
    // Negative is the same as zero.
    let width = u32::try_from(factor).unwrap_or(0);
    if width > Integers::<SIZE>::BITS {
        return Err(nonsense(&format!("{width} bits for elements of {SIZE} bytes")));
    }
    let fill = fill.map(|fill| fill & Integers::<SIZE>::MASK);
    Ok(Box::new(Integers::<SIZE> { width, signed, fill }))
}

#[derive(Debug)]
struct Integers<const SIZE: usize> {
    /// Bits per element, or 0 for as many as it takes.
    width: u32,
    signed: bool,
    fill: Option<u64>,
}

impl<const SIZE: usize> Integers<SIZE> {
    const BITS: u32 = match SIZE {
        1 => 8,
        2 => 16,
        4 => 32,
        _ => 64,
    };
    const MASK: u64 = u64::MAX >> (64 - Self::BITS);

    /// Smallest and largest element, fill values left out; zero if there are no others. Both are moved such
    /// that they compare like unsigned integers.
    fn range(&self, input: &[u8], big_endian: bool) -> (u64, u64) {
        let flip = self.flip();
        let (mut smallest, mut largest) = (u64::MAX, 0);
        let mut any = false;
        for bytes in input.as_chunks::<SIZE>().0 {
            let element = from_bytes(*bytes, big_endian);
            if self.fill != Some(element) {
                any = true;
                smallest = smallest.min(element ^ flip);
                largest = largest.max(element ^ flip);
            }
        }
        if any { (smallest, largest) } else { (flip, flip) }
    }

    /// What makes signed integers compare like unsigned ones: their sign bit.
    fn flip(&self) -> u64 {
        if self.signed { 1 << (Self::BITS - 1) } else { 0 }
    }

    /// An integer that [`Self::range`] found, with its sign extended.
    fn extend(&self, moved: u64) -> u64 {
        let element = moved ^ self.flip();
        let negative = self.signed && moved < self.flip();
        if negative { element | !Self::MASK } else { element }
    }
}

impl<const SIZE: usize> Numbers for Integers<SIZE> {
    fn size(&self) -> usize {
        SIZE
    }

    fn as_is(&self) -> bool {
        self.width == Self::BITS
    }

    fn unpack(&self, header: Header, packed: &[u8], output: &mut [u8], big_endian: bool) {
        let Header { width, smallest } = header;
        if let Some(fill) = self.fill {
            let ones = low_bits(width);
            unpack_each::<SIZE>(width, packed, output, big_endian, |bits| {
                if bits == ones { fill } else { bits.wrapping_add(smallest) }
            });
        } else {
            unpack_each::<SIZE>(width, packed, output, big_endian, |bits| bits.wrapping_add(smallest));
        }
    }

    fn header(&self, input: &[u8], big_endian: bool) -> Header {
        let (smallest, largest) = self.range(input, big_endian);
        let header = Header { width: self.width, smallest: self.extend(smallest) };
        if self.width > 0 {
            return header;
        }
        let difference = largest - smallest;
        if difference > Self::MASK - 2 {
            // Native HDF5 does not say what the smallest is in this case, but for one type it does.
            let said = SIZE == 1 && self.signed && self.fill.is_none();
            return Header { width: Self::BITS, smallest: if said { header.smallest } else { 0 } };
        }
        let values = difference + 1 + u64::from(self.fill.is_some());
        Header { width: bits_for(values), ..header }
    }

    fn pack(&self, header: Header, input: &[u8], big_endian: bool, fields: &mut FieldWriter) {
        pack_each::<SIZE>(header.width, input, big_endian, fields, |element| {
            if self.fill == Some(element) { u64::MAX } else { element.wrapping_sub(header.smallest) }
        });
    }
}
