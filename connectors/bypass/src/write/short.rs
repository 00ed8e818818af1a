//! Writing short runs.

use std::sync::Arc;

use global_lock::Use;
use h5_host::Questions;
use h5_vol::calls::{DatasetPart, MemorySource};
use h5_vol::{Id, Object, Result};
use store::{Piece, StoreError};

use crate::Bypass;
use crate::coherency::shared::Shared;
use crate::coherency::write_back::has_room;
use crate::inspect::chunk_index::Found;
use crate::inspect::chunks::Chunks;
use crate::report::fault::cannot_write;
use crate::report::summary;
use crate::run::memory;
use crate::transfer::short_run::{AroundRun, InChunk, Place, Run, claim_all, run_of, with_buffer};
use crate::transfer::wishes::Wishes;
use crate::write::prepare::check_chunks;

/// Bytes of a chunk up to which the long way would take longer than filling it does.
const SMALL_CHUNK: usize = 1 << 20;

/// Writes parts that are all short runs; how many bytes. `None` if they are not, or if anything is unusual.
pub(super) fn write(
    questions: Questions,
    parts: &[DatasetPart<Bypass, MemorySource<'_>>],
    transfer: Id,
) -> Option<Result<u64>> {
    let find = |part: &DatasetPart<Bypass, MemorySource<'_>>| {
        run_of(questions, part, part.memory.as_ptr().is_null(), Use::Write, 0)
    };
    if let [part] = parts {
        let run = find(part).filter(|_| Wishes::are_usual(questions, transfer, parts))?;
        let _claim = run.claim(Use::Write)?;
        return Some(run.write(part)?.map(|()| {
            summary::write_bypassed(run.length_in_memory as u64);
            run.length_in_memory as u64
        }));
    }
    if !Wishes::are_usual(questions, transfer, parts) {
        return None;
    }
    let runs: Vec<_> = parts.iter().map(find).collect::<Option<_>>()?;
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

impl Run {
    /// Writes it. What the file system refuses is a failure of the call: the long way might succeed, and nobody would know.
    fn write(&self, part: &DatasetPart<Bypass, MemorySource<'_>>) -> Option<Result<()>> {
        let given = memory::part(&part.memory, self.to, self.length_in_memory);
        let written = match &self.conversion {
            None => self.put(&part.dataset, given),
            Some(with) => with_buffer(self.length, |converted| {
                with.conversion.convert(given, converted);
                self.put(&part.dataset, converted)
            }),
        };
        let below = match &self.source {
            Some(source) => source,
            None => part.dataset.below()?,
        };
        Some(written?.map_err(|error| cannot_write(below, &error)))
    }

    /// Notes through what the dataset is written.
    fn note_owner(&self, shared: &Shared, object: &Arc<Object<Bypass>>) {
        match &self.source {
            Some(source) => shared.note_source(source),
            None => shared.note_handle(object),
        }
    }

    /// Puts bytes where it is stored.
    fn put(&self, object: &Arc<Object<Bypass>>, bytes: &[u8]) -> Option<Result<(), StoreError>> {
        match &self.place {
            Place::Contiguous(start) => self.write_to_window(object, self.dataset.piece(*start)?, bytes),
            Place::Chunk(chunk) => self.write_to_chunk(object, self.dataset.chunks()?, chunk, bytes),
            Place::Chunks(pieces) => self.write_to_chunks(object, pieces, bytes),
        }
    }

    /// To one chunk after another. If one of them is unusual, the long way writes all of them, once more or for the first time.
    #[inline(never)]
    fn write_to_chunks(
        &self,
        object: &Arc<Object<Bypass>>,
        pieces: &[InChunk],
        bytes: &[u8],
    ) -> Option<Result<(), StoreError>> {
        for (before, run) in self.in_chunks(pieces) {
            if let Err(error) = run.put(object, bytes.get(before..)?.get(..run.length)?)? {
                return Some(Err(error));
            }
        }
        Some(Ok(()))
    }

    /// To memory if the chunk is changed there already or does not exist yet, or to the file if it is stored there as it is.
    fn write_to_chunk(
        &self,
        object: &Arc<Object<Bypass>>,
        chunks: &Chunks,
        chunk: &AroundRun,
        bytes: &[u8],
    ) -> Option<Result<(), StoreError>> {
        let shared = self.dataset.shared.as_ref()?;
        if let Some(done) = shared.dirty.change(&chunk.origin, |elements| self.overwrite(elements, bytes)) {
            if self.from + bytes.len() as u64 == chunks.index.kind().bytes {
                shared.encode_behind(chunks, &chunks.grid.chunk_numbered(chunk.number));
            }
            return done.map(Ok);
        }
        if shared.dirty.contains(&chunk.origin) {
            return None;
        }
        match chunks.index.find(chunk.number) {
            Found::Missing => self.begin_chunk(object, chunks, chunk, bytes).map(Ok),
            Found::Stored(stored) if chunks.filtering.is_none() && shared.is_unknown_to_native() => {
                let piece = Piece { start: stored.address, length: chunks.index.kind().bytes };
                chunks.forget_decoded(chunk.number);
                self.write_to_window(object, piece, bytes)
            }
            Found::Stored(_) | Found::Written(_) | Found::Unknown => None,
        }
    }

    /// Puts bytes where it lies in the elements of its chunk.
    fn overwrite(&self, elements: &mut [u8], bytes: &[u8]) -> Option<()> {
        let from = usize::try_from(self.from).ok()?;
        elements.get_mut(from..)?.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(())
    }

    /// Begins a chunk in memory, of which nothing exists yet. The long way stores the first one of a dataset at once, asks
    /// what the others are filled with, and writes some of them when there are too many.
    fn begin_chunk(
        &self,
        object: &Arc<Object<Bypass>>,
        chunks: &Chunks,
        chunk: &AroundRun,
        bytes: &[u8],
    ) -> Option<()> {
        let (shared, fill) = (self.dataset.shared.as_ref()?, self.dataset.fillings().known_filler()?);
        let length =
            usize::try_from(chunks.index.kind().bytes).ok().filter(|length| *length <= SMALL_CHUNK)?;
        if !shared.has_index() || check_chunks(chunks).is_err() || !has_room(shared, chunks, length) {
            return None;
        }
        let mut elements = vec![0; length];
        if fill.iter().any(|byte| *byte != 0) {
            elements.chunks_exact_mut(fill.len()).for_each(|element| element.copy_from_slice(fill));
        }
        self.overwrite(&mut elements, bytes)?;
        self.note_owner(shared, object);
        shared.dirty.put(&chunk.origin, Arc::new(elements));
        chunks.forget_decoded(chunk.number);
        Some(())
    }

    /// To a piece of the file, if it is known to reach so far.
    fn write_to_window(
        &self,
        object: &Arc<Object<Bypass>>,
        piece: Piece,
        bytes: &[u8],
    ) -> Option<Result<(), StoreError>> {
        let (shared, store) = (self.dataset.shared.as_ref()?, self.dataset.store()?);
        store.check(piece.start, piece.length).ok()?;
        self.note_owner(shared, object);
        Some(shared.windows.write(store, piece, piece.start.checked_add(self.from)?, bytes))
    }
}
