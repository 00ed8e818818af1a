//! What a dataspace selects, in numbers.

use h5_abi::{
    H5S_MAX_RANK, H5S_NULL, H5S_SCALAR, H5S_SEL_ALL, H5S_SEL_HYPERSLABS, H5S_SEL_NONE, H5S_SEL_POINTS,
};

use crate::id::Id;
use crate::questions::Questions;

/// One number per dimension, without allocation.
#[derive(Debug, Clone, Copy)]
pub struct PerDimension {
    rank: usize,
    values: [u64; H5S_MAX_RANK],
}

impl PerDimension {
    /// The numbers, slowest dimension first.
    pub fn as_slice(&self) -> &[u64] {
        &self.values[..self.rank]
    }

    /// The same to change them.
    pub fn as_mut_slice(&mut self) -> &mut [u64] {
        &mut self.values[..self.rank]
    }

    fn zeros(rank: usize) -> Self {
        Self { rank, values: [0; H5S_MAX_RANK] }
    }
}

/// A dataspace's extent.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::large_enum_variant, reason = "lives for one call, on the stack, and must not allocate")]
pub enum ExtentDescription {
    /// No elements at all.
    Null,
    /// Dimensions; empty for a scalar.
    Simple(PerDimension),
}

/// The selected part of an extent.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "lives for one call, on the stack, and must not allocate")]
pub enum SelectionDescription {
    /// Everything.
    All,
    /// Nothing.
    None,
    /// A regular hyperslab.
    Regular {
        /// First element.
        start: PerDimension,
        /// From one block to the next.
        stride: PerDimension,
        /// Number of blocks.
        count: PerDimension,
        /// Size of a block.
        block: PerDimension,
    },
    /// Other hyperslabs: the first and last element of each block, concatenated.
    Blocks(Vec<u64>),
    /// Points, concatenated.
    Points(Vec<u64>),
}

/// A dataspace: extent, selection, and by how much the selection is shifted (`H5Soffset_simple`).
#[derive(Debug, Clone)]
pub struct SpaceDescription {
    /// The extent.
    pub extent: ExtentDescription,
    /// The selection, not yet shifted.
    pub selection: SelectionDescription,
    /// The shift per dimension; `None` if there is none.
    pub shift: Option<Vec<i64>>,
}

/// A selection that is one block.
#[derive(Debug, Clone, Copy)]
pub struct SelectedBlock {
    /// The dataspace's dimensions; empty for a scalar.
    pub dims: PerDimension,
    /// Its first element.
    pub low: PerDimension,
    /// Its last element.
    pub high: PerDimension,
    /// How many elements it has.
    pub count: u64,
}

impl SelectedBlock {
    /// Room for one description. It is large: reuse it to describe several.
    pub fn nowhere() -> Self {
        let nothing = PerDimension::zeros(0);
        Self { dims: nothing, low: nothing, high: nothing, count: 0 }
    }

    /// Whether the bounds lie inside the extent, and as many elements are selected as there are between them.
    fn is_one_block(&self) -> bool {
        let mut between = Some(1_u64);
        for (&size, (&low, &high)) in
            self.dims.as_slice().iter().zip(self.low.as_slice().iter().zip(self.high.as_slice()))
        {
            if low > high || high >= size {
                return false;
            }
            between = between.and_then(|between| between.checked_mul(high - low + 1));
        }
        between == Some(self.count)
    }
}

impl Questions {
    /// A dataspace's extent.
    pub fn extent(self, space: Id) -> Option<ExtentDescription> {
        let functions = self.0.functions();
        let mut dims = PerDimension::zeros(0);
        // SAFETY: room for the largest rank; the host verifies the identifier.
        let rank = unsafe {
            (functions.H5Sget_simple_extent_dims)(space.0, dims.values.as_mut_ptr(), core::ptr::null_mut())
        };
        dims.rank = usize::try_from(rank).ok().filter(|&rank| rank <= H5S_MAX_RANK)?;
        if dims.rank > 0 {
            return Some(ExtentDescription::Simple(dims));
        }
        // No dimensions: one element, or none at all.
        // SAFETY: the host verifies the identifier.
        match unsafe { (functions.H5Sget_simple_extent_type)(space.0) } {
            H5S_NULL => Some(ExtentDescription::Null),
            H5S_SCALAR => Some(ExtentDescription::Simple(dims)),
            _ => None,
        }
    }

    /// The selection of a dataspace, if it is one block of at least one element. `None` also if finding out would take
    /// more questions. It asks as few questions as possible, because they dominate the time of tiny calls.
    pub fn block(self, space: Id, block: &mut SelectedBlock) -> Option<()> {
        let functions = self.0.functions();
        // SAFETY: room for the largest rank; the host verifies the identifier.
        let rank = unsafe {
            (functions.H5Sget_simple_extent_dims)(
                space.0,
                block.dims.values.as_mut_ptr(),
                core::ptr::null_mut(),
            )
        };
        let rank = usize::try_from(rank).ok().filter(|&rank| rank <= H5S_MAX_RANK)?;
        for corner in [&mut block.dims, &mut block.low, &mut block.high] {
            corner.rank = rank;
        }
        block.count = self.selected_elements(space).filter(|&count| count > 0)?;
        if rank == 0 {
            return Some(());
        }
        // Of several points it would have to be known in which order they are.
        if block.count > 1 {
            // SAFETY: the host verifies the identifier.
            let kind = unsafe { (functions.H5Sget_select_type)(space.0) };
            if kind != H5S_SEL_ALL && kind != H5S_SEL_HYPERSLABS {
                return None;
            }
        }
        let (low, high) = (&mut block.low, &mut block.high);
        // SAFETY: each has room for the largest rank; the host verifies the identifier.
        let status = unsafe {
            (functions.H5Sget_select_bounds)(space.0, low.values.as_mut_ptr(), high.values.as_mut_ptr())
        };
        (status >= 0 && block.is_one_block()).then_some(())
    }

    /// How many elements a dataspace has if all of them are selected. `None` if it selects in another way.
    pub fn whole(self, space: Id) -> Option<u64> {
        // SAFETY: the host verifies the identifier.
        let kind = unsafe { (self.0.functions().H5Sget_select_type)(space.0) };
        if kind == H5S_SEL_ALL { self.selected_elements(space) } else { None }
    }

    /// How large a dataspace can become along each dimension; `u64::MAX` is unlimited.
    pub fn largest_dimensions(self, space: Id) -> Option<PerDimension> {
        let mut largest = PerDimension::zeros(0);
        // SAFETY: room for the largest rank; the host verifies the identifier.
        let rank = unsafe {
            (self.0.functions().H5Sget_simple_extent_dims)(
                space.0,
                core::ptr::null_mut(),
                largest.values.as_mut_ptr(),
            )
        };
        largest.rank = usize::try_from(rank).ok().filter(|&rank| rank <= H5S_MAX_RANK)?;
        Some(largest)
    }

    /// All about a dataspace; `None` if HDF5 cannot tell or it is of an unknown kind.
    pub fn space(self, space: Id) -> Option<SpaceDescription> {
        let extent = self.extent(space)?;
        let ExtentDescription::Simple(dims) = extent else {
            return Some(SpaceDescription { extent, selection: SelectionDescription::None, shift: None });
        };
        let functions = self.0.functions();
        // SAFETY: the host verifies the identifier.
        let selection = match unsafe { (functions.H5Sget_select_type)(space.0) } {
            H5S_SEL_ALL => SelectionDescription::All,
            H5S_SEL_NONE => SelectionDescription::None,
            H5S_SEL_HYPERSLABS => self.hyperslab(space, dims.rank)?,
            H5S_SEL_POINTS => SelectionDescription::Points(self.points(space, dims.rank)?),
            _ => return None,
        };
        let shift = self.shift(space, dims.rank, &selection)?;
        Some(SpaceDescription { extent, selection, shift })
    }

    fn hyperslab(self, space: Id, rank: usize) -> Option<SelectionDescription> {
        let mut numbers = [PerDimension::zeros(rank); 4];
        let [start, stride, count, block] = &mut numbers;
        // Most are regular, and HDF5 fails for the others: cheaper than to ask first which it is.
        // SAFETY: each has room for the largest rank.
        let status = unsafe {
            (self.0.functions().H5Sget_regular_hyperslab)(
                space.0,
                start.values.as_mut_ptr(),
                stride.values.as_mut_ptr(),
                count.values.as_mut_ptr(),
                block.values.as_mut_ptr(),
            )
        };
        if status < 0 {
            return self.blocks(space, rank).map(SelectionDescription::Blocks);
        }
        let [start, stride, count, block] = numbers;
        Some(SelectionDescription::Regular { start, stride, count, block })
    }

    fn blocks(self, space: Id, rank: usize) -> Option<Vec<u64>> {
        let functions = self.0.functions();
        // SAFETY: the host verifies the identifier.
        let count = u64::try_from(unsafe { (functions.H5Sget_select_hyper_nblocks)(space.0) }).ok()?;
        let room = usize::try_from(count).ok()?.checked_mul(rank)?.checked_mul(2)?;
        let mut list = vec![0_u64; room];
        // SAFETY: room for two corners of `rank` numbers per block.
        let status =
            unsafe { (functions.H5Sget_select_hyper_blocklist)(space.0, 0, count, list.as_mut_ptr()) };
        (status >= 0).then_some(list)
    }

    fn points(self, space: Id, rank: usize) -> Option<Vec<u64>> {
        let functions = self.0.functions();
        // SAFETY: the host verifies the identifier.
        let count = u64::try_from(unsafe { (functions.H5Sget_select_elem_npoints)(space.0) }).ok()?;
        let mut list = vec![0_u64; usize::try_from(count).ok()?.checked_mul(rank)?];
        // SAFETY: room for `rank` numbers per point.
        let status =
            unsafe { (functions.H5Sget_select_elem_pointlist)(space.0, 0, count, list.as_mut_ptr()) };
        (status >= 0).then_some(list)
    }

    /// HDF5 has no function that tells the shift, but the selection's bounds contain it.
    #[expect(clippy::option_option, reason = "cannot tell, or there is none")]
    fn shift(self, space: Id, rank: usize, selection: &SelectionDescription) -> Option<Option<Vec<i64>>> {
        let first = match selection {
            SelectionDescription::All | SelectionDescription::None => return Some(None),
            SelectionDescription::Regular { start, .. } => *start,
            SelectionDescription::Blocks(list) => smallest(list, 2 * rank, rank)?,
            SelectionDescription::Points(list) => smallest(list, rank, rank)?,
        };
        let (mut low, mut high) = (PerDimension::zeros(rank), PerDimension::zeros(rank));
        // SAFETY: each has room for the largest rank.
        let status = unsafe {
            (self.0.functions().H5Sget_select_bounds)(
                space.0,
                low.values.as_mut_ptr(),
                high.values.as_mut_ptr(),
            )
        };
        if status < 0 {
            // A selection shifted below zero has no bounds.
            return None;
        }
        if low.as_slice() == first.as_slice() {
            return Some(None);
        }
        let shifts = low.as_slice().iter().zip(first.as_slice());
        shifts
            .map(|(&low, &first)| i64::try_from(i128::from(low) - i128::from(first)).ok())
            .collect::<Option<_>>()
            .map(Some)
    }
}

/// Smallest coordinate per dimension over a list of items of `step` numbers that begin with coordinates.
fn smallest(list: &[u64], step: usize, rank: usize) -> Option<PerDimension> {
    let mut items = list.chunks_exact(step.max(1));
    let mut low = PerDimension::zeros(rank);
    low.values[..rank].copy_from_slice(items.next()?.get(..rank)?);
    for item in items {
        for (low, &value) in low.values[..rank].iter_mut().zip(item) {
            *low = (*low).min(value);
        }
    }
    Some(low)
}

#[cfg(test)]
mod tests {
    use super::SelectedBlock;

    fn block(dims: &[u64], low: &[u64], high: &[u64], count: u64) -> SelectedBlock {
        let mut block = SelectedBlock { count, ..SelectedBlock::nowhere() };
        for (corner, numbers) in [(&mut block.dims, dims), (&mut block.low, low), (&mut block.high, high)] {
            corner.rank = numbers.len();
            corner.values[..numbers.len()].copy_from_slice(numbers);
        }
        block
    }

    #[test]
    fn blocks_fill_their_bounds_inside_the_extent() {
        assert!(block(&[100], &[16], &[31], 16).is_one_block());
        assert!(block(&[10, 20], &[3, 5], &[4, 9], 10).is_one_block());
        assert!(!block(&[10, 20], &[3, 5], &[4, 9], 9).is_one_block());
        assert!(!block(&[10], &[3], &[10], 8).is_one_block());
        assert!(!block(&[10], &[3], &[2], 0).is_one_block());
        assert!(!block(&[u64::MAX, u64::MAX], &[0, 0], &[u64::MAX - 1, u64::MAX - 1], 1).is_one_block());
    }
}
