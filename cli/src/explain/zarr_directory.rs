//! The arrays of a Zarr directory: how each is stored, and whether all cores read it. HDF5 is not needed for that.

use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;
use stub::Stub;
use zarr::{Array, Container, DataType, Format, Node, NodePath, Options};

use super::wording::name;
use super::worker::Problem;
use crate::connector::ZARR;

/// Why the engine does not read an array.
const VARIABLE: (&str, &str) = (
    "variable-length",
    "its elements have no fixed size: one thread reads them, when a program first asks for them",
);
const AROUND_SHARDS: (&str, &str) =
    ("codecs-around-shards", "there are codecs around its shards: a read decodes whole shards");

/// An array.
#[derive(Debug, Serialize)]
pub(super) struct ZarrArray {
    pub(super) path: String,
    /// Zarr's name of the data type, or the object that says it.
    pub(super) data_type: Value,
    pub(super) shape: Vec<u64>,
    /// Bytes of all elements before compression; `None` if they have no fixed size.
    pub(super) bytes: Option<u64>,
    /// The unit in which it is decoded.
    pub(super) chunk_shape: Vec<u64>,
    /// The unit in which it is stored, if that is another.
    pub(super) shard_shape: Option<Vec<u64>>,
    /// As the document has them.
    pub(super) codecs: Vec<Value>,
    /// Whether all cores read it.
    pub(super) parallel: bool,
    /// The reason's code, for programs.
    pub(super) code: Option<&'static str>,
    pub(super) reason: Option<String>,
}

/// What is in a directory.
#[derive(Debug)]
pub(super) struct Contents {
    pub(super) format: u8,
    pub(super) arrays: Vec<ZarrArray>,
    pub(super) problems: Vec<Problem>,
}

/// The directory that a name leads to, directly or through a stub. `None` if it is neither; `Err` says what is wrong with it.
pub(crate) fn find(file: &Path) -> Result<Option<PathBuf>, String> {
    if file.is_dir() {
        return Ok(Container::exists(file).then(|| file.to_owned()));
    }
    match Stub::read(file) {
        Ok(Some(stub)) if stub.connector() == ZARR => {
            let container = stub.container(file);
            if Container::exists(&container) {
                return Ok(Some(container));
            }
            Err(format!("is a stub, and what it stands for is not there: {}", container.display()))
        }
        Ok(_) => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// Lists all arrays, or those that are named.
pub(super) fn list(directory: &Path, names: &[String]) -> Result<Contents, String> {
    let container = Container::open(directory, Options::READ).map_err(|error| error.to_string())?;
    let format = if container.format() == Format::V3 { 3 } else { 2 };
    let mut contents = Contents { format, arrays: Vec::new(), problems: Vec::new() };
    if names.is_empty() {
        walk(&container, &mut contents);
    }
    for name in names {
        match NodePath::new(name.trim_matches('/')) {
            Ok(path) => contents.add(&container, &path),
            Err(error) => contents.problem(Some(name.clone()), error.to_string()),
        }
    }
    Ok(contents)
}

/// Adds all arrays, in the order of their names.
fn walk(container: &Container, contents: &mut Contents) {
    let mut waiting = vec![NodePath::ROOT];
    while let Some(path) = waiting.pop() {
        match container.find(&path) {
            Ok(Some(Node::Array(_))) => contents.add(container, &path),
            Ok(Some(Node::Group(_))) => match container.children(&path) {
                // The last one is taken first.
                Ok(children) => {
                    waiting.extend(children.iter().rev().filter_map(|child| path.child(&child.name).ok()));
                }
                Err(error) => contents.problem(Some(path.to_string()), error.to_string()),
            },
            Ok(None) => {}
            Err(error) => contents.problem(Some(path.to_string()), error.to_string()),
        }
    }
}

impl Contents {
    fn add(&mut self, container: &Container, path: &NodePath) {
        match container.array(path) {
            Ok(array) => self.arrays.push(describe(&array)),
            Err(error) => self.problem(Some(path.to_string()), error.to_string()),
        }
    }

    fn problem(&mut self, path: Option<String>, cause: String) {
        self.problems.push(Problem { path, cause });
    }
}

fn describe(array: &Array) -> ZarrArray {
    let metadata = array.metadata();
    let sharding = metadata.codecs.iter().find(|codec| codec["name"] == "sharding_indexed");
    let inner = sharding.and_then(|codec| {
        let lengths = codec["configuration"]["chunk_shape"].as_array()?;
        lengths.iter().map(Value::as_u64).collect::<Option<Vec<u64>>>()
    });
    let (chunk_shape, shard_shape) = match inner {
        Some(inner) => (inner, Some(metadata.chunk_shape.clone())),
        None => (metadata.chunk_shape.clone(), None),
    };
    let elements = metadata.shape.iter().try_fold(1_u64, |product, length| product.checked_mul(*length));
    let bytes = metadata.data_type.size().map(|size| elements.unwrap_or(u64::MAX).saturating_mul(size));
    let parallel = array.engine_pipeline().is_some();
    let why = match metadata.data_type {
        _ if parallel => None,
        DataType::String | DataType::Bytes(_) => Some(VARIABLE),
        _ => Some(AROUND_SHARDS),
    };
    ZarrArray {
        path: name(format!("/{}", array.path().to_string().trim_start_matches('/')).as_bytes()),
        data_type: metadata.data_type.to_json(),
        shape: metadata.shape.clone(),
        bytes,
        chunk_shape,
        shard_shape,
        codecs: metadata.codecs.clone(),
        parallel,
        code: why.map(|(code, _)| code),
        reason: why.map(|(_, reason)| reason.to_owned()),
    }
}
