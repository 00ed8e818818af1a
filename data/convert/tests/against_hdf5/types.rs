//! Descriptions of datatypes, in few words.

use convert::{Bits, Class, Datatype, Float, Integer, Member, Normalization, Order, Pad, StringPadding};

use crate::common::all_bits;
pub(crate) use crate::common::{bitfield, ieee, integer};

pub(crate) const ORDERS: [Order; 2] = [Order::Little, Order::Big];

pub(crate) const PADDINGS: [StringPadding; 3] =
    [StringPadding::NullTerminated, StringPadding::NullPadded, StringPadding::SpacePadded];

pub(crate) fn reduced(size: usize, signed: bool, order: Order, precision: usize, offset: usize) -> Datatype {
    let bits = Bits { precision, offset, ..all_bits(size, order) };
    Datatype { size, class: Class::Integer(Integer { bits, signed }) }
}

pub(crate) fn half(order: Order) -> Datatype {
    ieee(2, 5, order)
}

pub(crate) fn brain(order: Order) -> Datatype {
    ieee(2, 8, order)
}

pub(crate) fn single(order: Order) -> Datatype {
    ieee(4, 8, order)
}

pub(crate) fn double(order: Order) -> Datatype {
    ieee(8, 11, order)
}

/// The 80-bit type of x86 processors.
pub(crate) fn extended() -> Datatype {
    let float = Float {
        bits: Bits { precision: 80, ..all_bits(16, Order::Little) },
        sign: 79,
        exponent: (64, 15),
        bias: 16383,
        mantissa: (0, 64),
        normalization: Normalization::None,
        inner_pad: Pad::Zero,
    };
    Datatype { size: 16, class: Class::Float(float) }
}

pub(crate) fn text(size: usize, padding: StringPadding, character_set: i32) -> Datatype {
    Datatype { size, class: Class::String { padding, character_set } }
}

pub(crate) fn array(dims: &[u64], element: &Datatype) -> Datatype {
    let count: u64 = dims.iter().product();
    let size = usize::try_from(count).expect("small arrays") * element.size;
    Datatype { size, class: Class::Array { dims: dims.to_vec(), element: Box::new(element.clone()) } }
}

pub(crate) fn complex(base: &Datatype) -> Datatype {
    Datatype { size: 2 * base.size, class: Class::Complex(Box::new(base.clone())) }
}

pub(crate) fn opaque(size: usize, tag: &str) -> Datatype {
    Datatype { size, class: Class::Opaque(tag.to_owned()) }
}

/// A reference to an object (8 bytes) or a region (12 bytes).
pub(crate) fn reference(size: usize) -> Datatype {
    Datatype { size, class: Class::Other(7) }
}

/// An enumeration over an integer type.
pub(crate) fn enumeration(base: &Datatype, members: &[(&str, i64)]) -> Datatype {
    let Class::Integer(integer) = &base.class else { panic!("an enumeration has an integer type") };
    let stored = |value: i64| {
        let mut bytes = value.to_le_bytes()[..base.size].to_vec();
        if integer.bits.order == Order::Big {
            bytes.reverse();
        }
        bytes
    };
    let members = members.iter().map(|&(name, value)| (name.to_owned(), stored(value))).collect();
    Datatype { size: base.size, class: Class::Enum { base: Box::new(base.clone()), members } }
}

/// A compound type of members with their offsets.
pub(crate) fn compound(size: usize, members: &[(&str, usize, Datatype)]) -> Datatype {
    let member = |(name, offset, datatype): &(&str, usize, Datatype)| Member {
        name: (*name).to_owned(),
        offset: *offset,
        datatype: datatype.clone(),
    };
    Datatype { size, class: Class::Compound(members.iter().map(member).collect()) }
}

/// A compound type without gaps.
pub(crate) fn packed(members: &[(&str, Datatype)]) -> Datatype {
    let mut size = 0;
    let placed: Vec<_> = members
        .iter()
        .map(|(name, datatype)| {
            let offset = size;
            size += datatype.size;
            (*name, offset, datatype.clone())
        })
        .collect();
    compound(size, &placed)
}
