//! Timelines from traces.

use bench_report::chrome_trace::timeline;

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
    let found = timeline(&json, "one read").unwrap();
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
fn of_a_long_trace_the_busiest_window_is_kept() {
    // One span at the beginning and the end, ten in parallel in between, and twice as many that only wait.
    let mut events = vec![event("early", 1, 0.0, 10.0), event("late", 1, 9_000_000.0, 10.0)];
    events
        .extend((0..10).map(|thread| event("busy", 10 + thread, 5_000_000.0 + f64::from(thread), 90_000.0)));
    events.extend((0..20).map(|thread| event("lock wait", 40 + thread, 0.0, 4_000_000.0)));
    let found = timeline(&trace(&events), "many reads").unwrap();
    assert_eq!(found.what, "many reads; the busiest 100 ms of 9.00 s; 10 of 32 spans");
    assert_eq!(found.threads.len(), 10);
    let all = found.threads.iter().flat_map(|thread| &thread.spans);
    let busy: f64 = all.inspect(|span| assert!(span.start >= 0.0)).map(|span| span.duration).sum();
    assert!((busy - 900_000.0).abs() < 1e-6, "{busy}");
}

#[test]
fn spans_at_the_ends_of_the_window_are_cut() {
    let events = [
        event("long", 1, 0.0, 1e6),
        event("busy", 2, 400_000.0, 100_000.0),
        event("busy", 3, 400_000.0, 100_000.0),
    ];
    let found = timeline(&trace(&events), "x").unwrap();
    for thread in &found.threads {
        assert_eq!((thread.spans[0].start, thread.spans[0].duration), (0.0, 100_000.0), "{}", thread.name);
    }
}

#[test]
fn the_shortest_spans_are_left_out_and_the_order_stays() {
    let events: Vec<String> = (0..6010)
        .map(|number| {
            let duration = if number % 601 == 0 { 1.0 } else { 9.0 };
            event(&format!("k{number}"), 1, f64::from(number) * 10.0, duration)
        })
        .collect();
    let found = timeline(&trace(&events), "x").unwrap();
    assert!(found.what.ends_with("; 6000 of 6010 spans"), "{}", found.what);
    let kept = kinds(&found.threads[0].spans);
    assert_eq!((kept[0], kept[599], kept[600], kept[5999]), ("k1", "k600", "k602", "k6009"));
}

#[test]
fn what_had_no_room_in_the_trace_is_told() {
    let json = format!(r#"{{"otherData":{{"dropped":17}},"traceEvents":[{}]}}"#, event("read", 1, 0.0, 1.0));
    assert_eq!(timeline(&json, "x").unwrap().what, "x; 17 more had no room in the trace");
}

#[test]
fn what_is_no_trace_is_an_error_that_says_so() {
    for json in ["", "{}", "nonsense", "{\"traceEvents\": 5}", "[]", "{\"traceEvents\": [{}]}"] {
        let error = timeline(json, "x").unwrap_err().to_string();
        assert!(error.starts_with("this is no Chrome trace: "), "{json}: {error}");
    }
    let error = timeline(&trace(&[]), "x").unwrap_err().to_string();
    assert_eq!(error, "this Chrome trace has no spans: no event with \"ph\": \"X\"");
    // Times that are none.
    let odd = trace(&[event("read", 1, 0.0, -1.0), event("read", 1, 1e308, 1e308)]);
    assert!(timeline(&odd, "x").is_err());
}
