//! The selections on both sides of a transfer.

use h5_host::Questions;
use h5_vol::Id;
use h5_vol::calls::DatasetPart;
use selection::Extent;

use crate::Bypass;
use crate::inspect::dataset::OurDataset;
use crate::inspect::selection::Selected;
use crate::report::reason::Reason;

/// What moves between a dataset and the application's memory.
#[derive(Debug)]
pub(crate) struct Selections {
    pub(crate) file: Selected,
    pub(crate) memory: Selected,
    /// Bytes of the application's buffer.
    pub(crate) memory_bytes: usize,
}

impl Selections {
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
