//! Which part of a step to run: `--match NAME`.

use anyhow::{Result, ensure};

/// Names, or parts of names, of Python test files and of crates. An empty list means all.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'a>(pub(super) &'a [String]);

impl Part<'_> {
    /// Whether all of a step is asked for.
    pub(super) fn is_all(self) -> bool {
        self.0.is_empty()
    }

    /// Those that are asked for. It is an error if there are none: nothing would be tested.
    pub(super) fn choose<T>(self, all: Vec<T>, name: impl Fn(&T) -> &str) -> Result<Vec<T>> {
        if self.is_all() {
            return Ok(all);
        }
        let is_meant = |one: &T| self.0.iter().any(|part| name(one).contains(part.as_str()));
        let chosen: Vec<T> = all.into_iter().filter(is_meant).collect();
        ensure!(!chosen.is_empty(), "no name contains {}", self.0.join(" or "));
        Ok(chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(parts: &[&str]) -> Result<Vec<&'static str>> {
        let parts: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
        Part(&parts).choose(vec!["test_codecs", "test_trace", "test_writes_codecs"], |name| name)
    }

    #[test]
    fn parts_of_names_choose() {
        assert_eq!(chosen(&[]).expect("all").len(), 3);
        assert_eq!(chosen(&["codecs"]).expect("two"), ["test_codecs", "test_writes_codecs"]);
        assert_eq!(chosen(&["writes", "trace"]).expect("two"), ["test_trace", "test_writes_codecs"]);
        let error = chosen(&["no", "none"]).expect_err("nothing").to_string();
        assert_eq!(error, "no name contains no or none");
    }
}
