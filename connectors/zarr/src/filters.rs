//! Between HDF5's filters and Zarr's codecs.

use h5_shadow::spec::FilterSpec;
use h5_shadow::{Failure, Outcome};
use serde_json::{Value, json};
use zarr::{ArrayMetadata, DataType, Order};

use crate::attributes::OURS;

/// HDF5's numbers of filters.
const DEFLATE: i32 = 1;
const SHUFFLE: i32 = 2;
const FLETCHER32: i32 = 3;
const NBIT: i32 = 5;
const SCALEOFFSET: i32 = 6;
const BLOSC: i32 = 32001;
const ZSTD: i32 = 32015;

/// Blosc's numbers of its own compressors.
const BLOSC_CODECS: [&str; 6] = ["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"];

/// What becomes of filters that Zarr does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Unknown {
    /// The dataset is refused.
    #[default]
    Refused,
    /// Zstandard takes their place.
    Zstd,
}

/// A compressor.
enum Compressor {
    Gzip(u32),
    Zstd(u32),
    Blosc { codec: &'static str, level: u32, shuffle: &'static str, size: u32 },
}

/// The codecs of a dataset after the one that makes bytes. The element has this many bytes.
pub(crate) fn to_codecs(filters: &[FilterSpec], element: u64, unknown: Unknown) -> Outcome<Vec<Value>> {
    let (mut is_shuffled, mut compressor, mut is_checked) = (false, None, false);
    for filter in filters {
        let parameter = |index: usize| filter.parameters.get(index).copied();
        match filter.id {
            DEFLATE => compressor = Some(Compressor::Gzip(parameter(0).unwrap_or(6).min(9))),
            SHUFFLE => is_shuffled = true,
            FLETCHER32 => is_checked = true,
            ZSTD => compressor = Some(Compressor::Zstd(parameter(0).unwrap_or(3).min(22))),
            BLOSC => {
                let codec = parameter(6).and_then(|number| BLOSC_CODECS.get(usize::try_from(number).ok()?));
                let shuffle = match parameter(5) {
                    Some(0) => "noshuffle",
                    Some(2) => "bitshuffle",
                    _ => "shuffle",
                };
                compressor = Some(Compressor::Blosc {
                    codec: codec.copied().unwrap_or("blosclz"),
                    level: parameter(4).unwrap_or(5).min(9),
                    shuffle,
                    size: parameter(2).unwrap_or(1),
                });
            }
            _ if unknown == Unknown::Zstd => compressor = Some(Compressor::Zstd(3)),
            other => {
                return Err(Failure::new(format!(
                    "Zarr has no codec for HDF5's filter {other}; with transcode=zstd in the connector's info, Zstandard takes its \
                     place"
                )));
            }
        }
    }
    let size = u32::try_from(element).unwrap_or(1);
    let blosc = |codec: &str, level: u32, shuffle: &str, size: u32| {
        json!({"name": "blosc", "configuration":
            {"cname": codec, "clevel": level, "shuffle": shuffle, "typesize": size.max(1), "blocksize": 0}})
    };
    // Every reader of Zarr has Blosc's shuffling, and hardly any another one.
    let compressor = match compressor {
        None => None,
        Some(Compressor::Gzip(level)) if is_shuffled && size > 1 => {
            Some(blosc("zlib", level, "shuffle", size))
        }
        Some(Compressor::Zstd(level)) if is_shuffled && size > 1 => {
            Some(blosc("zstd", level.min(9), "shuffle", size))
        }
        Some(Compressor::Gzip(level)) => Some(json!({"name": "gzip", "configuration": {"level": level}})),
        Some(Compressor::Zstd(level)) => {
            Some(json!({"name": "zstd", "configuration": {"level": level, "checksum": false}}))
        }
        Some(Compressor::Blosc { codec, level, shuffle, size }) => Some(blosc(codec, level, shuffle, size)),
    };
    let check = is_checked.then(|| json!({"name": "crc32c"}));
    Ok(compressor.into_iter().chain(check).collect())
}

/// The codec that makes bytes of elements.
pub(crate) fn first_codec(data_type: &DataType, order: Order) -> Value {
    match data_type {
        DataType::String => json!({"name": "vlen-utf8"}),
        DataType::Bytes(_) => json!({"name": "vlen-bytes"}),
        _ if data_type.has_order() => {
            let endian = if order == Order::Big { "big" } else { "little" };
            json!({"name": "bytes", "configuration": {"endian": endian}})
        }
        _ => json!({"name": "bytes"}),
    }
}

/// The filters that HDF5's functions tell for an array that knows nothing of HDF5. They are not applied.
pub(crate) fn from_codecs(codecs: &[Value]) -> Vec<FilterSpec> {
    let filter = |id, parameters: Vec<u32>| FilterSpec { id, parameters, optional: true };
    let level = |codec: &Value| {
        let level = codec["configuration"]["level"].as_u64().and_then(|level| u32::try_from(level).ok());
        level.unwrap_or(5)
    };
    codecs
        .iter()
        .filter_map(|codec| match codec["name"].as_str()? {
            "gzip" => Some(filter(DEFLATE, vec![level(codec).min(9)])),
            "zstd" => Some(filter(ZSTD, vec![level(codec)])),
            "blosc" => Some(filter(BLOSC, vec![2, 2, 1, 0, 5, 1, 0])),
            _ => None,
        })
        .collect()
}

/// The filters of a dataset that lose a part of its elements: nbit and scaleoffset.
pub(crate) fn lossy(array: &ArrayMetadata) -> Vec<codecs::Filter> {
    let words = array.attributes.get(OURS).map_or(&Value::Null, |ours| &ours["filters"]);
    let lossy = |filter: &FilterSpec| matches!(filter.id, NBIT | SCALEOFFSET);
    let filters = from_words(words).unwrap_or_default().into_iter().filter(lossy);
    filters
        .map(|filter| codecs::Filter {
            id: filter.id,
            name: String::new(),
            optional: filter.optional,
            parameters: filter.parameters,
        })
        .collect()
}

/// Filters in words.
pub(crate) fn to_words(filters: &[FilterSpec]) -> Value {
    let words = |filter: &FilterSpec| json!({"id": filter.id, "parameters": filter.parameters, "optional": filter.optional});
    Value::Array(filters.iter().map(words).collect())
}

/// Filters from words; `None` if they make no sense.
pub(crate) fn from_words(words: &Value) -> Option<Vec<FilterSpec>> {
    let filter = |words: &Value| {
        let parameter = |value: &Value| value.as_u64().and_then(|value| u32::try_from(value).ok());
        Some(FilterSpec {
            id: words["id"].as_i64().and_then(|id| i32::try_from(id).ok()).filter(|id| *id > 0)?,
            parameters: words["parameters"].as_array()?.iter().map(parameter).collect::<Option<_>>()?,
            optional: words["optional"].as_bool()?,
        })
    };
    words.as_array()?.iter().map(filter).collect()
}
