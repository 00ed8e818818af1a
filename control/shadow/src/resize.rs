//! What becomes of chunks when a dataset gets another extent, and chunks that are put in as a whole.

use core::sync::atomic::Ordering;
use std::sync::Arc;

use h5_vol::Result;
use selection::{ChunkGrid, Extent};

use crate::backend::Store;
use crate::dataset::{Ours, fill};

impl<S: Store> Ours<S> {
    /// The dataset has got the extent of `after`. What lies outside is forgotten, and reads as fill value should it grow again.
    pub(crate) fn resized_to(&self, after: &Self) -> Result<()> {
        let (Some(old), Some(new)) = (&self.extent, &after.extent) else { return Ok(()) };
        if new.dims().iter().zip(old.dims().iter()).all(|(new, old)| new >= old) {
            return Ok(());
        }
        let grid = after.grid(new)?;
        let chunk = grid.chunk_dims();
        let is_inside = |place: &[u64]| {
            place
                .iter()
                .zip(chunk.iter().zip(new.dims().iter()))
                .all(|(place, (chunk, size))| place * chunk < *size)
        };
        self.node.pending().retain(|place, elements| {
            let stays = is_inside(place);
            if !stays {
                self.container.pending_bytes.fetch_sub(elements.len(), Ordering::Relaxed);
            }
            stays
        });
        for dim in 0..new.rank() {
            if new.dims()[dim] < old.dims()[dim] && new.dims()[dim] % chunk[dim] != 0 {
                self.fill_edge(&grid, new, dim)?;
            }
        }
        if self.node.is_described() {
            let resized = self.container.store.resize(&self.node.key, new.dims(), chunk);
            resized.map_err(|failure| self.container.error(&failure))?;
        }
        Ok(())
    }

    /// Fills what lies outside of the extent in the last chunks along a dimension.
    fn fill_edge(&self, grid: &ChunkGrid, extent: &Extent, dim: usize) -> Result<()> {
        let last = extent.dims()[dim] / grid.chunk_dims()[dim];
        let mut bytes = vec![0; self.chunk_bytes(grid)?];
        for place in places(grid.shape()).filter(|place| place[dim] == last) {
            let pending = self.node.pending().remove(&place);
            match pending {
                Some(elements) => {
                    self.container.pending_bytes.fetch_sub(elements.len(), Ordering::Relaxed);
                    bytes.copy_from_slice(&elements);
                }
                None if !self.node.is_described() => continue,
                None => {
                    let read = self.container.store.read_chunk(&self.node.key, &place, &mut bytes);
                    if !read.map_err(|failure| self.container.error(&failure))? {
                        continue;
                    }
                }
            }
            self.fill_outside(grid, extent, &place, &mut bytes);
            self.put(place, bytes.clone());
        }
        Ok(())
    }

    /// Fills the elements of a chunk that lie outside of the extent.
    fn fill_outside(&self, grid: &ChunkGrid, extent: &Extent, place: &[u64], elements: &mut [u8]) {
        let (chunk, dims) = (grid.chunk_dims(), extent.dims());
        let Some((&width, leading)) = chunk.split_last() else { return };
        let row = usize::try_from(width).unwrap_or(0) * self.facts.element;
        if row == 0 {
            return;
        }
        // Elements of a row that are inside, if the row is.
        let last = leading.len();
        let inside = dims[last].saturating_sub(place[last] * width).min(width);
        let inside = usize::try_from(inside).unwrap_or(0) * self.facts.element;
        for (number, row) in elements.chunks_exact_mut(row).enumerate() {
            let mut rest = number as u64;
            let mut is_outside = false;
            for dim in (0..last).rev() {
                let coordinate = place[dim] * chunk[dim] + rest % chunk[dim];
                rest /= chunk[dim];
                is_outside |= coordinate >= dims[dim];
            }
            fill(if is_outside { row } else { &mut row[inside..] }, &self.facts.fill);
        }
    }

    /// Takes over whole chunks. `read` fills one, or says that there is none.
    pub(crate) fn take_chunks(&self, read: impl Fn(&[u64], &mut [u8]) -> Result<bool>) -> Result<()> {
        let Some(extent) = self.extent.as_ref().filter(|extent| extent.count() > 0) else { return Ok(()) };
        let grid = self.grid(extent)?;
        let length = self.chunk_bytes(&grid)?;
        for place in places(grid.shape()) {
            let mut elements = vec![0; length];
            if read(&place, &mut elements)? {
                self.put(place, elements);
                self.store_if_many()?;
            }
        }
        Ok(())
    }

    /// Keeps a chunk that is newer than the format's.
    pub(crate) fn put(&self, place: Vec<u64>, elements: Vec<u8>) {
        self.container.pending_bytes.fetch_add(elements.len(), Ordering::Relaxed);
        if let Some(old) = self.node.pending().insert(place, Arc::new(elements)) {
            self.container.pending_bytes.fetch_sub(old.len(), Ordering::Relaxed);
        }
    }
}

/// All places of a grid, the last dimension fastest.
pub(crate) fn places(shape: &[u64]) -> impl Iterator<Item = Vec<u64>> + '_ {
    let is_empty = shape.contains(&0);
    let mut next = (!is_empty).then(|| vec![0; shape.len()]);
    core::iter::from_fn(move || {
        let place = next.take()?;
        let mut following = place.clone();
        for dim in (0..shape.len()).rev() {
            following[dim] += 1;
            if following[dim] < shape[dim] {
                next = Some(following);
                return Some(place);
            }
            following[dim] = 0;
        }
        Some(place)
    })
}

#[cfg(test)]
mod tests {
    use super::places;

    #[test]
    fn places_are_counted_like_digits() {
        let all: Vec<_> = places(&[2, 3]).collect();
        assert_eq!(all, [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]);
        assert_eq!(places(&[]).count(), 1);
        assert_eq!(places(&[3, 0]).count(), 0);
    }
}
