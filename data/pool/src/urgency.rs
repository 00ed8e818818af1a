//! What comes first: calls that somebody waits for, then what was asked for, then what is only guessed.

use crate::shim::atomic::{AtomicUsize, Ordering};
use crate::shim::thread_local;
use std::cell::Cell;

/// How urgent a batch or a job is. Less urgent work is left, after the task at hand, when there is more urgent work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Urgency {
    /// A caller waits for it.
    Call,
    /// It was asked for, and somebody will wait for it later.
    Request,
    /// Perhaps nobody will ever want it.
    Speculation,
}

thread_local! {
    static OF_THIS_THREAD: Cell<Urgency> = const { Cell::new(Urgency::Call) };
}

impl Urgency {
    /// That of the job that this thread runs; [`Call`](Self::Call) if it runs none.
    pub(crate) fn of_this_thread() -> Self {
        OF_THIS_THREAD.try_with(Cell::get).unwrap_or(Self::Call)
    }

    /// Runs `work` as something of this urgency.
    pub(crate) fn during<R>(self, work: impl FnOnce() -> R) -> R {
        struct Restore(Urgency);
        impl Drop for Restore {
            fn drop(&mut self) {
                let _ = OF_THIS_THREAD.try_with(|place| place.set(self.0));
            }
        }
        let _restore = Restore(Self::of_this_thread());
        let _ = OF_THIS_THREAD.try_with(|place| place.set(self));
        work()
    }
}

/// How much there is of each urgency that workers could come for. Written under the crew's lock. Read without it,
/// `Relaxed`, between two tasks: whoever sees a change too late leaves one task later.
#[derive(Debug, Default)]
pub(crate) struct Demand([AtomicUsize; 3]);

impl Demand {
    pub(crate) fn more(&self, urgency: Urgency) {
        self.0[urgency as usize].fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn less(&self, urgency: Urgency) {
        self.0[urgency as usize].fetch_sub(1, Ordering::Relaxed);
    }

    /// Is there anything that is more urgent?
    pub(crate) fn beyond(&self, urgency: Urgency) -> bool {
        self.0[..urgency as usize].iter().any(|count| count.load(Ordering::Relaxed) > 0)
    }
}
