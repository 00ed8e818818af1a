//! Elements of copies between containers and files of native HDF5.
//!
//! Chunks are moved as HDF5 stores them: our own codecs encode and decode them, so that filters without a plugin work, too.

use h5_vol::{BelowObject, Error, Result, native::ChunkStorage};

use crate::backend::Store;
use crate::dataset::Ours;
use crate::resize::places;

impl<S: Store> Ours<S> {
    /// The first element of each chunk; `None` if the dataset is in one piece.
    fn origins(&self) -> Result<Option<Vec<Vec<u64>>>> {
        let (Some(extent), Some(chunk)) = (&self.extent, &self.facts.chunk) else { return Ok(None) };
        let grid = self.grid(extent)?;
        let origin = |place: Vec<u64>| place.iter().zip(chunk).map(|(place, chunk)| place * chunk).collect();
        Ok(Some(places(grid.shape()).map(origin).collect()))
    }

    /// Takes over the elements that native HDF5 has in a dataset of the same extent.
    pub(crate) fn take_from_native(&self, from: &BelowObject) -> Result<()> {
        let Some(extent) = self.extent.as_ref().filter(|extent| extent.count() > 0) else { return Ok(()) };
        let host = self.container.host();
        let unread = || Error::failed("native HDF5 cannot read the elements of a copy");
        let Some(origins) = self.origins()? else {
            let has_storage = host.ask(|questions| from.is_allocated(questions)).ok_or_else(unread)?;
            if has_storage {
                let mut elements = vec![0; self.chunk_bytes(&self.grid(extent)?)?];
                let read = host.ask(|questions| from.read_all(questions, self.datatype.id(), &mut elements));
                read.ok_or_else(unread)?;
                self.put(vec![0; extent.rank()], elements);
                self.store_if_many()?;
            }
            return Ok(());
        };
        for origin in origins {
            let storage = host.ask(|questions| from.chunk_storage(questions, &origin)).ok_or_else(unread)?;
            let ChunkStorage::Bytes(length) = storage else { continue };
            let mut stored = vec![0; usize::try_from(length).map_err(|_| unread())?];
            let mask = host.ask(|questions| from.read_chunk(questions, &origin, &mut stored));
            self.write_stored(from, &origin, mask.ok_or_else(unread)?, &stored)?;
        }
        Ok(())
    }

    /// Gives its elements to a dataset of native HDF5 that is the same otherwise. `below` is its own in the shadow.
    pub(crate) fn give_to_native(&self, below: &BelowObject, to: &BelowObject) -> Result<()> {
        let Some(extent) = self.extent.as_ref().filter(|extent| extent.count() > 0) else { return Ok(()) };
        let host = self.container.host();
        let unwritten = || Error::failed("native HDF5 cannot write the elements of a copy");
        let Some(origins) = self.origins()? else {
            let place = vec![0; extent.rank()];
            let pending = self.node.pending().get(&place).cloned();
            let elements = if let Some(pending) = pending {
                pending.to_vec()
            } else {
                let mut elements = vec![0; self.chunk_bytes(&self.grid(extent)?)?];
                let is_stored = self.node.is_described()
                    && self
                        .container
                        .store
                        .read_chunk(&self.node.key, &place, &mut elements)
                        .map_err(|failure| self.container.error(&failure))?;
                if !is_stored {
                    return Ok(());
                }
                elements
            };
            let written = host.ask(|questions| to.write_all(questions, self.datatype.id(), &elements));
            return written.ok_or_else(unwritten);
        };
        for origin in origins {
            let Some((stored, mask)) = self.read_stored(below, &origin)? else { continue };
            let written = host.ask(|questions| to.write_chunk(questions, &origin, mask, &stored));
            written.ok_or_else(unwritten)?;
        }
        Ok(())
    }
}
