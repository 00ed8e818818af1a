//! Chunks whose newest elements are in memory only: the write-back cache of one dataset.
//!
//! A chunk that is written in parts is encoded once, when it is full of them: on eviction, flush or close. If it looks complete
//! before that, idle threads encode it in advance. Chunks that are complete at once may be put here for that, too.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::{Behind, Spares};

/// Bytes of all datasets of the process.
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// Memory of chunks that were stored, for the next ones.
pub(crate) static SPARES: Spares = Spares::new();

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

/// A changed chunk that is to be written.
#[derive(Debug)]
pub(crate) struct DirtyChunk {
    /// Where it begins.
    pub(crate) origin: Box<[u64]>,
    pub(crate) elements: Arc<Vec<u8>>,
    /// If these elements are encoded in advance.
    pub(crate) behind: Option<Arc<Behind>>,
}

#[derive(Debug, Default)]
struct State {
    chunks: HashMap<Box<[u64]>, Dirty>,
    bytes: usize,
    /// Of those that look complete.
    complete_bytes: usize,
    /// Counts uses, to tell which chunk was used last.
    clock: u64,
}

#[derive(Debug)]
struct Dirty {
    elements: Arc<Vec<u8>>,
    /// It looks complete.
    is_complete: bool,
    /// What becomes of just these elements, if somebody encodes them. Gone as soon as they change.
    behind: Option<Arc<Behind>>,
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

    /// Bytes of its chunks that look complete.
    pub(crate) fn complete_bytes(&self) -> usize {
        self.state().complete_bytes
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
        (chunk.used, chunk.behind) = (now, None);
        if std::mem::take(&mut chunk.is_complete) {
            let bytes = chunk.elements.len();
            state.complete_bytes -= bytes;
        }
        state.clock = now;
        Some(changed)
    }

    /// Puts a changed chunk here, in the place of what was here of it.
    pub(crate) fn put(&self, origin: &[u64], elements: Arc<Vec<u8>>) {
        let mut state = self.state();
        state.clock += 1;
        let (used, bytes) = (state.clock, elements.len());
        let chunk = Dirty { elements, is_complete: false, behind: None, used };
        let before = state.chunks.insert(origin.into(), chunk);
        state.bytes += bytes;
        BYTES.fetch_add(bytes, Ordering::Relaxed);
        if let Some(before) = before {
            state.take_off(&before);
        }
    }

    /// Notes that a chunk looks complete, if it is here, and lets `start` begin to encode its elements in advance.
    pub(crate) fn encode_behind(&self, origin: &[u64], start: impl FnOnce(&Arc<Vec<u8>>) -> Option<Behind>) {
        let mut state = self.state();
        if let Some(chunk) = state.chunks.get_mut(origin).filter(|chunk| !chunk.is_complete) {
            chunk.is_complete = true;
            chunk.behind = start(&chunk.elements).map(Arc::new);
            let bytes = chunk.elements.len();
            state.complete_bytes += bytes;
        }
    }

    /// Takes a chunk out.
    pub(crate) fn take(&self, origin: &[u64]) -> Option<Arc<Vec<u8>>> {
        let mut state = self.state();
        let chunk = state.chunks.remove(origin)?;
        state.take_off(&chunk);
        Some(chunk.elements)
    }

    /// Gives all of them up.
    pub(crate) fn clear(&self) {
        let mut state = self.state();
        for (_, chunk) in std::mem::take(&mut state.chunks) {
            state.take_off(&chunk);
        }
    }

    /// The chunks to write so that no more than `keep` bytes are left, those first that were not used for longest.
    /// They stay here until they are written.
    pub(crate) fn oldest(&self, keep: usize) -> Vec<DirtyChunk> {
        let state = self.state();
        state.oldest(state.bytes, keep, |_| true)
    }

    /// The same of chunks that look complete: the others stay.
    pub(crate) fn oldest_complete(&self, keep: usize) -> Vec<DirtyChunk> {
        let state = self.state();
        state.oldest(state.complete_bytes, keep, |chunk| chunk.is_complete)
    }
}

impl State {
    /// Of those that are meant, which have so many bytes: the chunks to write so that no more than `keep` are left.
    fn oldest(&self, bytes: usize, keep: usize, is_meant: impl Fn(&Dirty) -> bool) -> Vec<DirtyChunk> {
        let mut chunks: Vec<_> = self.chunks.iter().filter(|(_, chunk)| is_meant(chunk)).collect();
        chunks.sort_unstable_by_key(|(_, chunk)| chunk.used);
        let mut left = bytes;
        let mut wanted = Vec::new();
        for (origin, chunk) in chunks {
            if left <= keep {
                break;
            }
            left -= chunk.elements.len();
            let (elements, behind) = (Arc::clone(&chunk.elements), chunk.behind.clone());
            wanted.push(DirtyChunk { origin: origin.clone(), elements, behind });
        }
        wanted
    }

    /// A chunk was taken out.
    fn take_off(&mut self, chunk: &Dirty) {
        let bytes = chunk.elements.len();
        self.bytes -= bytes;
        if chunk.is_complete {
            self.complete_bytes -= bytes;
        }
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
        let origins: Vec<_> = dirty.oldest(20).into_iter().map(|chunk| chunk.origin[0]).collect();
        assert_eq!(origins, [4, 8]);
        assert!(dirty.oldest(65).is_empty());
        assert_eq!(dirty.oldest(0).len(), 3);
        assert_eq!(dirty.take(&[4]).map(|chunk| chunk.len()), Some(20));
        assert!(dirty.take(&[4]).is_none() && !dirty.contains(&[4]) && dirty.contains(&[8]));
        assert_eq!(dirty.bytes(), 45);
    }

    #[test]
    fn complete_ones_are_told_apart_until_they_change() {
        let dirty = DirtyChunks::default();
        for origin in 0..4 {
            dirty.put(&[origin], Arc::new(vec![0; 10]));
        }
        for origin in [3, 1, 2, 1] {
            dirty.encode_behind(&[origin], |_| None);
        }
        assert_eq!(dirty.complete_bytes(), 30);
        let complete =
            |keep| dirty.oldest_complete(keep).iter().map(|chunk| chunk.origin[0]).collect::<Vec<_>>();
        assert_eq!(complete(15), [1, 2]);
        dirty.change(&[1], |elements| elements[0] = 1).unwrap();
        assert_eq!((dirty.complete_bytes(), complete(0)), (20, vec![2, 3]));
        dirty.put(&[2], Arc::new(vec![0; 10]));
        dirty.take(&[3]);
        assert_eq!((dirty.complete_bytes(), dirty.bytes()), (0, 30));
    }
}
