//! Attributes: plain JSON for everybody, and in our key what HDF5 has beyond that.

use convert::{Class, Datatype, Order};
use h5_shadow::spec::{AttributeSpec, Cell, SpaceSpec, TypeSpec, Values};
use h5_shadow::{Failure, Outcome};
use serde_json::{Map, Number, Value, json};

use crate::cells::{self, KeyOf, PathOf};
use crate::fill_attribute;
use crate::tree::Key;
use crate::type_words::{self, float_type, hex, integer, text_class, unhex};

/// Our key in a node's attributes.
pub(crate) const OURS: &str = "_h5";
/// Links that Zarr does not have, in a group's attributes.
pub(crate) const LINKS: &str = "_LINKS";

/// Fails if an attribute of HDF5 cannot have this name.
pub(crate) fn accept(name: &str) -> Outcome<()> {
    if matches!(name, OURS | LINKS) {
        let reason = "which the Zarr connector needs itself";
        return Err(Failure::new(format!("an attribute cannot have the name {name}, {reason}")));
    }
    Ok(())
}

/// An attribute as JSON, and what our key has to say about it, if anything.
///
/// `of` is the datatype of the array that has it.
pub(crate) fn to_json(
    attribute: &AttributeSpec<Key>,
    of: Option<&Datatype>,
    path_of: PathOf<'_>,
) -> (Value, Option<Value>) {
    let plain = plain(attribute, of, path_of);
    let read = told(&attribute.name, &plain, of);
    let is_told = read.is_some_and(|(datatype, space, values)| {
        attribute.datatype.structure.as_ref() == Some(&datatype)
            && attribute.datatype.committed.is_none()
            && attribute.space == space
            && attribute.values == values
    });
    if is_told {
        return (plain, None);
    }
    let mut exact =
        json!({"type": type_to_json(&attribute.datatype, path_of), "space": space_to_json(&attribute.space)});
    match &attribute.values {
        Values::Plain(bytes) => exact["data"] = json!(hex(bytes)),
        Values::Cells(all) => {
            exact["cells"] = Value::Array(all.iter().map(|cell| cells::to_json(cell, path_of)).collect());
        }
    }
    (plain, Some(exact))
}

/// The attribute again. What our key says counts only if nobody has changed the JSON since.
pub(crate) fn from_json(
    name: &str,
    value: &Value,
    exact: Option<&Value>,
    of: Option<&Datatype>,
    (key_of, path_of): (KeyOf<'_>, PathOf<'_>),
) -> AttributeSpec<Key> {
    if let Some(exact) = exact
        && let Some(attribute) = from_exact(name, exact, key_of)
        && plain(&attribute, of, path_of) == *value
    {
        return attribute;
    }
    let (structure, space, values) = told(name, value, of).unwrap_or_else(|| {
        // What HDF5 has no datatype for is kept as its text.
        let text = Values::Cells(vec![Cell::Text(Some(value.to_string().into_bytes()))]);
        (Datatype { size: 8, class: text_class(1) }, SpaceSpec::Scalar, text)
    });
    AttributeSpec { name: name.to_owned(), datatype: TypeSpec::of_structure(structure), space, values }
}

/// Whether two attributes are the same, as far as both are described.
pub(crate) fn are_same(one: &AttributeSpec<Key>, other: &AttributeSpec<Key>) -> bool {
    let same_type = match (&one.datatype.structure, &other.datatype.structure) {
        (Some(one), Some(other)) => one == other,
        _ => one.datatype.encoded == other.datatype.encoded,
    };
    same_type
        && one.datatype.committed == other.datatype.committed
        && one.space == other.space
        && one.values == other.values
}

fn from_exact(name: &str, exact: &Value, key_of: KeyOf<'_>) -> Option<AttributeSpec<Key>> {
    let values = match (&exact["data"], &exact["cells"]) {
        (Value::String(bytes), _) => Values::Plain(unhex(bytes)?),
        (_, Value::Array(all)) => {
            Values::Cells(all.iter().map(|cell| cells::from_json(cell, key_of)).collect::<Option<_>>()?)
        }
        _ => return None,
    };
    Some(AttributeSpec {
        name: name.to_owned(),
        datatype: type_from_json(&exact["type"], key_of)?,
        space: space_from_json(&exact["space"])?,
        values,
    })
}

/// A datatype for our key.
pub(crate) fn type_to_json(datatype: &TypeSpec<Key>, path_of: PathOf<'_>) -> Value {
    let mut words = match (&datatype.structure, &datatype.encoded) {
        (Some(structure), _) => type_words::to_words(structure),
        // Nobody gets here: datatypes without a description are refused.
        (None, _) => json!({}),
    };
    if let Some(path) = datatype.committed.and_then(path_of) {
        words["committed"] = json!(path);
    }
    words
}

/// The datatype again.
pub(crate) fn type_from_json(words: &Value, key_of: KeyOf<'_>) -> Option<TypeSpec<Key>> {
    let committed = words["committed"].as_str().and_then(key_of);
    Some(TypeSpec { structure: Some(type_words::from_words(words)?), encoded: None, committed })
}

/// An extent for our key.
pub(crate) fn space_to_json(space: &SpaceSpec) -> Value {
    match space {
        SpaceSpec::Null => json!("null"),
        SpaceSpec::Scalar => json!("scalar"),
        SpaceSpec::Simple { dims, .. } => json!(dims),
    }
}

/// The extent again.
pub(crate) fn space_from_json(value: &Value) -> Option<SpaceSpec> {
    match value {
        Value::String(word) if word == "null" => Some(SpaceSpec::Null),
        Value::String(word) if word == "scalar" => Some(SpaceSpec::Scalar),
        Value::Array(dims) => {
            let dims: Vec<u64> = dims.iter().map(Value::as_u64).collect::<Option<_>>()?;
            Some(SpaceSpec::Simple { maximum: dims.iter().copied().map(Some).collect(), dims })
        }
        _ => None,
    }
}

/// What JSON says to HDF5 if our key says nothing.
fn told(name: &str, value: &Value, of: Option<&Datatype>) -> Option<(Datatype, SpaceSpec, Values<Key>)> {
    let fill =
        of.filter(|_| name == fill_attribute::NAME).and_then(|of| fill_attribute::from_json(value, of));
    match fill {
        Some(AttributeSpec {
            datatype: TypeSpec { structure: Some(structure), .. }, space, values, ..
        }) => Some((structure, space, values)),
        _ => from_plain(value),
    }
}

/// An attribute as others see it.
fn plain(attribute: &AttributeSpec<Key>, of: Option<&Datatype>, path_of: PathOf<'_>) -> Value {
    if let Some(fill) = of.and_then(|of| fill_attribute::to_json(attribute, of)) {
        return fill;
    }
    let Some(dims) = attribute.space.dims() else { return Value::Null };
    let elements: Vec<Value> = match (&attribute.values, &attribute.datatype.structure) {
        (Values::Cells(all), _) => all.iter().map(|cell| cells::to_plain(cell, path_of)).collect(),
        (Values::Plain(bytes), Some(structure)) if structure.size > 0 => {
            bytes.chunks_exact(structure.size).map(|element| element_to_json(structure, element)).collect()
        }
        (Values::Plain(bytes), _) => vec![json!(hex(bytes))],
    };
    nested(&mut elements.into_iter(), dims)
}

/// Elements as lists in lists.
fn nested(elements: &mut impl Iterator<Item = Value>, dims: &[u64]) -> Value {
    match dims.split_first() {
        None => elements.next().unwrap_or(Value::Null),
        Some((size, inner)) => Value::Array((0..*size).map(|_| nested(elements, inner)).collect()),
    }
}

/// A number of up to 8 bytes, without its sign.
fn bits_of(bytes: &[u8], order: Order) -> u64 {
    let mut wide = [0_u8; 8];
    for (to, from) in wide.iter_mut().zip(bytes) {
        *to = *from;
    }
    if order == Order::Big {
        wide[..bytes.len().min(8)].reverse();
    }
    u64::from_le_bytes(wide)
}

/// One element as JSON.
pub(crate) fn element_to_json(datatype: &Datatype, element: &[u8]) -> Value {
    match &datatype.class {
        Class::Integer(number) if datatype.size <= 8 => {
            let bits = bits_of(element, number.bits.order);
            if number.signed {
                let shift = 64 - 8 * u32::try_from(datatype.size).unwrap_or(8);
                json!((bits << shift).cast_signed() >> shift)
            } else {
                json!(bits)
            }
        }
        Class::Float(float) if type_words::ieee(datatype.size, float.bits.order).as_ref() == Some(float) => {
            float_to_json(float_of(datatype.size, float.bits.order, element))
        }
        Class::Bitfield(bits) if datatype.size <= 8 => json!(bits_of(element, bits.order)),
        Class::Enum { base, members } => {
            let is_truth = |name: &str| {
                members.iter().any(|(known, value)| known == name && value.as_slice() == element)
            };
            match (members.len(), is_truth("TRUE"), is_truth("FALSE")) {
                (2, true, false) => json!(true),
                (2, false, true) => json!(false),
                _ => element_to_json(base, element),
            }
        }
        Class::String { .. } => {
            let end = element.iter().position(|byte| *byte == 0).unwrap_or(element.len());
            json!(String::from_utf8_lossy(&element[..end]))
        }
        Class::Array { element: part, .. } if part.size > 0 => Value::Array(
            element.chunks_exact(part.size).map(|element| element_to_json(part, element)).collect(),
        ),
        Class::Compound(members) => {
            let member = |member: &convert::Member| {
                let part =
                    element.get(member.offset..member.offset + member.datatype.size).unwrap_or_default();
                (member.name.clone(), element_to_json(&member.datatype, part))
            };
            Value::Object(members.iter().map(member).collect::<Map<_, _>>())
        }
        Class::Complex(part) => Value::Array(
            element.chunks_exact(part.size.max(1)).map(|element| element_to_json(part, element)).collect(),
        ),
        _ => json!(hex(element)),
    }
}

/// A float of IEEE 754.
pub(crate) fn float_of(size: usize, order: Order, element: &[u8]) -> f64 {
    let bits = bits_of(element, order);
    match size {
        4 => f64::from(f32::from_bits(u32::try_from(bits).unwrap_or(0))),
        8 => f64::from_bits(bits),
        _ => half(bits),
    }
}

fn float_to_json(number: f64) -> Value {
    if number.is_nan() {
        json!("NaN")
    } else if number.is_infinite() {
        json!(if number > 0.0 { "Infinity" } else { "-Infinity" })
    } else {
        Number::from_f64(number).map_or(Value::Null, Value::Number)
    }
}

/// A float of two bytes.
fn half(bits: u64) -> f64 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::try_from(bits >> 10 & 0x1f).unwrap_or(0);
    let mantissa = f64::from(u32::try_from(bits & 0x3ff).unwrap_or(0));
    match exponent {
        0 => sign * mantissa * f64::powi(2.0, -24),
        31 if mantissa == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        _ => sign * (1.0 + mantissa / 1024.0) * f64::powi(2.0, exponent - 15),
    }
}

/// The attribute that JSON is to HDF5, if our key says nothing.
fn from_plain(value: &Value) -> Option<(Datatype, SpaceSpec, Values<Key>)> {
    let mut dims = Vec::new();
    let mut elements = vec![value];
    while let Some(Value::Array(first)) = elements.first() {
        let length = first.len();
        let mut inner = Vec::new();
        for element in &elements {
            let list = element.as_array().filter(|list| list.len() == length)?;
            inner.extend(list);
        }
        dims.push(length as u64);
        elements = inner;
    }
    let space = if value.is_array() {
        SpaceSpec::Simple { maximum: dims.iter().copied().map(Some).collect(), dims }
    } else {
        SpaceSpec::Scalar
    };
    let (datatype, values) = if elements.is_empty() {
        (float_type(8, Order::Little)?, Values::Plain(Vec::new()))
    } else if elements.iter().all(|element| element.is_string()) {
        let text = |element: &&Value| Cell::Text(element.as_str().map(|text| text.as_bytes().to_vec()));
        (Datatype { size: 8, class: text_class(1) }, Values::Cells(elements.iter().map(text).collect()))
    } else if elements.iter().all(|element| element.is_boolean()) {
        let bytes = elements.iter().map(|element| u8::from(element.as_bool() == Some(true))).collect();
        (crate::data_types::from_zarr(&zarr::DataType::Bool, zarr::Order::Little)?, Values::Plain(bytes))
    } else if elements.iter().all(|element| element.is_i64()) {
        let numbers = elements.iter().filter_map(|element| element.as_i64());
        (integer(8, true, Order::Little), Values::Plain(numbers.flat_map(i64::to_le_bytes).collect()))
    } else if elements.iter().all(|element| element.is_u64()) {
        let numbers = elements.iter().filter_map(|element| element.as_u64());
        (integer(8, false, Order::Little), Values::Plain(numbers.flat_map(u64::to_le_bytes).collect()))
    } else if elements.iter().all(|element| element.is_number()) {
        let numbers = elements.iter().filter_map(|element| element.as_f64());
        (float_type(8, Order::Little)?, Values::Plain(numbers.flat_map(f64::to_le_bytes).collect()))
    } else {
        return None;
    };
    Some((datatype, space, values))
}
