//! The worker: a process that measures one scenario.

use std::fs;
use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use bench_report::Sizes;

use crate::bench::Bench;
use crate::compare::compare;
use crate::measure::{measure, spent_on};
use crate::registry::{Amount, CannotBeMeasured, Prepared, Subject, find};
use crate::{Event, Finished, Purpose, Request, Way};

/// Does what a [`Request`] in JSON asks for, and writes [`Event`]s in JSON to standard output.
pub fn work(request: &str) -> ExitCode {
    let last = match attempt(request) {
        Ok(event) => event,
        Err(failure) => match failure.downcast_ref::<CannotBeMeasured>() {
            Some(CannotBeMeasured(why)) => Event::Skipped(why.clone()),
            None => Event::Failed(format!("{failure:#}")),
        },
    };
    say(&last);
    if matches!(last, Event::Failed(_)) { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Sends an event to the controller.
pub(crate) fn say(event: &Event) {
    let Ok(line) = serde_json::to_string(event) else { return };
    let mut output = std::io::stdout().lock();
    // If this fails, nobody is listening any more.
    let _ = writeln!(output, "{line}").and_then(|()| output.flush());
}

fn attempt(request: &str) -> Result<Event> {
    let request: Request = serde_json::from_str(request).context("invalid request")?;
    let Some(entry) = find(&request.scenario, request.application_threads) else {
        bail!("there is no scenario '{}'", request.scenario)
    };
    let bench = Bench::new(&request)?;
    let threads = entry.scenario.application_threads;
    if threads > 1 && !bench.library.is_thread_safe()? {
        let version = bench.library.version()?;
        let why = format!("this libhdf5 ({version}) was not built for several threads");
        return Err(CannotBeMeasured(why).into());
    }
    let mut prepared = (entry.prepare)(&bench)?;
    match request.purpose {
        Purpose::Measure { rounds } => finish(prepared, rounds, request.is_cold),
        Purpose::Peak(Way::Native) => peak_of(&mut *prepared.native, request.is_cold).map(Event::Peak),
        Purpose::Peak(Way::Bypass) => peak_of(&mut *prepared.bypass, request.is_cold).map(Event::Peak),
    }
}

fn finish(mut prepared: Prepared, rounds: u32, is_cold: bool) -> Result<Event> {
    let Prepared { native, bypass, limit, unit } = &mut prepared;
    Bench::stage("comparing");
    let shown = limit.as_mut().map(|limit| -> &mut dyn Subject { &mut **limit });
    compare(&mut **native, &mut **bypass, shown)?;
    Bench::stage("measuring");
    let mut subjects: Vec<&mut dyn Subject> = vec![&mut **native, &mut **bypass];
    subjects.extend(limit.as_mut().map(|limit| -> &mut dyn Subject { &mut **limit }));
    let samples = measure(&mut subjects, rounds, is_cold, |done| say(&Event::Round { done, of: rounds }))?;
    let sizes = native.written()?.zip(bypass.written()?);
    let (Amount { bytes, calls }, mut samples) = (native.amount(), samples.into_iter());
    Ok(Event::Finished(Box::new(Finished {
        bytes,
        calls,
        unit: *unit,
        native: samples.next().unwrap_or_default(),
        bypass: samples.next().unwrap_or_default(),
        limit: samples.next(),
        sizes: sizes.map(|(native, bypass)| Sizes { native, bypass }),
    })))
}

/// The peak memory of one pass, in bytes in addition to the memory in use before it.
///
/// The kernel's peak of resident pages is reset first, so that memory used before is not counted. The application's own memory
/// is already resident, because buffers are written when they are created. Freed memory that the allocator has kept is
/// returned to the system first, or the pass would use it without being counted.
fn peak_of(subject: &mut dyn Subject, is_cold: bool) -> Result<u64> {
    #[cfg(target_env = "gnu")]
    // SAFETY: it has no demands.
    unsafe {
        libc::malloc_trim(0);
    }
    fs::write("/proc/self/clear_refs", "5")
        .context("cannot reset the peak of memory (/proc/self/clear_refs)")?;
    let before = resident("VmRSS:")?;
    spent_on(subject, 1, is_cold)?;
    Ok(resident("VmHWM:")?.saturating_sub(before))
}

/// The number of bytes in a line of `/proc/self/status`.
fn resident(line: &str) -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status").context("/proc/self/status")?;
    let found = status.lines().find_map(|each| each.strip_prefix(line)?.trim().strip_suffix(" kB"));
    let kibibytes: u64 =
        found.and_then(|number| number.parse().ok()).with_context(|| format!("no {line}"))?;
    Ok(kibibytes << 10)
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;
    use std::process::Command;

    use super::*;
    use crate::Spent;

    /// Needs so many bytes for a moment.
    struct Needs(usize);

    impl Subject for Needs {
        fn run(&mut self, _: u32) -> Result<Spent> {
            drop(black_box(vec![1_u8; self.0]));
            Ok(Spent::default())
        }

        fn show(&mut self, _: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
            Ok(())
        }
    }

    /// In a process of its own: other tests need memory, too.
    #[test]
    fn the_peak_is_that_of_the_pass() {
        const NAME: &str = "worker::tests::the_peak_is_that_of_the_pass";
        if std::env::args().all(|argument| argument != "--exact") {
            let alone =
                Command::new(std::env::current_exe().unwrap()).args(["--exact", NAME]).output().unwrap();
            let said = String::from_utf8_lossy(&alone.stdout).into_owned();
            assert!(alone.status.success() && said.contains("1 passed"), "{said}");
            return;
        }
        // A higher one before must not hide it.
        drop(black_box(vec![1_u8; 200 << 20]));
        for expected in [50 << 20, 10 << 20] {
            let peak = peak_of(&mut Needs(expected), false).unwrap();
            assert!(peak.abs_diff(expected as u64) < 4 << 20, "{peak} instead of {expected}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_request_is_said() {
        assert!(attempt("{}").unwrap_err().to_string().contains("request"));
    }
}
