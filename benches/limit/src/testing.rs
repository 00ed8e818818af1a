//! Files for the tests of this crate.

use std::fs::{File, remove_file};
use std::io::Write;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

/// An open file with this content and, by then, no name.
pub(crate) fn file_of(content: &[u8]) -> File {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("limit-test-{}-{number}", process::id()));
    File::create_new(&path).unwrap().write_all(content).unwrap();
    let file = File::open(&path).unwrap();
    remove_file(&path).unwrap();
    file
}
