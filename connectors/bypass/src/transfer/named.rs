//! Chunked datasets that a read names more than once.
//!
//! Native HDF5 keeps the chunks of a call in a list of the dataset, and fails if one of them is there already. So a call that names a
//! chunked dataset twice is left to it, through whichever handles.

use h5_host::Questions;
use h5_vol::calls::DatasetPart;

use crate::Bypass;

/// Whether no dataset is named twice.
pub(crate) fn are_distinct<'p, M: 'p>(
    questions: Questions,
    parts: impl Iterator<Item = &'p DatasetPart<Bypass, M>> + Clone,
) -> bool {
    let places = parts.filter_map(|part| {
        let (below, state) = (part.dataset.below()?, part.dataset.data().dataset.as_ref()?);
        let identity = state.identity(questions, below)?;
        Some((identity.file, identity.address()))
    });
    // Most programs name them as they were created.
    places.clone().is_sorted_by(|one, next| one < next) || {
        let mut places: Vec<_> = places.collect();
        places.sort_unstable();
        places.is_sorted_by(|one, next| one < next)
    }
}
