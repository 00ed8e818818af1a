//! Files for the tests of this crate.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;

/// An open file with this content and no name.
pub(crate) fn file_of(content: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(content).unwrap();
    file
}

/// All of a file.
pub(crate) fn content_of(file: &File) -> Vec<u8> {
    let mut content = vec![0; file.metadata().unwrap().len().try_into().unwrap()];
    file.read_exact_at(&mut content, 0).unwrap();
    content
}
