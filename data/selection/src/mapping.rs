//! Mappings: what two selections have in common, and where that is in a third.
//!
//! A mapping says that the elements of a selection are those of another one with the same ranks. Who reads through it
//! has to know which elements of a request lie in the mapping, by their ranks in both ([`common`]), and where elements
//! of these ranks are on the other sides ([`Selection::of_ranks`]). What no mapping has is the [`rest`].
//!
//! Ranks are selections too: of an extent that has as many elements as the selection they are ranks of. For regular
//! selections they are found dimension by dimension, for others run by run.

use crate::listed::{List, Listed, Run};
use crate::selection::Kind;
use crate::slab::Span;
use crate::small::Small;
use crate::{Cursor, Dims, Extent, Row, Selection, SelectionError};

/// The elements that two selections have in common.
#[derive(Clone, Debug)]
pub struct Common {
    /// Their ranks in the first selection.
    pub first: Selection,
    /// Their ranks in the second one.
    pub second: Selection,
}

/// What two selections of one extent have in common, in order of offset; `None` if that is nothing. Both must be
/// [rising](Selection::is_rising): of others only a part is found.
///
/// # Errors
/// `ExtentMismatch` if they are of different extents.
pub fn common(first: &Selection, second: &Selection) -> Result<Option<Common>, SelectionError> {
    if first.extent() != second.extent() {
        return Err(SelectionError::ExtentMismatch);
    }
    if first.is_empty() || second.is_empty() {
        return Ok(None);
    }
    match (first.regular(), second.regular()) {
        (Some(one), Some(other)) => match by_dimension(one, other)? {
            Met::Nowhere => Ok(None),
            Met::Here(common) => Ok(Some(common)),
            Met::Irregular => Ok(by_run(first, second)),
        },
        _ => Ok(by_run(first, second)),
    }
}

/// The ranks below `len` that are in none of these selections of ranks; `None` if there are none.
///
/// # Errors
/// `BlocksOverlap` if two of them have a rank in common.
pub fn rest<'a>(
    len: u64,
    taken: impl IntoIterator<Item = &'a Selection>,
) -> Result<Option<Selection>, SelectionError> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for ranks in taken {
        for row in ranks.rows(0..u64::MAX) {
            runs.extend((0..row.count).map(|turn| (row.offset + turn * row.stride, row.block)));
        }
    }
    runs.sort_unstable();
    let (mut left, mut free) = (Lister::default(), 0);
    for (start, length) in runs {
        if start < free {
            return Err(SelectionError::BlocksOverlap);
        }
        left.push(free, start - free);
        free = start + length;
    }
    left.push(free, len.saturating_sub(free));
    Ok(left.finish(&Extent::new(&[len])?))
}

impl Selection {
    /// The elements with these ranks, in the order of the ranks.
    ///
    /// # Errors
    /// `LengthMismatch` if there are no elements with some of them.
    pub fn of_ranks(&self, ranks: &Selection) -> Result<Selection, SelectionError> {
        if ranks.extent().count() != self.len() {
            let (needed, memory) = (ranks.extent().count(), self.len());
            return Err(SelectionError::LengthMismatch { needed, memory });
        }
        if ranks.is_empty() {
            return Ok(Self::none(self.extent()));
        }
        if ranks.len() == self.len() && ranks.as_contiguous() == Some(0) {
            return Ok(self.clone());
        }
        if let (Some(own), Some(wanted)) = (self.regular(), ranks.regular())
            && let Some(spans) = dimensions_of_ranks(own, ranks.extent().dims(), wanted)
        {
            return of_spans(self.extent(), &spans);
        }
        let mut list = Lister::default();
        if let Some(base) = self.as_contiguous() {
            for row in ranks.rows(0..u64::MAX) {
                list.push_row(Row { offset: base + row.offset, ..row });
            }
        } else {
            let mut cursor = self.cursor(0);
            for row in ranks.rows(0..u64::MAX) {
                for turn in 0..row.count {
                    let start = row.offset + turn * row.stride;
                    if cursor.rank() != start {
                        cursor.seek(start);
                    }
                    let mut left = row.block;
                    while let Some((offset, length)) = cursor.next_run(left) {
                        list.push(offset, length);
                        left -= length;
                    }
                }
            }
        }
        Ok(list.finish(self.extent()).unwrap_or_else(|| Self::none(self.extent())))
    }

    /// Whether it is in order of offset, and has no element twice.
    pub fn is_rising(&self) -> bool {
        match &self.kind {
            Kind::Empty | Kind::All | Kind::Slab => true,
            Kind::Listed(listed) => match &listed.list {
                List::Rows(_) => listed.sorted,
                // A run may begin inside of the one before.
                List::Runs(runs) => {
                    let mut free = 0;
                    listed.sorted
                        && runs.windows(2).all(|run| {
                            let row = Run::row(run);
                            let follows = row.offset >= free;
                            free = row.end();
                            follows
                        })
                }
            },
        }
    }

    /// Dimension by dimension, if it is regular and not empty.
    fn regular(&self) -> Option<&[Span]> {
        match &self.kind {
            Kind::All | Kind::Slab => Some(&self.spans),
            Kind::Empty | Kind::Listed(_) => None,
        }
    }
}

/// Where two regular selections meet.
enum Met {
    Nowhere,
    Here(Common),
    /// There is more than arithmetic to it.
    Irregular,
}

fn by_dimension(first: &[Span], second: &[Span]) -> Result<Met, SelectionError> {
    let [mut in_first, mut in_second]: [Small<Span, 4>; 2] =
        std::array::from_fn(|_| Small::filled(Span::default(), first.len()));
    let mut is_irregular = false;
    for (dim, (one, other)) in first.iter().zip(second).enumerate() {
        match meet(one, other) {
            Along::Nowhere => return Ok(Met::Nowhere),
            Along::Here(here, there) => (in_first[dim], in_second[dim]) = (here, there),
            Along::Irregular => is_irregular = true,
        }
    }
    if is_irregular {
        return Ok(Met::Irregular);
    }
    let ranks = |spans: &[Span], found: &[Span]| {
        let mut counts = Dims::filled(0, spans.len());
        for (count, span) in counts.iter_mut().zip(spans) {
            *count = span.len();
        }
        of_spans(&Extent::new(&counts)?, found)
    };
    Ok(Met::Here(Common { first: ranks(first, &in_first)?, second: ranks(second, &in_second)? }))
}

/// Where two spans meet along a dimension: the places among the selected coordinates of each.
enum Along {
    Nowhere,
    Here(Span, Span),
    Irregular,
}

fn meet(one: &Span, other: &Span) -> Along {
    if one.count == 1 {
        return in_block(one, other);
    }
    if other.count == 1 {
        return match in_block(other, one) {
            Along::Here(there, here) => Along::Here(here, there),
            none => none,
        };
    }
    let is_same = (one.start, one.stride, one.count, one.block)
        == (other.start, other.stride, other.count, other.block);
    if is_same {
        return Along::Here(Span::solid(0, one.len()), Span::solid(0, one.len()));
    }
    if one.last() < other.start || other.last() < one.start { Along::Nowhere } else { Along::Irregular }
}

/// What lies in one block.
fn in_block(block: &Span, other: &Span) -> Along {
    let clip = other.clip(block.start, block.start + block.block);
    if clip.n == 0 {
        return Along::Nowhere;
    }
    let (start, there) = (clip.start - block.start, Span::solid(clip.before, clip.n));
    if clip.n <= clip.first {
        Along::Here(Span::solid(start, clip.n), there)
    } else if clip.first == other.block && clip.n.is_multiple_of(other.block) {
        let count = clip.n / other.block;
        Along::Here(Span { start, stride: other.stride, count, block: other.block }, there)
    } else {
        Along::Irregular
    }
}

/// The elements of a regular selection whose ranks, in an extent of these dimensions, are a regular selection as well;
/// `None` if they are not regular, or if the extent has other dimensions than what is selected.
fn dimensions_of_ranks(own: &[Span], dims: &[u64], wanted: &[Span]) -> Option<Small<Span, 4>> {
    let mut found: Small<Span, 4> = Small::filled(Span::default(), own.len());
    // Dimensions of which only one coordinate is selected have no influence on ranks.
    let mut ranks = dims.iter().zip(wanted).filter(|(dim, _)| **dim > 1);
    for (place, span) in found.iter_mut().zip(own) {
        *place = if span.len() == 1 {
            *span
        } else {
            let (dim, wanted) = ranks.next()?;
            if *dim != span.len() {
                return None;
            }
            part_of_span(span, wanted)?
        };
    }
    ranks.next().is_none().then_some(found)
}

/// Those of the selected coordinates of a span that are at the places of another one.
fn part_of_span(span: &Span, places: &Span) -> Option<Span> {
    if span.count == 1 {
        return Some(Span { start: span.start + places.start, ..*places });
    }
    if span.block == 1 && (places.block == 1 || places.count == 1) {
        let start = span.start + places.start * span.stride;
        let (step, count) = if places.count == 1 { (1, places.block) } else { (places.stride, places.count) };
        return Some(Span { start, stride: step * span.stride, count, block: 1 });
    }
    if places.count > 1 {
        return None;
    }
    let (block, within) = (places.start / span.block, places.start % span.block);
    let start = span.start + block * span.stride + within;
    if within + places.block <= span.block {
        return Some(Span::solid(start, places.block));
    }
    let is_whole = within == 0 && places.block.is_multiple_of(span.block);
    is_whole.then(|| Span { start, stride: span.stride, count: places.block / span.block, block: span.block })
}

fn of_spans(extent: &Extent, spans: &[Span]) -> Result<Selection, SelectionError> {
    let [mut start, mut stride, mut count, mut block] = std::array::from_fn(|_| Dims::filled(0, spans.len()));
    for (dim, span) in spans.iter().enumerate() {
        (start[dim], stride[dim]) = (span.start, span.stride);
        (count[dim], block[dim]) = (span.count, span.block);
    }
    Selection::hyperslab(extent, &start, &stride, &count, &block)
}

/// What two selections have in common, run by run.
fn by_run(first: &Selection, second: &Selection) -> Option<Common> {
    let (mut one, mut other) = (Walker::new(first), Walker::new(second));
    let (mut in_first, mut in_second) = (Lister::default(), Lister::default());
    while let (Some(here), Some(there)) = (one.run, other.run) {
        let (start, end) = (here.offset.max(there.offset), here.end().min(there.end()));
        if start < end {
            in_first.push(here.rank + (start - here.offset), end - start);
            in_second.push(there.rank + (start - there.offset), end - start);
        }
        if here.end() <= there.end() {
            one.go_to(there.offset);
        } else {
            other.go_to(here.offset);
        }
    }
    let ranks = |list: Lister, selection: &Selection| list.finish(&Extent::new(&[selection.len()]).ok()?);
    Some(Common { first: ranks(in_first, first)?, second: ranks(in_second, second)? })
}

/// Walks over a selection that is in order of offset, run by run.
struct Walker<'a> {
    selection: &'a Selection,
    cursor: Cursor<'a>,
    run: Option<Row>,
}

impl<'a> Walker<'a> {
    fn new(selection: &'a Selection) -> Self {
        let mut walker = Self { selection, cursor: selection.cursor(0), run: None };
        walker.next();
        walker
    }

    fn next(&mut self) {
        let rank = self.cursor.rank();
        self.run = self.cursor.next_run(u64::MAX).map(|(offset, length)| Row::run(offset, length, rank));
    }

    /// Goes to the next run that does not end before this offset. Far ones are searched for.
    fn go_to(&mut self, offset: u64) {
        const NEAR: usize = 8;
        for _ in 0..NEAR {
            self.next();
            if self.run.is_none_or(|run| run.end() > offset) {
                return;
            }
        }
        let (mut low, mut high) = (self.cursor.rank(), self.selection.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let found = self.selection.cursor(middle).next_run(1);
            if found.is_some_and(|(place, _)| place < offset) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        self.cursor.seek(low);
        self.next();
    }
}

/// Makes a list of runs. Those that continue their predecessor are joined to it.
#[derive(Default)]
pub(crate) struct Lister {
    rows: Vec<Row>,
    len: u64,
}

impl Lister {
    /// How many offsets there are.
    pub(crate) fn count(&self) -> u64 {
        self.len
    }

    /// Adds a run.
    pub(crate) fn push(&mut self, offset: u64, length: u64) {
        if length > 0 {
            self.push_row(Row::run(offset, length, 0));
        }
    }

    /// Adds a row, whose rank does not matter.
    fn push_row(&mut self, row: Row) {
        let row = Row { rank: self.len, ..row };
        self.len += row.len();
        if !self.rows.last_mut().is_some_and(|last| last.append(&row)) {
            self.rows.push(row);
        }
    }

    /// The selection of an extent that has these offsets; `None` if there are none.
    pub(crate) fn finish(self, extent: &Extent) -> Option<Selection> {
        let mut free = Some(0);
        for row in &self.rows {
            free = free.filter(|free| row.offset >= *free).map(|_| row.end());
        }
        let (low, high) = bounds(extent, &self.rows)?;
        let list = if free.is_some() { List::Rows(self.rows) } else { runs(&self.rows, self.len) };
        Some(Selection::from_list(extent, Some(Listed { list, low, high, sorted: free.is_some() })))
    }
}

/// Rows that are in any order, as runs.
fn runs(rows: &[Row], len: u64) -> List {
    let mut runs = Vec::with_capacity(rows.len() + 1);
    for row in rows {
        runs.extend(
            (0..row.count).map(|turn| Run {
                offset: row.offset + turn * row.stride,
                rank: row.rank + turn * row.block,
            }),
        );
    }
    runs.push(Run { offset: 0, rank: len });
    List::Runs(runs)
}

/// A box around rows, which is the smallest one unless a row has blocks that are no lines apart; `None` if there are no
/// rows.
fn bounds(extent: &Extent, rows: &[Row]) -> Option<(Dims, Dims)> {
    let strides = extent.strides();
    let (mut low, mut high) = (Dims::filled(u64::MAX, extent.rank()), Dims::filled(0, extent.rank()));
    for row in rows {
        // Inside of the dimension along which blocks follow each other they are all at the same place.
        let along = if row.count == 1 {
            0
        } else {
            let is_inside = |stride: &u64| {
                row.stride.is_multiple_of(*stride) && row.offset % stride + row.block <= *stride
            };
            strides.iter().position(is_inside).map_or(0, |dim| dim + 1)
        };
        let (mut first, mut last) = (row.offset, row.end() - 1);
        let mut wraps = false;
        for (dim, (&stride, &size)) in strides.iter().zip(extent.dims().iter()).enumerate() {
            if dim == along && along > 0 {
                (last, wraps) = (first + row.block - 1, false);
            }
            let (from, to) = if wraps { (0, size - 1) } else { (first / stride, last / stride) };
            // From one line to another: it may have all that is in them.
            wraps |= from != to;
            (low[dim], high[dim]) = (low[dim].min(from), high[dim].max(to));
            (first, last) = (first % stride, last % stride);
        }
    }
    (!rows.is_empty()).then_some((low, high))
}
