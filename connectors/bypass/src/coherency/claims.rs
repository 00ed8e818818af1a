//! What a call claims of the datasets it touches, in files that are open for writing.

use std::sync::Arc;

use global_lock::{Area, Claim, Claims, Use, Wanted};
use h5_host::Questions;
use h5_vol::calls::DatasetPart;
use h5_vol::{Host, Id};

use crate::Bypass;
use crate::coherency::shared::Writable;
use crate::inspect::dataset::OurDataset;
use crate::run::lock::HostGlobalLock;

impl Bypass {
    /// Claims the parts of a call. Empty if none of the datasets can be written.
    pub(crate) fn claim_parts<M>(
        &self,
        questions: Questions,
        parts: &[DatasetPart<Self, M>],
        what: Use,
    ) -> Vec<Claim> {
        let part_wanted = |part: &DatasetPart<Self, M>| {
            let (state, below) = (part.dataset.data().dataset.as_ref()?, part.dataset.below()?);
            if state.is_read_only(questions, below, &self.files) {
                return None;
            }
            let dataset = self.ours(questions, &part.dataset).ok()?;
            let area = area_of(questions, part.file_space, &dataset);
            Some((dataset.writable()?.claims.clone(), area, what))
        };
        let wanted: Vec<_> = parts.iter().filter_map(part_wanted).collect();
        self.claim(questions.host(), wanted)
    }

    /// Claims all of these datasets.
    pub(crate) fn claim_whole<'d>(
        &self,
        host: Host,
        datasets: impl IntoIterator<Item = &'d Arc<Writable>>,
        what: Use,
    ) -> Vec<Claim> {
        let whole = |shared: &Arc<Writable>| (Arc::clone(&shared.claims), Area::Everything, what);
        self.claim(host, datasets.into_iter().map(whole))
    }

    /// Claims what is wanted. The global lock may be given up meanwhile.
    fn claim(&self, host: Host, wanted: impl IntoIterator<Item = (Arc<Claims>, Area, Use)>) -> Vec<Claim> {
        let wanted: Wanted = wanted.into_iter().collect();
        wanted.claim(&self.committers, &self.lock, &HostGlobalLock(host))
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
    if let Some(chunks) = dataset.chunks() {
        for corner in [&mut low, &mut high] {
            for (place, size) in corner.iter_mut().zip(chunks.grid.chunk_dims().iter()) {
                *place /= size;
            }
        }
    }
    Area::between(&low, &high)
}
