//! The matrix: the better, the deeper the colour.

use crate::figures::{rates, ratios};
use crate::matrix::{Grid, MODES};
use crate::{Outcome, Row};

use super::markup::{escape, times};

pub(super) fn table(grid: &Grid<'_>) -> String {
    let mut html = format!(
        "<div class=\"card scroll\"><table class=\"heat\"><caption>{}</caption>\n<thead><tr><td></td>",
        escape(&grid.title())
    );
    for mode in MODES {
        html += &format!("<th scope=\"col\">{}</th>", grid.threads(mode));
    }
    html += "</tr></thead>\n<tbody>\n";
    for (name, rows) in grid.places() {
        html += &format!("<tr><th scope=\"row\">{name}</th>{}</tr>\n", rows.map(cell).concat());
    }
    html + "</tbody></table></div>\n"
}

fn cell(row: Option<&Row>) -> String {
    let Some(row) = row else { return "<td></td>".to_owned() };
    let measured = match &row.outcome {
        Outcome::Measured(measured) => measured,
        Outcome::Skipped(why) => return format!("<td class=\"none\" title=\"{}\">skipped</td>", escape(why)),
        Outcome::Failed(why) => {
            return format!("<td class=\"none bad\" title=\"{}\">failed</td>", escape(why));
        }
    };
    let ratio = measured.ratio.median;
    let [native, bypass] = rates(measured);
    let misses = row.misses();
    let (mark, title) = if misses.is_empty() {
        ("", format!("middle half {}", ratios(&measured.ratio)))
    } else {
        (" <small class=\"bad\">missed</small>", misses.join("; "))
    };
    let colour = if row.is_slower() { "loss" } else { "gain" };
    format!(
        "<td style=\"background:color-mix(in oklab,var(--{colour}) {}%,var(--card))\" title=\"{}\"><b>{}</b>{mark}\
         <small>{native} → {bypass}</small></td>",
        depth(ratio),
        escape(&title),
        times(ratio),
    )
}

/// Percent of the colour: none for what is as fast as native HDF5, most for eight times as fast or as slow.
fn depth(ratio: f64) -> String {
    let share = (ratio.log2().abs() / 3.0).clamp(0.0, 1.0);
    format!("{:.0}", if share.is_nan() { 0.0 } else { share.sqrt() * 62.0 })
}
