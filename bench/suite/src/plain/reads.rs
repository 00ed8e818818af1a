//! Reads of one dataset.

use std::path::PathBuf;
use std::rc::Rc;

use anyhow::{Context, Result};

use crate::bench::{Bench, Placement};
use crate::hdf5::{Buffer, Call, Dataset, Datatype, File, Library, Slab, Transfers, selections};
use crate::measure::spent_by;
use crate::registry::{Amount, Subject, Workload};
use crate::{Spent, Way};

/// What is in memory before a read. It differs between the two ways, so that bytes that a read misses are detected.
pub(crate) fn pattern(way: Way) -> u8 {
    match way {
        Way::Native => 0x55,
        Way::Bypass => 0xaa,
    }
}

/// The size of this many elements in memory.
pub(crate) fn bytes_of(count: &[u64], element: usize) -> Result<usize> {
    let bytes = count.iter().try_fold(element as u64, |bytes, &side| bytes.checked_mul(side));
    usize::try_from(bytes.context("a read is too large")?).context("a read is too large")
}

/// When the file is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opening {
    /// Once: all passes read the same open file.
    Once,
    /// For each pass, so that nothing is decoded yet. The opening is not measured.
    EveryPass,
    /// For each read.
    EveryRead,
    /// In each pass, which is measured, too.
    Measured,
}

/// What is read.
#[derive(Clone)]
pub(crate) struct Recipe {
    /// The file.
    pub(crate) path: PathBuf,
    /// The dataset in it.
    pub(crate) dataset: String,
    /// The datatype in memory.
    pub(crate) datatype: Datatype,
    /// The extent of the dataset.
    pub(crate) extent: Vec<u64>,
    /// The part of each read. All go to the beginning of the same memory. If there are none, everything is read at once.
    pub(crate) parts: Vec<Slab>,
    /// The offset of the memory in its page.
    pub(crate) placement: Placement,
    /// When the file is opened.
    pub(crate) opening: Opening,
}

impl Recipe {
    /// A read of a whole dataset, in a file that is opened for each pass.
    pub(crate) fn whole(path: PathBuf, dataset: &str, datatype: Datatype, extent: &[u64]) -> Self {
        Self {
            path,
            dataset: dataset.to_owned(),
            datatype,
            extent: extent.to_vec(),
            parts: Vec::new(),
            placement: Placement::Malloc,
            opening: Opening::EveryPass,
        }
    }
}

/// `H5Dread`s of one dataset, in one way.
pub(crate) struct Reads {
    library: &'static Library,
    way: Way,
    path: PathBuf,
    name: String,
    opening: Opening,
    transfers: Transfers,
    /// Bytes of each read.
    lengths: Vec<usize>,
    /// While it is open: the dataset is closed before the file.
    open: Option<(Dataset, File)>,
}

impl Reads {
    /// Prepares the reads.
    pub(crate) fn new(bench: &Bench, way: Way, recipe: &Recipe) -> Result<Self> {
        let Recipe { path, dataset: name, datatype, extent, parts, placement, opening } = recipe;
        let (library, element) = (bench.library, datatype.size()?);
        let counts = parts.iter().map(|part| bytes_of(&part.count, element));
        let lengths = if parts.is_empty() {
            vec![bytes_of(extent, element)?]
        } else {
            counts.collect::<Result<_>>()?
        };
        let buffer = bench.buffer(lengths.iter().copied().max().unwrap_or(0), *placement);

        let file = File::open(library, path, way)?;
        let dataset = Dataset::open(&file, name)?;
        let call = |selection| Call::new(&dataset, datatype, selection, 0);
        let calls = selections(library, parts, |_| extent.clone())?.into_iter().map(call).collect();
        let transfers = Transfers::new(&buffer, calls)?;
        let mut reads = Self {
            library,
            way,
            path: path.clone(),
            name: name.clone(),
            opening: *opening,
            transfers,
            lengths,
            open: Some((dataset, file)),
        };
        if *opening != Opening::Once {
            reads.close()?;
        }
        Ok(reads)
    }

    /// The memory that is read to.
    pub(crate) fn buffer(&self) -> &Rc<Buffer> {
        self.transfers.buffer()
    }

    fn open(&mut self) -> Result<()> {
        let file = File::open(self.library, &self.path, self.way)?;
        let dataset = Dataset::open(&file, &self.name)?;
        self.transfers.set_dataset(&dataset)?;
        self.open = Some((dataset, file));
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        let Some((dataset, file)) = self.open.take() else { return Ok(()) };
        dataset.close()?;
        file.close()
    }

    fn open_read_close(&mut self) -> Result<()> {
        let file = File::open_again(self.library, &self.path, self.way)?;
        let dataset = Dataset::open(&file, &self.name)?;
        self.transfers.set_dataset(&dataset)?;
        self.transfers.read(1)?;
        dataset.close()?;
        file.close()
    }

    /// Opens the file and does something with it.
    fn opened(&mut self, work: impl FnOnce(&Transfers) -> Result<Spent>) -> Result<Spent> {
        self.open()?;
        let spent = work(&self.transfers)?;
        self.close()?;
        Ok(spent)
    }
}

impl Workload for Reads {
    fn amount(&self) -> Amount {
        Amount {
            bytes: self.lengths.iter().map(|&length| length as u64).sum(),
            calls: self.lengths.len() as u64,
        }
    }
}

impl Subject for Reads {
    fn run(&mut self, passes: u32) -> Result<Spent> {
        match self.opening {
            Opening::Once => spent_by(|| self.transfers.read(passes)),
            Opening::Measured => spent_by(|| (0..passes).try_for_each(|_| self.open_read_close())),
            Opening::EveryPass => {
                (0..passes).map(|_| self.opened(|transfers| spent_by(|| transfers.read(1)))).sum()
            }
            Opening::EveryRead => {
                let count = self.lengths.len();
                let one = |number| self.opened(|transfers| spent_by(|| transfers.read_one(number)));
                (0..passes).flat_map(|_| 0..count).map(one).sum()
            }
        }
    }

    fn show(&mut self, part: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        if self.opening == Opening::EveryPass {
            self.open()?;
        }
        for number in 0..self.lengths.len() {
            let (length, pattern) = (self.lengths[number], pattern(self.way));
            self.buffer().bytes_mut()?[..length].fill(pattern);
            if matches!(self.opening, Opening::EveryRead | Opening::Measured) {
                self.opened(|transfers| spent_by(|| transfers.read_one(number)))?;
            } else {
                self.transfers.read_one(number)?;
            }
            part(&self.buffer().bytes()?[..length])?;
        }
        if self.opening == Opening::EveryPass {
            self.close()?;
        }
        Ok(())
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![self.path.clone()]
    }
}
