//! Reads that are left to native HDF5 because they are small.

use h5_host::Questions;
use h5_host::questions::StorageLayout;
use h5_vol::calls::{DatasetPart, MemoryTarget};
use h5_vol::{BelowObject, Id};

use crate::Bypass;
use crate::coherency::handle::DatasetHandle;
use crate::coherency::little_reads::Access;
use crate::read::plain_first::is_plain;
use crate::report::reason::Reason;
use crate::transfer::little_calls::{WORTH_OPENING, in_header, may_be_virtual};

/// The first read of a dataset is small if it is below this many times the size of a small read.
pub(crate) const FIRST_READ: u64 = 16;

impl Bypass {
    /// Judges by size alone, before anything is found out about the dataset: the first read of a dataset, unless it
    /// is large, costs less in native HDF5 than the questions we would have to ask, and so do small ones that are
    /// not short runs. That is for files that cannot change, where it does not matter for the result who reads.
    pub(super) fn leave_to_native(
        &self,
        questions: Questions,
        part: &DatasetPart<Self, MemoryTarget<'_>>,
        is_alone: bool,
    ) -> Option<Reason> {
        let (below, state) = (part.dataset.below()?, part.dataset.data().dataset.as_ref()?);
        let small = self.configuration.as_ref().map_or(0, |configuration| configuration.small_read);
        if small == 0 || state.refused().is_some() {
            return None;
        }
        if state.writable_file().is_some() {
            return self.leave_unknown_virtual(questions, part, (below, state), is_alone);
        }
        if !state.is_read_only(questions, below, &self.files) {
            return None;
        }
        let is_space = |space: &Id| space.is_valid() && *space != Id::BLOCK && *space != Id::IN_TRANSFER_LIST;
        let bytes_of = |elements: Option<u64>| {
            let size = questions.element_size(part.memory_type).and_then(|size| u64::try_from(size).ok());
            Some(elements?.saturating_mul(size?))
        };
        let bytes = match [part.file_space, part.memory_space].into_iter().find(is_space) {
            Some(space) => bytes_of(questions.selected_elements(space)),
            None => match state.elements() {
                Some(elements) => bytes_of(Some(elements)),
                None => below.contiguous_bytes(questions).or_else(|| {
                    if below.chunk_index_kind(questions).is_some() {
                        return bytes_of(below.dataset_elements(questions));
                    }
                    questions.host().forget_errors();
                    in_header(questions, below)
                        .or_else(|| bytes_of(elements_without_storage(questions, below)))
                }),
            },
        }?;
        let is_small = bytes < small.saturating_mul(FIRST_READ);
        if !is_small && (state.is_decided() || !is_plain(questions, part, below, bytes)) {
            return None;
        }
        if state.is_first_read(questions, below, is_alone) {
            return Some(Reason::First);
        }
        if !is_small {
            return None;
        }
        if !state.is_decided()
            && bytes < WORTH_OPENING
            && state.little_reads.may_be_virtual(|| may_be_virtual(questions, below))
            && state.little_reads.is_left(1, Access::ReadOnly, false)
        {
            return Some(Reason::Small);
        }
        // The second one finds out about the dataset even if it is small: there may be many. A chunk that must be decoded
        // is kept, and serves those that follow as short runs. Native HDF5 looks at all mappings of a virtual dataset.
        let is_ours =
            || state.known().is_some_and(|dataset| dataset.is_filtered() || dataset.mappings().is_some());
        (bytes < small && state.is_decided() && !is_ours()).then_some(Reason::Small)
    }

    /// Judges in the same way a read of a virtual dataset in a file that is open for writing, of which nothing is known. Native HDF5
    /// then has copies of chunks of its sources, so there must be nothing to write before.
    fn leave_unknown_virtual(
        &self,
        questions: Questions,
        part: &DatasetPart<Self, MemoryTarget<'_>>,
        (below, state): (&BelowObject, &DatasetHandle),
        is_alone: bool,
    ) -> Option<Reason> {
        self.is_little_of_unknown(questions, part, (below, state))?;
        let is_first = state.is_first_read(questions, below, is_alone);
        if state.is_decided() {
            return None;
        }
        if is_first {
            return Some(Reason::First);
        }
        state.little_reads.is_left(1, Access::Writable, false).then_some(Reason::Small)
    }
}

/// How many elements a dataset has that has no storage. Those of a virtual one must not be asked for: HDF5 would change its extent
/// to what its sources are now.
fn elements_without_storage(questions: Questions, below: &BelowObject) -> Option<u64> {
    let creation = below.dataset_creation_list(questions)?;
    let is_virtual = questions.layout(creation.id()) == StorageLayout::Virtual;
    if is_virtual { None } else { below.dataset_elements(questions) }
}
