//! Results against a baseline.

use bench_report::baseline::{ALLOWED_FALL, Comparison, compare};
use bench_report::{Outcome, Proof, Results, Row, Spread};

use crate::sample::{Make, row, sample};

fn results(rows: Vec<Row>) -> Results {
    Results { rows, timeline: None, ..sample() }
}

fn named(name: &str, ratio: f64) -> Row {
    row(name, "Group", "what", 1.0, ratio)
}

fn compared(before: Vec<Row>, now: Vec<Row>) -> Comparison {
    compare(&results(before), &results(now), ALLOWED_FALL)
}

#[test]
fn results_hold_against_themselves() {
    let mut results = sample();
    results.rows.retain(|row| !matches!(row.outcome, Outcome::Failed(_)));
    let comparison = compare(&results, &results, ALLOWED_FALL);
    assert!(comparison.holds());
    assert_eq!(comparison.to_string(), "93 rows compared with the baseline: nothing fell");
}

#[test]
fn a_fall_of_15_percent_is_allowed_and_not_more() {
    let before = || vec![named("kept", 10.0), named("fell", 10.0), named("rose", 10.0)];
    let now = vec![named("kept", 8.51), named("fell", 8.49), named("rose", 90.0)];
    let comparison = compared(before(), now);
    let names: Vec<&str> = comparison.fallen.iter().map(|fallen| fallen.name.as_str()).collect();
    assert_eq!(names, ["fell"]);
    assert!(!comparison.holds());
    let text = comparison.to_string();
    let expected = "fell: ratio 8.49 (8.15..8.83), in the baseline 10.0 (9.60..10.4): fell by 15.1 %\n";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.ends_with("3 rows compared with the baseline: 1 fell, 0 not bypassed any more, 0 failed, 0 not measured any more"));
}

#[test]
fn overlapping_spreads_are_told_but_excuse_nothing() {
    let wide =
        named("noisy", 8.0).with(|measured| measured.ratio = Spread { median: 8.0, low: 6.0, high: 9.7 });
    let comparison = compared(vec![named("noisy", 10.0)], vec![wide]);
    assert!(!comparison.holds());
    assert!(comparison.to_string().contains("fell by 20.0 %; the middle halves overlap\n"));
}

#[test]
fn times_do_not_count() {
    let slow = row("name", "Group", "what", 0.01, 5.0);
    assert!(compared(vec![row("name", "Group", "what", 9.0, 5.0)], vec![slow]).holds());
}

#[test]
fn what_is_bypassed_no_more_is_named() {
    let passed_on = |name: &str| {
        named(name, 5.0).with(|measured| measured.proof = Proof::PassedOn("a new filter".to_owned()))
    };
    let decided = named("decided", 5.0).with(|measured| measured.proof = Proof::Decided("small".to_owned()));
    let before = vec![named("was", 5.0), passed_on("never"), named("decided", 5.0)];
    let comparison = compared(before, vec![passed_on("was"), passed_on("never"), decided]);
    assert_eq!(comparison.passed_on, [("was".to_owned(), "a new filter".to_owned())]);
    assert!(!comparison.holds());
    assert!(comparison.to_string().contains("was: not bypassed any more: a new filter\n"));
}

#[test]
fn rows_that_are_gone_are_named_and_new_ones_do_no_harm() {
    let skipped =
        |name: &str| Row { outcome: Outcome::Skipped("no such library".to_owned()), ..named(name, 1.0) };
    let before =
        vec![named("gone", 2.0), named("skipped", 2.0), skipped("always skipped"), skipped("gone, skipped")];
    let now = vec![skipped("skipped"), skipped("always skipped"), named("new", 0.1)];
    let comparison = compared(before, now);
    let names: Vec<&str> = comparison.vanished.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["gone", "skipped"]);
    assert_eq!(comparison.new, ["new"]);
    let text = comparison.to_string();
    assert!(text.contains("skipped: not measured any more: no such library\n"), "{text}");
    assert!(text.contains("not in the baseline: new\n"), "{text}");
    assert!(compared(vec![], vec![named("new", 0.1)]).holds());
}

#[test]
fn what_failed_does_not_hold_wherever_it_was_before() {
    let failed =
        |name: &str| Row { outcome: Outcome::Failed("wrong data\u{1b}[2J".to_owned()), ..named(name, 1.0) };
    for before in [vec![], vec![named("row", 1.0)], vec![failed("row")]] {
        let comparison = compared(before, vec![failed("row")]);
        assert_eq!(comparison.failed.len(), 1);
        assert!(!comparison.holds());
        assert!(comparison.to_string().contains("row: failed: wrong data\\u{1b}[2J\n"));
    }
}

#[test]
fn another_library_is_another_row() {
    let other = Row { library: "tables".to_owned(), ..named("name", 1.0) };
    let comparison = compared(vec![named("name", 9.0)], vec![other]);
    assert!(comparison.fallen.is_empty());
    assert_eq!((comparison.vanished.len(), comparison.new.len()), (1, 1));
}

#[test]
fn another_machine_is_told() {
    let before = results(vec![]);
    let mut now = before.clone();
    now.about.cores = 64;
    now.about.is_cold = true;
    let comparison = compare(&before, &now, ALLOWED_FALL);
    assert!(comparison.holds());
    assert_eq!(comparison.cautions, ["cores: 64, in the baseline 2", "cache: cold, in the baseline warm"]);
}

#[test]
fn another_processor_is_told_first_and_last() {
    let before = results(vec![named("row", 2.0)]);
    let other = |change: fn(&mut bench_report::About)| {
        let mut now = before.clone();
        change(&mut now.about);
        compare(&before, &now, ALLOWED_FALL)
    };
    for comparison in [
        other(|about| about.processor = "Some other CPU".to_owned()),
        other(|about| about.processor_model = Some("family 25, model 17, stepping 1".to_owned())),
    ] {
        let text = comparison.to_string();
        let lines: Vec<&str> = text.lines().collect();
        let expected = "NOT COMPARABLE: the baseline was measured on another processor, AMD EPYC 7763 64-Core Processor \
                        (family 25, model 1, stepping 1); this is ";
        assert!(lines[0].starts_with(expected), "{text}");
        assert_eq!(lines[0], lines[lines.len() - 1], "{text}");
        assert!(text.contains("1 row compared with the baseline: nothing fell\n"), "{text}");
    }
    // A baseline from before the model was recorded.
    let mut old = before.clone();
    old.about.processor_model = None;
    assert_eq!(compare(&old, &before, ALLOWED_FALL).other_processor, None);
}
