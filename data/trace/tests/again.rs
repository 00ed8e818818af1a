//! Several traces of one process, one after the other. One test, because a process has one trace at a time.

use std::fs;
use std::path::Path;

use serde_json::Value;
use trace::Kind;

/// How many spans of this kind a trace has.
fn spans(path: &Path, kind: &str) -> usize {
    let document: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let events = document["traceEvents"].as_array().unwrap();
    events.iter().filter(|event| event["name"] == kind && event["ph"] == "X").count()
}

#[test]
fn each_has_what_happened_while_it_was_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    assert!(trace::stop().is_err());
    trace::start(&path("one.json")).unwrap();
    drop(trace::span(Kind::Fetch));
    assert_eq!(trace::stop(), Ok(path("one.json")));
    assert!(!trace::is_on());
    drop(trace::span(Kind::Fetch));

    trace::start(&path("two.json")).unwrap();
    drop(trace::span(Kind::Fetch));
    drop(trace::span(Kind::Fetch));
    assert_eq!(trace::stop(), Ok(path("two.json")));
    assert!(trace::stop().is_err());
    trace::finish();

    assert_eq!(spans(&path("one.json"), "fetch"), 1);
    assert_eq!(spans(&path("two.json"), "fetch"), 2);
    assert!(trace::start(Path::new("/no/such/folder/trace.json")).is_err());
    assert!(!trace::is_on());
}
