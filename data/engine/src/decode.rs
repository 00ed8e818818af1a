//! Working off chunks that filters have gone over: fetch and decode a whole chunk, deliver what is wanted of it.
//!
//! A chunk of which everything is wanted goes straight into the application's memory where it lies there in one
//! piece. One of which only a part is wanted will probably be wanted again, so it is decoded into the cache; and so
//! are those of reads that are small in all.

use chunk_cache::{Cache, Key};
use codecs::Work;
use pool::{Scratch, Tool};
use selection::{Chunk, LocalSelection, Piece};
use store::Target;

use crate::delivery::{Delivery, buffer_lengths};
use crate::error::EngineError;
use crate::fetch::{FetchError, blocks_in_buffer};
use crate::request::{FilteredChunks, Kept, Part, StoredChunk};
use crate::run::each_piece;
use crate::source::Origin;

/// Bytes of memory that the decompressors of an idle thread may keep.
const KEPT_BYTES: usize = 8 << 20;

/// What a thread keeps for decoding.
#[derive(Debug, Default)]
struct Decoders(Work);

impl Tool for Decoders {
    fn trim(&mut self) {
        self.0.trim(KEPT_BYTES);
    }
}

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
        stored: &StoredChunk,
        local: &LocalSelection<'_>,
        scratch: &mut Scratch,
    ) -> Result<(), EngineError> {
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
            let ([bytes], decoders) = self.buffers([stored.size], chunk, stored, scratch)?;
            return self.decode(chunk, stored, bytes, target, &mut decoders.0);
        }
        if let Some(kept) = kept {
            let elements = kept.cache().get_or_decode(kept.key(chunk.number), length, |target| {
                let ([bytes], decoders) = self.buffers([stored.size], chunk, stored, scratch)?;
                self.decode(chunk, stored, bytes, target, &mut decoders.0)
            })?;
            return self.deliver(&elements, local, scratch);
        }
        let [gathered, converted] = buffer_lengths(self.part);
        let lengths = [stored.size, length as u64, gathered as u64, converted as u64];
        let ([bytes, elements, gathered, converted], decoders) =
            self.buffers(lengths, chunk, stored, scratch)?;
        self.decode(chunk, stored, bytes, elements, &mut decoders.0)?;
        self.deliver_with(elements, local, [gathered, converted])
    }

    /// Delivers what is selected of a decoded chunk.
    pub(crate) fn deliver(
        &self,
        elements: &[u8],
        local: &LocalSelection<'_>,
        scratch: &mut Scratch,
    ) -> Result<(), EngineError> {
        let lengths = buffer_lengths(self.part);
        let pieces = scratch.pieces(lengths).map_err(|_| EngineError::OutOfMemory(lengths[0]))?;
        self.deliver_with(elements, local, pieces)
    }

    /// Decodes a chunk into the cache, for a read that will probably come. What fails here fails again there.
    pub(crate) fn ahead(&self, number: u64, stored: &StoredChunk, scratch: &mut Scratch) {
        let Some(length) = self.chunks.chunk_bytes(self.part.element) else { return };
        let Some(kept) = self.chunks.cache_for(length) else { return };
        let chunk = self.chunks.grid.chunk_numbered(number);
        let _ = kept.cache().get_or_decode(kept.key(number), length, |target| {
            let ([bytes], decoders) = self.buffers([stored.size], &chunk, stored, scratch)?;
            self.decode(&chunk, stored, bytes, target, &mut decoders.0)
        });
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
        let row = local.as_row().filter(|row| row.count == 1 && row.offset == 0)?;
        let (place, run) = self.part.memory_selection.cursor(row.rank).next_run(row.block)?;
        if run != row.block {
            return None;
        }
        let place = usize::try_from(place.checked_mul(self.part.element)?).ok()?;
        Some(self.part.memory.slice(place, length))
    }

    /// Memory to work with. That the stored bytes exist is checked before memory is taken for them.
    fn buffers<'s, const N: usize>(
        &self,
        lengths: [u64; N],
        chunk: &Chunk,
        stored: &StoredChunk,
        scratch: &'s mut Scratch,
    ) -> Result<([&'s mut [u8]; N], &'s mut Decoders), EngineError> {
        self.part.source.check(stored.address, stored.size).map_err(|source| EngineError::Read {
            part: self.index,
            chunk: Some(chunk.origin.clone()),
            source,
        })?;
        let lengths = lengths.map(|length| usize::try_from(length).unwrap_or(usize::MAX));
        scratch.pieces_and_tool(lengths).map_err(|error| EngineError::OutOfMemory(error.bytes))
    }

    fn decode(
        &self,
        chunk: &Chunk,
        stored: &StoredChunk,
        bytes: &mut [u8],
        elements: &mut [u8],
        work: &mut Work,
    ) -> Result<(), EngineError> {
        let origin = || chunk.origin.clone();
        self.part
            .source
            .read(stored.address, Target::from_slice(bytes), &mut [])
            .map_err(|source| EngineError::Read { part: self.index, chunk: Some(origin()), source })?;
        self.chunks
            .pipeline
            .decode(bytes, stored.mask, self.chunks.verify, elements, work)
            .map_err(|source| EngineError::Decode { part: self.index, chunk: origin(), source })
    }

    fn deliver_with(
        &self,
        elements: &[u8],
        local: &LocalSelection<'_>,
        buffers: [&mut [u8]; 2],
    ) -> Result<(), EngineError> {
        let part = self.part;
        let mut delivery = Delivery::new(part, buffers);
        let sizes = (part.element, part.memory_element());
        each_piece(local.rows(), part, |piece: &Piece| {
            let blocks = blocks_in_buffer(piece, sizes).ok_or(FetchError::Overflow)?;
            delivery.deliver(elements, &blocks);
            Ok(())
        })
        .map_err(|error| error.of_part(self.index, None))
    }
}
