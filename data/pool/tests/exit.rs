//! A process may end while workers are idle, at work, or after the pool was closed: no hang, no crash.

#[cfg(not(feature = "shuttle"))]
mod common;

fn main() {
    #[cfg(not(feature = "shuttle"))]
    scenarios::all();
}

#[cfg(not(feature = "shuttle"))]
mod scenarios {
    use crate::common::together;
    use pool::{Class, Pool};
    use std::process::{Command, exit};
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::{Duration, Instant};

    const NAMES: [&str; 8] =
        ["idle", "busy", "busy-shutdown", "closed", "return", "atexit", "jobs", "jobs-closed"];

    pub(crate) fn all() {
        if let Some(name) = std::env::args().nth(1).filter(|name| NAMES.contains(&name.as_str())) {
            return scenario(&name);
        }
        let program = std::env::current_exe().unwrap();
        for name in NAMES {
            let start = Instant::now();
            let status = Command::new(&program).arg(name).status().unwrap();
            assert!(status.success(), "{name}: {status}");
            assert!(start.elapsed() < Duration::from_secs(10), "{name}: {:?}", start.elapsed());
        }
        println!("exit: ok");
    }

    extern "C" fn close_and_use_again() {
        Pool::global().close();
        // Files left open are closed after that: their last chunks are still written.
        Pool::global().run(10, usize::MAX, |_, _| Ok::<(), ()>(())).unwrap();
    }

    fn scenario(name: &str) {
        // SAFETY: a plain system call. What hangs is ended.
        unsafe { libc::alarm(20) };
        let pool = Pool::global();
        pool.configure(Some(4), false);
        together(pool);
        match name {
            "idle" => exit(0),
            "busy" | "busy-shutdown" => {
                let (started, seen) = channel();
                thread::spawn(move || {
                    pool.run(1000, usize::MAX, |_, _| {
                        let _ = started.send(());
                        thread::sleep(Duration::from_millis(30));
                        Ok::<(), ()>(())
                    })
                });
                seen.recv().unwrap();
                if name == "busy-shutdown" {
                    pool.shutdown();
                }
                exit(0)
            }
            "jobs" | "jobs-closed" => {
                for number in 0..100 {
                    let class = if number % 2 == 0 { Class::Request } else { Class::Speculation };
                    pool.submit(class, |_| thread::sleep(Duration::from_millis(30))).unwrap();
                }
                if name == "jobs-closed" {
                    pool.close();
                    assert_eq!(pool.workers(), 0);
                }
                exit(0)
            }
            "closed" => {
                close_and_use_again();
                assert_eq!(pool.workers(), 0);
                exit(0)
            }
            "atexit" => {
                // SAFETY: the function has the type that atexit asks for and does not unwind.
                unsafe { libc::atexit(close_and_use_again) };
            }
            _ => {} // by returning from main
        }
    }
}
