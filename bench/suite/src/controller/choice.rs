//! Chooses the scenarios that the user names. For a name that does not exist, it suggests similar ones.

use std::fmt;

use crate::Scenario;

/// A name that does not exist.
#[derive(Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The kind of thing that was named, such as "scenario".
    what: &'static str,
    name: String,
    near: Vec<String>,
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no {} '{}'", self.what, self.name)?;
        match self.near.len() {
            0 => Ok(()),
            _ => write!(f, "\n  did you mean {}?", self.near.join(", ")),
        }
    }
}

impl std::error::Error for Unknown {}

impl Unknown {
    /// The error for a name that is not one of these.
    pub fn new<'name>(what: &'static str, name: &str, names: impl IntoIterator<Item = &'name str>) -> Self {
        Self { what, name: name.to_owned(), near: nearest(name, names) }
    }

    /// The most similar names, the most similar first.
    pub fn near(&self) -> &[String] {
        &self.near
    }

    /// Whether two names differ in at most two letters.
    pub fn is_slip(name: &str, other: &str) -> bool {
        let [one, two] = [name, other].map(|name| name.chars().collect::<Vec<_>>());
        distance(&one, &two) <= 2
    }
}

/// The scenarios that match both lists; an empty list matches all. A name matches the scenario of that name or, if there is
/// none, all whose names begin with it. A group matches all groups that begin with it, in upper or lower case.
///
/// # Errors
/// A name or a group that matches nothing.
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

/// The names that are most similar: those that contain it, and those that differ in few letters.
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
                // Compared with as much of the known name as was given, because the beginning of a name is enough.
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

/// The edit distance: how many letters must be changed, removed or inserted to turn one into the other.
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
