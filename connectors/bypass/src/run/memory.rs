//! The application's buffer as memory that the engine may write, or read.

#![expect(unsafe_code, reason = "this is where the application's promise about its buffer is taken up")]

use core::ptr::{NonNull, copy_nonoverlapping};

use engine::{Allocator, Memory, SystemAllocator, WithPointers};
use h5_host::ValueMemory;
use h5_vol::calls::{MemorySource, MemoryTarget};
use store::Target;

/// The buffer of a read, which has as many bytes as the memory dataspace's extent and the datatype say.
pub(crate) fn buffer<'a>(target: &MemoryTarget<'a>, bytes: usize) -> Memory<'a> {
    // SAFETY: that many bytes are there to be written and nobody else's: the application's promise to HDF5,
    // on which native HDF5 relies in the same way. `bytes` comes from the very dataspace and datatype of the
    // call (see `Transfer::of`).
    unsafe { Memory::new(target.as_ptr(), bytes) }
}

/// The same for one of several parts of a read that share it. Parts with the same number select different places.
pub(crate) fn shared_buffer<'a>(target: &MemoryTarget<'a>, bytes: usize, number: usize) -> Memory<'a> {
    // SAFETY: as for `buffer`; parts of the number are those of one virtual dataset, and no element of it comes from two
    // sources (see `virtual_read`).
    unsafe { Memory::shared(target.as_ptr(), bytes, number) }
}

/// The buffer of a write, which has as many bytes as the memory dataspace's extent and the datatype say.
pub(crate) fn bytes<'a>(source: &MemorySource<'a>, bytes: usize) -> &'a [u8] {
    // SAFETY: that many bytes are there to be read and nobody changes them during the call: the application's promise
    // to HDF5, as for `buffer`. `bytes` comes from the very dataspace and datatype of the call (see `Transfer::of`).
    unsafe { core::slice::from_raw_parts(source.as_ptr(), bytes) }
}

/// The buffer of an asynchronous read, until its request has ended.
pub(crate) fn outliving(memory: Memory<'_>) -> Memory<'static> {
    // SAFETY: an application that reads asynchronously promises HDF5 to leave the buffer alone until the operation has ended.
    // The operation lets go of it before its request ends.
    unsafe { memory.outliving() }
}

/// The buffer of an asynchronous write, until its request has ended.
pub(crate) fn bytes_outliving(bytes: &[u8]) -> &'static [u8] {
    // SAFETY: as for `outliving`.
    unsafe { core::slice::from_raw_parts(bytes.as_ptr(), bytes.len()) }
}

/// The same if elements have pointers to values.
pub(crate) fn with_pointers<'a>(source: &MemorySource<'a>, length: usize) -> WithPointers<'a> {
    // SAFETY: what the application promises to HDF5 about elements with variable-length parts, on which native HDF5 relies in the
    // same way. The elements are read with the very datatype of the call.
    unsafe { WithPointers::new(bytes(source, length)) }
}

/// Copies bytes from a place in the buffer of a read, which the memory dataspace and datatype of the call say is there.
/// The application may never have written them: they are for nothing but to be put back.
pub(crate) fn take(target: &MemoryTarget<'_>, offset: usize, bytes: &mut [u8]) {
    // SAFETY: as for `buffer`; the place is one that the call selects (see `staged`), and the bytes are ours.
    unsafe { copy_nonoverlapping(target.as_ptr().add(offset).cast_const(), bytes.as_mut_ptr(), bytes.len()) };
}

/// Some bytes of the buffer of a write, at a place that the memory dataspace and datatype of the call say is there.
pub(crate) fn part<'a>(source: &MemorySource<'a>, offset: usize, length: usize) -> &'a [u8] {
    // SAFETY: as for `bytes`; the place is one that the call selects (see `short_run`).
    unsafe { core::slice::from_raw_parts(source.as_ptr().add(offset), length) }
}

/// Room for so many bytes at a place in the buffer of a read, which the memory dataspace and datatype of the call say is there.
pub(crate) fn room<'a>(target: &MemoryTarget<'a>, offset: usize, length: usize) -> Target<'a> {
    // SAFETY: as for `buffer`; the place is one that the call selects (see `short_run`).
    unsafe { Target::new(target.as_ptr().add(offset), length) }
}

/// Copies bytes to a place in the buffer of a read, which the memory dataspace and datatype of the call say is there.
pub(crate) fn copy(target: &MemoryTarget<'_>, offset: usize, bytes: &[u8]) {
    // SAFETY: as for `buffer`; the place is one that the call selects (see `short_run` and `staged`), and the bytes are ours.
    unsafe { copy_nonoverlapping(bytes.as_ptr(), target.as_ptr().add(offset), bytes.len()) };
}

/// Memory for values of variable length, from functions of the application.
struct ApplicationMemory(ValueMemory);

// SAFETY: the engine calls the functions only on the thread of the application's call, because they are not for every thread.
unsafe impl Sync for ApplicationMemory {}

// SAFETY: what the application promises to HDF5 about these functions, on which native HDF5 relies in the same way.
unsafe impl Allocator for ApplicationMemory {
    fn allocate(&self, bytes: usize) -> Option<NonNull<u8>> {
        self.0.allocate(bytes)
    }

    unsafe fn free(&self, memory: NonNull<u8>) {
        // SAFETY: the caller's promise.
        unsafe { self.0.free(memory) }
    }

    fn is_for_every_thread(&self) -> bool {
        false
    }
}

/// Where memory for values of variable length comes from.
pub(crate) fn of_values(functions: Option<ValueMemory>) -> Box<dyn Allocator> {
    match functions {
        Some(functions) => Box::new(ApplicationMemory(functions)),
        None => Box::new(SystemAllocator),
    }
}
