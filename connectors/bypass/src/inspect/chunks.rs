//! The chunks of a dataset: their grid, their filters, and where they are.

use std::sync::Arc;

use codecs::Pipeline;
use engine::{
    Ahead, ChunkAddress, ChunkData, FilteredChunks, Kept, Layout, Pace, Progress, Source, StoredChunk,
};
use h5_host::Questions;
use h5_host::questions::CreationFacts;
use h5_vol::native::ChunkIndexKind;
use h5_vol::{BelowObject, Id};
use pool::Pool;
use selection::{Chunk, ChunkGrid, Extent, Selection, TouchedChunks};

use crate::configuration::Configuration;
use crate::inspect::array_order::ArrayOrder;
use crate::inspect::chunk_index::{ChunkIndex, ChunkKind, IndexOrder, LazyIndex};
use crate::report::reason::Reason;
use crate::report::summary;
use crate::run::ahead::{Outlook, Steps};
use crate::run::background::Background;
use crate::run::cache::Place;
use crate::run::revisited::Revisited;

/// How often the number of chunks that are decoded ahead is doubled.
const MOST_DOUBLINGS: u32 = 3;

/// The chunks of a dataset.
#[derive(Debug)]
pub(crate) struct Chunks {
    pub(crate) grid: ChunkGrid,
    pub(crate) index: Arc<LazyIndex>,
    /// The filters; none of them if there are none.
    pub(crate) pipeline: Arc<Pipeline>,
    pub(crate) filtering: Option<Arc<Filtering>>,
    /// Where windows of them are kept, if they are stored as they are and cannot change.
    pub(crate) windows: Option<Place>,
    /// Where they are kept as a whole, likewise.
    pub(crate) revisited: Option<Revisited>,
    /// Bytes of changed chunks that the application allows to be kept.
    pub(crate) write_back_bytes: usize,
    /// Whether there may be more of them later.
    pub(crate) can_grow: bool,
    /// Whether storage is taken for one after another.
    pub(crate) allocates_by_chunk: bool,
    /// Whether native HDF5 would store them without a filter of its own that it was built without.
    pub(crate) lacks_filter: bool,
}

/// What chunks that filters have gone over take to be read.
#[derive(Debug)]
pub(crate) struct Filtering {
    chunk_bytes: u64,
    pub(crate) place: Place,
    /// Most bytes that are decoded ahead; absent means as many as there is room for.
    most_ahead: Option<u64>,
    steps: Steps,
    pace: Arc<Pace>,
    background: Background,
    /// Whether changed chunks that look complete are encoded in advance.
    pub(crate) encodes_behind: bool,
}

impl Chunks {
    /// What HDF5 says about the chunks of a dataset.
    #[expect(clippy::too_many_arguments, reason = "all that was found out so far, used once")]
    pub(super) fn examine(
        questions: Questions,
        below: &BelowObject,
        creation: Id,
        extent: &Extent,
        element: u64,
        facts: CreationFacts,
        pipeline: Option<Pipeline>,
        configuration: Option<&Configuration>,
    ) -> Result<Self, Reason> {
        let chunk = questions.chunk_dimensions(creation).ok_or(Reason::Untold("chunks"))?;
        let space = below.dataset_space(questions).ok_or(Reason::Untold("dataspace"))?;
        let largest = questions.largest_dimensions(space.id()).ok_or(Reason::Untold("dataspace"))?;
        let order = match below.chunk_index_kind(questions).ok_or(Reason::Untold("chunks"))? {
            ChunkIndexKind::ExtensibleArray => {
                let order = ArrayOrder::new(largest.as_slice(), &chunk).ok_or(Reason::OddIndex)?;
                IndexOrder::Array(order)
            }
            ChunkIndexKind::BTree1 => IndexOrder::Tree,
            ChunkIndexKind::Other => IndexOrder::Any,
        };
        let grid = ChunkGrid::new(extent, &chunk).map_err(|_| Reason::TooLarge)?;
        let bytes = grid.chunk_len().checked_mul(element).ok_or(Reason::TooLarge)?;
        let kind = ChunkKind {
            bytes,
            is_filtered: pipeline.is_some(),
            edges_unfiltered: pipeline.is_some()
                && questions.leaves_edges_unfiltered(creation).ok_or(Reason::Untold("chunks"))?,
        };
        let access = below.dataset_access_list(questions);
        let wanted = access.and_then(|access| questions.chunk_cache_bytes(access.id())).unwrap_or(0);
        let filtering = pipeline.is_some().then(|| {
            Arc::new(Filtering {
                chunk_bytes: bytes,
                place: Place::new(configuration, wanted),
                most_ahead: configuration.and_then(|configuration| configuration.read_ahead),
                steps: Steps::default(),
                pace: Arc::default(),
                background: Background::default(),
                encodes_behind: configuration.is_some_and(|configuration| configuration.write_behind),
            })
        });
        let pipeline = match pipeline {
            Some(pipeline) => pipeline,
            None => {
                Pipeline::new(&[]).map_err(|unsupported| Reason::FilterUnknown(unsupported.to_string()))?
            }
        };
        let index = Arc::new(LazyIndex::new(kind, order, facts));
        let can_grow = largest.as_slice() != &**extent.dims();
        let allocates_by_chunk = questions.allocates_by_chunk(creation).unwrap_or(false);
        let pipeline = Arc::new(pipeline);
        Ok(Self {
            grid,
            index,
            pipeline,
            filtering,
            windows: None,
            revisited: None,
            write_back_bytes: wanted,
            can_grow,
            allocates_by_chunk,
            lacks_filter: false,
        })
    }

    /// The layout of chunks that do not change.
    pub(crate) fn layout(
        &self,
        questions: Questions,
        below: &BelowObject,
        source: &Source,
        file: &Selection,
        manner: Manner,
    ) -> Result<Layout, Reason> {
        let grid = &self.grid;
        let touched = grid.touched(file).map_err(|_| Reason::Selection)?;
        let index = self.index.for_request(questions, touched.count(), grid, below)?;
        let Some(filtering) = &self.filtering else {
            let addresses = touched.iter().map(|chunk| index.address(chunk.number));
            let Some(kept) = self.kept_for_another_read(file, &touched) else {
                return Ok(Layout::Chunked { grid: grid.clone(), chunks: addresses.collect() });
            };
            return Ok(Layout::Filtered(Box::new(FilteredChunks {
                grid: grid.clone(),
                chunks: addresses.map(|address| self.as_stored(address)).collect(),
                ahead: None,
                pace: None,
                pipeline: Arc::clone(&self.pipeline),
                verify: manner.verify,
                kept: Some(kept),
            })));
        };
        let ahead =
            if manner.verify { self.ahead(filtering, source, &index, file, touched.count()) } else { None };
        Ok(Layout::Filtered(Box::new(FilteredChunks {
            grid: grid.clone(),
            chunks: touched.iter().map(|chunk| index.stored(chunk.number).into()).collect(),
            ahead,
            pace: Some(Arc::clone(&filtering.pace)),
            pipeline: Arc::clone(&self.pipeline),
            verify: manner.verify,
            // What was not verified is not for those who want it verified.
            kept: manner.verify.then(|| filtering.place.kept()),
        })))
    }

    /// Where to keep the chunks without filters that a read touches, if they were just read or written.
    pub(crate) fn kept_for_another_read(
        &self,
        file: &Selection,
        touched: &TouchedChunks<'_>,
    ) -> Option<Kept> {
        self.is_touched_again(file, touched).then(|| self.revisited.as_ref().map(Revisited::kept))?
    }

    /// Whether chunks without filters that a call touches should be in memory: they were just read or written.
    pub(crate) fn is_touched_again(&self, file: &Selection, touched: &TouchedChunks<'_>) -> bool {
        let element = self.index.kind().bytes / self.grid.chunk_len().max(1);
        self.revisited
            .as_ref()
            .is_some_and(|revisited| revisited.is_again(&self.grid, element, file, touched))
    }

    /// A chunk without filters, as one that none have gone over.
    fn as_stored(&self, address: ChunkAddress) -> ChunkData {
        match address {
            ChunkAddress::At(address) => {
                ChunkData::Stored(StoredChunk { address, size: self.index.kind().bytes, mask: 0 })
            }
            ChunkAddress::Missing => ChunkData::Missing,
        }
    }

    /// The chunks to decode ahead after a read that touches so many.
    fn ahead(
        &self,
        filtering: &Filtering,
        source: &Source,
        index: &ChunkIndex,
        file: &Selection,
        touched: u64,
    ) -> Option<Arc<Ahead>> {
        let kept = filtering.place.kept();
        let (bytes, capacity) = (filtering.chunk_bytes, kept.cache.capacity() as u64);
        let room = filtering.most_ahead.unwrap_or(u64::MAX).min(capacity / 4) / bytes.max(1);
        let threads = Pool::global().threads();
        if room == 0 || threads < 2 {
            return None;
        }
        // Reads that keep all threads busy and come one right after another leave no time for it.
        let is_worthwhile = filtering.pace.begin() || touched < threads as u64;
        // The longer reads go on in the same way, the farther is looked ahead.
        let most = |steps: u32| {
            let boxes = touched.saturating_mul(1 << steps.min(MOST_DOUBLINGS));
            usize::try_from(boxes.max(threads as u64).min(room)).unwrap_or(usize::MAX)
        };
        let numbers = match filtering.steps.next(&self.grid, file, most) {
            Outlook::Unchanged => return filtering.background.newest(),
            Outlook::Unknown => Vec::new(),
            Outlook::Next(_) if !is_worthwhile => Vec::new(),
            Outlook::Next(numbers) => numbers,
        };
        let chunks: Vec<_> =
            numbers.into_iter().filter_map(|number| Some((number, index.stored(number)?))).collect();
        let ahead = (!chunks.is_empty()).then(|| {
            Arc::new(Ahead {
                source: source.clone(),
                pipeline: Arc::clone(&self.pipeline),
                grid: self.grid.clone(),
                chunk_bytes: usize::try_from(bytes).unwrap_or(usize::MAX),
                kept,
                chunks,
                note_decoded: summary::decoded_ahead,
                progress: Progress::default(),
            })
        });
        filtering.background.replace(ahead.as_ref());
        ahead
    }

    /// Drops what the cache has of a chunk.
    pub(crate) fn forget_decoded(&self, number: u64) {
        if let Some(filtering) = &self.filtering {
            let kept = filtering.place.kept();
            kept.cache.remove(kept.key(number));
        }
        if let Some(revisited) = &self.revisited {
            revisited.forget(number);
        }
    }

    /// Drops what the cache has of the chunks of these elements, which are about to be written where they are stored.
    pub(crate) fn forget_revisited(&self, file: &Selection) {
        if let Some(revisited) = &self.revisited {
            revisited.forget_all(|| self.grid.touched(file).ok());
        }
    }

    /// Whether filters go over a chunk.
    pub(crate) fn is_filtered(&self, chunk: &Chunk) -> bool {
        let kind = self.index.kind();
        let is_partial = || self.grid.elements_inside(chunk) < self.grid.chunk_len();
        kind.is_filtered && !(kind.edges_unfiltered && is_partial())
    }
}

/// How a call wants its data.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manner {
    /// Whether checksums are verified.
    pub(crate) verify: bool,
}
