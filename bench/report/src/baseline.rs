//! Results against earlier ones.
//!
//! What is compared is the ratio native time / bypass time of each row, which a busy machine changes much less than
//! times. Another processor does change ratios: that is said first and last. The verdict is by medians; whether the middle
//! halves overlap is only told.

use std::collections::HashMap;
use std::fmt;

use crate::figures::{counted, ratio, ratios};
use crate::text::printable;
use crate::{About, Outcome, Proof, Results, Row, Spread};

/// Ratios may fall by this share of what they were.
pub const ALLOWED_FALL: f64 = 0.15;

/// What became worse, row by row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Comparison {
    /// Rows that were compared.
    pub compared: usize,
    /// Those whose ratio fell by more than is allowed.
    pub fallen: Vec<Fallen>,
    /// Those that are bypassed no more: name, and why.
    pub passed_on: Vec<(String, String)>,
    /// Those that went wrong: name, and why.
    pub failed: Vec<(String, String)>,
    /// Those that were measured and now are not: name, and why.
    pub vanished: Vec<(String, String)>,
    /// Those that the baseline lacks.
    pub new: Vec<String>,
    /// That the two were measured on different processors, so that nothing follows from the comparison.
    pub other_processor: Option<String>,
    /// How the two differ in what may change ratios by itself.
    pub cautions: Vec<String>,
}

/// A row whose ratio fell.
#[derive(Debug, Clone, PartialEq)]
pub struct Fallen {
    /// [`Row::name`]
    pub name: String,
    /// What it was.
    pub before: Spread,
    /// What it is.
    pub now: Spread,
}

impl Fallen {
    /// Whether the middle halves have something in common: then it may be noise.
    pub fn overlaps(&self) -> bool {
        self.now.high >= self.before.low
    }
}

impl Comparison {
    /// A text between two lines that say that the processor is another, if it is.
    pub(crate) fn between_warnings(&self, text: &str) -> String {
        match &self.other_processor {
            Some(warning) => format!("{warning}\n{text}\n{warning}"),
            None => text.to_owned(),
        }
    }

    /// A line for each row that became worse, and one that sums up, without a line break at the end.
    pub(crate) fn lines(&self) -> String {
        let cautions = self.cautions.iter();
        let mut lines: Vec<String> =
            cautions.map(|caution| format!("measured otherwise than the baseline: {caution}")).collect();
        lines.extend(self.fallen.iter().map(Fallen::to_string));
        for (rows, what) in [
            (&self.passed_on, "not bypassed any more"),
            (&self.failed, "failed"),
            (&self.vanished, "not measured any more"),
        ] {
            lines.extend(rows.iter().map(|(name, why)| format!("{name}: {what}: {why}")));
        }
        if !self.new.is_empty() {
            lines.push(format!("not in the baseline: {}", self.new.join(", ")));
        }
        lines.push(self.sum());
        lines.iter().map(|line| printable(line)).collect::<Vec<_>>().join("\n")
    }

    /// How many rows became worse.
    fn sum(&self) -> String {
        let rows = counted(self.compared, "row", "rows");
        if self.holds() {
            return format!("{rows} compared with the baseline: nothing fell");
        }
        let (fallen, passed_on) = (self.fallen.len(), self.passed_on.len());
        let (failed, vanished) = (self.failed.len(), self.vanished.len());
        format!(
            "{rows} compared with the baseline: {fallen} fell, {passed_on} not bypassed any more, {failed} failed, \
             {vanished} not measured any more"
        )
    }

    /// Whether nothing became worse. New rows and cautions do not count.
    pub fn holds(&self) -> bool {
        self.fallen.is_empty()
            && self.passed_on.is_empty()
            && self.failed.is_empty()
            && self.vanished.is_empty()
    }
}

/// Compares rows of the same name and library. Ratios may fall by `allowed_fall` of what they were:
/// [`ALLOWED_FALL`].
pub fn compare(baseline: &Results, now: &Results, allowed_fall: f64) -> Comparison {
    let (before, after) = (by_name(baseline), by_name(now));
    let mut comparison = Comparison {
        other_processor: other_processor(&baseline.about, &now.about),
        cautions: cautions(baseline, now),
        ..Comparison::default()
    };
    for row in &baseline.rows {
        match after.get(&key(row)) {
            Some(found) => compare_row(row, found, allowed_fall, &mut comparison),
            None if row.measured().is_some() => {
                comparison.vanished.push((name(row), "no such row any more".to_owned()));
            }
            None => {}
        }
    }
    for row in now.rows.iter().filter(|row| !before.contains_key(&key(row))) {
        if let Outcome::Failed(why) = &row.outcome {
            comparison.failed.push((name(row), why.clone()));
        }
        comparison.new.push(name(row));
    }
    comparison
}

fn compare_row(before: &Row, now: &Row, allowed_fall: f64, comparison: &mut Comparison) {
    let measured = match &now.outcome {
        Outcome::Measured(measured) => measured,
        Outcome::Failed(why) => return comparison.failed.push((name(now), why.clone())),
        Outcome::Skipped(why) if before.measured().is_some() => {
            return comparison.vanished.push((name(now), why.clone()));
        }
        Outcome::Skipped(_) => return,
    };
    let Some(earlier) = before.measured() else { return comparison.new.push(name(now)) };
    comparison.compared += 1;
    if let Proof::PassedOn(why) = &measured.proof
        && !matches!(earlier.proof, Proof::PassedOn(_))
    {
        comparison.passed_on.push((name(now), why.clone()));
    }
    if measured.ratio.median < earlier.ratio.median * (1.0 - allowed_fall) {
        comparison.fallen.push(Fallen { name: name(now), before: earlier.ratio, now: measured.ratio });
    }
}

type Key<'a> = (&'a str, &'a str);

fn key(row: &Row) -> Key<'_> {
    (&row.name, &row.library)
}

fn name(row: &Row) -> String {
    row.name.clone()
}

fn by_name(results: &Results) -> HashMap<Key<'_>, &Row> {
    results.rows.iter().map(|row| (key(row), row)).collect()
}

/// That a baseline comes from another processor, in one line. Baselines that do not have the model are judged by the name.
pub fn other_processor(baseline: &About, now: &About) -> Option<String> {
    let models = (&baseline.processor_model, &now.processor_model);
    let is_other_model = matches!(models, (Some(before), Some(after)) if before != after);
    if baseline.processor == now.processor && !is_other_model {
        return None;
    }
    let named = |about: &About| match &about.processor_model {
        Some(model) => format!("{} ({model})", about.processor),
        None => about.processor.clone(),
    };
    Some(printable(&format!(
        "NOT COMPARABLE: the baseline was measured on another processor, {}; this is {}. Ratios of different processors \
         cannot be compared.",
        named(baseline),
        named(now)
    )))
}

fn cautions(baseline: &Results, now: &Results) -> Vec<String> {
    let (before, after) = (&baseline.about, &now.about);
    let warmth = |is_cold| if is_cold { "cold" } else { "warm" }.to_owned();
    let versions = |results: &Results| {
        let named = results.about.libraries.iter().map(|one| format!("{} {}", one.name, one.version));
        named.collect::<Vec<_>>().join(", ")
    };
    [
        ("cores", before.cores.to_string(), after.cores.to_string()),
        ("file system", before.file_system.clone(), after.file_system.clone()),
        ("MiB of a dataset", before.mebibytes.to_string(), after.mebibytes.to_string()),
        ("cache", warmth(before.is_cold), warmth(after.is_cold)),
        ("libhdf5", versions(baseline), versions(now)),
    ]
    .into_iter()
    .filter(|(_, before, after)| before != after)
    .map(|(what, before, after)| format!("{what}: {after}, in the baseline {before}"))
    .collect()
}

impl fmt::Display for Comparison {
    /// A line for each row that became worse, and one that sums up, without a line break at the end. If the processor is
    /// another, that is the first and the last line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.between_warnings(&self.lines()))
    }
}

impl fmt::Display for Fallen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, before, now } = self;
        let percent = (1.0 - now.median / before.median) * 100.0;
        write!(
            f,
            "{name}: ratio {} ({}), in the baseline {} ({}): fell by {percent:.1} %",
            ratio(now.median),
            ratios(now),
            ratio(before.median),
            ratios(before)
        )?;
        if self.overlaps() { f.write_str("; the middle halves overlap") } else { Ok(()) }
    }
}
