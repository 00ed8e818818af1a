//! Chunks that the application reads or writes as HDF5 would store them (`H5Dread_chunk`, `H5Dwrite_chunk`).
//!
//! A format stores chunks in its own way. So what is written is decoded by the dataset's filters, and what is read is encoded by them.

use codecs::{Filter, Pipeline, Work};
use h5_vol::{BelowObject, Error, Result};

use crate::backend::Store;
use crate::dataset::Ours;

impl<S: Store> Ours<S> {
    /// The dataset's filters.
    fn pipeline(&self, below: &BelowObject) -> Result<Pipeline> {
        let filters = self.container.host().ask(|questions| {
            let list = below.dataset_creation_list(questions)?;
            questions.filters(list.id())
        });
        let filters = filters.ok_or_else(|| Error::failed("HDF5 does not tell the filters of a dataset"))?;
        let filter = |filter: h5_host::questions::FilterDescription| Filter {
            id: filter.id,
            name: filter.name,
            optional: filter.optional,
            parameters: filter.parameters,
        };
        let filters: Vec<Filter> = filters.into_iter().map(filter).collect();
        Pipeline::new(&filters)
            .map_err(|error| Error::unsupported(format_args!("direct access to a chunk: {error}")))
    }

    /// The place in the grid of the chunk that begins at an element, and the bytes of its elements.
    fn chunk_at(&self, origin: &[u64]) -> Result<(Vec<u64>, usize)> {
        let outside = || Error::bad_argument("there is no chunk that begins at this element");
        let extent = self.extent.as_ref().ok_or_else(outside)?;
        let (grid, chunk) = (self.grid(extent)?, self.facts.chunk.as_ref().ok_or_else(outside)?);
        let is_there = origin.len() == chunk.len()
            && origin
                .iter()
                .zip(chunk.iter().zip(extent.dims().iter()))
                .all(|(at, (chunk, size))| at.is_multiple_of(*chunk) && at < size);
        if !is_there {
            return Err(outside());
        }
        let place = origin.iter().zip(chunk).map(|(at, chunk)| at / chunk).collect();
        Ok((place, self.chunk_bytes(&grid)?))
    }

    /// Where the chunk begins that an element is in; `None` if it is in none.
    pub(crate) fn chunk_with(&self, element: &[u64]) -> Option<Vec<u64>> {
        let chunk = self.facts.chunk.as_ref()?;
        let origin: Vec<u64> =
            element.iter().zip(chunk).map(|(at, chunk)| at - at.checked_rem(*chunk).unwrap_or(0)).collect();
        self.chunk_at(&origin).is_ok().then_some(origin)
    }

    /// Takes a chunk as HDF5 would store it.
    pub(crate) fn write_stored(
        &self,
        below: &BelowObject,
        origin: &[u64],
        mask: u32,
        stored: &[u8],
    ) -> Result<()> {
        let (place, length) = self.chunk_at(origin)?;
        let mut elements = vec![0; length];
        let decoded = self.pipeline(below)?.decode(stored, mask, true, &mut elements, &mut Work::new());
        decoded.map_err(|error| {
            Error::failed(format_args!("the chunk at {origin:?} cannot be decoded: {error}"))
        })?;
        self.put(place, elements);
        self.node.kept.forget_all();
        self.store_if_many()
    }

    /// A chunk as HDF5 would store it, and the filters that were left out; `None` if it was never written.
    pub(crate) fn read_stored(&self, below: &BelowObject, origin: &[u64]) -> Result<Option<(Vec<u8>, u32)>> {
        let (place, length) = self.chunk_at(origin)?;
        let pending = self.node.pending().get(&place).cloned();
        let elements = if let Some(pending) = pending {
            pending.to_vec()
        } else {
            let mut elements = vec![0; length];
            let is_stored = self.node.is_described()
                && self
                    .container
                    .store
                    .read_chunk(&self.node.key, &place, &mut elements)
                    .map_err(|failure| self.container.error(&failure))?;
            if !is_stored {
                return Ok(None);
            }
            elements
        };
        let mut stored = Vec::new();
        let encoded = self.pipeline(below)?.encode(&elements, &mut stored, &mut Work::new());
        let mask = encoded.map_err(|error| {
            Error::failed(format_args!("the chunk at {origin:?} cannot be encoded: {error}"))
        })?;
        Ok(Some((stored, mask)))
    }
}
