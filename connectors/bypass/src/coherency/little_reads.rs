//! Reads of so little of a virtual dataset that finding out about its sources may never pay off.
//!
//! What it takes to ask about a mapping and to open its source is as much as native HDF5 takes for fifty small reads of data that it
//! has in its buffers. So these are left to it for as long as it is fast. It is not if it decodes a large chunk for each.
//!
//! If a file can be written, only the first few of them are left to it, and later the first one of each source, and none that selects many
//! short lines: it reads such files without a buffer of its own, because of us. The later we begin, the more native HDF5 has in its chunk
//! cache that is read once more.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A read is slow if it takes longer than this, and so much for each source. Opening a source for the first time takes less than
/// what is allowed for a read of one.
const SLOW: Duration = Duration::from_millis(1);
const SLOW_PER_SOURCE: Duration = Duration::from_micros(20);

/// So many slow ones in a row are no accident: each may be the first one of its source.
const SLOW_IN_A_ROW: u32 = 6;

/// From so many on it pays off to open the sources, if a read touches several.
const MANY: u32 = 64;

/// The same if a file can be written.
const MANY_IF_WRITABLE: u32 = 8;

/// Whether a file can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// No file of the host can.
    ReadOnly,
    /// Some file of the host can.
    Writable,
}

/// How native HDF5 does with such reads through one handle. Numbers that stand for themselves; a wrong guess costs time, nothing else.
#[derive(Debug, Default)]
pub(crate) struct LittleReads {
    count: AtomicU32,
    slow_in_a_row: AtomicU32,
    /// Sources that the one that is about to be left to native HDF5 touches; 0 if none is.
    next: AtomicU32,
    may_be_virtual: OnceLock<bool>,
}

impl LittleReads {
    /// Whether the dataset may be virtual, which is asked once.
    pub(crate) fn may_be_virtual(&self, ask: impl FnOnce() -> bool) -> bool {
        *self.may_be_virtual.get_or_init(ask)
    }

    /// Whether the next one, which touches so many sources, is left to native HDF5. If one of these is new, it does not matter how many
    /// were left to it before.
    pub(crate) fn is_left(&self, sources: usize, access: Access, is_new: bool) -> bool {
        if self.slow_in_a_row.load(Ordering::Relaxed) >= SLOW_IN_A_ROW {
            return false;
        }
        let many = match access {
            _ if is_new => u32::MAX,
            Access::ReadOnly if sources <= 1 => u32::MAX,
            Access::ReadOnly => MANY,
            Access::Writable => MANY_IF_WRITABLE,
        };
        if many < u32::MAX && self.count.fetch_add(1, Ordering::Relaxed) >= many {
            return false;
        }
        self.next.store(u32::try_from(sources).unwrap_or(u32::MAX).max(1), Ordering::Relaxed);
        true
    }

    /// Native HDF5 begins to read; given back if that is one of those.
    pub(crate) fn begin(&self) -> Option<Begun<'_>> {
        // Nearly always it is not.
        let sources = match self.next.load(Ordering::Relaxed) {
            0 => return None,
            _ => self.next.swap(0, Ordering::Relaxed),
        };
        Some(Begun { reads: self, sources, since: Instant::now() })
    }

    fn note(&self, taken: Duration, sources: u32) {
        if taken > SLOW.saturating_add(SLOW_PER_SOURCE.saturating_mul(sources)) {
            self.slow_in_a_row.fetch_add(1, Ordering::Relaxed);
        } else {
            self.slow_in_a_row.store(0, Ordering::Relaxed);
        }
    }
}

/// Such a read, which ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Begun<'r> {
    reads: &'r LittleReads,
    sources: u32,
    since: Instant,
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        self.reads.note(self.since.elapsed(), self.sources);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_left_to_native_hdf5_until_it_is_slow_six_times_in_a_row() {
        let reads = LittleReads::default();
        let slow = SLOW + SLOW_PER_SOURCE + Duration::from_micros(1);
        for taken in [slow, slow, SLOW, slow, slow, slow, slow, slow] {
            assert!(reads.is_left(1, Access::ReadOnly, false));
            reads.note(taken, 1);
        }
        assert!(reads.is_left(1, Access::ReadOnly, false));
        reads.note(slow, 1);
        assert!(!reads.is_left(1, Access::ReadOnly, false) && !reads.is_left(1, Access::Writable, true));
    }

    #[test]
    fn many_that_touch_several_sources_are_not_left_any_more() {
        let reads = LittleReads::default();
        assert!((0..1000).all(|_| reads.is_left(1, Access::ReadOnly, false)));
        assert_eq!((0..1000).filter(|_| reads.is_left(5, Access::ReadOnly, false)).count(), MANY as usize);
        let reads = LittleReads::default();
        let left = (0..1000).filter(|_| reads.is_left(1, Access::Writable, false)).count();
        assert_eq!(left, MANY_IF_WRITABLE as usize);
        assert!(reads.is_left(1, Access::Writable, true) && !reads.is_left(1, Access::Writable, false));
    }

    #[test]
    fn only_those_that_are_left_are_timed() {
        let reads = LittleReads::default();
        assert!(reads.begin().is_none());
        assert!(
            reads.is_left(1, Access::ReadOnly, false) && reads.begin().is_some() && reads.begin().is_none()
        );
    }
}
