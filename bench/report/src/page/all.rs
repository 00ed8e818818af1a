//! All figures as a table, and where they come from.

use crate::figures::{bytes, counted, extent, percent, ratio, ratios};
use crate::{Measured, Outcome, Proof, Results, Row};

use super::markup::{escape, speed};

const COLUMNS: [&str; 15] = [
    "",
    "native",
    "bypass",
    "times as fast",
    "middle half",
    "asked",
    "",
    "limit",
    "of the limit",
    "cpu",
    "memory (native)",
    "threads",
    "HDF5",
    "name",
    "notes",
];
/// Those at the end that rows without figures have, too.
const NAMES: usize = 4;

/// Every row.
pub(super) fn table(results: &Results) -> String {
    let mut html =
        "<section id=\"figures\">\n<h2>All figures</h2>\n<div class=\"scroll\"><table class=\"all\">\n<thead><tr>".to_owned();
    for column in COLUMNS {
        html += &format!("<th scope=\"col\">{column}</th>");
    }
    html += "</tr></thead>\n";
    for group in crate::groups::groups(results) {
        html += &format!(
            "<tbody><tr><th class=\"group\" colspan=\"{}\" scope=\"rowgroup\">{}</th></tr>\n",
            COLUMNS.len(),
            escape(group)
        );
        for row in results.rows.iter().filter(|row| row.group == group) {
            html += &line(row);
        }
        html += "</tbody>\n";
    }
    html + "</table></div>\n</section>\n"
}

fn line(row: &Row) -> String {
    let none = |class: &str, text: String| {
        format!("<td class=\"text {class}\" colspan=\"{}\">{}</td>", COLUMNS.len() - 1 - NAMES, escape(&text))
    };
    let (figures, notes) = match &row.outcome {
        Outcome::Measured(measured) => (figures(row, measured), notes(row, measured)),
        Outcome::Skipped(why) => (none("", format!("skipped: {why}")), String::new()),
        Outcome::Failed(why) => (none("bad", format!("failed: {why}")), String::new()),
    };
    let pool = if row.pool_threads > 1 { format!(" + pool of {}", row.pool_threads) } else { String::new() };
    format!(
        "<tr><th scope=\"row\">{}</th>{figures}<td>{}{pool}</td><td class=\"text\">{}</td><td class=\"text\">{}</td>\
         <td class=\"text\">{}</td></tr>\n",
        escape(&row.what),
        row.application_threads,
        escape(&row.library),
        escape(&row.name),
        escape(&notes)
    )
}

fn figures(row: &Row, measured: &Measured) -> String {
    let verdict = match (row.is_asked(), row.misses().is_empty()) {
        (false, _) => "",
        (true, true) => "<span class=\"gain\">OK</span>",
        (true, false) => "<span class=\"loss\">MISS</span>",
    };
    let class = if row.is_slower() { "loss" } else { "gain" };
    let limit = measured.limit.as_ref().map(|limit| speed(measured, limit.seconds.median));
    let share = measured.share.as_ref().map(|share| {
        format!(
            "{} ({}..{})",
            percent(share.median),
            percent(share.low).trim_end_matches(" %"),
            percent(share.high)
        )
    });
    let peak = measured.peak.map(|peak| format!("{} ({})", bytes(peak.bypass), bytes(peak.native)));
    [
        speed(measured, measured.native.seconds.median),
        speed(measured, measured.bypass.seconds.median),
        format!("<b class=\"{class}\">{}</b>", ratio(measured.ratio.median)),
        ratios(&measured.ratio),
        row.asked.ratio.map(ratio).unwrap_or_default(),
        verdict.to_owned(),
        limit.unwrap_or_default(),
        share.unwrap_or_default(),
        ratio(measured.cpu_ratio.median),
        peak.unwrap_or_default(),
    ]
    .map(|cell| format!("<td>{cell}</td>"))
    .concat()
}

fn notes(row: &Row, measured: &Measured) -> String {
    let mut notes = row.misses();
    if let (Some(sizes), Some(larger)) = (measured.sizes, measured.larger_percent()) {
        notes.push(format!(
            "files of {}, native {} ({larger:+.1} %)",
            bytes(sizes.bypass),
            bytes(sizes.native)
        ));
    }
    match &measured.proof {
        Proof::Decided(why) => notes.push(format!("left to native HDF5: {why}")),
        Proof::PassedOn(why) if !row.is_asked() => notes.push(format!("not bypassed: {why}")),
        Proof::PassedOn(_) | Proof::Bypassed => {}
    }
    notes.join("; ")
}

/// Machine, date, versions, command.
pub(super) fn about(results: &Results) -> String {
    let about = &results.about;
    let libraries = about.libraries.iter().map(|library| {
        let threads = if library.is_thread_safe { ", thread-safe" } else { "" };
        format!("HDF5 {} of {}{threads}", library.version, library.name)
    });
    let cache =
        if about.is_cold { "dropped from the cache before each pass" } else { "in the system's cache" };
    let rounds = counted(about.rounds as usize, "round", "rounds");
    let mut facts = vec![
        ("Command", about.command.clone()),
        ("Date", about.date.clone()),
        ("Versions", format!("h5bypass {}; {}", about.version, libraries.collect::<Vec<_>>().join("; "))),
        (
            "Machine",
            format!(
                "{}, {}, {} of memory, {}, {}; load {:.2} at the start",
                about.processor,
                counted(about.cores as usize, "core", "cores"),
                bytes(about.memory),
                about.system,
                about.file_system,
                about.load
            ),
        ),
        ("Data", format!("{}, {cache}; {rounds}", extent(about))),
    ];
    facts.extend(about.file.as_ref().map(|file| ("File", file.clone())));
    let facts: String =
        facts.iter().map(|(name, value)| format!("<dt>{name}</dt><dd>{}</dd>", escape(value))).collect();
    format!(
        "<section id=\"about\">\n<h2>How it was measured</h2>\n<dl>{facts}</dl>\n\
         <p>Native HDF5, h5bypass and the limit (plain parallel reads or writes with the same codec, without HDF5) take turns in \
         one process, in an order drawn anew in each round. Each round gives one ratio; shown are their median and \
         their middle half, between the quartiles. <i>cpu</i> is the same ratio for the processor time of all threads \
         together. What is read or written is compared with native HDF5's before it is measured.</p>\n</section>\n"
    )
}
