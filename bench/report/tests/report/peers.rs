//! What others did, as JSON and in docs/PERFORMANCE.md.

use bench_report::peers::{Line, PeerResults, Verdict};
use bench_report::performance::{Others, markdown};

use crate::sample::sample;

/// As bench/peers/run.py writes it; python/tests/test_peers.py compares its form with that of a run.
const PEERS: &str = include_str!("peers.json");

fn peers() -> PeerResults {
    PeerResults::read(PEERS).unwrap()
}

fn section(peers: &PeerResults) -> String {
    let text = markdown(&sample(), Others { peers: Some(peers), ..Others::default() });
    let after = text.split_once("\n## Beside other libraries\n\n").expect("the section").1;
    after.split_once("\n## ").expect("what follows").0.to_owned()
}

/// The section of it.
const SECTION: &str = include_str!("beside.md");

#[test]
fn the_section_has_all_that_was_measured_and_why_the_rest_was_not() {
    let text = section(&peers());
    assert_eq!(text, SECTION, "\n{text}");
}

#[test]
fn without_peers_there_is_no_section() {
    assert!(!markdown(&sample(), Others::default()).contains("Beside other libraries"));
}

#[test]
fn where_nobody_is_faster_that_is_said() {
    let mut peers = peers();
    peers.cases.truncate(1);
    peers.left_out.clear();
    let text = section(&peers);
    assert!(text.contains("\nNobody is faster than we are in this run.\n"), "{text}");
    assert!(text.contains("| 0.34 GB/s | 5.00 (4.80..5.20) |"), "{text}");
    assert!(!text.contains("What the figures do not say"), "{text}");
}

#[test]
fn names_are_no_markup_and_no_more_cells() {
    let text = PEERS.replace("hidefix\", \"versions", "<b>|*x*\", \"versions");
    let section = section(&PeerResults::read(&text).unwrap());
    let cells = |line: &str| line.replace("\\|", "").matches('|').count();
    let table: Vec<usize> = section.lines().filter(|line| line.starts_with('|')).map(cells).collect();
    assert_eq!(table, [8; 9], "{section}");
    assert!(section.contains("\\<b\\>\\|\\*x\\*"), "{section}");
}

#[test]
fn a_read_that_was_not_bypassed_is_told() {
    let mut peers = peers();
    for line in &mut peers.cases[1].lines {
        if let Line::Measured(figures) = line
            && let Some(proof) = &mut figures.proof
        {
            proof.verdict = Verdict::Failed;
        }
    }
    let told = "(`small`): not bypassed: 10 of 1000 calls: a small read, which HDF5 does as fast\n";
    assert!(section(&peers).contains(told));
}

#[test]
fn what_is_written_is_read_back() {
    let text = peers().write().unwrap();
    assert!(text.starts_with("{\n  \"format\": 1,") && text.ends_with("}\n"));
    assert_eq!(PeerResults::read(&text).unwrap(), peers());
    assert_eq!(PeerResults::read(&text).unwrap().write().unwrap(), text);
}

#[test]
fn what_is_missing_or_unknown_is_named() {
    for (from, to, message) in [
        ("\"hdf5\"", "\"hdf6\"", "unknown field `hdf6`"),
        ("  \"hdf5\": \"2.0.0\",\n", "", "missing field `hdf5`"),
        ("\"is_small\": true", "\"is_smal\": true", "unknown field `is_smal`"),
        ("\"times_h5py\"", "\"times\"", "unknown field `times`"),
        ("\"outcome\": \"measured\"", "\"outcome\": \"guessed\"", "unknown variant `guessed`"),
        ("\"verdict\": \"bypassed\"", "\"verdict\": \"perhaps\"", "unknown variant `perhaps`"),
        ("\"median\": 5.0", "\"median\": NaN", "expected"),
    ] {
        let text = PEERS.replacen(from, to, 1);
        assert_ne!(text, PEERS, "{from}");
        let error = PeerResults::read(&text).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn another_format_and_other_files_are_refused() {
    let error = PeerResults::read(r#"{"format": 2, "cases": "quite otherwise"}"#).unwrap_err().to_string();
    assert!(error.starts_with("these results of `cargo xtask bench peers` have format 2"), "{error}");
    for text in ["", "[]", "{}", "nonsense"] {
        let error = PeerResults::read(text).unwrap_err().to_string();
        assert!(error.starts_with("these are no results of `cargo xtask bench peers`: "), "{text}: {error}");
    }
    assert!(PeerResults::read(&sample().write().unwrap()).is_err());
}
