//! Reads of different parts of one dataset by several application threads.

use std::path::PathBuf;
use std::rc::Rc;

use anyhow::Result;

use super::reads::{bytes_of, pattern};
use crate::bench::Bench;
use crate::hdf5::{
    Buffer, Call, Dataset, Datatype, File, Library, Operation, Slab, Transfers, in_threads, selections,
};
use crate::registry::{Amount, Subject, Workload};
use crate::{Spent, Way};

/// What is read.
pub(crate) struct ThreadRecipe {
    pub(crate) path: PathBuf,
    pub(crate) dataset: String,
    /// The datatype in memory.
    pub(crate) datatype: Datatype,
    /// The extent of the dataset.
    pub(crate) extent: Vec<u64>,
    /// What each thread reads.
    pub(crate) shares: Vec<Vec<Slab>>,
}

impl ThreadRecipe {
    /// Memory for each thread, at `page_offset` of a page. It holds the parts that the thread reads, one after the other.
    pub(crate) fn memory(&self, page_offset: usize) -> Result<Vec<Rc<Buffer>>> {
        let element = self.datatype.size()?;
        let buffer = |parts: &Vec<Slab>| {
            let lengths = parts.iter().map(|part| bytes_of(&part.count, element));
            Ok(Rc::new(Buffer::new(lengths.sum::<Result<usize>>()?, page_offset)))
        };
        self.shares.iter().map(buffer).collect()
    }
}

/// Each thread reads its parts to its own memory. A pass reads a file that was just opened.
pub(crate) struct ThreadReads {
    library: &'static Library,
    way: Way,
    path: PathBuf,
    dataset: String,
    shares: Vec<Transfers>,
}

impl ThreadReads {
    /// Prepares the reads. Both ways read to the same memory.
    pub(crate) fn new(bench: &Bench, way: Way, recipe: &ThreadRecipe, memory: &[Rc<Buffer>]) -> Result<Self> {
        let ThreadRecipe { path, dataset, datatype, extent, shares } = recipe;
        let (library, element) = (bench.library, datatype.size()?);
        let file = File::open(library, path, way)?;
        let opened = Dataset::open(&file, dataset)?;
        let transfers = shares.iter().zip(memory).map(|(parts, buffer)| {
            let (mut at, mut calls) = (0, Vec::new());
            for (part, selection) in parts.iter().zip(selections(library, parts, |_| extent.clone())?) {
                calls.push(Call::new(&opened, datatype, selection, at));
                at += bytes_of(&part.count, element)?;
            }
            Transfers::new(buffer, calls)
        });
        let shares = transfers.collect::<Result<_>>()?;
        file.close()?;
        Ok(Self { library, way, path: path.clone(), dataset: dataset.clone(), shares })
    }

    fn once(&mut self) -> Result<Spent> {
        let file = File::open(self.library, &self.path, self.way)?;
        let dataset = Dataset::open(&file, &self.dataset)?;
        for share in &mut self.shares {
            share.set_dataset(&dataset)?;
        }
        let spent = in_threads(Operation::Read, &self.shares, 1)?;
        file.close()?;
        Ok(spent)
    }
}

impl Workload for ThreadReads {
    fn amount(&self) -> Amount {
        Amount {
            bytes: self.shares.iter().map(|share| share.buffer().len() as u64).sum(),
            calls: self.shares.iter().map(|share| share.len() as u64).sum(),
        }
    }
}

impl Subject for ThreadReads {
    fn run(&mut self, passes: u32) -> Result<Spent> {
        (0..passes).map(|_| self.once()).sum()
    }

    /// The first parts of all threads, then their second ones, and so on.
    fn show(&mut self, part: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        for share in &self.shares {
            share.buffer().bytes_mut()?.fill(pattern(self.way));
        }
        self.once()?;
        let rounds = self.shares.iter().map(Transfers::len).max().unwrap_or(0);
        for round in 0..rounds {
            for share in &self.shares {
                if let Some(place) = share.place_of(round) {
                    part(&share.buffer().bytes()?[place])?;
                }
            }
        }
        Ok(())
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![self.path.clone()]
    }
}
