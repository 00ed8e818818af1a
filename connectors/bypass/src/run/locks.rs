//! Releasing the host's global lock, and the order in which calls get it.

use global_lock::{Claim, Committers, Ending, GlobalLock, HostLock, UserCallbackScope, Wanted};
use h5_vol::Host;

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

/// How calls share the host's global lock.
#[derive(Debug)]
pub(crate) struct Locks {
    global: GlobalLock,
    committers: Committers,
}

impl Locks {
    pub(crate) fn new() -> Self {
        Self { global: GlobalLock::new(), committers: Committers::new() }
    }

    /// Does work without the global lock, by a call that drops its claims before it ends.
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

    /// Waits for calls on other threads that must still store chunks: they came first.
    pub(crate) fn wait_for_committers(&self, host: Host) {
        self.committers.wait_for_none(&self.global, &HostGlobalLock(host));
    }

    /// Lets a call on another thread go first that must still store chunks.
    pub(crate) fn give_way(&self, host: Host) {
        self.committers.give_way(&self.global, &HostGlobalLock(host));
    }

    /// Marks this thread as one that a function of the application may be called from. There native HDF5 may hold metadata
    /// protected, and the global lock must not be given up.
    pub(crate) fn user_callback(&self, host: Host) -> UserCallbackScope {
        self.wait_for_committers(host);
        UserCallbackScope::enter()
    }

    /// Takes it upon this thread to finish an operation: `None`. If another thread is at it, waits for that.
    pub(crate) fn take<T: Clone>(&self, host: Host, ending: &Ending<T>) -> Option<T> {
        ending.take(&self.global, &HostGlobalLock(host))
    }

    /// Claims what is wanted. `finish` finishes requests that are in the way. The global lock may be given up meanwhile.
    pub(crate) fn claim(&self, host: Host, wanted: &Wanted, finish: impl Fn()) -> Vec<Claim> {
        wanted.claim_finishing(&self.committers, &self.global, &HostGlobalLock(host), finish)
    }
}
