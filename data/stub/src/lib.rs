//! Stubs: small HDF5 files that stand for containers of other formats.
//!
//! Some clients of HDF5 insist on a regular file with HDF5's signature at the name that they open. A stub is one, and names the
//! container that has the data. It is a complete HDF5 file (`layout.rs`): without us, any HDF5 opens it, and finds attributes that say
//! in words where the data is.
//!
//! **What is a stub?** A file of exactly [`SIZE`] bytes that has our mark after HDF5's superblock. No other file is read, so that
//! ordinary files cost nothing but the question for their size. All bytes of a stub follow from what it says, and are compared: a
//! stub that was changed is damaged, and never followed.
//!
//! **Where may it lead?** To a container beside the stub, or in a folder beside it. Other paths are refused: who sends a stub must not
//! choose what the reader opens.

#![forbid(unsafe_code)]

mod layout;

use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

pub use layout::SIZE;

/// Why something is no usable stub.
#[derive(Debug, thiserror::Error)]
pub enum StubError {
    /// It has our mark, but was changed or damaged.
    #[error("{} is a damaged stub: make a new one with `h5bypass stub`", path.display())]
    Damaged {
        /// The stub.
        path: PathBuf,
    },
    /// It leads to a place that it may not lead to.
    #[error(
        "a stub leads only to a container beside it or in a folder beside it, not to '{}'",
        container.display()
    )]
    LeadsOut {
        /// The path in the stub.
        container: PathBuf,
    },
    /// The path has no room in a stub.
    #[error("the path of a container in a stub has at most {longest} bytes: '{}'", container.display())]
    TooLong {
        /// The path.
        container: PathBuf,
        /// The most that there is room for.
        longest: usize,
    },
    /// The system said no.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

impl StubError {
    /// The system's error number, if the system said no.
    pub fn errno(&self) -> Option<i32> {
        match self {
            Self::Io { source, .. } => source.raw_os_error(),
            _ => None,
        }
    }

    fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { doing, path: path.to_owned(), source }
    }
}

/// What a stub says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stub {
    /// The connector that opens it.
    connector: String,
    /// The container, seen from the stub's folder.
    container: PathBuf,
}

impl Stub {
    /// A stub. The container's path is seen from the folder in which the stub will be.
    pub fn new(connector: &str, container: &Path) -> Result<Self, StubError> {
        let mut parts = container.components().peekable();
        let is_below = parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)));
        if !is_below {
            return Err(StubError::LeadsOut { container: container.to_owned() });
        }
        let longest = layout::LONGEST.saturating_sub(connector.len());
        if container.as_os_str().len() > longest {
            return Err(StubError::TooLong { container: container.to_owned(), longest });
        }
        Ok(Self { connector: connector.to_owned(), container: container.to_owned() })
    }

    /// The stub at this name. `None` if what is there is no stub, or nothing.
    pub fn read(path: &Path) -> Result<Option<Self>, StubError> {
        let is_candidate = fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() == SIZE as u64);
        if !is_candidate {
            return Ok(None);
        }
        let mut bytes = Vec::with_capacity(SIZE);
        // What cannot be read is left to others to complain about.
        let read = File::open(path).and_then(|file| file.take(SIZE as u64).read_to_end(&mut bytes));
        if read.is_err() || !layout::has_mark(&bytes) {
            return Ok(None);
        }
        let damaged = || StubError::Damaged { path: path.to_owned() };
        let (connector, container) = layout::said(&bytes).ok_or_else(damaged)?;
        let stub = Self::new(connector, Path::new(OsStr::from_bytes(container)))?;
        if stub.to_bytes() == bytes { Ok(Some(stub)) } else { Err(damaged()) }
    }

    /// The connector that opens it.
    pub fn connector(&self) -> &str {
        &self.connector
    }

    /// Where the container is, if the stub is at this name. A symbolic link to a stub is not a place of its own.
    pub fn container(&self, stub: &Path) -> PathBuf {
        let real = stub.canonicalize().unwrap_or_else(|_| stub.to_owned());
        real.with_file_name(&self.container)
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        layout::file(&self.connector, self.container.as_os_str().as_bytes())
    }

    /// Makes the file. Fails if there is one of that name.
    pub fn create(&self, path: &Path) -> Result<(), StubError> {
        let file = OpenOptions::new().write(true).create_new(true).open(path);
        let mut file = file.map_err(StubError::io("create", path))?;
        file.write_all(&self.to_bytes()).map_err(StubError::io("write", path))
    }

    /// Makes the file, or replaces the one of that name: whenever the process ends, all of the old or all of the new is there.
    pub fn replace(&self, path: &Path) -> Result<(), StubError> {
        let bytes = self.to_bytes();
        let old = fs::metadata(path).ok();
        if old.as_ref().is_some_and(|old| old.len() == SIZE as u64)
            && fs::read(path).is_ok_and(|old| old == bytes)
        {
            return Ok(());
        }
        // Whoever has opened a file expects to find the same rights at its name.
        let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let temporary = temporary(path);
        let written = File::create_new(&temporary).and_then(|mut file| {
            file.write_all(&bytes)?;
            old.map_or(Ok(()), |old| file.set_permissions(old.permissions()))
        });
        let replaced = written.and_then(|()| fs::rename(&temporary, path));
        replaced.map_err(|error| {
            let _ = fs::remove_file(&temporary);
            StubError::io("write", path)(error)
        })
    }
}

/// A name beside this one that nobody else has.
fn temporary(path: &Path) -> PathBuf {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    path.with_file_name(format!(".stub.{:x}-{number:x}.h5tmp~", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stub(container: &str) -> Stub {
        Stub::new("zarr", Path::new(container)).unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.h5");
        for container in ["a.h5.zarr", "some where/ä.zarr", "x"] {
            stub(container).replace(&path).unwrap();
            let read = Stub::read(&path).unwrap().unwrap();
            assert_eq!(read, stub(container));
            assert_eq!(read.container(&path), folder.path().canonicalize().unwrap().join(container));
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "temporary files are left");
    }

    #[test]
    fn other_files_are_no_stubs() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.h5");
        assert_eq!(Stub::read(&path).unwrap(), None);
        assert_eq!(Stub::read(folder.path()).unwrap(), None);
        let bytes = stub("a.zarr").to_bytes();
        for other in
            [&bytes[..0], &bytes[..1000], &bytes[..SIZE - 1], &[&bytes[..], b"x"].concat(), &[0; SIZE]]
        {
            fs::write(&path, other).unwrap();
            assert_eq!(Stub::read(&path).unwrap(), None);
        }
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.h5");
        let bytes = stub("a.zarr").to_bytes();
        for place in 0..SIZE {
            let mut changed = bytes.clone();
            changed[place] ^= 1;
            fs::write(&path, &changed).unwrap();
            let read = Stub::read(&path);
            assert!(matches!(read, Ok(None) | Err(StubError::Damaged { .. })), "byte {place}: {read:?}");
        }
    }

    #[test]
    fn paths_that_lead_out_are_refused() {
        for path in ["/tmp/a.zarr", "../a.zarr", "b/../../a.zarr", "b/../a.zarr", "./a.zarr", "", ".", "/"] {
            assert!(matches!(Stub::new("zarr", Path::new(path)), Err(StubError::LeadsOut { .. })), "{path}");
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.h5");
        fs::write(&path, layout::file("zarr", b"../a.zarr")).unwrap();
        assert!(matches!(Stub::read(&path), Err(StubError::LeadsOut { .. })));
    }

    #[test]
    fn long_paths_fit_or_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.h5");
        let longest = layout::LONGEST - "zarr".len();
        stub(&"x".repeat(longest)).create(&path).unwrap();
        assert_eq!(Stub::read(&path).unwrap(), Some(stub(&"x".repeat(longest))));
        let longer = "x".repeat(longest + 1);
        assert!(matches!(Stub::new("zarr", Path::new(&longer)), Err(StubError::TooLong { .. })));
    }

    #[test]
    fn creating_overwrites_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.h5");
        fs::write(&path, "mine").unwrap();
        assert!(stub("a.zarr").create(&path).is_err());
        assert_eq!(fs::read(&path).unwrap(), b"mine");
    }

    #[test]
    fn replacing_keeps_rights_and_links() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a.h5"), folder.path().join("link.h5"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink("a.h5", &link).unwrap();
        stub("a.zarr").replace(&link).unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(Stub::read(&path).unwrap(), Some(stub("a.zarr")));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
