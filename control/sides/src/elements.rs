//! What the elements of a datatype are made of, as far as it must be known to compare or translate them.

use h5_abi::{H5T_ARRAY, H5T_COMPOUND, H5T_REFERENCE, H5T_STRING, H5T_VLEN, H5T_class_t};
use h5_host::errors::preserve;
use h5_vol::{Id, OwnedId};

use crate::failure::{Failure, Outcome};
use crate::hdf5::Hdf5;

/// How deep types may be nested in types.
const DEEPEST: u32 = 32;

/// The kinds of references, by what they are in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReferenceKind {
    /// `hobj_ref_t`: 8 bytes.
    Object,
    /// `hdset_reg_ref_t`: 12 bytes.
    Region,
    /// `H5R_ref_t`: 64 bytes.
    Standard,
}

/// What an element is made of.
#[derive(Debug)]
pub(crate) enum Shape {
    /// So many bytes that say it all.
    Plain(usize),
    /// A pointer to a C string.
    Text,
    /// An `hvl_t`.
    Sequence {
        /// Size of an item.
        size: usize,
        item: Box<Shape>,
    },
    /// So many items, one after the other.
    Array {
        count: usize,
        size: usize,
        item: Box<Shape>,
    },
    /// Members at their offsets.
    Compound(Vec<(usize, Shape)>),
    Reference(ReferenceKind),
}

impl Shape {
    /// Whether bytes alone do not say it all: there are pointers or references.
    pub(crate) fn leads_out(&self) -> bool {
        match self {
            Self::Plain(_) => false,
            Self::Text | Self::Sequence { .. } | Self::Reference(_) => true,
            Self::Array { item, .. } => item.leads_out(),
            Self::Compound(members) => members.iter().any(|(_, member)| member.leads_out()),
        }
    }
}

impl Hdf5 {
    /// Whether a type or one of its parts is of this class.
    pub(crate) fn contains_class(self, datatype: Id, class: H5T_class_t) -> bool {
        let detect = self.host().functions().H5Tdetect_class;
        // SAFETY: the host verifies the identifier.
        preserve(self.host(), || unsafe { detect(datatype.0, class) }) > 0
    }

    /// Size of an element.
    pub(crate) fn size_of(self, datatype: Id) -> usize {
        let size = self.host().functions().H5Tget_size;
        // SAFETY: as above.
        preserve(self.host(), || unsafe { size(datatype.0) })
    }

    /// What the elements of a type are made of.
    pub(crate) fn shape_of(self, datatype: Id) -> Outcome<Shape> {
        self.shape_at(datatype, 0)
    }

    fn shape_at(self, datatype: Id, depth: u32) -> Outcome<Shape> {
        if depth > DEEPEST {
            return Err(Failure::new("a datatype that is nested too deeply"));
        }
        let functions = self.host().functions();
        // SAFETY: the host verifies the identifier.
        let class = preserve(self.host(), || unsafe { (functions.H5Tget_class)(datatype.0) });
        let size = self.size_of(datatype);
        match class {
            H5T_STRING => {
                // SAFETY: as above.
                let variable = self.checked("H5Tis_variable_str", || unsafe {
                    (functions.H5Tis_variable_str)(datatype.0)
                })?;
                Ok(if variable > 0 { Shape::Text } else { Shape::Plain(size) })
            }
            H5T_VLEN => {
                let base = self.base_of(datatype)?;
                let item = Box::new(self.shape_at(base.id(), depth + 1)?);
                Ok(Shape::Sequence { size: self.size_of(base.id()), item })
            }
            H5T_ARRAY => {
                let base = self.base_of(datatype)?;
                let item = Box::new(self.shape_at(base.id(), depth + 1)?);
                let one = self.size_of(base.id()).max(1);
                Ok(Shape::Array { count: size / one, size: one, item })
            }
            H5T_COMPOUND => self.members_of(datatype, depth).map(Shape::Compound),
            H5T_REFERENCE => self.reference_kind(datatype).map(Shape::Reference),
            _ => Ok(Shape::Plain(size)),
        }
    }

    fn base_of(self, datatype: Id) -> Outcome<OwnedId> {
        let base = self.host().functions().H5Tget_super;
        // SAFETY: the host verifies the identifier.
        self.own(self.checked("H5Tget_super", || unsafe { base(datatype.0) })?)
    }

    fn members_of(self, datatype: Id, depth: u32) -> Outcome<Vec<(usize, Shape)>> {
        let functions = self.host().functions();
        // SAFETY: the host verifies the identifier and the number of a member.
        let count = self.checked("H5Tget_nmembers", || unsafe { (functions.H5Tget_nmembers)(datatype.0) })?;
        (0..u32::try_from(count).unwrap_or(0))
            .map(|number| {
                // SAFETY: as above.
                let (member, offset) = unsafe {
                    let member = self.checked("H5Tget_member_type", || {
                        (functions.H5Tget_member_type)(datatype.0, number)
                    })?;
                    let offset =
                        preserve(self.host(), || (functions.H5Tget_member_offset)(datatype.0, number));
                    (self.own(member)?, offset)
                };
                Ok((offset, self.shape_at(member.id(), depth + 1)?))
            })
            .collect()
    }

    fn reference_kind(self, datatype: Id) -> Outcome<ReferenceKind> {
        for (name, kind) in [
            ("H5T_STD_REF_OBJ_g", ReferenceKind::Object),
            ("H5T_STD_REF_DSETREG_g", ReferenceKind::Region),
            ("H5T_STD_REF_g", ReferenceKind::Standard),
        ] {
            let size = match kind {
                ReferenceKind::Object => 8,
                ReferenceKind::Region => 12,
                ReferenceKind::Standard => h5_abi::H5R_REF_BUF_SIZE,
            };
            if self.same_type(datatype, self.identifier(name)?)? && self.size_of(datatype) == size {
                return Ok(kind);
            }
        }
        Err(Failure::new("a kind of reference that is not known"))
    }
}
