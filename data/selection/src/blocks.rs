//! Irregular hyperslabs: a list of disjoint blocks, selected in row-major order of coordinates.
//!
//! Blocks that lie side by side take turns, line by line, so the list has to be woven into rows. That is done
//! dimension by dimension from the outermost in: along one dimension the blocks' edges cut it into intervals
//! in which the same blocks are alive; the rows of the remaining dimensions are found once per interval and
//! repeated for each coordinate in it. If they are a single run, the repetition is a single strided row.
//! Block lists of libhdf5 come from its span trees, where blocks have either the same or disjoint intervals,
//! but any disjoint list is understood; overlap is noticed in the last dimension. The work is in proportion
//! to the rows that come out.

use crate::listed::{List, Listed, shift};
use crate::points::check_whole;
use crate::{Dims, Extent, Row, SelectionError};

/// Makes rows of a flat list of blocks, each the coordinates of its first corner and then those of its last
/// one (inclusive), as `H5Sget_select_hyper_blocklist` gives them. `None` if there are no blocks.
pub(crate) fn listed(
    extent: &Extent,
    corners: &[u64],
    offset: &[i64],
) -> Result<Option<Listed>, SelectionError> {
    let rank = extent.rank();
    check_whole(corners, 2 * rank)?;
    if corners.is_empty() {
        return Ok(None);
    }
    let shifted;
    let corners = if offset.iter().any(|by| *by != 0) {
        shifted = shift_corners(corners, offset)?;
        &shifted
    } else {
        corners
    };
    let mut low = Dims::of(&corners[..rank]);
    let mut high = Dims::of(&corners[rank..2 * rank]);
    for block in corners.chunks_exact(2 * rank) {
        for dim in 0..rank {
            let (first, last) = (block[dim], block[rank + dim]);
            if last < first {
                return Err(SelectionError::ReversedBlock { dim });
            }
            if last >= extent.dims()[dim] {
                return Err(SelectionError::OutOfBounds { dim });
            }
            low[dim] = low[dim].min(first);
            high[dim] = high[dim].max(last);
        }
    }
    let mut weaver = Weaver { corners, rank, strides: extent.strides(), rows: Vec::new() };
    let mut all: Vec<usize> = (0..corners.len() / (2 * rank)).collect();
    weaver.weave(0, 0, &mut all)?;
    let mut rows = weaver.rows;
    rank_and_merge(&mut rows);
    Ok(Some(Listed { list: List::Rows(rows), low, high, sorted: true }))
}

fn shift_corners(corners: &[u64], offset: &[i64]) -> Result<Vec<u64>, SelectionError> {
    let by = offset.iter().enumerate().cycle();
    corners.iter().zip(by).map(|(&corner, (dim, &by))| shift(corner, by, dim)).collect()
}

/// Numbers rows that are in order, and joins those that continue their predecessor.
fn rank_and_merge(rows: &mut Vec<Row>) {
    let mut rank = 0;
    for row in rows.iter_mut() {
        row.rank = rank;
        rank += row.len();
    }
    rows.dedup_by(|next, row| row.append(next));
}

struct Weaver<'a> {
    corners: &'a [u64],
    rank: usize,
    strides: Dims,
    rows: Vec<Row>,
}

impl Weaver<'_> {
    #[inline]
    fn first(&self, block: usize, dim: usize) -> u64 {
        self.corners[block * 2 * self.rank + dim]
    }

    #[inline]
    fn last(&self, block: usize, dim: usize) -> u64 {
        self.corners[block * 2 * self.rank + self.rank + dim]
    }

    /// Adds the rows of `blocks` in the dimensions from `dim` on, for the outer coordinates that give `base`.
    fn weave(&mut self, dim: usize, base: u64, blocks: &mut [usize]) -> Result<(), SelectionError> {
        blocks.sort_by_key(|&block| self.first(block, dim));
        if dim + 1 == self.rank {
            return self.weave_line(base, blocks);
        }
        let mut waiting = blocks.iter().copied().peekable();
        let mut alive: Vec<usize> = Vec::new();
        while let Some(&next) = waiting.peek() {
            let mut from = self.first(next, dim);
            loop {
                while let Some(block) = waiting.next_if(|&block| self.first(block, dim) == from) {
                    alive.push(block);
                }
                let Some(mut until) = alive.iter().map(|&block| self.last(block, dim)).min() else { break };
                if let Some(&next) = waiting.peek() {
                    until = until.min(self.first(next, dim) - 1);
                }
                self.weave_interval(dim, base, from, until, &alive)?;
                alive.retain(|&block| self.last(block, dim) > until);
                from = until + 1;
            }
        }
        Ok(())
    }

    /// Adds the rows of blocks that are all alive from coordinate `from` to coordinate `until`.
    fn weave_interval(
        &mut self,
        dim: usize,
        base: u64,
        from: u64,
        until: u64,
        alive: &[usize],
    ) -> Result<(), SelectionError> {
        let stride = self.strides[dim];
        let begin = self.rows.len();
        self.weave(dim + 1, base + from * stride, &mut alive.to_vec())?;
        let end = self.rows.len();
        let repeats = until - from;
        match &mut self.rows[begin..] {
            [row] if row.count == 1 && repeats > 0 => {
                if row.block == stride {
                    *row = Row::run(row.offset, row.block * (repeats + 1), 0);
                } else {
                    row.count = repeats + 1;
                    row.stride = stride;
                }
            }
            _ => {
                for turn in 1..=repeats {
                    for index in begin..end {
                        let row = self.rows[index];
                        self.rows.push(Row { offset: row.offset + turn * stride, ..row });
                    }
                }
            }
        }
        Ok(())
    }

    /// The last dimension: sorted blocks are runs.
    fn weave_line(&mut self, base: u64, blocks: &[usize]) -> Result<(), SelectionError> {
        let dim = self.rank - 1;
        let begin = self.rows.len();
        let mut free = 0;
        for &block in blocks {
            let (first, last) = (self.first(block, dim), self.last(block, dim));
            if first < free {
                return Err(SelectionError::BlocksOverlap);
            }
            let run = Row::run(base + first, last - first + 1, 0);
            match self.rows[begin..].last_mut() {
                Some(row) if first == free => *row = Row::run(row.offset, row.block + run.block, 0),
                _ => self.rows.push(run),
            }
            free = last + 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(dims: &[u64], corners: &[u64]) -> Result<Vec<Row>, SelectionError> {
        Ok(match listed(&Extent::new(dims)?, corners, &[])?.map(|listed| listed.list) {
            Some(List::Rows(rows)) => rows,
            _ => vec![],
        })
    }

    #[test]
    fn tall_blocks_stay_single_rows() {
        // Two towers one above the other, far apart: two strided rows, however tall.
        let tall = 1 << 40;
        let found = rows(&[4 * tall, 10], &[0, 1, tall - 1, 3, 2 * tall, 5, 3 * tall - 1, 8]).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(found[0], Row { offset: 1, block: 3, count: tall, stride: 10, rank: 0 });
        assert_eq!(
            found[1],
            Row { offset: 20 * tall + 5, block: 4, count: tall, stride: 10, rank: 3 * tall }
        );
    }

    #[test]
    fn neighbours_merge() {
        // Four quarters of a full band are one run.
        let found = rows(&[8, 6], &[2, 0, 3, 2, 2, 3, 3, 5, 4, 0, 5, 2, 4, 3, 5, 5]).unwrap();
        assert_eq!(found, [Row::run(12, 24, 0)]);
        // Two blocks stacked are one strided row.
        let found = rows(&[8, 6], &[2, 1, 3, 2, 4, 1, 6, 2]).unwrap();
        assert_eq!(found, [Row { offset: 13, block: 2, count: 5, stride: 6, rank: 0 }]);
    }

    #[test]
    fn bad_lists() {
        assert_eq!(rows(&[8, 6], &[0, 0, 2, 2, 1, 1, 3, 3]), Err(SelectionError::BlocksOverlap));
        assert_eq!(rows(&[8, 6], &[0, 0, 2]), Err(SelectionError::RaggedList { entry: 4, found: 3 }));
        assert_eq!(rows(&[8, 6], &[0, 0, 2, 6]), Err(SelectionError::OutOfBounds { dim: 1 }));
        assert_eq!(rows(&[8, 6], &[3, 0, 2, 5]), Err(SelectionError::ReversedBlock { dim: 0 }));
        assert_eq!(rows(&[], &[]), Ok(vec![]));
        assert!(rows(&[], &[1]).is_err());
    }
}
