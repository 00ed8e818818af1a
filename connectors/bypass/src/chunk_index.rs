//! Where the chunks of a dataset are.
//!
//! HDF5 tells by walking its whole index, whichever function is used: even the look-up by coordinates does
//! (`H5Dget_chunk_info_by_coord` in 1.14 and 2.2). So the index is read once, and only when that pays: at once
//! if a request needs a good part of it or it is small; else requests are left to native HDF5, which finds a
//! single chunk in logarithmic time, until they have added up to a good part of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use engine::ChunkAddress;
use h5_host::questions::CreationFacts;
use h5_vol::BelowObject;
use selection::ChunkGrid;

use crate::reason::Reason;

/// Up to this many chunks the index is read without further thought.
const SMALL: u64 = 1024;

/// The index is read when one request needs this part of it.
const PART_OF_ONE_REQUEST: u64 = 16;

/// The index is read when all requests so far have needed this part of it.
const PART_OF_ALL_REQUESTS: u64 = 4;

/// Grids of up to this many chunks are kept as a plain list.
const LISTED: u64 = 1 << 22;

/// The chunk index of a dataset that cannot change.
#[derive(Debug)]
pub(crate) struct LazyIndex {
    /// Bytes of a chunk as it must be stored.
    chunk_bytes: u64,
    facts: CreationFacts,
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    /// Not read; requests so far have touched this many chunks.
    Unread(u64),
    Read(Arc<ChunkIndex>),
    /// Nothing we can work with.
    Odd,
}

impl LazyIndex {
    pub(crate) fn new(chunk_bytes: u64, facts: CreationFacts) -> Self {
        Self { chunk_bytes, facts, state: Mutex::new(State::Unread(0)) }
    }

    /// The index, if it is worth having for a request that touches this many chunks.
    pub(crate) fn for_request(
        &self,
        touched: u64,
        grid: &ChunkGrid,
        below: &BelowObject,
    ) -> Result<Arc<ChunkIndex>, Reason> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let before = match &*state {
            State::Read(index) => return Ok(Arc::clone(index)),
            State::Odd => return Err(Reason::OddIndex),
            State::Unread(before) => *before,
        };
        let all = grid.shape().iter().fold(1_u64, |all, &chunks| all.saturating_mul(chunks));
        let so_far = before.saturating_add(touched);
        let pays =
            all <= SMALL || touched >= all / PART_OF_ONE_REQUEST || so_far >= all / PART_OF_ALL_REQUESTS;
        if !pays {
            *state = State::Unread(so_far);
            return Err(Reason::LargeIndex);
        }
        let Some(index) = ChunkIndex::read(grid, all, self.chunk_bytes, self.facts, below) else {
            *state = State::Odd;
            return Err(Reason::OddIndex);
        };
        let index = Arc::new(index);
        *state = State::Read(Arc::clone(&index));
        Ok(index)
    }
}

/// Addresses by chunk number.
#[derive(Debug)]
pub(crate) enum ChunkIndex {
    /// One entry per chunk of the grid.
    List(Vec<Option<u64>>),
    /// Those that exist.
    Map(HashMap<u64, u64>),
}

impl ChunkIndex {
    /// Asks HDF5. `None` if it fails or an entry makes no sense: everything in a file is untrusted.
    fn read(
        grid: &ChunkGrid,
        all: u64,
        chunk_bytes: u64,
        facts: CreationFacts,
        below: &BelowObject,
    ) -> Option<Self> {
        let mut index = match usize::try_from(all) {
            Ok(room) if all <= LISTED => Self::List(vec![None; room]),
            _ => Self::Map(HashMap::new()),
        };
        let chunk = grid.chunk_dims();
        let mut scaled = vec![0_u64; chunk.len()];
        let mut sound = true;
        below.each_chunk(chunk.len(), |entry| {
            let mut aligned = entry.size == chunk_bytes;
            for ((scaled, &origin), &size) in scaled.iter_mut().zip(entry.origin).zip(chunk.iter()) {
                aligned &= origin.is_multiple_of(size);
                *scaled = origin / size;
            }
            match grid.chunk(&scaled) {
                Ok(_) if aligned && facts.is_undefined(entry.address) => {}
                Ok(chunk) if aligned => sound &= index.insert(chunk.number, entry.address),
                _ => sound = false,
            }
        })?;
        sound.then_some(index)
    }

    /// Notes where a chunk is; `false` if that was known already, or there is no such chunk.
    fn insert(&mut self, number: u64, address: u64) -> bool {
        match self {
            Self::List(list) => usize::try_from(number)
                .ok()
                .and_then(|number| list.get_mut(number))
                .is_some_and(|entry| entry.replace(address).is_none()),
            Self::Map(map) => map.insert(number, address).is_none(),
        }
    }

    /// Where a chunk is.
    pub(crate) fn address(&self, number: u64) -> ChunkAddress {
        let found = match self {
            Self::List(list) => {
                usize::try_from(number).ok().and_then(|number| list.get(number).copied().flatten())
            }
            Self::Map(map) => map.get(&number).copied(),
        };
        found.map_or(ChunkAddress::Missing, ChunkAddress::At)
    }
}
