//! A datatype in a few characters, similar to NumPy's notation.

use std::fmt;

/// Byte order of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Little,
    Big,
    Vax,
}

/// How a number is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Number {
    pub(crate) bytes: u64,
    /// The number of significant bits.
    pub(crate) bits: u64,
    pub(crate) order: Order,
}

/// A datatype, in as much detail as a listing shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Datatype {
    Integer {
        signed: bool,
        number: Number,
    },
    Float(Number),
    Complex(Box<Datatype>),
    Time {
        bytes: u64,
    },
    String {
        bytes: u64,
    },
    VariableString,
    Bitfield {
        bytes: u64,
    },
    Opaque {
        bytes: u64,
    },
    Compound {
        members: u32,
        bytes: u64,
    },
    Reference {
        bytes: u64,
    },
    Enum(Box<Datatype>),
    /// A sequence of variable length.
    Variable(Box<Datatype>),
    Array {
        shape: Vec<u64>,
        of: Box<Datatype>,
    },
    /// A class of a newer HDF5.
    Unknown {
        class: i32,
        bytes: u64,
    },
    /// Nested too deeply to be shown.
    Elided,
}

impl Number {
    fn write(self, f: &mut fmt::Formatter<'_>, letter: char) -> fmt::Result {
        match self.order {
            Order::Little => {}
            Order::Big if self.bytes == 1 => {}
            Order::Big => f.write_str(">")?,
            Order::Vax => f.write_str("vax ")?,
        }
        write!(f, "{letter}{}", self.bytes)?;
        // The x87 `long double` and integers of odd sizes.
        if self.bits < self.bytes.saturating_mul(8) { write!(f, ":{}", self.bits) } else { Ok(()) }
    }
}

impl fmt::Display for Datatype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer { signed, number } => number.write(f, if *signed { 'i' } else { 'u' }),
            Self::Float(number) => number.write(f, 'f'),
            Self::Complex(part) => match **part {
                Self::Float(part) if part.bits == part.bytes.saturating_mul(8) => {
                    let bytes = part.bytes.saturating_mul(2);
                    Number { bytes, bits: bytes.saturating_mul(8), ..part }.write(f, 'c')
                }
                _ => write!(f, "complex({part})"),
            },
            Self::Time { bytes } => write!(f, "time, {bytes} B"),
            Self::String { bytes } => write!(f, "S{bytes}"),
            Self::VariableString => f.write_str("vlen str"),
            Self::Bitfield { bytes } => write!(f, "bitfield, {bytes} B"),
            Self::Opaque { bytes } => write!(f, "opaque, {bytes} B"),
            Self::Compound { members, bytes } => write!(f, "compound{{{members}}}, {bytes} B"),
            Self::Reference { bytes } => write!(f, "reference, {bytes} B"),
            Self::Enum(of) => write!(f, "enum({of})"),
            Self::Variable(of) => write!(f, "vlen({of})"),
            Self::Array { shape, of } => write!(f, "array {}({of})", by(shape)),
            Self::Unknown { class, bytes } => write!(f, "class {class}, {bytes} B"),
            Self::Elided => f.write_str("..."),
        }
    }
}

/// Joins lengths with `x`.
pub(crate) fn by(shape: &[u64]) -> String {
    shape.iter().map(u64::to_string).collect::<Vec<_>>().join("x")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(bytes: u64, order: Order) -> Number {
        Number { bytes, bits: bytes * 8, order }
    }

    #[test]
    fn datatypes_are_written_in_short() {
        let int = |bytes| Datatype::Integer { signed: true, number: number(bytes, Order::Little) };
        let cases = [
            (Datatype::Float(number(4, Order::Little)), "f4"),
            (Datatype::Float(number(8, Order::Big)), ">f8"),
            (Datatype::Float(number(4, Order::Vax)), "vax f4"),
            (Datatype::Float(Number { bytes: 16, bits: 80, order: Order::Little }), "f16:80"),
            (int(2), "i2"),
            (Datatype::Integer { signed: false, number: number(1, Order::Big) }, "u1"),
            (Datatype::Complex(Box::new(Datatype::Float(number(4, Order::Big)))), ">c8"),
            (Datatype::String { bytes: 10 }, "S10"),
            (Datatype::VariableString, "vlen str"),
            (Datatype::Compound { members: 3, bytes: 24 }, "compound{3}, 24 B"),
            (Datatype::Enum(Box::new(int(1))), "enum(i1)"),
            (Datatype::Variable(Box::new(int(4))), "vlen(i4)"),
            (Datatype::Array { shape: vec![3, 2], of: Box::new(int(4)) }, "array 3x2(i4)"),
            (Datatype::Variable(Box::new(Datatype::Elided)), "vlen(...)"),
            (Datatype::Unknown { class: 12, bytes: 8 }, "class 12, 8 B"),
        ];
        for (datatype, expected) in cases {
            assert_eq!(datatype.to_string(), expected);
        }
    }
}
