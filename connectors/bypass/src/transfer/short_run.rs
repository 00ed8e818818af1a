//! Short runs: reads and writes so small that finding out about them would take longer than doing them.
//!
//! Native HDF5 serves them from buffers of its own. So a call whose parts are all short runs of datasets that are known
//! to be ours takes a path of its own, on which HDF5 is asked as few questions as possible. A run lies in one piece in
//! the file, or in one chunk: data that is stored as it is and cannot change is read in windows, which are kept in the
//! cache; other chunks are served from memory if they are there. Whatever is unusual takes the long way, which does all
//! of it again.

use std::sync::Arc;

use engine::{Converted, Kept};
use global_lock::{Area, Claim, Use};
use h5_host::{Questions, SelectedBlock};
use h5_vol::calls::{DatasetPart, MemorySource, MemoryTarget};
use h5_vol::{Id, Result};
use selection::Chunk;
use store::{StoreError, Target};

use crate::Bypass;
use crate::coherency::handle::DatasetState;
use crate::inspect::chunk_index::Found;
use crate::inspect::dataset::{Chunks, OurDataset, Storage};
use crate::report::fault::cannot_write;
use crate::report::summary;
use crate::run::memory;

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
    length: usize,
    /// If its elements are others in memory.
    conversion: Option<Arc<Converted>>,
    to: usize,
    length_in_memory: usize,
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
            let run = run_of(questions, part, part.memory.as_ptr().is_null(), Use::Read)?;
            let _claim = run.claim(Use::Read)?;
            run.read(&part.memory)?;
            summary::bypassed(1, run.length_in_memory as u64);
            return Some(run.length_in_memory as u64);
        }
        let runs =
            parts.iter().map(|part| run_of(questions, part, part.memory.as_ptr().is_null(), Use::Read));
        let runs: Vec<_> = runs.collect::<Option<_>>()?;
        let _claims = claim_all(&runs, Use::Read)?;
        for (run, part) in runs.iter().zip(parts) {
            run.read(&part.memory)?;
        }
        let bytes = runs.iter().map(|run| run.length_in_memory as u64).sum();
        summary::bypassed(parts.len() as u64, bytes);
        Some(bytes)
    }

    /// Writes parts that are all short runs; how many bytes. `None` as for reading.
    pub(crate) fn write_short_runs(
        questions: Questions,
        parts: &[DatasetPart<Self, MemorySource<'_>>],
    ) -> Option<Result<u64>> {
        if let [part] = parts {
            let run = run_of(questions, part, part.memory.as_ptr().is_null(), Use::Write)?;
            let _claim = run.claim(Use::Write)?;
            return Some(run.write(part)?.map(|()| {
                summary::write_bypassed(run.length_in_memory as u64);
                run.length_in_memory as u64
            }));
        }
        let runs =
            parts.iter().map(|part| run_of(questions, part, part.memory.as_ptr().is_null(), Use::Write));
        let runs: Vec<_> = runs.collect::<Option<_>>()?;
        // A dataset that is named twice cannot be claimed twice, and takes the long way.
        let _claims = claim_all(&runs, Use::Write)?;
        for (run, part) in runs.iter().zip(parts) {
            if let Err(error) = run.write(part)? {
                return Some(Err(error));
            }
        }
        for run in &runs {
            summary::write_bypassed(run.length_in_memory as u64);
        }
        Some(Ok(runs.iter().map(|run| run.length_in_memory as u64).sum()))
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
        let Some(with) = &self.conversion else {
            return self.each_piece(|done, bytes| memory::copy(memory, self.to + done, bytes));
        };
        with_buffer(self.length, |stored| {
            self.each_piece(|done, bytes| stored[done..done + bytes.len()].copy_from_slice(bytes))?;
            with_buffer(self.length_in_memory, |converted| {
                with.conversion.convert(stored, converted);
                memory::copy(memory, self.to, converted);
                Some(())
            })
        })
    }

    /// Writes it. What the file system refuses is a failure of the call: the long way might succeed, and nobody would know.
    fn write(&self, part: &DatasetPart<Bypass, MemorySource<'_>>) -> Option<Result<()>> {
        let given = memory::part(&part.memory, self.to, self.length_in_memory);
        let written = match &self.conversion {
            None => self.put(given),
            Some(with) => with_buffer(self.length, |converted| {
                with.conversion.convert(given, converted);
                self.put(converted)
            }),
        };
        let below = part.dataset.below()?;
        Some(written?.map_err(|error| cannot_write(below, &error)))
    }

    /// Gives the bytes of it that are stored to `take`, piece by piece, with how many there were before.
    fn each_piece(&self, mut take: impl FnMut(usize, &[u8])) -> Option<()> {
        match &self.place {
            Place::Contiguous(start) => match self.dataset.windows() {
                Some(kept) => {
                    let all = self.dataset.extent().count().checked_mul(self.dataset.element())?;
                    self.each_window(*start, all, 0, kept, take)
                }
                None => self.read_from_file(start.checked_add(self.from)?, take),
            },
            Place::Chunk(chunk) => {
                let chunks = self.dataset.chunks()?;
                match self.look_into_memory(chunks, chunk, |bytes| take(0, bytes)) {
                    Some(found) => found,
                    None => self.read_from_stored_chunk(chunks, chunk, take),
                }
            }
        }
    }

    /// Puts bytes where it is stored.
    fn put(&self, bytes: &[u8]) -> Option<Result<(), StoreError>> {
        match &self.place {
            Place::Contiguous(start) => self.write_to_file(*start, bytes),
            Place::Chunk(chunk) => self.write_to_chunk(self.dataset.chunks()?, chunk, bytes),
        }
    }

    fn read_from_file(&self, place: u64, mut take: impl FnMut(usize, &[u8])) -> Option<()> {
        with_buffer(self.length, |bytes| {
            self.dataset.store()?.read(place, Target::from_slice(bytes), &mut []).ok()?;
            take(0, bytes);
            Some(())
        })
    }

    /// If the chunk is in memory: whether the run is inside it, after it was given to `take`.
    #[expect(clippy::option_option, reason = "not there, or of another size than it should be")]
    fn look_into_memory(
        &self,
        chunks: &Chunks,
        chunk: &Chunk,
        mut take: impl FnMut(&[u8]),
    ) -> Option<Option<()>> {
        let from = usize::try_from(self.from).ok()?;
        let mut look = |elements: &[u8]| elements.get(from..)?.get(..self.length).map(&mut take);
        if let Some(shared) = self.dataset.writable()
            && let Some(found) = shared.dirty.look_at(&chunk.origin, &mut look)
        {
            return Some(found);
        }
        let kept = chunks.filtering.as_ref()?.place.kept();
        kept.cache.get(kept.key(chunk.number)).map(|elements| look(&elements))
    }

    /// From the file, if the chunk is stored there as it is.
    fn read_from_stored_chunk(
        &self,
        chunks: &Chunks,
        chunk: &Chunk,
        take: impl FnMut(usize, &[u8]),
    ) -> Option<()> {
        if chunks.filtering.is_some() {
            return None;
        }
        let start = start_in_file(chunks, chunk)?;
        match self.dataset.windows() {
            Some(kept) => {
                let all = chunks.index.kind().bytes;
                let first = chunk.number.checked_mul(all.div_ceil(WINDOW))?;
                self.each_window(start, all, first, kept, take)
            }
            None => self.read_from_file(start.checked_add(self.from)?, take),
        }
    }

    /// To memory if the chunk is changed there already, or to the file if it is stored there as it is.
    fn write_to_chunk(&self, chunks: &Chunks, chunk: &Chunk, bytes: &[u8]) -> Option<Result<(), StoreError>> {
        let shared = self.dataset.writable()?;
        let from = usize::try_from(self.from).ok()?;
        let overwrite = |elements: &mut [u8]| {
            elements.get_mut(from..)?.get_mut(..bytes.len())?.copy_from_slice(bytes);
            Some(())
        };
        if let Some(done) = shared.dirty.change(&chunk.origin, overwrite) {
            return done.map(Ok);
        }
        if chunks.filtering.is_some()
            || !shared.is_unknown_to_native()
            || shared.dirty.contains(&chunk.origin)
        {
            return None;
        }
        self.write_to_file(start_in_file(chunks, chunk)?, bytes)
    }

    /// To what begins there in the file, if it is known to reach so far.
    fn write_to_file(&self, start: u64, bytes: &[u8]) -> Option<Result<(), StoreError>> {
        let (store, place) = (self.dataset.store()?, start.checked_add(self.from)?);
        store.check(place, bytes.len() as u64).ok()?;
        Some(store.write(place, bytes))
    }

    /// Reads it from the one or two windows it lies in, of a piece of `all` bytes that begins at `start` in the file and
    /// whose windows are numbered from `first` on; `None` if they cannot be read.
    fn each_window(
        &self,
        start: u64,
        all: u64,
        first: u64,
        kept: Kept,
        mut take: impl FnMut(usize, &[u8]),
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
            take(done, bytes);
            done += bytes.len();
        }
        Some(())
    }
}

/// Gives a few bytes of memory to `work`. Most runs are so short that clearing room for the longest would take as long as
/// all the rest.
fn with_buffer<R>(length: usize, work: impl FnOnce(&mut [u8]) -> Option<R>) -> Option<R> {
    const FEW: usize = 256;
    if length <= FEW { work([0; FEW].get_mut(..length)?) } else { work([0; LONGEST].get_mut(..length)?) }
}

/// Where a chunk begins in the file, if it is stored as it is and its place is known.
fn start_in_file(chunks: &Chunks, chunk: &Chunk) -> Option<u64> {
    match chunks.index.find(chunk.number) {
        Found::Stored(stored) => Some(stored.address),
        Found::Written(_) | Found::Missing | Found::Unknown => None,
    }
}

/// The run that a part asks for, if it is a short one of a dataset that is known to be ours.
fn run_of<M>(questions: Questions, part: &DatasetPart<Bypass, M>, is_null: bool, what: Use) -> Option<Run> {
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
    let conversion = dataset.known_conversion(part.memory_type, what);
    let element_in_memory = match &conversion {
        Some(with) if with.conversion.writes_all() => with.element,
        None if dataset.is_stored_as(questions, part.memory_type) => element,
        _ => return None,
    };
    let length_in_memory = count.checked_mul(element_in_memory).filter(|length| *length < SHORT)?;
    Some(Run {
        place,
        from: first.checked_mul(element)?,
        length: usize::try_from(length).ok()?,
        conversion,
        to: usize::try_from(first_in_memory.checked_mul(element_in_memory)?).ok()?,
        length_in_memory: usize::try_from(length_in_memory).ok()?,
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
