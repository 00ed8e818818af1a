//! Where the chunks of a selection are, for the engine.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use codecs::{Pipeline, Work};
use engine::{ChunkAddress, ChunkData, FilteredChunks, Kept, Layout, Source, StoredChunk};
use selection::{ChunkGrid, Extent, Selection, SelectionError};
use store::{Descriptor, Store, Target};

use crate::array::Array;
use crate::chunk_files::{ChunkFile, ChunkFiles, Version};
use crate::codec::{Chain, InnerChunk, Partial, Sharding, zeros};
use crate::error::{ChunkProblem, ZarrError};

/// Shards that are kept open during a read, at most: a process has few descriptors.
const OPEN_SHARDS: usize = 64;

/// Indexes of shards that are kept.
const KEPT_INDEXES: usize = 256;

type Index = Arc<Vec<Option<InnerChunk>>>;

/// Indexes of shards that were read before, with the version of the file that each is of.
#[derive(Debug, Default)]
pub(crate) struct Indexes(Mutex<HashMap<Vec<u64>, (Version, Index)>>);

impl Indexes {
    fn get(&self, shard: &[u64], version: Version) -> Option<Index> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(shard).filter(|(of, _)| *of == version).map(|(_, index)| Arc::clone(index))
    }

    fn put(&self, shard: &[u64], version: Version, index: &Index) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT_INDEXES {
            kept.clear();
        }
        kept.insert(shard.to_vec(), (version, Arc::clone(index)));
    }
}

/// A shard that a read touches.
struct OpenShard {
    /// Where its file begins among those of the read.
    start: u64,
    index: Index,
}

impl Array {
    /// The grid that the engine sees: of chunks, or of inner chunks if they can be read one by one.
    pub fn engine_grid(&self) -> Result<ChunkGrid, ZarrError> {
        let chunk = self.chain().sharding().map_or(self.chain().shape(), |sharding| sharding.inner().shape());
        let extent = Extent::new(&self.metadata().shape).map_err(|error| self.selection_error(&error))?;
        ChunkGrid::new(&extent, chunk).map_err(|error| self.selection_error(&error))
    }

    /// The filters that the engine applies to chunks of that grid; `None` if filters are not all there is to do: see
    /// [`Array::read_chunk`] and [`Array::read_values`] for such arrays.
    pub fn engine_pipeline(&self) -> Option<&Arc<Pipeline>> {
        let chain = self.chain();
        chain.sharding().map_or(chain, Sharding::inner).pipeline()
    }

    /// Where the chunks are that a selection touches: a source and a layout for a part of the engine's request. `None` as for
    /// [`Array::engine_pipeline`]. Elements are as they are stored: their order of bytes is that of [`Array::chain`].
    pub fn layout(
        &self,
        selection: &Selection,
        kept: Option<Kept>,
    ) -> Result<Option<(Source, Layout)>, ZarrError> {
        let Some(pipeline) = self.engine_pipeline() else { return Ok(None) };
        let grid = self.engine_grid()?;
        let touched = grid.touched(selection).map_err(|error| self.selection_error(&error))?;
        let count = usize::try_from(touched.count()).unwrap_or(usize::MAX);
        let mut chunks: Vec<Option<StoredChunk>> = Vec::new();
        chunks
            .try_reserve_exact(count)
            .map_err(|_| self.problem(ChunkProblem::OutOfMemory(touched.count())))?;
        let mut files = ChunkFiles::new(self.container().clone());
        let mut shards = HashMap::new();
        let mut work = Work::new();
        for chunk in &touched {
            chunks.push(match self.chain().sharding() {
                Some(sharding) => {
                    self.find_inner(sharding, &chunk.scaled, &mut files, &mut shards, &mut work)?
                }
                None => self.find_chunk(&chunk.scaled, &mut files)?,
            });
        }
        let layout = if pipeline.is_empty() {
            let address = |stored: Option<StoredChunk>| match stored {
                None => ChunkAddress::Missing,
                Some(stored) => ChunkAddress::At(stored.address),
            };
            Layout::Chunked { chunks: chunks.into_iter().map(address).collect(), grid }
        } else {
            Layout::Filtered(Box::new(FilteredChunks {
                chunks: chunks.into_iter().map(ChunkData::from).collect(),
                grid,
                ahead: None,
                pace: None,
                pipeline: Arc::clone(pipeline),
                verify: true,
                kept,
            }))
        };
        Ok(Some((Source::Other(Arc::new(files)), layout)))
    }

    fn find_chunk(&self, chunk: &[u64], files: &mut ChunkFiles) -> Result<Option<StoredChunk>, ZarrError> {
        let path = self.chunk_file(chunk);
        let Some(found) = self.container().directory().examine(&path)? else { return Ok(None) };
        let version = Version::of(&found);
        self.check_stored(version.length, chunk)?;
        self.check_plain(self.chain(), version.length, chunk)?;
        let start = files.add(ChunkFile { path, version, open: None });
        let address = start.ok_or_else(|| self.problem(ChunkProblem::OutOfMemory(u64::MAX)))?;
        Ok(Some(StoredChunk { address, size: version.length, mask: 0 }))
    }

    fn find_inner(
        &self,
        sharding: &Sharding,
        chunk: &[u64],
        files: &mut ChunkFiles,
        shards: &mut HashMap<Vec<u64>, Option<OpenShard>>,
        work: &mut Work,
    ) -> Result<Option<StoredChunk>, ZarrError> {
        let grid = sharding.grid();
        let shard: Vec<u64> = chunk.iter().zip(grid).map(|(at, count)| at / count).collect();
        if !shards.contains_key(&shard) {
            let opened = self.open_shard(sharding, &shard, files, work)?;
            shards.insert(shard.clone(), opened);
        }
        let Some(Some(open)) = shards.get(&shard) else { return Ok(None) };
        let number = chunk.iter().zip(grid).fold(0, |number, (at, count)| number * count + at % count);
        let place = usize::try_from(number).ok().and_then(|number| open.index.get(number).copied()).flatten();
        let Some(place) = place else { return Ok(None) };
        self.check_plain(sharding.inner(), place.length, &shard)?;
        Ok(Some(StoredChunk { address: open.start + place.offset, size: place.length, mask: 0 }))
    }

    fn open_shard(
        &self,
        sharding: &Sharding,
        shard: &[u64],
        files: &mut ChunkFiles,
        work: &mut Work,
    ) -> Result<Option<OpenShard>, ZarrError> {
        let path = self.chunk_file(shard);
        let Some((file, found)) = self.container().directory().open_file(&path)? else { return Ok(None) };
        let version = Version::of(&found);
        self.check_stored(version.length, shard)?;
        let fail = |problem| ZarrError::Chunk { path: path.clone(), problem };
        let store = Arc::new(Store::new(Descriptor::new(file.into()), version.length));
        let index = if let Some(index) = self.indexes().get(shard, version) {
            index
        } else {
            let too_short = || fail(ChunkProblem::corrupt("the shard is shorter than its index"));
            let offset = sharding.index_offset(version.length).ok_or_else(too_short)?;
            let mut stored = zeros(sharding.index_length()).map_err(fail)?;
            store
                .read(offset, Target::from_slice(&mut stored), &mut [])
                .map_err(|error| fail(ChunkProblem::Corrupt(error.to_string())))?;
            let index = Arc::new(sharding.read_index(&stored, version.length, work).map_err(fail)?);
            self.indexes().put(shard, version, &index);
            index
        };
        let open = (files.len() < OPEN_SHARDS).then_some(store);
        let start = files.add(ChunkFile { path: path.clone(), version, open });
        let start = start.ok_or_else(|| self.problem(ChunkProblem::OutOfMemory(u64::MAX)))?;
        Ok(Some(OpenShard { start, index }))
    }

    /// Fails if a chunk has more bytes than make sense.
    fn check_stored(&self, length: u64, chunk: &[u64]) -> Result<(), ZarrError> {
        if length <= self.chain().most_stored() {
            return Ok(());
        }
        let problem = ChunkProblem::Corrupt(format!("it has {length} bytes, more than make sense"));
        Err(ZarrError::Chunk { path: self.chunk_file(chunk), problem })
    }

    /// Fails if a chunk that is stored as it is does not have the length of its elements.
    fn check_plain(&self, chain: &Chain, length: u64, file: &[u64]) -> Result<(), ZarrError> {
        let bytes =
            chain.chunk_bytes().map(|bytes| bytes as u64).filter(|_| chain.partial() == Partial::Bytes);
        match bytes {
            Some(bytes) if bytes != length => {
                let problem = ChunkProblem::Corrupt(format!("a chunk has {length} bytes instead of {bytes}"));
                Err(ZarrError::Chunk { path: self.chunk_file(file), problem })
            }
            _ => Ok(()),
        }
    }

    fn problem(&self, problem: ChunkProblem) -> ZarrError {
        ZarrError::Chunk { path: self.folder().to_owned(), problem }
    }

    fn selection_error(&self, error: &SelectionError) -> ZarrError {
        ZarrError::Request { path: self.folder().to_owned(), reason: error.to_string() }
    }
}
