//! A whole trace, from the start to the file: what many threads did at the same time. One test, because a process has one
//! trace.

use std::path::PathBuf;
use std::sync::Barrier;
use std::{fs, thread};

use serde_json::Value;
use trace::Kind;

const THREADS: usize = 8;
const CALLS: usize = 200;

/// Names that need care in JSON, and one that is too long to be kept.
fn odd_names() -> Vec<String> {
    let odd =
        ["plain", "quote\"d", "back\\slash", "new\nline", "\0\u{1}\u{7f}", "é𝄞\u{2028}", "\u{fffd}", ""];
    odd.into_iter().map(str::to_owned).chain([format!("long {}", "x".repeat(5000))]).collect()
}

#[test]
fn all_that_threads_do_is_in_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.json");
    // Nobody has asked yet.
    assert!(!trace::is_on());
    drop(trace::span(Kind::Fetch));
    trace::finish();
    trace::start(&path).unwrap();
    trace::start(&PathBuf::from("/no/such/folder/and/never/looked/at")).unwrap();
    assert!(trace::is_on());

    let together = Barrier::new(THREADS);
    thread::scope(|scope| {
        for number in 0..THREADS {
            let together = &together;
            scope.spawn(move || {
                if number % 2 == 1 {
                    trace::name_worker(number);
                }
                together.wait();
                (0..CALLS).for_each(|_| call(&odd_names()[number]));
                // Gone before the trace is written.
            });
        }
    });
    short_calls();
    trace::finish();
    trace::finish();

    let text = fs::read_to_string(&path).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["otherData"]["dropped"], 0);
    check(document["traceEvents"].as_array().unwrap());
}

/// A call with steps, one inside of the other.
fn call(name: &str) {
    let mut call = trace::begin(Kind::Read).goes_on();
    let label = trace::label("file \"1\"", name, "shuffle + deflate");
    call.deserves_a_span();
    call.note(label, 2, 1 << 50);
    call.so_far(Kind::Plan);
    let context = {
        let _inside = call.enter(label);
        trace::context()
    };
    let _task = context.task();
    let fetch = trace::span(Kind::Fetch).of(100);
    let decode = fetch.then(Kind::Decode);
    drop(decode);
    drop(trace::step(Kind::Scatter, 100));
    drop(trace::step(Kind::Convert, 1 << 20));
    drop(call.native(|| trace::reason("no\tway")));
}

/// Calls in a tight loop, which are put together.
fn short_calls() {
    for number in 0..10_000 {
        let beginning = trace::begin(Kind::Write);
        if number % 2 == 1 {
            beginning.was_short(trace::Label::NONE, 64);
            continue;
        }
        let mut call = beginning.goes_on();
        call.note(trace::Label::NONE, 1, 64);
        drop(call.native(|| trace::reason("small")));
    }
}

fn check(events: &[Value]) {
    let names: Vec<_> = events
        .iter()
        .filter(|event| event["name"] == "thread_name")
        .map(|event| &event["args"]["name"])
        .collect();
    assert_eq!(names.len(), THREADS + 1);
    let workers = names.iter().filter(|name| name.as_str().unwrap().starts_with("h5bypass pool "));
    assert_eq!(workers.count(), THREADS / 2);

    let spans: Vec<_> = events.iter().filter(|event| event["ph"] == "X").collect();
    let of =
        |name: &str| -> Vec<&Value> { spans.iter().copied().filter(|span| span["name"] == name).collect() };
    for name in ["read", "plan", "task", "fetch", "decode", "convert", "native"] {
        let count = if name == "native" {
            of(name).iter().filter(|one| one["args"]["reason"] == "no\tway").count()
        } else {
            of(name).len()
        };
        assert_eq!(count, THREADS * CALLS, "{name}");
    }
    assert!(of("scatter").is_empty(), "a step that is too small");
    assert!(of("decode").iter().all(|span| span["args"]["filters"] == "shuffle + deflate"));
    for name in &odd_names()[..THREADS] {
        let of_this = of("task").into_iter().filter(|span| span["args"]["dataset"] == **name);
        assert_eq!(of_this.count(), CALLS, "{name:?}");
    }
    for read in of("read") {
        assert_eq!(read["args"]["file"], "file \"1\"");
        assert_eq!(read["args"]["datasets"], 2);
        assert_eq!(read["args"]["bytes"], (1_u64 << 40) - 1);
    }

    let writes = of("write");
    let sum = |key: &str| writes.iter().map(|write| write["args"][key].as_u64().unwrap_or(0)).sum::<u64>();
    let calls = writes.iter().map(|write| write["args"]["calls"].as_u64().unwrap_or(1));
    assert_eq!(calls.sum::<u64>(), 10_000);
    assert_eq!(sum("passed on"), 5_000);
    assert_eq!(sum("bytes"), 640_000);
    assert!(writes.len() < 2000, "{} spans of 10000 short calls", writes.len());

    check_nesting(&spans);
}

/// On each thread spans lie inside of each other or apart, and those inside come after those around them.
fn check_nesting(spans: &[&Value]) {
    let mut open: Vec<(u64, f64, f64)> = Vec::new();
    for span in spans {
        let number = |key: &str| span[key].as_f64().unwrap();
        let (thread, start) = (span["tid"].as_u64().unwrap(), number("ts"));
        let end = start + number("dur");
        // Times are decimal fractions, and not exact as binary ones.
        open.retain(|(of, _, until)| *of == thread && *until > start + 0.0005);
        for (_, from, until) in &open {
            assert!(*from <= start && end <= until + 0.0005, "{span} is not inside of {from} to {until}");
        }
        open.push((thread, start, end));
    }
}
