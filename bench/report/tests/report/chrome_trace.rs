//! Timelines from traces.

use bench_report::chrome_trace::{Bounds, timeline};

fn event(name: &str, thread: u32, start: f64, duration: f64) -> String {
    format!(
        r#"{{"name":"{name}","ph":"X","pid":7,"tid":{thread},"cat":"c","ts":{start},"dur":{duration},"args":{{"name":5}}}}"#
    )
}

fn about(thread: u32, name: &str, rank: u32) -> String {
    format!(
        r#"{{"name":"thread_name","ph":"M","pid":7,"tid":{thread},"args":{{"name":"{name}"}}}},
           {{"name":"thread_sort_index","ph":"M","pid":7,"tid":{thread},"args":{{"sort_index":{rank}}}}}"#
    )
}

fn trace(events: &[String]) -> String {
    format!(r#"{{"otherData":{{"producer":"x"}},"traceEvents":[{}]}}"#, events.join(","))
}

fn kinds(spans: &[bench_report::Span]) -> Vec<&str> {
    spans.iter().map(|span| span.kind.as_str()).collect()
}

#[test]
fn threads_have_names_and_an_order_and_spans_begin_at_zero() {
    let json = trace(&[
        about(2, "pool 1", 2),
        about(1, "main", 0),
        event("decode", 2, 1005.0, 10.0),
        event("plan", 1, 1000.0, 3.0),
        event("read", 1, 1000.0, 20.0),
        event("fetch", 3, 1001.5, 1.0),
        r#"{"name":"instant","ph":"i","ts":9999,"s":"t"}"#.to_owned(),
    ]);
    let found = timeline(&json, "one read", Bounds::default()).unwrap();
    assert_eq!(found.what, "one read");
    let names: Vec<&str> = found.threads.iter().map(|thread| thread.name.as_str()).collect();
    assert_eq!(names, ["main", "thread 3", "pool 1"]);
    assert_eq!(
        kinds(&found.threads[0].spans),
        ["read", "plan"],
        "what is inside comes after what is around it"
    );
    let span = &found.threads[1].spans[0];
    assert_eq!((span.start, span.duration), (1.5, 1.0));
}

#[test]
fn a_list_of_events_alone_is_a_trace_too() {
    let json = format!(" [{}]", event("read", 1, 5.0, 2.0));
    assert_eq!(timeline(&json, "x", Bounds::default()).unwrap().threads.len(), 1);
}

#[test]
fn of_a_long_trace_the_busiest_window_is_kept() {
    // One span at the beginning and the end, ten in parallel in between, and twice as many that only wait.
    let mut events = vec![event("early", 1, 0.0, 10.0), event("late", 1, 9_000_000.0, 10.0)];
    events.extend((0..10).map(|thread| event("busy", 10 + thread, 5_000_000.0 + f64::from(thread), 900.0)));
    events.extend((0..20).map(|thread| event("lock wait", 40 + thread, 0.0, 4_000_000.0)));
    let bounds = Bounds { spans: 100, microseconds: 1000.0 };
    let found = timeline(&trace(&events), "many reads", bounds).unwrap();
    assert_eq!(found.what, "many reads; the busiest 1.00 ms of 9.00 s; 10 of 32 spans");
    assert_eq!(found.threads.len(), 10);
    let all = found.threads.iter().flat_map(|thread| &thread.spans);
    let busy: f64 = all.inspect(|span| assert!(span.start >= 0.0)).map(|span| span.duration).sum();
    assert!((busy - 9000.0).abs() < 1e-6, "{busy}");
}

#[test]
fn spans_at_the_ends_of_the_window_are_cut() {
    let events = [event("long", 1, 0.0, 1e6), event("busy", 2, 400.0, 100.0)];
    let found = timeline(&trace(&events), "x", Bounds { spans: 9, microseconds: 100.0 }).unwrap();
    for thread in &found.threads {
        assert_eq!((thread.spans[0].start, thread.spans[0].duration), (0.0, 100.0), "{}", thread.name);
    }
}

#[test]
fn the_shortest_spans_are_left_out_and_the_order_stays() {
    let events: Vec<String> = (0..50)
        .map(|number| event(&format!("k{number}"), 1, f64::from(number) * 10.0, f64::from(number % 10)))
        .collect();
    let found = timeline(&trace(&events), "x", Bounds { spans: 5, microseconds: 1e9 }).unwrap();
    assert_eq!(kinds(&found.threads[0].spans), ["k9", "k19", "k29", "k39", "k49"]);
    assert!(found.what.ends_with("; 5 of 50 spans"), "{}", found.what);
}

#[test]
fn what_had_no_room_in_the_trace_is_told() {
    let json = format!(r#"{{"otherData":{{"dropped":17}},"traceEvents":[{}]}}"#, event("read", 1, 0.0, 1.0));
    assert_eq!(timeline(&json, "x", Bounds::default()).unwrap().what, "x; 17 more had no room in the trace");
}

#[test]
fn what_is_no_trace_is_an_error_that_says_so() {
    for json in ["", "{}", "nonsense", "{\"traceEvents\": 5}", "[{\"ph\": 1}]", "[{}]"] {
        let error = timeline(json, "x", Bounds::default()).unwrap_err().to_string();
        assert!(error.starts_with("this is no Chrome trace: "), "{json}: {error}");
    }
    let error = timeline("[]", "x", Bounds::default()).unwrap_err().to_string();
    assert_eq!(error, "this Chrome trace has no spans: no event with \"ph\": \"X\"");
    // Times that are none.
    let odd = trace(&[event("read", 1, 0.0, -1.0), event("read", 1, 1e308, 1e308)]);
    assert!(timeline(&odd, "x", Bounds::default()).is_err());
}
