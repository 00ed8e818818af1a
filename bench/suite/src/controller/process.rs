//! Runs one worker: starts it, reads its events, and kills it when it is silent for too long or the user interrupts.

use std::io::{self, BufRead as _, BufReader, Read};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::interrupt;
use crate::Event;

/// How often it is checked whether the worker must be killed.
const LOOK: Duration = Duration::from_millis(50);
/// The maximum length of a line from a worker.
const LONGEST_LINE: u64 = 1 << 20;
/// How much of the end of its standard error is kept. The connector's summary is in it.
const KEPT: usize = 64 << 10;
/// How long to wait for the rest of the pipes after the worker has ended. Another process may keep them open.
const AFTERMATH: Duration = Duration::from_secs(2);

/// A worker that has ended.
#[derive(Debug)]
pub(super) struct Ended {
    /// Its last event that is an answer: figures, bytes, or why there are none.
    pub(super) answer: Option<Event>,
    pub(super) end: End,
    /// The end of its standard error.
    pub(super) stderr: String,
    /// The first line that is not an event.
    rubbish: Option<String>,
    /// The last stage that it announced.
    stage: Option<String>,
}

/// How it ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    /// By itself.
    Exited(i32),
    /// By a signal.
    Signalled(i32),
    /// By us, because it was silent for this long.
    Silent(Duration),
    /// By us, because the user interrupted us.
    Interrupted,
}

/// A message from the threads that read the pipes.
enum Heard {
    Line(String),
    Error(Vec<u8>),
    /// One of the two pipes is closed.
    End,
}

/// Runs a worker until it ends. `progress` is called for the events that are not an answer.
pub(super) fn run(
    mut command: Command,
    silence: Duration,
    progress: &mut dyn FnMut(&Event),
) -> io::Result<Ended> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // SAFETY: a call of the system that takes numbers and may be made between fork and exec.
    unsafe { command.pre_exec(end_with_parent) };
    let mut child = command.spawn()?;
    let (sender, heard) = mpsc::channel();
    if let Some(pipe) = child.stdout.take() {
        let sender = sender.clone();
        thread::spawn(move || send_lines(pipe, &sender));
    }
    if let Some(pipe) = child.stderr.take() {
        thread::spawn(move || send_bytes(pipe, &sender));
    }
    let mut ended =
        Ended { answer: None, end: End::Interrupted, stderr: String::new(), rubbish: None, stage: None };
    ended.end = ended.listen(&mut child, &heard, silence, progress)?;
    Ok(ended)
}

/// Makes the kernel kill the worker when this process ends, however that happens.
fn end_with_parent() -> io::Result<()> {
    // SAFETY: takes a number and changes nothing but what happens to this process when its parent ends.
    match unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn send_lines(pipe: impl Read, heard: &Sender<Heard>) {
    let mut pipe = BufReader::new(pipe);
    let mut line = Vec::new();
    while pipe.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
        if heard.send(Heard::Line(String::from_utf8_lossy(&line).trim().to_owned())).is_err() {
            return;
        }
        line.clear();
    }
    // The receiver is gone only if the worker was killed.
    let _ = heard.send(Heard::End);
}

fn send_bytes(mut pipe: impl Read, heard: &Sender<Heard>) {
    let mut part = vec![0; 8 << 10];
    while let Ok(length @ 1..) = pipe.read(&mut part) {
        if heard.send(Heard::Error(part[..length].to_vec())).is_err() {
            return;
        }
    }
    let _ = heard.send(Heard::End);
}

impl Ended {
    fn listen(
        &mut self,
        child: &mut Child,
        heard: &Receiver<Heard>,
        silence: Duration,
        progress: &mut dyn FnMut(&Event),
    ) -> io::Result<End> {
        let (mut deadline, mut open, mut errors) = (Instant::now() + silence, 2, Vec::new());
        let mut status: Option<ExitStatus> = None;
        let end = loop {
            match heard.recv_timeout(LOOK) {
                Ok(Heard::Line(line)) => {
                    deadline = Instant::now() + silence;
                    self.take(&line, progress);
                }
                Ok(Heard::Error(bytes)) => {
                    errors.extend(bytes);
                    errors.drain(..errors.len().saturating_sub(KEPT));
                }
                Ok(Heard::End) => open -= 1,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => thread::sleep(LOOK / 10),
            }
            if status.is_none() {
                status = child.try_wait()?;
                if status.is_some() {
                    deadline = Instant::now() + AFTERMATH;
                }
            }
            let is_late = Instant::now() >= deadline;
            match status {
                Some(status) if open == 0 || is_late => break end_of(status),
                None if interrupt::was_interrupted() => break give_up(child, End::Interrupted)?,
                None if is_late => break give_up(child, End::Silent(silence))?,
                _ => {}
            }
        };
        interrupt::note_worker(match end {
            End::Signalled(signal) => Some(signal),
            _ => None,
        });
        self.stderr = String::from_utf8_lossy(&errors).into_owned();
        Ok(end)
    }

    /// Takes one line of its output.
    fn take(&mut self, line: &str, progress: &mut dyn FnMut(&Event)) {
        match serde_json::from_str(line) {
            Ok(event @ (Event::Stage(_) | Event::Round { .. })) => {
                if let Event::Stage(stage) = &event {
                    self.stage = Some(stage.clone());
                }
                progress(&event);
            }
            Ok(answer) => self.answer = Some(answer),
            // A filter plugin may print anything.
            Err(_) if line.is_empty() => {}
            Err(_) => self.rubbish = self.rubbish.take().or_else(|| Some(line.chars().take(200).collect())),
        }
    }

    /// Why the answer cannot be used, if it cannot.
    pub(super) fn trouble(&self) -> Option<String> {
        let during = self.stage.as_deref().map(|stage| format!(", during {stage}")).unwrap_or_default();
        let last = self.stderr.lines().rev().find(|line| !line.trim().is_empty());
        let said = last.map(|line| format!("; its last message: {}", line.trim())).unwrap_or_default();
        match (&self.end, &self.answer) {
            (End::Interrupted, _) => Some("was interrupted".into()),
            (End::Silent(after), _) => {
                Some(format!("did not respond for {} s{during} (see --timeout)", after.as_secs()))
            }
            (End::Signalled(signal), None) => {
                Some(format!("crashed with {}{during}{said}", name_of(*signal)))
            }
            (End::Signalled(signal), Some(_)) => {
                Some(format!("crashed at exit with {}{said}", name_of(*signal)))
            }
            (End::Exited(0), Some(_)) | (End::Exited(_), Some(Event::Failed(_) | Event::Skipped(_))) => None,
            (End::Exited(code), Some(_)) => Some(format!("ended with exit code {code}{said}")),
            (End::Exited(code), None) => {
                let rubbish =
                    self.rubbish.as_deref().map(|line| format!(", but printed '{line}'")).unwrap_or_default();
                Some(format!("ended with exit code {code}{during} and gave no answer{rubbish}{said}"))
            }
        }
    }
}

/// Kills a worker.
fn give_up(child: &mut Child, why: End) -> io::Result<End> {
    child.kill()?;
    child.wait()?;
    Ok(why)
}

fn end_of(status: ExitStatus) -> End {
    match status.signal() {
        Some(signal) => End::Signalled(signal),
        None => End::Exited(status.code().unwrap_or(-1)),
    }
}

/// The name of a signal that kills programs, and what it means.
fn name_of(signal: i32) -> String {
    let name = match signal {
        libc::SIGSEGV => "SIGSEGV, invalid memory access",
        libc::SIGBUS => "SIGBUS, invalid memory access, or a file was truncated",
        libc::SIGABRT => "SIGABRT",
        libc::SIGILL => "SIGILL, an instruction that this processor does not support",
        libc::SIGFPE => "SIGFPE",
        libc::SIGKILL => "SIGKILL, which the system sends when memory runs out",
        libc::SIGINT => "SIGINT",
        libc::SIGTERM => "SIGTERM",
        other => return format!("signal {other}"),
    };
    format!("signal {signal} ({name})")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sh(script: &str, silence: Duration) -> (Ended, Vec<Event>) {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let mut heard = Vec::new();
        let ended = run(command, silence, &mut |event| heard.push(event.clone())).unwrap();
        (ended, heard)
    }

    const LONG: Duration = Duration::from_secs(60);

    fn json(event: &Event) -> String {
        serde_json::to_string(event).unwrap()
    }

    #[test]
    fn events_are_heard_and_the_last_answer_counts() {
        let (round, peak) = (Event::Round { done: 1, of: 3 }, Event::Peak(77));
        let script = format!("echo '{}'; echo noise; echo '{}'; echo err >&2", json(&round), json(&peak));
        let (ended, heard) = sh(&script, LONG);
        assert_eq!((ended.answer.as_ref(), &ended.end), (Some(&peak), &End::Exited(0)));
        assert_eq!((heard, ended.stderr.as_str(), ended.trouble()), (vec![round], "err\n", None));
    }

    #[test]
    fn who_answers_nothing_or_rubbish_is_in_trouble() {
        let (ended, _) = sh("echo '{\"Peak\":-1}'; echo 'cannot' >&2", LONG);
        let trouble = ended.trouble().unwrap();
        assert!(trouble.contains("{\"Peak\":-1}") && trouble.contains("cannot"), "{trouble}");
        let (ended, _) = sh(&format!("echo '{}'; exit 3", json(&Event::Peak(1))), LONG);
        assert!(ended.trouble().unwrap().contains("exit code 3"));
        let (ended, _) = sh(&format!("echo '{}'; exit 3", json(&Event::Failed("why".into()))), LONG);
        assert_eq!(ended.trouble(), None, "its own words say it better");
    }

    #[test]
    fn crashes_are_placed() {
        let stage = json(&Event::Stage("comparing".into()));
        let (ended, _) = sh(&format!("echo '{stage}'; kill -SEGV $$"), LONG);
        let trouble = ended.trouble().unwrap();
        assert!(trouble.contains("signal 11") && trouble.contains("comparing"), "{trouble}");
        let (ended, _) = sh(&format!("echo '{}'; kill -SEGV $$", json(&Event::Peak(1))), LONG);
        assert!(ended.trouble().unwrap().contains("at exit"));
    }

    #[test]
    fn silence_ends_it_and_signs_of_life_do_not() {
        let start = Instant::now();
        let (ended, _) = sh("exec sleep 60", Duration::from_millis(100));
        assert_eq!(ended.end, End::Silent(Duration::from_millis(100)));
        assert!(
            start.elapsed() < Duration::from_secs(20) && ended.trouble().unwrap().contains("did not respond")
        );
        let stage = json(&Event::Stage("x".into()));
        let script = format!("for i in 1 2 3 4 5 6; do echo '{stage}'; sleep 0.3; done");
        assert_eq!(sh(&script, Duration::from_secs(1)).0.end, End::Exited(0));
    }

    #[test]
    fn a_pipe_that_a_grandchild_holds_does_not_keep_us() {
        let start = Instant::now();
        assert_eq!(sh("sleep 30 & echo", LONG).0.end, End::Exited(0));
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_flood_of_errors_is_cut_at_its_beginning() {
        let (ended, _) = sh("head -c 1000000 /dev/zero | tr '\\0' x >&2; echo last >&2", LONG);
        assert!(ended.stderr.len() <= KEPT && ended.stderr.ends_with("last\n"));
    }
}
