//! A private directory for the files of a subprocess.

use std::fs::Permissions;
use std::io;
use std::os::unix::fs::PermissionsExt as _;

use tempfile::TempDir;

/// Creates the directory. Dropping the value removes it.
pub(crate) fn directory() -> io::Result<TempDir> {
    let parent = std::path::absolute(std::env::temp_dir())?;
    // Without this, the umask may let other users read what libraries print and write.
    let private = Permissions::from_mode(0o700);
    tempfile::Builder::new().prefix("h5bypass-").permissions(private).tempdir_in(parent).map_err(|error| {
        io::Error::new(error.kind(), format!("cannot create a temporary directory: {error}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_else_can_look_inside_and_nothing_stays() {
        let scratch = directory().unwrap();
        let path = scratch.path().to_owned();
        assert!(path.is_absolute());
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        std::fs::write(path.join("file"), "text").unwrap();
        drop(scratch);
        assert!(!path.exists());
    }
}
