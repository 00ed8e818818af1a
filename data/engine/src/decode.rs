//! Working off chunks that filters have gone over: fetch and decode a whole chunk, deliver what is wanted of it.
//!
//! A chunk of which everything is wanted goes straight into the application's memory where it lies there in one
//! piece. One of which only a part is wanted will probably be wanted again, so it is decoded into the cache; and so
//! are those of reads that are small in all.

use chunk_cache::{Begun, Cache, Key};
use pool::Scratch;
use selection::{Chunk, LocalSelection, Piece};
use trace::Kind;

use crate::bytes::in_buffer;
use crate::delivery::{Delivery, buffer_lengths};
use crate::error::EngineError;
use crate::request::{ChunkData, FilteredChunks, Kept, Part};
use crate::unpack::{Encoded, Unpacker, buffers};
use crate::walk::{MoveError, each_piece, run_in_memory};

/// Bytes of a chunk up to which two are decoded at the same time, where that is faster: both are in memory.
const PAIRED_BYTES: usize = 4 << 20;

/// A chunk to decode, and what is selected of it.
pub(crate) struct Wanted<'w> {
    pub(crate) chunk: Chunk,
    pub(crate) encoded: Encoded<'w>,
    pub(crate) local: LocalSelection<'w>,
}

/// Where a chunk is decoded to.
enum Place<'p> {
    /// Where the application wants it.
    Memory(&'p mut [u8]),
    /// The cache.
    Cache(Begun<'p>),
    /// Memory of the thread.
    Beside,
}

impl Place<'_> {
    /// Bytes of the thread's memory that it takes.
    fn beside(&self, length: usize) -> u64 {
        if matches!(self, Self::Beside) { length as u64 } else { 0 }
    }

    /// The bytes to fill; `elements` is the thread's memory.
    fn target<'t>(&'t mut self, elements: &'t mut [u8]) -> &'t mut [u8] {
        match self {
            Self::Memory(target) => target,
            Self::Cache(begun) => begun.buffer(),
            Self::Beside => elements,
        }
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

    /// Whether two chunks of this size should be decoded at the same time.
    pub(crate) fn gain_by_pairs(&self, chunk_bytes: usize) -> bool {
        let maker = self.chunks.iter().find_map(|chunk| match chunk {
            ChunkData::Made(maker) => Some(maker),
            _ => None,
        });
        chunk_bytes <= PAIRED_BYTES
            && (self.pipeline.gains_by_pairs() || maker.is_some_and(|maker| maker.gains_by_pairs()))
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
    pub(crate) fn chunk(&self, wanted: &Wanted<'_>, scratch: &mut Scratch) -> Result<(), EngineError> {
        let Wanted { chunk, encoded, local } = wanted;
        let (unpacker, encoded) = (self.unpacker(), *encoded);
        let length = self.chunk_bytes(chunk)?;
        let kept = self.kept(local, length);
        if kept.is_none()
            && let Some(target) = self.in_one_piece(local, length)
        {
            let ([bytes], filtering) =
                unpacker.buffers([unpacker.bytes_to_decode(encoded, length)], chunk, encoded, scratch)?;
            return unpacker.decode(chunk, encoded, bytes, target, &mut filtering.work);
        }
        if let Some(kept) = kept {
            self.decode_others_while_busy(kept.key(chunk.number), kept, scratch);
            let elements = kept.cache().get_or_decode(kept.key(chunk.number), length, |target| {
                let ([bytes], filtering) =
                    unpacker.buffers([unpacker.bytes_to_decode(encoded, length)], chunk, encoded, scratch)?;
                unpacker.decode(chunk, encoded, bytes, target, &mut filtering.work)
            })?;
            return self.deliver(&elements, local, scratch);
        }
        let [gathered, converted] = self.conversion_buffers();
        let lengths = [unpacker.bytes_to_decode(encoded, length), length as u64, gathered, converted];
        let ([bytes, elements, gathered, converted], filtering) =
            unpacker.buffers(lengths, chunk, encoded, scratch)?;
        unpacker.decode(chunk, encoded, bytes, elements, &mut filtering.work)?;
        self.deliver_with(elements, local, [gathered, converted])
    }

    /// As long as somebody else decodes a chunk, decodes others that will probably be wanted, rather than wait.
    fn decode_others_while_busy(&self, key: Key, kept: Kept, scratch: &mut Scratch) {
        if let Some(ahead) = &self.chunks.ahead {
            while kept.cache().is_busy(key) && ahead.decode_next(scratch) {}
        }
    }

    /// Whether two chunks should be decoded at the same time.
    pub(crate) fn gains_by_pairs(&self) -> bool {
        let length = self.chunks.chunk_bytes(self.part.element);
        length.is_some_and(|length| self.chunks.gain_by_pairs(length))
    }

    /// Decodes two chunks at the same time and delivers what is selected of them. If somebody else decodes one of them, it
    /// is waited for as usual.
    pub(crate) fn pair(&self, wanted: [&Wanted<'_>; 2], scratch: &mut Scratch) -> Result<(), EngineError> {
        let ([first, second], unpacker) = (wanted, self.unpacker());
        unpacker.check(&first.chunk, first.encoded)?;
        if let Err(error) = unpacker.check(&second.chunk, second.encoded) {
            // The first may have something wrong, too.
            return self.chunk(first, scratch).and(Err(error));
        }
        let length = self.chunk_bytes(&first.chunk)?;
        // Nothing of the first is held if there is no place for the second: it would be waited for below, forever.
        let places = match self.place(first, length)? {
            Some(place) => self.place(second, length)?.map(|second_place| (place, second_place)),
            None => None,
        };
        let Some((mut place, mut second_place)) = places else {
            return self.chunk(first, scratch).and_then(|()| self.chunk(second, scratch));
        };
        let [gathered, converted] = self.conversion_buffers();
        let lengths = [
            first.encoded.bytes_in_file(),
            second.encoded.bytes_in_file(),
            place.beside(length),
            second_place.beside(length),
            gathered,
            converted,
        ];
        let ([bytes, second_bytes, elements, second_elements, gathered, converted], filtering) =
            buffers(lengths, scratch)?;
        unpacker.decode_pair(
            wanted.map(|wanted| (&wanted.chunk, wanted.encoded)),
            [bytes, second_bytes],
            [place.target(elements), second_place.target(second_elements)],
            filtering,
        )?;
        let parts = [(first, place, &*elements), (second, second_place, &*second_elements)];
        parts.into_iter().try_for_each(|(wanted, place, elements)| {
            let buffers = [&mut *gathered, &mut *converted];
            match place {
                Place::Memory(_) => Ok(()),
                Place::Cache(begun) => self.deliver_with(&begun.finish(), &wanted.local, buffers),
                Place::Beside => self.deliver_with(elements, &wanted.local, buffers),
            }
        })
    }

    /// Where a chunk is decoded to. Nothing if somebody else decodes it to the cache, or it is there by now.
    fn place(&self, wanted: &Wanted<'_>, length: usize) -> Result<Option<Place<'_>>, EngineError> {
        if let Some(kept) = self.kept(&wanted.local, length) {
            let begun = kept.cache().try_begin(kept.key(wanted.chunk.number), length)?;
            return Ok(begun.map(Place::Cache));
        }
        Ok(Some(self.in_one_piece(&wanted.local, length).map_or(Place::Beside, Place::Memory)))
    }

    /// The cache, if a chunk of this size should be kept there.
    fn kept(&self, local: &LocalSelection<'_>, length: usize) -> Option<Kept> {
        // Little data is worth keeping even if all of it is wanted: it may be wanted again.
        self.chunks.cache_for(length).filter(|kept| {
            !local.is_whole_chunk()
                || self.chunks.chunks.len().saturating_mul(length) <= kept.cache.capacity() / 8
        })
    }

    fn conversion_buffers(&self) -> [u64; 2] {
        buffer_lengths(self.part.conversion.is_some(), self.part.sizes()).map(|length| length as u64)
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
        let is_whole = local.is_whole_chunk() && self.part.conversion.is_none();
        if !is_whole || local.len().checked_mul(self.part.element)? != length as u64 {
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
