//! The selection itself: how it is made, what it is, and where its rows begin.

use std::ops::Range;

use crate::listed::Listed;
use crate::nest::{EvenRows, Form};
use crate::slab::{Request, Span, settle};
use crate::small::Small;
use crate::{Cursor, Dims, Extent, MAX_RANK, Row, Rows, SelectionError, blocks, points};

/// One block in each dimension.
const ONES: [u64; MAX_RANK] = [1; MAX_RANK];

/// Which elements of a dataspace are taken, and in what order.
///
/// Everything lies inside the extent: that is checked when the selection is made. HDF5 does not check so
/// early; a selection that lies inside only thanks to its offset (`H5Soffset_simple`) is made by the
/// functions ending in `_at`, which take that offset (one number per dimension, or an empty slice for none).
#[derive(Clone, Debug)]
pub struct Selection {
    extent: Extent,
    len: u64,
    pub(crate) kind: Kind,
    /// Of regular selections: the canonical form, and what was asked for, dimension by dimension.
    form: Form,
    pub(crate) spans: Small<Span, 4>,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// Nothing.
    Empty,
    /// Everything, and something.
    All,
    /// A regular hyperslab.
    Slab,
    /// An irregular hyperslab or points.
    Listed(Box<Listed>),
}

impl Selection {
    /// Every element, in row-major order.
    pub fn all(extent: &Extent) -> Self {
        let mut all = Self::none(extent);
        if extent.count() > 0 {
            all.kind = Kind::All;
            all.len = extent.count();
            all.form = Form::Even(EvenRows::single(Row::run(0, extent.count(), 0)));
            for (span, &size) in all.spans.iter_mut().zip(extent.dims().iter()) {
                *span = Span::solid(0, size);
            }
        }
        all
    }

    /// No element.
    // Not inlined, so that those that are (and end in a move of the result) stay small enough for that.
    #[inline(never)]
    pub fn none(extent: &Extent) -> Self {
        Self {
            extent: extent.clone(),
            len: 0,
            kind: Kind::Empty,
            form: Form::Even(EvenRows::element()),
            spans: Small::filled(Span::default(), extent.rank()),
        }
    }

    /// A regular hyperslab: in each dimension `count` blocks of `block` elements, `stride` apart, from
    /// `start`.
    ///
    /// A `count` or `block` of zero in any dimension selects nothing. Without dimensions it selects the
    /// scalar.
    #[inline]
    pub fn hyperslab(
        extent: &Extent,
        start: &[u64],
        stride: &[u64],
        count: &[u64],
        block: &[u64],
    ) -> Result<Self, SelectionError> {
        Self::hyperslab_at(extent, &[], start, stride, count, block)
    }

    /// A regular hyperslab, moved by `offset`.
    #[inline]
    pub fn hyperslab_at(
        extent: &Extent,
        offset: &[i64],
        start: &[u64],
        stride: &[u64],
        count: &[u64],
        block: &[u64],
    ) -> Result<Self, SelectionError> {
        let mut selection = Self::none(extent);
        selection.select(&Request { offset, start, stride, count, block })?;
        Ok(selection)
    }

    /// A box of `size` elements from `start`.
    #[inline]
    pub fn tile(extent: &Extent, start: &[u64], size: &[u64]) -> Result<Self, SelectionError> {
        Self::hyperslab_at(extent, &[], start, size, &ONES[..extent.rank()], size)
    }

    /// Makes an empty selection a regular hyperslab, in place: moving costs as much as the arithmetic.
    fn select(&mut self, request: &Request) -> Result<(), SelectionError> {
        if request.check(&self.extent, &mut self.spans)? {
            self.kind = Kind::Slab;
            (self.form, self.len) = settle(&self.extent, &self.spans);
        }
        Ok(())
    }

    /// An irregular hyperslab of disjoint blocks, given as `H5Sget_select_hyper_blocklist` does: for each
    /// block the coordinates of its first corner, then those of its last (inclusive). Selected in row-major
    /// order of coordinates.
    pub fn blocks(extent: &Extent, corners: &[u64]) -> Result<Self, SelectionError> {
        Self::blocks_at(extent, &[], corners)
    }

    /// An irregular hyperslab, moved by `offset`.
    pub fn blocks_at(extent: &Extent, offset: &[i64], corners: &[u64]) -> Result<Self, SelectionError> {
        check_offset(extent, offset)?;
        Ok(Self::from_list(extent, blocks::listed(extent, corners, offset)?))
    }

    /// Points, given as `H5Sget_select_elem_pointlist` does: the coordinates of one after the other. Selected
    /// in the order of the list; a point may occur more than once.
    pub fn points(extent: &Extent, coordinates: &[u64]) -> Result<Self, SelectionError> {
        Self::points_at(extent, &[], coordinates)
    }

    /// Points, moved by `offset`.
    pub fn points_at(extent: &Extent, offset: &[i64], coordinates: &[u64]) -> Result<Self, SelectionError> {
        check_offset(extent, offset)?;
        Ok(Self::from_list(extent, points::listed(extent, coordinates, offset)?))
    }

    pub(crate) fn from_list(extent: &Extent, listed: Option<Listed>) -> Self {
        let mut selection = Self::none(extent);
        if let Some(listed) = listed {
            selection.len = listed.len();
            selection.kind = Kind::Listed(Box::new(listed));
        }
        selection
    }

    /// This selection moved by one offset per dimension, as `H5Soffset_simple` does it: hyperslabs and points
    /// move, and must stay inside the extent; *all* and *none* stay what they are (libhdf5 ignores the offset
    /// of an *all*).
    pub fn offset_by(&self, offset: &[i64]) -> Result<Self, SelectionError> {
        self.extent.check_rank(offset.len())?;
        match &self.kind {
            Kind::Empty | Kind::All => Ok(self.clone()),
            Kind::Slab => {
                let [mut start, mut stride, mut count, mut block] =
                    std::array::from_fn(|_| Dims::filled(0, self.spans.len()));
                for (dim, span) in self.spans.iter().enumerate() {
                    (start[dim], stride[dim]) = (span.start, span.stride);
                    (count[dim], block[dim]) = (span.count, span.block);
                }
                Self::hyperslab_at(&self.extent, offset, &start, &stride, &count, &block)
            }
            Kind::Listed(listed) => {
                Ok(Self::from_list(&self.extent, Some(listed.shifted(&self.extent, offset)?)))
            }
        }
    }

    /// The extent selected from.
    #[inline]
    pub fn extent(&self) -> &Extent {
        &self.extent
    }

    /// Number of selected elements (repeated points count each time).
    #[inline]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Nothing selected?
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The smallest box around the selection: its first and its last corner (inclusive). `None` if nothing is
    /// selected.
    pub fn bounds(&self) -> Option<(Dims, Dims)> {
        match &self.kind {
            Kind::Empty => None,
            Kind::All | Kind::Slab => {
                let (mut low, mut high) = (self.extent.dims().clone(), self.extent.dims().clone());
                for (dim, span) in self.spans.iter().enumerate() {
                    low[dim] = span.start;
                    high[dim] = span.last();
                }
                Some((low, high))
            }
            Kind::Listed(listed) => Some((listed.low.clone(), listed.high.clone())),
        }
    }

    /// The offset of the first element, if the whole selection is one contiguous run in selection order.
    #[inline]
    pub fn as_contiguous(&self) -> Option<u64> {
        self.as_row().filter(Row::is_contiguous).map(|row| row.offset)
    }

    /// The whole selection as one row, if it is one.
    #[inline]
    pub fn as_row(&self) -> Option<Row> {
        match &self.kind {
            Kind::Empty => None,
            Kind::All | Kind::Slab => self.form.only_row(),
            Kind::Listed(listed) => listed.only_row(),
        }
    }

    /// Number of rows.
    #[inline]
    pub fn row_count(&self) -> u64 {
        match &self.kind {
            Kind::Empty => 0,
            Kind::All | Kind::Slab => self.form.row_count(),
            Kind::Listed(listed) => listed.row_count(),
        }
    }

    /// The rows in `range` (cut to what there is), in selection order. Hyperslabs give them in order of
    /// offset.
    ///
    /// A row may be as large as the selection. To divide work evenly, cut by rank: see
    /// [`Selection::rows_of_ranks`].
    #[inline]
    pub fn rows(&self, range: Range<u64>) -> Rows<'_> {
        match &self.kind {
            Kind::Empty => Rows::empty(),
            Kind::All | Kind::Slab => Rows::of_form(&self.form, &range),
            Kind::Listed(listed) => Rows::of_list(&listed.list, &range),
        }
    }

    /// The elements whose ranks are in `ranks`, as rows; those at the ends are cut where needed.
    #[inline]
    pub fn rows_of_ranks(&self, ranks: Range<u64>) -> impl Iterator<Item = Row> + '_ {
        let mut cursor = self.cursor(ranks.start);
        std::iter::from_fn(move || cursor.next_row(ranks.end.saturating_sub(cursor.rank())))
    }

    /// All rows in order of their offsets. The same as [`Selection::rows`] for everything but points, whose
    /// rows are sorted (and may overlap, where points repeat).
    pub fn rows_by_offset(&self) -> RowsByOffset<'_> {
        RowsByOffset(match &self.kind {
            Kind::Listed(listed) if !listed.sorted => {
                let rows = Rows::of_list(&listed.list, &(0..u64::MAX));
                let mut runs: Vec<[u64; 3]> = rows.map(|row| [row.offset, row.rank, row.block]).collect();
                runs.sort_unstable();
                Order::Sorted(runs.into_iter())
            }
            _ => Order::Own(self.rows(0..u64::MAX)),
        })
    }

    /// A cursor at the element with this rank; at the end if there is no such element.
    #[inline]
    pub fn cursor(&self, rank: u64) -> Cursor<'_> {
        Cursor::new(self, rank)
    }

    /// The rows from the one that holds the element `rank` on. There must be such an element.
    #[inline]
    pub(crate) fn rows_from_rank(&self, rank: u64) -> Rows<'_> {
        match &self.kind {
            Kind::Empty => Rows::empty(),
            Kind::All | Kind::Slab => Rows::of_form_from_rank(&self.form, rank),
            Kind::Listed(listed) => Rows::of_list(&listed.list, &(listed.find(rank)..u64::MAX)),
        }
    }
}

/// An offset has one entry per dimension, or is absent.
#[inline]
fn check_offset(extent: &Extent, offset: &[i64]) -> Result<(), SelectionError> {
    if offset.is_empty() { Ok(()) } else { extent.check_rank(offset.len()) }
}

/// Rows in order of offset: see [`Selection::rows_by_offset`].
#[derive(Clone, Debug)]
pub struct RowsByOffset<'a>(Order<'a>);

#[derive(Clone, Debug)]
enum Order<'a> {
    Own(Rows<'a>),
    /// Runs of points: offset, rank and length.
    Sorted(std::vec::IntoIter<[u64; 3]>),
}

impl Iterator for RowsByOffset<'_> {
    type Item = Row;

    #[inline]
    fn next(&mut self) -> Option<Row> {
        match &mut self.0 {
            Order::Own(rows) => rows.next(),
            Order::Sorted(runs) => runs.next().map(|[offset, rank, len]| Row::run(offset, len, rank)),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match &self.0 {
            Order::Own(rows) => rows.size_hint(),
            Order::Sorted(rows) => rows.size_hint(),
        }
    }
}

#[cfg(test)]
impl Selection {
    /// Where each element is, in their order.
    pub(crate) fn offsets(&self) -> Vec<u64> {
        let of_row = |row: Row| {
            let block =
                move |turn| row.offset + turn * row.stride..row.offset + turn * row.stride + row.block;
            (0..row.count).flat_map(block)
        };
        self.rows(0..u64::MAX).flat_map(of_row).collect()
    }
}
