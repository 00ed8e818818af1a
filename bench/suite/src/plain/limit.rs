//! What this machine can do without HDF5: a workload that reads a file into the same memory as the others.

use std::fs::File;
use std::io;
use std::iter;
use std::num::NonZero;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::{Context, Result, bail};
use limit::{Form, Packing, Rows};

use super::files::FLOAT;
use crate::Spent;
use crate::bench::Bench;
use crate::filtered::places::Matrix;
use crate::hdf5::{Buffer, Slab};
use crate::measure::spent_by;
use crate::registry::Subject;

/// Bytes of a single `pread`.
pub(crate) const PIECE: NonZero<usize> = NonZero::new(1 << 20).unwrap();

/// A function that reads a file into memory repeatedly.
pub(crate) struct LimitReads<Read> {
    file: File,
    path: PathBuf,
    buffer: Rc<Buffer>,
    /// The size of the last read in memory, and the parts in which it is shown.
    length: usize,
    parts: Vec<Range<usize>>,
    read: Read,
}

impl<Read: FnMut(&File, &mut [u8]) -> io::Result<()>> LimitReads<Read> {
    /// `read` fills the first `length` bytes of the buffer, in which native HDF5 leaves its last read.
    pub(crate) fn new(path: &Path, buffer: &Rc<Buffer>, length: usize, read: Read) -> Result<Self> {
        let file = File::open(path).with_context(|| path.display().to_string())?;
        let (path, buffer) = (path.to_owned(), Rc::clone(buffer));
        Ok(Self { file, path, buffer, length, parts: iter::once(0..length).collect(), read })
    }

    /// Shows what it has read in these parts.
    pub(crate) fn showing(mut self, parts: Vec<Range<usize>>) -> Self {
        self.parts = parts;
        self
    }

    fn once(&mut self) -> Result<()> {
        let mut memory = self.buffer.bytes_mut()?;
        (self.read)(&self.file, &mut memory[..self.length])
            .with_context(|| format!("the limit of {}", self.path.display()))
    }
}

impl<Read: FnMut(&File, &mut [u8]) -> io::Result<()>> Subject for LimitReads<Read> {
    fn run(&mut self, passes: u32) -> Result<Spent> {
        spent_by(|| (0..passes).try_for_each(|_| self.once()))
    }

    fn show(&mut self, part: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        self.buffer.bytes_mut()?[..self.length].fill(0x33);
        self.once()?;
        let bytes = self.buffer.bytes()?;
        self.parts.iter().try_for_each(|shown| part(&bytes[shown.clone()]))
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![self.path.clone()]
    }
}

/// Parallel `pread` of a whole contiguous dataset, into the same memory as native HDF5.
pub(crate) fn whole_by_pread(
    bench: &Bench,
    path: &Path,
    dataset: &str,
    buffer: &Rc<Buffer>,
) -> Result<Box<dyn Subject>> {
    let (offset, threads) = (bench.offset_of(path, dataset)?, bench.limit_threads);
    let read = move |file: &File, memory: &mut [u8]| limit::read(file, offset, memory, threads, PIECE);
    Ok(Box::new(LimitReads::new(path, buffer, buffer.len(), read)?))
}

/// `pread` of each row of each tile of a contiguous square matrix, by this many threads, into the memory that native HDF5 reads
/// each tile to.
pub(crate) fn tiles_by_pread(
    bench: &Bench,
    (path, dataset): (&Path, &str),
    tiles: &[Slab],
    buffer: &Rc<Buffer>,
    threads: NonZero<usize>,
) -> Result<Box<dyn Subject>> {
    let (begin, side) = (bench.offset_of(path, dataset)?, bench.side());
    let mut rows = Vec::with_capacity(tiles.len());
    for Slab { start, count, .. } in tiles {
        let ([row, column], [height, width]) = (&start[..], &count[..]) else {
            bail!("a tile has two sides")
        };
        let bytes = NonZero::new(usize::try_from(width * FLOAT)?).context("a tile is empty")?;
        let offset = begin + (row * side + column) * FLOAT;
        let length = usize::try_from(*height)? * bytes.get();
        rows.push((Rows { offset, distance: side * FLOAT, row: bytes }, length));
    }
    let length = rows.last().map_or(0, |(_, length)| *length);
    let read = move |file: &File, memory: &mut [u8]| {
        rows.iter()
            .try_for_each(|(rows, length)| limit::read_rows(file, *rows, &mut memory[..*length], threads))
    };
    Ok(Box::new(LimitReads::new(path, buffer, length, read)?))
}

/// Parallel `pread` of the chunks of a two-dimensional dataset, whose sides divide the dataset's. Their rows are copied to the
/// same memory as native HDF5 uses.
pub(crate) fn whole_by_chunks(
    bench: &Bench,
    path: &Path,
    dataset: &str,
    buffer: &Rc<Buffer>,
) -> Result<Box<dyn Subject>> {
    let (chunks, shape) = Matrix::of(bench, path, dataset)?.whole();
    let (threads, form) = (bench.limit_threads, Form { packing: Packing::Plain, shuffled: None });
    let read = move |file: &File, memory: &mut [u8]| {
        limit::decode_apart(file, form, &chunks, shape, memory, threads)
    };
    Ok(Box::new(LimitReads::new(path, buffer, buffer.len(), read)?))
}
