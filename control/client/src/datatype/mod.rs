//! Datatypes.

mod build;
mod describe;
mod description;

pub use description::{Bits, Class, Description, Float, Member};

use h5_abi::{H5P_DEFAULT, H5T_DIR_DEFAULT, H5T_REFERENCE, H5T_STRING, H5T_VLEN, H5T_class_t, hid_t};

use crate::failure::{Failure, Result};
use crate::group::Location;
use crate::handle::{Handle, closer, handles};
use crate::name::Name;
use crate::session::Session;

handles! {
    /// A datatype. It cannot be changed once it is made.
    Datatype;
}

impl Datatype {
    pub(crate) fn of_id(session: &Session, id: hid_t) -> Result<Self> {
        Ok(Self { handle: Handle::new(session, id, closer!(session, H5Tclose)) })
    }

    /// One of HDF5's own, such as `IEEE_F32LE` or `NATIVE_INT`.
    pub fn predefined(session: &Session, name: &str) -> Result<Self> {
        let id = session.library().identifier(&format!("H5T_{name}_g"))?;
        Ok(Self { handle: Handle::of_library(session, id) })
    }

    /// A copy apart from any file, even if this one is committed.
    pub fn copy(&self) -> Result<Self> {
        // SAFETY: our own identifier.
        Self::of_id(self.session(), unsafe { call!(self.session(), H5Tcopy(self.id())) }?)
    }

    /// How a program on this machine would hold such elements.
    pub fn native(&self) -> Result<Self> {
        let session = self.session();
        // SAFETY: our own identifier.
        Self::of_id(session, unsafe { call!(session, H5Tget_native_type(self.id(), H5T_DIR_DEFAULT)) }?)
    }

    /// Bytes of an element in memory.
    pub fn size(&self) -> Result<usize> {
        // SAFETY: our own identifier.
        match unsafe { (self.session().functions().H5Tget_size()?)(self.id()) } {
            0 => Err(self.session().failure("H5Tget_size")),
            size => Ok(size),
        }
    }

    /// Its class.
    pub fn class(&self) -> Result<H5T_class_t> {
        // SAFETY: our own identifier.
        unsafe { call!(self.session(), H5Tget_class(self.id())) }
    }

    /// Whether two are the same.
    pub fn equals(&self, other: &Self) -> Result<bool> {
        let other = other.handle.id_in(self.session())?;
        // SAFETY: two datatypes of the library.
        Ok(unsafe { call!(self.session(), H5Tequal(self.id(), other)) }? > 0)
    }

    /// Whether it is a string of any length.
    pub fn is_variable_string(&self) -> Result<bool> {
        // SAFETY: our own identifier.
        Ok(unsafe { call!(self.session(), H5Tis_variable_str(self.id())) }? > 0)
    }

    /// Whether a part of it is of the class.
    fn contains(&self, class: H5T_class_t) -> Result<bool> {
        // SAFETY: our own identifier.
        Ok(unsafe { call!(self.session(), H5Tdetect_class(self.id(), class)) }? > 0)
    }

    /// Whether elements hold pointers to memory of any length.
    fn has_variable_length(&self) -> Result<bool> {
        // HDF5 finds a variable-length string within a type, but not where it is the type itself.
        Ok((self.class()? == H5T_STRING && self.is_variable_string()?) || self.contains(H5T_VLEN)?)
    }

    /// Whether an element is nothing but its own bytes: no pointer, no reference. Only such elements can be read to, or
    /// written from, a slice of bytes.
    pub fn is_plain(&self) -> Result<bool> {
        Ok(!self.has_variable_length()? && !self.contains(H5T_REFERENCE)?)
    }

    /// Bytes of an element that can be any bytes.
    pub(crate) fn plain_size(&self) -> Result<usize> {
        if self.is_plain()? {
            self.size()
        } else {
            Err(Failure::refused("elements with pointers or references cannot be plain bytes"))
        }
    }

    /// Opens a committed datatype.
    pub fn open(location: &(impl Location + ?Sized), name: &(impl Name + ?Sized)) -> Result<Self> {
        let (session, name) = (location.handle().session(), name.to_c()?);
        // SAFETY: a C string; HDF5 verifies the location.
        let id = unsafe { call!(session, H5Topen2(location.handle().id(), name.as_ptr(), H5P_DEFAULT)) }?;
        Self::of_id(session, id)
    }

    /// Stores it in a file under a name. From then on it is an object of that file.
    pub fn commit(&self, location: &(impl Location + ?Sized), name: &(impl Name + ?Sized)) -> Result<()> {
        let (session, name) = (self.session(), name.to_c()?);
        let location = location.handle().id_in(session)?;
        // SAFETY: a C string; HDF5 verifies the location.
        unsafe {
            call!(
                session,
                H5Tcommit2(location, name.as_ptr(), self.id(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)
            )
        }
        .map(|_| ())
    }

    /// Whether it is an object of a file.
    pub fn is_committed(&self) -> Result<bool> {
        // SAFETY: our own identifier.
        Ok(unsafe { call!(self.session(), H5Tcommitted(self.id())) }? > 0)
    }

    /// Converts elements of this type (`H5Tconvert`); fails if HDF5 has no way to. `background` is what the destination
    /// held before.
    pub fn convert(&self, to: &Self, source: &[u8], background: &[u8]) -> Result<Vec<u8>> {
        let session = self.session();
        let (from_size, to_size, to_id) = (self.size()?, to.size()?, to.handle.id_in(session)?);
        let count = source.len() / from_size;
        if !source.len().is_multiple_of(from_size) || Some(background.len()) != count.checked_mul(to_size) {
            return Err(Failure::refused("a conversion needs whole elements, and a background for each"));
        }
        if self.has_variable_length()? || to.has_variable_length()? {
            return Err(Failure::refused("elements with pointers cannot be plain bytes"));
        }
        // Between references of different kinds HDF5 would follow them.
        if self.contains(H5T_REFERENCE)? && to.contains(H5T_REFERENCE)? && !self.equals(to)? {
            return Err(Failure::refused("references of different kinds cannot be plain bytes"));
        }
        let mut buffer = source.to_vec();
        buffer.resize(count * from_size.max(to_size), 0);
        let mut background = background.to_vec();
        // SAFETY: the buffer has room for the larger of both, the background for the destination.
        unsafe {
            call!(
                session,
                H5Tconvert(
                    self.id(),
                    to_id,
                    count,
                    buffer.as_mut_ptr().cast(),
                    background.as_mut_ptr().cast(),
                    H5P_DEFAULT,
                )
            )
        }?;
        buffer.truncate(count * to_size);
        Ok(buffer)
    }
}
