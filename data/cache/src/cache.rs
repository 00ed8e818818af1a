//! The cache as threads see it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use trace::Kind;

use crate::Key;
use crate::shim::{Condvar, Mutex, MutexGuard, lock};
use crate::state::{Found, State, Ticket};

/// The elements of a chunk.
pub type Decoded = Arc<Vec<u8>>;

/// Decoded chunks of any number of datasets.
#[derive(Debug, Default)]
pub struct Cache {
    state: Mutex<State>,
    /// A chunk that somebody was decoding is there, or will not come.
    settled: Condvar,
    capacity: AtomicUsize,
}

impl Cache {
    /// An empty cache for so many bytes.
    pub fn new(capacity: usize) -> Self {
        Self { capacity: AtomicUsize::new(capacity), ..Self::default() }
    }

    /// How many bytes may be in it.
    pub fn capacity(&self) -> usize {
        // Relaxed: a number that stands for itself.
        self.capacity.load(Ordering::Relaxed)
    }

    /// Makes room for at least so many bytes.
    pub fn grow(&self, capacity: usize) {
        self.capacity.fetch_max(capacity, Ordering::Relaxed);
    }

    /// Lets it hold so many bytes from now on, and drops what is more.
    pub fn set_capacity(&self, capacity: usize) {
        self.capacity.store(capacity, Ordering::Relaxed);
        lock(&self.state).shrink(capacity);
    }

    /// How many bytes are in it.
    pub fn bytes(&self) -> usize {
        lock(&self.state).bytes()
    }

    #[cfg(all(test, not(feature = "shuttle")))]
    pub(crate) fn spare_bytes(&self) -> usize {
        lock(&self.state).spare_bytes()
    }

    #[cfg(all(test, not(feature = "shuttle")))]
    pub(crate) fn entries_in_clock(&self) -> usize {
        lock(&self.state).entries_in_clock()
    }

    /// Does something as if another thread were using the cache.
    #[cfg(all(test, not(feature = "shuttle")))]
    pub(crate) fn while_locked(&self, run: impl FnOnce()) {
        let _state = lock(&self.state);
        run();
    }

    /// The chunk, if it is there.
    pub fn get(&self, key: Key) -> Option<Decoded> {
        lock(&self.state).get(key)
    }

    /// Whether somebody is decoding the chunk.
    pub fn is_busy(&self, key: Key) -> bool {
        lock(&self.state).is_busy(key)
    }

    /// The chunk: from the cache, or by `decode`, which is given `length` bytes of unspecified content to fill. If
    /// another thread is decoding it already, waits for that.
    ///
    /// # Errors
    /// Those of `decode`; who waited for one that failed tries again itself.
    pub fn get_or_decode<E>(
        &self,
        key: Key,
        length: usize,
        decode: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<Decoded, E>
    where
        E: From<OutOfMemory>,
    {
        let mut waiting = None;
        let mut state = lock(&self.state);
        let (buffer, ticket) = loop {
            match state.get_or_begin(key) {
                Found::Ready(bytes) => return Ok(bytes),
                Found::Yours(buffer, ticket) => break (buffer, ticket),
                Found::Busy => {
                    waiting.get_or_insert_with(|| trace::span(Kind::ChunkWait));
                    state.waiting += 1;
                    state = self.settled.wait(state).unwrap_or_else(std::sync::PoisonError::into_inner);
                    state.waiting -= 1;
                }
            }
        };
        drop((state, waiting));
        let mut begun = self.begun(key, buffer, ticket, length)?;
        decode(begun.buffer())?;
        Ok(begun.finish())
    }

    /// A chunk that is neither in the cache nor being decoded: the caller must decode it, and others wait for that. So who
    /// has begun one may begin another, but not wait for one.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn try_begin(&self, key: Key, length: usize) -> Result<Option<Begun<'_>>, OutOfMemory> {
        // Locked only until it is found: what is begun locks it again when it ends.
        let found = lock(&self.state).get_or_begin(key);
        match found {
            Found::Yours(buffer, ticket) => self.begun(key, buffer, ticket, length).map(Some),
            Found::Ready(_) | Found::Busy => Ok(None),
        }
    }

    fn begun(
        &self,
        key: Key,
        buffer: Vec<u8>,
        ticket: Ticket,
        length: usize,
    ) -> Result<Begun<'_>, OutOfMemory> {
        // Settles also when there is no memory, or decoding fails or panics.
        let place = Place { cache: self, key, ticket, bytes: None };
        Ok(Begun { buffer: sized(buffer, length)?, place })
    }

    /// Puts a chunk in, instead of the one that is there or is being decoded. One that is larger than the cache is not
    /// kept, and neither is the one before.
    pub fn put(&self, key: Key, bytes: Decoded) {
        let mut state = lock(&self.state);
        state.replace(key, bytes, self.capacity());
        self.settle(state);
    }

    /// Drops a chunk. Who is decoding it may use what comes of it, but it is not kept.
    pub fn remove(&self, key: Key) {
        let mut state = lock(&self.state);
        state.remove(key);
        // Who waits for it begins again.
        self.settle(state);
    }

    /// Drops every chunk of a dataset, likewise.
    pub fn forget(&self, dataset: u64) {
        let mut state = lock(&self.state);
        state.forget(dataset);
        // Who waits for one of them begins again.
        self.settle(state);
    }

    /// Wakes who waits for a chunk. Nearly always nobody does, and waking nobody is a system call, too.
    fn settle(&self, state: MutexGuard<'_, State>) {
        let is_awaited = state.waiting > 0;
        drop(state);
        if is_awaited {
            self.settled.notify_all();
        }
    }

    /// Drops everything in a process that has just been forked, without waiting: a thread that held the lock, or
    /// was decoding, does not exist here. `false` if the lock is held by such a thread: then this cache is lost, and
    /// the child needs another.
    #[must_use]
    pub fn after_fork_in_child(&self) -> bool {
        match self.state.try_lock() {
            Ok(mut state) => {
                // What was in it may be half changed, and is the parent's: not even freed.
                let empty = State::empty_after(&state);
                std::mem::forget(std::mem::replace(&mut *state, empty));
                true
            }
            Err(_) => false,
        }
    }
}

/// Memory for a decoded chunk could not be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfMemory {
    /// How many bytes were asked for.
    pub bytes: usize,
}

/// A buffer of this length, of unspecified content.
fn sized(mut buffer: Vec<u8>, length: usize) -> Result<Vec<u8>, OutOfMemory> {
    if buffer.capacity() < length || buffer.capacity() / 2 > length {
        buffer = Vec::new();
    }
    buffer.truncate(length);
    buffer.try_reserve_exact(length - buffer.len()).map_err(|_| OutOfMemory { bytes: length })?;
    buffer.resize(length, 0);
    Ok(buffer)
}

/// A chunk that is being decoded. Others may try if this one is dropped.
#[derive(Debug)]
pub struct Begun<'c> {
    buffer: Vec<u8>,
    place: Place<'c>,
}

impl Begun<'_> {
    /// Where its elements go; what is in it is not specified.
    pub fn buffer(&mut self) -> &mut [u8] {
        &mut self.buffer
    }

    /// The elements are there.
    pub fn finish(self) -> Decoded {
        let Self { buffer, mut place } = self;
        let bytes = Arc::new(buffer);
        place.bytes = Some(Arc::clone(&bytes));
        bytes
    }
}

/// A place held for a chunk.
#[derive(Debug)]
struct Place<'c> {
    cache: &'c Cache,
    key: Key,
    ticket: Ticket,
    bytes: Option<Decoded>,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut state = lock(&self.cache.state);
        match &self.bytes {
            Some(bytes) => state.finish(self.key, self.ticket, bytes, self.cache.capacity()),
            None => state.give_up(self.key, self.ticket),
        }
        self.cache.settle(state);
    }
}
