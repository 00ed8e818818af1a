//! Arbitrary bytes, taken from the front as small decisions.

/// What is left of an input. Where it ends, zeroes follow.
#[derive(Debug, Clone)]
pub(crate) struct Input<'a> {
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// All that has not been taken.
    pub(crate) fn rest(self) -> &'a [u8] {
        self.rest
    }

    fn take<const N: usize>(&mut self) -> [u8; N] {
        let mut bytes = [0; N];
        let (taken, rest) = self.rest.split_at(self.rest.len().min(N));
        bytes[..taken.len()].copy_from_slice(taken);
        self.rest = rest;
        bytes
    }

    pub(crate) fn byte(&mut self) -> u8 {
        u8::from_le_bytes(self.take())
    }

    pub(crate) fn u16(&mut self) -> u16 {
        u16::from_le_bytes(self.take())
    }

    pub(crate) fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.take())
    }

    pub(crate) fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.take())
    }

    /// A number below this one, of one byte.
    pub(crate) fn below(&mut self, limit: u8) -> u8 {
        self.byte() % limit
    }

    /// True once in so many times, and where the input has ended.
    pub(crate) fn once_in(&mut self, times: u8) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::from(self.byte()) % of.len()]
    }

    /// The length of a chunk, of two bytes: up to 64 KiB, but mostly less than 4 KiB, because short ones are quick.
    pub(crate) fn length(&mut self) -> usize {
        match self.u16() {
            mostly @ 0..0xf000 => usize::from(mostly & 0x0fff),
            long => usize::from(long),
        }
    }

    /// Up to `most` numbers: how many, in one byte, and then each of them.
    pub(crate) fn numbers(&mut self, most: u8) -> Vec<u32> {
        (0..self.below(most + 1)).map(|_| self.u32()).collect()
    }
}

/// These bytes again and again until there are `len`; zeroes if there are none.
pub(crate) fn repeated(bytes: &[u8], len: usize) -> Vec<u8> {
    let zeroes = [0];
    let bytes = if bytes.is_empty() { &zeroes } else { bytes };
    bytes.iter().copied().cycle().take(len).collect()
}
