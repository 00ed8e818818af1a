//! What this machine can do without HDF5: writes the numbers of a workload to a file, in parallel.

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::rc::Rc;

use anyhow::{Context, Result, ensure};
use limit::{Pack, Shape};

use super::recipe::{Manner, Recipe};
use super::single::Writes;
use crate::Spent;
use crate::bench::Bench;
use crate::hdf5::Buffer;
use crate::measure::spent_by;
use crate::plain::limit::PIECE;
use crate::registry::Subject;
use crate::scratch::Scratch;

/// What must be in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Content {
    /// The numbers.
    Numbers,
    /// The numbers, in another order.
    Chunks,
    /// Fewer bytes. The limit's own tests check what they decompress to.
    Packed,
}

/// A function that writes memory to a file repeatedly, from the file's creation until it is closed.
struct LimitWrites<Write> {
    scratch: Scratch,
    /// Whether it overwrites an existing file.
    is_over: bool,
    buffer: Rc<Buffer>,
    content: Content,
    write: Write,
}

impl<Write: FnMut(&File, &[u8]) -> io::Result<()>> LimitWrites<Write> {
    fn once(&mut self) -> Result<Spent> {
        if !self.is_over {
            self.scratch.remove()?;
        }
        let path = self.scratch.path();
        let memory = self.buffer.bytes()?;
        spent_by(|| {
            let file = File::options().write(true).create(true).truncate(false).open(path);
            let written = file.and_then(|file| (self.write)(&file, &memory));
            written.with_context(|| format!("the limit of writing {}", path.display()))
        })
    }
}

impl<Write: FnMut(&File, &[u8]) -> io::Result<()>> Subject for LimitWrites<Write> {
    fn run(&mut self, passes: u32) -> Result<Spent> {
        (0..passes).map(|_| self.once()).sum()
    }

    fn show(&mut self, part: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        self.run(1)?;
        let (length, bytes) = (self.scratch.length()?, self.buffer.len() as u64);
        match self.content {
            Content::Numbers => part(&fs::read(self.scratch.path())?)?,
            Content::Chunks => ensure!(length == bytes, "the limit wrote {length} bytes of {bytes}"),
            Content::Packed => {
                ensure!(length > 0 && length < bytes, "the limit packed {bytes} bytes to {length}");
            }
        }
        Ok(())
    }

    fn files(&self) -> Vec<PathBuf> {
        if self.is_over { vec![self.scratch.path().to_owned()] } else { Vec::new() }
    }
}

/// The limit of writing a whole dataset, if there is one. The sides of its chunks must divide those of the dataset.
pub(crate) fn limit_of(bench: &Bench, recipe: &Recipe, native: &Writes) -> Result<Option<Box<dyn Subject>>> {
    let threads = bench.limit_threads;
    let Some(chunk) = &recipe.chunk else {
        let write = move |file: &File, memory: &[u8]| limit::write(file, 0, memory, threads, PIECE);
        return Ok(Some(boxed(bench, recipe, native, Content::Numbers, write)));
    };
    let (pack, content) = match recipe.pipeline {
        None => (Pack::Plain, Content::Chunks),
        Some(pipeline) => match pipeline.pack() {
            Some(pack) => (pack, Content::Packed),
            None => return Ok(None),
        },
    };
    let ([rows, columns], [_, width]) = (&chunk[..], &recipe.extent[..]) else { return Ok(None) };
    let element = usize::try_from(recipe.kind.size())?;
    let shape = Shape {
        rows: usize::try_from(*rows)?,
        row: usize::try_from(*columns)? * element,
        distance: usize::try_from(*width)? * element,
    };
    let write = move |file: &File, memory: &[u8]| limit::encode(file, pack, element, shape, memory, threads);
    Ok(Some(boxed(bench, recipe, native, content, write)))
}

fn boxed(
    bench: &Bench,
    recipe: &Recipe,
    native: &Writes,
    content: Content,
    write: impl FnMut(&File, &[u8]) -> io::Result<()> + 'static,
) -> Box<dyn Subject> {
    Box::new(LimitWrites {
        scratch: Scratch::new(&bench.folder, "limit"),
        is_over: recipe.manner == Manner::Over,
        buffer: Rc::clone(native.buffer()),
        content,
        write,
    })
}
