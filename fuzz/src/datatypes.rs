//! Descriptions of datatypes, made up: mostly such as HDF5 could give, sometimes impossible ones.

use convert::{Bits, Class, Datatype, Float, Integer, Member, Normalization, Order, Pad, StringPadding};

use crate::input::Input;

/// Types in types.
pub(crate) const DEPTH: u8 = 4;

const ORDERS: [Order; 3] = [Order::Little, Order::Big, Order::Vax];
const PADS: [Pad; 3] = [Pad::Zero, Pad::One, Pad::Background];
const PADDINGS: [StringPadding; 3] =
    [StringPadding::NullTerminated, StringPadding::NullPadded, StringPadding::SpacePadded];
const NORMALIZATIONS: [Normalization; 3] =
    [Normalization::Implied, Normalization::MsbSet, Normalization::None];

/// A type with up to that many levels inside.
pub(crate) fn datatype(input: &mut Input<'_>, depth: u8) -> Datatype {
    let mut made = match input.below(if depth == 0 { 10 } else { 16 }) {
        0..=2 => integer(input),
        3..=5 => float(input),
        6 => text(input),
        7 => enumeration(input),
        8 => bitfield(input),
        9 if input.once_in(2) => opaque(input),
        9 => Datatype { size: 1 + usize::from(input.below(20)), class: Class::Other(input.byte().into()) },
        10 => {
            let part = if input.once_in(4) { datatype(input, depth - 1) } else { float(input) };
            Datatype { size: part.size.saturating_mul(2), class: Class::Complex(Box::new(part)) }
        }
        11 | 12 => {
            let dims: Vec<u64> = (0..=input.below(3)).map(|_| 1 + u64::from(input.below(4))).collect();
            let element = Box::new(datatype(input, depth - 1));
            let size = dims.iter().fold(element.size, |size, &dim| {
                size.saturating_mul(usize::try_from(dim).unwrap_or(usize::MAX))
            });
            Datatype { size, class: Class::Array { dims, element } }
        }
        _ => {
            let members = (0..=input.below(6)).map(|_| (name(input), datatype(input, depth - 1))).collect();
            placed(input, members)
        }
    };
    if input.byte() == u8::MAX {
        made.size = usize::from(input.byte());
    }
    made
}

/// A type that this one may well convert to.
pub(crate) fn related(input: &mut Input<'_>, datatype: &Datatype, depth: u8) -> Datatype {
    if depth == 0 || input.once_in(4) {
        return datatype.clone();
    }
    match &datatype.class {
        Class::Integer(_) | Class::Float(_) | Class::Bitfield(_) => number(input),
        Class::Complex(part) => {
            let part = related(input, part, depth - 1);
            Datatype { size: part.size.saturating_mul(2), class: Class::Complex(Box::new(part)) }
        }
        Class::Enum { .. } if input.once_in(3) => number(input),
        Class::Enum { base, members } => {
            let base = if input.once_in(2) { (**base).clone() } else { integer(input) };
            let mut members = members.clone();
            for (_, value) in &mut members {
                value.resize(base.size, input.byte());
            }
            Datatype { size: base.size, class: Class::Enum { base: Box::new(base), members } }
        }
        Class::String { .. } => text(input),
        Class::Array { dims, element } => {
            let element = Box::new(related(input, element, depth - 1));
            let size = dims.iter().fold(element.size, |size, &dim| {
                size.saturating_mul(usize::try_from(dim).unwrap_or(usize::MAX))
            });
            Datatype { size, class: Class::Array { dims: dims.clone(), element } }
        }
        Class::Compound(members) => {
            let mut kept = Vec::new();
            for member in members {
                if !input.once_in(5) {
                    kept.push((member.name.clone(), related(input, &member.datatype, depth - 1)));
                }
            }
            if kept.is_empty() || input.once_in(4) {
                kept.push(("new".to_owned(), number(input)));
            }
            placed(input, kept)
        }
        _ => datatype.clone(),
    }
}

fn number(input: &mut Input<'_>) -> Datatype {
    match input.below(8) {
        0..=3 => integer(input),
        4..=6 => float(input),
        _ => bitfield(input),
    }
}

fn size(input: &mut Input<'_>) -> usize {
    match input.byte() {
        usual @ 0..224 => 1 << (usual % 4),
        any => 1 + usize::from(any % 32),
    }
}

/// Mostly all bits of so many bytes.
fn bits(input: &mut Input<'_>, size: usize) -> Bits {
    let whole = Bits {
        order: input.pick(&ORDERS[..2]),
        precision: 8 * size,
        offset: 0,
        low_pad: Pad::Zero,
        high_pad: Pad::Zero,
    };
    match input.below(8) {
        0..=4 => whole,
        5 | 6 => {
            let precision = 1 + usize::from(input.byte()) % (8 * size);
            let offset = usize::from(input.byte()) % (8 * size - precision + 1);
            Bits { precision, offset, low_pad: input.pick(&PADS), high_pad: input.pick(&PADS), ..whole }
        }
        _ => Bits {
            order: input.pick(&ORDERS),
            precision: position(input),
            offset: position(input),
            low_pad: input.pick(&PADS),
            high_pad: input.pick(&PADS),
        },
    }
}

/// Of a bit: mostly within reason.
fn position(input: &mut Input<'_>) -> usize {
    match input.byte() {
        u8::MAX => usize::try_from(input.u64()).unwrap_or(usize::MAX),
        small => usize::from(small),
    }
}

fn integer(input: &mut Input<'_>) -> Datatype {
    let size = size(input);
    let signed = input.once_in(2);
    Datatype { size, class: Class::Integer(Integer { bits: bits(input, size), signed }) }
}

fn bitfield(input: &mut Input<'_>) -> Datatype {
    let size = size(input);
    Datatype { size, class: Class::Bitfield(bits(input, size)) }
}

/// Mostly one of those that processors know.
fn float(input: &mut Input<'_>) -> Datatype {
    let (size, precision, exponent, normalization) = match input.below(8) {
        0 => (2, 16, 5, Normalization::Implied),
        1 => (2, 16, 8, Normalization::Implied),
        2 | 3 => (4, 32, 8, Normalization::Implied),
        4 | 5 => (8, 64, 11, Normalization::Implied),
        6 => (16, 80, 15, Normalization::None),
        _ => return odd_float(input),
    };
    let mantissa = precision - 1 - exponent;
    let bits =
        Bits { order: input.pick(&ORDERS), precision, offset: 0, low_pad: Pad::Zero, high_pad: Pad::Zero };
    let float = Float {
        bits,
        sign: precision - 1,
        exponent: (mantissa, exponent),
        bias: (1 << (exponent - 1)) - 1,
        mantissa: (0, mantissa),
        normalization,
        inner_pad: Pad::Zero,
    };
    Datatype { size, class: Class::Float(float) }
}

fn odd_float(input: &mut Input<'_>) -> Datatype {
    let size = size(input);
    let bits = bits(input, size);
    // Fields that follow each other, or any.
    let (mantissa, exponent, sign) = if input.once_in(4) {
        let field = |input: &mut Input<'_>| (position(input), position(input));
        (field(input), field(input), position(input))
    } else {
        let inner = bits.precision.saturating_sub(1);
        let exponent = if inner == 0 { 0 } else { usize::from(input.byte()) % inner };
        let mantissa = inner - exponent;
        let at = |position: usize| bits.offset.saturating_add(position);
        ((at(0), mantissa), (at(mantissa), exponent), at(inner))
    };
    let excess = if input.once_in(2) { (1 << exponent.1.saturating_sub(1).min(62)) - 1 } else { input.u64() };
    let float = Float {
        bits,
        sign,
        exponent,
        bias: excess,
        mantissa,
        normalization: input.pick(&NORMALIZATIONS),
        inner_pad: input.pick(&PADS),
    };
    Datatype { size, class: Class::Float(float) }
}

fn text(input: &mut Input<'_>) -> Datatype {
    let size = usize::from(input.below(20));
    let padding = input.pick(&PADDINGS);
    Datatype { size, class: Class::String { padding, character_set: input.pick(&[0, 0, 0, 1, 7]) } }
}

fn opaque(input: &mut Input<'_>) -> Datatype {
    Datatype { size: usize::from(input.below(40)), class: Class::Opaque(name(input)) }
}

fn enumeration(input: &mut Input<'_>) -> Datatype {
    let base = integer(input);
    let members = (0..input.below(6)).map(|number| {
        let name = if input.byte() == u8::MAX { name(input) } else { format!("e{number}") };
        let mut value = input.u64().to_le_bytes().to_vec();
        value.resize(if input.byte() == u8::MAX { 3 } else { base.size }, 0);
        (name, value)
    });
    let members = members.collect();
    Datatype { size: base.size, class: Class::Enum { base: Box::new(base), members } }
}

/// One of few, so that some are equal.
fn name(input: &mut Input<'_>) -> String {
    format!("n{}", input.below(12))
}

/// A compound type of these members, in any order, mostly with gaps and seldom with overlaps.
fn placed(input: &mut Input<'_>, mut members: Vec<(String, Datatype)>) -> Datatype {
    if input.once_in(2) && !members.is_empty() {
        let by = usize::from(input.byte()) % members.len();
        members.rotate_left(by);
    }
    let mut end = 0_usize;
    let place = |(name, datatype): (String, Datatype)| {
        let offset = match input.byte() {
            u8::MAX => position(input),
            gap => end.saturating_add(usize::from(gap % 4)),
        };
        end = offset.saturating_add(datatype.size);
        Member { name, offset, datatype }
    };
    let members: Vec<Member> = members.into_iter().map(place).collect();
    let size = end.saturating_add(usize::from(input.below(4)));
    Datatype { size, class: Class::Compound(members) }
}
