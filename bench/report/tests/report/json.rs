//! Results become JSON and come back.

use bench_report::{Measured, Outcome, Results, Spread};

use crate::sample::{Make, row, sample};

#[test]
fn what_is_written_is_read_back() {
    let text = sample().write().unwrap();
    assert!(text.starts_with("{\n  \"format\": 1,") && text.ends_with("}\n"));
    let back = Results::read(&text).unwrap();
    assert_eq!(back.write().unwrap(), text);
    assert_eq!(Results::read(&back.write().unwrap()).unwrap(), back);

    // Only figures were changed, by rounding them.
    let (mut results, mut rounded) = (sample(), back);
    for (row, other) in results.rows.iter_mut().zip(&mut rounded.rows) {
        let (Outcome::Measured(one), Outcome::Measured(two)) = (&mut row.outcome, &mut other.outcome) else {
            continue;
        };
        for (figure, again) in figures(one).into_iter().zip(figures(two)) {
            assert!((*figure / *again - 1.0).abs() < 1e-6, "{figure} {again}");
            *again = *figure;
        }
    }
    (results.timeline, rounded.timeline) = (None, None);
    assert_eq!(rounded, results);
}

fn figures(measured: &mut Measured) -> Vec<&mut f64> {
    let Measured { native, bypass, limit, ratio, cpu_ratio, share, .. } = measured;
    let times = [native, bypass]
        .into_iter()
        .chain(limit.as_mut())
        .flat_map(|times| [&mut times.seconds, &mut times.cpu]);
    let spreads = times.chain([ratio, cpu_ratio]).chain(share.as_mut());
    spreads.flat_map(|spread| [&mut spread.median, &mut spread.low, &mut spread.high]).collect()
}

#[test]
fn another_format_is_refused_before_its_rows_are_looked_at() {
    let error = Results::read(r#"{"format": 2, "rows": "quite otherwise"}"#).unwrap_err().to_string();
    assert_eq!(
        error,
        "these results of the benchmark have format 2, that of a newer h5bypass; this one knows format 1 only"
    );
    let error = Results::read(r#"{"format": 0}"#).unwrap_err().to_string();
    assert!(error.contains("format 0, that of an older"), "{error}");
}

#[test]
fn what_is_no_results_is_named() {
    for text in ["", "[]", "{}", "nonsense", "{\"format\": \"one\"}"] {
        let error = Results::read(text).unwrap_err().to_string();
        assert!(error.starts_with("these are no results of the benchmark: "), "{text}: {error}");
    }
    let cut = sample().write().unwrap().replace("\"native\"", "\"nativ\"");
    let error = Results::read(&cut).unwrap_err().to_string();
    assert!(error.contains("missing field `native` at line"), "{error}");
}

#[test]
fn a_figure_that_json_does_not_know_is_refused() {
    let mut results = sample();
    let ratio = Spread { median: f64::NAN, low: 1.0, high: 1.0 };
    results.rows.push(row("broken", "Group", "what", 1.0, 2.0).with(|measured| measured.cpu_ratio = ratio));
    assert_eq!(results.write().unwrap_err().to_string(), "a figure is not a number");
}

#[test]
fn what_older_results_lack_is_left_out() {
    let mut results = sample();
    results.rows.truncate(1);
    results.timeline = None;
    let text = results.write().unwrap();
    for absent in ["timeline", "cell", "file\"", "peak", "sizes"] {
        assert!(!text.contains(absent), "{absent}");
    }
    assert!(matches!(Results::read(&text).unwrap().rows[0].outcome, Outcome::Measured(_)));
}
