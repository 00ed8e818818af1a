//! The chunks of a dataset: their grid, their filters, and where they are.

use std::sync::Arc;

use codecs::Pipeline;
use engine::{FilteredChunks, Layout};
use h5_host::Questions;
use h5_host::questions::CreationFacts;
use h5_vol::native::ChunkIndexKind;
use h5_vol::{BelowObject, Id};
use pool::Pool;
use selection::{Chunk, ChunkGrid, Extent, Selection};

use crate::configuration::Configuration;
use crate::inspect::array_order::ArrayOrder;
use crate::inspect::chunk_index::{ChunkKind, IndexOrder, LazyIndex};
use crate::report::reason::Reason;
use crate::run::ahead::Steps;
use crate::run::cache::Place;

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
    steps: Steps,
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
                steps: Steps::default(),
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
        file: &Selection,
        manner: Manner,
    ) -> Result<Layout, Reason> {
        let grid = &self.grid;
        let touched = grid.touched(file).map_err(|_| Reason::Selection)?;
        let index = self.index.for_request(questions, touched.count(), grid, below)?;
        let Some(filtering) = &self.filtering else {
            let chunks = touched.iter().map(|chunk| index.address(chunk.number)).collect();
            return Ok(Layout::Chunked { grid: grid.clone(), chunks });
        };
        let ahead = filtering.ahead(grid, file, touched.count(), Pool::global().threads());
        let ahead = ahead.into_iter().filter_map(|number| Some((number, index.stored(number)?)));
        Ok(Layout::Filtered(Box::new(FilteredChunks {
            grid: grid.clone(),
            chunks: touched.iter().map(|chunk| index.stored(chunk.number).into()).collect(),
            ahead: ahead.collect(),
            pipeline: Arc::clone(&self.pipeline),
            verify: manner.verify,
            // What was not verified is not for those who want it verified.
            kept: manner.verify.then(|| filtering.place.kept()),
        })))
    }

    /// Drops what the cache has of a chunk.
    pub(crate) fn forget_decoded(&self, number: u64) {
        if let Some(filtering) = &self.filtering {
            let kept = filtering.place.kept();
            kept.cache.remove(kept.key(number));
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

impl Filtering {
    /// Numbers of chunks to decode ahead: as many as there are threads that a request of few chunks leaves idle.
    fn ahead(&self, grid: &ChunkGrid, file: &Selection, touched: u64, threads: usize) -> Vec<u64> {
        let idle = threads.saturating_sub(usize::try_from(touched).unwrap_or(usize::MAX));
        let room = self.place.kept().cache.capacity() as u64 / 4 / self.chunk_bytes.max(1);
        self.steps.next(grid, file, idle.min(usize::try_from(room).unwrap_or(usize::MAX)))
    }
}
