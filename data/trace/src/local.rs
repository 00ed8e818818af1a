//! Which list of spans is this thread's. Nothing here needs to be dropped, so it is there until the very end of a thread:
//! HDF5 writes what is left in its exit handlers, when other thread-local values of the thread are gone.

use std::cell::Cell;

use crate::lane::Lane;
use crate::session;

thread_local! {
    static LANE: Cell<Option<&'static Lane>> = const { Cell::new(None) };
    /// There was no room for a list.
    static REFUSED: Cell<bool> = const { Cell::new(false) };
    static WORKER: Cell<u32> = const { Cell::new(0) };
}

/// Says that this thread is number `number`, from 1 on, of the pool.
pub fn name_worker(number: usize) {
    WORKER.set(u32::try_from(number).unwrap_or(u32::MAX));
}

/// The list of this thread; `None` if there is no room for one.
#[inline]
pub(crate) fn lane() -> Option<&'static Lane> {
    LANE.get().or_else(new_lane)
}

#[cold]
fn new_lane() -> Option<&'static Lane> {
    if REFUSED.get() {
        session::count_unheard();
        return None;
    }
    let lane = session::new_lane(WORKER.get());
    REFUSED.set(lane.is_none());
    LANE.set(lane);
    lane
}

/// Ends short calls of this thread that are being counted.
pub(crate) fn end_short_calls(now: u64) {
    if let Some(lane) = LANE.get() {
        lane.end_short_calls(now);
    }
}

/// Forgets the list, which is the parent's.
pub(crate) fn after_fork_in_child() {
    LANE.set(None);
    REFUSED.set(false);
}
