//! Going through what a task selects, piece by piece: the same for both directions.

use core::ops::Range;

use selection::{Chunk, Dims, LocalSelection, Piece, Row, Selection, SelectionError, pieces};
use store::StoreError;

use crate::error::EngineError;
use crate::plan::PartPlan;

/// What moves pieces between a file and memory.
pub(crate) trait Mover {
    /// The pieces that follow are of this chunk.
    fn enter(&mut self, chunk: &Chunk);

    /// Moves a piece whose elements are counted from byte `base` of the file, now or with its neighbours.
    fn piece(&mut self, base: u64, piece: &Piece) -> Result<(), MoveError>;

    /// Moves what is left.
    fn flush(&mut self) -> Result<(), MoveError>;
}

/// What stops a move; the task adds which part it was.
#[derive(Debug)]
pub(crate) enum MoveError {
    Store(StoreError),
    Overflow,
}

impl From<StoreError> for MoveError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// What stops a walk over pieces.
#[derive(Debug)]
pub(crate) enum WalkError {
    Move(MoveError),
    Selection(SelectionError),
}

impl From<MoveError> for WalkError {
    fn from(error: MoveError) -> Self {
        Self::Move(error)
    }
}

impl WalkError {
    /// The byte of the file that could not be read or written, if it was one.
    fn at(&self) -> Option<u64> {
        match self {
            Self::Move(MoveError::Store(
                StoreError::Io { offset, .. } | StoreError::Write { offset, .. },
            )) => Some(*offset),
            Self::Move(MoveError::Store(StoreError::OutsideFile { offset, length, .. })) => {
                Some(offset.saturating_add(length.saturating_sub(1)))
            }
            _ => None,
        }
    }

    /// The error of a read.
    pub(crate) fn of_part(self, part: usize, chunk: Option<Dims>) -> EngineError {
        match self {
            Self::Move(MoveError::Store(source)) => EngineError::Read { part, chunk, source },
            Self::Move(MoveError::Overflow) => EngineError::Overflow { part, chunk },
            Self::Selection(source) => EngineError::Selection { part, source },
        }
    }

    /// The error of a write, which may have read as well.
    pub(crate) fn of_written_part(self, part: usize, chunk: Option<Dims>) -> EngineError {
        match self {
            Self::Move(MoveError::Store(
                source @ (StoreError::Write { .. } | StoreError::OutsideFile { .. }),
            )) => EngineError::Write { part, chunk, source },
            other => other.of_part(part, chunk),
        }
    }
}

/// What a walk through one part needs to know.
pub(crate) struct Walk<'w> {
    pub(crate) memory: &'w Selection,
    /// Whether what is selected of the file is in order of offset.
    pub(crate) in_order: bool,
    pub(crate) plan: &'w PartPlan<'w>,
}

impl Walk<'_> {
    /// Moves rows of a contiguous dataset that begins at `base`.
    pub(crate) fn rows(
        &self,
        base: u64,
        rows: impl Iterator<Item = Row>,
        mover: &mut impl Mover,
    ) -> Result<(), WalkError> {
        each_piece(rows, self.memory, |piece| mover.piece(base, piece))?;
        Ok(mover.flush()?)
    }

    /// Moves what is selected in each of these of the plan's chunks, or only these elements of it. An error comes
    /// with the origin of the chunk.
    pub(crate) fn chunks(
        &self,
        range: Range<usize>,
        elements: Option<&Range<u64>>,
        mover: &mut impl Mover,
    ) -> Result<(), (WalkError, Option<Dims>)> {
        let Some(touched) = &self.plan.touched else { return Ok(()) };
        let chunks = &self.plan.chunks[range];
        let mut current = 0;
        let mut move_all = || {
            for &(number, address) in chunks {
                current = number;
                let Some(chunk) = touched.nth(number) else { continue };
                let local = touched.local(&chunk);
                mover.enter(&chunk);
                let mut use_piece = |piece: &Piece| mover.piece(address, piece);
                match elements {
                    None if self.in_order => each_piece(local.rows(), self.memory, &mut use_piece)?,
                    Some(range) if self.in_order => {
                        each_piece(cut(local.rows(), range.clone()), self.memory, &mut use_piece)?;
                    }
                    _ => {
                        let range = elements.cloned().unwrap_or(0..u64::MAX);
                        let mut rows: Vec<_> = cut(local.rows(), range).collect();
                        rows.sort_unstable_by_key(|row| (row.offset, row.rank));
                        each_piece(rows.into_iter(), self.memory, &mut use_piece)?;
                    }
                }
            }
            Ok(mover.flush()?)
        };
        move_all().map_err(|error: WalkError| {
            // A system call may be for several chunks, and for earlier ones than the current.
            let number = error.at().map_or(current, |at| {
                chunks.iter().rev().find(|(_, address)| *address <= at).map_or(current, |chunk| chunk.0)
            });
            (error, touched.nth(number).map(|chunk| chunk.origin))
        })
    }
}

/// Calls `use_piece` with each piece until it fails.
pub(crate) fn each_piece(
    rows: impl Iterator<Item = Row>,
    memory: &Selection,
    mut use_piece: impl FnMut(&Piece) -> Result<(), MoveError>,
) -> Result<(), WalkError> {
    let mut failure = None;
    pieces(rows, memory, |piece| {
        if failure.is_none() {
            failure = use_piece(&piece).err();
        }
    })
    .map_err(WalkError::Selection)?;
    failure.map_or(Ok(()), |error| Err(WalkError::Move(error)))
}

/// Where in memory what is selected of a chunk begins, if it is one run on both sides, and in the chunk from its first
/// element on.
pub(crate) fn run_in_memory(local: &LocalSelection<'_>, memory: &Selection) -> Option<u64> {
    let row = local.as_row().filter(|row| row.count == 1 && row.offset == 0)?;
    let (place, run) = memory.cursor(row.rank).next_run(row.block)?;
    (run == row.block).then_some(place)
}

/// The elements of the rows that are in `range`, counted over all rows.
fn cut(rows: impl Iterator<Item = Row>, range: Range<u64>) -> impl Iterator<Item = Row> {
    let mut before = 0;
    rows.map_while(move |row| {
        let begin = range.start.saturating_sub(before).min(row.len());
        let end = range.end.checked_sub(before).filter(|left| *left > 0)?.min(row.len());
        before += row.len();
        Some(cut_row(&row, begin, end))
    })
    .flatten()
}

/// Elements `begin` to `end` of a row: the end of a block, whole blocks, the beginning of a block.
fn cut_row(row: &Row, begin: u64, end: u64) -> impl Iterator<Item = Row> + use<> {
    let &Row { offset, block, stride, rank, .. } = row;
    let blocks = |at: u64, block: u64, count: u64| Row {
        offset: offset + at / row.block * row.stride + at % row.block,
        block,
        count,
        stride: if count == 1 { block } else { stride },
        rank: rank + at,
    };
    let head = (begin.next_multiple_of(block).min(end) - begin) % block;
    let whole = (end - begin - head) / block;
    let rest = (end - begin - head) % block;
    [
        (head > 0).then(|| blocks(begin, head, 1)),
        (whole > 0).then(|| blocks(begin + head, block, whole)),
        (rest > 0).then(|| blocks(end - rest, rest, 1)),
    ]
    .into_iter()
    .flatten()
}

#[cfg(test)]
mod tests;
