//! Decoded chunks that are kept: one cache for the process.
//!
//! A chunk of which a part is read is kept, so that reading row by row decodes it once. Writing a chunk, another extent, deleting the
//! dataset and closing the container drop it. Before a kept chunk is used, the format is asked whether it is still the same: another
//! process may have replaced it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use chunk_cache::Shared;
use engine::Kept;

use crate::backend::Version;

/// Bytes that are kept if nobody asks for more or less.
const DEFAULT_BYTES: usize = 64 << 20;

/// Chunks of a dataset whose versions are known, at least, before those are forgotten that are not in the cache any more.
const KNOWN_VERSIONS: usize = 4096;

static CACHE: Shared = Shared::new(DEFAULT_BYTES);
static DATASETS: AtomicU64 = AtomicU64::new(0);

/// Sets how many bytes of decoded chunks are kept; 0 for none.
pub fn set_cache_capacity(bytes: Option<usize>) {
    CACHE.set_capacity(bytes.unwrap_or(DEFAULT_BYTES));
}

/// In a forked child: begins again.
pub(crate) fn after_fork_in_child() {
    CACHE.after_fork_in_child();
}

/// A dataset's place in the cache; dropping it drops its chunks.
#[derive(Debug)]
pub(crate) struct KeptChunks {
    number: u64,
    /// The versions of chunks that may be in the cache, from before they were read.
    versions: Mutex<HashMap<u64, Option<Version>>>,
}

impl KeptChunks {
    pub(crate) fn new() -> Self {
        // Relaxed: a number that stands for itself.
        Self { number: DATASETS.fetch_add(1, Ordering::Relaxed), versions: Mutex::default() }
    }

    /// As the engine wants it; `None` if nothing is kept.
    pub(crate) fn kept(&self) -> Option<Kept> {
        let cache = CACHE.get();
        (cache.capacity() > 0).then_some(Kept { cache, dataset: self.number })
    }

    /// Whether a chunk is there and is still as the format has it. One that is not is dropped.
    pub(crate) fn is_there(&self, kept: Kept, chunk: u64, version: impl FnOnce() -> Option<Version>) -> bool {
        if kept.cache.get(kept.key(chunk)).is_none() {
            return false;
        }
        let known = self.versions().get(&chunk).copied();
        let is_same = known.is_some_and(|known| known == version());
        if !is_same {
            self.forget(chunk);
        }
        is_same
    }

    /// A chunk of this version is going to be read.
    pub(crate) fn note_version(&self, chunk: u64, version: Option<Version>) {
        let mut versions = self.versions();
        if versions.len() >= KNOWN_VERSIONS
            && let Some(kept) = self.kept()
        {
            versions.retain(|chunk, _| kept.cache.get(kept.key(*chunk)).is_some());
        }
        versions.insert(chunk, version);
    }

    /// A chunk has changed.
    pub(crate) fn forget(&self, chunk: u64) {
        if self.versions().remove(&chunk).is_some()
            && let Some(kept) = self.kept()
        {
            kept.cache.remove(kept.key(chunk));
        }
    }

    /// All chunks have changed, or have other numbers.
    pub(crate) fn forget_all(&self) {
        self.versions().clear();
        CACHE.get().forget(self.number);
    }

    fn versions(&self) -> MutexGuard<'_, HashMap<u64, Option<Version>>> {
        self.versions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for KeptChunks {
    fn drop(&mut self) {
        CACHE.get().forget(self.number);
    }
}
