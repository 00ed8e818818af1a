//! A private directory for the files of the probes, removed at the end.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Directories tried before giving up; others may have left some behind.
const ATTEMPTS: u32 = 1000;

/// Distinguishes the directories of one process.
static NEXT: AtomicU32 = AtomicU32::new(0);

/// The directory; it goes with the value.
#[derive(Debug)]
pub(crate) struct Scratch {
    path: PathBuf,
}

impl Scratch {
    pub(crate) fn new() -> io::Result<Self> {
        let parent = std::path::absolute(std::env::temp_dir())?;
        for _ in 0..ATTEMPTS {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("h5bypass-doctor-{}-{number}", std::process::id()));
            // Fails if there is anything of that name, also a link, so the directory is ours alone.
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(Self { path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => {
                    let message =
                        format!("cannot create a temporary directory in {}: {error}", parent.display());
                    return Err(io::Error::new(error.kind(), message));
                }
            }
        }
        Err(io::Error::new(io::ErrorKind::AlreadyExists, "no free name"))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is left for the system's own cleaning of temporary files.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
