//! Writing to a chunked dataset.

use std::sync::Arc;

use engine::{Base, ChunkAddress, ChunkJob, Gathered, Gathering, Places, StoredChunk, Then, WritePart};
use h5_host::Questions;
use h5_vol::{Host, Result};
use selection::{Chunk, LocalSelection};

use crate::Bypass;
use crate::coherency::commit::ChunkWriter;
use crate::coherency::current_chunks::Fetched;
use crate::coherency::dirty;
use crate::coherency::shared::Shared;
use crate::inspect::chunk_index::Found;
use crate::inspect::chunks::Chunks;
use crate::report::fault::cannot_write;
use crate::report::reason::Reason;
use crate::run::cache;
use crate::run::engine::engine;
use crate::write::prepare::OurPart;

/// Bytes of chunks that are looked at together.
const TOGETHER: u64 = 64 << 20;

/// Bytes of those that are encoded at a time.
pub(super) const ENCODED_TOGETHER: u64 = 16 << 20;

/// The same if they are only copied: as much as stays in the caches.
const COPIED_TOGETHER: u64 = 1 << 20;

/// Bytes of chunks that a call touches below which they are all kept in memory: storing each costs more than copying it.
const FEW: u64 = 16 * 1024;

/// Which chunks stay in memory until they are written back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keeping {
    All,
    /// Those that are not written as a whole.
    Incomplete,
    Nothing,
}

/// A chunk that is not written in place.
pub(super) struct Job {
    chunk: Chunk,
    /// All of it that is inside the dataset is written.
    is_whole: bool,
}

/// What is done together, since it fails for the same reasons.
#[derive(Default)]
pub(super) struct Group {
    pub(super) chunks: Vec<Chunk>,
    pub(super) jobs: Vec<ChunkJob>,
}

impl Keeping {
    /// What is kept of so many chunks of this size.
    pub(super) fn of(part: &OurPart<'_>, chunks: &Chunks, count: u64, chunk_bytes: u64) -> Self {
        let bytes = count.saturating_mul(chunk_bytes);
        // What would not fit into memory is not kept there.
        let room = cache::capacity().max(chunks.write_back_bytes) as u64;
        match bytes {
            ..FEW => Self::All,
            _ if is_better_encoded_behind(part, chunks, bytes) => Self::All,
            _ if bytes <= room => Self::Incomplete,
            _ => Self::Nothing,
        }
    }
}

/// Whether chunks of so many bytes are kept until idle threads have encoded them, even if they are written as a whole: the
/// application need not wait for that. Native HDF5 keeps what fits into its own cache, too, and then tells failures later. If the
/// disk is nearly full, failures are told at once: chunks are stored by the call, but not before older ones. Threads and times do
/// not matter here: what a program writes is in the same place in the file whenever it runs. The first write to a dataset stores
/// its chunks: many datasets are written once, and closed at once.
fn is_better_encoded_behind(part: &OurPart<'_>, chunks: &Chunks, bytes: u64) -> bool {
    part.goes_behind
        && chunks.filtering.as_ref().is_some_and(|filtering| filtering.encodes_behind)
        && part.shared.has_index()
        && bytes <= chunks.write_back_bytes as u64
        && (part.shared.dirty.complete_bytes() > 0 || part.shared.has_room_on_disk(bytes))
}

impl Job {
    /// A chunk of which this is written.
    pub(super) fn new(part: &OurPart<'_>, chunks: &Chunks, local: &LocalSelection<'_>, chunk: Chunk) -> Self {
        let writes_all = part.part.conversion.as_ref().is_none_or(|with| with.conversion.writes_all());
        // What of a stored chunk lies outside of the extent may come inside some time.
        let is_whole = writes_all
            && local.len() == chunks.grid.elements_inside(&chunk)
            && (!chunks.can_grow
                || local.len() == chunks.grid.chunk_len()
                || is_new(&part.shared, chunks, &chunk));
        Self { chunk, is_whole }
    }
}

impl Group {
    fn push(&mut self, chunk: Chunk, base: Base, then: Then) {
        self.jobs.push(ChunkJob { chunk: chunk.number, base, then });
        self.chunks.push(chunk);
    }
}

impl Bypass {
    /// Writes a part to chunks.
    pub(crate) fn write_chunks(&self, host: Host, part: &OurPart<'_>, chunks: &Chunks) -> Result<()> {
        let shared = &part.shared;
        let fault = |reason: &Reason| cannot_write(part.below(), reason);
        let touched = chunks.grid.touched(&part.part.file).map_err(|_| fault(&Reason::Selection))?;
        let in_place_allowed = chunks.filtering.is_none() && shared.is_unknown_to_native();
        // Without the index HDF5 is asked about each chunk.
        host.ask_below(|questions| {
            let _ = chunks.index.for_request(questions, touched.count(), &chunks.grid, part.below());
        });
        part.note_owner();
        // Chunks that are written in parts again and again are put together in memory, as native HDF5 does it.
        let is_again = in_place_allowed && chunks.is_touched_again(&part.part.file, &touched);
        if is_again {
            shared.leave_windows().map_err(|error| cannot_write(part.below(), &error))?;
        }

        let chunk_bytes = chunks.grid.chunk_len().saturating_mul(part.part.element);
        let keeping = Keeping::of(part, chunks, touched.count(), chunk_bytes);
        let mut in_place = Vec::new();
        let mut jobs = Vec::new();
        for chunk in &touched {
            let is_kept = |stored: StoredChunk| {
                is_again
                    && !touched.local(&chunk).is_whole_chunk()
                    // At the end of the file only a part of it may be there yet.
                    && part.target().check(stored.address, stored.size).is_ok()
            };
            let place = match chunks.index.find(chunk.number) {
                Found::Stored(stored)
                    if in_place_allowed && !shared.dirty.contains(&chunk.origin) && !is_kept(stored) =>
                {
                    Some(stored.address)
                }
                _ => None,
            };
            if in_place_allowed {
                in_place.push(place.map_or(ChunkAddress::Missing, ChunkAddress::At));
            }
            if place.is_none() {
                let local = touched.local(&chunk);
                if let Some(bytes) = as_stored(&part.part, chunks, &local) {
                    writer(host, part, chunks).commit(&chunk, bytes, 0)?;
                    shared.dirty.take(&chunk.origin);
                    continue;
                }
                jobs.push(Job::new(part, chunks, &local, chunk.clone()));
                if (jobs.len() as u64).saturating_mul(chunk_bytes) >= TOGETHER {
                    self.write_jobs(host, part, chunks, std::mem::take(&mut jobs), keeping)?;
                }
            }
        }
        self.write_jobs(host, part, chunks, jobs, keeping)?;
        if in_place.iter().any(|place| *place != ChunkAddress::Missing) {
            let layout = Places::Chunked { grid: chunks.grid.clone(), chunks: in_place };
            host.ask_below(|questions| self.files.look_for_end(questions, &part.dataset.file, part.below()));
            self.write_in_place(host, vec![(part, layout)])?;
        }
        Ok(())
    }

    /// Puts chunks together; stores those that are whole, and keeps the others unless there are too many.
    fn write_jobs(
        &self,
        host: Host,
        part: &OurPart<'_>,
        chunks: &Chunks,
        jobs: Vec<Job>,
        keeping: Keeping,
    ) -> Result<()> {
        // What is only in memory is not taken from there before everything is done that can fail.
        let (others, in_memory) = sort_jobs(host, part, chunks, jobs, keeping)?;
        self.write_group(host, part, chunks, others)?;
        let mut changed = Group::default();
        for chunk in in_memory {
            if let Some(elements) = part.shared.dirty.take(&chunk.origin) {
                changed.push(chunk, Base::Decoded(elements), Then::Keep);
            }
        }
        self.write_group(host, part, chunks, changed)
    }

    fn write_group(&self, host: Host, part: &OurPart<'_>, chunks: &Chunks, group: Group) -> Result<()> {
        if group.jobs.is_empty() {
            return Ok(());
        }
        if chunks.filtering.is_none() || !host.can_release_global_lock() {
            return self.write_beside(host, part, chunks, group);
        }
        let (engine, gathering) = (engine(self.configuration.as_ref().ok()), gathering(part, chunks));
        let writer = writer(host, part, chunks);
        let chunk_bytes = chunks.grid.chunk_len().saturating_mul(part.part.element).max(1);
        let together = usize::try_from((ENCODED_TOGETHER / chunk_bytes).max(1)).unwrap_or(usize::MAX);
        let (mut jobs, mut of_jobs) = (group.jobs.into_iter(), group.chunks.iter());
        loop {
            let batch: Vec<_> = jobs.by_ref().take(together).collect();
            if batch.is_empty() {
                return Ok(());
            }
            let gathered = self
                .locks
                .without_but_claims(host, || engine.gather(&gathering, batch))
                .map_err(|error| part.describe(&error))?;
            store(&writer, part, of_jobs.by_ref().take(gathered.len()).zip(gathered))?;
        }
    }

    /// The same where nobody is kept waiting for the global lock, or not for long: some chunks are put together by other
    /// threads while HDF5 stores the ones before.
    fn write_beside(&self, host: Host, part: &OurPart<'_>, chunks: &Chunks, group: Group) -> Result<()> {
        let (engine, gathering) = (engine(self.configuration.as_ref().ok()), gathering(part, chunks));
        let writer = writer(host, part, chunks);
        let chunk_bytes = chunks.grid.chunk_len().saturating_mul(part.part.element).max(1);
        let bytes = if chunks.filtering.is_some() { ENCODED_TOGETHER } else { COPIED_TOGETHER };
        let together = usize::try_from((bytes / chunk_bytes).max(1)).unwrap_or(usize::MAX);
        let (mut jobs, mut of_jobs) = (group.jobs.into_iter(), group.chunks.iter());
        let mut ready = Vec::new();
        loop {
            let batch: Vec<_> = jobs.by_ref().take(together).collect();
            let is_last = batch.is_empty();
            let mut stored = Ok(());
            let storing = std::mem::take(&mut ready);
            let gathered = if storing.is_empty() {
                // Nobody need be woken to begin while this thread does nothing.
                engine.gather(&gathering, batch)
            } else {
                engine.gather_beside(&gathering, batch, || stored = store(&writer, part, storing))
            };
            stored?;
            let gathered = gathered.map_err(|error| part.describe(&error))?;
            if is_last {
                return Ok(());
            }
            ready = of_jobs.by_ref().take(gathered.len()).zip(gathered).collect();
        }
    }
}

/// What is to be done with chunks, but for those whose newest elements are in memory.
pub(super) fn sort_jobs(
    host: Host,
    part: &OurPart<'_>,
    chunks: &Chunks,
    jobs: Vec<Job>,
    keeping: Keeping,
) -> Result<(Group, Vec<Chunk>)> {
    let shared = &part.shared;
    // Like native HDF5, the first write makes the index: while the process ends, it may be too late for that.
    if !shared.has_index() && chunks.index.has_chunks() {
        shared.note_index();
    }
    let mut makes_index = !shared.has_index();
    let (mut others, mut in_memory) = (Group::default(), Vec::new());
    for Job { chunk, is_whole } in jobs {
        if is_whole {
            let filtered = chunks.is_filtered(&chunk);
            // A chunk at an edge that moves will be written again.
            let is_full = !chunks.can_grow || chunks.grid.elements_inside(&chunk) == chunks.grid.chunk_len();
            let is_kept = match keeping {
                Keeping::All => true,
                Keeping::Incomplete => !is_full,
                Keeping::Nothing => false,
            };
            let is_kept = is_kept && !std::mem::take(&mut makes_index);
            let then = if is_kept { Then::Keep } else { Then::Encode { filtered } };
            others.push(chunk, Base::Overwritten, then);
        } else if shared.dirty.contains(&chunk.origin) {
            in_memory.push(chunk);
        } else {
            let base =
                host.ask_below(|questions| base_of(questions, part, chunks, &chunk)).map_err(|reason| {
                    cannot_write(part.below(), &format_args!("chunk at {:?}: {reason}", &*chunk.origin))
                })?;
            let filtered = chunks.is_filtered(&chunk);
            let is_kept = keeping != Keeping::Nothing && !std::mem::take(&mut makes_index);
            others.push(chunk, base, if is_kept { Then::Keep } else { Then::Encode { filtered } });
        }
    }
    Ok((others, in_memory))
}

/// What chunks of a part are put together from.
pub(super) fn gathering<'p>(part: &'p OurPart<'_>, chunks: &'p Chunks) -> Gathering<'p> {
    Gathering {
        part: &part.part,
        source: part.target(),
        grid: &chunks.grid,
        pipeline: &chunks.pipeline,
        fill: &part.filler,
        spares: &dirty::SPARES,
        taker: None,
    }
}

/// Stores chunks that are complete, and keeps the others.
pub(super) fn store<'c>(
    writer: &ChunkWriter<'_>,
    part: &OurPart<'_>,
    chunks: impl IntoIterator<Item = (&'c Chunk, Gathered)>,
) -> Result<()> {
    let last = part.part.file.bounds().map(|(_, high)| high);
    for (chunk, gathered) in chunks {
        match gathered {
            Gathered::Encoded { bytes, mask } => {
                writer.commit(chunk, &bytes, mask)?;
                dirty::SPARES.give(bytes);
                part.shared.dirty.take(&chunk.origin);
            }
            Gathered::Kept(elements) => {
                part.shared.dirty.put(&chunk.origin, Arc::new(elements));
                writer.chunks.forget_decoded(chunk.number);
                if last.as_ref().is_some_and(|last| reaches_end(writer.chunks, chunk, last)) {
                    part.shared.encode_behind(writer.chunks, chunk);
                }
            }
            // Nobody takes chunks of HDF5's files.
            Gathered::Given => {}
        }
    }
    Ok(())
}

pub(super) fn writer<'p>(host: Host, part: &'p OurPart<'_>, chunks: &'p Chunks) -> ChunkWriter<'p> {
    ChunkWriter { host, chunks, below: part.below(), shared: &part.shared, file: part.dataset.file() }
}

/// The bytes of a whole chunk in the application's memory, if they lie there as they are to be stored.
fn as_stored<'a>(part: &WritePart<'a>, chunks: &Chunks, local: &LocalSelection<'_>) -> Option<&'a [u8]> {
    if chunks.filtering.is_some() || part.conversion.is_some() || local.len() != chunks.grid.chunk_len() {
        return None;
    }
    let row = local.as_row().filter(|row| row.count == 1 && row.offset == 0)?;
    let (place, run) = part.memory_selection.cursor(row.rank).next_run(row.block)?;
    if run != row.block {
        return None;
    }
    let place = usize::try_from(place.checked_mul(part.element)?).ok()?;
    let length = usize::try_from(run.checked_mul(part.element)?).ok()?;
    part.memory.get(place..)?.get(..length)
}

/// Whether elements up to this one reach the end of a chunk: then it is most likely complete.
fn reaches_end(chunks: &Chunks, chunk: &Chunk, last: &[u64]) -> bool {
    let inside = |(dimension, last): (usize, &u64)| {
        let end = chunk.origin[dimension].saturating_add(chunks.grid.chunk_dims()[dimension]);
        let end = if chunks.can_grow { end } else { end.min(chunks.grid.extent().dims()[dimension]) };
        last.saturating_add(1) >= end
    };
    last.iter().enumerate().all(inside)
}

/// Whether there is nothing of a chunk yet, neither in the file nor in memory.
fn is_new(shared: &Shared, chunks: &Chunks, chunk: &Chunk) -> bool {
    matches!(chunks.index.find(chunk.number), Found::Missing) && !shared.dirty.contains(&chunk.origin)
}

/// What a chunk is before a part of it is written.
fn base_of(questions: Questions, part: &OurPart<'_>, chunks: &Chunks, chunk: &Chunk) -> Result<Base, Reason> {
    let found = chunks.index.find(chunk.number);
    Ok(match found {
        Found::Stored(stored) => Base::Stored(stored),
        Found::Missing => Base::Fill,
        Found::Written(_) | Found::Unknown => {
            let cached = chunks.filtering.as_ref().and_then(|filtering| {
                let kept = filtering.place.kept();
                kept.cache.get(kept.key(chunk.number))
            });
            match cached {
                Some(elements) => Base::Decoded(elements),
                None => match chunks.fetch(questions, &part.shared, part.below(), chunk, found)? {
                    Some(Fetched { bytes, mask }) => Base::Fetched { bytes, mask },
                    None => Base::Fill,
                },
            }
        }
    })
}
