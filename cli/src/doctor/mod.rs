//! `h5bypass doctor`: finds the HDF5 libraries on this machine and tests the connector with each of them: search -> probe
//! (one process per library) -> verdict -> report.

mod as_set;
mod report;
mod surroundings;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde::{Serialize, Serializer};

use crate::args::DoctorArgs;
use crate::libraries::probing::{Plugin, Probing};
use crate::libraries::verdict::{self, Kind, Verdict};
use crate::libraries::{self, text};
use crate::probe::Version;
use crate::process::progress::StatusLine;
use crate::{plain, variables};
use surroundings::{Problem, Variables};

/// All results. `--json` prints this as JSON.
#[derive(Debug, Serialize)]
struct Diagnosis {
    /// Version of this program.
    h5bypass: &'static str,
    /// Whether there is a supported library, every supported one works, and the environment is valid.
    healthy: bool,
    /// The connector that was tested.
    connector: String,
    plugin: Plugin,
    cores: usize,
    environment: Variables,
    /// What is wrong with the environment.
    problems: Vec<Problem>,
    notes: Vec<String>,
    /// The interpreter whose packages were searched.
    python: Option<String>,
    /// Directories that were searched.
    searched: Vec<String>,
    libraries: Vec<Library>,
}

/// One libhdf5.
#[derive(Debug, Serialize)]
struct Library {
    path: String,
    #[serde(serialize_with = "as_text")]
    version: Option<Version>,
    thread_safe: Option<bool>,
    /// Whether it was built for MPI.
    mpi: bool,
    #[serde(flatten)]
    verdict: Verdict,
    /// The same for the Zarr connector, if it is installed and the library is not too old.
    zarr: Option<Verdict>,
}

/// Diagnoses and prints.
pub(crate) fn doctor(args: &DoctorArgs) -> Result<ExitCode> {
    let diagnosis = diagnose(args)?;
    let written = if args.json {
        let text = serde_json::to_string_pretty(&diagnosis)?;
        std::io::Write::write_all(&mut std::io::stdout().lock(), (text + "\n").as_bytes())
    } else {
        report::write(&mut anstream::stdout().lock(), &diagnosis)
    };
    match written {
        // A reader that closes the pipe has seen enough. The exit code still gives the result.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error).context(plain::NO_OUTPUT),
        _ => Ok(ExitCode::from(u8::from(!diagnosis.healthy))),
    }
}

fn diagnose(args: &DoctorArgs) -> Result<Diagnosis> {
    let timeout = Duration::from_secs(args.timeout);
    let mut notes = Vec::new();
    let (python, search) = libraries::find(&args.libs, args.python.as_deref(), timeout, &mut notes)?;
    let probing = Probing::prepare(args.plugin_dir.as_deref(), args.connector.as_deref(), timeout)?;
    let libraries = try_all(&probing, &search.found)?;

    let environment = surroundings::variables();
    notes.extend(surroundings::notes(&environment));
    let mut problems = surroundings::problems(&environment, &variables::faults());
    problems.extend(as_set::check(&probing, &libraries, &environment)?);
    let (plugin, connector) = probing.into_plugin();
    Ok(Diagnosis {
        h5bypass: env!("CARGO_PKG_VERSION"),
        healthy: is_healthy(&libraries) && problems.is_empty(),
        connector,
        plugin,
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        environment,
        problems,
        notes,
        python: python.map(|python| text(&python.executable)),
        searched: search.searched.iter().map(|dir| text(dir)).collect(),
        libraries,
    })
}

/// Tests every library and shows progress.
fn try_all(probing: &Probing, paths: &[PathBuf]) -> Result<Vec<Library>> {
    let line = StatusLine::new();
    let mut libraries = Vec::with_capacity(paths.len());
    for (index, path) in paths.iter().enumerate() {
        line.show_name(&format!("testing {} of {}: ", index + 1, paths.len()), &text(path));
        libraries.push(Library::tried(path, probing)?);
    }
    Ok(libraries)
}

impl Library {
    fn tried(path: &Path, probing: &Probing) -> Result<Self> {
        let identity = probing.identify(path)?;
        let (verdict, zarr) = match verdict::judge_identity(path, &identity) {
            Ok(version) => (probing.through_connector(path, version)?, probing.through_zarr(path, version)?),
            Err(verdict) => (verdict, None),
        };
        let report = identity.report.unwrap_or_default();
        let (version, thread_safe, mpi) = (report.version, report.thread_safe, report.is_parallel);
        Ok(Self { path: text(path), version, thread_safe, mpi, verdict, zarr })
    }
}

/// Whether there is a supported library and all of them work.
fn is_healthy(libraries: &[Library]) -> bool {
    let mut supported = libraries.iter().filter(|library| library.verdict.kind != Kind::TooOld).peekable();
    let works = |verdict: &Verdict| verdict.kind == Kind::Ok;
    supported.peek().is_some()
        && supported.all(|library| works(&library.verdict) && library.zarr.as_ref().is_none_or(works))
}

/// Serializes a version as text.
#[expect(clippy::ref_option, reason = "serde's signature")]
fn as_text<S: Serializer>(version: &Option<Version>, serializer: S) -> Result<S::Ok, S::Error> {
    version.map(|version| version.to_string()).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn libraries(kinds: &[Kind]) -> Vec<Library> {
        kinds
            .iter()
            .map(|&kind| Library {
                path: String::new(),
                version: None,
                thread_safe: None,
                mpi: false,
                verdict: Verdict { kind, reason: None, advice: None, details: Vec::new() },
                zarr: None,
            })
            .collect()
    }

    #[test]
    fn health_needs_one_that_works_and_none_that_fails() {
        assert!(is_healthy(&libraries(&[Kind::Ok])));
        assert!(is_healthy(&libraries(&[Kind::TooOld, Kind::Ok])));
        assert!(!is_healthy(&libraries(&[])));
        assert!(!is_healthy(&libraries(&[Kind::TooOld])));
        assert!(!is_healthy(&libraries(&[Kind::Ok, Kind::Failed])));
        assert!(!is_healthy(&libraries(&[Kind::Ok, Kind::NotThroughConnector])));

        let with_zarr = |kind| {
            let mut one = libraries(&[Kind::Ok]);
            one[0].zarr = Some(Verdict { kind, reason: None, advice: None, details: Vec::new() });
            one
        };
        assert!(is_healthy(&with_zarr(Kind::Ok)));
        assert!(!is_healthy(&with_zarr(Kind::Failed)));
    }
}
