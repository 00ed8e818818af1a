//! A bar for each row: how many times as fast as native HDF5, on one scale for the whole page.

use crate::figures::{percent, ratio, ratios};
use crate::has::Has;
use crate::{Measured, Outcome, Row, causes};

use super::markup::{escape, speeds, times};
use super::scale::{ROOM, Scale, limit_ratio};

/// The least height of a bar's picture, in pixels.
const HEIGHT: u32 = 26;

/// Marks around the point where they stand.
const ASKED: &str = "<path class=\"asked\" d=\"M0 -10V10\"/>";
const LIMIT: &str = "<path class=\"limit\" d=\"M0 -5.5L5.5 0L0 5.5L-5.5 0Z\"/>";

/// What the marks mean.
pub(super) fn legend(has: Has) -> String {
    let mark = |inside: &str, meaning: &str| {
        format!(
            "<li><svg class=\"mark\" height=\"{HEIGHT}\" aria-hidden=\"true\">\
             <svg x=\"13\" y=\"50%\" overflow=\"visible\">{inside}</svg></svg>{meaning}</li>"
        )
    };
    let bar = |class: &str| {
        format!("<rect class=\"{class}\" x=\"-11\" y=\"-6\" width=\"22\" height=\"12\" rx=\"2\"/>")
    };
    let marks = [
        (true, mark(&bar("gain"), "faster than native HDF5")),
        (has.slower, mark(&bar("loss"), "slower")),
        (has.spread, mark("<line class=\"half\" x1=\"-11\" x2=\"11\"/>", "middle half of the rounds")),
        (has.targets, mark(ASKED, "target")),
        (has.limit, mark(LIMIT, "the limit: this machine without HDF5")),
    ];
    let shown: String = marks.into_iter().filter_map(|(is_shown, mark)| is_shown.then_some(mark)).collect();
    format!("<ul class=\"legend\">{shown}</ul>")
}

/// The scale above bars.
pub(super) fn axis(scale: Scale) -> String {
    let mut marks = String::new();
    for line in scale.named_lines() {
        let name = match line {
            l if l < 1.0 => format!("1/{:.0}", 1.0 / l),
            l => format!("{l:.0}×"),
        };
        let place = scale.place(line);
        // At the ends there is no room on both sides of it.
        let class = match place {
            p if p < ROOM / 2.0 => " class=\"begin\"",
            p if p > 100.0 - ROOM / 2.0 => " class=\"end\"",
            _ => "",
        };
        marks += &format!("<text{class} x=\"{place:.2}%\" y=\"12\">{name}</text>");
    }
    format!(
        "<div class=\"bar axis\" aria-hidden=\"true\"><span></span><svg height=\"16\" overflow=\"visible\">{marks}</svg><span></span></div>"
    )
}

/// A row with its bar, or why it has none.
pub(super) fn bar(row: &Row, scale: Scale) -> String {
    described_bar(row, &remarks(row), scale)
}

/// The same outside of its group, with why it is slower, if that is known.
pub(super) fn bar_with_cause(row: &Row, scale: Scale) -> String {
    let cause = causes::of(row).map(|cause| format!("<p class=\"cause\">{}.</p>", escape(cause)));
    let group = format!("<small>{} · {}</small>", escape(&row.group), escape(&row.name));
    format!(
        "<div class=\"loser\">{}{}</div>\n",
        described_bar(row, &(group + &remarks(row)), scale),
        cause.unwrap_or_default()
    )
}

fn described_bar(row: &Row, remarks: &str, scale: Scale) -> String {
    let what = format!("<span class=\"what\">{}{remarks}</span>", escape(&row.what));
    let measured = match &row.outcome {
        Outcome::Measured(measured) => measured,
        Outcome::Skipped(why) => {
            return format!("<div class=\"bar none\">{what}<span>skipped: {}</span></div>\n", escape(why));
        }
        Outcome::Failed(why) => {
            return format!("<div class=\"bar none bad\">{what}<span>failed: {}</span></div>\n", escape(why));
        }
    };
    let class = if row.is_slower() { "loss" } else { "gain" };
    format!(
        "<div class=\"bar\">{what}{}<span class=\"figures\"><b class=\"{class}\">{}</b> <span>{}</span></span></div>\n",
        picture(row, measured, scale),
        times(measured.ratio.median),
        speeds(measured),
    )
}

/// What is not plain success, below what is done.
fn remarks(row: &Row) -> String {
    let mut remarks = String::new();
    for miss in row.misses() {
        remarks += &format!("<small class=\"bad\">missed: {}</small>", escape(&miss));
    }
    if let Some((why, is_bad)) = row.passed_on() {
        let class = if is_bad { " class=\"bad\"" } else { "" };
        remarks += &format!("<small{class}>{}</small>", escape(&why));
    }
    remarks
}

fn picture(row: &Row, measured: &Measured, scale: Scale) -> String {
    let spread = &measured.ratio;
    let (native, bypass) = (scale.place(1.0), scale.place(spread.median));
    let (from, to) = (native.min(bypass), native.max(bypass));
    let class = if row.is_slower() { "loss" } else { "gain" };
    let mut inside = String::new();
    for line in scale.lines() {
        let class = if line.to_bits() == 1.0_f64.to_bits() { "one" } else { "line" };
        inside += &format!(
            "<line class=\"{class}\" x1=\"{0:.2}%\" x2=\"{0:.2}%\" y1=\"0\" y2=\"100%\"/>",
            scale.place(line)
        );
    }
    inside += "<svg y=\"50%\" overflow=\"visible\">";
    inside += &format!(
        "<rect class=\"{class}\" x=\"{from:.2}%\" width=\"{:.2}%\" y=\"-6\" height=\"12\" rx=\"2\"/>",
        (to - from).max(0.3)
    );
    inside += &format!(
        "<line class=\"half\" x1=\"{:.2}%\" x2=\"{:.2}%\"/>",
        scale.place(spread.low),
        scale.place(spread.high)
    );
    let marks = [(row.asked.ratio, ASKED), (limit_ratio(measured), LIMIT)];
    for (ratio, mark) in marks.into_iter().filter_map(|(ratio, mark)| Some((ratio?, mark))) {
        inside += &format!("<svg x=\"{:.2}%\" overflow=\"visible\">{mark}</svg>", scale.place(ratio));
    }
    inside += "</svg>";
    let title = escape(&title(row, measured));
    format!(
        "<svg height=\"{HEIGHT}\" role=\"img\" aria-label=\"{title}\"><title>{title}</title>{inside}</svg>"
    )
}

/// All of it in words.
fn title(row: &Row, measured: &Measured) -> String {
    let mut title = format!("{}: {} times as fast as native HDF5", row.what, ratio(measured.ratio.median));
    if measured.ratio.low < measured.ratio.high {
        title += &format!(", middle half {}", ratios(&measured.ratio));
    }
    if let Some(asked) = row.asked.ratio {
        title += &format!("; target {}", ratio(asked));
    }
    if let Some(limit) = limit_ratio(measured) {
        title += &format!("; the limit is {} times as fast", ratio(limit));
    }
    if let Some(share) = &measured.share {
        title += &format!(", our share of it {}", percent(share.median));
    }
    title + &format!("; {} times less processor time", ratio(measured.cpu_ratio.median))
}
