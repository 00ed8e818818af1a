//! Handles of datasets, and whose their raw data is.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use std::time::SystemTime;

use h5_host::Questions;
use h5_host::questions::StorageLayout;
use h5_vol::native::Identity;
use h5_vol::{BelowObject, ObjectKind};
use trace::Label;

use crate::coherency::compact_reads::CompactReads;
use crate::coherency::examine::examine;
use crate::coherency::files::Files;
use crate::coherency::little_reads::LittleReads;
use crate::coherency::opening::Opening;
use crate::coherency::resolved::{Decision, Resolved};
use crate::coherency::shared::Shared;
use crate::coherency::sources::Sources;
use crate::configuration::Configuration;
use crate::inspect::dataset::OurDataset;
use crate::inspect::header_data::Compact;
use crate::inspect::shared_file::SharedFile;
use crate::inspect::stored::{self, Stored};
use crate::report::reason::Reason;

/// What the connector keeps with a handle of a dataset.
#[derive(Debug)]
pub(crate) struct DatasetHandle {
    opening: Option<Arc<Opening>>,
    decision: RwLock<Option<Decision>>,
    /// Whether there ever was one.
    was_decided: AtomicBool,
    was_read: AtomicBool,
    /// It was created through this handle, and nothing was written yet: see [`crate::write::new_dataset`].
    new: AtomicU8,
    /// Asked for if a file is open for writing.
    is_read_only: OnceLock<bool>,
    /// Asked for if native HDF5 moves its data while a file is open for writing.
    is_virtual: OnceLock<bool>,
    /// What it is called in a trace, and what it was called before it was decided whose it is.
    label: OnceLock<Label>,
    early_label: OnceLock<Label>,
    /// Which dataset it is, if anybody has asked.
    identity: OnceLock<Identity>,
    /// It is a virtual dataset that was read before, but is not open otherwise, and nothing was read through this handle.
    is_new_virtual: AtomicBool,
    /// Reads of little of it, if it is virtual.
    pub(crate) little_reads: LittleReads,
    /// Reads of it, if it is compact and its file can be written.
    pub(crate) compact_reads: CompactReads,
    /// If it is virtual and something was read of it.
    sources: Mutex<Option<Arc<Sources>>>,
    /// The application has asked for its dataspace. If it is virtual, native HDF5 has then looked at its sources.
    was_space_told: AtomicBool,
    /// It is known that its extent depends on its sources.
    is_growing: AtomicBool,
    following: Mutex<Option<Following>>,
    /// How it is stored, if its file is shared through MPI and anybody has asked.
    stored: OnceLock<Stored>,
}

/// A contiguous dataset that was just created and has no storage yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum New {
    /// Native HDF5 writes all of it best, also if it must convert it.
    Small = SMALL,
    /// Native HDF5 writes all of it best if it need not convert it.
    Large = LARGE,
}

const NOT_NEW: u8 = 0;
const SMALL: u8 = 1;
const LARGE: u8 = 2;

/// What is known about a virtual dataset whose extent depends on its sources.
#[derive(Debug, Default)]
struct Following {
    /// Why it is native HDF5's until the application asks again.
    refused: Option<Reason>,
}

impl DatasetHandle {
    pub(crate) fn new(opening: Option<Arc<Opening>>) -> Self {
        Self {
            opening,
            decision: RwLock::new(None),
            was_decided: AtomicBool::new(false),
            was_read: AtomicBool::new(false),
            new: AtomicU8::new(NOT_NEW),
            is_read_only: OnceLock::new(),
            is_virtual: OnceLock::new(),
            label: OnceLock::new(),
            early_label: OnceLock::new(),
            identity: OnceLock::new(),
            is_new_virtual: AtomicBool::new(false),
            little_reads: LittleReads::default(),
            compact_reads: CompactReads::default(),
            sources: Mutex::default(),
            was_space_told: AtomicBool::new(false),
            is_growing: AtomicBool::new(false),
            following: Mutex::default(),
            stored: OnceLock::new(),
        }
    }

    /// The application asks for the dataspace.
    pub(crate) fn note_space_told(&self) {
        self.was_space_told.store(true, Ordering::Relaxed);
        if self.is_growing.load(Ordering::Relaxed) {
            *self.following() = Some(Following::default());
            self.decide(&Err(Reason::VirtualUnlimited));
        }
    }

    /// When native HDF5 looked at the sources of a virtual dataset at the earliest, and the number of its file. `None` if it has
    /// not, or if its file may be written.
    pub(super) fn space_told_at(&self) -> Option<(SystemTime, u64)> {
        let opening = self.opening.as_deref().filter(|opening| !opening.is_writable())?;
        // It may have opened some of them as early as that, and keeps them open whatever becomes of their names.
        let is_told = self.was_space_told.load(Ordering::Relaxed);
        is_told.then(|| opening.opened_at()).zip(opening.file_number())
    }

    /// Notes why a virtual dataset whose extent depends on its sources is not ours, until the application asks for its dataspace.
    pub(super) fn note_not_followed(&self, reason: &Reason) {
        self.following().get_or_insert_default().refused = Some(reason.clone());
    }

    fn following(&self) -> MutexGuard<'_, Option<Following>> {
        self.following.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The sources of a virtual dataset, which all of its handles share.
    pub(crate) fn sources(
        &self,
        questions: Questions,
        below: &BelowObject,
        files: &Files,
    ) -> Result<Arc<Sources>, Reason> {
        let identity = self.identity(questions, below).ok_or(Reason::NotNative)?;
        // What lies behind a link may have been opened in another way.
        if self.opening.as_deref().and_then(Opening::file_number) != Some(identity.file) {
            return Err(Reason::Virtual);
        }
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(sources.get_or_insert_with(|| files.sources(identity))))
    }

    /// The sources of a virtual dataset, if something was read of it.
    pub(crate) fn known_sources(&self) -> Option<Arc<Sources>> {
        self.sources.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Closes the sources of a virtual dataset, if this is its last handle.
    pub(crate) fn close_sources(&self) {
        *self.sources.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Whether all sources of a virtual dataset are still to be opened, and this is asked for the first time.
    pub(crate) fn take_new_virtual(&self) -> bool {
        self.is_new_virtual.load(Ordering::Relaxed) && self.is_new_virtual.swap(false, Ordering::Relaxed)
    }

    /// Notes that the dataset was created through this handle.
    pub(crate) fn note_new(&self, new: New) {
        self.new.store(new as u8, Ordering::Relaxed);
    }

    /// What it is if it was, and nothing was done with it before this is asked first.
    pub(crate) fn take_new(&self) -> Option<New> {
        if self.new.load(Ordering::Relaxed) == NOT_NEW {
            return None;
        }
        let new = match self.new.swap(NOT_NEW, Ordering::Relaxed) {
            SMALL => New::Small,
            LARGE => New::Large,
            _ => return None,
        };
        (!self.is_decided()).then_some(new)
    }

    fn decision(&self) -> Option<Decision> {
        self.decision.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn decide(&self, decision: &Decision) {
        self.was_decided.store(true, Ordering::Relaxed);
        if let Err(Reason::VirtualUnlimited) = decision {
            self.is_growing.store(true, Ordering::Relaxed);
        }
        self.compact_reads.decided(matches!(decision, Err(Reason::Compact)));
        *self.decision.write().unwrap_or_else(PoisonError::into_inner) = Some(decision.clone());
    }

    /// Why it is not ours, if that was known when the file was opened. Then nothing is asked about it.
    pub(crate) fn refused(&self) -> Option<&Reason> {
        self.opening.as_deref().and_then(Opening::refused)
    }

    /// The file through which it was reached, if processes share that through MPI to read it.
    pub(crate) fn shared_file(&self) -> Option<&SharedFile> {
        self.opening.as_deref().and_then(Opening::shared).map(|file| &**file)
    }

    /// Whether processes share the file through which it was reached. Native HDF5 then refuses to read it if it is virtual.
    pub(crate) fn is_on_mpi(&self) -> bool {
        self.shared_file().is_some() || self.refused().is_some_and(Reason::is_about_mpi)
    }

    /// How it is stored in the file through which it was reached, which is shared.
    pub(crate) fn stored(&self, questions: Questions, below: &BelowObject) -> Stored {
        *self.stored.get_or_init(|| {
            let reached = self.opening.as_deref().and_then(Opening::file_number);
            let lies_in = self.identity(questions, below).map(|identity| identity.file);
            if reached.is_some() && reached == lies_in {
                Stored::ask(questions, below)
            } else {
                Stored::Elsewhere
            }
        })
    }

    /// Whether this is the first time that the dataset is read, and nothing is known about it yet. Who reads many
    /// datasets in one call keeps them open: that is not worth asking which ones they are, unless some are known.
    pub(crate) fn is_first_read(&self, questions: Questions, below: &BelowObject, is_alone: bool) -> bool {
        if self.was_read.swap(true, Ordering::Relaxed) || self.is_decided() {
            return false;
        }
        let Some(opening) = &self.opening else { return true };
        if opening.is_likely_first_read() || !(is_alone || opening.knows_some()) {
            return true;
        }
        let Some(identity) = self.identity(questions, below) else { return true };
        let (is_first, decision) = opening.see(identity);
        if let Some(decision) = decision.filter(|decision| still_holds(questions, below, decision)) {
            self.decide(&decision);
        }
        is_first
    }

    /// Whether nobody can change the dataset through this host: not even if files are open for writing there. The file
    /// through which it was reached need not be the one that it lies in, and its data may lie in others.
    pub(crate) fn is_read_only(&self, questions: Questions, below: &BelowObject, files: &Files) -> bool {
        let ask = || {
            let number = self.opening.as_deref().filter(|opening| !opening.is_writable())?.file_number()?;
            let creation = below.dataset_creation_list(questions)?;
            Some(
                below.identity(questions, ObjectKind::Dataset)?.file == number
                    && questions.layout(creation.id()) != StorageLayout::Virtual,
            )
        };
        !files.has_writers()
            || self.refused().is_some()
            || self.shared_file().is_some()
            || *self.is_read_only.get_or_init(|| ask().unwrap_or(false))
    }

    /// Notes whether it is virtual.
    pub(crate) fn note_virtual(&self, is_virtual: bool) {
        let _ = self.is_virtual.set(is_virtual);
    }

    /// What was noted about that.
    pub(crate) fn was_noted_as_virtual(&self) -> Option<bool> {
        self.is_virtual.get().copied()
    }

    /// Whether it is a virtual dataset, as far as HDF5 tells.
    pub(crate) fn is_virtual(&self, questions: Questions, below: &BelowObject) -> bool {
        let ask = || {
            if below.is_stored_in_one_piece(questions) {
                return Some(false);
            }
            if self.is_on_mpi() {
                return Some(stored::is_virtual(questions, below));
            }
            let creation = below.dataset_creation_list(questions)?;
            Some(questions.layout(creation.id()) == StorageLayout::Virtual)
        };
        match self.known() {
            Some(known) => known.mappings().is_some(),
            None => *self.is_virtual.get_or_init(|| ask().unwrap_or(false)),
        }
    }

    /// The number of the file that it was reached through, if that may be open for writing.
    pub(crate) fn writable_file(&self) -> Option<u64> {
        self.opening.as_deref().filter(|opening| opening.is_writable()).and_then(Opening::file_number)
    }

    /// Whether the file that it was reached through is counted among those that are open for writing, as long as this handle is open.
    pub(super) fn is_counted(&self) -> bool {
        self.opening.as_deref().is_some_and(Opening::is_counted)
    }

    /// Whether it is known whose the dataset is.
    pub(crate) fn is_decided(&self) -> bool {
        self.decision.read().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Whether that was ever known.
    pub(crate) fn was_decided(&self) -> bool {
        self.was_decided.load(Ordering::Relaxed)
    }

    /// What it is called in a trace, if that is known.
    pub(crate) fn known_label(&self) -> Option<Label> {
        self.label.get().copied()
    }

    /// What it is called in a trace: found by `of_ours` if it is known to be ours, and by `of_other` if not.
    pub(crate) fn label(
        &self,
        of_other: impl FnOnce() -> Label,
        of_ours: impl FnOnce(&OurDataset) -> Label,
    ) -> Label {
        match self.decision() {
            Some(Ok(dataset)) => *self.label.get_or_init(|| of_ours(&dataset)),
            Some(Err(_)) => *self.label.get_or_init(|| match (&self.opening, self.identity.get()) {
                (Some(opening), Some(identity)) => opening.label(*identity, of_other),
                _ => of_other(),
            }),
            None => *self.early_label.get_or_init(of_other),
        }
    }

    /// Notes which dataset it is.
    pub(crate) fn note_identity(&self, identity: Identity) {
        let _ = self.identity.set(identity);
    }

    /// Which dataset it is.
    pub(crate) fn identity(&self, questions: Questions, below: &BelowObject) -> Option<Identity> {
        if let Some(known) = self.identity.get() {
            return Some(*known);
        }
        let identity = below.identity(questions, ObjectKind::Dataset)?;
        Some(*self.identity.get_or_init(|| identity))
    }

    /// Whether anything may be known of another handle of the same dataset. Nothing is asked for that.
    pub(crate) fn may_adopt(&self, files: &Files) -> bool {
        let is_known = |opening: &Opening| opening.has_decided() || files.has_entries_to_write();
        self.new.load(Ordering::Relaxed) == NOT_NEW
            && self.refused().is_none()
            && self.opening.as_deref().is_some_and(is_known)
    }

    /// Decides as was decided for another handle of the same dataset, if that is known at once. Many programs open a dataset for
    /// each read.
    pub(crate) fn adopt(
        &self,
        questions: Questions,
        below: &BelowObject,
        files: &Files,
        configuration: Option<&Configuration>,
    ) -> bool {
        let Some(opening) = self.opening.as_deref() else { return false };
        if opening.is_writable() {
            let identity = if files.has_writers() { self.identity(questions, below) } else { None };
            let known = identity.and_then(|identity| files.shared_dataset(identity)?.current());
            return known.is_some() && self.resolve(questions, below, files, configuration).is_ok();
        }
        if !opening.has_decided() {
            return false;
        }
        let identity = self.identity(questions, below);
        let known = identity.and_then(|identity| opening.decided(identity));
        if let (Some(Ok(dataset)), Some(identity)) = (&known, identity)
            && dataset.mappings().is_some_and(|mappings| !mappings.plain.may_be_plain())
            && !self.was_read.swap(true, Ordering::Relaxed)
            && !files.has_sources(identity)
        {
            self.is_new_virtual.store(true, Ordering::Relaxed);
            return false;
        }
        let Some(decision) = known.filter(|decision| still_holds(questions, below, decision)) else {
            return false;
        };
        self.decide(&decision);
        decision.is_ok()
    }

    /// The name of the file that it lies in.
    pub(crate) fn file_name(&self, questions: Questions, below: &BelowObject) -> Option<String> {
        let ask = || below.file_name(questions, ObjectKind::Dataset);
        match (&self.opening, self.identity.get()) {
            (Some(opening), Some(identity)) => opening.name_for(*identity, ask),
            _ => ask(),
        }
    }

    /// The dataset, if it is known to be ours.
    pub(crate) fn known(&self) -> Option<Arc<Resolved>> {
        self.decision()?.ok()
    }

    /// Why it is not ours, if that was decided.
    pub(crate) fn known_refusal(&self) -> Option<Reason> {
        match self.decision()?.err()? {
            Reason::VirtualUnlimited => self.following().as_ref()?.refused.clone(),
            Reason::Compact if self.compact_reads.is_wanted() => None,
            reason => Some(reason),
        }
    }

    /// Number of elements, if the dataset is known to be ours.
    pub(crate) fn elements(&self) -> Option<u64> {
        Some(self.known()?.extent().count())
    }

    /// What all handles of the dataset share if it may be written and anybody has used it.
    pub(crate) fn shared(
        &self,
        questions: Questions,
        below: &BelowObject,
        files: &Files,
    ) -> Option<Arc<Shared>> {
        match self.decision() {
            Some(Ok(dataset)) => dataset.shared.clone(),
            _ if !files.has_entries_to_write() || self.refused().is_some() => None,
            _ => files.shared_dataset(self.identity(questions, below)?),
        }
    }

    /// The dataset, if it is ours.
    pub(crate) fn resolve(
        &self,
        questions: Questions,
        below: &BelowObject,
        files: &Files,
        configuration: Option<&Configuration>,
    ) -> Decision {
        match self.decision() {
            Some(Ok(dataset)) if dataset.is_outdated() && dataset.in_header().is_some() => {
                // It was written. If that goes on, its elements are not worth asking for.
                self.decide(&Err(Reason::Compact));
                return Err(Reason::Compact);
            }
            Some(Ok(dataset)) if dataset.is_outdated() => {}
            Some(Err(Reason::Compact)) if self.compact_reads.is_wanted() => {}
            Some(decision) => return decision,
            None => {}
        }
        let compact = if self.compact_reads.take_wanted() { Compact::IsRead } else { Compact::IsLeft };
        if let Some(reason) = self.refused() {
            return Err(reason.clone());
        }
        if self.shared_file().is_some() && !self.stored(questions, below).is_in_the_file() {
            return Err(Reason::MpiLayout);
        }
        let identity = self.identity(questions, below).ok_or(Reason::NotNative)?;
        // Whatever lies in another file is not kept there.
        let kept = self.opening.as_deref().filter(|opening| !opening.is_writable());
        let kept = kept.and_then(|opening| opening.see(identity).1);
        let kept = kept.filter(|decision| still_holds(questions, below, decision));
        let opening = self.opening.as_deref();
        let asked = || examine(questions, below, files, configuration, identity, opening, compact);
        let decision = kept.unwrap_or_else(asked);
        if let (Compact::IsRead, Err(Reason::Compact)) = (compact, &decision) {
            self.compact_reads.give_up();
        }
        self.decide(&decision);
        decision
    }

    /// The dataset has grown to this extent, which is all that has changed about it.
    pub(crate) fn grow(&self, extent: &[u64]) {
        if let Some(Ok(before)) = self.decision()
            && let Some(grown) = before.grown(extent)
            && let Some(shared) = &before.shared
        {
            let dataset = Arc::new(grown);
            shared.set_current(&dataset);
            let (shared, file) = (Some(Arc::clone(shared)), Arc::clone(&before.file));
            let grown = Arc::new(Resolved { dataset, shared, file });
            if let Some(opening) = &self.opening {
                opening.keep_recent(&grown);
            }
            self.decide(&Ok(grown));
        }
    }

    /// The handle is closed.
    pub(crate) fn forget(&self) {
        self.close_sources();
        *self.decision.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// HDF5 is told to read everything about the dataset anew: so do we.
    pub(crate) fn refresh(&self, questions: Questions, below: &BelowObject) {
        if self.refused().is_some() {
            return;
        }
        if let (Some(opening), Some(identity)) =
            (&self.opening, below.identity(questions, ObjectKind::Dataset))
        {
            opening.forget(identity);
        }
        self.was_space_told.store(false, Ordering::Relaxed);
        *self.following() = None;
        self.forget();
    }
}

/// Whether what was decided for another handle holds for this one: nobody should write the file, but if somebody does,
/// native HDF5 shows it to handles that are opened afterwards.
fn still_holds(questions: Questions, below: &BelowObject, decision: &Decision) -> bool {
    match decision {
        Err(_) => true,
        Ok(dataset) => dataset.is_as_found(questions, below),
    }
}
