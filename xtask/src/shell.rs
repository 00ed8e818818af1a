//! Runs other programs. Their output goes to a log; the terminal shows one line, and the end of the log if the program fails.

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

/// A test program that prints nothing for this long counts as hanging. It is long, because a busy machine is slow. Each test
/// prints something, and tests that could wait forever have their own limits.
const SILENCE: Duration = Duration::from_secs(30 * 60);

/// How often the terminal shows that a program is still running.
const REMINDER: Duration = Duration::from_secs(5 * 60);

/// How often a running program is asked whether it has ended.
const POLL: Duration = Duration::from_millis(20);

/// Variables that would change a run: another connector, other plugins, other modules.
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

/// How long a program is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Patience {
    /// As long as it takes: for downloads and builds, which may print nothing for a long time.
    Unlimited,
    /// Until it has printed nothing for this long.
    Silence(Duration),
}

/// For what runs tests.
pub(crate) const TESTING: Patience = Patience::Silence(SILENCE);

/// A program that was started, its output going to a log.
pub(crate) struct Running {
    child: Child,
    name: String,
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
            // Output shows that the program is alive only if it is not buffered.
            .env("PYTHONUNBUFFERED", "1")
            .stdout(output)
            .stderr(errors)
            .spawn()
            .with_context(|| format!("cannot start {}", command.get_program().display()))?;
        Ok(Self { child, name: name.to_owned(), log, started })
    }

    /// Waits for its end; kills it when it hangs.
    pub(crate) fn wait(mut self, patience: Patience) -> Result<Finished> {
        let (mut printed, mut heard, mut reminded) = (0, Instant::now(), Instant::now());
        loop {
            if let Some(status) = self.child.try_wait().context("cannot wait for a program")? {
                return Ok(Finished { status, log: self.log, took: self.started.elapsed() });
            }
            let length = fs::metadata(&self.log).map_or(printed, |log| log.len());
            if length != printed {
                (printed, heard) = (length, Instant::now());
            }
            if let Patience::Silence(limit) = patience
                && heard.elapsed() > limit
            {
                self.child.kill().context("cannot kill a program that hangs")?;
                self.child.wait().context("cannot wait for a killed program")?;
                show_end_of(&self.log);
                bail!("killed after {} without any output: {}", seconds(limit), self.log.display());
            }
            if reminded.elapsed() > REMINDER {
                reminded = Instant::now();
                let (whole, last) = (seconds(self.started.elapsed()), seconds(heard.elapsed()));
                println!("  {} has been running for {whole}; last output {last} ago", self.name);
            }
            thread::sleep(POLL);
        }
    }
}

/// Runs `command`, which tests something, to its end with its output in a log.
pub(crate) fn run_logged(layout: &Layout, name: &str, command: &mut Command) -> Result<Finished> {
    Running::start(layout, name, command)?.wait(TESTING)
}

/// Runs `command`, which must succeed, and prints one line: what it does and how long it took. There is no time limit, because
/// it is for downloads and builds.
pub(crate) fn run_step(layout: &Layout, name: &str, what: &str, command: &mut Command) -> Result<()> {
    print!("{what} ... ");
    std::io::stdout().flush().context("cannot write to the terminal")?;
    let finished = Running::start(layout, name, command)?.wait(Patience::Unlimited)?;
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

/// Prints the last lines of a log in one call, because other threads may be printing, too.
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

    /// What a shell script comes to; its log is removed.
    fn wait_for(name: &str, script: &str, patience: Patience) -> Result<Finished> {
        let folder = tempfile::tempdir()?;
        let target = folder.path().to_owned();
        let layout = Layout { root: target.clone(), target };
        Running::start(&layout, name, Command::new("sh").args(["-c", script]))?.wait(patience)
    }

    #[test]
    fn silence_ends_a_program_and_taking_long_does_not() {
        let limit = Patience::Silence(Duration::from_millis(300));
        let error = wait_for("silent", "echo begun; exec sleep 600", limit).expect_err("it is silent");
        assert!(error.to_string().contains("killed after 0.3 s without any output"), "{error:#}");
        let limit = Patience::Silence(Duration::from_secs(4));
        let slow = "for i in 1 2 3 4 5 6 7 8 9 10; do echo $i; sleep 0.5; done";
        assert!(wait_for("slow", slow, limit).expect("it goes on printing").status.success());
        assert!(wait_for("building", "sleep 0.3", Patience::Unlimited).expect("no limit").status.success());
    }

    #[test]
    fn time_is_readable() {
        assert_eq!(seconds(Duration::from_millis(440)), "0.4 s");
        assert_eq!(seconds(Duration::from_secs(57)), "57 s");
        assert_eq!(seconds(Duration::from_secs(293)), "4 min 53 s");
    }
}
