//! What all handles of a file, and all datasets in it, share.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use h5_vol::native::Identity;

use crate::coherency::shared::Shared;
use crate::inspect::file::RawFile;
use crate::report::reason::Reason;

/// Counts a file that is open for writing as long as it lives.
#[derive(Debug)]
pub(crate) struct Writer(Arc<AtomicUsize>);

impl Writer {
    /// One more of these.
    pub(crate) fn new(all: &Arc<AtomicUsize>) -> Self {
        all.fetch_add(1, Ordering::AcqRel);
        Self(Arc::clone(all))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A file that was read or written.
#[derive(Debug)]
pub(crate) struct FileEntry {
    number: u64,
    raw: Arc<RawFile>,
    /// See [`OpenFile::note_sieve`](super::open_file::OpenFile::note_sieve).
    sieve: Option<usize>,
    _writer: Option<Writer>,
    /// How many handles of it are closed that have left objects.
    closed_handles: AtomicUsize,
    /// It was opened for a source of a virtual dataset, and may have been opened by native HDF5 for another one.
    has_sources: AtomicBool,
    /// Its datasets that were read or written, if it is open for writing. What is known about native HDF5's copies
    /// must not be forgotten before the file is closed.
    datasets: Mutex<HashMap<Identity, Arc<Shared>>>,
    /// Its datasets whose layout is not ours, which never changes: finding that out again takes as long as a small read.
    refused: Mutex<HashMap<Identity, Reason>>,
}

/// How many datasets are remembered before those that nobody needs are forgotten.
const MANY: usize = 1024;

impl FileEntry {
    pub(crate) fn new(number: u64, raw: RawFile, sieve: Option<usize>, writer: Option<Writer>) -> Self {
        Self {
            number,
            raw: Arc::new(raw),
            sieve,
            _writer: writer,
            closed_handles: AtomicUsize::new(0),
            has_sources: AtomicBool::new(false),
            datasets: Mutex::default(),
            refused: Mutex::default(),
        }
    }

    /// Why a dataset in it is not ours, if its layout was the reason.
    pub(super) fn refused(&self, identity: Identity) -> Option<Reason> {
        self.refusals().get(&identity).cloned()
    }

    /// Notes why a dataset in it is not ours, if its layout is the reason.
    pub(super) fn note_refused(&self, identity: Identity, reason: &Reason) {
        if matches!(reason, Reason::Compact) {
            let mut refused = self.refusals();
            if refused.len() >= MANY {
                refused.clear();
            }
            refused.insert(identity, reason.clone());
        }
    }

    /// Other datasets may be in the places of those that were refused.
    pub(super) fn forget_refused(&self) {
        self.refusals().clear();
    }

    fn refusals(&self) -> MutexGuard<'_, HashMap<Identity, Reason>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its number among the open files.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Its bytes.
    pub(crate) fn raw(&self) -> &Arc<RawFile> {
        &self.raw
    }

    /// Whether it is certain that there is no heap collection at an address.
    pub(crate) fn has_no_collection(&self, address: u64) -> bool {
        let (Some(store), Ok(facts)) = (self.raw.growing(), self.raw.facts()) else { return false };
        let place = address.checked_add(facts.user_block);
        // Behind its end there is nothing yet.
        let is_behind = |place: u64| store.size().is_some_and(|size| size <= place);
        place.is_some_and(|place| is_behind(place) || heap::has_no_collection(store, place))
    }

    /// Bytes of the sieve that the application wanted, if it has none because of us.
    pub(crate) fn sieve(&self) -> Option<usize> {
        self.sieve
    }

    /// Notes that it was opened for a source of a virtual dataset.
    pub(super) fn note_source(&self) {
        self.has_sources.store(true, Ordering::Release);
    }

    /// Whether it may be open more than once without an identifier: more than one handle was closed that has left objects, or it
    /// was opened for sources. Native HDF5 cannot be asked for such a file.
    pub(crate) fn may_be_open_several_times(&self) -> bool {
        self.closed_handles.load(Ordering::Acquire) > 1 || self.has_sources.load(Ordering::Acquire)
    }

    /// What all handles of a dataset in it share, if it was used before.
    pub(crate) fn dataset(&self, identity: Identity) -> Option<Arc<Shared>> {
        self.lock().get(&identity).cloned()
    }

    /// What all handles of each of those datasets share that are wanted.
    pub(crate) fn datasets(&self, is_wanted: impl Fn(&Shared) -> bool) -> Vec<Arc<Shared>> {
        self.lock().values().filter(|dataset| is_wanted(dataset)).cloned().collect()
    }

    /// Keeps what all handles of a dataset share.
    pub(crate) fn keep(&self, identity: Identity, dataset: &Arc<Shared>) {
        let mut datasets = self.lock();
        if datasets.len() >= MANY && datasets.len().is_power_of_two() && !datasets.contains_key(&identity) {
            datasets.retain(|_, dataset| {
                Arc::strong_count(dataset) > 1 || !dataset.is_unknown_to_native() || dataset.has_unwritten()
            });
        }
        datasets.insert(identity, Arc::clone(dataset));
    }

    /// Forgets what the handles of a dataset shared.
    pub(crate) fn forget(&self, identity: Identity) -> Option<Arc<Shared>> {
        self.refusals().remove(&identity);
        self.lock().remove(&identity)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Identity, Arc<Shared>>> {
        self.datasets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keeps a file's entry for the objects that a closed handle has left.
#[derive(Debug)]
pub(crate) struct Survivor(Arc<FileEntry>);

impl Survivor {
    pub(crate) fn new(entry: Arc<FileEntry>) -> Self {
        entry.closed_handles.fetch_add(1, Ordering::AcqRel);
        Self(entry)
    }
}

impl Drop for Survivor {
    fn drop(&mut self) {
        self.0.closed_handles.fetch_sub(1, Ordering::AcqRel);
    }
}
