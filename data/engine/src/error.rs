//! What can go wrong in the data plane.

use codecs::{CodecError, PipelineError};
use selection::{Dims, SelectionError};
use store::StoreError;

/// A request that failed. The parts of the request are numbered; who made it knows their names.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The two selections of a part do not fit each other or the layout.
    #[error("{source}")]
    Selection {
        /// Which part of the request.
        part: usize,
        /// Why.
        source: SelectionError,
    },
    /// A position in the file or in memory does not fit in the address space.
    #[error("a position of the selection does not fit in 64 bits of bytes{}", ChunkSuffix(.chunk.as_ref()))]
    Overflow {
        /// Which part of the request.
        part: usize,
        /// Origin of the chunk, for chunked parts.
        chunk: Option<Dims>,
    },
    /// The memory selection reaches beyond the memory.
    #[error("the memory selection needs {needed} bytes of memory, which has {length}")]
    MemoryTooShort {
        /// Which part of the request.
        part: usize,
        /// Bytes up to the end of what is selected.
        needed: u64,
        /// Bytes there are.
        length: usize,
    },
    /// The addresses given are not those of the chunks touched.
    #[error("{given} chunk addresses for a selection that touches {touched} chunks")]
    ChunkCount {
        /// Which part of the request.
        part: usize,
        /// Chunks the selection touches.
        touched: u64,
        /// Addresses given.
        given: usize,
    },
    /// The fill value is not an element.
    #[error("a fill value of {length} bytes for elements of {element}")]
    FillLength {
        /// Which part of the request.
        part: usize,
        /// Bytes of the fill value.
        length: usize,
        /// Bytes of an element.
        element: u64,
    },
    /// The elements given for a chunk are not as many as it has.
    #[error("{length} bytes of elements for a chunk of {needed}{}", ChunkSuffix(.chunk.as_ref()))]
    ChunkLength {
        /// Which part of the request.
        part: usize,
        /// Origin of the chunk.
        chunk: Option<Dims>,
        /// Bytes given.
        length: usize,
        /// Bytes of a chunk.
        needed: usize,
    },
    /// Memory for buffers could not be had.
    #[error("out of memory for {0} bytes of buffers")]
    OutOfMemory(usize),
    /// A chunk could not be decoded.
    #[error("{source}{}", ChunkSuffix(Some(chunk)))]
    Decode {
        /// Which part of the request.
        part: usize,
        /// Origin of the chunk.
        chunk: Dims,
        /// Which filter, and why.
        source: PipelineError,
    },
    /// Who knows the elements of a chunk could not tell them.
    #[error("{message}{}", ChunkSuffix(Some(chunk)))]
    Make {
        /// Which part of the request.
        part: usize,
        /// Origin of the chunk.
        chunk: Dims,
        /// Why.
        message: String,
    },
    /// Who stores a chunk could not do it.
    #[error("{message}{}", ChunkSuffix(Some(chunk)))]
    Take {
        /// Origin of the chunk.
        chunk: Dims,
        /// Why.
        message: String,
    },
    /// A chunk could not be encoded.
    #[error("{source}{}", ChunkSuffix(Some(chunk)))]
    Encode {
        /// Origin of the chunk.
        chunk: Dims,
        /// Which filter, and why.
        source: PipelineError,
    },
    /// Writing failed.
    #[error("{source}{}", ChunkSuffix(.chunk.as_ref()))]
    Write {
        /// Which part of the request.
        part: usize,
        /// Origin of the chunk that was being written, for chunked parts.
        chunk: Option<Dims>,
        /// Why.
        source: StoreError,
    },
    /// Reading failed.
    #[error("{source}{}", ChunkSuffix(.chunk.as_ref()))]
    Read {
        /// Which part of the request.
        part: usize,
        /// Origin of the chunk that was being read, for chunked parts.
        chunk: Option<Dims>,
        /// Why.
        source: StoreError,
    },
}

impl EngineError {
    /// Which part of the request failed, if it was one.
    pub fn part(&self) -> Option<usize> {
        match self {
            Self::OutOfMemory(_) | Self::Encode { .. } | Self::Take { .. } => None,
            Self::Selection { part, .. }
            | Self::Overflow { part, .. }
            | Self::MemoryTooShort { part, .. }
            | Self::ChunkCount { part, .. }
            | Self::FillLength { part, .. }
            | Self::Decode { part, .. }
            | Self::Make { part, .. }
            | Self::ChunkLength { part, .. }
            | Self::Write { part, .. }
            | Self::Read { part, .. } => Some(*part),
        }
    }
}

impl EngineError {
    /// Whether a chunk was met that a decoder which knows more than ours may understand.
    pub fn is_foreign(&self) -> bool {
        matches!(self, Self::Decode { source: PipelineError { source: CodecError::Foreign(_), .. }, .. })
    }
}

impl From<chunk_cache::OutOfMemory> for EngineError {
    fn from(error: chunk_cache::OutOfMemory) -> Self {
        Self::OutOfMemory(error.bytes)
    }
}

/// " (chunk at [0, 64])", or nothing.
struct ChunkSuffix<'a>(Option<&'a Dims>);

impl core::fmt::Display for ChunkSuffix<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.0 {
            None => Ok(()),
            Some(origin) => write!(f, " (chunk at {:?})", &origin[..]),
        }
    }
}
