//! A child of fork() inherits claims, and committers, of threads that do not exist in it: it must not wait for them.

#![cfg(not(feature = "shuttle"))]

use global_lock::{Area, Claims, Committers, GlobalLock, HostLock, Use, Wanted};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;

/// Nobody else is interested in it.
struct Free;

impl HostLock for Free {
    fn release(&self) -> u32 {
        1
    }

    fn try_acquire(&self, _count: u32) -> bool {
        true
    }
}

#[test]
fn a_child_begins_with_no_claims_and_no_committers() {
    let (lock, committers, claims) = (GlobalLock::new(), Committers::new(), Claims::new());
    // The first claim here, as the child's will be there: they must not be taken for each other.
    let inherited = claims.try_claim(&Area::between(&[6], &[9]), Use::Write).unwrap();
    let (held, is_held) = channel();
    let (end, is_end) = channel::<()>();
    thread::scope(|scope| {
        let end = end; // dropped, so that the thread ends, also if something is wrong here
        let (committers, claims) = (&committers, &claims);
        scope.spawn(move || {
            let committing = committers.enter();
            let claim = claims.try_claim(&Area::between(&[0], &[5]), Use::Write);
            held.send(claim.is_some()).unwrap();
            let _ = is_end.recv();
            drop((claim, committing));
        });
        assert!(is_held.recv().unwrap());
        let everything =
            || -> Wanted { [(Arc::clone(claims), Area::Everything, Use::Write)].into_iter().collect() };
        let child = || {
            committers.wait_for_none(&lock, &Free);
            let own = everything().claim(committers, &lock, &Free);
            (own, committers.enter())
        };
        in_child(|| {
            let first = child();
            drop(inherited);
            let kept = everything().try_claim().is_none();
            drop(first);
            let released = everything().try_claim().is_some();
            in_child(|| {
                drop(child());
                true
            });
            kept && released
        });
        assert!(!claims.is_idle(), "the child changed nothing here");
        end.send(()).unwrap();
    });
    committers.wait_for_none(&lock, &Free);
}

/// Runs `child` in a child process, which must find that all is well.
fn in_child(child: impl FnOnce() -> bool) {
    // SAFETY: the child runs ordinary code after fork, and leaves by `_exit`. The C library makes malloc usable there, and
    // of Rust's own locks it uses none that a thread of the parent may hold.
    let process = unsafe { libc::fork() };
    assert!(process >= 0);
    if process == 0 {
        // SAFETY: a plain system call.
        unsafe { libc::alarm(20) };
        global_lock::after_fork_in_child();
        let is_well = child();
        // SAFETY: ends the process at once: the threads of the test harness are not there to be waited for.
        unsafe { libc::_exit(i32::from(!is_well)) };
    }
    let mut status = 0;
    // SAFETY: `status` is valid for the call, and `process` is our child.
    assert_eq!(unsafe { libc::waitpid(process, &raw mut status, 0) }, process);
    assert_eq!(status, 0, "wait status of the child (14: it hung)");
}
