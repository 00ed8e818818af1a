//! Chunks as they are stored: filtered, without a conversion.

use h5_abi::{H5P_DEFAULT, hsize_t};

use crate::dataset::Dataset;
use crate::failure::{Failure, Result};
use crate::iteration::{ChunkVisitor, visit_chunk};

/// A chunk in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredChunk {
    /// Its first element in the dataset.
    pub place: Vec<u64>,
    /// A bit for each filter that was left out.
    pub filter_mask: u32,
    /// Where in the file it begins.
    pub address: u64,
    /// Its bytes there.
    pub size: u64,
}

impl Dataset {
    /// The chunks that are in the file.
    pub fn chunks(&self) -> Result<Vec<StoredChunk>> {
        let mut found = Vec::new();
        let mut visitor = ChunkVisitor {
            rank: self.space()?.rank()?,
            function: &mut |step| {
                found.push(StoredChunk {
                    place: step.place.to_vec(),
                    filter_mask: step.filter_mask,
                    address: step.address,
                    size: step.size,
                });
            },
        };
        let data = (&raw mut visitor).cast();
        // SAFETY: the visitor that the callback expects; HDF5 gives a number for each dimension.
        unsafe { call!(self.session(), H5Dchunk_iter(self.id(), H5P_DEFAULT, Some(visit_chunk), data)) }?;
        Ok(found)
    }

    /// A chunk as it is stored, and its filter mask.
    pub fn read_chunk(&self, place: &[u64]) -> Result<(Vec<u8>, u32)> {
        self.is_place(place)?;
        let session = self.session();
        let mut size: hsize_t = 0;
        // SAFETY: as many numbers as dimensions, and a place for the size.
        unsafe { call!(session, H5Dget_chunk_storage_size(self.id(), place.as_ptr(), &raw mut size)) }?;
        let mut length = usize::try_from(size).map_err(|_| Failure::refused("a chunk is too large"))?;
        let (mut mask, mut stored) = (0, vec![0_u8; length]);
        let buffer = stored.as_mut_ptr().cast();
        // From 2.0 on, HDF5 is told how much room there is.
        // SAFETY: as many numbers as dimensions, and as many bytes as HDF5 has just said.
        unsafe {
            if session.functions().H5Dread_chunk2().is_ok() {
                call!(
                    session,
                    H5Dread_chunk2(
                        self.id(),
                        H5P_DEFAULT,
                        place.as_ptr(),
                        &raw mut mask,
                        buffer,
                        &raw mut length,
                    )
                )?;
            } else {
                call!(session, H5Dread_chunk(self.id(), H5P_DEFAULT, place.as_ptr(), &raw mut mask, buffer))?;
            }
        }
        stored.truncate(length);
        Ok((stored, mask))
    }

    /// Stores a chunk as it is, with those filters already applied that are not in the mask.
    pub fn write_chunk(&self, place: &[u64], filter_mask: u32, stored: &[u8]) -> Result<()> {
        self.is_place(place)?;
        let (size, buffer) = (stored.len(), stored.as_ptr().cast());
        // SAFETY: as many numbers as dimensions, and as many bytes as are said.
        unsafe {
            call!(
                self.session(),
                H5Dwrite_chunk(self.id(), H5P_DEFAULT, filter_mask, place.as_ptr(), size, buffer)
            )
        }
        .map(|_| ())
    }

    fn is_place(&self, place: &[u64]) -> Result<()> {
        let rank = self.space()?.rank()?;
        if place.len() == rank {
            Ok(())
        } else {
            Err(Failure::refused(format!("{place:?} is not a place in {rank} dimensions")))
        }
    }
}
