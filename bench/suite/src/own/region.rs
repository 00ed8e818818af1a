//! Computes which parts of a dataset are read.

use crate::hdf5::Slab;

/// The size of one read, for reads that go through a dataset.
const SLAB: u64 = 1 << 20;
/// The maximum number of reads that go through a dataset, and the minimum if it has as many rows.
const MOST_SLABS: u64 = 4096;
const FEWEST_SLABS: u64 = 8;
/// The maximum size for reads of every second row, because native HDF5 takes long for them.
const STRIDED: u64 = 64 << 20;
/// A band has one of this many equal parts of the columns.
const BAND: u64 = 16;

/// The part of a dataset that is read: its beginning, in whole rows and, if possible, whole chunks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Region {
    /// The extent of the dataset.
    extent: Vec<u64>,
    /// What is read of it, from the first element on.
    pub(crate) count: Vec<u64>,
    element: u64,
}

impl Region {
    /// As much as fits into `limit` bytes, but at least one element. `None` if the dataset is empty, or too large to count.
    pub(crate) fn new(extent: &[u64], chunk: Option<&[u64]>, element: u64, limit: u64) -> Option<Self> {
        let mut count = extent.to_vec();
        let mut left = bytes_of(extent, element)?;
        if left == 0 {
            return None;
        }
        for (dimension, length) in extent.iter().enumerate() {
            if left <= limit {
                break;
            }
            left /= length;
            let rows = (limit / left).clamp(1, *length);
            let chunk = chunk.and_then(|chunk| chunk.get(dimension)).copied().unwrap_or(1).max(1);
            count[dimension] = if rows > chunk { rows - rows % chunk } else { rows };
            if left <= limit {
                break;
            }
        }
        Some(Self { extent: extent.to_vec(), count, element })
    }

    /// Whether the dataset is larger.
    pub(crate) fn is_partial(&self) -> bool {
        self.count != self.extent
    }

    /// Its size in memory.
    pub(crate) fn bytes(&self) -> u64 {
        // The whole dataset could be counted, and this is a part of it.
        bytes_of(&self.count, self.element).unwrap_or(u64::MAX)
    }

    /// All of it.
    pub(crate) fn whole(&self) -> Slab {
        Slab::new(&vec![0; self.count.len()], &self.count)
    }

    /// One read of all of it. There is no selection if that is the whole dataset, because a scalar has nothing to select.
    pub(crate) fn at_once(&self) -> Vec<Slab> {
        if self.is_partial() { vec![self.whole()] } else { Vec::new() }
    }

    /// The dimension along which it is divided: the first with a length of more than one.
    fn axis(&self) -> Option<usize> {
        self.count.iter().position(|count| *count > 1)
    }

    /// The axis, the number of rows along it, and the size of one.
    fn rows(&self) -> Option<(usize, u64, u64)> {
        let axis = self.axis()?;
        Some((axis, self.count[axis], self.bytes() / self.count[axis]))
    }

    /// Consecutive parts of about 1 MiB each. `None` if there is only one row.
    pub(crate) fn slabs(&self) -> Option<Vec<Slab>> {
        let (axis, rows, bytes) = self.rows()?;
        let most = rows.div_ceil(FEWEST_SLABS);
        let step = (SLAB / bytes.max(1)).clamp(1, most).max(rows.div_ceil(MOST_SLABS));
        Some(self.cut(axis, 0, rows, step))
    }

    /// The slabs of each of this many threads. `None` if there are fewer rows.
    pub(crate) fn shares(&self, threads: u64) -> Option<Vec<Vec<Slab>>> {
        let (axis, rows, bytes) = self.rows()?;
        if threads == 0 || rows < threads {
            return None;
        }
        let bounds =
            |thread: u64| u64::try_from(u128::from(rows) * u128::from(thread) / u128::from(threads)).ok();
        let own = |thread: u64| {
            let (from, to) = (bounds(thread)?, bounds(thread + 1)?);
            let step = (SLAB / bytes.max(1)).clamp(1, to - from).max((to - from).div_ceil(MOST_SLABS));
            Some(self.cut(axis, from, to, step))
        };
        (0..threads).map(own).collect()
    }

    fn cut(&self, axis: usize, from: u64, to: u64, step: u64) -> Vec<Slab> {
        let mut parts = Vec::new();
        let mut row = from;
        while row < to {
            let mut part = self.whole();
            part.start[axis] = row;
            part.count[axis] = step.min(to - row);
            row += part.count[axis];
            parts.push(part);
        }
        parts
    }

    /// Every second row of the first quarter. `None` if there are fewer than four rows.
    pub(crate) fn second_rows(&self) -> Option<Slab> {
        let (axis, rows, bytes) = self.rows()?;
        if rows < 4 {
            return None;
        }
        let mut part = self.whole();
        part.count[axis] = (rows / 8).min(STRIDED / bytes.max(1)).max(2);
        let mut stride = vec![1; part.count.len()];
        stride[axis] = 2;
        part.stride = Some(stride);
        Some(part)
    }

    /// All rows of some columns in the middle. `None` if there are no columns.
    pub(crate) fn band(&self) -> Option<Slab> {
        let axis = self.axis()?;
        let across = (axis + 1..self.count.len()).find(|dimension| self.count[*dimension] > 1)?;
        let mut part = self.whole();
        let columns = self.count[across];
        part.count[across] = (columns / BAND).max(1);
        part.start[across] = columns / 2;
        // The middle of two columns is the second, and there is only one column from there on.
        part.count[across] = part.count[across].min(columns - part.start[across]);
        Some(part)
    }
}

/// The size of this many elements. `None` if it overflows.
fn bytes_of(count: &[u64], element: u64) -> Option<u64> {
    if count.contains(&0) {
        return Some(0);
    }
    count.iter().try_fold(element, |all, length| all.checked_mul(*length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(extent: &[u64], chunk: Option<&[u64]>, limit: u64) -> Region {
        Region::new(extent, chunk, 4, limit).unwrap()
    }

    #[test]
    fn what_is_too_large_is_cut_by_rows_and_chunks() {
        for (extent, chunk, limit, count) in [
            (&[100, 100][..], None, 40_000, &[100, 100][..]),
            (&[100, 100], None, 39_999, &[99, 100]),
            (&[100, 100], Some(&[16, 16][..]), 39_999, &[96, 100]),
            (&[100, 100], Some(&[64, 64]), 8_000, &[20, 100]),
            (&[3, 100, 100], None, 20_000, &[1, 50, 100]),
            (&[3, 100, 100], None, 3, &[1, 1, 1]),
            (&[], None, 3, &[]),
            (&[1 << 60], None, 4096, &[1024]),
        ] {
            assert_eq!(region(extent, chunk, limit).count, count, "{extent:?} {chunk:?} {limit}");
        }
        assert!(region(&[], None, 3).at_once().is_empty());
        assert_eq!(region(&[9], None, 3).at_once(), [Slab::new(&[0], &[1])]);
        assert_eq!(Region::new(&[5, 0], None, 4, 100), None);
        assert_eq!(Region::new(&[u64::MAX, 2], None, 4, 100), None);
    }

    /// Rows that the parts have along a dimension, each once.
    fn rows(parts: &[Slab], dimension: usize) -> Vec<u64> {
        parts
            .iter()
            .flat_map(|part| part.start[dimension]..part.start[dimension] + part.count[dimension])
            .collect()
    }

    #[test]
    fn slabs_are_all_of_it() {
        let large = region(&[1000, 4096], None, u64::MAX);
        let slabs = large.slabs().unwrap();
        assert_eq!((slabs.len(), slabs[0].count.as_slice()), (16, &[64, 4096][..]));
        assert_eq!(rows(&slabs, 0), (0..1000).collect::<Vec<_>>());
        let small = region(&[1, 10, 3], None, u64::MAX).slabs().unwrap();
        assert_eq!((small.len(), rows(&small, 1)), (5, (0..10).collect()));
        let long = region(&[1 << 33], None, u64::MAX).slabs().unwrap();
        assert!(long.len() as u64 <= MOST_SLABS);
        assert_eq!(region(&[1, 1], None, 9).slabs(), None);
        assert_eq!(region(&[], None, 9).slabs(), None);
    }

    #[test]
    fn threads_share_all_of_it() {
        for (extent, threads) in [(&[10, 10][..], 4), (&[1, 7, 1 << 19], 3), (&[4], 4)] {
            let region = region(extent, None, u64::MAX);
            let shares = region.shares(threads).unwrap();
            assert_eq!(shares.len() as u64, threads);
            assert!(shares.iter().all(|share| !share.is_empty()));
            let axis = region.axis().unwrap();
            assert_eq!(rows(&shares.concat(), axis), (0..extent[axis]).collect::<Vec<_>>());
        }
        assert_eq!(region(&[3], None, 100).shares(4), None);
        assert_eq!(region(&[3], None, 100).shares(0), None);
    }

    #[test]
    fn rows_and_bands_are_inside() {
        for extent in [&[4, 2][..], &[1, 9, 17], &[100, 1, 33], &[1 << 20, 5], &[5, 1 << 20]] {
            let region = region(extent, None, 64 << 20);
            for part in [region.second_rows(), region.band()] {
                let part = part.unwrap();
                for (dimension, length) in extent.iter().enumerate() {
                    let stride = part.stride.as_ref().map_or(1, |stride| stride[dimension]);
                    let last = part.start[dimension] + (part.count[dimension] - 1) * stride;
                    assert!(part.count[dimension] > 0 && last < *length, "{extent:?}: {part:?}");
                }
            }
        }
        assert_eq!(region(&[3, 5], None, 100).second_rows(), None);
        assert_eq!(region(&[30], None, 100).band(), None);
        assert_eq!(region(&[], None, 100).band(), None);
    }
}
