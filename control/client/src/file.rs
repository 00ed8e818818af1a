//! Files.

use core::ffi::c_uint;

use h5_abi::{H5F_ACC_RDONLY, H5F_ACC_RDWR, H5F_ACC_TRUNC, H5F_OBJ_ALL, H5P_DEFAULT, hid_t};

use crate::failure::Result;
use crate::group::Location;
use crate::handle::{Handle, closer, handles};
use crate::name::Name;
use crate::object::Object;
use crate::properties::FileAccess;
use crate::session::Session;

handles! {
    /// An open file.
    File;
}

impl Object for File {
    fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Location for File {}

impl File {
    pub(crate) fn of_id(session: &Session, id: hid_t) -> Result<Self> {
        Ok(Self { handle: Handle::new(session, id, closer!(session, H5Fclose)) })
    }

    /// Creates a file, in place of one that may exist.
    pub fn create(session: &Session, name: &(impl Name + ?Sized), access: &FileAccess) -> Result<Self> {
        let (name, access) = (name.to_c()?, access.id_in(session)?);
        // SAFETY: a C string; HDF5 verifies identifiers.
        let id = unsafe { call!(session, H5Fcreate(name.as_ptr(), H5F_ACC_TRUNC, H5P_DEFAULT, access)) }?;
        Self::of_id(session, id)
    }

    /// Opens a file for reading.
    pub fn open(session: &Session, name: &(impl Name + ?Sized), access: &FileAccess) -> Result<Self> {
        Self::open_with(session, name, H5F_ACC_RDONLY, access)
    }

    /// Opens a file for reading and writing.
    pub fn open_writable(
        session: &Session,
        name: &(impl Name + ?Sized),
        access: &FileAccess,
    ) -> Result<Self> {
        Self::open_with(session, name, H5F_ACC_RDWR, access)
    }

    fn open_with(
        session: &Session,
        name: &(impl Name + ?Sized),
        flags: c_uint,
        access: &FileAccess,
    ) -> Result<Self> {
        let (name, access) = (name.to_c()?, access.id_in(session)?);
        // SAFETY: a C string; HDF5 verifies identifiers.
        Self::of_id(session, unsafe { call!(session, H5Fopen(name.as_ptr(), flags, access)) }?)
    }

    /// Another handle of the same file.
    pub fn reopen(&self) -> Result<Self> {
        // SAFETY: our own identifier.
        Self::of_id(self.session(), unsafe { call!(self.session(), H5Freopen(self.id())) }?)
    }

    /// Whether a file could be opened.
    pub fn is_accessible(
        session: &Session,
        name: &(impl Name + ?Sized),
        access: &FileAccess,
    ) -> Result<bool> {
        let (name, access) = (name.to_c()?, access.id_in(session)?);
        // SAFETY: a C string; HDF5 verifies identifiers.
        Ok(unsafe { call!(session, H5Fis_accessible(name.as_ptr(), access)) }? > 0)
    }

    /// Deletes a file, in the way of the connector that it is opened through.
    pub fn delete(session: &Session, name: &(impl Name + ?Sized), access: &FileAccess) -> Result<()> {
        let (name, access) = (name.to_c()?, access.id_in(session)?);
        // SAFETY: a C string; HDF5 verifies identifiers.
        unsafe { call!(session, H5Fdelete(name.as_ptr(), access)) }.map(|_| ())
    }

    /// The flags that it was opened with.
    pub fn intent(&self) -> Result<u32> {
        let mut flags = 0;
        // SAFETY: a place for the flags.
        unsafe { call!(self.session(), H5Fget_intent(self.id(), &raw mut flags)) }?;
        Ok(flags)
    }

    /// Number of objects open in it, itself included.
    pub fn open_objects(&self) -> Result<usize> {
        // SAFETY: our own identifier.
        Ok(unsafe { call!(self.session(), H5Fget_obj_count(self.id(), H5F_OBJ_ALL)) }?.unsigned_abs())
    }
}
