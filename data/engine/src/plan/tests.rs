//! What a plan looks like.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use codecs::{Filter, Pipeline};
use selection::{ChunkGrid, Extent};
use store::{Descriptor, Store, StoreError, Target};

use super::*;
use crate::memory::Memory;
use crate::request::{Fill, StoredChunk};
use crate::source::{ByteStore, Costs, Source};

const CALL_COST: u64 = Costs::LOCAL_FILE.request;

fn source() -> Source {
    let file = std::fs::File::open("/dev/null").unwrap();
    Source::File(Arc::new(Store::new(Descriptor::new(OwnedFd::from(file)), u64::MAX)))
}

fn all(dims: &[u64]) -> Selection {
    Selection::all(&Extent::new(dims).unwrap())
}

/// A part of four-byte elements; its memory is never touched.
fn part(source: &Source, layout: Layout, file: Selection) -> Part<'_> {
    let memory_selection = all(&[file.len()]);
    // SAFETY: a plan does not write, and nothing else is done with it here.
    let memory = unsafe { Memory::new(core::ptr::without_provenance_mut(1 << 20), 1 << 40) };
    Part {
        source,
        layout,
        element: 4,
        conversion: None,
        file,
        file_in_order: true,
        memory_selection,
        memory,
        fill: Fill::Element(vec![0; 4]),
    }
}

/// Memory of its own for each.
fn request(mut parts: Vec<Part<'_>>) -> Request<'_> {
    for (number, part) in parts.iter_mut().enumerate() {
        let address = core::ptr::without_provenance_mut((number + 1) << 41);
        // SAFETY: as above.
        part.memory = unsafe { Memory::new(address, 1 << 40) };
    }
    Request { parts }
}

/// All chunks, from `base` on with the number given to each as its place.
fn chunked(dims: &[u64], chunk: &[u64], base: u64, place: impl Fn(u64) -> Option<u64>) -> Layout {
    let grid = ChunkGrid::new(&Extent::new(dims).unwrap(), chunk).unwrap();
    let total: u64 = grid.shape().iter().product();
    let bytes = grid.chunk_len() * 4;
    let address =
        |number| place(number).map_or(ChunkAddress::Missing, |at| ChunkAddress::At(base + at * bytes));
    Layout::Chunked { chunks: (0..total).map(address).collect(), grid }
}

/// Checks that every rank, row, chunk and element of every part is in exactly one task.
fn check_cover(request: &Request<'_>, plan: &Plan<'_>) {
    for (index, (part, part_plan)) in request.parts.iter().zip(&plan.parts).enumerate() {
        let mut ranks: Vec<Range<u64>> = Vec::new();
        let mut listed: Vec<Range<u64>> = Vec::new();
        let mut missing: Vec<Range<u64>> = Vec::new();
        let mut elements: Vec<(usize, Range<u64>)> = Vec::new();
        let wide = |range: &Range<usize>| range.start as u64..range.end as u64;
        for task in plan.tasks.iter().filter(|task| task.part == index) {
            match &task.work {
                Work::Ranks(range) | Work::Fill(range) => ranks.push(range.clone()),
                Work::Rows(range) | Work::Chunks(range) | Work::Decode(range) | Work::Runs(range) => {
                    listed.push(wide(range));
                }
                Work::FillChunks(range) => missing.push(wide(range)),
                Work::Elements(number, range) => elements.push((*number, range.clone())),
            }
        }
        let end = |mut ranges: Vec<Range<u64>>| {
            ranges.sort_by_key(|range| range.start);
            let mut end = 0;
            for range in ranges {
                assert!(range.start == end && range.end > end);
                end = range.end;
            }
            end
        };
        assert_eq!(end(missing), part_plan.missing.len() as u64);
        match &part.layout {
            Layout::Chunked { .. } | Layout::Filtered(_) if elements.is_empty() => {
                assert_eq!(end(listed), part_plan.chunks.len() as u64);
            }
            Layout::Chunked { .. } => {
                let touched = part_plan.touched.as_ref().unwrap();
                for (number, &(nth, _)) in part_plan.chunks.iter().enumerate() {
                    let own = elements.iter().filter(|(of, _)| *of == number);
                    let length = touched.local(&touched.nth(nth).unwrap()).len();
                    assert_eq!(end(own.map(|(_, range)| range.clone()).collect()), length);
                }
            }
            _ if part.file_in_order => assert_eq!(end(ranks), part.file.len()),
            _ => assert_eq!(end(listed), part_plan.rows.len() as u64),
        }
    }
}

#[test]
fn dividing_covers_everything_once() {
    for length in [0_u64, 1, 2, 7, 100, u64::MAX] {
        for parts in [1_u64, 2, 3, 50] {
            let ranges: Vec<_> = divide(length, parts).collect();
            assert!(ranges.len() as u64 <= parts.max(1));
            let mut end = 0;
            for range in ranges {
                assert_eq!(range.start, end);
                assert!(range.end > range.start);
                end = range.end;
            }
            assert_eq!(end, length);
        }
    }
}

#[test]
fn tasks_are_sorted_over_all_parts() {
    let (one, two) = (source(), source());
    let wide = Extent::new(&[10_000, 10_000]).unwrap();
    let columns = Selection::hyperslab(&wide, &[0, 0], &[1, 5000], &[10_000, 2], &[1, 1]).unwrap();
    let scrambled = |number: u64| (number % 7 != 3).then_some((number * 37) % 64);
    let mut points = part(&one, Layout::Contiguous(77), {
        let coordinates: Vec<u64> = (0..3000).map(|number| (number * 7919 + 13) % 5_000_000).collect();
        Selection::points(&Extent::new(&[5_000_000]).unwrap(), &coordinates).unwrap()
    });
    points.file_in_order = false;
    let request = request(vec![
        part(&one, Layout::Contiguous(20 << 20), all(&[4 << 20])),
        part(&two, Layout::Contiguous(1 << 20), all(&[3 << 20])),
        part(&one, chunked(&[512, 512], &[64, 64], 0, scrambled), all(&[512, 512])),
        part(&one, chunked(&[2048, 2048], &[1024, 1024], 5 << 20, Some), all(&[2048, 2048])),
        part(&one, Layout::Contiguous(0), columns),
        points,
        part(&two, Layout::Missing, all(&[1 << 20])),
    ]);
    let plan = Plan::new(&request, TASK_BYTES).unwrap();
    assert!(!plan.overlap);
    assert!(plan.tasks.windows(2).all(|pair| pair[0].place <= pair[1].place));
    check_cover(&request, &plan);
    for task in &plan.tasks {
        let part = &request.parts[task.part];
        assert_eq!(task.place.0, part.source.identity());
        // The place is that of the first byte read.
        if let (Work::Ranks(ranks), Layout::Contiguous(base)) = (&task.work, &part.layout) {
            let (offset, _) = part.file.cursor(ranks.start).next_run(1).unwrap();
            assert_eq!(task.place.1, base + offset * 4);
        }
    }
}

#[test]
fn parts_to_the_same_memory_keep_their_order() {
    let source = source();
    let file = || part(&source, Layout::Contiguous(0), all(&[1 << 20]));
    let mut parts = vec![file(), file(), file()];
    parts[0].layout = Layout::Contiguous(1 << 40);
    let overlapping = Request { parts };
    let plan = Plan::new(&overlapping, TASK_BYTES).unwrap();
    assert!(plan.overlap);
    assert!(plan.tasks.windows(2).all(|pair| pair[0].part <= pair[1].part));
    // Separate places of one buffer do not overlap, nor does what is not read at all.
    let extent = Extent::new(&[2, 1 << 20]).unwrap();
    let mut parts = vec![file(), file(), part(&source, Layout::Missing, Selection::none(&extent))];
    for (number, part) in parts.iter_mut().take(2).enumerate() {
        part.memory_selection = Selection::tile(&extent, &[number as u64, 0], &[1, 1 << 20]).unwrap();
    }
    let mut request = Request { parts };
    assert!(!Plan::new(&request, TASK_BYTES).unwrap().overlap);
    let both = Selection::tile(&extent, &[0, 5], &[2, 1 << 19]).unwrap();
    request.parts[1].memory_selection = both;
    assert!(Plan::new(&request, TASK_BYTES).unwrap().overlap);
    // Columns of one buffer lie between each other, but those who share it have said that they do not overlap.
    for (number, part) in request.parts.iter_mut().take(2).enumerate() {
        part.memory_selection = Selection::tile(&extent, &[0, number as u64 * 9], &[2, 1 << 19]).unwrap();
        // SAFETY: as above.
        part.memory = unsafe { Memory::shared(core::ptr::without_provenance_mut(1 << 20), 1 << 40, 7) };
    }
    assert!(!Plan::new(&request, TASK_BYTES).unwrap().overlap);
    let third = part(&source, Layout::Contiguous(0), all(&[1 << 10]));
    request.parts.push(third);
    assert!(Plan::new(&request, TASK_BYTES).unwrap().overlap);
}

#[test]
fn tasks_are_neither_small_nor_large() {
    let source = source();
    let wide = Extent::new(&[1 << 14, 1 << 14]).unwrap();
    let slab = |stride: [u64; 2], count: [u64; 2]| {
        Selection::hyperslab(&wide, &[0, 0], &stride, &count, &[1, 1]).unwrap()
    };
    // What is read, about how many bytes that touches, and about how many reads it is.
    let cases = [
        (Layout::Contiguous(0), all(&[64 << 20]), 256_u64, "whole"),
        (Layout::Contiguous(0), slab([1, 2], [1 << 14, 1 << 13]), 1024, "every second column"),
        (Layout::Contiguous(0), slab([1, 1 << 13], [1 << 14, 2]), 128, "two columns"),
        (Layout::Contiguous(0), slab([2, 1], [1 << 13, 1 << 14]), 512, "every second row"),
        (Layout::Missing, all(&[64 << 20]), 256, "fill"),
        (chunked(&[1 << 13, 1 << 13], &[512, 512], 0, Some), all(&[1 << 13, 1 << 13]), 256, "1 MiB chunks"),
        (chunked(&[1 << 13, 1 << 13], &[64, 64], 0, Some), all(&[1 << 13, 1 << 13]), 320, "16 KiB chunks"),
        (
            chunked(&[1 << 13, 1 << 13], &[1 << 13, 1 << 13], 0, Some),
            all(&[1 << 13, 1 << 13]),
            256,
            "one chunk",
        ),
        (chunked(&[1 << 20], &[16], 0, Some), all(&[1 << 20]), 256, "chunks of 64 bytes"),
        (chunked(&[1 << 13, 1 << 13], &[512, 512], 0, |_| None), all(&[1 << 13, 1 << 13]), 256, "missing"),
    ];
    for (layout, file, tasks, name) in cases {
        let request = request(vec![part(&source, layout, file)]);
        let plan = Plan::new(&request, TASK_BYTES).unwrap();
        check_cover(&request, &plan);
        let found = plan.tasks.len() as u64;
        assert!(found >= tasks / 2 && found <= tasks * 2, "{name}: {found} tasks");
    }
}

#[test]
fn a_sparse_part_of_many_chunks_is_divided_by_what_is_read() {
    let source = source();
    // One column of chunks whose lines are 2 KiB: every window of every chunk touched is read.
    let dims = [1 << 13, 512];
    let layout = chunked(&dims, &[512, 512], 0, Some);
    let column = Selection::tile(&Extent::new(&dims).unwrap(), &[0, 0], &[1 << 13, 1]).unwrap();
    let one = request(vec![part(&source, layout, column)]);
    assert_eq!(Plan::new(&one, TASK_BYTES).unwrap().tasks.len(), 16, "1 MiB each");
    // One element of each of many large chunks: many to a task.
    let dims = [1 << 28];
    let layout = chunked(&dims, &[1 << 18], 0, Some);
    let extent = Extent::new(&dims).unwrap();
    let file = Selection::hyperslab(&extent, &[7], &[1 << 18], &[1024], &[1]).unwrap();
    let one = request(vec![part(&source, layout, file)]);
    let plan = Plan::new(&one, TASK_BYTES).unwrap();
    assert!((4..=8).contains(&plan.tasks.len()), "{}", plan.tasks.len());
    check_cover(&one, &plan);
}

#[test]
fn threads_get_equal_shares_of_a_contiguous_part() {
    let source = source();
    for (mebibytes, tasks) in [(1, 1), (2, 2), (3, 4), (5, 8), (9, 16), (17, 17), (100, 100)] {
        let one = request(vec![part(&source, Layout::Contiguous(0), all(&[mebibytes << 18]))]);
        let plan = Plan::new(&one, TASK_BYTES).unwrap();
        check_cover(&one, &plan);
        assert_eq!(plan.tasks.len(), tasks, "{mebibytes} MiB");
    }
}

#[test]
fn irregular_blocks_far_apart_are_many_reads() {
    let source = source();
    let extent = Extent::new(&[1 << 30]).unwrap();
    let mut corners = Vec::new();
    for number in 0..4096_u64 {
        let start = number * 20_000 + number % 7;
        corners.extend([start, start]);
    }
    let file = Selection::blocks(&extent, &corners).unwrap();
    let one = request(vec![part(&source, Layout::Contiguous(0), file)]);
    let plan = Plan::new(&one, TASK_BYTES).unwrap();
    assert_eq!(plan.tasks.len(), 16);
    assert!(plan.cost >= 4096 * CALL_COST);
}

#[test]
fn a_small_read_does_not_know_the_number_of_chunks() {
    let source = source();
    // 2^56 chunks: anything that walked over them would not end.
    let dims = [1 << 31, 1 << 31];
    let extent = Extent::new(&dims).unwrap();
    let grid = ChunkGrid::new(&extent, &[8, 8]).unwrap();
    let file = Selection::tile(&extent, &[(1 << 30) + 4, (1 << 30) + 4], &[8, 8]).unwrap();
    let layout = Layout::Chunked { grid, chunks: vec![ChunkAddress::At(0); 4] };
    let one = request(vec![part(&source, layout, file)]);
    let plan = Plan::new(&one, TASK_BYTES).unwrap();
    assert_eq!((plan.tasks.len(), plan.parts[0].chunks.len()), (1, 4));
}

#[test]
fn untouched_fill_is_no_work() {
    let source = source();
    let mut nothing = part(&source, Layout::Missing, all(&[1 << 30]));
    nothing.fill = Fill::Untouched;
    let mut some =
        part(&source, chunked(&[100], &[10], 0, |number| (number > 5).then_some(number)), all(&[100]));
    some.fill = Fill::Untouched;
    let request = request(vec![nothing, some]);
    let plan = Plan::new(&request, TASK_BYTES).unwrap();
    assert_eq!(plan.tasks.len(), 1);
    assert_eq!((plan.parts[1].chunks.len(), plan.parts[1].missing.len()), (4, 0));
}

/// Chunks of so many elements one behind the other, deflated or not.
fn deflated(count: u64, chunk: u64, is_deflated: bool) -> Layout {
    let deflate = Filter { id: 1, name: "deflate".to_owned(), optional: false, parameters: vec![4] };
    let filters = if is_deflated { vec![deflate] } else { Vec::new() };
    let stored = |number| StoredChunk { address: number * 1000, size: 1000, mask: 0 };
    Layout::Filtered(Box::new(FilteredChunks {
        grid: ChunkGrid::new(&Extent::new(&[count * chunk]).unwrap(), &[chunk]).unwrap(),
        chunks: (0..count).map(|number| ChunkData::Stored(stored(number))).collect(),
        ahead: None,
        pace: None,
        pipeline: Arc::new(Pipeline::new(&filters).unwrap()),
        verify: true,
        kept: None,
    }))
}

#[test]
fn chunks_that_gain_by_it_are_decoded_in_pairs_if_there_are_enough() {
    const KIB: u64 = 1024 / 4;
    let source = source();
    let lengths = |layout: Layout, count: u64, chunk: u64, threads: usize| {
        let parts = vec![part(&source, layout.clone(), all(&[count * chunk])), {
            // Another part after it: what is next to it there is not its neighbour.
            part(&source, layout, all(&[count * chunk]))
        }];
        let request = request(parts);
        let mut plan = Plan::new(&request, TASK_BYTES).unwrap();
        plan.tasks.sort_by_key(|task| task.part);
        plan.pair_up(&request, || threads);
        check_cover(&request, &plan);
        let of_first = plan.tasks.iter().filter(|task| task.part == 0);
        let length = |task: &Task| match &task.work {
            Work::Decode(range) => range.len(),
            work => panic!("{work:?}"),
        };
        of_first.map(length).collect::<Vec<_>>()
    };
    assert_eq!(lengths(deflated(7, 1024 * KIB, true), 7, 1024 * KIB, 2), [2, 2, 2, 1]);
    assert_eq!(lengths(deflated(7, 1024 * KIB, true), 7, 1024 * KIB, 7), [2, 2, 2, 1]);
    assert_eq!(lengths(deflated(7, 1024 * KIB, true), 7, 1024 * KIB, 8), [1; 7], "too few for all threads");
    assert_eq!(lengths(deflated(7, 1024 * KIB, false), 7, 1024 * KIB, 2), [1; 7], "nothing gained");
    assert_eq!(lengths(deflated(7, 5000 * KIB, true), 7, 5000 * KIB, 2), [1; 7], "too large");
    // Small chunks are several to a task anyway.
    assert_eq!(lengths(deflated(21, 16 * KIB, true), 21, 16 * KIB, 2), [7, 7, 7]);
}

/// A store that is never asked for bytes.
#[derive(Debug)]
struct Far;

impl ByteStore for Far {
    fn costs(&self) -> Costs {
        Costs { request: 1 << 20, ..Costs::LOCAL_FILE }
    }

    fn check(&self, _: u64, _: u64) -> Result<(), StoreError> {
        Ok(())
    }

    fn read(&self, _: u64, _: Target<'_>) -> Result<(), StoreError> {
        unreachable!("a plan reads nothing")
    }

    fn write(&self, _: u64, _: &[u8]) -> Result<(), StoreError> {
        unreachable!("a plan writes nothing")
    }
}

#[test]
fn chunks_of_a_slow_source_are_more_tasks() {
    let tasks = |source: &Source| {
        let request = request(vec![part(source, deflated(64, 64, true), all(&[64 * 64]))]);
        let plan = Plan::new(&request, TASK_BYTES).unwrap();
        check_cover(&request, &plan);
        plan.tasks.len()
    };
    assert_eq!(tasks(&source()), 1, "of a file, all are one task");
    assert_eq!(tasks(&Source::Other(Arc::new(Far))), 16, "a task is four requests");
}
