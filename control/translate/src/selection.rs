//! From HDF5's dataspaces to extents and selections.

use h5_host::{ExtentDescription, SelectionDescription, SpaceDescription};
use selection::{Extent, Selection};

/// A selection, and whether its elements are in the order of their places.
#[derive(Debug, Clone)]
pub struct Selected {
    /// The selection.
    pub selection: Selection,
    /// Whether it is in the order of places. A list of points need not be.
    pub in_order: bool,
}

impl Selected {
    /// Everything of an extent.
    pub fn all(extent: &Extent) -> Self {
        Self { selection: Selection::all(extent), in_order: true }
    }

    /// What a dataspace selects; `None` if it has no extent, or the selection leaves it.
    pub fn of(space: &SpaceDescription) -> Option<Self> {
        let ExtentDescription::Simple(dims) = &space.extent else { return None };
        Self::in_extent(&Extent::new(dims.as_slice()).ok()?, space)
    }

    /// The same in another extent.
    pub fn in_extent(extent: &Extent, space: &SpaceDescription) -> Option<Self> {
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
        let in_order = !matches!(space.selection, SelectionDescription::Points(_));
        Some(Self { selection: selection.ok()?, in_order })
    }

    /// Whether a place is selected twice, which only points can do.
    pub fn repeats(&self) -> bool {
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
