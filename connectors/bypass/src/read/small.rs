//! Reads that are left to native HDF5 because they are small.

use h5_host::questions::StorageLayout;
use h5_host::{Questions, SelectedBlock};
use h5_vol::calls::{DatasetPart, MemoryTarget};
use h5_vol::{BelowObject, Id};

use crate::Bypass;
use crate::coherency::dirty;
use crate::coherency::handle::DatasetHandle;
use crate::report::reason::Reason;

/// Bytes of a source from which finding out about it gains more than it costs.
const WORTH_OPENING: u64 = 32 * 1024;

/// The first read of a dataset is small if it is below this many times the size of a small read.
pub(crate) const FIRST_READ: u64 = 16;

impl Bypass {
    /// Judges by size alone whether sources of a virtual dataset that are not open are left to native HDF5: it has to open them as
    /// well, but asks nothing about them. See [`LittleReads`](crate::coherency::little_reads::LittleReads).
    pub(super) fn leave_new_sources(
        &self,
        questions: Questions,
        part: &DatasetPart<Self, MemoryTarget<'_>>,
        state: &DatasetHandle,
    ) -> Option<Reason> {
        let small = self.configuration.as_ref().map_or(0, |configuration| configuration.small_read);
        if small == 0 || self.files.has_writers() || !part.file_space.is_valid() {
            return None;
        }
        if state.take_new_virtual() {
            let size = u64::try_from(questions.element_size(part.memory_type)?).ok()?;
            let bytes = questions.selected_elements(part.file_space)?.saturating_mul(size);
            return (bytes < WORTH_OPENING).then_some(Reason::First);
        }
        let (dataset, sources) = (state.known()?, state.known_sources()?);
        let mut block = SelectedBlock::nowhere();
        questions.block(part.file_space, &mut block)?;
        if block.dims.as_slice() != &**dataset.extent().dims() {
            return None;
        }
        let bytes = block.count.saturating_mul(dataset.element());
        let touched =
            || dataset.mappings().map(|all| all.touched_between(block.low.as_slice(), block.high.as_slice()));
        let count = touched()?.count();
        let is_left = is_little(bytes, count)
            && !sources.are_open(touched()?.map(|mapping| mapping.source))
            && state.little_reads.is_left(count);
        is_left.then_some(Reason::Small)
    }

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
            return leave_first_virtual(questions, part, (below, state), is_alone);
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
        if bytes >= small.saturating_mul(FIRST_READ) {
            return None;
        }
        if state.is_first_read(questions, below, is_alone) {
            return Some(Reason::First);
        }
        if !state.is_decided()
            && bytes < WORTH_OPENING
            && state.little_reads.may_be_virtual(|| may_be_virtual(questions, below))
            && state.little_reads.is_left(1)
        {
            return Some(Reason::Small);
        }
        // The second one finds out about the dataset even if it is small: there may be many. A chunk that must be decoded
        // is kept, and serves those that follow as short runs. Native HDF5 looks at all mappings of a virtual dataset.
        let is_ours =
            || state.known().is_some_and(|dataset| dataset.is_filtered() || dataset.mappings().is_some());
        (bytes < small && state.is_decided() && !is_ours()).then_some(Reason::Small)
    }
}

/// Judges in the same way the first read of a virtual dataset in a file that is open for writing. Native HDF5 then has copies of chunks
/// of its sources, so there must be nothing to write before. Asking for the layout would copy all mappings. But only of a virtual
/// dataset HDF5 says that it is allocated although it has no storage.
fn leave_first_virtual(
    questions: Questions,
    part: &DatasetPart<Bypass, MemoryTarget<'_>>,
    (below, state): (&BelowObject, &DatasetHandle),
    is_alone: bool,
) -> Option<Reason> {
    if state.is_decided()
        || !part.file_space.is_valid()
        || part.file_space == Id::BLOCK
        || !dirty::is_all_written()
    {
        return None;
    }
    let size = u64::try_from(questions.element_size(part.memory_type)?).ok()?;
    let bytes = questions.selected_elements(part.file_space)?.checked_mul(size)?;
    if bytes >= WORTH_OPENING
        || !may_be_virtual(questions, below)
        || !state.is_first_read(questions, below, is_alone)
    {
        return None;
    }
    state.note_virtual();
    Some(Reason::First)
}

/// Whether so many bytes of so many sources of a virtual dataset are too few to open these.
pub(super) fn is_little(bytes: u64, sources: usize) -> bool {
    bytes / (sources as u64).max(1) < WORTH_OPENING
}

/// Whether a dataset may be virtual: it has storage, but neither a place in the file nor chunks, nor is it in its header. Asking
/// for its layout would copy all mappings.
fn may_be_virtual(questions: Questions, below: &BelowObject) -> bool {
    if below.contiguous_bytes(questions).is_some() {
        return false;
    }
    let has_no_chunks = below.chunk_index_kind(questions).is_none();
    questions.host().forget_errors();
    has_no_chunks && in_header(questions, below).is_none() && below.is_allocated(questions) == Some(true)
}

/// Bytes of a dataset without a place in the file, if it has some all the same.
fn in_header(questions: Questions, below: &BelowObject) -> Option<u64> {
    below.storage_bytes(questions).filter(|bytes| *bytes > 0)
}

/// How many elements a dataset has that has no storage. Those of a virtual one must not be asked for: HDF5 would change its extent
/// to what its sources are now.
fn elements_without_storage(questions: Questions, below: &BelowObject) -> Option<u64> {
    let creation = below.dataset_creation_list(questions)?;
    let is_virtual = questions.layout(creation.id()) == StorageLayout::Virtual;
    if is_virtual { None } else { below.dataset_elements(questions) }
}
