//! The cache of decoded chunks: one for the process.

use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use chunk_cache::Cache;
use engine::Kept;

use crate::configuration::Configuration;

/// Bytes of decoded chunks that are kept if nobody asks for more or less.
pub(crate) const DEFAULT_BYTES: usize = 64 << 20;

/// Null, or a cache that lives as long as the process.
static CACHE: AtomicPtr<Cache> = AtomicPtr::new(core::ptr::null_mut());

static DATASETS: AtomicU64 = AtomicU64::new(0);

fn cache() -> &'static Cache {
    let found = CACHE.load(Ordering::Acquire);
    if !found.is_null() {
        return shared(found);
    }
    let fresh = Box::into_raw(Box::new(Cache::new(DEFAULT_BYTES)));
    match CACHE.compare_exchange(found, fresh, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => shared(fresh),
        // Another thread was first; ours, empty, is left alone.
        Err(other) => shared(other),
    }
}

#[expect(unsafe_code, reason = "a static that is replaced after fork() needs a pointer")]
fn shared(cache: *mut Cache) -> &'static Cache {
    // SAFETY: the pointer comes from `Box::into_raw` in this file, and what was once in `CACHE` is never freed.
    unsafe { &*cache }
}

/// Bytes that may be in it.
pub(crate) fn capacity() -> usize {
    cache().capacity()
}

/// Sets the size that the environment asks for.
pub(crate) fn configure(configuration: &Configuration) {
    if let Some(bytes) = configuration.cache {
        cache().set_capacity(bytes);
    }
}

/// In a forked child: begins again, with another cache if the parent's was in use.
pub(crate) fn after_fork_in_child() {
    let found = CACHE.load(Ordering::Acquire);
    if !found.is_null() && !shared(found).after_fork_in_child() {
        let fresh = Cache::new(shared(found).capacity());
        CACHE.store(Box::into_raw(Box::new(fresh)), Ordering::Release);
    }
}

/// A dataset's place in the cache; dropping it drops its chunks.
#[derive(Debug)]
pub(crate) struct Place(u64);

impl Place {
    /// A place for a dataset whose application wants a cache of so many bytes, which is the least it gets.
    pub(crate) fn new(configuration: Option<&Configuration>, wanted: usize) -> Self {
        if configuration.is_none_or(|configuration| configuration.cache.is_none()) {
            cache().grow(wanted);
        }
        // Relaxed: a number that stands for itself.
        Self(DATASETS.fetch_add(1, Ordering::Relaxed))
    }

    /// As the engine wants it.
    pub(crate) fn kept(&self) -> Kept {
        Kept { cache: cache(), dataset: self.0 }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        cache().forget(self.0);
    }
}
