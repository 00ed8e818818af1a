//! Groups, and everything that is done by name in a place of a file.

use core::mem::MaybeUninit;

use h5_abi::{H5P_DEFAULT, hid_t};

use crate::dataset::Dataset;
use crate::dataspace::Dataspace;
use crate::datatype::Datatype;
use crate::failure::Result;
use crate::file::File;
use crate::handle::{Handle, closer, handles};
use crate::name::Name;
use crate::object::Object;
use crate::properties::{DatasetAccess, DatasetCreation, GroupCreation};
use crate::session::Session;

handles! {
    /// A group.
    Group;
}

impl Object for Group {
    fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Group {
    pub(crate) fn of_id(session: &Session, id: hid_t) -> Result<Self> {
        Ok(Self { handle: Handle::new(session, id, closer!(session, H5Gclose)) })
    }
}

/// A file (which stands for its root group) or a group: where names lead from. The methods for links are in
/// `link.rs`.
pub trait Location: Object {
    /// Creates a group.
    fn create_group(&self, name: &(impl Name + ?Sized)) -> Result<Group> {
        self.create_group_with(name, None)
    }

    /// Creates a group with properties.
    fn create_group_with(
        &self,
        name: &(impl Name + ?Sized),
        creation: Option<&GroupCreation>,
    ) -> Result<Group> {
        let (session, name) = (self.handle().session(), name.to_c()?);
        let creation = creation.map_or(Ok(H5P_DEFAULT), |list| list.handle().id_in(session))?;
        let location = self.handle().id();
        // SAFETY: a C string; HDF5 verifies identifiers.
        let id = unsafe {
            call!(session, H5Gcreate2(location, name.as_ptr(), H5P_DEFAULT, creation, H5P_DEFAULT))
        }?;
        Group::of_id(session, id)
    }

    /// Opens a group.
    fn open_group(&self, name: &(impl Name + ?Sized)) -> Result<Group> {
        let (session, name) = (self.handle().session(), name.to_c()?);
        // SAFETY: a C string; HDF5 verifies identifiers.
        let id = unsafe { call!(session, H5Gopen2(self.handle().id(), name.as_ptr(), H5P_DEFAULT)) }?;
        Group::of_id(session, id)
    }

    /// Creates a dataset.
    fn create_dataset(
        &self,
        name: &(impl Name + ?Sized),
        datatype: &Datatype,
        space: &Dataspace,
        creation: Option<&DatasetCreation>,
    ) -> Result<Dataset> {
        let (session, name) = (self.handle().session(), name.to_c()?);
        let (datatype, space) = (datatype.handle().id_in(session)?, space.handle().id_in(session)?);
        let creation = creation.map_or(Ok(H5P_DEFAULT), |list| list.handle().id_in(session))?;
        let location = self.handle().id();
        // SAFETY: a C string; HDF5 verifies identifiers.
        let id = unsafe {
            call!(
                session,
                H5Dcreate2(location, name.as_ptr(), datatype, space, H5P_DEFAULT, creation, H5P_DEFAULT)
            )
        }?;
        Dataset::of_id(session, id)
    }

    /// Opens a dataset.
    fn open_dataset(&self, name: &(impl Name + ?Sized)) -> Result<Dataset> {
        self.open_dataset_with(name, None)
    }

    /// Opens a dataset with properties.
    fn open_dataset_with(
        &self,
        name: &(impl Name + ?Sized),
        access: Option<&DatasetAccess>,
    ) -> Result<Dataset> {
        let (session, name) = (self.handle().session(), name.to_c()?);
        let access = access.map_or(Ok(H5P_DEFAULT), |list| list.handle().id_in(session))?;
        // SAFETY: a C string; HDF5 verifies identifiers.
        let id = unsafe { call!(session, H5Dopen2(self.handle().id(), name.as_ptr(), access)) }?;
        Dataset::of_id(session, id)
    }

    /// Number of links in it.
    fn link_count(&self) -> Result<u64> {
        let mut info = MaybeUninit::<h5_abi::H5G_info_t>::zeroed();
        // SAFETY: room for the information.
        unsafe { call!(self.handle().session(), H5Gget_info(self.handle().id(), info.as_mut_ptr())) }?;
        // SAFETY: all-zero bytes are valid, and HDF5 has filled it in.
        Ok(unsafe { info.assume_init() }.nlinks)
    }

    /// Whether there is an object of this name, also at the end of a soft link.
    fn object_exists(&self, name: &(impl Name + ?Sized)) -> Result<bool> {
        let (session, name) = (self.handle().session(), name.to_c()?);
        let location = self.handle().id();
        // SAFETY: a C string; HDF5 verifies identifiers.
        Ok(unsafe { call!(session, H5Oexists_by_name(location, name.as_ptr(), H5P_DEFAULT)) }? > 0)
    }

    /// Copies an object with everything below it, also into another file (`H5Ocopy`).
    fn copy_object(
        &self,
        name: &(impl Name + ?Sized),
        target: &(impl Location + ?Sized),
        new_name: &(impl Name + ?Sized),
    ) -> Result<()>
    where
        Self: Sized,
    {
        let (session, name, new_name) = (self.handle().session(), name.to_c()?, new_name.to_c()?);
        let (location, target) = (self.handle().id(), target.handle().id_in(session)?);
        // SAFETY: C strings; HDF5 verifies identifiers.
        unsafe {
            call!(
                session,
                H5Ocopy(location, name.as_ptr(), target, new_name.as_ptr(), H5P_DEFAULT, H5P_DEFAULT)
            )
        }
        .map(|_| ())
    }

    /// Mounts a file on a group.
    fn mount(&self, name: &(impl Name + ?Sized), child: &File) -> Result<()> {
        let (session, name) = (self.handle().session(), name.to_c()?);
        let (location, child) = (self.handle().id(), child.handle().id_in(session)?);
        // SAFETY: a C string; HDF5 verifies identifiers.
        unsafe { call!(session, H5Fmount(location, name.as_ptr(), child, H5P_DEFAULT)) }.map(|_| ())
    }

    /// Takes a mounted file away.
    fn unmount(&self, name: &(impl Name + ?Sized)) -> Result<()> {
        let (session, name) = (self.handle().session(), name.to_c()?);
        // SAFETY: a C string; HDF5 verifies identifiers.
        unsafe { call!(session, H5Funmount(self.handle().id(), name.as_ptr())) }.map(|_| ())
    }
}

impl Location for Group {}

/// A file or a group.
#[derive(Debug)]
pub enum AnyLocation {
    /// A file.
    File(File),
    /// A group.
    Group(Group),
}

impl Object for AnyLocation {
    fn handle(&self) -> &Handle {
        match self {
            Self::File(file) => file.handle(),
            Self::Group(group) => group.handle(),
        }
    }
}

impl Location for AnyLocation {}
