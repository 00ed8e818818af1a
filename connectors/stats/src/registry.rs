//! Everything counted in this process, by callback, file and dataset.
//!
//! A forked child starts with its own empty registry, so that nothing is counted twice. Datasets that were open at the fork
//! are found in it by name.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, TryLockError};

use h5_vol::{Callback, Host};

use crate::counters::{CallCounter, Direction, FlowCounter};
use crate::sizes::Sizes;
use crate::timeline::Timeline;

/// The counters of one process.
pub(crate) struct Registry {
    /// Zero in the first process, raised by one at each fork.
    generation: u64,
    callbacks: Vec<CallCounter>,
    files: Mutex<BTreeMap<String, FileCounts>>,
    hosts: Mutex<Vec<Host>>,
    pub(crate) timeline: Timeline,
    pub(crate) sizes: Sizes,
}

/// One file.
#[derive(Debug, Default)]
pub(crate) struct FileCounts {
    pub(crate) opens: u64,
    pub(crate) datasets: BTreeMap<String, Arc<DatasetCounts>>,
    /// Open datasets that had no name yet: h5py creates them so, writes, and links them afterwards.
    pub(crate) unnamed: Vec<Arc<DatasetCounts>>,
}

/// One dataset.
#[derive(Debug, Default)]
pub(crate) struct DatasetCounts {
    reads: FlowCounter,
    writes: FlowCounter,
}

impl DatasetCounts {
    pub(crate) fn flow(&self, direction: Direction) -> &FlowCounter {
        match direction {
            Direction::Read => &self.reads,
            Direction::Write => &self.writes,
        }
    }

    fn absorb(&self, other: &Self) {
        self.reads.absorb(&other.reads);
        self.writes.absorb(&other.writes);
    }
}

static CURRENT: RwLock<Option<Arc<Registry>>> = RwLock::new(None);
static GENERATION: AtomicU64 = AtomicU64::new(0);

impl Registry {
    fn new(generation: u64) -> Self {
        Self {
            generation,
            callbacks: Callback::ALL.iter().map(|_| CallCounter::default()).collect(),
            files: Mutex::default(),
            hosts: Mutex::default(),
            timeline: Timeline::new(),
            sizes: Sizes::new(),
        }
    }

    /// The registry of this process.
    pub(crate) fn current() -> Arc<Self> {
        if let Some(current) = &*CURRENT.read().unwrap_or_else(PoisonError::into_inner) {
            return Arc::clone(current);
        }
        let mut slot = CURRENT.write().unwrap_or_else(PoisonError::into_inner);
        let generation = GENERATION.load(Ordering::Relaxed);
        Arc::clone(slot.get_or_insert_with(|| Arc::new(Self::new(generation))))
    }

    /// Begins again in a forked child. Never waits: a thread that held the lock does not exist here. Should
    /// that ever be the case, the child goes on with its parent's numbers.
    pub(crate) fn start_anew() {
        let mut slot = match CURRENT.try_write() {
            Ok(slot) => slot,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        let generation = GENERATION.fetch_add(1, Ordering::Relaxed) + 1;
        // The parent's registry is not released: its own locks may be held by threads that are gone.
        std::mem::forget(slot.replace(Arc::new(Self::new(generation))));
    }

    /// Whether this is the registry of a forked child.
    pub(crate) fn is_of_a_child(&self) -> bool {
        self.generation > 0
    }

    pub(crate) fn callback(&self, callback: Callback) -> &CallCounter {
        &self.callbacks[callback.index()]
    }

    pub(crate) fn file_opened(&self, name: String, host: Host) {
        self.files().entry(name).or_default().opens += 1;
        let mut hosts = self.hosts.lock().unwrap_or_else(PoisonError::into_inner);
        if !hosts.contains(&host) {
            hosts.push(host);
        }
    }

    pub(crate) fn files(&self) -> MutexGuard<'_, BTreeMap<String, FileCounts>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn hosts(&self) -> Vec<Host> {
        self.hosts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The counters of a dataset; of a new entry of its own if it has no name.
    fn dataset(&self, file: &str, name: Option<&str>) -> Arc<DatasetCounts> {
        let mut files = self.files();
        let file = files.entry(file.to_owned()).or_default();
        if let Some(name) = name {
            return Arc::clone(file.datasets.entry(name.to_owned()).or_default());
        }
        let counts = Arc::default();
        file.unnamed.push(Arc::clone(&counts));
        counts
    }

    /// Moves what was counted for a nameless dataset to the name it has got.
    fn name_dataset(&self, file: &str, counts: &Arc<DatasetCounts>, name: &str) {
        let mut files = self.files();
        let file = files.entry(file.to_owned()).or_default();
        file.unnamed.retain(|unnamed| !Arc::ptr_eq(unnamed, counts));
        file.datasets.entry(name.to_owned()).or_default().absorb(counts);
    }
}

/// An open dataset's way to its counters.
#[derive(Debug)]
pub struct DatasetEntry {
    file: String,
    name: Option<String>,
    counts: Arc<DatasetCounts>,
    generation: u64,
}

impl DatasetEntry {
    pub(crate) fn new(file: String, name: Option<String>) -> Self {
        let registry = Registry::current();
        let counts = registry.dataset(&file, name.as_deref());
        Self { file, name, counts, generation: registry.generation }
    }

    /// The counters, in this process's registry.
    pub(crate) fn counts(&self) -> Arc<DatasetCounts> {
        let registry = Registry::current();
        if registry.generation == self.generation {
            Arc::clone(&self.counts)
        } else {
            registry.dataset(&self.file, self.name.as_deref())
        }
    }

    /// The dataset is being closed. If it had no name when it was opened, `name` tells whether it has one now.
    pub(crate) fn close(&self, name: impl FnOnce() -> Option<String>) {
        let registry = Registry::current();
        if self.name.is_none()
            && registry.generation == self.generation
            && let Some(name) = name()
        {
            registry.name_dataset(&self.file, &self.counts, &name);
        }
    }
}
