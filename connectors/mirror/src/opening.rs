//! A file that is open, with its sides.

use core::ffi::CStr;
use core::sync::atomic::{AtomicBool, Ordering};
use std::ffi::CString;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use h5_sides::{Failure, Hdf5, Outcome};
use h5_vol::{Error, Id, OwnedId, Result, access_through};

use crate::journal::{self, Before, Journal};
use crate::names;
use crate::settings::{Incomplete, MirrorSettings, OnError, SideSetting};

/// The attribute on the root of an incomplete side.
pub(crate) const MARK: &CStr = c"MIRROR_INCOMPLETE";

/// A side other than the first one.
pub(crate) struct Side {
    label: String,
    pub(crate) name: CString,
    /// Its connector and that one's info string.
    pub(crate) connector: (i32, String),
    /// Access list that names its connector.
    pub(crate) access: OwnedId,
    journal: OnceLock<Arc<Journal>>,
    /// Whether it was left out.
    is_out: AtomicBool,
}

/// How the first side was opened, to open it once more.
pub(crate) struct First {
    pub(crate) name: CString,
    pub(crate) connector: (i32, String),
    access: OwnedId,
}

/// What all objects of a file share that was opened once.
pub(crate) struct Opening {
    pub(crate) hdf5: Hdf5,
    pub(crate) settings: MirrorSettings,
    pub(crate) first: First,
    pub(crate) sides: Vec<Side>,
    /// The numbers of the files whose objects are mirrored: that of the first side, and of what is mounted in it.
    numbers: Mutex<Vec<u64>>,
    /// The files of the sides, as long as they are open.
    files: Mutex<Vec<Id>>,
    /// Device and inode of the first side.
    identity: Option<(u64, u64)>,
    /// Whether it was said that a read came from another side.
    told: AtomicBool,
    /// Whether the sides were compared after everything was closed.
    is_finished: AtomicBool,
}

impl Side {
    fn new(setting: SideSetting, name: &CStr, access: Id, hdf5: Hdf5) -> Result<Self> {
        let SideSetting { label, connector, info, name: pattern } = setting;
        let name = names::expand(&pattern, name)
            .map_err(|fault| Error::configuration(format_args!("side {label}: {fault}")))?;
        let access = access_through(hdf5.host(), access, connector, &info)?;
        let (journal, is_out) = (OnceLock::new(), AtomicBool::new(false));
        Ok(Self { label, name, connector: (connector, info), access, journal, is_out })
    }

    pub(crate) fn is_out(&self) -> bool {
        self.is_out.load(Ordering::Relaxed)
    }

    /// From now on, nothing is done on it.
    pub(crate) fn leave_out(&self) {
        self.is_out.store(true, Ordering::Relaxed);
    }

    /// How it is called in messages.
    fn called(&self) -> String {
        format!("side {} ({})", self.label, self.name.to_string_lossy())
    }
}

impl Opening {
    /// An opening with all sides still closed.
    pub(crate) fn new(
        hdf5: Hdf5,
        settings: MirrorSettings,
        (name, access): (&CStr, Id),
        connector: (i32, String),
    ) -> Result<Self> {
        let first_access = access_through(hdf5.host(), access, connector.0, &connector.1)?;
        let first = First { name: name.to_owned(), connector, access: first_access };
        let side = |setting| Side::new(setting, name, access, hdf5);
        let sides = settings.others().into_iter().map(side).collect::<Result<Vec<_>>>()?;
        let (numbers, files, told) = (Mutex::default(), Mutex::default(), AtomicBool::new(false));
        let is_finished = AtomicBool::new(false);
        let mut opening =
            Self { hdf5, settings, first, sides, numbers, files, identity: None, told, is_finished };
        opening.identify();
        Ok(opening)
    }

    /// Whether objects in the file with this number are mirrored.
    pub(crate) fn has(&self, number: Option<u64>) -> bool {
        let numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        number.is_some_and(|number| numbers.contains(&number))
    }

    /// From now on, they are.
    pub(crate) fn add(&self, number: Option<u64>) {
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        let new = number.filter(|number| !numbers.contains(number));
        numbers.extend(new);
    }

    /// The numbers of all files whose objects are mirrored.
    pub(crate) fn numbers(&self) -> Vec<u64> {
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Notes the files of the sides.
    pub(crate) fn set_files(&self, ids: &[Option<OwnedId>]) {
        let ids = ids.iter().map(|id| id.as_ref().map_or(Id::INVALID, OwnedId::id)).collect();
        *self.files.lock().unwrap_or_else(PoisonError::into_inner) = ids;
    }

    /// The first side, opened apart from the application's handles. `None` if it is in memory only, or in several files.
    fn first_apart(&self) -> Outcome<Option<OwnedId>> {
        self.open_apart(&self.first.name, self.first.access.id())
    }

    fn open_apart(&self, name: &CStr, access: Id) -> Outcome<Option<OwnedId>> {
        if !journal::path_of(name).exists() {
            return Ok(None);
        }
        match self.hdf5.apart(access)? {
            Some(access) => self.hdf5.open_file(name, 0, access.id()).map(Some),
            None => Ok(None),
        }
    }

    /// Whether the first side of another opening is the same file.
    pub(crate) fn is_same_file(&self, other: &Self) -> bool {
        self.identity.is_some() && self.identity == other.identity
    }

    /// Device and inode of the first side, as it is now.
    pub(crate) fn identify(&mut self) {
        let found = std::fs::metadata(journal::path_of(&self.first.name)).ok();
        self.identity = found.map(|file| (file.dev(), file.ino()));
    }

    /// What is wrong with a side that is going to be opened for writing, as long as neither it nor the first side is open. Without a
    /// reason to doubt it, only the names in the root are looked at.
    pub(crate) fn inspect(&self, number: usize) -> Outcome<()> {
        let side = &self.sides[number];
        let before = journal::before(&side.name);
        if let Before::Incomplete(reason) = before {
            return Err(Failure::new(format!("it is incomplete: {reason}")));
        }
        // Files that cannot be opened are not our concern: opening them says why.
        let (Ok(Some(first)), Ok(Some(other))) =
            (self.first_apart(), self.open_apart(&side.name, side.access.id()))
        else {
            return Ok(());
        };
        let root = self.hdf5.open_group(other.id(), c"/", Id::DEFAULT)?;
        if self.hdf5.has_attribute(root.id(), MARK)? {
            return Err(Failure::new("it is marked as incomplete"));
        }
        let same = if self.settings.verify.open || before == Before::LeftOpen {
            self.hdf5.compare(first.id(), other.id(), &[])
        } else {
            self.hdf5.compare_roots(first.id(), other.id(), &[])
        };
        same.map_err(|what| Failure::new(format!("it is not the same as the first side: {what}")))?;
        if before == Before::LeftOpen {
            // It was compared, and has everything.
            journal::forget(&side.name);
        }
        Ok(())
    }

    /// Begins the journal of a side that is open for writing. One that is in memory only has none.
    pub(crate) fn begin_journal(&self, number: usize, is_new: bool) -> Outcome<()> {
        let side = &self.sides[number];
        if !journal::path_of(&side.name).exists() {
            return Ok(());
        }
        if is_new {
            journal::forget(&side.name);
        }
        let journal = Journal::begin(&side.name, &self.first.name)
            .map_err(|error| Failure::new(format!("its journal cannot be written: {error}")))?;
        side.journal.get_or_init(|| journal);
        Ok(())
    }

    /// A side that is incomplete when the file is opened: left out with a word, or an error.
    pub(crate) fn refuse(&self, number: usize, failure: &Failure) -> Result<()> {
        let side = &self.sides[number];
        let message = format!("{}: {failure}", side.called());
        match self.settings.incomplete {
            Incomplete::Refuse => Err(Error::failed(message)),
            Incomplete::Warn => {
                side.leave_out();
                tell(&format!("{message}; it is left out"));
                Ok(())
            }
        }
    }

    /// A call has failed on a side: it is marked and, by the settings, left out or an error.
    pub(crate) fn failed(&self, number: usize, id: Option<Id>, what: &str, failure: &Failure) -> Result<()> {
        let side = &self.sides[number];
        let reason = format!("{what}: {failure}");
        match side.journal.get() {
            Some(journal) => journal.note(&reason),
            None => journal::note_failure(&side.name, &self.first.name, &reason),
        }
        // If the side takes no attribute any more either, the journal has to do.
        if let (Some(id), Ok(text)) = (id, CString::new(reason.as_str())) {
            let _ = self.hdf5.note_in_root(id, MARK, &text);
        }
        let message = format!("{}: {reason}", side.called());
        match self.settings.on_error {
            OnError::Fail => Err(Error::failed(message)),
            OnError::Degrade => {
                if !side.is_out.swap(true, Ordering::Relaxed) {
                    tell(&format!("{message}; it is left out and marked as incomplete"));
                }
                Ok(())
            }
        }
    }

    /// Everything is closed: compares the sides, if that was asked for. A difference is told on stderr, the side is marked and, by the
    /// settings, it is an error. HDF5 keeps an identifier whose close has failed: closing it again does nothing.
    pub(crate) fn finish(&self) -> Result<()> {
        if !self.settings.verify.close || self.is_finished.swap(true, Ordering::Relaxed) {
            return Ok(());
        }
        let mut outcome = Ok(());
        for (number, side) in self.sides.iter().enumerate().filter(|(_, side)| !side.is_out()) {
            let compared = || -> Outcome<()> {
                if ![&self.first.name, &side.name].into_iter().any(|name| journal::path_of(name).exists()) {
                    // It was in memory only.
                    return Ok(());
                }
                let first = self.first_apart()?;
                let other = self.open_apart(&side.name, side.access.id())?;
                let (Some(first), Some(other)) = (first, other) else {
                    return Err(Failure::new(
                        "a side is not there, or in several files, and cannot be compared",
                    ));
                };
                // A side that is marked is marked because of something else.
                self.hdf5.compare(first.id(), other.id(), &[MARK])
            };
            if let Err(failure) = compared() {
                let marked = self.hdf5.open_file(&side.name, h5_abi::H5F_ACC_RDWR, side.access.id()).ok();
                let marked = marked.as_ref().map(OwnedId::id);
                let failed = self.failed(number, marked, "comparing at close", &failure);
                if let Err(error) = &failed {
                    tell(&error.to_string());
                }
                outcome = outcome.and(failed);
            }
        }
        outcome
    }

    /// The library is ending and closes everything without asking: what has to fail fails now.
    pub(crate) fn flush_all(&self) {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for (number, id) in files.into_iter().enumerate() {
            if self.sides[number].is_out() || !id.is_valid() {
                continue;
            }
            if let Err(failure) = self.hdf5.flush_file(id, true)
                && let Err(error) = self.failed(number, Some(id), "flushing at the end", &failure)
            {
                tell(&error.to_string());
            }
        }
    }

    /// The files are closed.
    pub(crate) fn forget_files(&self) {
        self.files.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// Says once that the first side could not be read.
    pub(crate) fn tell_of_fallback(&self, number: usize, what: &str) {
        if !self.told.swap(true, Ordering::Relaxed) {
            let first = self.first.name.to_string_lossy();
            tell(&format!(
                "{what} failed on the first side ({first}): read from {}",
                self.sides[number].called()
            ));
        }
    }
}

/// Says something that must not go unnoticed. There is nobody to tell about a closed stderr.
pub(crate) fn tell(message: &str) {
    let _ = writeln!(std::io::stderr(), "mirror: {message}");
}
