//! References in elements: where they lead, and putting others in their place.

use core::ffi::{CStr, c_void};
use std::ffi::CString;

use h5_abi::{
    H5O_token_t, H5P_DEFAULT, H5R_ATTR, H5R_DATASET_REGION1, H5R_DATASET_REGION2, H5R_OBJECT1, H5R_OBJECT2,
    H5R_REF_BUF_SIZE, H5R_ref_t, H5R_type_t,
};

use crate::dataspace::Dataspace;
use crate::datatype::Class;
use crate::failure::{Failure, Result};
use crate::object::{AnyObject, Object};
use crate::selection::Selection;

/// Bytes of a reference to an object of the old kind.
const OBJECT_SIZE: usize = 8;
/// Bytes of a reference to a region of the old kind.
const REGION_SIZE: usize = 12;

/// Where a reference leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReferenceTarget {
    /// Nowhere.
    Null,
    /// To something that is not there, or cannot be found out: why.
    Broken(String),
    /// To an object of the same file.
    Object(H5O_token_t),
    /// To a part of a dataset of the same file.
    Region(H5O_token_t, Selection),
    /// To an attribute of an object of the same file.
    Attribute(H5O_token_t, CString),
    /// To something in another file: the file, the object's path there, and what of it, as in the other kinds.
    Elsewhere(String, String, Box<Option<Part>>),
}

/// A part of an object in another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// These elements.
    Region(Selection),
    /// This attribute.
    Attribute(CString),
}

/// What a reference is replaced by.
pub enum NewReference {
    /// One that leads nowhere.
    Null,
    /// The one that is there stays.
    Same,
    /// One to what has the same place in the object at this path: the object itself, the same region, or the attribute of the
    /// same name.
    To(CString),
}

/// A reference in memory that HDF5 has filled in.
pub(crate) struct Stored<'m> {
    kind: Kind,
    bytes: &'m mut [u8],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Object,
    Region,
    Any,
}

impl<'m> Stored<'m> {
    /// The reference in this memory, if the class is one of references and the memory has its size.
    pub(crate) fn new(class: &Class, bytes: &'m mut [u8]) -> Result<Self> {
        let (kind, size) = match class {
            Class::ObjectReference => (Kind::Object, OBJECT_SIZE),
            Class::RegionReference => (Kind::Region, REGION_SIZE),
            Class::Reference => (Kind::Any, H5R_REF_BUF_SIZE),
            _ => return Err(Failure::refused("the element is not a reference")),
        };
        if bytes.len() == size {
            Ok(Self { kind, bytes })
        } else {
            Err(Failure::refused(format!("a reference of {} bytes", bytes.len())))
        }
    }

    fn old(&self) -> *const c_void {
        self.bytes.as_ptr().cast()
    }

    fn new_kind(&mut self) -> *mut H5R_ref_t {
        self.bytes.as_mut_ptr().cast()
    }

    /// Where it leads. `at` is an object of the file that it was read from.
    pub(crate) fn target(&mut self, at: &(impl Object + ?Sized)) -> Result<ReferenceTarget> {
        let session = at.handle().session();
        if self.bytes.iter().all(|byte| *byte == 0) {
            return Ok(ReferenceTarget::Null);
        }
        let found = match self.kind {
            Kind::Object => self
                .old_object(at, H5R_OBJECT1)
                .and_then(|object| Ok(ReferenceTarget::Object(object.info()?.token))),
            Kind::Region => self.old_region(at),
            Kind::Any => self.any(at),
        };
        found.or_else(|failure| {
            session.take_failure();
            Ok(ReferenceTarget::Broken(failure.to_string()))
        })
    }

    fn old_object(&self, at: &(impl Object + ?Sized), kind: H5R_type_t) -> Result<AnyObject> {
        let (session, id) = (at.handle().session(), at.handle().id());
        // SAFETY: a reference of this kind, as HDF5 has filled it in.
        let id = unsafe { call!(session, H5Rdereference2(id, H5P_DEFAULT, kind, self.old())) }?;
        AnyObject::of_id(session, id)
    }

    fn old_space(&self, at: &(impl Object + ?Sized)) -> Result<Dataspace> {
        let (session, id) = (at.handle().session(), at.handle().id());
        // SAFETY: a reference of this kind, as HDF5 has filled it in.
        let id = unsafe { call!(session, H5Rget_region(id, H5R_DATASET_REGION1, self.old())) }?;
        Dataspace::of_id(session, id)
    }

    fn old_region(&self, at: &(impl Object + ?Sized)) -> Result<ReferenceTarget> {
        let object = self.old_object(at, H5R_DATASET_REGION1)?;
        Ok(ReferenceTarget::Region(object.info()?.token, self.old_space(at)?.selection()?))
    }

    fn kind_of_any(&mut self, at: &(impl Object + ?Sized)) -> Result<H5R_type_t> {
        let get = at.handle().session().functions().H5Rget_type()?;
        // SAFETY: a reference as HDF5 has filled it in.
        Ok(unsafe { get(self.new_kind()) })
    }

    fn object_of_any(&mut self, at: &(impl Object + ?Sized)) -> Result<AnyObject> {
        let session = at.handle().session();
        // SAFETY: a reference as HDF5 has filled it in.
        let id = unsafe { call!(session, H5Ropen_object(self.new_kind(), H5P_DEFAULT, H5P_DEFAULT)) }?;
        AnyObject::of_id(session, id)
    }

    fn space_of_any(&mut self, at: &(impl Object + ?Sized)) -> Result<Dataspace> {
        let session = at.handle().session();
        // SAFETY: a reference as HDF5 has filled it in.
        let id = unsafe { call!(session, H5Ropen_region(self.new_kind(), H5P_DEFAULT, H5P_DEFAULT)) }?;
        Dataspace::of_id(session, id)
    }

    fn attribute_of_any(&mut self, at: &(impl Object + ?Sized)) -> Result<CString> {
        let (session, reference) = (at.handle().session(), self.new_kind());
        let get = session.functions().H5Rget_attr_name()?;
        // SAFETY: a reference as HDF5 has filled it in, and a buffer of the stated size or none.
        session.ask_text("H5Rget_attr_name", |name, size| unsafe { get(reference, name, size) })
    }

    fn any(&mut self, at: &(impl Object + ?Sized)) -> Result<ReferenceTarget> {
        let kind = self.kind_of_any(at)?;
        let object = self.object_of_any(at)?;
        let token = object.info()?.token;
        let part = match kind {
            H5R_OBJECT2 | H5R_OBJECT1 => None,
            H5R_DATASET_REGION2 | H5R_DATASET_REGION1 => {
                Some(Part::Region(self.space_of_any(at)?.selection()?))
            }
            H5R_ATTR => Some(Part::Attribute(self.attribute_of_any(at)?)),
            other => return Err(Failure::refused(format!("a reference of the kind {}", other.0))),
        };
        if object.file_name()? != at.file_name()? {
            return Ok(ReferenceTarget::Elsewhere(object.file_name()?, object.path()?, Box::new(part)));
        }
        Ok(match part {
            None => ReferenceTarget::Object(token),
            Some(Part::Region(selection)) => ReferenceTarget::Region(token, selection),
            Some(Part::Attribute(name)) => ReferenceTarget::Attribute(token, name),
        })
    }

    /// Puts another one in its place. `at` is an object of the file that it was read from; the new one leads to an object
    /// of `file`.
    pub(crate) fn replace(
        &mut self,
        at: &(impl Object + ?Sized),
        file: &dyn Object,
        new: &NewReference,
    ) -> Result<()> {
        match (new, self.kind) {
            (NewReference::Same, _) => Ok(()),
            (NewReference::Null, Kind::Any) => self.forget(at),
            (NewReference::Null, _) => {
                self.bytes.fill(0);
                Ok(())
            }
            (NewReference::To(path), Kind::Object) => self.set_old(file, path, H5R_OBJECT1, None),
            (NewReference::To(path), Kind::Region) => {
                let space = self.old_space(at)?;
                self.set_old(file, path, H5R_DATASET_REGION1, Some(&space))
            }
            (NewReference::To(path), Kind::Any) => self.set_any(at, file, path),
        }
    }

    fn forget(&mut self, at: &(impl Object + ?Sized)) -> Result<()> {
        let session = at.handle().session();
        // SAFETY: a reference as HDF5 has filled it in, which is not used again.
        unsafe { call!(session, H5Rdestroy(self.new_kind())) }?;
        self.bytes.fill(0);
        Ok(())
    }

    fn set_old(
        &mut self,
        file: &dyn Object,
        path: &CStr,
        kind: H5R_type_t,
        space: Option<&Dataspace>,
    ) -> Result<()> {
        /// Where no dataspace is needed.
        const NONE: h5_abi::hid_t = -1;
        let (session, place) = (file.handle().session(), self.bytes.as_mut_ptr().cast());
        let space = space.map_or(Ok(NONE), |space| space.handle().id_in(session))?;
        // SAFETY: room for a reference of this kind, and a C string.
        unsafe { call!(session, H5Rcreate(place, file.handle().id(), path.as_ptr(), kind, space)) }
            .map(|_| ())
    }

    fn set_any(&mut self, at: &(impl Object + ?Sized), file: &dyn Object, path: &CStr) -> Result<()> {
        let (session, id, path) = (file.handle().session(), file.handle().id(), path.as_ptr());
        match self.kind_of_any(at)? {
            H5R_DATASET_REGION2 | H5R_DATASET_REGION1 => {
                let space = self.space_of_any(at)?;
                self.forget(at)?;
                let (space, place) = (space.id(), self.new_kind());
                // SAFETY: room for a reference, and a C string.
                unsafe { call!(session, H5Rcreate_region(id, path, space, H5P_DEFAULT, place)) }
            }
            H5R_ATTR => {
                let name = self.attribute_of_any(at)?;
                self.forget(at)?;
                let place = self.new_kind();
                // SAFETY: room for a reference, and C strings.
                unsafe { call!(session, H5Rcreate_attr(id, path, name.as_ptr(), H5P_DEFAULT, place)) }
            }
            _ => {
                self.forget(at)?;
                let place = self.new_kind();
                // SAFETY: room for a reference, and a C string.
                unsafe { call!(session, H5Rcreate_object(id, path, H5P_DEFAULT, place)) }
            }
        }
        .map(|_| ())
    }
}
