//! Why rows are slower than native HDF5, or less than what is asked, as far as it is known.
//!
//! A cause belongs here when it was found out, not when it was guessed: until then PERFORMANCE.md says that it is not known.

use crate::Row;

/// Names of rows, and the cause, without a full stop. A `*` at the end of a name stands for any ending.
const CAUSES: &[(&[&str], &str)] = &[
    (
        &["open-read-close"],
        "HDF5 takes longer to open and close files and datasets through a connector than without one: it wraps each of them, \
         and each call passes more of its layers",
    ),
    (
        &["many-first", "many-later", "many-latest-first", "many-latest-later"],
        "Left to native HDF5, because the index of so many chunks would have to be read as a whole for a few of them; the rest \
         is the way to native through HDF5's layers for connectors",
    ),
];

/// The cause of a row's loss.
pub(crate) fn of(row: &Row) -> Option<&'static str> {
    find(CAUSES, &row.name)
}

/// The names above, those that stand for several left out.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    CAUSES.iter().flat_map(|(names, _)| names.iter().copied()).filter(|name| !name.ends_with('*'))
}

fn find(causes: &[(&[&str], &'static str)], name: &str) -> Option<&'static str> {
    let is_meant = |pattern: &&str| match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == *pattern,
    };
    causes.iter().find(|(names, _)| names.iter().any(is_meant)).map(|(_, cause)| *cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_ending_and_nothing_else_does() {
        let causes: &[(&[&str], &'static str)] = &[(&["one", "many-*"], "a cause")];
        for name in ["one", "many-", "many-later"] {
            assert_eq!(find(causes, name), Some("a cause"), "{name}");
        }
        for name in ["", "on", "one-more", "many", "too-many-later"] {
            assert_eq!(find(causes, name), None, "{name}");
        }
    }
    #[test]
    fn causes_are_sentences_without_an_end_for_rows_that_no_other_has() {
        let mut seen = std::collections::HashSet::new();
        for (names, cause) in CAUSES {
            assert!(
                cause.starts_with(char::is_uppercase) && cause.ends_with(char::is_alphanumeric),
                "{cause}"
            );
            assert!(!names.is_empty() && names.iter().all(|name| seen.insert(name)), "{names:?}");
        }
    }
}
