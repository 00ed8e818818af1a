//! Which datasets are in which files, and which part of them each thread works on.

use std::ops::Range;

use anyhow::{Context, Result};
use bench_report::{Arrangement, Cell, Layout, Operation};

use crate::bench::Bench;
use crate::hdf5::{Library, Selection, Slab, selections};
use crate::registry::Amount;

/// Sides of chunks, the largest first: one of 512 x 512 elements has 1 MiB.
const CHUNKS: [u64; 4] = [512, 256, 128, 64];
/// The number of parts of a dataset that each thread reads, one after the other.
const PARTS: usize = 4;

/// A square matrix of 4-byte numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Square {
    /// Its side, a multiple of the chunk's.
    pub(super) side: u64,
    /// The side of a chunk, where it is stored in chunks.
    pub(super) chunk: u64,
}

impl Square {
    /// A matrix of about this many bytes. It has at least `rows` rows of chunks, unless the chunks would be too small.
    fn new(bytes: u64, rows: u64) -> Self {
        let side = (bytes / 4).isqrt();
        let last = CHUNKS[CHUNKS.len() - 1];
        let chunk = CHUNKS.into_iter().find(|chunk| side / chunk >= rows).unwrap_or(last);
        Self { side: (side / chunk).max(1) * chunk, chunk }
    }

    /// The side as a `usize`.
    pub(super) fn rows(self) -> Result<usize> {
        usize::try_from(self.side).context("a matrix is too large")
    }

    /// Bytes of a row.
    pub(super) fn row(self) -> Result<usize> {
        Ok(4 * self.rows()?)
    }
}

/// One dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Placed {
    /// The number of its file.
    pub(super) file: usize,
    /// Its name.
    pub(super) name: String,
    /// Its shape.
    pub(super) square: Square,
    /// The first number in it, different for each.
    pub(super) first: u32,
}

/// What one call reads or writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    /// The number of the dataset.
    pub(super) dataset: usize,
    /// Rows of it.
    pub(super) rows: Range<usize>,
    /// Whether these are all.
    pub(super) is_whole: bool,
}

impl Item {
    /// The selection of the call in a square dataset of this side.
    pub(super) fn selection(&self, library: &Library, side: u64) -> Result<Selection> {
        let slab = Slab::new(&[self.rows.start as u64, 0], &[self.rows.len() as u64, side]);
        let parts = if self.is_whole { &[][..] } else { &[slab] };
        Ok(selections(library, parts, |_| vec![side; 2])?.swap_remove(0))
    }
}

/// All datasets, and the calls of each thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    /// The number of files.
    pub(super) files: usize,
    pub(super) datasets: Vec<Placed>,
    /// The calls of each thread.
    pub(super) shares: Vec<Vec<Item>>,
}

impl Plan {
    /// The work of all threads together.
    pub(super) fn amount(&self) -> Result<Amount> {
        let items = || self.shares.iter().flatten();
        let bytes =
            items().map(|item| Ok((item.rows.len() * self.datasets[item.dataset].square.row()?) as u64));
        Ok(Amount { bytes: bytes.sum::<Result<_>>()?, calls: items().count() as u64 })
    }
}

/// Matrices of the files with one or several of them for each of `threads`, and the large one.
pub(super) fn squares(bench: &Bench, threads: u64) -> (Square, Square) {
    (Square::new(bench.bytes() / (threads * threads), 2), Square::new(bench.bytes() / threads, 2 * threads))
}

/// The name of a dataset in the files that are read.
pub(super) fn name_of(layout: Layout, number: u64) -> String {
    match layout {
        Layout::Contiguous => format!("contiguous{number}"),
        Layout::Chunked => format!("chunked{number}"),
    }
}

/// The name of the large dataset.
pub(super) fn large_name(layout: Layout) -> String {
    format!("{}-large", name_of(layout, 0).trim_end_matches('0'))
}

/// The datasets of a cell for this many threads, and the calls of `callers` of them.
pub(super) fn plan(bench: &Bench, cell: Cell, threads: u32, callers: u32) -> Result<Plan> {
    let Cell { operation, arrangement, layout, .. } = cell;
    let count = u64::from(threads);
    let (square, large) = squares(bench, count);
    let (files, each) = match arrangement {
        Arrangement::OneDataset => (1, 0),
        Arrangement::Datasets => (1, count),
        Arrangement::Files => (count, 1),
        Arrangement::DatasetsInFiles => (count, count),
    };
    let mut datasets = Vec::new();
    for file in 0..files {
        for number in 0..each {
            let (name, first) = (name_of(layout, number), first_of(file * count + number));
            datasets.push(Placed { file: usize::try_from(file)?, name, square, first });
        }
    }
    let items = if each == 0 {
        datasets.push(Placed { file: 0, name: large_name(layout), square: large, first: 0 });
        // A write to a chunked dataset covers whole chunks.
        let unit = if operation == Operation::Write { usize::try_from(large.chunk)? } else { 1 };
        bands(large.rows()?, unit, usize::try_from(threads)? * PARTS)
    } else {
        let rows = square.rows()?;
        (0..datasets.len()).map(|dataset| Item { dataset, rows: 0..rows, is_whole: true }).collect()
    };
    Ok(Plan { files: usize::try_from(files)?, datasets, shares: divide(items, usize::try_from(callers)?) })
}

/// The first number of a dataset.
pub(super) fn first_of(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX).wrapping_mul(0x0101_0101)
}

/// Divides the first dataset into this many parts of whole units of rows, or fewer if it has fewer units.
pub(super) fn bands(rows: usize, unit: usize, count: usize) -> Vec<Item> {
    let units = rows / unit;
    let count = count.clamp(1, units.max(1));
    let edge = |number: usize| if number == count { rows } else { number * units / count * unit };
    let band = |number| Item { dataset: 0, rows: edge(number)..edge(number + 1), is_whole: count == 1 };
    (0..count).map(band).collect()
}

/// Divides the items evenly between the threads. Each gets a contiguous range.
pub(super) fn divide(items: Vec<Item>, threads: usize) -> Vec<Vec<Item>> {
    let (count, mut items) = (items.len(), items.into_iter());
    let edge = |number: usize| number * count / threads;
    (0..threads).map(|number| items.by_ref().take(edge(number + 1) - edge(number)).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_a_large_benchmark() {
        // 16 MiB and 64 MiB of 256 MiB.
        assert_eq!(Square::new(16 << 20, 2), Square { side: 2048, chunk: 512 });
        assert_eq!(Square::new(64 << 20, 8), Square { side: 4096, chunk: 512 });
        // Little data still has chunks for all.
        assert_eq!(Square::new(1 << 20, 8), Square { side: 512, chunk: 64 });
        assert_eq!(Square::new(100, 8), Square { side: 64, chunk: 64 });
    }

    #[test]
    fn bands_are_all_rows_once() {
        for (rows, unit, count) in
            [(4096, 1, 16), (4096, 512, 16), (100, 1, 7), (3, 1, 16), (5, 1, 1), (5, 8, 3)]
        {
            let bands = bands(rows, unit, count);
            assert_eq!(bands.len(), count.min((rows / unit).max(1)));
            assert!(bands.iter().all(|band| band.rows.start.is_multiple_of(unit)), "{bands:?}");
            let edges: Vec<usize> = bands.iter().flat_map(|band| [band.rows.start, band.rows.end]).collect();
            assert_eq!((edges[0], edges[edges.len() - 1]), (0, rows));
            assert!(edges[1..edges.len() - 1].chunks(2).all(|pair| pair[0] == pair[1]), "{edges:?}");
            assert_eq!(bands.iter().all(|band| band.is_whole), bands.len() == 1);
        }
    }

    #[test]
    fn every_item_is_someones() {
        for threads in 1..6 {
            let items = bands(100, 1, 17);
            let shares = divide(items.clone(), threads);
            assert_eq!(shares.len(), threads);
            assert!(shares.iter().all(|share| share.len().abs_diff(17 / threads) <= 1), "{shares:?}");
            assert_eq!(shares.concat(), items);
        }
    }
}
