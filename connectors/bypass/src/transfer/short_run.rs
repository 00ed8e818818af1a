//! Short runs: reads and writes so small that finding out about them would take longer than doing them.
//!
//! Native HDF5 serves them from buffers of its own. So a call whose parts are all short runs of datasets that are known
//! to be ours takes a path of its own, on which HDF5 is asked as few questions as possible. A run lies in one piece in
//! the file, or in one chunk: data that is stored as it is and cannot change is read in windows, which are kept in the
//! cache; other chunks are served from memory if they are there. Whatever is unusual takes the long way, which does all
//! of it again.

use std::sync::Arc;

use engine::Converted;
use global_lock::{Area, Claim, Use};
use h5_host::{Questions, SelectedBlock};
use h5_vol::calls::DatasetPart;
use h5_vol::{BelowObject, Id};
use selection::{Chunk, Dims};

use crate::Bypass;
use crate::coherency::resolved::Resolved;
use crate::inspect::chunk_index::Found;
use crate::inspect::chunks::Chunks;
use crate::inspect::dataset::OurDataset;
use crate::inspect::storage::Storage;
use crate::transfer::source_block::SourceBlock;

/// Bytes of a run from which it is not short any more.
const SHORT: u64 = LONGEST as u64;
const LONGEST: usize = 8 * 1024;

/// In how many chunks a run may lie.
const MOST_CHUNKS: u64 = 16;

/// A run of bytes of a dataset, in what it lies in and in memory.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) dataset: Arc<Resolved>,
    pub(crate) place: Place,
    pub(crate) from: u64,
    pub(crate) length: usize,
    /// If its elements are others in memory.
    pub(crate) conversion: Option<Arc<Converted>>,
    pub(crate) to: usize,
    pub(crate) length_in_memory: usize,
    /// If the dataset is a source of a virtual one: as what that has it open.
    pub(crate) source: Option<Arc<BelowObject>>,
}

/// What a run lies in.
#[derive(Debug)]
pub(crate) enum Place {
    /// The whole dataset, which begins there in the file.
    Contiguous(u64),
    Chunk(AroundRun),
    /// Several chunks, one after another.
    Chunks(Vec<InChunk>),
}

/// The part of a run that lies in one chunk.
#[derive(Debug)]
pub(crate) struct InChunk {
    chunk: AroundRun,
    /// Its first byte there.
    from: u64,
    length: usize,
}

/// The chunk around a run: as little of it as possible, because it is moved.
#[derive(Debug, Clone)]
pub(crate) struct AroundRun {
    /// The coordinates of its first element.
    pub(crate) origin: Dims,
    pub(crate) number: u64,
}

/// Claims the datasets of all runs, so that the call takes effect at one moment.
pub(crate) fn claim_all(runs: &[Run], what: Use) -> Option<Vec<Option<Claim>>> {
    runs.iter().map(|run| run.claim(what)).collect()
}

impl Run {
    /// Those of several chunks, each as a run of its own, and how many bytes there are before it. As they are stored.
    pub(crate) fn in_chunks<'r>(&'r self, pieces: &'r [InChunk]) -> impl Iterator<Item = (usize, Self)> + 'r {
        let mut before = 0;
        pieces.iter().map(move |InChunk { chunk, from, length }| {
            let run = Self {
                dataset: Arc::clone(&self.dataset),
                place: Place::Chunk(chunk.clone()),
                from: *from,
                length: *length,
                conversion: None,
                to: 0,
                length_in_memory: *length,
                source: self.source.clone(),
            };
            let place = before;
            before += length;
            (place, run)
        })
    }

    /// Whether it is too long for a buffer.
    pub(crate) fn is_long(&self) -> bool {
        self.length >= LONGEST
    }

    /// Where it is in the file, if it cannot change and is the same in memory.
    pub(crate) fn straight_from(&self) -> Option<u64> {
        let Resolved { dataset, shared: None, .. } = &*self.dataset else { return None };
        if self.conversion.is_some() || dataset.in_header().is_some() {
            return None;
        }
        let start = match &self.place {
            Place::Contiguous(start) => *start,
            Place::Chunk(chunk) => {
                let chunks = dataset.chunks().filter(|chunks| chunks.filtering.is_none())?;
                start_in_file(chunks, chunk)?
            }
            Place::Chunks(_) => return None,
        };
        start.checked_add(self.from)
    }

    /// Claims the dataset if that needs no waiting and what is known about it holds. There is nothing to claim of one that
    /// cannot change, and it cannot be written.
    #[expect(clippy::option_option, reason = "cannot be had, or is not needed")]
    pub(crate) fn claim(&self, what: Use) -> Option<Option<Claim>> {
        let Some(shared) = &self.dataset.shared else { return (what == Use::Read).then_some(None) };
        if self.dataset.is_outdated() || !shared.is_caught_up() {
            return None;
        }
        shared.claims.try_claim(&Area::Everything, what).map(Some)
    }
}

/// Gives a few bytes of memory to `work`. Most runs are so short that clearing room for the longest would take as long as
/// all the rest.
pub(crate) fn with_buffer<R>(length: usize, work: impl FnOnce(&mut [u8]) -> Option<R>) -> Option<R> {
    const FEW: usize = 256;
    if length <= FEW { work([0; FEW].get_mut(..length)?) } else { work([0; LONGEST].get_mut(..length)?) }
}

/// Where a chunk begins in the file, if it is stored as it is and its place is known.
pub(crate) fn start_in_file(chunks: &Chunks, chunk: &AroundRun) -> Option<u64> {
    match chunks.index.find(chunk.number) {
        Found::Stored(stored) => Some(stored.address),
        Found::Written(_) | Found::Missing | Found::Unknown => None,
    }
}

/// The run that a part asks for, if it is a short one of a dataset that is known to be ours. It may be longer, but shorter than
/// `straight`, if it goes from one place of a file that cannot change straight to one place in memory.
pub(crate) fn run_of<M>(
    questions: Questions,
    part: &DatasetPart<Bypass, M>,
    is_null: bool,
    what: Use,
    straight: u64,
) -> Option<Run> {
    let handle = part.dataset.data().dataset.as_ref()?;
    let mut dataset = handle.known()?;
    // Values of variable length lie elsewhere.
    if is_null || dataset.elements().variable().is_some() {
        return None;
    }
    let mut source = None;
    let (place, first, count) = match (part.file_space, dataset.storage()) {
        // Not closed by another thread meanwhile.
        (Id::DEFAULT, Storage::Contiguous(start, _)) => {
            (Place::Contiguous(*start), 0, dataset.extent().count())
        }
        (Id::DEFAULT | Id::BLOCK | Id::IN_TRANSFER_LIST, _) => return None,
        (space, Storage::Virtual(_)) => {
            if part.memory_space == Id::DEFAULT || (what == Use::Write && dataset.shared.is_none()) {
                return None;
            }
            // Native HDF5 does not see that they are shifted.
            if is_shifted(questions, space) || is_shifted(questions, part.memory_space) {
                return None;
            }
            let block = block_in_file(questions, space, &dataset)?;
            let (low, high) = (block.low.as_slice(), block.high.as_slice());
            let found = SourceBlock::of(&dataset, &*handle.known_sources()?, low, high)?;
            dataset = found.source;
            source = Some(found.below);
            let (place, first) = run_at(&dataset, &found.low, &found.high)?;
            (place, first, block.count)
        }
        (space, _) => {
            let block = block_in_file(questions, space, &dataset)?;
            let (place, first) = run_at(&dataset, block.low.as_slice(), block.high.as_slice())?;
            (place, first, block.count)
        }
    };
    // Native HDF5 writes what is in an object header.
    if what == Use::Write && dataset.in_header().is_some() {
        return None;
    }
    let element = dataset.element();
    let length = count.checked_mul(element).filter(|length| (1..SHORT.max(straight)).contains(length))?;
    let first_in_memory = match part.memory_space {
        // As in the dataset, which is as large in memory.
        Id::DEFAULT => match &place {
            Place::Contiguous(_) => first,
            Place::Chunk(_) | Place::Chunks(_) => return None,
        },
        Id::BLOCK => 0,
        Id::IN_TRANSFER_LIST => return None,
        // Most are made for the call, and are as large as what is read or written.
        space => match questions.whole(space) {
            Some(all) => (all == count).then_some(0)?,
            None => run_in_memory(questions, space, count)?,
        },
    };
    let below = part.dataset.below()?;
    let ask =
        |questions| dataset.elements().conversion_of_short_run(questions, below, part.memory_type, what);
    let conversion = if length < SHORT {
        ask(questions)?
    } else {
        // There is time for turning off printing: the type may be closed.
        let host = questions.host();
        host.ask_first(ask).or_else(|| {
            host.forget_errors();
            None
        })?
    };
    let element_in_memory = match &conversion {
        None => element,
        // What is written through a virtual dataset native HDF5 takes for elements of that one's type.
        Some(_) if what == Use::Write && source.is_some() => return None,
        Some(with) if with.conversion.writes_all() => with.element,
        Some(_) => return None,
    };
    let length_in_memory = count.checked_mul(element_in_memory)?;
    let run = Run {
        place,
        from: first.checked_mul(element)?,
        length: usize::try_from(length).ok()?,
        conversion,
        to: usize::try_from(first_in_memory.checked_mul(element_in_memory)?).ok()?,
        length_in_memory: usize::try_from(length_in_memory).ok()?,
        dataset,
        source,
    };
    if length.max(length_in_memory) >= SHORT && run.straight_from().is_none() {
        return None;
    }
    Some(run)
}

/// Whether a selection lies elsewhere than was selected, or that cannot be told.
fn is_shifted(questions: Questions, space: Id) -> bool {
    let is_space = space.is_valid() && space != Id::BLOCK && space != Id::IN_TRANSFER_LIST;
    is_space && questions.space(space).is_none_or(|space| space.shift.is_some())
}

/// The block that a dataspace selects in a dataset.
fn block_in_file(questions: Questions, space: Id, dataset: &OurDataset) -> Option<SelectedBlock> {
    let mut block = SelectedBlock::nowhere();
    questions.block(space, &mut block)?;
    (block.dims.as_slice() == &**dataset.extent().dims()).then_some(block)
}

/// The run that a block of a dataset is, given by its first and its last element: what it lies in, and its first element
/// there. Datasets that are missing, or in external files, have none.
fn run_at(dataset: &Resolved, low: &[u64], high: &[u64]) -> Option<(Place, u64)> {
    match dataset.storage() {
        Storage::Contiguous(start, _) => {
            Some((Place::Contiguous(*start), first_of_run(dataset.extent().dims(), &[], low, high)?))
        }
        Storage::Chunked(chunks) => {
            let Some(chunk) = chunk_around(chunks, low, high) else {
                // Files that nobody can write have other buffers.
                dataset.shared.as_ref()?;
                return Some((Place::Chunks(across_chunks(chunks, low, high, dataset.element())?), 0));
            };
            let first = first_of_run(chunks.grid.chunk_dims(), &chunk.origin, low, high)?;
            Some((Place::Chunk(chunk), first))
        }
        Storage::Missing | Storage::External(_) | Storage::Virtual(_) => None,
    }
}

/// The first element of a run of so many that a part of a dataspace is in memory.
pub(crate) fn run_in_memory(questions: Questions, space: Id, count: u64) -> Option<u64> {
    let mut block = SelectedBlock::nowhere();
    questions.block(space, &mut block)?;
    if block.count != count {
        return None;
    }
    first_of_run(block.dims.as_slice(), &[], block.low.as_slice(), block.high.as_slice())
}

/// The chunk that a block lies in, if it is only one.
fn chunk_around(chunks: &Chunks, low: &[u64], high: &[u64]) -> Option<AroundRun> {
    let mut scaled = Dims::new(low).ok()?;
    let sizes = chunks.grid.chunk_dims();
    for (coordinate, (size, high)) in scaled.iter_mut().zip(sizes.iter().zip(high)) {
        *coordinate /= size;
        if high / size != *coordinate {
            return None;
        }
    }
    let Chunk { origin, number, .. } = chunks.grid.chunk(&scaled).ok()?;
    Some(AroundRun { origin, number })
}

/// The pieces of a line of elements that goes through several chunks. Apart from what every short run goes through.
#[inline(never)]
fn across_chunks(chunks: &Chunks, low: &[u64], high: &[u64], element: u64) -> Option<Vec<InChunk>> {
    let (&start, ahead) = low.split_last()?;
    let (&end, ahead_of_end) = high.split_last()?;
    let size = *chunks.grid.chunk_dims().last()?;
    let (first, last) = (start / size, end / size);
    if ahead != ahead_of_end || last - first >= MOST_CHUNKS {
        return None;
    }
    let (mut low, mut high) = (Dims::new(low).ok()?, Dims::new(high).ok()?);
    let piece = |number: u64| {
        *low.last_mut()? = start.max(number * size);
        *high.last_mut()? = end.min(number * size + (size - 1));
        let chunk = chunk_around(chunks, &low, &high)?;
        let from = first_of_run(chunks.grid.chunk_dims(), &chunk.origin, &low, &high)?;
        let count = high.last()? - low.last()? + 1;
        let length = usize::try_from(count.checked_mul(element)?).ok()?;
        Some(InChunk { chunk, from: from.checked_mul(element)?, length })
    };
    (first..=last).map(piece).collect()
}

/// The place of a block's first element in a box of these dimensions that begins at `origin` (or at zero), if its elements
/// follow one another there in row-major order.
pub(crate) fn first_of_run(dims: &[u64], origin: &[u64], low: &[u64], high: &[u64]) -> Option<u64> {
    let (mut first, mut count) = (0_u64, 1_u64);
    for (dim, &size) in dims.iter().enumerate() {
        let (low, high) = (*low.get(dim)?, *high.get(dim)?);
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
