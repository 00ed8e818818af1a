//! Moving elements between chunks and memory, on all cores. Nothing here touches the host: it may be done without its lock.

use core::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock};

use codecs::Pipeline;
use engine::{
    Base, ByteStore, ChunkData, ChunkJob, Converted, Costs, Engine, Fill, FilteredChunks, Gathered,
    Gathering, Layout, Memory, Part, Request, Source, Spares, TakesChunks, Then, WritePart,
};
use h5_translate::Selected;
use pool::Pool;
use selection::{ChunkGrid, Selection};
use store::{StoreError, Target};

use crate::backend::Store;
use crate::counters::{COUNTERS, count};
use crate::dataset::Ours;

/// Bytes of chunks that are put together at a time, and of those that are kept before they are stored.
pub(crate) const BATCH: usize = 64 << 20;

/// Bytes of a call from which complete chunks are stored at once: more memory would be taken for them, and given back.
const STORED_AT_ONCE: u64 = 8 << 20;

/// Why elements could not be moved: a sentence.
pub(crate) type Trouble = String;

/// There are no bytes behind chunks that somebody else knows.
#[derive(Debug)]
struct Nowhere;

impl ByteStore for Nowhere {
    fn costs(&self) -> Costs {
        Costs::LOCAL_FILE
    }

    fn check(&self, offset: u64, length: u64) -> Result<(), StoreError> {
        Err(StoreError::OutsideFile { offset, length, end: 0 })
    }

    fn read(&self, offset: u64, target: Target<'_>) -> Result<(), StoreError> {
        self.check(offset, target.len() as u64)
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), StoreError> {
        self.check(offset, bytes.len() as u64)
    }
}

static NOWHERE: LazyLock<Source> = LazyLock::new(|| Source::Other(Arc::new(Nowhere)));
static NO_FILTERS: LazyLock<Arc<Pipeline>> =
    LazyLock::new(|| Arc::new(Pipeline::new(&[]).expect("no filter is unknown")));
/// Memory for chunks that are kept until they are stored.
pub(crate) static SPARES: Spares = Spares::new();

/// Where elements are in memory, and what they become.
pub(crate) struct InMemory<'m> {
    pub(crate) selection: &'m Selection,
    pub(crate) conversion: Option<Arc<Converted>>,
}

impl<S: Store> Ours<S> {
    /// Reads elements.
    pub(crate) fn read_chunks(
        &self,
        grid: &ChunkGrid,
        file: &Selected,
        memory: Memory<'_>,
        place: InMemory<'_>,
    ) -> Result<(), Trouble> {
        let filtered = FilteredChunks {
            grid: grid.clone(),
            chunks: self.chunks_to_read(grid, file)?,
            ahead: None,
            pace: None,
            pipeline: Arc::clone(&NO_FILTERS),
            verify: true,
            kept: self.node.kept.kept(),
        };
        let mut request = Request {
            parts: vec![Part {
                source: &NOWHERE,
                layout: Layout::Filtered(Box::new(filtered)),
                element: self.facts.element as u64,
                conversion: place.conversion,
                file: file.selection.clone(),
                file_in_order: file.in_order,
                memory_selection: place.selection.clone(),
                memory,
                fill: Fill::Untouched,
            }],
        };
        Engine::new(Pool::global()).read(&mut request).map_err(|error| error.to_string())
    }

    /// Where the chunks are that a selection touches. Kept ones that are not as the format has them any more are dropped.
    fn chunks_to_read(&self, grid: &ChunkGrid, file: &Selected) -> Result<Vec<ChunkData>, Trouble> {
        let maker = self.chunks();
        let touched = grid.touched(&file.selection).map_err(|error| error.to_string())?;
        let pending = self.node.pending();
        let kept = self.node.kept.kept();
        // As the engine decides what it keeps.
        let bytes = grid.chunk_len().saturating_mul(self.facts.element as u64);
        let is_little = |capacity: usize| touched.count().saturating_mul(bytes) <= (capacity / 8) as u64;
        let chunk = |chunk: selection::Chunk| {
            if let Some(elements) = pending.get(&chunk.scaled[..]) {
                return ChunkData::Decoded(Arc::clone(elements));
            }
            if let Some(kept) = kept {
                let version = || self.container.store.chunk_version(&self.node.key, &chunk.scaled);
                if self.node.kept.is_there(kept, chunk.number, version) {
                    count(&COUNTERS.cache_hits);
                } else if is_little(kept.cache.capacity()) || !touched.local(&chunk).is_whole_chunk() {
                    self.node.kept.note_version(chunk.number, version());
                }
            }
            ChunkData::Made(Arc::clone(&maker))
        };
        Ok(touched.iter().map(chunk).collect())
    }

    /// Whether a call that writes these elements stores chunks before it ends. Then the format must know the dataset.
    pub(crate) fn will_store(&self, grid: &ChunkGrid, file: &Selected) -> bool {
        let pending = self.container.pending_bytes.load(Ordering::Relaxed) as u64;
        let touched = grid.touched(&file.selection).map_or(0, |touched| touched.count());
        let bytes = touched.saturating_mul(grid.chunk_len()).saturating_mul(self.facts.element as u64);
        bytes >= STORED_AT_ONCE || bytes.saturating_add(pending) > BATCH as u64
    }

    /// Writes elements: complete chunks of large calls are stored at once, others are kept in memory.
    pub(crate) fn write_chunks(
        &self,
        grid: &ChunkGrid,
        file: &Selected,
        memory: &[u8],
        place: InMemory<'_>,
        stores: bool,
    ) -> Result<(), Trouble> {
        let part = WritePart {
            element: self.facts.element as u64,
            conversion: place.conversion,
            file: file.selection.clone(),
            file_in_order: file.in_order,
            memory_selection: place.selection.clone(),
            memory,
        };
        let taker = Taker(self);
        let what = Gathering {
            part: &part,
            source: &NOWHERE,
            grid,
            pipeline: &NO_FILTERS,
            fill: &self.facts.fill,
            spares: &SPARES,
            taker: Some(&taker),
        };
        let bytes = self.chunk_bytes(grid).map_err(|error| error.to_string())?;
        let touched = grid.touched(&file.selection).map_err(|error| error.to_string())?;
        let at_once = stores && touched.count().saturating_mul(bytes as u64) >= STORED_AT_ONCE;
        // Members of compounds that are not written stay as they are.
        let writes_all = part.conversion.as_ref().is_none_or(|with| with.conversion.writes_all());
        let is_complete = |chunk: &selection::Chunk| writes_all && touched.local(chunk).is_whole_chunk();
        let maker = self.chunks();
        let mut chunks = touched.iter().peekable();
        while chunks.peek().is_some() {
            let batch: Vec<_> = chunks.by_ref().take((BATCH / bytes.max(1)).max(1)).collect();
            let is_pending = |chunk: &selection::Chunk| self.node.pending().contains_key(&chunk.scaled[..]);
            // What is pending is changed in place, unless it must survive because another chunk may not be readable.
            let can_fail = batch.iter().any(|chunk| !is_complete(chunk) && !is_pending(chunk));
            let job = |chunk: &selection::Chunk| {
                let then = if at_once && is_complete(chunk) { Then::Give } else { Then::Keep };
                let base = if is_complete(chunk) {
                    Base::Overwritten
                } else {
                    let pending = if can_fail {
                        self.node.pending().get(&chunk.scaled[..]).cloned()
                    } else {
                        self.take_pending(&chunk.scaled)
                    };
                    pending.map_or_else(|| Base::Made(Arc::clone(&maker)), Base::Decoded)
                };
                ChunkJob { chunk: chunk.number, base, then }
            };
            let jobs = batch.iter().map(job).collect();
            let gathered =
                Engine::new(Pool::global()).gather(&what, jobs).map_err(|error| error.to_string())?;
            for (chunk, gathered) in batch.iter().zip(gathered) {
                match gathered {
                    Gathered::Kept(elements) | Gathered::Encoded { bytes: elements, .. } => {
                        self.put(chunk.scaled.to_vec(), elements);
                    }
                    Gathered::Given => drop(self.take_pending(&chunk.scaled)),
                }
                self.node.kept.forget(chunk.number);
            }
            if stores && self.container.pending_bytes.load(Ordering::Relaxed) > BATCH {
                self.container.store_chunks(&self.node)?;
            }
        }
        Ok(())
    }

    /// Takes a chunk from the pending ones, if it is among them.
    fn take_pending(&self, place: &[u64]) -> Option<Arc<Vec<u8>>> {
        let elements = self.node.pending().remove(place)?;
        self.container.pending_bytes.fetch_sub(elements.len(), Ordering::Relaxed);
        Some(elements)
    }
}

/// Gives chunks to the format.
struct Taker<'t, S: Store>(&'t Ours<S>);

impl<S: Store> core::fmt::Debug for Taker<'_, S> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("Taker").field(&self.0.node.key).finish()
    }
}

impl<S: Store> TakesChunks for Taker<'_, S> {
    fn take(&self, place: &[u64], elements: &[u8]) -> Result<(), String> {
        let Ours { container, node, .. } = self.0;
        count(&COUNTERS.chunks_written);
        container.store.write_chunk(&node.key, place, elements).map_err(|failure| failure.to_string())
    }
}
