//! Counts and the table at the end of `cargo xtask test`.

use std::fmt;
use std::ops::{Add, AddAssign};
use std::time::Duration;

use crate::shell::seconds;

/// How many tests passed and failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { passed: self.passed + other.passed, failed: self.failed + other.failed }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// One step's line of the summary.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) step: String,
    pub(crate) tally: Tally,
    pub(crate) took: Duration,
}

impl Line {
    /// The line of a step that failed before any test could run.
    pub(crate) fn of_error(step: &str) -> Self {
        Self { step: step.to_owned(), tally: Tally { passed: 0, failed: 1 }, took: Duration::ZERO }
    }

    /// A step that tested nothing has not passed.
    fn passed(&self) -> bool {
        self.tally.failed == 0 && self.tally.passed > 0
    }
}

/// All steps; its last line is `N passed, N failed`.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    lines: Vec<Line>,
    /// Steps that were not run, and why.
    skipped: Vec<(String, &'static str)>,
}

impl Summary {
    /// Adds a step. A step without a single test counts as one failure, so that the last line shows it.
    pub(crate) fn add(&mut self, mut line: Line) {
        if line.tally == Tally::default() {
            line.tally.failed = 1;
        }
        self.lines.push(line);
    }

    /// Names a step that this machine cannot run.
    pub(crate) fn skip(&mut self, step: &str, why: &'static str) {
        self.skipped.push((step.to_owned(), why));
    }

    pub(crate) fn all_passed(&self) -> bool {
        !self.lines.is_empty() && self.lines.iter().all(Line::passed)
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:10}{:>8}{:>8}  {:>14}", "step", "passed", "failed", "time")?;
        let mut total = Tally::default();
        for Line { step, tally, took } in &self.lines {
            writeln!(f, "{step:10}{:>8}{:>8}  {:>14}", tally.passed, tally.failed, seconds(*took))?;
            total += *tally;
        }
        for (step, why) in &self.skipped {
            writeln!(f, "{step:10} SKIPPED: {why}")?;
        }
        write!(f, "\n{} passed, {} failed", total.passed, total.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(step: &str, passed: usize, failed: usize) -> Line {
        Line { step: step.to_owned(), tally: Tally { passed, failed }, took: Duration::from_secs(61) }
    }

    #[test]
    fn the_last_line_is_the_sum() {
        let mut summary = Summary::default();
        summary.add(line("rust", 40, 0));
        summary.add(line("h5py", 1766, 2));
        assert_eq!(summary.to_string().lines().last(), Some("1806 passed, 2 failed"));
        assert!(!summary.all_passed());
    }

    #[test]
    fn a_step_that_was_skipped_is_named() {
        let mut summary = Summary::default();
        summary.skip("valgrind", "valgrind is not installed");
        assert!(!summary.all_passed(), "nothing was tested");
        summary.add(line("rust", 40, 0));
        assert!(summary.all_passed());
        let text = summary.to_string();
        assert!(text.contains("\nvalgrind   SKIPPED: valgrind is not installed\n"), "{text}");
        assert_eq!(text.lines().last(), Some("40 passed, 0 failed"));
    }

    #[test]
    fn a_step_without_tests_has_failed() {
        let mut summary = Summary::default();
        assert!(!summary.all_passed(), "nothing was tested");
        summary.add(line("rust", 40, 0));
        assert!(summary.all_passed());
        summary.add(line("python", 0, 0));
        assert!(!summary.all_passed());
        assert_eq!(summary.to_string().lines().last(), Some("40 passed, 1 failed"));
    }
}
