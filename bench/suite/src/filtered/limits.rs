//! What this machine can do without HDF5: reads, decompresses and unshuffles the chunks of a file, in parallel.

use std::fs;
use std::path::Path;
use std::rc::Rc;

use anyhow::Result;
use limit::Form;

use super::files::DATASET;
use super::places::{Matrix, Part, pair};
use crate::bench::Bench;
use crate::hdf5::{Buffer, Slab};
use crate::plain::Reads;
use crate::plain::limit::LimitReads;
use crate::registry::Subject;

/// Reads a whole dataset at once into this memory, and shows it in this many parts of equal size.
pub(crate) fn whole(
    bench: &Bench,
    path: &Path,
    form: Form,
    buffer: &Rc<Buffer>,
    parts: usize,
) -> Result<Box<dyn Subject>> {
    let ((chunks, shape), threads) = (Matrix::of(bench, path, DATASET)?.whole(), bench.limit_threads);
    let read = move |file: &fs::File, memory: &mut [u8]| {
        // SAFETY: `Matrix::of` saw to it that the chunks do not overlap.
        unsafe { limit::decode(file, form, &chunks, shape, memory, threads) }
    };
    let part = buffer.len() / parts;
    let shown = (0..parts).map(|number| number * part..(number + 1) * part).collect();
    Ok(Box::new(LimitReads::new(path, buffer, buffer.len(), read)?.showing(shown)))
}

/// Reads bands of this many columns, one after the other, each to the beginning of the memory of `native`.
pub(crate) fn bands(
    bench: &Bench,
    path: &Path,
    form: Form,
    native: &Reads,
    width: u64,
) -> Result<Box<dyn Subject>> {
    let (bands, shape) = Matrix::of(bench, path, DATASET)?.bands(usize::try_from(width)?);
    let threads = bench.limit_threads;
    let read = move |file: &fs::File, memory: &mut [u8]| {
        bands.iter().try_for_each(|chunks| {
            // SAFETY: `Matrix::of` saw to it that the chunks do not overlap, and so do not those of a band.
            unsafe { limit::decode(file, form, chunks, shape, memory, threads) }
        })
    };
    Ok(Box::new(LimitReads::new(path, native.buffer(), native.buffer().len(), read)?))
}

/// Reads many parts of equal size, each to the beginning of the memory of `native`, with a perfect cache. All threads decode
/// each chunk once, in the order in which the parts need them and ahead of them. The parts are copied out of the chunks one
/// after the other.
pub(crate) fn parts(
    bench: &Bench,
    path: &Path,
    form: Form,
    native: &Reads,
    parts: &[Slab],
) -> Result<Box<dyn Subject>> {
    let parts: Vec<Part> = parts.iter().map(part_of).collect::<Result<_>>()?;
    let (chunks, pieces, shape) = Matrix::of(bench, path, DATASET)?.parts(&parts)?;
    let threads = bench.limit_threads;
    let read = move |file: &fs::File, memory: &mut [u8]| {
        limit::copy(file, form, &chunks, shape, &pieces, memory, threads)
    };
    Ok(Box::new(LimitReads::new(path, native.buffer(), native.buffer().len(), read)?))
}

fn part_of(slab: &Slab) -> Result<Part> {
    Ok(Part { start: pair(&slab.start, 0)?, count: pair(&slab.count, 1)? })
}
