//! The metadata of groups.

use serde_json::{Value, json};

use super::{Format, attributes, extensions, set, set_extensions};
use crate::error::Problem;
use crate::json::Object;

/// The key of consolidated metadata: a copy of the documents of all nodes below a group.
pub const CONSOLIDATED: &str = "consolidated_metadata";

const KNOWN: [&str; 4] = ["zarr_format", "node_type", "attributes", CONSOLIDATED];

/// The metadata of a group.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GroupMetadata {
    /// The attributes.
    pub attributes: Object,
    /// Other keys of the document. Each value is an object with `"must_understand": false`, so that others ignore it.
    pub extensions: Object,
    /// The version of the format that it was read from.
    pub format: Format,
    /// As it was read, for the order of keys.
    pub(super) document: Object,
}

impl GroupMetadata {
    /// A group with these attributes.
    pub fn new(attributes: Object) -> Self {
        Self { attributes, ..Self::default() }
    }

    /// Reads a document of version 3. Consolidated metadata is left out: the container has it.
    pub fn from_document(mut document: Object) -> Result<Self, Problem> {
        let (attributes, extensions) = (attributes(&document)?, extensions(&document, &KNOWN)?);
        document.shift_remove(CONSOLIDATED);
        Ok(Self { attributes, extensions, format: Format::V3, document })
    }

    /// The document to store, of version 3.
    pub fn to_document(&self) -> Object {
        let mut document = self.document.clone();
        set(&mut document, "zarr_format", Some(json!(3)));
        set(&mut document, "node_type", Some(json!("group")));
        set_extensions(&mut document, &KNOWN, &self.extensions);
        set(&mut document, "attributes", Some(Value::Object(self.attributes.clone())));
        document
    }
}
