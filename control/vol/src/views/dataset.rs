//! Datasets: what `dataset_get` asks and `dataset_specific` does.

use h5_abi::{
    H5D_SPACE_STATUS_ALLOCATED, H5D_SPACE_STATUS_NOT_ALLOCATED, H5D_SPACE_STATUS_PART_ALLOCATED,
    H5D_space_status_t, H5VL_DATASET_FLUSH, H5VL_DATASET_GET_DAPL, H5VL_DATASET_GET_DCPL,
    H5VL_DATASET_GET_SPACE, H5VL_DATASET_GET_SPACE_STATUS, H5VL_DATASET_GET_STORAGE_SIZE,
    H5VL_DATASET_GET_TYPE, H5VL_DATASET_REFRESH, H5VL_DATASET_SET_EXTENT, H5VL_NATIVE_DATASET_CHUNK_WRITE,
    H5VL_NATIVE_DATASET_FORMAT_CONVERT, H5VL_dataset_get_args_t, H5VL_dataset_specific_args_t,
};
use h5_host::Id;
use h5_host::errors::preserve;

use super::memory::space_of_dataset;
use super::out::{Answer, Out};
use crate::calls::{Arguments, DatasetOptional, DatasetSpecific};
use crate::connector::Connector;
use crate::error::{Error, Result};

/// How much of a dataset's space is allocated in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpaceStatus {
    /// Nothing.
    NotAllocated,
    /// Some chunks.
    PartAllocated,
    /// All of it.
    Allocated,
}

impl Answer for SpaceStatus {
    type Raw = H5D_space_status_t;

    fn encode(self) -> H5D_space_status_t {
        match self {
            Self::NotAllocated => H5D_SPACE_STATUS_NOT_ALLOCATED,
            Self::PartAllocated => H5D_SPACE_STATUS_PART_ALLOCATED,
            Self::Allocated => H5D_SPACE_STATUS_ALLOCATED,
        }
    }
}

/// What is asked about a dataset.
#[non_exhaustive]
pub enum DatasetQuestion<'a> {
    /// Its access property list.
    AccessList(Out<'a, Id>),
    /// Its creation property list.
    CreationList(Out<'a, Id>),
    /// Its dataspace.
    Space(Out<'a, Id>),
    /// How much of its space is allocated.
    SpaceStatus(Out<'a, SpaceStatus>),
    /// Bytes it takes in the file.
    StorageSize(Out<'a, u64>),
    /// Its datatype.
    Type(Out<'a, Id>),
    /// A question of a newer HDF5.
    Unknown(i32),
}

impl Arguments<'_, H5VL_dataset_get_args_t> {
    /// What is asked.
    pub fn view(&mut self) -> DatasetQuestion<'_> {
        let Some(all) = self.get() else { return DatasetQuestion::Unknown(-1) };
        let args = &mut all.args;
        // SAFETY: the operation says which member of the union is set; its pointers are valid for the call.
        unsafe {
            match all.op_type {
                H5VL_DATASET_GET_DAPL => {
                    DatasetQuestion::AccessList(Out::new(&raw mut args.get_dapl.dapl_id))
                }
                H5VL_DATASET_GET_DCPL => {
                    DatasetQuestion::CreationList(Out::new(&raw mut args.get_dcpl.dcpl_id))
                }
                H5VL_DATASET_GET_SPACE => DatasetQuestion::Space(Out::new(&raw mut args.get_space.space_id)),
                H5VL_DATASET_GET_SPACE_STATUS => {
                    DatasetQuestion::SpaceStatus(Out::new(args.get_space_status.status))
                }
                H5VL_DATASET_GET_STORAGE_SIZE => {
                    DatasetQuestion::StorageSize(Out::new(args.get_storage_size.storage_size))
                }
                H5VL_DATASET_GET_TYPE => DatasetQuestion::Type(Out::new(&raw mut args.get_type.type_id)),
                other => DatasetQuestion::Unknown(other.0),
            }
        }
    }
}

/// What is done to a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DatasetOperation {
    /// Changes its extent: see [`DatasetSpecific::new_extent`].
    SetExtent,
    /// Flushes the dataset with this identifier.
    Flush(Id),
    /// Reloads the metadata of the dataset with this identifier from the file. The native connector closes the object
    /// during the call and replaces it with a new one.
    Refresh(Id),
    /// An operation of a newer HDF5.
    Unknown(i32),
}

impl Arguments<'_, H5VL_dataset_specific_args_t> {
    /// What is to be done.
    pub fn view(&self) -> DatasetOperation {
        let Some(all) = self.peek() else { return DatasetOperation::Unknown(-1) };
        // SAFETY: the operation says which member of the union is set.
        unsafe {
            match all.op_type {
                H5VL_DATASET_SET_EXTENT => DatasetOperation::SetExtent,
                H5VL_DATASET_FLUSH => DatasetOperation::Flush(Id(all.args.flush.dset_id)),
                H5VL_DATASET_REFRESH => DatasetOperation::Refresh(Id(all.args.refresh.dset_id)),
                other => DatasetOperation::Unknown(other.0),
            }
        }
    }
}

impl<C: Connector> DatasetSpecific<'_, C> {
    /// The dimensions to set. C passes as many as the dataset has. The connector itself is asked for that number
    /// (`dataset_get`, [`DatasetQuestion::Space`]).
    pub fn new_extent(&self) -> Result<Vec<u64>> {
        let arguments = self.arguments.peek().filter(|all| all.op_type == H5VL_DATASET_SET_EXTENT);
        // SAFETY: the operation says which member of the union is set.
        let dimensions = arguments.map_or(core::ptr::null(), |all| unsafe { all.args.set_extent.size });
        if dimensions.is_null() {
            return Err(Error::bad_argument("no new extent is given"));
        }
        let rank = self.object.rank_or_find(|| {
            let host = self.object.host();
            let space = space_of_dataset(&self.object, self.transfer)?;
            // SAFETY: the host verifies the identifier.
            let rank =
                preserve(host, || unsafe { (host.functions().H5Sget_simple_extent_ndims)(space.id().0) });
            usize::try_from(rank).map_err(|_| Error::failed("the dataset's dataspace has no rank"))
        })?;
        // SAFETY: the application passed one size per dimension of the dataset, as `H5Dset_extent` demands.
        Ok(unsafe { core::slice::from_raw_parts(dimensions, rank) }.to_vec())
    }
}

impl<C: Connector> DatasetOptional<'_, C> {
    /// Whether this is `H5Dwrite_chunk` of the native connector.
    pub fn is_chunk_write(&self) -> bool {
        self.operation.number() == Some(H5VL_NATIVE_DATASET_CHUNK_WRITE)
    }

    /// Whether this is `H5Dformat_convert` of the native connector, which replaces the chunk index.
    pub fn is_format_conversion(&self) -> bool {
        self.operation.number() == Some(H5VL_NATIVE_DATASET_FORMAT_CONVERT)
    }
}
