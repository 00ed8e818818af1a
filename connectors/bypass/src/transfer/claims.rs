//! What a call claims of the datasets it touches, in files that are open for writing.

use global_lock::{Area, Claim, Use};
use h5_host::Questions;
use h5_vol::Id;

use crate::Bypass;
use crate::coherency::windows::LARGE;
use crate::inspect::dataset::OurDataset;
use crate::transfer::part::PartOfCall;

impl Bypass {
    /// Claims the parts of a call. Empty if none of the datasets can be written.
    pub(super) fn claim_parts<M>(
        &self,
        questions: Questions,
        parts: &[PartOfCall<'_, M>],
        what: Use,
    ) -> Vec<Claim> {
        let part_wanted = |part: &PartOfCall<'_, M>| {
            let (below, state) = part.handle().ok()?;
            if state.is_read_only(questions, below, &self.files) {
                return None;
            }
            let dataset = part.resolve(self, questions).ok()?;
            let area = area_of(questions, part.part.file_space, &dataset);
            if matches!(area, Area::Everything) {
                part.note_all_claimed();
            }
            Some((dataset.shared.as_ref()?.claims.clone(), area, what))
        };
        let wanted: Vec<_> = parts.iter().filter_map(part_wanted).collect();
        self.claim(questions.host(), wanted)
    }
}

/// The area of a dataset that a selection in it touches: in chunks, or in elements if it has none. What lies between the
/// selected ones in there may be written back with them.
fn area_of(questions: Questions, space: Id, dataset: &OurDataset) -> Area {
    let bounds = match space {
        Id::DEFAULT | Id::BLOCK | Id::IN_TRANSFER_LIST => None,
        space => questions.bounds(space, dataset.extent().dims().len()),
    };
    let Some((mut low, mut high)) = bounds else { return Area::Everything };
    // Whoever moves little goes through windows, in which there are bytes of other areas as well.
    let sides = low.iter().zip(high.iter()).map(|(low, high)| (high - low).saturating_add(1));
    if sides.fold(dataset.element(), u64::saturating_mul) < LARGE {
        return Area::Everything;
    }
    if let Some(chunks) = dataset.chunks() {
        for corner in [&mut low, &mut high] {
            for (place, size) in corner.iter_mut().zip(chunks.grid.chunk_dims().iter()) {
                *place /= size;
            }
        }
    }
    Area::between(&low, &high)
}
