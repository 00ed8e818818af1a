//! The files that plain reads read, made natively.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context, Result};

use crate::Way;
use crate::bench::Bench;
use crate::hdf5::{Buffer, Call, Creation, Dataset, Datatype, File, Slab, Space, Transfers};

/// Bytes of an element.
pub(crate) const FLOAT: u64 = 4;
/// Bytes that are written at a time, about.
const BAND_BYTES: u64 = 8 << 20;

/// The dataset of most files.
pub(crate) const MATRIX: &str = "matrix";

/// A dataset that is made.
pub(crate) struct Shape<'shape> {
    /// Its name.
    pub(crate) name: &'shape str,
    /// Its extent.
    pub(crate) extent: &'shape [u64],
    /// Of its chunks, if it has any.
    pub(crate) chunk: Option<&'shape [u64]>,
    /// Its first number; each is one more than the last.
    pub(crate) first: u32,
}

/// Makes a dataset of 4-byte numbers, stored as floats. All bit patterns in it differ, so that everything that is misplaced
/// shows.
pub(crate) fn write_numbers(file: &File, shape: &Shape<'_>) -> Result<()> {
    let Shape { name, extent, chunk, first } = shape;
    let library = file.library();
    let (datatype, space) = (Datatype::named(library, "IEEE_F32LE")?, Space::new(library, extent)?);
    let dataset =
        Dataset::create(file, name, &datatype, &space, &Creation::new(library.session(), *chunk, &[])?)?;
    let (rows, row) = (extent[0], extent[1..].iter().product::<u64>());
    // Whole chunks at a time: nothing is written twice.
    let height = chunk.map_or(1, |chunk| chunk[0]);
    let band = (BAND_BYTES / FLOAT / row).next_multiple_of(height).clamp(height, rows.max(height));
    let length = usize::try_from(band * row * FLOAT).context("a row is too long")?;
    let buffer = Rc::new(Buffer::new(length, 0));
    for start in (0..rows).step_by(usize::try_from(band)?) {
        let count = band.min(rows - start);
        let number = u32::try_from(start * row).context("a dataset is too large")?.wrapping_add(*first);
        for (bytes, number) in buffer.bytes_mut()?.as_chunks_mut::<4>().0.iter_mut().zip(number..) {
            *bytes = number.to_le_bytes();
        }
        let (mut place, mut size) = (vec![0; extent.len()], extent.to_vec());
        (place[0], size[0]) = (start, count);
        let call = Call {
            dataset: dataset.clone(),
            datatype: datatype.clone(),
            memory: Some(Space::new(library, &size)?),
            file: Some(Space::part(library, extent, &Slab::new(&place, &size))?),
            at: 0,
        };
        Transfers::new(&buffer, vec![call])?.write(1)?;
    }
    dataset.close()
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

/// Datasets for one call of many.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Many {
    /// How many.
    pub(crate) count: u32,
    /// Numbers of each.
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

/// Numbers of the dataset with very many chunks: a million of them, or fewer where little is to be measured.
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
