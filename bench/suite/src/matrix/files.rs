//! The files that several threads read, created by native HDF5. There is one file for each thread, with a dataset of each
//! layout for each thread. The first file also has large datasets.

use std::path::PathBuf;

use anyhow::Result;
use bench_report::Layout;

use super::LAYOUTS;
use super::layout::{Square, first_of, large_name, name_of, squares};
use crate::bench::Bench;
use crate::plain::{Shape, write_numbers};

/// Creates the first `count` files for `threads` threads.
pub(super) fn make(bench: &Bench, threads: u32, count: usize) -> Result<Vec<PathBuf>> {
    let threads = u64::from(threads);
    let (square, large) = squares(bench, threads);
    let file_of = |number: u64| {
        let name = format!("threads-{threads}-{}-{}-{number}.h5", square.side, large.side);
        bench.hdf5_file(&name, |file| {
            let write = |name: &str, Square { side, chunk }, layout, first| {
                let (extent, chunk) = ([side; 2], [chunk; 2]);
                let chunk = (layout == Layout::Chunked).then_some(&chunk[..]);
                write_numbers(file, &Shape { name, extent: &extent, chunk, first })
            };
            for layout in LAYOUTS {
                for dataset in 0..threads {
                    write(&name_of(layout, dataset), square, layout, first_of(number * threads + dataset))?;
                }
                if number == 0 {
                    write(&large_name(layout), large, layout, 0)?;
                }
            }
            Ok(())
        })
    };
    (0..count as u64).map(file_of).collect()
}
