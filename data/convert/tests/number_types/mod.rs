//! Descriptions of numbers.

use convert::{Bits, Class, Datatype, Float, Integer, Normalization, Order, Pad};
use proptest::prelude::*;

use crate::common::ieee;
pub(crate) use crate::common::{bitfield, integer};

/// An IEEE float of 2, 4 or 8 bytes.
pub(crate) fn float(size: usize, order: Order) -> Datatype {
    let exponent = match size {
        2 => 5,
        4 => 8,
        _ => 11,
    };
    ieee(size, exponent, order)
}

/// Two floats.
pub(crate) fn complex(part: Datatype) -> Datatype {
    Datatype { size: 2 * part.size, class: Class::Complex(Box::new(part)) }
}

/// The same type with other bits.
pub(crate) fn change_bits(mut datatype: Datatype, change: impl Fn(&mut Bits)) -> Datatype {
    match &mut datatype.class {
        Class::Integer(integer) => change(&mut integer.bits),
        Class::Float(float) => change(&mut float.bits),
        Class::Bitfield(bits) => change(bits),
        other => panic!("{other:?} has no bits"),
    }
    datatype
}

/// The same float with other parts.
pub(crate) fn change_float(mut datatype: Datatype, change: impl Fn(&mut Float)) -> Datatype {
    let Class::Float(float) = &mut datatype.class else { panic!("not a float") };
    change(float);
    datatype
}

/// The byte order.
pub(crate) fn order(datatype: &Datatype) -> Order {
    match &datatype.class {
        Class::Integer(integer) => integer.bits.order,
        Class::Float(float) => float.bits.order,
        Class::Bitfield(bits) => bits.order,
        other => panic!("{other:?} has no order"),
    }
}

fn any_bits() -> BoxedStrategy<Bits> {
    let order = prop_oneof![Just(Order::Little), Just(Order::Big), Just(Order::Vax)];
    let pad = || prop_oneof![Just(Pad::Zero), Just(Pad::One), Just(Pad::Background)];
    (order, any_position(), any_position(), pad(), pad())
        .prop_map(|(order, precision, offset, low_pad, high_pad)| Bits {
            order,
            precision,
            offset,
            low_pad,
            high_pad,
        })
        .boxed()
}

/// Mostly sensible.
fn any_position() -> impl Strategy<Value = usize> {
    prop_oneof![20 => 0_usize..66, 4 => 0_usize..140, 1 => any::<usize>()]
}

fn any_atom() -> BoxedStrategy<Class> {
    let integer =
        (any_bits(), any::<bool>()).prop_map(|(bits, signed)| Class::Integer(Integer { bits, signed }));
    let field = || (any_position(), any_position());
    let normalization =
        prop_oneof![Just(Normalization::Implied), Just(Normalization::MsbSet), Just(Normalization::None)];
    let float = (any_bits(), any_position(), field(), any::<u32>(), field(), normalization).prop_map(
        |(bits, sign, exponent, bias, mantissa, normalization)| {
            let bias = u64::from(bias);
            Class::Float(Float { bits, sign, exponent, bias, mantissa, normalization, inner_pad: Pad::Zero })
        },
    );
    prop_oneof![integer.boxed(), float.boxed(), any_bits().prop_map(Class::Bitfield).boxed()].boxed()
}

/// A description from an untrusted file. Floats are often made of whole parts, so that something comes of them.
pub(crate) fn any_description() -> BoxedStrategy<Datatype> {
    let atom = (0_usize..20, any_atom()).prop_map(|(size, class)| Datatype { size, class });
    let parts = || {
        (1_usize..17, 0_usize..4, 1_usize..31, any::<u16>(), any_bits()).prop_map(
            |(size, offset, exponent, bias, bits)| {
                let precision = (8 * size).saturating_sub(2 * offset);
                let mantissa = precision.saturating_sub(1 + exponent);
                let float = Float {
                    bits: Bits { precision, offset, ..bits },
                    sign: (offset + precision).saturating_sub(1),
                    exponent: (offset + mantissa, exponent),
                    bias: u64::from(bias),
                    mantissa: (offset, mantissa),
                    normalization: if bias % 3 == 0 { Normalization::None } else { Normalization::Implied },
                    inner_pad: Pad::Zero,
                };
                Datatype { size, class: Class::Float(float) }
            },
        )
    };
    let plain = (1_usize..17, any::<bool>(), 0_usize..8).prop_map(|(size, signed, offset)| {
        change_bits(integer(size, signed, Order::Little), |bits| {
            (bits.offset, bits.precision) = (offset, 8 * size - offset);
        })
    });
    prop_oneof![atom.boxed(), parts().boxed(), plain.boxed(), parts().prop_map(complex).boxed()].boxed()
}
