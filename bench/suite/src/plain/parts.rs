//! Which parts of a dataset are read.

use crate::hdf5::Slab;
use crate::random::Random;

/// Of a square matrix of this side.
pub(crate) type OfSide = fn(u64) -> Vec<Slab>;

/// The sides of a large and a small tile, and the number of small ones that are read.
const TILE: u64 = 1000;
const SMALL_TILE: u64 = 16;
const SMALL_TILES: u32 = 1000;
/// Rows that are read at a time.
const ROWS: u64 = 100;
/// Columns that are read.
const COLUMNS: u64 = 16;

fn positions(end: u64, distance: u64) -> impl Iterator<Item = u64> + Clone {
    (0..end / distance).map(move |number| number * distance)
}

/// Tile after tile, without the partial tiles at the edges.
pub(crate) fn tiles(side: u64) -> Vec<Slab> {
    let places = positions(side, TILE);
    let starts = places.clone().flat_map(|row| places.clone().map(move |column| [row, column]));
    starts.map(|start| Slab::new(&start, &[TILE; 2])).collect()
}

/// At random places.
pub(crate) fn small_tiles(side: u64) -> Vec<Slab> {
    let mut places = Random::new(1);
    let mut place = || places.below(side - SMALL_TILE);
    (0..SMALL_TILES).map(|_| Slab::new(&[place(), place()], &[SMALL_TILE; 2])).collect()
}

/// A few rows at a time.
pub(crate) fn slabs(side: u64) -> Vec<Slab> {
    let starts = positions(side.next_multiple_of(ROWS), ROWS);
    starts.map(|row| Slab::new(&[row, 0], &[ROWS.min(side - row), side])).collect()
}

/// Every second row of the first quarter. More would take native HDF5 too long.
pub(crate) fn second_rows(side: u64) -> Vec<Slab> {
    vec![Slab { stride: Some(vec![2, 1]), ..Slab::new(&[0, 0], &[side / 8, side]) }]
}

/// Every second column.
pub(crate) fn second_columns(side: u64) -> Vec<Slab> {
    vec![Slab { stride: Some(vec![1, 2]), ..Slab::new(&[0, 0], &[side, side / 2]) }]
}

/// Single columns, far apart.
pub(crate) fn columns(side: u64) -> Vec<Slab> {
    let starts = positions(side, side / COLUMNS).map(|column| column + 5);
    starts.map(|column| Slab::new(&[0, column], &[side, 1])).collect()
}

/// A whole dimension, piece by piece.
pub(crate) fn pieces(length: u64, piece: u64) -> Vec<Slab> {
    positions(length, piece).map(|start| Slab::new(&[start], &[piece])).collect()
}

/// Some of the pieces of a dimension, at random.
pub(crate) fn some_pieces(length: u64, piece: u64, count: u32) -> Vec<Slab> {
    let mut places = Random::new(2);
    (0..count).map(|_| Slab::new(&[places.below(length / piece) * piece], &[piece])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last element of each dimension, and one more.
    fn ends(slab: &Slab) -> Vec<u64> {
        let stride = slab.stride.clone().unwrap_or(vec![1; slab.count.len()]);
        let lengths = slab.count.iter().zip(stride).map(|(count, stride)| (count - 1) * stride + 1);
        slab.start.iter().zip(lengths).map(|(start, length)| start + length).collect()
    }

    #[test]
    fn all_parts_are_inside() {
        let kinds: [OfSide; 6] = [tiles, small_tiles, slabs, second_rows, second_columns, columns];
        for (number, parts) in kinds.iter().enumerate() {
            for side in [1024, 8192] {
                let parts = parts(side);
                assert!(!parts.is_empty(), "{number}, {side}");
                for part in &parts {
                    assert!(ends(part).iter().all(|&end| end <= side), "{number}: {part:?} of {side}");
                }
            }
        }
        for part in pieces(100, 16).iter().chain(&some_pieces(100, 16, 50)) {
            assert!(ends(part)[0] <= 100 && part.start[0].is_multiple_of(16), "{part:?}");
        }
    }

    #[test]
    fn slabs_are_everything_once() {
        let slabs = slabs(1024);
        assert_eq!(slabs.iter().map(|slab| slab.count[0]).sum::<u64>(), 1024);
        assert!(slabs.windows(2).all(|pair| pair[1].start[0] == pair[0].start[0] + pair[0].count[0]));
    }
}
