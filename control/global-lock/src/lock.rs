//! Giving the global lock up and taking it back.
//!
//! **Ordering.** No atomics here: what a thread did under the global lock is seen by the next holder through the
//! host's lock itself (whose `release` and successful `try_acquire` are an unlock and a lock), and the line of waiters
//! has a lock of its own.

use crate::backoff::Backoff;
use crate::queue::Queue;
use crate::thread_mark::{Mark, UserCallbackScope, has_released};
use std::fmt;
use std::marker::PhantomData;
use std::ptr;
use trace::Kind;

/// The global lock of a host library: recursive, owned by a thread.
///
/// HDF5 has `H5TSmutex_release` and `H5TSmutex_acquire` for it. A library that is not thread-safe lacks them and has no
/// lock to give up: there `release` returns 0.
pub trait HostLock {
    /// Releases the lock entirely if this thread holds it. Returns how many times the thread held it, 0 if it did not.
    fn release(&self) -> u32;

    /// Takes the lock `count` times, or returns `false` at once if another thread holds it.
    fn try_acquire(&self, count: u32) -> bool;
}

/// Our side of one host's global lock: the queue of threads that take it back. One for each host library.
pub struct GlobalLock {
    queue: Queue,
}

/// Proof that this thread does not hold the global lock. It cannot be kept, or given to another thread.
pub(crate) struct Released<'scope> {
    _scope: PhantomData<&'scope GlobalLock>,
    _of_this_thread: PhantomData<*const ()>,
}

impl GlobalLock {
    /// The queue is empty.
    pub const fn new() -> Self {
        Self { queue: Queue::new() }
    }

    /// Runs `work` without the global lock, then takes it back as many times as it was held, even if `work` panics.
    ///
    /// In a [user callback](UserCallbackScope) the lock is kept. If this thread does not hold the lock, because it gave
    /// it up or never had it, nothing is released or taken back.
    pub fn without<H, R>(&self, host: &H, work: impl FnOnce() -> R) -> R
    where
        H: HostLock,
    {
        self.without_to_wait(host, |_| work())
    }

    /// As [`without`](Self::without), for work that waits for other threads: it gets the proof that it may. There is none
    /// in a user callback, where the lock is kept.
    pub(crate) fn without_to_wait<H, R>(&self, host: &H, work: impl FnOnce(Option<Released<'_>>) -> R) -> R
    where
        H: HostLock,
    {
        if UserCallbackScope::is_active() {
            return work(None);
        }
        // Inside another `without` nothing is held, so nothing is released.
        let count = if has_released(self.address()) { 0 } else { host.release() };
        let taking_back = TakeBack { lock: self, host, count, _mark: Mark::new(self.address()) };
        let result = work(Some(Released { _scope: PhantomData, _of_this_thread: PhantomData }));
        drop(taking_back);
        result
    }

    /// Takes the host's lock after all threads that came before. Returns the ticket.
    pub(crate) fn acquire(&self, host: &dyn HostLock, count: u32) -> u64 {
        let turn = self.queue.wait_for_turn();
        let (mut backoff, mut waiting) = (Backoff::new(), None);
        while !host.try_acquire(count) {
            waiting.get_or_insert_with(|| trace::span(Kind::LockWait));
            backoff.pause();
        }
        turn.ticket()
    }

    /// How many threads are in the queue, including the one that tries.
    #[cfg(test)]
    pub(crate) fn in_line(&self) -> u64 {
        self.queue.len()
    }

    fn address(&self) -> usize {
        ptr::from_ref(self).addr()
    }
}

impl Default for GlobalLock {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for GlobalLock {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("GlobalLock").finish_non_exhaustive()
    }
}

/// Takes the lock back when dropped. The mark goes after that, as fields do.
struct TakeBack<'scope> {
    lock: &'scope GlobalLock,
    host: &'scope dyn HostLock,
    count: u32,
    _mark: Mark,
}

impl Drop for TakeBack<'_> {
    fn drop(&mut self) {
        if self.count > 0 {
            self.lock.acquire(self.host, self.count);
        }
    }
}
