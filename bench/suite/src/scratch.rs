//! Files that each pass writes, and reading them back with native HDF5.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::{fs, io, process};

use anyhow::{Context, Result};

use crate::Way;
use crate::hdf5::{Buffer, Call, Dataset, Datatype, File, Library, Transfers};

/// A file of this process. Dropping the value removes it.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// The file of this name among those of the process.
    pub(crate) fn new(folder: &Path, name: &str) -> Self {
        Self(folder.join(format!("written-{}-{name}", process::id())))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Removes the file if it exists.
    pub(crate) fn remove(&self) -> Result<()> {
        match fs::remove_file(&self.0) {
            Err(failure) if failure.kind() != io::ErrorKind::NotFound => {
                Err(failure).with_context(|| self.0.display().to_string())
            }
            _ => Ok(()),
        }
    }

    /// Its bytes.
    pub(crate) fn length(&self) -> Result<u64> {
        Ok(fs::metadata(&self.0).with_context(|| self.0.display().to_string())?.len())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A failure here cannot be reported.
        let _ = self.remove();
    }
}

/// Reads a whole dataset with native HDF5.
pub(crate) fn read_natively(
    library: &'static Library,
    path: &Path,
    name: &str,
    datatype: &Datatype,
    length: usize,
) -> Result<Rc<Buffer>> {
    let buffer = Rc::new(Buffer::new(length, 0));
    let file = File::open(library, path, Way::Native)?;
    let dataset = Dataset::open(&file, name)?;
    Transfers::new(&buffer, vec![Call::whole(&dataset, datatype, 0)])?.read(1)?;
    dataset.close()?;
    file.close()?;
    Ok(buffer)
}
