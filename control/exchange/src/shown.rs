//! Datatypes and elements in words, for reports.

use core::fmt::Write as _;

use h5_abi::{H5T_CSET_UTF8, H5T_ORDER_BE, H5T_ORDER_VAX, H5T_STR_NULLPAD, H5T_STR_SPACEPAD};
use h5_client::{Bits, Class, Description, Part, ReferenceTarget, Selection, Value};

use crate::numbers::{Parts, integer};
use crate::values::text;

/// Characters of a text, or numbers of a list, that are shown.
const LONGEST: usize = 64;

/// A datatype in a few words.
pub(crate) fn datatype(description: &Description) -> String {
    let size = description.size;
    let number = |letter: &str, bits: &Bits| {
        let order = match bits.order {
            H5T_ORDER_BE if size > 1 => " big-endian",
            H5T_ORDER_VAX => " VAX",
            _ => "",
        };
        let odd = if bits.precision == 8 * size && bits.offset == 0 {
            String::new()
        } else {
            format!(" in {size} bytes, from bit {}", bits.offset)
        };
        format!("{letter}{}{order}{odd}", bits.precision)
    };
    let string = |length: &str, padding, set| {
        let padding = match padding {
            H5T_STR_NULLPAD => ", padded with zeros",
            H5T_STR_SPACEPAD => ", padded with blanks",
            _ => "",
        };
        format!("string ({length}, {}{padding})", if set == H5T_CSET_UTF8 { "UTF-8" } else { "ASCII" })
    };
    match &description.class {
        Class::Integer { bits, signed } => number(if *signed { "int" } else { "uint" }, bits),
        Class::Float(float) => {
            let (exponent, mantissa) = (float.exponent.1, float.mantissa.1);
            let is_usual = matches!((size, exponent, mantissa), (2, 5, 10) | (4, 8, 23) | (8, 11, 52));
            let odd =
                if is_usual { String::new() } else { format!(" (exponent {exponent}, mantissa {mantissa})") };
            format!("{}{odd}", number("float", &float.bits))
        }
        Class::Time(bits) => number("time", bits),
        Class::String { padding, character_set } => {
            string(&format!("{size} bytes"), *padding, *character_set)
        }
        Class::VariableString { padding, character_set } => string("any length", *padding, *character_set),
        Class::Bitfield(bits) => number("bits", bits),
        Class::Opaque { tag } => format!("opaque ({size} bytes, '{}')", tag.to_string_lossy()),
        Class::Compound(members) => {
            let mut list = String::new();
            for member in members.iter().take(LONGEST) {
                let comma = if list.is_empty() { "" } else { ", " };
                let (name, offset) = (member.name.to_string_lossy(), member.offset);
                let _ = write!(list, "{comma}{name}: {} at {offset}", datatype(&member.datatype));
            }
            format!("compound of {size} bytes {{{list}}}")
        }
        Class::ObjectReference => "object reference".into(),
        Class::RegionReference => "region reference".into(),
        Class::Reference => "reference (H5R_ref_t)".into(),
        Class::Enum { base, members } => {
            let names: Vec<_> = members
                .iter()
                .take(LONGEST)
                .map(|(name, value)| format!("{}={}", name.to_string_lossy(), plain(base, value)))
                .collect();
            format!("enum of {} {{{}}}", datatype(base), names.join(", "))
        }
        Class::VariableLength(base) => format!("sequence of {}", datatype(base)),
        Class::Array { dimensions, element } => {
            let lengths: Vec<_> = dimensions.iter().map(ToString::to_string).collect();
            format!("array {} of {}", lengths.join("x"), datatype(element))
        }
        Class::Complex(base) => format!("complex of {}", datatype(base)),
        Class::Unknown(class) => format!("class {class} ({size} bytes)"),
    }
}

fn quoted(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut shown: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().nth(LONGEST).is_some() {
        let _ = write!(shown, "... ({} bytes)", bytes.len());
    }
    format!("\"{shown}\"")
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::from("0x");
    for byte in bytes.iter().take(LONGEST / 2) {
        let _ = write!(text, "{byte:02x}");
    }
    if bytes.len() > LONGEST / 2 { text + "..." } else { text }
}

fn list(parts: impl ExactSizeIterator<Item = String>, [open, close]: [&str; 2]) -> String {
    let all = parts.len();
    let shown: Vec<_> = parts.take(LONGEST / 4).collect();
    let rest = if all > shown.len() { format!(", ... ({all})") } else { String::new() };
    format!("{open}{}{rest}{close}", shown.join(", "))
}

/// An element that is nothing but its bytes.
pub(crate) fn plain(description: &Description, bytes: &[u8]) -> String {
    let parts = |base: &Description, ends| {
        list(bytes.chunks_exact(base.size.max(1)).map(|part| plain(base, part)), ends)
    };
    match &description.class {
        Class::Integer { bits, signed } => {
            integer(bits, *signed, bytes).map_or_else(|| hexadecimal(bytes), |value| value.to_string())
        }
        Class::Float(float) => match Parts::of(float, bytes) {
            // The shortest text that tells this number from its neighbours of the same format.
            Some(parts) if float.bits.precision == 32 && float.mantissa.1 == 23 => {
                #[expect(clippy::cast_possible_truncation, reason = "it was a number of this size")]
                let value = parts.value(float) as f32;
                format!("{value:?}")
            }
            Some(parts) => format!("{:?}", parts.value(float)),
            None => hexadecimal(bytes),
        },
        Class::String { padding, .. } => quoted(text(*padding, bytes)),
        Class::Enum { base, members } => {
            let name =
                members.iter().find(|(_, value)| value == bytes).map(|(name, _)| name.to_string_lossy());
            name.map_or_else(|| plain(base, bytes), |name| format!("{name} ({})", plain(base, bytes)))
        }
        Class::Compound(members) => list(
            members.iter().map(|member| {
                let part = bytes.get(member.offset..member.offset + member.datatype.size).unwrap_or_default();
                format!("{}: {}", member.name.to_string_lossy(), plain(&member.datatype, part))
            }),
            ["{", "}"],
        ),
        Class::Array { element, .. } => parts(element, ["[", "]"]),
        Class::Complex(base) => parts(base, ["(", ")"]),
        _ => hexadecimal(bytes),
    }
}

/// An element of any type. `lead` says where a reference leads.
pub(crate) fn value(
    description: &Description,
    element: &Value,
    lead: &dyn Fn(&ReferenceTarget) -> String,
) -> String {
    let all = |base: &Description, parts: &[Value]| {
        list(parts.iter().map(|part| value(base, part, lead)), ["[", "]"])
    };
    match (&description.class, element) {
        (_, Value::Plain(bytes)) => plain(description, bytes),
        (_, Value::Text(None)) => "no string".into(),
        (_, Value::Text(Some(text))) => quoted(text.to_bytes()),
        (Class::VariableLength(base), Value::PlainSequence(bytes)) => {
            list(bytes.chunks_exact(base.size.max(1)).map(|part| plain(base, part)), ["[", "]"])
        }
        (Class::VariableLength(base), Value::Sequence(parts))
        | (Class::Array { element: base, .. }, Value::Parts(parts)) => all(base, parts),
        (Class::Compound(members), Value::Parts(parts)) => list(
            members.iter().zip(parts).map(|(member, part)| {
                format!("{}: {}", member.name.to_string_lossy(), value(&member.datatype, part, lead))
            }),
            ["{", "}"],
        ),
        (_, Value::Reference(target)) => lead(target),
        _ => "?".into(),
    }
}

/// A reference, whose object has this name.
pub(crate) fn reference(target: &ReferenceTarget, name: &dyn Fn(h5_abi::H5O_token_t) -> String) -> String {
    match target {
        ReferenceTarget::Null => "null reference".into(),
        ReferenceTarget::Broken(_) => "reference to nothing".into(),
        ReferenceTarget::Object(token) => format!("-> {}", name(*token)),
        ReferenceTarget::Region(token, selected) => format!("-> {} {}", name(*token), selection(selected)),
        ReferenceTarget::Attribute(token, attribute) => {
            format!("-> {} attribute '{}'", name(*token), attribute.to_string_lossy())
        }
        ReferenceTarget::Elsewhere(file, path, part) => {
            let part = match &**part {
                None => String::new(),
                Some(Part::Region(selected)) => format!(" {}", selection(selected)),
                Some(Part::Attribute(name)) => format!(" attribute '{}'", name.to_string_lossy()),
            };
            format!("-> {file}:{path}{part}")
        }
    }
}

fn selection(selection: &Selection) -> String {
    match selection {
        Selection::None => "nothing".into(),
        Selection::All => "all".into(),
        Selection::Points(numbers) => {
            format!("points {}", list(numbers.iter().map(ToString::to_string), ["[", "]"]))
        }
        Selection::Boxes(numbers) => {
            format!("boxes {}", list(numbers.iter().map(ToString::to_string), ["[", "]"]))
        }
    }
}
