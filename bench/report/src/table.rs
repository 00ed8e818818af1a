//! The results as a table for the terminal.

mod grid;
mod line;
mod row;

use crate::figures::{counted, extent, libraries, machine};
use crate::groups::{groups, usual_library};
use crate::has::Has;
use crate::matrix;
use crate::text::{printable, wrap};
use crate::{Outcome, RatioOf, Results, Row, Tally};

use line::{Line, Paint};

/// What the last line needs.
const NARROWEST: usize = 60;

/// How a table may look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Columns of the terminal. What has fewer than 60 gets a table for 60.
    pub width: usize,
    /// Whether it shows colours.
    pub has_colours: bool,
}

/// How this table looks.
#[derive(Debug, Clone, Copy)]
struct Form {
    look: Look,
    has: Has,
}

/// The table, with a line break at the end.
pub fn text(results: &Results, look: Look) -> String {
    let look = Look { width: look.width.max(NARROWEST), ..look };
    let usual_library = usual_library(results);
    let mut lines = about(results, look);
    let form = Form { look, has: Has::of(results) };
    for group in groups(results) {
        lines.push(Line::default());
        let rows: Vec<&Row> = results.rows.iter().filter(|row| row.group == group).collect();
        let (grids, others) = matrix::split(&rows);
        lines.extend(row::heading(&printable(group), !others.is_empty(), form));
        for row in others {
            lines.extend(row::lines(row, usual_library, form));
        }
        for grid in &grids {
            lines.extend(grid::lines(grid, look));
        }
    }
    lines.push(Line::default());
    lines.extend(last(Tally::of(results), form.has));
    lines.iter().map(|line| line.render(look.has_colours) + "\n").collect()
}

fn about(results: &Results, look: Look) -> Vec<Line> {
    let about = &results.about;
    let cache = if about.is_cold { "cold cache" } else { "warm cache" };
    let rounds = counted(about.rounds as usize, "round", "rounds");
    let mut texts = vec![
        format!("h5bypass {}, {}", about.version, about.date),
        machine(about),
        format!(
            "{}; {}; {rounds}, {}, {cache}",
            libraries(about),
            counted(results.rows.len(), "row", "rows"),
            extent(about)
        ),
    ];
    texts.extend(about.file.as_ref().map(|file| format!("file {file}")));
    if about.load > 0.5 {
        let advice = match about.ratio_of {
            RatioOf::Rounds => "trust the ratios, not the rates",
            RatioOf::Medians => "run it again on an idle machine for figures to trust",
        };
        texts.push(format!("the machine was busy (load {:.1}): {advice}", about.load));
    }
    let wrapped = texts.iter().flat_map(|text| wrap(&printable(text), look.width));
    wrapped.map(|text| Line::of(text, Paint::Dim)).collect()
}

/// How many rows came out how; of targets only where there are some.
fn last(tally: Tally, has: Has) -> Vec<Line> {
    let Tally { measured, ok, missed, slower, skipped, failed } = tally;
    let counts = |counts: &[(String, usize, Paint)]| {
        let mut line = Line::default();
        for (place, (text, count, paint)) in counts.iter().enumerate() {
            line.push(if place == 0 { "" } else { ", " }, Paint::Plain);
            line.push(text, if *count > 0 { *paint } else { Paint::Plain });
        }
        line
    };
    let targets = has.targets.then(|| {
        let all = counted(ok + missed, "target", "targets");
        counts(&[
            (format!("{ok} of {all} met"), ok, Paint::Good),
            (format!("{missed} missed"), missed, Paint::Bad),
        ])
    });
    let rows = counts(&[
        (format!("{measured} measured"), measured, Paint::Plain),
        (format!("{slower} slower than native"), slower, Paint::Bad),
        (format!("{skipped} skipped"), skipped, Paint::Plain),
        (format!("{failed} failed"), failed, Paint::Bad),
    ]);
    targets.into_iter().chain([rows]).collect()
}

/// Why there are no figures, and how that is painted.
fn no_figures(outcome: &Outcome) -> Option<(String, Paint)> {
    match outcome {
        Outcome::Measured(_) => None,
        Outcome::Skipped(why) => Some((printable(&format!("skipped: {why}")), Paint::Dim)),
        Outcome::Failed(why) => Some((printable(&format!("FAILED: {why}")), Paint::Bad)),
    }
}
