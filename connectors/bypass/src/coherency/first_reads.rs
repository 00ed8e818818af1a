//! Whether it is worth asking which dataset a new handle is of.
//!
//! Asking takes as long as half a small read. It pays off for programs that open a dataset for each read, because their later
//! reads can be bypassed. It does not for those that open a file for a read or two, or that read each of many datasets once.

use std::sync::atomic::{AtomicU32, Ordering};

/// How many reads of a file are not asked about: many files are opened for one or two.
const EARLY: u32 = 2;

/// How many reads in a row must have been the first ones of their datasets before the next step to asking more seldom.
const STEP: u32 = 4;

/// At least one of so many (a power of two) is asked about.
const MOST_SELDOM: u32 = 3;

/// Reads through new handles of an open file. Numbers that stand for themselves; a wrong guess costs time, nothing else.
#[derive(Debug, Default)]
pub(crate) struct FirstReads {
    /// How many there were.
    reads: AtomicU32,
    /// How many of those that were asked about were the first ones of their datasets, since there was one that was not.
    in_a_row: AtomicU32,
}

impl FirstReads {
    /// Whether the next one is not asked about.
    pub(crate) fn is_next_unasked(&self) -> bool {
        let number = self.reads.fetch_add(1, Ordering::Relaxed);
        if number < EARLY {
            return true;
        }
        let seldom = (self.in_a_row.load(Ordering::Relaxed) / STEP).min(MOST_SELDOM);
        !number.is_multiple_of(1 << seldom)
    }

    /// Notes whether one that was asked about was the first of its dataset.
    pub(crate) fn note(&self, is_first: bool) {
        if is_first {
            self.in_a_row.fetch_add(1, Ordering::Relaxed);
        } else {
            self.in_a_row.store(0, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of so many reads are asked about, if they are first ones or not.
    fn asked(reads: &FirstReads, count: u32, is_first: bool) -> u32 {
        let mut asked = 0;
        for _ in 0..count {
            if !reads.is_next_unasked() {
                reads.note(is_first);
                asked += 1;
            }
        }
        asked
    }

    #[test]
    fn a_file_that_is_opened_for_two_reads_is_not_asked_about() {
        assert_eq!(asked(&FirstReads::default(), 2, true), 0);
    }

    #[test]
    fn datasets_that_are_all_read_once_are_asked_about_more_and_more_seldom() {
        let reads = FirstReads::default();
        assert_eq!(asked(&reads, 2 + 4 + 8 + 16, true), 4 + 4 + 4);
        assert_eq!(asked(&reads, 800, true), 100);
    }

    #[test]
    fn one_that_is_read_again_makes_every_read_worth_asking_about() {
        let reads = FirstReads::default();
        asked(&reads, 402, true);
        // At the latest after eight, and from then on always.
        assert!(asked(&reads, 8, false) >= 1);
        assert_eq!(asked(&reads, 100, false), 100);
    }
}
