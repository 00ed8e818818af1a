//! Reads of a user's dataset.
//!
//! Every pass opens the file anew, so that nobody has any of it decoded yet; the opening itself is not measured.

use std::path::PathBuf;
use std::rc::Rc;

use anyhow::{Context, Result};

use super::source::Source;
use crate::bench::{Bench, Placement};
use crate::hdf5::{Buffer, Call, Dataset, File, Library, Operation, Slab, Space, Transfers, in_threads};
use crate::plain::{Opening, Reads, Recipe, pattern};
use crate::registry::{Amount, Subject, Workload};
use crate::{Spent, Way};

/// Passes that are really made, at most.
const MOST_PASSES: u32 = 256;
/// Where malloc puts a large buffer in its page.
const MALLOC: usize = 16;

/// A subject of which only some of many passes are made, and the others counted as these: opening a file takes much longer
/// than a small read of it.
pub(super) struct Seldom<Of>(Of);

impl Seldom<Reads> {
    /// Reads of these parts, each into the beginning of the same memory; of all at once, if there are none.
    pub(super) fn reads(bench: &Bench, source: &Source, way: Way, parts: &[Slab]) -> Result<Self> {
        let recipe = Recipe {
            path: source.path.clone(),
            dataset: source.dataset.clone(),
            datatype: source.memory.clone(),
            extent: source.extent.clone(),
            parts: parts.to_vec(),
            placement: Placement::Malloc,
            opening: Opening::EveryPass,
        };
        Ok(Self(Reads::new(bench, way, &recipe)?))
    }

    /// The memory that is read to.
    pub(super) fn buffer(&self) -> &Rc<Buffer> {
        self.0.buffer()
    }
}

impl Seldom<InThreads> {
    /// Reads by a thread for each share, each into memory of its own.
    pub(super) fn in_threads(
        bench: &Bench,
        source: &Source,
        way: Way,
        shares: &[Vec<Slab>],
        memory: &[Rc<Buffer>],
    ) -> Result<Self> {
        InThreads::new(bench, source, way, shares, memory).map(Self)
    }
}

impl<Of: Workload> Workload for Seldom<Of> {
    fn amount(&self) -> Amount {
        self.0.amount()
    }
}

impl<Of: Subject> Subject for Seldom<Of> {
    fn run(&mut self, passes: u32) -> Result<Spent> {
        let made = passes.clamp(1, MOST_PASSES);
        let spent = self.0.run(made)?;
        let times = f64::from(passes) / f64::from(made);
        Ok(Spent { seconds: spent.seconds * times, cpu: spent.cpu * times })
    }

    fn show(&mut self, part: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        self.0.show(part)
    }

    fn files(&self) -> Vec<PathBuf> {
        self.0.files()
    }
}

/// Reads by several threads at once.
pub(super) struct InThreads {
    library: &'static Library,
    way: Way,
    path: PathBuf,
    dataset: String,
    shares: Vec<Transfers>,
    bytes: u64,
}

impl InThreads {
    fn new(
        bench: &Bench,
        source: &Source,
        way: Way,
        shares: &[Vec<Slab>],
        memory: &[Rc<Buffer>],
    ) -> Result<Self> {
        let (library, path, dataset) = (bench.library, source.path.clone(), source.dataset.clone());
        let file = File::open(library, &path, way)?;
        let opened = Dataset::open(&file, &dataset)?;
        let mut bytes = 0;
        let transfers = shares.iter().zip(memory).map(|(parts, buffer)| {
            let (mut at, mut calls) = (0, Vec::new());
            for part in parts {
                let memory = Some(Space::new(library, &part.count)?);
                let selected = Some(Space::part(library, &source.extent, part)?);
                let (dataset, datatype) = (opened.clone(), source.memory.clone());
                calls.push(Call { dataset, datatype, memory, file: selected, at });
                at += source.bytes_of(part)?;
            }
            bytes += at as u64;
            Transfers::new(buffer, calls)
        });
        let shares = transfers.collect::<Result<_>>()?;
        file.close()?;
        Ok(Self { library, way, path, dataset, shares, bytes })
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

/// Memory for the share of each thread.
pub(super) fn memory_of(source: &Source, shares: &[Vec<Slab>]) -> Result<Vec<Rc<Buffer>>> {
    let length = |parts: &Vec<Slab>| parts.iter().map(|part| source.bytes_of(part)).sum::<Result<usize>>();
    shares.iter().map(|parts| Ok(Rc::new(Buffer::new(length(parts)?, MALLOC)))).collect()
}

impl Workload for InThreads {
    fn amount(&self) -> Amount {
        Amount { bytes: self.bytes, calls: self.shares.iter().map(|share| share.len() as u64).sum() }
    }
}

impl Subject for InThreads {
    fn run(&mut self, passes: u32) -> Result<Spent> {
        (0..passes).try_fold(Spent::default(), |sum, _| Ok(sum + self.once()?))
    }

    fn show(&mut self, part: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        for share in &self.shares {
            share.buffer().bytes_mut()?.fill(pattern(self.way));
        }
        self.once()?;
        self.shares.iter().try_for_each(|share| part(&share.buffer().bytes()?))
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![self.path.clone()]
    }
}

impl Source {
    /// Bytes of memory that a part takes.
    pub(super) fn bytes_of(&self, part: &Slab) -> Result<usize> {
        let elements = part.count.iter().try_fold(1_u64, |all, length| all.checked_mul(*length));
        let bytes = elements.and_then(|elements| usize::try_from(elements).ok()?.checked_mul(self.element));
        bytes.context("a part of the dataset is larger than memory can be")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts its passes, each of which takes a second.
    struct Counted(u32);

    impl Subject for Counted {
        fn run(&mut self, passes: u32) -> Result<Spent> {
            self.0 += passes;
            Ok(Spent { seconds: f64::from(passes), cpu: 2.0 * f64::from(passes) })
        }

        fn show(&mut self, _: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
            Ok(())
        }
    }

    #[test]
    fn of_many_passes_some_are_made_and_all_are_counted() {
        for (passes, made) in [(1, 1), (256, 256), (100_000, 256)] {
            let mut seldom = Seldom(Counted(0));
            let spent = seldom.run(passes).unwrap();
            assert_eq!(seldom.0.0, made);
            assert!((spent.seconds - f64::from(passes)).abs() < 1e-6, "{spent:?}");
            assert!((spent.cpu - 2.0 * f64::from(passes)).abs() < 1e-6, "{spent:?}");
        }
    }
}
