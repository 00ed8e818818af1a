//! Many reads or writes with nothing between them.

use std::ops::Range;
use std::rc::Rc;

use anyhow::{Result, bail, ensure};
use h5_client::Transfer;

use super::{Buffer, Dataset, Datatype, Selection, Space};

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    /// `H5Dread`
    Read,
    /// `H5Dwrite`
    Write,
}

/// One read or write.
#[derive(Clone)]
pub(crate) struct Call {
    /// Of this dataset.
    dataset: Dataset,
    /// The datatype in memory.
    datatype: Datatype,
    /// The selection in memory. `None` for the extent of the dataset.
    memory: Option<Space>,
    /// The selection in the dataset. `None` for all of it.
    file: Option<Space>,
    /// Where in the buffer its memory begins.
    pub(super) at: usize,
}

impl Call {
    /// What is selected of a dataset, with the memory that begins at `at`.
    pub(crate) fn new(dataset: &Dataset, datatype: &Datatype, selection: Selection, at: usize) -> Self {
        let (memory, file) = selection;
        Self { dataset: dataset.clone(), datatype: datatype.clone(), memory, file, at }
    }

    /// All of a dataset, with the memory that begins at `at`.
    pub(crate) fn whole(dataset: &Dataset, datatype: &Datatype, at: usize) -> Self {
        Self::new(dataset, datatype, (None, None), at)
    }

    /// Prepares the transfer. Fails if the buffer is too small.
    pub(super) fn prepared(&self, buffer: &Buffer) -> Result<Transfer> {
        let [memory, file] = [&self.memory, &self.file].map(|space| space.as_ref().map(|space| &space.space));
        let transfer = Transfer::new(&self.dataset.dataset, &self.datatype.datatype, memory, file)?;
        let end = self.at.checked_add(transfer.room());
        ensure!(end.is_some_and(|end| end <= buffer.len()), "the memory is too small for a call");
        Ok(transfer)
    }
}

/// One call, and where in the buffer its memory begins.
pub(super) struct Step {
    pub(super) transfer: Transfer,
    pub(super) at: usize,
    /// Whether it has selections in memory and in the dataset.
    has_selections: bool,
}

/// Reads or writes, and the memory of all of them. The datasets are closed by their owners. A call on a closed one fails.
pub(crate) struct Transfers {
    pub(super) buffer: Rc<Buffer>,
    pub(super) steps: Vec<Step>,
}

impl Transfers {
    #[expect(
        clippy::needless_pass_by_value,
        reason = "callers make the calls for this and have no other use for them"
    )]
    /// Prepares these calls. Fails if the buffer is too small for one of them.
    pub(crate) fn new(buffer: &Rc<Buffer>, calls: Vec<Call>) -> Result<Self> {
        let step = |call: &Call| {
            let has_selections = call.memory.is_some() && call.file.is_some();
            Ok(Step { transfer: call.prepared(buffer)?, at: call.at, has_selections })
        };
        let steps = calls.iter().map(step).collect::<Result<_>>()?;
        Ok(Self { buffer: Rc::clone(buffer), steps })
    }

    /// The memory of all of them.
    pub(crate) fn buffer(&self) -> &Rc<Buffer> {
        &self.buffer
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// The part of the memory that the call with this number uses.
    pub(crate) fn place_of(&self, number: usize) -> Option<Range<usize>> {
        self.steps.get(number).map(|step| step.at..step.at + step.transfer.room())
    }

    /// Makes all of them calls of this dataset.
    pub(crate) fn set_dataset(&mut self, dataset: &Dataset) -> Result<()> {
        for step in &mut self.steps {
            step.transfer.set_dataset(&dataset.dataset)?;
        }
        Ok(())
    }

    /// Makes all reads, this many times.
    pub(crate) fn read(&self, times: u32) -> Result<()> {
        let mut memory = self.buffer.bytes_mut()?;
        for _ in 0..times {
            for step in &self.steps {
                step.transfer.read(&mut memory[step.at..])?;
            }
        }
        Ok(())
    }

    /// Makes one of the reads.
    pub(crate) fn read_one(&self, number: usize) -> Result<()> {
        let step = &self.steps[number];
        Ok(step.transfer.read(&mut self.buffer.bytes_mut()?[step.at..])?)
    }

    /// Makes all writes, this many times.
    pub(crate) fn write(&self, times: u32) -> Result<()> {
        let memory = self.buffer.bytes()?;
        for _ in 0..times {
            for step in &self.steps {
                step.transfer.write(&memory[step.at..])?;
            }
        }
        Ok(())
    }

    /// Makes all writes. Before each, the dataset gets the extent in this list.
    pub(crate) fn write_growing(&self, extents: &[Vec<u64>]) -> Result<()> {
        let memory = self.buffer.bytes()?;
        ensure!(extents.len() == self.steps.len(), "the number of extents differs from the number of writes");
        for (extent, step) in extents.iter().zip(&self.steps) {
            if !step.has_selections {
                bail!("writes to a dataset that grows need selections")
            }
            step.transfer.set_extent(extent)?;
            step.transfer.write(&memory[step.at..])?;
        }
        Ok(())
    }
}
