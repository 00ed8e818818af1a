//! Memory that HDF5 needs for each file stays in the process between two files.
//!
//! HDF5 takes about a mebibyte when it opens a file, and gives it back when it closes it. The C library on Linux (glibc) gives free
//! memory at the end of its heap back to the system, from a size on that is twice the largest block that was freed so far. In a program
//! that opens one file after another it may happen that all of it goes back each time, and the system must then hand it out again page
//! by page: a quarter of the time that it takes to open a file and to read a little of it. Whether it happens depends on a few bytes
//! more or less, so it can be that it does only because of us.

use std::hint::black_box;
use std::sync::Once;

/// Twice as much as this stays at the end of the heap, at most. Programs that have ever freed an array of this size have the same.
const BLOCK: usize = 4 << 20;

/// Lets the C library see that blocks of this size come and go. Its pages are never touched.
pub(crate) fn keep() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| drop(black_box(Vec::<u8>::with_capacity(BLOCK))));
}
