//! Files that each pass of a workload writes anew.

use std::fs;
use std::io::ErrorKind;
use std::ops::Index;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The files of one workload, which are removed with it.
pub(super) struct PassFiles(Vec<PathBuf>);

impl PassFiles {
    pub(super) fn new(paths: Vec<PathBuf>) -> Self {
        Self(paths)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(PathBuf::as_path)
    }

    /// Removes what a pass has left.
    pub(super) fn remove(&self) -> Result<()> {
        for path in self.iter() {
            match fs::remove_file(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(error).with_context(|| path.display().to_string());
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Bytes of all of them.
    pub(super) fn bytes(&self) -> Result<u64> {
        let size = |path: &Path| Ok(fs::metadata(path).with_context(|| path.display().to_string())?.len());
        self.iter().map(size).sum()
    }
}

impl Index<usize> for PassFiles {
    type Output = Path;

    fn index(&self, number: usize) -> &Path {
        &self.0[number]
    }
}

impl Drop for PassFiles {
    fn drop(&mut self) {
        // Nobody is left to be told when this fails, and the folder is one for such files.
        let _ = self.remove();
    }
}
