//! Writes to one dataset.
//!
//! A pass writes a new file, from its creation until it is closed, or opens an existing one if the recipe says so. Writes that
//! are delayed until the close are measured, too. Nothing waits for the disk. The file of the last pass can be read until the
//! next pass begins.

use std::path::PathBuf;
use std::rc::Rc;

use anyhow::Result;

use super::recipe::{DATASET, Manner, Plan, Recipe};
use crate::bench::Bench;
use crate::hdf5::{
    Buffer, Call, Dataset, File, Library, Operation, Selection, Slab, Transfers, in_threads, selections,
};
use crate::measure::{Clock, spent_by};
use crate::registry::{Amount, Subject, Workload};
use crate::scratch::{Scratch, read_natively};
use crate::{Spent, Way};

/// `H5Dwrite`s to one dataset, in one way.
pub(crate) struct Writes {
    library: &'static Library,
    way: Way,
    scratch: Scratch,
    plan: Plan,
    manner: Manner,
    buffer: Rc<Buffer>,
    lengths: Vec<u64>,
    /// What each write selects.
    selections: Vec<Selection>,
    /// The extent before each write to a dataset that grows.
    extents: Vec<Vec<u64>>,
    /// The writes of each thread, after the first pass.
    shares: Vec<Transfers>,
}

impl Writes {
    /// Prepares the writes.
    pub(crate) fn new(bench: &Bench, way: Way, recipe: &Recipe) -> Result<Self> {
        recipe.provide(bench)?;
        let library = bench.library;
        let extent_at = |part: &Slab| {
            let mut extent = recipe.extent.clone();
            if recipe.manner == Manner::Growing {
                extent[0] = part.start[0] + part.count[0];
            }
            extent
        };
        let writes = Self {
            library,
            way,
            scratch: Scratch::new(&bench.folder, &format!("{}.h5", way.name())),
            plan: Plan::new(library, recipe)?,
            manner: recipe.manner,
            buffer: recipe.numbers(bench)?,
            lengths: recipe.lengths(),
            selections: selections(library, &recipe.parts, extent_at)?,
            extents: recipe.parts.iter().map(extent_at).collect(),
            shares: Vec::new(),
        };
        if recipe.manner == Manner::Over {
            writes.write_zeros()?;
        }
        Ok(writes)
    }

    /// The numbers in memory.
    pub(crate) fn buffer(&self) -> &Rc<Buffer> {
        &self.buffer
    }

    /// Writes, with native HDF5, what the passes overwrite.
    fn write_zeros(&self) -> Result<()> {
        let file = File::create(self.library, self.scratch.path(), Way::Native)?;
        let dataset = self.plan.create(&file, DATASET)?;
        let zeros = Rc::new(Buffer::new(self.buffer.len(), 0));
        zeros.bytes_mut()?.fill(0);
        Transfers::new(&zeros, vec![Call::whole(&dataset, &self.plan.datatype, 0)])?.write(1)?;
        dataset.close()?;
        file.close()
    }

    fn begin(&self) -> Result<(File, Dataset)> {
        let path = self.scratch.path();
        if self.manner == Manner::Over {
            let file = File::open_writable(self.library, path, self.way)?;
            let dataset = Dataset::open(&file, DATASET)?;
            return Ok((file, dataset));
        }
        let file = File::create(self.library, path, self.way)?;
        let dataset = self.plan.create(&file, DATASET)?;
        Ok((file, dataset))
    }

    /// Directs the writes to a dataset that was just opened.
    fn aim(&mut self, dataset: &Dataset) -> Result<()> {
        if !self.shares.is_empty() {
            return self.shares.iter_mut().try_for_each(|share| share.set_dataset(dataset));
        }
        let threads = if let Manner::Threads(threads) = self.manner { usize::try_from(threads)? } else { 1 };
        let (mut calls, mut at) = (vec![Vec::new(); threads], 0);
        for (number, (selection, length)) in self.selections.iter().zip(&self.lengths).enumerate() {
            calls[number % threads].push(Call::new(dataset, &self.plan.datatype, selection.clone(), at));
            at += usize::try_from(*length)?;
        }
        let share = |calls| Transfers::new(&self.buffer, calls);
        self.shares = calls.into_iter().map(share).collect::<Result<_>>()?;
        Ok(())
    }

    fn write(&self) -> Result<Spent> {
        match self.manner {
            Manner::New | Manner::Over => spent_by(|| self.shares[0].write(1)),
            Manner::Growing => spent_by(|| self.shares[0].write_growing(&self.extents)),
            Manner::Threads(_) => in_threads(Operation::Write, &self.shares, 1),
        }
    }

    fn once(&mut self) -> Result<Spent> {
        if self.manner != Manner::Over {
            self.scratch.remove()?;
        }
        let clock = Clock::start();
        let (file, dataset) = self.begin()?;
        let beginning = clock.stop();
        self.aim(&dataset)?;
        let writing = self.write()?;
        let ending = spent_by(|| {
            dataset.close()?;
            file.close()
        })?;
        Ok(beginning + writing + ending)
    }
}

impl Workload for Writes {
    fn amount(&self) -> Amount {
        Amount { bytes: self.lengths.iter().sum(), calls: self.lengths.len() as u64 }
    }

    fn written(&self) -> Result<Option<u64>> {
        self.scratch.length().map(Some)
    }
}

impl Subject for Writes {
    fn run(&mut self, passes: u32) -> Result<Spent> {
        (0..passes).map(|_| self.once()).sum()
    }

    fn show(&mut self, part: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        self.run(1)?;
        let (path, datatype) = (self.scratch.path(), &self.plan.datatype);
        let content = read_natively(self.library, path, DATASET, datatype, self.buffer.len())?;
        part(&content.bytes()?)
    }

    fn files(&self) -> Vec<PathBuf> {
        if self.manner == Manner::Over { vec![self.scratch.path().to_owned()] } else { Vec::new() }
    }
}
