//! What this machine can do without HDF5: reading, unpacking and unshuffling the chunks of a file, in parallel.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::rc::Rc;

use anyhow::{Context, Result, bail, ensure};
use limit::Form;

use super::files::DATASET;
use super::places::{Matrix, Part, Stored};
use crate::Way;
use crate::bench::Bench;
use crate::hdf5::{Buffer, Dataset, File, Slab};
use crate::plain::Reads;
use crate::plain::limit::LimitReads;
use crate::registry::Subject;

/// All of a dataset at once, into this memory, shown in so many parts of one size.
pub(crate) fn whole(
    bench: &Bench,
    path: &Path,
    form: Form,
    buffer: &Rc<Buffer>,
    parts: usize,
) -> Result<Box<dyn Subject>> {
    let ((chunks, shape), threads) = (matrix_of(bench, path)?.whole(), bench.limit_threads);
    let read = move |file: &fs::File, memory: &mut [u8]| {
        // SAFETY: `matrix_of` saw to it that the chunks do not overlap.
        unsafe { limit::decode(file, form, &chunks, shape, memory, threads) }
    };
    let part = buffer.len() / parts;
    let shown = (0..parts).map(|number| number * part..(number + 1) * part).collect();
    Ok(Box::new(LimitReads::new(path, buffer, buffer.len(), read)?.showing(shown)))
}

/// Bands of so many columns, one after the other, each into the beginning of the memory of `native`.
pub(crate) fn bands(
    bench: &Bench,
    path: &Path,
    form: Form,
    native: &Reads,
    width: u64,
) -> Result<Box<dyn Subject>> {
    let (bands, shape) = matrix_of(bench, path)?.bands(usize::try_from(width)?);
    let threads = bench.limit_threads;
    let read = move |file: &fs::File, memory: &mut [u8]| {
        bands.iter().try_for_each(|chunks| {
            // SAFETY: `matrix_of` saw to it that the chunks do not overlap, and so do not those of a band.
            unsafe { limit::decode(file, form, chunks, shape, memory, threads) }
        })
    };
    Ok(Box::new(LimitReads::new(path, native.buffer(), native.buffer().len(), read)?))
}

/// Many parts of one size, each into the beginning of the memory of `native`, with a perfect cache: each chunk they touch is
/// decoded once, in their order and ahead of them, by all threads; the parts are copied out of the chunks one after the
/// other.
pub(crate) fn parts(
    bench: &Bench,
    path: &Path,
    form: Form,
    native: &Reads,
    parts: &[Slab],
) -> Result<Box<dyn Subject>> {
    let parts: Vec<Part> = parts.iter().map(part_of).collect::<Result<_>>()?;
    let (chunks, pieces, shape) = matrix_of(bench, path)?.parts(&parts)?;
    let threads = bench.limit_threads;
    let read = move |file: &fs::File, memory: &mut [u8]| {
        limit::copy(file, form, &chunks, shape, &pieces, memory, threads)
    };
    Ok(Box::new(LimitReads::new(path, native.buffer(), native.buffer().len(), read)?))
}

fn part_of(slab: &Slab) -> Result<Part> {
    Ok(Part { start: pair(&slab.start, 0)?, count: pair(&slab.count, 1)? })
}

/// What HDF5 says about where the chunks of a file are.
fn matrix_of(bench: &Bench, path: &Path) -> Result<Matrix> {
    let file = File::open(bench.library, path, Way::Native)?;
    let dataset = Dataset::open(&file, DATASET)?;
    let [rows, columns] = pair(&dataset.space()?.extents()?.0, 1)?;
    let chunk = dataset.creation()?.chunk()?.context("it is not in chunks")?;
    let chunk = pair(&chunk, 1)?;
    let (mut stored, mut places) = (Vec::new(), HashSet::new());
    for found in dataset.chunks()? {
        ensure!(found.filter_mask == 0, "a chunk of {} was stored without its filters", path.display());
        let corner = pair(&found.place, 0)?;
        let is_inside = corner[0] < rows && corner[1] < columns;
        let is_chunk = corner[0].is_multiple_of(chunk[0]) && corner[1].is_multiple_of(chunk[1]);
        ensure!(is_inside && is_chunk && places.insert(corner), "{} has strange chunks", path.display());
        stored.push(Stored { offset: found.address, bytes: usize::try_from(found.size)?, corner });
    }
    dataset.close()?;
    file.close()?;
    Ok(Matrix { columns, chunk, stored })
}

/// Rows and columns; of what has one dimension, and so is a single row, `row` is said of the rows.
fn pair(numbers: &[u64], row: usize) -> Result<[usize; 2]> {
    match *numbers {
        [column] => Ok([row, usize::try_from(column)?]),
        [row, column] => Ok([usize::try_from(row)?, usize::try_from(column)?]),
        _ => bail!("{} dimensions are too many for the limit", numbers.len()),
    }
}
