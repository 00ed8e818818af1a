//! The files for plain reads, created by native HDF5.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::Way;
use crate::bench::Bench;
use crate::hdf5::{Datatype, File};
use crate::stored::Stored;
use crate::walk::fill;

/// Bytes of an element.
pub(crate) const FLOAT: u64 = 4;

/// The dataset of most files.
pub(crate) const MATRIX: &str = "matrix";

/// A dataset to create.
pub(crate) struct Shape<'shape> {
    /// Its name.
    pub(crate) name: &'shape str,
    /// Its extent.
    pub(crate) extent: &'shape [u64],
    /// The extent of a chunk, if it is chunked.
    pub(crate) chunk: Option<&'shape [u64]>,
    /// Its first number; each is one more than the last.
    pub(crate) first: u32,
}

/// Creates a dataset of 4-byte numbers, stored as floats. All its bit patterns differ, so that misplaced elements are
/// detected.
pub(crate) fn write_numbers(file: &File, shape: &Shape<'_>) -> Result<()> {
    let Shape { name, extent, chunk, first } = shape;
    let elements = extent.iter().try_fold(1, |all: u32, &side| all.checked_mul(u32::try_from(side).ok()?));
    elements.context("a dataset is too large")?;
    let stored = Stored {
        datatype: Datatype::named(file.library(), "IEEE_F32LE")?,
        extent: extent.to_vec(),
        chunk: chunk.map(<[u64]>::to_vec),
        filters: Vec::new(),
    };
    let mut number = *first;
    stored.write(file, name, &stored.datatype, |memory| {
        fill(memory, || {
            number = number.wrapping_add(1);
            number.wrapping_sub(1).to_le_bytes()
        });
    })
}

/// A square matrix, contiguous or in square chunks of this side.
pub(crate) fn matrix(bench: &Bench, chunk: Option<u64>) -> Result<PathBuf> {
    let side = bench.side();
    let kind = chunk.map_or("contiguous".to_owned(), |chunk| format!("chunks-{chunk}"));
    bench.hdf5_file(&format!("{kind}-{side}.h5"), |file| {
        let chunk = chunk.map(|chunk| [chunk; 2]);
        let chunk = chunk.as_ref().map(|chunk| &chunk[..]);
        write_numbers(file, &Shape { name: MATRIX, extent: &[side; 2], chunk, first: 0 })
    })
}

/// Datasets that are read in one call.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Many {
    /// The number of datasets.
    pub(crate) count: u32,
    /// The number of elements in each.
    pub(crate) length: u64,
}

impl Many {
    /// The names.
    pub(crate) fn names(self) -> Vec<String> {
        (0..self.count).map(|number| format!("data{number}")).collect()
    }

    /// The file.
    pub(crate) fn make(self, bench: &Bench) -> Result<PathBuf> {
        let Self { count, length } = self;
        bench.hdf5_file(&format!("multi-{count}-{length}.h5"), |file| {
            self.names().iter().zip(0..).try_for_each(|(name, first)| {
                write_numbers(file, &Shape { name, extent: &[length], chunk: None, first })
            })
        })
    }
}

/// Numbers of the small dataset: 64 KiB.
pub(crate) const SMALL: u64 = 16_384;

/// A small dataset.
pub(crate) fn small(bench: &Bench) -> Result<PathBuf> {
    bench.hdf5_file("small.h5", |file| {
        write_numbers(file, &Shape { name: "small", extent: &[SMALL], chunk: None, first: 0 })
    })
}

/// Numbers of a chunk of the dataset with very many: 64 bytes.
const TINY: u64 = 16;

/// The number of elements in the dataset with very many chunks: a million chunks, or fewer if datasets are to be small.
pub(crate) fn many_chunks_length(bench: &Bench) -> u64 {
    TINY * (u64::from(bench.mebibytes) << 14).min(1_000_000)
}

/// A dataset with very many chunks, in the oldest format or in the latest.
pub(crate) fn many_chunks(bench: &Bench, is_latest: bool) -> Result<PathBuf> {
    let length = many_chunks_length(bench);
    let write = |file: &File| {
        write_numbers(file, &Shape { name: "many", extent: &[length], chunk: Some(&[TINY]), first: 0 })
    };
    let kind = if is_latest { "many-latest" } else { "many" };
    bench.file(&format!("{kind}-{length}.h5"), |path: &Path| {
        let file = if is_latest {
            File::create_latest(bench.library, path)?
        } else {
            File::create(bench.library, path, Way::Native)?
        };
        write(&file)?;
        file.close()
    })
}
