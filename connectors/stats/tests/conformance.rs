//! The statistics connector changes nothing: every operation ends as it ends natively, in every stock libhdf5.

use h5_vol_test::{StockHost, own_process};
use stats_connector::Stats;

#[test]
fn it_passes_through() {
    if own_process::ran_here::<Stats>() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for host in StockHost::all() {
        let report = folder.path().join(format!("{}.json", host.name()));
        own_process::run_with("it_passes_through", host, &[("H5STATS_OUT", report.as_os_str())]);
        let report = std::fs::read_to_string(report).unwrap();
        // The dataset of the operations, by its path: it was read and written through the connector.
        assert!(report.contains("/group/chunked"), "{}: {report}", host.name());
    }
}
