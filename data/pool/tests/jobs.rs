//! What jobs promise: work that goes on after the call that has submitted it.
#![cfg(not(feature = "shuttle"))]

use pool::{Class, Ended, Job, Pool, Wanted};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier, Mutex};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// A job that says that it has begun and ends when it is allowed to.
fn held_up(pool: &Pool, class: Class) -> (Job, Receiver<ThreadId>, Sender<()>) {
    let (begun, has_begun) = channel();
    let (allow, allowed) = channel();
    let job = pool
        .submit(class, move |_: &Wanted<'_>| {
            begun.send(thread::current().id()).unwrap();
            let _ = allowed.recv();
        })
        .unwrap();
    (job, has_begun, allow)
}

/// Occupies the only worker of a pool of two threads until the sender is used or dropped.
fn occupy(pool: &Pool) -> (Job, Sender<()>) {
    let (job, has_begun, allow) = held_up(pool, Class::Request);
    has_begun.recv().unwrap();
    (job, allow)
}

#[test]
fn a_job_runs_on_a_worker_while_its_submitter_goes_on() {
    let pool = Pool::new(2);
    let (job, has_begun, allow) = held_up(&pool, Class::Request);
    assert_ne!(has_begun.recv().unwrap(), thread::current().id());
    assert_eq!(job.ended(), None);
    assert_eq!(job.wait_for(Duration::from_millis(2)), None);
    allow.send(()).unwrap();
    assert_eq!(job.wait(), Ended::Done);
    assert_eq!(job.wait_for(Duration::ZERO), Some(Ended::Done));
    assert!(!job.cancel());
}

#[test]
fn what_a_job_owns_is_gone_when_it_has_ended() {
    let pool = Pool::new(2);
    for _ in 0..500 {
        let owned = Arc::new(());
        let held = Arc::clone(&owned);
        let job = pool.submit(Class::Request, move |_| drop(held)).unwrap();
        while job.ended().is_none() {
            thread::yield_now();
        }
        assert_eq!(Arc::strong_count(&owned), 1);
    }
}

#[test]
fn a_waiter_runs_a_job_that_nobody_has_begun() {
    let pool = Pool::new(2);
    let (_busy, allow) = occupy(&pool);
    let place = Arc::new(Mutex::new(None));
    let seen = Arc::clone(&place);
    let job =
        pool.submit(Class::Request, move |_| *seen.lock().unwrap() = Some(thread::current().id())).unwrap();
    assert_eq!(job.wait(), Ended::Done);
    assert_eq!(*place.lock().unwrap(), Some(thread::current().id()));
    drop(allow);
}

#[test]
fn a_waiter_helps_with_the_batch_of_a_job() {
    let pool = Arc::new(Pool::new(2));
    let inner = Arc::clone(&pool);
    let (begun, has_begun) = channel();
    let job = pool
        .submit(Class::Request, move |_| {
            begun.send(()).unwrap();
            let both = Barrier::new(2);
            inner
                .run(2, usize::MAX, |_, _| {
                    both.wait(); // hangs if nobody helps the only worker
                    Ok::<(), ()>(())
                })
                .unwrap();
        })
        .unwrap();
    has_begun.recv().unwrap();
    assert_eq!(job.wait(), Ended::Done);
}

#[test]
fn a_waiter_takes_other_requests_rather_than_sleep() {
    let pool = Pool::new(2);
    let (first, allow) = occupy(&pool);
    let (done, second_is_done) = channel();
    pool.submit(Class::Request, move |_| done.send(()).unwrap()).unwrap();
    let helper = thread::spawn(move || first.wait());
    // Only the waiter can have run it: the worker is at the first job.
    second_is_done.recv().unwrap();
    allow.send(()).unwrap();
    assert_eq!(helper.join().unwrap(), Ended::Done);
}

#[test]
fn cancelled_before_it_began_and_after() {
    let pool = Pool::new(2);
    let (running, allow) = occupy(&pool);
    let ran = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&ran);
    let queued = pool.submit(Class::Request, move |_| flag.store(true, Ordering::Relaxed)).unwrap();
    assert!(queued.cancel());
    assert_eq!(queued.wait(), Ended::Dropped);
    assert!(!queued.cancel());
    assert_eq!(Arc::strong_count(&ran), 1, "its work is dropped");
    assert!(!running.cancel());
    drop(allow);
    assert_eq!(running.wait(), Ended::Done);
    assert!(!ran.load(Ordering::Relaxed));
}

#[test]
fn a_running_job_hears_that_it_is_not_wanted() {
    let pool = Pool::new(2);
    let (begun, has_begun) = channel();
    let job = pool
        .submit(Class::Speculation, move |wanted: &Wanted<'_>| {
            begun.send(()).unwrap();
            while wanted.is_wanted() {
                thread::yield_now();
            }
        })
        .unwrap();
    has_begun.recv().unwrap();
    assert!(!job.cancel());
    assert_eq!(job.wait(), Ended::Done);
}

#[test]
fn requests_come_before_speculation_and_in_their_order() {
    let pool = Pool::new(2);
    let (_busy, allow) = occupy(&pool);
    let order = Arc::new(Mutex::new(Vec::new()));
    let submit = |class, name: &'static str| {
        let order = Arc::clone(&order);
        pool.submit(class, move |_| order.lock().unwrap().push(name)).unwrap()
    };
    let jobs = [
        submit(Class::Speculation, "guess"),
        submit(Class::Speculation, "next guess"),
        submit(Class::Request, "asked"),
        submit(Class::Request, "asked next"),
    ];
    drop(allow);
    // Polled, so that the worker does all of it.
    while jobs.iter().any(|job| job.ended().is_none()) {
        thread::yield_now();
    }
    assert_eq!(*order.lock().unwrap(), ["asked", "asked next", "guess", "next guess"]);
}

/// The only worker runs a job of many tasks; a call needs it, too, and gets it after one task.
#[test]
fn a_call_does_not_wait_for_a_job() {
    for class in [Class::Request, Class::Speculation] {
        let pool = Arc::new(Pool::new(2));
        let (inner, finished) = (Arc::clone(&pool), Arc::new(AtomicUsize::new(0)));
        let count = Arc::clone(&finished);
        let (begun, has_begun) = channel();
        let job = pool
            .submit(class, move |_| {
                inner
                    .run(200, usize::MAX, |_, _| {
                        let _ = begun.send(());
                        thread::sleep(Duration::from_millis(2));
                        count.fetch_add(1, Ordering::Relaxed);
                        Ok::<(), ()>(())
                    })
                    .unwrap();
            })
            .unwrap();
        has_begun.recv().unwrap();
        let both = Barrier::new(2);
        pool.run(2, usize::MAX, |_, _| {
            both.wait(); // hangs if the worker does not come
            Ok::<(), ()>(())
        })
        .unwrap();
        assert!(finished.load(Ordering::Relaxed) < 100, "the call has waited for the job");
        assert_eq!(job.wait(), Ended::Done);
        assert_eq!(finished.load(Ordering::Relaxed), 200);
    }
}

#[test]
fn panics_end_the_job_and_nothing_else() {
    let pool = Pool::new(2);
    let job = pool.submit(Class::Request, |_| std::panic::resume_unwind(Box::new("expected"))).unwrap();
    assert_eq!(job.wait(), Ended::Panicked);
    let (_, allow) = occupy(&pool);
    drop(allow);
    assert_eq!(pool.workers(), 1);
}

#[test]
fn too_many_are_refused_and_the_work_is_given_back() {
    let pool = Pool::new(2);
    let (_busy, allow) = occupy(&pool);
    for (class, most) in [(Class::Speculation, 256), (Class::Request, 16384)] {
        let runs = Arc::new(AtomicUsize::new(0));
        let one = || {
            let runs = Arc::clone(&runs);
            move |_: &Wanted<'_>| _ = runs.fetch_add(1, Ordering::Relaxed)
        };
        let jobs: Vec<_> = (0..most).map(|_| pool.submit(class, one()).unwrap()).collect();
        let refused = pool.submit(class, one()).unwrap_err();
        drop(refused.0);
        assert!(jobs.iter().all(Job::cancel));
        assert_eq!((Arc::strong_count(&runs), runs.load(Ordering::Relaxed)), (1, 0));
    }
    drop(allow);
}

#[test]
fn without_workers_jobs_are_refused() {
    assert!(Pool::new(1).submit(Class::Request, |_| ()).is_err());
    let closed = Pool::new(2);
    closed.close();
    assert!(closed.submit(Class::Request, |_| ()).is_err());
    let none = Pool::new(4);
    none.configure(None, true);
    assert!(none.submit(Class::Speculation, |_| ()).is_err());
}

#[test]
fn shutdown_drops_speculation_and_leaves_requests_to_their_waiters() {
    let pool = Arc::new(Pool::new(2));
    let (running, allow) = occupy(&pool);
    let guess = pool.submit(Class::Speculation, |_| unreachable!("dropped")).unwrap();
    let asked = pool.submit(Class::Request, |_| ()).unwrap();
    let ending = {
        let pool = Arc::clone(&pool);
        thread::spawn(move || pool.shutdown())
    };
    assert_eq!(guess.wait_for(Duration::from_secs(10)), Some(Ended::Dropped));
    assert!(!ending.is_finished(), "the job that runs is finished first");
    drop(allow);
    ending.join().unwrap();
    assert_eq!((pool.workers(), running.ended(), asked.ended()), (0, Some(Ended::Done), None));
    assert_eq!(asked.wait(), Ended::Done);
}

#[test]
fn shutdown_stops_speculation_that_runs() {
    let pool = Pool::new(2);
    let (begun, has_begun) = channel();
    pool.submit(Class::Speculation, move |wanted: &Wanted<'_>| {
        begun.send(()).unwrap();
        while wanted.is_wanted() {
            thread::sleep(Duration::from_millis(1));
        }
    })
    .unwrap();
    has_begun.recv().unwrap();
    let start = Instant::now();
    pool.shutdown();
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn a_dropped_pool_leaves_jobs_to_their_waiters() {
    let pool = Pool::new(2);
    let (_busy, allow) = occupy(&pool);
    let job = pool.submit(Class::Request, |_| ()).unwrap();
    drop(allow);
    drop(pool);
    assert_eq!(job.wait(), Ended::Done);
}

#[test]
fn many_submitters_and_waiters() {
    let pool = Pool::new(4);
    let sum = Arc::new(AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for round in 0..200 {
                    let jobs: Vec<_> = (0..8)
                        .map(|number| {
                            let sum = Arc::clone(&sum);
                            let class = if number % 3 == 0 { Class::Speculation } else { Class::Request };
                            pool.submit(class, move |_| _ = sum.fetch_add(1, Ordering::Relaxed)).unwrap()
                        })
                        .collect();
                    pool.run(4, usize::MAX, |_, _| Ok::<(), ()>(())).unwrap();
                    for job in jobs.iter().rev() {
                        if round % 2 == 0 {
                            assert_eq!(job.wait(), Ended::Done);
                        } else {
                            while job.wait_for(Duration::from_micros(50)).is_none() {}
                        }
                    }
                }
            });
        }
    });
    assert_eq!(sum.load(Ordering::Relaxed), 4 * 200 * 8);
}
