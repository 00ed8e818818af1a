//! A child of fork() inherits a line of threads that do not exist in it: it must not wait for them.

fn main() {
    #[cfg(not(feature = "shuttle"))]
    scenario::run();
}

#[cfg(not(feature = "shuttle"))]
mod scenario {
    use global_lock::{GlobalLock, HostLock};
    use std::process::exit;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::Duration;

    /// Held or not; nobody enters twice here.
    struct Host(AtomicBool);

    impl HostLock for Host {
        fn release(&self) -> u32 {
            u32::from(self.0.swap(false, Ordering::AcqRel))
        }

        fn try_acquire(&self, _count: u32) -> bool {
            !self.0.swap(true, Ordering::AcqRel)
        }
    }

    static HOST: Host = Host(AtomicBool::new(false));
    static LOCK: GlobalLock = GlobalLock::new();

    pub(crate) fn run() {
        assert!(HOST.try_acquire(1));
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    LOCK.without(&Never, || ());
                });
            }
            thread::sleep(Duration::from_millis(50)); // one tries, two are in line
            in_child(|| {
                LOCK.without(&HOST, || ());
                in_child(|| LOCK.without(&HOST, || ()));
            });
            NEVER.store(false, Ordering::Release);
        });
        LOCK.without(&HOST, || ());
        println!("fork: ok");
    }

    static NEVER: AtomicBool = AtomicBool::new(true);

    /// A lock that is not to be had until `NEVER` is over.
    struct Never;

    impl HostLock for Never {
        fn release(&self) -> u32 {
            1
        }

        fn try_acquire(&self, _count: u32) -> bool {
            !NEVER.load(Ordering::Acquire)
        }
    }

    fn in_child(child: impl FnOnce()) {
        // SAFETY: the child runs ordinary code after fork. The C library makes malloc usable there, and of Rust's own
        // locks it uses none that a thread of the parent may hold.
        let process = unsafe { libc::fork() };
        assert!(process >= 0);
        if process == 0 {
            // SAFETY: a plain system call.
            unsafe { libc::alarm(20) };
            child();
            exit(0);
        }
        let mut status = 0;
        // SAFETY: `status` is valid for the call, and `process` is our child.
        assert_eq!(unsafe { libc::waitpid(process, &raw mut status, 0) }, process);
        assert_eq!(status, 0, "wait status of the child (14: it hung)");
    }
}
