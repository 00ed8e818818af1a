//! Compares two runs of one suite, test by test.

use std::fmt;

use super::{Outcome, Outcomes};

/// A test that did not end as it does natively.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    test: String,
    natively: Option<Outcome>,
    through: Option<Outcome>,
}

impl Difference {
    /// The test's id.
    pub(crate) fn test(&self) -> &str {
        &self.test
    }

    /// Whether the test was not run through the connector at all.
    pub(crate) fn is_undone(&self) -> bool {
        self.through.is_none()
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |outcome: Option<Outcome>| outcome.map_or("not run".to_owned(), |o| o.to_string());
        write!(f, "{}: natively {}, now {}", self.test, word(self.natively), word(self.through))
    }
}

/// What [`compare`] found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Comparison {
    /// Tests that pass both ways.
    pub(crate) both_pass: usize,
    /// Tests that end alike in another way: skipped, or failing natively too.
    pub(crate) alike: usize,
    pub(crate) differences: Vec<Difference>,
}

/// Compares the outcomes of tests natively and through a connector. Any change of outcome is a difference, even one for the
/// better, and so is a test that ran only one way.
pub(crate) fn compare(natively: &Outcomes, through: &Outcomes) -> Comparison {
    let mut found = Comparison::default();
    for (test, native) in natively.iter() {
        match through.get(test) {
            Some(Outcome::Passed) if native == Outcome::Passed => found.both_pass += 1,
            Some(now) if now == native && now != Outcome::Died => found.alike += 1,
            now => {
                found.differences.push(Difference {
                    test: test.to_owned(),
                    natively: Some(native),
                    through: now,
                });
            }
        }
    }
    for (test, now) in through.iter().filter(|(test, _)| natively.get(test).is_none()) {
        found.differences.push(Difference { test: test.to_owned(), natively: None, through: Some(now) });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(text: &str) -> Outcomes {
        Outcomes::parse(&text.replace(' ', "\t").replace(';', "\n")).expect("parses")
    }

    fn differences(natively: &str, through: &str) -> Vec<String> {
        compare(&outcomes(natively), &outcomes(through)).differences.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn equal_runs_have_no_differences() {
        let run = outcomes("passed a;passed b;failed root_only;skipped mpi;error fixture");
        assert_eq!(compare(&run, &run), Comparison { both_pass: 2, alike: 3, differences: vec![] });
    }

    #[test]
    fn a_test_that_fails_now_is_reported() {
        assert_eq!(differences("passed a;passed b", "passed a;failed b"), ["b: natively passed, now failed"]);
    }

    #[test]
    fn a_test_that_passes_or_is_skipped_now_is_reported_too() {
        assert_eq!(differences("failed a", "passed a"), ["a: natively failed, now passed"]);
        assert_eq!(differences("passed a", "skipped a"), ["a: natively passed, now skipped"]);
    }

    #[test]
    fn a_test_that_ran_only_once_is_reported() {
        assert_eq!(differences("passed a;passed b", "passed a"), ["b: natively passed, now not run"]);
        assert_eq!(differences("passed a", "passed a;passed b"), ["b: natively not run, now passed"]);
    }

    #[test]
    fn a_crash_is_never_alike() {
        assert_eq!(differences("passed a", "started a"), ["a: natively passed, now died"]);
        assert_eq!(differences("started a", "started a"), ["a: natively died, now died"]);
    }
}
