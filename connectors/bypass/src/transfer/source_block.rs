//! Blocks of virtual datasets that lie in one source.

use std::sync::Arc;

use h5_vol::BelowObject;
use selection::{Dims, Selection, common};

use crate::coherency::resolved::Resolved;
use crate::coherency::sources::Sources;
use crate::inspect::dataset::OurDataset;

/// A block of a source: its first and its last element.
pub(crate) struct SourceBlock {
    pub(crate) source: Arc<Resolved>,
    /// As what the virtual dataset has it open.
    pub(crate) below: Arc<BelowObject>,
    pub(crate) low: Dims,
    pub(crate) high: Dims,
}

impl SourceBlock {
    /// Where a block of a virtual dataset is, given by its first and its last element, if it is a block of one source that is
    /// open and has elements of the same type.
    pub(crate) fn of(dataset: &OurDataset, sources: &Sources, low: &[u64], high: &[u64]) -> Option<Self> {
        let mappings = dataset.mappings().filter(|mappings| mappings.are_apart())?;
        let mut size = Dims::new(high).ok()?;
        for (size, low) in size.iter_mut().zip(low) {
            *size = size.checked_sub(*low)?.checked_add(1)?;
        }
        let block = Selection::tile(dataset.extent(), low, &size).ok()?;
        let mut touched = mappings.touched(&block);
        let mapping = touched.next().filter(|_| touched.next().is_none())?;
        let open = sources.known(mapping.source)?;
        let source = open.known();
        let is_same = source.elements().are_copied_to(dataset.elements());
        let both = common(&block, &mapping.mapped).ok()?.filter(|_| is_same)?;
        let elements = mapping
            .of_source(source.extent(), open.extent_when_opened())
            .ok()?
            .of_ranks(&both.second)
            .ok()?;
        let (low, high) = elements.bounds()?;
        let between =
            low.iter().zip(high.iter()).try_fold(1_u64, |all, (low, high)| all.checked_mul(high - low + 1));
        let is_block = elements.len() == block.len() && between == Some(block.len());
        is_block.then(|| Self { source, below: Arc::clone(&open.below), low, high })
    }
}
