//! The trace of this process: from when it is asked for until it is written.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::clock;
use crate::json;
use crate::label::{Label, Labels};
use crate::lane::Lane;
use crate::local;
use crate::output::{self, Claim};
use crate::saved::Saved;
use crate::thread_name::ThreadName;

/// Spans of all threads together: 64 MiB.
const ROOM: usize = 2 << 20;

/// Whether spans are recorded.
static ON: AtomicBool = AtomicBool::new(false);

/// Whether this process has a file to write them to.
static HAS_FILE: AtomicBool = AtomicBool::new(false);

/// Spans that there is room left for.
static LEFT: AtomicUsize = AtomicUsize::new(ROOM);

/// In a forked child: when what is new is to be written. It may end at any moment without a word, as workers of Python's
/// multiprocessing do. Other processes write their trace when they end.
static DUE: AtomicU64 = AtomicU64::new(NEVER);
const NEVER: u64 = u64::MAX;

/// Nanoseconds between two times that it is written: so many times as long as that takes, at least a millisecond and at most
/// a tenth of a second.
const MUCH_LONGER: u64 = 50;
const SELDOM: u64 = 1_000_000;
const OFTEN: u64 = 100_000_000;

/// Spans of threads for which there was no room at all.
static UNHEARD: AtomicU64 = AtomicU64::new(0);

static SESSION: Mutex<Session> = Mutex::new(Session {
    pattern: None,
    claim: None,
    saved: None,
    lanes: Vec::new(),
    labels: Labels::new(),
    since: 0,
});

struct Session {
    /// The name that was asked for, with `%p` in it.
    pattern: Option<PathBuf>,
    claim: Option<Claim>,
    /// How far it is written, in a forked child.
    saved: Option<Saved>,
    /// Of all threads that have recorded anything. They are never freed: a thread may still be using one.
    lanes: Vec<&'static Lane>,
    labels: Labels,
    /// When the trace begins: earlier spans were in one that has ended.
    since: u64,
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

/// Ends the trace and writes it: its file. Another one can be [started](start) then.
///
/// # Errors
/// If there is none, or it cannot be written.
pub fn stop() -> Result<PathBuf, String> {
    if !ON.swap(false, Ordering::Relaxed) {
        return Err("no trace has been started".to_owned());
    }
    local::end_short_calls(clock::now());
    let written = write();
    let mut session = session();
    session.since = clock::now();
    session.pattern = None;
    let claim = session.claim.take();
    HAS_FILE.store(false, Ordering::Relaxed);
    written.and_then(|()| claim.map(|claim| claim.path().to_owned()).ok_or("it has no file".to_owned()))
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

/// A call of the application has ended.
#[inline]
pub(crate) fn call_ended(now: u64) {
    if now >= DUE.load(Ordering::Relaxed) {
        save_at(now);
    }
}

/// Writes what is new now, if this process may end without a word. A good moment is when there is not more to come at once.
pub fn save() {
    if is_on() && DUE.load(Ordering::Relaxed) != NEVER {
        let now = clock::now();
        local::end_short_calls(now);
        save_at(now);
    }
}

#[cold]
fn save_at(now: u64) {
    // Who holds it is writing, or will be done soon: there is a next time.
    let Ok(mut session) = SESSION.try_lock() else { return };
    // What cannot be written bit by bit is written at the end, or told then.
    let next = match session.save() {
        Ok(true) => {
            let took = clock::now().saturating_sub(now);
            now.saturating_add(took.saturating_mul(MUCH_LONGER).clamp(SELDOM, OFTEN))
        }
        Ok(false) | Err(_) => NEVER,
    };
    DUE.store(next, Ordering::Relaxed);
}

impl Session {
    /// Takes a name for the file, if there is anything to write; if so.
    fn take_name(&mut self) -> Result<(), String> {
        if self.claim.is_none()
            && let Some(pattern) = self.pattern.as_deref().filter(|_| !self.lanes.is_empty())
        {
            let claim = output::claim(pattern, process::id());
            self.claim = Some(claim.map_err(|error| format!("{}: {error}", pattern.display()))?);
        }
        Ok(())
    }

    /// Writes what is new; whether that can be done with this file.
    fn save(&mut self) -> Result<bool, String> {
        self.take_name()?;
        let Some(claim) = self.claim.as_ref().filter(|claim| !claim.is_stream()) else { return Ok(false) };
        let saved = match &mut self.saved {
            Some(saved) => saved,
            none => none.insert(Saved::new(claim.path()).map_err(|error| error.to_string())?),
        };
        saved.add(&self.lanes, &self.labels).map_err(|error| error.to_string())?;
        Ok(true)
    }
}

fn write() -> Result<(), String> {
    let mut session = lock_at_the_end().ok_or("another thread is in the way")?;
    let session = &mut *session;
    // A forked child may not have opened a file of its own.
    session.take_name()?;
    let Some(claim) = &session.claim else { return Ok(()) };
    let unheard = UNHEARD.load(Ordering::Relaxed);
    let written = claim.write(|to| json::write(to, &session.lanes, &session.labels, unheard, session.since));
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
    if let Ok(mut session) = SESSION.try_lock() {
        // The parent's file is the parent's. Labels stay: they are kept elsewhere, too.
        session.claim = None;
        session.saved = None;
        session.lanes.clear();
        DUE.store(0, Ordering::Relaxed);
    } else {
        ON.store(false, Ordering::Relaxed);
        DUE.store(NEVER, Ordering::Relaxed);
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
