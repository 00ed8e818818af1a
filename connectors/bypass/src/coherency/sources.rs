//! The sources of a virtual dataset that are open. They stay so until the virtual dataset is closed, as those of native HDF5.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};

use h5_vol::BelowObject;
use h5_vol::native::Identity;
use selection::Extent;

use crate::coherency::plain_source::PlainSource;
use crate::coherency::resolved::Resolved;
use crate::coherency::shared::Shared;
use crate::coherency::source_access::SourceAccess;
use crate::coherency::source_names::Folders;
use crate::inspect::virtual_layout::Numbers;
use crate::inspect::virtual_mappings::VirtualMappings;
use crate::report::reason::Reason;

/// What all handles of a virtual dataset share.
#[derive(Debug)]
pub(crate) struct Sources {
    /// Which virtual dataset it is.
    pub(super) of: Identity,
    /// Asked for when the file of a source is looked for.
    pub(super) folders: OnceLock<Option<Folders>>,
    /// What they are opened with, likewise.
    pub(super) access: OnceLock<SourceAccess>,
    /// Those that are open, by their numbers.
    open: Mutex<HashMap<usize, Arc<SourceDataset>>>,
    /// Those of which something was wanted that was left to native HDF5.
    touched: Mutex<HashSet<usize>>,
    /// Those that are open without HDF5, likewise.
    plain: Mutex<HashMap<usize, Arc<PlainSource>>>,
    /// The mappings, if the extent of the virtual dataset depends on its sources, and the numbers of the sources then.
    pub(super) mappings: OnceLock<Result<VirtualMappings, Reason>>,
    pub(super) numbers: Mutex<Numbers>,
    /// Why native HDF5 reads the virtual dataset, since a source was found that is not ours.
    refused: OnceLock<Reason>,
}

/// A source that is open.
#[derive(Debug)]
pub(crate) struct SourceDataset {
    pub(crate) below: Arc<BelowObject>,
    pub(super) identity: Identity,
    /// What was last found out about it.
    dataset: RwLock<Arc<Resolved>>,
    extent_when_opened: Extent,
    /// Those of a source that is virtual itself.
    nested: OnceLock<Arc<Sources>>,
    was_read: AtomicBool,
}

impl Sources {
    pub(crate) fn new(of: Identity) -> Self {
        Self {
            of,
            folders: OnceLock::new(),
            access: OnceLock::new(),
            open: Mutex::default(),
            touched: Mutex::default(),
            plain: Mutex::default(),
            mappings: OnceLock::new(),
            numbers: Mutex::default(),
            refused: OnceLock::new(),
        }
    }

    /// Whether all of these sources are open.
    pub(crate) fn are_open(&self, mut numbers: impl Iterator<Item = usize>) -> bool {
        let (open, plain) = (self.open(), self.plain());
        numbers.all(|number| plain.contains_key(&number) || open.contains_key(&number))
    }

    /// Whether this is asked for the first time for one of these sources.
    pub(crate) fn are_untouched(&self, numbers: impl Iterator<Item = usize>) -> bool {
        let mut touched = self.touched.lock().unwrap_or_else(PoisonError::into_inner);
        let mut is_any_new = false;
        for number in numbers {
            is_any_new |= touched.insert(number);
        }
        is_any_new
    }

    fn plain(&self) -> MutexGuard<'_, HashMap<usize, Arc<PlainSource>>> {
        self.plain.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a source is open without HDF5.
    pub(super) fn note_plain(&self, number: usize, source: &Arc<PlainSource>) {
        self.plain().insert(number, Arc::clone(source));
    }

    /// The source with this number, if it is open without HDF5.
    pub(super) fn known_plain(&self, number: usize) -> Option<Arc<PlainSource>> {
        self.plain().get(&number).cloned()
    }

    /// Why native HDF5 reads the virtual dataset.
    pub(crate) fn refused(&self) -> Option<&Reason> {
        self.refused.get()
    }

    /// Leaves the virtual dataset to native HDF5, which opens all sources itself: ours are closed.
    pub(crate) fn refuse(&self, reason: &Reason) {
        let _ = self.refused.set(reason.clone());
        self.close_all();
    }

    /// Closes those that are open, unless they must still be written.
    pub(super) fn close_all(&self) {
        self.plain().clear();
        self.open().retain(|_, source| source.writable().iter().any(|shared| shared.has_unwritten()));
    }

    /// What handles of those that can be written share, in the order of their first use.
    pub(crate) fn writable(&self) -> Vec<Arc<Shared>> {
        let open: Vec<_> = self.open().values().cloned().collect();
        let mut writable: Vec<_> = open.iter().flat_map(|source| source.writable()).collect();
        writable.sort_unstable_by_key(|shared| shared.first_use());
        writable
    }

    fn open(&self) -> MutexGuard<'_, HashMap<usize, Arc<SourceDataset>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a source is open.
    pub(super) fn note(&self, number: usize, source: &Arc<SourceDataset>) {
        self.open().insert(number, Arc::clone(source));
    }

    /// The source with this number, if it is open.
    pub(crate) fn known(&self, number: usize) -> Option<Arc<SourceDataset>> {
        self.open().get(&number).cloned()
    }
}

impl SourceDataset {
    pub(super) fn new(dataset: Arc<Resolved>, below: Arc<BelowObject>, identity: Identity) -> Self {
        Self {
            below,
            identity,
            extent_when_opened: dataset.extent().clone(),
            dataset: RwLock::new(dataset),
            nested: OnceLock::new(),
            was_read: AtomicBool::new(false),
        }
    }

    /// What was last found out about it. In a file that is open for writing it may be out of date.
    pub(crate) fn known(&self) -> Arc<Resolved> {
        Arc::clone(&self.dataset.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn extent_when_opened(&self) -> &Extent {
        &self.extent_when_opened
    }

    pub(super) fn set_known(&self, dataset: &Arc<Resolved>) {
        *self.dataset.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(dataset);
    }

    /// Whether it was read before this is asked.
    pub(crate) fn was_read(&self) -> bool {
        self.was_read.load(Ordering::Relaxed) || self.was_read.swap(true, Ordering::Relaxed)
    }

    /// The same for it and, if it is virtual itself, for its sources.
    fn writable(&self) -> Vec<Arc<Shared>> {
        let mut writable = self.nested.get().map(|nested| nested.writable()).unwrap_or_default();
        writable.extend(self.known().shared.clone());
        writable
    }

    /// The sources of one that is virtual itself.
    pub(crate) fn nested(&self) -> &Arc<Sources> {
        self.nested.get_or_init(|| Arc::new(Sources::new(self.identity)))
    }
}
