//! The part of a selection inside one chunk.

use std::ops::Range;

use crate::buckets::Cut;
use crate::nest::Form;
use crate::{Row, Rows};

/// What of a selection lies in a chunk. Offsets are in the chunk's own row-major layout of full chunk
/// dimensions; ranks are those of the whole selection.
#[derive(Clone, Debug)]
pub struct LocalSelection<'a> {
    pub(crate) part: Part<'a>,
    pub(crate) len: u64,
    /// Elements of the chunk that are inside the extent.
    pub(crate) inside: u64,
}

#[derive(Clone, Debug)]
pub(crate) enum Part<'a> {
    Nothing,
    /// Of a regular selection.
    Regular(Form),
    /// Of an irregular hyperslab or points; no element twice if `distinct`.
    Cuts {
        cuts: &'a [Cut],
        distinct: bool,
    },
}

impl LocalSelection<'_> {
    /// Number of selected elements in the chunk (repeated points count each time).
    #[inline]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Nothing selected in this chunk?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Every element of the chunk that is inside the extent selected?
    pub fn is_whole_chunk(&self) -> bool {
        match self.part {
            Part::Cuts { cuts, distinct: false } if self.len >= self.inside => {
                // Points may repeat: count the different ones.
                let mut runs: Vec<(u64, u64)> =
                    cuts.iter().map(Cut::row).map(|row| (row.offset, row.end())).collect();
                runs.sort_unstable();
                let (mut free, mut covered) = (0, 0);
                for (start, end) in runs {
                    covered += end.saturating_sub(start.max(free));
                    free = free.max(end);
                }
                covered == self.inside
            }
            _ => self.len == self.inside,
        }
    }

    /// Number of rows.
    #[inline]
    pub fn row_count(&self) -> u64 {
        match &self.part {
            Part::Nothing => 0,
            Part::Regular(form) => form.row_count(),
            Part::Cuts { cuts, .. } => cuts.len() as u64,
        }
    }

    /// All rows, in selection order.
    #[inline]
    pub fn rows(&self) -> Rows<'_> {
        self.rows_in(0..u64::MAX)
    }

    /// The rows in `range` (cut to what there is), in selection order.
    #[inline]
    pub fn rows_in(&self, range: Range<u64>) -> Rows<'_> {
        match &self.part {
            Part::Nothing => Rows::empty(),
            Part::Regular(form) => Rows::of_form(form, &range),
            Part::Cuts { cuts, .. } => Rows::of_cuts(cuts, &range),
        }
    }

    /// The whole part as one row, if it is one.
    #[inline]
    pub fn as_row(&self) -> Option<Row> {
        match &self.part {
            Part::Regular(form) => form.only_row(),
            Part::Cuts { cuts: [cut], .. } => Some(cut.row()),
            _ => None,
        }
    }
}
