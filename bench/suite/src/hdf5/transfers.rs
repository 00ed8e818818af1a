//! Many reads or writes with nothing between them.

use std::rc::Rc;

use anyhow::{Result, bail, ensure};
use h5_abi::{H5P_DEFAULT, H5S_ALL, herr_t, hid_t};

use super::api::Api;
use super::{Buffer, Dataset, Datatype, Library, Space};

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
    pub(crate) dataset: Dataset,
    /// The datatype in memory.
    pub(crate) datatype: Datatype,
    /// What is selected of the memory; nothing for what the dataset's extent is.
    pub(crate) memory: Option<Space>,
    /// What is selected of the dataset; nothing for all.
    pub(crate) file: Option<Space>,
    /// Where in the buffer its memory begins.
    pub(crate) at: usize,
}

impl Call {
    /// Bytes of memory from its beginning on that it may touch.
    pub(super) fn room(&self) -> Result<usize> {
        let elements = match &self.memory {
            Some(memory) => memory.elements()?,
            None => self.dataset.space()?.elements()?,
        };
        let room = elements.checked_mul(self.datatype.plain_size()?);
        room.ok_or_else(|| anyhow::anyhow!("{elements} elements are too many"))
    }

    pub(super) fn fits(&self, buffer: &Buffer) -> Result<()> {
        fits(self.at, self.room()?, buffer)
    }
}

fn fits(at: usize, room: usize, buffer: &Buffer) -> Result<()> {
    let end = at.checked_add(room);
    ensure!(end.is_some_and(|end| end <= buffer.len()), "the memory is too small for a call");
    Ok(())
}

/// The arguments of one call.
#[derive(Clone, Copy)]
pub(super) struct Step {
    dataset: hid_t,
    datatype: hid_t,
    memory: hid_t,
    file: hid_t,
    at: usize,
}

/// Reads or writes, and the memory of all of them.
pub(crate) struct Transfers {
    pub(super) library: &'static Library,
    pub(super) buffer: Rc<Buffer>,
    pub(super) steps: Vec<Step>,
    /// What the steps refer to, in their order, so that it stays open. Datasets are their owners' to close: a call of one
    /// that is closed fails.
    kept: Vec<(Datatype, Option<Space>, Option<Space>)>,
}

impl Transfers {
    /// These calls, each of which finds enough memory in the buffer.
    pub(crate) fn new(library: &'static Library, buffer: &Rc<Buffer>, calls: Vec<Call>) -> Result<Self> {
        for call in &calls {
            call.fits(buffer)?;
        }
        let id = |space: &Option<Space>| space.as_ref().map_or(H5S_ALL, Space::id);
        let steps = calls.iter().map(|call| Step {
            dataset: call.dataset.id(),
            datatype: call.datatype.id(),
            memory: id(&call.memory),
            file: id(&call.file),
            at: call.at,
        });
        let steps = steps.collect();
        let kept = calls.into_iter().map(|call| (call.datatype, call.memory, call.file)).collect();
        Ok(Self { library, buffer: Rc::clone(buffer), steps, kept })
    }

    /// The memory of all of them.
    pub(crate) fn buffer(&self) -> &Rc<Buffer> {
        &self.buffer
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// Makes all of them calls of this dataset.
    pub(crate) fn set_dataset(&mut self, dataset: &Dataset) -> Result<()> {
        for (step, (datatype, memory, _)) in self.steps.iter_mut().zip(&self.kept) {
            step.dataset = dataset.id();
            if memory.is_none() {
                let room = dataset.space()?.elements()?.checked_mul(datatype.size()?);
                fits(step.at, room.unwrap_or(usize::MAX), &self.buffer)?;
            }
        }
        Ok(())
    }

    /// Makes all the reads, so many times over.
    pub(crate) fn read(&self, times: u32) -> Result<()> {
        let mut memory = self.buffer.bytes_mut()?;
        // SAFETY: `new` saw to it that all calls find their memory in the buffer, which is borrowed for them.
        unsafe { repeat(&self.library.api, Operation::Read, &self.steps, memory.as_mut_ptr(), times) }
    }

    /// Makes one of the reads.
    pub(crate) fn read_one(&self, number: usize) -> Result<()> {
        let mut memory = self.buffer.bytes_mut()?;
        let step = &self.steps[number..=number];
        // SAFETY: as of `read`.
        unsafe { repeat(&self.library.api, Operation::Read, step, memory.as_mut_ptr(), 1) }
    }

    /// Makes all the writes, so many times over.
    pub(crate) fn write(&self, times: u32) -> Result<()> {
        let memory = self.buffer.bytes()?;
        let start = memory.as_ptr().cast_mut();
        // SAFETY: `new` saw to it that all calls find their memory in the buffer, which is borrowed for them; writes
        // only look at it.
        unsafe { repeat(&self.library.api, Operation::Write, &self.steps, start, times) }
    }

    /// Makes all the writes, each after its dataset has got this extent.
    pub(crate) fn write_growing(&self, extents: &[Vec<u64>]) -> Result<()> {
        let (api, bytes) = (&self.library.api, self.buffer.bytes()?);
        ensure!(extents.len() == self.steps.len(), "each write has an extent");
        for (extent, (step, (_, memory, file))) in extents.iter().zip(self.steps.iter().zip(&self.kept)) {
            let (Some(_), Some(file)) = (memory, file) else {
                bail!("writes to a dataset that grows say what they select")
            };
            let rank = file.rank()?;
            ensure!(extent.len() == rank, "{extent:?} is no extent of {rank} dimensions");
            // SAFETY: as many numbers as there are dimensions.
            let status = unsafe { (api.H5Dset_extent)(step.dataset, extent.as_ptr()) };
            api.check("H5Dset_extent", status)?;
            let start = bytes.as_ptr().cast_mut();
            // SAFETY: as of `write`.
            unsafe { repeat(api, Operation::Write, core::slice::from_ref(step), start, 1) }?;
        }
        Ok(())
    }
}

/// Makes the calls, so many times over, until one fails.
///
/// # Safety
/// The calls may be made with the memory that begins at `start`; it is not changed by writes.
pub(super) unsafe fn repeat(
    api: &Api,
    operation: Operation,
    steps: &[Step],
    start: *mut u8,
    times: u32,
) -> Result<()> {
    match operation {
        Operation::Read => each(api, "H5Dread", steps, times, |step| {
            // SAFETY: the caller's promise.
            let memory = unsafe { start.add(step.at) };
            // SAFETY: likewise.
            unsafe {
                (api.H5Dread)(step.dataset, step.datatype, step.memory, step.file, H5P_DEFAULT, memory.cast())
            }
        }),
        Operation::Write => each(api, "H5Dwrite", steps, times, |step| {
            // SAFETY: the caller's promise.
            let memory = unsafe { start.add(step.at) };
            // SAFETY: likewise.
            unsafe {
                (api.H5Dwrite)(
                    step.dataset,
                    step.datatype,
                    step.memory,
                    step.file,
                    H5P_DEFAULT,
                    memory.cast(),
                )
            }
        }),
    }
}

#[inline]
fn each(api: &Api, name: &str, steps: &[Step], times: u32, call: impl Fn(&Step) -> herr_t) -> Result<()> {
    for _ in 0..times {
        for step in steps {
            if call(step) < 0 {
                return Err(api.failure(name));
            }
        }
    }
    Ok(())
}
