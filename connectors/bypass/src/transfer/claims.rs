//! What a call claims of the datasets it touches, in files that are open for writing.

use std::sync::Arc;

use engine::Costs;
use global_lock::{Area, Claim, Claims, Use};
use h5_host::Questions;
use h5_vol::Id;

use crate::Bypass;
use crate::coherency::resolved::Resolved;
use crate::coherency::source_search::Asking;
use crate::coherency::windows::LARGE;
use crate::inspect::dataset::OurDataset;
use crate::report::reason::Reason;
use crate::transfer::part::PartOfCall;
use crate::transfer::selections::Selections;
use crate::transfer::touched_sources::{Touched, Virtual};

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
            if dataset.mappings().is_some() {
                return Some(self.sources_wanted(questions, part, &dataset, what));
            }
            let area = area_of(questions, part.part.file_space, &dataset, what);
            if matches!(area, Area::Everything) {
                part.note_all_claimed();
            }
            Some(vec![(dataset.shared.as_ref()?.claims.clone(), area, what)])
        };
        let wanted: Vec<_> = parts.iter().filter_map(part_wanted).flatten().collect();
        self.claim(questions.host(), wanted)
    }

    /// What a call on a virtual dataset claims: all of the sources that it touches, if they can be written. If these cannot be
    /// found, they cannot be found again when the call is prepared, and native HDF5 does it.
    fn sources_wanted<M>(
        &self,
        questions: Questions,
        part: &PartOfCall<'_, M>,
        dataset: &Resolved,
        what: Use,
    ) -> Vec<(Arc<Claims>, Area, Use)> {
        let configuration = self.configuration.as_ref().ok();
        let asking = Asking { questions, files: &self.files, configuration };
        let find = || {
            let (below, state) = part.handle()?;
            let mappings = dataset.mappings().ok_or(Reason::Virtual)?;
            // Native HDF5 refuses that before it opens any source.
            if what == Use::Write && dataset.shared.is_none() {
                return Err(Reason::ReadOnly);
            }
            let sources = state.sources(questions, below, &self.files)?;
            if let Some(reason) = sources.refused() {
                return Err(reason.clone());
            }
            let file = Selections::of_file(questions, part.part, dataset)?;
            if file.is_shifted || !file.in_order {
                return Err(Reason::Selection);
            }
            if what == Use::Read && self.leaves_sources(state, (dataset, &sources), &file.selection) {
                part.note_left();
                return Err(Reason::Small);
            }
            Touched::find(asking, &Virtual { dataset, mappings, below, sources: &sources }, &file.selection)
        };
        let Ok(touched) = find() else { return Vec::new() };
        let shared: Vec<_> =
            touched.sources.iter().filter_map(|source| source.dataset.shared.clone()).collect();
        let wanted =
            shared.iter().map(|shared| (Arc::clone(&shared.claims), Area::Everything, what)).collect();
        part.note_claimed_sources(shared, touched);
        wanted
    }
}

/// The area of a dataset that a selection in it touches: in chunks, or in elements if it has none. What lies between the
/// selected ones in there may be written back with them.
fn area_of(questions: Questions, space: Id, dataset: &OurDataset, what: Use) -> Area {
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
    if what == Use::Write && dataset.chunks().is_none() && is_sieved(&low, &high, dataset) {
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

/// Whether the rows of a box in a contiguous dataset are so many and so short that a write is faster if it reads what lies between them
/// and writes that back.
fn is_sieved(low: &[u64], high: &[u64], dataset: &OurDataset) -> bool {
    let dims = dataset.extent().dims();
    // In its last dimensions the box is as wide as the dataset: all of that is one run. It is not in this one.
    let Some(narrow) = (0..dims.len()).rev().find(|&d| low[d] != 0 || high[d].saturating_add(1) != dims[d])
    else {
        return false;
    };
    let distance = dims[narrow..].iter().fold(dataset.element(), |bytes, dim| bytes.saturating_mul(*dim));
    let is_several = (0..narrow).any(|d| low[d] != high[d]);
    is_several && distance < Costs::LOCAL_FILE.write / 2
}
