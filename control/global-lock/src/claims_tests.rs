//! Claims with real threads and a real recursive lock.

use crate::model::{Library, claims_are_granted_in_order_of_arrival, newcomers_give_way_to_callbacks};
use crate::{Area, Claim, Claims, Committers, GlobalLock, HostLock, Use, UserCallbackScope, Wanted};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

fn row(low: u64, high: u64) -> Area {
    Area::between(&[low], &[high])
}

#[test]
fn readers_share_and_writers_exclude() {
    let claims = Claims::new();
    let tries = |area: &Area, what| claims.try_claim(area, what).is_some();
    let reader = claims.try_claim(&row(0, 4), Use::Read).unwrap();
    assert!(tries(&row(0, 4), Use::Read) && tries(&Area::Everything, Use::Read));
    assert!(!tries(&row(4, 9), Use::Write) && !tries(&Area::Everything, Use::Write));
    let writer = claims.try_claim(&row(5, 9), Use::Write).unwrap();
    assert!(!tries(&row(9, 9), Use::Read) && !tries(&Area::Everything, Use::Read));
    assert!(tries(&row(1, 2), Use::Read) && !claims.is_idle());
    drop(reader);
    assert!(tries(&row(0, 4), Use::Write));
    drop(writer);
    assert!(claims.is_idle() && tries(&Area::Everything, Use::Write));
}

#[test]
fn claims_go_to_other_threads_and_end_with_panics() {
    let claims = Claims::new();
    let claim = claims.try_claim(&Area::Everything, Use::Write).unwrap();
    thread::spawn(move || drop(claim)).join().unwrap();
    assert!(claims.is_idle());
    let caught = catch_unwind(AssertUnwindSafe(|| {
        let _claim = claims.try_claim(&Area::Everything, Use::Write).unwrap();
        resume_unwind(Box::new(()));
    }));
    assert!(caught.is_err() && claims.is_idle());
}

#[test]
fn all_or_nothing() {
    let datasets = [(); 3].map(|()| Claims::new());
    let wanted: Wanted = datasets.iter().map(|claims| (Arc::clone(claims), row(0, 0), Use::Write)).collect();
    let other = datasets[1].try_claim(&row(0, 0), Use::Read).unwrap();
    assert!(wanted.try_claim().is_none());
    assert!(datasets[0].is_idle() && datasets[2].is_idle());
    drop(other);
    let claims = wanted.try_claim().unwrap();
    assert_eq!(claims.len(), 3);
    assert!(datasets.iter().all(|claims| !claims.is_idle()));
}

#[test]
fn a_dataset_that_occurs_twice_is_claimed_once_as_a_whole() {
    let (twice, once) = (Claims::new(), Claims::new());
    let wanted: Wanted = [
        (Arc::clone(&twice), row(0, 0), Use::Read),
        (Arc::clone(&once), row(0, 0), Use::Read),
        (Arc::clone(&twice), row(2, 2), Use::Write),
        (Arc::clone(&twice), row(4, 4), Use::Read),
    ]
    .into_iter()
    .collect();
    let claims = wanted.try_claim().unwrap();
    assert_eq!(claims.len(), 2);
    assert!(twice.try_claim(&row(9, 9), Use::Read).is_none(), "everything, alone");
    assert!(
        once.try_claim(&row(0, 9), Use::Read).is_some() && once.try_claim(&row(1, 1), Use::Write).is_some()
    );
}

#[test]
fn a_callback_does_not_wait_for_its_own_call() {
    let library = Library::with_datasets(1);
    library.iterate(|| {
        let outer = library.wanted(&[(0, 0..=3)], Use::Write).try_claim().unwrap();
        library.iterate(|| assert!(library.transfer(&[(0, 1..=2)], Use::Read)));
        drop(outer);
    });
    library.assert_idle();
}

#[test]
fn waiting_in_a_callback_is_for_callbacks() {
    let claims = Claims::new();
    let misuse = || drop(claims.claim_in_callback(&Area::Everything, Use::Read));
    assert!(catch_unwind(AssertUnwindSafe(misuse)).is_err());
    let scope = UserCallbackScope::enter();
    drop(claims.claim_in_callback(&Area::Everything, Use::Read));
    drop(scope);
    assert!(claims.is_idle());
}

#[test]
fn who_commits_cannot_wait_for_none() {
    let library = Library::with_datasets(0);
    let wait = || library.committers.wait_for_none(&library.lock, &library.host);
    library.call(|| {
        let committing = library.committers.enter();
        assert!(catch_unwind(AssertUnwindSafe(wait)).is_err());
        library.committers.give_way(&library.lock, &library.host);
        drop(committing);
        wait();
    });
}

/// A library without a lock: it is used by one thread at a time, and there is nothing to give up.
struct Lockless;

impl HostLock for Lockless {
    fn release(&self) -> u32 {
        0
    }

    fn try_acquire(&self, _count: u32) -> bool {
        panic!("nothing was given up")
    }
}

#[test]
fn without_a_global_lock_nobody_waits() {
    let (lock, committers, claims) = (GlobalLock::new(), Committers::new(), Claims::new());
    let wanted = |area, what| [(Arc::clone(&claims), area, what)].into_iter().collect::<Wanted>();
    let claim = |area, what| -> Vec<Claim> { wanted(area, what).claim(&committers, &lock, &Lockless) };
    committers.give_way(&lock, &Lockless);
    let committing = committers.enter();
    let writing = claim(Area::Everything, Use::Write);
    lock.without(&Lockless, || ());
    drop((writing, committing));
    committers.wait_for_none(&lock, &Lockless);
    let scope = UserCallbackScope::enter();
    committers.wait_for_none(&lock, &Lockless);
    let outer = claim(row(0, 1), Use::Write);
    let inner = claim(row(1, 2), Use::Write);
    drop((outer, inner, scope));
    assert!(claims.is_idle());
}

#[test]
fn first_come_first_served() {
    for _ in 0..20 {
        claims_are_granted_in_order_of_arrival();
    }
}

#[test]
fn newcomers_give_way() {
    for _ in 0..20 {
        newcomers_give_way_to_callbacks();
    }
}

#[test]
fn callbacks_get_through_while_others_commit_all_the_time() {
    let library = Library::with_datasets(3);
    let (done, rounds) = (std::sync::atomic::AtomicBool::new(false), 20);
    thread::scope(|scope| {
        for id in 0..3 {
            let (library, done) = (&library, &done);
            scope.spawn(move || {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    library.call(|| {
                        library.committers.give_way(&library.lock, &library.host);
                        let _committing = library.committers.enter();
                        let wanted = library.wanted(&[(id, 0..=1)], Use::Write);
                        let _claims = wanted.claim(&library.committers, &library.lock, &library.host);
                        library.lock.without(&library.host, || thread::sleep(Duration::from_millis(2)));
                    });
                }
            });
        }
        for _ in 0..rounds {
            library.iterate(|| assert!(library.transfer(&[(0, 0..=0), (1, 1..=1)], Use::Write)));
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(library.value(0, 0), rounds);
}

#[test]
fn everything_at_once() {
    let library = Library::with_datasets(2);
    thread::scope(|scope| {
        for number in 0..6 {
            let library = &library;
            scope.spawn(move || {
                for round in 0..200 {
                    let (one, other) = (round % 2, (round + 1) % 2);
                    match number {
                        0 => library.iterate(|| assert!(library.transfer(&[(one, 0..=3)], Use::Read))),
                        1 => library.iterate(|| assert!(library.commit(&[(one, 0..=1), (other, 1..=1)]))),
                        2 => assert!(library.transfer(&[(one, 1..=2), (other, 0..=1)], Use::Write)),
                        3 => assert!(library.transfer(&[(one, 0..=3)], Use::Read)),
                        4 => assert!(library.commit(&[(one, 1..=1)])),
                        _ => assert!(library.commit(&[(one, 1..=3), (other, 1..=1)])),
                    }
                }
            });
        }
    });
    assert_eq!(library.value(0, 1) + library.value(1, 1), 2 * 200 * 3 + 200);
    library.assert_idle();
}
