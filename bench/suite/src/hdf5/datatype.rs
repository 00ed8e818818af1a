//! Datatypes.

use std::ffi::CString;
use std::rc::Rc;

use anyhow::Result;
use h5_abi::{H5T_FLOAT, H5T_INTEGER, H5T_STRING};
use h5_client::{Class, Description, Failure, Member};

use super::Library;

/// A datatype, shared by those who use it.
#[derive(Clone)]
pub(crate) struct Datatype {
    pub(super) datatype: Rc<h5_client::Datatype>,
}

impl Datatype {
    fn of(datatype: h5_client::Datatype) -> Self {
        Self { datatype: Rc::new(datatype) }
    }

    /// One of HDF5's own, as "IEEE_F32LE" or "NATIVE_FLOAT".
    pub(crate) fn named(library: &Library, name: &str) -> Result<Self> {
        Ok(Self::of(h5_client::Datatype::predefined(&library.h5, name)?))
    }

    /// An integer of HDF5's own with fewer bits that count.
    pub(crate) fn with_precision(library: &Library, name: &str, bits: usize) -> Result<Self> {
        let mut description = Self::named(library, name)?.datatype.describe()?;
        let Class::Integer { bits: place, .. } = &mut description.class else {
            return Err(Failure::refused(format!("{name} is not an integer")).into());
        };
        place.precision = bits;
        Ok(Self::of(h5_client::Datatype::build(&library.h5, &description)?))
    }

    /// A compound of so many bytes, of fields with a name and a place each.
    pub(crate) fn compound(library: &Library, size: usize, fields: &[(&str, usize, &Self)]) -> Result<Self> {
        let member = |(name, offset, datatype): &(&str, usize, &Self)| {
            Ok(Member {
                name: CString::new(*name)?,
                offset: *offset,
                datatype: datatype.datatype.describe()?,
            })
        };
        let class = Class::Compound(fields.iter().map(member).collect::<Result<_>>()?);
        Ok(Self::of(h5_client::Datatype::build(&library.h5, &Description { size, class })?))
    }

    /// The same apart from any file, even if it is one that has a name there.
    pub(crate) fn copy(&self) -> Result<Self> {
        Ok(Self::of(self.datatype.copy()?))
    }

    /// What a program on this machine reads it as.
    pub(crate) fn native(&self) -> Result<Self> {
        Ok(Self::of(self.datatype.native()?))
    }

    /// Bytes of an element.
    pub(crate) fn size(&self) -> Result<usize> {
        Ok(self.datatype.size()?)
    }

    /// Whether it is of numbers or texts, nothing that is made of others.
    pub(crate) fn is_simple(&self) -> Result<bool> {
        Ok(matches!(self.datatype.class()?, H5T_INTEGER | H5T_FLOAT | H5T_STRING))
    }

    /// Whether two are the same.
    pub(crate) fn equals(&self, other: &Self) -> Result<bool> {
        Ok(self.datatype.equals(&other.datatype)?)
    }

    /// Whether its values are nothing but their own bytes: no addresses, no references.
    pub(crate) fn is_plain(&self) -> Result<bool> {
        Ok(self.datatype.is_plain()?)
    }
}
