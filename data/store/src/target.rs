//! Memory that a read fills.

use core::marker::PhantomData;

/// A piece of the application's memory: valid to write, exclusively ours, perhaps never initialised. It is
/// written and never read.
#[derive(Debug)]
pub struct Target<'a> {
    address: *mut u8,
    length: usize,
    lifetime: PhantomData<&'a mut [u8]>,
}

// SAFETY: stands for exclusive access to plain bytes, like `&mut [u8]`.
unsafe impl Send for Target<'_> {}

/// Where in a [`Target`] a run of bytes goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// First byte.
    pub offset: usize,
    /// How many.
    pub length: usize,
}

impl<'a> Target<'a> {
    /// # Safety
    /// The bytes are valid to write for `'a` and nobody else uses them meanwhile.
    pub unsafe fn new(address: *mut u8, length: usize) -> Self {
        Self { address, length, lifetime: PhantomData }
    }

    /// A target of initialised memory.
    pub fn from_slice(slice: &'a mut [u8]) -> Self {
        Self { address: slice.as_mut_ptr(), length: slice.len(), lifetime: PhantomData }
    }

    /// How many bytes there are.
    #[expect(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Address of its first byte.
    pub fn as_ptr(&self) -> *mut u8 {
        self.address
    }

    /// The same memory for a shorter time.
    pub fn reborrow(&mut self) -> Target<'_> {
        Target { address: self.address, length: self.length, lifetime: PhantomData }
    }

    /// Without its first bytes.
    ///
    /// # Panics
    /// If it has fewer.
    #[must_use]
    pub fn skip(self, count: usize) -> Self {
        let length = self.length.checked_sub(count).expect("skips no more than there is");
        // SAFETY: stays within or one past the end of the same memory.
        Self { address: unsafe { self.address.add(count) }, length, lifetime: PhantomData }
    }

    /// A part of it.
    ///
    /// # Panics
    /// If the part does not lie within.
    #[must_use]
    pub fn part(self, run: Run) -> Self {
        let mut rest = self.skip(run.offset);
        assert!(run.length <= rest.length, "the part lies within");
        rest.length = run.length;
        rest
    }

    /// Sets every byte.
    pub fn fill(self, byte: u8) {
        // SAFETY: valid to write by the contract of `new`.
        unsafe { core::ptr::write_bytes(self.address, byte, self.length) };
    }

    /// Copies `bytes` to its beginning.
    ///
    /// # Panics
    /// If there are more bytes than room.
    pub fn copy_from(self, bytes: &[u8]) {
        assert!(bytes.len() <= self.length, "the bytes fit");
        // SAFETY: room for them by the check; exclusive, so they do not overlap.
        unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), self.address, bytes.len()) };
    }
}
