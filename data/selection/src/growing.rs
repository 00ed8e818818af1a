//! Selections without an end along one dimension, as the mappings of virtual datasets have them.
//!
//! Along that dimension, coordinates come in blocks, or all from the first one on. A *slice* is one selected coordinate of it.

use crate::{Dims, Extent, Selection, SelectionError, common};

/// How many blocks a part that is not regular may have.
const MOST_BLOCKS: u64 = 1 << 16;

/// A regular selection without an end along one dimension.
#[derive(Clone, Debug)]
pub struct Growing {
    start: Dims,
    stride: Dims,
    count: Dims,
    block: Dims,
    dim: usize,
}

/// A part of a block of a growing selection, inside of an extent.
#[derive(Clone, Debug)]
pub struct NumberedBlock {
    /// What is inside.
    pub selection: Selection,
    /// Its ranks in the whole block; `None` if it is the whole block.
    pub ranks: Option<Selection>,
}

impl Growing {
    /// What start, stride, count and block describe, one number for each dimension; `None` if it has no dimension, or several,
    /// in which count or block is [`u64::MAX`].
    pub fn new(start: &[u64], stride: &[u64], count: &[u64], block: &[u64]) -> Option<Self> {
        let [start, stride, count, block] = [start, stride, count, block].map(Dims::new);
        let (start, stride, count, block) = (start.ok()?, stride.ok()?, count.ok()?, block.ok()?);
        if [&stride, &count, &block].iter().any(|numbers| numbers.len() != start.len()) {
            return None;
        }
        let is_endless = |dim: &usize| count[*dim] == u64::MAX || block[*dim] == u64::MAX;
        let mut endless = (0..start.len()).filter(is_endless);
        let dim = endless.next()?;
        let is_sound = endless.next().is_none() && stride[dim] > 0 && block[dim] > 0 && count[dim] > 0;
        is_sound.then_some(Self { start, stride, count, block, dim })
    }

    /// The dimension without an end.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Whether it is made of blocks that can be numbered.
    pub fn has_blocks(&self) -> bool {
        self.count[self.dim] == u64::MAX && self.block[self.dim] != u64::MAX
    }

    /// The last coordinates along the other dimensions; `None` for the one without an end, and if nothing is selected.
    pub fn ends(&self) -> impl Iterator<Item = Option<u64>> + '_ {
        (0..self.start.len()).map(|dim| {
            if dim == self.dim || self.count[dim] == 0 || self.block[dim] == 0 {
                return None;
            }
            let blocks = (self.count[dim] - 1).checked_mul(self.stride[dim])?;
            self.start[dim].checked_add(blocks)?.checked_add(self.block[dim] - 1)
        })
    }

    /// Whether there is nothing between its slices.
    fn is_solid(&self) -> bool {
        self.block[self.dim] == u64::MAX || self.block[self.dim] >= self.stride[self.dim]
    }

    /// How many slices there are in an extent of this size.
    pub fn slices(&self, size: u64) -> u64 {
        let Some(inside) = size.checked_sub(self.start[self.dim]) else { return 0 };
        if self.is_solid() {
            return inside;
        }
        let (stride, block) = (self.stride[self.dim], self.block[self.dim]);
        (inside / stride) * block + (inside % stride).min(block)
    }

    /// The size of an extent that has so many slices, with or without what follows before the next one; `None` if it is too large.
    pub fn size_of(&self, slices: u64, with_gap: bool) -> Option<u64> {
        let start = self.start[self.dim];
        if slices == 0 {
            return Some(if with_gap { start } else { 0 });
        }
        if self.is_solid() {
            return start.checked_add(slices);
        }
        let (stride, block) = (self.stride[self.dim], self.block[self.dim]);
        let (blocks, rest) = (slices / block, slices % block);
        if rest > 0 || with_gap {
            return start.checked_add(blocks.checked_mul(stride)?)?.checked_add(rest);
        }
        start.checked_add((blocks - 1).checked_mul(stride)?)?.checked_add(block)
    }

    /// The first slices, in this extent.
    ///
    /// # Errors
    /// If they are not inside of it, or too many blocks.
    pub fn first(&self, extent: &Extent, slices: u64) -> Result<Selection, SelectionError> {
        let dim = self.dim;
        if slices == 0 {
            return Ok(Selection::none(extent));
        }
        if self.is_solid() {
            return self.along(extent, self.start[dim], 1, slices);
        }
        let (blocks, rest) = (slices / self.block[dim], slices % self.block[dim]);
        match (blocks, rest) {
            (0, _) => self.along(extent, self.start[dim], 1, rest),
            (_, 0) => self.along(extent, self.start[dim], blocks, self.block[dim]),
            _ => self.with_part_of_a_block(extent, blocks, rest),
        }
    }

    /// Where the block with this number begins and ends along the dimension; `None` if that is too far.
    pub fn block(&self, number: u64) -> Option<(u64, u64)> {
        let first = self.start[self.dim].checked_add(number.checked_mul(self.stride[self.dim])?)?;
        Some((first, first.checked_add(self.block[self.dim])?))
    }

    /// What is inside of an extent of the block with this number; `None` if that is nothing.
    ///
    /// # Errors
    /// If the block does not fit into the other dimensions.
    pub fn numbered(&self, extent: &Extent, number: u64) -> Result<Option<NumberedBlock>, SelectionError> {
        let (first, end) = self.block(number).ok_or(SelectionError::ExtentOverflow)?;
        let size = extent.dims()[self.dim];
        if first >= size {
            return Ok(None);
        }
        if end <= size {
            let selection = self.along(extent, first, 1, end - first)?;
            return Ok(Some(NumberedBlock { selection, ranks: None }));
        }
        let mut dims = extent.dims().clone();
        dims[self.dim] = end;
        let around = Extent::new(&dims)?;
        let (whole, inside) =
            (self.along(&around, first, 1, end - first)?, self.along(&around, first, 1, size - first)?);
        let selection = self.along(extent, first, 1, size - first)?;
        Ok(common(&inside, &whole)?.map(|both| NumberedBlock { selection, ranks: Some(both.second) }))
    }

    /// With these coordinates along the dimension.
    fn along(
        &self,
        extent: &Extent,
        start: u64,
        count: u64,
        block: u64,
    ) -> Result<Selection, SelectionError> {
        let (mut starts, mut counts, mut blocks) =
            (self.start.clone(), self.count.clone(), self.block.clone());
        (starts[self.dim], counts[self.dim], blocks[self.dim]) = (start, count, block);
        let mut strides = self.stride.clone();
        strides[self.dim] = strides[self.dim].max(1);
        if count == 1 {
            strides[self.dim] = block.max(1);
        }
        Selection::hyperslab(extent, &starts, &strides, &counts, &blocks)
    }

    /// Some whole blocks along the dimension and a part of the next one, block by block.
    fn with_part_of_a_block(
        &self,
        extent: &Extent,
        blocks: u64,
        rest: u64,
    ) -> Result<Selection, SelectionError> {
        let rank = self.start.len();
        let mut counts = self.count.clone();
        counts[self.dim] = blocks + 1;
        let all = counts.iter().try_fold(1_u64, |all, count| all.checked_mul(*count));
        if all.is_none_or(|all| all > MOST_BLOCKS) {
            return Err(SelectionError::ExtentOverflow);
        }
        let (mut corners, mut at) = (Vec::new(), Dims::filled(0, rank));
        loop {
            // What is too large is outside of the extent.
            let first = |dim: usize| self.start[dim].saturating_add(at[dim].saturating_mul(self.stride[dim]));
            let size = |dim: usize| if dim == self.dim && at[dim] == blocks { rest } else { self.block[dim] };
            corners.extend((0..rank).map(first));
            corners.extend((0..rank).map(|dim| first(dim).saturating_add(size(dim).saturating_sub(1))));
            let Some(dim) = (0..rank).rev().find(|dim| at[*dim] + 1 < counts[*dim]) else { break };
            at[dim] += 1;
            (dim + 1..rank).for_each(|later| at[later] = 0);
        }
        Selection::blocks(extent, &corners)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNLIMITED: u64 = u64::MAX;

    #[test]
    fn slices_and_sizes_belong_together() {
        let shapes = [
            Growing::new(&[2], &[1], &[UNLIMITED], &[1]).unwrap(),
            Growing::new(&[2], &[5], &[UNLIMITED], &[3]).unwrap(),
            Growing::new(&[0], &[1], &[1], &[UNLIMITED]).unwrap(),
            Growing::new(&[1], &[4], &[UNLIMITED], &[4]).unwrap(),
        ];
        for growing in shapes {
            for size in 0..40_u64 {
                let extent = Extent::new(&[size.max(1)]).unwrap();
                let slices = growing.slices(size);
                let (stride, block) = (growing.stride[0], growing.block[0]);
                let is_selected = |at: u64| {
                    at >= growing.start[0] && (growing.is_solid() || (at - growing.start[0]) % stride < block)
                };
                let expected: Vec<u64> = (0..size).filter(|at| is_selected(*at)).collect();
                assert_eq!(slices, expected.len() as u64, "{growing:?} {size}");
                assert_eq!(growing.first(&extent, slices).unwrap().offsets(), expected);
                for with_gap in [false, true] {
                    let found = growing.size_of(slices, with_gap).unwrap();
                    assert_eq!(growing.slices(found), slices, "{growing:?} {size} {with_gap}");
                }
                assert!(growing.size_of(slices, false).unwrap() <= size.max(growing.start[0]));
            }
        }
    }

    #[test]
    fn the_other_dimensions_stay() {
        let growing = Growing::new(&[1, 0], &[2, 3], &[2, UNLIMITED], &[1, 2]).unwrap();
        let extent = Extent::new(&[4, 7]).unwrap();
        assert_eq!((growing.dim(), growing.slices(7)), (1, 5));
        assert_eq!(growing.first(&extent, 3).unwrap().offsets(), [7, 8, 10, 21, 22, 24]);
        assert_eq!(growing.ends().collect::<Vec<_>>(), [Some(3), None]);
    }

    #[test]
    fn blocks_are_cut_by_the_extent() {
        let growing = Growing::new(&[0, 0], &[1, 3], &[2, UNLIMITED], &[1, 2]).unwrap();
        let extent = Extent::new(&[2, 4]).unwrap();
        let whole = growing.numbered(&extent, 0).unwrap().unwrap();
        assert_eq!((whole.selection.offsets(), whole.ranks.is_none()), (vec![0, 1, 4, 5], true));
        let part = growing.numbered(&extent, 1).unwrap().unwrap();
        assert_eq!((part.selection.offsets(), part.ranks.unwrap().offsets()), (vec![3, 7], vec![0, 2]));
        assert!(growing.numbered(&extent, 2).unwrap().is_none());
        assert!(growing.numbered(&extent, u64::MAX).is_err());
    }

    #[test]
    fn only_one_dimension_has_no_end() {
        assert!(Growing::new(&[0, 0], &[1, 1], &[UNLIMITED, UNLIMITED], &[1, 1]).is_none());
        assert!(Growing::new(&[0, 0], &[1, 1], &[4, 4], &[1, 1]).is_none());
        assert!(Growing::new(&[0], &[0], &[UNLIMITED], &[1]).is_none());
    }
}
