//! Giving the global lock up and taking it back.
//!
//! **Ordering.** No atomics here: what a thread did under the global lock is seen by the next holder through the
//! host's lock itself (whose `release` and successful `try_acquire` are an unlock and a lock), and the line of waiters
//! has a lock of its own.

use crate::backoff::Backoff;
use crate::queue::Queue;
use crate::thread_mark::{Mark, UserCallbackScope, assert_released, has_released};
use std::fmt;
use std::marker::PhantomData;
use std::ptr;
use trace::Kind;

/// The global lock of a host library: recursive, owned by a thread.
///
/// In HDF5 `H5TSmutex_release` and `H5TSmutex_acquire`. A library without them (not thread-safe) has no lock to give
/// up: `release` returns 0 there.
pub trait HostLock {
    /// Gives the lock up entirely, if this thread holds it. Returns how many times it held it; 0 if it did not.
    fn release(&self) -> u32;

    /// Takes the lock `count` times, or returns `false` at once if another thread holds it.
    fn try_acquire(&self, count: u32) -> bool;
}

/// Our side of one host's global lock: who is in line to take it back. One for each host library.
pub struct GlobalLock {
    queue: Queue,
}

/// What the work inside [`GlobalLock::without`] may do.
#[derive(Debug)]
pub enum Access<'scope> {
    /// The global lock is not held: waiting is allowed, calling the host is not (but see [`Released::with_lock`]).
    Released(Released<'scope>),
    /// This thread is in a user's callback and still holds the global lock: never wait for a data lock here.
    Kept,
}

impl<'scope> Access<'scope> {
    /// The proof that the lock is given up, if it is.
    pub fn released(self) -> Option<Released<'scope>> {
        match self {
            Self::Released(released) => Some(released),
            Self::Kept => None,
        }
    }
}

/// Proof that this thread does not hold the global lock. Cannot be made, kept, or given to another thread.
pub struct Released<'scope> {
    lock: &'scope GlobalLock,
    host: &'scope dyn HostLock,
    /// What `release` returned; to be given back whenever the lock is taken.
    count: u32,
    _of_this_thread: PhantomData<*const ()>,
}

impl GlobalLock {
    /// Nobody is in line.
    pub const fn new() -> Self {
        Self { queue: Queue::new() }
    }

    /// Runs `work` without the global lock, then takes it back as many times as it was held; also if `work` panics.
    ///
    /// The lock is kept, and `work` told so, in a [user callback](UserCallbackScope). If this thread has given the
    /// lock up already, or never held it, there is nothing to give up or take back.
    pub fn without<H, R>(&self, host: &H, work: impl FnOnce(Access<'_>) -> R) -> R
    where
        H: HostLock,
    {
        if UserCallbackScope::is_active() {
            return work(Access::Kept);
        }
        // Inside another `without` nothing is held, so nothing is released. The count is that of `with_lock`, which
        // has to take the lock once for the host's sake, whatever it was before.
        let count = if has_released(self.address()) { 0 } else { host.release() };
        let taking_back = TakeBack { lock: self, host, count, _mark: Mark::new(Some(self.address())) };
        let released = Released { lock: self, host, count: count.max(1), _of_this_thread: PhantomData };
        let result = work(Access::Released(released));
        drop(taking_back);
        result
    }

    /// Takes the host's lock, after all who came before. Returns the number in line.
    pub(crate) fn acquire(&self, host: &dyn HostLock, count: u32) -> u64 {
        let turn = self.queue.wait_for_turn();
        let (mut backoff, mut waiting) = (Backoff::new(), None);
        while !host.try_acquire(count) {
            waiting.get_or_insert_with(|| trace::span(Kind::LockWait));
            backoff.pause();
        }
        turn.ticket()
    }

    /// How many are in line, the one who tries included.
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

impl Released<'_> {
    /// Takes the global lock for the time of `work`: to ask the control plane something while data locks are held.
    ///
    /// Meanwhile the proof is void, hence `&mut`.
    pub fn with_lock<R>(&mut self, work: impl FnOnce() -> R) -> R {
        assert_released();
        self.lock.acquire(self.host, self.count);
        let _giving_up = GiveUp { host: self.host, _mark: Mark::new(None) };
        work()
    }
}

impl fmt::Debug for Released<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Released").field("count", &self.count).finish_non_exhaustive()
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

/// Gives the lock up again when dropped.
struct GiveUp<'scope> {
    host: &'scope dyn HostLock,
    _mark: Mark,
}

impl Drop for GiveUp<'_> {
    fn drop(&mut self) {
        self.host.release();
    }
}
