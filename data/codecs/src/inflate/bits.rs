//! Reading bits, the lowest of each byte first.

use crate::error::CodecError;

/// Bits of a byte string. Beyond its end there are zeros; how many of them were used is checked by [`Bits::check`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Bits<'i> {
    pub(super) input: &'i [u8],
    /// The byte that is taken next; may be beyond the end.
    pub(super) next: usize,
    /// Bits that were taken, and how many; those above are zero, or as they will be taken.
    pub(super) buffer: u64,
    pub(super) count: u32,
}

/// Bits that are there after [`Bits::fill`].
pub(super) const FILLED: u32 = 56;

impl<'i> Bits<'i> {
    pub(super) fn new(input: &'i [u8], next: usize) -> Self {
        Self { input, next, buffer: 0, count: 0 }
    }

    /// Makes sure that there are at least [`FILLED`] bits.
    pub(super) fn fill(&mut self) {
        if let Some(word) = self.input.get(self.next..).and_then(<[u8]>::first_chunk) {
            self.buffer |= u64::from_le_bytes(*word) << self.count;
            self.next += ((63 - self.count) >> 3) as usize;
            self.count |= FILLED;
            return;
        }
        while self.count < FILLED {
            let byte = self.input.get(self.next).copied().unwrap_or(0);
            self.buffer |= u64::from(byte) << self.count;
            self.next += 1;
            self.count += 8;
        }
    }

    /// Removes so many bits, of those that are there.
    pub(super) fn skip(&mut self, bits: u32) {
        self.buffer >>= bits;
        self.count -= bits;
    }

    /// Takes so many bits, of those that are there.
    pub(super) fn take(&mut self, bits: u32) -> usize {
        let taken = self.buffer & ((1 << bits) - 1);
        self.skip(bits);
        usize::try_from(taken).unwrap_or(usize::MAX)
    }

    /// Puts back all whole bytes, so that the next one is the first of which no bit was used.
    pub(super) fn put_back(&mut self) {
        self.next -= (self.count >> 3) as usize;
        self.count &= 7;
        self.buffer &= (1 << self.count) - 1;
    }

    /// An error if bits beyond the end were used.
    pub(super) fn check(&self) -> Result<(), CodecError> {
        let unused = (self.count >> 3) as usize;
        if self.next - unused > self.input.len() { Err(super::stream::CORRUPT) } else { Ok(()) }
    }

    /// So many of the next bytes, when nothing but whole bytes is left.
    pub(super) fn bytes(&mut self, count: usize) -> Option<&'i [u8]> {
        self.put_back();
        let bytes = self.input.get(self.next..)?.get(..count)?;
        (self.buffer, self.count) = (0, 0);
        self.next += count;
        Some(bytes)
    }
}
