//! Files.

use core::ffi::c_uint;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use h5_abi::{H5F_ACC_RDONLY, H5F_ACC_RDWR, H5F_ACC_TRUNC, H5P_DEFAULT, hid_t};

use super::Library;
use super::handle::Handle;
use super::library::c_path;
use crate::Way;

/// An open file. Closing it closes what is open in it.
pub(crate) struct File {
    pub(super) handle: Handle,
    path: PathBuf,
}

impl File {
    /// Opens a file for reading, and makes sure that it is served in this way.
    pub(crate) fn open(library: &'static Library, path: &Path, way: Way) -> Result<Self> {
        Self::open_again(library, path, way)?.made_sure(way)
    }

    /// The same without making sure: for loops that are measured.
    pub(crate) fn open_again(library: &'static Library, path: &Path, way: Way) -> Result<Self> {
        Self::open_with(library, path, H5F_ACC_RDONLY, way)
    }

    /// Opens a file for reading and writing, and makes sure that it is served in this way.
    pub(crate) fn open_writable(library: &'static Library, path: &Path, way: Way) -> Result<Self> {
        Self::open_with(library, path, H5F_ACC_RDWR, way)?.made_sure(way)
    }

    fn open_with(library: &'static Library, path: &Path, flags: c_uint, way: Way) -> Result<Self> {
        let (name, access) = (c_path(path)?, library.access(way)?);
        // SAFETY: a C string; HDF5 verifies identifiers.
        let id = unsafe { (library.api.H5Fopen)(name.as_ptr(), flags, access) };
        Self::new(library, "H5Fopen", id, path)
    }

    /// Creates a file in place of the one that may be there, and makes sure that it is served in this way.
    pub(crate) fn create(library: &'static Library, path: &Path, way: Way) -> Result<Self> {
        Self::create_again(library, path, way)?.made_sure(way)
    }

    /// The same without making sure: for loops that are measured.
    pub(crate) fn create_again(library: &'static Library, path: &Path, way: Way) -> Result<Self> {
        Self::create_with(library, path, library.access(way)?)
    }

    /// Creates a file natively in the latest format that all versions know.
    pub(crate) fn create_latest(library: &'static Library, path: &Path) -> Result<Self> {
        Self::create_with(library, path, library.latest_access()?)
    }

    fn create_with(library: &'static Library, path: &Path, access: hid_t) -> Result<Self> {
        let name = c_path(path)?;
        // SAFETY: a C string; HDF5 verifies identifiers.
        let id = unsafe { (library.api.H5Fcreate)(name.as_ptr(), H5F_ACC_TRUNC, H5P_DEFAULT, access) };
        Self::new(library, "H5Fcreate", id, path)
    }

    fn new(library: &'static Library, call: &str, id: hid_t, path: &Path) -> Result<Self> {
        let handle = Handle::new(library, call, id, ("H5Fclose", library.api.H5Fclose));
        Ok(Self { handle: handle.with_context(|| path.display().to_string())?, path: path.to_owned() })
    }

    fn made_sure(self, way: Way) -> Result<Self> {
        let wanted = match way {
            Way::Native => "native",
            Way::Bypass => "bypass",
        };
        let found = self.handle.library.connector_of(self.handle.id)?;
        ensure!(found == wanted, "{} was opened through '{found}', not '{wanted}'", self.path.display());
        Ok(self)
    }

    /// The library it is open in.
    pub(crate) fn library(&self) -> &'static Library {
        self.handle.library
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Closes it, and says whether that went well, as dropping it does not.
    pub(crate) fn close(self) -> Result<()> {
        let Self { handle, path } = self;
        handle.close().with_context(|| path.display().to_string())
    }
}
