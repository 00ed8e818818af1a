//! Looking ahead: reads that go through a dataset chunk by chunk.

use std::sync::{Mutex, PoisonError};

use selection::{ChunkGrid, Dims, Selection};

/// The chunks that the last read touched, as a box in the grid.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    last: Mutex<Option<(Dims, Dims)>>,
}

impl Steps {
    /// Numbers of the chunks that will be touched next if this read continues what the last ones began: the boxes
    /// of chunks touched are equal and each lies right behind the one before. `most` is how many are wanted.
    pub(crate) fn next(&self, grid: &ChunkGrid, file: &Selection, most: usize) -> Vec<u64> {
        let Some((mut low, mut high)) = file.bounds() else { return Vec::new() };
        for ((low, high), &size) in low.iter_mut().zip(high.iter_mut()).zip(grid.chunk_dims().iter()) {
            *low /= size;
            *high /= size;
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let before = match &*last {
            Some((last_low, last_high)) if *last_low == low && *last_high == high => return Vec::new(),
            _ => last.replace((low.clone(), high.clone())),
        };
        drop(last);
        let Some(dimension) = before.and_then(|before| forward(&before, &(low.clone(), high.clone()))) else {
            return Vec::new();
        };
        let mut numbers = Vec::new();
        while numbers.len() < most {
            let step = high[dimension] - low[dimension] + 1;
            low[dimension] += step;
            high[dimension] = (high[dimension] + step).min(grid.shape()[dimension] - 1);
            if low[dimension] >= grid.shape()[dimension] {
                break;
            }
            add_box(grid, &low, &high, most, &mut numbers);
        }
        numbers
    }
}

/// The dimension in which a box lies right behind another of its size, if it does.
fn forward(before: &(Dims, Dims), now: &(Dims, Dims)) -> Option<usize> {
    if before.0.len() != now.0.len() {
        return None;
    }
    let mut moved = (0..now.0.len()).filter(|&d| before.0[d] != now.0[d] || before.1[d] != now.1[d]);
    let dimension = moved.next()?;
    (moved.next().is_none() && now.0[dimension] == before.1[dimension] + 1).then_some(dimension)
}

/// Adds the numbers of a box of chunks, up to `most` in all.
fn add_box(grid: &ChunkGrid, low: &Dims, high: &Dims, most: usize, numbers: &mut Vec<u64>) {
    let mut at = low.clone();
    while numbers.len() < most {
        let Ok(chunk) = grid.chunk(&at) else { return };
        numbers.push(chunk.number);
        let Some(dimension) = (0..at.len()).rev().find(|&d| at[d] < high[d]) else { return };
        at[dimension] += 1;
        for d in dimension + 1..at.len() {
            at[d] = low[d];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use selection::Extent;

    /// Reads tiles of a 10 x 10 dataset in chunks of 2 x 2; gives what is looked ahead for the last.
    fn after(reads: &[([u64; 2], [u64; 2])], most: usize) -> Vec<u64> {
        let extent = Extent::new(&[10, 10]).unwrap();
        let grid = ChunkGrid::new(&extent, &[2, 2]).unwrap();
        let steps = Steps::default();
        let tile = |(start, size): &([u64; 2], [u64; 2])| Selection::tile(&extent, start, size).unwrap();
        reads.iter().map(|read| steps.next(&grid, &tile(read), most)).last().unwrap()
    }

    #[test]
    fn rows_one_by_one() {
        let row = |row| ([row, 0], [1, 10]);
        assert_eq!(after(&[row(0)], 9), [0_u64; 0]);
        assert_eq!(after(&[row(0), row(1)], 9), [0_u64; 0]);
        assert_eq!(after(&[row(0), row(1), row(2)], 5), [10, 11, 12, 13, 14]);
        assert_eq!(after(&[row(0), row(1), row(2)], 3), [10, 11, 12]);
        assert_eq!(after(&[row(0), row(1), row(2), row(3)], 5), [0_u64; 0]);
        assert_eq!(after(&[row(5), row(6)], 9), [20, 21, 22, 23, 24]);
        assert_eq!(after(&[row(5), row(9)], 9), [0_u64; 0]);
        assert_eq!(after(&[row(7), row(8)], 9), [0_u64; 0]);
        assert_eq!(after(&[row(4), row(2)], 9), [0_u64; 0]);
    }

    #[test]
    fn columns_and_tiles() {
        assert_eq!(after(&[([0, 1], [10, 1]), ([0, 2], [10, 1])], 5), [2, 7, 12, 17, 22]);
        assert_eq!(after(&[([2, 2], [2, 2]), ([2, 4], [2, 2])], 9), [8, 9]);
        assert_eq!(after(&[([2, 2], [2, 2]), ([4, 4], [2, 2])], 9), [0_u64; 0]);
    }
}
