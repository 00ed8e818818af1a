//! An array: its chunks, read and written as a whole.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use codecs::Work;

use crate::codec::boxes::{Inside, coordinates};
use crate::codec::{Chain, Values};
use crate::container::Container;
use crate::error::ZarrError;
use crate::layout::Indexes;
use crate::metadata::{ArrayMetadata, ChunkKeys, Node};
use crate::path::NodePath;

/// An array of a container. Any number of threads may use it at once; those that write the same chunk must take turns.
///
/// Chunks are named by their coordinates in the grid. If the codec `sharding_indexed` is used, a chunk is a shard.
#[derive(Debug)]
pub struct Array {
    container: Container,
    path: NodePath,
    folder: PathBuf,
    metadata: ArrayMetadata,
    chain: Chain,
    indexes: Indexes,
}

impl Array {
    pub(crate) fn new(
        container: Container,
        path: NodePath,
        metadata: ArrayMetadata,
    ) -> Result<Self, ZarrError> {
        let folder = container.folder(&path);
        let chain = Chain::new(&metadata).map_err(ZarrError::metadata(&folder))?;
        Ok(Self { container, path, folder, metadata, chain, indexes: Indexes::default() })
    }

    /// Its path in the container.
    pub fn path(&self) -> &NodePath {
        &self.path
    }

    /// Its container.
    pub fn container(&self) -> &Container {
        &self.container
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn indexes(&self) -> &Indexes {
        &self.indexes
    }

    /// Its metadata.
    pub fn metadata(&self) -> &ArrayMetadata {
        &self.metadata
    }

    /// Its codecs.
    pub fn chain(&self) -> &Chain {
        &self.chain
    }

    /// The file of a chunk.
    pub fn chunk_file(&self, chunk: &[u64]) -> PathBuf {
        self.folder.join(self.metadata.chunk_keys.key(chunk))
    }

    /// Fails if its folder is gone: then chunks that are not there are not chunks that were never written.
    pub fn require_folder(&self) -> Result<(), ZarrError> {
        std::fs::metadata(&self.folder).map(|_| ()).map_err(ZarrError::io("find", &self.folder))
    }

    /// A chunk as it is stored; `None` if it was never written.
    pub fn read_stored(&self, chunk: &[u64]) -> Result<Option<Vec<u8>>, ZarrError> {
        self.check_chunk(chunk)?;
        self.container.directory().read(&self.chunk_file(chunk), self.chain.most_stored())
    }

    /// The same into a buffer that is used again and again; how many bytes of it are the chunk.
    pub(crate) fn read_stored_into(
        &self,
        chunk: &[u64],
        bytes: &mut Vec<u8>,
    ) -> Result<Option<usize>, ZarrError> {
        self.check_chunk(chunk)?;
        self.container.directory().read_into(&self.chunk_file(chunk), self.chain.most_stored(), bytes)
    }

    /// Fills `output` with the elements of a chunk; with the fill value if it was never written, and false then. Those outside
    /// of the array are in it, too: chunks at the edges are stored in full.
    pub fn read_chunk(&self, chunk: &[u64], output: &mut [u8], work: &mut Work) -> Result<bool, ZarrError> {
        let stored = self.read_stored(chunk)?;
        match &stored {
            Some(stored) => {
                let decoded = self.chain.decode(stored, output, work);
                decoded.map_err(ZarrError::chunk(&self.chunk_file(chunk)))?;
            }
            None => self.chain.fill_chunk(output),
        }
        Ok(stored.is_some())
    }

    /// The elements of a chunk if they have no fixed size.
    pub fn read_values(&self, chunk: &[u64], work: &mut Work) -> Result<Values, ZarrError> {
        let values = match self.read_stored(chunk)? {
            Some(stored) => self.chain.decode_values(&stored, work),
            None => self.chain.fill_values(),
        };
        values.map_err(ZarrError::chunk(&self.chunk_file(chunk)))
    }

    /// Replaces a chunk by bytes that are encoded already.
    pub fn write_stored(&self, chunk: &[u64], stored: &[u8]) -> Result<(), ZarrError> {
        self.container.check_writable()?;
        self.check_chunk(chunk)?;
        self.container.directory().replace(&self.chunk_file(chunk), stored)
    }

    /// Replaces a chunk by these elements, in the order of bytes that [`Chain::order`] gives.
    pub fn write_chunk(&self, chunk: &[u64], elements: &[u8], work: &mut Work) -> Result<(), ZarrError> {
        let mut stored = Vec::new();
        let encoded = self.chain.encode(elements, &mut stored, work);
        let is_stored = encoded.map_err(ZarrError::chunk(&self.chunk_file(chunk)))?;
        self.store(chunk, &stored, is_stored)
    }

    /// Replaces a chunk by these elements, which have no fixed size.
    pub fn write_values(&self, chunk: &[u64], values: &Values, work: &mut Work) -> Result<(), ZarrError> {
        let mut stored = Vec::new();
        let encoded = self.chain.encode_values(values, &mut stored, work);
        let is_stored = encoded.map_err(ZarrError::chunk(&self.chunk_file(chunk)))?;
        self.store(chunk, &stored, is_stored)
    }

    /// Stores a chunk, or removes it because all of it is the fill value.
    pub(crate) fn store(&self, chunk: &[u64], stored: &[u8], is_stored: bool) -> Result<(), ZarrError> {
        if is_stored { self.write_stored(chunk, stored) } else { self.remove_chunk(chunk).map(|_| ()) }
    }

    /// Replaces inner chunks of a shard by bytes that are encoded already, or removes them. The others stay as they are. Inner
    /// chunks have the numbers that they have in the index of the shard.
    pub fn write_inner(
        &self,
        shard: &[u64],
        changes: &BTreeMap<usize, Option<Vec<u8>>>,
        work: &mut Work,
    ) -> Result<(), ZarrError> {
        let file = self.chunk_file(shard);
        let Some(sharding) = self.chain.sharding() else {
            let reason = "its inner chunks cannot be written one by one".to_owned();
            return Err(ZarrError::Request { path: self.folder.clone(), reason });
        };
        let is_complete = changes.len() == sharding.count();
        let before = if is_complete { None } else { self.read_stored(shard)? };
        let mut stored = Vec::new();
        let assembled = sharding.replaced(before.as_deref(), changes, &mut stored, work);
        self.store(shard, &stored, assembled.map_err(ZarrError::chunk(&file))?)
    }

    /// Removes a chunk, which reads as the fill value then; whether there was one.
    pub fn remove_chunk(&self, chunk: &[u64]) -> Result<bool, ZarrError> {
        self.container.check_writable()?;
        self.check_chunk(chunk)?;
        self.container.directory().remove_file(&self.chunk_file(chunk))
    }

    /// Bytes that a chunk is stored in; `None` if it was never written.
    pub fn stored_length(&self, chunk: &[u64]) -> Result<Option<u64>, ZarrError> {
        self.check_chunk(chunk)?;
        let found = self.container.directory().examine(&self.chunk_file(chunk))?;
        Ok(found.map(|found| found.len()))
    }

    /// All chunks that are stored, in no order, also those outside of the array's shape.
    pub fn stored_chunks(&self) -> Result<Vec<Vec<u64>>, ZarrError> {
        let rank = self.metadata.rank();
        let keys = self.metadata.chunk_keys;
        let mut chunks = Vec::new();
        // Folders by their names in the array's, which are beginnings of keys.
        let mut left = vec![String::new()];
        while let Some(prefix) = left.pop() {
            let folder = if prefix.is_empty() { self.folder.clone() } else { self.folder.join(&prefix) };
            for entry in self.container.directory().list(&folder, self.container.is_writable())? {
                let key = if prefix.is_empty() { entry.name } else { format!("{prefix}/{}", entry.name) };
                if !entry.is_folder {
                    chunks.extend(keys.chunk(&key, rank));
                } else if is_beginning(keys, &key, rank) {
                    left.push(key);
                }
            }
        }
        Ok(chunks)
    }

    /// Changes the lengths of the array. Chunks that lie outside afterwards are removed, and in those at the edges what lies
    /// outside becomes the fill value, so that it does not come back if the array grows again.
    pub fn resize(&mut self, shape: &[u64]) -> Result<(), ZarrError> {
        self.container.check_writable()?;
        let mut metadata = self.metadata.clone();
        metadata.shape = shape.to_vec();
        // Before anything is changed.
        metadata.to_document().map_err(ZarrError::metadata(&self.folder))?;
        let shrinks = shape.iter().zip(&self.metadata.shape).any(|(new, old)| new < old);
        if shrinks {
            self.cut(shape, &metadata.grid_shape())?;
        }
        self.container.write_node(&self.path, &Node::Array(metadata.clone()))?;
        self.metadata = metadata;
        Ok(())
    }

    /// Removes what lies outside of these lengths.
    fn cut(&self, shape: &[u64], grid: &[u64]) -> Result<(), ZarrError> {
        let mut work = Work::new();
        for chunk in self.stored_chunks()? {
            let is_outside = chunk.iter().zip(grid).any(|(at, count)| at >= count);
            if is_outside {
                self.container.directory().remove_file(&self.chunk_file(&chunk))?;
            } else if self.is_cut(&chunk, shape) {
                self.clear_outside(&chunk, shape, &mut work)?;
            }
        }
        Ok(())
    }

    /// Whether these lengths end inside of a chunk, and the array's do not end at the same place.
    fn is_cut(&self, chunk: &[u64], shape: &[u64]) -> bool {
        let lengths = self.metadata.shape.iter().zip(shape);
        chunk.iter().zip(self.chain.shape()).zip(lengths).any(|((at, length), (old, new))| {
            let end = (at + 1).saturating_mul(*length);
            new < old && *new < end
        })
    }

    /// Makes the elements of a chunk that lie outside of these lengths the fill value.
    fn clear_outside(&self, chunk: &[u64], shape: &[u64], work: &mut Work) -> Result<(), ZarrError> {
        let lengths = self.chain.shape();
        let inside = chunk
            .iter()
            .zip(lengths)
            .zip(shape)
            .map(|((at, length), end)| end.saturating_sub(at.saturating_mul(*length)).min(*length));
        let inside: Vec<u64> = inside.collect();
        let origin = vec![0; inside.len()];
        let kept = Inside {
            outer: lengths,
            origin: &origin,
            shape: &inside,
            element: self.chain.element_bytes().unwrap_or(1),
        };
        if let Some(bytes) = self.chain.chunk_bytes() {
            let file = self.chunk_file(chunk);
            let mut elements = crate::codec::zeros(bytes).map_err(ZarrError::chunk(&file))?;
            let mut cleared = crate::codec::zeros(bytes).map_err(ZarrError::chunk(&file))?;
            self.read_chunk(chunk, &mut elements, work)?;
            self.chain.fill_chunk(&mut cleared);
            kept.each_run(|at, _, length| {
                cleared[at..at + length].copy_from_slice(&elements[at..at + length]);
            });
            return self.write_chunk(chunk, &cleared, work);
        }
        let mut values = self.read_values(chunk, work)?;
        for (number, at) in coordinates(lengths).enumerate() {
            if at.iter().zip(&inside).any(|(at, end)| at >= end) {
                values.set(number, self.chain.fill());
            }
        }
        self.write_values(chunk, &values, work)
    }

    fn check_chunk(&self, chunk: &[u64]) -> Result<(), ZarrError> {
        let grid = self.metadata.grid_shape();
        if chunk.len() == grid.len() && chunk.iter().zip(&grid).all(|(at, count)| at < count) {
            return Ok(());
        }
        let reason = format!("there is no chunk {chunk:?} in a grid of {grid:?}");
        Err(ZarrError::Request { path: self.folder.clone(), reason })
    }
}

/// Whether keys of chunks may begin with this and a slash.
fn is_beginning(keys: ChunkKeys, prefix: &str, rank: usize) -> bool {
    (1..=rank).any(|more| {
        let rest = vec!["0"; more];
        let separated: String = rest.join("/");
        keys.chunk(&format!("{prefix}/{separated}"), rank).is_some()
    })
}
