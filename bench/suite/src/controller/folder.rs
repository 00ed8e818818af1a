//! The folder for generated files, which is removed after the run unless it is kept.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use tempfile::{Builder, TempDir};

/// The name of a folder that is kept, and the prefix of other names.
const NAME: &str = "h5bypass-bench";

/// The folder. Dropping the value removes it, unless it is kept.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Removes the folder when it is dropped.
    _removed: Option<TempDir>,
}

impl Folder {
    /// Creates a folder below `parent`, which is created if it does not exist. A kept folder is the same in every run. Any
    /// other is new, so that nothing is removed that this run did not create.
    ///
    /// # Errors
    /// The system's error, with the folder's name.
    pub fn below(parent: &Path, is_kept: bool) -> io::Result<Self> {
        let parent = std::path::absolute(parent)?;
        let named = |error: io::Error| {
            let message = format!("cannot create a directory in {}: {error}", parent.display());
            io::Error::new(error.kind(), message)
        };
        if parent.exists() && !parent.is_dir() {
            let message = format!("{} is not a directory", parent.display());
            return Err(io::Error::new(io::ErrorKind::NotADirectory, message));
        }
        fs::create_dir_all(&parent).map_err(named)?;
        if !is_kept {
            let new = Builder::new().prefix(&format!("{NAME}-")).tempdir_in(&parent).map_err(named)?;
            return Ok(Self { path: new.path().to_owned(), _removed: Some(new) });
        }
        let path = parent.join(NAME);
        match DirBuilder::new().mode(0o700).create(&path) {
            Err(error) if !path.is_dir() => Err(named(error)),
            _ => Ok(Self { path, _removed: None }),
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The default parent folder: the user's cache directory, because /tmp is in memory on many machines, or /tmp if there is no
/// other.
pub fn default_parent() -> PathBuf {
    let named = |variable| std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = named("XDG_CACHE_HOME").or_else(|| named("HOME").map(|home| home.join(".cache")));
    let usable = |folder: &PathBuf| folder.is_dir() || folder.parent().is_some_and(is_writable);
    cache.filter(usable).unwrap_or_else(std::env::temp_dir)
}

/// Whether the permissions of a folder allow creating files in it.
fn is_writable(folder: &Path) -> bool {
    fs::metadata(folder).is_ok_and(|metadata| metadata.is_dir() && !metadata.permissions().readonly())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_kept_stays() {
        let parent = Folder::below(&std::env::temp_dir(), false).unwrap();
        let other = parent.path().join("other");
        fs::write(&other, "").unwrap();
        let (first, second) =
            (Folder::below(parent.path(), false).unwrap(), Folder::below(parent.path(), false).unwrap());
        assert_ne!(first.path(), second.path());
        fs::write(first.path().join("x"), "").unwrap();
        let gone = first.path().to_owned();
        drop(first);
        assert!(!gone.exists() && second.path().exists() && other.exists());

        let kept = Folder::below(&parent.path().join("new/parents"), true).unwrap().path().to_owned();
        fs::write(kept.join("x"), "").unwrap();
        assert_eq!(Folder::below(&parent.path().join("new/parents"), true).unwrap().path(), kept);
        assert!(kept.join("x").exists());
        let removed = parent.path().to_owned();
        drop(parent);
        assert!(!removed.exists());
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let error = Folder::below(Path::new("/proc/no/such"), false).unwrap_err().to_string();
        assert!(error.contains("/proc/no/such"), "{error}");
        assert!(Folder::below(Path::new("/dev/null"), true).is_err());
    }
}
