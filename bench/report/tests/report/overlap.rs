//! What goes on while a program computes, as JSON and in the documents.

use bench_report::overlap::{BEGIN, BEGIN_LOOPS, END, OverlapResults, in_guide, in_readme};
use bench_report::performance::{Others, markdown};

use crate::sample::sample;

/// As bench/asynchronous.py writes it; python/tests/test_overlap_bench.py compares its form with that of a run.
const OVERLAP: &str = include_str!("overlap.json");

fn overlap() -> OverlapResults {
    OverlapResults::read(OVERLAP).unwrap()
}

fn section(overlap: &OverlapResults) -> String {
    let text = markdown(&sample(), Others { overlap: Some(overlap), ..Others::default() });
    let after = text.split_once("\n## While the program computes\n\n").expect("the section").1;
    after.split_once("\n## ").expect("what follows").0.to_owned()
}

#[test]
fn at_best_is_half_of_all_work_or_all_computing() {
    let results = overlap();
    let read = &results.calls[0];
    let best = |point: usize| read.at_best(&read.points[point]);
    assert!((best(0) - 0.03).abs() < 1e-9, "(C + W) / 2");
    assert!((best(1) - 0.04).abs() < 1e-9, "C");
    // Reads that use both cores already, and as much computing: four thirds.
    let many = &results.loops[1];
    assert!((many.largest_gain() - 4.0 / 3.0).abs() < 1e-9);
    assert!((many.gain() - 1.25).abs() < 1e-9);
    assert!(many.gains().low < 1.25 && many.gains().high > 1.25);
}

#[test]
fn the_section_has_all_that_was_measured() {
    let text = section(&overlap());
    for line in [
        "| read, tables | 120 ms | 21.0 ms | 40.0 ms | 20.0 ms | **31.0 ms** | 30.7 ms..31.6 ms | 30.0 ms |",
        "| read from a disk that takes 8 ms for each MiB, tables |  | 260 ms | 500 ms | 250 ms | **380 ms** | 376 ms..388 ms | 375 ms |",
        "| read, h5py | 130 ms | 26.0 ms | 50.0 ms | 50.0 ms | **52.0 ms** | 51.5 ms..53.0 ms | 50.0 ms |",
        "* tables: an asynchronous read of 4 KiB returns after 700 ns, 99 of 100 within 9.00 us; with a connector that does nothing, and only makes a request, after 400 ns and 1.00 us",
        "* tables: new chunks without filters, which HDF5 must find places for: 18.0 ms, asynchronous 19.0 ms",
        "| reads 8 chunks at a time, and computes as long as the reads take | 230 ms | 30.0 ms | 60.0 ms | 30.0 ms | 60.0 ms | \
         **48.0 ms** | 45.0 ms | **1.25** | 1.23..1.26 | 1.33 |",
        "* **Command:** `cargo xtask bench overlap --rounds 7`",
    ] {
        assert!(text.contains(&format!("\n{line}\n")), "{line}\n{text}");
    }
}

#[test]
fn without_results_there_is_no_section() {
    assert!(!markdown(&sample(), Others::default()).contains("While the program computes"));
}

#[test]
fn the_readme_and_the_guide_get_their_tables() {
    let readme = format!("# Title\n\n{BEGIN}\nan older table\n{END}\n\nMore.\n");
    let text = in_readme(&readme, &overlap()).unwrap();
    assert!(text.contains("compute meanwhile | 160 ms | 61.0 ms | 40.5 ms | 40.0 ms |\n"), "{text}");
    assert!(
        text.contains("chunk by chunk, compute after each | 260 ms | 118 ms | 64.0 ms | 59.0 ms |\n"),
        "{text}"
    );
    assert!(
        text.starts_with("# Title\n") && text.ends_with("\nMore.\n") && !text.contains("older"),
        "{text}"
    );
    assert_eq!(in_readme(&text, &overlap()).unwrap(), text, "writing it twice is writing it once");

    let guide = format!("{BEGIN}\n{END}\n\nBetween.\n\n{BEGIN_LOOPS}\nold\n{END}\nafter\n");
    let text = in_guide(&guide, &overlap()).unwrap();
    let (calls, loops) = text.split_once("\nBetween.\n").expect("both");
    assert!(calls.contains("| read | 40.0 ms | 20.0 ms | 31.0 ms | 30.0 ms | 140 ms |\n"), "{text}");
    assert!(calls.contains("| 500 ms | 250 ms | 380 ms | 375 ms |  |\n"), "{text}");
    assert!(
        calls.contains("A call returns after 700 ns for 4 KiB and 3.30 us for 1024 KiB, half of the time.\n"),
        "{text}"
    );
    assert!(loops.contains(" | 58.0 ms | 58.0 ms | 118 ms | 64.0 ms | 59.0 ms | 1.84 | 1.97 |\n"), "{text}");
    assert!(loops.ends_with("after\n") && !loops.contains("old\n"), "{text}");
    assert_eq!(in_guide(&text, &overlap()).unwrap(), text);
}

#[test]
fn what_is_missing_is_named() {
    let error = in_readme("no marks", &overlap()).unwrap_err().to_string();
    assert!(error.contains(BEGIN), "{error}");
    let mut results = overlap();
    results.loops.retain(|one| one.name != "write");
    let error = in_readme(&format!("{BEGIN}\n{END}"), &results).unwrap_err().to_string();
    assert_eq!(error, "the README shows 'write', which was not measured");
}

#[test]
fn what_is_written_is_read_back_and_other_files_are_refused() {
    let text = overlap().write().unwrap();
    assert_eq!(OverlapResults::read(&text).unwrap(), overlap());
    let error = OverlapResults::read(&OVERLAP.replacen("\"work\"", "\"worked\"", 1)).unwrap_err().to_string();
    assert!(error.contains("unknown field `worked`"), "{error}");
    let error = OverlapResults::read(r#"{"format": 2}"#).unwrap_err().to_string();
    assert!(error.starts_with("these results of `cargo xtask bench overlap` have format 2"), "{error}");
}
