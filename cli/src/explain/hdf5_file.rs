//! Whether a file can be an HDF5 file at all. HDF5's own error would be much longer.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use crate::plain;

/// The signature at the beginning of every HDF5 file, or after its user block.
const SIGNATURE: &[u8; 8] = b"\x89HDF\r\n\x1a\n";
/// The size of the smallest user block. Each larger size is twice the previous one.
const SMALLEST_USER_BLOCK: u64 = 512;

/// Why a file cannot be an HDF5 file that can be opened, if that can be told without HDF5.
pub(crate) fn unusable(file: &Path) -> Option<String> {
    match look(file) {
        Ok(found) => found.map(String::from),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Some("no such file".into()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Some("permission denied".into()),
        Err(error) => Some(plain::words(&error.to_string())),
    }
}

fn look(path: &Path) -> io::Result<Option<&'static str>> {
    let metadata = std::fs::metadata(path)?;
    if metadata.is_dir() {
        return Ok(Some("is a directory"));
    }
    // Opening a pipe would block until something writes to it.
    if !metadata.is_file() {
        return Ok(Some("is not a regular file"));
    }
    if metadata.len() == 0 {
        return Ok(Some("is not an HDF5 file: it is empty"));
    }
    let file = File::open(path)?;
    let mut place = 0;
    while place + SIGNATURE.len() as u64 <= metadata.len() {
        let mut bytes = [0; SIGNATURE.len()];
        file.read_exact_at(&mut bytes, place)?;
        if bytes == *SIGNATURE {
            return Ok(None);
        }
        place = if place == 0 { SMALLEST_USER_BLOCK } else { place.saturating_mul(2) };
    }
    Ok(Some("is not an HDF5 file"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::scratch;

    #[test]
    fn what_is_no_file_is_not_tried() {
        assert_eq!(unusable(Path::new("/no/such/file")).unwrap(), "no such file");
        assert_eq!(unusable(Path::new("/")).unwrap(), "is a directory");
        assert_eq!(unusable(Path::new("/dev/null")).unwrap(), "is not a regular file");
        assert_eq!(unusable(Path::new("/bin/sh/x")).unwrap(), "Not a directory");
        assert_eq!(unusable(&std::env::current_exe().unwrap()).unwrap(), "is not an HDF5 file");
    }

    #[test]
    fn the_signature_may_stand_behind_a_user_block() {
        let scratch = scratch::directory().unwrap();
        let file = scratch.path().join("x");
        let about = |bytes: &[u8]| {
            std::fs::write(&file, bytes).unwrap();
            unusable(&file)
        };
        assert_eq!(about(b"").unwrap(), "is not an HDF5 file: it is empty");
        assert_eq!(about(b"short").unwrap(), "is not an HDF5 file");
        assert_eq!(about(&[0; 5000]).unwrap(), "is not an HDF5 file");
        for user_block in [0, 512, 1024, 4096] {
            assert_eq!(about(&[&vec![1; user_block], &SIGNATURE[..]].concat()), None, "{user_block}");
        }
        assert!(about(&[&[1; 100], &SIGNATURE[..]].concat()).is_some(), "nowhere");
    }
}
