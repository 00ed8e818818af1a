//! Short runs of several files, each with its own place in memory.

mod common;

use std::sync::Arc;

use chunk_cache::Cache;
use common::Bytes;
use engine::{Engine, EngineError, FileRun, Fill, Kept, Layout, Memory, Part, Request, Source, Window};
use pool::Pool;
use selection::{Extent, Selection};

fn part<'a>(source: &'a Source, runs: Vec<FileRun>, bytes: u64, buffer: &'a mut [u8]) -> Part<'a> {
    Part {
        source,
        layout: Layout::Runs(runs),
        element: 1,
        conversion: None,
        file: Selection::all(&Extent::new(&[bytes]).unwrap()),
        file_in_order: true,
        memory_selection: Selection::all(&Extent::new(&[buffer.len() as u64]).unwrap()),
        memory: Memory::from_slice(buffer),
        fill: Fill::Untouched,
    }
}

#[test]
fn each_run_goes_to_its_place() {
    let files = [Bytes::new(100_000, 0), Bytes::new(100_000, 7)];
    let sources = [files[0].source(), files[1].source()];
    for (count, threads) in [(1, 1), (63, 2), (64, 2), (1000, 1), (1000, 4)] {
        let mut buffer = vec![0xa5; 100 * count];
        let run = |number: usize| {
            let Source::File(store) = &sources[number % 2] else { panic!("a file") };
            // From the end of the file, with a gap in memory before each.
            let (from, to) = (99_900 - number as u64 * 90, number * 100 + 10);
            FileRun { store: Arc::clone(store), from, to, length: 90, window: None }
        };
        let runs = (0..count).map(run).collect();
        let mut request = Request { parts: vec![part(&sources[0], runs, 90 * count as u64, &mut buffer)] };
        Engine::new(&Pool::new(threads)).read(&mut request).unwrap();
        drop(request);
        for (number, piece) in buffer.chunks(100).enumerate() {
            let from = 99_900 - number * 90;
            assert_eq!(piece[..10], [0xa5; 10]);
            assert_eq!(piece[10..], files[number % 2].bytes[from..from + 90]);
        }
    }
}

#[test]
fn what_is_kept_is_read_once() {
    let file = Bytes::new(10_000, 0);
    let source = file.source();
    let Source::File(store) = &source else { panic!("a file") };
    let cache = Box::leak(Box::new(Cache::new(1 << 20)));
    let window = Window { kept: Kept { cache, dataset: 3 }, number: 0, start: 1000, length: 4000 };
    let read = |from: u64, length: usize| {
        let mut buffer = vec![0; length];
        let runs = vec![FileRun { store: Arc::clone(store), from, to: 0, length, window: Some(window) }];
        let mut request = Request { parts: vec![part(&source, runs, 1, &mut buffer)] };
        Engine::new(&Pool::new(1)).read(&mut request).unwrap();
        drop(request);
        assert_eq!(buffer, file.bytes[common::size(from)..][..length]);
    };
    read(1200, 300);
    let kept = cache.get(window.kept.key(0)).unwrap();
    assert_eq!(kept[..], file.bytes[1000..5000]);
    read(4900, 100);
    // Not inside, so that it is read by itself.
    read(4950, 100);
    read(900, 200);
}

#[test]
fn runs_that_do_not_fit_are_refused() {
    let file = Bytes::new(1000, 0);
    let source = file.source();
    let Source::File(store) = &source else { panic!("a file") };
    let read = |from: u64, to: usize, length: usize| {
        let mut buffer = vec![0; 100];
        let runs = vec![FileRun { store: Arc::clone(store), from, to, length, window: None }];
        let mut request = Request { parts: vec![part(&source, runs, 1, &mut buffer)] };
        Engine::new(&Pool::new(1)).read(&mut request)
    };
    assert!(read(0, 0, 100).is_ok());
    for (to, length) in [(1, 100), (100, 1), (usize::MAX, 2), (2, usize::MAX)] {
        let refused = read(0, to, length);
        assert!(matches!(refused, Err(EngineError::MemoryTooShort { part: 0, .. })), "{refused:?}");
    }
    assert!(matches!(read(u64::MAX, 0, 10), Err(EngineError::Read { part: 0, chunk: None, .. })));
}
