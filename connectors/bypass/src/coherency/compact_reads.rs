//! Reads of a compact dataset in a file that is open for writing.
//!
//! Its elements are in native HDF5's object header, and may be newer there than in the file. So native HDF5 must be asked for them, and
//! asked again after each write. That takes as long as several reads, so it is done where a dataset is read again and again.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// So many reads in a row without a write show that it is.
const MANY: u32 = 64;

/// How a handle of a dataset is used. Numbers that stand for themselves; a wrong guess costs time, nothing else.
#[derive(Debug, Default)]
pub(crate) struct CompactReads {
    /// It is a compact dataset, and native HDF5 reads it.
    is_left: AtomicBool,
    /// How many reads of it native HDF5 was given since the last write.
    count: AtomicU32,
    /// The next one is to ask for all elements, which are kept.
    is_wanted: AtomicBool,
    /// That was done, and they cannot be kept.
    is_hopeless: AtomicBool,
}

impl CompactReads {
    /// Notes what was decided about the dataset.
    pub(super) fn decided(&self, is_left: bool) {
        self.is_left.store(is_left, Ordering::Relaxed);
    }

    /// Whether the next read is native HDF5's.
    pub(crate) fn is_read_left(&self) -> bool {
        if !self.is_left.load(Ordering::Relaxed) {
            return false;
        }
        if self.is_hopeless.load(Ordering::Relaxed) || self.count.fetch_add(1, Ordering::Relaxed) < MANY {
            return true;
        }
        self.count.store(0, Ordering::Relaxed);
        self.is_wanted.store(true, Ordering::Relaxed);
        false
    }

    /// Whether the next write is known to be native HDF5's.
    pub(crate) fn is_write_left(&self) -> bool {
        let is_left = self.is_left.load(Ordering::Relaxed);
        if is_left {
            self.count.store(0, Ordering::Relaxed);
        }
        is_left
    }

    /// Whether this is the read that is to ask for all elements.
    pub(super) fn take_wanted(&self) -> bool {
        self.is_wanted.load(Ordering::Relaxed) && self.is_wanted.swap(false, Ordering::Relaxed)
    }

    /// Notes that they cannot be kept.
    pub(super) fn give_up(&self) {
        self.is_hopeless.store(true, Ordering::Relaxed);
    }

    /// Whether there is such a read.
    pub(super) fn is_wanted(&self) -> bool {
        self.is_wanted.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_asked_for_after_many_reads_without_a_write() {
        let reads = CompactReads::default();
        assert!(!reads.is_read_left() && !reads.is_write_left());
        reads.decided(true);
        for _ in 0..10 {
            assert!((0..MANY).all(|_| reads.is_read_left()));
            assert!(reads.is_write_left() && !reads.take_wanted());
        }
        assert!((0..MANY).all(|_| reads.is_read_left()));
        assert!(!reads.is_read_left() && reads.take_wanted() && !reads.take_wanted());
        reads.give_up();
        assert!((0..3 * MANY).all(|_| reads.is_read_left()));
        reads.decided(false);
        assert!(!reads.is_read_left() && !reads.is_write_left());
    }
}
