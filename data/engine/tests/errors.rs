//! Requests that fail say which part and which chunk, and write nothing where nothing was asked for.

mod common;

use std::os::fd::OwnedFd;
use std::sync::Arc;

use common::Bytes;
use engine::{ChunkAddress, Engine, EngineError, Fill, Layout, Memory, Part, Request, Segment, Source};
use pool::Pool;
use selection::{ChunkGrid, Extent, Selection, SelectionError};
use store::{Descriptor, Store, StoreError};

fn part<'a>(source: &'a Source, layout: Layout, file: Selection, memory: &'a mut [u8]) -> Part<'a> {
    let memory_selection = Selection::all(&Extent::new(&[file.len()]).unwrap());
    Part {
        source,
        layout,
        element: 4,
        conversion: None,
        file,
        file_in_order: true,
        memory_selection,
        memory: Memory::from_slice(memory),
        fill: Fill::Untouched,
    }
}

fn read(parts: Vec<Part<'_>>) -> EngineError {
    Engine::new(&Pool::new(2)).read(&mut Request { parts }).unwrap_err()
}

fn all(dims: &[u64]) -> Selection {
    Selection::all(&Extent::new(dims).unwrap())
}

fn chunked(dims: &[u64], chunk: &[u64], addresses: &[u64]) -> Layout {
    let grid = ChunkGrid::new(&Extent::new(dims).unwrap(), chunk).unwrap();
    Layout::Chunked { grid, chunks: addresses.iter().map(|&address| ChunkAddress::At(address)).collect() }
}

#[test]
fn bytes_outside_the_file() {
    let file = Bytes::new(1000, 0);
    let source = file.source();
    let mut good = [0; 400];
    let mut bad = [0; 400];
    for base in [601, 1000, 1 << 40, i64::MAX as u64] {
        let parts = vec![
            part(&source, Layout::Contiguous(0), all(&[100]), &mut good),
            part(&source, Layout::Contiguous(base), all(&[100]), &mut bad),
        ];
        let error = read(parts);
        assert!(
            matches!(
                error,
                EngineError::Read { part: 1, chunk: None, source: StoreError::OutsideFile { .. } }
            ),
            "{error:?}"
        );
        // Alone it takes the shortest way, with the same outcome.
        let error = read(vec![part(&source, Layout::Contiguous(base), all(&[100]), &mut bad)]);
        assert!(matches!(error, EngineError::Read { part: 0, chunk: None, .. }), "{error:?}");
    }
}

#[test]
fn addresses_near_the_end_of_the_address_space() {
    let file = Bytes::new(1000, 0);
    let source = file.source();
    let mut memory = [0; 400];
    for (length, base) in [(100, u64::MAX), (100, u64::MAX - 399), (1, u64::MAX - 2)] {
        let error = read(vec![part(&source, Layout::Contiguous(base), all(&[length]), &mut memory)]);
        assert!(
            matches!(error, EngineError::Overflow { part: 0, chunk: None } | EngineError::Read { .. }),
            "{error:?}"
        );
    }
    let layout = chunked(&[4, 25], &[2, 25], &[0, u64::MAX - 100]);
    let error = read(vec![part(&source, layout, all(&[4, 25]), &mut memory)]);
    let EngineError::Overflow { part: 0, chunk: Some(origin) } = &error else { panic!("{error:?}") };
    assert_eq!(origin[..], [2, 0]);
    assert!(error.to_string().ends_with("(chunk at [2, 0])"), "{error}");
}

#[test]
fn the_chunk_that_lies_outside_is_named() {
    let file = Bytes::new(10_000, 0);
    let source = file.source();
    let mut memory = [0; 4800];
    // In any order of addresses, among neighbours that are read together, and last or not.
    for bad in 0..4_u64 {
        for outside in [9999, 10_000, 12_000, 1 << 50] {
            let addresses: Vec<u64> =
                (0..4).map(|number| if number == bad { outside } else { 8800 - number * 1200 }).collect();
            let layout = chunked(&[4, 300], &[1, 300], &addresses);
            let error = read(vec![part(&source, layout, all(&[4, 300]), &mut memory)]);
            let EngineError::Read { part: 0, chunk: Some(origin), source: StoreError::OutsideFile { .. } } =
                &error
            else {
                panic!("{error:?}")
            };
            assert_eq!(origin[..], [bad, 0], "{error}");
        }
    }
}

#[test]
fn of_several_bad_chunks_the_first_in_the_file_is_named() {
    let chunk_named = |source: &Source, addresses: &[u64]| {
        let mut memory = [0; 4800];
        let layout = chunked(&[4, 300], &[1, 300], addresses);
        match read(vec![part(source, layout, all(&[4, 300]), &mut memory)]) {
            EngineError::Read { chunk: Some(origin), .. } => origin[0],
            error => panic!("{error:?}"),
        }
    };
    // Its read comes when the next chunk turns out to be too far away to be read with it.
    let file = Bytes::new(10_000, 0);
    assert_eq!(chunk_named(&file.source(), &[0, 1 << 50, 9500, 1 << 40]), 2);
    let directory = std::fs::File::open(std::env::temp_dir()).unwrap();
    let broken = Store::new(Descriptor::new(OwnedFd::from(directory)), 1 << 40);
    assert_eq!(chunk_named(&Source::File(Arc::new(broken)), &[1 << 30, 50_000, 1 << 20, 1 << 25]), 1);
}

#[test]
fn sizes_that_overflow() {
    let source = Bytes::new(1000, 0).source();
    let huge = Extent::new(&[1 << 62, 3]).unwrap();
    let mut memory = [0; 400];
    for layout in [Layout::Contiguous(0), Layout::Missing] {
        let mut part = part(&source, layout, Selection::all(&huge), &mut memory);
        part.memory_selection = Selection::all(&huge);
        part.fill = Fill::Element(vec![0; 4]);
        assert!(matches!(read(vec![part]), EngineError::Overflow { part: 0, .. }));
    }
    // A small selection at the far end of it.
    let far = Selection::tile(&huge, &[(1 << 62) - 1, 0], &[1, 3]).unwrap();
    let error = read(vec![part(&source, Layout::Contiguous(0), far.clone(), &mut memory)]);
    assert!(matches!(error, EngineError::Overflow { part: 0, chunk: None }), "{error:?}");
    let mut backwards = part(&source, Layout::Contiguous(0), all(&[3]), &mut memory);
    backwards.memory_selection = far;
    assert!(matches!(read(vec![backwards]), EngineError::Overflow { part: 0, chunk: None }));
}

#[test]
fn memory_shorter_than_its_selection() {
    let file = Bytes::new(100_000, 0);
    let source = file.source();
    let extent = Extent::new(&[100, 100]).unwrap();
    let column = Selection::tile(&extent, &[0, 99], &[100, 1]).unwrap();
    for (layout, to, needed) in [
        (Layout::Contiguous(0), all(&[100]), 400),
        (Layout::Contiguous(0), column.clone(), 40_000),
        (Layout::Missing, column.clone(), 40_000),
        (chunked(&[100], &[30], &[0, 200, 400, 600]), column, 40_000),
    ] {
        let mut memory = vec![0xEE; needed];
        let mut short = part(&source, layout.clone(), all(&[100]), &mut memory[..needed - 1]);
        short.memory_selection = to.clone();
        short.fill = Fill::Element(vec![1; 4]);
        let error = read(vec![short]);
        let EngineError::MemoryTooShort { part: 0, needed: told, length } = error else {
            panic!("{error:?}")
        };
        assert_eq!((told, length), (needed as u64, needed - 1));
        assert!(memory.iter().all(|&byte| byte == 0xEE));
        let mut enough = part(&source, layout, all(&[100]), &mut memory);
        enough.memory_selection = to;
        Engine::new(&Pool::new(2)).read(&mut Request { parts: vec![enough] }).unwrap();
    }
    // Memory need not reach further than what is selected of it.
    let mut memory = [0; 400];
    let mut some = part(&source, Layout::Contiguous(0), all(&[100]), &mut memory);
    some.memory_selection = Selection::tile(&extent, &[0, 0], &[1, 100]).unwrap();
    Engine::new(&Pool::new(1)).read(&mut Request { parts: vec![some] }).unwrap();
    assert_eq!(memory[..], file.bytes[..400]);
}

#[test]
fn selections_and_lists_that_do_not_fit() {
    let source = Bytes::new(10_000, 0).source();
    let mut memory = [0; 400];
    for layout in [Layout::Contiguous(0), Layout::Missing, chunked(&[100], &[50], &[0, 200])] {
        let mut wrong = part(&source, layout, all(&[100]), &mut memory);
        wrong.memory_selection = all(&[99]);
        wrong.fill = Fill::Element(vec![0; 4]);
        let error = read(vec![wrong]);
        let EngineError::Selection { part: 0, source } = error else { panic!("{error:?}") };
        assert_eq!(source, SelectionError::LengthMismatch { needed: 100, memory: 99 });
    }
    let error = read(vec![part(&source, chunked(&[101], &[50], &[0, 200, 400]), all(&[100]), &mut memory)]);
    assert!(matches!(error, EngineError::Selection { part: 0, source: SelectionError::ExtentMismatch }));
    for addresses in [&[0][..], &[0, 200, 400]] {
        let error = read(vec![part(&source, chunked(&[100], &[50], addresses), all(&[100]), &mut memory)]);
        let EngineError::ChunkCount { part: 0, touched: 2, given } = error else { panic!("{error:?}") };
        assert_eq!(given, addresses.len());
    }
    let mut wrong = part(&source, Layout::Missing, all(&[100]), &mut memory);
    wrong.fill = Fill::Element(vec![0; 3]);
    assert!(matches!(read(vec![wrong]), EngineError::FillLength { part: 0, length: 3, element: 4 }));
}

#[test]
fn a_failing_system_call_on_any_thread_fails_the_read() {
    // A directory can be opened, but not read.
    let directory = std::fs::File::open(std::env::temp_dir()).unwrap();
    let store = Arc::new(Store::new(Descriptor::new(OwnedFd::from(directory)), 1 << 40));
    let broken = Source::File(Arc::clone(&store));
    let file = Bytes::new(8 << 20, 0);
    let segment = |store: &Arc<Store>| Segment { store: Arc::clone(store), offset: 0, length: 4 << 20 };
    // The first half can be read.
    let half = Source::External([segment(&file.store), segment(&store)].into());
    let (mut one, mut two) = (vec![0; 8 << 20], vec![0; 8 << 20]);
    for source in [&broken, &half] {
        for threads in [1, 2, 4] {
            let good = file.source();
            let parts = vec![
                part(&good, Layout::Contiguous(0), all(&[2 << 20]), &mut one),
                part(source, Layout::Contiguous(0), all(&[2 << 20]), &mut two),
            ];
            let error = Engine::new(&Pool::new(threads)).read(&mut Request { parts }).unwrap_err();
            let EngineError::Read { part: 1, chunk: None, source: StoreError::Io { source, .. } } = error
            else {
                panic!("{error:?}")
            };
            assert_eq!(source.kind(), std::io::ErrorKind::IsADirectory);
        }
    }
    let addresses: Vec<u64> = (0..8).map(|number| number << 20).collect();
    let layout = chunked(&[2 << 20], &[1 << 18], &addresses);
    let error = read(vec![part(&broken, layout, all(&[2 << 20]), &mut two)]);
    let EngineError::Read { part: 0, chunk: Some(origin), source: StoreError::Io { .. } } = error else {
        panic!("{error:?}")
    };
    assert_eq!(origin[..], [0]);
}

#[test]
fn external_segments_that_are_too_short() {
    let file = Bytes::new(1000, 0);
    let segment = |offset, length| Segment { store: Arc::clone(&file.store), offset, length };
    let mut memory = [0; 400];
    let short = Source::External([segment(0, 100), segment(500, 299)].into());
    let error = read(vec![part(&short, Layout::Contiguous(0), all(&[100]), &mut memory)]);
    let EngineError::Read { source: StoreError::OutsideFile { end, .. }, .. } = error else {
        panic!("{error:?}")
    };
    assert_eq!(end, 399);
    for wrong in [segment(u64::MAX, 400), segment(700, 400), segment(u64::MAX - 100, u64::MAX)] {
        let source = Source::External([segment(0, 3), wrong].into());
        let error = read(vec![part(&source, Layout::Contiguous(0), all(&[100]), &mut memory)]);
        assert!(
            matches!(error, EngineError::Read { source: StoreError::OutsideFile { .. }, .. }),
            "{error:?}"
        );
    }
    let empty = Source::External([].into());
    let error = read(vec![part(&empty, Layout::Contiguous(0), all(&[100]), &mut memory)]);
    assert!(matches!(error, EngineError::Read { source: StoreError::OutsideFile { .. }, .. }));
}

#[test]
fn nothing_selected_needs_nothing() {
    let source = Source::External([].into());
    let nothing = Selection::none(&Extent::new(&[5]).unwrap());
    let empty = all(&[0, 7]);
    for file in [nothing, empty] {
        for layout in [Layout::Contiguous(u64::MAX), Layout::Missing] {
            let mut part = part(&source, layout, file.clone(), &mut []);
            part.memory_selection = Selection::none(&Extent::new(&[1 << 60]).unwrap());
            Engine::new(&Pool::new(2)).read(&mut Request { parts: vec![part] }).unwrap();
        }
    }
    Engine::new(&Pool::new(2)).read(&mut Request { parts: vec![] }).unwrap();
}
