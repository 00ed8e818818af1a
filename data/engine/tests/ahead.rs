//! Chunks that are decoded ahead are in the cache soon after a read, and nothing is left when they are stopped.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, mpsc};
use std::time::{Duration, Instant};

use chunk_cache::Cache;
use codecs::Pipeline;
use engine::{
    Ahead, ChunkData, Engine, Fill, FilteredChunks, Kept, Layout, Memory, Part, Progress, Request, Source,
    StoredChunk,
};
use pool::{Class, Ended, Pool};
use selection::{ChunkGrid, Extent, Selection};
use store::{Descriptor, Store};

const CHUNKS: u64 = 64;
const CHUNK: u64 = 4096;

static DECODED: AtomicUsize = AtomicUsize::new(0);

struct Dataset {
    _file: tempfile::NamedTempFile,
    store: Arc<Store>,
    grid: ChunkGrid,
    extent: Extent,
    kept: Kept,
}

fn stored(number: u64) -> StoredChunk {
    StoredChunk { address: number * CHUNK, size: CHUNK, mask: 0 }
}

impl Dataset {
    fn new(number: u64) -> Self {
        static CACHE: OnceLock<Cache> = OnceLock::new();
        let bytes: Vec<u8> = (0..CHUNKS * CHUNK).map(|at| (at / CHUNK).to_le_bytes()[0]).collect();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), &bytes).unwrap();
        let descriptor = Descriptor::new(std::fs::File::open(file.path()).unwrap().into());
        let extent = Extent::new(&[CHUNKS * CHUNK]).unwrap();
        Self {
            store: Arc::new(Store::new(descriptor, CHUNKS * CHUNK)),
            grid: ChunkGrid::new(&extent, &[CHUNK]).unwrap(),
            extent,
            kept: Kept { cache: CACHE.get_or_init(|| Cache::new(1 << 20)), dataset: number },
            _file: file,
        }
    }

    fn ahead(&self, numbers: std::ops::Range<u64>) -> Arc<Ahead> {
        Arc::new(Ahead {
            source: Source::File(Arc::clone(&self.store)),
            pipeline: Arc::new(Pipeline::new(&[]).unwrap()),
            grid: self.grid.clone(),
            chunk_bytes: usize::try_from(CHUNK).unwrap(),
            kept: self.kept,
            chunks: numbers.map(|number| (number, stored(number))).collect(),
            note_decoded: || {
                DECODED.fetch_add(1, Ordering::Relaxed);
            },
            progress: Progress::default(),
        })
    }

    /// Reads a chunk.
    fn read(&self, number: u64, ahead: &Arc<Ahead>) {
        let mut memory = vec![0xFF; usize::try_from(CHUNK).unwrap()];
        let source = Source::File(Arc::clone(&self.store));
        let whole = Extent::new(&[CHUNK]).unwrap();
        let part = Part {
            source: &source,
            layout: Layout::Filtered(Box::new(FilteredChunks {
                grid: self.grid.clone(),
                chunks: vec![ChunkData::Stored(stored(number))],
                ahead: Some(Arc::clone(ahead)),
                pace: None,
                pipeline: Arc::new(Pipeline::new(&[]).unwrap()),
                verify: true,
                kept: Some(self.kept),
            })),
            element: 1,
            conversion: None,
            file: Selection::tile(&self.extent, &[number * CHUNK], &[CHUNK]).unwrap(),
            file_in_order: true,
            memory_selection: Selection::all(&whole),
            memory: Memory::from_slice(&mut memory),
            fill: Fill::Untouched,
        };
        Engine::new(Pool::global()).read(&mut Request { parts: vec![part] }).unwrap();
        assert!(memory.iter().all(|byte| *byte == number.to_le_bytes()[0]));
    }

    fn has(&self, number: u64) -> bool {
        self.kept.cache.get(self.kept.key(number)).is_some()
    }
}

fn soon(what: impl Fn() -> bool) -> bool {
    let beginning = Instant::now();
    while !what() {
        if beginning.elapsed() > Duration::from_secs(20) {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

#[test]
fn chunks_are_there_after_the_read_that_announces_them() {
    let dataset = Dataset::new(1);
    let ahead = dataset.ahead(3..9);
    dataset.read(2, &ahead);
    if Pool::global().threads() < 2 {
        return;
    }
    assert!(soon(|| (3..9).all(|number| dataset.has(number))), "not decoded");
    assert!(!dataset.has(9));
    assert!(soon(|| !ahead.is_under_way()), "still under way");
    assert!(DECODED.load(Ordering::Relaxed) >= 6);
}

#[test]
fn nobody_has_the_file_after_it_was_stopped() {
    for turn in 0..200 {
        let dataset = Dataset::new(1000 + turn);
        let ahead = dataset.ahead(3..60);
        dataset.read(2, &ahead);
        ahead.stop();
        assert!(!ahead.is_under_way());
        drop(ahead);
        assert_eq!(Arc::strong_count(&dataset.store), 1, "after {turn}");
    }
}

#[test]
fn what_was_cancelled_before_it_began_never_begins() {
    let dataset = Dataset::new(2);
    let ahead = dataset.ahead(3..9);
    ahead.cancel();
    dataset.read(2, &ahead);
    assert!(!ahead.is_under_way());
    assert!((3..9).all(|number| !dataset.has(number)));
}

#[test]
fn what_was_cancelled_before_a_thread_came_is_not_decoded() {
    let (dataset, pool) = (Dataset::new(3), Pool::new(2));
    let ahead = dataset.ahead(3..9);
    let (release, held) = mpsc::channel::<()>();
    // The only thread is busy.
    let Ok(busy) = pool.submit(Class::Request, move |_| assert!(held.recv().is_err())) else { return };
    ahead.start(&pool);
    ahead.cancel();
    drop(release);
    assert_eq!(busy.wait(), Ended::Done);
    assert!(soon(|| !ahead.is_under_way()), "still under way");
    assert!((3..9).all(|number| !dataset.has(number)));
}
