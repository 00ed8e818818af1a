//! What the tests share: files of known bytes, random selections, and the naive oracle that enumerates elements.

#![allow(dead_code, reason = "each test file uses its own part")]

#[path = "../../../selection/tests/common/draw.rs"]
mod draw;
pub(crate) mod writing;

use std::io::Write;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use chunk_cache::Cache;
use codecs::Pipeline;
use convert::{Bits, Class, Conversion, Datatype, HostTraits, Integer, Order, Pad};
use engine::{
    Ahead, ChunkAddress, Converted, Fill, FilteredChunks, Kept, Layout, Memory, Part, Progress, Segment,
    Source, StoredChunk,
};
use selection::{ChunkGrid, Extent, Selection};
use store::{Descriptor, Store};

pub(crate) use draw::{Draw, everywhere, linear, size, walk};

/// A file without a name, of bytes that look random.
pub(crate) struct Bytes {
    pub(crate) bytes: Vec<u8>,
    pub(crate) store: Arc<Store>,
}

impl Bytes {
    /// The allocated space ends `beyond` bytes behind the file.
    pub(crate) fn new(length: usize, beyond: u64) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let mut bytes = vec![0; length];
        fastrand::Rng::with_seed(number).fill(&mut bytes);
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes).unwrap();
        let store = Store::new(Descriptor::new(OwnedFd::from(file)), length as u64 + beyond);
        Self { bytes, store: Arc::new(store) }
    }

    pub(crate) fn source(&self) -> Source {
        Source::File(Arc::clone(&self.store))
    }

    /// Bytes behind the end of the file are zeros.
    fn at(&self, offset: u64) -> u8 {
        usize::try_from(offset).ok().and_then(|offset| self.bytes.get(offset)).copied().unwrap_or(0)
    }
}

/// A selection and what it is: the offsets selected, in order.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) dims: Vec<u64>,
    pub(crate) selection: Selection,
    pub(crate) offsets: Vec<u64>,
    pub(crate) points: bool,
}

impl Case {
    fn new(dims: Vec<u64>, selection: Selection, coordinates: &[Vec<u64>], points: bool) -> Self {
        let offsets = coordinates.iter().map(|at| linear(&dims, at)).collect();
        Self { dims, selection, offsets, points }
    }
}

/// A random selection of a random kind.
pub(crate) fn file_case(draw: &mut Draw<'_>, element: u64) -> Case {
    let rank = draw.size(0, 5);
    let top = if element < 100 { [0, 60, 16, 8, 6, 4] } else { [0, 40, 7, 4, 3, 2] }[rank];
    let dims: Vec<u64> =
        (0..rank).map(|_| if draw.number(0, 40) == 0 { 0 } else { draw.number(1, top) }).collect();
    let extent = Extent::new(&dims).unwrap();
    let listable = extent.count() > 0 && rank > 0;
    match draw.number(0, 9) {
        0 => Case::new(dims, Selection::none(&extent), &[], false),
        1 | 2 => {
            let all = everywhere(&dims);
            Case::new(dims, Selection::all(&extent), &all, false)
        }
        6 | 7 if listable => blocks(draw, dims),
        8 | 9 if listable => points(draw, dims),
        _ => slab(draw, dims),
    }
}

fn slab(draw: &mut Draw<'_>, dims: Vec<u64>) -> Case {
    let (mut start, mut stride, mut count, mut block) = (vec![], vec![], vec![], vec![]);
    for &dim in &dims {
        if dim == 0 {
            for list in [&mut start, &mut stride, &mut count, &mut block] {
                list.push(0);
            }
            continue;
        }
        let full = draw.number(0, 2) == 0;
        let from = if full { 0 } else { draw.number(0, dim - 1) };
        let size = if full { dim } else { draw.number(1, (dim - from).min(4)) };
        let apart = size + draw.number(0, 3);
        let most = (dim - from - size) / apart + 1;
        start.push(from);
        stride.push(apart);
        count.push(if draw.number(0, 1) == 0 { most } else { draw.number(1, most) });
        block.push(size);
    }
    let along =
        |d: usize, x: u64| (0..count[d]).any(|j| (0..block[d]).any(|k| start[d] + j * stride[d] + k == x));
    let chosen = |at: &Vec<u64>| (0..dims.len()).all(|d| along(d, at[d]));
    let coordinates: Vec<_> = everywhere(&dims).into_iter().filter(chosen).collect();
    let extent = Extent::new(&dims).unwrap();
    let selection = Selection::hyperslab(&extent, &start, &stride, &count, &block).unwrap();
    Case::new(dims, selection, &coordinates, false)
}

fn blocks(draw: &mut Draw<'_>, dims: Vec<u64>) -> Case {
    let mut taken: Vec<(Vec<u64>, Vec<u64>)> = vec![];
    for _ in 0..draw.number(1, 12) {
        let low: Vec<u64> = dims.iter().map(|&dim| draw.number(0, dim - 1)).collect();
        let high: Vec<u64> = dims.iter().zip(&low).map(|(&dim, &low)| draw.number(low, dim - 1)).collect();
        if taken.iter().all(|(l, h)| (0..dims.len()).any(|d| high[d] < l[d] || h[d] < low[d])) {
            taken.push((low, high));
        }
    }
    let inside =
        |at: &Vec<u64>| taken.iter().any(|(l, h)| (0..dims.len()).all(|d| (l[d]..=h[d]).contains(&at[d])));
    let corners: Vec<u64> = taken.iter().flat_map(|(l, h)| [&l[..], &h[..]].concat()).collect();
    let coordinates: Vec<_> = everywhere(&dims).into_iter().filter(inside).collect();
    let selection = Selection::blocks(&Extent::new(&dims).unwrap(), &corners).unwrap();
    Case::new(dims, selection, &coordinates, false)
}

fn points(draw: &mut Draw<'_>, dims: Vec<u64>) -> Case {
    let coordinates = walk(draw, &dims);
    let selection = Selection::points(&Extent::new(&dims).unwrap(), &coordinates.concat()).unwrap();
    Case::new(dims, selection, &coordinates, true)
}

/// A random memory selection of `length` elements, none of them twice.
pub(crate) fn memory_case(draw: &mut Draw<'_>, length: u64) -> Case {
    let kind = if length == 0 { 0 } else { draw.number(0, 4) };
    match kind {
        0 => {
            let dims = vec![length];
            Case::new(dims.clone(), Selection::all(&Extent::new(&dims).unwrap()), &everywhere(&dims), false)
        }
        1 => {
            let width = draw.number(1, 9);
            let dims = vec![(length + draw.number(0, 20)).div_ceil(width), width];
            let mut all = everywhere(&dims);
            draw.shuffle(&mut all);
            all.truncate(size(length));
            if draw.number(0, 1) == 0 {
                all.sort_unstable();
            }
            let selection = Selection::points(&Extent::new(&dims).unwrap(), &all.concat()).unwrap();
            Case::new(dims, selection, &all, true)
        }
        2 => {
            // Runs on the lines of a two-dimensional space.
            let width = draw.number(1, 12);
            let (mut corners, mut coordinates) = (vec![], vec![]);
            let mut place = draw.number(0, 5);
            while (coordinates.len() as u64) < length {
                let (y, x) = (place / width, place % width);
                let run = draw.number(1, (width - x).min(length - coordinates.len() as u64));
                corners.extend([y, x, y, x + run - 1]);
                coordinates.extend((0..run).map(|k| vec![y, x + k]));
                place += run + draw.number(0, 4);
            }
            let dims = vec![place / width + 1, width];
            let selection = Selection::blocks(&Extent::new(&dims).unwrap(), &corners).unwrap();
            Case::new(dims, selection, &coordinates, false)
        }
        _ => {
            // A factorisation of the length, each factor a number of blocks.
            let (mut dims, mut start, mut stride, mut count, mut block) =
                (vec![], vec![], vec![], vec![], vec![]);
            let rank = draw.size(1, 4);
            let mut rest = length;
            for d in 0..rank {
                let along = if d + 1 == rank { rest } else { draw.divisor(rest) };
                rest /= along;
                let size = draw.divisor(along);
                let apart = size + draw.number(0, 2);
                start.push(draw.number(0, 2));
                stride.push(apart);
                count.push(along / size);
                block.push(size);
                dims.push(start[d] + along / size * apart + draw.number(0, 2));
            }
            let selection =
                Selection::hyperslab(&Extent::new(&dims).unwrap(), &start, &stride, &count, &block).unwrap();
            let along = |d: usize, i: u64| start[d] + i / block[d] * stride[d] + i % block[d];
            let counts: Vec<u64> = (0..rank).map(|d| count[d] * block[d]).collect();
            let coordinates: Vec<Vec<u64>> =
                everywhere(&counts).iter().map(|at| (0..rank).map(|d| along(d, at[d])).collect()).collect();
            Case::new(dims, selection, &coordinates, false)
        }
    }
}

/// Where each byte of an element comes from.
#[derive(Debug, Clone)]
enum From {
    Fill,
    Byte { file: usize, offset: u64 },
}

/// One part of a random request, and what must come of it.
pub(crate) struct Sample {
    source: Source,
    layout: Layout,
    element: u64,
    conversion: Option<Arc<Converted>>,
    file: Case,
    file_in_order: bool,
    memory: Case,
    fill: Fill,
    /// The buffer: a guard, the memory, a guard.
    buffer: Vec<u8>,
    guard: usize,
    expected: Vec<u8>,
}

impl Sample {
    pub(crate) fn new(draw: &mut Draw<'_>, files: &[Bytes]) -> Self {
        let element = draw.pick(&[1, 2, 3, 4, 8, 16, 24, 100, 4000]);
        let chosen = file_case(draw, element);
        let memory = memory_case(draw, chosen.offsets.len() as u64);
        let conversion = if element <= 8 && element != 3 && draw.number(0, 2) == 0 {
            Some(Arc::new(to_large_big_endian(element)))
        } else {
            None
        };
        let in_memory = conversion.as_ref().map_or(element, |converted| converted.element);
        let fill = if draw.number(0, 2) == 0 {
            Fill::Untouched
        } else {
            Fill::Element((0..in_memory).map(|_| u8::try_from(draw.number(0, 255)).unwrap()).collect())
        };
        let (source, layout, from) = storage(draw, files, &chosen, element);
        let guard = draw.size(64, 100);
        let length = size(memory.dims.iter().product::<u64>() * in_memory);
        let buffer: Vec<u8> = (0..length + 2 * guard).map(|at| u8::try_from(at % 253).unwrap()).collect();
        let mut expected = buffer.clone();
        for (from, to) in from.iter().zip(&memory.offsets) {
            for byte in 0..in_memory {
                let place = &mut expected[guard + size(to * in_memory + byte)];
                // A large big-endian number ends with the first byte of the little-endian one, and so on.
                let source = if conversion.is_some() { in_memory - 1 - byte } else { byte };
                match (from(source.min(element - 1)), &fill) {
                    (From::Fill, Fill::Untouched) => {}
                    (From::Fill, Fill::Element(value)) => *place = value[size(byte)],
                    (From::Byte { .. }, _) if source >= element => *place = 0,
                    (From::Byte { file, offset }, _) => *place = files[file].at(offset),
                }
            }
        }
        let file_in_order = !chosen.points || draw.number(0, 3) == 0;
        drop(from);
        Self {
            source,
            layout,
            element,
            conversion,
            file: chosen,
            file_in_order,
            memory,
            fill,
            buffer,
            guard,
            expected,
        }
    }

    pub(crate) fn part(&mut self) -> Part<'_> {
        let inside = self.guard..self.buffer.len() - self.guard;
        Part {
            source: &self.source,
            layout: self.layout.clone(),
            element: self.element,
            conversion: self.conversion.clone(),
            file: self.file.selection.clone(),
            file_in_order: self.file_in_order,
            memory_selection: self.memory.selection.clone(),
            memory: Memory::from_slice(&mut self.buffer[inside]),
            fill: self.fill.clone(),
        }
    }

    pub(crate) fn check(&self) {
        if self.buffer != self.expected {
            let at = (0..self.buffer.len()).find(|&at| self.buffer[at] != self.expected[at]);
            panic!(
                "byte {at:?} (guards of {}) is wrong: {:?}, element {}, {:?} to {:?}, {:?}",
                self.guard, self.layout, self.element, self.file, self.memory, self.fill
            );
        }
    }
}

type ElementFrom = Box<dyn Fn(u64) -> From>;

/// A random layout in random files, and for each selected element where its bytes are.
fn storage(
    draw: &mut Draw<'_>,
    files: &[Bytes],
    file: &Case,
    element: u64,
) -> (Source, Layout, Vec<ElementFrom>) {
    let number = draw.size(0, files.len() as u64 - 1);
    let source = files[number].source();
    let total = file.dims.iter().product::<u64>() * element;
    let from = |offset: u64| -> ElementFrom {
        Box::new(move |byte| From::Byte { file: number, offset: offset + byte })
    };
    let end = files[number].store.end();
    match draw.number(0, 9) {
        0 => {
            let nowhere = || -> ElementFrom { Box::new(|_| From::Fill) };
            (source, Layout::Missing, file.offsets.iter().map(|_| nowhere()).collect())
        }
        1..=3 => {
            let base = draw.number(0, end - total);
            (
                source,
                Layout::Contiguous(base),
                file.offsets.iter().map(|at| from(base + at * element)).collect(),
            )
        }
        4 | 5 => {
            let (segments, places) = external(draw, files, total);
            let base = draw.number(0, segments.iter().map(|segment| segment.length).sum::<u64>() - total);
            let places = Arc::new(places);
            let element_from = |at: &u64| -> ElementFrom {
                let (places, start) = (Arc::clone(&places), base + at * element);
                Box::new(move |byte| {
                    let (file, offset) = places[size(start + byte)];
                    From::Byte { file, offset }
                })
            };
            let from = file.offsets.iter().map(element_from).collect();
            (Source::External(segments.into()), Layout::Contiguous(base), from)
        }
        _ if file.dims.is_empty() => {
            let base = draw.number(0, end - total);
            (
                source,
                Layout::Contiguous(base),
                file.offsets.iter().map(|at| from(base + at * element)).collect(),
            )
        }
        _ => {
            let chunk: Vec<u64> = file.dims.iter().map(|&dim| draw.number(1, dim.max(1) + 2)).collect();
            let grid = ChunkGrid::new(&Extent::new(&file.dims).unwrap(), &chunk).unwrap();
            let bytes = grid.chunk_len() * element;
            // One after another, in any order, with gaps or none.
            let mut order: Vec<usize> = (0..size(grid.shape().iter().product())).collect();
            draw.shuffle(&mut order);
            let mut addresses = vec![ChunkAddress::Missing; order.len()];
            let gap = draw.pick(&[0, 0, 10, 5000]);
            let mut next = draw.number(0, 5000);
            for at in order {
                if next + bytes <= end && draw.number(0, 4) > 0 {
                    addresses[at] = ChunkAddress::At(next);
                    next += bytes + draw.number(0, gap);
                }
            }
            let element_from = |at: &u64| -> ElementFrom {
                let (mut number, mut local, mut rest) = (0, 0, *at);
                for (d, &chunk) in chunk.iter().enumerate() {
                    let step: u64 = file.dims[d + 1..].iter().product();
                    let x = rest / step;
                    rest %= step;
                    number = number * grid.shape()[d] + x / chunk;
                    local = local * chunk + x % chunk;
                }
                match addresses[size(number)] {
                    ChunkAddress::At(address) => from(address + local * element),
                    ChunkAddress::Missing => Box::new(|_| From::Fill),
                }
            };
            let from = file.offsets.iter().map(element_from).collect();
            let chunks = grid
                .touched(&file.selection)
                .unwrap()
                .iter()
                .map(|chunk| addresses[size(chunk.number)])
                .collect();
            let layout = if draw.number(0, 1) == 0 {
                Layout::Chunked { grid, chunks }
            } else {
                let stored = |address: ChunkAddress| match address {
                    ChunkAddress::At(address) => Some(StoredChunk { address, size: bytes, mask: 0 }),
                    ChunkAddress::Missing => None,
                };
                let next = (0_u64..).zip(&addresses).filter_map(|(number, at)| Some((number, stored(*at)?)));
                let next: Vec<_> = next.take(draw.size(0, 3)).collect();
                let kept = (draw.number(0, 2) > 0).then(new_dataset_in_cache);
                let pipeline = Arc::new(Pipeline::new(&[]).unwrap());
                let ahead = kept.map(|kept| {
                    Arc::new(Ahead {
                        source: source.clone(),
                        pipeline: Arc::clone(&pipeline),
                        grid: grid.clone(),
                        chunk_bytes: size(bytes),
                        kept,
                        chunks: next,
                        note_decoded: || (),
                        progress: Progress::default(),
                    })
                });
                let chunks = chunks.into_iter().map(|address| stored(address).into()).collect();
                Layout::Filtered(Box::new(FilteredChunks {
                    grid,
                    chunks,
                    ahead,
                    pace: None,
                    pipeline,
                    verify: true,
                    kept,
                }))
            };
            (source, layout, from)
        }
    }
}

/// A place for a new dataset in a cache that is too small for all of them.
fn new_dataset_in_cache() -> Kept {
    static CACHE: OnceLock<Cache> = OnceLock::new();
    static DATASETS: AtomicU64 = AtomicU64::new(0);
    let cache = CACHE.get_or_init(|| Cache::new(100_000));
    Kept { cache, dataset: DATASETS.fetch_add(1, Ordering::Relaxed) }
}

/// From little-endian unsigned integers of this size to big-endian ones of eight bytes.
fn to_large_big_endian(element: u64) -> Converted {
    let integer = |size: usize, order| Datatype {
        size,
        class: Class::Integer(Integer {
            bits: Bits { order, precision: size * 8, offset: 0, low_pad: Pad::Zero, high_pad: Pad::Zero },
            signed: false,
        }),
    };
    let host = HostTraits { native_half: true, keeps_denormal_flag: false };
    let conversion = Conversion::new(&integer(size(element), Order::Little), &integer(8, Order::Big), host);
    Converted { conversion: conversion.unwrap(), element: 8 }
}

/// Segments of at least `total` bytes in random files, and for each of their bytes its file and offset.
fn external(draw: &mut Draw<'_>, files: &[Bytes], total: u64) -> (Vec<Segment>, Vec<(usize, u64)>) {
    let (mut segments, mut places) = (vec![], vec![]);
    let most = (total / 2).clamp(1, 50_000);
    while (places.len() as u64) < total || segments.len() < 2 {
        let file = draw.size(0, files.len() as u64 - 1);
        let length = draw.number(0, most);
        let offset = draw.number(0, files[file].store.end() - length);
        segments.push(Segment { store: Arc::clone(&files[file].store), offset, length });
        places.extend((offset..offset + length).map(|at| (file, at)));
    }
    (segments, places)
}
