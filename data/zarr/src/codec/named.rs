//! Codecs as metadata names them.

use codecs::{Filter, beyond};
use serde_json::Value;

use crate::error::Problem;
use crate::json::{Named, sizes};
use crate::metadata::Order;

/// A codec with its configuration.
#[derive(Debug)]
pub(super) enum Codec {
    /// For each dimension of what is stored which one it is.
    Transpose(Vec<usize>),
    /// Elements one after another.
    Bytes(Option<Order>),
    /// Text of any length.
    VlenUtf8,
    /// Bytes of any number.
    VlenBytes,
    /// Chunks in chunks.
    Sharding(ShardingConfiguration),
    /// From bytes to bytes.
    Filter(Filter),
}

/// The configuration of `sharding_indexed`.
#[derive(Debug)]
pub(super) struct ShardingConfiguration {
    pub(super) chunk_shape: Vec<u64>,
    pub(super) codecs: Vec<Value>,
    pub(super) index_codecs: Vec<Value>,
    pub(super) index_at_start: bool,
}

const KEY: &str = "codecs";

/// HDF5's numbers of filters that Zarr has as they are.
const DEFLATE: i32 = 1;
const SHUFFLE: i32 = 2;
const BZIP2: i32 = 307;
const ZSTD: i32 = 32015;

impl Codec {
    /// Reads a codec. `element` is the size of elements.
    pub(super) fn read(value: &Value, element: Option<u64>) -> Result<Self, Problem> {
        let named = Named::read(value, KEY)?;
        let wrong = |option: &str| {
            let value = named.option(option).map_or_else(|| "missing".to_owned(), ToString::to_string);
            Problem::invalid(KEY, format!("{} with {option} {value}", named.name))
        };
        let number = |option: &str, default: Option<i64>, valid: core::ops::RangeInclusive<i64>| {
            let number = match named.option(option) {
                None | Some(Value::Null) => default,
                Some(value) => value.as_i64(),
            };
            number.filter(|number| valid.contains(number)).ok_or_else(|| wrong(option))
        };
        let filter = |id: i32, parameters: &[i64]| {
            // Negative levels are stored as what C makes of them.
            let parameter = |&number: &i64| i32::try_from(number).map_or(u32::MAX, i32::cast_unsigned);
            Self::Filter(Filter {
                id,
                name: named.name.to_owned(),
                optional: false,
                parameters: parameters.iter().map(parameter).collect(),
            })
        };
        Ok(match named.name {
            "transpose" => {
                let order = named.option("order").ok_or_else(|| wrong("order"))?;
                let order = sizes(order, KEY).map_err(|_| wrong("order"))?;
                let order = order.into_iter().map(|dimension| usize::try_from(dimension).ok());
                Self::Transpose(order.collect::<Option<_>>().ok_or_else(|| wrong("order"))?)
            }
            "bytes" => Self::Bytes(match named.option("endian").map(Value::as_str) {
                None => None,
                Some(Some("little")) => Some(Order::Little),
                Some(Some("big")) => Some(Order::Big),
                Some(_) if named.option("endian") == Some(&Value::Null) => None,
                Some(_) => return Err(wrong("endian")),
            }),
            "vlen-utf8" => Self::VlenUtf8,
            "vlen-bytes" => Self::VlenBytes,
            "sharding_indexed" => Self::Sharding(sharding(named, wrong)?),
            "gzip" | "numcodecs.gzip" => filter(beyond::GZIP, &[number("level", Some(5), 0..=9)?]),
            "zstd" | "numcodecs.zstd" => filter(ZSTD, &[number("level", Some(0), -131_072..=22)?]),
            "crc32c" | "numcodecs.crc32c" => filter(beyond::CRC32C, &[]),
            "numcodecs.zlib" | "zlib" => filter(DEFLATE, &[number("level", Some(1), 0..=9)?]),
            "numcodecs.bz2" => filter(BZIP2, &[number("level", Some(1), 1..=9)?]),
            "numcodecs.lz4" => filter(beyond::LZ4, &[]),
            "numcodecs.shuffle" => {
                filter(SHUFFLE, &[number("elementsize", Some(4), 1..=i64::from(i32::MAX))?])
            }
            "blosc" | "numcodecs.blosc" => filter(beyond::BLOSC, &blosc(named, element, wrong, number)?),
            name => return Err(Problem::unsupported(KEY, format!("the codec {name:?}"))),
        })
    }
}

fn sharding(named: Named<'_>, wrong: impl Fn(&str) -> Problem) -> Result<ShardingConfiguration, Problem> {
    let list =
        |option: &str| named.option(option).and_then(Value::as_array).cloned().ok_or_else(|| wrong(option));
    let chunk_shape = named.option("chunk_shape").ok_or_else(|| wrong("chunk_shape"))?;
    Ok(ShardingConfiguration {
        chunk_shape: sizes(chunk_shape, KEY).map_err(|_| wrong("chunk_shape"))?,
        codecs: list("codecs")?,
        index_codecs: list("index_codecs")?,
        index_at_start: match named.option("index_location").map(Value::as_str) {
            None | Some(Some("end")) => false,
            Some(Some("start")) => true,
            Some(_) => return Err(wrong("index_location")),
        },
    })
}

/// The parameters of HDF5's filter: two versions, bytes of an element, bytes of a chunk, level, shuffle and compressor.
fn blosc(
    named: Named<'_>,
    element: Option<u64>,
    wrong: impl Fn(&str) -> Problem,
    number: impl Fn(&str, Option<i64>, core::ops::RangeInclusive<i64>) -> Result<i64, Problem>,
) -> Result<[i64; 7], Problem> {
    let compressor = match named.option("cname").map_or(Some("lz4"), Value::as_str) {
        Some("blosclz") => 0,
        Some("lz4") => 1,
        Some("lz4hc") => 2,
        Some("snappy") => 3,
        Some("zlib") => 4,
        Some("zstd") => 5,
        _ => return Err(wrong("cname")),
    };
    let shuffle = match named.option("shuffle") {
        None | Some(Value::Null) => 0,
        Some(Value::Number(_)) => number("shuffle", None, 0..=2)?,
        Some(Value::String(name)) => match name.as_str() {
            "noshuffle" => 0,
            "shuffle" => 1,
            "bitshuffle" => 2,
            _ => return Err(wrong("shuffle")),
        },
        Some(_) => return Err(wrong("shuffle")),
    };
    let default =
        element.and_then(|element| i64::try_from(element).ok()).filter(|element| (1..=255).contains(element));
    let typesize = number("typesize", Some(default.unwrap_or(1)), 1..=i64::from(i32::MAX))?;
    let level = number("clevel", Some(5), 0..=9)?;
    Ok([2, 2, typesize, 0, level, shuffle, compressor])
}
