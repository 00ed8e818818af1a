//! The same reads without HDF5.

use std::fs::File;
use std::ops::Range;
use std::path::PathBuf;
use std::rc::Rc;

use anyhow::{Context, Result};

use super::raw::Raw;
use super::reading::Reading;
use crate::Spent;
use crate::bench::Bench;
use crate::hdf5::all_at_once;
use crate::registry::Subject;

/// One read: of these rows, to this place in memory.
struct Read {
    dataset: usize,
    rows: Range<usize>,
    at: usize,
}

/// Plain `pread`s of what the others read, into the same memory.
pub(super) struct ReadLimit {
    reading: Rc<Reading>,
    /// The file and the place in it of each dataset.
    datasets: Vec<(File, Raw)>,
    /// The reads of each thread.
    shares: Vec<Vec<Read>>,
    /// Threads that share each read.
    helpers: usize,
}

impl ReadLimit {
    /// With as many threads as the others have. If they have one, `helpers` threads share each read.
    pub(super) fn new(bench: &Bench, reading: &Rc<Reading>, helpers: usize) -> Result<Self> {
        let mut datasets = Vec::new();
        for placed in &reading.plan.datasets {
            let path = &reading.paths[placed.file];
            let raw = Raw::of(bench, path, &placed.name, placed.square.row()?)?;
            datasets.push((File::open(path).with_context(|| path.display().to_string())?, raw));
        }
        let mut shares = Vec::new();
        for (number, items) in reading.plan.shares.iter().enumerate() {
            let places = reading.places(number)?;
            let reads = items.iter().zip(places).map(|(item, (at, _))| Read {
                dataset: item.dataset,
                rows: item.rows.clone(),
                at,
            });
            shares.push(reads.collect::<Vec<_>>());
        }
        let helpers = if shares.len() == 1 { helpers } else { 1 };
        Ok(Self { reading: Rc::clone(reading), datasets, shares, helpers })
    }

    /// One thread's part of a pass.
    fn work(datasets: &[(File, Raw)], reads: &[Read], helpers: usize, memory: &mut [u8]) -> Result<()> {
        for Read { dataset, rows, at } in reads {
            let (file, raw) = &datasets[*dataset];
            let memory = &mut memory[*at..][..rows.len() * raw.row()];
            let part = rows.len().div_ceil(helpers).max(1);
            if part >= rows.len() {
                raw.read(file, rows.clone(), memory).context("the limit")?;
                continue;
            }
            let starts = rows.clone().step_by(part);
            let works = starts.zip(memory.chunks_mut(part * raw.row())).map(|(start, memory)| {
                let rows = start..(start + part).min(rows.end);
                move || raw.read(file, rows, memory).context("the limit")
            });
            all_at_once(works.collect())?;
        }
        Ok(())
    }
}

impl Subject for ReadLimit {
    fn run(&mut self, passes: u32) -> Result<Spent> {
        let buffers = self.reading.buffers.iter();
        let mut memories = buffers.map(|buffer| buffer.bytes_mut()).collect::<Result<Vec<_>>>()?;
        let (datasets, helpers) = (&self.datasets, self.helpers);
        let works = self.shares.iter().zip(&mut memories).map(|(reads, memory)| {
            let memory = &mut **memory;
            move || (0..passes).try_for_each(|_| Self::work(datasets, reads, helpers, memory))
        });
        all_at_once(works.collect())
    }

    fn show(&mut self, part: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        for round in 0..self.reading.rounds() {
            for (share, buffer) in self.reading.buffers.iter().enumerate() {
                let Some(&(at, length)) = self.reading.places(share)?.get(round) else { continue };
                buffer.bytes_mut()?.fill(0x33);
                let one = &self.shares[share][round..=round];
                Self::work(&self.datasets, one, self.helpers, &mut buffer.bytes_mut()?)?;
                part(&buffer.bytes()?[at..][..length])?;
            }
        }
        Ok(())
    }

    fn files(&self) -> Vec<PathBuf> {
        self.reading.paths.clone()
    }
}
