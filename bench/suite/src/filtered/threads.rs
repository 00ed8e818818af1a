//! Reads of different parts of one dataset by several threads of the application.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use anyhow::Result;

use super::files::DATASET;
use crate::bench::Bench;
use crate::hdf5::{
    Buffer, Call, Dataset, Datatype, File, Library, Operation, Slab, Space, Transfers, in_threads,
};
use crate::plain::pattern;
use crate::registry::{Amount, Subject, Workload};
use crate::{Spent, Way};

/// Bands that the rows are divided into.
const BANDS: u64 = 16;
/// Bytes of an element in memory.
const ELEMENT: u64 = 4;

/// Each thread reads bands of rows, a few of all, to memory of its own. A pass reads a file that was just opened.
pub(super) struct ThreadReads {
    library: &'static Library,
    way: Way,
    path: PathBuf,
    datatype: Datatype,
    /// Of a band in memory, and of all of them in the file, in their order.
    memory: Space,
    bands: Vec<Space>,
    /// Bytes of one.
    band: usize,
    /// Of each thread: the bands it reads, one behind the other.
    buffers: Vec<Rc<Buffer>>,
}

impl ThreadReads {
    /// Of floats; `extent` are the rows, a multiple of 16, and columns. Both ways read to the same memory.
    pub(super) fn new(
        bench: &Bench,
        way: Way,
        path: &Path,
        extent: [u64; 2],
        buffers: &[Rc<Buffer>],
    ) -> Result<Self> {
        let (library, [rows, columns]) = (bench.library, extent);
        let count = [rows / BANDS, columns];
        let bytes = usize::try_from(count[0] * columns * ELEMENT)?;
        let band = |number| Space::part(library, &extent, &Slab::new(&[number * count[0], 0], &count));
        Ok(Self {
            library,
            way,
            path: path.to_owned(),
            datatype: Datatype::named(library, "NATIVE_FLOAT")?,
            memory: Space::new(library, &count)?,
            bands: (0..BANDS).map(band).collect::<Result<_>>()?,
            band: bytes,
            buffers: buffers.to_vec(),
        })
    }

    /// Memory for so many threads.
    pub(super) fn memory(threads: u32, [rows, columns]: [u64; 2]) -> Result<Vec<Rc<Buffer>>> {
        let bands = BANDS.div_ceil(threads.into());
        let length = usize::try_from(rows / BANDS * columns * ELEMENT * bands)?;
        Ok((0..threads).map(|_| Rc::new(Buffer::new(length, 0))).collect())
    }

    /// Does something with the reads of each thread, of a file that was just opened.
    fn opened<T>(&self, work: impl FnOnce(&[Transfers]) -> Result<T>) -> Result<T> {
        let file = File::open(self.library, &self.path, self.way)?;
        let dataset = Dataset::open(&file, DATASET)?;
        let call = |(place, band): (usize, &Space)| Call {
            dataset: dataset.clone(),
            datatype: self.datatype.clone(),
            memory: Some(self.memory.clone()),
            file: Some(band.clone()),
            at: place * self.band,
        };
        let share = |(number, buffer): (usize, &Rc<Buffer>)| {
            let bands = self.bands.iter().skip(number).step_by(self.buffers.len());
            Transfers::new(buffer, bands.enumerate().map(call).collect())
        };
        let shares: Vec<Transfers> = self.buffers.iter().enumerate().map(share).collect::<Result<_>>()?;
        let done = work(&shares)?;
        drop(shares);
        dataset.close()?;
        file.close()?;
        Ok(done)
    }
}

impl Workload for ThreadReads {
    fn amount(&self) -> Amount {
        Amount { bytes: self.band as u64 * BANDS, calls: BANDS }
    }
}

impl Subject for ThreadReads {
    fn run(&mut self, passes: u32) -> Result<Spent> {
        let mut sum = Spent::default();
        for _ in 0..passes {
            sum = sum + self.opened(|shares| in_threads(Operation::Read, shares, 1))?;
        }
        Ok(sum)
    }

    /// All bands as one part: what the limit reads.
    fn show(&mut self, part: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        for buffer in &self.buffers {
            buffer.bytes_mut()?.fill(pattern(self.way));
        }
        self.run(1)?;
        let mut all = Vec::with_capacity(self.band * self.bands.len());
        for number in 0..self.bands.len() {
            let (thread, place) = (number % self.buffers.len(), number / self.buffers.len());
            all.extend_from_slice(&self.buffers[thread].bytes()?[place * self.band..][..self.band]);
        }
        part(&all)
    }

    fn files(&self) -> Vec<PathBuf> {
        vec![self.path.clone()]
    }
}
