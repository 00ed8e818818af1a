//! Reads of files that processes share through MPI.
//!
//! A collective read in native HDF5 waits for all processes. So either all of them leave a call to it, or none does. That is
//! decided from what all of them find: how the datasets are stored, whether the call is collective, and the
//! [file](SharedFile). Everything else that keeps us from reading concerns one process alone. Then native HDF5 reads
//! independently there, and the others do not notice. Nothing here calls MPI.

use core::ffi::c_int;
use core::ops::Range;

use h5_host::context::apart;
use h5_host::{ActualSelectionIo, ChunkWish, NoSelectionIo, Questions, SelectionIo, SharedIo};
use h5_vol::calls::{DatasetPart, DatasetRead};
use h5_vol::{Error, Host, Id, Result};

use crate::Bypass;
use crate::inspect::shared_file::SharedFile;
use crate::inspect::stored::Stored;
use crate::report::reason::Reason;

/// The file of a call, if processes share it to read it. All datasets of a call lie in one file, or native HDF5 refuses it.
pub(crate) fn shared_file<M>(parts: &[DatasetPart<Bypass, M>]) -> Option<&SharedFile> {
    parts.first()?.dataset.data().dataset.as_ref()?.shared_file()
}

/// Why the file of a call is native HDF5's, if processes share it and that was known when it was opened. Nothing is asked.
pub(crate) fn refused_for_mpi<M>(parts: &[DatasetPart<Bypass, M>]) -> Option<&Reason> {
    let refused = parts.first()?.dataset.data().dataset.as_ref()?.refused()?;
    Some(refused).filter(|reason| reason.is_about_mpi())
}

/// Why all processes leave a call to native HDF5 as it is, if they do.
pub(crate) fn left_by_all<M>(
    questions: Questions,
    parts: &[DatasetPart<Bypass, M>],
    transfer: Id,
) -> Option<Reason> {
    let file = shared_file(parts)?;
    let is_collective = !questions.is_default_transfer(transfer) && questions.is_collective(transfer);
    parts.iter().find_map(|part| match stored(questions, part) {
        None => Some(Reason::SeveralFiles),
        Some(stored) if !stored.is_in_the_file() => Some(Reason::MpiLayout),
        Some(stored) if is_collective && file.aggregates() && !stored.is_filtered() => {
            Some(Reason::MpiAggregated)
        }
        Some(_) => None,
    })
}

/// How the dataset of a part is stored; `None` if its file is not shared.
fn stored<M>(questions: Questions, part: &DatasetPart<Bypass, M>) -> Option<Stored> {
    let (below, state) = (part.dataset.below()?, part.dataset.data().dataset.as_ref()?);
    state.shared_file()?;
    Some(state.stored(questions, below))
}

/// Lets native HDF5 read parts of a call in this process alone, if it would wait for the others otherwise. `None` if it would
/// not, or if they are there as well.
pub(crate) fn read_independently(
    host: Host,
    call: &DatasetRead<'_, Bypass>,
    parts: Range<usize>,
) -> Option<Result<c_int>> {
    shared_file(&call.parts)?;
    let list = host.ask(|questions| {
        let is_default = questions.is_default_transfer(call.transfer);
        if is_default
            || !questions.is_collective(call.transfer)
            || left_by_all(questions, &call.parts, call.transfer).is_some()
        {
            return None;
        }
        Some(questions.independent_list(call.transfer))
    })?;
    let Some(list) = list else {
        return Some(Err(Error::failed("HDF5 cannot copy a transfer property list".to_owned())));
    };
    // HDF5 would keep what the copy says for the rest of the application's call.
    let outcome = apart(host, || call.forward_parts(parts, list.id()));
    if outcome.is_ok() {
        host.ask(|questions| tell_how_shared(questions, call.transfer, &call.parts));
    }
    Some(outcome)
}

/// Tells in the transfer property list of a call what native HDF5 would have told about a shared file: how it was read
/// collectively, or why not. It takes the other processes into account; we take it that they do the same as this one.
pub(crate) fn tell_how_shared<M>(questions: Questions, transfer: Id, parts: &[DatasetPart<Bypass, M>]) {
    if shared_file(parts).is_none() || questions.is_default_transfer(transfer) {
        return;
    }
    let found: Vec<_> = parts
        .iter()
        .map(|part| {
            let stored = match stored(questions, part).unwrap_or(Stored::Untold) {
                // It sees that nothing is stored only if something is wanted.
                Stored::Missing if selects_nothing(questions, part) => Stored::Contiguous,
                stored => stored,
            };
            (stored, is_converted(questions, part))
        })
        .collect();
    let wants = Wanted {
        is_collective: questions.is_collective(transfer),
        has_selection_io: questions.selection_io(transfer) != Some(SelectionIo::Off),
        is_transformed: questions.has_data_transform(transfer),
        chunks: questions.chunk_wish(transfer),
    };
    // Nothing is read, and nothing is told but that it was not read collectively.
    if found.iter().all(|(stored, _)| *stored == Stored::Missing) {
        return questions.note_no_shared_io(transfer);
    }
    let io = shared_io(&found, wants);
    questions.note_shared_io(transfer, io);
    if let Some(wanted) = questions.selection_io(transfer) {
        let (cause, how) = selection_io(&found, wanted, io.causes == 0);
        // A process that selects nothing of filtered data does nothing.
        let is_idle = parts.iter().all(|part| selects_nothing(questions, part));
        let how = if is_idle && how == ActualSelectionIo::Vector { ActualSelectionIo::None } else { how };
        questions.note_selection_io(transfer, cause, how);
    }
}

/// Why native HDF5 does not give selections to MPI, and what it does: see `H5D__chunk_may_use_select_io` and its kin.
fn selection_io(
    datasets: &[(Stored, bool)],
    wanted: SelectionIo,
    is_collective: bool,
) -> (NoSelectionIo, ActualSelectionIo) {
    let by_layout = |stored: &Stored| match stored {
        Stored::Chunked { is_filtered: true, .. } => Some(NoSelectionIo::FILTERS),
        Stored::Chunked { is_cached: true, .. } => Some(NoSelectionIo::CHUNK_CACHE),
        Stored::Contiguous | Stored::Missing | Stored::Chunked { .. } => None,
        Stored::Compact | Stored::Elsewhere | Stored::Untold => Some(NoSelectionIo::OTHER_LAYOUT),
    };
    let mut causes = (wanted == SelectionIo::Off).then_some(NoSelectionIo::SWITCHED_OFF);
    for cause in datasets.iter().filter_map(|(stored, _)| by_layout(stored)) {
        // It does not look at others when it has found one that cannot be, except at compact ones.
        causes = match causes {
            None => Some(cause),
            Some(causes) if cause == NoSelectionIo::OTHER_LAYOUT => Some(causes.and(cause)),
            causes => causes,
        };
    }
    let is_compact = |(stored, _): &(Stored, bool)| *stored == Stored::Compact;
    match causes {
        Some(causes) if datasets.iter().all(is_compact) => (causes, ActualSelectionIo::None),
        // All of its chunks in one call.
        Some(causes) if is_collective && datasets.iter().any(|(stored, _)| stored.is_filtered()) => {
            (causes, ActualSelectionIo::Vector)
        }
        Some(causes) => (causes, ActualSelectionIo::Ordinary),
        None if is_collective => (NoSelectionIo::default(), ActualSelectionIo::Selection),
        // MPI's driver reads each piece of a selection by itself then.
        None => (NoSelectionIo::DRIVER, ActualSelectionIo::OrdinaryOfSelection),
    }
}

fn selects_nothing<M>(questions: Questions, part: &DatasetPart<Bypass, M>) -> bool {
    part.file_space.is_valid() && questions.selected_elements(part.file_space) == Some(0)
}

/// Whether elements have another datatype in memory than in the file.
fn is_converted<M>(questions: Questions, part: &DatasetPart<Bypass, M>) -> bool {
    let datatype = part.dataset.below().and_then(|below| below.dataset_type(questions));
    datatype.is_none_or(|datatype| !questions.same_type(datatype.id(), part.memory_type))
}

/// What a transfer property list asks for.
#[derive(Debug, Clone, Copy)]
struct Wanted {
    is_collective: bool,
    has_selection_io: bool,
    is_transformed: bool,
    chunks: ChunkWish,
}

/// What native HDF5 tells about a read of datasets that are stored like this, and converted or not. It is the order of
/// `H5D__mpio_opt_possible` and `H5D__piece_io`.
fn shared_io(datasets: &[(Stored, bool)], wanted: Wanted) -> SharedIo {
    // Selection I/O is for all datasets of a call or for none.
    let is_selected = |stored: &Stored| match stored {
        Stored::Contiguous | Stored::Missing => true,
        Stored::Chunked { is_filtered, is_cached } => !is_filtered && !is_cached,
        Stored::Compact | Stored::Elsewhere | Stored::Untold => false,
    };
    let by_selection = wanted.has_selection_io && datasets.iter().all(|(stored, _)| is_selected(stored));
    let mut causes = if wanted.is_collective { 0 } else { SharedIo::INDEPENDENT };
    for (stored, is_converted) in datasets.iter().filter(|(stored, _)| *stored != Stored::Missing) {
        if !by_selection && *is_converted {
            causes |= SharedIo::CONVERSION;
        }
        if !by_selection && wanted.is_transformed {
            causes |= SharedIo::TRANSFORM;
        }
        if !matches!(stored, Stored::Contiguous | Stored::Chunked { .. }) {
            causes |= SharedIo::OTHER_LAYOUT;
        }
        if !by_selection && causes != 0 && causes & !(SharedIo::CONVERSION | SharedIo::TRANSFORM) == 0 {
            causes |= SharedIo::NO_SELECTION_IO;
        }
    }
    if causes != 0 {
        return SharedIo { causes, ..SharedIo::default() };
    }
    let mode_of = |(stored, _): &(Stored, bool)| match stored {
        Stored::Missing => 0,
        Stored::Contiguous => SharedIo::CONTIGUOUS,
        _ => SharedIo::CHUNKS,
    };
    let mode = datasets.iter().map(mode_of).fold(0, |all, mode| all | mode);
    let is_linked = wanted.chunks != ChunkWish::OneByOne;
    let chunk_mode = match (datasets, by_selection) {
        (_, true) => SharedIo::LINKED,
        ([(Stored::Contiguous, _)], false) => 0,
        _ if is_linked => SharedIo::LINKED,
        _ => SharedIo::ONE_BY_ONE,
    };
    SharedIo { mode, chunk_mode, causes }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLLECTIVE: Wanted = Wanted {
        is_collective: true,
        has_selection_io: true,
        is_transformed: false,
        chunks: ChunkWish::LinkedFrom(0),
    };
    const FILTERED: Stored = Stored::Chunked { is_filtered: true, is_cached: true };
    const CACHED: Stored = Stored::Chunked { is_filtered: false, is_cached: true };

    fn told(datasets: &[(Stored, bool)], wanted: Wanted) -> (u32, u32, u32) {
        let io = shared_io(datasets, wanted);
        (io.mode, io.chunk_mode, io.causes)
    }

    #[test]
    fn collective_reads_are_told_by_layout() {
        assert_eq!(told(&[(Stored::Contiguous, false)], COLLECTIVE), (4, 1, 0));
        assert_eq!(told(&[(CACHED, false)], COLLECTIVE), (2, 1, 0));
        assert_eq!(told(&[(FILTERED, false)], COLLECTIVE), (2, 1, 0));
        assert_eq!(told(&[(Stored::Compact, false)], COLLECTIVE), (0, 0, 0x20));
        let one_by_one = Wanted { chunks: ChunkWish::OneByOne, ..COLLECTIVE };
        assert_eq!(told(&[(FILTERED, false)], one_by_one), (2, 2, 0));
    }

    #[test]
    fn conversions_break_what_is_not_selection_io() {
        assert_eq!(told(&[(Stored::Contiguous, true)], COLLECTIVE), (4, 1, 0));
        assert_eq!(told(&[(FILTERED, true)], COLLECTIVE), (0, 0, 0x102));
        let off = Wanted { has_selection_io: false, ..COLLECTIVE };
        assert_eq!(told(&[(Stored::Contiguous, true)], off), (0, 0, 0x102));
        assert_eq!(told(&[(Stored::Contiguous, false)], off), (4, 0, 0));
    }

    #[test]
    fn independent_reads_say_so_and_more() {
        let independent = Wanted { is_collective: false, ..COLLECTIVE };
        assert_eq!(told(&[(Stored::Contiguous, true)], independent), (0, 0, 1));
        assert_eq!(told(&[(FILTERED, true)], independent), (0, 0, 3));
        assert_eq!(told(&[(Stored::Compact, false)], independent), (0, 0, 0x21));
    }
}
