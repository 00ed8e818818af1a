//! A grid of the matrix on the terminal.

use crate::figures::{rates, ratio};
use crate::matrix::{Grid, MODES};
use crate::text::{printable, wrap};
use crate::{Outcome, Row};

use super::line::{Line, Paint};
use super::row::paint;
use super::{Look, no_figures};

/// Columns of the names, and of a cell.
const NAMES: usize = 32;
const CELL: usize = 22;

/// The grid as it is shown.
pub(super) fn lines(grid: &Grid<'_>, look: Look) -> Vec<Line> {
    let title = printable(&grid.title()) + ": GB/s native -> bypass, ratio";
    let title = wrap(&title, look.width - 2).into_iter();
    let mut lines: Vec<Line> = title.map(|text| Line::indented(2, text, Paint::Plain)).collect();
    let has_columns = look.width >= NAMES + MODES.len() * CELL;
    if has_columns {
        let mut line = Line::default();
        line.spaces(NAMES);
        for mode in MODES {
            line.right(&grid.threads(mode), CELL, Paint::Dim);
        }
        lines.push(line);
    }
    for (name, rows) in grid.places() {
        let mut line = Line::indented(2, "", Paint::Plain);
        line.left(&name, NAMES - 2, Paint::Plain);
        if has_columns {
            for row in rows {
                push_cell(&mut line, row, CELL);
            }
            lines.push(line);
            continue;
        }
        lines.push(line);
        for (mode, row) in MODES.into_iter().zip(rows).filter(|(_, row)| row.is_some()) {
            let mut line = Line::indented(4, "", Paint::Plain);
            line.left(&grid.threads(mode), look.width - 4 - CELL, Paint::Dim);
            push_cell(&mut line, row, CELL);
            lines.push(line);
        }
    }
    for (note, paint) in notes(grid) {
        let note = wrap(&note, look.width - 4).into_iter();
        lines.extend(note.map(|text| Line::indented(4, text, paint)));
    }
    lines
}

/// What does not fit into a cell.
fn notes(grid: &Grid<'_>) -> Vec<(String, Paint)> {
    let mut notes = Vec::new();
    for (cell, row) in &grid.rows {
        let place = grid.place(*cell);
        let misses = row.misses();
        if let Some((why, paint)) = no_figures(&row.outcome) {
            notes.push((format!("{place}: {why}"), paint));
        } else if !misses.is_empty() {
            notes.push((printable(&format!("! {place}: {}", misses.join("; "))), Paint::Bad));
        } else if let Some((why, is_bad)) = row.passed_on() {
            let paint = if is_bad { Paint::Bad } else { Paint::Dim };
            notes.push((printable(&format!("{place}: {why}")), paint));
        }
    }
    notes
}

fn push_cell(line: &mut Line, row: Option<&Row>, width: usize) {
    let Some(row) = row else { return line.spaces(width) };
    let Some(measured) = row.measured() else {
        let (word, paint) = if matches!(row.outcome, Outcome::Failed(_)) {
            ("FAILED", Paint::Bad)
        } else {
            ("skipped", Paint::Dim)
        };
        return line.right(word, width, paint);
    };
    let [native, bypass] = rates(measured);
    let mark = if row.misses().is_empty() { ' ' } else { '!' };
    line.right(&format!("{native} -> {bypass}"), width - 7, Paint::Plain);
    line.right(&format!("{}{mark}", ratio(measured.ratio.median)), 7, paint(measured.ratio.median));
}
