//! How the short reads of a dataset that cannot change lie: one behind another, or anywhere.

use std::sync::atomic::{AtomicU64, Ordering};

use store::Sieve;

/// Reads that were not near another, for each window of a dataset, after which all of it is worth having in memory.
const FAR_ENOUGH: u64 = 4;

/// What serves the short reads of a dataset. A guess that is wrong costs time, nothing else.
#[derive(Debug, Default)]
pub(crate) struct Locality {
    /// For those that follow one another.
    pub(crate) sieve: Sieve,
    /// How many did not.
    far: AtomicU64,
}

impl Locality {
    /// Whether so many reads of a dataset that has so many windows were not near another that its windows are worth keeping.
    pub(crate) fn is_everywhere(&self, windows: u64) -> bool {
        self.far.load(Ordering::Relaxed) > windows.saturating_mul(FAR_ENOUGH)
    }

    /// Notes a read that is not near another.
    pub(crate) fn note_far(&self) {
        self.far.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_far_reads_make_windows_worthwhile() {
        let locality = Locality::default();
        for _ in 0..=4 * 10 {
            assert!(!locality.is_everywhere(10));
            locality.note_far();
        }
        assert!(locality.is_everywhere(10));
    }
}
