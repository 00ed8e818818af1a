//! The model under many schedules: `cargo test -p global-lock --features shuttle --release`.
//!
//! Each test prints the seed of its schedules; `SHUTTLE_RANDOM_SEED` replays one. Shuttle finds deadlocks by itself;
//! the model's assertions find two threads in the control plane, writers that are not alone, and lost counts. The last tests
//! break the rule of the order on purpose: they pass if shuttle finds that.

use crate::model::{Library, served_in_order_of_arrival};
use crate::shim::{Mutex, thread};
use crate::{Area, Claim, Use};
use shuttle::scheduler::{PctScheduler, RandomScheduler, Scheduler};
use shuttle::{Config, FailurePersistence, MaxSteps, Runner};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const ITERATIONS: usize = 2000;

fn seed(name: &str) -> u64 {
    let fresh = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| u64::from(now.subsec_nanos()));
    let seed = std::env::var("SHUTTLE_RANDOM_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(fresh);
    println!("{name}: SHUTTLE_RANDOM_SEED={seed}");
    seed
}

pub(crate) fn explore(name: &str, model: fn()) {
    let seed = seed(name);
    check(RandomScheduler::new_from_seed(seed, ITERATIONS), model);
    check(PctScheduler::new_from_seed(seed, 3, ITERATIONS), model);
}

fn check(scheduler: impl Scheduler + 'static, model: fn()) {
    let mut config = Config::new();
    config.max_time = Some(Duration::from_secs(4));
    Runner::new(scheduler, config).run(model);
}

pub(crate) fn all(bodies: Vec<Box<dyn FnOnce() + Send>>) {
    let threads: Vec<_> = bodies.into_iter().map(thread::spawn).collect();
    for thread in threads {
        thread.join().unwrap();
    }
}

/// A thread with its own reference to the library.
fn on(library: &Arc<Library>, body: impl FnOnce(&Library) + Send + 'static) -> Box<dyn FnOnce() + Send> {
    let library = Arc::clone(library);
    Box::new(move || body(&library))
}

#[test]
fn readers_and_writers() {
    explore("readers_and_writers", || {
        let library = Library::with_datasets(1);
        all(vec![
            on(&library, |library| assert!(library.commit(&[(0, 0..=0)]))),
            on(&library, |library| assert!(library.transfer(&[(0, 0..=0)], Use::Read))),
            on(&library, |library| assert!(library.commit(&[(0, 0..=0)]))),
        ]);
        assert_eq!(library.value(0, 0), 2);
    });
}

#[test]
fn close_during_use() {
    explore("close_during_use", || {
        let library = Library::with_datasets(2);
        all(vec![
            on(&library, |library| _ = library.transfer(&[(0, 0..=0)], Use::Read)),
            on(&library, |library| _ = library.commit(&[(0, 0..=0)])),
            on(&library, |library| {
                assert!(library.close(0));
                assert!(!library.transfer(&[(0, 0..=0)], Use::Read));
            }),
        ]);
        assert!(library.transfer(&[(1, 0..=0)], Use::Read));
    });
}

#[test]
fn user_callbacks() {
    explore("user_callbacks", || {
        let library = Library::with_datasets(1);
        all(vec![
            on(&library, |library| library.iterate(|| _ = library.transfer(&[(0, 0..=0)], Use::Read))),
            on(&library, |library| _ = library.commit(&[(0, 0..=0)])),
            on(&library, |library| {
                library.pass_through();
                assert!(library.close(0));
            }),
        ]);
    });
}

#[test]
fn panics() {
    explore("panics", || {
        let library = Library::with_datasets(1);
        all(vec![
            on(&library, |library| {
                library.call(|| {
                    let work = || resume_unwind(Box::new(1));
                    let caught = catch_unwind(AssertUnwindSafe(|| library.lock.without(&library.host, work)));
                    assert!(caught.is_err());
                    assert_eq!(library.host.held(), 1);
                });
            }),
            on(&library, |library| assert!(library.commit(&[(0, 0..=0)]))),
            on(&library, Library::pass_through),
        ]);
    });
}

#[test]
fn tickets_are_served_in_order() {
    explore("tickets_are_served_in_order", || {
        let library = Library::with_datasets(0);
        let served: Arc<Mutex<Vec<u64>>> = Arc::default();
        let waiter = || {
            let served = Arc::clone(&served);
            on(&library, move |library| {
                for _ in 0..2 {
                    let ticket = library.lock.acquire(&library.host, 1);
                    served.try_lock().expect("the global lock excludes").push(ticket);
                    library.host.exit();
                }
            })
        };
        all(vec![waiter(), waiter(), waiter(), on(&library, Library::pass_through)]);
        assert_eq!(*served.lock().unwrap(), [0, 1, 2, 3, 4, 5]);
    });
}

#[test]
fn first_come_first_served() {
    explore("first_come_first_served", served_in_order_of_arrival);
}

/// Runs a model that must fail, and gives back what shuttle says.
pub(crate) fn failure(name: &str, model: fn()) -> String {
    let mut config = Config::new();
    config.failure_persistence = FailurePersistence::None;
    config.max_steps = MaxSteps::FailAfter(20_000);
    let runner = Runner::new(RandomScheduler::new_from_seed(seed(name), ITERATIONS), config);
    let payload =
        catch_unwind(AssertUnwindSafe(|| runner.run(model))).expect_err("the wrong order was not found");
    match payload.downcast::<String>() {
        Ok(message) => *message,
        Err(payload) => payload.downcast_ref::<&str>().copied().unwrap_or_default().to_owned(),
    }
}

/// One thread waits for a claim while it holds the global lock; the other one, by `with_claim`, for the global lock while
/// it holds the claim.
fn wrong_order(with_claim: fn(&Library, Vec<Claim>)) {
    let library = Library::with_datasets(1);
    all(vec![
        on(&library, |library| {
            let claims = &library.datasets[0].claims;
            library.call(|| drop(claims.claim_without_proof(&Area::Everything, Use::Write)));
        }),
        on(&library, move |library| {
            library.call(|| {
                let _counted = library.committers.enter();
                let claims = library.claim(&[(0, 0..=0)], Use::Write);
                with_claim(library, claims);
            });
        }),
    ]);
}

#[test]
fn the_wrong_order_is_found_as_a_deadlock() {
    let message = failure("the_wrong_order_is_found_as_a_deadlock", || {
        wrong_order(|library, claims| {
            library.lock.without(&library.host, || {
                library.pass_through(); // enters the library the ordinary way
                drop(claims);
            });
        });
    });
    assert!(message.contains("deadlock!"), "{message}");
}

#[test]
fn the_wrong_order_is_found_as_endless_trying() {
    // The same, but the second thread tries the lock again and again: it is never blocked, and never gets on.
    let message = failure("the_wrong_order_is_found_as_endless_trying", || {
        wrong_order(|library, claims| {
            library.lock.without(&library.host, || ());
            drop(claims);
        });
    });
    assert!(message.contains("max_steps"), "{message}");
}

#[test]
fn the_right_order_is_not() {
    explore("the_right_order_is_not", || {
        let library = Library::with_datasets(1);
        let call = || {
            on(&library, |library| {
                library.call(|| {
                    let _counted = library.committers.enter();
                    let claims = library.claim(&[(0, 0..=0)], Use::Write);
                    library
                        .use_parts(&[(0, 0..=0)], Use::Write, &|| library.lock.without(&library.host, || ()));
                    drop(claims);
                });
            })
        };
        all(vec![call(), call()]);
        assert_eq!(library.value(0, 0), 2);
        library.assert_idle();
    });
}
