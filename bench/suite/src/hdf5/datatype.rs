//! Datatypes.

use core::ffi::c_int;
use std::ffi::OsStr;
use std::rc::Rc;

use anyhow::{Result, ensure};
use h5_abi::hid_t;

use super::Library;
use super::handle::Handle;
use super::library::c_name;

/// `H5T_VLEN`
const VARIABLE: c_int = 9;
/// `H5T_REFERENCE`
const REFERENCE: c_int = 7;
/// `H5T_DIR_DEFAULT`
const DIRECTION: c_int = 0;

/// What kind of values a datatype has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// `H5T_INTEGER`
    Integer,
    /// `H5T_FLOAT`
    Float,
    /// `H5T_STRING`
    String,
    /// `H5T_COMPOUND`
    Compound,
    /// Any other.
    Other,
}

/// A datatype, shared by those who use it.
#[derive(Clone)]
pub(crate) struct Datatype {
    handle: Rc<Handle>,
}

impl Datatype {
    /// One of HDF5's own, as "IEEE_F32LE" or "NATIVE_FLOAT".
    pub(crate) fn named(library: &'static Library, name: &str) -> Result<Self> {
        let id = library.predefined(&format!("H5T_{name}_g"))?;
        Ok(Self { handle: Rc::new(Handle::of_library(library, id)) })
    }

    /// The same with so many bits that count.
    pub(crate) fn with_precision(library: &'static Library, name: &str, bits: usize) -> Result<Self> {
        let (api, copy) = (&library.api, Self::named(library, name)?.copy()?);
        // SAFETY: our own datatype.
        api.check("H5Tset_precision", unsafe { (api.H5Tset_precision)(copy.id(), bits) })?;
        Ok(copy)
    }

    /// A compound of so many bytes, of fields with a name and a place each.
    pub(crate) fn compound(
        library: &'static Library,
        size: usize,
        fields: &[(&str, usize, &Self)],
    ) -> Result<Self> {
        /// `H5T_COMPOUND`
        const COMPOUND: c_int = 6;
        let api = &library.api;
        // SAFETY: a class and a size.
        let compound = Self::of_id(library, "H5Tcreate", unsafe { (api.H5Tcreate)(COMPOUND, size) })?;
        for (name, place, datatype) in fields {
            let name = c_name(OsStr::new(name))?;
            // SAFETY: a C string; HDF5 verifies the rest.
            let status = unsafe { (api.H5Tinsert)(compound.id(), name.as_ptr(), *place, datatype.id()) };
            api.check("H5Tinsert", status)?;
        }
        Ok(compound)
    }

    pub(super) fn of_id(library: &'static Library, call: &str, id: hid_t) -> Result<Self> {
        let handle = Handle::new(library, call, id, ("H5Tclose", library.api.H5Tclose))?;
        Ok(Self { handle: Rc::new(handle) })
    }

    pub(super) fn id(&self) -> hid_t {
        self.handle.id
    }

    /// The same apart from any file, even if it is one that has a name there.
    pub(crate) fn copy(&self) -> Result<Self> {
        let library = self.handle.library;
        // SAFETY: our own identifier.
        Self::of_id(library, "H5Tcopy", unsafe { (library.api.H5Tcopy)(self.id()) })
    }

    /// What a program on this machine reads it as.
    pub(crate) fn native(&self) -> Result<Self> {
        let library = self.handle.library;
        // SAFETY: our own identifier.
        let id = unsafe { (library.api.H5Tget_native_type)(self.id(), DIRECTION) };
        Self::of_id(library, "H5Tget_native_type", id)
    }

    /// Bytes of an element.
    pub(crate) fn size(&self) -> Result<usize> {
        let api = &self.handle.library.api;
        // SAFETY: our own identifier.
        match unsafe { (api.H5Tget_size)(self.id()) } {
            0 => Err(api.failure("H5Tget_size")),
            size => Ok(size),
        }
    }

    /// What kind of values it has.
    pub(crate) fn class(&self) -> Result<Class> {
        let api = &self.handle.library.api;
        // SAFETY: our own identifier.
        let class = api.check("H5Tget_class", unsafe { (api.H5Tget_class)(self.id()) })?;
        Ok(match class {
            0 => Class::Integer,
            1 => Class::Float,
            3 => Class::String,
            6 => Class::Compound,
            _ => Class::Other,
        })
    }

    /// Whether two are the same.
    pub(crate) fn equals(&self, other: &Self) -> Result<bool> {
        let api = &self.handle.library.api;
        // SAFETY: two datatypes.
        Ok(api.check("H5Tequal", unsafe { (api.H5Tequal)(self.id(), other.id()) })? > 0)
    }

    /// Whether its values are nothing but their own bytes: no addresses, no references.
    pub(crate) fn is_plain(&self) -> Result<bool> {
        let api = &self.handle.library.api;
        let has = |class| -> Result<bool> {
            // SAFETY: our own identifier.
            Ok(api.check("H5Tdetect_class", unsafe { (api.H5Tdetect_class)(self.id(), class) })? > 0)
        };
        // A string of variable length is found as a variable length, but not where it is all there is.
        let is_text = self.class()? == Class::String && {
            // SAFETY: our own identifier.
            api.check("H5Tis_variable_str", unsafe { (api.H5Tis_variable_str)(self.id()) })? > 0
        };
        Ok(!is_text && !has(VARIABLE)? && !has(REFERENCE)?)
    }

    /// Bytes of an element of memory that may hold anything.
    pub(super) fn plain_size(&self) -> Result<usize> {
        ensure!(self.is_plain()?, "values of a variable length, or references, cannot be measured");
        self.size()
    }
}
