//! Writes that fail say which part and which chunk, and change nothing that was not selected.

mod common;

use std::fs::File;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use codecs::{Filter, Pipeline};
use common::Bytes;
use engine::{
    Base, ChunkAddress, ChunkJob, Engine, EngineError, Gathering, InPlace, Places, Segment, Source, Spares,
    StoredChunk, Then, WritePart,
};
use pool::Pool;
use selection::{ChunkGrid, Extent, Selection, SelectionError};
use store::{Descriptor, Store, StoreError};

fn all(dims: &[u64]) -> Selection {
    Selection::all(&Extent::new(dims).unwrap())
}

/// A part of four-byte elements.
fn part(file: Selection, memory: &[u8]) -> WritePart<'_> {
    let memory_selection = all(&[file.len()]);
    WritePart { element: 4, conversion: None, file, file_in_order: true, memory_selection, memory }
}

fn write(target: &Source, layout: Places, part: &WritePart<'_>) -> EngineError {
    Engine::new(&Pool::new(2)).write(&[InPlace { part, target, layout, is_all_claimed: false }]).unwrap_err()
}

fn chunked(dims: &[u64], chunk: &[u64], addresses: &[u64]) -> Places {
    let grid = ChunkGrid::new(&Extent::new(dims).unwrap(), chunk).unwrap();
    Places::Chunked { grid, chunks: addresses.iter().map(|&address| ChunkAddress::At(address)).collect() }
}

fn opened(file: File) -> Arc<Store> {
    Arc::new(Store::new(Descriptor::new(OwnedFd::from(file)), 1 << 40))
}

/// A device without any room; it reads as zeros.
fn full() -> Arc<Store> {
    opened(File::options().read(true).write(true).open("/dev/full").unwrap())
}

#[test]
fn a_full_disk_fails_the_write_whoever_meets_it() {
    let disk = full();
    let broken = Source::File(Arc::clone(&disk));
    let file = Bytes::new(8 << 20, 0);
    let segment = |store: &Arc<Store>| Segment { store: Arc::clone(store), offset: 0, length: 4 << 20 };
    let half = Source::External([segment(&file.store), segment(&disk)].into());
    let good = file.source();
    let memory = vec![7; 8 << 20];
    for target in [&broken, &half] {
        for threads in [1, 2, 4] {
            for file in [all(&[2 << 20]), all(&[2 << 20, 1])] {
                let (one, two) = (part(all(&[1 << 20]), &memory), part(file, &memory));
                let parts = [
                    InPlace {
                        part: &one,
                        target: &good,
                        layout: Places::Contiguous(4 << 20),
                        is_all_claimed: false,
                    },
                    InPlace { part: &two, target, layout: Places::Contiguous(0), is_all_claimed: false },
                ];
                let error = Engine::new(&Pool::new(threads)).write(&parts).unwrap_err();
                let EngineError::Write { part: 1, chunk: None, source: StoreError::Write { source, .. } } =
                    &error
                else {
                    panic!("{error:?}")
                };
                assert_eq!(source.raw_os_error(), Some(libc::ENOSPC));
                assert!(error.to_string().starts_with("cannot write "), "{error}");
            }
        }
    }
    // A short run, sieved elements, and chunks, of which the first is named.
    let short = part(all(&[10]), &memory);
    let error = write(&broken, Places::Contiguous(96), &short);
    let said = "cannot write 40 bytes at offset 96: No space left on device (os error 28)";
    assert_eq!(error.to_string(), said);
    let extent = Extent::new(&[1000]).unwrap();
    let strided = Selection::hyperslab(&extent, &[0], &[2], &[400], &[1]).unwrap();
    assert!(matches!(
        write(&broken, Places::Contiguous(0), &part(strided.clone(), &memory)),
        EngineError::Write { part: 0, chunk: None, .. }
    ));
    let layout = chunked(&[1000], &[500], &[1 << 20, 5000]);
    let error = write(&broken, layout, &part(strided, &memory));
    assert!(error.to_string().ends_with("(chunk at [500])"), "{error}");
}

#[test]
fn descriptors_that_cannot_be_written_or_read() {
    let memory = vec![7; 4000];
    let file = tempfile::NamedTempFile::new().unwrap();
    let write_only = File::options().write(true).open(file.path()).unwrap();
    let read_only = File::open(file.path()).unwrap();
    let error = write(&Source::File(opened(read_only)), Places::Contiguous(0), &part(all(&[10]), &memory));
    assert!(matches!(error, EngineError::Write { part: 0, chunk: None, .. }), "{error:?}");
    // Only what must be read before it can be written fails.
    let target = Source::File(opened(write_only));
    let whole = part(all(&[1000]), &memory);
    let in_place =
        InPlace { part: &whole, target: &target, layout: Places::Contiguous(0), is_all_claimed: false };
    Engine::new(&Pool::new(2)).write(&[in_place]).unwrap();
    let extent = Extent::new(&[1000]).unwrap();
    let strided = Selection::hyperslab(&extent, &[0], &[2], &[400], &[1]).unwrap();
    let error = write(&target, Places::Contiguous(0), &part(strided, &memory));
    let EngineError::Read { part: 0, chunk: None, source: StoreError::Io { .. } } = error else {
        panic!("{error:?}")
    };
}

#[test]
fn bytes_outside_the_file() {
    let file = Bytes::new(10_000, 0);
    let source = file.source();
    let memory = vec![7; 4800];
    for base in [9601, 10_000, 1 << 40, i64::MAX as u64] {
        let error = write(&source, Places::Contiguous(base), &part(all(&[100]), &memory));
        let EngineError::Write { part: 0, chunk: None, source: StoreError::OutsideFile { .. } } = error
        else {
            panic!("{error:?}")
        };
    }
    for base in [u64::MAX, u64::MAX - 399] {
        let error = write(&source, Places::Contiguous(base), &part(all(&[100]), &memory));
        assert!(matches!(error, EngineError::Overflow { .. } | EngineError::Write { .. }), "{error:?}");
    }
    for bad in 0..4_u64 {
        let addresses: Vec<u64> =
            (0..4).map(|number| if number == bad { 12_000 } else { 8800 - number * 1200 }).collect();
        let error = write(&source, chunked(&[4, 300], &[1, 300], &addresses), &part(all(&[4, 300]), &memory));
        let EngineError::Write { part: 0, chunk: Some(origin), source: StoreError::OutsideFile { .. } } =
            &error
        else {
            panic!("{error:?}")
        };
        assert_eq!(origin[..], [bad, 0]);
    }
}

#[test]
fn selections_and_lists_that_do_not_fit() {
    let file = Bytes::new(10_000, 0);
    let source = file.source();
    let memory = [7; 400];
    for layout in [Places::Contiguous(0), chunked(&[100], &[50], &[0, 200])] {
        let mut wrong = part(all(&[100]), &memory);
        wrong.memory_selection = all(&[99]);
        let error = write(&source, layout.clone(), &wrong);
        let EngineError::Selection { part: 0, source: cause } = error else { panic!("{error:?}") };
        assert_eq!(cause, SelectionError::LengthMismatch { needed: 100, memory: 99 });
        let error = write(&source, layout, &part(all(&[100]), &memory[..399]));
        let EngineError::MemoryTooShort { part: 0, needed: 400, length: 399 } = error else {
            panic!("{error:?}")
        };
    }
    let error = write(&source, chunked(&[100], &[50], &[0]), &part(all(&[100]), &memory));
    assert!(matches!(error, EngineError::ChunkCount { part: 0, touched: 2, given: 1 }), "{error:?}");
    let error = write(&source, chunked(&[101], &[50], &[0, 200, 400]), &part(all(&[100]), &memory));
    assert!(matches!(error, EngineError::Selection { part: 0, source: SelectionError::ExtentMismatch }));
    let huge = Extent::new(&[1 << 62, 3]).unwrap();
    let far = Selection::tile(&huge, &[(1 << 62) - 1, 0], &[1, 3]).unwrap();
    let error = write(&source, Places::Contiguous(0), &part(far, &memory));
    assert!(matches!(error, EngineError::Overflow { part: 0, chunk: None }), "{error:?}");
    let mut content = vec![0; 10_000];
    file.store.read(0, store::Target::from_slice(&mut content), &mut []).unwrap();
    assert!(content == file.bytes);
    // Nothing selected needs nothing.
    let nothing = part(Selection::none(&Extent::new(&[5]).unwrap()), &[]);
    let empty = part(all(&[0, 7]), &[]);
    let none = Source::External([].into());
    for part in [&nothing, &empty] {
        let in_place =
            InPlace { part, target: &none, layout: Places::Contiguous(u64::MAX), is_all_claimed: false };
        Engine::new(&Pool::new(2)).write(&[in_place]).unwrap();
    }
    Engine::new(&Pool::new(2)).write(&[]).unwrap();
}

fn filter(id: i32, parameters: &[u32]) -> Filter {
    Filter { id, name: "deflate".to_owned(), optional: false, parameters: parameters.to_vec() }
}

#[test]
fn chunks_that_cannot_be_put_together() {
    let file = Bytes::new(1000, 0);
    let source = file.source();
    let memory = [7; 40];
    let grid = ChunkGrid::new(&Extent::new(&[20]).unwrap(), &[8]).unwrap();
    let deflate = Pipeline::new(&[filter(1, &[6])]).unwrap();
    let some = Selection::tile(grid.extent(), &[5], &[10]).unwrap();
    let part = part(some, &memory);
    let engine = Pool::new(2);
    let engine = Engine::new(&engine);
    let gather = |fill: &[u8], chunk, base| {
        let what = Gathering {
            part: &part,
            source: &source,
            grid: &grid,
            pipeline: &deflate,
            fill,
            spares: &Spares::new(),
            taker: None,
        };
        let good = ChunkJob { chunk: 0, base: Base::Fill, then: Then::Keep };
        engine.gather(&what, vec![good, ChunkJob { chunk, base, then: Then::Keep }]).unwrap_err()
    };
    let stored = |address, size| Base::Stored(StoredChunk { address, size, mask: 0 });
    let error = gather(&[0; 4], 1, stored(990, 11));
    let EngineError::Read { part: 0, chunk: Some(origin), source: StoreError::OutsideFile { .. } } = &error
    else {
        panic!("{error:?}")
    };
    assert_eq!(origin[..], [8]);
    assert!(matches!(gather(&[0; 4], 1, stored(0, u64::MAX)), EngineError::Read { .. }));
    for base in [stored(0, 100), Base::Fetched { bytes: vec![1, 2, 3], mask: 0 }] {
        let error = gather(&[0; 4], 1, base);
        assert!(matches!(error, EngineError::Decode { part: 0, .. }), "{error:?}");
        assert!(error.to_string().ends_with("(chunk at [8])"), "{error}");
    }
    let error = gather(&[0; 4], 2, Base::Fetched { bytes: vec![1; 31], mask: 1 });
    assert!(matches!(error, EngineError::Decode { part: 0, .. }), "{error:?}");
    let error = gather(&[0; 4], 1, Base::Decoded(Arc::new(vec![0; 31])));
    assert!(matches!(error, EngineError::ChunkLength { part: 0, length: 31, needed: 32, .. }), "{error:?}");
    let error = gather(&[0; 3], 1, Base::Fill);
    assert!(matches!(error, EngineError::FillLength { part: 0, length: 3, element: 4 }), "{error:?}");
    for chunk in [3, u64::MAX] {
        assert!(matches!(gather(&[0; 4], chunk, Base::Fill), EngineError::Selection { part: 0, .. }));
    }
    // Called overwritten, but not: nothing of another chunk shows.
    let what = Gathering {
        part: &part,
        source: &source,
        grid: &grid,
        pipeline: &deflate,
        fill: &[9; 4],
        spares: &Spares::new(),
        taker: None,
    };
    let job = ChunkJob { chunk: 2, base: Base::Overwritten, then: Then::Encode { filtered: false } };
    let done = engine.gather(&what, vec![job]).unwrap();
    let [engine::Gathered::Encoded { bytes, mask: 0 }] = done.as_slice() else { panic!("{done:?}") };
    assert_eq!(bytes[..], [9; 32]);
}

#[test]
fn a_filter_that_fails_is_named_with_the_chunk() {
    // Noise does not get shorter, and without that LZF has nothing to say.
    let noise = Bytes::new(4096, 0).bytes;
    let lzf = Filter { name: "lzf".to_owned(), ..filter(32000, &[0, 0, 0]) };
    let must = Pipeline::new(std::slice::from_ref(&lzf)).unwrap();
    let may = Pipeline::new(&[Filter { optional: true, ..lzf }]).unwrap();
    let pool = Pool::new(2);
    let engine = Engine::new(&pool);
    let origin = selection::Dims::new(&[3, 5]).unwrap();
    let chunks = [
        (Arc::new(vec![0; 4096]), true, selection::Dims::new(&[0, 0]).unwrap()),
        (Arc::new(noise.clone()), true, origin),
    ];
    let error = engine.encode(&must, &chunks).unwrap_err();
    let EngineError::Encode { chunk, .. } = &error else { panic!("{error:?}") };
    assert_eq!((&chunk[..], error.part()), (&[3, 5][..], None));
    let said = error.to_string();
    assert!(said.contains("lzf") && said.ends_with("(chunk at [3, 5])"), "{said}");
    let encoded = engine.encode(&may, &chunks).unwrap();
    assert_eq!((encoded[0].1, encoded[1].1, &encoded[1].0), (0, 1, &noise));
    assert!(encoded[0].0.len() < 200);
}
