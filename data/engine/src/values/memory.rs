//! Memory that the application will own.

use core::ptr::NonNull;

use crate::values::Fault;

/// Where memory for values comes from.
///
/// # Safety
/// `allocate` returns memory of at least that many bytes that nobody else uses, and that stays valid until it is freed.
pub unsafe trait Allocator: Sync {
    /// Takes memory; `None` if there is none.
    fn allocate(&self, bytes: usize) -> Option<NonNull<u8>>;

    /// Gives memory back.
    ///
    /// # Safety
    /// `allocate` of the same allocator has returned it, and it is not used any more.
    unsafe fn free(&self, memory: NonNull<u8>);

    /// Whether any thread may call these functions. If not, only the one that reads the values does.
    fn is_for_every_thread(&self) -> bool;
}

/// The C library's allocator, from which HDF5 takes memory for values if the application does not say otherwise.
#[derive(Debug, Clone, Copy)]
pub struct SystemAllocator;

// SAFETY: `malloc` promises that, or returns null.
unsafe impl Allocator for SystemAllocator {
    fn allocate(&self, bytes: usize) -> Option<NonNull<u8>> {
        // SAFETY: takes no pointers.
        NonNull::new(unsafe { libc::malloc(bytes) }.cast())
    }

    unsafe fn free(&self, memory: NonNull<u8>) {
        // SAFETY: the caller's promise.
        unsafe { libc::free(memory.as_ptr().cast()) }
    }

    fn is_for_every_thread(&self) -> bool {
        true
    }
}

/// Memory of one value.
#[derive(Debug)]
pub(super) struct Piece {
    memory: NonNull<u8>,
    length: usize,
}

// SAFETY: memory that nobody else knows of; it belongs to no thread.
unsafe impl Send for Piece {}

impl Piece {
    pub(super) fn new(allocator: &dyn Allocator, length: usize) -> Result<Self, Fault> {
        let memory = allocator.allocate(length).ok_or(Fault::OutOfMemory(length))?;
        Ok(Self { memory, length })
    }

    /// Copies bytes into it, and makes those that follow zeros. It has room for all of them.
    pub(super) fn fill(&self, bytes: &[u8]) {
        let length = bytes.len().min(self.length);
        // SAFETY: that much room, which nobody else knows of.
        unsafe {
            self.memory.as_ptr().copy_from_nonoverlapping(bytes.as_ptr(), length);
            self.memory.as_ptr().add(length).write_bytes(0, self.length - length);
        }
    }

    /// All of it, as zeros.
    ///
    /// # Safety
    /// It was not given to anybody, and only one thread uses it.
    #[expect(clippy::mut_from_ref, reason = "the caller promises that it is the only one")]
    pub(super) unsafe fn cleared(&self) -> &mut [u8] {
        // SAFETY: so many bytes, which are written before they become a slice; exclusive as the caller promises.
        unsafe {
            self.memory.as_ptr().write_bytes(0, self.length);
            core::slice::from_raw_parts_mut(self.memory.as_ptr(), self.length)
        }
    }

    /// Where it is.
    pub(super) fn address(&self) -> u64 {
        self.memory.as_ptr().addr() as u64
    }
}

/// Memory for values that the application does not own yet. It is freed if it is dropped.
pub struct Owned {
    allocator: Box<dyn Allocator>,
    pieces: Vec<Vec<Piece>>,
}

impl Owned {
    /// Nothing, so far.
    pub fn new(allocator: Box<dyn Allocator>) -> Self {
        Self { allocator, pieces: Vec::new() }
    }

    /// Whether any thread may take memory for values.
    pub fn is_for_every_thread(&self) -> bool {
        self.allocator.is_for_every_thread()
    }

    /// The application owns it from now on.
    pub fn keep(&mut self) {
        self.pieces.clear();
    }

    pub(super) fn allocator(&self) -> &dyn Allocator {
        &*self.allocator
    }

    pub(super) fn add(&mut self, pieces: Vec<Vec<Piece>>) {
        self.pieces.extend(pieces);
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        for piece in self.pieces.drain(..).flatten() {
            // SAFETY: this allocator has made it, and nobody was given it.
            unsafe { self.allocator.free(piece.memory) };
        }
    }
}
