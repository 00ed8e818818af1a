//! Descriptions of numbers that use all of their bits.

use convert::{Bits, Class, Datatype, Float, Integer, Normalization, Order, Pad};

pub(crate) fn all_bits(size: usize, order: Order) -> Bits {
    Bits { order, precision: 8 * size, offset: 0, low_pad: Pad::Zero, high_pad: Pad::Zero }
}

pub(crate) fn integer(size: usize, signed: bool, order: Order) -> Datatype {
    Datatype { size, class: Class::Integer(Integer { bits: all_bits(size, order), signed }) }
}

pub(crate) fn bitfield(size: usize, order: Order) -> Datatype {
    Datatype { size, class: Class::Bitfield(all_bits(size, order)) }
}

/// An IEEE type: sign, exponent and mantissa from the top down, which fill `size` bytes.
pub(crate) fn ieee(size: usize, exponent: usize, order: Order) -> Datatype {
    let mantissa = 8 * size - 1 - exponent;
    let float = Float {
        bits: all_bits(size, order),
        sign: 8 * size - 1,
        exponent: (mantissa, exponent),
        bias: (1 << (exponent - 1)) - 1,
        mantissa: (0, mantissa),
        normalization: Normalization::Implied,
        inner_pad: Pad::Zero,
    };
    Datatype { size, class: Class::Float(float) }
}
