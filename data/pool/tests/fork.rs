//! A child of fork() has none of the parent's workers, and perhaps a lock that one of the parent's threads holds.

#[cfg(not(feature = "shuttle"))]
mod common;

fn main() {
    #[cfg(not(feature = "shuttle"))]
    scenarios::all();
}

#[cfg(not(feature = "shuttle"))]
mod scenarios {
    use crate::common::together;
    use pool::{Class, Ended, Pool};
    use std::process::exit;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    static STATIC: Pool = Pool::new(3);

    pub(crate) fn all() {
        hook_alone();
        child_of_an_idle_pool();
        child_while_others_use_the_pool();
        child_while_jobs_are_under_way();
        println!("fork: ok");
    }

    /// Runs `child` in a forked process, which then exits by way of its exit handlers. It fails if that takes more
    /// than 20 seconds (the alarm), if it panics or crashes.
    fn in_child(child: impl FnOnce()) {
        // SAFETY: the child runs ordinary code after fork. The C library makes malloc usable there; of Rust's own
        // locks it uses only those of objects it makes, and standard output stays untouched.
        let process = unsafe { libc::fork() };
        assert!(process >= 0);
        if process == 0 {
            // SAFETY: a plain system call.
            unsafe { libc::alarm(20) };
            let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(child));
            exit(i32::from(outcome.is_err()));
        }
        let mut status = 0;
        // SAFETY: `status` is valid for the call, and `process` is our child.
        assert_eq!(unsafe { libc::waitpid(process, &raw mut status, 0) }, process);
        assert_eq!(status, 0, "wait status of the child (14: it hung)");
    }

    fn child_of_an_idle_pool() {
        let local = Pool::new(2);
        together(&STATIC);
        together(&local);
        for _ in 0..20 {
            in_child(|| {
                assert_eq!(STATIC.workers(), 0);
                STATIC.shutdown(); // of workers that are not here: must not wait for them
                together(&STATIC);
                together(&STATIC);
                assert_eq!(STATIC.workers(), 2);
                in_child(|| together(&STATIC)); // and once more
                STATIC.shutdown();
                together(&STATIC);
                drop(local_of_parent(&local)); // dropped without having been used here
            });
        }
        together(&STATIC);
        assert_eq!(STATIC.workers(), 2, "the parent is not affected");
    }

    /// A bitwise copy, dropped in the child only: what happens to a `Pool` value that the child inherits.
    fn local_of_parent(pool: &Pool) -> Pool {
        // SAFETY: the child exits without dropping the original (`exit` unwinds nothing).
        unsafe { std::ptr::read(pool) }
    }

    fn child_while_others_use_the_pool() {
        let end = AtomicBool::new(false);
        let calls = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while !end.load(Ordering::Relaxed) {
                        STATIC.run(8, usize::MAX, |_, _| Ok::<(), ()>(())).unwrap();
                        calls.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            for _ in 0..150 {
                in_child(|| {
                    together(&STATIC);
                    assert_eq!(STATIC.workers(), 2);
                });
            }
            end.store(true, Ordering::Relaxed);
        });
        assert!(calls.into_inner() > 0);
    }

    /// A job of the parent never ends in the child, and nothing of it is touched there. The child has jobs of its own.
    fn child_while_jobs_are_under_way() {
        let pool = Pool::new(2);
        let runs = Arc::new(AtomicUsize::new(0));
        let (begun, has_begun) = channel();
        let (allow, allowed) = channel::<()>();
        let running = pool
            .submit(Class::Request, move |_| {
                begun.send(()).unwrap();
                let _ = allowed.recv();
            })
            .unwrap();
        has_begun.recv().unwrap();
        let count = Arc::clone(&runs);
        let queued = pool.submit(Class::Request, move |_| _ = count.fetch_add(1, Ordering::Relaxed)).unwrap();
        in_child(|| {
            for job in [&running, &queued] {
                assert_eq!(
                    (job.wait(), job.wait_for(Duration::ZERO)),
                    (Ended::InParent, Some(Ended::InParent))
                );
                assert!(!job.cancel());
            }
            let own = pool.submit(Class::Request, |_| ()).unwrap();
            assert_eq!(own.wait(), Ended::Done);
            pool.shutdown();
            assert_eq!(runs.load(Ordering::Relaxed), 0);
        });
        allow.send(()).unwrap();
        assert_eq!((queued.wait(), running.wait()), (Ended::Done, Ended::Done));
        assert_eq!(runs.load(Ordering::Relaxed), 1);
    }

    /// The hook says "forked" although the process id is the same.
    fn hook_alone() {
        let pool = Pool::new(2);
        together(&pool);
        assert_eq!(pool.workers(), 1);
        in_child(|| {
            pool::after_fork_in_child();
            assert_eq!(pool.workers(), 0);
            together(&pool);
        });
        pool::after_fork_in_child(); // as in a child whose process id does not tell
        assert_eq!(pool.workers(), 0);
        together(&pool);
        assert_eq!(pool.workers(), 1);
    }
}
