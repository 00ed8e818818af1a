//! Parses what the connector says about a dataset.

use serde::{Deserialize, Serialize};

/// What the connector says about a dataset that it reads itself.
const BYPASSED: &str = "bypassed";
/// What the connector says about a dataset that it leaves to HDF5. The reason's code follows.
const PASSED_ON: &str = "passed on: ";

/// Codes of datasets with so little data that there is nothing to gain.
const SMALL: [&str; 3] = ["first-small-read", "compact", "nothing-selected"];

/// Whether a dataset is bypassed and, if not, why and what would change that.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Explanation {
    /// `None` if the connector did not say.
    pub(crate) bypassed: Option<bool>,
    /// The reason's code, for programs. docs/reasons.md lists the codes.
    pub(crate) code: Option<String>,
    pub(crate) reason: Option<String>,
    pub(crate) advice: Option<String>,
    /// The reads of a bypassed dataset that are still passed on.
    #[serde(default)]
    pub(crate) except: Option<String>,
}

impl Explanation {
    /// Parses the connector's text. Its first line is the verdict, with the reason's code if the dataset is not bypassed. For
    /// a bypassed dataset, the next line says which reads are passed on; for any other, two lines give the reason and what
    /// would change it.
    pub(crate) fn parse(text: &str) -> Self {
        let mut lines = text.lines().map(str::trim);
        let verdict = lines.next().unwrap_or_default();
        let mut next = || lines.next().filter(|line| !line.is_empty()).map(String::from);
        if verdict == BYPASSED {
            return Self { bypassed: Some(true), except: next(), ..Self::default() };
        }
        let Some(code) = verdict.strip_prefix(PASSED_ON) else {
            return Self::unknown(format!(
                "this h5bypass does not understand the connector's answer '{verdict}'"
            ));
        };
        Self {
            bypassed: Some(false),
            code: Some(code.to_owned()),
            reason: next(),
            advice: next(),
            except: None,
        }
    }

    /// Whether it is left to HDF5 only because it has so little data.
    pub(crate) fn is_small(&self) -> bool {
        self.code.as_deref().is_some_and(|code| SMALL.contains(&code))
    }

    /// No verdict, with the reason.
    pub(crate) fn unknown(reason: String) -> Self {
        Self { reason: Some(reason), ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (Option<bool>, Option<String>, Option<String>) {
        let parsed = Explanation::parse(text);
        (parsed.bypassed, parsed.reason, parsed.advice)
    }

    #[test]
    fn the_lines_are_told_apart() {
        assert_eq!(parts("bypassed"), (Some(true), None, None));
        assert_eq!(parts("bypassed\n"), (Some(true), None, None));
        assert_eq!(parts("bypassed\nexcept some"), (Some(true), None, None));
        assert_eq!(Explanation::parse("bypassed\nexcept some").except.as_deref(), Some("except some"));
        assert_eq!(parts("passed on: code\nwhy"), (Some(false), Some("why".into()), None));
        assert_eq!(
            parts("passed on: code\nwhy\nhow\n"),
            (Some(false), Some("why".into()), Some("how".into()))
        );
        assert_eq!(parts("passed on: code\n\nhow"), (Some(false), None, Some("how".into())));
        assert_eq!(Explanation::parse("passed on: code\nwhy").code.as_deref(), Some("code"));
    }

    #[test]
    fn other_words_are_no_verdict() {
        for text in ["", "maybe\nx", "Bypassed", "passed on", "passed on\nwhy"] {
            let parsed = Explanation::parse(text);
            assert_eq!(parsed.bypassed, None, "{text:?}");
            assert!(parsed.reason.unwrap().contains(text.lines().next().unwrap_or_default()));
        }
    }
}
