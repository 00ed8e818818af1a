//! The yardstick of the read benchmark: parallel `pread` of a range of a file, and nothing else.
//!
//! The C functions are called by `python/bench/reads.py` through ctypes, so that the limit and HDF5 are measured
//! in turns, in one process and into the same memory:
//!
//! * [`limit_pread`] reads a range with several threads;
//! * [`limit_repeat`] calls a function of `H5Dread`'s type many times, so that Python's own cost per call, which is
//!   larger than that of a small read, stays out of the measurement.

mod parallel;
mod repeat;

pub use parallel::read;
pub use repeat::{Read, Step, limit_repeat};

use core::ffi::c_int;
use std::fs::File;
use std::mem::ManuallyDrop;
use std::num::NonZero;
use std::os::fd::FromRawFd;
use std::slice;

/// Fills `length` bytes at `buffer` from `offset` of the open file `descriptor`: 0, or -1 when that fails.
///
/// # Safety
/// The descriptor is open for reading; the bytes are initialised, and nobody else uses them meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn limit_pread(
    descriptor: c_int,
    offset: u64,
    length: usize,
    buffer: *mut u8,
    threads: usize,
    piece: usize,
) -> c_int {
    let (Some(threads), Some(piece)) = (NonZero::new(threads), NonZero::new(piece)) else { return -1 };
    // SAFETY: open by the caller's promise, and left open: it is not ours to close.
    let file = ManuallyDrop::new(unsafe { File::from_raw_fd(descriptor) });
    // SAFETY: the caller's promise.
    let buffer = unsafe { slice::from_raw_parts_mut(buffer, length) };
    match read(&file, offset, buffer, threads, piece) {
        Ok(()) => 0,
        Err(_) => -1,
    }
}
