//! The lines of one row: its figures in columns, and below them what not every row has.

use crate::figures::{bytes, percent, percents, ratio, ratios, speed, speeds};
use crate::has::Has;
use crate::text::{columns, printable, wrap};
use crate::{Measured, Row};

use super::line::{Line, Paint};
use super::{Form, Look, no_figures};

/// A column of figures: its heading, its width, and the cell of a row.
type Column = (&'static str, usize, fn(&Row, &Measured) -> (String, Paint));

/// The columns, at the right: those of the spread and of targets where there are any, and those of the limit where there is
/// room, too.
fn figures(has: Has, has_limit: bool) -> Vec<Column> {
    let all: [(bool, Column); 9] = [
        (true, ("native", 11, |_, measured| (speed(measured, measured.native.seconds.median), Paint::Plain))),
        (true, ("bypass", 11, |_, measured| (speed(measured, measured.bypass.seconds.median), Paint::Plain))),
        (true, ("ratio", 7, |_, measured| (ratio(measured.ratio.median), paint(measured.ratio.median)))),
        (has.spread, ("middle half", 13, |_, measured| (ratios(&measured.ratio), Paint::Dim))),
        (has.targets, ("target", 7, |row, _| (row.asked.ratio.map(ratio).unwrap_or_default(), Paint::Plain))),
        (has.targets, ("", 6, |row, _| judged(row))),
        (has_limit, ("limit", 12, |_, measured| (limit(measured).unwrap_or_default(), Paint::Plain))),
        (has_limit, ("our share", 11, |_, measured| (share(measured).unwrap_or_default(), Paint::Plain))),
        (true, ("cpu", 6, |_, measured| (ratio(measured.cpu_ratio.median), Paint::Dim))),
    ];
    all.into_iter().filter_map(|(is_shown, column)| is_shown.then_some(column)).collect()
}

fn limit(measured: &Measured) -> Option<String> {
    Some(speed(measured, measured.limit.as_ref()?.seconds.median))
}

fn share(measured: &Measured) -> Option<String> {
    Some(percent(measured.share?.median))
}

/// What is done needs at least so many columns, or it gets lines of its own.
const LEAST: usize = 24;
/// With so many the limit gets columns, too.
const ROOMY: usize = 30;
/// A description takes at most so many lines.
const MOST_LINES: usize = 4;

/// How the columns are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// No columns: one figure after the other.
    Narrow,
    /// So many columns for what is done, and the figures.
    Columns { what: usize, has_limit: bool },
}

fn shape(form: Form) -> Shape {
    let width_of = |has_limit| figures(form.has, has_limit).iter().map(|(_, width, _)| width).sum::<usize>();
    let (figures, with_limit) = (width_of(false), width_of(true));
    match form.look.width {
        width if form.has.limit && width >= with_limit + ROOMY => {
            Shape::Columns { what: width.min(160) - with_limit, has_limit: true }
        }
        width if width >= figures + LEAST => {
            Shape::Columns { what: width.min(120) - figures, has_limit: false }
        }
        _ => Shape::Narrow,
    }
}

/// The heading of a group, with those of the columns if it has any.
pub(super) fn heading(group: &str, has_columns: bool, form: Form) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let Shape::Columns { what, has_limit } = shape(form) else {
        return wrap(group, form.look.width).into_iter().map(|line| Line::of(line, Paint::Heading)).collect();
    };
    for text in wrap(group, what - 1) {
        let mut line = Line::default();
        line.left(&text, what, Paint::Heading);
        lines.push(line);
    }
    if let Some(line) = lines.last_mut().filter(|_| has_columns) {
        for (name, width, _) in figures(form.has, has_limit) {
            line.right(name, width, Paint::Dim);
        }
    }
    lines
}

/// All of a row.
pub(super) fn lines(row: &Row, usual_library: &str, form: Form) -> Vec<Line> {
    let (shape, look) = (shape(form), form.look);
    let width = match shape {
        Shape::Narrow => look.width - 2,
        Shape::Columns { what, .. } => what - 3,
    };
    let mut lines: Vec<Line> = Vec::new();
    for text in described(row, width) {
        let mut line = Line::indented(2, "", Paint::Plain);
        line.left(&text, width + 1, Paint::Plain);
        lines.push(line);
    }
    let Some(measured) = row.measured() else {
        lines.extend(below(&no_figures(&row.outcome).into_iter().collect::<Vec<_>>(), look));
        return lines;
    };
    let has_limit = matches!(shape, Shape::Columns { has_limit: true, .. });
    let mut details = details(row, measured, has_limit, usual_library);
    match shape {
        Shape::Narrow => {
            details.splice(0..0, narrow_figures(row, measured, form.has));
        }
        Shape::Columns { .. } => {
            for (_, width, cell) in figures(form.has, has_limit) {
                let (text, paint) = cell(row, measured);
                lines[0].right(&text, width, paint);
            }
        }
    }
    lines.extend(below(&details, look));
    lines
}

/// What is done, in a few lines at most.
fn described(row: &Row, width: usize) -> Vec<String> {
    let mut lines = wrap(&printable(&row.what), width);
    if lines.len() > MOST_LINES {
        lines.truncate(MOST_LINES - 1);
        lines.push("...".to_owned());
    }
    lines
}

/// The figures where there is no room for columns.
fn narrow_figures(row: &Row, measured: &Measured, has: Has) -> Vec<(String, Paint)> {
    let half = if has.spread { format!(" ({})", ratios(&measured.ratio)) } else { String::new() };
    let mut parts = vec![
        (speeds(measured).join(" -> "), Paint::Plain),
        (format!("ratio {}{half}", ratio(measured.ratio.median)), paint(measured.ratio.median)),
    ];
    let (text, colour) = judged(row);
    if !text.is_empty() {
        let target = row.asked.ratio.map(|least| format!("target {}: ", ratio(least)));
        parts.push((target.unwrap_or_default() + &text, colour));
    }
    parts.push((format!("cpu {}", ratio(measured.cpu_ratio.median)), Paint::Dim));
    parts
}

fn judged(row: &Row) -> (String, Paint) {
    (row.verdict().to_owned(), if row.misses().is_empty() { Paint::Good } else { Paint::Bad })
}

/// What is faster is good, what is slower is bad.
pub(super) fn paint(ratio: f64) -> Paint {
    if ratio < 1.0 { Paint::Bad } else { Paint::Good }
}

/// What stands below the figures.
fn details(row: &Row, measured: &Measured, has_limit: bool, usual_library: &str) -> Vec<(String, Paint)> {
    let mut parts = Vec::new();
    if row.library != usual_library {
        parts.push((printable(&format!("HDF5 of {}", row.library)), Paint::Dim));
    }
    if let (Some(limit), Some(ours), Some(spread)) = (limit(measured), share(measured), &measured.share) {
        let target = row.asked.share.map(|least| format!(", target {}", percent(least))).unwrap_or_default();
        let half = percents(spread);
        if !has_limit {
            parts.push((format!("limit {limit}, our share {ours} ({half}){target}"), Paint::Dim));
        } else if row.asked.share.is_some() {
            parts.push((format!("share {half}{target}"), Paint::Dim));
        }
    }
    if let Some(peak) = measured.peak {
        let target = row.asked.peak_text();
        let (native, bypass) = (bytes(peak.native), bytes(peak.bypass));
        parts.push((format!("memory {bypass} (native {native}){target}"), Paint::Dim));
    }
    if let (Some(sizes), Some(larger)) = (measured.sizes, measured.larger_percent()) {
        let target = row.asked.larger_text();
        let (native, bypass) = (bytes(sizes.native), bytes(sizes.bypass));
        parts.push((format!("files {bypass} (native {native}, {larger:+.1} %){target}"), Paint::Dim));
    }
    if let Some((why, is_bad)) = row.passed_on() {
        parts.push((printable(&why), if is_bad { Paint::Bad } else { Paint::Dim }));
    }
    let misses = row.misses();
    if !misses.is_empty() {
        parts.push((printable(&format!("missed: {}", misses.join("; "))), Paint::Bad));
    }
    parts
}

/// Each part at the end of a line if it fits there, or else on lines of its own.
fn below(parts: &[(String, Paint)], look: Look) -> Vec<Line> {
    let width = look.width.min(160) - 4;
    let mut lines: Vec<Line> = Vec::new();
    let mut used = width;
    for (text, paint) in parts {
        let wrapped = wrap(text, width);
        let length = columns(&wrapped[0]);
        if wrapped.len() == 1
            && used + 2 + length <= width
            && let Some(line) = lines.last_mut()
        {
            line.push("; ", Paint::Dim);
            line.push(text, *paint);
            used += 2 + length;
            continue;
        }
        for text in wrapped {
            used = columns(&text);
            lines.push(Line::indented(4, text, *paint));
        }
    }
    lines
}
