//! Writes to many datasets or files. Each pass creates all of them, as in `single`.

use std::rc::Rc;

use anyhow::Result;

use super::recipe::{DATASET, Plan, Recipe};
use crate::bench::Bench;
use crate::hdf5::{Buffer, Call, Dataset, File, Library, Multi, Space, Transfers};
use crate::measure::{Clock, spent_by};
use crate::registry::{Amount, Subject, Workload};
use crate::scratch::{Scratch, read_natively};
use crate::{Spent, Way};

/// One `H5Dwrite_multi` of whole datasets, all of one recipe and from the same memory.
pub(crate) struct MultiWrites {
    library: &'static Library,
    way: Way,
    scratch: Scratch,
    plan: Plan,
    buffer: Rc<Buffer>,
    names: Vec<String>,
}

impl MultiWrites {
    pub(crate) fn new(bench: &Bench, way: Way, recipe: &Recipe, count: u32) -> Result<Self> {
        recipe.provide(bench)?;
        Ok(Self {
            library: bench.library,
            way,
            scratch: Scratch::new(&bench.folder, &format!("{}.h5", way.name())),
            plan: Plan::new(bench.library, recipe)?,
            buffer: recipe.numbers(bench)?,
            names: (0..count).map(|number| format!("{DATASET}{number}")).collect(),
        })
    }

    fn once(&self) -> Result<Spent> {
        self.scratch.remove()?;
        let clock = Clock::start();
        let file = File::create(self.library, self.scratch.path(), self.way)?;
        let datasets: Vec<Dataset> =
            self.names.iter().map(|name| self.plan.create(&file, name)).collect::<Result<_>>()?;
        let beginning = clock.stop();
        let call = |dataset: &Dataset| Call::whole(dataset, &self.plan.datatype, 0);
        let multi = Multi::new(self.library, &self.buffer, datasets.iter().map(call).collect())?;
        let writing = spent_by(|| multi.write())?;
        drop(multi);
        let ending = spent_by(|| {
            datasets.into_iter().try_for_each(Dataset::close)?;
            file.close()
        })?;
        Ok(beginning + writing + ending)
    }
}

impl Workload for MultiWrites {
    fn amount(&self) -> Amount {
        Amount { bytes: self.buffer.len() as u64 * self.names.len() as u64, calls: 1 }
    }

    fn written(&self) -> Result<Option<u64>> {
        self.scratch.length().map(Some)
    }
}

impl Subject for MultiWrites {
    fn run(&mut self, passes: u32) -> Result<Spent> {
        (0..passes).map(|_| self.once()).sum()
    }

    fn show(&mut self, part: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        self.run(1)?;
        for name in &self.names {
            let (path, datatype) = (self.scratch.path(), &self.plan.datatype);
            part(&read_natively(self.library, path, name, datatype, self.buffer.len())?.bytes()?)?;
        }
        Ok(())
    }
}

/// Many small files, each created, written and closed before the next.
pub(crate) struct FileWrites {
    library: &'static Library,
    way: Way,
    scratches: Vec<Scratch>,
    plan: Plan,
    buffer: Rc<Buffer>,
    memory: Space,
    /// After the first file.
    transfers: Option<Transfers>,
}

impl FileWrites {
    pub(crate) fn new(bench: &Bench, way: Way, recipe: &Recipe, count: u32) -> Result<Self> {
        recipe.provide(bench)?;
        let scratch = |number| Scratch::new(&bench.folder, &format!("{}{number}.h5", way.name()));
        let mut files = Self {
            library: bench.library,
            way,
            scratches: (0..count).map(scratch).collect(),
            plan: Plan::new(bench.library, recipe)?,
            buffer: recipe.numbers(bench)?,
            memory: Space::new(bench.library, &recipe.extent)?,
            transfers: None,
        };
        files.make_transfers()?;
        Ok(files)
    }

    /// Prepares the one write of each file. Its dataset is set before it is made.
    fn make_transfers(&mut self) -> Result<()> {
        let Some(scratch) = self.scratches.first() else { return Ok(()) };
        let file = File::create(self.library, scratch.path(), self.way)?;
        let dataset = self.plan.create(&file, DATASET)?;
        let call = Call::new(&dataset, &self.plan.datatype, (Some(self.memory.clone()), None), 0);
        self.transfers = Some(Transfers::new(&self.buffer, vec![call])?);
        dataset.close()?;
        file.close()
    }

    fn once(&mut self) -> Result<Spent> {
        self.scratches.iter().try_for_each(Scratch::remove)?;
        let Some(transfers) = &mut self.transfers else { return Ok(Spent::default()) };
        let clock = Clock::start();
        for scratch in &self.scratches {
            let file = File::create_again(self.library, scratch.path(), self.way)?;
            let dataset = self.plan.create(&file, DATASET)?;
            transfers.set_dataset(&dataset)?;
            transfers.write(1)?;
            dataset.close()?;
            file.close()?;
        }
        Ok(clock.stop())
    }
}

impl Workload for FileWrites {
    fn amount(&self) -> Amount {
        Amount {
            bytes: self.buffer.len() as u64 * self.scratches.len() as u64,
            calls: self.scratches.len() as u64,
        }
    }

    fn written(&self) -> Result<Option<u64>> {
        let lengths = self.scratches.iter().map(Scratch::length);
        lengths.sum::<Result<u64>>().map(Some)
    }
}

impl Subject for FileWrites {
    fn run(&mut self, passes: u32) -> Result<Spent> {
        (0..passes).map(|_| self.once()).sum()
    }

    fn show(&mut self, part: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        self.run(1)?;
        for scratch in &self.scratches {
            let (path, datatype) = (scratch.path(), &self.plan.datatype);
            part(&read_natively(self.library, path, DATASET, datatype, self.buffer.len())?.bytes()?)?;
        }
        Ok(())
    }
}
