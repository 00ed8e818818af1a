//! What clients of HDF5 did, as JSON, in docs/PERFORMANCE.md, and against a baseline.

use bench_report::clients::{Check, ClientResults, ClientRow};
use bench_report::page::html;
use bench_report::performance::{Others, markdown};
use bench_report::{Outcome, Spread};

use crate::sample::{NASTY, sample};

/// As bench/clients/run.py writes it; python/tests/test_client_bench.py compares its form with that of a run.
const CLIENTS: &str = include_str!("clients.json");
/// The section of it.
const SECTION: &str = include_str!("clients.md");

fn clients() -> ClientResults {
    ClientResults::read(CLIENTS).unwrap()
}

/// The rows with figures only.
fn measured() -> ClientResults {
    let mut results = clients();
    results.rows.retain(|row| row.row.measured().is_some());
    results
}

fn row<'a>(results: &'a mut ClientResults, name: &str) -> &'a mut ClientRow {
    results.rows.iter_mut().find(|row| row.row.name == name).expect("a row")
}

/// The same with another ratio, at which the floor explains a miss or not.
fn with_ratio(mut results: ClientResults, name: &str, ratio: f64, is_explained: bool) -> ClientResults {
    let row = row(&mut results, name);
    row.beside.as_mut().expect("beside").is_explained = is_explained;
    let Outcome::Measured(measured) = &mut row.row.outcome else { panic!("not measured") };
    measured.ratio = Spread { median: ratio, low: ratio, high: ratio };
    results
}

fn section(clients: &ClientResults) -> String {
    let text = markdown(&sample(), Others { clients: Some(clients), ..Others::default() });
    let after = text.split_once("\n## Through the clients\n\n").expect("the section").1;
    after.split_once("\n## ").expect("what follows").0.to_owned()
}

#[test]
fn json_is_read_and_written_without_loss() {
    let text = clients().write().unwrap();
    assert_eq!(ClientResults::read(&text).unwrap(), clients());
    let quick = CLIENTS.replace("\"noise\"", "\"no-noise\"");
    let error = ClientResults::read(&quick).unwrap_err().to_string();
    assert!(error.contains("unknown field `no-noise`"), "{error}");
    let error = ClientResults::read(r#"{"format": 2}"#).unwrap_err().to_string();
    assert!(error.starts_with("these results of `cargo xtask bench clients` have format 2"), "{error}");
}

#[test]
fn the_section_has_figures_causes_and_what_is_missing() {
    let text = section(&clients());
    assert_eq!(text, SECTION, "\n{text}");
    assert!(!markdown(&sample(), Others::default()).contains("Through the clients"));
}

#[test]
fn names_are_no_markup() {
    let mut results = clients();
    results.rows[0].row.what = NASTY.to_owned();
    results.rows[0].row.group = NASTY.to_owned();
    let text = section(&results);
    assert!(!text.contains("<script>") && !text.contains('\u{1b}'), "{text}");
}

#[test]
fn there_is_a_page_with_all_rows() {
    let page = html(&clients().results());
    for name in ["h5py/rows-64B", "h5py/datasets", "h5py/read-gzip", "tables/read", "real/h5py"] {
        assert!(page.contains(name), "{name}");
    }
}

#[test]
fn without_a_baseline_only_targets_count_and_only_as_a_list() {
    let check = Check::of(None, &measured());
    assert!(check.holds() && check.suspects().is_empty());
    let expected = "\
h5py/rows-64B: ratio 0.90 (0.86..0.94), asked 1.10; floor 0.95
h5py/datasets: ratio 0.94 (0.90..0.98), asked 0.97; floor 0.95, which explains it
2 rows are below target, 1 of them because of the floor
there is no baseline to compare with";
    assert_eq!(check.to_string(), expected);
}

#[test]
fn a_row_that_was_below_its_target_before_is_listed_and_no_more() {
    let check = Check::of(Some(&measured()), &measured());
    assert!(check.holds(), "{check}");
    assert!(check.to_string().ends_with("3 rows compared with the baseline: nothing fell"), "{check}");
}

#[test]
fn a_row_that_falls_below_its_target_does_not_hold_even_if_it_falls_by_little() {
    let now = with_ratio(measured(), "h5py/read-gzip", 4.4, false);
    let check = Check::of(Some(&measured()), &now);
    assert!(!check.holds());
    assert_eq!(check.suspects(), ["h5py/read-gzip"]);
    let line = "h5py/read-gzip: ratio 4.40 (4.40..4.40), asked 4.50; floor 1.00; the baseline meets it\n";
    assert!(check.to_string().contains(line), "{check}");
}

#[test]
fn what_the_floor_explains_holds_unless_it_fell() {
    let before = with_ratio(measured(), "h5py/datasets", 0.98, false);
    assert!(Check::of(Some(&before), &measured()).holds());
    let now = with_ratio(measured(), "h5py/datasets", 0.8, true);
    let check = Check::of(Some(&before), &now);
    assert!(!check.holds() && check.suspects() == ["h5py/datasets"], "{check}");
}

#[test]
fn only_what_a_second_run_confirms_remains() {
    let fell = |name| with_ratio(measured(), name, 0.5, false);
    let mut check = Check::of(Some(&measured()), &fell("h5py/read-gzip"));
    let again = Check::of(Some(&measured()), &measured());
    check.keep_confirmed(&again);
    assert!(check.holds(), "{check}");
    let mut check = Check::of(Some(&measured()), &fell("h5py/read-gzip"));
    check.keep_confirmed(&check.clone());
    assert!(!check.holds(), "{check}");
}

#[test]
fn another_processor_is_told_first_and_last() {
    let mut now = measured();
    now.about.processor = "Some other CPU".to_owned();
    let text = Check::of(Some(&measured()), &now).to_string();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("NOT COMPARABLE: "), "{text}");
    assert_eq!(lines[0], lines[lines.len() - 1]);
    assert_eq!(text.matches("NOT COMPARABLE").count(), 2, "{text}");
}
