//! What is known about the datasets of an open file, kept for as long as it is open.
//!
//! Many programs open a dataset again for each read. So what was found out about it stays with the file: all objects that
//! were reached through one opening of a file share it, and it lives as long as the last of them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::SystemTime;

use h5_vol::native::Identity;
use trace::Label;

use crate::coherency::entry::{Survivor, Writer};
use crate::coherency::first_reads::FirstReads;
use crate::coherency::open_file::{OpenFacts, OpenFile};
use crate::coherency::resolved::{Decision, Resolved};
use crate::inspect::shared_file::SharedFile;
use crate::inspect::storage::Storage;
use crate::report::reason::Reason;

/// How many datasets are remembered; beyond that those that are not open are forgotten.
const MOST: usize = 1024;

/// One opening of a file.
#[derive(Debug)]
pub(crate) struct Opening {
    /// The handle it was opened as. Its objects may live longer.
    file: Weak<OpenFile>,
    opened_at: SystemTime,
    facts: OnceLock<Option<OpenFacts>>,
    /// Why nothing that is reached through it is ours, if that was known when it was opened.
    refused: OnceLock<Reason>,
    /// If processes share the file through MPI to read it.
    shared: OnceLock<Arc<SharedFile>>,
    /// The file, if the handle is closed: objects of it are left.
    survives: OnceLock<Survivor>,
    /// Reads through handles that were not used before.
    first_reads: FirstReads,
    /// Whether anything was decided about any dataset.
    has_decided: AtomicBool,
    /// If it was opened for writing: bytes of the sieve that the application wanted, which it has not because of us.
    sieve: OnceLock<usize>,
    writer: OnceLock<Writer>,
    datasets: Mutex<HashMap<Identity, Known>>,
    /// For a trace: the name of the file, and what datasets are called that are not ours.
    name: OnceLock<Option<String>>,
    labels: Mutex<HashMap<Identity, Label>>,
}

/// What is known about a dataset.
#[derive(Debug)]
enum Known {
    /// It was read before.
    Seen,
    /// Whose it is, and where its bytes are.
    Decided(Decision),
}

impl Opening {
    pub(crate) fn new(file: Option<&Arc<OpenFile>>) -> Self {
        Self {
            file: file.map(Arc::downgrade).unwrap_or_default(),
            opened_at: SystemTime::now(),
            facts: OnceLock::new(),
            refused: OnceLock::new(),
            shared: OnceLock::new(),
            survives: OnceLock::new(),
            first_reads: FirstReads::default(),
            has_decided: AtomicBool::new(false),
            sieve: OnceLock::new(),
            writer: OnceLock::new(),
            datasets: Mutex::default(),
            name: OnceLock::new(),
            labels: Mutex::default(),
        }
    }

    /// When the file was opened, or a bit later.
    pub(crate) fn opened_at(&self) -> SystemTime {
        self.opened_at
    }

    fn facts(&self) -> Option<OpenFacts> {
        *self.facts.get_or_init(|| self.file.upgrade()?.facts())
    }

    /// Notes why nothing that is reached through it is ours.
    pub(crate) fn refuse(&self, reason: Reason) {
        let _ = self.refused.set(reason);
    }

    /// Why nothing that is reached through it is ours.
    pub(crate) fn refused(&self) -> Option<&Reason> {
        self.refused.get()
    }

    /// Notes that processes share the file to read it.
    pub(crate) fn note_shared(&self, file: &Arc<SharedFile>) {
        let _ = self.shared.set(Arc::clone(file));
    }

    /// What is known about the file if processes share it to read it.
    pub(crate) fn shared(&self) -> Option<&Arc<SharedFile>> {
        self.shared.get()
    }

    /// The handle is about to be closed: keeps what its objects need.
    pub(crate) fn survive(&self, file: Survivor) {
        let _ = self.survives.set(file);
    }

    /// Whether the file was opened for writing. In case of doubt it was.
    pub(crate) fn is_writable(&self) -> bool {
        self.facts().is_none_or(|facts| facts.is_writable)
    }

    /// The number of the file among the open ones.
    pub(crate) fn file_number(&self) -> Option<u64> {
        self.facts().map(|facts| facts.number)
    }

    /// Notes that the file was opened for writing, and how large a sieve the application wanted.
    pub(crate) fn note_writer(&self, writer: Writer, sieve: usize) {
        let _ = (self.sieve.set(sieve), self.writer.set(writer));
    }

    /// Whether it is counted among the files that are open for writing, as long as this is known.
    pub(crate) fn is_counted(&self) -> bool {
        self.writer.get().is_some()
    }

    /// How large a sieve the application wanted, if that was noted.
    pub(crate) fn sieve(&self) -> Option<usize> {
        self.sieve.get().copied()
    }

    /// Whether a dataset lies in this file. What was reached through it but lies in another file is not kept: that
    /// other file would stay open.
    fn has(&self, identity: Identity) -> bool {
        self.facts().is_some_and(|facts| facts.number == identity.file)
    }

    /// Whether a read through a new handle is most likely the first one of its dataset. Then it is not even asked which
    /// dataset it is.
    pub(crate) fn is_likely_first_read(&self) -> bool {
        self.first_reads.is_next_unasked()
    }

    /// Whether anything is known about any dataset.
    pub(crate) fn knows_some(&self) -> bool {
        !self.datasets.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Whether anything was decided about any dataset.
    pub(crate) fn has_decided(&self) -> bool {
        self.has_decided.load(Ordering::Relaxed)
    }

    /// What was decided about a dataset.
    pub(crate) fn decided(&self, identity: Identity) -> Option<Decision> {
        match self.datasets.lock().unwrap_or_else(PoisonError::into_inner).get(&identity)? {
            Known::Decided(decision) if self.has(identity) => Some(decision.clone()),
            _ => None,
        }
    }

    /// Drops what is known about a dataset.
    pub(crate) fn forget(&self, identity: Identity) {
        self.datasets.lock().unwrap_or_else(PoisonError::into_inner).remove(&identity);
    }

    /// Notes that a dataset is being read through a new handle. Whether this is the first time, and what was decided
    /// before.
    pub(crate) fn see(&self, identity: Identity) -> (bool, Option<Decision>) {
        if !self.has(identity) {
            return (true, None);
        }
        let mut datasets = self.datasets.lock().unwrap_or_else(PoisonError::into_inner);
        let known = datasets.get(&identity);
        self.first_reads.note(known.is_none());
        match known {
            Some(Known::Decided(decision)) => (false, Some(decision.clone())),
            Some(Known::Seen) => (false, None),
            None => {
                make_room(&mut datasets);
                datasets.insert(identity, Known::Seen);
                (true, None)
            }
        }
    }

    /// The name of the file that a dataset lies in, which is asked for once if it is this one.
    pub(crate) fn name_for(
        &self,
        identity: Identity,
        ask: impl FnOnce() -> Option<String>,
    ) -> Option<String> {
        if self.has(identity) { self.name.get_or_init(ask).clone() } else { ask() }
    }

    /// What a dataset is called in a trace, likewise.
    pub(crate) fn label(&self, identity: Identity, ask: impl FnOnce() -> Label) -> Label {
        if !self.has(identity) {
            return ask();
        }
        let mut labels = self.labels.lock().unwrap_or_else(PoisonError::into_inner);
        if labels.len() >= MOST {
            labels.clear();
        }
        *labels.entry(identity).or_insert_with(ask)
    }

    /// Keeps what was found out about a dataset that can be written.
    pub(crate) fn keep_recent(&self, dataset: &Arc<Resolved>) {
        if let Some(file) = self.file.upgrade()
            && dataset.shared.is_some()
            && self.file_number() == Some(dataset.file.number())
        {
            file.recent().keep(dataset);
        }
    }

    /// Keeps what was decided about a dataset, unless that depends on how it was opened.
    pub(crate) fn keep(&self, identity: Identity, decision: &Decision) {
        let is_external =
            decision.as_ref().is_ok_and(|dataset| matches!(dataset.storage(), Storage::External(_)));
        if self.has(identity) && !is_external {
            let mut datasets = self.datasets.lock().unwrap_or_else(PoisonError::into_inner);
            make_room(&mut datasets);
            datasets.insert(identity, Known::Decided(decision.clone()));
            self.has_decided.store(true, Ordering::Relaxed);
        }
    }
}

fn make_room(datasets: &mut HashMap<Identity, Known>) {
    if datasets.len() >= MOST {
        datasets.retain(|_, known| matches!(known, Known::Decided(Ok(ours)) if Arc::strong_count(ours) > 1));
        // All of them are open: begin again, rather than look through all of them each time.
        if datasets.len() >= MOST {
            datasets.clear();
        }
    }
}
