//! Conversions. An input is
//!
//! ```text
//! u8   bits: 1 the same type on both sides, 2 the second type has nothing to do with the first,
//!      4 and 8 the traits of the host
//! ...  the first type, and the second or what is different in it
//! u8   number of elements
//! ...  the elements, to be repeated up to that number
//! ```

use convert::{Class, Conversion, Datatype, HostTraits};

use crate::Outcome;
use crate::datatypes::{DEPTH, datatype, related};
use crate::input::{Input, repeated};

/// The most bytes on either side.
const MOST: usize = 1 << 16;

pub(crate) fn run(bytes: &[u8]) -> Outcome {
    let mut input = Input::new(bytes);
    let options = input.byte();
    let from = datatype(&mut input, DEPTH);
    let to = match options & 3 {
        0 => related(&mut input, &from, DEPTH),
        2 => datatype(&mut input, DEPTH),
        _ => from.clone(),
    };
    let host = HostTraits { native_half: options & 4 != 0, keeps_denormal_flag: options & 8 != 0 };
    let Some(conversion) = Conversion::new(&from, &to, host) else { return Outcome::Unsupported };
    let most = MOST / from.size.max(to.size).max(1);
    let count = usize::from(input.byte()).min(most);
    check(&conversion, &from, &to, &repeated(input.rest(), count * from.size), count);
    Outcome::Done
}

fn check(conversion: &Conversion, from: &Datatype, to: &Datatype, source: &[u8], count: usize) {
    let converted = convert(conversion, source, count * to.size, 0x55);
    if from == to {
        // What is not converted is what was there before.
        let mut unchanged = source.to_vec();
        conversion.convert(source, &mut unchanged);
        assert!(unchanged == source, "{source:x?} became {unchanged:x?}");
        assert!(has_others(from) || converted == source, "{source:x?} became {converted:x?}");
    }
    let over_other = convert(conversion, source, count * to.size, 0xaa);
    if conversion.writes_all() {
        assert!(converted == over_other, "what was there before shows: {converted:x?} and {over_other:x?}");
    }
    // Many at once are done in other ways than few.
    let elements = source.chunks_exact(from.size).zip(converted.chunks_exact(to.size));
    for (number, (element, expected)) in elements.enumerate() {
        let alone = convert(conversion, element, to.size, 0x55);
        assert!(alone == expected, "element {number} of {count}: {expected:x?}, alone {alone:x?}");
    }
}

/// Whether anything only HDF5 understands is in this type. It is then never taken as it is, with its gaps.
fn has_others(datatype: &Datatype) -> bool {
    match &datatype.class {
        Class::Other(_) => true,
        Class::Complex(inner) | Class::Enum { base: inner, .. } | Class::Array { element: inner, .. } => {
            has_others(inner)
        }
        Class::Compound(members) => members.iter().any(|member| has_others(&member.datatype)),
        _ => false,
    }
}

fn convert(conversion: &Conversion, source: &[u8], len: usize, before: u8) -> Vec<u8> {
    let mut destination = vec![before; len];
    conversion.convert(source, &mut destination);
    destination
}
