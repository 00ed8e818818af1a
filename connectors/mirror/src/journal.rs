//! A file beside a side that says that the side is not known to be complete.
//!
//! It is there while the side is open for writing, and is deleted when the side was closed with everything in it. So it stays after a
//! crash, and after a failure, which it then tells.

use core::ffi::CStr;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{SystemTime, UNIX_EPOCH};

/// What a line with a failure begins with.
const INCOMPLETE: &str = "incomplete: ";
/// As much of a journal is read.
const LONGEST: u64 = 1 << 20;

/// What an earlier journal says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Before {
    /// Nothing: there is none, or this process has the side open.
    Nothing,
    /// It was open for writing and never closed.
    LeftOpen,
    /// It lacks something.
    Incomplete(String),
}

/// The journal of a side that is open. All openings of it in a process share one.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    /// Whether the file stays.
    stays: AtomicBool,
}

/// Journals of this process, by the side's name.
static OPEN: Mutex<Option<HashMap<PathBuf, Weak<Journal>>>> = Mutex::new(None);

/// The name of a side as a path.
pub(crate) fn path_of(side: &CStr) -> &Path {
    Path::new(OsStr::from_bytes(side.to_bytes()))
}

/// Where the journal of a side is.
fn beside(side: &CStr) -> PathBuf {
    let mut name = side.to_bytes().to_vec();
    name.extend_from_slice(b".mirror");
    PathBuf::from(OsStr::from_bytes(&name))
}

/// What a journal says about a side.
pub(crate) fn before(side: &CStr) -> Before {
    let path = beside(side);
    let is_open = |open: &HashMap<PathBuf, Weak<Journal>>| {
        open.get(&path).and_then(Weak::upgrade).is_some_and(|journal| !journal.stays.load(Ordering::Relaxed))
    };
    if OPEN.lock().unwrap_or_else(PoisonError::into_inner).as_ref().is_some_and(is_open) {
        return Before::Nothing;
    }
    let Ok(file) = File::open(&path) else { return Before::Nothing };
    let mut bytes = Vec::new();
    // One that cannot be read says nothing good.
    let _ = file.take(LONGEST).read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    let told = text.lines().find_map(|line| line.strip_prefix(INCOMPLETE));
    told.map_or(Before::LeftOpen, |reason| Before::Incomplete(reason.to_owned()))
}

/// Forgets an old journal: the side is made anew.
pub(crate) fn forget(side: &CStr) {
    let _ = std::fs::remove_file(beside(side));
}

impl Journal {
    /// Begins the journal of a side that is open for writing.
    pub(crate) fn begin(side: &CStr, first: &CStr) -> std::io::Result<Arc<Self>> {
        let path = beside(side);
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        let open = open.get_or_insert_default();
        if let Some(journal) = open.get(&path).and_then(Weak::upgrade) {
            return Ok(journal);
        }
        let mut text = String::new();
        let since = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let _ = writeln!(text, "This side of a mirror is not known to be complete.");
        let _ = writeln!(text, "side: {}", side.to_string_lossy());
        let _ = writeln!(text, "first side: {}", first.to_string_lossy());
        let _ =
            writeln!(text, "open: by process {} since {since} (seconds of Unix time)", std::process::id());
        std::fs::write(&path, text)?;
        let journal = Arc::new(Self { path: path.clone(), stays: AtomicBool::new(false) });
        open.insert(path, Arc::downgrade(&journal));
        Ok(journal)
    }

    /// Notes why the side is incomplete. The file stays.
    pub(crate) fn note(&self, reason: &str) {
        self.stays.store(true, Ordering::Relaxed);
        // If the disk is full, that there is a file at all has to say enough.
        let _ = OpenOptions::new().create(true).append(true).open(&self.path).and_then(|mut file| {
            writeln!(file, "{INCOMPLETE}{}", reason.replace('\n', " "))?;
            file.sync_all()
        });
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if let Some(open) = OPEN.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            open.retain(|_, journal| journal.strong_count() > 0);
        }
        if !self.stays.load(Ordering::Relaxed) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Notes a failure of a side that could not even be opened.
pub(crate) fn note_failure(side: &CStr, first: &CStr, reason: &str) {
    if let Ok(journal) = Journal::begin(side, first) {
        journal.note(reason);
    }
}

/// In a forked child: the journals are the parent's.
pub(crate) fn forget_all() {
    if let Ok(mut open) = OPEN.try_lock() {
        for journal in open.iter().flat_map(HashMap::values).filter_map(Weak::upgrade) {
            journal.stays.store(true, Ordering::Relaxed);
        }
        *open = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CString;

    fn side(folder: &Path) -> CString {
        CString::new(folder.join("x.bak").as_os_str().as_bytes()).unwrap()
    }

    #[test]
    fn a_journal_is_there_until_a_side_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let side = side(folder.path());
        let journal = Journal::begin(&side, c"x").unwrap();
        let again = Journal::begin(&side, c"x").unwrap();
        assert!(Arc::ptr_eq(&journal, &again));
        assert_eq!(before(&side), Before::Nothing, "this process has it open");
        drop(journal);
        assert!(beside(&side).exists());
        drop(again);
        assert!(!beside(&side).exists());

        // What was not closed, and what has failed, stays.
        let journal = Journal::begin(&side, c"x").unwrap();
        *OPEN.lock().unwrap() = None;
        assert_eq!(before(&side), Before::LeftOpen, "another process sees it so");
        journal.note("disk\nfull");
        drop(journal);
        assert_eq!(before(&side), Before::Incomplete("disk full".into()));
        forget(&side);
        assert_eq!(before(&side), Before::Nothing);
    }
}
