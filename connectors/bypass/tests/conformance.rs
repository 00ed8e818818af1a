//! The bypass connector changes nothing: every operation ends as it ends natively, in every stock libhdf5.

use bypass_connector::Bypass;
use h5_vol_test::{StockHost, own_process};

#[test]
fn it_passes_through() {
    if own_process::ran_here::<Bypass>() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for host in StockHost::all() {
        let settings = |small_read: &str| {
            let statistics = folder.path().join(format!("{}-{small_read}.json", host.name()));
            let environment = [
                ("BYPASS_VOL_SMALL_READ", small_read.as_ref()),
                ("BYPASS_VOL_STATS", statistics.as_os_str()),
            ];
            own_process::run_with("it_passes_through", host, &environment);
            std::fs::read_to_string(statistics).unwrap()
        };
        // The operations are small: with the default all reads are left to HDF5 that come first.
        let document = settings("512");
        assert!(count(&document, "files_opened") > 0, "{document}");
        let document = settings("0");
        let [_, reads, writes] = document.split("\"bypassed\":").collect::<Vec<_>>()[..] else {
            panic!("{document}")
        };
        assert!(number(reads) > 0 && number(writes) > 0, "both are bypassed: {document}");
    }
}

fn count(document: &str, field: &str) -> u64 {
    let (_, rest) = document.split_once(&format!("\"{field}\":")).unwrap_or_else(|| panic!("{document}"));
    number(rest)
}

/// The number at the beginning of a text.
fn number(text: &str) -> u64 {
    let digits: String = text.trim_start().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|_| panic!("no number: {text}"))
}
