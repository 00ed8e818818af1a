//! Descriptions of datatypes.

use std::collections::HashMap;

/// A datatype of fixed size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Datatype {
    /// Bytes of an element.
    pub size: usize,
    /// What is in them.
    pub class: Class,
}

impl Datatype {
    /// Whether HDF5 takes elements of this type for elements of `to` just as they are, with whatever is in their
    /// unused bits and bytes. An enumeration may gain members on the way, but not lose any.
    pub(crate) fn passes_as(&self, to: &Self) -> bool {
        if self == to && !self.has_others() {
            return true;
        }
        self.size == to.size
            && match (&self.class, &to.class) {
                (Class::Complex(from), Class::Complex(to)) => from.passes_as(to),
                (
                    Class::Enum { base: from_base, members: from },
                    Class::Enum { base: to_base, members: to },
                ) => from_base.passes_as(to_base) && are_among(from, to),
                (
                    Class::Array { dims: from_dims, element: from },
                    Class::Array { dims: to_dims, element: to },
                ) => from_dims == to_dims && from.passes_as(to),
                (Class::Compound(from), Class::Compound(to)) => members_pass(from, to),
                // These have a form in files and one in memory, which HDF5 tells apart even if the bytes agree.
                (Class::Other(_) | Class::Variable(_), _) => false,
                (from, to) => from == to,
            }
    }

    /// Whether anything only HDF5 understands is in this type.
    fn has_others(&self) -> bool {
        match &self.class {
            Class::Other(_) | Class::Variable(_) => true,
            Class::Complex(inner) | Class::Enum { base: inner, .. } | Class::Array { element: inner, .. } => {
                inner.has_others()
            }
            Class::Compound(members) => members.iter().any(|member| member.datatype.has_others()),
            _ => false,
        }
    }
}

/// Whether an enumeration's members are there in another, with the same values.
fn are_among(from: &[(String, Vec<u8>)], to: &[(String, Vec<u8>)]) -> bool {
    let values: HashMap<_, _> = to.iter().map(|(name, value)| (name, value)).collect();
    from.len() <= to.len() && from.iter().all(|(name, value)| values.get(name) == Some(&value))
}

/// Whether two compound types have the same members in the same places.
fn members_pass(from: &[Member], to: &[Member]) -> bool {
    let by_name: HashMap<_, _> = to.iter().map(|member| (&member.name, member)).collect();
    from.len() == to.len()
        && from.iter().all(|from| {
            by_name
                .get(&from.name)
                .is_some_and(|to| from.offset == to.offset && from.datatype.passes_as(&to.datatype))
        })
}

/// Kinds of datatypes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Class {
    /// A whole number.
    Integer(Integer),
    /// A floating-point number.
    Float(Float),
    /// Bits without a meaning as a number.
    Bitfield(Bits),
    /// Two numbers of the base type, real and imaginary part (HDF5 2.x).
    Complex(Box<Datatype>),
    /// Names for values of an integer type, in the order of definition; values as stored bytes.
    Enum {
        /// The integer type.
        base: Box<Datatype>,
        /// Name and value of each member.
        members: Vec<(String, Vec<u8>)>,
    },
    /// Characters.
    String {
        /// What follows when the text is shorter.
        padding: StringPadding,
        /// HDF5's number of the character set.
        character_set: i32,
    },
    /// Bytes with a tag.
    Opaque(String),
    /// A fixed number of elements of another type.
    Array {
        /// Its dimensions.
        dims: Vec<u64>,
        /// The type of its elements.
        element: Box<Datatype>,
    },
    /// Named members at fixed offsets, in the order of definition.
    Compound(Vec<Member>),
    /// Elements whose number varies, as they are in memory: a pointer, or their number and a pointer.
    Variable(Box<Variable>),
    /// A reference, or anything else whose bytes only HDF5 understands: its class number. Two of the same class
    /// and size are the same kind.
    Other(i32),
}

/// A variable-length type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// What it is in memory.
    pub form: VariableForm,
    /// The type of its elements, as it is in memory.
    pub element: Datatype,
}

/// What a variable-length value is in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VariableForm {
    /// The number of its elements, and a pointer to them.
    Sequence,
    /// A pointer to characters that end with a zero byte.
    Text {
        /// HDF5's number of the character set.
        character_set: i32,
    },
}

/// A member of a compound type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Where it begins in the element.
    pub offset: usize,
    /// Its type.
    pub datatype: Datatype,
}

/// Order of the bytes of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Least significant first.
    Little,
    /// Most significant first.
    Big,
    /// As on a VAX: pairs of bytes swapped.
    Vax,
}

/// What unused bits are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pad {
    /// Zeros.
    Zero,
    /// Ones.
    One,
    /// Whatever was there.
    Background,
}

/// Where the significant bits of an atomic type are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bits {
    /// Order of the bytes.
    pub order: Order,
    /// Number of significant bits.
    pub precision: usize,
    /// The lowest of them.
    pub offset: usize,
    /// Bits below.
    pub low_pad: Pad,
    /// Bits above.
    pub high_pad: Pad,
}

/// A whole number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Integer {
    /// Where it is.
    pub bits: Bits,
    /// Two's complement, or unsigned.
    pub signed: bool,
}

/// How the mantissa of a float is normalised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Normalization {
    /// The first bit is not stored (IEEE).
    Implied,
    /// The first bit is stored, and set.
    MsbSet,
    /// Not at all.
    None,
}

/// A floating-point number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Float {
    /// Where it is.
    pub bits: Bits,
    /// Position of the sign bit.
    pub sign: usize,
    /// Position and size of the exponent.
    pub exponent: (usize, usize),
    /// Bias of the exponent.
    pub bias: u64,
    /// Position and size of the mantissa.
    pub mantissa: (usize, usize),
    /// How the mantissa is normalised.
    pub normalization: Normalization,
    /// Bits between the fields.
    pub inner_pad: Pad,
}

/// What follows the text in a fixed string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StringPadding {
    /// A zero byte, always.
    NullTerminated,
    /// Zero bytes to the end.
    NullPadded,
    /// Spaces to the end.
    SpacePadded,
}
