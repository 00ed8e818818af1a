//! A child process with a deadline. Its output goes to files, so that it can never block, however much it prints.

use std::fs::File;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use bench_suite::controller::was_interrupted;

/// How a child ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// By itself, with this exit code.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// By us, after this time.
    TimedOut(Duration),
}

/// A child that has ended.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) ending: Ending,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs a command until it ends or the deadline passes.
pub(crate) fn run(command: Command, timeout: Duration, scratch: &Path) -> io::Result<Finished> {
    run_while(command, timeout, scratch, |_| false)
}

/// Runs a command until it ends, or until `is_alive` has returned false for this long. `is_alive` is called repeatedly,
/// with the file that holds the output so far.
pub(crate) fn run_while(
    mut command: Command,
    timeout: Duration,
    scratch: &Path,
    mut is_alive: impl FnMut(&Path) -> bool,
) -> io::Result<Finished> {
    let (stdout, stderr) = (scratch.join("stdout"), scratch.join("stderr"));
    command.stdin(Stdio::null()).stdout(File::create(&stdout)?).stderr(File::create(&stderr)?);
    let mut child = command.spawn()?;
    let mut deadline = Instant::now() + timeout;
    let mut pause = Duration::from_millis(1);
    let ending = loop {
        if was_interrupted() {
            child.kill()?;
            child.wait()?;
            return Err(io::Error::new(io::ErrorKind::Interrupted, "interrupted"));
        }
        if let Some(status) = child.try_wait()? {
            break ending(status);
        }
        if is_alive(&stdout) {
            deadline = Instant::now() + timeout;
        } else if Instant::now() >= deadline {
            child.kill()?;
            child.wait()?;
            break Ending::TimedOut(timeout);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    };
    Ok(Finished { ending, stdout: read_lossy(&stdout)?, stderr: read_lossy(&stderr)? })
}

fn ending(status: ExitStatus) -> Ending {
    match status.signal() {
        Some(signal) => Ending::Signalled(signal),
        None => Ending::Exited(status.code().unwrap_or(-1)),
    }
}

fn read_lossy(path: &Path) -> io::Result<String> {
    Ok(String::from_utf8_lossy(&std::fs::read(path)?).into_owned())
}

/// The name of a signal that kills programs, and what it means.
pub(crate) fn signal_name(signal: i32) -> String {
    let name = match signal {
        libc::SIGSEGV => "SIGSEGV, invalid memory access",
        libc::SIGBUS => "SIGBUS, invalid memory access",
        libc::SIGABRT => "SIGABRT",
        libc::SIGILL => "SIGILL, an instruction that this processor does not support",
        libc::SIGFPE => "SIGFPE",
        libc::SIGKILL => "SIGKILL",
        libc::SIGXFSZ => "SIGXFSZ, a file would be larger than allowed",
        libc::SIGSYS => "SIGSYS",
        other => return format!("signal {other}"),
    };
    format!("signal {signal} ({name})")
}

#[cfg(test)]
mod tests {
    use super::super::scratch;
    use super::*;

    fn sh(script: &str, timeout: Duration) -> Finished {
        let scratch = scratch::directory().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        run(command, timeout, scratch.path()).unwrap()
    }

    #[test]
    fn endings_are_told_apart() {
        let long = Duration::from_secs(60);
        assert_eq!(sh("exit 3", long).ending, Ending::Exited(3));
        assert_eq!(sh("kill -SEGV $$", long).ending, Ending::Signalled(libc::SIGSEGV));
        let short = Duration::from_millis(50);
        assert_eq!(sh("exec sleep 60", short).ending, Ending::TimedOut(short));
    }

    #[test]
    fn output_extends_the_deadline() {
        let scratch = scratch::directory().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "for i in 1 2 3 4 5 6; do echo $i; sleep 0.2; done"]);
        let mut length = 0;
        let finished = run_while(command, Duration::from_secs(1), scratch.path(), |stdout| {
            let now = std::fs::metadata(stdout).unwrap().len();
            std::mem::replace(&mut length, now) != now
        });
        assert_eq!(finished.unwrap().ending, Ending::Exited(0));
    }

    #[test]
    fn output_is_kept() {
        let finished = sh("echo out; echo err >&2", Duration::from_secs(60));
        assert_eq!((finished.stdout.as_str(), finished.stderr.as_str()), ("out\n", "err\n"));
    }
}
