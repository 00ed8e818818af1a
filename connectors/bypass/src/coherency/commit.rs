//! Storing encoded chunks through HDF5, which finds the space for them.

use core::fmt::Display;
use std::sync::Arc;

use engine::{Source, StoredChunk};
use h5_vol::native::ChunkStorage;
use h5_vol::{BelowObject, Error, Host, Result};
use selection::Chunk;
use trace::Kind;

use crate::coherency::shared::Shared;
use crate::inspect::chunk_index::{Found, Written};
use crate::inspect::chunks::Chunks;
use crate::inspect::file::RawFile;
use crate::report::fault::cannot_write;

/// Stores chunks of one dataset. The global lock is held, and the chunks are claimed.
pub(crate) struct ChunkWriter<'a> {
    pub(crate) host: Host,
    pub(crate) chunks: &'a Chunks,
    pub(crate) below: &'a BelowObject,
    pub(crate) shared: &'a Shared,
    /// The file that they are stored in.
    pub(crate) file: &'a RawFile,
}

impl ChunkWriter<'_> {
    /// Stores a chunk.
    pub(crate) fn commit(&self, chunk: &Chunk, bytes: &[u8], mask: u32) -> Result<()> {
        self.shared.leave_windows().map_err(|error| self.fault(chunk, &error))?;
        if self.chunks.is_filtered(chunk) {
            self.commit_filtered(chunk, bytes, mask)?;
        } else {
            self.store(chunk, bytes, mask)?;
        }
        if !self.shared.has_index() && !self.chunks.allocates_by_chunk {
            // HDF5 has stored all the others as well, as it would fill them.
            self.chunks.index.forget();
        }
        self.chunks.index.note_written(chunk.number, Written { size: bytes.len() as u64, mask });
        self.chunks.forget_decoded(chunk.number);
        self.shared.note_index();
        if self.shared.has_failed() { self.verify(chunk, bytes.len()) } else { Ok(()) }
    }

    /// Looks whether a chunk is in the index. After a failure HDF5 may believe that it was there before.
    fn verify(&self, chunk: &Chunk, length: usize) -> Result<()> {
        self.chunks.index.forget();
        let found = self.host.ask_below(|questions| {
            self.chunks.index.for_request(questions, u64::MAX, &self.chunks.grid, self.below).ok();
            self.chunks.index.find(chunk.number)
        });
        match found {
            Found::Stored(stored) if stored.size == length as u64 => Ok(()),
            _ => Err(self.fault(chunk, &"HDF5 did not store it, after an earlier failure")),
        }
    }

    fn fault(&self, chunk: &Chunk, cause: &dyn Display) -> Error {
        cannot_write(self.below, &format_args!("chunk at {:?}: {cause}", &*chunk.origin))
    }

    /// Stores a chunk that filters have gone over. HDF5 does not take good care of their mask.
    fn commit_filtered(&self, chunk: &Chunk, bytes: &[u8], mask: u32) -> Result<()> {
        let before = self.before(chunk, bytes.len());
        let keeps_mask =
            before.is_some_and(|before| before.size == bytes.len() as u64 && before.mask != mask);
        if keeps_mask || self.shared.has_failed() {
            // There would be nothing else to change in the index, and so HDF5 would not change it; nor if it believes,
            // after a failure, that the chunk is there.
            let mut longer = bytes.to_vec();
            longer.push(0);
            self.store(chunk, &longer, mask)?;
        }
        if before.is_some_and(|before| before.size != bytes.len() as u64) {
            self.check_room(chunk, bytes.len())?;
        }
        self.store(chunk, bytes, mask)?;
        // It remembers the last chunk that it looked for, and if it has just stored that, with the mask from before.
        if before.map_or(0, |before| before.mask) != mask {
            self.look_elsewhere(chunk);
        }
        Ok(())
    }

    fn store(&self, chunk: &Chunk, bytes: &[u8], mask: u32) -> Result<()> {
        let _span = trace::span(Kind::Store).of(bytes.len() as u64);
        // What native HDF5 says about a failure stays on the error stack.
        let write = |questions| self.below.write_chunk(questions, &chunk.origin, mask, bytes);
        if self.host.ask_at_once(write).is_some() {
            return Ok(());
        }
        self.shared.note_failure();
        // It remembers the chunk as one that is stored, and would not enter it into the index if it is stored again.
        self.look_elsewhere(chunk);
        Err(self.fault(chunk, &"HDF5 could not store it"))
    }

    /// HDF5 gives the space of a chunk free before it takes new space, which may be the same and larger. If that cannot
    /// be written, neither the old nor the new chunk is left; so it is not begun.
    fn check_room(&self, chunk: &Chunk, length: usize) -> Result<()> {
        let Ok(Source::File(store)) = self.file.source() else { return Ok(()) };
        store.check_room(length as u64).map_err(|error| self.fault(chunk, &error))
    }

    /// Keeps the elements of a chunk, which are what is stored, for those who read or change it next.
    pub(crate) fn keep(&self, chunk: &Chunk, elements: &Arc<Vec<u8>>) {
        if let Some(filtering) = &self.chunks.filtering {
            let kept = filtering.place.kept();
            kept.cache.put(kept.key(chunk.number), Arc::clone(elements));
        }
    }

    /// How a chunk is stored that will be replaced by one of this length; `None` if it is not.
    fn before(&self, chunk: &Chunk, length: usize) -> Option<Written> {
        match self.chunks.index.find(chunk.number) {
            Found::Missing => None,
            Found::Stored(StoredChunk { size, mask, .. }) => Some(Written { size, mask }),
            Found::Written(written) => Some(written),
            Found::Unknown => self.host.ask_below(|questions| {
                let ChunkStorage::Bytes(size) = self.below.chunk_storage(questions, &chunk.origin)? else {
                    return None;
                };
                // Otherwise it is not worth the reading, and taken for another one.
                let fetched = if size == length as u64 {
                    self.chunks
                        .fetch(questions, self.shared, self.below, chunk, Found::Unknown)
                        .ok()
                        .flatten()
                } else {
                    None
                };
                Some(Written { size, mask: fetched.map_or(u32::MAX, |fetched| fetched.mask) })
            }),
        }
    }

    /// Makes HDF5 look for another chunk.
    fn look_elsewhere(&self, chunk: &Chunk) {
        if self.chunks.grid.has_one_chunk() {
            return;
        }
        let other = self.chunks.grid.chunk_numbered(u64::from(chunk.number == 0));
        self.host.ask_below(|questions| self.below.chunk_storage(questions, &other.origin));
    }
}
