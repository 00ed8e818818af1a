//! Documents of version 2, read as what they would be in version 3.

use serde_json::{Value, json};

use super::array::ArrayMetadata;
use super::chunk_keys::{ChunkKeys, Separator};
use super::data_type::{BytesSpelling, DataType, Field, StructSpelling};
use super::fill_value::from_version_2;
use super::{Format, GroupMetadata, Order};
use crate::error::Problem;
use crate::json::{Object, kind, required, sizes};

/// The attribute in which xarray keeps the names of dimensions.
const DIMENSIONS: &str = "_ARRAY_DIMENSIONS";

/// Bytes of the largest element, and characters of the longest text.
const LARGEST: u64 = super::data_type::LARGEST_ELEMENT;
const LARGEST_TEXT: u64 = LARGEST / 4;

/// How deep structures may contain structures.
const DEEPEST: usize = 32;

/// A group, of its `.zgroup` and `.zattrs`.
pub(crate) fn group(zgroup: &Object, attributes: Object) -> Result<GroupMetadata, Problem> {
    check_version(zgroup)?;
    Ok(GroupMetadata { format: Format::V2, ..GroupMetadata::new(attributes) })
}

/// An array, of its `.zarray` and `.zattrs`.
pub(crate) fn array(zarray: &Object, attributes: Object) -> Result<ArrayMetadata, Problem> {
    check_version(zarray)?;
    let shape = sizes(required(zarray, "shape")?, "shape")?;
    let chunk_shape = sizes(required(zarray, "chunks")?, "chunks")?;
    // An array without elements may have chunks without them.
    let chunk_shape: Vec<u64> = chunk_shape.into_iter().map(|length| length.max(1)).collect();
    let filters = filters(zarray)?;
    let (data_type, order) = data_type(required(zarray, "dtype")?, &filters)?;
    let separator =
        Separator::from_json(zarray.get("dimension_separator"), Separator::Period, "dimension_separator")?;
    let fill_value = from_version_2(zarray.get("fill_value").unwrap_or(&Value::Null), &data_type)?;
    let mut codecs = Vec::new();
    match zarray.get("order").and_then(Value::as_str) {
        Some("F") if shape.len() > 1 => {
            let reversed: Vec<usize> = (0..shape.len()).rev().collect();
            codecs.push(json!({"name": "transpose", "configuration": {"order": reversed}}));
        }
        Some("C" | "F") | None => {}
        Some(other) => return Err(Problem::invalid("order", format!("{other:?}"))),
    }
    codecs.extend(codecs_of(&data_type, order, &filters)?);
    if let Some(compressor) = zarray.get("compressor").filter(|compressor| !compressor.is_null()) {
        codecs.push(codec(compressor, &data_type)?);
    }
    let dimension_names = names(&attributes, shape.len());
    let read = ArrayMetadata {
        chunk_keys: ChunkKeys::V2(separator),
        fill_value,
        codecs,
        dimension_names,
        attributes,
        format: Format::V2,
        ..ArrayMetadata::new(&shape, data_type, &chunk_shape)
    };
    read.check()?;
    Ok(read)
}

fn check_version(document: &Object) -> Result<(), Problem> {
    match document.get("zarr_format").and_then(Value::as_u64) {
        Some(2) => Ok(()),
        _ => Err(Problem::invalid("zarr_format", "is not 2")),
    }
}

/// What xarray calls the dimensions, if there is one name for each.
fn names(attributes: &Object, rank: usize) -> Option<Vec<Option<String>>> {
    let names = attributes.get(DIMENSIONS)?.as_array()?;
    let names: Vec<_> =
        names.iter().map(|name| Some(name.as_str().map(str::to_owned))).collect::<Option<_>>()?;
    (names.len() == rank).then_some(names)
}

fn filters(zarray: &Object) -> Result<Vec<&Object>, Problem> {
    match zarray.get("filters") {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(filters)) => filters
            .iter()
            .map(|filter| filter.as_object().ok_or_else(|| Problem::invalid("filters", format!("{filter}"))))
            .collect(),
        Some(other) => Err(Problem::invalid("filters", format!("is {}", kind(other)))),
    }
}

fn id(codec: &Object) -> &str {
    codec.get("id").and_then(Value::as_str).unwrap_or_default()
}

/// The array-to-bytes codec and the filters after it.
fn codecs_of(data_type: &DataType, order: Order, filters: &[&Object]) -> Result<Vec<Value>, Problem> {
    let endian = match order {
        Order::Little => "little",
        Order::Big => "big",
    };
    let (first, rest) = match data_type {
        DataType::String => (json!({"name": "vlen-utf8"}), filters.get(1..)),
        DataType::Bytes(_) => (json!({"name": "vlen-bytes"}), filters.get(1..)),
        _ => (json!({"name": "bytes", "configuration": {"endian": endian}}), Some(filters)),
    };
    let mut codecs = vec![first];
    for &filter in rest.unwrap_or_default() {
        codecs.push(codec(&Value::Object(filter.clone()), data_type)?);
    }
    Ok(codecs)
}

/// A compressor or filter as the codec of version 3 that does the same.
fn codec(value: &Value, data_type: &DataType) -> Result<Value, Problem> {
    let object =
        value.as_object().ok_or_else(|| Problem::invalid("compressor", format!("is {}", kind(value))))?;
    let number = |key: &str, default: i64| object.get(key).and_then(Value::as_i64).unwrap_or(default);
    let size = data_type.size().unwrap_or(1);
    Ok(match id(object) {
        "zlib" => json!({"name": "numcodecs.zlib", "configuration": {"level": number("level", 1)}}),
        "gzip" => json!({"name": "gzip", "configuration": {"level": number("level", 1)}}),
        "zstd" => json!({"name": "zstd", "configuration": {"level": number("level", 0),
            "checksum": object.get("checksum").and_then(Value::as_bool).unwrap_or(false)}}),
        "bz2" => json!({"name": "numcodecs.bz2", "configuration": {"level": number("level", 1)}}),
        "lz4" => {
            json!({"name": "numcodecs.lz4", "configuration": {"acceleration": number("acceleration", 1)}})
        }
        "crc32c" => json!({"name": "crc32c"}),
        "shuffle" => {
            let size = u64::try_from(number("elementsize", 4)).unwrap_or(0);
            json!({"name": "numcodecs.shuffle", "configuration": {"elementsize": size}})
        }
        "blosc" => {
            let shuffle = match number("shuffle", 1) {
                0 => "noshuffle",
                1 => "shuffle",
                2 => "bitshuffle",
                // Bits for elements of one byte, otherwise bytes.
                -1 if size == 1 => "bitshuffle",
                -1 => "shuffle",
                other => return Err(Problem::invalid("compressor", format!("the shuffle {other}"))),
            };
            let typesize = if (1..=255).contains(&size) { size } else { 1 };
            json!({"name": "blosc", "configuration": {
                "cname": object.get("cname").and_then(Value::as_str).unwrap_or("lz4"),
                "clevel": number("clevel", 5), "shuffle": shuffle, "typesize": typesize,
                "blocksize": number("blocksize", 0),
            }})
        }
        other => return Err(Problem::unsupported("compressor", format!("the codec {other:?}"))),
    })
}

/// The type and the order of its bytes.
fn data_type(dtype: &Value, filters: &[&Object]) -> Result<(DataType, Order), Problem> {
    if dtype.as_str() == Some("|O") {
        return match filters.first().map(|filter| id(filter)) {
            Some("vlen-utf8") => Ok((DataType::String, Order::Little)),
            Some("vlen-bytes") => Ok((DataType::Bytes(BytesSpelling::VariableLengthBytes), Order::Little)),
            Some(other) => Err(Problem::unsupported("filters", format!("objects by {other:?}"))),
            None => Err(Problem::unsupported("dtype", "objects without a filter")),
        };
    }
    let mut order = None;
    let data_type = numpy_type(dtype, &mut order, DEEPEST)?;
    Ok((data_type, order.unwrap_or(Order::Little)))
}

fn numpy_type(dtype: &Value, order: &mut Option<Order>, depth: usize) -> Result<DataType, Problem> {
    match dtype {
        Value::String(text) => simple_type(text, order),
        Value::Array(fields) if !fields.is_empty() => {
            let depth = depth
                .checked_sub(1)
                .ok_or_else(|| Problem::invalid("dtype", "too many structures in each other"))?;
            let field = |value: &Value| {
                let parts = value.as_array().map(Vec::as_slice).unwrap_or_default();
                match parts {
                    [Value::String(name), data_type] => {
                        Ok(Field { name: name.clone(), data_type: numpy_type(data_type, order, depth)? })
                    }
                    [_, _, _] => Err(Problem::unsupported("dtype", "a field that is an array")),
                    _ => Err(Problem::invalid("dtype", format!("the field {value}"))),
                }
            };
            let fields = fields.iter().map(field).collect::<Result<_, _>>()?;
            let data_type = DataType::Struct { fields, spelling: StructSpelling::Structured };
            // Its own rules: distinct names, and not too large.
            DataType::from_json(&data_type.to_json())
        }
        other => Err(Problem::invalid("dtype", format!("is {}", kind(other)))),
    }
}

fn simple_type(text: &str, order: &mut Option<Order>) -> Result<DataType, Problem> {
    let wrong = || Problem::unsupported("dtype", format!("the type {text:?}"));
    let mut characters = text.chars();
    let (mark, code) = (characters.next().ok_or_else(wrong)?, characters.next().ok_or_else(wrong)?);
    let rest = characters.as_str();
    let digits = rest.split_once('[').map_or(rest, |(digits, _)| digits);
    let size: u64 = digits.parse().map_err(|_| wrong())?;
    let small = u8::try_from(size).unwrap_or(u8::MAX);
    let data_type = match (code, size) {
        ('b', 1) => DataType::Bool,
        ('i', 1 | 2 | 4 | 8) => DataType::Int(small),
        ('u', 1 | 2 | 4 | 8) => DataType::UInt(small),
        ('f', 2 | 4 | 8) => DataType::Float(small),
        ('c', 8 | 16) => DataType::Complex(small),
        ('S', 1..=LARGEST) => DataType::NullTerminatedBytes(size),
        ('V', 1..=LARGEST) => DataType::RawBytes(size),
        ('U', 1..=LARGEST_TEXT) => DataType::FixedLengthUtf32(size * 4),
        ('M' | 'm', 8) => {
            let unit = match rest.split_once('[') {
                Some((_, unit)) => unit.strip_suffix(']').ok_or_else(wrong)?,
                None => "generic",
            };
            let at = unit.find(|character: char| !character.is_ascii_digit()).ok_or_else(wrong)?;
            let (scale, unit) = unit.split_at(at);
            let scale = if scale.is_empty() { 1 } else { scale.parse().map_err(|_| wrong())? };
            DataType::Time { is_delta: code == 'm', unit: unit.to_owned(), scale }
        }
        _ => return Err(wrong()),
    };
    if data_type.has_order() {
        let this = match mark {
            '<' => Order::Little,
            '>' => Order::Big,
            _ => return Err(wrong()),
        };
        if order.replace(this).is_some_and(|before| before != this) {
            return Err(Problem::unsupported("dtype", "fields of different byte orders"));
        }
    }
    Ok(data_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(document: Value) -> Result<ArrayMetadata, Problem> {
        let Value::Object(document) = document else { panic!("an object") };
        array(&document, Object::new())
    }

    #[test]
    fn what_zarr_python_writes_is_read() {
        let array =
            read(json!({"shape": [4, 4], "chunks": [2, 2], "dtype": [["a", ">i4"], ["b", [["x", "|u1"]]]],
            "fill_value": "AAAAAAA=", "order": "F", "filters": [{"id": "shuffle", "elementsize": 5}],
            "dimension_separator": "/", "compressor": {"id": "zlib", "level": 3}, "zarr_format": 2}))
            .unwrap();
        assert_eq!(array.chunk_keys.key(&[1, 0]), "1/0");
        assert_eq!(array.data_type.size(), Some(5));
        let names: Vec<&str> = array.codecs.iter().map(|codec| codec["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["transpose", "bytes", "numcodecs.shuffle", "numcodecs.zlib"]);
        assert_eq!(array.codecs[1]["configuration"]["endian"], "big");
    }

    #[test]
    fn types_of_numpy() {
        let mut order = None;
        for (text, size) in [
            ("|b1", 1),
            ("<i2", 2),
            ("|u1", 1),
            ("<f2", 2),
            ("<c16", 16),
            ("|S5", 5),
            ("<U5", 20),
            ("<M8[10ms]", 8),
            ("|V3", 3),
        ] {
            assert_eq!(simple_type(text, &mut order).unwrap().size(), Some(size), "{text}");
        }
        for wrong in ["", "<", "<i3", "|i2", "<f16", "<q8", "<U", "<U99999999999", "|O", "<M8[", "<M8[5]"] {
            assert!(simple_type(wrong, &mut order).is_err(), "{wrong}");
        }
        assert!(simple_type(">i2", &mut order).is_err(), "mixed orders");
    }
}
