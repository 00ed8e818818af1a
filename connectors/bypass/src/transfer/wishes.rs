//! What the transfer property list of a call asks for, and what is told there.

use std::sync::Arc;

use h5_host::{NoSelectionIo, Questions, SelectionIo};
use h5_vol::Id;
use h5_vol::calls::DatasetPart;

use crate::Bypass;
use crate::coherency::handle::DatasetHandle;
use crate::coherency::resolved::Resolved;
use crate::inspect::storage::Storage;
use crate::report::reason::Reason;
use crate::transfer::shared_read::{left_by_all, shared_file, tell_how_shared};

/// Fails if the parts of a call lie in different files, one of which may be written: native HDF5 refuses such calls.
pub(crate) fn in_one_file<M>(parts: &[DatasetPart<Bypass, M>]) -> Result<(), Reason> {
    let [first, others @ ..] = parts else { return Ok(()) };
    let file = |part: &DatasetPart<Bypass, M>| {
        part.dataset.data().dataset.as_ref().and_then(DatasetHandle::writable_file)
    };
    let same = others.is_empty() || {
        let first = file(first);
        others.iter().all(|part| file(part) == first)
    };
    if same { Ok(()) } else { Err(Reason::SeveralFiles) }
}

/// Bytes of a buffer for conversions from which it holds an element of nearly every datatype.
const USUAL_ROOM: usize = 64 * 1024;

/// What a transfer property list asks for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wishes {
    /// Checksums are verified.
    pub(crate) verify: bool,
    /// A function of the application's is called when a filter fails.
    pub(crate) hears_of_failures: bool,
    /// Bytes that may be used to convert elements.
    room: usize,
}

impl Wishes {
    /// What the list of a call with these parts asks for, or why none of them is bypassed.
    pub(crate) fn of<M>(
        questions: Questions,
        transfer: Id,
        parts: &[DatasetPart<Bypass, M>],
    ) -> Result<Self, Reason> {
        if questions.is_default_transfer(transfer) {
            return Ok(Self { verify: true, hears_of_failures: false, room: usize::MAX });
        }
        if questions.has_data_transform(transfer) {
            return Err(Reason::DataTransform);
        }
        if questions.has_conversion_callback(transfer) {
            return Err(Reason::ConversionCallback);
        }
        // Native HDF5 refuses it for a file that is not shared.
        if questions.is_collective(transfer)
            && (shared_file(parts).is_none() || left_by_all(questions, parts, transfer).is_some())
        {
            return Err(Reason::Collective);
        }
        let room = questions.conversion_buffer_bytes(transfer);
        // If it refuses one, it does nothing to the others either.
        if parts.len() > 1 && room < USUAL_ROOM {
            return Err(Reason::SmallBuffer);
        }
        Ok(Self {
            verify: questions.verifies_checksums(transfer),
            hears_of_failures: questions.has_filter_callback(transfer),
            room,
        })
    }

    /// Whether a list asks for nothing that a short run would have to heed.
    pub(crate) fn are_usual<M>(questions: Questions, transfer: Id, parts: &[DatasetPart<Bypass, M>]) -> bool {
        questions.is_default_transfer(transfer)
            || Self::of(questions, transfer, parts)
                .is_ok_and(|wishes| wishes.verify && !wishes.hears_of_failures && wishes.room >= USUAL_ROOM)
    }

    /// Fails if elements must be converted, of which not even one has room where native HDF5 may do that.
    pub(crate) fn have_room(self, is_converted: bool, file_element: u64, element: u64) -> Result<(), Reason> {
        let fits = |bytes: u64| usize::try_from(bytes).is_ok_and(|bytes| bytes <= self.room);
        if !is_converted || fits(file_element.max(element)) { Ok(()) } else { Err(Reason::SmallBuffer) }
    }
}

/// Tells in the transfer property list of a call how those datasets were read or written that are ours.
pub(crate) fn tell_how<M>(questions: Questions, transfer: Id, parts: &[DatasetPart<Bypass, M>]) {
    if questions.is_default_transfer(transfer) {
        return;
    }
    if shared_file(parts).is_some() {
        return tell_how_shared(questions, transfer, parts);
    }
    let Some(wanted) = questions.selection_io(transfer) else { return };
    let known = parts.iter().filter_map(|part| part.dataset.data().dataset.as_ref()?.known());
    let datasets: Vec<_> = known.collect();
    if !datasets.is_empty() {
        let is_external = |dataset: &Arc<Resolved>| matches!(dataset.storage(), Storage::External(_));
        let file_was_used = !datasets.iter().all(is_external);
        questions.note_ordinary_io(transfer, why_no_selection_io(&datasets, wanted), file_was_used);
    }
}

/// What native HDF5 says why it does not give selections to the driver of a file on a plain descriptor.
fn why_no_selection_io(datasets: &[Arc<Resolved>], wanted: SelectionIo) -> NoSelectionIo {
    // It does not look at others when it has found one that cannot be.
    let by_layout = datasets.iter().find_map(|dataset| match dataset.storage() {
        Storage::Missing | Storage::Contiguous(..) => None,
        Storage::External(_) | Storage::Virtual(_) => Some(NoSelectionIo::OTHER_LAYOUT),
        Storage::Chunked(chunks) if chunks.filtering.is_some() => Some(NoSelectionIo::FILTERS),
        Storage::Chunked(chunks) => {
            let bytes = chunks.grid.chunk_len().saturating_mul(dataset.element());
            (bytes <= chunks.write_back_bytes as u64).then_some(NoSelectionIo::CHUNK_CACHE)
        }
    });
    match (wanted, by_layout) {
        (SelectionIo::Off, Some(NoSelectionIo::OTHER_LAYOUT)) => {
            NoSelectionIo::SWITCHED_OFF.and(NoSelectionIo::OTHER_LAYOUT)
        }
        (SelectionIo::Off, _) => NoSelectionIo::SWITCHED_OFF,
        (_, Some(cause)) => cause,
        (SelectionIo::Default, None) => NoSelectionIo::DEFAULT,
        (SelectionIo::On, None) => NoSelectionIo::DRIVER,
    }
}
