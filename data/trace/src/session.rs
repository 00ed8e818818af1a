//! The trace of this process: from when it is asked for until it is written.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::json;
use crate::label::{Label, Labels};
use crate::lane::Lane;
use crate::local;
use crate::output::{self, Claim};
use crate::thread_name::ThreadName;

/// Spans of all threads together: 64 MiB.
const ROOM: usize = 2 << 20;

/// Whether spans are recorded.
static ON: AtomicBool = AtomicBool::new(false);

/// Whether this process has a file to write them to.
static HAS_FILE: AtomicBool = AtomicBool::new(false);

/// Spans that there is room left for.
static LEFT: AtomicUsize = AtomicUsize::new(ROOM);

/// Spans of threads for which there was no room at all.
static UNHEARD: AtomicU64 = AtomicU64::new(0);

static SESSION: Mutex<Session> =
    Mutex::new(Session { pattern: None, claim: None, lanes: Vec::new(), labels: Labels::new() });

struct Session {
    /// The name that was asked for, with `%p` in it.
    pattern: Option<PathBuf>,
    claim: Option<Claim>,
    /// Of all threads that have recorded anything. They are never freed: a thread may still be using one.
    lanes: Vec<&'static Lane>,
    labels: Labels,
}

fn session() -> MutexGuard<'static, Session> {
    SESSION.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether spans are recorded.
#[inline]
pub fn is_on() -> bool {
    // Relaxed: who sees it late records a little less.
    ON.load(Ordering::Relaxed)
}

/// Records from now on, to be written to this file when the process ends. `%p` in its name becomes the process id.
/// Once it has succeeded, further calls do nothing.
///
/// A file that is there is not overwritten: the name gets the process id appended. So of several processes that are
/// given the same name, the first one gets it.
///
/// # Errors
/// If the file cannot be written.
pub fn start(file: &Path) -> io::Result<()> {
    if HAS_FILE.load(Ordering::Relaxed) {
        return Ok(());
    }
    let mut session = session();
    if session.claim.is_none() {
        session.claim = Some(output::claim(file, process::id())?);
        session.pattern = Some(file.to_owned());
    }
    HAS_FILE.store(true, Ordering::Relaxed);
    ON.store(true, Ordering::Relaxed);
    Ok(())
}

/// Writes the trace. The process is about to end, but other threads may still be running.
pub fn finish() {
    // What is recorded from here on may be lost.
    if !ON.swap(false, Ordering::Relaxed) {
        return;
    }
    if let Err(fault) = write() {
        // There is nobody left to tell about a closed stderr.
        let _ = writeln!(io::stderr(), "h5bypass: trace: {fault}");
    }
}

fn write() -> Result<(), String> {
    let mut session = lock_at_the_end().ok_or("another thread is in the way")?;
    let session = &mut *session;
    if session.claim.is_none() {
        // A forked child, which has not opened a file of its own.
        let Some(pattern) = session.pattern.as_deref().filter(|_| !session.lanes.is_empty()) else {
            return Ok(());
        };
        let claim = output::claim(pattern, process::id());
        session.claim = Some(claim.map_err(|error| format!("{}: {error}", pattern.display()))?);
    }
    let Some(claim) = &session.claim else { return Ok(()) };
    let unheard = UNHEARD.load(Ordering::Relaxed);
    let written = claim.write(|to| json::write(to, &session.lanes, &session.labels, unheard));
    written.map_err(|error| format!("{}: {error}", claim.path().display()))?;
    if let Some(taken) = claim.instead_of() {
        let (path, taken) = (claim.path().display(), taken.display());
        let _ =
            writeln!(io::stderr(), "h5bypass: trace: written to {path}, because {taken} was there before");
    }
    Ok(())
}

/// Others hold the lock for moments only, unless the process ends in the midst of one of them.
fn lock_at_the_end() -> Option<MutexGuard<'static, Session>> {
    for _ in 0..100 {
        match SESSION.try_lock() {
            Ok(session) => return Some(session),
            Err(std::sync::TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(std::sync::TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
    None
}

/// To be called in a child of fork(): it begins with an empty trace. Never waits; if another thread of the parent held
/// the lock at that moment, the child has none.
pub fn after_fork_in_child() {
    HAS_FILE.store(false, Ordering::Relaxed);
    LEFT.store(ROOM, Ordering::Relaxed);
    UNHEARD.store(0, Ordering::Relaxed);
    local::after_fork_in_child();
    match SESSION.try_lock() {
        Ok(mut session) => {
            // The parent's file is the parent's. Labels stay: they are kept elsewhere, too.
            session.claim = None;
            session.lanes.clear();
        }
        Err(_) => ON.store(false, Ordering::Relaxed),
    }
}

/// A list for this thread; `None` if there is no room.
pub(crate) fn new_lane(worker: u32) -> Option<&'static Lane> {
    let Some(lane) = Lane::new(ThreadName::here(worker), &LEFT) else {
        count_unheard();
        return None;
    };
    let lane: &'static Lane = Box::leak(Box::new(lane));
    session().lanes.push(lane);
    Some(lane)
}

/// Counts a span that nobody will see.
pub(crate) fn count_unheard() {
    UNHEARD.fetch_add(1, Ordering::Relaxed);
}

pub(crate) fn with_labels(look: impl FnOnce(&mut Labels) -> Label) -> Label {
    if is_on() { look(&mut session().labels) } else { Label::NONE }
}
