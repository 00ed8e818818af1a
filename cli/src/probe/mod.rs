//! `h5bypass __probe`: tests one library, in a process that may crash or hang without harm.
//!
//! It writes to standard output, for the `doctor` that started it: a line `at <step>` before each step, to tell where a
//! crash happened, and the [`Report`] as one line of JSON at the end.

mod roundtrip;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use h5_client::{Failure, Library};
use serde::{Deserialize, Serialize};

use crate::args::{ProbeArgs, Step};

/// The prefix of the lines that announce a step.
pub(crate) const STEP_MARK: &str = "at ";

/// The function that HDF5 calls to ask a plugin what it is.
const PLUGIN_INFO: &str = "H5PLget_plugin_info";
/// A function that only builds for MPI have.
const PARALLEL: &str = "H5Pset_fapl_mpio";

/// The beginning of the error for a function that a library does not have.
pub(crate) const LACKS: &str = Failure::LACKS;

/// The results of a probe.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "one for each thing that was found")]
pub(crate) struct Report {
    /// Whether the dynamic linker loaded the library.
    pub(crate) loaded: bool,
    /// Its version, if it is a libhdf5.
    pub(crate) version: Option<Version>,
    /// Whether it was built thread-safe. Old versions do not say.
    pub(crate) thread_safe: Option<bool>,
    /// Whether it was built for MPI.
    #[serde(default)]
    pub(crate) is_parallel: bool,
    /// The connector that a file was created through.
    pub(crate) created_through: Option<String>,
    /// The connector that the file was reopened through.
    pub(crate) opened_through: Option<String>,
    /// Whether the file is a stub of a Zarr directory.
    #[serde(default)]
    pub(crate) is_stub: bool,
    /// Whether the data read equals the data written.
    pub(crate) data_equal: bool,
    /// The first thing that failed.
    pub(crate) failure: Option<String>,
    /// libhdf5's error stack for that failure, outermost call first.
    pub(crate) error_stack: Vec<String>,
}

/// Version of a libhdf5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Version(pub(crate) u32, pub(crate) u32, pub(crate) u32);

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&format!("{}.{}.{}", self.0, self.1, self.2))
    }
}

/// Runs the probe. What goes wrong is in the report.
pub(crate) fn probe(args: &ProbeArgs) -> Result<ExitCode> {
    let mut report = Report::default();
    if let Err(failure) = attempt(args, &mut report) {
        report.error_stack = stack(&failure);
        report.failure = Some(failure.message);
    }
    println!("{}", serde_json::to_string(&report)?);
    // Returning runs libhdf5's exit handlers. A crash in them is a result, too.
    Ok(ExitCode::SUCCESS)
}

fn attempt(args: &ProbeArgs, report: &mut Report) -> Result<(), Failure> {
    announce("loading the library");
    let library = Library::load(&args.library)?;
    report.loaded = true;
    if args.step == Step::Load {
        return library.require(PLUGIN_INFO);
    }
    announce("H5open");
    let h5 = library.enter()?;
    announce("H5get_libversion");
    let version = h5.version()?;
    report.version = Some(Version(version.major, version.minor, version.release));
    report.thread_safe = h5.is_thread_safe()?;
    report.is_parallel = library.require(PARALLEL).is_ok();
    if args.step == Step::Identify {
        return Ok(());
    }
    let scratch = args.scratch.as_deref().unwrap_or_else(|| Path::new("."));
    roundtrip::roundtrip(&h5, &scratch.join("doctor.h5"), report)
}

/// The lines of libhdf5's error stack, outermost call first.
fn stack(failure: &Failure) -> Vec<String> {
    let line = |entry: &h5_client::Entry| {
        let file = entry.file.rsplit('/').next().unwrap_or_default();
        format!("{}: {} ({file}:{})", entry.function, entry.description, entry.line)
    };
    failure.entries.iter().rev().map(line).collect()
}

/// Announces the next step.
pub(crate) fn announce(step: &str) {
    println!("{STEP_MARK}{step}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_an_order() {
        assert!(Version(1, 12, 2) < Version(1, 14, 0));
        assert!(Version(1, 14, 6) < Version(2, 0, 0));
        assert_eq!(Version(1, 14, 6).to_string(), "1.14.6");
    }
}
