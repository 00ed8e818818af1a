//! Attributes.

use std::ffi::CString;

use h5_abi::{H5_INDEX_CRT_ORDER, H5_INDEX_NAME, H5_ITER_INC, H5_index_t, H5A_info_t, H5P_DEFAULT, hid_t};

use crate::dataspace::Dataspace;
use crate::datatype::Datatype;
use crate::failure::{Failure, Result};
use crate::handle::{Handle, closer, handles};
use crate::iteration::{Visitor, visit};
use crate::name::Name;
use crate::object::Object;
use crate::session::Session;

handles! {
    /// An attribute.
    Attribute;
}

impl Attribute {
    pub(crate) fn of_id(session: &Session, id: hid_t) -> Result<Self> {
        Ok(Self { handle: Handle::new(session, id, closer!(session, H5Aclose)) })
    }

    /// Creates one.
    pub fn create(
        object: &(impl Object + ?Sized),
        name: &(impl Name + ?Sized),
        datatype: &Datatype,
        space: &Dataspace,
    ) -> Result<Self> {
        let (session, name, id) = (object.handle().session(), name.to_c()?, object.handle().id());
        let (datatype, space) = (datatype.handle().id_in(session)?, space.handle().id_in(session)?);
        // SAFETY: a C string; HDF5 verifies identifiers.
        let id = unsafe {
            call!(session, H5Acreate2(id, name.as_ptr(), datatype, space, H5P_DEFAULT, H5P_DEFAULT))
        }?;
        Self::of_id(session, id)
    }

    /// Opens one.
    pub fn open(object: &(impl Object + ?Sized), name: &(impl Name + ?Sized)) -> Result<Self> {
        let (session, name) = (object.handle().session(), name.to_c()?);
        // SAFETY: a C string; HDF5 verifies identifiers.
        let id = unsafe { call!(session, H5Aopen(object.handle().id(), name.as_ptr(), H5P_DEFAULT)) }?;
        Self::of_id(session, id)
    }

    /// Its name.
    pub fn name(&self) -> Result<CString> {
        let (session, id) = (self.session(), self.id());
        let get = session.functions().H5Aget_name()?;
        // SAFETY: a buffer of the stated size or none.
        session.ask_text("H5Aget_name", |buffer, size| unsafe { get(id, size, buffer) })
    }

    /// Its extent.
    pub fn space(&self) -> Result<Dataspace> {
        // SAFETY: our own identifier.
        Dataspace::of_id(self.session(), unsafe { call!(self.session(), H5Aget_space(self.id())) }?)
    }

    /// Its datatype.
    pub fn datatype(&self) -> Result<Datatype> {
        // SAFETY: our own identifier.
        Datatype::of_id(self.session(), unsafe { call!(self.session(), H5Aget_type(self.id())) }?)
    }

    /// Reads all of it, as elements of this type.
    pub fn read(&self, datatype: &Datatype, buffer: &mut [u8]) -> Result<()> {
        let datatype = self.argument(datatype, buffer.len())?;
        // SAFETY: as many bytes as the attribute has in memory.
        unsafe { call!(self.session(), H5Aread(self.id(), datatype, buffer.as_mut_ptr().cast())) }.map(|_| ())
    }

    /// Writes all of it, from elements of this type.
    pub fn write(&self, datatype: &Datatype, buffer: &[u8]) -> Result<()> {
        let datatype = self.argument(datatype, buffer.len())?;
        // SAFETY: as many bytes as the attribute has in memory.
        unsafe { call!(self.session(), H5Awrite(self.id(), datatype, buffer.as_ptr().cast())) }.map(|_| ())
    }

    /// The datatype of a call, which needs as many bytes of memory as there are.
    fn argument(&self, datatype: &Datatype, length: usize) -> Result<hid_t> {
        let room = self.space()?.elements()?.checked_mul(datatype.plain_size()?);
        if room != Some(length) {
            let room = room.unwrap_or(usize::MAX);
            return Err(Failure::refused(format!("the memory has {length} bytes instead of {room}")));
        }
        datatype.handle().id_in(self.session())
    }
}

/// The attributes of an object.
pub trait Attributes: Object + Sized {
    /// Names of all attributes, in their order.
    fn attribute_names(&self) -> Result<Vec<CString>> {
        self.attribute_names_by(H5_INDEX_NAME)
    }

    /// Names of all attributes, in the order of their creation, which the object must keep.
    fn attribute_names_by_creation(&self) -> Result<Vec<CString>> {
        self.attribute_names_by(H5_INDEX_CRT_ORDER)
    }

    /// Names of all attributes, in the order of an index.
    fn attribute_names_by(&self, index: H5_index_t) -> Result<Vec<CString>> {
        let (session, id) = (self.handle().session(), self.handle().id());
        let (mut names, mut position) = (Vec::new(), 0);
        let mut function = |_: hid_t, name: &core::ffi::CStr, _: &H5A_info_t| {
            names.push(name.to_owned());
            0
        };
        Visitor::run(&mut function, |visitor| {
            // SAFETY: the visitor that the callback expects, and a place for the position.
            unsafe {
                call!(
                    session,
                    H5Aiterate2(
                        id,
                        index,
                        H5_ITER_INC,
                        &raw mut position,
                        Some(visit::<H5A_info_t>),
                        visitor,
                    )
                )
            }
        })?;
        Ok(names)
    }

    /// Whether there is an attribute of this name.
    fn attribute_exists(&self, name: &(impl Name + ?Sized)) -> Result<bool> {
        let (session, name) = (self.handle().session(), name.to_c()?);
        // SAFETY: a C string; HDF5 verifies the object.
        Ok(unsafe { call!(session, H5Aexists(self.handle().id(), name.as_ptr())) }? > 0)
    }

    /// Deletes an attribute.
    fn delete_attribute(&self, name: &(impl Name + ?Sized)) -> Result<()> {
        let (session, name) = (self.handle().session(), name.to_c()?);
        // SAFETY: a C string; HDF5 verifies the object.
        unsafe { call!(session, H5Adelete(self.handle().id(), name.as_ptr())) }.map(|_| ())
    }

    /// Gives an attribute another name.
    fn rename_attribute(&self, from: &(impl Name + ?Sized), to: &(impl Name + ?Sized)) -> Result<()> {
        let (session, from, to) = (self.handle().session(), from.to_c()?, to.to_c()?);
        // SAFETY: C strings; HDF5 verifies the object.
        unsafe { call!(session, H5Arename(self.handle().id(), from.as_ptr(), to.as_ptr())) }.map(|_| ())
    }
}

impl<O: Object> Attributes for O {}
