//! What a read and a write have in common: the selections on both sides, and what the transfer property list asks for.

use h5_host::Questions;
use h5_vol::Id;
use h5_vol::calls::DatasetPart;
use selection::Extent;

use crate::Bypass;
use crate::dataset::DatasetState;
use crate::our_dataset::OurDataset;
use crate::reason::Reason;
use crate::spaces::Selected;

/// What moves between a dataset and the application's memory.
#[derive(Debug)]
pub(crate) struct Transfer {
    pub(crate) file: Selected,
    pub(crate) memory: Selected,
    /// Bytes of the application's buffer.
    pub(crate) memory_bytes: usize,
}

impl Transfer {
    /// What a part of a call moves, of elements that have this many bytes in memory.
    pub(crate) fn of<M>(
        questions: Questions,
        part: &DatasetPart<Bypass, M>,
        dataset: &OurDataset,
        memory_element: u64,
    ) -> Result<Self, Reason> {
        let file = match part.file_space {
            Id::DEFAULT => Selected::all(dataset.extent()),
            Id::IN_TRANSFER_LIST | Id::BLOCK => return Err(Reason::Selection),
            space => Selected::of(&questions.space(space).ok_or(Reason::Selection)?)?,
        };
        if file.selection.extent() != dataset.extent() {
            return Err(Reason::Selection);
        }
        let elements = file.selection.len();
        if elements == 0 {
            return Err(Reason::Nothing);
        }
        let memory = match part.memory_space {
            Id::DEFAULT => file.clone(),
            Id::BLOCK => {
                let extent = Extent::new(&[elements]).map_err(|_| Reason::Selection)?;
                Selected::all(&extent)
            }
            Id::IN_TRANSFER_LIST => return Err(Reason::Selection),
            space => Selected::of(&questions.space(space).ok_or(Reason::Selection)?)?,
        };
        if memory.selection.len() != elements {
            return Err(Reason::Selection);
        }
        let memory_bytes = memory.selection.extent().count().checked_mul(memory_element);
        // No slice is longer than this.
        let memory_bytes = memory_bytes
            .and_then(|bytes| isize::try_from(bytes).ok())
            .and_then(|bytes| usize::try_from(bytes).ok())
            .ok_or(Reason::TooLarge)?;
        Ok(Self { file, memory, memory_bytes })
    }
}

/// Fails if the parts of a call lie in different files, one of which may be written: native HDF5 refuses such calls.
pub(crate) fn in_one_file<M>(parts: &[DatasetPart<Bypass, M>]) -> Result<(), Reason> {
    let [first, others @ ..] = parts else { return Ok(()) };
    let file = |part: &DatasetPart<Bypass, M>| {
        part.dataset.data().dataset.as_ref().and_then(DatasetState::writable_file)
    };
    let same = others.is_empty() || {
        let first = file(first);
        others.iter().all(|part| file(part) == first)
    };
    if same { Ok(()) } else { Err(Reason::SeveralFiles) }
}

/// What a transfer property list asks for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wishes {
    /// Checksums are verified.
    pub(crate) verify: bool,
    /// A function of the application's is called when a filter fails.
    pub(crate) hears_of_failures: bool,
}

impl Wishes {
    /// What a list asks for, or why no dataset of a call with it is bypassed.
    pub(crate) fn of(questions: Questions, transfer: Id) -> Result<Self, Reason> {
        if questions.is_default_transfer(transfer) {
            return Ok(Self { verify: true, hears_of_failures: false });
        }
        if questions.has_data_transform(transfer) {
            return Err(Reason::DataTransform);
        }
        // Not even a question may come first then: native HDF5 converts fill values when it is asked about them, and
        // remembers in the context of the call that there was no function.
        if questions.has_conversion_callback(transfer) {
            return Err(Reason::ConversionCallback);
        }
        Ok(Self {
            verify: questions.verifies_checksums(transfer),
            hears_of_failures: questions.has_filter_callback(transfer),
        })
    }
}
