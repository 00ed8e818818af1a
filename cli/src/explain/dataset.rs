//! A dataset as it is listed. As JSON, this is what `--json` prints and what the worker sends.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::datatype::by;
use super::explanation::Explanation;
use super::size::Bytes;

/// Everything that is listed about a dataset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Dataset {
    pub(crate) path: String,
    #[serde(flatten)]
    pub(crate) extent: Extent,
    pub(crate) datatype: String,
    pub(crate) element_bytes: u64,
    /// The size of all elements before filters, without the data that variable-length elements point to.
    pub(crate) bytes: u64,
    #[serde(flatten)]
    pub(crate) layout: Layout,
    pub(crate) filters: Vec<Filter>,
    #[serde(flatten)]
    pub(crate) explanation: Explanation,
}

/// The dimensions: `None` for a dataset without elements (`H5S_NULL`), an empty list for a scalar.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Extent {
    shape: Option<Vec<u64>>,
    /// The maximum of each dimension. `None` means unlimited.
    max_shape: Option<Vec<Option<u64>>>,
}

/// Where the elements are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "layout", rename_all = "snake_case")]
pub(crate) enum Layout {
    Compact,
    Contiguous,
    /// Contiguous, in external files.
    External {
        files: u32,
    },
    Chunked {
        chunk_shape: Vec<u64>,
        /// The number of chunks in the grid, stored or not.
        chunks: u64,
        /// The size of a chunk before filters.
        chunk_bytes: u64,
    },
    Virtual {
        mappings: u64,
    },
    /// A layout of a newer HDF5.
    Unknown {
        number: i32,
    },
}

/// A filter of the pipeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Filter {
    id: i32,
    name: Option<String>,
    parameters: Vec<u32>,
}

impl Extent {
    pub(crate) fn null() -> Self {
        Self { shape: None, max_shape: None }
    }

    pub(crate) fn new(shape: Vec<u64>, max_shape: Vec<Option<u64>>) -> Self {
        Self { shape: Some(shape), max_shape: Some(max_shape) }
    }

    /// The dimensions. `None` for a dataset without elements.
    pub(crate) fn shape(&self) -> Option<&[u64]> {
        self.shape.as_deref()
    }

    /// The number of elements. A damaged file can claim more than fit into a `u64`; then the result is the maximum.
    pub(crate) fn elements(&self) -> u64 {
        self.shape.as_ref().map_or(0, |shape| product(shape))
    }
}

fn product(lengths: &[u64]) -> u64 {
    if lengths.contains(&0) { 0 } else { lengths.iter().fold(1, |all, length| all.saturating_mul(*length)) }
}

/// The chunks of a dataset.
pub(crate) fn chunk_grid(extent: &Extent, chunk_shape: Vec<u64>, element_bytes: u64) -> Layout {
    let shape = extent.shape.as_deref().unwrap_or_default();
    let along = |(length, chunk): (&u64, &u64)| length.div_ceil((*chunk).max(1));
    let grid: Vec<_> = shape.iter().zip(&chunk_shape).map(along).collect();
    let chunks = if extent.shape.is_some() { product(&grid) } else { 0 };
    let chunk_bytes = product(&chunk_shape).saturating_mul(element_bytes);
    Layout::Chunked { chunk_shape, chunks, chunk_bytes }
}

impl Filter {
    pub(crate) fn new(id: i32, stored_name: &str, parameters: &[u32]) -> Self {
        let stored = (!stored_name.is_empty()).then(|| stored_name.to_owned());
        Self { id, name: known_filter(id).map(String::from).or(stored), parameters: parameters.to_vec() }
    }
}

/// Short names of common filters. The names in files are long or missing.
fn known_filter(id: i32) -> Option<&'static str> {
    Some(match id {
        1 => "deflate",
        2 => "shuffle",
        3 => "fletcher32",
        4 => "szip",
        5 => "nbit",
        6 => "scaleoffset",
        305 => "lzo",
        307 => "bzip2",
        32000 => "lzf",
        32001 => "blosc",
        32004 => "lz4",
        32008 => "bitshuffle",
        32013 => "zfp",
        32015 => "zstd",
        32017 => "sz",
        32024 => "sz3",
        32026 => "blosc2",
        _ => return None,
    })
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(shape), Some(most)) = (&self.shape, &self.max_shape) else { return f.write_str("null") };
        if shape.is_empty() {
            return f.write_str("scalar");
        }
        for (number, (length, most)) in shape.iter().zip(most).enumerate() {
            if number > 0 {
                f.write_str(" x ")?;
            }
            match most {
                None => write!(f, "{length}/*")?,
                Some(most) if most != length => write!(f, "{length}/{most}")?,
                Some(_) => write!(f, "{length}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compact => f.write_str("compact"),
            Self::Contiguous => f.write_str("contiguous"),
            Self::External { files: 1 } => f.write_str("external, 1 file"),
            Self::External { files } => write!(f, "external, {files} files"),
            Self::Chunked { chunk_shape, chunks, chunk_bytes } => {
                let plural = if *chunks == 1 { "" } else { "s" };
                write!(f, "chunked {}, {chunks} chunk{plural} of {}", by(chunk_shape), Bytes(*chunk_bytes))
            }
            Self::Virtual { mappings: 1 } => f.write_str("virtual, 1 mapping"),
            Self::Virtual { mappings } => write!(f, "virtual, {mappings} mappings"),
            Self::Unknown { number } => write!(f, "layout {number}"),
        }
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.id, &self.name, self.parameters.first()) {
            (1, _, Some(level)) => write!(f, "deflate({level})"),
            (id, Some(name), _) if known_filter(id).is_some() => f.write_str(name),
            (id, Some(name), _) => write!(f, "{name} ({id})"),
            (id, None, _) => write!(f, "filter {id}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(shape: &[u64], most: &[Option<u64>]) -> Extent {
        Extent::new(shape.to_vec(), most.to_vec())
    }

    #[test]
    fn shapes_tell_how_far_they_may_grow() {
        assert_eq!(Extent::null().to_string(), "null");
        assert_eq!(extent(&[], &[]).to_string(), "scalar");
        assert_eq!(extent(&[6, 7], &[Some(6), Some(7)]).to_string(), "6 x 7");
        assert_eq!(extent(&[6, 7], &[None, Some(9)]).to_string(), "6/* x 7/9");
    }

    #[test]
    fn elements_are_counted_and_never_overflow() {
        assert_eq!(Extent::null().elements(), 0);
        assert_eq!(extent(&[], &[]).elements(), 1);
        assert_eq!(extent(&[6, 7], &[None, None]).elements(), 42);
        assert_eq!(extent(&[u64::MAX, 2], &[None, None]).elements(), u64::MAX);
        assert_eq!(extent(&[u64::MAX, 2, 0], &[None, None, None]).elements(), 0);
    }

    #[test]
    fn chunks_at_the_edge_count() {
        let grid = |shape: &[u64], chunk: &[u64]| {
            chunk_grid(&extent(shape, &vec![None; shape.len()]), chunk.to_vec(), 4).to_string()
        };
        assert_eq!(grid(&[1024, 1024], &[512, 512]), "chunked 512x512, 4 chunks of 1 MiB");
        assert_eq!(grid(&[1025, 1], &[512, 512]), "chunked 512x512, 3 chunks of 1 MiB");
        assert_eq!(grid(&[3], &[5]), "chunked 5, 1 chunk of 20 B");
        assert_eq!(grid(&[0], &[5]), "chunked 5, 0 chunks of 20 B");
        assert_eq!(grid(&[5], &[0]), "chunked 0, 5 chunks of 0 B");
    }

    #[test]
    fn filters_have_names_or_numbers() {
        assert_eq!(Filter::new(1, "deflate", &[4]).to_string(), "deflate(4)");
        assert_eq!(Filter::new(2, "", &[4]).to_string(), "shuffle");
        assert_eq!(Filter::new(32015, "Zstandard compression: http://x", &[]).to_string(), "zstd");
        assert_eq!(Filter::new(40000, "mine", &[]).to_string(), "mine (40000)");
        assert_eq!(Filter::new(40000, "", &[]).to_string(), "filter 40000");
    }

    #[test]
    fn a_dataset_survives_the_way_from_the_worker() {
        for layout in [
            Layout::Compact,
            Layout::External { files: 2 },
            chunk_grid(&extent(&[9], &[None]), vec![u64::MAX], 4),
            Layout::Unknown { number: 7 },
        ] {
            let dataset = Dataset {
                path: "/a\nb".into(),
                extent: extent(&[9], &[None]),
                datatype: "f4".into(),
                element_bytes: 4,
                bytes: u64::MAX,
                layout,
                filters: vec![Filter::new(1, "", &[u32::MAX])],
                explanation: Explanation::parse("passed on: code\nwhy\n"),
            };
            let text = serde_json::to_string(&dataset).unwrap();
            assert_eq!(serde_json::from_str::<Dataset>(&text).unwrap(), dataset, "{text}");
        }
    }
}
