//! Reads of virtual datasets that are left to native HDF5 because they are small.
//!
//! Writes are not: after a single one native HDF5 may have changed chunks of all sources, which then could not be written in place.

use h5_host::{Questions, SelectedBlock};
use h5_vol::calls::DatasetPart;
use h5_vol::{BelowObject, Id};
use selection::Selection;

use crate::Bypass;
use crate::coherency::dirty;
use crate::coherency::handle::DatasetHandle;
use crate::coherency::little_reads::Access;
use crate::coherency::resolved::Resolved;
use crate::coherency::sources::Sources;
use crate::inspect::virtual_layout::Mapping;
use crate::report::reason::Reason;

/// Bytes of a source from which finding out about it gains more than it costs.
pub(crate) const WORTH_OPENING: u64 = 32 * 1024;

/// Lines that native HDF5 reads or writes one by one in less time than it takes to find out about sources.
const FEW_LINES: u64 = 64;

impl Bypass {
    /// Judges by size alone whether sources of a virtual dataset that are not open are left to native HDF5: it has to open them as
    /// well, but asks nothing about them. See [`LittleReads`](crate::coherency::little_reads::LittleReads).
    pub(crate) fn leave_new_sources<M>(
        &self,
        questions: Questions,
        part: &DatasetPart<Self, M>,
        state: &DatasetHandle,
    ) -> Option<Reason> {
        let access = self.left_access()?;
        if !part.file_space.is_valid() {
            return None;
        }
        if access == Access::ReadOnly && state.take_new_virtual() {
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
        let mappings = dataset.mappings()?;
        let touched = || mappings.touched_between(block.low.as_slice(), block.high.as_slice());
        let is_left = may_leave(access, &dataset, block.low.as_slice(), block.high.as_slice())
            && are_left(state, &sources, bytes, touched, access);
        is_left.then_some(Reason::Small)
    }

    /// Whether the sources of a virtual dataset that a read touches, which selects these elements, are left to native HDF5.
    pub(crate) fn leaves_sources(
        &self,
        state: &DatasetHandle,
        (dataset, sources): (&Resolved, &Sources),
        selection: &Selection,
    ) -> bool {
        let (Some(access), Some(mappings)) = (self.left_access(), dataset.mappings()) else {
            return false;
        };
        let Some((low, high)) = selection.bounds() else { return false };
        if !may_leave(access, dataset, &low, &high) {
            return false;
        }
        let bytes = selection.len().saturating_mul(dataset.element());
        are_left(state, sources, bytes, || mappings.touched(selection), access)
    }

    /// Whether small reads of virtual datasets may be left to native HDF5, and whether any file can be written. Native HDF5 must find
    /// everything in the files.
    fn left_access(&self) -> Option<Access> {
        let small = self.configuration.as_ref().map_or(0, |configuration| configuration.small_read);
        match (small > 0, self.files.has_writers()) {
            (true, false) => Some(Access::ReadOnly),
            // Native HDF5 would have copies of chunks of the sources, which then could not be written in place.
            (true, true) if dirty::is_all_written() && !self.files.was_virtual_written() => {
                Some(Access::Writable)
            }
            _ => None,
        }
    }

    /// Given back if little is selected of a dataset of which nothing is known but that it is virtual, and native HDF5 may do it.
    pub(crate) fn is_little_of_unknown<M>(
        &self,
        questions: Questions,
        part: &DatasetPart<Self, M>,
        (below, state): (&BelowObject, &DatasetHandle),
    ) -> Option<()> {
        let may_leave = !state.is_decided()
            && state.was_noted_as_virtual() != Some(false)
            && part.file_space.is_valid()
            && part.file_space != Id::BLOCK;
        if !may_leave {
            return None;
        }
        self.left_access()?;
        let size = u64::try_from(questions.element_size(part.memory_type)?).ok()?;
        let bytes = questions.selected_elements(part.file_space)?.checked_mul(size)?;
        let is_little = bytes < WORTH_OPENING && has_few_lines(questions, part.file_space);
        let is_virtual = is_little && state.little_reads.may_be_virtual(|| may_be_virtual(questions, below));
        is_virtual.then(|| state.note_virtual(true))
    }
}

/// Whether a dataspace selects elements of a few lines. Native HDF5 reads and writes each line by itself if a file can be written.
fn has_few_lines(questions: Questions, space: Id) -> bool {
    let mut block = SelectedBlock::nowhere();
    if questions.block(space, &mut block).is_none() {
        return false;
    }
    are_few_lines(block.low.as_slice(), block.high.as_slice())
}

/// Whether the box between these corners has a few lines.
fn are_few_lines(low: &[u64], high: &[u64]) -> bool {
    let sides = low.iter().zip(high).map(|(low, high)| (high - low).saturating_add(1));
    sides.take(low.len().saturating_sub(1)).fold(1, u64::saturating_mul) <= FEW_LINES
}

/// Whether sources of a virtual dataset that a call between these corners touches may be left to native HDF5.
fn may_leave(access: Access, dataset: &Resolved, low: &[u64], high: &[u64]) -> bool {
    match access {
        Access::ReadOnly => !may_be_plain(dataset),
        Access::Writable => are_few_lines(low, high),
    }
}

/// Whether the sources of these mappings, of which so many bytes are selected, are left to native HDF5.
fn are_left<'m, I: Iterator<Item = &'m Mapping>>(
    state: &DatasetHandle,
    sources: &Sources,
    bytes: u64,
    touched: impl Fn() -> I,
    access: Access,
) -> bool {
    let (count, numbers) = (touched().count(), || touched().map(|mapping| mapping.source));
    if !is_little(bytes, count) || sources.are_open(numbers()) {
        return false;
    }
    // If it is never read again, native HDF5 would have opened it for nothing but our questions.
    let is_new = access == Access::Writable && sources.are_untouched(numbers());
    state.little_reads.is_left(count, access, is_new)
}

/// Whether sources of a virtual dataset may be opened without HDF5, which costs less than letting HDF5 open them.
fn may_be_plain(dataset: &Resolved) -> bool {
    dataset.mappings().is_some_and(|mappings| mappings.plain.may_be_plain())
}

/// Whether so many bytes of so many sources of a virtual dataset are too few to open these.
fn is_little(bytes: u64, sources: usize) -> bool {
    bytes / (sources as u64).max(1) < WORTH_OPENING
}

/// Whether a dataset may be virtual: it has storage, but neither a place in the file nor chunks, nor is it in its header. Asking
/// for its layout would copy all mappings. (Only of a virtual dataset HDF5 says that it is allocated although it has no storage.)
pub(crate) fn may_be_virtual(questions: Questions, below: &BelowObject) -> bool {
    if below.contiguous_bytes(questions).is_some() {
        return false;
    }
    let has_no_chunks = below.chunk_index_kind(questions).is_none();
    questions.host().forget_errors();
    has_no_chunks && in_header(questions, below).is_none() && below.is_allocated(questions) == Some(true)
}

/// Bytes of a dataset without a place in the file, if it has some all the same.
pub(crate) fn in_header(questions: Questions, below: &BelowObject) -> Option<u64> {
    below.storage_bytes(questions).filter(|bytes| *bytes > 0)
}
