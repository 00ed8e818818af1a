//! Chunks through the engine: shards in part, files that are replaced meanwhile, damage, inner chunks that are written.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::PathBuf;

use codecs::Work;
use engine::{Engine, EngineError, Fill, Layout, Memory, Part, Request, Source};
use pool::Pool;
use selection::{Extent, Selection};
use serde_json::{Value, json};
use tempfile::TempDir;
use zarr::{
    Array, ArrayMetadata, Container, DataType, FillValue, GroupMetadata, Node, NodePath, Options, Partial,
    Replaced,
};

struct Place {
    _folder: TempDir,
    container: Container,
    path: NodePath,
}

impl Place {
    fn array(&self) -> Array {
        self.container.array(&self.path).unwrap()
    }

    fn file(&self, chunk: &[u64]) -> PathBuf {
        self.array().chunk_file(chunk)
    }
}

fn bytes() -> Value {
    json!({"name": "bytes", "configuration": {"endian": "little"}})
}

/// An array of 16 x 16 elements that are their own numbers, in chunks of 8 x 8.
fn place(codecs: &Value) -> Place {
    let folder = tempfile::tempdir().unwrap();
    let container =
        Container::create(&folder.path().join("x.zarr"), &GroupMetadata::default(), Options::WRITE).unwrap();
    let mut metadata = ArrayMetadata::new(&[16, 16], DataType::UInt(2), &[8, 8]);
    metadata.codecs.clone_from(codecs.as_array().unwrap());
    metadata.fill_value = FillValue::Bytes(vec![0xee, 0xff]);
    let path = NodePath::new("a").unwrap();
    container.create_node(&path, &Node::Array(metadata)).unwrap();
    let place = Place { _folder: folder, container, path };
    let array = place.array();
    for chunk in [[0, 0], [0, 1], [1, 0], [1, 1]] {
        let number = |at: u64| (chunk[0] * 8 + at / 8) * 16 + chunk[1] * 8 + at % 8;
        let elements: Vec<u8> =
            (0..64).flat_map(|at| u16::try_from(number(at)).unwrap().to_le_bytes()).collect();
        array.write_chunk(&chunk, &elements, &mut Work::new()).unwrap();
    }
    place
}

fn sharded(inner: &Value) -> Place {
    place(&json!([{"name": "sharding_indexed", "configuration": {"chunk_shape": [2, 4], "codecs": inner,
        "index_codecs": [bytes(), {"name": "crc32c"}]}}]))
}

fn read_planned(
    planned: (Source, Layout),
    start: [u64; 2],
    count: [u64; 2],
) -> Result<Vec<u16>, EngineError> {
    let (source, layout) = planned;
    let elements = count[0] * count[1];
    let mut memory = vec![0; usize::try_from(elements).unwrap() * 2];
    let mut request = Request {
        parts: vec![Part {
            source: &source,
            layout,
            element: 2,
            conversion: None,
            file: Selection::tile(&Extent::new(&[16, 16]).unwrap(), &start, &count).unwrap(),
            file_in_order: true,
            memory_selection: Selection::all(&Extent::new(&[elements]).unwrap()),
            memory: Memory::from_slice(&mut memory),
            fill: Fill::Element(vec![0xee, 0xff]),
        }],
    };
    Engine::new(&Pool::new(2)).read(&mut request)?;
    drop(request);
    Ok(memory.as_chunks::<2>().0.iter().map(|pair| u16::from_le_bytes(*pair)).collect())
}

fn plan(array: &Array, start: [u64; 2], count: [u64; 2]) -> (Source, Layout) {
    let selection = Selection::tile(&Extent::new(&[16, 16]).unwrap(), &start, &count).unwrap();
    array.layout(&selection, None).unwrap().expect("the engine can read it")
}

fn expected(start: [u64; 2], count: [u64; 2]) -> Vec<u16> {
    let number = |row: u64, column: u64| u16::try_from(row * 16 + column).unwrap();
    let rows = start[0]..start[0] + count[0];
    rows.flat_map(|row| (start[1]..start[1] + count[1]).map(move |column| number(row, column))).collect()
}

#[test]
fn only_inner_chunks_that_are_wanted_are_read() {
    let place = sharded(&json!([bytes(), {"name": "gzip", "configuration": {"level": 1}}]));
    assert_eq!(place.array().chain().partial(), Partial::InnerChunks);
    // The first bytes of the shard are its first inner chunk: rows 0 and 1, columns 0 to 3.
    let file = place.file(&[0, 0]);
    let mut shard = fs::read(&file).unwrap();
    shard[..8].fill(0xff);
    fs::write(&file, &shard).unwrap();
    let array = place.array();
    let (start, count) = ([0, 4], [8, 9]);
    assert_eq!(read_planned(plan(&array, start, count), start, count).unwrap(), expected(start, count));
    let error = read_planned(plan(&array, [1, 3], [1, 1]), [1, 3], [1, 1]).unwrap_err();
    assert!(error.to_string().contains("gzip"), "{error}");
    // Read as a whole the shard is damaged.
    let error = array.read_chunk(&[0, 0], &mut [0; 128], &mut Work::new()).unwrap_err();
    assert!(error.to_string().contains("a/c/0/0: inner chunk [0, 0]: filter gzip"), "{error}");
    // A damaged index is noticed before anything is read by it.
    let last = shard.len() - 5;
    shard[last] ^= 1;
    fs::write(&file, &shard).unwrap();
    let selection = Selection::tile(&Extent::new(&[16, 16]).unwrap(), &[0, 4], &[1, 1]).unwrap();
    let error = array.layout(&selection, None).unwrap_err();
    assert!(error.to_string().contains("a/c/0/0: filter crc32c"), "{error}");
}

#[test]
fn a_file_that_was_replaced_meanwhile_is_noticed() {
    for place in [place(&json!([bytes()])), place(&json!([bytes(), {"name": "zstd"}]))] {
        let array = place.array();
        let planned = plan(&array, [0, 0], [16, 16]);
        array.write_chunk(&[1, 0], &[7; 128], &mut Work::new()).unwrap();
        let error = read_planned(planned, [0, 0], [16, 16]).unwrap_err();
        assert!(error.to_string().contains("a/c/1/0 was replaced"), "{error}");
        let EngineError::Read { source, .. } = &error else { panic!("{error:?}") };
        assert!(Replaced::is_cause_of(source) && error.source().is_some());
        // Planned again it succeeds, and after that a chunk that is gone is missing.
        let found = read_planned(plan(&array, [8, 0], [1, 1]), [8, 0], [1, 1]).unwrap();
        assert_eq!(found, [0x0707]);
        array.remove_chunk(&[1, 0]).unwrap();
        assert_eq!(read_planned(plan(&array, [8, 0], [1, 1]), [8, 0], [1, 1]).unwrap(), [0xffee]);
    }
    // Shards are kept open: what was planned is read, as it was.
    let place = sharded(&json!([bytes()]));
    let array = place.array();
    let planned = plan(&array, [0, 0], [16, 16]);
    array.write_chunk(&[1, 0], &[7; 128], &mut Work::new()).unwrap();
    assert_eq!(read_planned(planned, [0, 0], [16, 16]).unwrap(), expected([0, 0], [16, 16]));
    assert_eq!(read_planned(plan(&array, [8, 0], [1, 1]), [8, 0], [1, 1]).unwrap(), [0x0707]);
}

#[test]
fn inner_chunks_are_written_one_by_one() {
    let place = sharded(&json!([bytes()]));
    let array = place.array();
    let sharding = array.chain().sharding().unwrap();
    assert_eq!((sharding.grid(), sharding.count()), (&[4, 2][..], 8));
    // Rows 2 and 3, columns 4 to 7 of the shard; and its last inner chunk, which goes.
    let changes = BTreeMap::from([(3, Some(vec![9; 16])), (7, None)]);
    array.write_inner(&[0, 0], &changes, &mut Work::new()).unwrap();
    let found = read_planned(plan(&array, [0, 0], [16, 16]), [0, 0], [16, 16]).unwrap();
    let mut wanted = expected([0, 0], [16, 16]);
    for (at, value) in wanted.iter_mut().enumerate() {
        let (row, column) = (at / 16, at % 16);
        match (row, column) {
            (2..4, 4..8) => *value = 0x0909,
            (6..8, 4..8) => *value = 0xffee,
            _ => {}
        }
    }
    assert_eq!(found, wanted);
    // A shard of which nothing is left has no file.
    let nothing = (0..8).map(|number| (number, None)).collect();
    array.write_inner(&[0, 0], &nothing, &mut Work::new()).unwrap();
    assert!(!place.file(&[0, 0]).exists());
    // A shard that was never there.
    array.write_inner(&[0, 0], &changes, &mut Work::new()).unwrap();
    let found = read_planned(plan(&array, [2, 3], [1, 2]), [2, 3], [1, 2]).unwrap();
    assert_eq!(found, [0xffee, 0x0909]);
}

#[test]
fn chunks_of_other_lengths_are_damaged() {
    let place = place(&json!([bytes()]));
    let array = place.array();
    for length in [0, 1, 127, 129] {
        fs::write(place.file(&[0, 0]), vec![0; length]).unwrap();
        let selection = Selection::tile(&Extent::new(&[16, 16]).unwrap(), &[0, 0], &[1, 1]).unwrap();
        let error = array.layout(&selection, None).unwrap_err();
        assert!(
            error.to_string().contains(&format!("a/c/0/0: a chunk has {length} bytes instead of 128")),
            "{error}"
        );
        assert!(array.read_chunk(&[0, 0], &mut [0; 128], &mut Work::new()).is_err());
    }
}
