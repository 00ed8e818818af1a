//! Which sources a call on a virtual dataset touches, and what of each.

use std::sync::Arc;

use h5_vol::BelowObject;
use selection::{Selection, common};

use crate::coherency::resolved::Resolved;
use crate::coherency::source_search::{Asking, Searcher};
use crate::coherency::sources::{SourceDataset, Sources};
use crate::inspect::virtual_layout::VirtualLayout;
use crate::report::reason::Reason;

/// How deep virtual datasets may lie in each other. (One that is its own source has no end.)
pub(crate) const DEEPEST: usize = 8;

/// A virtual dataset, which may be a source of another one.
pub(crate) struct Virtual<'v> {
    pub(crate) dataset: &'v Resolved,
    pub(crate) mappings: &'v VirtualLayout,
    pub(crate) below: &'v BelowObject,
    pub(crate) sources: &'v Sources,
}

/// What a call touches of one source by one mapping.
pub(crate) struct TouchedSource {
    pub(crate) source: Arc<SourceDataset>,
    pub(crate) dataset: Arc<Resolved>,
    pub(crate) elements: Selection,
    /// Which of the elements of the call these are.
    pub(crate) ranks: Selection,
}

/// Everything that a call touches.
#[derive(Default)]
pub(crate) struct Touched {
    /// In the order of the mappings.
    pub(crate) sources: Vec<TouchedSource>,
    /// Not all that the call selects is mapped to a source that exists, or some of it may be mapped twice, or the source must be
    /// compared with others.
    pub(crate) is_irregular: bool,
    /// Virtual datasets that lie in each other have elements of different types.
    pub(crate) mixes_types: bool,
}

impl Touched {
    /// What a call touches that selects `wanted` of a virtual dataset. Sources that are not open are opened, as native HDF5 does.
    pub(crate) fn find(asking: Asking<'_>, of: &Virtual<'_>, wanted: &Selection) -> Result<Self, Reason> {
        let mut touched = Self::default();
        touched.add(asking, of, wanted, None, 0)?;
        Ok(touched)
    }

    /// Whether it still holds: none of the sources was changed meanwhile.
    pub(crate) fn is_current(&self) -> bool {
        self.sources.iter().all(|touched| !touched.dataset.is_outdated())
    }

    /// `ranks` tells which of the elements of the call are wanted; `None` if it is all of them.
    fn add(
        &mut self,
        asking: Asking<'_>,
        of: &Virtual<'_>,
        wanted: &Selection,
        ranks: Option<&Selection>,
        depth: usize,
    ) -> Result<(), Reason> {
        if depth > DEEPEST {
            return Err(Reason::VirtualMapping);
        }
        let wrong = |_| Reason::VirtualMapping;
        let searcher = Searcher::new(asking, &of.dataset.file, of.below, of.sources);
        let mut covered = 0_u64;
        for mapping in of.mappings.touched(wanted) {
            let Some(both) = common(wanted, &mapping.mapped).map_err(wrong)? else { continue };
            let Some(source) = searcher.find(mapping.source, &mapping.name)? else { continue };
            self.is_irregular |= mapping.like.is_some();
            covered = covered.saturating_add(both.first.len());
            let dataset = asking.resolve(&source)?;
            let of_source = mapping.of_source(dataset.extent(), source.extent_when_opened())?;
            let elements = of_source.of_ranks(&both.second).map_err(wrong)?;
            let ranks = match ranks {
                None => both.first,
                Some(ranks) => ranks.of_ranks(&both.first).map_err(wrong)?,
            };
            match dataset.mappings() {
                Some(mappings) => {
                    self.mixes_types |= dataset.elements().datatype() != of.dataset.elements().datatype();
                    let (below, sources) = (&*source.below, &**source.nested());
                    let nested = Virtual { dataset: &dataset, mappings, below, sources };
                    self.add(asking, &nested, &elements, Some(&ranks), depth + 1)?;
                }
                None => self.sources.push(TouchedSource { source, dataset, elements, ranks }),
            }
        }
        self.is_irregular |= covered != wanted.len() || !of.mappings.are_apart();
        Ok(())
    }
}
