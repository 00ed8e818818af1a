//! Files for the tests of this crate.

use std::fs::{File, remove_file};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

/// An open file with this content and, by then, no name.
pub(crate) fn file_of(content: &[u8]) -> File {
    let mut file = empty_file();
    file.write_all(content).unwrap();
    file
}

/// An open file without a name, to write to.
pub(crate) fn empty_file() -> File {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("limit-test-{}-{number}", process::id()));
    let file = File::options().read(true).write(true).create_new(true).open(&path).unwrap();
    remove_file(&path).unwrap();
    file
}

/// All of a file.
pub(crate) fn content_of(file: &File) -> Vec<u8> {
    let mut content = vec![0; file.metadata().unwrap().len().try_into().unwrap()];
    file.read_exact_at(&mut content, 0).unwrap();
    content
}
