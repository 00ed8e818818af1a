//! Random writes in place, against the model that writes one element after another: exactly the selected bytes change.

mod common;

use std::num::NonZeroU64;
use std::sync::Arc;

use common::writing::Written;
use common::{Bytes, Draw, size};
use engine::{ChunkAddress, Engine, InPlace, Places, Segment, Source, WritePart};
use pool::Pool;
use proptest::prelude::*;
use selection::{ChunkGrid, Extent};
use store::{Store, Target};

/// Where one part goes: the layout, and for each selected element the bytes of the file.
struct Storage {
    layout: Places,
    /// Pieces of the file one after another, if it is not the file itself.
    segments: Option<Vec<(u64, u64)>>,
    /// Offsets of an element's bytes; none if it is not written.
    elements: Vec<Option<Vec<u64>>>,
}

/// Space in the file, which nobody else gets.
struct Space(u64);

impl Space {
    fn take(&mut self, draw: &mut Draw<'_>, length: u64) -> u64 {
        let gap = draw.pick(&[0, 0, 7, 5000]);
        let at = self.0 + draw.number(0, gap);
        self.0 = at + length;
        at
    }
}

impl Storage {
    fn new(draw: &mut Draw<'_>, space: &mut Space, part: &Written) -> Self {
        let (dims, element) = (&part.file.dims, part.element);
        let total = dims.iter().product::<u64>() * element;
        match draw.number(0, 5) {
            0 => Self::external(draw, space, part, total),
            1 | 2 => Self::contiguous(space.take(draw, total), part),
            _ if dims.is_empty() => Self::contiguous(space.take(draw, total), part),
            _ => Self::chunked(draw, space, part),
        }
    }

    fn contiguous(base: u64, part: &Written) -> Self {
        let bytes = |at: &u64| Some((0..part.element).map(|byte| base + at * part.element + byte).collect());
        let elements = part.file.offsets.iter().map(bytes).collect();
        Self { layout: Places::Contiguous(base), segments: None, elements }
    }

    fn external(draw: &mut Draw<'_>, space: &mut Space, part: &Written, total: u64) -> Self {
        let (mut lengths, mut left) = (vec![0], total + draw.number(0, 10));
        while left > 0 {
            lengths.push(draw.number(1, left));
            left -= lengths[lengths.len() - 1];
        }
        let mut segments: Vec<_> =
            lengths.into_iter().map(|length| (space.take(draw, length), length)).collect();
        draw.shuffle(&mut segments);
        let places: Vec<u64> = segments.iter().flat_map(|&(at, length)| at..at + length).collect();
        let base = draw.number(0, places.len() as u64 - total);
        let Self { layout, elements, .. } = Self::contiguous(base, part);
        let place = |bytes: Vec<u64>| bytes.into_iter().map(|byte| places[size(byte)]).collect();
        let elements = elements.into_iter().map(|bytes| bytes.map(place)).collect();
        Self { layout, segments: Some(segments), elements }
    }

    fn chunked(draw: &mut Draw<'_>, space: &mut Space, part: &Written) -> Self {
        let (dims, element) = (&part.file.dims, part.element);
        let chunk: Vec<u64> = dims.iter().map(|&dim| draw.number(1, dim.max(1) + 2)).collect();
        let grid = ChunkGrid::new(&Extent::new(dims).unwrap(), &chunk).unwrap();
        let mut order: Vec<usize> = (0..size(grid.shape().iter().product())).collect();
        draw.shuffle(&mut order);
        let mut addresses = vec![ChunkAddress::Missing; order.len()];
        for at in order {
            if draw.number(0, 4) > 0 {
                addresses[at] = ChunkAddress::At(space.take(draw, grid.chunk_len() * element));
            }
        }
        let bytes = |at: &u64| {
            let (mut number, mut local, mut rest) = (0, 0, *at);
            for (d, &chunk) in chunk.iter().enumerate() {
                let step: u64 = dims[d + 1..].iter().product();
                number = number * grid.shape()[d] + rest / step / chunk;
                local = local * chunk + rest / step % chunk;
                rest %= step;
            }
            match addresses[size(number)] {
                ChunkAddress::At(address) => {
                    Some((0..element).map(|byte| address + local * element + byte).collect())
                }
                ChunkAddress::Missing => None,
            }
        };
        let elements = part.file.offsets.iter().map(bytes).collect();
        let touched = grid.touched(&part.file.selection).unwrap();
        let chunks = touched.iter().map(|chunk| addresses[size(chunk.number)]).collect();
        Self { layout: Places::Chunked { grid, chunks }, segments: None, elements }
    }

    fn target(&self, store: &Arc<Store>) -> Source {
        match &self.segments {
            None => Source::File(Arc::clone(store)),
            Some(segments) => {
                let segment = |&(offset, length)| Segment { store: Arc::clone(store), offset, length };
                Source::External(segments.iter().map(segment).collect())
            }
        }
    }
}

fn content(store: &Store, length: usize) -> Vec<u8> {
    let mut content = vec![0; length];
    store.read(0, Target::from_slice(&mut content), &mut []).unwrap();
    content
}

fn check(numbers: &[u32], pool: &Pool) {
    let mut draw = Draw::new(numbers);
    let count = if draw.number(0, 2) == 0 { draw.number(0, 4) } else { 1 };
    let mut space = Space(0);
    let written: Vec<_> = (0..count).map(|_| Written::new(&mut draw)).collect();
    let storage: Vec<_> = written.iter().map(|part| Storage::new(&mut draw, &mut space, part)).collect();
    let file = Bytes::new(size(space.0) + draw.size(0, 100), 0);
    let mut expected = file.bytes.clone();
    for (part, storage) in written.iter().zip(&storage) {
        for (rank, bytes) in storage.elements.iter().enumerate() {
            let Some(bytes) = bytes else { continue };
            let mut element: Vec<u8> = bytes.iter().map(|&at| expected[size(at)]).collect();
            part.write(rank, &mut element);
            bytes.iter().zip(element).for_each(|(&at, byte)| expected[size(at)] = byte);
        }
    }
    let parts: Vec<WritePart<'_>> = written.iter().map(Written::part).collect();
    let targets: Vec<Source> = storage.iter().map(|storage| storage.target(&file.store)).collect();
    let in_place: Vec<_> = parts
        .iter()
        .zip(&storage)
        .zip(&targets)
        .map(|((part, storage), target)| InPlace {
            part,
            target,
            layout: storage.layout.clone(),
            is_all_claimed: false,
        })
        .collect();
    let task_bytes = NonZeroU64::new(draw.pick(&[100, 3000, 1 << 20])).unwrap();
    Engine::new(pool).with_task_bytes(task_bytes).write(&in_place).unwrap();
    let found = content(&file.store, expected.len());
    if found != expected {
        let at = (0..found.len()).find(|&at| found[at] != expected[at]);
        panic!("byte {at:?} is wrong: {in_place:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn exactly_the_selected_bytes_change(numbers in prop::collection::vec(any::<u32>(), 80..400)) {
        static POOLS: [Pool; 2] = [Pool::new(1), Pool::new(3)];
        for pool in &POOLS {
            check(&numbers, pool);
        }
    }
}
