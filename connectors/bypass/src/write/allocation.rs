//! Storage of contiguous datasets, which native HDF5 takes when they are created or first written.
//!
//! It may be space that was given free before, with old data in it. HDF5 does not clear it unless the dataset has a fill value
//! of its own. Natively elements that were never written still read as zeros most of the time, because what was given free
//! was only in native HDF5's caches and never reached the file. Our data is in the file at once, and would be seen.

use engine::Source;
use h5_host::Questions;
use h5_host::questions::{FillTime, FillValue};
use h5_vol::calls::{DatasetCreate, MemorySource};
use h5_vol::{BelowObject, Id, NewObject, ObjectKind, Result};
use store::{Store, StoreError};

use crate::Bypass;
use crate::coherency::entry::FileEntry;
use crate::coherency::resolved::Resolved;
use crate::inspect::storage::Storage;
use crate::report::fault;
use crate::transfer::part::PartOfCall;
use crate::transfer::selections::Selections;
use crate::write::variable::encoding;

/// Bytes from which a first write that must be converted is worth the detour.
pub(crate) const WORTHWHILE: u64 = 1 << 20;

/// Elements with variable-length parts from which a first write is worth the detour.
const MANY_VALUES: u64 = 4096;

/// What HDF5 says instead of an offset.
pub(crate) const NO_STORAGE: u64 = u64::MAX;

/// Bytes of zeros that are written at a time.
const ZEROS: usize = 1 << 20;

impl Bypass {
    /// Creates a dataset. If native HDF5 takes storage for it at once, that is cleared. Also tells where a contiguous dataset lies,
    /// or that it has no storage yet, if that was asked.
    pub(crate) fn create_with_clear_storage(
        &self,
        call: DatasetCreate<'_, Self>,
    ) -> Result<(NewObject<Self>, Option<u64>)> {
        let host = call.object.host();
        let is_concerned = self.files.has_writers();
        let opening = call.object.data().opening.clone();
        let new = call.forward()?;
        let below = new.below().filter(|below| is_concerned && below.connector().is_native());
        let offset = below.and_then(|below| host.ask_below(|questions| below.contiguous_offset(questions)));
        // Nearly all datasets have no storage yet.
        if let (Some(below), Some(offset)) = (below, offset.filter(|offset| *offset != NO_STORAGE)) {
            let cleared = host.ask(|questions| {
                let number = below.identity(questions, ObjectKind::Dataset)?.file;
                let entry = self
                    .files
                    .entry(questions, below, number, || Some(opening.as_ref()?.is_writable()))
                    .ok()?;
                if entry.raw().facts().ok()?.is_undefined(offset) || !entry.raw().is_writable() {
                    return None;
                }
                let Ok(Source::File(store)) = entry.raw().source() else { return None };
                if new_storage(questions, below)? != NewStorage::MustBeCleared {
                    return None;
                }
                let size =
                    u64::try_from(questions.element_size(below.dataset_type(questions)?.id())?).ok()?;
                let length = below.dataset_elements(questions)?.checked_mul(size)?;
                Some(self.clear(questions, &entry, below, store, length, store.size()?))
            });
            if let Some(Err(error)) = cleared {
                return Err(fault::cannot_write(below, &error));
            }
        }
        Ok((new, offset))
    }

    /// If a part of a write is the first one to a contiguous dataset: lets native HDF5 take storage for it, where that must be
    /// cleared because not all of it is written, or where the part is a large one that we convert. `None` if there is nothing
    /// to do, or if native HDF5 fails, as it will again when it writes everything.
    pub(crate) fn allocate(
        &self,
        questions: Questions,
        of_call: &PartOfCall<'_, MemorySource<'_>>,
    ) -> Option<Result<()>> {
        let ((below, _), part) = (of_call.handle().ok()?, of_call.part);
        let dataset = of_call.resolve(self, questions).ok()?;
        dataset.shared.as_ref()?;
        if !matches!(dataset.storage(), Storage::Missing) || part.memory.as_ptr().is_null() {
            return None;
        }
        let own_type = below.dataset_type(questions)?;
        if let Some(variable) = dataset.elements().variable() {
            // Native HDF5 fills all of it.
            let encoding = encoding(questions, below, variable, part.memory_type).ok()?;
            let Selections { file, .. } =
                Selections::of(questions, part, &dataset, encoding.memory() as u64).ok()?;
            if file.selection.len() >= MANY_VALUES {
                take_clear_storage(questions, &dataset, below, own_type.id())?;
            }
            return None;
        }
        let element = match dataset.elements().conversion_from(questions, part.memory_type) {
            Ok(None) => dataset.element(),
            Ok(Some(with)) => with.element,
            Err(_) => {
                // Native HDF5 converts it, or fails before it takes storage.
                questions.conversion_way(part.memory_type, own_type.id())?;
                u64::try_from(questions.element_size(part.memory_type)?).ok()?
            }
        };
        let Selections { file, .. } = Selections::of(questions, part, &dataset, element).ok()?;
        self.allocate_for(questions, (&dataset, below), part.memory_type, file.selection.len(), false)
    }

    /// Lets native HDF5 take storage for a contiguous dataset that so many elements of this type are written to. If nobody else
    /// would do it, it is done however little is gained.
    pub(super) fn allocate_for(
        &self,
        questions: Questions,
        (dataset, below): (&Resolved, &BelowObject),
        memory_type: Id,
        selected: u64,
        is_needed: bool,
    ) -> Option<Result<()>> {
        let (is_converted, writes_all) = match dataset.elements().conversion_from(questions, memory_type) {
            Ok(None) => (false, true),
            Ok(Some(with)) => (true, with.conversion.writes_all()),
            Err(_) => (false, false),
        };
        let elements = dataset.extent().count();
        let has_gaps = !writes_all || selected < elements;
        // What need not be converted native HDF5 writes as fast itself: a file system lets one thread write at a time.
        let is_worthwhile =
            is_needed || (is_converted && selected.checked_mul(dataset.element())? >= WORTHWHILE);
        if !(has_gaps || is_worthwhile) {
            return None;
        }
        let new_storage = new_storage(questions, below)?;
        let is_filled = new_storage == NewStorage::IsFilled;
        let must_be_cleared = match new_storage {
            // It is better to let native HDF5 write everything at once.
            NewStorage::IsFilled if !is_needed => return None,
            NewStorage::MayBeAnything if !is_worthwhile => return None,
            NewStorage::IsFilled | NewStorage::MayBeAnything => false,
            NewStorage::MustBeCleared => has_gaps,
        };
        let Ok(Source::File(store)) = dataset.file().source() else { return None };
        let end = store.size()?;
        let own_type = below.dataset_type(questions)?;
        if is_filled {
            let filler = dataset.fillings().filler(questions, below).ok()?;
            take_storage(questions, dataset, below, own_type.id(), &filler)?;
        } else {
            take_clear_storage(questions, dataset, below, own_type.id())?;
        }
        if !must_be_cleared {
            return Some(Ok(()));
        }
        let cleared =
            self.clear(questions, &dataset.file, below, store, elements.checked_mul(dataset.element())?, end);
        Some(cleared.map_err(|error| fault::cannot_write(below, &error)))
    }

    /// Clears what of a contiguous dataset of so many bytes lies before what was the end of its file: space behind that was
    /// never written.
    fn clear(
        &self,
        questions: Questions,
        file: &FileEntry,
        below: &BelowObject,
        store: &Store,
        length: u64,
        end: u64,
    ) -> Result<(), StoreError> {
        let Some(offset) = below.contiguous_offset(questions) else { return Ok(()) };
        let end = end.min(offset.saturating_add(length));
        if offset < end {
            self.files.look_for_end(questions, file, below);
            write_zeros(store, offset, end)?;
        }
        Ok(())
    }
}

/// Lets native HDF5 take storage that has zeros, by writing one of them.
fn take_clear_storage(
    questions: Questions,
    dataset: &Resolved,
    below: &BelowObject,
    own_type: Id,
) -> Option<()> {
    // In memory an element with variable-length parts is not larger than in the file.
    let zero = vec![0; usize::try_from(dataset.element()).ok()?];
    take_storage(questions, dataset, below, own_type, &zero)
}

/// Lets native HDF5 take storage, by writing the first element.
fn take_storage(
    questions: Questions,
    dataset: &Resolved,
    below: &BelowObject,
    own_type: Id,
    element: &[u8],
) -> Option<()> {
    let first = vec![0; dataset.extent().dims().len()];
    below.write_element(questions, &first, own_type, element)?;
    dataset.shared.as_ref()?.outdate();
    Some(())
}

/// Writes zeros from one offset to another.
fn write_zeros(store: &Store, mut from: u64, to: u64) -> Result<(), StoreError> {
    let length = |from: u64| usize::try_from(to.saturating_sub(from)).unwrap_or(ZEROS).min(ZEROS);
    let zeros = vec![0; length(from)];
    while from < to {
        let part = &zeros[..length(from)];
        store.write(from, part)?;
        from += part.len() as u64;
    }
    Ok(())
}

/// What is in storage that native HDF5 has just taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NewStorage {
    /// The fill value.
    IsFilled,
    /// Anything, though what is not written is expected to read as zeros.
    MustBeCleared,
    /// Anything: the application wants nothing to be filled.
    MayBeAnything,
}

fn new_storage(questions: Questions, below: &BelowObject) -> Option<NewStorage> {
    let creation = below.dataset_creation_list(questions)?;
    Some(match questions.fill_rules(creation.id())? {
        (FillTime::Never, _) => NewStorage::MayBeAnything,
        (FillTime::IfSet, FillValue::Default | FillValue::Undefined) => NewStorage::MustBeCleared,
        (FillTime::IfSet, FillValue::Set) | (FillTime::OnAllocation, _) => NewStorage::IsFilled,
    })
}
