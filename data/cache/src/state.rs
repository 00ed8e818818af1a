//! What is in the cache: the map, the clock, and the count of bytes.

use std::collections::VecDeque;
use std::collections::hash_map::{Entry, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use crate::Key;
use crate::cache::Decoded;

/// Buffers of evicted chunks that are kept for the next ones: fresh memory costs a page fault for each page.
const SPARES: usize = 4;

/// Bytes of such a buffer at most: they come on top of what the cache may hold.
const LARGEST_SPARE: usize = 4 << 20;

/// A chunk's place.
#[derive(Debug)]
enum Slot {
    /// Somebody is decoding it.
    Busy,
    Ready {
        bytes: Decoded,
        used: bool,
    },
}

/// What the lock protects.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// By dataset, so that one is forgotten without looking at the others.
    datasets: Map<Map<Slot>>,
    /// The ready ones in the order in which they come up for eviction, and perhaps some that were forgotten.
    clock: VecDeque<Key>,
    /// How many are ready.
    ready: usize,
    bytes: usize,
    spares: Vec<Vec<u8>>,
}

type Map<T> = HashMap<u64, T, BuildHasherDefault<Mixing>>;

/// A hash for our own small numbers, which nobody can choose to collide.
#[derive(Debug, Default)]
struct Mixing(u64);

impl Hasher for Mixing {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    fn write_u64(&mut self, number: u64) {
        let mixed = (self.0 ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

/// How a wanted chunk is.
pub(crate) enum Found {
    Ready(Decoded),
    /// Somebody is decoding it.
    Busy,
    /// Nobody has it: the caller decodes, and says so when done.
    Yours(Vec<u8>),
}

impl State {
    fn slot(&mut self, key: Key) -> Option<&mut Slot> {
        self.datasets.get_mut(&key.dataset)?.get_mut(&key.chunk)
    }

    /// The chunk if it is there, and marks it as used.
    pub(crate) fn get(&mut self, key: Key) -> Option<Decoded> {
        match self.slot(key)? {
            Slot::Busy => None,
            Slot::Ready { bytes, used } => {
                *used = true;
                Some(Arc::clone(bytes))
            }
        }
    }

    /// The chunk, or the task of decoding it: then with a buffer, which may be one used before.
    pub(crate) fn get_or_begin(&mut self, key: Key) -> Found {
        match self.datasets.entry(key.dataset).or_default().entry(key.chunk) {
            Entry::Vacant(place) => {
                place.insert(Slot::Busy);
                Found::Yours(self.spares.pop().unwrap_or_default())
            }
            Entry::Occupied(mut place) => match place.get_mut() {
                Slot::Busy => Found::Busy,
                Slot::Ready { bytes, used } => {
                    *used = true;
                    Found::Ready(Arc::clone(bytes))
                }
            },
        }
    }

    /// Puts a chunk in the place that was held for it, and makes room. If the place is gone, because the dataset
    /// was forgotten meanwhile, so is the chunk.
    pub(crate) fn finish(&mut self, key: Key, bytes: &Decoded, capacity: usize) {
        match self.slot(key) {
            Some(slot @ Slot::Busy) => *slot = Slot::Ready { bytes: Arc::clone(bytes), used: false },
            _ => return,
        }
        self.bytes += bytes.len();
        self.ready += 1;
        self.clock.push_back(key);
        self.shrink(capacity);
        if self.clock.len() > 2 * self.ready + 64 {
            self.clock.retain(|key| {
                self.datasets.get(&key.dataset).is_some_and(|chunks| chunks.contains_key(&key.chunk))
            });
        }
    }

    /// Gives up the place that was held for a chunk.
    pub(crate) fn give_up(&mut self, key: Key) {
        if let Some(chunks) = self.datasets.get_mut(&key.dataset)
            && matches!(chunks.get(&key.chunk), Some(Slot::Busy))
        {
            chunks.remove(&key.chunk);
        }
    }

    /// Removes chunks until no more than `capacity` bytes are left.
    pub(crate) fn shrink(&mut self, capacity: usize) {
        while self.bytes > capacity
            && let Some(key) = self.clock.pop_front()
        {
            match self.slot(key) {
                Some(Slot::Ready { used, .. }) if *used => {
                    *used = false;
                    self.clock.push_back(key);
                }
                Some(Slot::Ready { .. }) => self.remove(key),
                // It was forgotten.
                Some(Slot::Busy) | None => {}
            }
        }
    }

    fn remove(&mut self, key: Key) {
        let Some(chunks) = self.datasets.get_mut(&key.dataset) else { return };
        if let Some(Slot::Ready { bytes, .. }) = chunks.remove(&key.chunk) {
            self.bytes -= bytes.len();
            self.ready -= 1;
            if self.spares.len() < SPARES
                && bytes.len() <= LARGEST_SPARE
                && let Some(buffer) = Arc::into_inner(bytes)
            {
                self.spares.push(buffer);
            }
        }
    }

    /// Removes every chunk of a dataset, and the places held for some.
    pub(crate) fn forget(&mut self, dataset: u64) {
        let chunks = self.datasets.remove(&dataset).unwrap_or_default();
        for slot in chunks.values() {
            if let Slot::Ready { bytes, .. } = slot {
                self.bytes -= bytes.len();
                self.ready -= 1;
            }
        }
        if self.bytes == 0 {
            self.spares.clear();
            self.clock.clear();
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}
