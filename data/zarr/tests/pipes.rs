//! A pipe in place of a chunk. A program of its own: while it starts another process, that one shares the files that
//! are locked here, and other tests would find them locked.

use std::fs;
use std::process::Command;

use zarr::{ArrayMetadata, Container, DataType, GroupMetadata, Node, NodePath, Options};

#[test]
fn a_pipe_is_refused_without_waiting() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("test.zarr");
    let container = Container::create(&place, &GroupMetadata::default(), Options::WRITE).unwrap();
    let name = NodePath::new("pipe").unwrap();
    let array = ArrayMetadata::new(&[8], DataType::UInt(1), &[4]);
    container.create_node(&name, &Node::Array(array)).unwrap();
    fs::create_dir(place.join("pipe/c")).unwrap();
    let status = Command::new("mkfifo").arg(place.join("pipe/c/0")).status().unwrap();
    assert!(status.success());
    let error = container.array(&name).unwrap().read_stored(&[0]).unwrap_err();
    assert!(error.to_string().contains("pipe/c/0"), "{error}");
}
