//! docs/PERFORMANCE.md.

use bench_report::Results;
use bench_report::performance::{Others, markdown, unexplained};

use crate::sample::{Make, NASTY, row, sample};

fn with_again(again: &Results) -> Others<'_> {
    Others { again: Some(again), ..Others::default() }
}

#[test]
fn it_has_what_a_reader_needs_to_believe_it() {
    let text = markdown(&sample(), Others::default());
    for part in [
        "* **Machine:** AMD EPYC 7763 64-Core Processor, 2 cores, 8 GiB of memory, Linux 6.1.0-13-amd64, ext4\n",
        "* **Date:** 2026-11-16; load of the machine at the start 0.12\n",
        "* **Versions:** h5bypass 0.1.0; HDF5 2.0.0 of h5py; HDF5 1.14.6 of tables, thread-safe\n",
        "* **Command:** `h5bypass bench --rounds 11 --json results.json --html results.html`\n",
        "49 of 54 targets are met, 5 missed; 8 rows are slower than native HDF5",
        "| all, gzip 4 + shuffle, 1 MiB of rows | 0.36 GB/s | 1.81 GB/s | **5.02** | 4.82..5.22 | 4.50 OK | 104 % (target 80 %) | 3.14 |\n",
        "| all of it in chunks of 16 KiB | 1.70 GB/s | 4.88 GB/s | **2.87** | 2.76..2.98 | 3.00 **MISS** |  | 1.79 |\n",
        "| one dataset, contiguous | 2.85 → 6.77, **2.38** (2.28..2.47) |",
        "* all, contiguous: left to native HDF5: one thread writes at a time\n",
        "* all, blosc lz4 (`blosc`): skipped: this libhdf5 finds no filter 32001 (blosc)\n",
    ] {
        assert!(text.contains(part), "{part}\nis not in\n{text}");
    }
    assert!(!text.contains("Two consecutive runs"));
}

#[test]
fn every_loss_is_listed_and_those_without_a_cause_say_so() {
    let rows = vec![
        row("made-up-slow", "Group", "slow", 1.0, 0.5),
        row("made-up-noisy", "Group", "noisy", 1.0, 0.98),
        row("made-up-miss", "Group", "not enough", 1.0, 1.5).asking(2.0),
        row("made-up-fine", "Group", "fine", 1.0, 2.5).asking(2.0),
    ];
    let results = Results { rows, ..sample() };
    let text = markdown(&results, Others::default());
    let losses = text.split_once("## Where we lose, and why\n").unwrap().1;
    for line in [
        "* Group, slow (`made-up-slow`): 0.50 (0.48..0.52). **cause not known yet**.\n",
        "* Group, noisy (`made-up-noisy`): 0.98 (0.94..1.02), not clearly slower. **cause not known yet**.\n",
        "* Group, not enough (`made-up-miss`): missed: ratio 1.50, target 2.00. **cause not known yet**.\n",
    ] {
        assert!(losses.contains(line), "{line}\nis not in\n{losses}");
    }
    assert!(!losses.contains("made-up-fine"));
    let names: Vec<&str> = unexplained(&results).iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["made-up-slow", "made-up-noisy", "made-up-miss"]);
}

#[test]
fn without_losses_it_says_so() {
    let results = Results { rows: vec![row("name", "Group", "what", 1.0, 2.0)], ..sample() };
    assert!(
        markdown(&results, Others::default()).contains("## Where we lose, and why\n\nNowhere in this run.\n")
    );
    assert!(unexplained(&results).is_empty());
}

#[test]
fn rows_that_differ_between_two_runs_are_shown_with_both_spreads() {
    let run = |close: f64, apart: f64| Results {
        rows: vec![row("close", "Group", "what", 1.0, close), row("apart", "Group", "other", 1.0, apart)],
        ..sample()
    };
    let text = markdown(&run(2.0, 2.0), with_again(&run(2.19, 2.21)));
    assert!(
        text.contains("1 of 2 rows measured in two runs right after each other agree within 10 %."),
        "{text}"
    );
    assert!(text.contains("| other (`apart`) | 2.00 (1.92..2.08) | 2.21 (2.12..2.30) | +10 % |\n"), "{text}");
    assert!(!text.contains("(`close`) |"));
    let same = markdown(&run(2.0, 2.0), with_again(&run(1.81, 2.19)));
    assert!(same.contains("2 of 2 rows measured") && !same.contains("These do not"), "{same}");
}

#[test]
fn names_are_no_markup() {
    let text = markdown(&sample(), Others::default());
    assert!(text.contains("\\<script\\>document.title"));
    let bare = text.replace("\\<", "");
    assert!(!bare.contains('<') && !text.contains('\u{1b}'));
    // A bar in a name makes no cell more.
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    let nasty = text.lines().filter(|line| line.starts_with('|') && line.contains("onerror"));
    assert_eq!(nasty.map(cells).collect::<Vec<_>>(), [9]);
    assert!(NASTY.contains('|'));
}
