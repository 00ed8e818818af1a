//! In which order an event set learns that its requests have ended.
//!
//! HDF5 keeps the requests of a set in a list, and loses the end of the list if the newest request ends before an older one: what
//! is inserted next is written to freed memory, and never waited for. It asks the requests in the order in which they were made. So
//! once it was told that one is in progress, it is told the same about all later ones that it asks about in the same pass.
//!
//! Nothing tells when a pass begins, but its numbers rise. A set that is asked right after another one may hear "in progress" of a
//! request that has ended; it hears the truth when the older one has ended, or when it waits.

use std::cell::Cell;

thread_local! {
    /// The request that was last said to be in progress on this thread: where and which.
    static UNFINISHED: Cell<Option<(usize, u64)>> = const { Cell::new(None) };
}

/// A request that an event set asks about: the registry it belongs to, and its number there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) registry: usize,
    pub(crate) number: u64,
}

impl Asked {
    /// Whether an older request was in progress in the same pass: then this one is, too.
    pub(crate) fn comes_after_unfinished(self) -> bool {
        UNFINISHED.get().is_some_and(|(registry, number)| registry == self.registry && number < self.number)
    }

    /// It is said to be in progress.
    pub(crate) fn is_unfinished(self) {
        UNFINISHED.set(Some((self.registry, self.number)));
    }
}

/// The next question begins another pass.
pub(crate) fn forget() {
    UNFINISHED.set(None);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_one_in_progress_all_later_ones_are() {
        let asked = |number| Asked { registry: 1, number };
        forget();
        assert!(!asked(5).comes_after_unfinished());
        asked(5).is_unfinished();
        assert!(asked(7).comes_after_unfinished());
        asked(7).is_unfinished();
        // Another pass, over the same set or another one.
        assert!(!asked(5).comes_after_unfinished() && !asked(7).comes_after_unfinished());
        assert!(!Asked { registry: 2, number: 9 }.comes_after_unfinished());
        assert!(asked(8).comes_after_unfinished());
        forget();
        assert!(!asked(8).comes_after_unfinished());
    }
}
