//! With real threads and a real recursive lock.

use crate::model::{Library, served_in_order_of_arrival};
use crate::model_host::ModelHost;
use crate::{GlobalLock, Use, UserCallbackScope};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn sleepers_overlap() {
    let host = ModelHost::default();
    let lock = GlobalLock::new();
    let nap = || thread::sleep(Duration::from_millis(50));
    let three = |call: &(dyn Fn() + Sync)| {
        let start = Instant::now();
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    host.enter();
                    call();
                    host.exit();
                });
            }
        });
        start.elapsed()
    };
    let kept = three(&nap);
    let given_up = three(&|| lock.without(&host, nap));
    assert!(kept >= Duration::from_millis(150), "{kept:?}");
    assert!(given_up < Duration::from_millis(130), "{given_up:?}");
    println!("three naps of 50 ms: {kept:?} with the lock held, {given_up:?} with the lock given up");
}

#[test]
fn the_count_comes_back() {
    let host = ModelHost::default();
    let lock = GlobalLock::new();
    for count in 1..4 {
        host.enter();
        lock.without_to_wait(&host, |released| {
            assert!(released.is_some());
            assert_eq!(host.held(), 0);
        });
        assert_eq!(host.held(), count);
    }
}

#[test]
fn nothing_is_taken_that_was_not_held() {
    let host = ModelHost::default();
    let lock = GlobalLock::new();
    lock.without_to_wait(&host, |released| {
        assert!(released.is_some());
        assert_eq!(host.held(), 0);
    });
    assert_eq!(host.held(), 0);
}

#[test]
fn nested_just_runs() {
    let host = ModelHost::default();
    let lock = GlobalLock::new();
    host.enter();
    host.enter();
    lock.without(&host, || {
        lock.without_to_wait(&host, |inner| assert!(inner.is_some()));
        assert_eq!(host.held(), 0, "the inner one has not taken it back");
        // The library is entered from inside, and its callback gives the lock up as always.
        host.enter();
        lock.without(&host, || ());
        host.exit();
        assert_eq!(host.held(), 0);
    });
    assert_eq!(host.held(), 2);
}

#[test]
fn two_hosts_do_not_meddle() {
    let (host_a, host_b) = (ModelHost::default(), ModelHost::default());
    let (lock_a, lock_b) = (GlobalLock::new(), GlobalLock::new());
    host_a.enter();
    lock_a.without(&host_a, || {
        host_b.enter();
        lock_b.without(&host_b, || assert_eq!((host_a.held(), host_b.held()), (0, 0)));
        assert_eq!((host_a.held(), host_b.held()), (0, 1));
    });
    assert_eq!((host_a.held(), host_b.held()), (1, 1));
}

#[test]
fn a_panic_leaves_the_lock_held() {
    let host = ModelHost::default();
    let lock = GlobalLock::new();
    host.enter();
    let caught = catch_unwind(AssertUnwindSafe(|| lock.without(&host, || resume_unwind(Box::new(7)))));
    assert_eq!(caught.unwrap_err().downcast_ref::<i32>(), Some(&7));
    assert_eq!(host.held(), 1);
    let caught = catch_unwind(AssertUnwindSafe(|| {
        lock.without(&host, || lock.without(&host, || resume_unwind(Box::new(8))));
    }));
    assert!(caught.is_err());
    assert_eq!(host.held(), 1);
    lock.without(&host, || assert_eq!(host.held(), 0));
}

#[test]
fn a_users_callback_keeps_the_lock() {
    let host = ModelHost::default();
    let lock = GlobalLock::new();
    host.enter();
    let outer = UserCallbackScope::enter();
    let inner = UserCallbackScope::enter();
    for scope in [inner, outer] {
        lock.without_to_wait(&host, |released| {
            assert!(released.is_none());
            assert_eq!(host.held(), 1);
        });
        drop(scope);
    }
    lock.without_to_wait(&host, |released| assert!(released.is_some()));
}

#[test]
fn first_come_first_served() {
    for _ in 0..20 {
        served_in_order_of_arrival();
    }
}

#[test]
fn waiting_long_costs_little() {
    let host = ModelHost::default();
    let lock = GlobalLock::new();
    let released = AtomicBool::new(false);
    host.enter();
    thread::scope(|scope| {
        let waiters: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    lock.acquire(&host, 1);
                    assert!(released.load(Ordering::Relaxed));
                    host.exit();
                    // Nanoseconds on a CPU, then other numbers; absent on systems without.
                    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
                    text.split(' ').next().and_then(|time| time.parse().ok()).map(Duration::from_nanos)
                })
            })
            .collect();
        thread::sleep(Duration::from_millis(300));
        released.store(true, Ordering::Relaxed);
        host.exit();
        let busy: Duration = waiters.into_iter().filter_map(|waiter| waiter.join().unwrap()).sum();
        println!("three threads waited 300 ms and used the CPU for {busy:?}");
        assert!(busy < Duration::from_millis(100), "{busy:?}");
    });
}

#[test]
fn everything_at_once() {
    let library = Library::with_datasets(2);
    let threads: Vec<_> = (0..6)
        .map(|number| {
            let library = Arc::clone(&library);
            thread::spawn(move || {
                for round in 0..300 {
                    let parts = [(round % 2, 0..=0)];
                    match number {
                        0 => library.pass_through(),
                        1 => library.iterate(|| assert!(library.transfer(&parts, Use::Read))),
                        2 | 3 => assert!(library.transfer(&parts, Use::Read)),
                        _ => assert!(library.commit(&parts)),
                    }
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!((library.value(0, 0), library.value(1, 0)), (300, 300));
    assert!(library.close(0));
    assert!(!library.transfer(&[(0, 0..=0)], Use::Read) && !library.commit(&[(0, 0..=0)]));
}
