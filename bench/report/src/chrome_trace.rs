//! A [`Timeline`] from a trace in Chrome's JSON format, as the connector writes it.
//!
//! Of a long trace only the window in which most was done is kept, and of that only the longest spans: a page has to show it.
//! What was left out is said in [`Timeline::what`].

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Deserialize;
use serde_json::Value;

use crate::figures::{counted, duration};
use crate::{Span, Thread, Timeline, Unreadable};

/// At most so many spans are kept, of a window of at most so many microseconds.
const MOST_SPANS: usize = 6000;
const WINDOW: f64 = 100_000.0;

/// A trace as it is. What is not asked for here is passed over.
#[derive(Deserialize)]
struct Trace {
    #[serde(rename = "traceEvents")]
    events: Vec<Event>,
    #[serde(default, rename = "otherData")]
    other: Other,
}

/// What the connector adds.
#[derive(Default, Deserialize)]
struct Other {
    /// Spans for which the trace had no room.
    #[serde(default)]
    dropped: u64,
}

/// One of its events.
#[derive(Deserialize)]
struct Event {
    ph: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    ts: f64,
    #[serde(default)]
    dur: f64,
    #[serde(default)]
    tid: u64,
    #[serde(default)]
    args: Args,
}

/// Of events about threads; other events may have anything under these names.
#[derive(Default, Deserialize)]
struct Args {
    #[serde(default)]
    name: Option<Value>,
    #[serde(default)]
    sort_index: Option<Value>,
}

/// What is said about a thread.
#[derive(Default)]
struct About {
    name: Option<String>,
    /// Those with smaller ones stand above.
    rank: i64,
}

/// A span, and whose it is.
struct Found {
    thread: u64,
    kind: String,
    start: f64,
    end: f64,
}

/// Reads a trace of `what`, a few words.
pub fn timeline(json: &str, what: &str) -> Result<Timeline, Unreadable> {
    let Trace { events, other } = serde_json::from_str(json)
        .map_err(|cause| Unreadable(format!("this is no Chrome trace: {cause}")))?;
    let mut about: HashMap<u64, About> = HashMap::new();
    let mut spans = Vec::new();
    for Event { ph, name, ts, dur, tid: thread, args } in events {
        match (ph.as_str(), name.as_str()) {
            ("M", "thread_name") => {
                about.entry(thread).or_default().name =
                    args.name.and_then(|name| Some(name.as_str()?.to_owned()));
            }
            ("M", "thread_sort_index") => {
                about.entry(thread).or_default().rank =
                    args.sort_index.and_then(|rank| rank.as_i64()).unwrap_or(0);
            }
            ("X", _) if ts.is_finite() && dur >= 0.0 && (ts + dur).is_finite() => {
                spans.push(Found { thread, kind: name, start: ts, end: ts + dur });
            }
            _ => {}
        }
    }
    if spans.is_empty() {
        return Err(Unreadable("this Chrome trace has no spans: no event with \"ph\": \"X\"".to_owned()));
    }
    // Those inside of others after them.
    spans.sort_by(|a, b| a.start.total_cmp(&b.start).then(b.end.total_cmp(&a.end)));
    let all = spans.len();
    let whole = end_of(&spans) - spans[0].start;
    let window = busiest_window(&spans);
    let mut kept: Vec<Found> = spans.into_iter().filter_map(|span| clip(span, window)).collect();
    keep_longest(&mut kept, MOST_SPANS);
    let mut what = what.to_owned();
    if window.1 - window.0 < whole {
        what +=
            &format!("; the busiest {} of {}", duration((window.1 - window.0) / 1e6), duration(whole / 1e6));
    }
    if kept.len() < all {
        what += &format!("; {} of {}", kept.len(), counted(all, "span", "spans"));
    }
    if other.dropped > 0 {
        what += &format!("; {} more had no room in the trace", other.dropped);
    }
    Ok(Timeline { what, threads: threads_of(kept, window.0, &about) })
}

fn end_of(spans: &[Found]) -> f64 {
    spans.iter().map(|span| span.end).fold(f64::MIN, f64::max)
}

/// The part of a span that is in the window.
fn clip(span: Found, (from, to): (f64, f64)) -> Option<Found> {
    if span.end < from || to < span.start {
        return None;
    }
    Some(Found { start: span.start.max(from), end: span.end.min(to), ..span })
}

/// The window in which spans of all threads together last longest; waiting does not count. Windows follow
/// each other from the first span on.
fn busiest_window(spans: &[Found]) -> (f64, f64) {
    let (first, last) = (spans[0].start, end_of(spans));
    let mut spent: BTreeMap<u64, f64> = BTreeMap::new();
    for span in spans.iter().filter(|span| !span.kind.contains("wait")) {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number, not below 0"
        )]
        let number = ((span.start - first) / WINDOW).floor() as u64;
        *spent.entry(number).or_default() += (span.end - span.start).min(WINDOW);
    }
    let busiest = spent.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(number, _)| number);
    #[expect(clippy::cast_precision_loss, reason = "a trace has fewer than 2^53 windows")]
    let begin = first + busiest as f64 * WINDOW;
    (begin, (begin + WINDOW).min(last))
}

/// Drops the shortest.
fn keep_longest(spans: &mut Vec<Found>, most: usize) {
    if spans.len() <= most {
        return;
    }
    let mut order: Vec<usize> = (0..spans.len()).collect();
    let length = |index: &usize| spans[*index].end - spans[*index].start;
    order.sort_by(|a, b| length(b).total_cmp(&length(a)));
    let kept: HashSet<usize> = order.into_iter().take(most).collect();
    let mut index = 0;
    spans.retain(|_| {
        index += 1;
        kept.contains(&(index - 1))
    });
}

/// In the order of their ranks, or else in that in which they began to do something.
fn threads_of(spans: Vec<Found>, origin: f64, about: &HashMap<u64, About>) -> Vec<Thread> {
    let mut places: HashMap<u64, usize> = HashMap::new();
    let mut threads: Vec<(i64, Thread)> = Vec::new();
    for span in spans {
        let place = *places.entry(span.thread).or_insert_with(|| {
            let about = about.get(&span.thread);
            let name = about.and_then(|about| about.name.clone());
            let name = name.unwrap_or_else(|| format!("thread {}", span.thread));
            threads.push((about.map_or(0, |about| about.rank), Thread { name, spans: Vec::new() }));
            threads.len() - 1
        });
        let duration = span.end - span.start;
        threads[place].1.spans.push(Span { kind: span.kind, start: span.start - origin, duration });
    }
    threads.sort_by_key(|(rank, _)| *rank);
    threads.into_iter().map(|(_, thread)| thread).collect()
}
