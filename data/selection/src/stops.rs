//! Which chunks a regular hyperslab touches along one dimension.
//!
//! As long as the gaps between blocks are smaller than a chunk, no chunk is skipped and the answer is a
//! range. With larger gaps no two blocks share a chunk; single elements then touch one chunk each, and wider
//! blocks touch as many chunks as their place in the grid makes them, which [`floor_sum`] adds up without
//! walking the blocks.

use crate::slab::Span;

/// The touched chunks along one dimension: `n` of them, in order.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stops {
    pub(crate) n: u64,
    /// The first of them.
    pub(crate) first: u64,
    pattern: Pattern,
}

#[derive(Clone, Copy, Debug, Default)]
enum Pattern {
    /// One after the other.
    #[default]
    Range,
    /// One for each single element.
    Singles,
    /// Each block has its own, one or more.
    Blocks,
}

impl Stops {
    #[inline]
    pub(crate) fn new(span: &Span, chunk: u64) -> Self {
        let first = span.start / chunk;
        if span.count == 1 || span.stride - span.block < chunk {
            Self { n: span.last() / chunk - first + 1, first, pattern: Pattern::Range }
        } else if span.block == 1 {
            Self { n: span.count, first, pattern: Pattern::Singles }
        } else {
            Self { n: before(span, chunk, span.count), first, pattern: Pattern::Blocks }
        }
    }

    /// The chunk at place `index`, which is less than `n`, for the span and chunk size this was made of.
    #[inline]
    pub(crate) fn at(&self, span: &Span, chunk: u64, index: u64) -> u64 {
        let Span { start, stride, block, count } = *span;
        match self.pattern {
            Pattern::Range => self.first + index,
            Pattern::Singles => (start + index * stride) / chunk,
            Pattern::Blocks => {
                // The last block with no more than `index` chunks before it. A block touches `least` or one
                // more.
                let least = (block - 1) / chunk + 1;
                let (mut low, mut high) = (index / (least + 1), (index / least).min(count - 1));
                while low < high {
                    let middle = low + (high - low).div_ceil(2);
                    if before(span, chunk, middle) <= index { low = middle } else { high = middle - 1 }
                }
                (start + low * stride) / chunk + (index - before(span, chunk, low))
            }
        }
    }

    /// The chunk after `current`, which is at place `index` and not the last.
    #[inline]
    pub(crate) fn after(&self, span: &Span, chunk: u64, current: u64, index: u64) -> u64 {
        let Span { start, stride, block, .. } = *span;
        match self.pattern {
            Pattern::Range => current + 1,
            Pattern::Singles => (start + (index + 1) * stride) / chunk,
            Pattern::Blocks => {
                let distance = (current + 1) * chunk - start;
                if distance % stride < block {
                    current + 1
                } else {
                    (start + (distance / stride + 1) * stride) / chunk
                }
            }
        }
    }
}

/// How many chunks the first `blocks` blocks of a span touch, if no two blocks share one.
fn before(span: &Span, chunk: u64, blocks: u64) -> u64 {
    let ends = floor_sum(blocks, chunk, span.stride, span.start + span.block - 1);
    let starts = floor_sum(blocks, chunk, span.stride, span.start);
    // At most the number of chunks along the dimension.
    u64::try_from(ends - starts).unwrap_or(u64::MAX).saturating_add(blocks)
}

/// The sum of `(a * i + b) / m`, rounded down, for `i` from 0 to `n - 1`, in O(log m) steps (as in Euclid's
/// algorithm, the roles of `a` and `m` swap). The largest term fits in 64 bits, so all partial results fit in
/// 128.
fn floor_sum(n: u64, m: u64, a: u64, b: u64) -> u128 {
    let (mut n, mut m, mut a, mut b) = (u128::from(n), u128::from(m), u128::from(a), u128::from(b));
    let mut sum = 0;
    while n > 0 {
        if a >= m {
            sum += n * (n - 1) / 2 * (a / m);
            a %= m;
        }
        if b >= m {
            sum += n * (b / m);
            b %= m;
        }
        let top = a * n + b;
        n = top / m;
        b = top % m;
        (m, a) = (a, m);
        if n == 0 {
            break;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stops_like_counting() {
        for chunk in 1..9 {
            for start in 0..5 {
                for block in 1..7 {
                    for stride in block + 1..25 {
                        let span = Span { start, stride, count: 7, block };
                        let mut expected: Vec<u64> = (0..7)
                            .flat_map(|j| (0..block).map(move |k| (start + j * stride + k) / chunk))
                            .collect();
                        expected.dedup();
                        let stops = Stops::new(&span, chunk);
                        let found: Vec<u64> = (0..stops.n).map(|i| stops.at(&span, chunk, i)).collect();
                        assert_eq!(found, expected, "{span:?} in chunks of {chunk}");
                        for i in 1..found.len() {
                            assert_eq!(stops.after(&span, chunk, found[i - 1], i as u64 - 1), found[i]);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn huge_numbers_stay_exact() {
        // 2^30 blocks of 3 elements, 2^33 + 1 apart, in chunks of 2.
        let span = Span { start: 1, stride: (1 << 33) + 1, count: 1 << 30, block: 3 };
        let stops = Stops::new(&span, 2);
        // Three elements touch two chunks wherever they start.
        assert_eq!(stops.n, 1 << 31);
        assert_eq!(stops.at(&span, 2, stops.n - 1), span.last() / 2);
        let thin = Span { start: 0, stride: u64::MAX / 4, count: 4, block: 1 };
        assert_eq!(Stops::new(&thin, 1).at(&thin, 1, 3), 3 * (u64::MAX / 4));
    }
}
