//! What elements are.

use serde_json::{Value, json};

use crate::error::Problem;
use crate::json::{Named, Object, kind};

/// No element is larger than this: a short document must not take much memory for the fill value.
pub(super) const LARGEST_ELEMENT: u64 = 1 << 26;

/// How deep structures may contain structures.
const DEEPEST: usize = 32;

/// The type of an array's elements. Byte order is not part of it: the codec `bytes` has it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DataType {
    /// One byte, 0 or 1.
    Bool,
    /// A signed integer of 1, 2, 4 or 8 bytes.
    Int(u8),
    /// An unsigned integer of 1, 2, 4 or 8 bytes.
    UInt(u8),
    /// A float of 2, 4 or 8 bytes.
    Float(u8),
    /// The upper half of a float of 4 bytes.
    BFloat16,
    /// Two floats, of 8 or 16 bytes together.
    Complex(u8),
    /// So many bytes without meaning: `r8`, `r16` and so on.
    Raw(u64),
    /// The same under zarr-python's name `raw_bytes`.
    RawBytes(u64),
    /// So many bytes, of which those after the last that is not zero do not count.
    NullTerminatedBytes(u64),
    /// Text of characters of four bytes each; so many bytes in all.
    FixedLengthUtf32(u64),
    /// A point in time or a length of time of numpy's: an integer of 8 bytes.
    Time {
        /// Whether it is a length of time (`numpy.timedelta64`).
        is_delta: bool,
        /// numpy's abbreviation.
        unit: String,
        /// How many of these units it counts.
        scale: u64,
    },
    /// Named fields one after another, without gaps.
    Struct {
        /// The fields.
        fields: Vec<Field>,
        /// How it is spelled in metadata.
        spelling: StructSpelling,
    },
    /// Text of any length.
    String,
    /// Bytes of any number.
    Bytes(BytesSpelling),
}

/// A field of a structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type.
    pub data_type: DataType,
}

/// The names that structures go by. They differ in how fields and fill values are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StructSpelling {
    /// `struct`, the registered name, which tensorstore reads.
    Struct,
    /// `structured`, the only one that zarr-python 3.1 reads.
    Structured,
}

/// The names that bytes of any number go by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BytesSpelling {
    /// `bytes`, the registered name.
    Bytes,
    /// `variable_length_bytes`, which zarr-python 3.1 writes.
    VariableLengthBytes,
}

impl DataType {
    /// Bytes of an element; `None` if they differ from element to element.
    pub fn size(&self) -> Option<u64> {
        Some(match self {
            Self::Bool => 1,
            Self::Int(bytes) | Self::UInt(bytes) | Self::Float(bytes) | Self::Complex(bytes) => {
                u64::from(*bytes)
            }
            Self::BFloat16 => 2,
            Self::Time { .. } => 8,
            Self::Raw(bytes)
            | Self::RawBytes(bytes)
            | Self::NullTerminatedBytes(bytes)
            | Self::FixedLengthUtf32(bytes) => *bytes,
            Self::Struct { fields, .. } => {
                fields.iter().try_fold(0_u64, |sum, field| sum.checked_add(field.data_type.size()?))?
            }
            Self::String | Self::Bytes(_) => return None,
        })
    }

    /// Whether the order of bytes in it makes a difference.
    pub fn has_order(&self) -> bool {
        match self {
            Self::Int(bytes) | Self::UInt(bytes) => *bytes > 1,
            Self::Float(_)
            | Self::Complex(_)
            | Self::BFloat16
            | Self::Time { .. }
            | Self::FixedLengthUtf32(_) => true,
            Self::Struct { fields, .. } => fields.iter().any(|field| field.data_type.has_order()),
            _ => false,
        }
    }

    /// Lengths of the runs of bytes that are turned round, each as a whole, when the order of bytes changes.
    pub(crate) fn words(&self, each: &mut impl FnMut(usize, usize)) {
        let size = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
        match self {
            Self::Int(bytes) | Self::UInt(bytes) | Self::Float(bytes) => each(usize::from(*bytes), 1),
            Self::Complex(bytes) => each(usize::from(bytes / 2), 2),
            Self::BFloat16 => each(2, 1),
            Self::Time { .. } => each(8, 1),
            Self::FixedLengthUtf32(bytes) => each(4, size(bytes / 4)),
            Self::Bool => each(1, 1),
            Self::Raw(bytes) | Self::RawBytes(bytes) | Self::NullTerminatedBytes(bytes) => {
                each(1, size(*bytes));
            }
            Self::Struct { fields, .. } => fields.iter().for_each(|field| field.data_type.words(each)),
            Self::String | Self::Bytes(_) => {}
        }
    }

    /// Turns the order of bytes of an element round.
    pub fn swap_order(&self, element: &mut [u8]) {
        let mut rest = element;
        self.words(&mut |length, count| {
            let all = length.saturating_mul(count).min(rest.len());
            let (words, after) = core::mem::take(&mut rest).split_at_mut(all);
            if length > 1 {
                words.chunks_exact_mut(length).for_each(<[u8]>::reverse);
            }
            rest = after;
        });
    }

    /// Reads the type in a document of version 3.
    pub fn from_json(value: &Value) -> Result<Self, Problem> {
        let data_type = Self::read(value, DEEPEST)?;
        match data_type.size() {
            Some(bytes) if bytes > LARGEST_ELEMENT => {
                Err(Problem::invalid("data_type", format!("elements of {bytes} bytes")))
            }
            _ => Ok(data_type),
        }
    }

    fn read(value: &Value, depth: usize) -> Result<Self, Problem> {
        let named = Named::read(value, "data_type")?;
        let length = || {
            let length = named
                .option("length_bytes")
                .and_then(Value::as_u64)
                .filter(|&bytes| bytes <= LARGEST_ELEMENT);
            length.ok_or_else(|| {
                Problem::invalid("data_type", format!("{} without a valid length_bytes", named.name))
            })
        };
        Ok(match named.name {
            "bool" => Self::Bool,
            "int8" => Self::Int(1),
            "int16" => Self::Int(2),
            "int32" => Self::Int(4),
            "int64" => Self::Int(8),
            "uint8" => Self::UInt(1),
            "uint16" => Self::UInt(2),
            "uint32" => Self::UInt(4),
            "uint64" => Self::UInt(8),
            "float16" => Self::Float(2),
            "float32" => Self::Float(4),
            "float64" => Self::Float(8),
            "bfloat16" => Self::BFloat16,
            "complex64" | "complex_float32" => Self::Complex(8),
            "complex128" | "complex_float64" => Self::Complex(16),
            "string" => Self::String,
            "bytes" => Self::Bytes(BytesSpelling::Bytes),
            "variable_length_bytes" => Self::Bytes(BytesSpelling::VariableLengthBytes),
            "raw_bytes" => Self::RawBytes(length()?),
            "null_terminated_bytes" => Self::NullTerminatedBytes(length()?),
            "fixed_length_utf32" => match length()? {
                bytes if bytes % 4 == 0 => Self::FixedLengthUtf32(bytes),
                bytes => {
                    return Err(Problem::invalid("data_type", format!("UTF-32 text of {bytes} bytes")));
                }
            },
            "numpy.datetime64" | "numpy.timedelta64" => {
                let unit = named.option("unit").and_then(Value::as_str).unwrap_or("generic");
                Self::Time {
                    is_delta: named.name == "numpy.timedelta64",
                    unit: unit.to_owned(),
                    scale: named.option("scale_factor").and_then(Value::as_u64).unwrap_or(1),
                }
            }
            "struct" | "structured" => Self::read_struct(named, depth)?,
            name => {
                return raw(name)
                    .ok_or_else(|| Problem::unsupported("data_type", format!("the type {name:?}")));
            }
        })
    }

    /// Fields are objects, or pairs in the older spelling. Both are read under both names.
    fn read_struct(named: Named<'_>, depth: usize) -> Result<Self, Problem> {
        let depth = depth
            .checked_sub(1)
            .ok_or_else(|| Problem::invalid("data_type", "too many structures in each other"))?;
        let fields = named.option("fields").and_then(Value::as_array);
        let fields = fields.filter(|fields| !fields.is_empty());
        let fields = fields.ok_or_else(|| Problem::invalid("data_type", "a structure without fields"))?;
        let field = |value: &Value| {
            let (name, data_type) = match value {
                Value::Array(pair) if pair.len() == 2 => (pair.first(), pair.get(1)),
                Value::Object(object) => (object.get("name"), object.get("data_type")),
                other => {
                    return Err(Problem::invalid("data_type", format!("a field that is {}", kind(other))));
                }
            };
            let (Some(Value::String(name)), Some(data_type)) = (name, data_type) else {
                return Err(Problem::invalid("data_type", "a field without name and type"));
            };
            let data_type = Self::read(data_type, depth)?;
            if data_type.size().is_none() {
                return Err(Problem::invalid("data_type", format!("the field {name:?} has no fixed size")));
            }
            Ok(Field { name: name.clone(), data_type })
        };
        let fields: Vec<Field> = fields.iter().map(field).collect::<Result<_, _>>()?;
        let mut sorted: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        sorted.sort_unstable();
        if let Some(&[twice, _]) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Problem::invalid("data_type", format!("two fields with the name {twice:?}")));
        }
        let spelling =
            if named.name == "struct" { StructSpelling::Struct } else { StructSpelling::Structured };
        Ok(Self::Struct { fields, spelling })
    }

    /// As it is in documents of version 3.
    pub fn to_json(&self) -> Value {
        let with_length =
            |name: &str, bytes: u64| json!({"name": name, "configuration": {"length_bytes": bytes}});
        match self {
            Self::Bool => json!("bool"),
            Self::Int(bytes) => json!(format!("int{}", u16::from(*bytes) * 8)),
            Self::UInt(bytes) => json!(format!("uint{}", u16::from(*bytes) * 8)),
            Self::Float(bytes) => json!(format!("float{}", u16::from(*bytes) * 8)),
            Self::Complex(bytes) => json!(format!("complex{}", u16::from(*bytes) * 8)),
            Self::BFloat16 => json!("bfloat16"),
            Self::Raw(bytes) => json!(format!("r{}", bytes.saturating_mul(8))),
            Self::RawBytes(bytes) => with_length("raw_bytes", *bytes),
            Self::NullTerminatedBytes(bytes) => with_length("null_terminated_bytes", *bytes),
            Self::FixedLengthUtf32(bytes) => with_length("fixed_length_utf32", *bytes),
            Self::Time { is_delta, unit, scale } => json!({
                "name": if *is_delta { "numpy.timedelta64" } else { "numpy.datetime64" },
                "configuration": {"unit": unit, "scale_factor": scale},
            }),
            Self::String => json!("string"),
            Self::Bytes(BytesSpelling::Bytes) => json!("bytes"),
            Self::Bytes(BytesSpelling::VariableLengthBytes) => json!("variable_length_bytes"),
            Self::Struct { fields, spelling } => {
                let (name, fields): (_, Vec<Value>) = match spelling {
                    StructSpelling::Struct => (
                        "struct",
                        fields
                            .iter()
                            .map(|field| json!({"name": field.name, "data_type": field.data_type.to_json()}))
                            .collect(),
                    ),
                    StructSpelling::Structured => (
                        "structured",
                        fields.iter().map(|field| json!([field.name, field.data_type.to_json()])).collect(),
                    ),
                };
                let configuration = Object::from_iter([("fields".to_owned(), Value::Array(fields))]);
                json!({"name": name, "configuration": configuration})
            }
        }
    }
}

/// `r8`, `r16` and so on.
fn raw(name: &str) -> Option<DataType> {
    let bits: u64 = name.strip_prefix('r')?.parse().ok()?;
    (bits > 0 && bits.is_multiple_of(8)).then_some(DataType::Raw(bits / 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_are_read_and_written() {
        for text in [
            json!("bool"),
            json!("int8"),
            json!("uint64"),
            json!("float16"),
            json!("complex128"),
            json!("r24"),
            json!("string"),
            json!("bytes"),
            json!("variable_length_bytes"),
            json!("bfloat16"),
            json!({"name": "fixed_length_utf32", "configuration": {"length_bytes": 20}}),
            json!({"name": "numpy.datetime64", "configuration": {"unit": "ms", "scale_factor": 10}}),
            json!({"name": "structured", "configuration": {"fields": [["a", "int32"], ["b", {"name": "structured",
                "configuration": {"fields": [["x", "uint8"]]}}]]}}),
            json!({"name": "struct", "configuration": {"fields": [{"name": "a", "data_type": "int32"}]}}),
        ] {
            assert_eq!(DataType::from_json(&text).unwrap().to_json(), text);
        }
        for wrong in [
            json!("int7"),
            json!("r7"),
            json!("r0"),
            json!("r"),
            json!(3),
            json!({"name": "raw_bytes"}),
            json!({"name": "struct", "configuration": {"fields": []}}),
            json!({"name": "struct", "configuration": {"fields": [["a", "int8"], ["a", "int8"]]}}),
            json!({"name": "struct", "configuration": {"fields": [["a", "string"]]}}),
            json!({"name": "raw_bytes", "configuration": {"length_bytes": 1_u64 << 40}}),
        ] {
            assert!(DataType::from_json(&wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn bytes_are_turned_round_word_by_word() {
        let value = json!({"name": "struct", "configuration": {"fields": [
            ["a", "int16"], ["c", "complex64"], ["r", "r16"], ["u", {"name": "fixed_length_utf32",
            "configuration": {"length_bytes": 4}}]]}});
        let data_type = DataType::from_json(&value).unwrap();
        let mut element: Vec<u8> = (0..16).collect();
        assert_eq!(data_type.size(), Some(16));
        data_type.swap_order(&mut element);
        assert_eq!(element, [1, 0, 5, 4, 3, 2, 9, 8, 7, 6, 10, 11, 15, 14, 13, 12]);
    }
}
