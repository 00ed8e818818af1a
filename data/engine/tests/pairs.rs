//! Chunks that are decoded two at a time: the same elements, the same errors, and nobody waits forever.

use std::io::Write;
use std::os::fd::OwnedFd;
use std::sync::{Arc, OnceLock, mpsc};
use std::thread;
use std::time::Duration;

use chunk_cache::{Cache, Key};
use codecs::{Filter, Pipeline, Work};
use engine::{
    ChunkData, Engine, EngineError, Fill, FilteredChunks, Kept, Layout, Memory, Part, Request, Source,
    StoredChunk,
};
use pool::Pool;
use selection::{ChunkGrid, Extent, Selection};
use store::{Descriptor, Store, StoreError};

/// Rows and columns of a matrix of 4-byte elements, and of its chunks: 6 x 3 of them, those at the ends not full.
const EXTENT: [u64; 2] = [200, 90];
const CHUNK: [u64; 2] = [35, 32];
const CHUNKS: usize = 18;
const ELEMENT: usize = 4;

fn pipeline() -> Pipeline {
    let filter = |id, name: &str, parameters: &[u32]| Filter {
        id,
        name: name.to_owned(),
        optional: false,
        parameters: parameters.to_vec(),
    };
    let filters = [filter(2, "shuffle", &[4]), filter(1, "deflate", &[4]), filter(3, "fletcher32", &[])];
    let pipeline = Pipeline::new(&filters).unwrap();
    assert!(pipeline.gains_by_pairs());
    pipeline
}

/// The element at a place.
fn element(row: u64, column: u64) -> [u8; ELEMENT] {
    u32::try_from(row * row * 77 + column * 3).unwrap().to_le_bytes()
}

/// A file of chunks, one behind the other in the order of their numbers.
struct Dataset {
    grid: ChunkGrid,
    pipeline: Arc<Pipeline>,
    source: Source,
    chunks: Vec<StoredChunk>,
}

impl Dataset {
    /// With these chunks damaged, and these cut off: nothing is in the file from there on.
    fn new(damaged: &[usize], cut: Option<usize>) -> Self {
        let grid = ChunkGrid::new(&Extent::new(&EXTENT).unwrap(), &CHUNK).unwrap();
        let (pipeline, mut content, mut chunks) = (pipeline(), Vec::new(), Vec::new());
        for number in 0..CHUNKS {
            let origin = grid.chunk_numbered(number as u64).origin;
            let rows = origin[0]..origin[0] + CHUNK[0];
            let elements = rows.flat_map(|row| (0..CHUNK[1]).map(move |column| (row, column)));
            let elements: Vec<u8> =
                elements.flat_map(|(row, column)| element(row, origin[1] + column)).collect();
            let mut stored = Vec::new();
            let mask = pipeline.encode(&elements, &mut stored, &mut Work::new()).unwrap();
            if damaged.contains(&number) {
                let middle = stored.len() / 2;
                stored[middle] ^= 1;
            }
            chunks.push(StoredChunk { address: content.len() as u64, size: stored.len() as u64, mask });
            content.extend(stored);
        }
        let end = cut.map_or(content.len() as u64, |number| chunks[number].address);
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&content).unwrap();
        let store = Store::new(Descriptor::new(OwnedFd::from(file)), end);
        Self { grid, pipeline: Arc::new(pipeline), source: Source::File(Arc::new(store)), chunks }
    }

    /// Reads a rectangle to memory whose rows are longer, or not.
    fn read(
        &self,
        [start, count]: [[u64; 2]; 2],
        longer: u64,
        kept: Option<Kept>,
        threads: usize,
    ) -> Result<(), EngineError> {
        let file = Selection::tile(&Extent::new(&EXTENT).unwrap(), &start, &count).unwrap();
        let width = count[1] + longer;
        let memory_extent = Extent::new(&[count[0], width]).unwrap();
        let mut memory = vec![0xEE; usize::try_from(count[0] * width).unwrap() * ELEMENT];
        let chunks = self.grid.touched(&file).unwrap();
        let chunks = chunks.iter().map(|chunk| usize::try_from(chunk.number).unwrap());
        let layout = Layout::Filtered(Box::new(FilteredChunks {
            chunks: chunks.map(|number| ChunkData::Stored(self.chunks[number])).collect(),
            grid: self.grid.clone(),
            ahead: None,
            pace: None,
            pipeline: Arc::clone(&self.pipeline),
            verify: true,
            kept,
        }));
        let part = Part {
            source: &self.source,
            layout,
            element: ELEMENT as u64,
            conversion: None,
            file,
            file_in_order: true,
            memory_selection: Selection::tile(&memory_extent, &[0, 0], &count).unwrap(),
            memory: Memory::from_slice(&mut memory),
            fill: Fill::Untouched,
        };
        let pool = Pool::new(threads);
        Engine::new(&pool).read(&mut Request { parts: vec![part] })?;
        for (row, found) in (start[0]..).zip(memory.chunks_exact(usize::try_from(width).unwrap() * ELEMENT)) {
            let (found, beside) = found.split_at(usize::try_from(count[1]).unwrap() * ELEMENT);
            let expected: Vec<u8> =
                (start[1]..start[1] + count[1]).flat_map(|column| element(row, column)).collect();
            assert!(found == expected, "row {row} of {start:?} {count:?}");
            assert!(beside.iter().all(|&byte| byte == 0xEE));
        }
        Ok(())
    }
}

fn cache() -> &'static Cache {
    static CACHE: OnceLock<Cache> = OnceLock::new();
    CACHE.get_or_init(|| Cache::new(1 << 20))
}

const ALL: [[u64; 2]; 2] = [[0, 0], EXTENT];

#[test]
fn parts_of_all_kinds_are_as_they_were_written() {
    let dataset = Dataset::new(&[], None);
    let rectangles = [
        ALL,
        // Chunks that lie in memory as they are decoded.
        [[0, 32], [200, 32]],
        [[35, 32], [35, 32]],
        [[35, 32], [105, 32]],
        // Parts of chunks.
        [[1, 1], [198, 88]],
        [[34, 0], [1, 90]],
        [[0, 31], [200, 2]],
    ];
    for (number, rectangle) in rectangles.into_iter().enumerate() {
        for longer in [0, 3] {
            for threads in [1, 2, 3] {
                dataset.read(rectangle, longer, None, threads).unwrap();
                // Twice: the second time all of it is there.
                let kept = Kept { cache: cache(), dataset: 100 + number as u64 * 2 + longer };
                dataset.read(rectangle, longer, Some(kept), threads).unwrap();
                dataset.read(rectangle, longer, Some(kept), threads).unwrap();
            }
        }
    }
    assert!(cache().bytes() > 0);
}

#[test]
fn the_first_bad_chunk_in_the_file_is_named() {
    for damaged in [&[0][..], &[1], &[16], &[17], &[4, 5], &[5, 6], &[2, 3, 4, 5]] {
        let dataset = Dataset::new(damaged, None);
        for (number, threads) in [1, 2].into_iter().enumerate() {
            let kept = Kept { cache: cache(), dataset: 1000 + damaged[0] as u64 * 2 + number as u64 };
            for kept in [None, Some(kept)] {
                let error = dataset.read(ALL, 0, kept, threads).unwrap_err();
                let EngineError::Decode { part: 0, chunk, .. } = &error else { panic!("{error:?}") };
                assert_eq!(*chunk, dataset.grid.chunk_numbered(damaged[0] as u64).origin, "{error}");
            }
        }
    }
}

#[test]
fn a_bad_chunk_comes_before_one_that_is_not_in_the_file() {
    // Both are decoded together: 8 and 9 are.
    let dataset = Dataset::new(&[8], Some(9));
    let error = dataset.read(ALL, 0, None, 1).unwrap_err();
    let EngineError::Decode { chunk, .. } = &error else { panic!("{error:?}") };
    assert_eq!(*chunk, dataset.grid.chunk_numbered(8).origin);
    let dataset = Dataset::new(&[], Some(9));
    let error = dataset.read(ALL, 0, None, 1).unwrap_err();
    let EngineError::Read { chunk: Some(chunk), source: StoreError::OutsideFile { .. }, .. } = &error else {
        panic!("{error:?}")
    };
    assert_eq!(*chunk, dataset.grid.chunk_numbered(9).origin);
}

#[test]
fn a_chunk_that_another_thread_decodes_is_waited_for() {
    for busy in [0, 1, 2, 17] {
        let dataset = Dataset::new(&[], None);
        let kept = Kept { cache: cache(), dataset: 2000 + busy };
        let length = usize::try_from(CHUNK[0] * CHUNK[1]).unwrap() * ELEMENT;
        let begun =
            kept.cache.try_begin(Key { dataset: kept.dataset, chunk: busy }, length).unwrap().unwrap();
        let (done, is_done) = mpsc::channel();
        let reader = thread::spawn(move || done.send(dataset.read(ALL, 0, Some(kept), 1)).unwrap());
        is_done.recv_timeout(Duration::from_millis(50)).expect_err("the chunk is missing");
        // It will not come: whoever waits for it decodes it.
        drop(begun);
        is_done.recv_timeout(Duration::from_secs(60)).expect("nobody waits any more").unwrap();
        reader.join().unwrap();
    }
}
