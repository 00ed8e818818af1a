//! Clients against their targets and against an earlier run.

use std::fmt;

use super::ClientResults;
use crate::Spread;
use crate::baseline::{self, Comparison};
use crate::figures::{counted, ratio, ratios};
use crate::text::printable;

/// A run against the targets, and against an earlier run if there is one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Check {
    /// Against the baseline.
    pub comparison: Option<Comparison>,
    /// Rows below their targets.
    pub missed: Vec<Missed>,
}

/// A row below its target.
#[derive(Debug, Clone, PartialEq)]
pub struct Missed {
    /// [`Row::name`](crate::Row::name)
    pub name: String,
    /// Native time / bypass time.
    pub ratio: Spread,
    /// The least that is asked.
    pub asked: f64,
    /// Native time / time of HDF5's own `pass_through`.
    pub floor: f64,
    /// Whether the floor explains it.
    pub is_explained: bool,
    /// Whether the baseline has the row on or above its target.
    pub is_new: bool,
}

impl Check {
    /// Compares.
    pub fn of(baseline: Option<&ClientResults>, now: &ClientResults) -> Self {
        let was_met = |name: &str| {
            let mut rows = baseline.iter().flat_map(|before| &before.rows);
            rows.any(|row| row.row.name == name && row.row.measured().is_some() && !row.is_missed())
        };
        let missed = now.rows.iter().filter(|row| row.is_missed()).filter_map(|row| {
            let (measured, beside) = row.measured()?;
            Some(Missed {
                name: row.row.name.clone(),
                ratio: measured.ratio,
                asked: row.row.asked.ratio?,
                floor: beside.floor.median,
                is_explained: row.is_explained(),
                is_new: was_met(&row.row.name),
            })
        });
        Self {
            comparison: baseline
                .map(|before| baseline::compare(&before.results(), &now.results(), baseline::ALLOWED_FALL)),
            missed: missed.collect(),
        }
    }

    /// Whether nothing became worse: nothing fell, nothing failed, and no row that met its target misses it. A miss that
    /// the floor explains does not count.
    pub fn holds(&self) -> bool {
        self.suspects().is_empty() && self.comparison.as_ref().is_none_or(Comparison::holds)
    }

    /// The names of rows that became worse by their figures: other work on the machine may be the cause.
    pub fn suspects(&self) -> Vec<String> {
        let fallen = self.comparison.iter().flat_map(|comparison| &comparison.fallen);
        let mut names: Vec<String> = fallen.map(|fallen| fallen.name.clone()).collect();
        let missed = self.missed.iter().filter(|missed| missed.is_new && !missed.is_explained);
        names.extend(missed.map(|missed| missed.name.clone()));
        names.sort();
        names.dedup();
        names
    }

    /// Forgets rows that became worse by their figures, except those that did in another run as well.
    pub fn keep_confirmed(&mut self, again: &Self) {
        let confirmed = again.suspects();
        if let Some(comparison) = &mut self.comparison {
            comparison.fallen.retain(|fallen| confirmed.contains(&fallen.name));
        }
        self.missed
            .retain(|missed| !missed.is_new || missed.is_explained || confirmed.contains(&missed.name));
    }
}

impl fmt::Display for Check {
    /// A line for each row below its target, how many there are, and the comparison; without a line break at the end. If the
    /// processor is another, that is the first and the last line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines: Vec<String> =
            self.missed.iter().map(|missed| printable(&missed.to_string())).collect();
        let explained = self.missed.iter().filter(|missed| missed.is_explained).count();
        let rows = counted(self.missed.len(), "row is", "rows are");
        lines.push(format!("{rows} below target, {explained} of them because of the floor"));
        let Some(comparison) = &self.comparison else {
            lines.push("there is no baseline to compare with".to_owned());
            return f.write_str(&lines.join("\n"));
        };
        lines.push(comparison.lines());
        f.write_str(&comparison.between_warnings(&lines.join("\n")))
    }
}

impl fmt::Display for Missed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, ratio: reached, asked, floor, .. } = self;
        write!(f, "{name}: ratio {} ({}), asked {}", ratio(reached.median), ratios(reached), ratio(*asked))?;
        write!(f, "; floor {}", ratio(*floor))?;
        if self.is_explained {
            f.write_str(", which explains it")?;
        }
        if self.is_new { f.write_str("; the baseline meets it") } else { Ok(()) }
    }
}
