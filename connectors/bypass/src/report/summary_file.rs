//! The summary as JSON in a file (`BYPASS_VOL_STATS=FILE.json`). docs/statistics.md describes it.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock, PoisonError};

use serde::Serialize;
use trace::Claim;

use crate::report::tally::{
    ASYNCHRONOUS_READS, ASYNCHRONOUS_WRITES, BYTES_READ, BYTES_WRITTEN, CHUNKS_AHEAD, CHUNKS_BEHIND,
    Direction, FILES, FilterUse, MISSING_SOURCES, PLAIN_SOURCES, READS_BYPASSED, Tally, Told,
    WRITES_BYPASSED,
};

/// Changes when a program that reads the file would misunderstand it. New fields do not count.
const VERSION: u32 = 1;

/// The name that was asked for, with `%p` in it.
static PATTERN: OnceLock<PathBuf> = OnceLock::new();
/// The file of this process.
static CLAIM: Mutex<Option<Claim>> = Mutex::new(None);
static IS_CLAIMED: AtomicBool = AtomicBool::new(false);
static IS_FORKED: AtomicBool = AtomicBool::new(false);

/// The summary is to be written to this file.
pub(crate) fn name(pattern: &Path) {
    PATTERN.get_or_init(|| pattern.to_owned());
}

pub(crate) fn is_named() -> bool {
    PATTERN.get().is_some()
}

/// Takes the file, so that what is wrong with its name is told when the application opens its first file.
pub(crate) fn claim() -> io::Result<()> {
    // A forked process may end without a word, and would leave an empty file: it takes one when it ends.
    if IS_CLAIMED.load(Relaxed) || IS_FORKED.load(Relaxed) {
        return Ok(());
    }
    let mut claim = CLAIM.lock().unwrap_or_else(PoisonError::into_inner);
    if let (None, Some(pattern)) = (&*claim, PATTERN.get()) {
        *claim = Some(trace::claim(pattern, process::id())?);
        IS_CLAIMED.store(true, Relaxed);
    }
    Ok(())
}

/// The parent's file is the parent's. Never waits.
pub(crate) fn after_fork_in_child() {
    IS_FORKED.store(true, Relaxed);
}

/// Writes the file. A process that has nothing to tell writes none, unless it has taken its name.
pub(crate) fn write(mine: Option<Tally>, filters: &[FilterUse], others: Option<&(usize, Tally)>) {
    let is_forked = IS_FORKED.load(Relaxed);
    let is_idle = others.is_none() && mine.as_ref().is_none_or(|mine| is_forked && mine.is_empty());
    let Some(pattern) = PATTERN.get().filter(|_| !is_idle) else { return };
    // What the lock guards in a forked process is the parent's.
    let claimed = (!is_forked).then(|| CLAIM.try_lock().ok().and_then(|mut claim| claim.take())).flatten();
    let claimed = claimed.map_or_else(|| trace::claim(pattern, process::id()), Ok);
    let mine = mine.unwrap_or_default();
    let document = Document::new(&mine, filters, others);
    // There is nobody left to tell about a closed stderr.
    let _ = match claimed.and_then(|claim| document.write(&claim).map(|()| claim)) {
        Ok(claim) => match claim.instead_of() {
            Some(taken) => writeln!(
                io::stderr(),
                "h5bypass: statistics: written to {}, because {} exists",
                claim.path().display(),
                taken.display()
            ),
            None => Ok(()),
        },
        Err(error) => writeln!(io::stderr(), "h5bypass: statistics: {}: {error}", pattern.display()),
    };
}

/// The document about a process that goes on.
pub(crate) fn as_json(mine: &Tally, filters: &[FilterUse]) -> Result<String, String> {
    serde_json::to_string(&Document::new(mine, filters, None)).map_err(|error| error.to_string())
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    process: u32,
    #[serde(flatten)]
    counts: Counts<'a>,
    filters: Vec<Filter<'a>>,
    forked: Option<Forked<'a>>,
}

/// Forked processes that ended without writing a file of their own.
#[derive(Serialize)]
struct Forked<'a> {
    processes: usize,
    #[serde(flatten)]
    counts: Counts<'a>,
}

#[derive(Serialize)]
struct Counts<'a> {
    files_opened: u64,
    reads: Calls,
    writes: Calls,
    missing_sources: u64,
    plain_sources: u64,
    chunks_decoded_ahead: u64,
    chunks_encoded_behind: u64,
    reasons: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Calls {
    bypassed: u64,
    bytes: u64,
    passed_on: u64,
    asynchronous: u64,
}

#[derive(Serialize)]
struct Row<'a> {
    code: &'a str,
    direction: &'static str,
    count: u64,
    sentence: &'a str,
}

#[derive(Serialize)]
struct Filter<'a> {
    id: i32,
    name: &'a str,
    served_by: &'static str,
    sentence: String,
}

impl<'a> Document<'a> {
    fn new(mine: &'a Tally, filters: &'a [FilterUse], others: Option<&'a (usize, Tally)>) -> Self {
        let filter = |filter: &'a FilterUse| Filter {
            id: filter.id,
            name: &filter.name,
            served_by: filter.served_by.code(),
            sentence: filter.to_string(),
        };
        Self {
            version: VERSION,
            process: process::id(),
            counts: Counts::of(mine),
            filters: filters.iter().map(filter).collect(),
            forked: others
                .map(|(processes, tally)| Forked { processes: *processes, counts: Counts::of(tally) }),
        }
    }

    fn write(&self, claim: &Claim) -> io::Result<()> {
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        claim.write(|to| to.write_all(&text))
    }
}

impl<'a> Counts<'a> {
    fn of(tally: &'a Tally) -> Self {
        let calls = |direction, bypassed, bytes, asynchronous| Calls {
            bypassed: tally.counter(bypassed),
            bytes: tally.counter(bytes),
            passed_on: tally.passed_on(direction),
            asynchronous: tally.counter(asynchronous),
        };
        let row = |(direction, told, count): (Direction, &'a Told, u64)| Row {
            code: &told.code,
            direction: direction.name(),
            count,
            sentence: &told.sentence,
        };
        Self {
            files_opened: tally.counter(FILES),
            reads: calls(Direction::Read, READS_BYPASSED, BYTES_READ, ASYNCHRONOUS_READS),
            writes: calls(Direction::Write, WRITES_BYPASSED, BYTES_WRITTEN, ASYNCHRONOUS_WRITES),
            missing_sources: tally.counter(MISSING_SOURCES),
            plain_sources: tally.counter(PLAIN_SOURCES),
            chunks_decoded_ahead: tally.counter(CHUNKS_AHEAD),
            chunks_encoded_behind: tally.counter(CHUNKS_BEHIND),
            reasons: tally.reasons().into_iter().map(row).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use serde_json::{Value, json};

    use super::*;
    use crate::report::reason::Reason;
    use crate::report::tally::ServedBy;

    /// What a process tells, and what is expected of it, which is the example in docs/statistics.md.
    #[test]
    fn the_document_is_as_described() {
        let mut mine = Tally::default();
        mine.add_counters(&[2, 12, 96_000_000, 1, 8_000_000, 40, 5, 3, 1, 30, 6, 40].map(AtomicU64::new));
        mine.add(Direction::Write, Told::of(&Reason::NoStorage), 3);
        let mut other = Tally::default();
        other.add_counters(&[4, 8, 64_000_000, 0, 0, 0, 0, 0, 0].map(AtomicU64::new));
        other.add(Direction::Read, Told::of(&Reason::VariableLength), 4);
        let filters = [FilterUse { name: "zstd".to_owned(), id: 32015, served_by: ServedBy::OurCodec }];
        let others = (4, other);
        let mut told = serde_json::to_value(Document::new(&mine, &filters, Some(&others))).unwrap();
        assert_eq!(told["process"], json!(process::id()));
        told["process"] = json!(4711);
        let text = include_str!("../../../../docs/statistics.md");
        let (_, example) = text.split_once("```json\n").unwrap();
        let (example, _) = example.split_once("```").unwrap();
        assert_eq!(told, serde_json::from_str::<Value>(example).unwrap());
    }

    #[test]
    fn without_forked_processes_there_is_no_block_about_them() {
        let told = serde_json::to_value(Document::new(&Tally::default(), &[], None)).unwrap();
        assert_eq!((&told["forked"], &told["filters"]), (&Value::Null, &json!([])));
        assert_eq!(told["reads"], json!({"bypassed": 0, "bytes": 0, "passed_on": 0, "asynchronous": 0}));
    }
}
