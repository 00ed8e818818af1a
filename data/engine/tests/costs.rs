//! A source that is not a file: the requests that it gets follow from the costs that it states.

use std::sync::{Arc, Mutex};

use engine::{
    ByteStore, Costs, Engine, Fill, InPlace, Layout, Memory, Part, Places, Request, Source, WritePart,
};
use pool::Pool;
use selection::{Extent, Selection};
use store::{StoreError, Target};

/// Bytes in memory, and the requests that came: offset and length.
#[derive(Debug)]
struct InMemory {
    costs: Costs,
    bytes: Mutex<Vec<u8>>,
    requests: Mutex<Vec<(u64, usize)>>,
}

impl InMemory {
    fn new(costs: Costs, length: usize) -> Arc<Self> {
        let bytes = (0..length).map(byte).collect();
        Arc::new(Self { costs, bytes: Mutex::new(bytes), requests: Mutex::default() })
    }

    fn take_requests(&self) -> Vec<(u64, usize)> {
        let mut requests = std::mem::take(&mut *self.requests.lock().unwrap());
        requests.sort_unstable();
        requests
    }

    fn range(&self, offset: u64, length: usize) -> std::ops::Range<usize> {
        self.requests.lock().unwrap().push((offset, length));
        let start = usize::try_from(offset).unwrap();
        start..start + length
    }
}

fn byte(place: usize) -> u8 {
    u8::try_from(place % 251).unwrap()
}

impl ByteStore for InMemory {
    fn costs(&self) -> Costs {
        self.costs
    }

    fn check(&self, offset: u64, length: u64) -> Result<(), StoreError> {
        let end = self.bytes.lock().unwrap().len() as u64;
        match offset.checked_add(length) {
            Some(last) if last <= end => Ok(()),
            _ => Err(StoreError::OutsideFile { offset, length, end }),
        }
    }

    fn read(&self, offset: u64, target: Target<'_>) -> Result<(), StoreError> {
        let range = self.range(offset, target.len());
        target.copy_from(&self.bytes.lock().unwrap()[range]);
        Ok(())
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), StoreError> {
        let range = self.range(offset, bytes.len());
        self.bytes.lock().unwrap()[range].copy_from_slice(bytes);
        Ok(())
    }
}

const ROWS: u64 = 8;
const WIDTH: u64 = 20_000;

/// Requests are slow: an object store.
const FAR: Costs = Costs { request: 1 << 20, write: 1 << 20, gap: 1 << 20, direct: 8 << 20, window: 4 << 20 };

/// Requests cost nothing: memory of another process.
const NEAR: Costs = Costs { request: 1, write: 1, gap: 0, direct: 1, window: 4096 };

fn every_second_row() -> (Selection, Selection) {
    let extent = Extent::new(&[ROWS, WIDTH]).unwrap();
    let file = Selection::hyperslab(&extent, &[0, 0], &[2, 1], &[ROWS / 2, WIDTH], &[1, 1]).unwrap();
    let memory = Selection::all(&Extent::new(&[ROWS / 2, WIDTH]).unwrap());
    (file, memory)
}

/// Reads every second row, and gives the requests that the source got.
fn read(costs: Costs) -> Vec<(u64, usize)> {
    let store = InMemory::new(costs, usize::try_from(ROWS * WIDTH).unwrap());
    let source = Source::Other(Arc::clone(&store) as Arc<dyn ByteStore>);
    let (file, memory_selection) = every_second_row();
    let mut memory = vec![0; usize::try_from(ROWS / 2 * WIDTH).unwrap()];
    let part = Part {
        source: &source,
        layout: Layout::Contiguous(0),
        element: 1,
        file,
        file_in_order: true,
        memory_selection,
        memory: Memory::from_slice(&mut memory),
        fill: Fill::Untouched,
        conversion: None,
    };
    Engine::new(&Pool::new(1)).read(&mut Request { parts: vec![part] }).unwrap();
    let width = usize::try_from(WIDTH).unwrap();
    let expected: Vec<u8> =
        (0..memory.len()).map(|place| byte(place / width * 2 * width + place % width)).collect();
    assert!(memory == expected, "the bytes are the same, whatever the requests are");
    store.take_requests()
}

#[test]
fn requests_follow_the_costs() {
    // As a local file: each row is long enough for a read of its own.
    let rows: Vec<_> = (0..ROWS / 2).map(|row| (row * 2 * WIDTH, usize::try_from(WIDTH).unwrap())).collect();
    assert_eq!(read(Costs::LOCAL_FILE), rows);
    // One request for all of them, with what lies between.
    assert_eq!(read(FAR), [(0, usize::try_from((ROWS - 1) * WIDTH).unwrap())]);
    assert_eq!(read(NEAR), rows);
}

#[test]
fn writes_leave_what_lies_between_alone() {
    for costs in [Costs::LOCAL_FILE, FAR, NEAR] {
        let length = usize::try_from(ROWS * WIDTH).unwrap();
        let store = InMemory::new(costs, length);
        let target = Source::Other(Arc::clone(&store) as Arc<dyn ByteStore>);
        let (file, memory_selection) = every_second_row();
        let memory = vec![255; usize::try_from(ROWS / 2 * WIDTH).unwrap()];
        let part = WritePart {
            element: 1,
            conversion: None,
            file,
            file_in_order: true,
            memory_selection,
            memory: &memory,
        };
        let in_place =
            InPlace { part: &part, target: &target, layout: Places::Contiguous(0), is_all_claimed: false };
        Engine::new(&Pool::new(1)).write(&[in_place]).unwrap();
        let width = usize::try_from(WIDTH).unwrap();
        let expected: Vec<u8> =
            (0..length).map(|place| if place / width % 2 == 0 { 255 } else { byte(place) }).collect();
        assert!(*store.bytes.lock().unwrap() == expected, "{costs:?}");
        assert!(!store.take_requests().is_empty());
    }
}

/// Writes eight short blocks, and gives the requests that the target got.
fn write_blocks(costs: Costs) -> Vec<(u64, usize)> {
    let extent = Extent::new(&[16_000]).unwrap();
    let part = WritePart {
        element: 1,
        conversion: None,
        file: Selection::hyperslab(&extent, &[0], &[2000], &[8], &[100]).unwrap(),
        file_in_order: true,
        memory_selection: Selection::all(&Extent::new(&[800]).unwrap()),
        memory: &[255; 800],
    };
    let store = InMemory::new(costs, 16_000);
    let target = Source::Other(Arc::clone(&store) as Arc<dyn ByteStore>);
    let in_place =
        InPlace { part: &part, target: &target, layout: Places::Contiguous(0), is_all_claimed: false };
    Engine::new(&Pool::new(1)).write(&[in_place]).unwrap();
    let expected: Vec<u8> =
        (0..16_000).map(|place| if place % 2000 < 100 { 255 } else { byte(place) }).collect();
    assert!(*store.bytes.lock().unwrap() == expected, "{costs:?}");
    store.take_requests()
}

#[test]
fn blocks_are_written_together_if_writing_is_dear() {
    // All of it is read and written, with what lies between.
    assert_eq!(write_blocks(Costs::LOCAL_FILE), [(0, 14_100); 2]);
    // Where a request that writes costs no more than one that reads, each block is written.
    let blocks: Vec<_> = (0..8).map(|block| (block * 2000, 100)).collect();
    assert_eq!(write_blocks(Costs { write: Costs::LOCAL_FILE.request, ..Costs::LOCAL_FILE }), blocks);
}
