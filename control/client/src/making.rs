//! Objects and links made with all of their properties, as those that are copied need it.

use h5_abi::{H5F_ACC_EXCL, H5L_type_t, H5P_DEFAULT};

use crate::attribute::Attribute;
use crate::creation::{AttributeCreation, FileCreation, LinkCreation, TypeCreation};
use crate::dataset::Dataset;
use crate::dataspace::Dataspace;
use crate::datatype::Datatype;
use crate::failure::Result;
use crate::file::File;
use crate::group::{Group, Location};
use crate::link::LinkTarget;
use crate::name::Name;
use crate::object::Object;
use crate::properties::{DatasetCreation, FileAccess, GroupCreation};
use crate::session::Session;

impl File {
    /// Creates a file that does not exist, made like another one if there is a list.
    pub fn create_new(
        session: &Session,
        name: &(impl Name + ?Sized),
        creation: Option<&FileCreation>,
        access: &FileAccess,
    ) -> Result<Self> {
        let (name, access) = (name.to_c()?, access.id_in(session)?);
        let creation = creation.map_or(Ok(H5P_DEFAULT), |list| list.handle().id_in(session))?;
        // SAFETY: a C string; HDF5 verifies identifiers.
        let id = unsafe { call!(session, H5Fcreate(name.as_ptr(), H5F_ACC_EXCL, creation, access)) }?;
        Self::of_id(session, id)
    }
}

/// Making in a place of a file.
pub trait Making: Location + Sized {
    /// Creates a group.
    fn make_group(
        &self,
        name: &(impl Name + ?Sized),
        link: &LinkCreation,
        creation: Option<&GroupCreation>,
    ) -> Result<Group> {
        let (session, name) = (self.handle().session(), name.to_c()?);
        let link = link.handle().id_in(session)?;
        let creation = creation.map_or(Ok(H5P_DEFAULT), |list| list.handle().id_in(session))?;
        // SAFETY: a C string; HDF5 verifies identifiers.
        let id = unsafe {
            call!(session, H5Gcreate2(self.handle().id(), name.as_ptr(), link, creation, H5P_DEFAULT))
        }?;
        Group::of_id(session, id)
    }

    /// Creates a dataset.
    fn make_dataset(
        &self,
        name: &(impl Name + ?Sized),
        link: &LinkCreation,
        (datatype, space): (&Datatype, &Dataspace),
        creation: &DatasetCreation,
    ) -> Result<Dataset> {
        let (session, name) = (self.handle().session(), name.to_c()?);
        let (datatype, space) = (datatype.handle().id_in(session)?, space.handle().id_in(session)?);
        let (link, creation) = (link.handle().id_in(session)?, creation.handle().id_in(session)?);
        let (id, name) = (self.handle().id(), name.as_ptr());
        // SAFETY: a C string; HDF5 verifies identifiers.
        let id =
            unsafe { call!(session, H5Dcreate2(id, name, datatype, space, link, creation, H5P_DEFAULT)) }?;
        Dataset::of_id(session, id)
    }

    /// Creates a link that does not lead directly to an object.
    fn make_link(&self, name: &(impl Name + ?Sized), target: &LinkTarget, link: &LinkCreation) -> Result<()> {
        let (session, id, name) = (self.handle().session(), self.handle().id(), name.to_c()?);
        let (link, name) = (link.handle().id_in(session)?, name.as_ptr());
        // SAFETY: C strings, and as many bytes as are said; HDF5 verifies the rest.
        unsafe {
            match target {
                LinkTarget::Hard(_) => {
                    return Err(crate::Failure::refused("a hard link needs its object"));
                }
                LinkTarget::Soft(path) => {
                    call!(session, H5Lcreate_soft(path.as_ptr(), id, name, link, H5P_DEFAULT))
                }
                LinkTarget::External { file, object } => call!(
                    session,
                    H5Lcreate_external(file.as_ptr(), object.as_ptr(), id, name, link, H5P_DEFAULT)
                ),
                LinkTarget::UserDefined { class, value } => {
                    let (kind, data) = (H5L_type_t(*class), value.as_ptr().cast());
                    call!(session, H5Lcreate_ud(id, name, kind, data, value.len(), link, H5P_DEFAULT))
                }
            }
        }
        .map(|_| ())
    }

    /// Creates a hard link to an object that is open.
    fn link_object(
        &self,
        object: &(impl Object + ?Sized),
        name: &(impl Name + ?Sized),
        link: &LinkCreation,
    ) -> Result<()> {
        let (session, id, name) = (self.handle().session(), self.handle().id(), name.to_c()?);
        let (object, link) = (object.handle().id_in(session)?, link.handle().id_in(session)?);
        // SAFETY: a C string; HDF5 verifies identifiers.
        unsafe { call!(session, H5Olink(object, id, name.as_ptr(), link, H5P_DEFAULT)) }.map(|_| ())
    }

    /// Stores a datatype in the file under a name.
    fn commit(
        &self,
        datatype: &Datatype,
        name: &(impl Name + ?Sized),
        creation: &TypeCreation,
    ) -> Result<()> {
        let (session, id, name) = (self.handle().session(), self.handle().id(), name.to_c()?);
        let (datatype, creation) = (datatype.handle().id_in(session)?, creation.handle().id_in(session)?);
        let name = name.as_ptr();
        // SAFETY: a C string; HDF5 verifies identifiers.
        unsafe { call!(session, H5Tcommit2(id, name, datatype, H5P_DEFAULT, creation, H5P_DEFAULT)) }
            .map(|_| ())
    }

    /// Stores a datatype in the file without a name. It stays there if it gets one, or is used, before it is closed.
    fn commit_without_name(&self, datatype: &Datatype, creation: &TypeCreation) -> Result<()> {
        let (session, id) = (self.handle().session(), self.handle().id());
        let (datatype, creation) = (datatype.handle().id_in(session)?, creation.handle().id_in(session)?);
        // SAFETY: HDF5 verifies identifiers.
        unsafe { call!(session, H5Tcommit_anon(id, datatype, creation, H5P_DEFAULT)) }.map(|_| ())
    }
}

impl<L: Location> Making for L {}

impl Attribute {
    /// Creates one like another one.
    pub fn create_like(
        object: &(impl Object + ?Sized),
        name: &(impl Name + ?Sized),
        (datatype, space): (&Datatype, &Dataspace),
        creation: &AttributeCreation,
    ) -> Result<Self> {
        let (session, name, id) = (object.handle().session(), name.to_c()?, object.handle().id());
        let (datatype, space) = (datatype.handle().id_in(session)?, space.handle().id_in(session)?);
        let creation = creation.handle().id_in(session)?;
        // SAFETY: a C string; HDF5 verifies identifiers.
        let id =
            unsafe { call!(session, H5Acreate2(id, name.as_ptr(), datatype, space, creation, H5P_DEFAULT)) }?;
        Self::of_id(session, id)
    }
}
