//! The baseline in the repository: measured anew, or compared with.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use bench_report::baseline::{self, ALLOWED_FALL};
use bench_report::{Results, performance};

use super::suite;
use crate::args::Suite;
use crate::layout::Layout;

fn baseline_file(layout: &Layout) -> PathBuf {
    layout.root.join("bench/baseline.json")
}

/// Compares with the baseline, and names what fell. What seems to have fallen is measured once more: other work on the machine
/// comes and goes.
pub(super) fn check(layout: &Layout, options: &Suite) -> Result<bool> {
    let file = baseline_file(layout);
    let text = fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut before = Results::read(&text).with_context(|| format!("{}", file.display()))?;
    if !options.only.is_empty() {
        // As `h5bypass bench --only` has it: the row of this name, or those whose names begin with it.
        let names: HashSet<String> = before.rows.iter().map(|row| row.name.clone()).collect();
        let is_meant = |name: &str, only: &String| {
            name == only || (!names.contains(only) && name.starts_with(only.as_str()))
        };
        before.rows.retain(|row| options.only.iter().any(|only| is_meant(&row.name, only)));
    }
    let now = suite::run(layout, options, "check")?;
    let mut comparison = baseline::compare(&before, &now, ALLOWED_FALL)?;
    if !comparison.fallen.is_empty() {
        println!("\n{comparison}\nonce more, what fell:\n");
        let only: Vec<_> = comparison.fallen.iter().map(|fallen| fallen.name.clone()).collect();
        let again = suite::run(layout, &Suite { only, ..options.clone() }, "check-again")?;
        let again = baseline::compare(&before, &again, ALLOWED_FALL)?;
        comparison.fallen.retain(|first| again.fallen.iter().any(|fallen| fallen.name == first.name));
    }
    println!("\n{comparison}");
    Ok(comparison.holds())
}

/// Measures; the results become the baseline and docs/PERFORMANCE.md.
pub(super) fn save(layout: &Layout, options: &Suite) -> Result<()> {
    let mut results = suite::run(layout, options, "results")?;
    let text = performance::markdown(&results, None);
    let document = layout.root.join("docs/PERFORMANCE.md");
    fs::write(&document, text).with_context(|| format!("cannot write {}", document.display()))?;
    // It is many lines, and not compared.
    results.timeline = None;
    let file = baseline_file(layout);
    fs::write(&file, results.write()?).with_context(|| format!("cannot write {}", file.display()))?;
    println!("written: {}, {}", document.display(), file.display());
    for row in performance::unexplained(&results) {
        println!("not explained yet: {}", row.name);
    }
    Ok(())
}
