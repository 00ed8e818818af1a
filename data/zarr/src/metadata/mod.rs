//! Metadata documents, read and written.

mod array;
mod chunk_keys;
mod data_type;
mod fill_value;
mod group;
mod small_floats;
mod version_2;

pub use array::{ArrayMetadata, Order};
pub use chunk_keys::{ChunkKeys, Separator};
pub use data_type::{BytesSpelling, DataType, Field, StructSpelling};
pub use fill_value::FillValue;
pub use group::{CONSOLIDATED, GroupMetadata};
use version_2::{array as array_of_version_2, group as group_of_version_2};

use serde_json::Value;

use crate::error::Problem;
use crate::json::{Object, required};

/// The version of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// `.zgroup`, `.zarray` and `.zattrs`. Can only be read.
    V2,
    /// `zarr.json`.
    #[default]
    V3,
}

/// A group or an array.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// A group.
    Group(GroupMetadata),
    /// An array.
    Array(ArrayMetadata),
}

impl Node {
    /// Reads a document of version 3.
    pub fn from_document(document: Object) -> Result<Self, Problem> {
        if document.get("zarr_format").and_then(Value::as_u64) != Some(3) {
            return Err(Problem::invalid("zarr_format", "is not 3"));
        }
        match required(&document, "node_type")?.as_str() {
            Some("group") => GroupMetadata::from_document(document).map(Self::Group),
            Some("array") => ArrayMetadata::from_document(document).map(Self::Array),
            _ => Err(Problem::invalid("node_type", "is neither group nor array")),
        }
    }

    /// Reads an array of version 2, of its `.zarray` and `.zattrs`, as what it would be in version 3.
    pub fn array_from_version_2(zarray: &Object, attributes: Object) -> Result<Self, Problem> {
        array_of_version_2(zarray, attributes).map(Self::Array)
    }

    /// Reads a group of version 2, of its `.zgroup` and `.zattrs`.
    pub fn group_from_version_2(zgroup: &Object, attributes: Object) -> Result<Self, Problem> {
        group_of_version_2(zgroup, attributes).map(Self::Group)
    }

    /// The document to store.
    pub fn to_document(&self) -> Result<Object, Problem> {
        match self {
            Self::Group(group) => Ok(group.to_document()),
            Self::Array(array) => array.to_document(),
        }
    }

    /// The attributes.
    pub fn attributes(&self) -> &Object {
        match self {
            Self::Group(group) => &group.attributes,
            Self::Array(array) => &array.attributes,
        }
    }

    /// Whether it is an array.
    pub fn is_array(&self) -> bool {
        matches!(self, Self::Array(_))
    }
}

/// The attributes in a document.
fn attributes(document: &Object) -> Result<Object, Problem> {
    match document.get("attributes") {
        None | Some(Value::Null) => Ok(Object::new()),
        Some(Value::Object(attributes)) => Ok(attributes.clone()),
        Some(_) => Err(Problem::invalid("attributes", "is not an object")),
    }
}

/// Keys of the document that are not among the known ones. Fails if one must be understood.
fn extensions(document: &Object, known: &[&str]) -> Result<Object, Problem> {
    let mut others = Object::new();
    for (key, value) in document.iter().filter(|(key, _)| !known.contains(&key.as_str())) {
        let may_be_ignored = match value {
            Value::Object(object) => object.get("must_understand") == Some(&Value::Bool(false)),
            Value::Null => true,
            _ => false,
        };
        if !may_be_ignored {
            return Err(Problem::unsupported(key.clone(), "this key, which must be understood,"));
        }
        others.insert(key.clone(), value.clone());
    }
    Ok(others)
}

/// Enters a key in a document, or removes it.
fn set(document: &mut Object, key: &str, value: Option<Value>) {
    match value {
        Some(value) => {
            document.insert(key.to_owned(), value);
        }
        None => {
            document.shift_remove(key);
        }
    }
}

/// Makes the keys of a document that are not known ones exactly these.
fn set_extensions(document: &mut Object, known: &[&str], extensions: &Object) {
    document.retain(|key, _| known.contains(&key.as_str()) || extensions.contains_key(key));
    for (key, value) in extensions {
        set(document, key, Some(value.clone()));
    }
}
