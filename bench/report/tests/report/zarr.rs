//! The connector for Zarr beside other implementations, as JSON and in docs/PERFORMANCE.md.

use bench_report::performance::{Others, markdown};
use bench_report::zarr::ZarrResults;

use crate::sample::sample;

/// As bench/zarr/run.py writes it; python/tests/test_zarr_bench.py compares its form with that of a run.
const ZARR: &str = include_str!("zarr.json");

fn zarr() -> ZarrResults {
    ZarrResults::read(ZARR).unwrap()
}

#[test]
fn the_section_has_all_that_was_measured() {
    let results = zarr();
    let text = markdown(&sample(), Others { zarr: Some(&results), ..Others::default() });
    let after = text.split_once("\n## HDF5 programs on Zarr\n\n").expect("the section").1;
    let text = after.split_once("\n## ").expect("what follows").0;
    for line in [
        "| read all, gzip, level 4 | 16 MiB | **20.0 ms** | 60.0 ms (3.00; 2.85..3.30) |",
        "* read all, gzip, level 4, 16 MiB: zarr-python 3.00",
        "* open it and read one array: h5py with the connector zarr 50.0 ms, zarr-python 500 ms",
        "* **Command:** `cargo xtask bench zarr --rounds 3`",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert!(!markdown(&sample(), Others::default()).contains("programs on Zarr"), "without results");
}

#[test]
fn what_is_written_is_read_back_and_other_files_are_refused() {
    assert_eq!(ZarrResults::read(&zarr().write().unwrap()).unwrap(), zarr());
    let error = ZarrResults::read(&ZARR.replacen("\"chunk\"", "\"chunks\"", 1)).unwrap_err().to_string();
    assert!(error.contains("unknown field `chunks`"), "{error}");
    let error = ZarrResults::read(r#"{"format": 2}"#).unwrap_err().to_string();
    assert!(error.starts_with("these results of `cargo xtask bench zarr` have format 2"), "{error}");
}
