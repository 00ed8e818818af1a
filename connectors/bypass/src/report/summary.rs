//! Counts what was bypassed and what was not, and why, for the whole process and all hosts in it. Forked processes have their own
//! counts, in memory that they share with their parent.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use crate::configuration::{self, Configuration, unwritable};
use crate::report::board::{self, COUNTERS};
use crate::report::reason::Reason;
use crate::report::summary_file;
use crate::report::tally::{
    ASYNCHRONOUS_READS, ASYNCHRONOUS_WRITES, BYTES_READ, BYTES_WRITTEN, CHUNKS_AHEAD, CHUNKS_BEHIND, FILES,
    MISSING_SOURCES, PLAIN_SOURCES, READS_BYPASSED, SMALL_READS, Tally, Told, WRITES_BYPASSED,
};
pub(crate) use crate::report::tally::{Direction, FilterUse, ServedBy};

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
    match &configuration.summary {
        configuration::Summary::None => return,
        configuration::Summary::Table => {}
        configuration::Summary::Json(file) => summary_file::name(file),
    }
    board::prepare();
}

static FILTERS: Mutex<BTreeSet<FilterUse>> = Mutex::new(BTreeSet::new());

/// A file is being opened or created through the connector.
///
/// # Errors
/// If the summary cannot be written to the file that it should go to.
pub(crate) fn file_opened(configuration: &Configuration) -> Result<(), String> {
    if let configuration::Summary::Json(file) = &configuration.summary {
        summary_file::claim().map_err(|error| unwritable(settings::STATS, file, &error))?;
    }
    WANTED.fetch_or(configuration.summary != configuration::Summary::None, Relaxed);
    counters()[FILES].fetch_add(1, Relaxed);
    Ok(())
}

/// Datasets were read by us.
pub(crate) fn bypassed(reads: u64, bytes: u64) {
    let counters = counters();
    counters[READS_BYPASSED].fetch_add(reads, Relaxed);
    counters[BYTES_READ].fetch_add(bytes, Relaxed);
}

/// Sources of a virtual dataset that was read by us are missing.
pub(crate) fn sources_missing(count: u64) {
    counters()[MISSING_SOURCES].fetch_add(count, Relaxed);
}

/// A source of a virtual dataset was opened without HDF5.
pub(crate) fn source_opened_plainly() {
    counters()[PLAIN_SOURCES].fetch_add(1, Relaxed);
}

/// A chunk was decoded before a read wanted it.
pub(crate) fn decoded_ahead() {
    counters()[CHUNKS_AHEAD].fetch_add(1, Relaxed);
}

/// A chunk was encoded after the call that wrote it, before it had to be stored.
pub(crate) fn encoded_behind() {
    counters()[CHUNKS_BEHIND].fetch_add(1, Relaxed);
}

/// A dataset was written by us.
pub(crate) fn write_bypassed(bytes: u64) {
    let counters = counters();
    counters[WRITES_BYPASSED].fetch_add(1, Relaxed);
    counters[BYTES_WRITTEN].fetch_add(bytes, Relaxed);
}

/// A call goes on after it has returned, or would if somebody were there to do the rest.
pub(crate) fn asynchronous(direction: Direction) {
    let place = match direction {
        Direction::Read => ASYNCHRONOUS_READS,
        Direction::Write => ASYNCHRONOUS_WRITES,
    };
    counters()[place].fetch_add(1, Relaxed);
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
        process
            .count_reason(*number, u8::from(direction == Direction::Write), || Told::of(reason).to_board());
    }
}

/// It was found out who does the work of a filter that is not part of HDF5 itself.
pub(crate) fn filter_used(describe: impl FnOnce() -> FilterUse) {
    if WANTED.load(Relaxed) {
        FILTERS.lock().unwrap_or_else(PoisonError::into_inner).insert(describe());
    }
}

/// Begins again in a forked child. Never waits: a thread that held the lock does not exist here.
pub(crate) fn start_anew() {
    board::after_fork_in_child();
    summary_file::after_fork_in_child();
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

/// Tells the summary if `BYPASS_VOL_STATS` asked for it, as a table on stderr or in a file; and that of forked processes
/// which could not.
pub(crate) fn tell_if_wanted() {
    let mine = WANTED.load(Relaxed).then(of_this_process);
    let others = match board::mine() {
        Some(process) => {
            process.tells_itself();
            None
        }
        None => of_others(),
    };
    // A thread that held the lock when this process was forked does not exist here.
    let filters: Vec<_> = FILTERS.try_lock().iter().flat_map(|filters| filters.iter()).cloned().collect();
    if summary_file::is_named() {
        summary_file::write(mine, &filters, others.as_ref());
        return;
    }
    let mut text = String::new();
    if let Some(mine) = &mine {
        mine.write_table(&mut text);
        for filter in &filters {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "h5bypass: {filter}");
        }
    }
    if let Some((processes, tally)) = &others {
        let _ = match processes {
            1 => writeln!(text, "h5bypass: 1 forked process ended before it could tell what it did:"),
            many => {
                writeln!(
                    text,
                    "h5bypass: {many} forked processes ended before they could tell what they did:"
                )
            }
        };
        tally.write_table(&mut text);
    }
    if !text.is_empty() {
        // The process is ending: there is nobody left to tell about a closed stderr.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}

/// What this process has counted so far, as JSON.
pub(crate) fn as_json() -> Result<String, String> {
    let filters: Vec<_> = FILTERS.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect();
    summary_file::as_json(&of_this_process(), &filters)
}

fn of_this_process() -> Tally {
    let mut tally = Tally::default();
    tally.add_counters(counters());
    let counts = PASSED_ON.lock().unwrap_or_else(PoisonError::into_inner);
    for ((direction, reason), (count, _)) in &*counts {
        tally.add(*direction, Told::of(reason), *count);
    }
    tally
}

/// How many forked processes have ended without telling what they did, and what that was.
fn of_others() -> Option<(usize, Tally)> {
    let processes = board::ended_silently();
    let mut together = Tally::default();
    for process in &processes {
        together.add_counters(process.counters());
        for (about, text, count) in process.reasons() {
            let direction = if about == 0 { Direction::Read } else { Direction::Write };
            together.add(direction, Told::from_board(&text), count);
        }
    }
    (!processes.is_empty()).then_some((processes.len(), together))
}
