//! Rows as tables of Markdown.

use crate::figures::{bytes, percent, rates, ratio, ratios, speeds};
use crate::matrix::{Grid, MODES};
use crate::{Measured, Outcome, Row};

use super::markup::{Text, escape};

/// The rows of a group that are in no grid; those without figures come later, with their reasons.
pub(super) fn rows(rows: &[&Row], usual_library: &str, text: &mut Text) {
    let measured: Vec<(&Row, &Measured)> =
        rows.iter().filter_map(|row| row.measured().map(|measured| (*row, measured))).collect();
    if measured.is_empty() {
        return;
    }
    text.heading(&["", "native", "bypass", "times as fast", "middle half", "target", "of the limit", "cpu"]);
    for (row, measured) in &measured {
        text.cells(&cells(row, measured, usual_library));
    }
    let notes: Vec<String> = measured.iter().flat_map(|(row, measured)| notes(row, measured)).collect();
    if !notes.is_empty() {
        text.list(&notes);
    }
}

fn cells(row: &Row, measured: &Measured, usual_library: &str) -> Vec<String> {
    let library =
        if row.library == usual_library { String::new() } else { format!(" ({})", escape(&row.library)) };
    let [native, bypass] = speeds(measured);
    let times = ratio(measured.ratio.median);
    let target = row.asked.ratio.map_or_else(String::new, ratio);
    let verdict = row.verdict().replace("MISS", "**MISS**");
    let share = match (&measured.share, row.asked.share) {
        (Some(share), Some(least)) => format!("{} (target {})", percent(share.median), percent(least)),
        (Some(share), None) => percent(share.median),
        (None, _) => String::new(),
    };
    vec![
        escape(&row.what) + &library,
        native,
        bypass,
        if row.is_slower() { format!("*{times}*") } else { format!("**{times}**") },
        ratios(&measured.ratio),
        format!("{target} {verdict}").trim().to_owned(),
        share,
        ratio(measured.cpu_ratio.median),
    ]
}

/// What only some rows have.
fn notes(row: &Row, measured: &Measured) -> Vec<String> {
    let what = escape(&row.what);
    let mut notes = Vec::new();
    if let Some(peak) = measured.peak {
        let target = row.asked.peak_text();
        let (native, bypass) = (bytes(peak.native), bytes(peak.bypass));
        notes.push(format!(
            "{what}: {bypass} of memory beside the application's (native HDF5: {native}{target})"
        ));
    }
    if let (Some(sizes), Some(larger)) = (measured.sizes, measured.larger_percent()) {
        let target = row.asked.larger_text();
        let (native, bypass) = (bytes(sizes.native), bytes(sizes.bypass));
        notes.push(format!("{what}: files of {bypass} (native HDF5: {native}, so {larger:+.1} %{target})"));
    }
    notes.extend(row.passed_on().map(|(why, _)| format!("{what}: {}", escape(&why))));
    notes
}

/// One grid of the matrix.
pub(super) fn grid(grid: &Grid<'_>, text: &mut Text) {
    text.paragraph(&format!("{}: GB/s native → bypass, and times as fast.", escape(&grid.title())));
    let threads = MODES.map(|mode| grid.threads(mode));
    let headings: Vec<&str> = [""].into_iter().chain(threads.iter().map(String::as_str)).collect();
    text.heading(&headings);
    for (name, rows) in grid.places() {
        let cells: Vec<String> = [name].into_iter().chain(rows.map(cell)).collect();
        text.cells(&cells);
    }
}

fn cell(row: Option<&Row>) -> String {
    let Some(row) = row else { return String::new() };
    let measured = match &row.outcome {
        Outcome::Measured(measured) => measured,
        Outcome::Skipped(_) => return "skipped".to_owned(),
        Outcome::Failed(_) => return "**failed**".to_owned(),
    };
    let [native, bypass] = rates(measured);
    let times = ratio(measured.ratio.median);
    let miss = if row.misses().is_empty() { "" } else { " **MISS**" };
    let times = if row.is_slower() { format!("*{times}*") } else { format!("**{times}**") };
    format!("{native} → {bypass}, {times} ({}){miss}", ratios(&measured.ratio))
}
