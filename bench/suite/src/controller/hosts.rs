//! The libhdf5 copies that are measured, and which of them a scenario takes.

use std::ffi::OsString;
use std::path::PathBuf;

use bench_report::Library;

use crate::Scenario;

/// A libhdf5 that works with the connector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// The short name: of the Python package it came with, or of its file.
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
    /// As it is told in the results.
    pub fn library(&self) -> Library {
        Library {
            name: self.name.clone(),
            version: self.version.clone(),
            is_thread_safe: self.is_thread_safe,
        }
    }
}

/// The first that will do, or why there is none and what to do about it.
pub(super) fn host_for<'hosts>(hosts: &'hosts [Host], scenario: &Scenario) -> Result<&'hosts Host, String> {
    let first = hosts.first().ok_or_else(|| "there is no libhdf5 to measure with".to_owned());
    if scenario.application_threads <= 1 {
        // One thread of the application without the pool is compared with several of them.
        let same = hosts.iter().find(|host| host.is_thread_safe && !scenario.has_pool);
        return same.map_or(first, Ok);
    }
    hosts.iter().find(|host| host.is_thread_safe).ok_or_else(|| {
        let names: Vec<_> = hosts.iter().map(|host| format!("{} ({})", host.name, host.version)).collect();
        format!(
            "{} application threads need a thread-safe libhdf5, which {} is not: name one with --host, as --host \
             tables where PyTables is installed (pip install tables)",
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
