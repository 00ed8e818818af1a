//! A row: equal blocks at equal distances, the unit in which selections are walked.

/// Elements of a selection with consecutive ranks, lying in `count` blocks of `block` elements whose starts
/// are `stride` elements apart.
///
/// A contiguous run has a count of one. The stride of a single block is its length. All fields but `offset`
/// and `rank` are at least one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Linear offset of the first element, in elements.
    pub offset: u64,
    /// Contiguous elements per block.
    pub block: u64,
    /// Number of blocks.
    pub count: u64,
    /// Elements from one block's start to the next's.
    pub stride: u64,
    /// Rank of the first element: its place in the order of the selection.
    pub rank: u64,
}

impl Row {
    /// One contiguous run.
    #[inline]
    pub const fn run(offset: u64, len: u64, rank: u64) -> Self {
        Self { offset, block: len, count: 1, stride: len, rank }
    }

    /// Number of elements.
    #[inline]
    #[expect(clippy::len_without_is_empty, reason = "a row is never empty")]
    pub const fn len(&self) -> u64 {
        self.block * self.count
    }

    /// One block only?
    #[inline]
    pub const fn is_contiguous(&self) -> bool {
        self.count == 1
    }

    /// Offset just after the last element.
    #[inline]
    pub const fn end(&self) -> u64 {
        self.offset + (self.count - 1) * self.stride + self.block
    }

    /// Appends `next` if that makes one row of the two: `next` carries on in rank, and in offset either as
    /// the same run or as further blocks of the same pattern.
    #[inline]
    pub(crate) fn append(&mut self, next: &Row) -> bool {
        if self.rank + self.len() != next.rank {
            return false;
        }
        if self.count == 1 && next.count == 1 {
            if self.offset + self.block != next.offset {
                return false;
            }
            self.block += next.block;
            self.stride = self.block;
            return true;
        }
        let stride = if self.count > 1 { self.stride } else { next.stride };
        if self.block != next.block
            || (next.count > 1 && next.stride != stride)
            || self.offset.checked_add(self.count * stride) != Some(next.offset)
        {
            return false;
        }
        self.count += next.count;
        self.stride = stride;
        true
    }
}

/// A place inside a row, and what is left of the row from there.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Walk {
    /// Where we are.
    pub(crate) offset: u64,
    /// Elements left in the current block; zero only when nothing is left at all.
    pub(crate) left: u64,
    /// Whole blocks after the current one.
    pub(crate) blocks: u64,
    /// Elements of a whole block.
    pub(crate) block: u64,
    /// Distance between block starts.
    pub(crate) stride: u64,
}

impl Walk {
    #[inline]
    pub(crate) fn new(row: &Row) -> Self {
        Self {
            offset: row.offset,
            left: row.block,
            blocks: row.count - 1,
            block: row.block,
            stride: row.stride,
        }
    }

    #[inline]
    pub(crate) fn is_done(&self) -> bool {
        self.left == 0
    }

    /// Elements left.
    #[inline]
    pub(crate) fn remaining(&self) -> u64 {
        self.left + self.blocks * self.block
    }

    /// At the first element of a block?
    #[inline]
    pub(crate) fn at_block_start(&self) -> bool {
        self.left == self.block
    }

    /// Steps over `len` contiguous elements (at most `left`) and says where they begin.
    #[inline]
    pub(crate) fn take(&mut self, len: u64) -> u64 {
        let start = self.offset;
        self.left -= len;
        if self.left > 0 {
            self.offset += len;
        } else if self.blocks > 0 {
            self.offset += len + (self.stride - self.block);
            self.left = self.block;
            self.blocks -= 1;
        }
        start
    }

    /// Steps over `count` whole blocks (standing at a block's start; at most `blocks + 1`) and says where
    /// they begin.
    #[inline]
    pub(crate) fn take_blocks(&mut self, count: u64) -> u64 {
        let start = self.offset;
        if count > self.blocks {
            self.left = 0;
            self.blocks = 0;
        } else {
            self.offset += count * self.stride;
            self.blocks -= count;
        }
        start
    }

    /// Steps over `len` elements (at most `remaining`).
    #[inline]
    pub(crate) fn skip(&mut self, len: u64) {
        if len < self.left {
            self.offset += len;
            self.left -= len;
            return;
        }
        let beyond = len - self.left;
        if self.blocks == 0 || beyond == self.blocks * self.block {
            self.left = 0;
            self.blocks = 0;
            return;
        }
        let (blocks, within) =
            if self.block == 1 { (beyond, 0) } else { (beyond / self.block, beyond % self.block) };
        self.offset += self.left + (self.stride - self.block) + blocks * self.stride + within;
        self.left = self.block - within;
        self.blocks -= blocks + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_append_runs_and_patterns() {
        let mut row = Row::run(5, 3, 0);
        assert!(row.append(&Row::run(8, 2, 3)));
        assert_eq!(row, Row::run(5, 5, 0));
        assert!(!row.append(&Row::run(10, 1, 6)), "a hole in rank");
        assert!(!row.append(&Row::run(11, 1, 5)), "a hole in offset");
        let mut row = Row { offset: 0, block: 2, count: 3, stride: 10, rank: 0 };
        assert!(row.append(&Row::run(30, 2, 6)));
        assert!(row.append(&Row { offset: 40, block: 2, count: 2, stride: 10, rank: 8 }));
        assert!(!row.append(&Row { offset: 60, block: 2, count: 2, stride: 11, rank: 12 }));
        assert_eq!((row.count, row.end(), row.len()), (6, 52, 12));
    }

    #[test]
    fn skipping_is_taking() {
        let row = Row { offset: 3, block: 3, count: 4, stride: 5, rank: 0 };
        for from in 0..=12 {
            for len in 0..=12 - from {
                let mut stepped = Walk::new(&row);
                for _ in 0..from + len {
                    stepped.take(1);
                }
                let mut skipped = Walk::new(&row);
                skipped.skip(from);
                skipped.skip(len);
                assert_eq!(skipped.remaining(), 12 - from - len);
                assert_eq!(stepped.remaining(), skipped.remaining());
                if !stepped.is_done() {
                    assert_eq!((stepped.offset, stepped.left), (skipped.offset, skipped.left));
                }
            }
        }
    }
}
