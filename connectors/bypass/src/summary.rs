//! What was bypassed and what was not, and why, counted over the whole process and all hosts in it. Forked processes count
//! for themselves, where the process they come from finds it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use crate::board::{self, COUNTERS};
use crate::configuration::Configuration;
use crate::reason::Reason;

/// Which way data went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Direction {
    Read,
    Write,
}

/// Places of the counters.
const FILES: usize = 0;
const READS_BYPASSED: usize = 1;
const BYTES_READ: usize = 2;
const WRITES_BYPASSED: usize = 3;
const BYTES_WRITTEN: usize = 4;
const SMALL_READS: usize = 5;

static WANTED: AtomicBool = AtomicBool::new(false);
/// Of a process that was not forked.
static COUNTED: [AtomicU64; COUNTERS] = [const { AtomicU64::new(0) }; COUNTERS];
/// Why data was moved by the connector below, how often, and as which of all reasons it came up.
static PASSED_ON: Mutex<BTreeMap<(Direction, Reason), (u64, usize)>> = Mutex::new(BTreeMap::new());

#[inline]
fn counters() -> &'static [AtomicU64] {
    board::mine().map_or(&COUNTED, board::Process::counters)
}

/// The connector was loaded: children that are forked from now on are to be counted, too.
pub(crate) fn prepare(configuration: &Configuration) {
    if configuration.summary {
        board::prepare();
    }
}

static FILTERS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// A file is being opened or created through the connector.
pub(crate) fn file_opened(configuration: &Configuration) {
    WANTED.fetch_or(configuration.summary, Relaxed);
    counters()[FILES].fetch_add(1, Relaxed);
}

/// Datasets were read by us.
pub(crate) fn bypassed(reads: u64, bytes: u64) {
    let counters = counters();
    counters[READS_BYPASSED].fetch_add(reads, Relaxed);
    counters[BYTES_READ].fetch_add(bytes, Relaxed);
}

/// A dataset was written by us.
pub(crate) fn write_bypassed(bytes: u64) {
    let counters = counters();
    counters[WRITES_BYPASSED].fetch_add(1, Relaxed);
    counters[BYTES_WRITTEN].fetch_add(bytes, Relaxed);
}

/// Datasets that were counted as read by us are read by the connector below after all.
pub(crate) fn not_bypassed(reads: u64, bytes: u64) {
    let counters = counters();
    counters[READS_BYPASSED].fetch_sub(reads, Relaxed);
    counters[BYTES_READ].fetch_sub(bytes, Relaxed);
}

/// Raw data of a dataset is moved by the connector below.
pub(crate) fn passed_on(direction: Direction, reason: &Reason) {
    if *reason == Reason::Small {
        // These may come by the million, and are counted without a lock.
        counters()[SMALL_READS].fetch_add(1, Relaxed);
        return;
    }
    let mut counts = PASSED_ON.lock().unwrap_or_else(PoisonError::into_inner);
    let known = counts.len();
    let (count, number) = counts.entry((direction, reason.clone())).or_insert((0, known));
    *count += 1;
    if let Some(process) = board::mine() {
        process.count_reason(*number, u8::from(direction == Direction::Write), || reason.to_string());
    }
}

/// It was found out who does the work of a filter that is not part of HDF5 itself.
pub(crate) fn filter_used(describe: impl FnOnce() -> String) {
    if WANTED.load(Relaxed) {
        FILTERS.lock().unwrap_or_else(PoisonError::into_inner).insert(describe());
    }
}

/// Begins again in a forked child. Never waits: a thread that held the lock does not exist here.
pub(crate) fn start_anew() {
    board::after_fork_in_child();
    for counter in &COUNTED {
        counter.store(0, Relaxed);
    }
    if let Ok(mut counts) = PASSED_ON.try_lock() {
        counts.clear();
    }
    if let Ok(mut filters) = FILTERS.try_lock() {
        filters.clear();
    }
}

/// Prints the summary on stderr if `BYPASS_VOL_STATS` asked for it; and that of forked processes which could not.
pub(crate) fn print_if_wanted() {
    let mut text = String::new();
    if WANTED.load(Relaxed) {
        Summary::of_this_process().write(&mut text);
        // A thread that held the lock when this process was forked does not exist here.
        for filter in FILTERS.try_lock().iter().flat_map(|filters| filters.iter()) {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "h5bypass: {filter}");
        }
    }
    match board::mine() {
        Some(process) => process.tells_itself(),
        None => write_others(&mut text),
    }
    if !text.is_empty() {
        // The process is ending: there is nobody left to tell about a closed stderr.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}

/// The summary of forked processes that have ended without one.
fn write_others(text: &mut String) {
    let processes = board::ended_silently();
    let mut together = Summary::default();
    for process in &processes {
        together.add(*process);
    }
    // Writing to a String cannot fail.
    let _ = match processes.len() {
        0 => return,
        1 => writeln!(text, "h5bypass: 1 forked process ended before it could tell what it did:"),
        many => {
            writeln!(text, "h5bypass: {many} forked processes ended before they could tell what they did:")
        }
    };
    together.write(text);
}

/// What one or several processes have done.
#[derive(Default)]
struct Summary {
    counters: [u64; COUNTERS],
    passed_on: BTreeMap<(Direction, String), u64>,
}

impl Summary {
    fn of_this_process() -> Self {
        let mut summary = Self::default();
        for (sum, counter) in summary.counters.iter_mut().zip(counters()) {
            *sum = counter.load(Relaxed);
        }
        let counts = PASSED_ON.lock().unwrap_or_else(PoisonError::into_inner);
        for ((direction, reason), (count, _)) in &*counts {
            summary.passed_on.insert((*direction, reason.to_string()), *count);
        }
        summary
    }

    /// Adds what another process has done.
    fn add(&mut self, process: board::Process) {
        for (sum, counter) in self.counters.iter_mut().zip(process.counters()) {
            *sum += counter.load(Relaxed);
        }
        for (about, reason, count) in process.reasons() {
            let direction = if about == 0 { Direction::Read } else { Direction::Write };
            *self.passed_on.entry((direction, reason)).or_default() += count;
        }
    }

    fn write(mut self, text: &mut String) {
        let small = self.counters[SMALL_READS];
        if small > 0 {
            self.passed_on.insert((Direction::Read, Reason::Small.to_string()), small);
        }
        let total = |direction| {
            let counts = self.passed_on.iter().filter(|((way, _), _)| *way == direction);
            counts.map(|(_, count)| count).sum::<u64>()
        };
        // Writing to a String cannot fail.
        let files = self.counters[FILES];
        let _ = writeln!(text, "h5bypass: {files} file{} opened through the connector", plural(files));
        let _ = writeln!(
            text,
            "h5bypass: reads bypassed {} ({} bytes), passed on {}; writes bypassed {} ({} bytes), passed on {}",
            self.counters[READS_BYPASSED],
            self.counters[BYTES_READ],
            total(Direction::Read),
            self.counters[WRITES_BYPASSED],
            self.counters[BYTES_WRITTEN],
            total(Direction::Write)
        );
        let mut rows: Vec<_> = self.passed_on.iter().collect();
        rows.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        for ((direction, reason), count) in rows {
            let way = match direction {
                Direction::Read => "read",
                Direction::Write => "write",
            };
            let _ = writeln!(text, "h5bypass: {count:>10} {way}{} passed on: {reason}", plural(*count));
        }
    }
}

/// The end of a word for so many.
fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}
