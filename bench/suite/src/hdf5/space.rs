//! Dataspaces.

use std::rc::Rc;

use anyhow::Result;
use h5_client::Dataspace;

use super::{Creation, Library};

pub(crate) use h5_client::Hyperslab as Slab;

/// The maximum of an unlimited dimension.
pub(crate) const UNLIMITED: u64 = Dataspace::UNLIMITED;

/// A dataspace, shared by those who use it.
#[derive(Clone)]
pub(crate) struct Space {
    pub(super) space: Rc<Dataspace>,
}

impl Space {
    /// All of an extent.
    pub(crate) fn new(library: &Library, extent: &[u64]) -> Result<Self> {
        Self::growing(library, extent, extent)
    }

    /// All of an extent that can grow to `most`.
    pub(crate) fn growing(library: &Library, extent: &[u64], most: &[u64]) -> Result<Self> {
        Ok(Self { space: Rc::new(Dataspace::growing(&library.h5, extent, most)?) })
    }

    /// Part of an extent.
    pub(crate) fn part(library: &Library, extent: &[u64], slab: &Slab) -> Result<Self> {
        let mut space = Dataspace::simple(&library.h5, extent)?;
        space.select(slab)?;
        Ok(Self { space: Rc::new(space) })
    }

    /// Makes this part of a virtual dataset be this part of a source.
    pub(crate) fn map_to(&self, list: &mut Creation, file: &str, source: &str, part: &Self) -> Result<()> {
        Ok(list.map(&self.space, file, source, &part.space)?)
    }

    /// Its extent, and the maximum of each dimension.
    pub(crate) fn extents(&self) -> Result<(Vec<u64>, Vec<u64>)> {
        Ok(self.space.extents()?)
    }

    /// The number of elements in its extent, selected or not.
    pub(crate) fn elements(&self) -> Result<usize> {
        Ok(self.space.elements()?)
    }
}

/// The selections of a call in memory and in the dataset. `None` selects everything.
pub(crate) type Selection = (Option<Space>, Option<Space>);

/// The selections of calls: one call for each of `parts`, or one for everything if there are none. `extent` is the extent of
/// the dataset at the time of the call.
pub(crate) fn selections(
    library: &Library,
    parts: &[Slab],
    extent: impl Fn(&Slab) -> Vec<u64>,
) -> Result<Vec<Selection>> {
    if parts.is_empty() {
        return Ok(vec![(None, None)]);
    }
    let mut selections = Vec::with_capacity(parts.len());
    // Calls of equal size share the dataspace of the memory. Most calls have equal sizes.
    let mut last: Option<(&[u64], Space)> = None;
    for part in parts {
        let memory = match &last {
            Some((count, space)) if *count == part.count => space.clone(),
            _ => Space::new(library, &part.count)?,
        };
        last = Some((&part.count, memory.clone()));
        selections.push((Some(memory), Some(Space::part(library, &extent(part), part)?)));
    }
    Ok(selections)
}
