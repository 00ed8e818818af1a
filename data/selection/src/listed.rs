//! Selections that are a list of rows: irregular hyperslabs and points.

use crate::{Dims, Extent, Row, SelectionError};

/// Rows in selection order, at least one, and the box around them.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    pub(crate) list: List,
    pub(crate) low: Dims,
    pub(crate) high: Dims,
    /// In order of offset?
    pub(crate) sorted: bool,
}

/// Points come by the million, and on such lists the time goes to touching fresh memory: so they have their
/// own, smaller form.
#[derive(Clone, Debug)]
pub(crate) enum List {
    /// Of an irregular hyperslab: no element twice.
    Rows(Vec<Row>),
    /// Of points: runs, and one more entry to mark the end.
    Runs(Vec<Run>),
}

/// The beginning of a run that ends where the rank of the next one begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) offset: u64,
    pub(crate) rank: u64,
}

impl Run {
    /// The first of these as a row; there must be two at least.
    #[inline]
    pub(crate) fn row(runs: &[Run]) -> Row {
        Row::run(runs[0].offset, runs[1].rank - runs[0].rank, runs[0].rank)
    }
}

impl Listed {
    /// Number of elements.
    #[inline]
    pub(crate) fn len(&self) -> u64 {
        match &self.list {
            List::Rows(rows) => rows.last().map_or(0, |row| row.rank + row.len()),
            List::Runs(runs) => runs.last().map_or(0, |run| run.rank),
        }
    }

    /// Number of rows.
    #[inline]
    pub(crate) fn row_count(&self) -> u64 {
        match &self.list {
            List::Rows(rows) => rows.len() as u64,
            List::Runs(runs) => runs.len() as u64 - 1,
        }
    }

    /// The single row, if there is only one.
    #[inline]
    pub(crate) fn only_row(&self) -> Option<Row> {
        match &self.list {
            List::Rows(rows) if rows.len() == 1 => Some(rows[0]),
            List::Runs(runs) if runs.len() == 2 => Some(Run::row(runs)),
            _ => None,
        }
    }

    /// The index of the row that holds the element `rank`.
    #[inline]
    pub(crate) fn find(&self, rank: u64) -> u64 {
        let after = match &self.list {
            List::Rows(rows) => rows.partition_point(|row| row.rank <= rank),
            List::Runs(runs) => runs.partition_point(|run| run.rank <= rank),
        };
        after as u64 - 1
    }

    /// The same list moved by one offset per dimension.
    ///
    /// Rows may run on from the end of one line of the extent to the start of the next. Such a row touches
    /// both ends of the inner dimensions, so a move along those is out of bounds, and a move along the outer
    /// ones keeps it whole.
    pub(crate) fn shifted(&self, extent: &Extent, offset: &[i64]) -> Result<Self, SelectionError> {
        let mut moved = self.clone();
        let mut distance = 0_u64;
        let strides = extent.strides();
        for (dim, &by) in offset.iter().enumerate() {
            moved.low[dim] = shift(self.low[dim], by, dim)?;
            moved.high[dim] = shift(self.high[dim], by, dim)?;
            if moved.high[dim] >= extent.dims()[dim] {
                return Err(SelectionError::OutOfBounds { dim });
            }
            // Modulo 2^64: only the sum is known to be in range.
            distance = distance.wrapping_add(by.cast_unsigned().wrapping_mul(strides[dim]));
        }
        match &mut moved.list {
            List::Rows(rows) => {
                for row in rows {
                    row.offset = row.offset.wrapping_add(distance);
                }
            }
            List::Runs(runs) => {
                for run in runs {
                    run.offset = run.offset.wrapping_add(distance);
                }
            }
        }
        Ok(moved)
    }
}

/// A coordinate moved.
#[inline]
pub(crate) fn shift(coordinate: u64, by: i64, dim: usize) -> Result<u64, SelectionError> {
    coordinate.checked_add_signed(by).ok_or(SelectionError::OutOfBounds { dim })
}
