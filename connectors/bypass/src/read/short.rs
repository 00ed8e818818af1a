//! Reading short runs.

use engine::Kept;
use global_lock::Use;
use h5_host::Questions;
use h5_vol::Id;
use h5_vol::calls::{DatasetPart, MemoryTarget};
use store::{Piece, StoreError, Target};

use crate::Bypass;
use crate::coherency::shared::Shared;
use crate::inspect::chunks::Chunks;
use crate::report::summary;
use crate::run::memory;
use crate::transfer::named::are_distinct;
use crate::transfer::short_run::{AroundRun, InChunk, Place, Run, run_of, start_in_file, with_buffer};
use crate::transfer::wishes::Wishes;

/// Bytes of a window: it takes about as long to read as four system calls do.
pub(super) const WINDOW: u64 = 16 * 1024;

/// Windows of a dataset that are kept however far its runs are from one another.
const FEW_WINDOWS: u64 = 16;

/// Reads parts that are all short runs, or a single one that is shorter than `straight`; how many bytes. `None` if they are not, or
/// if anything is unusual.
pub(super) fn read(
    questions: Questions,
    parts: &[DatasetPart<Bypass, MemoryTarget<'_>>],
    transfer: Id,
    straight: u64,
) -> Option<u64> {
    let find = |part: &DatasetPart<Bypass, MemoryTarget<'_>>, straight| {
        run_of(questions, part, part.memory.as_ptr().is_null(), Use::Read, straight)
    };
    if let [part] = parts {
        let run = find(part, straight).filter(|_| Wishes::are_usual(questions, transfer, parts))?;
        let _claim = run.claim(Use::Read)?;
        run.read(&part.memory)?;
        summary::bypassed(1, run.length_in_memory as u64);
        return Some(run.length_in_memory as u64);
    }
    // The call takes effect at one moment: no claim is given up before all of it is read. There are none to hold, and
    // nothing to allocate, if nothing can change.
    let (mut claims, mut bytes) = (Vec::new(), 0);
    if !Wishes::are_usual(questions, transfer, parts) || !are_distinct(questions, parts.iter()) {
        return None;
    }
    for part in parts {
        let run = find(part, 0)?;
        claims.extend(run.claim(Use::Read)?);
        run.read(&part.memory)?;
        bytes += run.length_in_memory as u64;
    }
    drop(claims);
    summary::bypassed(parts.len() as u64, bytes);
    Some(bytes)
}

/// A piece of a file that is stored as it is and cannot change.
struct Unchanging {
    piece: Piece,
    /// The number of its first window.
    first: u64,
    /// Where its windows are kept.
    kept: Kept,
}

impl Run {
    fn read(&self, memory: &MemoryTarget<'_>) -> Option<()> {
        if self.is_long() {
            let room = memory::room(memory, self.to, self.length);
            return self.dataset.store()?.read(self.straight_from()?, room, &mut []).ok();
        }
        let Some(with) = &self.conversion else {
            if let (Place::Contiguous(start), Some(shared), None) =
                (&self.place, &self.dataset.shared, self.dataset.in_header())
            {
                return self.read_straight(*start, shared, memory::room(memory, self.to, self.length));
            }
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

    /// Reads a run of a contiguous dataset of a file that is open for writing to where it belongs.
    fn read_straight(&self, start: u64, shared: &Shared, target: Target<'_>) -> Option<()> {
        let (store, place) = (self.dataset.store()?, start.checked_add(self.from)?);
        let piece = self.dataset.piece(start)?;
        // All of it must be known to be in the file, because more of it may be read than is asked for.
        store.check(piece.start, piece.length).ok()?;
        shared.windows.read(store, piece, place, target).ok()
    }

    /// Gives the bytes of it that are stored to `take`, piece by piece, with how many there were before.
    fn each_piece(&self, mut take: impl FnMut(usize, &[u8])) -> Option<()> {
        match &self.place {
            Place::Contiguous(start) => match (self.dataset.in_header(), self.dataset.windows()) {
                (Some(data), _) => {
                    take(0, data.get(self.from, self.length)?);
                    Some(())
                }
                (None, Some(kept)) => self.read_unchanging(
                    &Unchanging { piece: self.dataset.piece(*start)?, first: 0, kept },
                    take,
                ),
                (None, None) => self.read_through_window(self.dataset.piece(*start)?, take),
            },
            Place::Chunk(chunk) => self.read_from_chunk(chunk, take),
            Place::Chunks(pieces) => self.read_from_chunks(pieces, &mut take),
        }
    }

    /// From one chunk after another. Apart from what every short run goes through.
    #[inline(never)]
    fn read_from_chunks(&self, pieces: &[InChunk], take: &mut dyn FnMut(usize, &[u8])) -> Option<()> {
        self.in_chunks(pieces).try_for_each(|(before, run)| match &run.place {
            Place::Chunk(chunk) => run.read_from_chunk(chunk, |done, bytes| take(before + done, bytes)),
            Place::Contiguous(_) | Place::Chunks(_) => None,
        })
    }

    /// From memory if the chunk is there, or from the file.
    fn read_from_chunk(&self, chunk: &AroundRun, mut take: impl FnMut(usize, &[u8])) -> Option<()> {
        let chunks = self.dataset.chunks()?;
        match self.look_into_memory(chunks, chunk, |bytes| take(0, bytes)) {
            Some(found) => found,
            None => self.read_from_stored_chunk(chunks, chunk, take),
        }
    }

    /// From a piece of a file that is open for writing.
    fn read_through_window(&self, piece: Piece, mut take: impl FnMut(usize, &[u8])) -> Option<()> {
        let (shared, store) = (self.dataset.shared.as_ref()?, self.dataset.store()?);
        // All of it must be known to be in the file, because more of it may be read than is asked for.
        store.check(piece.start, piece.length).ok()?;
        with_buffer(self.length, |bytes| {
            let place = piece.start.checked_add(self.from)?;
            shared.windows.read(store, piece, place, Target::from_slice(bytes)).ok()?;
            take(0, bytes);
            Some(())
        })
    }

    /// If the chunk is in memory: whether the run is inside it, after it was given to `take`.
    #[expect(clippy::option_option, reason = "not there, or of another size than it should be")]
    fn look_into_memory(
        &self,
        chunks: &Chunks,
        chunk: &AroundRun,
        mut take: impl FnMut(&[u8]),
    ) -> Option<Option<()>> {
        let from = usize::try_from(self.from).ok()?;
        let mut look = |elements: &[u8]| elements.get(from..)?.get(..self.length).map(&mut take);
        if let Some(shared) = &self.dataset.shared
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
        chunk: &AroundRun,
        take: impl FnMut(usize, &[u8]),
    ) -> Option<()> {
        if chunks.filtering.is_some() {
            return None;
        }
        let piece = Piece { start: start_in_file(chunks, chunk)?, length: chunks.index.kind().bytes };
        match self.dataset.windows() {
            Some(kept) => {
                let first = chunk.number.checked_mul(piece.length.div_ceil(WINDOW))?;
                self.read_unchanging(&Unchanging { piece, first, kept }, take)
            }
            None => self.read_through_window(piece, take),
        }
    }

    /// Reads it from a piece that cannot change; `None` if it cannot be read.
    fn read_unchanging(&self, from: &Unchanging, mut take: impl FnMut(usize, &[u8])) -> Option<()> {
        let (piece, locality) = (from.piece, self.dataset.locality());
        if has_few_windows(piece.length) || locality.is_everywhere(piece.length.div_ceil(WINDOW)) {
            return self.each_window(from, take);
        }
        let (store, place) = (self.dataset.store()?, piece.start.checked_add(self.from)?);
        if locality.sieve.read(store, piece, place, self.length, |bytes| take(0, bytes)).is_some() {
            return Some(());
        }
        locality.note_far();
        with_buffer(self.length, |bytes| {
            store.read(place, Target::from_slice(bytes), &mut []).ok()?;
            take(0, bytes);
            Some(())
        })
    }

    /// Reads it from the one or two windows it lies in.
    fn each_window(&self, from: &Unchanging, mut take: impl FnMut(usize, &[u8])) -> Option<()> {
        let Unchanging { piece, first, kept } = from;
        let mut done = 0;
        while done < self.length {
            let at = self.from + done as u64;
            let (number, within) = (at / WINDOW, usize::try_from(at % WINDOW).ok()?);
            let length = usize::try_from(WINDOW.min(piece.length - number * WINDOW)).ok()?;
            let window = kept
                .cache
                .get_or_decode(kept.key(first.checked_add(number)?), length, |window| {
                    let store = self.dataset.store().ok_or(Unreadable)?;
                    Ok::<(), Unreadable>(store.read(
                        piece.start.checked_add(number * WINDOW).ok_or(Unreadable)?,
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

/// Whether so many bytes have so few windows that all of them are kept, once they are read.
fn has_few_windows(bytes: u64) -> bool {
    bytes <= FEW_WINDOWS * WINDOW
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
