//! Runs `h5bypass __probe` in a separate process and reads its report.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::args::{PROBE, Step};
use crate::environment::{self, Changes};
use crate::probe::{Report, STEP_MARK};
use crate::process::scratch;
use crate::process::subprocess::{self, Ending};

/// The search path of the dynamic linker.
pub(crate) const LIBRARY_PATH: &str = "LD_LIBRARY_PATH";

/// The outcome of a probe.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    pub(crate) ending: Ending,
    /// The report. `None` if the process ended before it could report.
    pub(crate) report: Option<Report>,
    /// The last step that it started.
    pub(crate) last_step: Option<String>,
    /// What it or libhdf5 printed.
    pub(crate) stderr: String,
    /// The `LD_LIBRARY_PATH` that was needed to load the library, if it differs from ours.
    pub(crate) library_path: Option<OsString>,
}

/// Starts probes.
#[derive(Debug)]
pub(crate) struct Prober {
    executable: PathBuf,
    timeout: Duration,
}

impl Prober {
    pub(crate) fn new(timeout: Duration) -> io::Result<Self> {
        Ok(Self { executable: std::env::current_exe()?, timeout })
    }

    /// Runs a probe without a connector.
    pub(crate) fn plain(&self, library: &Path, step: Step) -> io::Result<Outcome> {
        let none = Changes { set: Vec::new(), unset: vec![environment::VOL_CONNECTOR] };
        self.probe(library, step, &none)
    }

    /// Runs a probe with these variables. The libraries in some old wheels do not say where to find the libraries next to
    /// them (the module that imports them does). If that is the problem, a second attempt adds their directory.
    pub(crate) fn probe(&self, library: &Path, step: Step, changes: &Changes) -> io::Result<Outcome> {
        let outcome = self.once(library, step, changes, None)?;
        let misses_dependency = outcome.report.as_ref().is_some_and(|report| {
            !report.loaded
                && report.failure.as_deref().is_some_and(|text| text.contains("cannot open shared object"))
        });
        match library.parent().filter(|_| misses_dependency) {
            Some(dir) => self.once(library, step, changes, Some(dir)),
            None => Ok(outcome),
        }
    }

    fn once(
        &self,
        library: &Path,
        step: Step,
        changes: &Changes,
        siblings: Option<&Path>,
    ) -> io::Result<Outcome> {
        let scratch = scratch::directory()?;
        let mut command = Command::new(&self.executable);
        command.arg(PROBE).arg("--step").arg(match step {
            Step::Load => "load",
            Step::Identify => "identify",
            Step::Roundtrip => "roundtrip",
        });
        command.arg("--scratch").arg(scratch.path()).arg("--").arg(library);
        // The statistics and traces of connectors would only mix with the report.
        command
            .env_remove(environment::STATS)
            .env_remove(environment::STATS_OUT)
            .env_remove(environment::ZARR_STATS)
            .env_remove(environment::TRACE);
        changes.apply(&mut command);
        let library_path = siblings.map(|dir| with_last(std::env::var_os(LIBRARY_PATH), dir));
        if let Some(path) = &library_path {
            command.env(LIBRARY_PATH, path);
        }
        let finished = subprocess::run(command, self.timeout, scratch.path())?;
        let (report, last_step) = parse(&finished.stdout);
        Ok(Outcome { ending: finished.ending, report, last_step, stderr: finished.stderr, library_path })
    }
}

/// Finds the report and the last step in a probe's output. Other lines may come from the library.
fn parse(stdout: &str) -> (Option<Report>, Option<String>) {
    let report = stdout.lines().rev().find_map(|line| serde_json::from_str(line).ok());
    let step = stdout.lines().rev().find_map(|line| line.strip_prefix(STEP_MARK)).map(String::from);
    (report, step)
}

/// Appends a directory to a search path.
fn with_last(path: Option<OsString>, dir: &Path) -> OsString {
    let mut path = path.filter(|path| !path.is_empty()).map_or_else(OsString::new, |mut path| {
        path.push(":");
        path
    });
    path.push(dir);
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_found_among_other_lines() {
        let json = serde_json::to_string(&Report { loaded: true, ..Report::default() }).unwrap();
        let (report, step) = parse(&format!("at H5open\nhello\nat exit\n{json}\nbye\n"));
        assert!(report.unwrap().loaded);
        assert_eq!(step.as_deref(), Some("exit"));
        assert_eq!(parse("at H5Dread\n"), (None, Some("H5Dread".into())));
        assert_eq!(parse(""), (None, None));
    }

    #[test]
    fn a_directory_is_added_last() {
        assert_eq!(with_last(None, Path::new("/d")), "/d");
        assert_eq!(with_last(Some("".into()), Path::new("/d")), "/d");
        assert_eq!(with_last(Some("/a:/b".into()), Path::new("/d")), "/a:/b:/d");
    }
}
