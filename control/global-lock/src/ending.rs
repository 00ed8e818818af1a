//! The end of an operation that several threads may want to finish: one of them does, and the others wait.

use crate::lock::{GlobalLock, HostLock};
use crate::shim::{Condvar, Mutex, MutexGuard};
use std::fmt;
use std::sync::PoisonError;

/// How an operation has ended, once it has.
pub struct Ending<T> {
    state: Mutex<State<T>>,
    ended: Condvar,
}

struct State<T> {
    /// A thread is finishing it.
    is_taken: bool,
    end: Option<T>,
}

impl<T: Clone> Ending<T> {
    /// It has not ended.
    pub fn new() -> Self {
        Self { state: Mutex::new(State { is_taken: false, end: None }), ended: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        // Nothing panics while it holds this lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How it has ended, if it has.
    pub fn get(&self) -> Option<T> {
        self.state().end.clone()
    }

    /// Takes it upon this thread to finish the operation: `None`, and [`set`](Self::set) must follow. If another thread is at it,
    /// waits for that, and gives how the operation has ended.
    ///
    /// Call it with the global lock held. The thread that finishes may need that lock, so it is given up while this one waits. In a
    /// user's callback it cannot be: there the operation must be one that no other thread finishes without the lock, because such
    /// threads are counted among the [`Committers`](crate::Committers).
    pub fn take<H: HostLock>(&self, lock: &GlobalLock, host: &H) -> Option<T> {
        match self.try_take() {
            Some(taken) => taken,
            None => Some(lock.without(host, || self.wait())),
        }
    }

    /// The same without waiting. `None` if another thread is at it.
    #[expect(clippy::option_option, reason = "somebody else's, or ours, or ended")]
    fn try_take(&self) -> Option<Option<T>> {
        let mut state = self.state();
        if let Some(end) = &state.end {
            return Some(Some(end.clone()));
        }
        (!std::mem::replace(&mut state.is_taken, true)).then_some(None)
    }

    fn wait(&self) -> T {
        let mut state = self.state();
        loop {
            if let Some(end) = &state.end {
                return end.clone();
            }
            state = self.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// It has ended. Gives how: the first one who says so is believed.
    pub fn set(&self, end: T) -> T {
        let mut state = self.state();
        let end = state.end.get_or_insert(end).clone();
        self.ended.notify_all();
        end
    }

    /// For the model that shows what happens if the lock is kept.
    #[cfg(all(test, feature = "shuttle"))]
    pub(crate) fn take_keeping_the_lock(&self) -> Option<T> {
        match self.try_take() {
            Some(taken) => taken,
            None => Some(self.wait()),
        }
    }
}

impl<T: Clone> Default for Ending<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for Ending<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Ending").finish_non_exhaustive()
    }
}
