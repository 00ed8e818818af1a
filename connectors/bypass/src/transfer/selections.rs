//! The selections on both sides of a transfer.

use std::collections::HashMap;

use h5_host::Questions;
use h5_vol::Id;
use h5_vol::calls::DatasetPart;
use selection::{Extent, Selection};

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
        let file = Self::of_file(questions, part, dataset)?;
        let elements = file.selection.len();
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

    /// What of a dataset a part of a call moves.
    pub(crate) fn of_file<M>(
        questions: Questions,
        part: &DatasetPart<Bypass, M>,
        dataset: &OurDataset,
    ) -> Result<Selected, Reason> {
        let file = match part.file_space {
            Id::DEFAULT => Selected::all(dataset.extent()),
            Id::IN_TRANSFER_LIST | Id::BLOCK => return Err(Reason::Selection),
            space => Selected::of(&questions.space(space).ok_or(Reason::Selection)?)?,
        };
        if file.selection.extent() != dataset.extent() {
            return Err(Reason::Selection);
        }
        if file.selection.is_empty() {
            return Err(Reason::Nothing);
        }
        Ok(file)
    }

    /// The same without elements of the dataset that the transfer names again later: as natively, the last one is written.
    pub(crate) fn last_of_each(self) -> Result<Self, Reason> {
        if !self.file.repeats() {
            return Ok(self);
        }
        let (in_file, in_memory) = (places(&self.file.selection), places(&self.memory.selection));
        let last: HashMap<_, _> = in_file.iter().enumerate().map(|(rank, place)| (*place, rank)).collect();
        let kept =
            || in_file.iter().zip(&in_memory).enumerate().filter(|(rank, (file, _))| last[file] == *rank);
        let file = at(self.file.selection.extent(), kept().map(|(_, (file, _))| *file))?;
        let memory = at(self.memory.selection.extent(), kept().map(|(_, (_, memory))| *memory))?;
        Ok(Self { file, memory, ..self })
    }
}

/// The place of each element of a selection among all elements of the extent, in the order of the selection.
fn places(selection: &Selection) -> Vec<u64> {
    let (mut cursor, mut places) = (selection.cursor(0), Vec::new());
    while let Some((first, count)) = cursor.next_run(u64::MAX) {
        places.extend(first..first + count);
    }
    places
}

/// The elements at these places of an extent.
fn at(extent: &Extent, places: impl Iterator<Item = u64>) -> Result<Selected, Reason> {
    let (strides, mut coordinates) = (extent.strides(), Vec::new());
    for mut place in places {
        for stride in strides.iter() {
            coordinates.push(place / stride);
            place %= stride;
        }
    }
    let selection = Selection::points(extent, &coordinates).map_err(|_| Reason::Selection)?;
    Ok(Selected { selection, in_order: false, is_shifted: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(dims: &[u64], coordinates: &[u64]) -> Selected {
        let extent = Extent::new(dims).unwrap();
        let selection = Selection::points(&extent, coordinates).unwrap();
        Selected { selection, in_order: false, is_shifted: false }
    }

    #[test]
    fn of_places_named_again_the_last_element_stays() {
        let file = points(&[3, 4, 2], &[2, 1, 0, 0, 3, 1, 2, 1, 0, 1, 0, 0, 0, 3, 1]);
        let memory = points(&[2, 5], &[0, 1, 1, 4, 1, 2, 0, 0, 0, 3]);
        let kept = Selections { file, memory, memory_bytes: 40 }.last_of_each().unwrap();
        assert_eq!(places(&kept.file.selection), [18, 8, 7]);
        assert_eq!(places(&kept.memory.selection), [7, 0, 3]);
        assert!(!kept.file.repeats() && kept.memory_bytes == 40);
    }
}
