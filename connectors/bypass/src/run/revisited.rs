//! Chunks without filters that are read or written in parts again and again.
//!
//! Parts with short lines take a system call for each line, or for all that lies between. If the next call touches the same chunks,
//! these are worth having in memory as a whole, as native HDF5 has them in its chunk cache.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use engine::Kept;
use selection::{ChunkGrid, Selection, TouchedChunks};

use crate::run::cache::Place;

/// Native HDF5 keeps no larger chunks either, unless it is told to.
const LARGEST_CHUNK: u64 = 1 << 20;

/// Bytes of the chunks that a call touches, at most.
const MOST: u64 = 8 << 20;

/// Bytes of a line from which it goes straight into the application's memory, or comes from there.
const LONG_LINE: u64 = 16 * 1024;

/// Which chunks were read or written in parts last. A guess that is wrong costs time, nothing else.
#[derive(Debug)]
pub(crate) struct Revisited {
    place: Place,
    /// The numbers of the first and the last chunk; the first is behind the last before anything was.
    first: AtomicU64,
    last: AtomicU64,
    /// Whether a chunk was ever kept. Who writes chunks need not look for any before.
    has_kept: AtomicBool,
}

impl Revisited {
    pub(crate) fn new(place: Place) -> Self {
        Self {
            place,
            first: AtomicU64::new(u64::MAX),
            last: AtomicU64::new(0),
            has_kept: AtomicBool::new(false),
        }
    }

    /// Whether the chunks of these elements should be in memory as a whole, because the last call touched some of them, too.
    pub(crate) fn is_again(
        &self,
        grid: &ChunkGrid,
        element: u64,
        file: &Selection,
        touched: &TouchedChunks<'_>,
    ) -> bool {
        let chunk = grid.chunk_len().saturating_mul(element);
        let all = chunk.saturating_mul(touched.count());
        let is_worth_it = chunk <= LARGEST_CHUNK
            && all <= MOST.min(self.place.kept().cache.capacity() as u64 / 4)
            && file.len().saturating_mul(element) < all
            && line(grid, element, file) < LONG_LINE;
        let numbers = || touched.iter().map(|chunk| chunk.number);
        let (true, Some(first), Some(last)) = (is_worth_it, numbers().min(), numbers().max()) else {
            return false;
        };
        let was_first = self.first.swap(first, Ordering::Relaxed);
        let was_last = self.last.swap(last, Ordering::Relaxed);
        was_first <= last && first <= was_last
    }

    /// Where to keep chunks that are read. Who asks has claimed what it keeps there.
    pub(crate) fn kept(&self) -> Kept {
        self.has_kept.store(true, Ordering::Release);
        self.place.kept()
    }

    /// Drops a chunk that changes.
    pub(crate) fn forget(&self, number: u64) {
        if self.has_kept.load(Ordering::Acquire) {
            let kept = self.place.kept();
            kept.cache.remove(kept.key(number));
        }
    }

    /// Drops chunks that change.
    pub(crate) fn forget_all<'g>(&self, touched: impl FnOnce() -> Option<TouchedChunks<'g>>) {
        if self.has_kept.load(Ordering::Acquire)
            && let Some(touched) = touched()
        {
            touched.iter().for_each(|chunk| self.forget(chunk.number));
        }
    }
}

/// Bytes of a selection that lie side by side in a chunk, at most.
fn line(grid: &ChunkGrid, element: u64, file: &Selection) -> u64 {
    let Some((low, high)) = file.bounds() else { return 0 };
    let mut bytes = element;
    for ((low, high), chunk) in low.iter().zip(high.iter()).zip(grid.chunk_dims().iter()).rev() {
        let side = (high - low).saturating_add(1);
        bytes = bytes.saturating_mul(side.min(*chunk));
        if side < *chunk {
            break;
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use selection::Extent;

    use super::*;

    /// Whether chunks of 100 x 100 elements of 8 bytes are kept for these reads, one after another. A read is its first corner and
    /// its sides.
    fn kept(reads: &[([u64; 2], [u64; 2])]) -> Vec<bool> {
        let extent = Extent::new(&[1000, 1000]).unwrap();
        let grid = ChunkGrid::new(&extent, &[100, 100]).unwrap();
        let revisited = Revisited::new(Place::new(None, 0));
        let mut is_kept = Vec::new();
        for (start, sides) in reads {
            let file = Selection::tile(&extent, start, sides).unwrap();
            is_kept.push(revisited.is_again(&grid, 8, &file, &grid.touched(&file).unwrap()));
        }
        is_kept
    }

    #[test]
    fn chunks_are_kept_when_they_are_touched_again() {
        assert_eq!(
            kept(&[([0, 0], [50, 50]), ([20, 20], [50, 50]), ([60, 60], [70, 70])]),
            [false, true, true]
        );
        assert_eq!(kept(&[([0, 0], [50, 50]), ([500, 0], [50, 50]), ([0, 0], [50, 50])]), [false; 3]);
    }

    #[test]
    fn whole_chunks_long_lines_and_very_many_chunks_are_not_kept() {
        assert_eq!(kept(&[([0, 0], [100, 100]); 2]), [false; 2]);
        assert_eq!(kept(&[([0, 0], [30, 100]); 2]), [false; 2], "one line of 24,000 bytes");
        assert_eq!(kept(&[([0, 0], [15, 100]); 2]), [false, true], "one line of 12,000 bytes");
        assert_eq!(kept(&[([0, 0], [1000, 90]); 2]), [false, true], "10 chunks");
        let extent = Extent::new(&[100_000, 100]).unwrap();
        let grid = ChunkGrid::new(&extent, &[100, 100]).unwrap();
        let column = Selection::tile(&extent, &[0, 0], &[100_000, 1]).unwrap();
        let revisited = Revisited::new(Place::new(None, 0));
        let touched = grid.touched(&column).unwrap();
        assert!((0..3).all(|_| !revisited.is_again(&grid, 8, &column, &touched)), "80 MB");
    }
}
