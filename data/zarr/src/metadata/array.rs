//! The metadata of arrays.

use serde_json::{Value, json};

use super::chunk_keys::{ChunkKeys, Separator};
use super::data_type::DataType;
use super::fill_value::FillValue;
use super::{Format, attributes, extensions, set, set_extensions};
use crate::error::Problem;
use crate::json::{Named, Object, required, sizes};

const KNOWN: [&str; 11] = [
    "zarr_format",
    "node_type",
    "shape",
    "data_type",
    "chunk_grid",
    "chunk_key_encoding",
    "fill_value",
    "codecs",
    "attributes",
    "storage_transformers",
    "dimension_names",
];

/// More dimensions than anybody has. HDF5 has 32, numpy 64.
const MOST_DIMENSIONS: usize = 64;

/// The order of bytes in numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The lowest byte first.
    Little,
    /// The highest byte first.
    Big,
}

/// The metadata of an array.
///
/// To make one, start from [`ArrayMetadata::new`] and set what is different. To change one, change what was read: keys that
/// are not known and the order of all keys are kept.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrayMetadata {
    /// The length of each dimension.
    pub shape: Vec<u64>,
    /// The type of elements.
    pub data_type: DataType,
    /// The length of a chunk in each dimension; of a shard, if the codec `sharding_indexed` is used.
    pub chunk_shape: Vec<u64>,
    /// What files chunks are in.
    pub chunk_keys: ChunkKeys,
    /// What elements are that were never written.
    pub fill_value: FillValue,
    /// The codecs as the document has them, in the order in which they are applied when writing.
    pub codecs: Vec<Value>,
    /// The names of dimensions.
    pub dimension_names: Option<Vec<Option<String>>>,
    /// The attributes.
    pub attributes: Object,
    /// Other keys of the document. Each value is an object with `"must_understand": false`, so that others ignore it.
    pub extensions: Object,
    /// The version of the format that it was read from.
    pub format: Format,
    /// As it was read, for the order of keys.
    pub(super) document: Object,
}

impl ArrayMetadata {
    /// An array of version 3 that is filled with zeros and stored without compression, with the lowest byte first.
    pub fn new(shape: &[u64], data_type: DataType, chunk_shape: &[u64]) -> Self {
        let codec = match data_type {
            DataType::String => json!({"name": "vlen-utf8"}),
            DataType::Bytes(_) => json!({"name": "vlen-bytes"}),
            _ if data_type.has_order() => json!({"name": "bytes", "configuration": {"endian": "little"}}),
            _ => json!({"name": "bytes"}),
        };
        Self {
            shape: shape.to_vec(),
            chunk_shape: chunk_shape.to_vec(),
            chunk_keys: ChunkKeys::Default(Separator::Slash),
            fill_value: FillValue::zero(&data_type),
            data_type,
            codecs: vec![codec],
            dimension_names: None,
            attributes: Object::new(),
            extensions: Object::new(),
            format: Format::V3,
            document: Object::new(),
        }
    }

    /// The number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// How many chunks there are in each dimension.
    pub fn grid_shape(&self) -> Vec<u64> {
        self.shape
            .iter()
            .zip(&self.chunk_shape)
            .map(|(length, chunk)| length.div_ceil((*chunk).max(1)))
            .collect()
    }

    /// Elements of a chunk; `None` if there are more than can be counted.
    pub fn chunk_elements(&self) -> Option<u64> {
        self.chunk_shape.iter().try_fold(1_u64, |product, length| product.checked_mul(*length))
    }

    /// Reads a document of version 3.
    pub fn from_document(document: Object) -> Result<Self, Problem> {
        let shape = sizes(required(&document, "shape")?, "shape")?;
        let data_type = DataType::from_json(required(&document, "data_type")?)?;
        let grid = Named::read(required(&document, "chunk_grid")?, "chunk_grid")?;
        if grid.name != "regular" {
            return Err(Problem::unsupported("chunk_grid", format!("{:?}", grid.name)));
        }
        let chunk_shape =
            grid.option("chunk_shape").ok_or_else(|| Problem::invalid("chunk_grid", "has no chunk_shape"))?;
        let chunk_shape = sizes(chunk_shape, "chunk_grid")?;
        match document.get("storage_transformers") {
            None | Some(Value::Null) => {}
            Some(Value::Array(none)) if none.is_empty() => {}
            Some(_) => return Err(Problem::unsupported("storage_transformers", "any of them")),
        }
        let codecs = required(&document, "codecs")?.as_array();
        let codecs = codecs.ok_or_else(|| Problem::invalid("codecs", "is not a list"))?.clone();
        let read = Self {
            chunk_keys: ChunkKeys::from_json(required(&document, "chunk_key_encoding")?)?,
            fill_value: FillValue::from_json(required(&document, "fill_value")?, &data_type)?,
            dimension_names: dimension_names(document.get("dimension_names"))?,
            attributes: attributes(&document)?,
            extensions: extensions(&document, &KNOWN)?,
            shape,
            data_type,
            chunk_shape,
            codecs,
            format: Format::V3,
            document,
        };
        read.check()?;
        Ok(read)
    }

    /// Whether the parts fit together.
    pub(super) fn check(&self) -> Result<(), Problem> {
        let rank = self.rank();
        if rank > MOST_DIMENSIONS {
            return Err(Problem::unsupported("shape", format!("an array of {rank} dimensions")));
        }
        if self.chunk_shape.len() != rank {
            let reason = format!("has {} dimensions, but the array {rank}", self.chunk_shape.len());
            return Err(Problem::invalid("chunk_grid", reason));
        }
        if self.chunk_shape.contains(&0) {
            return Err(Problem::invalid("chunk_grid", "has chunks without elements"));
        }
        let size = self.data_type.size().unwrap_or(1);
        if self.chunk_elements().and_then(|elements| elements.checked_mul(size)).is_none() {
            return Err(Problem::invalid("chunk_grid", "has chunks with more bytes than can be counted"));
        }
        if self.shape.iter().try_fold(1_u64, |product, length| product.checked_mul(*length)).is_none() {
            return Err(Problem::unsupported("shape", "an array with more elements than can be counted"));
        }
        match &self.dimension_names {
            Some(names) if names.len() != rank => {
                Err(Problem::invalid("dimension_names", format!("are {}, not {rank}", names.len())))
            }
            _ => Ok(()),
        }
    }

    /// The document to store, of version 3. What did not change stays as it was read.
    pub fn to_document(&self) -> Result<Object, Problem> {
        self.check()?;
        let before = Self::from_document(self.document.clone()).ok();
        let is_same_fill =
            |one: &Self, other: &Self| one.fill_value == other.fill_value && one.data_type == other.data_type;
        let fill_value = match &before {
            Some(before) if is_same_fill(before, self) => None,
            _ => Some(self.fill_value.to_json(&self.data_type)?),
        };
        let mut document = self.document.clone();
        let mut put = |key: &str, is_same: fn(&Self, &Self) -> bool, value: Option<Value>| {
            if !before.as_ref().is_some_and(|before| is_same(before, self)) {
                set(&mut document, key, value);
            }
        };
        put("zarr_format", |_, _| true, Some(json!(3)));
        put("node_type", |_, _| true, Some(json!("array")));
        put("shape", |one, other| one.shape == other.shape, Some(json!(self.shape)));
        put("data_type", |one, other| one.data_type == other.data_type, Some(self.data_type.to_json()));
        let grid = json!({"name": "regular", "configuration": {"chunk_shape": self.chunk_shape}});
        put("chunk_grid", |one, other| one.chunk_shape == other.chunk_shape, Some(grid));
        let keys = self.chunk_keys.to_json();
        put("chunk_key_encoding", |one, other| one.chunk_keys == other.chunk_keys, Some(keys));
        put("fill_value", is_same_fill, fill_value);
        put("codecs", |one, other| one.codecs == other.codecs, Some(json!(self.codecs)));
        let attributes = Value::Object(self.attributes.clone());
        put("attributes", |one, other| is_identical(&one.attributes, &other.attributes), Some(attributes));
        let names = self.dimension_names.as_ref().map(|names| json!(names));
        put("dimension_names", |one, other| one.dimension_names == other.dimension_names, names);
        set_extensions(&mut document, &KNOWN, &self.extensions);
        Ok(document)
    }
}

/// Whether the keys have the same order, too.
fn is_identical(one: &Object, other: &Object) -> bool {
    one == other && one.keys().eq(other.keys())
}

fn dimension_names(value: Option<&Value>) -> Result<Option<Vec<Option<String>>>, Problem> {
    let list = match value {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Array(list)) => list,
        Some(_) => return Err(Problem::invalid("dimension_names", "is not a list")),
    };
    let name = |value: &Value| match value {
        Value::Null => Ok(None),
        Value::String(name) => Ok(Some(name.clone())),
        other => Err(Problem::invalid("dimension_names", format!("{other} is not a name"))),
    };
    list.iter().map(name).collect::<Result<_, _>>().map(Some)
}
