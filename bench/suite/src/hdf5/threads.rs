//! Reads or writes by several threads at once.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::thread;

use anyhow::{Result, anyhow, ensure};

use super::api::Api;
use super::transfers::{Operation, Step, Transfers, repeat};
use crate::Spent;
use crate::measure::Clock;

/// What one thread does.
struct Share<'transfers> {
    api: Api,
    operation: Operation,
    steps: &'transfers [Step],
    start: *mut u8,
    passes: u32,
}

// SAFETY: `in_threads` makes them only of a library that several threads may use, and of memory that is borrowed for
// this: each thread has its own, or they only look at it.
unsafe impl Send for Share<'_> {}

impl Share<'_> {
    fn work(self) -> Result<()> {
        self.api.print_nothing();
        // SAFETY: those who made the transfers saw to it that they find their memory; it is borrowed for them.
        unsafe { repeat(&self.api, self.operation, self.steps, self.start, self.passes) }
    }
}

/// Makes all the calls, so many times over, each of `shares` in a thread of its own: what it took from when all threads
/// are there until all are done. Reads of different threads need different memory.
pub(crate) fn in_threads(operation: Operation, shares: &[Transfers], passes: u32) -> Result<Spent> {
    at_once(operation, shares, None, passes)
}

/// Lets each thread make the read of this number, if it has so many, at the same time as the others.
pub(crate) fn read_in_threads(shares: &[Transfers], number: usize) -> Result<()> {
    at_once(Operation::Read, shares, Some(number), 1).map(|_| ())
}

/// All calls of each thread, or the one of this number.
fn at_once(operation: Operation, shares: &[Transfers], number: Option<usize>, passes: u32) -> Result<Spent> {
    let Some(first) = shares.first() else { return Ok(Spent::default()) };
    ensure!(
        shares.len() == 1 || first.library.is_thread_safe()?,
        "several threads need a thread-safe libhdf5"
    );
    // They stay borrowed until all threads are done.
    let (mut written, mut looked_at, mut starts) = (Vec::new(), Vec::new(), Vec::new());
    for share in shares {
        starts.push(match operation {
            Operation::Read => {
                let mut memory = share.buffer.bytes_mut()?;
                let start = memory.as_mut_ptr();
                written.push(memory);
                start
            }
            Operation::Write => {
                let memory = share.buffer.bytes()?;
                let start = memory.as_ptr().cast_mut();
                looked_at.push(memory);
                start
            }
        });
    }
    let works = shares.iter().zip(starts).map(|(share, start)| {
        let steps = match number {
            Some(number) => share.steps.get(number..=number).unwrap_or_default(),
            None => &share.steps,
        };
        let share = Share { api: share.library.api, operation, steps, start, passes };
        move || share.work()
    });
    all_at_once(works.collect())
}

/// Does all of it at the same time, each in a thread of its own: what that took from when all threads are there.
pub(crate) fn all_at_once(works: Vec<impl FnOnce() -> Result<()> + Send>) -> Result<Spent> {
    let barrier = &Barrier::new(works.len() + 1);
    thread::scope(|scope| {
        let threads: Vec<_> = works
            .into_iter()
            .map(|work| {
                scope.spawn(move || {
                    barrier.wait();
                    // The others wait for this thread, whatever becomes of it.
                    let result = catch_unwind(AssertUnwindSafe(work));
                    barrier.wait();
                    result.unwrap_or_else(|_| Err(anyhow!("a thread panicked")))
                })
            })
            .collect();
        barrier.wait();
        let clock = Clock::start();
        barrier.wait();
        let spent = clock.stop();
        for thread in threads {
            thread.join().unwrap_or_else(|_| Err(anyhow!("a thread panicked")))?;
        }
        Ok(spent)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn all_works_are_done_and_a_failure_is_told() {
        let done = &AtomicU32::new(0);
        let work = |fails: bool| {
            move || {
                done.fetch_add(1, Ordering::Relaxed);
                if fails { Err(anyhow!("the second")) } else { Ok(()) }
            }
        };
        let spent = all_at_once(vec![work(false), work(false), work(false)]).unwrap();
        assert!(spent.seconds > 0.0 && done.load(Ordering::Relaxed) == 3);
        let failure = all_at_once(vec![work(false), work(true)]).unwrap_err();
        assert_eq!((failure.to_string().as_str(), done.load(Ordering::Relaxed)), ("the second", 5));
    }
}
