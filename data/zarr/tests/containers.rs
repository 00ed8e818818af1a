//! Containers as folders: nodes, links that lead elsewhere, locks, what others leave behind.

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Barrier;
use std::thread;

use codecs::Work;
use serde_json::json;
use zarr::{
    ArrayMetadata, CONSOLIDATED, Container, DataType, Durability, GroupMetadata, Node, NodePath, Options,
    ZarrError,
};

fn path(text: &str) -> NodePath {
    NodePath::new(text).unwrap()
}

fn new_container(folder: &Path) -> (PathBuf, Container) {
    let place = folder.join("test.zarr");
    let container = Container::create(&place, &GroupMetadata::default(), Options::WRITE).unwrap();
    (place, container)
}

fn group() -> Node {
    Node::Group(GroupMetadata::default())
}

fn array() -> Node {
    Node::Array(ArrayMetadata::new(&[8], DataType::UInt(1), &[4]))
}

fn names(container: &Container, group: &str) -> Vec<String> {
    container.children(&path(group)).unwrap().into_iter().map(|child| child.name).collect()
}

/// The error's text, which must name this.
fn refused<T: std::fmt::Debug>(result: Result<T, ZarrError>, naming: &str) -> ZarrError {
    let error = result.unwrap_err();
    assert!(error.to_string().contains(naming), "{error}");
    error
}

#[test]
fn nodes_are_made_moved_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let (place, container) = new_container(folder.path());
    for consolidated in [false, true] {
        if consolidated {
            container.consolidate().unwrap();
        }
        for (name, node) in [("b", group()), ("b/inner", group()), ("b/inner/x", array()), ("a", array())] {
            container.create_node(&path(name), &node).unwrap();
        }
        assert_eq!(names(&container, ""), ["a", "b"]);
        refused(container.create_node(&path("a"), &group()), "/a exists");
        refused(container.create_node(&path("missing/x"), &group()), "/missing");
        refused(container.create_node(&path("a/x"), &group()), "not a group");
        refused(container.array(&path("b")), "not an array");
        refused(container.node(&path("c")), "\"/c\"");
        container.rename_node(&path("b/inner"), &path("moved")).unwrap();
        assert_eq!(names(&container, ""), ["a", "b", "moved"]);
        assert_eq!(names(&container, "moved"), ["x"]);
        refused(container.rename_node(&path("moved"), &path("a")), "exists");
        refused(container.rename_node(&path("moved"), &path("moved/x/y")), "");
        container.flush().unwrap();
        let again = Container::open(&place, Options::READ).unwrap();
        assert_eq!(names(&again, "moved"), ["x"]);
        refused(again.remove_node(&path("a")), "reading only");
        let text = fs::read_to_string(place.join("zarr.json")).unwrap();
        assert_eq!(text.contains(CONSOLIDATED), consolidated);
        for name in ["a", "b", "moved"] {
            container.remove_node(&path(name)).unwrap();
        }
        assert_eq!(names(&container, ""), [""; 0]);
        refused(container.remove_node(&path("a")), "\"/a\"");
    }
    Container::delete(&place).unwrap();
    assert!(!place.exists());
}

#[test]
fn consolidated_metadata_is_withdrawn_before_a_change() {
    let folder = tempfile::tempdir().unwrap();
    let (place, container) = new_container(folder.path());
    container.create_node(&path("a"), &array()).unwrap();
    container.consolidate().unwrap();
    let has = || fs::read_to_string(place.join("zarr.json")).unwrap().contains(CONSOLIDATED);
    assert!(has());
    container.create_node(&path("b"), &array()).unwrap();
    assert!(!has(), "it would lie");
    container.flush().unwrap();
    assert!(has());
    // A change of the root's own attributes keeps it.
    let mut root = GroupMetadata::default();
    root.attributes.insert("x".into(), json!(1));
    container.write_node(&NodePath::ROOT, &Node::Group(root)).unwrap();
    container.flush().unwrap();
    let again = Container::open(&place, Options::READ).unwrap();
    fs::remove_file(place.join("b/zarr.json")).unwrap();
    assert_eq!(names(&again, ""), ["a", "b"], "read from the root alone");
    assert_eq!(again.node(&NodePath::ROOT).unwrap().attributes()["x"], 1);
    // Also that of groups below the root.
    container.create_node(&path("g"), &group()).unwrap();
    let file = place.join("g/zarr.json");
    fs::write(
        &file,
        r#"{"zarr_format": 3, "node_type": "group", "consolidated_metadata": {"metadata": {}}}"#,
    )
    .unwrap();
    let fresh = Container::open(&place, Options { consolidated: false, ..Options::WRITE }).unwrap();
    fresh.create_node(&path("g/x"), &array()).unwrap();
    assert!(!fs::read_to_string(file).unwrap().contains(CONSOLIDATED));
}

#[test]
fn links_that_lead_out_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (place, container) = new_container(folder.path());
    container.create_node(&path("a"), &array()).unwrap();
    let outside = folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::copy(place.join("a/zarr.json"), outside.join("zarr.json")).unwrap();
    fs::write(outside.join("secret"), [7; 4]).unwrap();
    // A folder, a document, a chunk, and the folder of chunks.
    symlink(&outside, place.join("folder")).unwrap();
    assert!(matches!(container.node(&path("folder")), Err(ZarrError::Escape { .. })));
    fs::create_dir(place.join("document")).unwrap();
    symlink(outside.join("zarr.json"), place.join("document/zarr.json")).unwrap();
    assert!(matches!(container.node(&path("document")), Err(ZarrError::Escape { .. })));
    fs::create_dir(place.join("a/c")).unwrap();
    symlink(outside.join("secret"), place.join("a/c/0")).unwrap();
    let array_a = container.array(&path("a")).unwrap();
    assert!(matches!(array_a.read_stored(&[0]), Err(ZarrError::Escape { .. })));
    container.create_node(&path("b"), &array()).unwrap();
    symlink(&outside, place.join("b/c")).unwrap();
    let array_b = container.array(&path("b")).unwrap();
    for result in [
        array_b.read_stored(&[0]).map(|_| ()),
        array_b.write_stored(&[0], &[1; 4]),
        array_b.remove_chunk(&[0]).map(|_| ()),
    ] {
        assert!(matches!(result, Err(ZarrError::Escape { .. })), "{result:?}");
    }
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 2, "nothing was written there");
    // Links that stay inside are followed, and the container itself may be reached through one.
    symlink(place.join("a"), place.join("link")).unwrap();
    container.node(&path("link")).unwrap();
    symlink(&place, folder.path().join("other.zarr")).unwrap();
    let other = Container::open(&folder.path().join("other.zarr"), Options::WRITE).unwrap();
    other.array(&path("a")).unwrap().write_stored(&[1], &[1; 4]).unwrap();
}

#[test]
fn files_left_behind_are_ignored_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let (place, container) = new_container(folder.path());
    container.create_node(&path("a"), &array()).unwrap();
    let array_a = container.array(&path("a")).unwrap();
    array_a.write_stored(&[1], &[1; 4]).unwrap();
    let dead = place.join(".zarr.json.1-2-3.h5tmp~");
    let alive = place.join("a/c/.0.1-2-3.h5tmp~");
    let half_removed = place.join(".b.1-2-4.h5tmp~");
    fs::write(&dead, "half").unwrap();
    fs::write(&alive, "half").unwrap();
    fs::create_dir(&half_removed).unwrap();
    let lock = File::open(&alive).unwrap();
    assert!(store::try_lock(&lock, true).unwrap());
    assert_eq!(names(&Container::open(&place, Options::READ).unwrap(), ""), ["a"]);
    assert!(dead.exists(), "a reader removes nothing");
    assert_eq!(names(&container, ""), ["a"]);
    assert!(!dead.exists() && !half_removed.exists());
    assert_eq!(array_a.stored_chunks().unwrap(), [[1]]);
    container.clean().unwrap();
    assert!(alive.exists(), "its process lives");
    drop(lock);
    container.clean().unwrap();
    assert!(!alive.exists());
}

#[test]
fn locks_are_seen_by_others() {
    let folder = tempfile::tempdir().unwrap();
    let (place, container) = new_container(folder.path());
    let other = Container::open(&place, Options::READ).unwrap();
    let shared = [container.lock(false).unwrap(), other.lock(false).unwrap()];
    assert!(matches!(other.lock(true), Err(ZarrError::Locked { .. })));
    drop(shared);
    let exclusive = container.lock(true).unwrap();
    refused(other.lock(false), "test.zarr is locked");
    drop(exclusive);
    other.lock(true).unwrap();
    let entries: Vec<_> = fs::read_dir(&place).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(entries, ["zarr.json"], "there is no file that others do not know");
}

#[test]
fn many_writers_do_not_harm_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let (place, container) = new_container(folder.path());
    let metadata = ArrayMetadata::new(&[64, 64], DataType::UInt(4), &[8, 8]);
    container.create_node(&path("a"), &Node::Array(metadata)).unwrap();
    let barrier = Barrier::new(4);
    thread::scope(|scope| {
        for writer in 0..4_u64 {
            let (place, barrier) = (&place, &barrier);
            scope.spawn(move || {
                let options = Options { durability: Durability::EachFile, ..Options::WRITE };
                let container = Container::open(place, options).unwrap();
                let array = container.array(&path("a")).unwrap();
                let mut work = Work::new();
                barrier.wait();
                for number in 0..64_u64 {
                    let chunk = [number / 8, number % 8];
                    // All of them write the last chunk of each row.
                    if number % 4 == writer || chunk[1] == 7 {
                        let value = u32::try_from(number).unwrap();
                        array.write_chunk(&chunk, &value.to_le_bytes().repeat(64), &mut work).unwrap();
                        container.clean().unwrap();
                    }
                }
            });
        }
    });
    let array = container.array(&path("a")).unwrap();
    let mut elements = vec![0; 256];
    for number in 0..64_u32 {
        let chunk = [u64::from(number / 8), u64::from(number % 8)];
        assert!(array.read_chunk(&chunk, &mut elements, &mut Work::new()).unwrap());
        assert_eq!(elements, number.to_le_bytes().repeat(64));
    }
}

#[test]
fn errors_name_the_file() {
    let folder = tempfile::tempdir().unwrap();
    refused(Container::open(&folder.path().join("missing.zarr"), Options::READ), "missing.zarr");
    refused(Container::open(folder.path(), Options::READ), "not a Zarr group or array");
    let (place, container) = new_container(folder.path());
    container.create_node(&path("a"), &array()).unwrap();
    let array_a = container.array(&path("a")).unwrap();
    array_a.write_stored(&[0], &[1; 3]).unwrap();
    refused(
        array_a.read_chunk(&[0], &mut [0; 4], &mut Work::new()),
        "a/c/0: filter none (0): the data is shorter",
    );
    refused(array_a.read_stored(&[2]), "there is no chunk [2]");
    refused(array_a.write_chunk(&[0], &[0; 5], &mut Work::new()), "5 bytes of elements instead of 4");
    // A sparse file of a terabyte takes no memory.
    File::create(place.join("a/c/1")).unwrap().set_len(1 << 40).unwrap();
    refused(array_a.read_stored(&[1]), "a/c/1: it has 1099511627776 bytes, more than make sense");
    fs::write(place.join("a/zarr.json"), "{\"zarr_format\": 3, \"node_type\": \"array\", \"shape\": [1]}")
        .unwrap();
    refused(container.node(&path("a")), "a/zarr.json: data_type: is missing");
    fs::write(place.join("a/zarr.json"), "{").unwrap();
    refused(container.node(&path("a")), "a/zarr.json: not valid JSON");
    assert!(container.children(&NodePath::ROOT).unwrap()[0].node.is_err(), "the others can still be listed");
    // As root permissions mean nothing.
    if !am_root(folder.path()) {
        fs::set_permissions(place.join("a/zarr.json"), fs::Permissions::from_mode(0o000)).unwrap();
        refused(container.node(&path("a")), "cannot open");
    }
}

fn am_root(folder: &Path) -> bool {
    let file = folder.join("probe");
    fs::write(&file, "").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    File::open(file).is_ok()
}
