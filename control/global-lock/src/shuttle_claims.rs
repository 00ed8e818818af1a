//! The claims under many schedules, as in `shuttle_tests`.
//!
//! Shuttle finds deadlocks by itself; the model's assertions find a writer that is not alone. The last tests break the
//! rules on purpose: they pass if shuttle finds that.

use crate::lock::Released;
use crate::model::{Library, claims_are_granted_in_order_of_arrival, newcomers_give_way_to_callbacks};
use crate::shim::{Mutex, thread};
use crate::shuttle_tests::{all, explore, failure};
use crate::{Claim, Committers, Ending, Use};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

type Body = Box<dyn FnOnce() + Send>;

/// A thread with its own reference to the library.
fn on(library: &Arc<Library>, body: impl FnOnce(&Library) + Send + 'static) -> Body {
    let library = Arc::clone(library);
    Box::new(move || body(&library))
}

#[test]
fn areas_are_exclusive() {
    explore("areas_are_exclusive", || {
        let library = Library::with_datasets(1);
        all(vec![
            on(&library, |library| assert!(library.transfer(&[(0, 0..=1)], Use::Write))),
            on(&library, |library| assert!(library.transfer(&[(0, 1..=2)], Use::Write))),
            on(&library, |library| assert!(library.transfer(&[(0, 2..=3)], Use::Write))),
            on(&library, |library| assert!(library.transfer(&[(0, 0..=3)], Use::Read))),
        ]);
        assert_eq!([0, 1, 2, 3].map(|chunk| library.value(0, chunk)), [1, 2, 2, 1]);
        library.assert_idle();
    });
}

#[test]
fn committers_and_readers() {
    explore("committers_and_readers", || {
        let library = Library::with_datasets(1);
        all(vec![
            on(&library, |library| assert!(library.commit(&[(0, 0..=1)]))),
            on(&library, |library| assert!(library.commit(&[(0, 1..=2)]))),
            on(&library, |library| assert!(library.transfer(&[(0, 0..=2)], Use::Read))),
            on(&library, |library| assert!(library.transfer(&[(0, 1..=1)], Use::Write))),
        ]);
        assert_eq!(library.value(0, 1), 3);
        library.assert_idle();
    });
}

/// An operation that goes on after its call, and whose claim is released by whoever finishes it, under the lock.
#[derive(Default)]
struct UnderWay(Mutex<Vec<Claim>>);

impl UnderWay {
    /// Begins one, if nothing is in its way.
    fn begin(&self, library: &Library) {
        library.call(|| {
            let claims = library.wanted(&[(0, 0..=1)], Use::Write).try_claim();
            self.0.lock().unwrap().extend(claims.into_iter().flatten());
        });
    }

    /// Finishes what is there. The lock is given up meanwhile, as for one who waits for the pool.
    fn finish(&self, library: &Library) {
        if self.0.lock().unwrap().is_empty() {
            return;
        }
        library.lock.without(&library.host, thread::yield_now);
        while let Some(claim) = { self.0.lock().unwrap().pop() } {
            drop(claim);
        }
    }
}

/// One thread begins an operation and never comes back to it. Another one needs all of the dataset, and a third one is in its
/// way for a while.
fn left_under_way(claim: fn(&Library, &UnderWay) -> Vec<Claim>) {
    let library = Library::with_datasets(1);
    let under_way = Arc::new(UnderWay::default());
    let (first, last) = (Arc::clone(&under_way), Arc::clone(&under_way));
    all(vec![
        on(&library, move |library| first.begin(library)),
        on(&library, |library| {
            (0..4).for_each(|_| assert!(library.transfer(&[(0, 2..=3)], Use::Write)));
        }),
        on(&library, move |library| {
            library.call(|| {
                let claims = claim(library, &last);
                library.use_parts(&[(0, 0..=3)], Use::Write, &|| ());
                drop(claims);
            });
        }),
    ]);
    under_way.0.lock().unwrap().clear();
    library.assert_idle();
}

#[test]
fn operations_that_nobody_works_on_are_finished_by_who_needs_the_area() {
    explore("operations_that_nobody_works_on_are_finished_by_who_needs_the_area", || {
        left_under_way(|library, under_way| {
            let wanted = library.wanted(&[(0, 0..=3)], Use::Write);
            let finish = || under_way.finish(library);
            wanted.claim_finishing(&library.committers, &library.lock, &library.host, finish)
        });
    });
}

#[test]
fn finishing_them_before_the_queue_is_joined_without_the_lock_hangs() {
    let message = failure("finishing_them_before_the_queue_is_joined_without_the_lock_hangs", || {
        left_under_way(|library, under_way| {
            under_way.finish(library);
            // Joins the queue when the lock is given up: another one may have begun by then.
            library.claim(&[(0, 0..=3)], Use::Write)
        });
    });
    assert!(message.contains("deadlock!"), "{message}");
}

/// Three threads want to finish one operation. Who does gives the lock up in the middle, as for one who encodes.
fn finished_by_one(take: fn(&Library, &Ending<u32>) -> Option<u32>) {
    let library = Library::with_datasets(1);
    let (ending, times) = (Arc::new(Ending::new()), Arc::new(Mutex::new(0)));
    let finish = || {
        let (ending, times) = (Arc::clone(&ending), Arc::clone(&times));
        on(&library, move |library| {
            library.call(|| {
                let end = take(library, &ending).unwrap_or_else(|| {
                    library.lock.without(&library.host, thread::yield_now);
                    *times.lock().unwrap() += 1;
                    ending.set(7)
                });
                assert_eq!(end, 7);
            });
        })
    };
    all(vec![finish(), finish(), finish()]);
    assert_eq!((*times.lock().unwrap(), ending.get()), (1, Some(7)));
}

#[test]
fn one_thread_finishes_an_operation() {
    explore("one_thread_finishes_an_operation", || {
        finished_by_one(|library, ending| ending.take(&library.lock, &library.host));
    });
}

#[test]
fn waiting_for_the_one_with_the_lock_hangs() {
    let message = failure("waiting_for_the_one_with_the_lock_hangs", || {
        finished_by_one(|_, ending| ending.take_keeping_the_lock());
    });
    assert!(message.contains("deadlock!") || message.contains("max_steps"), "{message}");
}

#[test]
fn several_datasets_in_different_orders() {
    explore("several_datasets_in_different_orders", || {
        let library = Library::with_datasets(3);
        all(vec![
            on(&library, |library| assert!(library.commit(&[(0, 0..=1), (1, 0..=0)]))),
            on(&library, |library| {
                assert!(library.transfer(&[(1, 0..=1), (2, 0..=0), (0, 1..=1)], Use::Write));
            }),
            on(&library, |library| assert!(library.transfer(&[(2, 0..=1), (0, 0..=3)], Use::Read))),
            on(&library, |library| assert!(library.commit(&[(2, 0..=0), (1, 0..=0)]))),
        ]);
        assert_eq!((library.value(1, 0), library.value(2, 0), library.value(0, 1)), (3, 2, 2));
        library.assert_idle();
    });
}

#[test]
fn callbacks_read_and_write() {
    explore("callbacks_read_and_write", || {
        let library = Library::with_datasets(2);
        all(vec![
            on(&library, |library| {
                library.iterate(|| {
                    assert!(library.transfer(&[(1, 0..=1), (0, 0..=3)], Use::Read));
                    library.iterate(|| assert!(library.commit(&[(0, 0..=1)])));
                });
            }),
            on(&library, |library| assert!(library.commit(&[(0, 0..=0), (1, 1..=1)]))),
            on(&library, |library| assert!(library.transfer(&[(0, 0..=1)], Use::Read))),
            on(&library, |library| assert!(library.transfer(&[(1, 0..=1), (0, 1..=1)], Use::Write))),
        ]);
        assert_eq!((library.value(0, 0), library.value(0, 1)), (2, 2));
        library.assert_idle();
    });
}

#[test]
fn several_callbacks_and_committers() {
    explore("several_callbacks_and_committers", || {
        let library = Library::with_datasets(1);
        let iterating = |library: &Library| {
            library.iterate(|| assert!(library.transfer(&[(0, 0..=0)], Use::Write)));
        };
        all(vec![
            on(&library, iterating),
            on(&library, iterating),
            on(&library, |library| {
                assert!(library.commit(&[(0, 0..=0)]));
                assert!(library.commit(&[(0, 0..=1)]));
            }),
            on(&library, |library| assert!(library.commit(&[(0, 0..=0)]))),
        ]);
        assert_eq!(library.value(0, 0), 5);
        library.assert_idle();
    });
}

#[test]
fn panics_release_claims() {
    explore("panics_release_claims", || {
        let library = Library::with_datasets(1);
        all(vec![
            on(&library, |library| {
                library.call(|| {
                    let work = || {
                        let _committing = library.committers.enter();
                        let wanted = library.wanted(&[(0, 0..=1)], Use::Write);
                        let _claims = wanted.claim(&library.committers, &library.lock, &library.host);
                        library.lock.without(&library.host, || resume_unwind(Box::new(1)));
                    };
                    assert!(catch_unwind(AssertUnwindSafe(work)).is_err());
                });
            }),
            on(&library, |library| assert!(library.commit(&[(0, 0..=0)]))),
            on(&library, |library| library.iterate(|| assert!(library.transfer(&[(0, 1..=1)], Use::Read)))),
        ]);
        library.assert_idle();
    });
}

#[test]
fn first_come_first_served() {
    explore("first_come_first_served", claims_are_granted_in_order_of_arrival);
}

#[test]
fn newcomers_give_way() {
    explore("newcomers_give_way", newcomers_give_way_to_callbacks);
}

#[test]
fn a_callback_that_did_not_wait_for_committers_hangs() {
    // The committer tries the lock again and again: it is never blocked, and never gets on.
    let message = failure("a_callback_that_did_not_wait_for_committers_hangs", || {
        let library = Library::with_datasets(1);
        all(vec![
            on(&library, |library| {
                library.iterate_without_waiting(|| assert!(library.transfer(&[(0, 0..=0)], Use::Read)));
            }),
            on(&library, |library| assert!(library.commit(&[(0, 0..=0)]))),
        ]);
    });
    assert!(message.contains("max_steps"), "{message}");
}

#[test]
fn a_reader_that_waits_uncounted_hangs_callbacks() {
    // No committer in this one: the reader gets its claim from the writer, then wants the lock, which the callback of
    // the third thread keeps, who waits for the reader.
    let message = failure("a_reader_that_waits_uncounted_hangs_callbacks", || {
        let library = Library::with_datasets(1);
        all(vec![
            on(&library, |library| assert!(library.transfer(&[(0, 0..=0)], Use::Write))),
            on(&library, |library| {
                library.call(|| {
                    let elsewhere = Committers::new();
                    let counted = elsewhere.enter();
                    let wanted = library.wanted(&[(0, 0..=0)], Use::Read);
                    let claims = library
                        .lock
                        .without_to_wait(&library.host, |released| wanted.wait(released.as_ref(), &counted));
                    drop(claims);
                });
            }),
            on(&library, |library| {
                library.iterate(|| assert!(library.transfer(&[(0, 0..=0)], Use::Write)));
            }),
        ]);
    });
    assert!(message.contains("max_steps"), "{message}");
}

#[test]
fn datasets_in_any_order_hang() {
    let message = failure("datasets_in_any_order_hang", || {
        let library = Library::with_datasets(2);
        let one_by_one = |first: usize, second: usize| {
            on(&library, move |library: &Library| {
                library.call(|| {
                    let counted = library.committers.enter();
                    library.lock.without_to_wait(&library.host, |released| {
                        let wait = |released: Option<&Released<'_>>, id| {
                            library.wanted(&[(id, 0..=0)], Use::Write).wait(released, &counted)
                        };
                        let _first = wait(released.as_ref(), first);
                        let _second = wait(released.as_ref(), second);
                    });
                });
            })
        };
        all(vec![one_by_one(0, 1), one_by_one(1, 0)]);
    });
    assert!(message.contains("deadlock!"), "{message}");
}
