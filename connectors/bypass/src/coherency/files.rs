//! The files of one host, as far as raw data is concerned.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use h5_host::{Driver, Questions};
use h5_vol::native::Identity;
use h5_vol::{BelowObject, ObjectKind};

use crate::coherency::entry::{FileEntry, Survivor, Writer};
use crate::coherency::found::FoundFiles;
use crate::coherency::heaps::{ChangedHeaps, Heaps};
use crate::coherency::open_file::OpenFile;
use crate::coherency::plain_source::{FileIdentity, PlainSources};
use crate::coherency::shared::Shared;
use crate::coherency::sources::Sources;
use crate::inspect::file::RawFile;
use crate::report::reason::Reason;

/// The files of one host.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// Those that have been read or written. All handles of a file, and all datasets in it, share an entry, whichever
    /// way they were reached; it lives as long as one of them does.
    entries: Mutex<HashMap<u64, Weak<FileEntry>>>,
    /// Those that the application has opened and not closed.
    open: Mutex<Vec<Weak<OpenFile>>>,
    /// The sources of virtual datasets that are open.
    sources: Mutex<HashMap<Identity, Weak<Sources>>>,
    /// Those of them that are open without HDF5.
    pub(crate) plain: PlainSources,
    /// Those that HDF5 has made identifiers for by itself.
    pub(crate) found: Arc<FoundFiles>,
    /// Those that are open for writing, or whose datasets still are.
    writers: Arc<AtomicUsize>,
    /// Native HDF5 has moved raw data of datasets that we do not know, of files that can be written.
    native_was_here: AtomicBool,
    /// The same for sources of virtual datasets, which are closed at the latest when no file is open for writing any more.
    native_was_in_sources: AtomicBool,
    /// Something was written through a virtual dataset.
    virtual_was_written: AtomicBool,
    /// Elements of compact datasets of files that can be written are kept.
    has_header_data: AtomicBool,
    /// Heap collections that are newer in native HDF5's cache than in the files.
    pub(crate) heaps: Heaps,
}

impl Files {
    /// Notes that a file was opened; `None` if it is not one of native HDF5.
    pub(crate) fn opened(&self, below: &BelowObject, kind: ObjectKind) -> Option<Arc<OpenFile>> {
        let file = Arc::new(OpenFile::new(below, kind)?);
        let mut open = self.open();
        open.retain(|handle| handle.strong_count() > 0);
        open.push(Arc::downgrade(&file));
        Some(file)
    }

    /// A handle of the file with this number.
    pub(crate) fn handle(&self, number: u64) -> Option<Arc<OpenFile>> {
        self.open()
            .iter()
            .filter_map(Weak::upgrade)
            .find(|handle| handle.facts().is_some_and(|facts| facts.number == number))
    }

    /// All handles of the file with this number.
    pub(crate) fn handles(&self, number: u64) -> Vec<Arc<OpenFile>> {
        let is_of_file = |handle: &Arc<OpenFile>| handle.facts().is_some_and(|facts| facts.number == number);
        self.open().iter().filter_map(Weak::upgrade).filter(is_of_file).collect()
    }

    /// Whether the application has a file open, or may have.
    pub(super) fn has_open(&self, questions: Questions, file: FileIdentity) -> bool {
        let handles: Vec<_> = self.open().iter().filter_map(Weak::upgrade).collect();
        handles.iter().any(|handle| handle.identity(questions).is_none_or(|identity| identity == file))
    }

    /// Whether handles of a virtual dataset share something.
    pub(crate) fn has_sources(&self, identity: Identity) -> bool {
        let all = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(&identity).is_some_and(|sources| sources.strong_count() > 0)
    }

    /// Sources of the virtual datasets in a file, or in all files, that can be written.
    pub(crate) fn writable_sources(&self, file: Option<u64>) -> Vec<Arc<Shared>> {
        let all: Vec<_> = {
            let all = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
            let is_in_file = |identity: &Identity| file.is_none_or(|file| identity.file == file);
            all.iter().filter(|(of, _)| is_in_file(of)).filter_map(|(_, sources)| sources.upgrade()).collect()
        };
        all.iter().flat_map(|sources| sources.writable()).collect()
    }

    /// What all handles of a virtual dataset share.
    pub(crate) fn sources(&self, identity: Identity) -> Arc<Sources> {
        let mut all = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = all.get(&identity).and_then(Weak::upgrade) {
            return known;
        }
        all.retain(|_, sources| sources.strong_count() > 0);
        let sources = Arc::new(Sources::new(identity));
        all.insert(identity, Arc::downgrade(&sources));
        sources
    }

    /// The heap collections of the file with this number that have changed.
    pub(crate) fn heap(&self, number: u64) -> Arc<ChangedHeaps> {
        self.heaps.of(number, |other| self.known(other).is_some() || self.handle(other).is_some())
    }

    /// The entry of a file with a source, which was opened for it. Many of these may be open: the application's handle has a
    /// descriptor of its own, but others use that of HDF5.
    pub(crate) fn entry_of_source(
        &self,
        questions: Questions,
        file: &Arc<OpenFile>,
        number: u64,
        driver: Driver,
        source: &Arc<BelowObject>,
    ) -> Result<Arc<FileEntry>, Reason> {
        let entry = self.find_entry_of_source(questions, file, number, driver, source)?;
        entry.note_source();
        Ok(entry)
    }

    fn find_entry_of_source(
        &self,
        questions: Questions,
        file: &Arc<OpenFile>,
        number: u64,
        driver: Driver,
        source: &Arc<BelowObject>,
    ) -> Result<Arc<FileEntry>, Reason> {
        if let Some(entry) = self.known(number) {
            return Ok(entry);
        }
        let is_other = |handle: &Arc<OpenFile>| !Arc::ptr_eq(handle, file);
        if let Some(handle) = self.handles(number).into_iter().find(is_other) {
            return self.entry_of(questions, &handle, number);
        }
        let is_writable = file.facts().is_none_or(|facts| facts.is_writable);
        // The application may open the file as well, and then the entry lives as long as its handle.
        let raw = RawFile::examine(questions, file.native(), driver, (!is_writable).then_some(source));
        Ok(self.new_entry(number, raw, None))
    }

    /// The entry of the file that a dataset lies in, by the file's number. `reached_for_writing` tells whether the file
    /// through which the dataset was reached was opened for writing; `None` if that is not known.
    pub(crate) fn entry(
        &self,
        questions: Questions,
        dataset: &BelowObject,
        number: u64,
        reached_for_writing: impl FnOnce() -> Option<bool>,
    ) -> Result<Arc<FileEntry>, Reason> {
        if let Some(entry) = self.known(number) {
            if entry.raw().is_writable() {
                // It may have been made for a source of a virtual dataset, before the application opened the file.
                self.handles(number).iter().for_each(|handle| handle.keep(&entry));
            }
            return Ok(entry);
        }
        if let Some(handle) = self.handle(number) {
            return self.entry_of(questions, &handle, number);
        }
        // The application has closed the file, or it was never opened but by a link. Behind a link files are opened as the
        // file with the link was, unless the application says otherwise.
        if reached_for_writing().ok_or(Reason::OnlyFound)? {
            return Err(Reason::OpenForWriting);
        }
        if questions.host().is_built_for_mpi() {
            return Err(Reason::LinkUnderMpi);
        }
        if self.found.has(number) {
            return Err(Reason::OnlyFound);
        }
        let file =
            dataset.file_without_identifier(questions, ObjectKind::Dataset).ok_or(Reason::NotNative)?;
        let raw = RawFile::examine(questions, &file, file.driver(questions), None);
        Ok(self.new_entry(number, raw, None))
    }

    /// The entry of a file that is open, which is made if there is none.
    fn entry_of(
        &self,
        questions: Questions,
        handle: &OpenFile,
        number: u64,
    ) -> Result<Arc<FileEntry>, Reason> {
        let file = handle.native();
        let driver = match handle.driver() {
            Some(driver) => driver,
            None if questions.host().is_built_for_mpi() => return Err(Reason::Untold("file")),
            None => file.driver(questions),
        };
        let raw = match (driver, handle.shared()) {
            (Driver::Mpi, None) => return Err(Reason::Mpi),
            (Driver::Mpi, Some(shared)) => RawFile::examine_shared(questions, file, shared),
            _ => RawFile::examine(questions, file, driver, None),
        };
        let entry = self.new_entry(number, raw, handle.sieve());
        if entry.raw().is_writable() {
            handle.keep(&entry);
        }
        Ok(entry)
    }

    fn new_entry(&self, number: u64, raw: RawFile, sieve: Option<usize>) -> Arc<FileEntry> {
        let writer = raw.is_writable().then(|| self.writer());
        let entry = Arc::new(FileEntry::new(number, raw, sieve, writer));
        let mut entries = self.entries();
        entries.retain(|_, entry| entry.strong_count() > 0);
        entries.insert(number, Arc::downgrade(&entry));
        entry
    }

    /// A handle of the file with this number is about to be closed, and objects that were reached through it stay: what
    /// they need to know. Afterwards nobody could be asked.
    pub(crate) fn survive(&self, questions: Questions, handle: &OpenFile, number: u64) -> Option<Survivor> {
        let entry = self.known(number).ok_or(()).or_else(|()| self.entry_of(questions, handle, number));
        entry.ok().map(Survivor::new)
    }

    /// The entry of a file, if there is one.
    pub(crate) fn known(&self, number: u64) -> Option<Arc<FileEntry>> {
        self.entries().get(&number).and_then(Weak::upgrade)
    }

    fn entries(&self) -> MutexGuard<'_, HashMap<u64, Weak<FileEntry>>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn open(&self) -> MutexGuard<'_, Vec<Weak<OpenFile>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds out how far a file that is being written reaches by now, from the file or, if it is closed, from a dataset
    /// that is not.
    pub(crate) fn look_for_end(&self, questions: Questions, entry: &FileEntry, dataset: &BelowObject) {
        let Some(store) = entry.raw().growing() else { return };
        let end = match self.handle(entry.number()) {
            Some(handle) => handle.native().allocated_end(questions),
            // Native HDF5 would believe that there is no identifier, or one more: nobody can be asked.
            None if self.found.has(entry.number()) || entry.may_be_open_several_times() => Some(u64::MAX),
            None => dataset
                .file_without_identifier(questions, ObjectKind::Dataset)
                .and_then(|file| file.allocated_end(questions)),
        };
        if let Some(end) = end {
            store.set_end(end);
        }
    }

    /// How large a sieve the application wanted for a file when it opened it first, if it has none because of us.
    pub(crate) fn sieve(&self, number: u64) -> Option<usize> {
        let open = self.open();
        let handles = open.iter().filter_map(Weak::upgrade);
        let mut sieves = handles.filter_map(|handle| {
            let sieve = handle.sieve()?;
            (handle.facts()?.number == number).then_some(sieve)
        });
        let first = sieves.next();
        drop(sieves);
        drop(open);
        // A file whose handles are closed lives on while datasets of it are open.
        first.or_else(|| self.known(number)?.sieve())
    }

    /// Counts a file that is opened for writing.
    pub(crate) fn writer(&self) -> Writer {
        // Whoever makes native HDF5 move raw data of sources is counted meanwhile.
        if !self.has_writers() {
            self.native_was_in_sources.store(false, Ordering::Release);
        }
        Writer::new(&self.writers)
    }

    /// Whether any file is open for writing.
    pub(crate) fn has_writers(&self) -> bool {
        self.writers.load(Ordering::Acquire) > 0
    }

    /// Whether anything may be known about any dataset of a file that is open for writing.
    pub(crate) fn has_entries_to_write(&self) -> bool {
        self.has_writers() && self.entries().values().any(|entry| entry.strong_count() > 0)
    }

    /// The datasets of files open for writing that somebody has read or written, in the order in which that began.
    pub(crate) fn shared_datasets(&self) -> Vec<Arc<Shared>> {
        self.datasets(|_| true)
    }

    /// Those of them that have something in memory only, or that somebody is using.
    pub(crate) fn busy_datasets(&self) -> Vec<Arc<Shared>> {
        self.datasets(|dataset| dataset.has_unwritten() || !dataset.claims.is_idle())
    }

    fn datasets(&self, is_wanted: impl Fn(&Shared) -> bool) -> Vec<Arc<Shared>> {
        let entries: Vec<_> = self.entries().values().filter_map(Weak::upgrade).collect();
        let mut datasets: Vec<_> = entries.iter().flat_map(|entry| entry.datasets(&is_wanted)).collect();
        datasets.sort_unstable_by_key(|dataset| dataset.first_use());
        datasets
    }

    /// What all handles of a dataset share, if anybody has used it.
    pub(crate) fn shared_dataset(&self, identity: Identity) -> Option<Arc<Shared>> {
        self.known(identity.file)?.dataset(identity)
    }

    /// Forgets what handles of a dataset have shared: there is none of them, and another dataset has its place.
    pub(crate) fn forget_dataset(&self, identity: Identity) {
        if let Some(dataset) = self.known(identity.file).and_then(|entry| entry.forget(identity)) {
            dataset.outdate();
        }
    }

    /// Gives up what is kept about datasets that are not open: some may have been deleted, and others be in their places.
    pub(crate) fn forget_recent(&self) {
        let handles: Vec<_> = self.open().iter().filter_map(Weak::upgrade).collect();
        for handle in handles {
            handle.recent().clear();
        }
        let entries: Vec<_> = self.entries().values().filter_map(Weak::upgrade).collect();
        for entry in entries {
            entry.forget_refused();
        }
    }

    /// A file is native's from now on.
    pub(crate) fn revoke(&self, number: u64) {
        if let Some(entry) = self.known(number) {
            entry.raw().revoke();
        }
    }

    /// Native HDF5 has moved raw data of datasets that we do not know. It may keep copies: of `only_sources` of virtual datasets that
    /// the application has in a file open for writing, as long as these are open.
    pub(crate) fn native_was_here(&self, only_sources: bool, wrote: bool) {
        let noted = if only_sources { &self.native_was_in_sources } else { &self.native_was_here };
        noted.store(true, Ordering::Release);
        for dataset in self.shared_datasets() {
            dataset.native_was_here(wrote);
        }
    }

    /// Notes that something is written through a virtual dataset.
    pub(crate) fn note_virtual_write(&self) {
        self.virtual_was_written.store(true, Ordering::Relaxed);
    }

    /// Whether something was: a program that does so once will most likely do it again.
    pub(crate) fn was_virtual_written(&self) -> bool {
        self.virtual_was_written.load(Ordering::Relaxed)
    }

    /// Notes that elements of a compact dataset of a file that can be written are kept.
    pub(super) fn note_header_data(&self) {
        self.has_header_data.store(true, Ordering::Release);
    }

    /// Whether such elements were ever kept: a write must then outdate them.
    pub(super) fn has_header_data(&self) -> bool {
        self.has_header_data.load(Ordering::Acquire)
    }

    /// Whether it has, and may have copies still.
    pub(crate) fn was_native_here(&self) -> bool {
        self.native_was_here.load(Ordering::Acquire) || self.native_was_in_sources.load(Ordering::Acquire)
    }
}
