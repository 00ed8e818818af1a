//! Files.

use h5_abi::{H5F_ACC_RDONLY, H5F_ACC_RDWR, H5F_ACC_TRUNC, H5F_SCOPE_GLOBAL, H5P_DEFAULT};

use crate::failure::Result;
use crate::handle::Handle;
use crate::host::{Session, c_string};

impl Session<'_> {
    /// `H5Fcreate`, replacing what is there.
    pub fn create_file(&self, name: &str, access: &Handle<'_>) -> Result<Handle<'_>> {
        let name = c_string(name);
        // SAFETY: a C string; HDF5 verifies identifiers.
        let id = unsafe { (self.api().H5Fcreate)(name.as_ptr(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()) };
        Handle::new(self, id, self.api().H5Fclose)
    }

    /// `H5Fopen`.
    pub fn open_file(&self, name: &str, writable: bool, access: &Handle<'_>) -> Result<Handle<'_>> {
        let name = c_string(name);
        let flags = if writable { H5F_ACC_RDWR } else { H5F_ACC_RDONLY };
        // SAFETY: a C string; HDF5 verifies identifiers.
        let id = unsafe { (self.api().H5Fopen)(name.as_ptr(), flags, access.id()) };
        Handle::new(self, id, self.api().H5Fclose)
    }

    /// `H5Freopen`.
    pub fn reopen_file(&self, file: &Handle<'_>) -> Result<Handle<'_>> {
        // SAFETY: HDF5 verifies the identifier.
        Handle::new(self, unsafe { (self.api().H5Freopen)(file.id()) }, self.api().H5Fclose)
    }

    /// `H5Fis_accessible`.
    pub fn is_accessible(&self, name: &str, access: &Handle<'_>) -> Result<bool> {
        let name = c_string(name);
        // SAFETY: a C string; HDF5 verifies identifiers.
        Ok(self.check(unsafe { (self.api().H5Fis_accessible)(name.as_ptr(), access.id()) })? > 0)
    }

    /// `H5Fdelete`.
    pub fn delete_file(&self, name: &str, access: &Handle<'_>) -> Result<()> {
        let name = c_string(name);
        // SAFETY: a C string; HDF5 verifies identifiers.
        self.check(unsafe { (self.api().H5Fdelete)(name.as_ptr(), access.id()) }).map(|_| ())
    }

    /// `H5Fflush` on any object.
    pub fn flush(&self, object: &Handle<'_>) -> Result<()> {
        // SAFETY: HDF5 verifies identifiers.
        self.check(unsafe { (self.api().H5Fflush)(object.id(), H5F_SCOPE_GLOBAL) }).map(|_| ())
    }

    /// `H5Fget_name` of any object.
    pub fn file_name(&self, object: &Handle<'_>) -> Result<String> {
        // SAFETY: a buffer of the stated size or none.
        self.text(|buffer, size| unsafe { (self.api().H5Fget_name)(object.id(), buffer, size) })
    }

    /// `H5Fget_intent`.
    pub fn intent(&self, file: &Handle<'_>) -> Result<u32> {
        let mut flags = 0;
        // SAFETY: an out-pointer.
        self.check(unsafe { (self.api().H5Fget_intent)(file.id(), &raw mut flags) })?;
        Ok(flags)
    }

    /// `H5Fget_obj_count` of all kinds.
    pub fn open_objects(&self, file: &Handle<'_>) -> Result<isize> {
        // SAFETY: HDF5 verifies identifiers.
        self.check(unsafe { (self.api().H5Fget_obj_count)(file.id(), h5_abi::H5F_OBJ_ALL) })
    }

    /// `H5Fmount`.
    pub fn mount(&self, location: &Handle<'_>, name: &str, child: &Handle<'_>) -> Result<()> {
        let name = c_string(name);
        // SAFETY: a C string; HDF5 verifies identifiers.
        self.check(unsafe { (self.api().H5Fmount)(location.id(), name.as_ptr(), child.id(), H5P_DEFAULT) })
            .map(|_| ())
    }

    /// `H5Funmount`.
    pub fn unmount(&self, location: &Handle<'_>, name: &str) -> Result<()> {
        let name = c_string(name);
        // SAFETY: a C string; HDF5 verifies identifiers.
        self.check(unsafe { (self.api().H5Funmount)(location.id(), name.as_ptr()) }).map(|_| ())
    }
}
