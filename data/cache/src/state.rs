//! What is in the cache: the map, the clock, and the count of bytes.

use std::collections::VecDeque;
use std::collections::hash_map::{Entry, HashMap};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use crate::Key;
use crate::cache::Decoded;

/// Bytes of chunks that went which are kept for the next ones, also when nothing is in the cache any more: fresh memory costs a
/// page fault for each page, which can take as long as decoding. They come on top of what the cache may hold.
pub(crate) const SPARE_BYTES: usize = 16 << 20;

/// Smaller ones are not worth keeping.
pub(crate) const SMALLEST_SPARE: usize = 16 << 10;

/// A chunk's place.
#[derive(Debug)]
enum Slot {
    /// Somebody is decoding it, who has this ticket.
    Busy(Ticket),
    Ready {
        bytes: Decoded,
        used: bool,
        ticket: Ticket,
    },
}

/// Tells apart what is or was in one chunk's place at different times. No two are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ticket(u64);

/// What the lock protects.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// By dataset, so that one is forgotten without looking at the others.
    datasets: Map<Map<Slot>>,
    /// The ready ones in the order in which they come up for eviction, and perhaps some that are no longer there.
    clock: VecDeque<(Key, Ticket)>,
    /// How many are ready.
    ready: usize,
    bytes: usize,
    spares: Vec<Vec<u8>>,
    spare_bytes: usize,
    next_ticket: u64,
    /// Threads that wait until a chunk is there, or will not come.
    pub(crate) waiting: usize,
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
    Yours(Vec<u8>, Ticket),
}

impl State {
    /// Nothing, with tickets that were never given out by `before`.
    pub(crate) fn empty_after(before: &Self) -> Self {
        Self { next_ticket: before.next_ticket, ..Self::default() }
    }

    fn ticket(&mut self) -> Ticket {
        self.next_ticket += 1;
        Ticket(self.next_ticket)
    }

    fn slot(&mut self, key: Key) -> Option<&mut Slot> {
        self.datasets.get_mut(&key.dataset)?.get_mut(&key.chunk)
    }

    /// The chunk if it is there, and marks it as used.
    pub(crate) fn get(&mut self, key: Key) -> Option<Decoded> {
        match self.slot(key)? {
            Slot::Busy(_) => None,
            Slot::Ready { bytes, used, .. } => {
                *used = true;
                Some(Arc::clone(bytes))
            }
        }
    }

    /// Whether somebody is decoding the chunk.
    pub(crate) fn is_busy(&mut self, key: Key) -> bool {
        matches!(self.slot(key), Some(Slot::Busy(_)))
    }

    /// The chunk, or the task of decoding it: then with a buffer, which may be one used before.
    pub(crate) fn get_or_begin(&mut self, key: Key) -> Found {
        let ticket = self.ticket();
        match self.datasets.entry(key.dataset).or_default().entry(key.chunk) {
            Entry::Vacant(place) => {
                place.insert(Slot::Busy(ticket));
                let spare = self.spares.pop().unwrap_or_default();
                self.spare_bytes -= spare.capacity();
                Found::Yours(spare, ticket)
            }
            Entry::Occupied(mut place) => match place.get_mut() {
                Slot::Busy(_) => Found::Busy,
                Slot::Ready { bytes, used, .. } => {
                    *used = true;
                    Found::Ready(Arc::clone(bytes))
                }
            },
        }
    }

    /// Puts a chunk in the place that was held for it, and makes room. If the place is gone, because the chunk was
    /// dropped or replaced meanwhile, so is what was decoded: it may be old.
    pub(crate) fn finish(&mut self, key: Key, ticket: Ticket, bytes: &Decoded, capacity: usize) {
        if self.is_held(key, ticket) {
            self.put(key, ticket, Arc::clone(bytes), capacity);
        }
    }

    /// Gives up the place that was held for a chunk.
    pub(crate) fn give_up(&mut self, key: Key, ticket: Ticket) {
        if self.is_held(key, ticket) {
            self.remove(key);
        }
    }

    fn is_held(&mut self, key: Key, ticket: Ticket) -> bool {
        matches!(self.slot(key), Some(Slot::Busy(held)) if *held == ticket)
    }

    /// Puts a chunk in the place of whatever was there, and makes room.
    pub(crate) fn replace(&mut self, key: Key, bytes: Decoded, capacity: usize) {
        let ticket = self.ticket();
        self.put(key, ticket, bytes, capacity);
    }

    fn put(&mut self, key: Key, ticket: Ticket, bytes: Decoded, capacity: usize) {
        self.remove(key);
        if bytes.len() > capacity {
            return;
        }
        self.bytes += bytes.len();
        let slot = Slot::Ready { bytes, used: false, ticket };
        self.datasets.entry(key.dataset).or_default().insert(key.chunk, slot);
        self.ready += 1;
        self.clock.push_back((key, ticket));
        self.shrink(capacity);
        if self.clock.len() > 2 * self.ready + 64 {
            self.clock.retain(|&(key, ticket)| {
                let slot = self.datasets.get(&key.dataset).and_then(|chunks| chunks.get(&key.chunk));
                matches!(slot, Some(Slot::Ready { ticket: present, .. }) if *present == ticket)
            });
        }
    }

    /// Removes chunks until no more than `capacity` bytes are left.
    pub(crate) fn shrink(&mut self, capacity: usize) {
        while self.bytes > capacity
            && let Some((key, ticket)) = self.clock.pop_front()
        {
            match self.slot(key) {
                Some(Slot::Ready { used, ticket: present, .. }) if *present == ticket => {
                    if !*used {
                        self.remove(key);
                        continue;
                    }
                    *used = false;
                    self.clock.push_back((key, ticket));
                }
                // It was dropped, and perhaps another is there.
                _ => {}
            }
        }
    }

    /// Removes a chunk, or the place held for it.
    pub(crate) fn remove(&mut self, key: Key) {
        let Some(chunks) = self.datasets.get_mut(&key.dataset) else { return };
        if let Some(Slot::Ready { bytes, .. }) = chunks.remove(&key.chunk) {
            self.removed(bytes);
        }
    }

    /// A chunk that was ready was taken out: its memory may serve another.
    fn removed(&mut self, bytes: Decoded) {
        self.bytes -= bytes.len();
        self.ready -= 1;
        if let Some(buffer) = Arc::into_inner(bytes)
            && (SMALLEST_SPARE..=SPARE_BYTES - self.spare_bytes).contains(&buffer.capacity())
        {
            self.spare_bytes += buffer.capacity();
            self.spares.push(buffer);
        }
    }

    /// Removes every chunk of a dataset, and the places held for some.
    pub(crate) fn forget(&mut self, dataset: u64) {
        let chunks = self.datasets.remove(&dataset).unwrap_or_default();
        for slot in chunks.into_values() {
            if let Slot::Ready { bytes, .. } = slot {
                self.removed(bytes);
            }
        }
        if self.bytes == 0 {
            self.clock.clear();
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    #[cfg(all(test, not(feature = "shuttle")))]
    pub(crate) fn spare_bytes(&self) -> usize {
        assert_eq!(self.spare_bytes, self.spares.iter().map(Vec::capacity).sum());
        self.spare_bytes
    }

    #[cfg(all(test, not(feature = "shuttle")))]
    pub(crate) fn entries_in_clock(&self) -> usize {
        self.clock.len()
    }
}
