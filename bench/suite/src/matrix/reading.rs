//! Reads by several threads.

use std::path::PathBuf;
use std::rc::Rc;

use anyhow::Result;

use super::layout::Plan;
use crate::hdf5::{
    Buffer, Call, Dataset, Datatype, File, Library, Operation, PAGE, Transfers, in_threads, read_in_threads,
};
use crate::plain::pattern;
use crate::registry::{Amount, Subject, Workload};
use crate::{Spent, Way};

/// What is read, and the memory of each thread: the same for all ways.
pub(super) struct Reading {
    pub(super) library: &'static Library,
    pub(super) paths: Vec<PathBuf>,
    pub(super) plan: Plan,
    /// The offset of each dataset in its page, or 0 if it is not contiguous.
    pub(super) phases: Vec<usize>,
    /// Whether the files are opened for every pass, so that nothing is decoded yet.
    pub(super) is_first: bool,
    /// A buffer for each thread.
    pub(super) buffers: Vec<Rc<Buffer>>,
}

impl Reading {
    /// Allocates memory for all threads.
    pub(super) fn new(
        library: &'static Library,
        paths: Vec<PathBuf>,
        plan: Plan,
        phases: Vec<usize>,
        is_first: bool,
    ) -> Result<Rc<Self>> {
        let mut reading = Self { library, paths, plan, phases, is_first, buffers: Vec::new() };
        for share in 0..reading.plan.shares.len() {
            let places = reading.places(share)?;
            let longest = places.iter().map(|place| place.1).max().unwrap_or(0);
            reading.buffers.push(Rc::new(Buffer::new(longest + PAGE, 0)));
        }
        Ok(Rc::new(reading))
    }

    /// The offset of each item in a thread's memory, and its length. An item has the same offset in its page as its data: a
    /// copy to a slightly larger offset is slow on some processors.
    pub(super) fn places(&self, share: usize) -> Result<Vec<(usize, usize)>> {
        let items = self.plan.shares[share].iter();
        let places = items.map(|item| {
            let row = self.plan.datasets[item.dataset].square.row()?;
            Ok(((self.phases[item.dataset] + item.rows.start * row) % PAGE, item.rows.len() * row))
        });
        places.collect()
    }

    /// The largest number of reads of a thread.
    pub(super) fn rounds(&self) -> usize {
        self.plan.shares.iter().map(Vec::len).max().unwrap_or(0)
    }
}

/// The reads, in one way.
pub(super) struct ThreadReads {
    reading: Rc<Reading>,
    way: Way,
    amount: Amount,
    /// While it is open: datasets are closed before the files.
    open: Option<(Vec<Transfers>, Vec<Dataset>, Vec<File>)>,
}

impl ThreadReads {
    /// Prepares the reads.
    pub(super) fn new(reading: &Rc<Reading>, way: Way) -> Result<Self> {
        let mut reads = Self { reading: Rc::clone(reading), way, amount: reading.plan.amount()?, open: None };
        if !reading.is_first {
            reads.open = Some(reads.opened()?);
        }
        Ok(reads)
    }

    fn opened(&self) -> Result<(Vec<Transfers>, Vec<Dataset>, Vec<File>)> {
        let Reading { library, paths, plan, buffers, .. } = &*self.reading;
        let files =
            paths.iter().map(|path| File::open(library, path, self.way)).collect::<Result<Vec<_>>>()?;
        let placed = plan.datasets.iter();
        let datasets =
            placed.map(|each| Dataset::open(&files[each.file], &each.name)).collect::<Result<Vec<_>>>()?;
        let datatype = Datatype::named(library, "NATIVE_FLOAT")?;
        let mut transfers = Vec::new();
        for (number, share) in plan.shares.iter().enumerate() {
            let mut calls = Vec::new();
            for (item, (at, _)) in share.iter().zip(self.reading.places(number)?) {
                let selection = item.selection(library, plan.datasets[item.dataset].square.side)?;
                calls.push(Call::new(&datasets[item.dataset], &datatype, selection, at));
            }
            transfers.push(Transfers::new(&buffers[number], calls)?);
        }
        Ok((transfers, datasets, files))
    }

    /// Does something with the open files. They are opened for it, unless they stay open.
    fn with_open<T>(&self, work: impl FnOnce(&[Transfers]) -> Result<T>) -> Result<T> {
        if let Some((transfers, ..)) = &self.open {
            return work(transfers);
        }
        let (transfers, datasets, files) = self.opened()?;
        let result = work(&transfers)?;
        drop(transfers);
        datasets.into_iter().try_for_each(Dataset::close)?;
        files.into_iter().try_for_each(File::close)?;
        Ok(result)
    }
}

impl Workload for ThreadReads {
    fn amount(&self) -> Amount {
        self.amount
    }
}

impl Subject for ThreadReads {
    fn run(&mut self, passes: u32) -> Result<Spent> {
        if !self.reading.is_first {
            return self.with_open(|shares| in_threads(Operation::Read, shares, passes));
        }
        let once = |_| self.with_open(|shares| in_threads(Operation::Read, shares, 1));
        (0..passes).map(once).sum()
    }

    /// All threads make their first reads, then their second ones, and so on.
    fn show(&mut self, part: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let reading = &self.reading;
        self.with_open(|shares| {
            for round in 0..reading.rounds() {
                for buffer in &reading.buffers {
                    buffer.bytes_mut()?.fill(pattern(self.way));
                }
                read_in_threads(shares, round)?;
                for (share, buffer) in reading.buffers.iter().enumerate() {
                    if let Some(&(at, length)) = reading.places(share)?.get(round) {
                        part(&buffer.bytes()?[at..][..length])?;
                    }
                }
            }
            Ok(())
        })
    }

    fn files(&self) -> Vec<PathBuf> {
        self.reading.paths.clone()
    }
}
