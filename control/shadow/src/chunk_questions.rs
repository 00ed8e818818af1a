//! Which chunks a dataset has: `H5Dget_num_chunks`, `H5Dget_chunk_info` and others. As everywhere, chunks are told as HDF5 would store
//! them. Those that are stored have the address 0, which is wrong, but not that of a chunk without storage: who looks there fails.

use core::ffi::c_int;

use h5_abi::HADDR_UNDEF;
use h5_vol::views::DirectChunk;
use h5_vol::{BelowObject, Error, Result};

use crate::backend::Store;
use crate::dataset::Ours;
use crate::resize::places;

/// The address of chunks that are stored.
const STORED: u64 = 0;

impl<S: Store> Ours<S> {
    /// First elements of the chunks that were ever written, in their order in the dataset.
    fn written_chunks(&self) -> Result<Vec<Vec<u64>>> {
        let (Some(extent), Some(chunk)) = (&self.extent, &self.facts.chunk) else { return Ok(Vec::new()) };
        let grid = self.grid(extent)?;
        let failed = |failure| self.container.error(&failure);
        let stored = if self.node.is_described() {
            self.container.store.stored_places(&self.node.key).map_err(failed)?
        } else {
            Some(Vec::new())
        };
        let mut all = if let Some(stored) = stored {
            stored
        } else {
            let (mut elements, mut found) = (vec![0; self.chunk_bytes(&grid)?], Vec::new());
            for place in places(grid.shape()) {
                if self.container.store.read_chunk(&self.node.key, &place, &mut elements).map_err(failed)? {
                    found.push(place);
                }
            }
            found
        };
        all.extend(self.node.pending().keys().cloned());
        all.retain(|place| place.iter().zip(grid.shape().iter()).all(|(place, count)| place < count));
        all.sort_unstable();
        all.dedup();
        let origin = |place: Vec<u64>| place.iter().zip(chunk).map(|(place, chunk)| place * chunk).collect();
        Ok(all.into_iter().map(origin).collect())
    }

    /// Answers a question about the chunks of a dataset that has some.
    pub(crate) fn answer_about_chunks(
        &self,
        below: &BelowObject,
        question: DirectChunk<'_>,
    ) -> Result<c_int> {
        let size = |origin: &[u64]| -> Result<Option<(u64, u32)>> {
            Ok(self.read_stored(below, origin)?.map(|(stored, mask)| (stored.len() as u64, mask)))
        };
        match question {
            DirectChunk::Count(mut count) => count.set(self.written_chunks()?.len() as u64),
            DirectChunk::AtIndex { index, mut info } => {
                let all = self.written_chunks()?;
                let origin = usize::try_from(index).ok().and_then(|index| all.get(index));
                let origin = origin.ok_or_else(|| Error::bad_argument("chunk index is out of range"))?;
                let (size, mask) = size(origin)?.unwrap_or((0, 0));
                info.give(origin, mask, (STORED, size));
            }
            DirectChunk::AtOrigin { origin, mut info } => {
                // As natively, any element of a chunk will do, and one outside is no error.
                let stored = self.chunk_with(&origin).map(|origin| size(&origin)).transpose()?.flatten();
                match stored {
                    Some((size, mask)) => info.give(&origin, mask, (STORED, size)),
                    None => info.give(&origin, 0, (HADDR_UNDEF, 0)),
                }
            }
            DirectChunk::Each(mut visitor) => {
                for origin in self.written_chunks()? {
                    let (size, mask) = size(&origin)?.unwrap_or((0, 0));
                    match visitor.visit(&origin, mask, (STORED, size)) {
                        0 => {}
                        ended => return Ok(ended),
                    }
                }
            }
            _ => return Err(Error::unsupported("a question about chunks")),
        }
        Ok(0)
    }
}
