//! The canonical form of a regular selection: a nest of loops around a line of rows.
//!
//! Dimensions enter from the innermost outwards. Those with one element vanish; those that carry on where the
//! inner one ends are merged with it, in offset *and* in rank, so that a whole extent of any rank is a single
//! run, and so is a band of full rows or a chunk as wide as its dataset. What the innermost one or two loops
//! then look like decides the line, the part that is handed out as [`Row`]s:
//!
//! * `Single`: one row. Two even loops around each other (a tile, every third row of a band) are still one
//!   row.
//! * `Segments`: blocks of contiguous elements of which the first and the last may be cut: head, middle,
//!   tail.
//! * `Blocks`: as many rows as blocks; the rows' blocks are the elements of an uneven outer loop.

use crate::Row;
use crate::axis::Axis;
use crate::small::Small;

/// The innermost part of a nest, with offsets and ranks relative to its start.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Line {
    /// One row of `count` blocks.
    Single { block: u64, count: u64, stride: u64 },
    /// Two or three rows: the blocks of an uneven axis of contiguous elements. Whole blocks are one row
    /// together.
    Segments { axis: Axis, count: u64 },
    /// One row for each block of the axis, whose elements are runs of `unit` elements.
    Blocks { axis: Axis, unit: u64, count: u64 },
}

impl Line {
    /// Rows in the line.
    #[inline]
    pub(crate) fn count(&self) -> u64 {
        match self {
            Self::Single { .. } => 1,
            Self::Segments { count, .. } | Self::Blocks { count, .. } => *count,
        }
    }

    /// Elements in the line.
    #[inline]
    pub(crate) fn len(&self) -> u64 {
        match self {
            Self::Single { block, count, .. } => block * count,
            Self::Segments { axis, .. } => axis.n,
            Self::Blocks { axis, unit, .. } => axis.n * unit,
        }
    }

    /// Row `index`, relative to the line.
    #[inline]
    pub(crate) fn row(&self, index: u64) -> Row {
        match self {
            Self::Single { block, count, stride } => {
                Row { offset: 0, block: *block, count: *count, stride: *stride, rank: 0 }
            }
            Self::Segments { axis, .. } => {
                let head = if axis.first == axis.block { 0 } else { axis.first };
                let blocks = (axis.n - head) / axis.block;
                let (index, start) = (index + u64::from(head == 0), if head == 0 { 0 } else { axis.lead() });
                match index {
                    0 => Row::run(0, head, 0),
                    1 if blocks > 0 => Row {
                        offset: start,
                        block: axis.block,
                        count: blocks,
                        stride: if blocks > 1 { axis.period() } else { axis.block },
                        rank: head,
                    },
                    _ => {
                        let before = head + blocks * axis.block;
                        Row::run(start + blocks * axis.period(), axis.n - before, before)
                    }
                }
            }
            Self::Blocks { axis, unit, count } => {
                let (offset, before) = if index == 0 {
                    (0, 0)
                } else {
                    (axis.lead() + (index - 1) * axis.period(), axis.first + (index - 1) * axis.block)
                };
                let blocks = if index == 0 {
                    axis.first
                } else if index + 1 == *count {
                    axis.n - before
                } else {
                    axis.block
                };
                let stride = if blocks == 1 { *unit } else { axis.step };
                Row { offset, block: *unit, count: blocks, stride, rank: before * unit }
            }
        }
    }

    /// The row that holds the element `rank` of the line.
    #[inline]
    pub(crate) fn find(&self, rank: u64) -> u64 {
        match self {
            Self::Single { .. } => 0,
            Self::Segments { count, .. } => {
                (1..*count).take_while(|&index| self.row(index).rank <= rank).count() as u64
            }
            Self::Blocks { axis, unit, .. } => {
                let index = rank / unit;
                if index < axis.first { 0 } else { 1 + (index - axis.first) / axis.block }
            }
        }
    }

    /// The line of an uneven axis of contiguous elements.
    fn segments(axis: &Axis) -> Self {
        let head = if axis.first == axis.block { 0 } else { axis.first };
        let (blocks, tail) = ((axis.n - head) / axis.block, (axis.n - head) % axis.block);
        let count = u64::from(head > 0) + u64::from(blocks > 0) + u64::from(tail > 0);
        if count == 1 {
            return Self::Single { block: axis.block, count: blocks, stride: axis.period() };
        }
        Self::Segments { axis: *axis, count }
    }

    /// The line of the blocks of an uneven axis, each element a run of `unit` elements.
    fn blocks(axis: &Axis, unit: u64) -> Self {
        Self::Blocks { axis: *axis, unit, count: 1 + (axis.n - axis.first).div_ceil(axis.block) }
    }

    fn single(block: u64, count: u64, stride: u64) -> Self {
        Self::Single { block, count, stride }
    }

    /// The line of these innermost axes, and how many of them it covers.
    #[inline]
    fn new(inner: &Axis, outer: Option<&Axis>) -> (Self, usize) {
        if inner.rank_step != 1 {
            return (Self::single(1, 1, 1), 0);
        }
        match (inner.is_even(), inner.step) {
            (true, 1) => match outer.filter(|axis| axis.rank_step == inner.n) {
                None => (Self::single(inner.n, 1, inner.n), 1),
                Some(outer) if outer.is_even() => (Self::single(inner.n, outer.n, outer.step), 2),
                Some(outer) => (Self::blocks(outer, inner.n), 2),
            },
            (true, step) => (Self::single(1, inner.n, step), 1),
            (false, 1) => (Self::segments(inner), 1),
            (false, _) => (Self::blocks(inner, 1), 1),
        }
    }
}

/// A regular selection in canonical form.
///
/// Nearly all are rows at equal distances, or a single one, and these must stay small: a selection is moved
/// several times, and moving loops that it does not have would cost more than finding that out. What is more
/// than one loop or has blocks in it is a nest, which is allocated.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    Even(EvenRows),
    Nest(Box<Nest>),
}

/// `n` equal rows, each `step` elements and `rank_step` ranks after the one before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EvenRows {
    pub(crate) row: Row,
    pub(crate) n: u64,
    pub(crate) step: u64,
    pub(crate) rank_step: u64,
}

impl EvenRows {
    #[inline]
    pub(crate) fn single(row: Row) -> Self {
        Self { row, n: 1, step: 0, rank_step: 0 }
    }

    /// Starts with a single element, to which dimensions are [added](Self::push).
    #[inline]
    pub(crate) fn element() -> Self {
        Self::single(Row::run(0, 1, 0))
    }

    /// Adds the next dimension outwards; its first element is at `offset` and `rank`. False if this is not
    /// its form; then a [`Builder`] is asked.
    ///
    /// The products do not overflow: inside an element of the axis, which has at least two, lies all that
    /// came before.
    #[inline]
    pub(crate) fn push(&mut self, offset: u64, rank: u64, axis: &Axis) -> bool {
        let row = &mut self.row;
        row.offset += offset;
        row.rank += rank;
        if axis.n == 1 {
            return true;
        }
        if !axis.is_even() {
            return false;
        }
        if self.n > 1 {
            let continues = axis.step == self.n * self.step && axis.rank_step == self.n * self.rank_step;
            self.n *= axis.n;
            return continues;
        }
        if axis.rank_step == row.len() {
            if row.count == 1 && axis.step == row.block {
                row.block *= axis.n;
                row.stride = row.block;
                return true;
            }
            if row.count == 1 {
                row.count = axis.n;
                row.stride = axis.step;
                return true;
            }
            if axis.step == row.count * row.stride {
                row.count *= axis.n;
                return true;
            }
        }
        (self.n, self.step, self.rank_step) = (axis.n, axis.step, axis.rank_step);
        true
    }

    /// The rows from number `start` to number `end`, which is not less and at most `n`.
    #[inline]
    pub(crate) fn part(mut self, start: u64, end: u64) -> Self {
        self.n = end - start;
        if self.n > 0 {
            self.row.offset += start * self.step;
            self.row.rank += start * self.rank_step;
        }
        self
    }

    /// Takes the first row off; there must be one.
    #[inline]
    pub(crate) fn pop(&mut self) -> Row {
        let row = self.row;
        self.n -= 1;
        // After the last row these may wrap around, and are not used.
        self.row.offset = row.offset.wrapping_add(self.step);
        self.row.rank = row.rank.wrapping_add(self.rank_step);
        row
    }
}

/// Loops around a line; at least two rows.
#[derive(Clone, Debug)]
pub(crate) struct Nest {
    /// Offset of the first element.
    pub(crate) offset: u64,
    /// Rank of the first element.
    pub(crate) rank: u64,
    /// How many rows there are.
    pub(crate) rows: u64,
    /// What the loops go around.
    pub(crate) line: Line,
    /// The loops, innermost first.
    pub(crate) loops: Small<Axis, 3>,
}

impl Form {
    /// Number of rows.
    #[inline]
    pub(crate) fn row_count(&self) -> u64 {
        match self {
            Self::Even(rows) => rows.n,
            Self::Nest(nest) => nest.rows,
        }
    }

    /// The single row, if there is only one.
    #[inline]
    pub(crate) fn only_row(&self) -> Option<Row> {
        match self {
            Self::Even(EvenRows { row, n: 1, .. }) => Some(*row),
            _ => None,
        }
    }
}

/// Finds the canonical form, dimension by dimension from the innermost outwards.
pub(crate) struct Builder {
    offset: u64,
    rank: u64,
    /// The outermost axis so far, which may still be merged with the next (`n` of zero: none yet).
    open: Axis,
    /// The innermost axis, once it is complete.
    inner: Axis,
    /// How many axes are complete.
    complete: usize,
    /// The line, once two axes are complete, and the loops around it.
    line: Line,
    nest: Option<Box<Nest>>,
}

impl Builder {
    #[inline]
    pub(crate) fn new() -> Self {
        let (open, inner) = (Axis::default(), Axis::default());
        Self { offset: 0, rank: 0, open, inner, complete: 0, line: Line::single(1, 1, 1), nest: None }
    }

    /// Adds the next dimension outwards; its first element is at `offset` and `rank`.
    #[inline]
    pub(crate) fn push(&mut self, offset: u64, rank: u64, mut axis: Axis) {
        self.offset += offset;
        self.rank += rank;
        if axis.n == 1 {
            return;
        }
        axis.even_out();
        if self.open.n != 0 && !axis.absorb(&self.open) {
            self.close();
        }
        self.open = axis;
    }

    /// The open axis is complete. The line is known as soon as two are.
    #[inline]
    fn close(&mut self) {
        self.complete += 1;
        let covered = match self.complete {
            1 => {
                self.inner = self.open;
                return;
            }
            2 => {
                let (line, covered) = Line::new(&self.inner, Some(&self.open));
                self.line = line;
                covered
            }
            _ => 1,
        };
        if covered < 1 {
            self.add_loop(self.inner);
        }
        if covered < 2 {
            self.add_loop(self.open);
        }
    }

    #[inline(never)]
    fn add_loop(&mut self, axis: Axis) {
        self.nest.get_or_insert_with(Nest::blank).loops.push(axis);
    }

    #[inline]
    pub(crate) fn finish(mut self) -> Form {
        if self.open.n != 0 {
            self.close();
        }
        if self.complete == 1 {
            let (line, covered) = Line::new(&self.inner, None);
            self.line = line;
            if covered < 1 {
                self.add_loop(self.inner);
            }
        }
        match (self.nest, self.line) {
            (None, Line::Single { block, count, stride }) => {
                let row = Row { offset: self.offset, block, count, stride, rank: self.rank };
                Form::Even(EvenRows::single(row))
            }
            (nest, line) => {
                let mut nest = nest.unwrap_or_else(Nest::blank);
                (nest.offset, nest.rank, nest.line) = (self.offset, self.rank, line);
                nest.rows = nest.loops.iter().map(|axis| axis.n).product::<u64>() * line.count();
                Form::Nest(nest)
            }
        }
    }
}

impl Nest {
    #[inline]
    fn blank() -> Box<Self> {
        Box::new(Self { offset: 0, rank: 0, rows: 0, line: Line::single(1, 1, 1), loops: Small::new() })
    }
}
