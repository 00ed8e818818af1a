//! Walking a selection row by row.
//!
//! A nest is walked by an odometer: each loop keeps its own offset and rank, the innermost is kept in fields
//! of the iterator, and a step is a decrement and two additions. Division happens once, in the seek.

use std::ops::Range;
use std::slice;

use crate::Row;
use crate::axis::Axis;
use crate::buckets::Cut;
use crate::listed::{List, Run};
use crate::nest::{EvenRows, Form, Line, Nest};
use crate::small::Small;

/// The rows of a selection, or of its part in a chunk, in selection order.
#[derive(Clone, Debug)]
pub struct Rows<'a>(Inner<'a>);

#[derive(Clone, Debug)]
enum Inner<'a> {
    Even(EvenRows),
    List(slice::Iter<'a, Row>),
    /// With one entry more than there are rows.
    Runs(&'a [Run]),
    Cuts(slice::Iter<'a, Cut>),
    Nest(NestRows<'a>),
}

impl<'a> Rows<'a> {
    /// No rows.
    #[inline]
    pub(crate) fn empty() -> Self {
        Self(Inner::List([].iter()))
    }

    /// Rows `range` of a list.
    #[inline]
    pub(crate) fn of_list(list: &'a List, range: &Range<u64>) -> Self {
        Self(match list {
            List::Rows(rows) => Inner::List(rows[indices(range, rows.len())].iter()),
            List::Runs(runs) => {
                let Range { start, end } = indices(range, runs.len() - 1);
                Inner::Runs(&runs[start..=end])
            }
        })
    }

    /// Rows `range` of what a chunk has of a list.
    #[inline]
    pub(crate) fn of_cuts(cuts: &'a [Cut], range: &Range<u64>) -> Self {
        Self(Inner::Cuts(cuts[indices(range, cuts.len())].iter()))
    }

    /// Rows `range` of a regular selection.
    #[inline]
    pub(crate) fn of_form(form: &'a Form, range: &Range<u64>) -> Self {
        match form {
            Form::Even(rows) => {
                let end = range.end.min(rows.n);
                Self(Inner::Even(rows.part(range.start.min(end), end)))
            }
            Form::Nest(nest) => Self::of_nest(nest, range),
        }
    }

    fn of_nest(nest: &'a Nest, range: &Range<u64>) -> Self {
        let end = range.end.min(nest.rows);
        if range.start >= end {
            return Self::empty();
        }
        let per_line = nest.line.count();
        let (line, index) = match (per_line, range.start) {
            (_, 0) => (0, 0),
            (1, start) => (start, 0),
            (_, start) => (start / per_line, start % per_line),
        };
        Self(Inner::Nest(NestRows::new(nest, line, index, end - range.start)))
    }

    /// The rows from the one that holds the element `rank` (less than the length). Only for the form of a
    /// whole selection, not of its part in a chunk: there ranks and lines are in step.
    #[inline]
    pub(crate) fn of_form_from_rank(form: &'a Form, rank: u64) -> Self {
        let nest = match form {
            Form::Even(rows) => {
                let start = if rows.n == 1 { 0 } else { rank / rows.row.len() };
                return Self(Inner::Even(rows.part(start, rows.n)));
            }
            Form::Nest(nest) => nest,
        };
        let (line, within) = if nest.loops.is_empty() {
            (0, rank)
        } else {
            let len = nest.line.len();
            (rank / len, rank % len)
        };
        let index = nest.line.find(within);
        let before = line * nest.line.count() + index;
        Self(Inner::Nest(NestRows::new(nest, line, index, nest.rows - before)))
    }

    /// How many rows are left.
    #[inline]
    pub fn remaining(&self) -> u64 {
        match &self.0 {
            Inner::Even(rows) => rows.n,
            Inner::List(rows) => rows.len() as u64,
            Inner::Runs(runs) => runs.len() as u64 - 1,
            Inner::Cuts(cuts) => cuts.len() as u64,
            Inner::Nest(rows) => rows.left,
        }
    }
}

impl Iterator for Rows<'_> {
    type Item = Row;

    #[inline]
    fn next(&mut self) -> Option<Row> {
        match &mut self.0 {
            Inner::Nest(rows) => rows.next(),
            Inner::List(rows) => rows.next().copied(),
            Inner::Runs(runs) => {
                let row = (runs.len() > 1).then(|| Run::row(runs))?;
                *runs = &runs[1..];
                Some(row)
            }
            Inner::Cuts(cuts) => cuts.next().map(Cut::row),
            Inner::Even(rows) => (rows.n > 0).then(|| rows.pop()),
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        match usize::try_from(self.remaining()) {
            Ok(left) => (left, Some(left)),
            Err(_) => (usize::MAX, None),
        }
    }

    #[inline]
    fn fold<B, F: FnMut(B, Row) -> B>(self, init: B, mut f: F) -> B {
        match self.0 {
            Inner::Nest(rows) => rows.fold(init, f),
            Inner::List(rows) => rows.copied().fold(init, f),
            Inner::Runs(runs) => runs.windows(2).map(Run::row).fold(init, f),
            Inner::Cuts(cuts) => cuts.map(Cut::row).fold(init, f),
            Inner::Even(mut rows) => {
                let mut result = init;
                while rows.n > 0 {
                    result = f(result, rows.pop());
                }
                result
            }
        }
    }
}

impl std::iter::FusedIterator for Rows<'_> {}

/// A range of rows cut to the `len` there are.
#[inline]
fn indices(range: &Range<u64>, len: usize) -> Range<usize> {
    let clamp = |index: u64| usize::try_from(index).unwrap_or(usize::MAX).min(len);
    clamp(range.start).min(clamp(range.end))..clamp(range.end)
}

/// Where one loop stands. `left` counts the elements from the current one on.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    left: u64,
    in_block: u64,
    offset: u64,
    rank: u64,
}

impl Level {
    #[inline]
    fn advance(&mut self, axis: &Axis) {
        self.left -= 1;
        self.in_block -= 1;
        self.rank += axis.rank_step;
        if self.in_block > 0 {
            self.offset += axis.step;
        } else {
            self.offset += axis.jump;
            self.in_block = axis.block;
        }
    }
}

#[derive(Clone, Debug)]
struct NestRows<'a> {
    nest: &'a Nest,
    /// Rows still to give.
    left: u64,
    /// The next row of the current line, and how many rows a line has.
    index: u64,
    per_line: u64,
    /// The innermost loop: its state is the start of the current line.
    level: Level,
    axis: Axis,
    /// The other loops, innermost first.
    outer: Small<Level, 2>,
}

impl<'a> NestRows<'a> {
    /// The rows from row `index` of line number `line` on.
    #[inline]
    fn new(nest: &'a Nest, line: u64, index: u64, left: u64) -> Self {
        let mut rows = Self {
            nest,
            left,
            index,
            per_line: nest.line.count(),
            level: Level { left: 1, in_block: 1, offset: nest.offset, rank: nest.rank },
            axis: Axis::default(),
            outer: Small::new(),
        };
        if let Some((inner, others)) = nest.loops.split_first() {
            rows.axis = *inner;
            rows.seek(line, others);
        }
        rows
    }

    /// Puts the loops where line number `line` is.
    fn seek(&mut self, mut line: u64, others: &[Axis]) {
        // The digits of the line number, innermost first, each relative to the start of its own loop.
        let mut digit = |axis: &Axis, outermost: bool| {
            let index = if line == 0 || outermost {
                line
            } else {
                let index = line % axis.n;
                line /= axis.n;
                index
            };
            let spot = axis.spot(index);
            let rank = index * axis.rank_step;
            Level { left: axis.n - index, in_block: spot.in_block, offset: spot.offset, rank }
        };
        self.level = digit(&self.axis, others.is_empty());
        for (k, axis) in others.iter().enumerate() {
            self.outer.push(digit(axis, k + 1 == others.len()));
        }
        // From the outermost in, each starts where the one around it stands.
        let mut start = (self.nest.offset, self.nest.rank);
        for level in self.outer.iter_mut().rev() {
            level.offset += start.0;
            level.rank += start.1;
            start = (level.offset, level.rank);
        }
        self.level.offset += start.0;
        self.level.rank += start.1;
    }

    #[inline]
    fn next(&mut self) -> Option<Row> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let mut row = self.nest.line.row(self.index);
        row.offset += self.level.offset;
        row.rank += self.level.rank;
        self.index += 1;
        if self.index == self.per_line {
            self.index = 0;
            if self.level.left > 1 {
                self.level.advance(&self.axis);
            } else {
                self.carry();
            }
        }
        Some(row)
    }

    /// All rows, with the innermost loop and a single-row line kept in registers.
    #[inline]
    fn fold<B, F: FnMut(B, Row) -> B>(mut self, init: B, mut f: F) -> B {
        let mut result = init;
        if let Line::Single { .. } = self.nest.line {
            let row = self.nest.line.row(0);
            while self.left > 0 {
                let lines = self.level.left.min(self.left);
                self.left -= lines;
                let mut level = self.level;
                for _ in 1..lines {
                    result = f(result, Row { offset: level.offset, rank: level.rank, ..row });
                    level.advance(&self.axis);
                }
                result = f(result, Row { offset: level.offset, rank: level.rank, ..row });
                self.carry();
            }
            return result;
        }
        while let Some(row) = self.next() {
            result = f(result, row);
        }
        result
    }

    /// Advances the next loop outwards that is not at its end and starts all inner ones anew. Does nothing
    /// after the last line.
    #[cold]
    fn carry(&mut self) {
        let Some((inner, others)) = self.nest.loops.split_first() else { return };
        let Some(turned) = self.outer.iter().position(|level| level.left > 1) else { return };
        self.outer[turned].advance(&others[turned]);
        let Level { offset, rank, .. } = self.outer[turned];
        for (level, axis) in self.outer.iter_mut().zip(others).take(turned) {
            *level = Level { left: axis.n, in_block: axis.first, offset, rank };
        }
        self.level = Level { left: inner.n, in_block: inner.first, offset, rank };
    }
}
