//! Counters that threads of several hosts may increase at the same time.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Which way data went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Read,
    Write,
}

/// Calls of one kind, and their time.
#[derive(Debug, Default)]
pub(crate) struct CallCounter {
    calls: AtomicU64,
    failures: AtomicU64,
    total_ns: AtomicU64,
    longest_ns: AtomicU64,
}

/// What a [`CallCounter`] has counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct CallCount {
    pub(crate) calls: u64,
    pub(crate) failures: u64,
    pub(crate) total_ns: u64,
    pub(crate) longest_ns: u64,
}

impl CallCounter {
    pub(crate) fn record(&self, time: Duration, succeeded: bool) {
        let ns = nanoseconds(time);
        self.calls.fetch_add(1, Relaxed);
        self.failures.fetch_add(u64::from(!succeeded), Relaxed);
        self.total_ns.fetch_add(ns, Relaxed);
        self.longest_ns.fetch_max(ns, Relaxed);
    }

    fn absorb(&self, other: &Self) {
        let other = other.get();
        self.calls.fetch_add(other.calls, Relaxed);
        self.failures.fetch_add(other.failures, Relaxed);
        self.total_ns.fetch_add(other.total_ns, Relaxed);
        self.longest_ns.fetch_max(other.longest_ns, Relaxed);
    }

    pub(crate) fn get(&self) -> CallCount {
        CallCount {
            calls: self.calls.load(Relaxed),
            failures: self.failures.load(Relaxed),
            total_ns: self.total_ns.load(Relaxed),
            longest_ns: self.longest_ns.load(Relaxed),
        }
    }
}

/// Data moved in one direction.
#[derive(Debug, Default)]
pub(crate) struct FlowCounter {
    calls: CallCounter,
    bytes: AtomicU64,
}

impl FlowCounter {
    pub(crate) fn record(&self, bytes: u64, time: Duration, succeeded: bool) {
        self.calls.record(time, succeeded);
        if succeeded {
            self.bytes.fetch_add(bytes, Relaxed);
        }
    }

    pub(crate) fn absorb(&self, other: &Self) {
        self.calls.absorb(&other.calls);
        self.bytes.fetch_add(other.bytes(), Relaxed);
    }

    pub(crate) fn calls(&self) -> CallCount {
        self.calls.get()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }
}

/// Whole nanoseconds; half a millennium fits.
pub(crate) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_move_no_bytes() {
        let flow = FlowCounter::default();
        flow.record(100, Duration::from_nanos(7), true);
        flow.record(900, Duration::from_nanos(5), false);
        assert_eq!(flow.bytes(), 100);
        assert_eq!(flow.calls(), CallCount { calls: 2, failures: 1, total_ns: 12, longest_ns: 7 });
    }
}
