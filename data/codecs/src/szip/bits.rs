//! Reading bits where only the bits themselves tell how many there are.

use crate::error::CodecError;
use crate::nbit::fields::Fields;

/// Reads bits, the most significant of a byte first.
#[derive(Debug)]
pub(super) struct Bits<'a> {
    /// All there are.
    all: &'a [u8],
    /// Bytes not taken yet.
    bytes: &'a [u8],
    /// Bits taken but not read yet, from the most significant bit on. Beyond them may be bits that will be
    /// taken again.
    word: u64,
    /// How many they are.
    count: u32,
}

impl<'a> Bits<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { all: bytes, bytes, word: 0, count: 0 }
    }

    /// Takes more bytes: there are at least 56 bits afterwards, or all that are left.
    #[inline]
    fn refill(&mut self) {
        if let Some(word) = self.bytes.first_chunk() {
            self.word |= u64::from_be_bytes(*word) >> self.count;
            let taken = (63 - self.count) / 8;
            self.bytes = &self.bytes[taken as usize..];
            self.count += 8 * taken;
        } else {
            self.refill_from_last();
        }
    }

    #[cold]
    fn refill_from_last(&mut self) {
        while self.count <= 56
            && let Some((byte, rest)) = self.bytes.split_first()
        {
            self.word |= u64::from(*byte) << (56 - self.count);
            self.count += 8;
            self.bytes = rest;
        }
    }

    /// A number of `width` bits, 0 to 32.
    #[inline]
    pub(super) fn number(&mut self, width: u32) -> Result<u32, CodecError> {
        if self.count < width {
            self.refill();
            if self.count < width {
                return Err(END);
            }
        }
        // Two steps, because shifting a word by all its bits is not defined.
        let number = (self.word >> 32) >> (32 - width);
        self.word <<= width;
        self.count -= width;
        Ok(low_half(number))
    }

    /// Adds a number of `width` bits, 1 to 32, to each of these.
    ///
    /// The places of numbers of equal width are known, so there is no need to wait for one to read the next.
    #[inline]
    pub(super) fn add_numbers(&mut self, width: u32, to: &mut [u32]) -> Result<(), CodecError> {
        // What is taken but not read yet ends where the bytes not taken begin.
        let byte = self.all.len() - self.bytes.len() - self.count.div_ceil(8) as usize;
        let used = self.count.wrapping_neg() % 8;
        if 8 * (self.all.len() - byte) < used as usize + to.len() * width as usize {
            return Err(END);
        }
        let mut fields = Fields::at(self.all, byte, used);
        for number in to {
            *number = number.wrapping_add(low_half(fields.next(width)));
        }
        let (byte, used) = fields.position();
        self.bytes = &self.all[byte..];
        (self.word, self.count) = (0, 0);
        self.number(used).map(|_| ())
    }

    /// How many zeroes there are before the next one.
    #[inline]
    pub(super) fn zeroes(&mut self) -> Result<u32, CodecError> {
        let zeroes = self.word.leading_zeros();
        if zeroes < self.count {
            self.word <<= zeroes + 1;
            self.count -= zeroes + 1;
            return Ok(zeroes);
        }
        self.more_zeroes()
    }

    /// As many zeroes as there are taken bits, and more.
    #[cold]
    fn more_zeroes(&mut self) -> Result<u32, CodecError> {
        let mut before = 0_u32;
        loop {
            let zeroes = self.word.leading_zeros();
            if zeroes < self.count {
                self.word <<= zeroes + 1;
                self.count -= zeroes + 1;
                return Ok(before.saturating_add(zeroes));
            }
            before = before.saturating_add(self.count);
            (self.word, self.count) = (0, 0);
            self.refill();
            if self.count == 0 {
                return Err(END);
            }
        }
    }
}

const END: CodecError = CodecError::Corrupt("the data ends too early");

fn low_half(number: u64) -> u32 {
    let [a, b, c, d, ..] = number.to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::nbit::fields::FieldWriter;

    proptest! {
        #[test]
        fn what_is_written_is_read(values in prop::collection::vec((any::<u32>(), 0..=32_u32, 0..300_u32), 0..100)) {
            let mut bytes = Vec::new();
            let mut writer = FieldWriter::new(&mut bytes);
            for (value, width, zeroes) in &values {
                if *width > 0 {
                    writer.put(u64::from(*value) >> (32 - width), *width);
                }
                (0..*zeroes).for_each(|_| writer.put(0, 1));
                writer.put(1, 1);
            }
            writer.finish();
            let mut bits = Bits::new(&bytes);
            for (value, width, zeroes) in &values {
                let expected = u32::try_from(u64::from(*value) >> (32 - width)).unwrap();
                let expected = if *width == 0 { 0 } else { expected };
                prop_assert_eq!(bits.number(*width), Ok(expected));
                prop_assert_eq!(bits.zeroes(), Ok(*zeroes));
            }
            prop_assert!(bits.zeroes().is_err());
            prop_assert!(bits.number(1).is_err());
        }
    }
}
