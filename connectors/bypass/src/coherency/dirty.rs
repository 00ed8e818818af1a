//! Chunks whose newest elements are in memory only: the write-back cache of one dataset.
//!
//! A chunk that is written in parts is encoded once, when it is full of them: on eviction, flush or close.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes of all datasets of the process.
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// Bytes of changed chunks in memory, over all datasets of the process.
pub(crate) fn bytes_in_process() -> usize {
    BYTES.load(Ordering::Relaxed)
}

/// Whether everything of all datasets of the process is in the files.
pub(crate) fn is_all_written() -> bool {
    bytes_in_process() == 0 && store::unwritten_bytes() == 0
}

/// The changed chunks of a dataset, by their first elements' coordinates: these do not change when it grows.
#[derive(Debug, Default)]
pub(crate) struct DirtyChunks {
    state: Mutex<State>,
}

/// Where a changed chunk begins, and its elements.
pub(crate) type DirtyChunk = (Box<[u64]>, Arc<Vec<u8>>);

#[derive(Debug, Default)]
struct State {
    chunks: HashMap<Box<[u64]>, Dirty>,
    bytes: usize,
    /// Counts uses, to tell which chunk was used last.
    clock: u64,
}

#[derive(Debug)]
struct Dirty {
    elements: Arc<Vec<u8>>,
    used: u64,
}

impl DirtyChunks {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.state().chunks.is_empty()
    }

    /// Bytes of this dataset.
    pub(crate) fn bytes(&self) -> usize {
        self.state().bytes
    }

    pub(crate) fn contains(&self, origin: &[u64]) -> bool {
        self.state().chunks.contains_key(origin)
    }

    /// The elements of a changed chunk.
    pub(crate) fn get(&self, origin: &[u64]) -> Option<Arc<Vec<u8>>> {
        self.state().chunks.get(origin).map(|chunk| Arc::clone(&chunk.elements))
    }

    /// What is found in a changed chunk's elements; `None` if the chunk is not here.
    pub(crate) fn look_at<R>(&self, origin: &[u64], look: impl FnOnce(&[u8]) -> R) -> Option<R> {
        self.state().chunks.get(origin).map(|chunk| look(&chunk.elements))
    }

    /// Changes elements of a chunk that is here; `None` if it is not, or somebody is using it.
    pub(crate) fn change<R>(&self, origin: &[u64], change: impl FnOnce(&mut [u8]) -> R) -> Option<R> {
        let mut state = self.state();
        let now = state.clock + 1;
        let chunk = state.chunks.get_mut(origin)?;
        let changed = change(Arc::get_mut(&mut chunk.elements)?);
        chunk.used = now;
        state.clock = now;
        Some(changed)
    }

    /// Puts a changed chunk here, in the place of what was here of it.
    pub(crate) fn put(&self, origin: &[u64], elements: Arc<Vec<u8>>) {
        let mut state = self.state();
        state.clock += 1;
        let (used, bytes) = (state.clock, elements.len());
        let before = state.chunks.insert(origin.into(), Dirty { elements, used });
        state.bytes += bytes;
        BYTES.fetch_add(bytes, Ordering::Relaxed);
        if let Some(before) = before {
            state.take_off(before.elements.len());
        }
    }

    /// Takes a chunk out.
    pub(crate) fn take(&self, origin: &[u64]) -> Option<Arc<Vec<u8>>> {
        let mut state = self.state();
        let chunk = state.chunks.remove(origin)?;
        state.take_off(chunk.elements.len());
        Some(chunk.elements)
    }

    /// Gives all of them up.
    pub(crate) fn clear(&self) {
        let mut state = self.state();
        state.chunks.clear();
        let bytes = state.bytes;
        state.take_off(bytes);
    }

    /// The chunks to write so that no more than `keep` bytes are left, those first that were not used for longest.
    /// They stay here until they are written.
    pub(crate) fn oldest(&self, keep: usize) -> Vec<DirtyChunk> {
        let state = self.state();
        let mut chunks: Vec<_> = state.chunks.iter().collect();
        chunks.sort_unstable_by_key(|(_, chunk)| chunk.used);
        let mut left = state.bytes;
        let mut wanted = Vec::new();
        for (origin, chunk) in chunks {
            if left <= keep {
                break;
            }
            left -= chunk.elements.len();
            wanted.push((origin.clone(), Arc::clone(&chunk.elements)));
        }
        wanted
    }
}

impl State {
    fn take_off(&mut self, bytes: usize) {
        self.bytes -= bytes;
        BYTES.fetch_sub(bytes, Ordering::Relaxed);
    }
}

impl Drop for DirtyChunks {
    /// What was not written by now is lost, after an error that was told.
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_go_first_and_bytes_are_counted() {
        let dirty = DirtyChunks::default();
        for (origin, bytes) in [(0, 10), (4, 20), (8, 30)] {
            dirty.put(&[origin], Arc::new(vec![0; bytes]));
        }
        dirty.put(&[0], Arc::new(vec![1; 15]));
        assert_eq!(dirty.bytes(), 65);
        let origins: Vec<_> = dirty.oldest(20).into_iter().map(|(origin, _)| origin[0]).collect();
        assert_eq!(origins, [4, 8]);
        assert!(dirty.oldest(65).is_empty());
        assert_eq!(dirty.oldest(0).len(), 3);
        assert_eq!(dirty.take(&[4]).map(|chunk| chunk.len()), Some(20));
        assert!(dirty.take(&[4]).is_none() && !dirty.contains(&[4]) && dirty.contains(&[8]));
        assert_eq!(dirty.bytes(), 45);
    }
}
