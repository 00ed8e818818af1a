//! Datasets.

use core::sync::atomic::Ordering;

use h5_abi::{H5D_VIRTUAL, H5P_DEFAULT, H5S_ALL, HADDR_UNDEF, herr_t, hid_t};

use crate::dataspace::Dataspace;
use crate::datatype::Datatype;
use crate::failure::{Failure, Result};
use crate::handle::{Handle, closer, handles};
use crate::object::Object;
use crate::properties::DatasetCreation;
use crate::session::Session;

handles! {
    /// An open dataset.
    Dataset;
}

impl Object for Dataset {
    fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Object for Datatype {
    fn handle(&self) -> &Handle {
        &self.handle
    }
}

/// How the extent of a dataset can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Growth {
    /// Not at all.
    None,
    /// By calls of this client.
    Seen,
    /// Without any call: a virtual dataset grows with its sources, which others may write. A call on all of it must
    /// state the memory's extent, so that HDF5 compares the two.
    Unseen,
}

impl Dataset {
    pub(crate) fn of_id(session: &Session, id: hid_t) -> Result<Self> {
        Ok(Self { handle: Handle::new(session, id, closer!(session, H5Dclose)) })
    }

    /// Its extent.
    pub fn space(&self) -> Result<Dataspace> {
        // SAFETY: our own identifier.
        Dataspace::of_id(self.session(), unsafe { call!(self.session(), H5Dget_space(self.id())) }?)
    }

    /// Its datatype.
    pub fn datatype(&self) -> Result<Datatype> {
        // SAFETY: our own identifier.
        Datatype::of_id(self.session(), unsafe { call!(self.session(), H5Dget_type(self.id())) }?)
    }

    /// How it is stored.
    pub fn creation(&self) -> Result<DatasetCreation> {
        let session = self.session();
        // SAFETY: our own identifier.
        DatasetCreation::of_id(session, unsafe { call!(session, H5Dget_create_plist(self.id())) }?)
    }

    /// Where in the file it begins, if it is contiguous and has storage.
    pub fn offset(&self) -> Result<Option<u64>> {
        // SAFETY: our own identifier.
        let offset = unsafe { (self.session().functions().H5Dget_offset()?)(self.id()) };
        if offset == HADDR_UNDEF {
            // HDF5 says why there is no such place, which is no failure.
            self.session().take_failure();
            return Ok(None);
        }
        Ok(Some(offset))
    }

    /// Bytes of its storage in the file; 0 also if HDF5 cannot tell.
    pub fn storage_size(&self) -> Result<u64> {
        // SAFETY: our own identifier.
        Ok(unsafe { (self.session().functions().H5Dget_storage_size()?)(self.id()) })
    }

    /// Changes its dimensions.
    pub fn set_extent(&self, dimensions: &[u64]) -> Result<()> {
        let rank = self.space()?.rank()?;
        if dimensions.len() != rank {
            return Err(Failure::refused(format!("{dimensions:?} are not {rank} dimensions")));
        }
        self.session().library().extents_changed.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as many lengths as dimensions.
        unsafe { call!(self.session(), H5Dset_extent(self.id(), dimensions.as_ptr())) }.map(|_| ())
    }

    /// Writes what HDF5 holds of it in memory to the file.
    pub fn flush(&self) -> Result<()> {
        // SAFETY: our own identifier.
        unsafe { call!(self.session(), H5Dflush(self.id())) }.map(|_| ())
    }

    /// Forgets what HDF5 holds of it in memory, and reads it again.
    pub fn refresh(&self) -> Result<()> {
        self.session().library().extents_changed.fetch_add(1, Ordering::Relaxed);
        // SAFETY: our own identifier.
        unsafe { call!(self.session(), H5Drefresh(self.id())) }.map(|_| ())
    }

    /// How its extent can change.
    pub(crate) fn growth(&self) -> Result<Growth> {
        let (dimensions, maximum) = self.space()?.extents()?;
        if dimensions == maximum {
            Ok(Growth::None)
        } else if self.creation()?.layout()? == H5D_VIRTUAL {
            Ok(Growth::Unseen)
        } else {
            Ok(Growth::Seen)
        }
    }

    /// Bytes of memory that a call may touch: all elements of this extent, or of the dataset's.
    pub(crate) fn room(&self, datatype: &Datatype, extent: Option<&Dataspace>) -> Result<usize> {
        let elements = match extent {
            Some(extent) => extent.elements()?,
            None => self.space()?.elements()?,
        };
        let room = elements.checked_mul(datatype.plain_size()?);
        room.ok_or_else(|| Failure::refused(format!("{elements} elements are too many")))
    }

    /// Reads all of it, as elements of this type.
    pub fn read(&self, datatype: &Datatype, buffer: &mut [u8]) -> Result<()> {
        self.read_part(datatype, None, None, buffer)
    }

    /// Reads the elements that are selected in `file` (all, if absent) to the places that are selected in `memory` (the
    /// same, if absent). The buffer has the whole extent of `memory`, or else of `file`, or else of the dataset.
    pub fn read_part(
        &self,
        datatype: &Datatype,
        memory: Option<&Dataspace>,
        file: Option<&Dataspace>,
        buffer: &mut [u8],
    ) -> Result<()> {
        self.with_arguments(datatype, memory, file, buffer.len(), |[datatype, memory, file]| {
            let buffer = buffer.as_mut_ptr().cast();
            // SAFETY: the buffer has as many bytes as the call may write.
            unsafe { call!(self.session(), H5Dread(self.id(), datatype, memory, file, H5P_DEFAULT, buffer)) }
        })
    }

    /// Writes all of it, from elements of this type.
    pub fn write(&self, datatype: &Datatype, buffer: &[u8]) -> Result<()> {
        self.write_part(datatype, None, None, buffer)
    }

    /// Writes the elements that are selected in `memory` to the places that are selected in `file`, as of
    /// [`Dataset::read_part`].
    pub fn write_part(
        &self,
        datatype: &Datatype,
        memory: Option<&Dataspace>,
        file: Option<&Dataspace>,
        buffer: &[u8],
    ) -> Result<()> {
        self.with_arguments(datatype, memory, file, buffer.len(), |[datatype, memory, file]| {
            let buffer = buffer.as_ptr().cast();
            // SAFETY: the buffer has as many bytes as the call may read.
            unsafe { call!(self.session(), H5Dwrite(self.id(), datatype, memory, file, H5P_DEFAULT, buffer)) }
        })
    }

    /// Makes a call with its identifiers, if it needs as many bytes of memory as there are.
    fn with_arguments(
        &self,
        datatype: &Datatype,
        memory: Option<&Dataspace>,
        file: Option<&Dataspace>,
        length: usize,
        call: impl FnOnce([hid_t; 3]) -> Result<herr_t>,
    ) -> Result<()> {
        let session = self.session();
        let own = if memory.or(file).is_none() { self.memory_to_compare()? } else { None };
        let memory = memory.or(own.as_ref());
        let space =
            |space: Option<&Dataspace>| space.map_or(Ok(H5S_ALL), |space| space.handle().id_in(session));
        let ids = [datatype.handle().id_in(session)?, space(memory)?, space(file)?];
        let room = self.room(datatype, memory.or(file))?;
        if length != room {
            return Err(Failure::refused(format!("the memory has {length} bytes instead of {room}")));
        }
        call(ids).map(|_| ())
    }

    /// The memory's extent, for a call that names neither the memory's nor the file's, if HDF5 must compare it with the
    /// dataset's.
    fn memory_to_compare(&self) -> Result<Option<Dataspace>> {
        if self.growth()? == Growth::Unseen { self.space().map(Some) } else { Ok(None) }
    }
}
