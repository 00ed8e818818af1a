//! From HDF5's dataspaces to extents and selections.

use h5_host::{ExtentDescription, Questions, SelectionDescription, SpaceDescription};
use h5_vol::BelowObject;
use selection::{Extent, Selection};

use crate::report::reason::Reason;

/// A selection, and whether its elements are in the order of their places.
#[derive(Debug, Clone)]
pub(crate) struct Selected {
    pub(crate) selection: Selection,
    pub(crate) in_order: bool,
    /// It lies elsewhere than was selected (`H5Soffset_simple`).
    pub(crate) is_shifted: bool,
}

impl Selected {
    /// Everything of an extent.
    pub(crate) fn all(extent: &Extent) -> Self {
        Self { selection: Selection::all(extent), in_order: true, is_shifted: false }
    }

    /// What a dataspace selects. Where HDF5's own judgement is needed (a selection that leaves its extent, an
    /// unlimited one), native HDF5 does the call.
    pub(crate) fn of(space: &SpaceDescription) -> Result<Self, Reason> {
        let ExtentDescription::Simple(dims) = &space.extent else { return Err(Reason::Selection) };
        let extent = Extent::new(dims.as_slice()).map_err(|_| Reason::Selection)?;
        Self::in_extent(&extent, space)
    }

    /// The same in another extent.
    pub(crate) fn in_extent(extent: &Extent, space: &SpaceDescription) -> Result<Self, Reason> {
        let shift = space.shift.as_deref().unwrap_or_default();
        let selection = match &space.selection {
            SelectionDescription::All => Ok(Selection::all(extent)),
            SelectionDescription::None => Ok(Selection::none(extent)),
            SelectionDescription::Regular { start, stride, count, block } => Selection::hyperslab_at(
                extent,
                shift,
                start.as_slice(),
                stride.as_slice(),
                count.as_slice(),
                block.as_slice(),
            ),
            SelectionDescription::Blocks(corners) => Selection::blocks_at(extent, shift, corners),
            SelectionDescription::Points(points) => Selection::points_at(extent, shift, points),
        };
        let selection = selection.map_err(|_| Reason::Selection)?;
        let in_order = !matches!(space.selection, SelectionDescription::Points(_));
        Ok(Self { selection, in_order, is_shifted: space.shift.is_some() })
    }

    /// Whether a place is selected twice, which only points can do.
    pub(crate) fn repeats(&self) -> bool {
        if self.in_order {
            return false;
        }
        let mut end = 0;
        self.selection.rows_by_offset().any(|row| {
            let repeated = row.offset < end;
            end = row.end();
            repeated
        })
    }
}

/// The extent of a dataset.
pub(crate) fn extent_of(questions: Questions, below: &BelowObject) -> Result<Extent, Reason> {
    let space = below.dataset_space(questions).ok_or(Reason::Untold("dataspace"))?;
    match questions.extent(space.id()) {
        Some(ExtentDescription::Simple(dims)) => Extent::new(dims.as_slice()).map_err(|_| Reason::TooLarge),
        Some(ExtentDescription::Null) => Err(Reason::Nothing),
        None => Err(Reason::Untold("dataspace")),
    }
}
