//! Reads or writes by several threads at once.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::thread;

use anyhow::{Result, anyhow};
use h5_client::SharedTransfer;

use super::transfers::{Operation, Transfers};
use crate::Spent;
use crate::measure::Clock;

/// The calls of one thread, each with the place in the memory where it begins.
type Calls<'transfers> = Vec<(SharedTransfer<'transfers>, usize)>;

/// Makes all calls this many times, each of `shares` in its own thread. Gives the time from when all threads are ready until
/// all are done. Reads of different threads need different memory.
pub(crate) fn in_threads(operation: Operation, shares: &[Transfers], passes: u32) -> Result<Spent> {
    at_once(operation, shares, None, passes)
}

/// Makes each thread do its read of this number, if it has that many, at the same time as the others.
pub(crate) fn read_in_threads(shares: &[Transfers], number: usize) -> Result<()> {
    at_once(Operation::Read, shares, Some(number), 1).map(|_| ())
}

/// Makes all calls of each thread, or the one with this number.
fn at_once(operation: Operation, shares: &[Transfers], number: Option<usize>, passes: u32) -> Result<Spent> {
    let [first, others @ ..] = shares else { return Ok(Spent::default()) };
    if others.is_empty() {
        // A library that is not thread-safe stays in its thread.
        let clock = Clock::start();
        match (operation, number) {
            (_, Some(number)) if number < first.len() => first.read_one(number)?,
            (_, Some(_)) => {}
            (Operation::Read, None) => first.read(passes)?,
            (Operation::Write, None) => first.write(passes)?,
        }
        return Ok(clock.stop());
    }
    let calls: Vec<Calls<'_>> = shares.iter().map(|share| calls(share, number)).collect::<Result<_>>()?;
    // The buffers stay borrowed until all threads are done.
    match operation {
        Operation::Read => {
            let mut memories: Vec<_> =
                shares.iter().map(|share| share.buffer.bytes_mut()).collect::<Result<_>>()?;
            let works = calls.into_iter().zip(&mut memories).map(|(calls, memory)| {
                let memory = &mut **memory;
                move || each(&calls, passes, |call, at| call.read(&mut memory[at..]))
            });
            all_at_once(works.collect())
        }
        Operation::Write => {
            let memories: Vec<_> = shares.iter().map(|share| share.buffer.bytes()).collect::<Result<_>>()?;
            let works = calls.into_iter().zip(&memories).map(|(calls, memory)| {
                let memory = &**memory;
                move || each(&calls, passes, |call, at| call.write(&memory[at..]))
            });
            all_at_once(works.collect())
        }
    }
}

fn calls(share: &Transfers, number: Option<usize>) -> Result<Calls<'_>> {
    let steps = match number {
        Some(number) => share.steps.get(number..=number).unwrap_or_default(),
        None => &share.steps,
    };
    steps.iter().map(|step| Ok((step.transfer.shared()?, step.at))).collect()
}

/// Makes the calls this many times, until one fails.
fn each<'t>(
    calls: &Calls<'t>,
    passes: u32,
    mut call: impl FnMut(SharedTransfer<'t>, usize) -> h5_client::Result<()>,
) -> Result<()> {
    if let Some((first, _)) = calls.first() {
        first.silence()?;
    }
    for _ in 0..passes {
        for (transfer, at) in calls {
            call(*transfer, *at)?;
        }
    }
    Ok(())
}

/// Does all works at the same time, each in its own thread. Gives the time from when all threads are ready.
pub(crate) fn all_at_once(works: Vec<impl FnOnce() -> Result<()> + Send>) -> Result<Spent> {
    let barrier = &Barrier::new(works.len() + 1);
    thread::scope(|scope| {
        let threads: Vec<_> = works
            .into_iter()
            .map(|work| {
                scope.spawn(move || {
                    barrier.wait();
                    // The others wait for this thread, even if it fails.
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
