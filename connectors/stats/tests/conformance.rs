//! The statistics connector changes nothing: every operation ends as it ends natively, in every stock libhdf5.

use std::process::Command;

use h5_vol::Connector as _;
use h5_vol_test::{StockHost, conformance};
use stats_connector::Stats;

/// Names the host in the process that runs the operations.
const HOST: &str = "CONFORMANCE_HOST";

/// A process for each host, which reports what it counted when it ends.
#[test]
fn it_passes_through() {
    if let Ok(name) = std::env::var(HOST) {
        let host = StockHost::all().iter().find(|host| host.name() == name).expect("one of the hosts");
        conformance::passes_through::<Stats>(&host.enter(), "");
        // As the plugin does when the process ends.
        Stats::process_exit();
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for host in StockHost::all() {
        let report = folder.path().join(format!("{}.json", host.name()));
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "it_passes_through", "--nocapture"])
            .env(HOST, host.name())
            .env("H5STATS_OUT", &report)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.contains("1 passed"), "{}: {said}", host.name());
        let report = std::fs::read_to_string(report).unwrap();
        // The dataset of the operations, by its path: it was read and written through the connector.
        assert!(report.contains("/group/chunked"), "{}: {report}", host.name());
    }
}
