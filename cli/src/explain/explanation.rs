//! What the connector says about a dataset, taken apart.

use serde::{Deserialize, Serialize};

/// The connector's words for a dataset that it reads itself.
const BYPASSED: &str = "bypassed";
/// The connector's words for one that it leaves to HDF5.
const PASSED_ON: &str = "passed on";

/// Whether a dataset is bypassed, why not, and what would change it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Explanation {
    /// Nothing if the connector did not say.
    pub(crate) bypassed: Option<bool>,
    pub(crate) reason: Option<String>,
    pub(crate) advice: Option<String>,
    /// Which reads of a dataset that is bypassed are not.
    #[serde(default)]
    pub(crate) except: Option<String>,
}

impl Explanation {
    /// Takes the connector's text apart: the verdict; for a dataset that is bypassed, which reads are not; for any other,
    /// the reason and what would change it; each on a line.
    pub(crate) fn parse(text: &str) -> Self {
        let mut lines = text.lines().map(str::trim);
        let bypassed = match lines.next() {
            Some(BYPASSED) => true,
            Some(PASSED_ON) => false,
            other => {
                let said = other.unwrap_or_default();
                return Self::unknown(format!(
                    "the connector said '{said}', which this h5bypass does not know"
                ));
            }
        };
        let mut next = || lines.next().filter(|line| !line.is_empty()).map(String::from);
        if bypassed {
            return Self { bypassed: Some(true), except: next(), ..Self::default() };
        }
        Self { bypassed: Some(false), reason: next(), advice: next(), except: None }
    }

    /// No verdict, and why there is none.
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
        assert_eq!(parts("passed on\nwhy"), (Some(false), Some("why".into()), None));
        assert_eq!(parts("passed on\nwhy\nhow\n"), (Some(false), Some("why".into()), Some("how".into())));
        assert_eq!(parts("passed on\n\nhow"), (Some(false), None, Some("how".into())));
    }

    #[test]
    fn other_words_are_no_verdict() {
        for text in ["", "maybe\nx", "Bypassed"] {
            let parsed = Explanation::parse(text);
            assert_eq!(parsed.bypassed, None, "{text:?}");
            assert!(parsed.reason.unwrap().contains(text.lines().next().unwrap_or_default()));
        }
    }
}
