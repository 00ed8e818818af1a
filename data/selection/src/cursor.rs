//! A place in a selection, found by rank.
//!
//! The side of a copy that does not set the pace (memory, when chunks are scattered) is visited by rank: a
//! cursor is put at a rank in O(dimensions), or by binary search in a list, and from there hands out runs or
//! rows.

use crate::row::Walk;
use crate::{Row, Rows, Selection};

/// A place in a selection: see [`Selection::cursor`].
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    selection: &'a Selection,
    /// The rows after the current one.
    rows: Rows<'a>,
    /// What is left of the current row.
    walk: Walk,
    rank: u64,
}

impl<'a> Cursor<'a> {
    #[inline]
    pub(crate) fn new(selection: &'a Selection, rank: u64) -> Self {
        match selection.as_row() {
            Some(row) if rank < row.len() => {
                let mut walk = Walk::new(&row);
                if rank > 0 {
                    walk.skip(rank);
                }
                Self { selection, rows: Rows::empty(), walk, rank }
            }
            _ => Self::found(selection, rank),
        }
    }

    #[inline(never)]
    fn found(selection: &'a Selection, rank: u64) -> Self {
        let mut cursor = Self { selection, rows: Rows::empty(), walk: Walk::default(), rank };
        cursor.find();
        cursor
    }

    /// The rank of the next element; the length of the selection at its end.
    #[inline]
    pub fn rank(&self) -> u64 {
        self.rank
    }

    /// Moves to the element with this rank, or to the end if there is none. Cheap inside the current row and
    /// at its end.
    #[inline]
    pub fn seek(&mut self, rank: u64) {
        match rank.checked_sub(self.rank) {
            Some(ahead) if ahead <= self.walk.remaining() => {
                self.walk.skip(ahead);
                self.rank = rank;
            }
            _ => {
                self.rank = rank;
                self.find();
            }
        }
    }

    /// Puts rows and walk where the rank says.
    fn find(&mut self) {
        let len = self.selection.len();
        if self.rank >= len {
            self.rank = len;
            self.rows = Rows::empty();
            self.walk = Walk::default();
            return;
        }
        self.rows = self.selection.rows_from_rank(self.rank);
        if let Some(row) = self.rows.next() {
            self.walk = Walk::new(&row);
            self.walk.skip(self.rank - row.rank);
        }
    }

    /// What is left of the current row, or the next row; done only at the end.
    #[inline]
    pub(crate) fn walk(&mut self) -> &mut Walk {
        if self.walk.is_done()
            && let Some(row) = self.rows.next()
        {
            self.walk = Walk::new(&row);
        }
        &mut self.walk
    }

    /// Notes that the walk was advanced from outside.
    #[inline]
    pub(crate) fn advanced(&mut self, len: u64) {
        self.rank += len;
    }

    /// The next contiguous run, of at most `max` elements: its offset and length. `None` at the end, or if
    /// `max` is zero.
    #[inline]
    pub fn next_run(&mut self, max: u64) -> Option<(u64, u64)> {
        let walk = self.walk();
        let len = walk.left.min(max);
        if len == 0 {
            return None;
        }
        let offset = walk.take(len);
        self.rank += len;
        Some((offset, len))
    }

    /// The next elements as a row, of at most `max` elements: the rest of a block if the cursor is inside
    /// one, else as many whole blocks as there are room for, else the beginning of a block. `None` at the
    /// end, or if `max` is zero.
    #[inline]
    pub fn next_row(&mut self, max: u64) -> Option<Row> {
        let rank = self.rank;
        let walk = self.walk();
        let (block, stride) = (walk.block, walk.stride);
        if !walk.at_block_start() || max < block {
            return self.next_run(max).map(|(offset, len)| Row::run(offset, len, rank));
        }
        if walk.is_done() {
            return None;
        }
        let count = if max >= walk.remaining() { walk.blocks + 1 } else { max / block };
        let offset = walk.take_blocks(count);
        self.rank += count * block;
        Some(Row { offset, block, count, stride: if count == 1 { block } else { stride }, rank })
    }
}
