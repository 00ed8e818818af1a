//! Regular hyperslabs, dimension by dimension: start, stride, count and block.

use crate::axis::Axis;
use crate::nest::{Builder, EvenRows, Form};
use crate::{Dims, Extent, SelectionError};

/// A regular hyperslab along one dimension, normalised: `block` and `count` are not zero, `stride > block`
/// where there is more than one block, `stride == block` where there is one, and the whole lies inside the
/// extent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    pub(crate) start: u64,
    pub(crate) stride: u64,
    pub(crate) count: u64,
    pub(crate) block: u64,
}

/// What of a [`Span`] lies in a window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clip {
    /// Selected coordinates below the window.
    pub(crate) before: u64,
    /// Selected coordinates inside.
    pub(crate) n: u64,
    /// The first of them (without meaning if there is none).
    pub(crate) start: u64,
    /// How many of them are left in the block of the first, including those above the window.
    pub(crate) first: u64,
}

/// What can be wrong along one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Overlap,
    Outside,
}

impl Span {
    /// `block` neighbours from `start`, already known to be inside.
    #[inline]
    pub(crate) fn solid(start: u64, block: u64) -> Self {
        Self { start, stride: block, count: 1, block }
    }

    /// Moves, checks and normalises a span that is not empty.
    #[inline]
    fn checked(self, shift: i64, size: u64) -> Result<Self, Fault> {
        let Span { start, stride, count, block } = self;
        let start = start.checked_add_signed(shift).ok_or(Fault::Outside)?;
        let last = if count == 1 {
            start
        } else if stride < block {
            return Err(Fault::Overlap);
        } else {
            let reach = (count - 1).checked_mul(stride).ok_or(Fault::Outside)?;
            start.checked_add(reach).ok_or(Fault::Outside)?
        };
        if last.checked_add(block).is_none_or(|end| end > size) {
            return Err(Fault::Outside);
        }
        if count == 1 || stride == block {
            return Ok(Self::solid(start, count * block));
        }
        Ok(Self { start, stride, count, block })
    }

    /// How many coordinates are selected.
    #[inline]
    pub(crate) fn len(&self) -> u64 {
        self.count * self.block
    }

    /// The last selected coordinate.
    #[inline]
    pub(crate) fn last(&self) -> u64 {
        self.start + (self.count - 1) * self.stride + (self.block - 1)
    }

    /// The part inside `low..high`.
    #[inline]
    pub(crate) fn clip(&self, low: u64, high: u64) -> Clip {
        if self.count == 1 {
            let before = low.saturating_sub(self.start).min(self.block);
            let until = high.saturating_sub(self.start).min(self.block);
            return Clip {
                before,
                n: until - before,
                start: self.start + before,
                first: self.block - before,
            };
        }
        let (before, start, first) = if low <= self.start {
            (0, self.start, self.block)
        } else {
            let (blocks, within) = ((low - self.start) / self.stride, (low - self.start) % self.stride);
            if blocks >= self.count {
                (self.len(), self.last(), self.block)
            } else if within < self.block {
                (blocks * self.block + within, low, self.block - within)
            } else if blocks + 1 < self.count {
                ((blocks + 1) * self.block, self.start + (blocks + 1) * self.stride, self.block)
            } else {
                (self.len(), self.last(), self.block)
            }
        };
        Clip { before, n: self.below(high) - before, start, first }
    }

    /// How many selected coordinates are below `limit`.
    #[inline]
    fn below(&self, limit: u64) -> u64 {
        let Some(distance) = limit.checked_sub(self.start) else { return 0 };
        let (blocks, within) = (distance / self.stride, distance % self.stride);
        if blocks >= self.count { self.len() } else { blocks * self.block + within.min(self.block) }
    }

    /// The loop over `n` selected coordinates of which the first block still has `first`, in an array in
    /// which neighbours along this dimension are `step` apart.
    #[inline]
    pub(crate) fn axis(&self, n: u64, first: u64, step: u64, rank_step: u64) -> Axis {
        if n <= first {
            return Axis { n, first: n, block: n, step, jump: step, rank_step };
        }
        let jump = (self.stride - self.block + 1) * step;
        Axis { n, first, block: self.block, step, jump, rank_step }
    }
}

/// A regular hyperslab as it is asked for: one number per dimension in each list; `offset` may be empty.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) offset: &'a [i64],
    pub(crate) start: &'a [u64],
    pub(crate) stride: &'a [u64],
    pub(crate) count: &'a [u64],
    pub(crate) block: &'a [u64],
}

impl Request<'_> {
    /// Checks what is asked for and writes it to `spans`, one for each dimension. False if that is nothing;
    /// and what selects nothing is nowhere out of bounds.
    #[inline]
    pub(crate) fn check(&self, extent: &Extent, spans: &mut [Span]) -> Result<bool, SelectionError> {
        let rank = extent.rank();
        let Request { offset, start, stride, count, block } = *self;
        if start.len() != rank || stride.len() != rank || count.len() != rank || block.len() != rank {
            let lengths = [start.len(), stride.len(), count.len(), block.len()];
            let found = lengths.into_iter().find(|len| *len != rank).unwrap_or(rank);
            return Err(SelectionError::RankMismatch { expected: rank, found });
        }
        if !offset.is_empty() {
            extent.check_rank(offset.len())?;
        }
        let mut fault = None;
        let lists = start.iter().zip(stride).zip(count.iter().zip(block));
        let places = spans.iter_mut().zip(extent.dims().iter()).enumerate();
        for ((dim, (span, &size)), ((&start, &stride), (&count, &block))) in places.zip(lists) {
            if count == 0 || block == 0 {
                return Ok(false);
            }
            let shift = if offset.is_empty() { 0 } else { offset[dim] };
            match (Span { start, stride, count, block }).checked(shift, size) {
                Ok(checked) => *span = checked,
                Err(Fault::Overlap) => fault = Some(SelectionError::BlocksOverlap),
                Err(Fault::Outside) => fault = Some(SelectionError::OutOfBounds { dim }),
            }
        }
        fault.map_or(Ok(true), Err)
    }
}

/// The canonical form of checked spans, and how many elements they select.
#[inline]
pub(crate) fn settle(extent: &Extent, spans: &[Span]) -> (Form, u64) {
    let dims = &extent.dims()[..];
    let mut rows = EvenRows::element();
    let (mut step, mut len) = (1_u64, 1_u64);
    for (span, dim) in spans.iter().zip(dims).rev() {
        let n = span.len();
        let mut axis = span.axis(n, span.block, step, len);
        axis.even_out();
        if !rows.push(span.start * step, 0, &axis) {
            return (nest(dims, spans), spans.iter().map(Span::len).product());
        }
        step *= dim;
        len *= n;
    }
    (Form::Even(rows), len)
}

/// The form of checked spans that are more than even rows.
#[inline(never)]
fn nest(dims: &[u64], spans: &[Span]) -> Form {
    let mut builder = Builder::new();
    let (mut step, mut len) = (1_u64, 1_u64);
    for (span, dim) in spans.iter().zip(dims).rev() {
        let n = span.len();
        builder.push(span.start * step, 0, span.axis(n, span.block, step, len));
        step *= dim;
        len *= n;
    }
    builder.finish()
}

/// The rank weight of each dimension: how many selected elements one coordinate along it stands for.
pub(crate) fn weights(spans: &[Span]) -> Dims {
    let mut weights = Dims::filled(1, spans.len());
    let mut weight = 1;
    for (slot, span) in weights.iter_mut().zip(spans).rev() {
        *slot = weight;
        weight *= span.len();
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clips_like_counting() {
        for (start, stride, count, block) in
            [(0, 7, 1, 7), (3, 4, 3, 2), (2, 5, 4, 5), (1, 3, 5, 1), (4, 9, 2, 8)]
        {
            let span = Span { start, stride, count, block };
            let span = span.checked(0, 40).unwrap();
            let chosen: Vec<u64> = (0..40)
                .filter(|x| (0..count).any(|j| (start + j * stride..start + j * stride + block).contains(x)))
                .collect();
            assert_eq!(chosen.len() as u64, span.len());
            assert_eq!(chosen.last(), Some(&span.last()));
            for low in 0..40 {
                for high in low..=40 {
                    let clip = span.clip(low, high);
                    let inside: Vec<u64> =
                        chosen.iter().copied().filter(|x| (low..high).contains(x)).collect();
                    assert_eq!(clip.before, chosen.iter().filter(|x| **x < low).count() as u64);
                    assert_eq!(clip.n, inside.len() as u64, "{span:?} in {low}..{high}");
                    if let Some(&first) = inside.first() {
                        assert_eq!(clip.start, first);
                        let run = (0..40).take_while(|k| chosen.contains(&(first + k))).count() as u64;
                        assert_eq!(clip.first, run);
                    }
                }
            }
        }
    }

    #[test]
    fn refuses_overlap_and_overflow() {
        let span = |start, stride, count, block| (Span { start, stride, count, block }).checked(0, u64::MAX);
        assert_eq!(span(0, 2, 2, 3).unwrap_err(), Fault::Overlap);
        assert!(span(0, 0, 1, 3).is_ok(), "the stride of a single block does not matter");
        assert_eq!(span(u64::MAX, 1, 1, 1).unwrap_err(), Fault::Outside);
        assert_eq!(span(1, u64::MAX / 2, 4, 1).unwrap_err(), Fault::Outside);
        assert_eq!(span(2, 1, 1, u64::MAX).unwrap_err(), Fault::Outside);
        assert!(span(0, 1, 1, u64::MAX).is_ok());
        assert!(span(0, 1, u64::MAX, 1).is_ok());
    }
}
