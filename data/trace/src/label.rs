//! Names in a trace: of datasets, and of reasons. Each is kept once and has a number.

use std::collections::BTreeMap;

use crate::session;

/// How many names are kept.
const MOST: usize = 16 * 1024;

/// Bytes of a name that are kept.
const LONGEST: usize = 1024;

/// The number of a name; 0 is no name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Label(u32);

impl Label {
    /// No name.
    pub const NONE: Self = Self(0);

    pub(crate) fn number(self) -> u32 {
        self.0
    }

    pub(crate) fn from_number(number: u32) -> Self {
        Self(number)
    }
}

/// What a label stands for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Name {
    Dataset { file: String, dataset: String, filters: String },
    Reason(String),
}

/// The label of a dataset: the name of its file, its own, and those of its filters, if any.
///
/// Takes a lock and looks it up: who needs it often keeps it.
pub fn label(file: &str, dataset: &str, filters: &str) -> Label {
    let [file, dataset, filters] = [file, dataset, filters].map(shortened);
    session::with_labels(|labels| labels.number(Name::Dataset { file, dataset, filters }))
}

/// The label of a reason why HDF5 does something; likewise.
pub fn reason(text: &str) -> Label {
    let text = shortened(text);
    session::with_labels(|labels| labels.number(Name::Reason(text)))
}

/// All labels.
#[derive(Debug)]
pub(crate) struct Labels {
    names: Vec<Name>,
    numbers: BTreeMap<Name, u32>,
}

impl Labels {
    pub(crate) const fn new() -> Self {
        Self { names: Vec::new(), numbers: BTreeMap::new() }
    }

    pub(crate) fn number(&mut self, name: Name) -> Label {
        if let Some(&number) = self.numbers.get(&name) {
            return Label(number);
        }
        match u32::try_from(self.names.len() + 1) {
            Ok(number) if self.names.len() < MOST => {
                self.names.push(name.clone());
                self.numbers.insert(name, number);
                Label(number)
            }
            _ => Label::NONE,
        }
    }

    /// What the labels from number 1 on stand for.
    pub(crate) fn names(&self) -> &[Name] {
        &self.names
    }
}

/// The beginning of a text that is too long.
fn shortened(text: &str) -> String {
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let end = (0..=LONGEST).rev().find(|&place| text.is_char_boundary(place)).unwrap_or(0);
    format!("{}...", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept_once_and_not_without_end() {
        let mut labels = Labels::new();
        let name = |number: usize| Name::Reason(number.to_string());
        let first = labels.number(name(0));
        assert_ne!(first, Label::NONE);
        assert_eq!(labels.number(name(0)), first);
        for number in 1..MOST {
            assert_ne!(labels.number(name(number)), Label::NONE);
        }
        assert_eq!(labels.number(name(MOST)), Label::NONE);
        assert_eq!(labels.number(name(5)), Label(6));
        assert_eq!(labels.names()[5], name(5));
        assert_eq!(labels.names().len(), MOST);
    }

    #[test]
    fn long_names_are_cut_between_characters() {
        assert_eq!(shortened("short"), "short");
        let long = "é".repeat(LONGEST);
        let cut = shortened(&format!("x{long}"));
        assert_eq!(cut.len(), LONGEST - 1 + 3);
        assert!(cut.ends_with("é..."));
    }
}
