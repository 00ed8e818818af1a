//! The results as a table for the terminal.

mod grid;
mod line;
mod row;

use crate::figures::{bytes, counted, extent};
use crate::groups::{groups, usual_library};
use crate::matrix;
use crate::text::{printable, wrap};
use crate::{Outcome, Results, Row, Tally};

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

/// The table, with a line break at the end.
pub fn text(results: &Results, look: Look) -> String {
    let look = Look { width: look.width.max(NARROWEST), ..look };
    let usual_library = usual_library(results);
    let mut lines = about(results, look);
    for group in groups(results) {
        lines.push(Line::default());
        let rows: Vec<&Row> = results.rows.iter().filter(|row| row.group == group).collect();
        let (grids, others) = matrix::split(&rows);
        lines.extend(row::heading(&printable(group), !others.is_empty(), look));
        for row in others {
            lines.extend(row::lines(row, usual_library, look));
        }
        for grid in &grids {
            lines.extend(grid::lines(grid, look));
        }
    }
    lines.push(Line::default());
    lines.push(last(Tally::of(results)));
    lines.iter().map(|line| line.render(look.has_colours) + "\n").collect()
}

fn about(results: &Results, look: Look) -> Vec<Line> {
    let about = &results.about;
    let libraries: Vec<String> = about
        .libraries
        .iter()
        .map(|library| {
            let threads = if library.is_thread_safe { ", thread-safe" } else { "" };
            format!("HDF5 {} of {}{threads}", library.version, library.name)
        })
        .collect();
    let cache = if about.is_cold { "cold cache" } else { "warm cache" };
    let rounds = counted(about.rounds as usize, "round", "rounds");
    let mut texts = vec![
        format!("h5bypass {}, {}", about.version, about.date),
        format!(
            "{}, {}, {} of memory, {}, {}",
            about.processor,
            counted(about.cores as usize, "core", "cores"),
            bytes(about.memory),
            about.system,
            about.file_system
        ),
        format!(
            "{}; {}; {rounds}, {}, {cache}",
            libraries.join(", "),
            counted(results.rows.len(), "row", "rows"),
            extent(about)
        ),
    ];
    texts.extend(about.file.as_ref().map(|file| format!("file {file}")));
    if about.load > 0.5 {
        texts.push(format!("the machine was busy (load {:.1}): trust the ratios, not the rates", about.load));
    }
    let wrapped = texts.iter().flat_map(|text| wrap(&printable(text), look.width));
    wrapped.map(|text| Line::of(text, Paint::Dim)).collect()
}

fn last(tally: Tally) -> Line {
    let Tally { ok, missed, slower, skipped, failed } = tally;
    let when = |count: usize, paint| if count > 0 { paint } else { Paint::Plain };
    let mut line = Line::default();
    line.push(&format!("{ok} OK"), when(ok, Paint::Good));
    for (count, what, paint) in [
        (missed, "missed", Paint::Bad),
        (slower, "slower than native", Paint::Bad),
        (skipped, "skipped", Paint::Plain),
        (failed, "failed", Paint::Bad),
    ] {
        line.push(", ", Paint::Plain);
        line.push(&format!("{count} {what}"), when(count, paint));
    }
    line
}

/// Why there are no figures, and how that is painted.
fn no_figures(outcome: &Outcome) -> Option<(String, Paint)> {
    match outcome {
        Outcome::Measured(_) => None,
        Outcome::Skipped(why) => Some((printable(&format!("skipped: {why}")), Paint::Dim)),
        Outcome::Failed(why) => Some((printable(&format!("FAILED: {why}")), Paint::Bad)),
    }
}
