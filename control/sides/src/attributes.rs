//! Attributes.

use core::ffi::CStr;

use h5_abi::{H5_index_t, H5_iter_order_t};
use h5_vol::calls::{MemorySource, MemoryTarget};
use h5_vol::{Id, OwnedId};

use crate::failure::Outcome;
use crate::hdf5::{DEFAULT, Hdf5};
use crate::place::Place;
use crate::references::{Home, References};

impl Hdf5 {
    /// `H5Acreate`.
    pub fn create_attribute(
        self,
        at: Id,
        place: &Place<'_>,
        name: &CStr,
        (datatype, space): (Id, Id),
        (creation, access): (Id, Id),
    ) -> Outcome<OwnedId> {
        let there = self.type_there(at, datatype)?;
        let datatype = there.as_ref().map_or(datatype, OwnedId::id);
        self.with_object(at, place, |object| {
            // SAFETY: a C string; the host verifies the identifiers.
            self.own(unsafe {
                call!(self, H5Acreate2(object.0, name.as_ptr(), datatype.0, space.0, creation.0, access.0))
            }?)
        })
    }

    /// `H5Aopen`. Without a name, the place is a position.
    pub fn open_attribute(
        self,
        at: Id,
        place: &Place<'_>,
        name: Option<&CStr>,
        access: Id,
    ) -> Outcome<OwnedId> {
        if let Place::Index { group, index, order, n, links } = place {
            // SAFETY: a C string; the host verifies the identifiers.
            let id = unsafe {
                let object = group.as_ptr();
                call!(self, H5Aopen_by_idx(at.0, object, *index, *order, *n, access.0, links.0))
            }?;
            return self.own(id);
        }
        let name = name.unwrap_or_default();
        self.with_object(at, place, |object| {
            // SAFETY: as above.
            self.own(unsafe { call!(self, H5Aopen(object.0, name.as_ptr(), access.0)) }?)
        })
    }

    /// `H5Awrite`, with the application's elements. Those that refer to other objects are put into the terms of this side.
    pub fn write_attribute(
        self,
        attribute: Id,
        memory_type: Id,
        source: &MemorySource<'_>,
        home: &Home<'_>,
    ) -> Outcome<()> {
        let references = References::in_type(self, memory_type)?;
        let mut buffer = source.as_ptr();
        let translated;
        if let Some(references) = references {
            // SAFETY: the host verifies the identifier.
            let space = self.own(unsafe { call!(self, H5Aget_space(attribute.0)) }?)?;
            // SAFETY: the application promises that many elements.
            translated =
                unsafe { references.translate(buffer, self.elements_of(space.id())?, attribute, home) }?;
            buffer = translated.as_ptr();
        }
        // SAFETY: the elements of the application's own call, or a copy of all of them.
        unsafe { call!(self, H5Awrite(attribute.0, memory_type.0, buffer.cast())) }.map(|_| ())
    }

    /// `H5Aread` into the application's memory.
    pub fn read_attribute(self, attribute: Id, memory_type: Id, target: &MemoryTarget<'_>) -> Outcome<()> {
        // SAFETY: the memory of the application's own call.
        unsafe { call!(self, H5Aread(attribute.0, memory_type.0, target.as_ptr().cast())) }.map(|_| ())
    }

    /// `H5Adelete`.
    pub fn delete_attribute(self, at: Id, place: &Place<'_>, name: &CStr) -> Outcome<()> {
        // SAFETY: a C string; the host verifies the identifiers.
        let delete = |object: Id| unsafe { call!(self, H5Adelete(object.0, name.as_ptr())) };
        self.with_object(at, place, delete).map(|_| ())
    }

    /// `H5Adelete_by_idx`.
    pub fn delete_attribute_at(
        self,
        at: Id,
        place: &Place<'_>,
        (index, order, n): (H5_index_t, H5_iter_order_t, u64),
    ) -> Outcome<()> {
        self.with_object(at, place, |object| {
            // SAFETY: as above.
            unsafe { call!(self, H5Adelete_by_idx(object.0, c".".as_ptr(), index, order, n, DEFAULT)) }
        })
        .map(|_| ())
    }

    /// `H5Arename`.
    pub fn rename_attribute(self, at: Id, place: &Place<'_>, from: &CStr, to: &CStr) -> Outcome<()> {
        // SAFETY: as above.
        let rename = |object: Id| unsafe { call!(self, H5Arename(object.0, from.as_ptr(), to.as_ptr())) };
        self.with_object(at, place, rename).map(|_| ())
    }

    /// Whether the object has an attribute of this name.
    pub fn has_attribute(self, object: Id, name: &CStr) -> Outcome<bool> {
        // SAFETY: as above.
        unsafe { call!(self, H5Aexists(object.0, name.as_ptr())) }.map(|answer| answer > 0)
    }

    /// Puts a text on the root of the file that an object is in, in place of one of the same name.
    pub fn note_in_root(self, object: Id, name: &CStr, text: &CStr) -> Outcome<()> {
        let root = self.open_any(object, &Place::Path(c"/".to_owned()))?;
        if self.has_attribute(root.id(), name)? {
            self.delete_attribute(root.id(), &Place::Itself, name)?;
        }
        let datatype = self.copy_of_type(self.identifier("H5T_C_S1_g")?)?;
        let bytes = text.to_bytes_with_nul();
        // SAFETY: the host verifies the identifiers; as many bytes as the type says.
        unsafe {
            call!(self, H5Tset_size(datatype.id().0, bytes.len()))?;
            let space = self.own(call!(self, H5Screate_simple(0, core::ptr::null(), core::ptr::null()))?)?;
            let attribute = self.own(call!(
                self,
                H5Acreate2(root.id().0, name.as_ptr(), datatype.id().0, space.id().0, DEFAULT, DEFAULT)
            )?)?;
            call!(self, H5Awrite(attribute.id().0, datatype.id().0, bytes.as_ptr().cast()))?;
        }
        self.flush_file(object, false)
    }
}
