//! Opening a file and a dataset, reading a little, and closing both.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::Result;

use super::files::{FLOAT, SMALL};
use super::pattern;
use crate::bench::{Bench, Placement};
use crate::hdf5::{Buffer, Call, Dataset, Datatype, File, Library, Slab, Transfers, selections};
use crate::measure::spent_by;
use crate::registry::{Amount, Subject, Workload};
use crate::{Spent, Way};

/// Numbers that are read.
pub(crate) const PIECE: u64 = 16;

/// All of it, in one way.
pub(crate) struct OpenReadClose {
    library: &'static Library,
    way: Way,
    path: PathBuf,
    buffer: Rc<Buffer>,
    transfers: Transfers,
}

impl OpenReadClose {
    /// Makes it ready for the small file.
    pub(crate) fn new(bench: &Bench, way: Way, path: &Path) -> Result<Self> {
        let library = bench.library;
        let buffer = bench.buffer(usize::try_from(PIECE * FLOAT)?, Placement::Malloc);
        let file = File::open(library, path, way)?;
        let (dataset, datatype) = (Dataset::open(&file, "small")?, Datatype::named(library, "NATIVE_FLOAT")?);
        let selections = selections(library, &[Slab::new(&[0], &[PIECE])], |_| vec![SMALL])?.into_iter();
        let calls = selections.map(|selection| Call::new(&dataset, &datatype, selection, 0));
        let transfers = Transfers::new(&buffer, calls.collect())?;
        file.close()?;
        Ok(Self { library, way, path: path.to_owned(), buffer, transfers })
    }

    fn once(&mut self) -> Result<()> {
        let file = File::open_again(self.library, &self.path, self.way)?;
        let dataset = Dataset::open(&file, "small")?;
        self.transfers.set_dataset(&dataset)?;
        self.transfers.read(1)?;
        dataset.close()?;
        file.close()
    }
}

impl Workload for OpenReadClose {
    fn amount(&self) -> Amount {
        Amount { bytes: PIECE * FLOAT, calls: 1 }
    }
}

impl Subject for OpenReadClose {
    fn run(&mut self, passes: u32) -> Result<Spent> {
        spent_by(|| (0..passes).try_for_each(|_| self.once()))
    }

    fn show(&mut self, part: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        self.buffer.bytes_mut()?.fill(pattern(self.way));
        self.once()?;
        part(&self.buffer.bytes()?)
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![self.path.clone()]
    }
}
