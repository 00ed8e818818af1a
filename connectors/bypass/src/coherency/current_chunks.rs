//! Chunks of a dataset that is being written: those that are newer in memory, and those of which HDF5 has not said
//! where they are.

use std::sync::Arc;

use engine::{ChunkAddress, ChunkData, FilteredChunks, Kept, Layout, Source};
use h5_host::Questions;
use h5_vol::BelowObject;
use h5_vol::native::ChunkStorage;
use selection::{Chunk, Selection};

use crate::coherency::resolved::Resolved;
use crate::coherency::shared::Shared;
use crate::inspect::chunk_index::Found;
use crate::inspect::chunks::{Chunks, Manner};
use crate::inspect::storage::Storage;
use crate::report::reason::Reason;

/// Bytes of chunks that are fetched through HDF5 for one call; if there are more, the index is read anew.
const FETCHED: u64 = 8 << 20;

/// A chunk as it is stored, in memory.
#[derive(Debug)]
pub(crate) struct Fetched {
    pub(crate) bytes: Vec<u8>,
    /// Filters that were left out, as the pipeline wants it.
    pub(crate) mask: u32,
}

impl Resolved {
    /// The layout, as far as a selection needs it.
    pub(crate) fn layout(
        &self,
        questions: Questions,
        below: &BelowObject,
        file: &Selection,
        manner: Manner,
    ) -> Result<Layout, Reason> {
        match self.dataset.storage() {
            Storage::Missing => Ok(Layout::Missing),
            Storage::Contiguous(offset, _) => Ok(Layout::Contiguous(*offset)),
            Storage::External(_) => Ok(Layout::Contiguous(0)),
            // Its elements have layouts of their own.
            Storage::Virtual(_) => Err(Reason::Virtual),
            Storage::Chunked(chunks) => match &self.shared {
                None => chunks.layout(questions, below, &self.dataset.source()?, file, manner),
                Some(shared) => {
                    chunks.layout_now(questions, shared, below, &self.dataset.source()?, file, manner)
                }
            },
        }
    }
}

impl Chunks {
    /// The layout, as it is at this moment.
    fn layout_now(
        &self,
        questions: Questions,
        shared: &Shared,
        below: &BelowObject,
        source: &Source,
        file: &Selection,
        manner: Manner,
    ) -> Result<Layout, Reason> {
        let touched = self.grid.touched(file).map_err(|_| Reason::Selection)?;
        let kept = match &self.filtering {
            Some(filtering) => manner.verify.then(|| filtering.place.kept()),
            None => self.kept_for_another_read(file, &touched),
        };
        let mut chunks = self.chunks_now(questions, shared, below, file, kept)?;
        if chunks.is_none() {
            // Too many to ask for one by one.
            self.index.forget();
            self.index.for_request(questions, u64::MAX, &self.grid, below)?;
            chunks = self.chunks_now(questions, shared, below, file, kept)?;
        }
        let chunks = chunks.ok_or(Reason::OddIndex)?;
        debug_assert_eq!(chunks.len() as u64, touched.count());
        if self.filtering.is_none()
            && (kept.is_none() || !chunks.iter().all(|chunk| is_all_there(chunk, source)))
            && let Some(chunks) = chunks.iter().map(address).collect::<Option<Vec<_>>>()
        {
            return Ok(Layout::Chunked { grid: self.grid.clone(), chunks });
        }
        Ok(Layout::Filtered(Box::new(FilteredChunks {
            grid: self.grid.clone(),
            chunks,
            // Nobody may decode into the cache what another thread is about to write.
            ahead: None,
            pace: None,
            pipeline: Arc::clone(&self.pipeline),
            verify: manner.verify,
            kept,
        })))
    }

    /// What there is of each chunk that a selection touches; `None` if too many must be asked for one by one.
    fn chunks_now(
        &self,
        questions: Questions,
        shared: &Shared,
        below: &BelowObject,
        file: &Selection,
        kept: Option<Kept>,
    ) -> Result<Option<Vec<ChunkData>>, Reason> {
        let touched = self.grid.touched(file).map_err(|_| Reason::Selection)?;
        match self.index.for_request(questions, touched.count(), &self.grid, below) {
            Ok(_) | Err(Reason::LargeIndex) => {}
            Err(reason) => return Err(reason),
        }
        let mut chunks = Vec::with_capacity(usize::try_from(touched.count()).map_err(|_| Reason::TooLarge)?);
        let mut fetched = 0_u64;
        for chunk in &touched {
            let decoded = || kept.and_then(|kept| kept.cache.get(kept.key(chunk.number)));
            chunks.push(if let Some(elements) = shared.dirty.get(&chunk.origin) {
                ChunkData::Decoded(elements)
            } else {
                let mut found = self.index.find(chunk.number);
                if self.filtering.is_none() && matches!(found, Found::Written(_)) {
                    self.index.note_detours(questions, 1, &self.grid, below)?;
                    found = self.index.find(chunk.number);
                }
                match found {
                    Found::Stored(stored) => ChunkData::Stored(stored),
                    Found::Missing => ChunkData::Missing,
                    Found::Written(_) | Found::Unknown => match decoded() {
                        Some(elements) => ChunkData::Decoded(elements),
                        None => match self.fetch(questions, shared, below, &chunk, found)? {
                            Some(Fetched { bytes, mask }) => {
                                fetched = fetched.saturating_add(bytes.len() as u64);
                                if fetched > FETCHED && touched.count() > 1 {
                                    return Ok(None);
                                }
                                ChunkData::Fetched(Arc::new(bytes), mask)
                            }
                            None => ChunkData::Missing,
                        },
                    },
                }
            });
        }
        Ok(Some(chunks))
    }

    /// Fetches a chunk, of which this much is known, as it is stored through HDF5; `None` if it was never written.
    pub(crate) fn fetch(
        &self,
        questions: Questions,
        shared: &Shared,
        below: &BelowObject,
        chunk: &Chunk,
        known: Found,
    ) -> Result<Option<Fetched>, Reason> {
        // HDF5 reads it from the file.
        shared.flush_windows().map_err(|_| Reason::Untold("chunks"))?;
        let size = match below.chunk_storage(questions, &chunk.origin) {
            Some(ChunkStorage::Missing) => return Ok(None),
            Some(ChunkStorage::Bytes(size)) => usize::try_from(size).map_err(|_| Reason::TooLarge)?,
            None => return self.missing_by_index(questions, below, chunk),
        };
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(size).map_err(|_| Reason::TooLarge)?;
        bytes.resize(size, 0);
        let Some(mask) = below.read_chunk(questions, &chunk.origin, &mut bytes) else {
            return self.missing_by_index(questions, below, chunk);
        };
        let mask = match known {
            _ if !self.is_filtered(chunk) => u32::MAX,
            // HDF5 may remember the one before (see `ChunkWriter::look_elsewhere`).
            Found::Written(written) => written.mask,
            _ => mask,
        };
        Ok(Some(Fetched { bytes, mask }))
    }

    /// Of a chunk without storage that it has read, HDF5 up to 2.0 says that it has a size, or, if it is filtered, another
    /// failure than of those it has not read. Its index knows.
    fn missing_by_index(
        &self,
        questions: Questions,
        below: &BelowObject,
        chunk: &Chunk,
    ) -> Result<Option<Fetched>, Reason> {
        self.index.forget();
        self.index.for_request(questions, u64::MAX, &self.grid, below)?;
        match self.index.find(chunk.number) {
            Found::Missing => Ok(None),
            _ => Err(Reason::Untold("chunks")),
        }
    }
}

/// Whether all of a chunk can be read. At the end of a file that is being written only a part of one may be there yet.
fn is_all_there(chunk: &ChunkData, source: &Source) -> bool {
    match chunk {
        ChunkData::Stored(stored) => source.check(stored.address, stored.size).is_ok(),
        _ => true,
    }
}

/// Where a chunk is, if it is nowhere but in the file.
fn address(chunk: &ChunkData) -> Option<ChunkAddress> {
    match chunk {
        ChunkData::Missing => Some(ChunkAddress::Missing),
        ChunkData::Stored(stored) => Some(ChunkAddress::At(stored.address)),
        ChunkData::Fetched(..) | ChunkData::Decoded(_) | ChunkData::Made(_) => None,
    }
}
