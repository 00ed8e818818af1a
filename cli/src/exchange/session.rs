//! Starts the worker, shows its progress, and reads its answer.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use super::progress::Line;
use super::request::{Message, Request, Task};
use crate::args::EXCHANGE_WORKER;
use crate::environment;
use crate::libraries::choice::Choice;
use crate::process::scratch;
use crate::process::subprocess::{self, Ending, Finished, signal_name};

/// The time between two looks at the output.
const INTERVAL: Duration = Duration::from_millis(100);
/// The last message about progress is looked for in this many bytes at the end of the output.
const TAIL: u64 = 8 << 10;
/// The worker is never given up: large files take long. It is only asked this often whether it has ended.
const PATIENCE: Duration = Duration::from_secs(3600);

/// Runs the worker, and returns its last message.
pub(crate) fn run(choice: &Choice, task: Task) -> Result<Message> {
    let request = Request { library: choice.library.as_os_str().as_bytes().to_vec(), task };
    let scratch = scratch::directory()?;
    let mut command = Command::new(std::env::current_exe()?);
    command.arg(EXCHANGE_WORKER).arg(serde_json::to_string(&request)?);
    choice.changes.apply(&mut command);
    // Each side names its connector.
    command.env_remove(environment::VOL_CONNECTOR);
    let line = Line::new();
    let mut looked = Instant::now();
    let finished = subprocess::run_while(command, PATIENCE, scratch.path(), |stdout| {
        if looked.elapsed() >= INTERVAL {
            looked = Instant::now();
            if let Some((path, bytes, all)) = last_progress(stdout) {
                line.show(&path, bytes, all);
            }
        }
        true
    })?;
    drop(line);
    answer(&finished)
}

/// The last message about progress. Failing to show it is not an error.
fn last_progress(stdout: &Path) -> Option<(String, u64, Option<u64>)> {
    let text = tail(stdout).ok()?;
    text.lines().rev().find_map(|line| match serde_json::from_str(line).ok()? {
        Message::Progress { path, bytes, all } => Some((path, bytes, all)),
        _ => None,
    })
}

fn tail(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The worker's answer. Other lines may come from the library.
fn answer(finished: &Finished) -> Result<Message> {
    let mut last = None;
    for message in finished.stdout.lines().filter_map(|line| serde_json::from_str(line).ok()) {
        match message {
            Message::Failed { cause } => bail!("{cause}"),
            // A crash in libhdf5's exit handlers does not affect the answer.
            Message::Progress { path, .. } => last = Some(path),
            answer => return Ok(answer),
        }
    }
    let place = last.map(|path| format!(" at {path}")).unwrap_or_default();
    match finished.ending {
        Ending::Signalled(signal) => bail!("HDF5 crashed{place} with {}", signal_name(signal)),
        Ending::Exited(code) => {
            let said = finished.stderr.lines().last().map(|line| format!(": {line}")).unwrap_or_default();
            bail!("HDF5 ended the process with exit code {code}{place}{said}")
        }
        Ending::TimedOut(_) => bail!("HDF5 did not respond{place}"),
    }
}
