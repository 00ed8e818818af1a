//! What is to be moved.

use core::fmt::Debug;
use std::sync::Arc;

use chunk_cache::Cache;
use codecs::Pipeline;
use convert::Conversion;
use selection::{ChunkGrid, Selection};
use store::Store;

use crate::ahead::Ahead;
use crate::memory::Memory;
use crate::pace::Pace;
use crate::source::Source;

/// A read of one or many datasets.
#[derive(Debug)]
pub struct Request<'a> {
    /// The datasets' parts.
    pub parts: Vec<Part<'a>>,
}

impl Request<'_> {
    /// Bytes of what is wanted, as it is in the file.
    pub(crate) fn selected_bytes(&self) -> u64 {
        let each = self.parts.iter().map(|part| part.file.len().saturating_mul(part.element));
        each.fold(0, u64::saturating_add)
    }
}

/// One dataset's part of a request.
#[derive(Debug)]
pub struct Part<'a> {
    /// Where the bytes are.
    pub source: &'a Source,
    /// How elements map to bytes.
    pub layout: Layout,
    /// Bytes of an element in the file.
    pub element: u64,
    /// How elements become those in memory; `None` if they are the same.
    pub conversion: Option<Arc<Converted>>,
    /// What is wanted of the dataset.
    pub file: Selection,
    /// Whether it is in order of offset; a list of points need not be. A matter of speed only.
    pub file_in_order: bool,
    /// Where it goes. Each element has a place of its own: no place is selected twice, or two threads may write
    /// it at once and which of the elements it gets is chance.
    pub memory_selection: Selection,
    /// The application's memory.
    pub memory: Memory<'a>,
    /// What missing data reads as.
    pub fill: Fill,
}

/// Elements in memory that are not as in the file.
#[derive(Debug)]
pub struct Converted {
    /// What makes them.
    pub conversion: Conversion,
    /// Bytes of an element in memory.
    pub element: u64,
}

impl Part<'_> {
    /// Bytes of an element in memory.
    pub(crate) fn memory_element(&self) -> u64 {
        self.conversion.as_ref().map_or(self.element, |converted| converted.element)
    }

    /// Bytes of an element in the file and in memory.
    pub(crate) fn sizes(&self) -> (u64, u64) {
        (self.element, self.memory_element())
    }
}

/// How a dataset's elements are stored.
#[derive(Debug, Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "a request has few, and boxing would be an allocation for each"
)]
pub enum Layout {
    /// Nowhere: every element is the fill value.
    Missing,
    /// Row-major in one piece from this offset on.
    Contiguous(u64),
    /// In chunks.
    Chunked {
        /// The grid.
        grid: ChunkGrid,
        /// The chunks that the file selection touches, in the order in which the grid counts them.
        chunks: Vec<ChunkAddress>,
    },
    /// In chunks that filters have gone over.
    Filtered(Box<FilteredChunks>),
    /// In short runs of any files, each of which says where it goes. The selections only tell how much it is, and that
    /// it is somewhere in the memory.
    Runs(Vec<FileRun>),
}

/// A run of bytes of a file, and its place in memory.
#[derive(Debug, Clone)]
pub struct FileRun {
    /// The file.
    pub store: Arc<Store>,
    /// Where it begins there.
    pub from: u64,
    /// Where it goes.
    pub to: usize,
    /// How long it is.
    pub length: usize,
    /// What is kept of the file around it, if it is worth keeping.
    pub window: Option<Window>,
}

/// A piece of a file that is kept in a cache, because it cannot change and is read again and again.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    /// Where.
    pub kept: Kept,
    /// Its number there.
    pub number: u64,
    /// Where it begins in the file.
    pub start: u64,
    /// How long it is.
    pub length: usize,
}

/// Chunks that must be decoded before anything can be taken from them.
#[derive(Debug, Clone)]
pub struct FilteredChunks {
    /// The grid.
    pub grid: ChunkGrid,
    /// The chunks that the file selection touches, in the order in which the grid counts them.
    pub chunks: Vec<ChunkData>,
    /// Chunks that will probably be wanted next.
    pub ahead: Option<Arc<Ahead>>,
    /// Is told when they have been read.
    pub pace: Option<Arc<Pace>>,
    /// The filters.
    pub pipeline: Arc<Pipeline>,
    /// Whether checksums are looked at.
    pub verify: bool,
    /// Where decoded chunks are kept, if they are.
    pub kept: Option<Kept>,
}

/// A dataset's place in a cache.
#[derive(Debug, Clone, Copy)]
pub struct Kept {
    /// The cache.
    pub cache: &'static Cache,
    /// The number of the dataset in it.
    pub dataset: u64,
}

/// A chunk as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredChunk {
    /// Where it begins.
    pub address: u64,
    /// How many bytes it has there.
    pub size: u64,
    /// Filters that were left out when it was written, a bit for each.
    pub mask: u32,
}

/// What there is of a chunk that filters go over.
#[derive(Debug, Clone)]
pub enum ChunkData {
    /// Never written.
    Missing,
    /// In the file.
    Stored(StoredChunk),
    /// As it is stored, but in memory already, and the filters that were left out when it was encoded.
    Fetched(Arc<Vec<u8>>, u32),
    /// Its elements, which are newer than what the file and the cache have.
    Decoded(Arc<Vec<u8>>),
    /// Not in a file: somebody else knows its elements.
    Made(Arc<dyn MakesChunks>),
}

/// Knows the elements of a dataset's chunks, in a format of its own. Several threads ask at the same time.
pub trait MakesChunks: Debug + Send + Sync {
    /// Fills `elements` with those of one chunk. `place` counts chunks along each dimension. What was never written is
    /// the fill value. The error is a sentence that names the cause.
    fn make(&self, place: &[u64], elements: &mut [u8]) -> Result<(), String>;

    /// Whether two chunks are made faster at the same time than one after the other.
    fn gains_by_pairs(&self) -> bool {
        false
    }

    /// The same for two chunks at the same time. The error is that of the first that cannot be made.
    fn make_pair(&self, places: [&[u64]; 2], elements: [&mut [u8]; 2]) -> Result<(), PairFailure> {
        for (which, (place, elements)) in places.into_iter().zip(elements).enumerate() {
            self.make(place, elements).map_err(|message| PairFailure { which, message })?;
        }
        Ok(())
    }
}

/// Why two chunks cannot be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairFailure {
    /// Which one of them, 0 or 1.
    pub which: usize,
    /// A sentence that names the cause.
    pub message: String,
}

/// Stores a dataset's chunks, in a format of its own. Several threads store different chunks at the same time.
pub trait TakesChunks: Debug + Send + Sync {
    /// Stores the elements of one chunk. `place` counts chunks along each dimension. The error is a sentence that names the cause.
    fn take(&self, place: &[u64], elements: &[u8]) -> Result<(), String>;
}

impl From<Option<StoredChunk>> for ChunkData {
    fn from(stored: Option<StoredChunk>) -> Self {
        stored.map_or(Self::Missing, Self::Stored)
    }
}

/// Where a chunk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkAddress {
    /// At this offset.
    At(u64),
    /// Never written.
    Missing,
}

/// What missing data reads as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fill {
    /// This element, as in memory, again and again.
    Element(Vec<u8>),
    /// The application's memory stays as it is.
    Untouched,
}
