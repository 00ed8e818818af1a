//! Writes of some megabytes: many tasks on several threads, windows, direct writes, and callers side by side.

mod common;

use std::num::NonZeroU64;
use std::sync::{Arc, Barrier};
use std::thread;

use codecs::{Filter, Pipeline, Work};
use common::{Bytes, size};
use engine::{
    Base, ChunkAddress, ChunkJob, Engine, Gathered, Gathering, InPlace, Places, Source, Spares, Then,
    WritePart,
};
use pool::Pool;
use selection::{ChunkGrid, Extent, Selection, copies};
use store::Target;

fn part(element: u64, file: Selection, memory: &[u8]) -> WritePart<'_> {
    let memory_selection = Selection::all(&Extent::new(&[file.len()]).unwrap());
    WritePart { element, conversion: None, file, file_in_order: true, memory_selection, memory }
}

fn noise(length: u64) -> Vec<u8> {
    Bytes::new(size(length), 0).bytes
}

/// Writes with pools of several sizes, and checks every byte of the file.
fn check(layout: &Places, part: &WritePart<'_>, length: usize) {
    for (threads, task_bytes) in [(1, 1 << 20), (4, 32 << 10)] {
        let file = Bytes::new(length, 0);
        let target = file.source();
        let in_place = InPlace { part, target: &target, layout: layout.clone(), is_all_claimed: false };
        let pool = Pool::new(threads);
        let engine = Engine::new(&pool).with_task_bytes(NonZeroU64::new(task_bytes).unwrap());
        engine.write(&[in_place]).unwrap();
        let mut content = vec![0; length];
        file.store.read(0, Target::from_slice(&mut content), &mut []).unwrap();
        assert!(content == expected(layout, part, file.bytes), "{threads} threads");
    }
}

/// Run by run, with a walk over both selections that is tested elsewhere.
fn expected(layout: &Places, part: &WritePart<'_>, mut bytes: Vec<u8>) -> Vec<u8> {
    let mut put = |base: u64, at: u64, from: u64, count: u64| {
        let (to, from) = (size(base + at * part.element), size(from * part.element));
        let length = size(count * part.element);
        bytes[to..to + length].copy_from_slice(&part.memory[from..from + length]);
    };
    match layout {
        Places::Contiguous(base) => {
            let rows = part.file.rows(0..u64::MAX);
            copies(rows, &part.memory_selection, |at, from, count| put(*base, at, from, count)).unwrap();
        }
        Places::Chunked { grid, chunks } => {
            let touched = grid.touched(&part.file).unwrap();
            for (chunk, address) in touched.iter().zip(chunks) {
                let ChunkAddress::At(address) = address else { continue };
                let local = touched.local(&chunk);
                let rows = local.rows();
                copies(rows, &part.memory_selection, |at, from, count| put(*address, at, from, count))
                    .unwrap();
            }
        }
    }
    bytes
}

fn matrix(rows: u64, columns: u64) -> Extent {
    Extent::new(&[rows, columns]).unwrap()
}

fn slab(extent: &Extent, start: [u64; 2], stride: [u64; 2], count: [u64; 2]) -> Selection {
    Selection::hyperslab(extent, &start, &stride, &count, &[1, 1]).unwrap()
}

/// Chunks at addresses far from their order, every seventh of them missing, some next to each other.
fn chunked(extent: &Extent, chunk: &[u64], element: u64, selection: &Selection) -> Places {
    let grid = ChunkGrid::new(extent, chunk).unwrap();
    let total: u64 = grid.shape().iter().product();
    let rounded = total.next_multiple_of(4);
    let address = |number: u64| {
        let place = (rounded - 4 - number / 4 * 4) + number % 4;
        let address = ChunkAddress::At(4096 + place * grid.chunk_len() * element);
        if number % 7 == 3 { ChunkAddress::Missing } else { address }
    };
    let touched = grid.touched(selection).unwrap();
    let chunks = touched.iter().map(|chunk| address(chunk.number)).collect();
    Places::Chunked { grid, chunks }
}

#[test]
fn selections_of_contiguous_datasets() {
    let extent = matrix(400, 500);
    for file in [
        Selection::all(&extent),
        slab(&extent, [0, 0], [2, 1], [200, 500]),
        slab(&extent, [3, 5], [1, 2], [390, 200]),
        slab(&extent, [0, 100], [1, 1], [400, 300]),
        slab(&extent, [0, 300], [1, 1], [400, 1]),
        slab(&extent, [0, 0], [1, 37], [400, 13]),
    ] {
        let memory = noise(file.len() * 4);
        check(&Places::Contiguous(77), &part(4, file, &memory), 400 * 500 * 4 + 100);
    }
    // From memory in another order, and points in any order.
    let all = Selection::all(&extent);
    let memory = noise(all.len() * 2 * 4);
    let mut odd = part(4, all, &memory);
    odd.memory_selection = slab(&matrix(400, 1000), [0, 1], [1, 2], [400, 500]);
    check(&Places::Contiguous(0), &odd, 400 * 500 * 4);
    let line = Extent::new(&[100_003]).unwrap();
    let points: Vec<u64> = (0..20_000).map(|number| number * 7919 % 100_003).collect();
    let points = Selection::points(&line, &points).unwrap();
    let memory = noise(points.len() * 8);
    let mut scattered = part(8, points, &memory);
    scattered.file_in_order = false;
    check(&Places::Contiguous(0), &scattered, 100_003 * 8);
    check(&chunked(&line, &[100_003], 8, &scattered.file), &scattered, 100_003 * 8 + 4096);
    check(&chunked(&line, &[10_000], 8, &scattered.file), &scattered, 130_000 * 8);
}

#[test]
fn selections_of_chunks() {
    let extent = matrix(400, 500);
    for chunk in [[50, 50], [300, 400], [16, 16], [1, 500]] {
        for file in [
            Selection::all(&extent),
            slab(&extent, [0, 0], [2, 1], [200, 500]),
            slab(&extent, [3, 5], [3, 2], [130, 200]),
            slab(&extent, [0, 100], [1, 1], [400, 300]),
        ] {
            let memory = noise(file.len() * 4);
            check(&chunked(&extent, &chunk, 4, &file), &part(4, file, &memory), 2_000_000);
        }
    }
}

/// Callers that write next to each other lose nothing of the others', however they sieve.
#[test]
fn callers_side_by_side() {
    let extent = matrix(500, 60);
    let file = Bytes::new(500 * 60 * 4, 0);
    let target = file.source();
    let pool = Pool::new(3);
    let columns: Vec<_> = (0..4).map(|caller| slab(&extent, [0, caller * 15], [1, 2], [500, 8])).collect();
    let rows: Vec<_> = (0..4).map(|caller| slab(&extent, [caller * 125, 0], [2, 1], [60, 60])).collect();
    let mut content = file.bytes.clone();
    for round in 0..60_u8 {
        let areas = if round % 2 == 0 { &columns } else { &rows };
        let memory: Vec<u8> = vec![round; 500 * 8 * 4];
        let parts: Vec<_> = areas.iter().map(|area| part(4, area.clone(), &memory)).collect();
        for part in &parts {
            content = expected(&Places::Contiguous(0), part, content);
        }
        let together = Barrier::new(parts.len());
        thread::scope(|scope| {
            for part in &parts {
                let in_place =
                    InPlace { part, target: &target, layout: Places::Contiguous(0), is_all_claimed: false };
                scope.spawn(|| {
                    let in_place = [in_place];
                    together.wait();
                    Engine::new(&pool).write(&in_place).unwrap();
                });
            }
        });
        let mut found = vec![0; content.len()];
        file.store.read(0, Target::from_slice(&mut found), &mut []).unwrap();
        assert!(found == content, "round {round}");
    }
}

/// Parts of one call that lie between each other come one after another.
#[test]
fn parts_of_one_call_between_each_other() {
    let extent = matrix(400, 400);
    let even = slab(&extent, [0, 0], [1, 2], [400, 200]);
    let odd = slab(&extent, [0, 1], [1, 2], [400, 200]);
    let (one, two) = (noise(80_000 * 4), noise(80_000 * 4));
    let (one, two) = (part(4, even, &one), part(4, odd, &two));
    let grid = |part: &WritePart<'_>| chunked(&extent, &[100, 100], 4, &part.file);
    for layouts in [[Places::Contiguous(8), Places::Contiguous(8)], [grid(&one), grid(&two)]] {
        for threads in [2, 4] {
            let file = Bytes::new(1_000_000, 0);
            let target = file.source();
            let mut content = file.bytes.clone();
            let mut parts = Vec::new();
            for (part, layout) in [&one, &two].into_iter().zip(&layouts) {
                content = expected(layout, part, content);
                parts.push(InPlace { part, target: &target, layout: layout.clone(), is_all_claimed: false });
            }
            let pool = Pool::new(threads);
            let engine = Engine::new(&pool).with_task_bytes(NonZeroU64::new(20_000).unwrap());
            for _ in 0..5 {
                engine.write(&parts).unwrap();
                let mut found = vec![0; content.len()];
                file.store.read(0, Target::from_slice(&mut found), &mut []).unwrap();
                assert!(found == content);
                file.store.write(0, &file.bytes).unwrap();
            }
        }
    }
}

#[test]
fn many_chunks_are_put_together_by_many_threads() {
    let extent = matrix(400, 500);
    let grid = ChunkGrid::new(&extent, &[35, 65]).unwrap();
    let file = Selection::all(&extent);
    let memory: Vec<u8> = (0..800_000_u32).map(|at| u8::try_from(at / 64 % 251).unwrap()).collect();
    let part = part(4, file.clone(), &memory);
    let deflate = Filter { id: 1, name: "deflate".to_owned(), optional: true, parameters: vec![1] };
    let source = Source::External([].into());
    for pipeline in [Pipeline::new(&[]).unwrap(), Pipeline::new(&[deflate]).unwrap()] {
        for (threads, then) in [(1, Then::Keep), (4, Then::Keep), (4, Then::Encode { filtered: true })] {
            let what = Gathering {
                part: &part,
                source: &source,
                grid: &grid,
                pipeline: &pipeline,
                fill: &[3; 4],
                spares: &Spares::new(),
                taker: None,
            };
            let jobs = (0..12 * 8).map(|chunk| ChunkJob { chunk, base: Base::Overwritten, then }).collect();
            let done = Engine::new(&Pool::new(threads)).gather(&what, jobs).unwrap();
            let touched = grid.touched(&file).unwrap();
            for (gathered, chunk) in done.into_iter().zip(touched.iter()) {
                let mut elements = vec![3; 35 * 65 * 4];
                copies(touched.local(&chunk).rows(), &part.memory_selection, |at, from, count| {
                    let (at, from, count) = (size(at * 4), size(from * 4), size(count * 4));
                    elements[at..at + count].copy_from_slice(&memory[from..from + count]);
                })
                .unwrap();
                match gathered {
                    Gathered::Kept(kept) => assert!(kept == elements),
                    Gathered::Encoded { bytes, mask } => {
                        let mut decoded = vec![0; elements.len()];
                        pipeline.decode(&bytes, mask, true, &mut decoded, &mut Work::new()).unwrap();
                        assert!(decoded == elements);
                    }
                    Gathered::Given => unreachable!("nobody takes it"),
                }
            }
        }
    }
    let kept: Vec<_> = (0..50_u8)
        .map(|number| {
            (Arc::new(vec![number; 20_000]), number % 2 == 0, grid.chunk_numbered(number.into()).origin)
        })
        .collect();
    let fletcher = Filter { id: 3, name: "fletcher32".to_owned(), optional: false, parameters: vec![] };
    let pipeline = Pipeline::new(&[fletcher]).unwrap();
    for (number, (bytes, mask)) in
        Engine::new(&Pool::new(4)).encode(&pipeline, &kept).unwrap().into_iter().enumerate()
    {
        assert_eq!((bytes.len(), mask), (20_000 + (1 - number % 2) * 4, 0));
        assert!(bytes[..20_000].iter().all(|&byte| usize::from(byte) == number));
    }
}
