//! Files.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use h5_client::{FileAccess, Object as _};

use super::Library;
use crate::Way;

/// An open file. Closing it closes what is open in it.
pub(crate) struct File {
    pub(super) open: h5_client::File,
    library: &'static Library,
    path: PathBuf,
}

impl File {
    /// Opens a file for reading in this way, and checks that this is what happened.
    pub(crate) fn open(library: &'static Library, path: &Path, way: Way) -> Result<Self> {
        Self::open_again(library, path, way)?.made_sure(way)
    }

    /// The same without the check, for loops that are measured.
    pub(crate) fn open_again(library: &'static Library, path: &Path, way: Way) -> Result<Self> {
        Self::new(library, path, h5_client::File::open(&library.h5, path, library.access(way)?))
    }

    /// Opens a file for reading and writing in this way, and checks that this is what happened.
    pub(crate) fn open_writable(library: &'static Library, path: &Path, way: Way) -> Result<Self> {
        let file = h5_client::File::open_writable(&library.h5, path, library.access(way)?);
        Self::new(library, path, file)?.made_sure(way)
    }

    /// Creates a file in this way, replacing an existing one, and checks that this is what happened.
    pub(crate) fn create(library: &'static Library, path: &Path, way: Way) -> Result<Self> {
        Self::create_again(library, path, way)?.made_sure(way)
    }

    /// The same without the check, for loops that are measured.
    pub(crate) fn create_again(library: &'static Library, path: &Path, way: Way) -> Result<Self> {
        Self::create_with(library, path, library.access(way)?)
    }

    /// Creates a file with native HDF5, in the latest format that all versions support.
    pub(crate) fn create_latest(library: &'static Library, path: &Path) -> Result<Self> {
        Self::create_with(library, path, library.latest_access()?)
    }

    fn create_with(library: &'static Library, path: &Path, access: &FileAccess) -> Result<Self> {
        Self::new(library, path, h5_client::File::create(&library.h5, path, access))
    }

    fn new(library: &'static Library, path: &Path, file: h5_client::Result<h5_client::File>) -> Result<Self> {
        let file = file.with_context(|| path.display().to_string())?;
        Ok(Self { open: file, library, path: path.to_owned() })
    }

    fn made_sure(self, way: Way) -> Result<Self> {
        let (found, wanted) = (self.open.connector()?.unwrap_or_default(), way.name());
        ensure!(found == wanted, "{} was opened through '{found}', not '{wanted}'", self.path.display());
        Ok(self)
    }

    /// The library it is open in.
    pub(crate) fn library(&self) -> &'static Library {
        self.library
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Closes it and reports errors, which dropping it does not.
    pub(crate) fn close(self) -> Result<()> {
        let Self { open, path, .. } = self;
        open.close().with_context(|| path.display().to_string())
    }
}
