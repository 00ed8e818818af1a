//! The protocol under many schedules: `cargo test -p pool --features shuttle --release`.
//!
//! Each test prints the seed of its schedules; `SHUTTLE_RANDOM_SEED` replays one. Shuttle reports a batch that never
//! returns as a deadlock. Panics of tasks are raised without the panic hook, which shuttle uses for its own reports.

use crate::{Class, Ended, Pool, Scratch, Wanted};
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::sync::Mutex;
use shuttle::sync::atomic::{AtomicUsize, Ordering};
use shuttle::{Config, Runner, thread};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const ITERATIONS: usize = 3000;

fn explore(name: &str, model: fn()) {
    let fresh = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| u64::from(now.subsec_nanos()));
    let seed = std::env::var("SHUTTLE_RANDOM_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(fresh);
    println!("{name}: SHUTTLE_RANDOM_SEED={seed}");
    check(RandomScheduler::new_from_seed(seed, ITERATIONS), model);
    check(PctScheduler::new_from_seed(seed, 3, ITERATIONS), model);
}

fn check(scheduler: impl Scheduler + 'static, model: fn()) {
    let mut config = Config::new();
    config.max_time = Some(Duration::from_secs(4));
    config.stack_size = 1 << 17;
    Runner::new(scheduler, config).run(model);
}

/// One batch in which every task is counted, and whose caller sees what the tasks wrote.
fn counted_batch(pool: &Pool, tasks: usize, helpers: usize) {
    let runs: Vec<AtomicUsize> = (0..tasks).map(|_| AtomicUsize::new(0)).collect();
    pool.run(tasks, helpers, |index, scratch: &mut Scratch| {
        runs[index].fetch_add(1, Ordering::Relaxed);
        scratch.bytes(1).map(|_| ()).map_err(|_| ())
    })
    .unwrap();
    // The counters are gone after this: a helper that came late would be seen by shuttle's own checks or by ASAN.
    assert!(runs.into_iter().all(|count| count.into_inner() == 1));
}

fn callers(count: usize, pool: &Arc<Pool>, body: impl Fn(&Pool, usize) + Send + Sync + Clone + 'static) {
    let threads: Vec<_> = (0..count)
        .map(|caller| {
            let (pool, body) = (Arc::clone(pool), body.clone());
            thread::spawn(move || body(&pool, caller))
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn concurrent_callers() {
    explore("concurrent_callers", || {
        let pool = Arc::new(Pool::new(3));
        callers(3, &pool, |pool, caller| {
            counted_batch(pool, 3, usize::MAX);
            counted_batch(pool, 2, 1 + caller);
        });
        assert!(pool.workers() <= 2);
    });
}

#[test]
fn no_more_helpers_than_asked_for() {
    explore("no_more_helpers_than_asked_for", || {
        let pool = Arc::new(Pool::new(4));
        callers(2, &pool, |pool, _| {
            let inside = Mutex::new(0);
            pool.run(4, 1, |_, _| {
                *inside.lock().unwrap() += 1;
                thread::yield_now();
                let mut inside = inside.lock().unwrap();
                let now = *inside;
                *inside -= 1;
                if now <= 2 { Ok(()) } else { Err(now) }
            })
            .unwrap();
        });
    });
}

#[test]
fn errors() {
    explore("errors", || {
        let pool = Arc::new(Pool::new(3));
        callers(2, &pool, |pool, caller| {
            let first = 1 + caller;
            let outcome =
                pool.run(5, usize::MAX, |index, _| if index >= first { Err(index) } else { Ok(()) });
            assert_eq!(outcome, Err(first), "the error of a plain loop, under every schedule");
            counted_batch(pool, 2, usize::MAX);
        });
    });
}

#[test]
fn panics() {
    explore("panics", || {
        let pool = Arc::new(Pool::new(3));
        callers(2, &pool, |pool, caller| {
            let borrowed = AtomicUsize::new(0);
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                pool.run(4, usize::MAX, |index, _| {
                    borrowed.fetch_add(1, Ordering::Relaxed);
                    if index == 1 + caller {
                        resume_unwind(Box::new(index));
                    }
                    if index == 0 { Err(()) } else { Ok(()) }
                })
            }));
            match outcome {
                // Task 0 failed before the one that panics was claimed.
                Ok(result) => assert_eq!(result, Err(())),
                Err(payload) => assert_eq!(payload.downcast_ref::<usize>(), Some(&(1 + caller))),
            }
            assert!(borrowed.into_inner() > 0);
            counted_batch(pool, 3, usize::MAX);
        });
        assert!(pool.workers() <= 2);
    });
}

#[test]
fn shutdown_during_use() {
    explore("shutdown_during_use", || {
        let pool = Arc::new(Pool::new(3));
        callers(4, &pool, |pool, caller| {
            if caller < 2 {
                counted_batch(pool, 3, usize::MAX);
                counted_batch(pool, 2, usize::MAX);
            } else {
                pool.shutdown();
            }
        });
        pool.shutdown();
        assert_eq!(pool.workers(), 0);
        counted_batch(&pool, 3, usize::MAX);
    });
}

#[test]
fn first_use_by_several_and_drop() {
    explore("first_use_by_several_and_drop", || {
        let pool = Arc::new(Pool::new(2));
        callers(3, &pool, |pool, _| counted_batch(pool, 2, 1));
        // The last reference: the workers are joined here. One that does not end is a deadlock.
        drop(pool);
    });
}

#[test]
fn a_batch_inside_a_batch() {
    explore("a_batch_inside_a_batch", || {
        let pool = Pool::new(3);
        pool.run(2, usize::MAX, |_, _| {
            counted_batch(&pool, 2, usize::MAX);
            Ok::<(), ()>(())
        })
        .unwrap();
    });
}

/// A job that counts itself and runs a batch.
fn counting_job(pool: &Arc<Pool>, runs: &Arc<AtomicUsize>) -> impl FnOnce(&Wanted<'_>) + Send + use<> {
    let (pool, runs) = (Arc::downgrade(pool), Arc::clone(runs));
    move |_| {
        if let Some(pool) = pool.upgrade() {
            counted_batch(&pool, 2, usize::MAX);
        }
        runs.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn jobs_beside_calls() {
    explore("jobs_beside_calls", || {
        let pool = Arc::new(Pool::new(2));
        let runs = Arc::new(AtomicUsize::new(0));
        callers(2, &pool, {
            let (pool, runs) = (Arc::clone(&pool), Arc::clone(&runs));
            move |_, caller| {
                let class = if caller == 0 { Class::Request } else { Class::Speculation };
                let first = pool.submit(class, counting_job(&pool, &runs)).unwrap();
                let second = pool.submit(Class::Request, counting_job(&pool, &runs)).unwrap();
                counted_batch(&pool, 2, usize::MAX);
                assert_eq!((second.wait(), first.wait()), (Ended::Done, Ended::Done));
            }
        });
        assert_eq!(runs.load(Ordering::Relaxed), 4);
        pool.shutdown();
    });
}

/// Two wait for one job, of which one does not help.
#[test]
fn waiters_with_and_without_help() {
    explore("waiters_with_and_without_help", || {
        let pool = Arc::new(Pool::new(2));
        let runs = Arc::new(AtomicUsize::new(0));
        let job = pool.submit(Class::Request, counting_job(&pool, &runs)).unwrap();
        callers(2, &pool, {
            let (job, runs) = (job.clone(), Arc::clone(&runs));
            move |_, caller| {
                let ended = if caller == 0 { job.wait_for(Duration::MAX) } else { Some(job.wait()) };
                assert_eq!((ended, runs.load(Ordering::Relaxed)), (Some(Ended::Done), 1));
            }
        });
    });
}

/// A job that is cancelled has not run and does not run; one that is not has run once.
#[test]
fn cancel_or_run() {
    explore("cancel_or_run", || {
        let pool = Arc::new(Pool::new(2));
        let runs = Arc::new(AtomicUsize::new(0));
        let job = pool.submit(Class::Request, counting_job(&pool, &runs)).unwrap();
        let waiter = {
            let job = job.clone();
            thread::spawn(move || job.wait())
        };
        let cancelled = job.cancel();
        let ended = waiter.join().unwrap();
        assert_eq!(ended, if cancelled { Ended::Dropped } else { Ended::Done });
        assert_eq!(runs.load(Ordering::Relaxed), usize::from(!cancelled));
        assert_eq!(Arc::strong_count(&runs), 1, "what the job owned is gone");
    });
}

#[test]
fn shutdown_with_jobs() {
    explore("shutdown_with_jobs", || {
        let pool = Arc::new(Pool::new(2));
        let runs = Arc::new(AtomicUsize::new(0));
        callers(3, &pool, {
            let (pool, runs) = (Arc::clone(&pool), Arc::clone(&runs));
            move |_, caller| match caller {
                0 => pool.shutdown(),
                1 => {
                    let job = pool.submit(Class::Request, counting_job(&pool, &runs)).unwrap();
                    assert_eq!(job.wait(), Ended::Done);
                }
                _ => {
                    let job = pool.submit(Class::Speculation, counting_job(&pool, &runs)).unwrap();
                    assert!(matches!(job.wait(), Ended::Done | Ended::Dropped));
                }
            }
        });
        pool.shutdown();
        assert_eq!(pool.workers(), 0);
    });
}

/// The models notice it if the end of a job wakes nobody.
#[test]
#[should_panic(expected = "deadlock")]
fn a_forgotten_wake_up_is_noticed() {
    explore("a_forgotten_wake_up_is_noticed", || {
        let pool = Arc::new(Pool::new(2));
        let (crew, _) = pool.crew_for_jobs().unwrap();
        crew.forgets_waiters.store(true, Ordering::Relaxed);
        let job = pool.submit(Class::Request, |_: &Wanted<'_>| thread::yield_now()).unwrap();
        job.wait();
    });
}
