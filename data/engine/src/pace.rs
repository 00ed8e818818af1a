//! Whether an application does something else between its reads of a dataset.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// A pause is long if it is at least this part of the read before it.
const LONG: u64 = 4;

/// When a dataset was read last. Numbers that stand for themselves: threads that read at the same time make it guess worse.
#[derive(Debug)]
pub struct Pace {
    origin: Instant,
    /// Nanoseconds since then.
    began: AtomicU64,
    ended: AtomicU64,
}

impl Default for Pace {
    fn default() -> Self {
        Self { origin: Instant::now(), began: AtomicU64::new(0), ended: AtomicU64::new(0) }
    }
}

impl Pace {
    fn now(&self) -> u64 {
        u64::try_from(self.origin.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// A read begins; whether there was a long pause before it.
    pub fn begin(&self) -> bool {
        let now = self.now();
        let (began, ended) = (self.began.swap(now, Ordering::Relaxed), self.ended.load(Ordering::Relaxed));
        is_long(now.saturating_sub(ended), ended.saturating_sub(began))
    }

    /// It has ended.
    pub fn end(&self) {
        self.ended.store(self.now(), Ordering::Relaxed);
    }
}

/// Whether a pause after a read of this length is long.
fn is_long(pause: u64, read: u64) -> bool {
    pause.saturating_mul(LONG) >= read
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_pause_is_long_compared_with_the_read_before() {
        assert!(is_long(100, 400) && is_long(1, 0) && !is_long(99, 400));
    }

    #[test]
    fn reads_and_pauses_are_told_apart() {
        let pace = Pace::default();
        pace.begin();
        std::thread::sleep(Duration::from_millis(100));
        pace.end();
        // At once, as far as the system lets us.
        let is_long = pace.begin();
        assert!(!is_long || pace.origin.elapsed() > Duration::from_millis(120));
        pace.end();
        std::thread::sleep(Duration::from_millis(100));
        assert!(pace.begin());
    }
}
