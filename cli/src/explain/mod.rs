//! `h5bypass explain`: lists a file's datasets, which of them the connector reads itself, and why it does not read the
//! others: choose a libhdf5 -> inspect the file (in a separate process) -> listing. The arrays of a Zarr directory are listed
//! without HDF5.

pub(crate) mod dataset;
pub(crate) mod datatype;
mod explanation;
pub(crate) mod hdf5_file;
mod inspect;
mod listing;
mod session;
pub(crate) mod size;
mod summary;
pub(crate) mod wording;
pub(crate) mod worker;
pub(crate) mod zarr_directory;
mod zarr_listing;

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use serde::Serialize;

use crate::args::ExplainArgs;
use crate::connector::{BYPASS, Spec};
use crate::libraries::choice::{self, Choice};
use crate::plain;
use dataset::Dataset;
use session::Findings;
use summary::Summary;
use worker::Problem;

/// The exit code if the file, or a dataset that was asked for, cannot be read.
const EXIT_FILE: u8 = 1;

/// The default time limit: seconds without progress.
const TIMEOUT: u64 = 30;

/// All results. `--json` prints this as JSON.
#[derive(Debug, Serialize)]
struct Report {
    /// Version of this program.
    h5bypass: &'static str,
    file: String,
    library: Library,
    /// The connector's own file.
    plugin: Option<String>,
    /// Whether the connector can explain its decisions.
    explains: bool,
    /// Whether everything was listed without a problem.
    complete: bool,
    datasets: Vec<Dataset>,
    problems: Vec<Problem>,
    summary: Summary,
}

/// The libhdf5 that opened the file.
#[derive(Debug, Serialize)]
struct Library {
    path: String,
    version: String,
}

/// Why nothing could be printed. A reader that closes the pipe has seen enough; the exit code still gives the result.
fn print_failed(printed: std::io::Result<()>) -> Option<std::io::Error> {
    printed.err().filter(|error| error.kind() != std::io::ErrorKind::BrokenPipe)
}

/// Inspects the file and prints the listing.
pub(crate) fn explain(args: &ExplainArgs) -> Result<ExitCode> {
    let file = wording::printable(&args.file.to_string_lossy());
    match zarr_directory::find(&args.file) {
        Ok(None) => {}
        Ok(Some(directory)) => return zarr_listing::explain(args, &directory),
        Err(cause) => {
            plain::say(&format!("{file}: {}", wording::printable(&cause)));
            return Ok(ExitCode::from(EXIT_FILE));
        }
    }
    if let Some(cause) = hdf5_file::unusable(&args.file) {
        plain::say(&format!("{file}: {cause}"));
        return Ok(ExitCode::from(EXIT_FILE));
    }
    let choice = choice::choose(args.lib.as_deref(), args.plugin_dir.as_deref(), args.connector.as_deref())?;
    let findings = session::run(args, &choice)?;
    if !findings.opened {
        let cause = findings.failure.as_deref().unwrap_or("it cannot be opened");
        plain::say(&format!("{file}: cannot be opened: {}", wording::printable(cause)));
        return Ok(ExitCode::from(EXIT_FILE));
    }
    check_connector(args, &findings)?;
    let (report, failure) = report(args, &choice, findings);
    if let Some(error) = print_failed(print(args, &report)) {
        return Err(error).context(plain::NO_OUTPUT);
    }
    for problem in &report.problems {
        let path = problem.path.as_deref().map(|path| format!(": dataset '{path}'")).unwrap_or_default();
        let text = wording::printable(&format!("{path}: {}", problem.cause));
        plain::say(&format!("{file}{text}"));
    }
    if let Some(failure) = &failure {
        plain::say(&format!("{file}: {}", wording::printable(failure)));
    }
    if !report.complete {
        return Ok(ExitCode::from(EXIT_FILE));
    }
    if !report.explains {
        bail!("the connector cannot explain its decisions: it is older than this h5bypass");
    }
    Ok(ExitCode::SUCCESS)
}

/// The contents of a file, for other commands: all datasets or those named, and the problems with others. Fails if the file
/// cannot be opened.
pub(crate) fn contents(file: &Path, names: &[&str], choice: &Choice) -> Result<(Vec<Dataset>, Vec<String>)> {
    let name = wording::printable(&file.to_string_lossy());
    let args = ExplainArgs {
        file: file.to_owned(),
        datasets: names.iter().map(Into::into).collect(),
        lib: None,
        plugin_dir: None,
        json: false,
        timeout: TIMEOUT,
        connector: None,
    };
    let findings = session::run(&args, choice)?;
    if !findings.opened {
        let cause = findings.failure.as_deref().unwrap_or("it cannot be opened");
        bail!("{name}: cannot be opened: {}", wording::printable(cause));
    }
    let problems = findings.problems.into_iter().map(|Problem { path, cause }| match path {
        Some(path) => wording::printable(&format!("dataset '{path}': {cause}")),
        None => wording::printable(&cause),
    });
    Ok((findings.datasets, problems.chain(findings.failure).collect()))
}

/// Fails if HDF5 opened the file through another connector. None of the results would hold then.
fn check_connector(args: &ExplainArgs, findings: &Findings) -> Result<()> {
    let expected = args.connector.as_deref().and_then(Spec::parse).map_or(BYPASS, |spec| spec.name);
    match findings.connector.as_deref() {
        Some(connector) if connector == expected => Ok(()),
        other => bail!(
            "{}: HDF5 opened it through '{}', not through '{expected}'",
            wording::printable(&args.file.to_string_lossy()),
            other.unwrap_or("an unknown connector")
        ),
    }
}

fn report(args: &ExplainArgs, choice: &Choice, findings: Findings) -> (Report, Option<String>) {
    let complete = findings.failure.is_none() && findings.problems.is_empty();
    let report = Report {
        h5bypass: env!("CARGO_PKG_VERSION"),
        file: args.file.to_string_lossy().into_owned(),
        library: Library {
            path: choice.library.to_string_lossy().into_owned(),
            version: choice.version.to_string(),
        },
        plugin: choice.plugin.clone(),
        explains: findings.explains,
        complete,
        summary: Summary::of(&findings.datasets),
        datasets: findings.datasets,
        problems: findings.problems,
    };
    (report, findings.failure)
}

fn print(args: &ExplainArgs, report: &Report) -> std::io::Result<()> {
    if args.json {
        let text = serde_json::to_string_pretty(report)?;
        std::io::stdout().lock().write_all((text + "\n").as_bytes())
    } else {
        listing::write(&mut anstream::stdout().lock(), report)
    }
}
