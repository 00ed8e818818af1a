//! Moving elements while other threads use the library.
//!
//! A thread-safe libhdf5 has one lock, which is held in every callback. It is given up while chunks are read, decoded, converted,
//! encoded and stored: nothing of the host or of the shadow is touched then. What keeps calls apart meanwhile are claims
//! (see `global_lock`), which are made before the host is asked anything about a dataset:
//!
//! | call | the container | the dataset |
//! |---|---|---|
//! | reading elements | shared | its chunks, shared |
//! | writing elements | shared | its chunks, exclusive |
//! | flushing, closing the last object, another extent, direct chunks, copies | exclusive | |
//!
//! Reads and writes end without the host's help, so they let their claims go before they take the lock back. The others keep the
//! lock while they have theirs, or are counted as committers (when a container is flushed). A function of the application may be
//! called from an iteration or a conversion: there the lock is never given up.
//!
//! So each call takes effect as a whole, and what was written is seen by who reads or flushes later: a chunk that is in the hands of
//! a writer (it is not among the pending ones then) is claimed by it.

use std::sync::{Mutex, PoisonError};

use global_lock::{Claim, Committers, GlobalLock, HostLock, UserCallbackScope, Wanted};
use h5_vol::Host;

/// How calls share the global lock of one host.
#[derive(Debug)]
pub(crate) struct Locks {
    global: GlobalLock,
    committers: Committers,
}

/// The global lock of one host, as the protocols of `global_lock` want it.
struct HostGlobalLock(Host);

impl HostLock for HostGlobalLock {
    fn release(&self) -> u32 {
        self.0.release_global_lock()
    }

    fn try_acquire(&self, count: u32) -> bool {
        self.0.try_acquire_global_lock(count)
    }
}

/// Those of all hosts, by the addresses of the hosts' names, which stay as long as the process.
static ALL: Mutex<Vec<(usize, &'static Locks)>> = Mutex::new(Vec::new());

impl Locks {
    /// Those of a host.
    pub(crate) fn of(host: Host) -> &'static Self {
        let address = core::ptr::from_ref(host.path()).addr();
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, locks)) = all.iter().find(|(known, _)| *known == address) {
            return locks;
        }
        let locks = &*Box::leak(Box::new(Self { global: GlobalLock::new(), committers: Committers::new() }));
        all.push((address, locks));
        locks
    }

    /// Does work without the global lock. Claims are let go in it.
    pub(crate) fn without<R>(&self, host: Host, work: impl FnOnce() -> R) -> R {
        if !host.can_release_global_lock() {
            return work();
        }
        self.global.without(&HostGlobalLock(host), work)
    }

    /// The same by a call that has claims and keeps them.
    pub(crate) fn without_but_claims<R>(&self, host: Host, work: impl FnOnce() -> R) -> R {
        if !host.can_release_global_lock() {
            return work();
        }
        let _committing = self.committers.enter();
        self.global.without(&HostGlobalLock(host), work)
    }

    /// Marks this thread as one that a function of the application may be called from. There native HDF5 may hold metadata
    /// protected, and the global lock must not be given up.
    pub(crate) fn user_callback(&self, host: Host) -> UserCallbackScope {
        if host.can_release_global_lock() {
            self.committers.wait_for_none(&self.global, &HostGlobalLock(host));
        }
        UserCallbackScope::enter()
    }

    /// Claims what is wanted. The global lock may be given up meanwhile: what the host has said before may have changed.
    pub(crate) fn claim(&self, host: Host, wanted: &Wanted) -> Vec<Claim> {
        wanted.claim(&self.committers, &self.global, &HostGlobalLock(host))
    }
}
