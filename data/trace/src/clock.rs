//! The time since the trace began.

use std::sync::OnceLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

static BEGINNING: OnceLock<(Instant, SystemTime)> = OnceLock::new();

fn beginning() -> &'static (Instant, SystemTime) {
    BEGINNING.get_or_init(|| (Instant::now(), SystemTime::now()))
}

/// Nanoseconds since somebody first asked. A forked child goes on counting.
pub(crate) fn now() -> u64 {
    // Enough for 584 years.
    u64::try_from(beginning().0.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

/// The time of day at nanosecond 0, in microseconds since 1970: what traces of several processes are put side by side by.
pub(crate) fn time_of_day() -> u64 {
    let since = beginning().1.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX)
}
