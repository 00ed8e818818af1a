//! The yardstick of the benchmarks: what this machine can do without HDF5, and nothing else.
//!
//! The C functions are called by the scripts of `python/bench` through ctypes, so that the limit and HDF5 are
//! measured in turns, in one process and with the same memory:
//!
//! * [`limit_pread`] reads a range with several threads;
//! * [`limit_decode`] reads, unpacks and unshuffles chunks with several threads;
//! * [`limit_copy`] does the same to each chunk once, and copies many small reads out of them;
//! * [`limit_convert`] reads and converts numbers with several threads;
//! * [`limit_pwrite`] writes a range with several threads;
//! * [`limit_encode`] gathers, shuffles, packs and writes chunks with several threads;
//! * [`limit_repeat`] calls a function of the type of `H5Dread` and `H5Dwrite` many times, so that Python's own cost per
//!   call, which is larger than that of a small read, stays out of the measurement;
//! * [`limit_share`] makes such calls once, by several threads.
//!
//! Nothing of the project's own codecs or kernels is used here: a fault there must not make the yardstick shorter.

mod convert;
mod copy;
mod decode;
mod encode;
mod fletcher;
mod lzf;
mod parallel;
mod repeat;
#[cfg(test)]
mod testing;

pub use convert::{Conversion, convert};
pub use copy::{Piece, copy};
pub use decode::{Chunk, Form, Packing, Shape, Shuffled, decode};
pub use encode::{Pack, encode};
pub use parallel::{read, write};
pub use repeat::{Step, Transfer, limit_repeat, limit_share};

use core::ffi::c_int;
use std::fs::File;
use std::io;
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
    // SAFETY: the caller's promise.
    let (file, buffer) = unsafe { (borrow(descriptor), slice::from_raw_parts_mut(buffer, length)) };
    result_of(&read(&file, offset, buffer, threads, piece))
}

/// Decodes `count` chunks to their places in `length` bytes at `buffer`: 0, or -1 when that fails.
///
/// `packing` is 0 for gzip, 1 for lzf, 2 for zstd, 3 for a checksum alone; `element` is the bytes of what is shuffled
/// and 0 if nothing is, `at` where in it are the four bytes that are read.
///
/// # Safety
/// As of [`limit_pread`]; `chunks` and `shape` can be read, and the places of the chunks do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn limit_decode(
    descriptor: c_int,
    packing: c_int,
    element: usize,
    at: usize,
    chunks: *const Chunk,
    count: usize,
    shape: *const Shape,
    buffer: *mut u8,
    length: usize,
    threads: usize,
) -> c_int {
    let (Some(threads), Some(form)) = (NonZero::new(threads), form_of(packing, element, at)) else {
        return -1;
    };
    // SAFETY: the caller's promise.
    let (file, shape) = unsafe { (borrow(descriptor), *shape) };
    // SAFETY: the caller's promise.
    let (chunks, buffer) =
        unsafe { (slice::from_raw_parts(chunks, count), slice::from_raw_parts_mut(buffer, length)) };
    // SAFETY: the caller's promise.
    result_of(&unsafe { decode(&file, form, chunks, shape, buffer, threads) })
}

/// Decodes `count` chunks, each once, and copies `copies` pieces of them to their places in `length` bytes at
/// `buffer`, one after the other: 0, or -1 when that fails.
///
/// # Safety
/// As of [`limit_decode`], but the chunks have no places; `pieces` can be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn limit_copy(
    descriptor: c_int,
    packing: c_int,
    element: usize,
    at: usize,
    chunks: *const Chunk,
    count: usize,
    shape: *const Shape,
    pieces: *const Piece,
    copies: usize,
    buffer: *mut u8,
    length: usize,
    threads: usize,
) -> c_int {
    let (Some(threads), Some(form)) = (NonZero::new(threads), form_of(packing, element, at)) else {
        return -1;
    };
    // SAFETY: the caller's promise.
    let (file, shape, buffer) =
        unsafe { (borrow(descriptor), *shape, slice::from_raw_parts_mut(buffer, length)) };
    // SAFETY: the caller's promise.
    let (chunks, pieces) =
        unsafe { (slice::from_raw_parts(chunks, count), slice::from_raw_parts(pieces, copies)) };
    result_of(&copy(&file, form, chunks, shape, pieces, buffer, threads))
}

/// Fills `length` bytes at `buffer` with floats made of what begins at `offset`: 0, or -1 when that fails.
///
/// `conversion` is 0 for big-endian doubles, 1 for 16-bit integers, 2 for the four bytes `at` of each `record`.
///
/// # Safety
/// As of [`limit_pread`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn limit_convert(
    descriptor: c_int,
    offset: u64,
    conversion: c_int,
    record: usize,
    at: usize,
    buffer: *mut u8,
    length: usize,
    threads: usize,
) -> c_int {
    let Some(threads) = NonZero::new(threads) else { return -1 };
    let conversion = match conversion {
        0 => Conversion::BigDoubles,
        1 => Conversion::Shorts,
        2 => Conversion::Field { record, at },
        _ => return -1,
    };
    // SAFETY: the caller's promise.
    let (file, buffer) = unsafe { (borrow(descriptor), slice::from_raw_parts_mut(buffer, length)) };
    result_of(&convert(&file, offset, conversion, buffer, threads))
}

/// Writes `length` bytes at `buffer` from `offset` of the open file `descriptor` on: 0, or -1 when that fails.
///
/// # Safety
/// The descriptor is open for writing; the bytes are initialised, and nobody changes them meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn limit_pwrite(
    descriptor: c_int,
    offset: u64,
    length: usize,
    buffer: *const u8,
    threads: usize,
    piece: usize,
) -> c_int {
    let (Some(threads), Some(piece)) = (NonZero::new(threads), NonZero::new(piece)) else { return -1 };
    // SAFETY: the caller's promise.
    let (file, buffer) = unsafe { (borrow(descriptor), slice::from_raw_parts(buffer, length)) };
    result_of(&write(&file, offset, buffer, threads, piece))
}

/// Writes the chunks of the matrix of `length` bytes at `buffer`: 0, or -1 when that fails.
///
/// `packing` is -1 for nothing, 0 for gzip, 2 for zstd, at `level`; `element` is the bytes of what is shuffled.
///
/// # Safety
/// As of [`limit_pwrite`]; `shape` can be read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn limit_encode(
    descriptor: c_int,
    packing: c_int,
    level: c_int,
    element: usize,
    shape: *const Shape,
    buffer: *const u8,
    length: usize,
    threads: usize,
) -> c_int {
    let Some(threads) = NonZero::new(threads) else { return -1 };
    let pack = match packing {
        -1 => Pack::Plain,
        0 => Pack::Gzip(level),
        2 => Pack::Zstd(level),
        _ => return -1,
    };
    // SAFETY: the caller's promise.
    let (file, shape, matrix) =
        unsafe { (borrow(descriptor), *shape, slice::from_raw_parts(buffer, length)) };
    result_of(&encode(&file, pack, element, shape, matrix, threads))
}

/// What is to be undone, if there is such a thing.
fn form_of(packing: c_int, element: usize, at: usize) -> Option<Form> {
    let packing = match packing {
        0 => Packing::Gzip,
        1 => Packing::Lzf,
        2 => Packing::Zstd,
        3 => Packing::Fletcher32,
        _ => return None,
    };
    let shuffled = (element > 0).then_some(Shuffled { element, at });
    let fits = at.checked_add(4).is_some_and(|end| element == 0 || end <= element);
    fits.then_some(Form { packing, shuffled })
}

/// The file of a descriptor, which is left open: it is not ours to close.
///
/// # Safety
/// The descriptor is open.
unsafe fn borrow(descriptor: c_int) -> ManuallyDrop<File> {
    // SAFETY: the caller's promise.
    ManuallyDrop::new(unsafe { File::from_raw_fd(descriptor) })
}

fn result_of(result: &io::Result<()>) -> c_int {
    match result {
        Ok(()) => 0,
        Err(_) => -1,
    }
}
