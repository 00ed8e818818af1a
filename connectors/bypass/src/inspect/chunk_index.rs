//! Where the chunks of a dataset are.
//!
//! HDF5 walks its whole index to answer that, whichever function is used, even for a look-up by coordinates
//! (`H5Dget_chunk_info_by_coord` in 1.14 and 2.2). So the index is read once, and only when that pays off. It is read at once
//! if it is small, or if a request needs a good part of it. Otherwise requests are left to native HDF5, which finds a single
//! chunk in logarithmic time, until together they have needed a good part of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use engine::{ChunkAddress, StoredChunk};
use h5_host::Questions;
use h5_host::questions::CreationFacts;
use h5_vol::BelowObject;
use h5_vol::native::{ChunkEntry, ChunkStorage};
use selection::{Chunk, ChunkGrid};
use trace::Kind;

use crate::inspect::array_order::ArrayOrder;
use crate::report::reason::Reason;

/// An index of up to this many chunks is always read.
const SMALL: u64 = 1024;

/// The index is read when one request needs this part of it.
const PART_OF_ONE_REQUEST: u64 = 16;

/// The index is read when all requests so far have needed this part of it.
const PART_OF_ALL_REQUESTS: u64 = 4;

/// The number of bytes that native HDF5 decodes in the time in which it walks over one entry of an index. Decoding in parallel
/// gains much more than copying, so it pays for the walk much sooner.
const DECODED_PER_ENTRY: u64 = 80;

/// The part of a grid that must exist for a plain list of all of it, instead of a map of what exists.
const SPARSE: usize = 4;

/// The number of chunks written since the index was read that are remembered before it is read again.
const MOST_WRITTEN: usize = 1 << 16;

/// Entries of an index that HDF5 walks over in the time that it takes to fetch or overwrite one chunk.
const ENTRIES_PER_DETOUR: usize = 4;

/// So few of these are not worth a walk.
const FEW_DETOURS: usize = 8;

/// How the chunks of a dataset are stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChunkKind {
    /// Bytes of a chunk as it is in memory.
    pub(crate) bytes: u64,
    /// Whether filters have gone over them.
    pub(crate) is_filtered: bool,
    /// Whether those at the edges are stored without filters.
    pub(crate) edges_unfiltered: bool,
}

/// The order of the chunks in an index.
#[derive(Debug, Clone)]
pub(crate) enum IndexOrder {
    /// In that of an extensible array.
    Array(ArrayOrder),
    /// In that of their coordinates. Native HDF5 finds a chunk by it, and so does not find all that it tells about if the
    /// tree is damaged.
    Tree,
    /// In any.
    Any,
}

/// The chunk index of a dataset. It changes only by what [`LazyIndex::note_written`] is told.
#[derive(Debug)]
pub(crate) struct LazyIndex {
    kind: ChunkKind,
    order: IndexOrder,
    facts: CreationFacts,
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    /// Not read; requests so far have touched this many chunks.
    Unread(u64),
    Read {
        index: Arc<ChunkIndex>,
        /// Chunks that were written since: HDF5 does not say where it has put them.
        written: HashMap<u64, Written>,
        /// How many of those were fetched or overwritten through HDF5.
        detours: usize,
    },
    /// Nothing we can work with.
    Odd,
}

/// A chunk that was written after the index was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Written {
    /// Bytes it takes in the file.
    pub(crate) size: u64,
    /// Filters that were left out, as HDF5 was told.
    pub(crate) mask: u32,
}

/// What is known about a chunk without asking HDF5.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// It is there.
    Stored(StoredChunk),
    /// It is somewhere.
    Written(Written),
    /// It was never written.
    Missing,
    /// Nothing.
    Unknown,
}

impl LazyIndex {
    pub(crate) fn new(kind: ChunkKind, order: IndexOrder, facts: CreationFacts) -> Self {
        Self { kind, order, facts, state: Mutex::new(State::Unread(0)) }
    }

    /// The index, if it is worth having for a request that touches this many chunks.
    pub(crate) fn for_request(
        &self,
        questions: Questions,
        touched: u64,
        grid: &ChunkGrid,
        below: &BelowObject,
    ) -> Result<Arc<ChunkIndex>, Reason> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let before = match &*state {
            State::Read { index, .. } => return Ok(Arc::clone(index)),
            State::Odd => return Err(Reason::OddIndex),
            State::Unread(before) => *before,
        };
        let all = grid.shape().iter().fold(1_u64, |all, &chunks| all.saturating_mul(chunks));
        let so_far = before.saturating_add(touched);
        if !self.pays(all, touched, so_far) {
            *state = State::Unread(so_far);
            return Err(Reason::LargeIndex);
        }
        let _span = trace::span(Kind::Index);
        let Some(index) = ChunkIndex::read(grid, all, self, questions, below) else {
            *state = State::Odd;
            return Err(Reason::OddIndex);
        };
        let index = Arc::new(index);
        *state = State::Read { index: Arc::clone(&index), written: HashMap::new(), detours: 0 };
        Ok(index)
    }

    /// How the chunks are stored.
    pub(crate) fn kind(&self) -> ChunkKind {
        self.kind
    }

    /// What is known about a chunk.
    pub(crate) fn find(&self, number: u64) -> Found {
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Read { index, written, .. } => match written.get(&number) {
                Some(written) => Found::Written(*written),
                None => index.find(number, self.kind.bytes).map_or(Found::Missing, Found::Stored),
            },
            State::Unread(_) | State::Odd => Found::Unknown,
        }
    }

    /// Whether there are chunks, as far as that is known.
    pub(crate) fn has_chunks(&self) -> bool {
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Read { index, written, .. } => !written.is_empty() || !index.is_empty(),
            State::Unread(_) | State::Odd => false,
        }
    }

    /// A chunk was written through HDF5, which has put it somewhere.
    pub(crate) fn note_written(&self, number: u64, chunk: Written) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let State::Read { written, .. } = &mut *state {
            written.insert(number, chunk);
            if written.len() > MOST_WRITTEN {
                *state = State::Unread(0);
            }
        }
    }

    /// So many chunks are about to be fetched or overwritten through HDF5, which takes several times as long as if it were known
    /// where they are. If that happens often enough to pay for another walk over the index, it is read anew.
    pub(crate) fn note_detours(
        &self,
        questions: Questions,
        count: usize,
        grid: &ChunkGrid,
        below: &BelowObject,
    ) -> Result<(), Reason> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State::Read { index, written, detours } = &mut *state else { return Ok(()) };
        *detours = detours.saturating_add(count);
        if *detours < FEW_DETOURS.max((index.len() + written.len()) / ENTRIES_PER_DETOUR) {
            return Ok(());
        }
        *state = State::Unread(0);
        drop(state);
        self.for_request(questions, u64::MAX, grid, below).map(drop)
    }

    /// Reads the index anew when it is wanted next.
    pub(crate) fn forget(&self) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = State::Unread(0);
    }

    fn pays(&self, all: u64, touched: u64, so_far: u64) -> bool {
        let decoding = if self.kind.is_filtered { self.kind.bytes / DECODED_PER_ENTRY } else { 0 };
        all <= SMALL
            || touched >= all / PART_OF_ONE_REQUEST
            || so_far >= all / PART_OF_ALL_REQUESTS
            || so_far.saturating_mul(decoding) >= all
    }
}

/// Where chunks are, by their numbers.
#[derive(Debug)]
pub(crate) enum ChunkIndex {
    /// Addresses, one entry per chunk of the grid.
    List(Vec<Option<u64>>),
    /// Addresses of those that exist.
    Map(HashMap<u64, u64>),
    /// The same for chunks that filters have gone over, of which more must be known.
    FilteredList(Vec<Option<StoredChunk>>),
    FilteredMap(HashMap<u64, StoredChunk>),
}

impl ChunkIndex {
    /// Asks HDF5. `None` if it fails or an entry makes no sense: everything in a file is untrusted.
    fn read(
        grid: &ChunkGrid,
        all: u64,
        LazyIndex { kind, order, facts, .. }: &LazyIndex,
        questions: Questions,
        below: &BelowObject,
    ) -> Option<Self> {
        let mut found = Vec::new();
        let mut scaled = vec![0_u64; grid.chunk_dims().len()];
        let mut before = None;
        let mut sound = true;
        below.each_chunk(questions, scaled.len(), |entry| {
            let mut aligned = kind.is_filtered || entry.size == kind.bytes;
            let origin = entry.origin.iter().zip(grid.chunk_dims().iter());
            for (scaled, (&origin, &size)) in scaled.iter_mut().zip(origin) {
                aligned &= origin.is_multiple_of(size);
                *scaled = origin / size;
            }
            aligned &= match order {
                IndexOrder::Array(order) => order.correct(&mut scaled).is_some(),
                IndexOrder::Tree => {
                    let is_next = before.as_ref().is_none_or(|before| *before < scaled);
                    before.get_or_insert_with(Vec::new).clone_from(&scaled);
                    is_next && entry.behind.is_none_or(|behind| behind == 0)
                }
                IndexOrder::Any => true,
            };
            match grid.chunk(&scaled) {
                Ok(_) if aligned && facts.is_undefined(entry.address) => {}
                Ok(chunk) if aligned => found.push((chunk.number, stored(grid, &chunk, &entry, *kind))),
                _ => sound = false,
            }
        })?;
        if !sound || (matches!(order, IndexOrder::Tree) && !is_last_found(questions, grid, &found, below)) {
            return None;
        }
        // What is kept grows with the chunks that exist, not with the grid.
        let room = usize::try_from(all).ok().filter(|room| found.len() >= room / SPARSE);
        let address = |(number, chunk): &(u64, StoredChunk)| (*number, chunk.address);
        match (kind.is_filtered, room) {
            (false, Some(room)) => list(room, found.iter().map(address)).map(Self::List),
            (false, None) => map(found.iter().map(address)).map(Self::Map),
            (true, Some(room)) => list(room, found.into_iter()).map(Self::FilteredList),
            (true, None) => map(found.into_iter()).map(Self::FilteredMap),
        }
    }

    /// How many entries it has, empty ones included.
    fn len(&self) -> usize {
        match self {
            Self::List(list) => list.len(),
            Self::Map(map) => map.len(),
            Self::FilteredList(list) => list.len(),
            Self::FilteredMap(map) => map.len(),
        }
    }

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        match self {
            Self::List(list) => list.iter().all(Option::is_none),
            Self::Map(map) => map.is_empty(),
            Self::FilteredList(list) => list.iter().all(Option::is_none),
            Self::FilteredMap(map) => map.is_empty(),
        }
    }

    /// Where a chunk is, of a dataset with filters or without; then it has `bytes`.
    fn find(&self, number: u64, bytes: u64) -> Option<StoredChunk> {
        match self.address(number) {
            ChunkAddress::At(address) => Some(StoredChunk { address, size: bytes, mask: 0 }),
            ChunkAddress::Missing => self.stored(number),
        }
    }

    /// Where a chunk is, of a dataset without filters.
    pub(crate) fn address(&self, number: u64) -> ChunkAddress {
        let found = match self {
            Self::List(list) => get(list, number),
            Self::Map(map) => map.get(&number).copied(),
            Self::FilteredList(_) | Self::FilteredMap(_) => None,
        };
        found.map_or(ChunkAddress::Missing, ChunkAddress::At)
    }

    /// Where a chunk is and what it is there, of a dataset with filters.
    pub(crate) fn stored(&self, number: u64) -> Option<StoredChunk> {
        match self {
            Self::FilteredList(list) => get(list, number),
            Self::FilteredMap(map) => map.get(&number).copied(),
            Self::List(_) | Self::Map(_) => None,
        }
    }
}

/// Whether native HDF5 finds the last chunk of a tree. Where the tree ends is not told; chunks behind that are not found.
fn is_last_found(
    questions: Questions,
    grid: &ChunkGrid,
    found: &[(u64, StoredChunk)],
    below: &BelowObject,
) -> bool {
    found.last().is_none_or(|(number, _)| {
        let origin = grid.chunk_numbered(*number).origin;
        matches!(below.chunk_storage(questions, &origin), Some(ChunkStorage::Bytes(_)))
    })
}

/// A chunk as the index has it.
fn stored(grid: &ChunkGrid, chunk: &Chunk, entry: &ChunkEntry<'_>, kind: ChunkKind) -> StoredChunk {
    let is_partial = || grid.elements_inside(chunk) < grid.chunk_len();
    let mask = if kind.edges_unfiltered && is_partial() { u32::MAX } else { entry.filter_mask };
    StoredChunk { address: entry.address, size: entry.size, mask }
}

fn get<T: Copy>(list: &[Option<T>], number: u64) -> Option<T> {
    usize::try_from(number).ok().and_then(|number| list.get(number).copied().flatten())
}

/// One entry per chunk of the grid; `None` if one is there twice, or is not in the grid.
fn list<T: Copy>(room: usize, entries: impl Iterator<Item = (u64, T)>) -> Option<Vec<Option<T>>> {
    let mut list = vec![None; room];
    for (number, value) in entries {
        let place = list.get_mut(usize::try_from(number).ok()?)?;
        if place.replace(value).is_some() {
            return None;
        }
    }
    Some(list)
}

/// Those that exist; `None` if one is there twice.
fn map<T>(entries: impl Iterator<Item = (u64, T)>) -> Option<HashMap<u64, T>> {
    let mut map = HashMap::new();
    for (number, value) in entries {
        if map.insert(number, value).is_some() {
            return None;
        }
    }
    Some(map)
}
