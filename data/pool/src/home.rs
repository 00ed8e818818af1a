//! Which process are we in? Threads do not survive fork(), so what was started in the parent is void in the child.

use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the calls of [`note_fork`]. Not shuttle's: it is no part of what the models explore.
static FORKS: AtomicUsize = AtomicUsize::new(0);

/// The process in which something was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Home {
    process: u32,
    forks: usize,
}

impl Home {
    /// The process we are in now. Takes no lock: the one question that is safe to ask first in a child.
    pub(crate) fn here() -> Self {
        // Relaxed: the only thread of a new child has made the change itself or comes after it in program order,
        // and threads that it starts later are ordered by their start.
        Self { process: process::id(), forks: FORKS.load(Ordering::Relaxed) }
    }

    pub(crate) fn is_here(self) -> bool {
        self == Self::here()
    }
}

/// This process has just been forked. Not needed where process ids tell, that is practically everywhere. It helps in a new
/// PID namespace, where a child can have the number its parent has outside.
pub(crate) fn note_fork() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}
