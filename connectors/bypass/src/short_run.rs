//! Short runs: reads and writes so small that finding out about them would take longer than doing them.
//!
//! Native HDF5 serves such reads from a buffer of its own, without a system call. So do we: a contiguous dataset is
//! read in windows, which are kept in the cache like decoded chunks. And HDF5 is asked as few questions as possible.

use std::sync::Arc;

use engine::Kept;
use global_lock::{Area, Use};
use h5_host::Questions;
use h5_vol::Id;
use h5_vol::calls::{DatasetPart, MemorySource, MemoryTarget};
use store::{StoreError, Target};

use crate::dataset::DatasetState;
use crate::our_dataset::{OurDataset, Storage};
use crate::{Bypass, memory, summary};

/// Bytes of a window: it takes about as long to read as four system calls do.
const WINDOW: u64 = 16 * 1024;

/// Bytes of a run from which it is not short any more.
const SHORT: u64 = LONGEST as u64;
const LONGEST: usize = 8 * 1024;

/// A run of bytes of a contiguous dataset, in the file and in memory.
#[derive(Debug, Clone, Copy)]
struct Run {
    from: u64,
    to: usize,
    length: usize,
}

impl Bypass {
    /// Reads parts that are all short runs of datasets which are known to be ours; how many bytes. `None` if they are not,
    /// or if anything is unusual: then the long way finds out what, and reads all of them.
    pub(crate) fn read_short_runs(
        questions: Questions,
        parts: &[DatasetPart<Self, MemoryTarget<'_>>],
    ) -> Option<u64> {
        let mut bytes = 0;
        for part in parts {
            let dataset = part.dataset.data().dataset.as_ref().and_then(DatasetState::known)?;
            let (start, kept) = dataset.windows()?;
            if part.memory.as_ptr().is_null() {
                return None;
            }
            let run = run_of(questions, part, &dataset)?;
            copy_from_windows(&dataset, start, kept, run, part)?;
            bytes += run.length as u64;
        }
        summary::bypassed(parts.len() as u64, bytes);
        Some(bytes)
    }

    /// Reads one short run of a contiguous dataset that may be written, and so is not kept in windows. `None` as above.
    pub(crate) fn read_short_run_now(
        questions: Questions,
        parts: &[DatasetPart<Self, MemoryTarget<'_>>],
    ) -> Option<u64> {
        let [part] = parts else { return None };
        if part.memory.as_ptr().is_null() {
            return None;
        }
        let (dataset, from, run) = writable_run(questions, part)?;
        let _claim = dataset.writable()?.claims.try_claim(&Area::Everything, Use::Read)?;
        let mut bytes = [0; LONGEST];
        let bytes = bytes.get_mut(..run.length)?;
        dataset.store()?.read(from, Target::from_slice(bytes), &mut []).ok()?;
        memory::copy(&part.memory, run.to, bytes);
        summary::bypassed(1, run.length as u64);
        Some(run.length as u64)
    }

    /// Writes one short run of a contiguous dataset that is known to be ours. `None` as for reading.
    pub(crate) fn write_short_run(
        questions: Questions,
        parts: &[DatasetPart<Self, MemorySource<'_>>],
    ) -> Option<u64> {
        let [part] = parts else { return None };
        if part.memory.as_ptr().is_null() {
            return None;
        }
        let (dataset, to, run) = writable_run(questions, part)?;
        // Who is in the way is waited for the long way.
        let _claim = dataset.writable()?.claims.try_claim(&Area::Everything, Use::Write)?;
        let bytes = memory::part(&part.memory, run.to, run.length);
        dataset.store()?.write(to, bytes).ok()?;
        summary::write_bypassed(run.length as u64);
        Some(run.length as u64)
    }
}

/// The run of a contiguous dataset that may be written, and where it begins in the file.
fn writable_run<M>(
    questions: Questions,
    part: &DatasetPart<Bypass, M>,
) -> Option<(Arc<OurDataset>, u64, Run)> {
    let dataset = part.dataset.data().dataset.as_ref().and_then(DatasetState::known)?;
    let Storage::Contiguous(start, _) = dataset.storage() else { return None };
    let start = *start;
    if dataset.writable().is_none() || dataset.is_outdated() {
        return None;
    }
    let run = run_of(questions, part, &dataset)?;
    let place = start.checked_add(run.from)?;
    Some((dataset, place, run))
}

/// The run that a part asks for, if it is a short one.
fn run_of<M>(questions: Questions, part: &DatasetPart<Bypass, M>, dataset: &OurDataset) -> Option<Run> {
    if !dataset.is_known_to_be_stored_as(part.memory_type) {
        return None;
    }
    let extent = dataset.extent();
    let (first, count) = match part.file_space {
        Id::DEFAULT => (0, extent.count()),
        Id::BLOCK | Id::IN_TRANSFER_LIST => return None,
        space => questions.run(space, Some(extent.dims()))?,
    };
    let length = count.checked_mul(dataset.element()).filter(|length| (1..SHORT).contains(length))?;
    let first_in_memory = match part.memory_space {
        Id::DEFAULT => first,
        Id::BLOCK => 0,
        Id::IN_TRANSFER_LIST => return None,
        space => {
            let (first, same_count) = questions.run(space, None)?;
            (same_count == count).then_some(first)?
        }
    };
    Some(Run {
        from: first.checked_mul(dataset.element())?,
        to: usize::try_from(first_in_memory.checked_mul(dataset.element())?).ok()?,
        length: usize::try_from(length).ok()?,
    })
}

/// Copies a run out of the one or two windows it lies in; `None` if they cannot be read.
fn copy_from_windows(
    dataset: &OurDataset,
    start: u64,
    kept: Kept,
    run: Run,
    part: &DatasetPart<Bypass, MemoryTarget<'_>>,
) -> Option<()> {
    let all = dataset.extent().count() * dataset.element();
    let mut done = 0;
    while done < run.length {
        let at = run.from + done as u64;
        let (number, within) = (at / WINDOW, usize::try_from(at % WINDOW).ok()?);
        let length = usize::try_from(WINDOW.min(all - number * WINDOW)).ok()?;
        let window = kept
            .cache
            .get_or_decode(kept.key(number), length, |window| {
                let store = dataset.store().ok_or(Unreadable)?;
                Ok::<(), Unreadable>(store.read(
                    start.checked_add(number * WINDOW).ok_or(Unreadable)?,
                    Target::from_slice(window),
                    &mut [],
                )?)
            })
            .ok()?;
        let bytes = &window[within..window.len().min(within + run.length - done)];
        memory::copy(&part.memory, run.to + done, bytes);
        done += bytes.len();
    }
    Some(())
}

/// A window could not be read; who reads the run alone will tell why.
struct Unreadable;

impl From<StoreError> for Unreadable {
    fn from(_: StoreError) -> Self {
        Self
    }
}

impl From<chunk_cache::OutOfMemory> for Unreadable {
    fn from(_: chunk_cache::OutOfMemory) -> Self {
        Self
    }
}
