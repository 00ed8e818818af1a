//! Open files, as far as raw data is concerned.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use engine::Source;
use h5_host::questions::CreationFacts;
use h5_host::{Driver, Questions};
use h5_vol::native::{Identity, NativeFile};
use h5_vol::{BelowObject, ObjectKind};
use store::{Descriptor, Stamp, Store};

use crate::coherency::found::FoundFiles;
use crate::coherency::opening::Anchor;
use crate::coherency::recent::RecentDatasets;
use crate::coherency::shared::Writable;
use crate::report::reason::Reason;

/// The files of one host.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// Those that have been read or written. All handles of a file, and all datasets in it, share an entry, whichever
    /// way they were reached; it lives as long as one of them does.
    entries: Mutex<HashMap<u64, Weak<FileEntry>>>,
    /// Those that the application has opened and not closed.
    open: Mutex<Vec<Weak<OpenFile>>>,
    /// Those that HDF5 has made identifiers for by itself.
    pub(crate) found: Arc<FoundFiles>,
    /// Those that are open for writing, or whose datasets still are.
    writers: Arc<AtomicUsize>,
    /// Native HDF5 has moved raw data of datasets that we do not know, of files that can be written.
    native_was_here: AtomicBool,
}

/// Counts a file that is open for writing as long as it lives.
#[derive(Debug)]
pub(crate) struct Writer(Arc<AtomicUsize>);

impl Drop for Writer {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A file's bytes, or why they are not ours.
#[derive(Debug)]
pub(crate) struct FileEntry {
    number: u64,
    source: Result<Source, Reason>,
    facts: Option<CreationFacts>,
    is_writable: bool,
    /// See [`OpenFile::note_sieve`].
    sieve: Option<usize>,
    _writer: Option<Writer>,
    /// How many handles of it are closed that have left objects.
    closed_handles: AtomicUsize,
    /// It was ours, but is native's now.
    revoked: AtomicBool,
    /// Its datasets that were read or written, if it is open for writing. What is known about native HDF5's copies
    /// must not be forgotten before the file is closed.
    datasets: Mutex<HashMap<Identity, Arc<Writable>>>,
}

/// How many datasets are remembered before those that nobody needs are forgotten.
const MANY: usize = 1024;

impl FileEntry {
    pub(crate) fn source(&self) -> Result<&Source, Reason> {
        if self.is_revoked() {
            return Err(Reason::SwmrWriter);
        }
        self.source.as_ref().map_err(Clone::clone)
    }

    /// Where addresses are counted from, and how wide they are.
    pub(crate) fn facts(&self) -> Result<CreationFacts, Reason> {
        self.facts.ok_or(Reason::Untold("file"))
    }

    /// Whether it is open for writing.
    pub(crate) fn is_writable(&self) -> bool {
        self.is_writable
    }

    /// Whether it was ours and is not any more.
    pub(crate) fn is_revoked(&self) -> bool {
        self.revoked.load(Ordering::Acquire)
    }

    /// How the file is now.
    pub(crate) fn stamp(&self) -> Option<Stamp> {
        match &self.source {
            Ok(Source::File(store)) if !self.is_writable => store.stamp(),
            _ => None,
        }
    }

    /// What all handles of a dataset in it share, if it was used before.
    pub(crate) fn dataset(&self, identity: Identity) -> Option<Arc<Writable>> {
        self.datasets().get(&identity).cloned()
    }

    /// Keeps what all handles of a dataset share.
    pub(crate) fn keep(&self, identity: Identity, dataset: &Arc<Writable>) {
        let mut datasets = self.datasets();
        if datasets.len() >= MANY && datasets.len().is_power_of_two() && !datasets.contains_key(&identity) {
            datasets.retain(|_, dataset| {
                Arc::strong_count(dataset) > 1 || !dataset.is_unknown_to_native() || !dataset.dirty.is_empty()
            });
        }
        datasets.insert(identity, Arc::clone(dataset));
    }

    fn datasets(&self) -> MutexGuard<'_, HashMap<Identity, Arc<Writable>>> {
        self.datasets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps a file's entry for the objects that a closed handle has left.
#[derive(Debug)]
pub(crate) struct Survivor(Arc<FileEntry>);

impl Survivor {
    fn new(entry: Arc<FileEntry>) -> Self {
        entry.closed_handles.fetch_add(1, Ordering::AcqRel);
        Self(entry)
    }
}

impl Drop for Survivor {
    fn drop(&mut self) {
        self.0.closed_handles.fetch_sub(1, Ordering::AcqRel);
    }
}

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
    /// Notes that a file was opened; `None` if it is not one of native HDF5.
    pub(crate) fn new(files: &Files, below: &BelowObject, kind: ObjectKind) -> Option<Arc<Self>> {
        let file = below.as_native_file(kind)?;
        let file = Arc::new(Self {
            file,
            facts: OnceLock::new(),
            entry: Mutex::default(),
            sieve: OnceLock::new(),
            driver: OnceLock::new(),
            recent: RecentDatasets::default(),
        });
        let mut open = files.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|handle| handle.strong_count() > 0);
        open.push(Arc::downgrade(&file));
        Some(file)
    }

    pub(crate) fn facts(&self) -> Option<OpenFacts> {
        *self.facts.get_or_init(|| {
            let (number, intent) = (self.file.number()?, self.file.intent()?);
            Some(OpenFacts { number, is_writable: intent.writable })
        })
    }

    /// Notes how large a sieve the application wanted, which it has not because the file can be written.
    pub(crate) fn note_sieve(&self, bytes: usize) {
        let _ = self.sieve.set(bytes);
    }

    /// Notes what it is read through.
    pub(crate) fn note_driver(&self, driver: Driver) {
        let _ = self.driver.set(driver);
    }

    /// What it is read through, if that was noted.
    pub(crate) fn driver(&self) -> Option<Driver> {
        self.driver.get().copied()
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

impl Files {
    /// A handle of the file with this number.
    fn handle(&self, number: u64) -> Option<Arc<OpenFile>> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.iter()
            .filter_map(Weak::upgrade)
            .find(|handle| handle.facts().is_some_and(|facts| facts.number == number))
    }

    /// The entry of the file that a dataset lies in: its number is `number`, and it was reached by way of `anchor`.
    pub(crate) fn entry(
        &self,
        questions: Questions,
        dataset: &BelowObject,
        number: u64,
        anchor: Option<&Anchor>,
    ) -> Result<Arc<FileEntry>, Reason> {
        if let Some(entry) = self.known(number) {
            return Ok(entry);
        }
        if let Some(handle) = self.handle(number) {
            return self.entry_of(questions, &handle, number);
        }
        // The application has closed the file, or it was never opened but by a link.
        let anchor = anchor.ok_or(Reason::OnlyFound)?;
        // Behind a link files are opened as the file with the link was, unless the application says otherwise.
        if anchor.is_writable() {
            return Err(Reason::OpenForWriting);
        }
        if questions.host().is_built_for_mpi() {
            return Err(Reason::LinkUnderMpi);
        }
        if self.found.has(number) {
            return Err(Reason::OnlyFound);
        }
        let file = dataset.file_without_identifier(ObjectKind::Dataset).ok_or(Reason::NotNative)?;
        let driver = file.driver(questions);
        Ok(self.new_entry(questions, &file, driver, number, None))
    }

    /// The entry of a file that is open, which is made if there is none.
    fn entry_of(
        &self,
        questions: Questions,
        handle: &OpenFile,
        number: u64,
    ) -> Result<Arc<FileEntry>, Reason> {
        let file = &handle.file;
        let driver = match handle.driver() {
            Some(driver) => driver,
            None if questions.host().is_built_for_mpi() => return Err(Reason::Untold("file")),
            None => file.driver(questions),
        };
        if driver == Driver::Mpi {
            return Err(Reason::Mpi);
        }
        let entry = self.new_entry(questions, file, driver, number, handle.sieve.get().copied());
        if entry.is_writable {
            *handle.entry() = Some(Arc::clone(&entry));
        }
        Ok(entry)
    }

    fn new_entry(
        &self,
        questions: Questions,
        file: &NativeFile,
        driver: Driver,
        number: u64,
        sieve: Option<usize>,
    ) -> Arc<FileEntry> {
        let is_writable = file.intent().is_none_or(|intent| intent.writable);
        let entry = Arc::new(FileEntry {
            number,
            source: source_of(questions, file, driver),
            facts: file.creation_list().and_then(|list| questions.creation_facts(list.id())),
            is_writable,
            sieve,
            _writer: is_writable.then(|| self.writer()),
            closed_handles: AtomicUsize::new(0),
            revoked: AtomicBool::new(false),
            datasets: Mutex::default(),
        });
        let mut entries = self.entries();
        entries.retain(|_, entry| entry.strong_count() > 0);
        entries.insert(number, Arc::downgrade(&entry));
        entry
    }

    /// A handle is about to be closed, and objects that were reached through it stay: finds out what they need to know.
    /// Afterwards nobody could be asked.
    pub(crate) fn survive(&self, questions: Questions, handle: &OpenFile, anchor: &Anchor) {
        let Some(number) = anchor.file_number() else { return };
        let entry = self.known(number).ok_or(()).or_else(|()| self.entry_of(questions, handle, number));
        if let Ok(entry) = entry {
            anchor.survive(Survivor::new(entry));
        }
    }

    /// The entry of a file, if there is one.
    pub(crate) fn known(&self, number: u64) -> Option<Arc<FileEntry>> {
        self.entries().get(&number).and_then(Weak::upgrade)
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<u64, Weak<FileEntry>>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds out how far a file that is being written reaches by now, from the file or, if it is closed, from a dataset
    /// that is not.
    pub(crate) fn look_for_end(&self, entry: &FileEntry, dataset: &BelowObject) {
        let (true, Ok(Source::File(store))) = (entry.is_writable, &entry.source) else { return };
        let end = match self.handle(entry.number) {
            Some(handle) => handle.file.allocated_end(),
            // Native HDF5 would believe that there is no identifier, or one more: nobody can be asked.
            None if self.found.has(entry.number) || entry.closed_handles.load(Ordering::Acquire) > 1 => {
                Some(u64::MAX)
            }
            None => {
                dataset.file_without_identifier(ObjectKind::Dataset).and_then(|file| file.allocated_end())
            }
        };
        if let Some(end) = end {
            store.set_end(end);
        }
    }

    /// How large a sieve the application wanted for a file when it opened it first, if it has none because of us.
    pub(crate) fn sieve(&self, number: u64) -> Option<usize> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let handles = open.iter().filter_map(Weak::upgrade);
        let mut sieves = handles.filter_map(|handle| {
            let sieve = *handle.sieve.get()?;
            (handle.facts()?.number == number).then_some(sieve)
        });
        let first = sieves.next();
        drop(sieves);
        drop(open);
        // A file whose handles are closed lives on while datasets of it are open.
        first.or_else(|| self.known(number)?.sieve)
    }

    /// Counts a file that is opened for writing.
    pub(crate) fn writer(&self) -> Writer {
        self.writers.fetch_add(1, Ordering::AcqRel);
        Writer(Arc::clone(&self.writers))
    }

    /// Whether any file is open for writing.
    pub(crate) fn has_writers(&self) -> bool {
        self.writers.load(Ordering::Acquire) > 0
    }

    /// The datasets of files open for writing that somebody has read or written, in the order in which that began.
    pub(crate) fn writable_datasets(&self) -> Vec<Arc<Writable>> {
        let entries: Vec<_> = self.entries().values().filter_map(Weak::upgrade).collect();
        let each = |entry: &Arc<FileEntry>| entry.datasets().values().cloned().collect::<Vec<_>>();
        let mut datasets: Vec<_> = entries.iter().flat_map(each).collect();
        datasets.sort_unstable_by_key(|dataset| dataset.first_use());
        datasets
    }

    /// Those of them that have something in memory only, or that somebody is using.
    pub(crate) fn busy_datasets(&self) -> Vec<Arc<Writable>> {
        let mut datasets = self.writable_datasets();
        datasets.retain(|dataset| !dataset.dirty.is_empty() || !dataset.claims.is_idle());
        datasets
    }

    /// What all handles of a dataset share, if anybody has used it.
    pub(crate) fn writable_dataset(&self, identity: Identity) -> Option<Arc<Writable>> {
        self.known(identity.file)?.dataset(identity)
    }

    /// Forgets what handles of a dataset have shared: there is none of them, and another dataset has its place.
    pub(crate) fn forget_dataset(&self, identity: Identity) {
        let forgotten = self.known(identity.file).and_then(|entry| entry.datasets().remove(&identity));
        if let Some(dataset) = forgotten {
            dataset.outdate();
        }
    }

    /// Gives up what is kept about datasets that are not open: some may have been deleted, and others be in their places.
    pub(crate) fn forget_recent(&self) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let handles: Vec<_> = open.iter().filter_map(Weak::upgrade).collect();
        drop(open);
        for handle in handles {
            handle.recent.clear();
        }
    }

    /// A file is native's from now on.
    pub(crate) fn revoke(&self, number: u64) {
        if let Some(entry) = self.known(number) {
            entry.revoked.store(true, Ordering::Release);
        }
    }

    /// Native HDF5 has moved raw data of datasets that we do not know.
    pub(crate) fn native_was_here(&self, wrote: bool) {
        self.native_was_here.store(true, Ordering::Release);
        for dataset in self.writable_datasets() {
            dataset.native_was_here(wrote);
        }
    }

    /// Whether it ever has.
    pub(crate) fn was_native_here(&self) -> bool {
        self.native_was_here.load(Ordering::Acquire)
    }
}

/// This is the line between what the engine owns and what it does not: files on a plain descriptor of which native
/// HDF5 has nothing in buffers of its own that it might write later.
fn source_of(questions: Questions, file: &NativeFile, driver: Driver) -> Result<Source, Reason> {
    let intent = file.intent().ok_or(Reason::Untold("file"))?;
    if intent.swmr_reader {
        return Err(Reason::SwmrReader);
    }
    let Driver::Posix(driver) = driver else { return Err(Reason::Driver) };
    let descriptor = file.descriptor(driver).ok_or(Reason::Driver)?;
    if intent.writable {
        let access = file.access_list().ok_or(Reason::Untold("file"))?;
        if intent.swmr_writer {
            return Err(Reason::SwmrWriter);
        }
        if questions.has_page_buffer(access.id()) {
            return Err(Reason::PageBuffer);
        }
        // We open files that can be written without a sieve: this one was open before.
        if questions.sieve_bytes(access.id()) != Some(0) {
            return Err(Reason::OpenNatively);
        }
    }
    let end = file.allocated_end().ok_or(Reason::Untold("file"))?;
    Ok(Source::File(Arc::new(Store::new(Descriptor::new(descriptor), end))))
}
