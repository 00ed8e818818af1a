//! Tests that need a process for each host: settings and statistics of a connector belong to a process.

use std::ffi::OsStr;
use std::process::Command;

use h5_vol::Connector;

use crate::conformance::passes_through;
use crate::host::StockHost;

/// Names the host in the process that runs the operations.
const HOST: &str = "CONFORMANCE_HOST";

/// In a process that [`run_with`] has started: runs the operations of the conformance test through the connector, and ends it
/// as the plugin does when the process ends. Whether this is such a process.
///
/// # Panics
/// If an operation does not end as natively.
pub fn ran_here<C: Connector>() -> bool {
    let Ok(name) = std::env::var(HOST) else { return false };
    let host = StockHost::all().iter().find(|host| host.name() == name).expect("one of the hosts");
    passes_through::<C>(&host.enter(), "");
    C::process_exit();
    true
}

/// Runs a test of this program again, in a process of its own with these environment variables.
///
/// # Panics
/// If the test fails there.
pub fn run_with(test: &str, host: &StockHost, environment: &[(&str, &OsStr)]) {
    let program = std::env::current_exe().expect("the program that runs");
    let mut command = Command::new(program);
    command.args(["--exact", test, "--nocapture"]).env(HOST, host.name()).envs(environment.iter().copied());
    let output = command.output().expect("the program starts");
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{}, {environment:?}: {said}", host.name());
}
