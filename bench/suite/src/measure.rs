//! Measures several workloads in turns.
//!
//! In every round each does the same, in a new random order, so that other work on the machine affects all alike. A round
//! gives one figure of each, and so one ratio of two of them.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::page_cache::drop_pages;
use crate::registry::Subject;
use crate::{Samples, Spent};

/// The minimum duration of a block of passes for the fastest workload, and the maximum for the slowest, in seconds.
const SHORTEST: f64 = 0.03;
const LONGEST: f64 = 1.0;

/// Measures wall-clock time, and the processor time of all threads of the process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    begin: Instant,
    cpu: Duration,
}

impl Clock {
    /// Starts measuring.
    pub(crate) fn start() -> Self {
        Self { cpu: processor_time(), begin: Instant::now() }
    }

    /// The time since the start.
    pub(crate) fn stop(self) -> Spent {
        let seconds = self.begin.elapsed().as_secs_f64();
        Spent { seconds, cpu: processor_time().saturating_sub(self.cpu).as_secs_f64() }
    }
}

/// The time that the work takes.
pub(crate) fn spent_by(work: impl FnOnce() -> Result<()>) -> Result<Spent> {
    let clock = Clock::start();
    work()?;
    Ok(clock.stop())
}

/// The processor time of all threads of the process so far.
fn processor_time() -> Duration {
    // SAFETY: all of it are numbers, which may be 0.
    let mut usage: libc::rusage = unsafe { core::mem::zeroed() };
    // SAFETY: a place for the answer. It fails for bad arguments only.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) };
    let duration = |time: libc::timeval| {
        let micros = time.tv_sec.saturating_mul(1_000_000).saturating_add(time.tv_usec);
        Duration::from_micros(u64::try_from(micros).unwrap_or(0))
    };
    duration(usage.ru_utime) + duration(usage.ru_stime)
}

/// Makes this many passes. If the cache is to be cold, the files are dropped from it before each.
pub(crate) fn spent_on(subject: &mut dyn Subject, passes: u32, is_cold: bool) -> Result<Spent> {
    if !is_cold {
        return subject.run(passes);
    }
    let one = |_| {
        subject.files().iter().try_for_each(|file| drop_pages(file))?;
        subject.run(1)
    };
    (0..passes).map(one).sum()
}

/// The seconds of one pass of each subject in every round. `tell` is called with the number of rounds that are done.
pub(crate) fn measure(
    subjects: &mut [&mut dyn Subject],
    rounds: u32,
    is_cold: bool,
    mut tell: impl FnMut(u32),
) -> Result<Vec<Samples>> {
    let (mut fastest, mut slowest) = (f64::INFINITY, 0.0_f64);
    for subject in &mut *subjects {
        let first = spent_on(*subject, 1, is_cold)?.seconds.min(spent_on(*subject, 1, is_cold)?.seconds);
        (fastest, slowest) = (fastest.min(first), slowest.max(first));
    }
    let passes = passes_for(fastest, slowest);
    let mut samples = vec![Samples::default(); subjects.len()];
    let mut order: Vec<usize> = (0..subjects.len()).collect();
    for round in 1..=rounds {
        fastrand::shuffle(&mut order);
        for &number in &order {
            let spent = spent_on(subjects[number], passes, is_cold)?;
            samples[number].seconds.push(spent.seconds / f64::from(passes));
            samples[number].cpu.push(spent.cpu / f64::from(passes));
        }
        tell(round);
    }
    Ok(samples)
}

/// The number of passes in a block, from the time of one pass of the fastest and the slowest.
fn passes_for(fastest: f64, slowest: f64) -> u32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is kept between 1 and 2^20"
    )]
    let whole = |passes: f64| passes.clamp(1.0, f64::from(1 << 20)) as u32;
    // Avoids a division by zero if a pass takes no measurable time.
    let (fastest, slowest) = (fastest.max(1e-9), slowest.max(1e-9));
    whole((SHORTEST / fastest).ceil()).min(whole((LONGEST / slowest).floor()))
}

#[cfg(test)]
mod tests {
    use core::cell::Cell;
    use std::rc::Rc;

    use super::*;

    #[test]
    fn blocks_are_neither_short_nor_long() {
        // Long enough by the fastest, where the slowest permits.
        assert_eq!(passes_for(0.001, 0.002), 30);
        assert_eq!(passes_for(0.001, 0.1), 10);
        assert_eq!(passes_for(0.1, 0.2), 1);
        assert_eq!(passes_for(0.1, 60.0), 1);
        assert_eq!(passes_for(0.0, 0.0), 1 << 20);
    }

    /// Says what it takes, and counts what it did.
    struct Pretended {
        seconds: f64,
        passes: Rc<Cell<u32>>,
    }

    impl Subject for Pretended {
        fn run(&mut self, passes: u32) -> Result<Spent> {
            self.passes.set(self.passes.get() + passes);
            let seconds = self.seconds * f64::from(passes);
            Ok(Spent { seconds, cpu: 2.0 * seconds })
        }

        fn show(&mut self, _: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn every_round_gives_the_time_of_one_pass() {
        let passes = [(); 2].map(|()| Rc::new(Cell::new(0)));
        let pretended = |number: usize, seconds| Pretended { seconds, passes: Rc::clone(&passes[number]) };
        let (mut fast, mut slow) = (pretended(0, 0.01), pretended(1, 0.02));
        for is_cold in [false, true] {
            let mut rounds = Vec::new();
            let samples =
                measure(&mut [&mut fast, &mut slow], 3, is_cold, |round| rounds.push(round)).unwrap();
            assert_eq!(rounds, [1, 2, 3]);
            for (samples, seconds) in samples.iter().zip([0.01, 0.02]) {
                assert_eq!((samples.seconds.len(), samples.cpu.len()), (3, 3));
                assert!(samples.seconds.iter().all(|&each| (each - seconds).abs() < 1e-9), "{samples:?}");
                assert!(samples.cpu.iter().all(|&each| (each - 2.0 * seconds).abs() < 1e-9), "{samples:?}");
            }
        }
        // Two to find out, and three blocks of three.
        assert_eq!(passes.map(|passes| passes.get()), [22, 22]);
    }

    #[test]
    fn processor_time_passes() {
        let clock = Clock::start();
        let mut spent = clock.stop();
        while spent.cpu < 0.002 {
            assert!(spent.seconds < 60.0, "{spent:?}");
            spent = clock.stop();
        }
        assert!(spent.seconds > 0.0);
    }
}
