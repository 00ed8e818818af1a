//! Runs other programs: output to a log, one line to the terminal, the log's end when it fails.

use std::collections::VecDeque;
use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::layout::Layout;

/// Lines of a log that are shown when its program fails.
const SHOWN_LINES: usize = 30;

/// No program of ours needs that long; one that does hangs.
const TIME_LIMIT: Duration = Duration::from_secs(30 * 60);

/// How often a running program is asked whether it has ended.
const POLL: Duration = Duration::from_millis(20);

/// Variables that would make a run other than it says: another connector, other plugins, other modules.
const UNWANTED: [&str; 7] =
    ["HDF5_", "BYPASS_VOL_", "H5STATS_", "H5BYPASS_", "PYTHONPATH", "PYTHONHOME", "PYTEST_"];

/// How a program ended and where its output is.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) status: ExitStatus,
    pub(crate) log: PathBuf,
    pub(crate) took: Duration,
}

/// A command that does not inherit what would change HDF5's or Python's behaviour.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in env::vars_os() {
        if is_unwanted(&name) {
            command.env_remove(name);
        }
    }
    command.stdin(Stdio::null());
    command
}

/// The cargo that runs us.
pub(crate) fn cargo() -> Command {
    command(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
}

fn is_unwanted(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    UNWANTED.iter().any(|unwanted| name.starts_with(unwanted))
}

/// A program that was started, its output going to a log.
pub(crate) struct Running {
    child: Child,
    log: PathBuf,
    started: Instant,
}

impl Running {
    /// Starts `command`; the log is `target/xtask/logs/<name>.log`.
    pub(crate) fn start(layout: &Layout, name: &str, command: &mut Command) -> Result<Self> {
        let log = layout.logs().join(format!("{name}.log"));
        fs::create_dir_all(layout.logs()).context("cannot make the folder for logs")?;
        let output = File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        let errors = output.try_clone().context("cannot share the log")?;
        let started = Instant::now();
        let child = command
            .stdout(output)
            .stderr(errors)
            .spawn()
            .with_context(|| format!("cannot start {}", command.get_program().display()))?;
        Ok(Self { child, log, started })
    }

    /// Waits for its end; kills it when it hangs.
    pub(crate) fn wait(mut self) -> Result<Finished> {
        loop {
            if let Some(status) = self.child.try_wait().context("cannot wait for a program")? {
                return Ok(Finished { status, log: self.log, took: self.started.elapsed() });
            }
            if self.started.elapsed() > TIME_LIMIT {
                self.child.kill().context("cannot kill a program that hangs")?;
                self.child.wait().context("cannot wait for a killed program")?;
                show_end_of(&self.log);
                bail!("killed after {} without an end: {}", seconds(TIME_LIMIT), self.log.display());
            }
            thread::sleep(POLL);
        }
    }
}

/// Runs `command` to its end with its output in a log.
pub(crate) fn run_logged(layout: &Layout, name: &str, command: &mut Command) -> Result<Finished> {
    Running::start(layout, name, command)?.wait()
}

/// Runs `command`, which must succeed, and prints one line of what it does and how long it took.
pub(crate) fn run_step(layout: &Layout, name: &str, what: &str, command: &mut Command) -> Result<()> {
    print!("{what} ... ");
    std::io::stdout().flush().context("cannot write to the terminal")?;
    let finished = run_logged(layout, name, command)?;
    println!("{}", seconds(finished.took));
    if !finished.status.success() {
        show_end_of(&finished.log);
        bail!("{what} failed ({}); all of its output: {}", finished.status, finished.log.display());
    }
    Ok(())
}

/// Runs `command`, which must succeed, and gives what it printed.
pub(crate) fn capture(what: &str, command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("{what}: cannot start it"))?;
    if !output.status.success() {
        bail!("{what} failed ({}): {}", output.status, String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs `command`, which must succeed, and lets it write to the terminal.
pub(crate) fn run_shown(what: &str, command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("{what}: cannot start it"))?;
    if !status.success() {
        bail!("{what} failed ({status})");
    }
    Ok(())
}

/// An empty folder at `path`, whatever was there before.
pub(crate) fn empty_folder(path: &Path) -> Result<()> {
    if path.exists() {
        fs::remove_dir_all(path).with_context(|| format!("cannot empty {}", path.display()))?;
    }
    fs::create_dir_all(path).with_context(|| format!("cannot make {}", path.display()))
}

/// Time for people: `0.4 s`, `12 s`, `4 min 53 s`.
pub(crate) fn seconds(time: Duration) -> String {
    let whole = time.as_secs();
    match whole {
        0..10 => format!("{:.1} s", time.as_secs_f64()),
        10..120 => format!("{whole} s"),
        _ => format!("{} min {} s", whole / 60, whole % 60),
    }
}

/// Prints the last lines of a log, at once: others may be printing, too.
pub(crate) fn show_end_of(log: &Path) {
    let Ok(file) = File::open(log) else { return };
    let mut last = VecDeque::with_capacity(SHOWN_LINES);
    for line in BufReader::new(file).split(b'\n').map_while(Result::ok) {
        if last.len() == SHOWN_LINES {
            last.pop_front();
        }
        last.push_back(line);
    }
    let mut text = format!("  the end of {}:\n", log.display());
    for line in last {
        text.extend(["  | ", &String::from_utf8_lossy(&line), "\n"]);
    }
    print!("{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_choose_a_connector_are_not_inherited() {
        for name in ["HDF5_VOL_CONNECTOR", "HDF5_PLUGIN_PATH", "BYPASS_VOL_DISABLE", "PYTHONPATH"] {
            assert!(is_unwanted(OsStr::new(name)), "{name}");
        }
        for name in ["PATH", "HOME", "PIP_FIND_LINKS", "CARGO_TARGET_DIR"] {
            assert!(!is_unwanted(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn time_is_readable() {
        assert_eq!(seconds(Duration::from_millis(440)), "0.4 s");
        assert_eq!(seconds(Duration::from_secs(57)), "57 s");
        assert_eq!(seconds(Duration::from_secs(293)), "4 min 53 s");
    }
}
