//! Which scenarios are measured: those that the user names, and what was meant by a name that there is not.

use std::fmt;

use crate::Scenario;

/// A name nobody has.
#[derive(Debug, PartialEq, Eq)]
pub struct Unknown {
    /// What it is to be the name of, as "scenario".
    what: &'static str,
    name: String,
    near: Vec<String>,
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no {} '{}'", self.what, self.name)?;
        match self.near.len() {
            0 => Ok(()),
            _ => write!(f, "\n  near it: {}", self.near.join(", ")),
        }
    }
}

impl std::error::Error for Unknown {}

impl Unknown {
    /// A name that is none of these.
    pub fn new<'name>(what: &'static str, name: &str, names: impl IntoIterator<Item = &'name str>) -> Self {
        Self { what, name: name.to_owned(), near: nearest(name, names) }
    }

    /// The names that are most like it, the nearest first.
    pub fn near(&self) -> &[String] {
        &self.near
    }

    /// Whether a name is another one but for a letter or two.
    pub fn is_slip(name: &str, other: &str) -> bool {
        let [one, two] = [name, other].map(|name| name.chars().collect::<Vec<_>>());
        distance(&one, &two) <= 2
    }
}

/// Those whose names are one of `names`, or begin with one that is nobody's whole name, and whose groups are one of `groups`, whatever the case; all where
/// none is given.
///
/// # Errors
/// A name or a group that there is not.
pub fn choose(all: &[Scenario], names: &[String], groups: &[String]) -> Result<Vec<Scenario>, Unknown> {
    let lower = |text: &str| text.to_lowercase();
    let is_whole_name = |name: &String| all.iter().any(|scenario| scenario.name == *name);
    let has_name = |scenario: &Scenario, name: &String| {
        let begins = || scenario.name.starts_with(name.trim_end_matches('*'));
        scenario.name == *name || !is_whole_name(name) && begins()
    };
    let has_heading = |scenario: &Scenario, group: &String| lower(scenario.group).starts_with(&lower(group));
    let is_nothing = |name: &str| name.trim_end_matches('*').is_empty();
    if let Some(name) =
        names.iter().find(|name| is_nothing(name) || !all.iter().any(|scenario| has_name(scenario, name)))
    {
        return Err(Unknown::new("scenario", name, all.iter().map(|scenario| scenario.name.as_str())));
    }
    if let Some(group) = groups
        .iter()
        .find(|group| group.is_empty() || !all.iter().any(|scenario| has_heading(scenario, group)))
    {
        let mut known: Vec<_> = all.iter().map(|scenario| scenario.group).collect();
        known.dedup();
        return Err(Unknown {
            what: "group",
            name: group.clone(),
            near: known.into_iter().map(String::from).collect(),
        });
    }
    let is_wanted = |scenario: &Scenario| {
        (names.is_empty() || names.iter().any(|name| has_name(scenario, name)))
            && (groups.is_empty() || groups.iter().any(|group| has_heading(scenario, group)))
    };
    Ok(all.iter().filter(|scenario| is_wanted(scenario)).cloned().collect())
}

/// The names that are most like one: those it is part of, and those that few letters make it.
fn nearest<'name>(name: &str, names: impl IntoIterator<Item = &'name str>) -> Vec<String> {
    const MOST: usize = 5;
    let wanted: Vec<char> = name.to_lowercase().chars().collect();
    let mut near: Vec<_> = names
        .into_iter()
        .filter_map(|known| {
            let lower = known.to_lowercase();
            let distance = if lower.contains(&name.to_lowercase()) {
                0
            } else {
                // As far as the name goes: beginnings of names are names, too.
                let start: Vec<char> = lower.chars().take(wanted.len()).collect();
                let whole: Vec<char> = lower.chars().collect();
                distance(&wanted, &whole).min(distance(&wanted, &start))
            };
            (distance <= (wanted.len() + 1) / 3).then_some((distance, known))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(MOST).map(|(_, known)| known.to_owned()).collect()
}

/// How many letters must be changed, left out or put in to make one of the other.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (above, letter) in one.iter().enumerate() {
        let mut corner = row[0];
        row[0] = above + 1;
        for (place, wanted) in other.iter().enumerate() {
            let changed = corner + usize::from(letter != wanted);
            corner = row[place + 1];
            row[place + 1] = changed.min(corner + 1).min(row[place] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> Vec<Scenario> {
        [
            ("reads/contiguous", "Reads"),
            ("reads/chunks", "Reads"),
            ("writes/gzip", "Compressed writes"),
            ("writes/gzip-9", "Compressed writes"),
        ]
        .map(|(name, group)| Scenario::new(name, group, "what"))
        .to_vec()
    }

    fn chosen(names: &[&str], groups: &[&str]) -> Result<Vec<String>, String> {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let chosen = choose(&all(), &owned(names), &owned(groups)).map_err(|error| error.to_string())?;
        Ok(chosen.into_iter().map(|scenario| scenario.name).collect())
    }

    #[test]
    fn names_beginnings_and_groups_choose() {
        assert_eq!(chosen(&[], &[]).unwrap().len(), 4);
        assert_eq!(chosen(&["reads/chunks", "writes/gzip"], &[]).unwrap(), ["reads/chunks", "writes/gzip"]);
        assert_eq!(chosen(&["writes/gzip*"], &[]).unwrap(), ["writes/gzip", "writes/gzip-9"]);
        assert_eq!(chosen(&["reads"], &[]).unwrap(), ["reads/contiguous", "reads/chunks"]);
        assert_eq!(chosen(&["write"], &["compressed"]).unwrap(), ["writes/gzip", "writes/gzip-9"]);
        assert!(chosen(&["reads"], &["compressed"]).unwrap().is_empty());
    }

    #[test]
    fn a_typo_lists_what_is_near() {
        let error = chosen(&["reads/contigous"], &[]).unwrap_err();
        assert!(error.contains("'reads/contigous'") && error.contains("reads/contiguous"), "{error}");
        assert!(!error.contains("gzip"), "{error}");
        assert!(chosen(&["gzip"], &[]).unwrap_err().contains("writes/gzip"));
        assert!(chosen(&["raeds"], &[]).unwrap_err().contains("reads/chunks"));
        assert!(!chosen(&["nothing-like-it"], &[]).unwrap_err().contains("near"));
        assert!(chosen(&[""], &[]).is_err() && chosen(&["*"], &[]).is_err());
        let group = chosen(&[], &["Raeds"]).unwrap_err();
        assert!(group.contains("Compressed writes"), "{group}");
    }

    #[test]
    fn distances_are_of_letters() {
        let distance = |one: &str, other: &str| {
            distance(&one.chars().collect::<Vec<_>>(), &other.chars().collect::<Vec<_>>())
        };
        assert_eq!((distance("", "abc"), distance("abc", "abc"), distance("kitten", "sitting")), (3, 0, 3));
    }
}
