//! What a child of fork() must not inherit: locks that other threads held, and lists of what those threads do.

use std::fmt;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// How many forks lie between this process and the one that first used this library. Asking the system which process
/// this is would take longer than all the rest of a claim.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// Forgets what other threads of the parent held or waited for. Call it in a child of fork(), before anything else of this
/// crate.
pub fn after_fork_in_child() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// A value of the process that first used it, and a fresh one in every child.
///
/// After fork() the old value is not touched any more: its lock may be held, by a thread that does not exist here.
pub struct PerProcess<T> {
    home: OnceLock<u32>,
    value: T,
    child: OnceLock<Box<PerProcess<T>>>,
}

impl<T> fmt::Debug for PerProcess<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PerProcess").finish_non_exhaustive()
    }
}

impl<T: Default> PerProcess<T> {
    /// The value of the process that uses it first.
    pub const fn new(value: T) -> Self {
        Self { home: OnceLock::new(), value, child: OnceLock::new() }
    }

    /// The value of this process, and the number of forks before it.
    pub fn here(&self) -> (&T, u32) {
        let process = FORKS.load(Ordering::Relaxed);
        let mut place = self;
        // The cells hold a number and an empty value: what fills them takes no time, and happens once in a process.
        while *place.home.get_or_init(|| process) != process {
            place = place.child.get_or_init(|| Box::new(Self::new(T::default())));
        }
        (&place.value, process)
    }

    /// The value, if this is still the process with that number: for those who undo what they did to it.
    pub fn still_in(&self, process: u32) -> Option<&T> {
        let (value, here) = self.here();
        (here == process).then_some(value)
    }
}
