//! One cache for a whole process, also after `fork()`.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::Cache;

/// How often a child of a child of a process may find the cache in use by a thread that does not exist there.
const GENERATIONS: usize = 16;

/// The cache of a process. A forked child has another one if a thread of its parent was using the cache at that moment.
#[derive(Debug)]
pub struct Shared {
    caches: [OnceLock<Cache>; GENERATIONS],
    current: AtomicUsize,
    /// Bytes of a cache that is made.
    capacity: AtomicUsize,
}

impl Shared {
    /// Is made when it is asked for, for so many bytes.
    pub const fn new(capacity: usize) -> Self {
        Self {
            caches: [const { OnceLock::new() }; GENERATIONS],
            current: AtomicUsize::new(0),
            capacity: AtomicUsize::new(capacity),
        }
    }

    /// The cache.
    pub fn get(&self) -> &Cache {
        let capacity = self.capacity.load(Ordering::Relaxed);
        self.caches[self.current.load(Ordering::Acquire)].get_or_init(|| Cache::new(capacity))
    }

    /// Lets it hold so many bytes from now on.
    pub fn set_capacity(&self, capacity: usize) {
        self.capacity.store(capacity, Ordering::Relaxed);
        let cache = self.get();
        if cache.capacity() != capacity {
            cache.set_capacity(capacity);
        }
    }

    /// In a process that has just been forked: begins again.
    pub fn after_fork_in_child(&self) {
        let current = self.current.load(Ordering::Acquire);
        let is_lost = self.caches[current].get().is_some_and(|cache| !cache.after_fork_in_child());
        // Only its one thread is here. The last one is kept: a lock that nobody lets go of is better than none.
        if is_lost && current + 1 < GENERATIONS {
            self.current.store(current + 1, Ordering::Release);
        }
    }
}
