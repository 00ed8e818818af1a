//! The chunks a selection touches, and what it selects in each.
//!
//! For regular selections the touched chunks are a product of per-dimension lists that exist only as formulas
//! ([`Stops`]), so neither their number nor the number of chunks in the grid costs anything. Listed
//! selections are sorted into chunks once, when this is made.

use std::ops::Range;

use crate::axis::Axis;
use crate::buckets::Buckets;
use crate::local::{LocalSelection, Part};
use crate::nest::{Builder, EvenRows, Form};
use crate::selection::Kind as Selected;
use crate::slab::{Clip, Span, weights};
use crate::small::Small;
use crate::stops::Stops;
use crate::{Chunk, ChunkGrid, Dims, Selection};

/// The chunks touched by a selection: see [`ChunkGrid::touched`].
#[derive(Clone, Debug)]
pub struct TouchedChunks<'a> {
    grid: &'a ChunkGrid,
    count: u64,
    kind: Kind<'a>,
}

#[derive(Clone, Debug)]
enum Kind<'a> {
    Empty,
    Product { spans: &'a [Span], stops: Small<Stops, 4>, weights: Dims },
    Buckets(Buckets),
}

impl<'a> TouchedChunks<'a> {
    pub(crate) fn new(grid: &'a ChunkGrid, selection: &'a Selection) -> Self {
        match &selection.kind {
            Selected::Empty => Self { grid, count: 0, kind: Kind::Empty },
            Selected::All | Selected::Slab => {
                let spans = &selection.spans[..];
                let mut stops = Small::filled(Stops::default(), spans.len());
                let mut count = 1;
                for ((slot, span), &chunk) in stops.iter_mut().zip(spans).zip(grid.chunk_dims().iter()) {
                    *slot = Stops::new(span, chunk);
                    count *= slot.n;
                }
                Self { grid, count, kind: Kind::Product { spans, stops, weights: weights(spans) } }
            }
            Selected::Listed(listed) => {
                let buckets = Buckets::new(grid, listed);
                let count = buckets.count();
                Self { grid, count, kind: Kind::Buckets(buckets) }
            }
        }
    }

    /// How many chunks are touched.
    #[inline]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The grid they are of.
    #[inline]
    pub fn grid(&self) -> &'a ChunkGrid {
        self.grid
    }

    /// The touched chunk at place `index` in row-major order. O(dimensions) for regular selections (times a
    /// logarithm where blocks of several elements lie more than a chunk apart).
    pub fn nth(&self, index: u64) -> Option<Chunk> {
        if index >= self.count {
            return None;
        }
        match &self.kind {
            Kind::Empty => None,
            Kind::Product { spans, stops, .. } => {
                let mut scaled = Dims::filled(0, stops.len());
                let mut rest = index;
                for (dim, along) in stops.iter().enumerate().rev() {
                    let place = digit(&mut rest, along.n);
                    scaled[dim] = along.at(&spans[dim], self.grid.chunk_dims()[dim], place);
                }
                Some(self.grid.chunk_inside(scaled))
            }
            Kind::Buckets(buckets) => Some(self.grid.chunk_numbered(buckets.number(index)?)),
        }
    }

    /// All touched chunks in row-major order.
    pub fn iter(&self) -> TouchedIter<'_> {
        self.range(0..u64::MAX)
    }

    /// The touched chunks at the places in `range` (cut to what there is).
    pub fn range(&self, range: Range<u64>) -> TouchedIter<'_> {
        let end = range.end.min(self.count);
        let mut places = Dims::of(&[]);
        if let (Kind::Product { stops, .. }, true) = (&self.kind, range.start < end) {
            places = Dims::filled(0, stops.len());
            let mut rest = range.start;
            for (place, along) in places.iter_mut().zip(stops.iter()).rev() {
                *place = digit(&mut rest, along.n);
            }
        }
        TouchedIter {
            touched: self,
            next: range.start,
            end: end.max(range.start),
            chunk: self.nth(range.start),
            places,
        }
    }

    /// What is selected in a chunk of the same grid (nothing, if it is not touched).
    pub fn local(&self, chunk: &Chunk) -> LocalSelection<'_> {
        match &self.kind {
            Kind::Empty => {
                LocalSelection { part: Part::Nothing, len: 0, inside: self.grid.elements_inside(chunk) }
            }
            Kind::Product { spans, weights, .. } => self.local_of_spans(spans, weights, chunk),
            Kind::Buckets(buckets) => {
                let cuts = buckets.cuts(chunk.number);
                LocalSelection {
                    len: cuts.iter().map(|cut| cut.row().len()).sum(),
                    inside: self.grid.elements_inside(chunk),
                    part: Part::Cuts { cuts, distinct: buckets.distinct },
                }
            }
        }
    }

    fn local_of_spans(&self, spans: &[Span], weights: &[u64], chunk: &Chunk) -> LocalSelection<'_> {
        let mut rows = EvenRows::element();
        let (mut len, mut inside, mut even) = (1, 1, true);
        for (dim, span) in spans.iter().enumerate().rev() {
            let (low, high) = self.grid.window(dim, chunk.origin[dim]);
            inside *= high - low;
            let clip = span.clip(low, high);
            len *= clip.n;
            let (offset, rank, mut axis) = self.along(dim, span, &clip, low, weights[dim]);
            axis.even_out();
            even = even && rows.push(offset, rank, &axis);
        }
        let part = if len == 0 {
            Part::Nothing
        } else if even {
            Part::Regular(Form::Even(rows))
        } else {
            Part::Regular(self.nest_of_spans(spans, weights, chunk))
        };
        LocalSelection { part, len, inside }
    }

    #[inline(never)]
    fn nest_of_spans(&self, spans: &[Span], weights: &[u64], chunk: &Chunk) -> Form {
        let mut builder = Builder::new();
        for (dim, span) in spans.iter().enumerate().rev() {
            let (low, high) = self.grid.window(dim, chunk.origin[dim]);
            let (offset, rank, axis) = self.along(dim, span, &span.clip(low, high), low, weights[dim]);
            builder.push(offset, rank, axis);
        }
        builder.finish()
    }

    /// What is selected along one dimension of a chunk that begins at `low`: offset and rank of the first,
    /// and the loop.
    #[inline]
    fn along(&self, dim: usize, span: &Span, clip: &Clip, low: u64, weight: u64) -> (u64, u64, Axis) {
        if clip.n == 0 {
            return (0, 0, Axis::default());
        }
        let step = self.grid.chunk_strides()[dim];
        ((clip.start - low) * step, clip.before * weight, span.axis(clip.n, clip.first, step, weight))
    }
}

/// The lowest digit of a mixed-radix number, which is taken off it.
#[inline]
fn digit(number: &mut u64, radix: u64) -> u64 {
    if *number < radix {
        return std::mem::take(number);
    }
    let digit = *number % radix;
    *number /= radix;
    digit
}

impl<'b> IntoIterator for &'b TouchedChunks<'_> {
    type Item = Chunk;
    type IntoIter = TouchedIter<'b>;

    fn into_iter(self) -> TouchedIter<'b> {
        self.iter()
    }
}

/// Iterator over touched chunks: see [`TouchedChunks::iter`].
#[derive(Clone, Debug)]
pub struct TouchedIter<'a> {
    touched: &'a TouchedChunks<'a>,
    next: u64,
    end: u64,
    /// The next chunk and, for products, its place along each dimension.
    chunk: Option<Chunk>,
    places: Dims,
}

/// Moves to the next chunk of a product; after the last one, to the first.
#[inline]
fn advance(chunk: &mut Chunk, places: &mut Dims, grid: &ChunkGrid, spans: &[Span], stops: &[Stops]) {
    for (dim, along) in stops.iter().enumerate().rev() {
        let (size, weight) = (grid.chunk_dims()[dim], grid.weights()[dim]);
        let current = chunk.scaled[dim];
        let turned = places[dim] + 1 < along.n;
        let next = if turned {
            places[dim] += 1;
            along.after(&spans[dim], size, current, places[dim] - 1)
        } else {
            places[dim] = 0;
            along.first
        };
        chunk.scaled[dim] = next;
        chunk.origin[dim] = next * size;
        chunk.number = chunk.number - current * weight + next * weight;
        if turned {
            return;
        }
    }
}

impl Iterator for TouchedIter<'_> {
    type Item = Chunk;

    #[inline]
    fn next(&mut self) -> Option<Chunk> {
        if self.next >= self.end {
            return None;
        }
        self.next += 1;
        let touched = self.touched;
        match (&touched.kind, &mut self.chunk) {
            (Kind::Product { spans, stops, .. }, Some(chunk)) => {
                let current = chunk.clone();
                advance(chunk, &mut self.places, touched.grid, spans, stops);
                Some(current)
            }
            _ => std::mem::replace(&mut self.chunk, touched.nth(self.next)),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        match usize::try_from(self.end - self.next) {
            Ok(left) => (left, Some(left)),
            Err(_) => (usize::MAX, None),
        }
    }
}

impl std::iter::FusedIterator for TouchedIter<'_> {}
