//! Whether the short reads of a dataset lie near one another, so that reading a window around one serves the next ones.

use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes between two reads up to which a window serves several that follow. A window of 16 KiB takes as long to read as seven
/// short runs do, one by one.
const NEAR: u64 = 2 * 1024;

/// Reads that were not near another, for each window of a dataset, after which all of it is worth having in memory.
const FAR_ENOUGH: u64 = 4;

/// Where a dataset was read last. Numbers that stand for themselves; several threads make it guess worse, not wrong.
#[derive(Debug, Default)]
pub(crate) struct Locality {
    last: AtomicU64,
    far: AtomicU64,
}

impl Locality {
    /// Notes a read at a place in the file; whether it is near the last one.
    pub(crate) fn note(&self, place: u64) -> bool {
        self.last.swap(place, Ordering::Relaxed).abs_diff(place) <= NEAR
    }

    /// Notes a read that is not near another, of a dataset that has so many windows; whether there were so many of them that
    /// windows are worth reading all the same.
    pub(crate) fn note_far(&self, windows: u64) -> bool {
        self.far.fetch_add(1, Ordering::Relaxed) >= windows.saturating_mul(FAR_ENOUGH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_on_either_side_are_near() {
        let locality = Locality::default();
        assert!(!locality.note(1 << 20));
        assert!(locality.note((1 << 20) + 64) && locality.note(1 << 20));
        assert!(!locality.note((1 << 20) + 4096));
    }

    #[test]
    fn many_far_reads_make_windows_worthwhile() {
        let locality = Locality::default();
        assert!((0..4 * 10).all(|_| !locality.note_far(10)));
        assert!(locality.note_far(10));
    }
}
