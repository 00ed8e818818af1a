//! Reads of some megabytes: many tasks on several threads, windows, direct reads and the detour of slow copies.

mod common;

use std::collections::HashMap;

use common::{Bytes, size};
use engine::{ChunkAddress, Engine, Fill, Layout, Memory, Part, Request};
use pool::Pool;
use selection::{ChunkGrid, Extent, Selection, copies};

/// Reads with pools of several sizes, to several places in a page; every element of memory is checked.
fn check(file: &Bytes, layout: &Layout, element: u64, from: &Selection, to: &Selection) {
    let wanted = expected(file, layout, element, from, to);
    let length = size(to.extent().count() * element);
    for (threads, phases) in [(1, &[16][..]), (2, &[0, 200]), (4, &[16])] {
        let pool = Pool::new(threads);
        for &phase in phases {
            let mut buffer = vec![0xEE; length + 2 * 4096];
            let skip = buffer.as_ptr().align_offset(4096) + phase;
            let source = file.source();
            let part = Part {
                source: &source,
                layout: layout.clone(),
                element,
                conversion: None,
                file: from.clone(),
                file_in_order: true,
                memory_selection: to.clone(),
                memory: Memory::from_slice(&mut buffer[skip..skip + length]),
                fill: Fill::Element(vec![0x55; size(element)]),
            };
            Engine::new(&pool).read(&mut Request { parts: vec![part] }).unwrap();
            assert!(buffer[skip..skip + length] == wanted, "{threads} threads, {phase} bytes into a page");
            assert!(buffer[..skip].iter().all(|&byte| byte == 0xEE));
            assert!(buffer[skip + length..].iter().all(|&byte| byte == 0xEE));
        }
    }
}

/// Run by run, with a walk over both selections that is tested elsewhere.
fn expected(file: &Bytes, layout: &Layout, element: u64, from: &Selection, to: &Selection) -> Vec<u8> {
    let mut memory = vec![0xEE; size(to.extent().count() * element)];
    let strides = from.extent().strides();
    let chunk_of: HashMap<u64, ChunkAddress> = match layout {
        Layout::Chunked { grid, chunks } => {
            let touched = grid.touched(from).unwrap();
            touched.iter().map(|chunk| chunk.number).zip(chunks.iter().copied()).collect()
        }
        _ => HashMap::new(),
    };
    // Where an element is, and how many from there on follow each other.
    let place = |at: u64| match layout {
        Layout::Missing => (None, u64::MAX),
        Layout::Contiguous(base) => (Some(base + at * element), u64::MAX),
        Layout::Filtered(_) | Layout::Runs(_) => unreachable!("none here"),
        Layout::Chunked { grid, .. } => {
            let (mut number, mut local, mut rest, mut left) = (0, 0, at, 0);
            for (d, &step) in strides.iter().enumerate() {
                let (x, chunk) = (rest / step, grid.chunk_dims()[d]);
                rest %= step;
                number = number * grid.shape()[d] + x / chunk;
                local = local * chunk + x % chunk;
                left = (chunk - x % chunk).min(grid.extent().dims()[d] - x);
            }
            match chunk_of[&number] {
                ChunkAddress::At(address) => (Some(address + local * element), left),
                ChunkAddress::Missing => (None, left),
            }
        }
    };
    copies(from.rows(0..u64::MAX), to, |mut at, mut into, mut length| {
        while length > 0 {
            let (place, left) = place(at);
            let now = left.min(length);
            let target = &mut memory[size(into * element)..][..size(now * element)];
            match place {
                Some(place) => target.copy_from_slice(&file.bytes[size(place)..][..target.len()]),
                None => target.fill(0x55),
            }
            (at, into, length) = (at + now, into + now, length - now);
        }
    })
    .unwrap();
    memory
}

fn matrix(rows: u64, columns: u64) -> Extent {
    Extent::new(&[rows, columns]).unwrap()
}

fn dense(from: &Selection) -> Selection {
    Selection::all(&Extent::new(&[from.len()]).unwrap())
}

/// Chunks at addresses far from their order, every seventh of them missing, some next to each other.
fn chunked(extent: &Extent, chunk: &[u64], element: u64, selection: &Selection) -> Layout {
    let grid = ChunkGrid::new(extent, chunk).unwrap();
    let total: u64 = grid.shape().iter().product();
    let touched = grid.touched(selection).unwrap();
    let address = |number: u64| {
        let place = (number / 4 * 4 * 37) % total.next_multiple_of(4) + number % 4;
        match number % 7 {
            3 => ChunkAddress::Missing,
            _ => ChunkAddress::At(4096 + place * grid.chunk_len() * element),
        }
    };
    let chunks = touched.iter().map(|chunk| address(chunk.number)).collect();
    Layout::Chunked { grid, chunks }
}

#[test]
fn whole_contiguous_datasets() {
    let file = Bytes::new(6_000_000, 0);
    for (base, element, count) in
        [(0, 1, 6_000_000), (4096, 4, 1_400_000), (77, 24, 200_000), (8192, 3, 1_500_001)]
    {
        let all = Selection::all(&Extent::new(&[count]).unwrap());
        check(&file, &Layout::Contiguous(base), element, &all, &all);
    }
    let all = Selection::all(&Extent::new(&[700_000]).unwrap());
    check(&file, &Layout::Missing, 4, &all, &all);
}

#[test]
fn rows_and_columns_of_a_contiguous_matrix() {
    let file = Bytes::new(9 << 20, 0);
    let extent = matrix(1024, 1024);
    let slab = |start: [u64; 2], stride: [u64; 2], count: [u64; 2], block: [u64; 2]| {
        Selection::hyperslab(&extent, &start, &stride, &count, &block).unwrap()
    };
    let every_second_row = slab([0, 0], [2, 1], [512, 1024], [1, 1]);
    let every_second_column = slab([0, 0], [1, 2], [1024, 512], [1, 1]);
    let one_column = slab([0, 77], [1, 1], [1024, 1], [1, 1]);
    let wide_bands = slab([3, 5], [5, 100], [200, 10], [3, 40]);
    let blocks = slab([0, 0], [1, 512], [1024, 2], [1, 300]);
    let tile = slab([100, 100], [1, 1], [700, 800], [1, 1]);
    for from in [&every_second_row, &every_second_column, &one_column, &wide_bands, &blocks, &tile] {
        // Into a dense buffer, and into a place of the same shape.
        check(&file, &Layout::Contiguous(16), 4, from, &dense(from));
        check(&file, &Layout::Contiguous(4096), 8, from, from);
    }
    // Lines so long that a column is one read for each element.
    let wide = matrix(1000, 2000);
    let column = Selection::tile(&wide, &[0, 3], &[1000, 1]).unwrap();
    check(&file, &Layout::Contiguous(0), 4, &column, &dense(&column));
}

#[test]
fn blocks_and_gaps_of_every_size() {
    let file = Bytes::new(4 << 20, 0);
    for block in [1, 600, 1024, 5000, 16383, 16384, 70_000] {
        for gap in [0, 1, 4096, 4097, 20_000] {
            let count = (3_500_000 / (block + gap)).min(500);
            let extent = Extent::new(&[(block + gap) * count]).unwrap();
            let from = Selection::hyperslab(&extent, &[0], &[block + gap], &[count], &[block]).unwrap();
            check(&file, &Layout::Contiguous(0), 1, &from, &dense(&from));
        }
    }
}

#[test]
fn chunks_of_every_size() {
    let file = Bytes::new(8 << 20, 0);
    let extent = matrix(700, 800);
    let all = Selection::all(&extent);
    let tile = Selection::tile(&extent, &[250, 133], &[400, 501]).unwrap();
    let rows = Selection::hyperslab(&extent, &[0, 0], &[2, 1], &[350, 800], &[1, 1]).unwrap();
    let columns = Selection::hyperslab(&extent, &[0, 1], &[1, 3], &[700, 266], &[1, 2]).unwrap();
    let column = Selection::tile(&extent, &[0, 500], &[700, 1]).unwrap();
    for chunk in [[16, 16], [64, 100], [512, 512], [1, 800], [700, 1], [700, 800], [250, 800]] {
        for from in [&all, &tile, &rows, &columns, &column] {
            let layout = chunked(&extent, &chunk, 4, from);
            check(&file, &layout, 4, from, from);
            if chunk[0] > 16 {
                check(&file, &layout, 4, from, &dense(from));
            }
        }
    }
}

#[test]
fn many_points_of_a_contiguous_and_of_a_chunked_dataset() {
    let file = Bytes::new(4 << 20, 0);
    let extent = matrix(1000, 1000);
    let mut points: Vec<u64> = Vec::new();
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..20_000 {
        points.extend([random.u64(..1000), random.u64(..1000)]);
    }
    let from = Selection::points(&extent, &points).unwrap();
    let to = dense(&from);
    let mut contiguous = vec![0; 80_000];
    let mut in_chunks = vec![0; 80_000];
    for in_order in [false, true] {
        for threads in [1, 4] {
            let pool = Pool::new(threads);
            let layouts = [Layout::Contiguous(123), chunked(&extent, &[100, 100], 4, &from)];
            for (layout, buffer) in layouts.iter().zip([&mut contiguous, &mut in_chunks]) {
                let source = file.source();
                let part = Part {
                    source: &source,
                    layout: layout.clone(),
                    element: 4,
                    conversion: None,
                    file: from.clone(),
                    file_in_order: in_order,
                    memory_selection: to.clone(),
                    memory: Memory::from_slice(buffer),
                    fill: Fill::Element(vec![0x55; 4]),
                };
                Engine::new(&pool).read(&mut Request { parts: vec![part] }).unwrap();
                assert!(*buffer == expected(&file, layout, 4, &from, &to));
            }
        }
    }
}

#[test]
fn several_datasets_of_several_files() {
    let files = [Bytes::new(3 << 20, 0), Bytes::new(2 << 20, 0)];
    let sources = [files[0].source(), files[1].source()];
    let extent = matrix(500, 500);
    let all = Selection::all(&extent);
    let layouts = [
        (1, Layout::Contiguous(500_000)),
        (0, Layout::Contiguous(2_000_000)),
        (0, chunked(&extent, &[100, 50], 4, &all)),
        (0, Layout::Contiguous(16)),
        (1, Layout::Missing),
        (1, Layout::Contiguous(0)),
    ];
    for threads in [1, 2, 4] {
        let pool = Pool::new(threads);
        let mut buffers = vec![vec![0; 1_000_000]; layouts.len()];
        let part = |((file, layout), buffer): (&(usize, Layout), _)| Part {
            source: &sources[*file],
            layout: layout.clone(),
            element: 4,
            conversion: None,
            file: all.clone(),
            file_in_order: true,
            memory_selection: all.clone(),
            memory: Memory::from_slice(buffer),
            fill: Fill::Element(vec![0x55; 4]),
        };
        let parts = layouts.iter().zip(buffers.iter_mut().map(Vec::as_mut_slice)).map(part).collect();
        Engine::new(&pool).read(&mut Request { parts }).unwrap();
        for ((file, layout), buffer) in layouts.iter().zip(&buffers) {
            assert!(*buffer == expected(&files[*file], layout, 4, &all, &all), "{layout:?}");
        }
    }
}
