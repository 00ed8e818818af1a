//! Datatypes of HDF5 in words: how our key in a document says what Zarr cannot.

use convert::{
    Bits, Class, Datatype, Float, Integer, Member, Normalization, Order, Pad, StringPadding, Variable,
    VariableForm,
};
use serde_json::{Map, Value, json};

/// How deep types may be nested.
const DEEPEST: usize = 32;

/// No element is larger than this.
const LARGEST: u64 = 1 << 31;

/// How tags begin that stand for points in time. No tag of an opaque type has a zero in it.
const TIME: &str = "\0time ";

/// A datatype in words.
pub(crate) fn to_words(datatype: &Datatype) -> Value {
    let mut words = match &datatype.class {
        Class::Integer(integer) => {
            let mut words = json!({"class": "integer", "signed": integer.signed});
            put_bits(&mut words, integer.bits, datatype.size);
            words
        }
        Class::Bitfield(bits) => {
            let mut words = json!({"class": "bitfield"});
            put_bits(&mut words, *bits, datatype.size);
            words
        }
        Class::Float(float) => {
            let mut words = json!({"class": "float"});
            put_bits(&mut words, float.bits, datatype.size);
            if ieee(datatype.size, float.bits.order).as_ref() != Some(float) {
                words["fields"] = json!({
                    "sign": float.sign, "exponent": [float.exponent.0, float.exponent.1], "bias": float.bias,
                    "mantissa": [float.mantissa.0, float.mantissa.1], "norm": norm_word(float.normalization),
                    "padding": pad_word(float.inner_pad),
                });
            }
            words
        }
        Class::Complex(base) => json!({"class": "complex", "base": to_words(base)}),
        Class::Enum { base, members } => {
            let members: Vec<Value> = members.iter().map(|(name, value)| json!([name, hex(value)])).collect();
            json!({"class": "enum", "base": to_words(base), "members": members})
        }
        Class::String { padding, character_set } => {
            json!({"class": "string", "padding": padding_word(*padding), "characters": character_set})
        }
        Class::Opaque(tag) => match tag.strip_prefix(TIME) {
            Some(order) => json!({"class": "time", "order": order}),
            None => json!({"class": "opaque", "tag": tag}),
        },
        Class::Array { dims, element } => json!({"class": "array", "dims": dims, "base": to_words(element)}),
        Class::Compound(members) => {
            let members: Vec<Value> = members
                .iter()
                .map(|member| json!({"name": member.name, "offset": member.offset, "type": to_words(&member.datatype)}))
                .collect();
            json!({"class": "compound", "members": members})
        }
        Class::Variable(variable) => match variable.form {
            VariableForm::Text { character_set } => json!({"class": "text", "characters": character_set}),
            VariableForm::Sequence => json!({"class": "sequence", "base": to_words(&variable.element)}),
        },
        Class::Other(number) => json!({"class": "other", "number": number}),
        _ => json!({"class": "unknown"}),
    };
    words["size"] = json!(datatype.size);
    words
}

/// The datatype that words say; `None` if they make no sense.
pub(crate) fn from_words(words: &Value) -> Option<Datatype> {
    read(words, DEEPEST)
}

fn read(words: &Value, depth: usize) -> Option<Datatype> {
    let depth = depth.checked_sub(1)?;
    let size = usize::try_from(words["size"].as_u64().filter(|size| (1..=LARGEST).contains(size))?).ok()?;
    let base = || read(&words["base"], depth).map(Box::new);
    let class = match words["class"].as_str()? {
        "integer" => Class::Integer(Integer { bits: bits(words, size)?, signed: words["signed"].as_bool()? }),
        "bitfield" => Class::Bitfield(bits(words, size)?),
        "float" => Class::Float(float(words, size)?),
        "complex" => Class::Complex(base()?),
        "enum" => {
            let member = |member: &Value| Some((member[0].as_str()?.to_owned(), unhex(member[1].as_str()?)?));
            Class::Enum {
                base: base()?,
                members: words["members"].as_array()?.iter().map(member).collect::<Option<_>>()?,
            }
        }
        "string" => Class::String {
            padding: match words["padding"].as_str()? {
                "terminated" => StringPadding::NullTerminated,
                "zeros" => StringPadding::NullPadded,
                "spaces" => StringPadding::SpacePadded,
                _ => return None,
            },
            character_set: number(&words["characters"])?,
        },
        "time" => match words["order"].as_str()? {
            order @ ("little" | "big") => Class::Opaque(format!("{TIME}{order}")),
            _ => return None,
        },
        "opaque" => Class::Opaque(words["tag"].as_str()?.to_owned()),
        "array" => Class::Array {
            dims: words["dims"].as_array()?.iter().map(Value::as_u64).collect::<Option<_>>()?,
            element: base()?,
        },
        "compound" => {
            let member = |member: &Value| {
                Some(Member {
                    name: member["name"].as_str()?.to_owned(),
                    offset: usize::try_from(member["offset"].as_u64()?).ok()?,
                    datatype: read(&member["type"], depth)?,
                })
            };
            Class::Compound(words["members"].as_array()?.iter().map(member).collect::<Option<_>>()?)
        }
        "text" => text_class(number(&words["characters"])?),
        "sequence" => Class::Variable(Box::new(Variable { form: VariableForm::Sequence, element: *base()? })),
        "other" => Class::Other(number(&words["number"])?),
        _ => return None,
    };
    Some(Datatype { size, class })
}

/// Text of variable length.
pub(crate) fn text_class(character_set: i32) -> Class {
    let element = Datatype { size: 1, class: Class::Opaque(String::new()) };
    Class::Variable(Box::new(Variable { form: VariableForm::Text { character_set }, element }))
}

fn number(value: &Value) -> Option<i32> {
    value.as_i64().and_then(|number| i32::try_from(number).ok())
}

fn plain_bits(size: usize, order: Order) -> Bits {
    Bits { order, precision: 8 * size, offset: 0, low_pad: Pad::Zero, high_pad: Pad::Zero }
}

fn put_bits(words: &mut Value, bits: Bits, size: usize) {
    if size > 1 {
        words["order"] = json!(match bits.order {
            Order::Little => "little",
            Order::Big => "big",
            Order::Vax => "vax",
        });
    }
    if bits != plain_bits(size, bits.order) {
        words["bits"] = json!({
            "precision": bits.precision, "offset": bits.offset, "below": pad_word(bits.low_pad),
            "above": pad_word(bits.high_pad),
        });
    }
}

fn bits(words: &Value, size: usize) -> Option<Bits> {
    let order = match words["order"].as_str() {
        None | Some("little") => Order::Little,
        Some("big") => Order::Big,
        Some("vax") => Order::Vax,
        Some(_) => return None,
    };
    let Some(given) = words["bits"].as_object() else { return Some(plain_bits(size, order)) };
    Some(Bits {
        order,
        precision: size_of(given, "precision")?,
        offset: size_of(given, "offset")?,
        low_pad: pad_of(given.get("below")?)?,
        high_pad: pad_of(given.get("above")?)?,
    })
}

fn size_of(words: &Map<String, Value>, key: &str) -> Option<usize> {
    usize::try_from(words.get(key)?.as_u64()?).ok().filter(|size| *size <= 1 << 20)
}

fn float(words: &Value, size: usize) -> Option<Float> {
    let bits = bits(words, size)?;
    let Some(fields) = words["fields"].as_object() else {
        return ieee(size, bits.order).map(|float| Float { bits, ..float });
    };
    let pair = |key: &str| {
        let part = |index: usize| usize::try_from(fields.get(key)?[index].as_u64()?).ok();
        Some((part(0)?, part(1)?))
    };
    Some(Float {
        bits,
        sign: size_of(fields, "sign")?,
        exponent: pair("exponent")?,
        bias: fields.get("bias")?.as_u64()?,
        mantissa: pair("mantissa")?,
        normalization: match fields.get("norm")?.as_str()? {
            "implied" => Normalization::Implied,
            "set" => Normalization::MsbSet,
            "none" => Normalization::None,
            _ => return None,
        },
        inner_pad: pad_of(fields.get("padding")?)?,
    })
}

/// The float of IEEE 754 with this size.
pub(crate) fn ieee(size: usize, order: Order) -> Option<Float> {
    let (exponent, mantissa) = match size {
        2 => (5, 10),
        4 => (8, 23),
        8 => (11, 52),
        _ => return None,
    };
    Some(Float {
        bits: plain_bits(size, order),
        sign: 8 * size - 1,
        exponent: (mantissa, exponent),
        bias: (1 << (exponent - 1)) - 1,
        mantissa: (0, mantissa),
        normalization: Normalization::Implied,
        inner_pad: Pad::Zero,
    })
}

/// A plain integer.
pub(crate) fn integer(size: usize, signed: bool, order: Order) -> Datatype {
    Datatype { size, class: Class::Integer(Integer { bits: plain_bits(size, order), signed }) }
}

/// A float of IEEE 754.
pub(crate) fn float_type(size: usize, order: Order) -> Option<Datatype> {
    Some(Datatype { size, class: Class::Float(ieee(size, order)?) })
}

fn norm_word(norm: Normalization) -> &'static str {
    match norm {
        Normalization::Implied => "implied",
        Normalization::MsbSet => "set",
        Normalization::None => "none",
    }
}

fn padding_word(padding: StringPadding) -> &'static str {
    match padding {
        StringPadding::NullTerminated => "terminated",
        StringPadding::NullPadded => "zeros",
        StringPadding::SpacePadded => "spaces",
    }
}

fn pad_word(pad: Pad) -> &'static str {
    match pad {
        Pad::Zero => "zeros",
        Pad::One => "ones",
        Pad::Background => "kept",
    }
}

fn pad_of(word: &Value) -> Option<Pad> {
    Some(match word.as_str()? {
        "zeros" => Pad::Zero,
        "ones" => Pad::One,
        "kept" => Pad::Background,
        _ => return None,
    })
}

/// Bytes as text.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use core::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // A String takes everything.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Text as bytes; `None` if it is not what [`hex`] gives.
pub(crate) fn unhex(text: &str) -> Option<Vec<u8>> {
    if !text.is_ascii() || !text.len().is_multiple_of(2) {
        return None;
    }
    (0..text.len() / 2).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).ok()).collect()
}
