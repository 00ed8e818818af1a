//! Dataspaces.

use std::rc::Rc;

use anyhow::Result;
use h5_client::Dataspace;

use super::Library;

pub(crate) use h5_client::Hyperslab as Slab;

/// How large a dataset may become that may become as large as it likes.
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

    /// All of an extent that may become as large as `most`.
    pub(crate) fn growing(library: &Library, extent: &[u64], most: &[u64]) -> Result<Self> {
        Ok(Self { space: Rc::new(Dataspace::growing(&library.h5, extent, most)?) })
    }

    /// Part of an extent.
    pub(crate) fn part(library: &Library, extent: &[u64], slab: &Slab) -> Result<Self> {
        let mut space = Dataspace::simple(&library.h5, extent)?;
        space.select(slab)?;
        Ok(Self { space: Rc::new(space) })
    }

    /// Its extent, and how large that may become.
    pub(crate) fn extents(&self) -> Result<(Vec<u64>, Vec<u64>)> {
        Ok(self.space.extents()?)
    }

    /// Elements of its extent, whatever is selected of them.
    pub(crate) fn elements(&self) -> Result<usize> {
        Ok(self.space.elements()?)
    }
}

/// What a call selects of the memory and of the dataset; nothing for all of it.
pub(crate) type Selection = (Option<Space>, Option<Space>);

/// The selections of calls, one for each of `parts`, or a single one of everything if there are none. `extent` is the
/// dataset's at the time of the call.
pub(crate) fn selections(
    library: &Library,
    parts: &[Slab],
    extent: impl Fn(&Slab) -> Vec<u64>,
) -> Result<Vec<Selection>> {
    if parts.is_empty() {
        return Ok(vec![(None, None)]);
    }
    let mut selections = Vec::with_capacity(parts.len());
    // Calls of one size, as most are, share the dataspace of the memory.
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
