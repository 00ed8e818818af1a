//! Numbers of any width, packed without gaps, the most significant bit first.
//!
//! This is how "nbit" and "scaleoffset" store elements, and how "szip" stores everything it writes.

use crate::error::CodecError;

/// Reads fields one after another.
///
/// Bits beyond the end are zero: whoever reads has compared the number of bits with [`holds`] before, once,
/// instead of for each field.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
    bytes: &'a [u8],
    /// The byte the next field begins in.
    byte: usize,
    /// How many bits of that byte are used up, less than 8.
    bit: u32,
}

/// Whether that many fields of that width are there.
pub(crate) fn holds(bytes: &[u8], count: usize, width: u32) -> bool {
    match (count.checked_mul(width as usize), bytes.len().checked_mul(8)) {
        (Some(needed), Some(there)) => needed <= there,
        (_, there) => there.is_none(),
    }
}

impl<'a> Fields<'a> {
    /// Reads from the start.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, byte: 0, bit: 0 }
    }

    /// Reads from that bit of that byte on, the most significant bit being 0.
    pub(crate) fn at(bytes: &'a [u8], byte: usize, bit: u32) -> Self {
        Self { bytes, byte, bit }
    }

    /// The byte and bit where the next field begins.
    pub(crate) fn position(&self) -> (usize, u32) {
        (self.byte, self.bit)
    }

    /// The next `width` bits, 1 to 64.
    #[inline]
    pub(crate) fn next(&mut self, width: u32) -> u64 {
        let rest = self.bytes.get(self.byte..).unwrap_or_default();
        let word = rest.first_chunk().map_or_else(|| last_word(rest), |word| u64::from_be_bytes(*word));
        let mut aligned = word << self.bit;
        if width + self.bit > 64 {
            let ninth = rest.get(8).copied().unwrap_or_default();
            aligned |= u64::from(ninth) >> (8 - self.bit);
        }
        let end = self.bit + width;
        self.byte += (end / 8) as usize;
        self.bit = end % 8;
        aligned >> (64 - width)
    }
}

/// The last bytes, fewer than a word, with zeroes behind them.
#[cold]
fn last_word(rest: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..rest.len()].copy_from_slice(rest);
    u64::from_be_bytes(word)
}

/// Writes fields one after another.
#[derive(Debug)]
pub(crate) struct FieldWriter<'a> {
    bytes: &'a mut Vec<u8>,
    /// Bits not written yet, from the most significant bit on.
    word: u64,
    /// How many bits of the word are free, at least one.
    free: u32,
}

impl<'a> FieldWriter<'a> {
    /// Writes behind what is there.
    pub(crate) fn new(bytes: &'a mut Vec<u8>) -> Self {
        Self { bytes, word: 0, free: u64::BITS }
    }

    /// Writes a number of `width` bits, 1 to 64; it has no bits beyond these.
    #[inline]
    pub(crate) fn put(&mut self, value: u64, width: u32) {
        debug_assert!(value & !low_bits(width) == 0);
        if width < self.free {
            self.free -= width;
            self.word |= value << self.free;
        } else {
            let over = width - self.free;
            self.word |= value >> over;
            self.bytes.extend_from_slice(&self.word.to_be_bytes());
            self.free = u64::BITS - over;
            self.word = if over == 0 { 0 } else { value << self.free };
        }
    }

    /// How many bytes there are, those of unfinished words not counted.
    pub(crate) fn written(&self) -> usize {
        self.bytes.len()
    }

    /// Writes what is left, with zero bits up to the next byte.
    pub(crate) fn finish(self) {
        let used = (u64::BITS - self.free).div_ceil(8) as usize;
        self.bytes.extend_from_slice(&self.word.to_be_bytes()[..used]);
    }
}

/// A number of that many ones, at most 64.
#[inline]
pub(crate) fn low_bits(width: u32) -> u64 {
    u64::MAX.checked_shr(u64::BITS - width).unwrap_or(0)
}

/// Makes room, so that no memory being there is an error.
pub(crate) fn reserve(bytes: &mut Vec<u8>, len: usize) -> Result<(), CodecError> {
    bytes.try_reserve(len).map_err(|_| CodecError::OutOfMemory(len))
}

/// The first `SIZE` bytes of a number, in the given order.
#[inline]
pub(crate) fn to_bytes<const SIZE: usize>(value: u64, big_endian: bool) -> [u8; SIZE] {
    let mut bytes = [0; SIZE];
    if big_endian {
        bytes.copy_from_slice(&value.to_be_bytes()[8 - SIZE..]);
    } else {
        bytes.copy_from_slice(&value.to_le_bytes()[..SIZE]);
    }
    bytes
}

/// The number in `SIZE` bytes, in the given order.
#[inline]
pub(crate) fn from_bytes<const SIZE: usize>(bytes: [u8; SIZE], big_endian: bool) -> u64 {
    let mut word = [0; 8];
    if big_endian {
        word[8 - SIZE..].copy_from_slice(&bytes);
        u64::from_be_bytes(word)
    } else {
        word[..SIZE].copy_from_slice(&bytes);
        u64::from_le_bytes(word)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(fields in prop::collection::vec((any::<u64>(), 1..=64_u32), 0..200)) {
            let mut bytes = Vec::new();
            let mut writer = FieldWriter::new(&mut bytes);
            for (value, width) in &fields {
                writer.put(value & low_bits(*width), *width);
            }
            writer.finish();
            let bits: u32 = fields.iter().map(|(_, width)| width).sum();
            prop_assert_eq!(bytes.len(), bits.div_ceil(8) as usize);
            let mut reader = Fields::new(&bytes);
            for (value, width) in &fields {
                prop_assert_eq!(reader.next(*width), value & low_bits(*width));
            }
        }
    }

    #[test]
    fn beyond_the_end_are_zeroes() {
        let mut fields = Fields::new(&[0xff, 0xff]);
        assert_eq!(fields.next(64), 0xffff_0000_0000_0000);
        assert_eq!(fields.next(64), 0);
        assert_eq!(fields.next(3), 0);
        assert!(holds(&[0; 3], 8, 3));
        assert!(!holds(&[0; 3], 9, 3));
        assert!(!holds(&[0; 3], usize::MAX, 64));
    }

    #[test]
    fn the_most_significant_bit_is_first() {
        let mut bytes = Vec::new();
        let mut writer = FieldWriter::new(&mut bytes);
        writer.put(0b101, 3);
        writer.put(0x1234, 16);
        writer.finish();
        assert_eq!(bytes, [0b1010_0010, 0b0100_0110, 0b1000_0000]);
    }
}
