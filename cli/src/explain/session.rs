//! Starts the worker, shows its progress, and reads its results.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use super::dataset::Dataset;
use super::worker::{Message, Problem};
use crate::args::{EXPLAIN_WORKER, ExplainArgs};
use crate::environment;
use crate::libraries::choice::Choice;
use crate::probe::STEP_MARK;
use crate::process::progress::StatusLine;
use crate::process::scratch;
use crate::process::subprocess::{self, Ending, Finished, signal_name};

/// Progress is shown only after this time.
const SILENCE: Duration = Duration::from_secs(1);
/// The time between two updates of the progress.
const INTERVAL: Duration = Duration::from_millis(100);
/// The last step is searched in this many bytes at the end of the output. If it is not there, the terminal keeps showing the
/// previous one.
const TAIL: u64 = 8 << 10;

/// The results of the worker.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Findings {
    /// Whether the file could be opened.
    pub(super) opened: bool,
    /// The connector it went through.
    pub(super) connector: Option<String>,
    /// Whether the connector can explain its decisions.
    pub(super) explains: bool,
    pub(super) datasets: Vec<Dataset>,
    pub(super) problems: Vec<Problem>,
    /// What stopped the worker before it was done.
    pub(super) failure: Option<String>,
}

/// Runs the worker.
pub(super) fn run(args: &ExplainArgs, choice: &Choice) -> io::Result<Findings> {
    let scratch = scratch::directory()?;
    let mut command = Command::new(std::env::current_exe()?);
    command
        .arg(EXPLAIN_WORKER)
        .arg("--lib")
        .arg(&choice.library)
        .arg("--")
        .arg(&args.file)
        .args(&args.datasets);
    // The statistics and traces of connectors would only mix with the results.
    command.env_remove(environment::STATS).env_remove(environment::STATS_OUT).env_remove(environment::TRACE);
    choice.changes.apply(&mut command);
    let mut watch = Watch::new();
    let timeout = Duration::from_secs(args.timeout);
    let finished = subprocess::run_while(command, timeout, scratch.path(), |stdout| watch.has_moved(stdout))?;
    Ok(read(&finished))
}

/// Watches the worker's output: whether it makes progress and, when it takes long, which step it is at.
struct Watch {
    started: Instant,
    looked: Instant,
    length: u64,
    line: StatusLine,
}

impl Watch {
    fn new() -> Self {
        let now = Instant::now();
        Self { started: now, looked: now, length: 0, line: StatusLine::new() }
    }

    /// Whether there is more output than last time.
    fn has_moved(&mut self, stdout: &Path) -> bool {
        if self.looked.elapsed() < INTERVAL {
            return false;
        }
        self.looked = Instant::now();
        let Ok(length) = std::fs::metadata(stdout).map(|metadata| metadata.len()) else { return false };
        let moved = std::mem::replace(&mut self.length, length) != length;
        if moved && self.started.elapsed() >= SILENCE {
            // Failing to show progress is not an error.
            if let Some(step) = tail(stdout, length).ok().as_deref().and_then(last_step) {
                self.line.show_name("at ", step);
            }
        }
        moved
    }
}

/// The end of a file of this length.
fn tail(path: &Path, length: u64) -> io::Result<String> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn last_step(output: &str) -> Option<&str> {
    output.lines().rev().find_map(|line| line.strip_prefix(STEP_MARK))
}

/// Finds the messages in the worker's output. Other lines may come from the library.
fn read(finished: &Finished) -> Findings {
    let mut findings = Findings::default();
    let mut complete = false;
    for message in finished.stdout.lines().filter_map(|line| serde_json::from_str(line).ok()) {
        match message {
            Message::Opened { connector, explains } => {
                findings.opened = true;
                findings.connector = connector;
                findings.explains = explains;
            }
            Message::Dataset(dataset) => findings.datasets.push(*dataset),
            Message::Problem(problem) => findings.problems.push(problem),
            Message::Failed { cause } => findings.failure = Some(cause),
            Message::Done => complete = true,
        }
    }
    // A crash in libhdf5's exit handlers does not affect the results.
    if !complete && findings.failure.is_none() {
        findings.failure = Some(interruption(finished));
    }
    findings
}

/// Describes how the worker ended before it was done.
fn interruption(finished: &Finished) -> String {
    let place = last_step(&finished.stdout).map(|step| format!(" at {step}")).unwrap_or_default();
    match finished.ending {
        Ending::Exited(code) => format!("HDF5 ended the process with exit code {code}{place}"),
        Ending::Signalled(signal) => format!("HDF5 crashed{place} with {}", signal_name(signal)),
        Ending::TimedOut(after) => {
            format!("HDF5 did not respond within {} s{place} (see --timeout)", after.as_secs())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(ending: Ending, stdout: &str) -> Finished {
        Finished { ending, stdout: stdout.into(), stderr: String::new() }
    }

    const OPENED: &str = "at opening the file\n{\"opened\":{\"connector\":\"bypass\",\"explains\":true}}\n";

    #[test]
    fn messages_are_found_among_other_lines() {
        let stdout = format!(
            "{OPENED}hello\n{{\"problem\":{{\"path\":\"/x\",\"cause\":\"gone\"}}}}\n\"done\"\nat exit\n"
        );
        let findings = read(&finished(Ending::Exited(0), &stdout));
        assert!(findings.opened && findings.explains);
        assert_eq!(findings.problems, [Problem { path: Some("/x".into()), cause: "gone".into() }]);
        assert_eq!(findings.failure, None);
    }

    #[test]
    fn a_crash_is_placed_unless_all_was_said() {
        let crash = Ending::Signalled(libc::SIGSEGV);
        let stdout = format!("{OPENED}at dataset 2 of 3: /x\n");
        let failure = read(&finished(crash, &stdout)).failure.unwrap();
        assert!(failure.contains("crashed at dataset 2 of 3: /x with signal 11"), "{failure}");
        let stdout = format!("{OPENED}\"done\"\nat exit\n");
        assert_eq!(read(&finished(crash, &stdout)).failure, None);
        let hang = read(&finished(Ending::TimedOut(Duration::from_secs(3)), "at H5open\n"));
        assert_eq!(hang.failure.unwrap(), "HDF5 did not respond within 3 s at H5open (see --timeout)");
    }

    #[test]
    fn the_end_of_the_output_has_the_last_step() {
        let scratch = scratch::directory().unwrap();
        let file = scratch.path().join("out");
        let text = "at one\n".repeat(2000) + "at two\nnoise\n";
        std::fs::write(&file, &text).unwrap();
        assert_eq!(last_step(&tail(&file, text.len() as u64).unwrap()), Some("two"));
        assert_eq!(last_step("noise\n"), None);
    }
}
