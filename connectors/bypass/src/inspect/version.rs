//! Tells when what is known about a dataset is out of date.
//!
//! A dataset in a file that is open for writing can change through any of its handles. All of them share a version. What was
//! found under an earlier version is examined again.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use selection::ChunkGrid;

use crate::inspect::chunk_index::LazyIndex;

/// Counts the changes of a dataset after which it must be examined again, and has its one chunk index.
#[derive(Debug, Default)]
pub(crate) struct Version {
    /// Changes of the extent, and changes by native HDF5.
    generation: AtomicU64,
    /// The chunk index has been the same since this generation, but for what we have written.
    index_since: AtomicU64,
    /// Its chunk index. There is never more than one that somebody uses: each would know only what was stored through it.
    index: Mutex<Option<SharedIndex>>,
}

/// A chunk index that was made for a generation, and for a grid, or for one of which it was the beginning.
#[derive(Debug)]
struct SharedIndex {
    generation: u64,
    grid: ChunkGrid,
    index: Weak<LazyIndex>,
}

impl Version {
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// The dataset must be examined again, but its chunk index is as it was.
    pub(crate) fn outdate_extent(&self) {
        self.generation.fetch_add(1, Ordering::AcqRel);
    }

    /// The dataset must be examined again.
    pub(crate) fn outdate(&self) {
        let generation = self.generation.fetch_add(1, Ordering::AcqRel) + 1;
        self.index_since.store(generation, Ordering::Release);
    }

    /// The chunk index for this grid and generation: the one that is in use if it holds for them, too, else this new one.
    pub(crate) fn one_index(&self, generation: u64, grid: &ChunkGrid, new: Arc<LazyIndex>) -> Arc<LazyIndex> {
        let mut shared = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        let since = self.index_since.load(Ordering::Acquire);
        let used = shared.as_ref().filter(|used| used.generation >= since && used.grid.is_beginning_of(grid));
        if let Some(index) = used.and_then(|used| used.index.upgrade()) {
            return index;
        }
        *shared = Some(SharedIndex { generation, grid: grid.clone(), index: Arc::downgrade(&new) });
        new
    }
}
