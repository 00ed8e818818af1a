//! Handles of files that the application has open.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use h5_host::{Driver, Questions};
use h5_vol::native::NativeFile;
use h5_vol::{BelowObject, ObjectKind};

use crate::coherency::entry::FileEntry;
use crate::coherency::plain_source::FileIdentity;
use crate::coherency::recent::RecentDatasets;
use crate::inspect::shared_file::SharedFile;

/// A handle of a file that the application has open.
#[derive(Debug)]
pub(crate) struct OpenFile {
    file: NativeFile,
    /// Asked for when somebody wants to know: many files are opened for a few attributes.
    facts: OnceLock<Option<OpenFacts>>,
    /// If it can be written: what is known about its raw data, for as long as it is open.
    entry: Mutex<Option<Arc<FileEntry>>>,
    /// Bytes of the sieve that the application wanted, which it has not because of us.
    sieve: OnceLock<usize>,
    /// What it is read through, as the access list with which it was opened tells.
    driver: OnceLock<Driver>,
    /// If processes share it through MPI to read it.
    shared: OnceLock<Arc<SharedFile>>,
    /// Its device and number, if anybody has asked.
    identity: OnceLock<Option<FileIdentity>>,
    /// If it can be written: datasets of it that were used.
    recent: RecentDatasets,
}

/// What is known about an open file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenFacts {
    /// Its number among the open files.
    pub(crate) number: u64,
    /// Whether it was opened for writing.
    pub(crate) is_writable: bool,
}

impl OpenFile {
    /// A file that was opened; `None` if it is not one of native HDF5.
    pub(crate) fn new(below: &BelowObject, kind: ObjectKind) -> Option<Self> {
        Some(Self {
            file: below.as_native_file(kind)?,
            facts: OnceLock::new(),
            entry: Mutex::default(),
            sieve: OnceLock::new(),
            driver: OnceLock::new(),
            shared: OnceLock::new(),
            identity: OnceLock::new(),
            recent: RecentDatasets::default(),
        })
    }

    /// The file below.
    pub(crate) fn native(&self) -> &NativeFile {
        &self.file
    }

    pub(crate) fn facts(&self) -> Option<OpenFacts> {
        *self.facts.get_or_init(|| {
            let ask = |questions| Some((self.file.number(questions)?, self.file.intent(questions)?));
            let (number, intent) = self.file.host().ask_below(ask)?;
            Some(OpenFacts { number, is_writable: intent.writable })
        })
    }

    /// Notes how large a sieve the application wanted, which it has not because the file can be written.
    pub(crate) fn note_sieve(&self, bytes: usize) {
        let _ = self.sieve.set(bytes);
    }

    /// How large a sieve the application wanted, if that was noted.
    pub(crate) fn sieve(&self) -> Option<usize> {
        self.sieve.get().copied()
    }

    /// Notes what it is read through.
    pub(crate) fn note_driver(&self, driver: Driver) {
        let _ = self.driver.set(driver);
    }

    /// What it is read through, if that was noted.
    pub(crate) fn driver(&self) -> Option<Driver> {
        self.driver.get().copied()
    }

    /// Notes that processes share it to read it.
    pub(crate) fn note_shared(&self, file: &Arc<SharedFile>) {
        let _ = self.shared.set(Arc::clone(file));
    }

    /// What is known about it if processes share it to read it.
    pub(super) fn shared(&self) -> Option<&SharedFile> {
        self.shared.get().map(|file| &**file)
    }

    /// Its device and number; `None` if it is not read through a descriptor.
    pub(super) fn identity(&self, questions: Questions) -> Option<FileIdentity> {
        *self.identity.get_or_init(|| {
            let driver = self.driver().unwrap_or_else(|| self.file.driver(questions));
            let Driver::Posix(posix) = driver else { return None };
            let descriptor = self.file.descriptor(questions, posix)?;
            let found = File::from(descriptor).metadata().ok()?;
            Some((found.dev(), found.ino()))
        })
    }

    /// Keeps what is known about its raw data until it is closed.
    pub(crate) fn keep(&self, entry: &Arc<FileEntry>) {
        *self.entry() = Some(Arc::clone(entry));
    }

    /// The file is closed: nothing of it is kept, even if HDF5 keeps the handle because something failed.
    pub(crate) fn close(&self) {
        *self.entry() = None;
        self.recent.clear();
    }

    /// Its datasets that are kept.
    pub(crate) fn recent(&self) -> &RecentDatasets {
        &self.recent
    }

    fn entry(&self) -> MutexGuard<'_, Option<Arc<FileEntry>>> {
        self.entry.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
