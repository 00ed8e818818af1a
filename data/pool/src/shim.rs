//! Where the locks, atomics and threads come from: the standard library, or shuttle when its feature is on.
//!
//! Shuttle runs a test under many schedules and treats every access as sequentially consistent; the orderings that
//! are weaker than that are argued for where they are used.

#[cfg(not(feature = "shuttle"))]
mod imp {
    pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, atomic};
    pub(crate) use std::{thread, thread_local};
}

#[cfg(feature = "shuttle")]
mod imp {
    pub(crate) use shuttle::sync::{Condvar, Mutex, MutexGuard, atomic};
    pub(crate) use shuttle::{thread, thread_local};
}

pub(crate) use imp::*;
use std::sync::PoisonError;
use std::time::Duration;

/// Locks, also when a thread panicked while it held the lock: no state of this crate is left half changed by code
/// that can panic, and a worker must not die of another thread's misfortune.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits, with the same view of poisoning as [`lock`].
pub(crate) fn wait<'a, T>(condvar: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condvar.wait(guard).unwrap_or_else(PoisonError::into_inner)
}

/// Waits no longer than this. (In shuttle's models time does not pass.)
pub(crate) fn wait_for<'a, T>(
    condvar: &Condvar,
    guard: MutexGuard<'a, T>,
    time: Duration,
) -> MutexGuard<'a, T> {
    condvar.wait_timeout(guard, time).map_or_else(|poisoned| poisoned.into_inner().0, |(guard, _)| guard)
}
