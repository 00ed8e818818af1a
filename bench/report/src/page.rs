//! The results as one HTML page with plots that needs nothing else: no network, no other files.

mod all;
mod bars;
mod headline;
mod heat;
mod markup;
mod scale;
mod scaling;
mod timeline;

use crate::groups::groups;
use crate::has::Has;
use crate::{Results, Row, matrix};

use markup::escape;
use scale::Scale;

/// The group whose rows differ in the number of threads.
const SCALING: &str = "Scaling";

const SCRIPT: &str = include_str!("page/page.js");

/// The page.
pub fn html(results: &Results) -> String {
    let title = match &results.about.file {
        Some(file) => format!("h5bypass on {}", escape(file)),
        None => format!("h5bypass, {}", escape(&results.about.date)),
    };
    let mut html = headline::section(results);
    html += &scenarios(results);
    html += &slower(results);
    html += &threads(results);
    if let Some(timeline) = &results.timeline {
        html += &timeline::section(timeline);
    }
    html += &all::table(results);
    html += &all::about(results);
    page_look::page(&title, &html, SCRIPT)
}

/// Names of rows that have a place of their own on the page.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    headline::names()
}

/// Bars of all rows that are neither in the matrix nor on a line over threads.
fn scenarios(results: &Results) -> String {
    let scale = Scale::of(results);
    let mut cards = String::new();
    for group in groups(results) {
        let rows: Vec<&Row> = results.rows.iter().filter(|row| row.group == group).collect();
        let (_, mut rows) = matrix::split(&rows);
        if group == SCALING {
            rows = scaling::split(&rows).1;
        }
        if rows.is_empty() {
            continue;
        }
        let bars: String = rows.iter().map(|row| bars::bar(row, scale)).collect();
        let axis =
            if rows.iter().any(|row| row.measured().is_some()) { bars::axis(scale) } else { String::new() };
        cards += &format!("<div class=\"card\"><h3>{}</h3>\n{axis}\n{bars}</div>\n", escape(group));
    }
    if cards.is_empty() {
        return cards;
    }
    format!(
        "<section id=\"scenarios\">\n<h2>Every scenario</h2>\n<p>Times as fast as native HDF5, which is the line at 1×. The \
         scale is logarithmic.</p>\n{}\n{cards}</section>\n",
        bars::legend(Has::of(results))
    )
}

/// The same for those that lose, with their causes.
fn slower(results: &Results) -> String {
    let rows: Vec<&Row> = results.rows.iter().filter(|row| row.is_slower()).collect();
    if rows.is_empty() {
        return String::new();
    }
    let scale = Scale::of(results);
    let bars: String = rows.iter().map(|row| bars::bar_with_cause(row, scale)).collect();
    format!(
        "<section id=\"slower\">\n<h2>Where native is faster</h2>\n<div class=\"card\">{}\n{bars}</div>\n</section>\n",
        bars::axis(scale)
    )
}

/// Lines over the number of threads, and the matrix.
fn threads(results: &Results) -> String {
    let scaling: Vec<&Row> = results.rows.iter().filter(|row| row.group == SCALING).collect();
    let (series, _) = scaling::split(&scaling);
    let mut html = String::new();
    if !series.is_empty() {
        let pictures: String = series.iter().map(|one| one.picture(results.about.cores)).collect();
        html += &format!(
            "<section id=\"scaling\">\n<h2>More threads</h2>\n<ul class=\"legend\">\
             <li><span class=\"swatch gain\"></span>through h5bypass</li>\
             <li><span class=\"swatch native\"></span>native HDF5</li>\
             <li><span class=\"swatch limit\"></span>limit without HDF5</li></ul>\n\
             <div class=\"figures-row\">{pictures}</div>\n</section>\n"
        );
    }
    let rows: Vec<&Row> = results.rows.iter().collect();
    let (grids, _) = matrix::split(&rows);
    if !grids.is_empty() {
        let tables: String = grids.iter().map(heat::table).collect();
        html += &format!(
            "<section id=\"matrix\">\n<h2>Whose threads, how many datasets</h2>\n<p>Times as fast as native HDF5 with the \
             same threads, and below it GB/s, native → bypass. The deeper the colour, the more is gained.</p>\n<div class=\"figures-row\">{tables}</div>\n</section>\n"
        );
    }
    html
}
