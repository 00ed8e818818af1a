//! One `H5Dread_multi` of whole datasets.

use std::path::PathBuf;
use std::rc::Rc;

use anyhow::{Context, Result};

use super::pattern;
use crate::bench::{Bench, Placement};
use crate::hdf5::{Buffer, Call, Dataset, Datatype, File, Library, Multi, PAGE};
use crate::measure::spent_by;
use crate::registry::{Amount, Subject, Workload};
use crate::{Spent, Way};

/// What is read.
pub(crate) struct Recipe {
    /// The file.
    pub(crate) path: PathBuf,
    /// The datasets.
    pub(crate) names: Vec<String>,
    /// Bytes of each.
    pub(crate) length: usize,
    /// The offset of each dataset's memory in its page.
    pub(crate) placement: Placement,
    /// Whether each call reads datasets that were just opened, so that native HDF5 has none of them in its sieve buffers.
    pub(crate) is_first: bool,
}

/// One call for all datasets, in one way.
pub(crate) struct MultiReads {
    library: &'static Library,
    way: Way,
    recipe: Recipe,
    buffer: Rc<Buffer>,
    /// From one dataset's memory to the next.
    distance: usize,
    /// While they are open: datasets are closed before the file.
    open: Option<(Multi, Vec<Dataset>, File)>,
}

impl MultiReads {
    /// Prepares the call.
    pub(crate) fn new(bench: &Bench, way: Way, recipe: Recipe) -> Result<Self> {
        // Each dataset's memory has the same offset in its page.
        let distance = recipe.length.next_multiple_of(PAGE);
        let whole = distance.checked_mul(recipe.names.len()).context("too much memory")?;
        let buffer = bench.buffer(whole, recipe.placement);
        let mut reads = Self { library: bench.library, way, recipe, buffer, distance, open: None };
        if !reads.recipe.is_first {
            reads.open()?;
        }
        Ok(reads)
    }

    fn open(&mut self) -> Result<()> {
        let file = File::open(self.library, &self.recipe.path, self.way)?;
        let datatype = Datatype::named(self.library, "NATIVE_FLOAT")?;
        let names = self.recipe.names.iter();
        let datasets = names.map(|name| Dataset::open(&file, name)).collect::<Result<Vec<_>>>()?;
        let places = (0..).step_by(self.distance);
        let calls = datasets.iter().zip(places).map(|(dataset, at)| Call::whole(dataset, &datatype, at));
        let multi = Multi::new(self.library, &self.buffer, calls.collect())?;
        self.open = Some((multi, datasets, file));
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        let Some((multi, datasets, file)) = self.open.take() else { return Ok(()) };
        drop(multi);
        datasets.into_iter().try_for_each(Dataset::close)?;
        file.close()
    }

    fn read(&self, times: u32) -> Result<Spent> {
        let (multi, ..) = self.open.as_ref().context("the datasets are not open")?;
        spent_by(|| multi.read(times))
    }
}

impl Workload for MultiReads {
    fn amount(&self) -> Amount {
        Amount { bytes: (self.recipe.length * self.recipe.names.len()) as u64, calls: 1 }
    }
}

impl Subject for MultiReads {
    fn run(&mut self, passes: u32) -> Result<Spent> {
        if !self.recipe.is_first {
            return self.read(passes);
        }
        let once = |_| {
            self.open()?;
            let spent = self.read(1)?;
            self.close()?;
            Ok(spent)
        };
        (0..passes).map(once).sum()
    }

    fn show(&mut self, part: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        self.buffer.bytes_mut()?.fill(pattern(self.way));
        self.run(1)?;
        let bytes = self.buffer.bytes()?;
        bytes.chunks(self.distance).try_for_each(|dataset| part(&dataset[..self.recipe.length]))
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![self.recipe.path.clone()]
    }
}
