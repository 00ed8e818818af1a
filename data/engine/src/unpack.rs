//! From a chunk as it is stored to its elements.

use codecs::{Packed, Pipeline, PipelineError, Work};
use pool::{Scratch, Tool};
use selection::Chunk;
use store::Target;
use trace::{Kind, Span};

use crate::error::EngineError;
use crate::request::{ChunkData, MakesChunks, PairFailure, StoredChunk};
use crate::source::{Origin, Source};

/// Bytes of memory that the filters of an idle thread may keep, in each of their buffers.
const KEPT_BYTES: usize = 8 << 20;

/// Bytes of a chunk from which decoding takes so long that recording it in a trace does not matter.
const WORTH_A_SPAN: usize = 16 * 1024;

/// What a thread keeps for filters.
#[derive(Debug, Default)]
pub(crate) struct Filtering {
    pub(crate) work: Work,
    /// For the second of two chunks that are decoded at the same time.
    pub(crate) second_work: Work,
    /// What a chunk is encoded into before it is known how long it becomes.
    pub(crate) encoded: Vec<u8>,
}

impl Tool for Filtering {
    fn trim(&mut self) {
        self.work.trim(KEPT_BYTES);
        self.second_work.trim(KEPT_BYTES);
        if self.encoded.capacity() > KEPT_BYTES {
            self.encoded = Vec::new();
        }
    }
}

/// A chunk as it is stored: in the file, or in memory already.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Encoded<'e> {
    Stored(StoredChunk),
    Fetched(&'e [u8], u32),
    Made(&'e dyn MakesChunks),
}

impl<'e> Encoded<'e> {
    /// The chunk, if there is one that must be decoded.
    pub(crate) fn of(data: &'e ChunkData) -> Option<Self> {
        match data {
            ChunkData::Missing | ChunkData::Decoded(_) => None,
            ChunkData::Stored(stored) => Some(Self::Stored(*stored)),
            ChunkData::Fetched(bytes, mask) => Some(Self::Fetched(bytes, *mask)),
            ChunkData::Made(maker) => Some(Self::Made(&**maker)),
        }
    }

    /// Bytes of a buffer to read it into.
    pub(crate) fn bytes_in_file(self) -> u64 {
        match self {
            Self::Stored(stored) => stored.size,
            Self::Fetched(..) | Self::Made(_) => 0,
        }
    }
}

/// Where chunks of one part come from, and what decodes them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unpacker<'u> {
    pub(crate) source: &'u Source,
    pub(crate) pipeline: &'u Pipeline,
    /// Whether checksums are looked at.
    pub(crate) verify: bool,
    /// Which part, for errors.
    pub(crate) part: usize,
}

impl Unpacker<'_> {
    /// Memory to work with. That the stored bytes exist is checked before memory is taken for them.
    pub(crate) fn buffers<'s, const N: usize>(
        &self,
        lengths: [u64; N],
        chunk: &Chunk,
        encoded: Encoded<'_>,
        scratch: &'s mut Scratch,
    ) -> Result<([&'s mut [u8]; N], &'s mut Filtering), EngineError> {
        self.check(chunk, encoded)?;
        buffers(lengths, scratch)
    }

    /// Whether the stored bytes exist.
    pub(crate) fn check(&self, chunk: &Chunk, encoded: Encoded<'_>) -> Result<(), EngineError> {
        let Encoded::Stored(stored) = encoded else { return Ok(()) };
        let checked = self.source.check(stored.address, stored.size);
        checked.map_err(|source| self.unreadable(chunk, source))
    }

    /// Bytes of a buffer to read a chunk into, whose elements take `length` bytes: none if it is stored as its elements are.
    pub(crate) fn bytes_to_decode(&self, encoded: Encoded<'_>, length: usize) -> u64 {
        if self.is_stored_as_elements(encoded, length).is_some() { 0 } else { encoded.bytes_in_file() }
    }

    /// The chunk, if it only has to be fetched.
    fn is_stored_as_elements(&self, encoded: Encoded<'_>, length: usize) -> Option<StoredChunk> {
        let Encoded::Stored(stored) = encoded else { return None };
        (stored.size == length as u64 && self.pipeline.is_empty_without(stored.mask)).then_some(stored)
    }

    /// Fetches a chunk into `bytes`, unless it is in memory, and decodes it. One that has no filters is fetched to its place.
    pub(crate) fn decode(
        &self,
        chunk: &Chunk,
        encoded: Encoded<'_>,
        bytes: &mut [u8],
        elements: &mut [u8],
        work: &mut Work,
    ) -> Result<(), EngineError> {
        if let Encoded::Made(maker) = encoded {
            return self.make(chunk, maker, elements);
        }
        if let Some(stored) = self.is_stored_as_elements(encoded, elements.len()) {
            let _span = filtering_span(Kind::Fetch, elements.len()).of(stored.size);
            return self.read(chunk, stored, elements);
        }
        let (stored, mask) = self.fetch(chunk, encoded, bytes, elements.len())?;
        let _span = filtering_span(Kind::Decode, elements.len()).of(elements.len() as u64);
        let decoded = self.pipeline.decode(stored, mask, self.verify, elements, work);
        decoded.map_err(|source| self.undecodable(chunk, source))
    }

    /// The same for two chunks at the same time. The first failure is that of the first.
    pub(crate) fn decode_pair(
        &self,
        [(chunk, encoded), (second_chunk, second_encoded)]: [(&Chunk, Encoded<'_>); 2],
        bytes: [&mut [u8]; 2],
        elements: [&mut [u8]; 2],
        filtering: &mut Filtering,
    ) -> Result<(), EngineError> {
        let [first_bytes, second_bytes] = bytes;
        let [first_elements, second_elements] = elements;
        let Filtering { work, second_work, .. } = filtering;
        let (length, second_length) = (first_elements.len(), second_elements.len());
        if let (Encoded::Made(maker), Encoded::Made(second)) = (encoded, second_encoded)
            && core::ptr::addr_eq(maker, second)
        {
            let _span = filtering_span(Kind::Decode, length).of(length.saturating_add(second_length) as u64);
            let made =
                maker.make_pair([&chunk.scaled, &second_chunk.scaled], [first_elements, second_elements]);
            return made.map_err(|PairFailure { which, message }| {
                let failed = if which == 0 { chunk } else { second_chunk };
                EngineError::Make { part: self.part, chunk: failed.origin.clone(), message }
            });
        }
        if matches!(encoded, Encoded::Made(_)) || matches!(second_encoded, Encoded::Made(_)) {
            self.decode(chunk, encoded, first_bytes, first_elements, work)?;
            return self.decode(second_chunk, second_encoded, second_bytes, second_elements, second_work);
        }
        let (stored, mask) = self.fetch(chunk, encoded, first_bytes, length)?;
        let (second_stored, second_mask) =
            match self.fetch(second_chunk, second_encoded, second_bytes, second_length) {
                Ok(fetched) => fetched,
                Err(error) => {
                    // The first may have something wrong, too.
                    let decoded = self.pipeline.decode(stored, mask, self.verify, first_elements, work);
                    return Err(decoded.map_or_else(|source| self.undecodable(chunk, source), |()| error));
                }
            };
        let all = length.saturating_add(second_length);
        let _span = filtering_span(Kind::Decode, all).of(all as u64);
        let first = Packed { stored, mask, output: first_elements };
        let second = Packed { stored: second_stored, mask: second_mask, output: second_elements };
        let decoded = self.pipeline.decode_pair([first, second], self.verify, [work, second_work]);
        for (chunk, decoded) in [chunk, second_chunk].into_iter().zip(decoded) {
            decoded.map_err(|source| self.undecodable(chunk, source))?;
        }
        Ok(())
    }

    /// The stored bytes, fetched into `bytes` unless they are in memory, and the filters that were left out.
    fn fetch<'b>(
        &self,
        chunk: &Chunk,
        encoded: Encoded<'b>,
        bytes: &'b mut [u8],
        elements: usize,
    ) -> Result<(&'b [u8], u32), EngineError> {
        match encoded {
            Encoded::Fetched(bytes, mask) => Ok((bytes, mask)),
            // There is nothing stored: see `decode`.
            Encoded::Made(_) => Ok((&[], 0)),
            Encoded::Stored(stored) => {
                let _span = filtering_span(Kind::Fetch, elements).of(stored.size);
                self.read(chunk, stored, bytes)?;
                Ok((bytes, stored.mask))
            }
        }
    }

    /// Reads what is stored, as it is.
    fn read(&self, chunk: &Chunk, stored: StoredChunk, bytes: &mut [u8]) -> Result<(), EngineError> {
        let read = self.source.read(stored.address, Target::from_slice(bytes), &mut []);
        read.map_err(|source| self.unreadable(chunk, source))
    }

    /// Lets somebody else fill a chunk's elements.
    fn make(&self, chunk: &Chunk, maker: &dyn MakesChunks, elements: &mut [u8]) -> Result<(), EngineError> {
        let _span = filtering_span(Kind::Decode, elements.len()).of(elements.len() as u64);
        maker.make(&chunk.scaled, elements).map_err(|message| EngineError::Make {
            part: self.part,
            chunk: chunk.origin.clone(),
            message,
        })
    }

    fn undecodable(&self, chunk: &Chunk, source: PipelineError) -> EngineError {
        EngineError::Decode { part: self.part, chunk: chunk.origin.clone(), source }
    }

    fn unreadable(&self, chunk: &Chunk, source: store::StoreError) -> EngineError {
        EngineError::Read { part: self.part, chunk: Some(chunk.origin.clone()), source }
    }
}

/// A step of turning a chunk with so many bytes of elements into what is stored, or back.
pub(crate) fn filtering_span(kind: Kind, elements: usize) -> Span {
    if elements >= WORTH_A_SPAN { trace::span(kind) } else { Span::nothing() }
}

/// Pieces of a thread's memory and what it keeps for filters.
pub(crate) fn buffers<const N: usize>(
    lengths: [u64; N],
    scratch: &mut Scratch,
) -> Result<([&mut [u8]; N], &mut Filtering), EngineError> {
    let lengths = lengths.map(|length| usize::try_from(length).unwrap_or(usize::MAX));
    scratch.pieces_and_tool(lengths).map_err(|error| EngineError::OutOfMemory(error.bytes))
}
