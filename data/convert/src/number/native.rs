//! The types of the C compiler, for which HDF5 has conversions of their own.

use crate::datatype::{Bits, Class, Datatype, Float, Integer, Normalization, Order, Pad};

/// A number as the machine has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Native {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

impl Native {
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 | Self::F16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }
}

/// A type of the C compiler, except perhaps for the byte order.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    /// Which one. `None` is `long double`: HDF5 was built with this format of it or another, and writing one leaves
    /// its unused bytes as they were.
    pub(super) native: Option<Native>,
    pub(super) order: Order,
}

impl Known {
    pub(super) fn of(datatype: &Datatype) -> Option<Self> {
        match &datatype.class {
            Class::Integer(integer) => Self::integer(datatype.size, integer),
            Class::Float(float) => Self::float(datatype.size, float),
            _ => None,
        }
    }

    fn integer(size: usize, integer: &Integer) -> Option<Self> {
        let native = match (size, integer.signed) {
            (1, true) => Native::I8,
            (1, false) => Native::U8,
            (2, true) => Native::I16,
            (2, false) => Native::U16,
            (4, true) => Native::I32,
            (4, false) => Native::U32,
            (8, true) => Native::I64,
            (8, false) => Native::U64,
            _ => return None,
        };
        is_plain(8 * size, &integer.bits).then_some(Self { native: Some(native), order: integer.bits.order })
    }

    fn float(size: usize, float: &Float) -> Option<Self> {
        let order = float.bits.order;
        let is_ieee = |exponent: usize, mantissa: usize| {
            *float
                == Float {
                    bits: Bits { order, ..plain(8 * size) },
                    sign: 8 * size - 1,
                    exponent: (mantissa, exponent),
                    bias: (1 << (exponent - 1)) - 1,
                    mantissa: (0, mantissa),
                    normalization: Normalization::Implied,
                    inner_pad: Pad::Zero,
                }
        };
        if order == Order::Vax {
            return None;
        }
        match size {
            2 if is_ieee(5, 10) => Some(Self { native: Some(Native::F16), order }),
            4 if is_ieee(8, 23) => Some(Self { native: Some(Native::F32), order }),
            8 if is_ieee(11, 52) => Some(Self { native: Some(Native::F64), order }),
            // Whatever has as many bytes as a `long double` may be one.
            12 | 16 => Some(Self { native: None, order }),
            _ => None,
        }
    }
}

/// Where the bits of a number are that uses all of them.
fn plain(precision: usize) -> Bits {
    Bits { order: Order::Little, precision, offset: 0, low_pad: Pad::Zero, high_pad: Pad::Zero }
}

fn is_plain(precision: usize, bits: &Bits) -> bool {
    bits.order != Order::Vax && *bits == Bits { order: bits.order, ..plain(precision) }
}
