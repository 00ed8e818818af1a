//! All figures as a table, and where they come from.

use crate::figures::{bytes, counted, extent, libraries, machine, percent, percents, ratio, ratios};
use crate::has::Has;
use crate::{Measured, Outcome, RatioOf, Results, Row};

use super::markup::{escape, speed};

/// A column of figures: its heading, and the cell of a row.
type Column = (&'static str, fn(&Row, &Measured) -> String);

/// The columns that any row has something for.
fn columns(has: Has) -> Vec<Column> {
    let all: [(bool, Column); 10] = [
        (true, ("native", |_, measured| speed(measured, measured.native.seconds.median))),
        (true, ("bypass", |_, measured| speed(measured, measured.bypass.seconds.median))),
        (true, ("times as fast", times)),
        (has.spread, ("middle half", |_, measured| ratios(&measured.ratio))),
        (has.targets, ("target", |row, _| row.asked.ratio.map(ratio).unwrap_or_default())),
        (has.targets, ("", |row, _| verdict(row))),
        (has.limit, ("limit", limit)),
        (has.limit, ("of the limit", share)),
        (true, ("cpu", |_, measured| ratio(measured.cpu_ratio.median))),
        (has.memory, ("memory (native)", memory)),
    ];
    all.into_iter().filter_map(|(is_shown, column)| is_shown.then_some(column)).collect()
}

/// A column of words: its heading, and the cell of a row.
type Words = (&'static str, fn(&Row) -> String);

fn words(results: &Results) -> Vec<Words> {
    let has_names = results.rows.iter().any(|row| row.name != row.what);
    let has_notes = results.rows.iter().any(|row| !notes(row).is_empty());
    let all: [(bool, Words); 4] = [
        (true, ("threads", threads)),
        (true, ("HDF5", |row| row.library.clone())),
        (has_names, ("name", |row| row.name.clone())),
        (has_notes, ("notes", notes)),
    ];
    all.into_iter().filter_map(|(is_shown, column)| is_shown.then_some(column)).collect()
}

/// Every row.
pub(super) fn table(results: &Results) -> String {
    let (columns, words) = (columns(Has::of(results)), words(results));
    let mut html =
        "<section id=\"figures\">\n<h2>All figures</h2>\n<div class=\"scroll\"><table class=\"all\">\n<thead><tr><th scope=\"col\"></th>".to_owned();
    for title in columns.iter().map(|column| column.0).chain(words.iter().map(|column| column.0)) {
        html += &format!("<th scope=\"col\">{title}</th>");
    }
    html += "</tr></thead>\n";
    for group in crate::groups::groups(results) {
        html += &format!(
            "<tbody><tr><th class=\"group\" colspan=\"{}\" scope=\"rowgroup\">{}</th></tr>\n",
            1 + columns.len() + words.len(),
            escape(group)
        );
        for row in results.rows.iter().filter(|row| row.group == group) {
            html += &line(row, &columns, &words);
        }
        html += "</tbody>\n";
    }
    html + "</table></div>\n</section>\n"
}

fn line(row: &Row, columns: &[Column], words: &[Words]) -> String {
    let none = |class: &str, text: String| {
        format!("<td class=\"text {class}\" colspan=\"{}\">{}</td>", columns.len(), escape(&text))
    };
    let figures = match &row.outcome {
        Outcome::Measured(measured) => {
            columns.iter().map(|(_, cell)| format!("<td>{}</td>", cell(row, measured))).collect()
        }
        Outcome::Skipped(why) => none("", format!("skipped: {why}")),
        Outcome::Failed(why) => none("bad", format!("failed: {why}")),
    };
    let words: String =
        words.iter().map(|(_, cell)| format!("<td class=\"text\">{}</td>", escape(&cell(row)))).collect();
    format!("<tr><th scope=\"row\">{}</th>{figures}{words}</tr>\n", escape(&row.what))
}

fn times(row: &Row, measured: &Measured) -> String {
    let class = if row.is_slower() { "loss" } else { "gain" };
    format!("<b class=\"{class}\">{}</b>", ratio(measured.ratio.median))
}

fn verdict(row: &Row) -> String {
    let class = if row.misses().is_empty() { "gain" } else { "loss" };
    format!("<span class=\"{class}\">{}</span>", row.verdict())
}

fn limit(_: &Row, measured: &Measured) -> String {
    measured.limit.as_ref().map(|limit| speed(measured, limit.seconds.median)).unwrap_or_default()
}

fn share(_: &Row, measured: &Measured) -> String {
    let share = measured.share.as_ref();
    share.map(|share| format!("{} ({})", percent(share.median), percents(share))).unwrap_or_default()
}

fn memory(_: &Row, measured: &Measured) -> String {
    let memory = measured.peak.map(|peak| format!("{} ({})", bytes(peak.bypass), bytes(peak.native)));
    memory.unwrap_or_default()
}

fn threads(row: &Row) -> String {
    let pool = if row.pool_threads > 1 { format!(" + pool of {}", row.pool_threads) } else { String::new() };
    format!("{}{pool}", row.application_threads)
}

fn notes(row: &Row) -> String {
    let Some(measured) = row.measured() else { return String::new() };
    let mut notes = row.misses();
    if let (Some(sizes), Some(larger)) = (measured.sizes, measured.larger_percent()) {
        notes.push(format!(
            "files of {}, native {} ({larger:+.1} %)",
            bytes(sizes.bypass),
            bytes(sizes.native)
        ));
    }
    notes.extend(row.passed_on().map(|(why, _)| why));
    notes.join("; ")
}

/// Machine, date, versions, command.
pub(super) fn about(results: &Results) -> String {
    let about = &results.about;
    let cache =
        if about.is_cold { "dropped from the cache before each pass" } else { "in the system's cache" };
    let rounds = counted(about.rounds as usize, "round", "rounds");
    let mut facts = vec![
        ("Command", about.command.clone()),
        ("Date", about.date.clone()),
        ("Versions", format!("h5bypass {}; {}", about.version, libraries(about))),
        ("Machine", format!("{}; load {:.2} at the start", machine(about), about.load)),
        ("Data", format!("{}, {cache}; {rounds}", extent(about))),
    ];
    facts.extend(about.file.as_ref().map(|file| ("File", file.clone())));
    let facts: String =
        facts.iter().map(|(name, value)| format!("<dt>{name}</dt><dd>{}</dd>", escape(value))).collect();
    format!(
        "<section id=\"about\">\n<h2>How it was measured</h2>\n<dl>{facts}</dl>\n<p>{}</p>\n</section>\n",
        method(results)
    )
}

/// What the figures are, in words.
fn method(results: &Results) -> String {
    let has = Has::of(results);
    let rounds = counted(results.about.rounds as usize, "time", "times");
    let mut text = match results.about.ratio_of {
        RatioOf::Rounds => {
            let ways = if has.limit {
                "Native HDF5, h5bypass and the limit (plain parallel reads or writes with the same codec, without HDF5) take \
                 turns"
            } else {
                "Native HDF5 and h5bypass take turns"
            };
            format!(
                "{ways}, in a new random order in each round. Each round gives one ratio; shown are their \
                 median and their middle half, between the quartiles. Speeds are the medians of each way by itself, so on a \
                 busy machine their quotient can differ from the ratio. What is read or written is compared with native \
                 HDF5's before it is measured."
            )
        }
        RatioOf::Medians => format!(
            "The program runs natively and through h5bypass in turns, {rounds} each. Speeds are those of the median time of \
             each way, and <i>times as fast</i> is the ratio of these two medians. What is read or written is compared with \
             native HDF5's."
        ),
    };
    text += " <i>cpu</i> is the same ratio for the processor time of all threads together.";
    text
}
