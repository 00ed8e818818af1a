//! The bypass connector changes nothing: every operation ends as it ends natively, in every stock libhdf5.

use std::path::Path;
use std::process::Command;

use bypass_connector::Bypass;
use h5_vol::Connector as _;
use h5_vol_test::{StockHost, conformance};

/// Names the host in the process that runs the operations.
const HOST: &str = "CONFORMANCE_HOST";

/// A process for each host: the connector's settings and its statistics belong to a process.
#[test]
fn it_passes_through() {
    if let Ok(name) = std::env::var(HOST) {
        let host = StockHost::all().iter().find(|host| host.name() == name).expect("one of the hosts");
        conformance::passes_through::<Bypass>(&host.enter(), "");
        // As the plugin does when the process ends.
        Bypass::process_exit();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for host in StockHost::all() {
        let settings = |small_read: &str| {
            let statistics = folder.path().join(format!("{}-{small_read}.json", host.name()));
            run(host.name(), small_read, &statistics);
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

fn run(host: &str, small_read: &str, statistics: &Path) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "it_passes_through", "--nocapture"])
        .env(HOST, host)
        .env("BYPASS_VOL_SMALL_READ", small_read)
        .env("BYPASS_VOL_STATS", statistics)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{host}, {small_read}: {said}");
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
