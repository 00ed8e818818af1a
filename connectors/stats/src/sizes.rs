//! How large reads and writes are: counts by powers of two.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use serde::Serialize;

use crate::counters::Direction;

/// Nothing at all, and each power of two.
const CLASSES: usize = 65;

/// Counts reads and writes by their size. Threads of several hosts may do it at the same time.
#[derive(Debug)]
pub(crate) struct Sizes {
    reads: [AtomicU64; CLASSES],
    writes: [AtomicU64; CLASSES],
}

/// Calls of at least so many bytes, and of less than twice as many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct SizeClass {
    pub(crate) bytes: u64,
    pub(crate) calls: u64,
}

impl Sizes {
    pub(crate) const fn new() -> Self {
        Self { reads: [const { AtomicU64::new(0) }; CLASSES], writes: [const { AtomicU64::new(0) }; CLASSES] }
    }

    fn of(&self, direction: Direction) -> &[AtomicU64; CLASSES] {
        match direction {
            Direction::Read => &self.reads,
            Direction::Write => &self.writes,
        }
    }

    pub(crate) fn record(&self, direction: Direction, bytes: u64) {
        // The number of bits is at most 64.
        self.of(direction)[(u64::BITS - bytes.leading_zeros()) as usize].fetch_add(1, Relaxed);
    }

    /// Classes that have calls, and those between them.
    pub(crate) fn get(&self, direction: Direction) -> Vec<SizeClass> {
        let all: Vec<u64> = self.of(direction).iter().map(|calls| calls.load(Relaxed)).collect();
        let Some(first) = all.iter().position(|calls| *calls > 0) else { return Vec::new() };
        let last = all.iter().rposition(|calls| *calls > 0).unwrap_or(first);
        (first..=last)
            .map(|bits| SizeClass {
                bytes: if bits == 0 { 0 } else { 1_u64 << (bits - 1) },
                calls: all[bits],
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_powers_of_two() {
        let sizes = Sizes::new();
        for bytes in [4, 5, 7, 8, 16, 17] {
            sizes.record(Direction::Read, bytes);
        }
        let found: Vec<_> =
            sizes.get(Direction::Read).iter().map(|class| (class.bytes, class.calls)).collect();
        assert_eq!(found, [(4, 3), (8, 1), (16, 2)]);
        assert_eq!(sizes.get(Direction::Write), []);
        sizes.record(Direction::Write, 0);
        sizes.record(Direction::Write, u64::MAX);
        let found = sizes.get(Direction::Write);
        assert_eq!((found.len(), found[0].bytes, found[64].bytes), (65, 0, 1 << 63));
    }
}
