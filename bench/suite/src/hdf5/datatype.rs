//! Datatypes.

use std::ffi::CString;
use std::rc::Rc;

use anyhow::Result;
use h5_abi::{H5T_CSET_UTF8, H5T_FLOAT, H5T_INTEGER, H5T_STR_NULLTERM, H5T_STRING};
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

    /// A predefined datatype, such as "IEEE_F32LE" or "NATIVE_FLOAT".
    pub(crate) fn named(library: &Library, name: &str) -> Result<Self> {
        Ok(Self::of(h5_client::Datatype::predefined(&library.h5, name)?))
    }

    /// Strings of any length.
    pub(crate) fn strings(library: &Library) -> Result<Self> {
        let class = Class::VariableString { padding: H5T_STR_NULLTERM, character_set: H5T_CSET_UTF8 };
        let description = Description { size: size_of::<*const u8>(), class };
        Ok(Self::of(h5_client::Datatype::build(&library.h5, &description)?))
    }

    /// Sequences of any length, of these elements.
    pub(crate) fn sequences(library: &Library, element: &Self) -> Result<Self> {
        let class = Class::VariableLength(Box::new(element.datatype.describe()?));
        let description = Description { size: 2 * size_of::<*const u8>(), class };
        Ok(Self::of(h5_client::Datatype::build(&library.h5, &description)?))
    }

    /// A predefined integer with fewer significant bits.
    pub(crate) fn with_precision(library: &Library, name: &str, bits: usize) -> Result<Self> {
        let mut description = Self::named(library, name)?.datatype.describe()?;
        let Class::Integer { bits: place, .. } = &mut description.class else {
            return Err(Failure::refused(format!("{name} is not an integer")).into());
        };
        place.precision = bits;
        Ok(Self::of(h5_client::Datatype::build(&library.h5, &description)?))
    }

    /// A compound of this size. Each field has a name and an offset.
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

    /// A copy that is independent of any file, even if the datatype is committed.
    pub(crate) fn copy(&self) -> Result<Self> {
        Ok(Self::of(self.datatype.copy()?))
    }

    /// The corresponding native datatype.
    pub(crate) fn native(&self) -> Result<Self> {
        Ok(Self::of(self.datatype.native()?))
    }

    /// Bytes of an element.
    pub(crate) fn size(&self) -> Result<usize> {
        Ok(self.datatype.size()?)
    }

    /// Whether it is a number or a string, and has no members.
    pub(crate) fn is_simple(&self) -> Result<bool> {
        Ok(matches!(self.datatype.class()?, H5T_INTEGER | H5T_FLOAT | H5T_STRING))
    }

    /// Whether two are the same.
    pub(crate) fn equals(&self, other: &Self) -> Result<bool> {
        Ok(self.datatype.equals(&other.datatype)?)
    }

    /// Whether its values consist only of their own bytes, without pointers or references.
    pub(crate) fn is_plain(&self) -> Result<bool> {
        Ok(self.datatype.is_plain()?)
    }
}
