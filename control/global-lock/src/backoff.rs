//! How the one thread that tries the host's lock passes the time between two tries.
//!
//! Most holders are short calls of a few microseconds, so at first it tries again at once. Threads that enter the
//! library the ordinary way sleep inside the host's own lock and are woken by it: a try-lock that comes too seldom
//! would lose against them again and again. But the lock may also be held for long (a pass-through read): after some
//! 50 microseconds of trying hard, it sleeps, shortly.

use crate::shim::{hint, thread};
use std::time::Duration;

/// Tries with 1, 2, 4 .. 32 pauses of the CPU between them: one or two microseconds in all.
const SPINS: u32 = 6;
/// Tries with a yield between them: each a system call, so some tens of microseconds in all if nobody else runs.
const YIELDS: u32 = 50;
/// Then sleeps, doubling from the first to the last. (Linux adds up to 50 microseconds to each.)
const FIRST_SLEEP: Duration = Duration::from_micros(5);
const LAST_SLEEP: Duration = Duration::from_micros(100);

pub(crate) struct Backoff {
    step: u32,
    sleep: Duration,
}

impl Backoff {
    pub(crate) const fn new() -> Self {
        Self { step: 0, sleep: FIRST_SLEEP }
    }

    /// Passes some time, more each time.
    pub(crate) fn pause(&mut self) {
        if self.step < SPINS {
            for _ in 0..1 << self.step {
                hint::spin_loop();
            }
        } else if self.step < SPINS + YIELDS {
            thread::yield_now();
        } else {
            thread::sleep(self.sleep);
            self.sleep = LAST_SLEEP.min(self.sleep * 2);
            return;
        }
        self.step += 1;
    }
}
