//! What the threads did: drawn on a canvas by the page's script, and summed up in a table for those who do not see it.

use serde::Serialize;

use crate::text::printable;
use crate::{Span, Thread, Timeline};

use super::markup::{duration, escape, in_script};

/// Spans further inside of others than this are drawn on its level.
const DEEPEST: usize = 5;
/// Ends and beginnings closer than this, in microseconds, are taken for the same moment.
const SAME: f64 = 0.002;
/// Colours for kinds that have none of their own; the style names them.
const COLOURS: usize = 7;

/// What the script is given.
#[derive(Serialize)]
struct Drawing {
    /// Microseconds.
    length: f64,
    /// Names of kinds and of their colours.
    kinds: Vec<(String, String)>,
    threads: Vec<Lane>,
}

#[derive(Serialize)]
struct Lane {
    name: String,
    levels: usize,
    /// Kind, level, and tenths of a microsecond of beginning and length, one span after the other.
    spans: Vec<u64>,
}

/// A kind of spans.
struct Kind<'a> {
    name: &'a str,
    /// Microseconds in it and in nothing inside of it: of each thread.
    own: Vec<f64>,
    /// Whether others are inside of it.
    has_others: bool,
}

pub(super) fn section(timeline: &Timeline) -> String {
    let kinds = kinds_of(timeline);
    let length = timeline.threads.iter().flat_map(|thread| &thread.spans);
    let length = length.map(|span| span.start + span.duration).fold(0.0, f64::max);
    if kinds.is_empty() || length <= 0.0 {
        return String::new();
    }
    let colours = colours(&kinds);
    let drawing = Drawing {
        length,
        kinds: kinds.iter().map(|kind| printable(kind.name)).zip(colours.iter().cloned()).collect(),
        threads: timeline.threads.iter().map(|thread| lane(thread, &kinds)).collect(),
    };
    // A drawing has nothing that JSON does not know; the script shows nothing for an empty text.
    let json = serde_json::to_string(&drawing).unwrap_or_default();
    let all: f64 = kinds.iter().flat_map(|kind| &kind.own).sum();
    let legend: String = kinds
        .iter()
        .zip(&colours)
        .map(|(kind, colour)| {
            let share = kind.own.iter().sum::<f64>() / all * 100.0;
            format!(
                "<li><span class=\"swatch\" style=\"background:var(--{colour})\"></span>{} <b>{share:.0} %</b></li>",
                escape(kind.name)
            )
        })
        .collect();
    format!(
        "<section id=\"timeline\">\n<h2>What each thread did</h2>\n<p>{}. The share of each kind is of the time that all \
         threads spent.</p>\n<ul class=\"legend\">{legend}</ul>\n<div class=\"canvas\" hidden>\n\
         <p class=\"tools\"><button type=\"button\" data-zoom=\"2\" aria-label=\"closer\">+</button> \
         <button type=\"button\" data-zoom=\"0.5\" aria-label=\"farther\">−</button> \
         <button type=\"button\" data-zoom=\"0\">all</button> \
         <span>drag to move, Ctrl and wheel to zoom, point at a span for its time</span></p>\n\
         <canvas tabindex=\"0\" role=\"img\" aria-label=\"Spans of {} threads over {}; the table below has the sums\"></canvas>\n\
         <div class=\"tip\" hidden></div>\n</div>\n\
         <details><summary>As a table</summary>{}</details>\n\
         <script type=\"application/json\" id=\"spans\">{}</script>\n</section>\n",
        escape(&timeline.what),
        timeline.threads.len(),
        duration(length / 1e6),
        table(timeline, &kinds),
        in_script(&json)
    )
}

/// Each kind, by the time that was spent in it; those that are around others first.
fn kinds_of(timeline: &Timeline) -> Vec<Kind<'_>> {
    let mut kinds: Vec<Kind<'_>> = Vec::new();
    for (index, thread) in timeline.threads.iter().enumerate() {
        let mut open: Vec<(f64, usize)> = Vec::new();
        for span in &thread.spans {
            let place = kinds.iter().position(|kind| kind.name == span.kind).unwrap_or_else(|| {
                let own = vec![0.0; timeline.threads.len()];
                kinds.push(Kind { name: &span.kind, own, has_others: false });
                kinds.len() - 1
            });
            open.retain(|(end, _)| *end > span.start + SAME);
            if let Some((_, around)) = open.last() {
                kinds[*around].own[index] -= span.duration;
                kinds[*around].has_others = true;
            }
            kinds[place].own[index] += span.duration;
            open.push((span.start + span.duration, place));
        }
    }
    for kind in &mut kinds {
        // What reaches beyond the span it began in was taken off in full.
        kind.own.iter_mut().for_each(|own| *own = own.max(0.0));
    }
    let spent = |kind: &Kind<'_>| kind.own.iter().sum::<f64>();
    kinds.sort_by(|a, b| b.has_others.cmp(&a.has_others).then(spent(b).total_cmp(&spent(a))));
    kinds
}

/// Names of the style's colours: waiting is red, what is around others is grey.
fn colours(kinds: &[Kind<'_>]) -> Vec<String> {
    let mut next = 0;
    let colour = |kind: &Kind<'_>| {
        if kind.name.contains("wait") {
            return "wait".to_owned();
        }
        if kind.has_others {
            return "around".to_owned();
        }
        next += 1;
        format!("k{}", (next - 1) % COLOURS)
    };
    kinds.iter().map(colour).collect()
}

fn lane(thread: &Thread, kinds: &[Kind<'_>]) -> Lane {
    let mut open: Vec<f64> = Vec::new();
    let mut levels = 1;
    let mut spans = Vec::with_capacity(thread.spans.len() * 4);
    for span in &thread.spans {
        open.retain(|end| *end > span.start + SAME);
        let level = open.len().min(DEEPEST);
        levels = levels.max(level + 1);
        open.push(span.start + span.duration);
        let kind = kinds.iter().position(|kind| kind.name == span.kind).unwrap_or(0);
        spans.extend([kind as u64, level as u64, tenths(span.start), tenths(span.duration)]);
    }
    Lane { name: printable(&thread.name), levels, spans }
}

/// Of microseconds.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "what is below 0 becomes 0, and what is too large the greatest there is"
)]
fn tenths(microseconds: f64) -> u64 {
    (microseconds * 10.0).round() as u64
}

fn table(timeline: &Timeline, kinds: &[Kind<'_>]) -> String {
    let mut html = "<div class=\"scroll\"><table><thead><tr><th scope=\"col\">thread</th>".to_owned();
    for kind in kinds {
        html += &format!("<th scope=\"col\">{}</th>", escape(kind.name));
    }
    html += "</tr></thead><tbody>";
    for (index, Thread { name, spans }) in timeline.threads.iter().enumerate() {
        html += &format!("<tr><th scope=\"row\">{}</th>", escape(name));
        for kind in kinds {
            let was_done = spans.iter().any(|Span { kind: other, .. }| other == kind.name);
            let own = if was_done { duration(kind.own[index] / 1e6) } else { String::new() };
            html += &format!("<td>{own}</td>");
        }
        html += "</tr>";
    }
    html + "</tbody></table></div>"
}
