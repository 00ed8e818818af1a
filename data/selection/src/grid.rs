//! The grid of chunks over an extent.

use crate::touched::TouchedChunks;
use crate::{Dims, Extent, Selection, SelectionError};

/// An extent divided into chunks of equal dimensions. Those at the upper edges may reach beyond the extent;
/// they are stored in full.
#[derive(Clone, Debug)]
pub struct ChunkGrid {
    extent: Extent,
    chunk: Dims,
    /// Chunks along each dimension, and the weights that number them.
    shape: Dims,
    weights: Dims,
    /// Strides inside a chunk, and its number of elements.
    strides: Dims,
    chunk_len: u64,
}

/// One chunk of a grid: see [`ChunkGrid::chunk`] and [`TouchedChunks`].
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Its coordinates in the grid ("scaled").
    pub scaled: Dims,
    /// The coordinates of its first element.
    pub origin: Dims,
    /// Its number in row-major order over all chunks of the grid.
    pub number: u64,
}

impl ChunkGrid {
    /// A grid of chunks of dimensions `chunk`.
    pub fn new(extent: &Extent, chunk: &[u64]) -> Result<Self, SelectionError> {
        extent.check_rank(chunk.len())?;
        if let Some(dim) = chunk.iter().position(|size| *size == 0) {
            return Err(SelectionError::ZeroChunk { dim });
        }
        let chunk = Dims::of(chunk);
        let chunk_len = chunk.product().ok_or(SelectionError::ChunkOverflow)?;
        let mut shape = extent.dims().clone();
        for (count, size) in shape.iter_mut().zip(chunk.iter()) {
            *count = count.div_ceil(*size);
        }
        let (weights, strides) = (shape.strides(), chunk.strides());
        Ok(Self { extent: extent.clone(), chunk, shape, weights, strides, chunk_len })
    }

    /// The extent covered.
    #[inline]
    pub fn extent(&self) -> &Extent {
        &self.extent
    }

    /// The dimensions of a chunk.
    #[inline]
    pub fn chunk_dims(&self) -> &Dims {
        &self.chunk
    }

    /// Number of elements of a chunk, stored in full.
    #[inline]
    pub fn chunk_len(&self) -> u64 {
        self.chunk_len
    }

    /// Number of chunks along each dimension.
    #[inline]
    pub fn shape(&self) -> &Dims {
        &self.shape
    }

    /// Row-major strides inside a chunk.
    #[inline]
    pub(crate) fn chunk_strides(&self) -> &Dims {
        &self.strides
    }

    /// What one step along each dimension adds to a chunk's number.
    #[inline]
    pub(crate) fn weights(&self) -> &Dims {
        &self.weights
    }

    /// The chunk at these coordinates of the grid.
    pub fn chunk(&self, scaled: &[u64]) -> Result<Chunk, SelectionError> {
        self.extent.check_rank(scaled.len())?;
        if let Some(dim) = (0..scaled.len()).find(|&dim| scaled[dim] >= self.shape[dim]) {
            return Err(SelectionError::OutOfBounds { dim });
        }
        Ok(self.chunk_inside(Dims::of(scaled)))
    }

    /// The chunk at coordinates known to be in the grid.
    #[inline]
    pub(crate) fn chunk_inside(&self, scaled: Dims) -> Chunk {
        let mut origin = scaled.clone();
        let mut number = 0;
        let sizes = self.chunk.iter().zip(self.weights.iter());
        for (coordinate, (size, weight)) in origin.iter_mut().zip(sizes) {
            number += *coordinate * weight;
            *coordinate *= size;
        }
        Chunk { scaled, origin, number }
    }

    /// The chunk with this number, known to be in the grid.
    pub fn chunk_numbered(&self, number: u64) -> Chunk {
        let mut scaled = self.weights.clone();
        let mut rest = number;
        for coordinate in scaled.iter_mut() {
            let weight = *coordinate;
            *coordinate = rest / weight;
            rest %= weight;
        }
        self.chunk_inside(scaled)
    }

    /// Whether there is one chunk, or none.
    pub fn has_one_chunk(&self) -> bool {
        self.shape.iter().all(|&chunks| chunks <= 1)
    }

    /// Whether the other grid has all chunks of this one, with the same numbers: it has grown in the first dimension
    /// only, if at all.
    pub fn is_beginning_of(&self, other: &Self) -> bool {
        self.chunk == other.chunk
            && self.shape.first() <= other.shape.first()
            && self.shape.get(1..) == other.shape.get(1..)
    }

    /// Elements of a chunk that are inside the extent.
    pub fn elements_inside(&self, chunk: &Chunk) -> u64 {
        (0..self.chunk.len())
            .map(|dim| self.window(dim, chunk.origin[dim]))
            .map(|(low, high)| high - low)
            .product()
    }

    /// The coordinates of a chunk along a dimension that are inside the extent: `low..high`.
    #[inline]
    pub(crate) fn window(&self, dim: usize, origin: u64) -> (u64, u64) {
        let size = self.extent.dims()[dim];
        let low = origin.min(size);
        (low, low.saturating_add(self.chunk[dim]).min(size))
    }

    /// The chunks a selection touches.
    ///
    /// # Errors
    /// `ExtentMismatch` if the selection is of another extent.
    pub fn touched<'a>(&'a self, selection: &'a Selection) -> Result<TouchedChunks<'a>, SelectionError> {
        if *selection.extent() != self.extent {
            return Err(SelectionError::ExtentMismatch);
        }
        Ok(TouchedChunks::new(self, selection))
    }
}
