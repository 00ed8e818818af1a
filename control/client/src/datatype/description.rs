//! A datatype as a tree of values: what HDF5 knows of it, apart from any library.

use std::ffi::CString;

use h5_abi::{H5T_cset_t, H5T_norm_t, H5T_order_t, H5T_pad_t, H5T_str_t};

/// A datatype.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// Bytes of an element in memory.
    pub size: usize,
    /// What the bytes mean.
    pub class: Class,
}

/// What the bytes of an element mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Class {
    /// An integer.
    Integer {
        /// Where its bits are.
        bits: Bits,
        /// Whether it can be negative.
        signed: bool,
    },
    /// A floating-point number.
    Float(Float),
    /// A time.
    Time(Bits),
    /// A string of a fixed length.
    String {
        /// How it ends.
        padding: H5T_str_t,
        /// Its characters.
        character_set: H5T_cset_t,
    },
    /// A string of any length.
    VariableString {
        /// How it ends.
        padding: H5T_str_t,
        /// Its characters.
        character_set: H5T_cset_t,
    },
    /// Bits.
    Bitfield(Bits),
    /// Bytes without a meaning.
    Opaque {
        /// What the application calls them.
        tag: CString,
    },
    /// Members.
    Compound(Vec<Member>),
    /// A reference to an object (`H5T_STD_REF_OBJ`).
    ObjectReference,
    /// A reference to a part of a dataset (`H5T_STD_REF_DSETREG`).
    RegionReference,
    /// A reference of any kind (`H5T_STD_REF`).
    Reference,
    /// One of several named values.
    Enum {
        /// What the values are stored as.
        base: Box<Description>,
        /// Names, and values as they are stored.
        members: Vec<(CString, Vec<u8>)>,
    },
    /// Any number of elements.
    VariableLength(Box<Description>),
    /// A fixed number of elements.
    Array {
        /// Its dimensions.
        dimensions: Vec<u64>,
        /// Its elements.
        element: Box<Description>,
    },
    /// A complex number, of two parts of this type.
    Complex(Box<Description>),
    /// A class that the client does not know.
    Unknown(i32),
}

/// Where the bits of a number are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bits {
    /// Byte order.
    pub order: H5T_order_t,
    /// Bits that count.
    pub precision: usize,
    /// Unused bits below them.
    pub offset: usize,
    /// What the unused bits below hold.
    pub low_pad: H5T_pad_t,
    /// What the unused bits above hold.
    pub high_pad: H5T_pad_t,
}

/// A floating-point format; positions are counted from the lowest bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Float {
    /// Where its bits are.
    pub bits: Bits,
    /// The sign bit.
    pub sign: usize,
    /// Position and size of the exponent.
    pub exponent: (usize, usize),
    /// What the exponent is stored with added to it.
    pub bias: usize,
    /// Position and size of the mantissa.
    pub mantissa: (usize, usize),
    /// How the mantissa is normalised.
    pub normalization: H5T_norm_t,
    /// What unused bits between the fields hold.
    pub inner_pad: H5T_pad_t,
}

/// A member of a compound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: CString,
    /// Bytes before it.
    pub offset: usize,
    /// Its datatype.
    pub datatype: Description,
}

impl Description {
    /// Whether an element is nothing but its own bytes: no pointer, no reference.
    pub fn is_plain(&self) -> bool {
        match &self.class {
            Class::Compound(members) => members.iter().all(|member| member.datatype.is_plain()),
            Class::Enum { base, .. } => base.is_plain(),
            Class::Array { element, .. } | Class::Complex(element) => element.is_plain(),
            Class::Integer { .. }
            | Class::Float(_)
            | Class::Time(_)
            | Class::String { .. }
            | Class::Bitfield(_)
            | Class::Opaque { .. } => true,
            Class::VariableString { .. }
            | Class::VariableLength(_)
            | Class::ObjectReference
            | Class::RegionReference
            | Class::Reference
            | Class::Unknown(_) => false,
        }
    }
}
