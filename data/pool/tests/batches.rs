//! What `run` promises to its callers.
#![cfg(not(feature = "shuttle"))]

use pool::{Pool, Scratch};
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

const ALL: usize = usize::MAX;

#[expect(clippy::unnecessary_wraps, reason = "what a task looks like")]
fn ok(_: usize, _: &mut Scratch) -> Result<(), ()> {
    Ok(())
}

/// A task that makes sure that as many participants are there as it is told, by waiting for them.
fn together(pool: &Pool, participants: usize) {
    let barrier = Barrier::new(participants);
    pool.run(participants, ALL, |_, _| {
        barrier.wait();
        Ok::<(), ()>(())
    })
    .unwrap();
}

#[test]
fn every_task_runs_once() {
    let pool = Pool::new(4);
    for tasks in [0, 1, 2, 3, 64, 1000] {
        let runs: Vec<AtomicUsize> = (0..tasks).map(|_| AtomicUsize::new(0)).collect();
        pool.run(tasks, ALL, |index, _| {
            runs[index].fetch_add(1, Ordering::Relaxed);
            Ok::<(), ()>(())
        })
        .unwrap();
        assert!(runs.into_iter().all(|count| count.into_inner() == 1));
    }
}

#[test]
fn each_thread_sees_increasing_indexes() {
    let pool = Pool::new(3);
    let last: Mutex<std::collections::HashMap<ThreadId, usize>> = Mutex::default();
    pool.run(500, ALL, |index, _| {
        if let Some(before) = last.lock().unwrap().insert(thread::current().id(), index) {
            assert!(before < index);
        }
        Ok::<(), ()>(())
    })
    .unwrap();
}

#[test]
fn caller_and_workers_work_together() {
    let pool = Pool::new(4);
    together(&pool, 4); // hangs if the caller does not take part, or if fewer than three workers come
    assert_eq!(pool.workers(), 3);
    together(&pool, 4);
    assert_eq!(pool.workers(), 3);
}

#[test]
fn small_calls_start_and_wake_nobody() {
    let pool = Pool::new(4);
    let me = thread::current().id();
    let here = |_: usize, _: &mut Scratch| if thread::current().id() == me { Ok(()) } else { Err(()) };
    pool.run(1, ALL, here).unwrap();
    pool.run(100, 0, here).unwrap();
    Pool::new(1).run(100, ALL, here).unwrap();
    Pool::new(0).run(100, ALL, here).unwrap();
    assert_eq!(pool.workers(), 0);

    pool.configure(Some(4), true);
    pool.run(100, ALL, here).unwrap();
    assert_eq!((pool.workers(), pool.threads()), (0, 1));
    pool.configure(None, false);
    assert_eq!(pool.threads(), thread::available_parallelism().unwrap().get());
}

#[test]
fn no_more_helpers_than_asked_for() {
    let pool = Pool::new(8);
    together(&pool, 8);
    for helpers in 1..4 {
        let seen = Mutex::new(HashSet::new());
        let inside = AtomicUsize::new(0);
        pool.run(200, helpers, |_, _| {
            let now = inside.fetch_add(1, Ordering::SeqCst) + 1;
            seen.lock().unwrap().insert(thread::current().id());
            thread::sleep(Duration::from_micros(50));
            inside.fetch_sub(1, Ordering::SeqCst);
            if now <= helpers + 1 { Ok(()) } else { Err(now) }
        })
        .unwrap();
        assert!(seen.into_inner().unwrap().len() <= helpers + 1);
    }
}

#[test]
fn the_error_is_that_of_a_plain_loop() {
    let pool = Pool::new(4);
    for _ in 0..200 {
        let ran = AtomicUsize::new(0);
        let outcome = pool.run(10_000, ALL, |index, _| {
            ran.fetch_add(1, Ordering::Relaxed);
            if index >= 17 { Err(index) } else { Ok(()) }
        });
        assert_eq!(outcome, Err(17));
        assert!(ran.into_inner() < 10_000, "the rest is skipped");
    }
    assert_eq!(pool.run(5, 0, |index, _| if index >= 2 { Err(index) } else { Ok(()) }), Err(2));
}

#[test]
fn a_panic_goes_on_in_the_caller_and_workers_survive() {
    let pool = Pool::new(3);
    together(&pool, 3);
    for culprit in [0, 1, 50, 99] {
        let caught = catch_unwind(AssertUnwindSafe(|| {
            pool.run(100, ALL, |index, _| {
                // Not through the hook: the test's output stays readable.
                if index == culprit {
                    std::panic::resume_unwind(Box::new(index));
                }
                Ok::<(), ()>(())
            })
        }));
        assert_eq!(caught.unwrap_err().downcast_ref::<usize>(), Some(&culprit));
        assert_eq!(pool.workers(), 3 - 1);
    }
    together(&pool, 3);
    // Inline, too.
    assert!(catch_unwind(|| Pool::new(1).run(1, 0, |_, _| -> Result<(), ()> { panic!("seen") })).is_err());
}

#[test]
fn concurrent_callers_share_the_workers() {
    let pool = Pool::new(3);
    thread::scope(|scope| {
        for caller in 0..6 {
            let pool = &pool;
            scope.spawn(move || {
                for round in 0..200 {
                    let sum = AtomicUsize::new(0);
                    let outcome = pool.run(20, ALL, |index, scratch| {
                        scratch.bytes(1000 + index).unwrap().fill(1);
                        sum.fetch_add(index, Ordering::Relaxed);
                        if caller == 5 && index == round % 20 { Err(index) } else { Ok(()) }
                    });
                    if caller == 5 {
                        assert_eq!(outcome, Err(round % 20));
                    } else {
                        assert_eq!((outcome, sum.into_inner()), (Ok(()), 190));
                    }
                }
            });
        }
    });
    assert!(pool.workers() <= 2);
}

#[test]
fn progress_while_every_worker_is_busy() {
    let pool = Pool::new(2);
    let release = AtomicBool::new(false);
    let busy = Barrier::new(3);
    thread::scope(|scope| {
        scope.spawn(|| {
            pool.run(2, ALL, |_, _| {
                busy.wait();
                while !release.load(Ordering::Acquire) {
                    thread::yield_now();
                }
                Ok::<(), ()>(())
            })
        });
        busy.wait(); // the other caller and the only worker are both at a task
        for _ in 0..100 {
            pool.run(10, ALL, ok).unwrap();
        }
        release.store(true, Ordering::Release);
    });
}

#[test]
fn a_batch_inside_a_batch() {
    let pool = Pool::new(3);
    let count = AtomicUsize::new(0);
    pool.run(8, ALL, |_, scratch| {
        scratch.bytes(100).unwrap().fill(7);
        pool.run(8, ALL, |_, inner| {
            inner.bytes(100).unwrap().fill(9);
            count.fetch_add(1, Ordering::Relaxed);
            Ok::<(), ()>(())
        })?;
        if scratch.bytes(100).unwrap().iter().all(|&byte| byte == 7) { Ok(()) } else { Err(()) }
    })
    .unwrap();
    assert_eq!(count.into_inner(), 64);
}

#[test]
fn shutdown_is_prompt_and_not_the_end() {
    let pool = Pool::new(4);
    pool.shutdown(); // before first use
    together(&pool, 4);
    thread::sleep(Duration::from_millis(20)); // all idle
    let start = Instant::now();
    pool.shutdown();
    pool.shutdown();
    assert!(start.elapsed() < Duration::from_millis(500), "{:?}", start.elapsed());
    assert_eq!(pool.workers(), 0);
    together(&pool, 4);
    assert_eq!(pool.workers(), 3);

    pool.close();
    pool.run(100, ALL, ok).unwrap();
    assert_eq!(pool.workers(), 0);
    pool.configure(Some(2), false);
    together(&pool, 2);
}

#[test]
fn shutdown_does_not_wait_for_the_batch() {
    let pool = Pool::new(2);
    let done = AtomicUsize::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            pool.run(100, ALL, |_, _| {
                thread::sleep(Duration::from_millis(5));
                done.fetch_add(1, Ordering::Relaxed);
                Ok::<(), ()>(())
            })
        });
        while done.load(Ordering::Relaxed) < 4 {
            thread::yield_now();
        }
        pool.shutdown();
        assert!(done.load(Ordering::Relaxed) < 100);
    });
    assert_eq!(done.into_inner(), 100);
}

#[test]
fn shutdown_by_many_during_use() {
    let pool = Pool::new(3);
    let end = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !end.load(Ordering::Relaxed) {
                    pool.shutdown();
                }
            });
        }
        for _ in 0..300 {
            pool.run(16, ALL, ok).unwrap();
        }
        end.store(true, Ordering::Relaxed);
    });
}

#[test]
fn scratch_stays_with_its_thread_from_batch_to_batch() {
    let pool = Pool::new(2);
    let addresses = Mutex::new(HashSet::new());
    for _ in 0..50 {
        let barrier = Barrier::new(2);
        pool.run(2, ALL, |_, scratch| {
            barrier.wait();
            addresses.lock().unwrap().insert(scratch.bytes(1 << 16).unwrap().as_ptr().addr());
            Ok::<(), ()>(())
        })
        .unwrap();
    }
    assert_eq!(addresses.into_inner().unwrap().len(), 2);
}

#[test]
fn workers_have_names_and_take_no_signals() {
    let pool = Pool::new(2);
    let seen = Mutex::new(Vec::new());
    let barrier = Barrier::new(2);
    pool.run(2, ALL, |_, _| {
        barrier.wait();
        // SAFETY: all zero bytes are a signal set; the call only writes it.
        let (usr1, segv) = unsafe {
            let mut mask: libc::sigset_t = std::mem::zeroed();
            libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), &raw mut mask);
            (
                libc::sigismember(&raw const mask, libc::SIGUSR1),
                libc::sigismember(&raw const mask, libc::SIGSEGV),
            )
        };
        seen.lock().unwrap().push((thread::current().name().map(str::to_owned), usr1, segv));
        Ok::<(), ()>(())
    })
    .unwrap();
    let seen = seen.into_inner().unwrap();
    assert!(seen.contains(&(Some("h5bypass-1".to_owned()), 1, 0)), "{seen:?}");
    let myself = thread::current().name().map(str::to_owned);
    assert!(seen.contains(&(myself, 0, 0)), "the caller's mask is untouched: {seen:?}");
}
