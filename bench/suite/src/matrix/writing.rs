//! Writes by several threads. Each pass writes new files, from their creation until they are closed.

use std::path::PathBuf;
use std::rc::Rc;

use anyhow::Result;
use bench_report::Layout;

use super::layout::Plan;
use crate::bench::{Bench, Placement};
use crate::hdf5::{
    Buffer, Call, Creation, Dataset, Datatype, File, Library, Operation, PAGE, Space, Transfers, in_threads,
};
use crate::measure::Clock;
use crate::registry::{Amount, Subject, Workload};
use crate::scratch::{Scratch, read_natively};
use crate::{Spent, Way};

/// What is written: the same for all ways.
pub(super) struct Writing {
    pub(super) library: &'static Library,
    pub(super) folder: PathBuf,
    pub(super) plan: Plan,
    pub(super) layout: Layout,
    /// The numbers, each one more than the last.
    pub(super) buffer: Rc<Buffer>,
}

impl Writing {
    /// Makes the numbers.
    pub(super) fn new(bench: &Bench, plan: Plan, layout: Layout) -> Result<Rc<Self>> {
        let lengths = plan.datasets.iter().map(|placed| Ok(placed.square.row()? * placed.square.rows()?));
        let longest = lengths.collect::<Result<Vec<_>>>()?.into_iter().max().unwrap_or(0);
        // The numbers of each dataset begin one page later, so that no two datasets are the same.
        let buffer = bench.buffer(longest + PAGE * plan.datasets.len(), Placement::Malloc);
        for (bytes, number) in buffer.bytes_mut()?.as_chunks_mut::<4>().0.iter_mut().zip(0_u32..) {
            *bytes = number.to_le_bytes();
        }
        Ok(Rc::new(Self { library: bench.library, folder: bench.folder.clone(), plan, layout, buffer }))
    }

    /// Where in memory the numbers of a dataset begin.
    pub(super) fn start_of(dataset: usize) -> usize {
        dataset * PAGE
    }

    /// The files of one way.
    pub(super) fn files(&self, who: &str) -> Vec<Scratch> {
        let file = |number| Scratch::new(&self.folder, &format!("{who}{number}.h5"));
        (0..self.plan.files).map(file).collect()
    }
}

/// The writes, in one way.
pub(super) struct ThreadWrites {
    writing: Rc<Writing>,
    way: Way,
    files: Vec<Scratch>,
    amount: Amount,
}

impl ThreadWrites {
    /// Prepares the writes.
    pub(super) fn new(writing: &Rc<Writing>, way: Way) -> Result<Self> {
        Ok(Self {
            writing: Rc::clone(writing),
            way,
            files: writing.files(way.name()),
            amount: writing.plan.amount()?,
        })
    }

    /// Creates everything.
    fn begin(&self) -> Result<(Vec<Dataset>, Vec<File>)> {
        let Writing { library, plan, layout, .. } = &*self.writing;
        let files = self
            .files
            .iter()
            .map(|scratch| File::create(library, scratch.path(), self.way))
            .collect::<Result<Vec<_>>>()?;
        let datatype = Datatype::named(library, "IEEE_F32LE")?;
        let mut datasets = Vec::new();
        for placed in &plan.datasets {
            let (extent, chunk) = ([placed.square.side; 2], [placed.square.chunk; 2]);
            let chunk = (*layout == Layout::Chunked).then_some(&chunk[..]);
            let (space, creation) =
                (Space::new(library, &extent)?, Creation::new(library.session(), chunk, &[])?);
            datasets.push(Dataset::create(&files[placed.file], &placed.name, &datatype, &space, &creation)?);
        }
        Ok((datasets, files))
    }

    /// What each thread writes.
    fn shares(&self, datasets: &[Dataset]) -> Result<Vec<Transfers>> {
        let Writing { library, plan, buffer, .. } = &*self.writing;
        let datatype = Datatype::named(library, "IEEE_F32LE")?;
        let mut shares = Vec::new();
        for items in &plan.shares {
            let mut calls = Vec::new();
            for item in items {
                let square = plan.datasets[item.dataset].square;
                let at = Writing::start_of(item.dataset) + item.rows.start * square.row()?;
                let selection = item.selection(library, square.side)?;
                calls.push(Call::new(&datasets[item.dataset], &datatype, selection, at));
            }
            shares.push(Transfers::new(buffer, calls)?);
        }
        Ok(shares)
    }

    /// One pass. What an application prepares itself, such as selections, is not counted.
    fn once(&self) -> Result<Spent> {
        self.files.iter().try_for_each(Scratch::remove)?;
        let clock = Clock::start();
        let (datasets, files) = self.begin()?;
        let begun = clock.stop();
        let shares = self.shares(&datasets)?;
        let written = in_threads(Operation::Write, &shares, 1)?;
        drop(shares);
        let clock = Clock::start();
        datasets.into_iter().try_for_each(Dataset::close)?;
        files.into_iter().try_for_each(File::close)?;
        Ok(begun + written + clock.stop())
    }
}

impl Workload for ThreadWrites {
    fn amount(&self) -> Amount {
        self.amount
    }

    fn written(&self) -> Result<Option<u64>> {
        self.files.iter().map(Scratch::length).sum::<Result<_>>().map(Some)
    }
}

impl Subject for ThreadWrites {
    fn run(&mut self, passes: u32) -> Result<Spent> {
        (0..passes).map(|_| self.once()).sum()
    }

    fn show(&mut self, part: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        self.once()?;
        let library = self.writing.library;
        let datatype = Datatype::named(library, "IEEE_F32LE")?;
        for placed in &self.writing.plan.datasets {
            let length = placed.square.row()? * placed.square.rows()?;
            let path = self.files[placed.file].path();
            part(&read_natively(library, path, &placed.name, &datatype, length)?.bytes()?)?;
        }
        Ok(())
    }
}
