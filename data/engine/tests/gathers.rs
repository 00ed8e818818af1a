//! Random writes to chunks that are put together in memory: kept, encoded, stored, read back.

mod common;

use std::num::NonZeroU64;
use std::sync::Arc;

use codecs::{Filter, Pipeline, Work};
use common::writing::{Written, distinct, kind};
use common::{Bytes, Case, Draw, file_case, size};
use engine::{
    Base, ChunkData, ChunkJob, Converted, Engine, Fill, FilteredChunks, Gathered, Gathering, Layout, Memory,
    Part, Request, Spares, StoredChunk, Then,
};
use pool::Pool;
use proptest::prelude::*;
use selection::{Chunk, ChunkGrid, Extent, Selection};

fn pipeline(draw: &mut Draw<'_>, element: u64) -> Pipeline {
    let filter = |id, optional, parameters: &[u32]| Filter {
        id,
        name: format!("number {id}"),
        optional,
        parameters: parameters.to_vec(),
    };
    let element = u32::try_from(element).unwrap();
    let filters = match draw.number(0, 5) {
        0 | 1 => vec![],
        2 => vec![filter(1, false, &[1])],
        3 => vec![filter(2, true, &[element]), filter(1, true, &[4]), filter(3, false, &[])],
        4 => vec![filter(32000, true, &[0, 0, 0]), filter(3, false, &[])],
        _ => vec![filter(3, false, &[])],
    };
    Pipeline::new(&filters).unwrap()
}

/// A dataset in chunks, as the model has it.
struct Dataset {
    element: u64,
    conversion: Option<Arc<Converted>>,
    grid: ChunkGrid,
    pipeline: Arc<Pipeline>,
    fill: Vec<u8>,
    /// What each chunk must be, and where it is.
    chunks: Vec<(Vec<u8>, ChunkData)>,
    file: Bytes,
    /// Where the file is free.
    free: u64,
}

impl Dataset {
    fn new(draw: &mut Draw<'_>, dims: &[u64], element: u64, conversion: Option<Arc<Converted>>) -> Self {
        let chunk: Vec<u64> = dims.iter().map(|&dim| draw.number(1, dim.max(1) + 2)).collect();
        let grid = ChunkGrid::new(&Extent::new(dims).unwrap(), &chunk).unwrap();
        let fill: Vec<u8> = if draw.number(0, 1) == 0 {
            vec![0; size(element)]
        } else {
            (0..element).map(|_| u8::try_from(draw.number(0, 255)).unwrap()).collect()
        };
        let empty = (fill.repeat(size(grid.chunk_len())), ChunkData::Missing);
        let chunks = vec![empty; size(grid.shape().iter().product())];
        let pipeline = Arc::new(pipeline(draw, element));
        Self { element, conversion, grid, pipeline, fill, chunks, file: Bytes::new(0, 1 << 40), free: 0 }
    }

    /// The chunk of an element, and its number in it.
    fn place(&self, offset: u64) -> (usize, usize) {
        let (mut number, mut local, mut rest) = (0, 0, offset);
        for (d, &chunk) in self.grid.chunk_dims().iter().enumerate() {
            let step: u64 = self.grid.extent().dims()[d + 1..].iter().product();
            number = number * self.grid.shape()[d] + rest / step / chunk;
            local = local * chunk + rest / step % chunk;
            rest %= step;
        }
        (size(number), size(local))
    }

    /// Writes something, in the model and with the engine.
    fn write(&mut self, draw: &mut Draw<'_>, file: Case, engine: &Engine<'_>) {
        let written = Written::of(draw, self.element, self.conversion.clone(), file);
        let bytes = size(self.element);
        for (rank, &offset) in written.file.offsets.iter().enumerate() {
            let (chunk, local) = self.place(offset);
            written.write(rank, &mut self.chunks[chunk].0[local * bytes..][..bytes]);
        }
        let part = written.part();
        let grid = self.grid.clone();
        let touched = grid.touched(&part.file).unwrap();
        let mut edges = Vec::new();
        let jobs: Vec<_> = touched
            .iter()
            .map(|chunk| {
                let is_overwritten = touched.local(&chunk).is_whole_chunk() && !written.keeps_some();
                let base = self.base(draw, &chunk, is_overwritten);
                edges.push(draw.number(0, 3) == 0);
                let then = if draw.number(0, 2) == 0 {
                    Then::Keep
                } else {
                    Then::Encode { filtered: !edges[edges.len() - 1] }
                };
                ChunkJob { chunk: chunk.number, base, then }
            })
            .collect();
        let numbers: Vec<_> = jobs.iter().map(|job| (size(job.chunk), job.then)).collect();
        let source = self.file.source();
        let Self { grid, pipeline, fill, .. } = &*self;
        let what = Gathering {
            part: &part,
            source: &source,
            grid,
            pipeline,
            fill,
            spares: &Spares::new(),
            taker: None,
        };
        let gathered = engine.gather(&what, jobs).unwrap();
        assert_eq!(gathered.len(), numbers.len());
        for (((number, then), gathered), is_plain) in numbers.into_iter().zip(gathered).zip(edges) {
            match gathered {
                Gathered::Kept(elements) => {
                    assert_eq!(then, Then::Keep);
                    assert!(elements == self.chunks[number].0, "chunk {number}");
                    self.chunks[number].1 = ChunkData::Decoded(Arc::new(elements));
                }
                Gathered::Encoded { bytes, mask } => {
                    assert_ne!(then, Then::Keep);
                    self.encoded(draw, number, bytes, mask, is_plain);
                }
                Gathered::Given => unreachable!("nobody takes it"),
            }
        }
    }

    /// What a chunk is written over.
    fn base(&mut self, draw: &mut Draw<'_>, chunk: &Chunk, is_overwritten: bool) -> Base {
        if is_overwritten && draw.number(0, 2) > 0 {
            return Base::Overwritten;
        }
        match &self.chunks[size(chunk.number)].1 {
            ChunkData::Missing => Base::Fill,
            ChunkData::Stored(stored) => Base::Stored(*stored),
            ChunkData::Fetched(bytes, mask) => Base::Fetched { bytes: bytes.to_vec(), mask: *mask },
            ChunkData::Made(maker) => Base::Made(Arc::clone(maker)),
            // Sometimes somebody else holds them as well.
            ChunkData::Decoded(elements) if draw.number(0, 1) == 0 => Base::Decoded(Arc::clone(elements)),
            ChunkData::Decoded(_) => {
                let place = &mut self.chunks[size(chunk.number)].1;
                let ChunkData::Decoded(elements) = std::mem::replace(place, ChunkData::Missing) else {
                    unreachable!("it was just seen");
                };
                Base::Decoded(elements)
            }
        }
    }

    /// Puts an encoded chunk where it belongs, and checks it.
    fn encoded(&mut self, draw: &mut Draw<'_>, number: usize, bytes: Vec<u8>, mask: u32, is_plain: bool) {
        // Chunks at the edge may be stored without filters, and then nobody says so in their mask.
        assert!(!is_plain || (mask == 0 && bytes == self.chunks[number].0));
        let mask = if is_plain { u32::MAX } else { mask };
        let mut elements = vec![0; self.chunks[number].0.len()];
        self.pipeline.decode(&bytes, mask, true, &mut elements, &mut Work::new()).unwrap();
        assert!(elements == self.chunks[number].0, "chunk {number}");
        self.chunks[number].1 = if draw.number(0, 2) == 0 {
            ChunkData::Fetched(Arc::new(bytes), mask)
        } else {
            let (address, size) = (self.free, bytes.len() as u64);
            self.file.store.write(address, &bytes).unwrap();
            self.free += size + draw.number(0, 10);
            ChunkData::Stored(StoredChunk { address, size, mask })
        };
    }

    /// Encodes some of the chunks that were kept.
    fn settle(&mut self, draw: &mut Draw<'_>, engine: &Engine<'_>) {
        let dirty = |data: &ChunkData| match data {
            ChunkData::Decoded(elements) => Some(Arc::clone(elements)),
            _ => None,
        };
        let numbers: Vec<_> = (0..self.chunks.len()).filter(|_| draw.number(0, 1) == 0).collect();
        let mut list = Vec::new();
        for number in numbers {
            if let Some(elements) = dirty(&self.chunks[number].1) {
                let origin = self.grid.chunk_numbered(number as u64).origin;
                list.push((number, (elements, draw.number(0, 2) > 0, origin)));
            }
        }
        let chunks: Vec<_> = list.iter().map(|(_, chunk)| chunk.clone()).collect();
        let encoded = engine.encode(&self.pipeline, &chunks).unwrap();
        assert_eq!(encoded.len(), list.len());
        for ((number, (_, is_filtered, _)), (bytes, mask)) in list.into_iter().zip(encoded) {
            self.encoded(draw, number, bytes, mask, !is_filtered);
        }
    }

    /// Reads what a selection selects and compares it with the model.
    fn read(&self, case: &Case, engine: &Engine<'_>) {
        let touched = self.grid.touched(&case.selection).unwrap();
        let layout = Layout::Filtered(Box::new(FilteredChunks {
            chunks: touched.iter().map(|chunk| self.chunks[size(chunk.number)].1.clone()).collect(),
            grid: self.grid.clone(),
            ahead: None,
            pace: None,
            pipeline: Arc::clone(&self.pipeline),
            verify: true,
            kept: None,
        }));
        let (bytes, source) = (size(self.element), self.file.source());
        let mut memory = vec![0xEE; case.offsets.len() * bytes];
        let part = Part {
            source: &source,
            layout,
            element: self.element,
            conversion: None,
            file: case.selection.clone(),
            file_in_order: !case.points,
            memory_selection: Selection::all(&Extent::new(&[case.offsets.len() as u64]).unwrap()),
            memory: Memory::from_slice(&mut memory),
            fill: Fill::Element(self.fill.clone()),
        };
        engine.read(&mut Request { parts: vec![part] }).unwrap();
        for (found, &offset) in memory.chunks_exact(bytes).zip(&case.offsets) {
            let (chunk, local) = self.place(offset);
            assert!(found == &self.chunks[chunk].0[local * bytes..][..bytes], "element {offset} is wrong");
        }
    }
}

fn check(numbers: &[u32], pool: &Pool) {
    let mut draw = Draw::new(numbers);
    let (element, conversion) = kind(&mut draw);
    let mut first = file_case(&mut draw, element);
    while first.dims.is_empty() {
        first = file_case(&mut draw, element);
    }
    let dims = first.dims.clone();
    let mut dataset = Dataset::new(&mut draw, &dims, element, conversion);
    let task_bytes = NonZeroU64::new(draw.pick(&[100, 3000, 1 << 20])).unwrap();
    let engine = Engine::new(pool).with_task_bytes(task_bytes);
    let mut wanted = first;
    for _ in 0..draw.number(1, 5) {
        dataset.read(&wanted, &engine);
        dataset.write(&mut draw, distinct(wanted), &engine);
        if draw.number(0, 2) == 0 {
            dataset.settle(&mut draw, &engine);
        }
        let extent = Extent::new(&dims).unwrap();
        let everything = (0..extent.count()).collect();
        let all = Selection::all(&extent);
        dataset.read(
            &Case { dims: dims.clone(), selection: all.clone(), offsets: everything, points: false },
            &engine,
        );
        wanted = another(&mut draw, &dims);
    }
}

/// A selection of another kind: a box, or points.
fn another(draw: &mut Draw<'_>, dims: &[u64]) -> Case {
    let extent = Extent::new(dims).unwrap();
    if extent.count() == 0 {
        return Case {
            dims: dims.to_vec(),
            selection: Selection::all(&extent),
            offsets: vec![],
            points: false,
        };
    }
    let coordinates = |offset: u64| {
        let mut rest = offset;
        let mut at: Vec<u64> = dims.iter().rev().map(|dim| (rest % dim, rest /= dim).0).collect();
        at.reverse();
        at
    };
    if draw.number(0, 2) == 0 {
        let offsets: Vec<u64> = (0..draw.number(1, 40)).map(|_| draw.number(0, extent.count() - 1)).collect();
        let points: Vec<u64> = offsets.iter().flat_map(|&offset| coordinates(offset)).collect();
        let selection = Selection::points(&extent, &points).unwrap();
        return Case { dims: dims.to_vec(), selection, offsets, points: true };
    }
    let low: Vec<u64> = dims.iter().map(|&dim| draw.number(0, dim - 1)).collect();
    let length: Vec<u64> = dims.iter().zip(&low).map(|(dim, low)| draw.number(1, dim - low)).collect();
    let inside = |&offset: &u64| {
        coordinates(offset).iter().enumerate().all(|(d, x)| (low[d]..low[d] + length[d]).contains(x))
    };
    let offsets = (0..extent.count()).filter(inside).collect();
    let selection = Selection::tile(&extent, &low, &length).unwrap();
    Case { dims: dims.to_vec(), selection, offsets, points: false }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn chunks_are_as_the_model_has_them(numbers in prop::collection::vec(any::<u32>(), 80..400)) {
        static POOLS: [Pool; 2] = [Pool::new(1), Pool::new(3)];
        for pool in &POOLS {
            check(&numbers, pool);
        }
    }
}
