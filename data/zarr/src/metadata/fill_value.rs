//! What elements are that were never written.

use serde_json::{Number, Value, json};

use super::data_type::{BytesSpelling, DataType, Field, StructSpelling};
use super::small_floats::{BFLOAT, HALF, Small};
use crate::base64;
use crate::error::Problem;
use crate::json::{Object, kind};

/// The value of elements that were never written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FillValue {
    /// An element with its bytes in little-endian order, or the content of one without a fixed size.
    Bytes(Vec<u8>),
    /// None was chosen (`null` in version 2): the elements may be anything. They are read as zeros.
    Undefined,
}

const NAN_32: u32 = 0x7fc0_0000;
const NAN_64: u64 = 0x7ff8_0000_0000_0000;

impl FillValue {
    /// Zeros, or nothing if elements have no fixed size.
    pub fn zero(data_type: &DataType) -> Self {
        let size = data_type.size().and_then(|size| usize::try_from(size).ok()).unwrap_or(0);
        Self::Bytes(vec![0; size])
    }

    /// One element: in little-endian order, or turned round.
    pub fn element(&self, data_type: &DataType, big_endian: bool) -> Vec<u8> {
        let Self::Bytes(bytes) = self else { return Self::zero(data_type).element(data_type, false) };
        let mut bytes = bytes.clone();
        if big_endian {
            data_type.swap_order(&mut bytes);
        }
        bytes
    }

    /// Reads it from a document of version 3.
    pub fn from_json(value: &Value, data_type: &DataType) -> Result<Self, Problem> {
        let mut bytes = Vec::new();
        read(value, data_type, &mut bytes)?;
        Ok(Self::Bytes(bytes))
    }

    /// As it is in documents of version 3. Fails if there are too few or too many bytes.
    pub fn to_json(&self, data_type: &DataType) -> Result<Value, Problem> {
        let bytes = self.element(data_type, false);
        let size = data_type.size();
        if size.is_some_and(|size| size != bytes.len() as u64) {
            return Err(wrong(data_type, &json!(format!("a value of {} bytes", bytes.len()))));
        }
        print(&bytes, data_type).ok_or_else(|| wrong(data_type, &json!("these bytes")))
    }
}

fn wrong(data_type: &DataType, value: &Value) -> Problem {
    Problem::invalid("fill_value", format!("{value} is not a value of {}", data_type.to_json()))
}

fn read(value: &Value, data_type: &DataType, bytes: &mut Vec<u8>) -> Result<(), Problem> {
    let fail = || wrong(data_type, value);
    match data_type {
        DataType::Bool => bytes.push(u8::from(value.as_bool().ok_or_else(fail)?)),
        DataType::Int(size) => integer(value, *size, true, bytes).ok_or_else(fail)?,
        DataType::UInt(size) => integer(value, *size, false, bytes).ok_or_else(fail)?,
        DataType::Time { .. } if value.as_str() == Some("NaT") => {
            bytes.extend_from_slice(&i64::MIN.to_le_bytes());
        }
        DataType::Time { .. } => integer(value, 8, true, bytes).ok_or_else(fail)?,
        DataType::Float(size) => float(value, Width::of(*size), bytes).ok_or_else(fail)?,
        DataType::BFloat16 => float(value, Width::Small(BFLOAT), bytes).ok_or_else(fail)?,
        DataType::Complex(size) => {
            let Some([real, imaginary]) = value.as_array().map(Vec::as_slice) else { return Err(fail()) };
            let width = Width::of(size / 2);
            float(real, width, bytes).ok_or_else(fail)?;
            float(imaginary, width, bytes).ok_or_else(fail)?;
        }
        DataType::Raw(size) | DataType::RawBytes(size) => {
            let given = given_bytes(value).filter(|given| given.len() as u64 == *size);
            bytes.extend(given.ok_or_else(fail)?);
        }
        DataType::NullTerminatedBytes(size) => {
            let given = given_bytes(value).filter(|given| given.len() as u64 <= *size).ok_or_else(fail)?;
            padded(given, *size, bytes);
        }
        DataType::FixedLengthUtf32(size) => {
            let text = value.as_str().ok_or_else(fail)?;
            let given: Vec<u8> =
                text.chars().flat_map(|character| u32::from(character).to_le_bytes()).collect();
            if given.len() as u64 > *size {
                return Err(fail());
            }
            padded(given, *size, bytes);
        }
        DataType::Struct { fields, .. } => read_struct(value, data_type, fields, bytes)?,
        DataType::String => bytes.extend_from_slice(value.as_str().ok_or_else(fail)?.as_bytes()),
        DataType::Bytes(_) => bytes.extend(given_bytes(value).ok_or_else(fail)?),
    }
    Ok(())
}

/// An object with a value for each field, or all bytes in base64. Zero stands for zeros, because zarr-python 2 wrote that.
fn read_struct(
    value: &Value,
    data_type: &DataType,
    fields: &[Field],
    bytes: &mut Vec<u8>,
) -> Result<(), Problem> {
    let size = data_type.size().unwrap_or(0);
    match value {
        Value::Object(object) => fields.iter().try_for_each(|field| {
            let value = object.get(&field.name);
            let missing = || {
                Problem::invalid("fill_value", format!("there is no value for the field {:?}", field.name))
            };
            read(value.ok_or_else(missing)?, &field.data_type, bytes)
        }),
        Value::Number(number) if number.as_u64() == Some(0) => {
            padded(Vec::new(), size, bytes);
            Ok(())
        }
        _ => {
            let given = given_bytes(value).filter(|given| given.len() as u64 == size);
            bytes.extend(given.ok_or_else(|| wrong(data_type, value))?);
            Ok(())
        }
    }
}

fn padded(given: Vec<u8>, size: u64, bytes: &mut Vec<u8>) {
    let end = bytes.len().saturating_add(usize::try_from(size).unwrap_or(0));
    bytes.extend(given);
    bytes.resize(end, 0);
}

/// Bytes as a list of numbers or in base64.
fn given_bytes(value: &Value) -> Option<Vec<u8>> {
    match value {
        Value::String(text) => base64::decode(text),
        Value::Array(list) => {
            list.iter().map(|byte| byte.as_u64().and_then(|byte| u8::try_from(byte).ok())).collect()
        }
        _ => None,
    }
}

/// An integer, which some write as a float without a fraction.
fn integer(value: &Value, size: u8, signed: bool, bytes: &mut Vec<u8>) -> Option<()> {
    let number = match value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from)) {
        Some(number) => number,
        None => whole(value.as_f64()?)?,
    };
    let bits = u32::from(size) * 8;
    let (least, most) = if signed {
        (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1)
    } else {
        (0, (1_i128 << bits) - 1)
    };
    if number < least || number > most {
        return None;
    }
    bytes.extend_from_slice(&number.to_le_bytes()[..usize::from(size)]);
    Some(())
}

#[expect(clippy::cast_possible_truncation, reason = "checked to be exact")]
fn whole(value: f64) -> Option<i128> {
    (value.fract() == 0.0 && value.abs() < 1e20).then_some(value as i128)
}

/// How a float is stored.
#[derive(Debug, Clone, Copy)]
enum Width {
    Small(Small),
    Four,
    Eight,
}

impl Width {
    fn of(size: u8) -> Self {
        match size {
            2 => Self::Small(HALF),
            4 => Self::Four,
            _ => Self::Eight,
        }
    }

    fn bytes(self) -> usize {
        match self {
            Self::Small(_) => 2,
            Self::Four => 4,
            Self::Eight => 8,
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "rounding to the nearest is what is wanted")]
fn float(value: &Value, width: Width, bytes: &mut Vec<u8>) -> Option<()> {
    let number = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => match text.as_str() {
            "NaN" => f64::NAN,
            "Infinity" => f64::INFINITY,
            "-Infinity" => f64::NEG_INFINITY,
            hexadecimal => return hexadecimal_float(hexadecimal, width, bytes),
        },
        _ => return None,
    };
    match width {
        Width::Small(small) => {
            let bits = if number.is_nan() { small.nan() } else { small.narrow(number) };
            bytes.extend_from_slice(&bits.to_le_bytes());
        }
        Width::Four if number.is_nan() => bytes.extend_from_slice(&NAN_32.to_le_bytes()),
        Width::Four => bytes.extend_from_slice(&(number as f32).to_le_bytes()),
        Width::Eight if number.is_nan() => bytes.extend_from_slice(&NAN_64.to_le_bytes()),
        Width::Eight => bytes.extend_from_slice(&number.to_le_bytes()),
    }
    Some(())
}

/// The bits of a float, as `0x7fc00000`.
fn hexadecimal_float(text: &str, width: Width, bytes: &mut Vec<u8>) -> Option<()> {
    let digits = text.strip_prefix("0x")?;
    if digits.len() != width.bytes() * 2 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let bits = u64::from_str_radix(digits, 16).ok()?;
    bytes.extend_from_slice(&bits.to_le_bytes()[..width.bytes()]);
    Some(())
}

fn print(bytes: &[u8], data_type: &DataType) -> Option<Value> {
    let padded = |size: u8| {
        let mut padded = [0; 8];
        padded[..usize::from(size)].copy_from_slice(bytes.get(..usize::from(size))?);
        Some(u64::from_le_bytes(padded))
    };
    Some(match data_type {
        DataType::Bool => json!(*bytes.first()? != 0),
        DataType::Int(size) => {
            let unused = 64 - u32::from(*size) * 8;
            json!((padded(*size)? << unused).cast_signed() >> unused)
        }
        DataType::Time { .. } => json!(padded(8)?.cast_signed()),
        DataType::UInt(size) => json!(padded(*size)?),
        DataType::Float(size) => print_float(bytes, Width::of(*size))?,
        DataType::BFloat16 => print_float(bytes, Width::Small(BFLOAT))?,
        DataType::Complex(size) => {
            let (real, imaginary) = bytes.split_at_checked(usize::from(size / 2))?;
            let width = Width::of(size / 2);
            json!([print_float(real, width)?, print_float(imaginary, width)?])
        }
        DataType::RawBytes(_) | DataType::Bytes(BytesSpelling::VariableLengthBytes) => {
            json!(base64::encode(bytes))
        }
        DataType::Raw(_) | DataType::Bytes(BytesSpelling::Bytes) => json!(bytes),
        DataType::NullTerminatedBytes(_) => {
            let length = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
            json!(base64::encode(&bytes[..length]))
        }
        DataType::FixedLengthUtf32(_) => {
            let character = |word: &[u8; 4]| char::from_u32(u32::from_le_bytes(*word));
            let text: String = bytes.as_chunks::<4>().0.iter().map(character).collect::<Option<_>>()?;
            json!(text.trim_end_matches('\0'))
        }
        DataType::Struct { spelling: StructSpelling::Structured, .. } => json!(base64::encode(bytes)),
        DataType::Struct { fields, .. } => {
            let mut rest = bytes;
            let mut object = Object::new();
            for field in fields {
                let size = usize::try_from(field.data_type.size()?).ok()?;
                let (value, after) = rest.split_at_checked(size)?;
                object.insert(field.name.clone(), print(value, &field.data_type)?);
                rest = after;
            }
            Value::Object(object)
        }
        DataType::String => json!(core::str::from_utf8(bytes).ok()?),
    })
}

fn print_float(bytes: &[u8], width: Width) -> Option<Value> {
    let (number, is_usual_nan) = match width {
        Width::Small(small) => {
            let bits = u16::from_le_bytes(*bytes.first_chunk()?);
            (small.widen(bits), bits == small.nan())
        }
        Width::Four => {
            let number = f32::from_le_bytes(*bytes.first_chunk()?);
            (f64::from(number), number.to_bits() == NAN_32)
        }
        Width::Eight => {
            let number = f64::from_le_bytes(*bytes.first_chunk()?);
            (number, number.to_bits() == NAN_64)
        }
    };
    Some(if let Some(finite) = Number::from_f64(number) {
        Value::Number(finite)
    } else if is_usual_nan {
        json!("NaN")
    } else if number.is_nan() {
        let digits: Vec<String> =
            bytes[..width.bytes()].iter().rev().map(|byte| format!("{byte:02x}")).collect();
        json!(format!("0x{}", digits.concat()))
    } else if number > 0.0 {
        json!("Infinity")
    } else {
        json!("-Infinity")
    })
}

/// Fill values of version 2: as those of version 3, but with `null`, text in base64, and numbers where text is meant.
pub(super) fn from_version_2(value: &Value, data_type: &DataType) -> Result<FillValue, Problem> {
    let zero = FillValue::zero(data_type);
    match (value, data_type) {
        (Value::Null, _) => Ok(FillValue::Undefined),
        (Value::String(text), DataType::FixedLengthUtf32(_) | DataType::String) if text.is_empty() => {
            Ok(zero)
        }
        (Value::Number(number), DataType::String | DataType::Bytes(_)) if number.as_i64() == Some(0) => {
            Ok(zero)
        }
        (Value::Number(number), _)
            if number.as_i64() == Some(0) && !matches!(data_type, DataType::Complex(_)) =>
        {
            Ok(zero)
        }
        (Value::Number(_), DataType::Complex(_)) => FillValue::from_json(&json!([value, 0]), data_type),
        (Value::Number(number), DataType::Bool) => {
            Ok(FillValue::Bytes(vec![u8::from(number.as_f64() != Some(0.0))]))
        }
        (Value::String(_) | Value::Number(_) | Value::Bool(_) | Value::Array(_) | Value::Object(_), _) => {
            FillValue::from_json(value, data_type).map_err(|_| {
                Problem::invalid("fill_value", format!("{} for {}", kind(value), data_type.to_json()))
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn both_ways(data_type: &Value, value: &Value, bytes: &[u8]) {
        let data_type = DataType::from_json(data_type).unwrap();
        let fill = FillValue::from_json(value, &data_type).unwrap();
        assert_eq!(fill, FillValue::Bytes(bytes.to_vec()), "{value}");
        assert_eq!(&fill.to_json(&data_type).unwrap(), value);
    }

    #[test]
    fn all_spellings() {
        both_ways(&json!("bool"), &json!(true), &[1]);
        both_ways(&json!("int8"), &json!(-128), &[0x80]);
        both_ways(&json!("uint64"), &json!(u64::MAX), &[0xff; 8]);
        both_ways(&json!("int64"), &json!(i64::MIN), &i64::MIN.to_le_bytes());
        both_ways(&json!("float16"), &json!(1.5), &[0x00, 0x3e]);
        both_ways(&json!("float16"), &json!("NaN"), &[0x00, 0x7e]);
        both_ways(&json!("bfloat16"), &json!("-Infinity"), &[0x80, 0xff]);
        both_ways(&json!("float32"), &json!("0x7fc00001"), &[0x01, 0x00, 0xc0, 0x7f]);
        both_ways(&json!("float64"), &json!("Infinity"), &f64::INFINITY.to_le_bytes());
        both_ways(&json!("float64"), &json!(-0.0), &(-0.0_f64).to_le_bytes());
        both_ways(&json!("complex64"), &json!(["NaN", 1.0]), &[0, 0, 0xc0, 0x7f, 0, 0, 0x80, 0x3f]);
        both_ways(&json!("r16"), &json!([1, 255]), &[1, 255]);
        both_ways(&json!("string"), &json!("hé"), "hé".as_bytes());
        both_ways(&json!("variable_length_bytes"), &json!("eHk="), b"xy");
        let utf32 = json!({"name": "fixed_length_utf32", "configuration": {"length_bytes": 8}});
        both_ways(&utf32, &json!("a"), &[b'a', 0, 0, 0, 0, 0, 0, 0]);
        let text = json!({"name": "null_terminated_bytes", "configuration": {"length_bytes": 3}});
        both_ways(&text, &json!("YWI="), b"ab\0");
        let fields = json!([{"name": "a", "data_type": "int16"}, {"name": "b", "data_type": "float32"}]);
        let structure = json!({"name": "struct", "configuration": {"fields": fields}});
        both_ways(&structure, &json!({"a": 1, "b": "NaN"}), &[1, 0, 0, 0, 0xc0, 0x7f]);
        let pairs = json!({"name": "structured", "configuration": {"fields": [["a", "int16"]]}});
        both_ways(&pairs, &json!("AQA="), &[1, 0]);
    }

    #[test]
    fn values_of_other_types_are_refused() {
        for (data_type, value) in [
            ("int8", json!(128)),
            ("uint8", json!(-1)),
            ("int32", json!(1.5)),
            ("float32", json!("0x7fc0")),
            ("bool", json!(1)),
            ("float32", json!("nan")),
            ("r16", json!([1])),
            ("string", json!(0)),
            ("float32", json!("0x+fc00001")),
            ("complex64", json!([1])),
        ] {
            let data_type = DataType::from_json(&json!(data_type)).unwrap();
            assert!(FillValue::from_json(&value, &data_type).is_err(), "{value}");
        }
    }
}
