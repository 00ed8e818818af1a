//! How far two runs right after each other agree.

use std::collections::HashMap;

use crate::figures::{counted, ratio, ratios};
use crate::{Measured, Results};

use super::markup::{Text, code, escape};

/// Ratios that differ by no more than this share of the first are said to agree.
const CLOSE: f64 = 0.10;

pub(super) fn write(results: &Results, again: &Results, text: &mut Text) {
    let others: HashMap<(&str, &str), &Measured> = again
        .rows
        .iter()
        .filter_map(|row| Some(((row.name.as_str(), row.library.as_str()), row.measured()?)))
        .collect();
    let pairs = results.rows.iter().filter_map(|row| {
        let other = others.get(&(row.name.as_str(), row.library.as_str()))?;
        Some((row, row.measured()?.ratio, other.ratio))
    });
    let pairs: Vec<_> = pairs.collect();
    let apart: Vec<_> =
        pairs.iter().filter(|(_, one, other)| (other.median / one.median - 1.0).abs() > CLOSE).collect();
    text.paragraph("## Two consecutive runs");
    let close = pairs.len() - apart.len();
    text.paragraph(&format!(
        "{close} of {} measured in two runs right after each other agree within {:.0} %.{}",
        counted(pairs.len(), "row", "rows"),
        CLOSE * 100.0,
        if apart.is_empty() { "" } else { " These do not; in brackets is the middle half:" }
    ));
    if apart.is_empty() {
        return;
    }
    text.heading(&["", "first run", "second run", "difference"]);
    for (row, one, other) in apart {
        text.cells(&[
            format!("{} ({})", escape(&row.what), code(&row.name)),
            format!("{} ({})", ratio(one.median), ratios(one)),
            format!("{} ({})", ratio(other.median), ratios(other)),
            format!("{:+.0} %", (other.median / one.median - 1.0) * 100.0),
        ]);
    }
}
