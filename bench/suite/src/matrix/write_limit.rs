//! The same writes without HDF5.

use std::fs::File;
use std::ops::Range;
use std::rc::Rc;

use anyhow::{Context, Result};
use bench_report::Layout;

use super::layout::Item;
use super::raw::Raw;
use super::writing::Writing;
use crate::Spent;
use crate::hdf5::all_at_once;
use crate::measure::Clock;
use crate::registry::Subject;
use crate::scratch::Scratch;

/// Plain `pwrite`s of the same memory to new files, which contain the datasets one after the other.
pub(super) struct WriteLimit {
    writing: Rc<Writing>,
    files: Vec<Scratch>,
    /// Where each dataset is in its file.
    places: Vec<Raw>,
    /// Threads that share each write.
    helpers: usize,
}

impl WriteLimit {
    /// With as many threads as the others have. If they have one, `helpers` threads share each write.
    pub(super) fn new(writing: &Rc<Writing>, helpers: usize) -> Result<Self> {
        let mut ends = vec![0; writing.plan.files];
        let mut places = Vec::new();
        for placed in &writing.plan.datasets {
            let (side, chunk) = (placed.square.rows()?, usize::try_from(placed.square.chunk)?);
            let chunk = (writing.layout == Layout::Chunked).then_some(chunk);
            places.push(Raw::new(side, chunk, ends[placed.file]));
            ends[placed.file] += (4 * side * side) as u64;
        }
        let helpers = if writing.plan.shares.len() == 1 { helpers } else { 1 };
        Ok(Self { writing: Rc::clone(writing), files: writing.files("limit"), places, helpers })
    }

    /// One pass.
    fn once(&self) -> Result<Spent> {
        self.files.iter().try_for_each(Scratch::remove)?;
        let buffer = self.writing.buffer.bytes()?;
        let memory = &buffer[..];
        let clock = Clock::start();
        let create = |scratch: &Scratch| {
            File::create(scratch.path()).with_context(|| scratch.path().display().to_string())
        };
        let files = self.files.iter().map(create).collect::<Result<Vec<_>>>()?;
        let begun = clock.stop();
        let (files_of, places, helpers) = (&files, &self.places, self.helpers);
        let file_numbers: Vec<usize> = self.writing.plan.datasets.iter().map(|placed| placed.file).collect();
        let numbers = &file_numbers;
        let works = self.writing.plan.shares.iter().map(|items| {
            move || {
                items.iter().try_for_each(|item| {
                    write(&files_of[numbers[item.dataset]], &places[item.dataset], item, memory, helpers)
                })
            }
        });
        let written = all_at_once(works.collect())?;
        let clock = Clock::start();
        drop(files);
        Ok(begun + written + clock.stop())
    }
}

/// Writes one item, with this many threads.
fn write(file: &File, raw: &Raw, item: &Item, memory: &[u8], helpers: usize) -> Result<()> {
    let start = Writing::start_of(item.dataset);
    let put = |rows: Range<usize>| {
        let memory = &memory[start + rows.start * raw.row()..][..rows.len() * raw.row()];
        raw.write(file, rows, memory).context("the limit")
    };
    let part = item.rows.len().div_ceil(helpers).max(1);
    if part >= item.rows.len() {
        return put(item.rows.clone());
    }
    let (put, end) = (&put, item.rows.end);
    let starts = item.rows.clone().step_by(part);
    let works = starts.map(|start| move || put(start..(start + part).min(end)));
    all_at_once(works.collect()).map(|_| ())
}

impl Subject for WriteLimit {
    fn run(&mut self, passes: u32) -> Result<Spent> {
        (0..passes).map(|_| self.once()).sum()
    }

    fn show(&mut self, part: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        self.once()?;
        for (placed, raw) in self.writing.plan.datasets.iter().zip(&self.places) {
            let path = self.files[placed.file].path();
            let file = File::open(path).with_context(|| path.display().to_string())?;
            let rows = placed.square.rows()?;
            let mut memory = vec![0; rows * raw.row()];
            raw.read(&file, 0..rows, &mut memory).context("the limit")?;
            part(&memory)?;
        }
        Ok(())
    }
}
