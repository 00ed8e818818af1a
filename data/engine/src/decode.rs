//! Working off chunks that filters have gone over: fetch and decode a whole chunk, deliver what is wanted of it.
//!
//! A chunk of which everything is wanted goes straight into the application's memory where it lies there in one
//! piece. One of which only a part is wanted will probably be wanted again, so it is decoded into the cache; and so
//! are those of reads that are small in all.

use chunk_cache::{Cache, Key};
use pool::Scratch;
use selection::{Chunk, LocalSelection, Piece};
use trace::Kind;

use crate::bytes::in_buffer;
use crate::delivery::{Delivery, buffer_lengths};
use crate::error::EngineError;
use crate::request::{FilteredChunks, Kept, Part, StoredChunk};
use crate::unpack::{Encoded, Unpacker};
use crate::walk::{MoveError, each_piece, run_in_memory};

/// Decodes chunks of one part.
pub(crate) struct Decoder<'d> {
    pub(crate) part: &'d Part<'d>,
    pub(crate) index: usize,
    pub(crate) chunks: &'d FilteredChunks,
}

impl FilteredChunks {
    /// Bytes of a decoded chunk.
    pub(crate) fn chunk_bytes(&self, element: u64) -> Option<usize> {
        self.grid.chunk_len().checked_mul(element).and_then(|bytes| usize::try_from(bytes).ok())
    }

    /// The cache for chunks of this size, if they are kept. Those that would fill most of it are not.
    pub(crate) fn cache_for(&self, chunk_bytes: usize) -> Option<Kept> {
        self.kept.filter(|kept| chunk_bytes <= kept.cache.capacity() / 2)
    }
}

impl Kept {
    /// The key of a chunk.
    pub fn key(self, chunk: u64) -> Key {
        Key { dataset: self.dataset, chunk }
    }

    pub(crate) fn cache(self) -> &'static Cache {
        self.cache
    }
}

impl Decoder<'_> {
    /// Decodes a chunk and delivers what is selected of it.
    pub(crate) fn chunk(
        &self,
        chunk: &Chunk,
        encoded: Encoded<'_>,
        local: &LocalSelection<'_>,
        scratch: &mut Scratch,
    ) -> Result<(), EngineError> {
        let unpacker = self.unpacker();
        let length = self.chunk_bytes(chunk)?;
        let is_whole = local.is_whole_chunk();
        // Little data is worth keeping even if all of it is wanted: it may be wanted again.
        let kept = self.chunks.cache_for(length).filter(|kept| {
            !is_whole || self.chunks.chunks.len().saturating_mul(length) <= kept.cache.capacity() / 8
        });
        if is_whole
            && kept.is_none()
            && let Some(target) = self.in_one_piece(local, length)
        {
            let ([bytes], filtering) =
                unpacker.buffers([encoded.bytes_in_file()], chunk, encoded, scratch)?;
            return unpacker.decode(chunk, encoded, bytes, target, &mut filtering.work);
        }
        if let Some(kept) = kept {
            let elements = kept.cache().get_or_decode(kept.key(chunk.number), length, |target| {
                let ([bytes], filtering) =
                    unpacker.buffers([encoded.bytes_in_file()], chunk, encoded, scratch)?;
                unpacker.decode(chunk, encoded, bytes, target, &mut filtering.work)
            })?;
            return self.deliver(&elements, local, scratch);
        }
        let [gathered, converted] = buffer_lengths(self.part.conversion.is_some(), self.part.sizes());
        let lengths = [encoded.bytes_in_file(), length as u64, gathered as u64, converted as u64];
        let ([bytes, elements, gathered, converted], filtering) =
            unpacker.buffers(lengths, chunk, encoded, scratch)?;
        unpacker.decode(chunk, encoded, bytes, elements, &mut filtering.work)?;
        self.deliver_with(elements, local, [gathered, converted])
    }

    /// Delivers what is selected of a decoded chunk.
    pub(crate) fn deliver(
        &self,
        elements: &[u8],
        local: &LocalSelection<'_>,
        scratch: &mut Scratch,
    ) -> Result<(), EngineError> {
        let lengths = buffer_lengths(self.part.conversion.is_some(), self.part.sizes());
        let pieces = scratch.pieces(lengths).map_err(|_| EngineError::OutOfMemory(lengths[0]))?;
        self.deliver_with(elements, local, pieces)
    }

    /// Decodes a chunk into the cache, for a read that will probably come. What fails here fails again there.
    pub(crate) fn ahead(&self, number: u64, stored: &StoredChunk, scratch: &mut Scratch) {
        let Some(length) = self.chunks.chunk_bytes(self.part.element) else { return };
        let Some(kept) = self.chunks.cache_for(length) else { return };
        let (chunk, encoded) = (self.chunks.grid.chunk_numbered(number), Encoded::Stored(*stored));
        let unpacker = self.unpacker();
        let _ = kept.cache().get_or_decode(kept.key(number), length, |target| {
            let ([bytes], filtering) = unpacker.buffers([stored.size], &chunk, encoded, scratch)?;
            unpacker.decode(&chunk, encoded, bytes, target, &mut filtering.work)
        });
    }

    fn unpacker(&self) -> Unpacker<'_> {
        let FilteredChunks { pipeline, verify, .. } = self.chunks;
        Unpacker { source: self.part.source, pipeline, verify: *verify, part: self.index }
    }

    fn chunk_bytes(&self, chunk: &Chunk) -> Result<usize, EngineError> {
        self.chunks
            .chunk_bytes(self.part.element)
            .ok_or(EngineError::Overflow { part: self.index, chunk: Some(chunk.origin.clone()) })
    }

    /// The place of a whole chunk in memory, if it lies there as it is decoded.
    fn in_one_piece(&self, local: &LocalSelection<'_>, length: usize) -> Option<&mut [u8]> {
        if self.part.conversion.is_some() || local.len().checked_mul(self.part.element)? != length as u64 {
            return None;
        }
        let place = run_in_memory(local, &self.part.memory_selection)?;
        let place = usize::try_from(place.checked_mul(self.part.element)?).ok()?;
        Some(self.part.memory.slice(place, length))
    }

    fn deliver_with(
        &self,
        elements: &[u8],
        local: &LocalSelection<'_>,
        buffers: [&mut [u8]; 2],
    ) -> Result<(), EngineError> {
        let part = self.part;
        let conversion = part.conversion.as_ref().map(|with| &with.conversion);
        let kind = if conversion.is_some() { Kind::Convert } else { Kind::Scatter };
        let _span = trace::step(kind, local.len().saturating_mul(part.element));
        let mut delivery = Delivery::new(&part.memory, conversion, part.sizes(), buffers);
        each_piece(local.rows(), &part.memory_selection, |piece: &Piece| {
            let blocks = in_buffer(piece, part.sizes()).ok_or(MoveError::Overflow)?;
            delivery.deliver(elements, &blocks);
            Ok(())
        })
        .map_err(|error| error.of_part(self.index, None))
    }
}
