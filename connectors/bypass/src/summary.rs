//! What was bypassed and what was not, and why, counted over the whole process and all hosts in it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use crate::configuration::Configuration;
use crate::reason::Reason;

/// Which way data went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Direction {
    Read,
    Write,
}

static WANTED: AtomicBool = AtomicBool::new(false);
static FILES: AtomicU64 = AtomicU64::new(0);
static READS_BYPASSED: AtomicU64 = AtomicU64::new(0);
static BYTES_READ: AtomicU64 = AtomicU64::new(0);
static WRITES_BYPASSED: AtomicU64 = AtomicU64::new(0);
static BYTES_WRITTEN: AtomicU64 = AtomicU64::new(0);
static SMALL_READS: AtomicU64 = AtomicU64::new(0);
static PASSED_ON: Mutex<BTreeMap<(Direction, Reason), u64>> = Mutex::new(BTreeMap::new());

/// A file is being opened or created through the connector.
pub(crate) fn file_opened(configuration: &Configuration) {
    WANTED.fetch_or(configuration.summary, Relaxed);
    FILES.fetch_add(1, Relaxed);
}

/// Datasets were read by us.
pub(crate) fn bypassed(reads: u64, bytes: u64) {
    READS_BYPASSED.fetch_add(reads, Relaxed);
    BYTES_READ.fetch_add(bytes, Relaxed);
}

/// A dataset was written by us.
pub(crate) fn write_bypassed(bytes: u64) {
    WRITES_BYPASSED.fetch_add(1, Relaxed);
    BYTES_WRITTEN.fetch_add(bytes, Relaxed);
}

/// Datasets that were counted as read by us are read by the connector below after all.
pub(crate) fn not_bypassed(reads: u64, bytes: u64) {
    READS_BYPASSED.fetch_sub(reads, Relaxed);
    BYTES_READ.fetch_sub(bytes, Relaxed);
}

/// Raw data of a dataset is moved by the connector below.
pub(crate) fn passed_on(direction: Direction, reason: &Reason) {
    if *reason == Reason::Small {
        // These may come by the million, and are counted without a lock.
        SMALL_READS.fetch_add(1, Relaxed);
        return;
    }
    let mut counts = PASSED_ON.lock().unwrap_or_else(PoisonError::into_inner);
    *counts.entry((direction, reason.clone())).or_default() += 1;
}

/// Begins again in a forked child. Never waits: a thread that held the lock does not exist here.
pub(crate) fn start_anew() {
    let counters = [&FILES, &READS_BYPASSED, &BYTES_READ, &WRITES_BYPASSED, &BYTES_WRITTEN, &SMALL_READS];
    for counter in counters {
        counter.store(0, Relaxed);
    }
    if let Ok(mut counts) = PASSED_ON.try_lock() {
        counts.clear();
    }
}

/// Prints the summary on stderr if `BYPASS_VOL_STATS` asked for it.
pub(crate) fn print_if_wanted() {
    if WANTED.load(Relaxed) {
        // The process is ending: there is nobody left to tell about a closed stderr.
        let _ = std::io::stderr().write_all(text().as_bytes());
    }
}

fn text() -> String {
    let mut counts = PASSED_ON.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let small = SMALL_READS.load(Relaxed);
    if small > 0 {
        counts.insert((Direction::Read, Reason::Small), small);
    }
    let total = |direction| {
        counts.iter().filter(|((way, _), _)| *way == direction).map(|(_, count)| count).sum::<u64>()
    };
    let mut text = String::new();
    // Writing to a String cannot fail.
    let files = FILES.load(Relaxed);
    let _ = writeln!(text, "h5bypass: {files} file{} opened through the connector", plural(files));
    let _ = writeln!(
        text,
        "h5bypass: reads bypassed {} ({} bytes), passed on {}; writes bypassed {} ({} bytes), passed on {}",
        READS_BYPASSED.load(Relaxed),
        BYTES_READ.load(Relaxed),
        total(Direction::Read),
        WRITES_BYPASSED.load(Relaxed),
        BYTES_WRITTEN.load(Relaxed),
        total(Direction::Write)
    );
    let mut rows: Vec<_> = counts.iter().collect();
    rows.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for ((direction, reason), count) in rows {
        let way = match direction {
            Direction::Read => "read",
            Direction::Write => "write",
        };
        let _ = writeln!(text, "h5bypass: {count:>10} {way}{} passed on: {reason}", plural(*count));
    }
    text
}

/// The end of a word for so many.
fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}
