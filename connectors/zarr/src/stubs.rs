//! Containers behind stubs.
//!
//! A program may remove the regular file that it knows, and leave the directory. The name of the stub is noted in the directory, so
//! that the next file of that name gets its place, and no other directory is ever overwritten by it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use h5_shadow::Place;
use serde_json::{Value, json};
use zarr::{Container, GroupMetadata, NodePath, Options};

use crate::attributes::OURS;

/// The key under ours that has the name of the stub.
const STUB: &str = "stub";

/// The directory of a file with a stub.
pub(crate) fn container(name: &Path) -> PathBuf {
    let mut container = OsString::from(name);
    container.push(".zarr");
    PathBuf::from(container)
}

/// The document of the root of a new container.
pub(crate) fn root_of(place: &Place) -> GroupMetadata {
    let mut root = GroupMetadata::default();
    if let Some(name) = stub_name(place) {
        root.attributes.insert(OURS.to_owned(), json!({STUB: name}));
    }
    root
}

/// Whether a container was made for its stub.
pub(crate) fn is_noted(place: &Place) -> bool {
    let Ok(container) = Container::open(&place.root, Options::READ) else { return false };
    let Ok(root) = container.node(&NodePath::ROOT) else { return false };
    let noted = root.attributes().get(OURS).and_then(|ours| ours.get(STUB)).and_then(Value::as_str);
    noted.is_some() && noted.map(str::to_owned) == stub_name(place)
}

fn stub_name(place: &Place) -> Option<String> {
    place.stub.as_ref()?.file_name().map(|name| name.to_string_lossy().into_owned())
}
