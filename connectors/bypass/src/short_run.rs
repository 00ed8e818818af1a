//! Short runs: reads and writes so small that finding out about them would take longer than doing them.
//!
//! Native HDF5 serves them from buffers of its own. So a call whose parts are all short runs of datasets that are known
//! to be ours takes a path of its own, on which HDF5 is asked as few questions as possible. A run lies in one piece in
//! the file, or in one chunk: data that is stored as it is and cannot change is read in windows, which are kept in the
//! cache; other chunks are served from memory if they are there. Whatever is unusual takes the long way, which does all of it again.

use std::sync::Arc;

use engine::Kept;
use global_lock::{Area, Claim, Use};
use h5_host::{Questions, SelectedBlock};
use h5_vol::Id;
use h5_vol::calls::{DatasetPart, MemorySource, MemoryTarget};
use selection::Chunk;
use store::{StoreError, Target};

use crate::chunk_index::Found;
use crate::dataset::DatasetState;
use crate::our_dataset::{Chunks, OurDataset, Storage};
use crate::{Bypass, memory, summary};

/// Bytes of a window: it takes about as long to read as four system calls do.
const WINDOW: u64 = 16 * 1024;

/// Bytes of a run from which it is not short any more.
const SHORT: u64 = LONGEST as u64;
const LONGEST: usize = 8 * 1024;

/// A run of bytes of a dataset, in what it lies in and in memory.
#[derive(Debug)]
struct Run {
    dataset: Arc<OurDataset>,
    place: Place,
    from: u64,
    to: usize,
    length: usize,
}

/// What a run lies in.
#[derive(Debug)]
enum Place {
    /// The whole dataset, which begins there in the file.
    Contiguous(u64),
    Chunk(Chunk),
}

impl Bypass {
    /// Reads parts that are all short runs; how many bytes. `None` if they are not, or if anything is unusual.
    pub(crate) fn read_short_runs(
        questions: Questions,
        parts: &[DatasetPart<Self, MemoryTarget<'_>>],
    ) -> Option<u64> {
        if let [part] = parts {
            let run = run_of(questions, part, part.memory.as_ptr().is_null())?;
            let _claim = run.claim(Use::Read)?;
            run.read(&part.memory)?;
            summary::bypassed(1, run.length as u64);
            return Some(run.length as u64);
        }
        let runs = parts.iter().map(|part| run_of(questions, part, part.memory.as_ptr().is_null()));
        let runs: Vec<_> = runs.collect::<Option<_>>()?;
        let _claims = claim_all(&runs, Use::Read)?;
        for (run, part) in runs.iter().zip(parts) {
            run.read(&part.memory)?;
        }
        let bytes = runs.iter().map(|run| run.length as u64).sum();
        summary::bypassed(parts.len() as u64, bytes);
        Some(bytes)
    }

    /// Writes parts that are all short runs; how many bytes. `None` as for reading.
    pub(crate) fn write_short_runs(
        questions: Questions,
        parts: &[DatasetPart<Self, MemorySource<'_>>],
    ) -> Option<u64> {
        if let [part] = parts {
            let run = run_of(questions, part, part.memory.as_ptr().is_null())?;
            let _claim = run.claim(Use::Write)?;
            run.write(&part.memory)?;
            summary::write_bypassed(run.length as u64);
            return Some(run.length as u64);
        }
        let runs = parts.iter().map(|part| run_of(questions, part, part.memory.as_ptr().is_null()));
        let runs: Vec<_> = runs.collect::<Option<_>>()?;
        // A dataset that is named twice cannot be claimed twice, and takes the long way.
        let _claims = claim_all(&runs, Use::Write)?;
        for (run, part) in runs.iter().zip(parts) {
            run.write(&part.memory)?;
        }
        for run in &runs {
            summary::write_bypassed(run.length as u64);
        }
        Some(runs.iter().map(|run| run.length as u64).sum())
    }
}

/// Claims the datasets of all runs, so that the call takes effect at one moment.
fn claim_all(runs: &[Run], what: Use) -> Option<Vec<Option<Claim>>> {
    runs.iter().map(|run| run.claim(what)).collect()
}

impl Run {
    /// Claims the dataset if that needs no waiting and what is known about it holds. There is nothing to claim of one that
    /// cannot change, and it cannot be written.
    #[expect(clippy::option_option, reason = "cannot be had, or is not needed")]
    fn claim(&self, what: Use) -> Option<Option<Claim>> {
        let Some(shared) = self.dataset.writable() else { return (what == Use::Read).then_some(None) };
        if self.dataset.is_outdated() || !shared.is_caught_up() {
            return None;
        }
        shared.claims.try_claim(&Area::Everything, what).map(Some)
    }

    fn read(&self, memory: &MemoryTarget<'_>) -> Option<()> {
        match &self.place {
            Place::Contiguous(start) => match self.dataset.windows() {
                Some(kept) => {
                    let all = self.dataset.extent().count().checked_mul(self.dataset.element())?;
                    self.copy_from_windows(*start, all, 0, kept, memory)
                }
                None => self.read_from_file(start.checked_add(self.from)?, memory),
            },
            Place::Chunk(chunk) => self.read_from_chunk(self.dataset.chunks()?, chunk, memory),
        }
    }

    fn write(&self, memory: &MemorySource<'_>) -> Option<()> {
        let bytes = memory::part(memory, self.to, self.length);
        match &self.place {
            Place::Contiguous(start) => {
                self.dataset.store()?.write(start.checked_add(self.from)?, bytes).ok()
            }
            Place::Chunk(chunk) => self.write_to_chunk(self.dataset.chunks()?, chunk, bytes),
        }
    }

    fn read_from_file(&self, place: u64, memory: &MemoryTarget<'_>) -> Option<()> {
        let mut bytes = [0; LONGEST];
        let bytes = bytes.get_mut(..self.length)?;
        self.dataset.store()?.read(place, Target::from_slice(bytes), &mut []).ok()?;
        memory::copy(memory, self.to, bytes);
        Some(())
    }

    /// From memory if the chunk is there, or from the file if it is stored there as it is.
    fn read_from_chunk(&self, chunks: &Chunks, chunk: &Chunk, memory: &MemoryTarget<'_>) -> Option<()> {
        let from = usize::try_from(self.from).ok()?;
        let copy = |elements: &[u8]| {
            memory::copy(memory, self.to, elements.get(from..)?.get(..self.length)?);
            Some(())
        };
        if let Some(shared) = self.dataset.writable()
            && let Some(done) = shared.dirty.look_at(&chunk.origin, copy)
        {
            return done;
        }
        if let Some(filtering) = &chunks.filtering {
            let kept = filtering.place.kept();
            return copy(&kept.cache.get(kept.key(chunk.number))?);
        }
        let start = start_in_file(chunks, chunk)?;
        match self.dataset.windows() {
            Some(kept) => {
                let all = chunks.index.kind().bytes;
                let first = chunk.number.checked_mul(all.div_ceil(WINDOW))?;
                self.copy_from_windows(start, all, first, kept, memory)
            }
            None => self.read_from_file(start.checked_add(self.from)?, memory),
        }
    }

    /// To memory if the chunk is changed there already, or to the file if it is stored there as it is.
    fn write_to_chunk(&self, chunks: &Chunks, chunk: &Chunk, bytes: &[u8]) -> Option<()> {
        let shared = self.dataset.writable()?;
        let from = usize::try_from(self.from).ok()?;
        let overwrite = |elements: &mut [u8]| {
            elements.get_mut(from..)?.get_mut(..bytes.len())?.copy_from_slice(bytes);
            Some(())
        };
        if let Some(done) = shared.dirty.change(&chunk.origin, overwrite) {
            return done;
        }
        if chunks.filtering.is_some() || !shared.is_unknown_to_native() {
            return None;
        }
        self.dataset.store()?.write(start_in_file(chunks, chunk)?.checked_add(self.from)?, bytes).ok()
    }

    /// Copies it out of the one or two windows it lies in, of a piece of `all` bytes that begins at `start` in the file and
    /// whose windows are numbered from `first` on; `None` if they cannot be read.
    fn copy_from_windows(
        &self,
        start: u64,
        all: u64,
        first: u64,
        kept: Kept,
        memory: &MemoryTarget<'_>,
    ) -> Option<()> {
        let mut done = 0;
        while done < self.length {
            let at = self.from + done as u64;
            let (number, within) = (at / WINDOW, usize::try_from(at % WINDOW).ok()?);
            let length = usize::try_from(WINDOW.min(all - number * WINDOW)).ok()?;
            let window = kept
                .cache
                .get_or_decode(kept.key(first.checked_add(number)?), length, |window| {
                    let store = self.dataset.store().ok_or(Unreadable)?;
                    Ok::<(), Unreadable>(store.read(
                        start.checked_add(number * WINDOW).ok_or(Unreadable)?,
                        Target::from_slice(window),
                        &mut [],
                    )?)
                })
                .ok()?;
            let bytes = &window[within..window.len().min(within + self.length - done)];
            memory::copy(memory, self.to + done, bytes);
            done += bytes.len();
        }
        Some(())
    }
}

/// Where a chunk begins in the file, if it is stored as it is and its place is known.
fn start_in_file(chunks: &Chunks, chunk: &Chunk) -> Option<u64> {
    match chunks.index.find(chunk.number) {
        Found::Stored(stored) => Some(stored.address),
        Found::Written(_) | Found::Missing | Found::Unknown => None,
    }
}

/// The run that a part asks for, if it is a short one of a dataset that is known to be ours.
fn run_of<M>(questions: Questions, part: &DatasetPart<Bypass, M>, is_null: bool) -> Option<Run> {
    let dataset = part.dataset.data().dataset.as_ref().and_then(DatasetState::known)?;
    // Neither missing nor in external files, and not closed by another thread meanwhile.
    if is_null || !matches!(dataset.storage(), Storage::Contiguous(..) | Storage::Chunked(_)) {
        return None;
    }
    let dims = dataset.extent().dims();
    let (place, first, count) = match (part.file_space, dataset.storage()) {
        (Id::DEFAULT, Storage::Contiguous(start, _)) => {
            (Place::Contiguous(*start), 0, dataset.extent().count())
        }
        (Id::DEFAULT | Id::BLOCK | Id::IN_TRANSFER_LIST, _) => return None,
        (space, storage) => {
            let block = questions.block(space)?;
            if block.dims.as_slice() != &**dims {
                return None;
            }
            match storage {
                Storage::Contiguous(start, _) => {
                    (Place::Contiguous(*start), first_of_run(dims, &[], &block)?, block.count)
                }
                Storage::Chunked(chunks) => {
                    let chunk = chunk_around(chunks, &block)?;
                    let first = first_of_run(chunks.grid.chunk_dims(), &chunk.origin, &block)?;
                    (Place::Chunk(chunk), first, block.count)
                }
                Storage::Missing | Storage::External(_) => return None,
            }
        }
    };
    let element = dataset.element();
    let length = count.checked_mul(element).filter(|length| (1..SHORT).contains(length))?;
    let first_in_memory = match part.memory_space {
        // As in the dataset, which is as large in memory.
        Id::DEFAULT => match &place {
            Place::Contiguous(_) => first,
            Place::Chunk(_) => return None,
        },
        Id::BLOCK => 0,
        Id::IN_TRANSFER_LIST => return None,
        space => {
            let block = questions.block(space)?;
            if block.count != count {
                return None;
            }
            first_of_run(block.dims.as_slice(), &[], &block)?
        }
    };
    if !dataset.is_stored_as(questions, part.memory_type) {
        return None;
    }
    Some(Run {
        place,
        from: first.checked_mul(element)?,
        to: usize::try_from(first_in_memory.checked_mul(element)?).ok()?,
        length: usize::try_from(length).ok()?,
        dataset,
    })
}

/// The chunk that a block lies in, if it is only one.
fn chunk_around(chunks: &Chunks, block: &SelectedBlock) -> Option<Chunk> {
    let mut scaled = block.low;
    let sizes = chunks.grid.chunk_dims();
    for (coordinate, (size, high)) in
        scaled.as_mut_slice().iter_mut().zip(sizes.iter().zip(block.high.as_slice()))
    {
        *coordinate /= size;
        if high / size != *coordinate {
            return None;
        }
    }
    chunks.grid.chunk(scaled.as_slice()).ok()
}

/// The place of a block's first element in a box of these dimensions that begins at `origin` (or at zero), if its elements
/// follow one another there in row-major order.
fn first_of_run(dims: &[u64], origin: &[u64], block: &SelectedBlock) -> Option<u64> {
    let (mut first, mut count) = (0_u64, 1_u64);
    for (dim, &size) in dims.iter().enumerate() {
        let (low, high) = (*block.low.as_slice().get(dim)?, *block.high.as_slice().get(dim)?);
        let width = high - low + 1;
        // Inside of a dimension of which more than one is selected, everything must be.
        if count > 1 && width != size {
            return None;
        }
        first = first.checked_mul(size)?.checked_add(low - origin.get(dim).copied().unwrap_or(0))?;
        count = count.checked_mul(width)?;
    }
    Some(first)
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
