//! How the tests of one run ended, as written down by `python/suites/outcomes.py`.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Context, Result};

/// How one test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    Passed,
    Failed,
    /// Failed outside the test itself: in its setup, teardown or import.
    Error,
    Skipped,
    /// Failed, as the suite expects.
    XFailed,
    /// Passed although the suite expects it to fail.
    XPassed,
    /// Started and never ended: the process died in it.
    Died,
}

impl Outcome {
    fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "passed" => Self::Passed,
            "failed" => Self::Failed,
            "error" => Self::Error,
            "skipped" => Self::Skipped,
            "xfailed" => Self::XFailed,
            "xpassed" => Self::XPassed,
            "started" => Self::Died,
            _ => return None,
        })
    }

    fn is_bad(self) -> bool {
        matches!(self, Self::Failed | Self::Error | Self::Died)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Error => "error",
            Self::Skipped => "skipped",
            Self::XFailed => "xfailed",
            Self::XPassed => "xpassed",
            Self::Died => "died",
        })
    }
}

/// The outcomes of one run by test id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Outcomes(BTreeMap<String, Outcome>);

impl Outcomes {
    /// Reads lines `outcome <TAB> test`; of several lines for one test the last one counts.
    pub(crate) fn parse(lines: &str) -> Result<Self> {
        let mut outcomes = Self::default();
        for line in lines.lines() {
            let (word, test) = line.split_once('\t').with_context(|| format!("not an outcome: {line:?}"))?;
            let outcome = Outcome::parse(word).with_context(|| format!("unknown outcome: {line:?}"))?;
            outcomes.0.insert(test.to_owned(), outcome);
        }
        Ok(outcomes)
    }

    /// Adds the outcomes of another part of the same suite.
    pub(crate) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Replaces each outcome.
    pub(crate) fn replace(&mut self, by: impl Fn(Outcome) -> Outcome) {
        self.0.values_mut().for_each(|outcome| *outcome = by(*outcome));
    }

    pub(crate) fn get(&self, test: &str) -> Option<Outcome> {
        self.0.get(test).copied()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Outcome)> {
        self.0.iter().map(|(test, outcome)| (test.as_str(), *outcome))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn count(&self, wanted: Outcome) -> usize {
        self.0.values().filter(|outcome| **outcome == wanted).count()
    }

    /// Tests that failed in whatever way.
    pub(crate) fn bad(&self) -> impl Iterator<Item = (&str, Outcome)> {
        self.iter().filter(|(_, outcome)| outcome.is_bad())
    }
}

/// `883 passed, 1 failed, 4 error, 11 skipped`.
impl fmt::Display for Outcomes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut counts = BTreeMap::<Outcome, usize>::new();
        for outcome in self.0.values() {
            *counts.entry(*outcome).or_default() += 1;
        }
        let words: Vec<_> = counts.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
        f.write_str(if words.is_empty() { "no tests" } else { "" })?;
        f.write_str(&words.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_on_a_test_counts() {
        let outcomes = Outcomes::parse("started\ta\npassed\ta\nstarted\tb\nfailed\tb\n").expect("parses");
        assert_eq!(outcomes.get("a"), Some(Outcome::Passed));
        assert_eq!(outcomes.get("b"), Some(Outcome::Failed));
        assert_eq!(outcomes.to_string(), "1 passed, 1 failed");
        assert_eq!(outcomes.bad().count(), 1);
    }

    #[test]
    fn a_test_that_never_ended_died() {
        let outcomes = Outcomes::parse("started\ta\npassed\ta\nstarted\tcrasher\n").expect("parses");
        assert_eq!(outcomes.get("crasher"), Some(Outcome::Died));
        assert_eq!(outcomes.bad().collect::<Vec<_>>(), [("crasher", Outcome::Died)]);
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(Outcomes::parse("passed").is_err());
        assert!(Outcomes::parse("perhaps\ta").is_err());
    }

    #[test]
    fn parts_add_up() {
        let mut all = Outcomes::parse("passed\ta\nskipped\tb").expect("parses");
        all.extend(Outcomes::parse("passed\tc").expect("parses"));
        assert_eq!((all.len(), all.count(Outcome::Passed), all.count(Outcome::Skipped)), (3, 2, 1));
    }
}
