//! The application's memory.

use core::marker::PhantomData;

use store::Target;

/// The buffer of a read: valid to write, perhaps never initialised, and written by several threads at once,
/// each its own part. Like `&mut [u8]` it stands for exclusive access, so it cannot be copied.
#[derive(Debug)]
pub struct Memory<'a> {
    address: *mut u8,
    length: usize,
    /// Parts of a request with the same number go to different places of this memory.
    share: Option<usize>,
    lifetime: PhantomData<&'a mut [u8]>,
}

// SAFETY: plain bytes that are only written; that no two threads write the same ones is what the planner's
// tasks guarantee: every rank of a selection belongs to one task, and ranks have distinct places.
unsafe impl Send for Memory<'_> {}
// SAFETY: as for `Send`.
unsafe impl Sync for Memory<'_> {}

impl<'a> Memory<'a> {
    /// # Safety
    /// `length` bytes at `address` are valid to write for `'a` and used by nobody else.
    pub unsafe fn new(address: *mut u8, length: usize) -> Self {
        Self { address, length, share: None, lifetime: PhantomData }
    }

    /// Memory that several parts of a request share: all of those with the same number. They select different places.
    ///
    /// # Safety
    /// As for [`new`](Self::new), except that these parts use it too. No place is selected by two of them.
    pub unsafe fn shared(address: *mut u8, length: usize, number: usize) -> Self {
        Self { address, length, share: Some(number), lifetime: PhantomData }
    }

    /// The same memory, for longer than the call that has passed it.
    ///
    /// # Safety
    /// It stays valid, and used by nobody else, as long as the new value is used.
    pub unsafe fn outliving(self) -> Memory<'static> {
        Memory { address: self.address, length: self.length, share: self.share, lifetime: PhantomData }
    }

    /// Memory that is initialised already.
    pub fn from_slice(slice: &'a mut [u8]) -> Self {
        Self { address: slice.as_mut_ptr(), length: slice.len(), share: None, lifetime: PhantomData }
    }

    /// The number of those parts of a request that share it, at different places.
    pub(crate) fn share(&self) -> Option<usize> {
        self.share
    }

    /// Address of its first byte.
    pub(crate) fn address(&self) -> usize {
        self.address.addr()
    }

    /// Bytes in it.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// A part of it as a slice, to decode or convert into.
    ///
    /// # Panics
    /// If the part does not lie within.
    #[expect(clippy::mut_from_ref, reason = "like `target`: the planner's tasks have distinct parts")]
    pub(crate) fn slice(&self, offset: usize, length: usize) -> &mut [u8] {
        let address = self.target(offset, length).as_ptr();
        // SAFETY: within the memory and exclusive, as `target` says. The bytes may never have been written by the
        // application, so nobody may rely on their values; decoders and conversions do not read what they have not
        // written themselves, or only to leave it as it is.
        unsafe { core::slice::from_raw_parts_mut(address, length) }
    }

    /// Copies a part of it into a buffer.
    ///
    /// # Panics
    /// If the part does not lie within.
    pub(crate) fn copy_to(&self, offset: usize, buffer: &mut [u8]) {
        let from = self.target(offset, buffer.len()).as_ptr();
        // SAFETY: within the memory, exclusive as `target` says, so the buffer is elsewhere.
        unsafe { core::ptr::copy_nonoverlapping(from, buffer.as_mut_ptr(), buffer.len()) };
    }

    /// A part of it to write to.
    ///
    /// # Panics
    /// If the part does not lie within.
    pub(crate) fn target(&self, offset: usize, length: usize) -> Target<'a> {
        let end = offset.checked_add(length).expect("a range in memory");
        assert!(end <= self.length, "bytes {offset}..{end} lie within the {} of the buffer", self.length);
        // SAFETY: within the memory by the check; exclusive by the contract of the planner's tasks.
        unsafe { Target::new(self.address.add(offset), length) }
    }
}
