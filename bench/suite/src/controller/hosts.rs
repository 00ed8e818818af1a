//! The libhdf5 copies to measure with, and which of them a scenario uses.

use std::ffi::OsString;
use std::path::PathBuf;

use bench_report::Library;

use crate::Scenario;

/// A libhdf5 that works with the connector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// Its short name: that of the Python package it came with, or of its file.
    pub name: String,
    /// Where it is.
    pub path: PathBuf,
    /// Its version.
    pub version: String,
    /// Whether several threads may use it at once.
    pub is_thread_safe: bool,
    /// Variables that a process needs to load it.
    pub variables: Vec<(OsString, OsString)>,
}

impl Host {
    /// Its description for the results.
    pub fn library(&self) -> Library {
        Library {
            name: self.name.clone(),
            version: self.version.clone(),
            is_thread_safe: self.is_thread_safe,
        }
    }
}

/// The first library that the scenario can use. The error says why there is none and what to do about it.
pub(super) fn host_for<'hosts>(hosts: &'hosts [Host], scenario: &Scenario) -> Result<&'hosts Host, String> {
    let first = hosts.first().ok_or_else(|| "no libhdf5 was chosen".to_owned());
    if scenario.application_threads <= 1 {
        // Scenarios with one application thread and no pool are compared with those that have several.
        let same = hosts.iter().find(|host| host.is_thread_safe && !scenario.has_pool);
        return same.map_or(first, Ok);
    }
    hosts.iter().find(|host| host.is_thread_safe).ok_or_else(|| {
        let names: Vec<_> = hosts.iter().map(|host| format!("{} ({})", host.name, host.version)).collect();
        format!(
            "{} application threads need a thread-safe libhdf5, but {} is not thread-safe: name one with --host, such as \
             --host tables if PyTables is installed (pip install tables)",
            scenario.application_threads,
            names.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(name: &str, is_thread_safe: bool) -> Host {
        let path = PathBuf::from(format!("/{name}"));
        Host { name: name.into(), path, version: "2.0.0".into(), is_thread_safe, variables: Vec::new() }
    }

    #[test]
    fn several_threads_take_the_first_thread_safe_one() {
        let hosts = [host("h5py", false), host("tables", true)];
        let mut scenario = Scenario::new("x", "X", "x");
        assert_eq!(host_for(&hosts, &scenario).unwrap().name, "h5py");
        scenario.has_pool = false;
        assert_eq!(host_for(&hosts, &scenario).unwrap().name, "tables");
        assert_eq!(host_for(&hosts[..1], &scenario).unwrap().name, "h5py");
        scenario.application_threads = 4;
        assert_eq!(host_for(&hosts, &scenario).unwrap().name, "tables");
        let why = host_for(&hosts[..1], &scenario).unwrap_err();
        assert!(why.contains("h5py (2.0.0)") && why.contains("--host"), "{why}");
    }
}
