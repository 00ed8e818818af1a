//! What was gained, in one look.

use crate::figures::counted;
use crate::groups::groups;
use crate::{Measured, Results, Row, Tally, Times};

use super::markup::{escape, speed, speeds, times};

/// Rows that tell most to somebody who hears of it for the first time, if they were measured, in plain words.
const TELLING: [(&str, &str); 5] = [
    ("gzip", "Reading gzip data"),
    ("write-gzip-f8", "Writing gzip data"),
    ("field-gzip", "Reading one field of a table"),
    ("slabs", "Reading rows, some at a time"),
    ("contiguous", "Reading plain data"),
];

/// So many bars are taken in at a glance.
const MOST: usize = 5;
/// With fewer than this others are looked for.
const FEWEST: usize = 3;

pub(super) fn section(results: &Results) -> String {
    let about = &results.about;
    let title = match &about.file {
        Some(file) => format!("What h5bypass gains on {}", escape(file)),
        None => "What h5bypass gains over native HDF5".to_owned(),
    };
    let cores = counted(about.cores as usize, "core", "cores");
    let mut html = format!(
        "<header>\n<p class=\"brand\">h5bypass {} · {} · {cores}</p>\n<h1>{title}</h1>\n<p class=\"lead\">{}</p>\n",
        escape(&about.version),
        escape(&about.date),
        summary(results)
    );
    let chosen = telling(results);
    if !chosen.is_empty() {
        let limit = "<span class=\"swatch limit\"></span>limit of this machine without HDF5";
        let limit = if chosen.iter().any(|(_, _, measured)| measured.limit.is_some()) { limit } else { "" };
        html += &format!(
            "<p class=\"key\"><span class=\"swatch gain\"></span>through h5bypass \
             <span class=\"swatch native\"></span>native HDF5, same calls, same file {limit}. Longer is faster.</p>\n\
             <div class=\"headline\">\n"
        );
        for (title, row, measured) in chosen {
            html += &pair(title, row, measured);
        }
        html += "</div>\n";
    }
    html + "</header>\n"
}

/// How many of all rows gain how much.
fn summary(results: &Results) -> String {
    let mut ratios: Vec<f64> =
        results.rows.iter().filter_map(Row::measured).map(|measured| measured.ratio.median).collect();
    ratios.sort_by(f64::total_cmp);
    if ratios.is_empty() {
        return "Nothing was measured.".to_owned();
    }
    let Tally { ok, missed, slower, skipped, failed, .. } = Tally::of(results);
    let scenarios = counted(ratios.len(), "scenario", "scenarios");
    // The one of which as many are below as above, or the lower of two such.
    let middle = ratios[(ratios.len() - 1) / 2];
    let mut text = format!("Half of {scenarios} run at least <b>{}</b> as fast.", times(middle));
    if slower > 0 {
        let are = if slower == 1 { "is" } else { "are" };
        text += &format!(" <a href=\"#slower\"><b class=\"loss\">{slower}</b> {are} slower</a>.");
    }
    if ok + missed > 0 {
        text += &format!(" {ok} of {} met.", counted(ok + missed, "target is", "targets are"));
    }
    if skipped > 0 {
        text += &format!(" {skipped} skipped.");
    }
    if failed > 0 {
        text += &format!(" <b class=\"loss\">{failed} failed.</b>");
    }
    text
}

/// The names above.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TELLING.iter().map(|(name, _)| *name)
}

/// The rows of the headline with their titles: the named ones; if these are few, the most ordinary of the other groups;
/// if there are hardly any groups, the first rows.
fn telling(results: &Results) -> Vec<(&str, &Row, &Measured)> {
    let named = TELLING.iter().filter_map(|(name, title)| {
        let row = results.rows.iter().find(|row| row.name == *name)?;
        Some((*title, row, row.measured()?))
    });
    let mut chosen: Vec<(&str, &Row, &Measured)> = named.collect();
    if chosen.len() < FEWEST {
        let others =
            groups(results).into_iter().filter(|group| chosen.iter().all(|(_, row, _)| row.group != *group));
        let others: Vec<_> = others.filter_map(|group| ordinary(results, group)).collect();
        chosen.extend(others);
    }
    if chosen.len() < FEWEST {
        for row in plain(results) {
            if let Some(measured) =
                row.measured().filter(|_| chosen.iter().all(|(_, other, _)| other.name != row.name))
            {
                chosen.push((&row.what, row, measured));
            }
        }
    }
    chosen.truncate(MOST);
    chosen.sort_by(|a, b| b.2.ratio.median.total_cmp(&a.2.ratio.median));
    chosen
}

/// Rows that stand for themselves.
fn plain(results: &Results) -> impl Iterator<Item = &Row> {
    results.rows.iter().filter(|row| row.cell.is_none() && row.group != super::SCALING)
}

/// The row of a group than which as many gain more as gain less.
fn ordinary<'a>(results: &'a Results, group: &str) -> Option<(&'a str, &'a Row, &'a Measured)> {
    let rows =
        results.rows.iter().filter(|row| row.group == group && row.cell.is_none() && group != super::SCALING);
    let mut rows: Vec<_> = rows.filter_map(|row| Some((row.what.as_str(), row, row.measured()?))).collect();
    rows.sort_by(|a, b| a.2.ratio.median.total_cmp(&b.2.ratio.median));
    rows.get(rows.len() / 2).copied()
}

/// Native HDF5 and bypass, as long as they are fast.
fn pair(title: &str, row: &Row, measured: &Measured) -> String {
    let seconds = |times: &Times| times.seconds.median;
    let (native, bypass) = (seconds(&measured.native), seconds(&measured.bypass));
    let limit = measured.limit.as_ref().map(seconds);
    let fastest = native.min(bypass).min(limit.unwrap_or(f64::INFINITY));
    let length = |seconds: f64| fastest / seconds * 100.0;
    let class = if row.is_slower() { "loss" } else { "gain" };
    let detail = if title == row.what { &row.group } else { &row.what };
    let words = format!(
        "{}, {}: native {}, through h5bypass {}",
        escape(title),
        escape(detail),
        speed(measured, native),
        speed(measured, bypass)
    );
    let mut bars = format!(
        "<rect class=\"{class}\" width=\"{:.2}%\" height=\"26\" rx=\"4\"/>\
         <rect class=\"native\" y=\"30\" width=\"{:.2}%\" height=\"12\" rx=\"3\"/>",
        length(bypass),
        length(native)
    );
    if let Some(limit) = limit {
        bars += &format!(
            "<line class=\"limit\" x1=\"{0:.2}%\" x2=\"{0:.2}%\" y1=\"-2\" y2=\"46\"/>",
            length(limit)
        );
    }
    format!(
        "<div class=\"pair\"><span class=\"times {class}\">{}</span><div><p><b>{}</b> <span>{}</span></p>\
         <svg height=\"44\" overflow=\"visible\" role=\"img\" aria-label=\"{words}\"><title>{words}</title>{bars}</svg>\
         <p class=\"speeds\">{}</p></div></div>\n",
        times(measured.ratio.median),
        escape(title),
        escape(detail),
        speeds(measured),
    )
}
