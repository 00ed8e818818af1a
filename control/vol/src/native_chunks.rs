//! Chunks of native HDF5, moved as they are stored: `H5Dwrite_chunk`, `H5Dread_chunk` and what they need.
//!
//! Like the [questions](crate::native) these are for objects of the native connector.

use core::ffi::{c_int, c_uint, c_void};

use h5_abi::{
    H5VL_NATIVE_DATASET_CHUNK_ITER, H5VL_NATIVE_DATASET_CHUNK_READ, H5VL_NATIVE_DATASET_CHUNK_WRITE,
    H5VL_NATIVE_DATASET_GET_CHUNK_STORAGE_SIZE, H5VL_native_dataset_chunk_iter_t,
    H5VL_native_dataset_chunk_read_t, H5VL_native_dataset_chunk_read_v1_t, H5VL_native_dataset_chunk_write_t,
    H5VL_native_dataset_chunk_write_v1_t, H5VL_native_dataset_get_chunk_storage_size_t,
    H5VL_native_dataset_optional_args_t,
};
use h5_host::context::apart;
use h5_host::errors::began_with;
use h5_host::{Questions, Version};

use crate::below::BelowObject;

/// The storage of a chunk in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChunkStorage {
    /// None: the chunk was never written.
    Missing,
    /// This many bytes.
    Bytes(u64),
}

/// The first version whose chunks may be larger than 4 GiB, and whose arguments are wider.
const WIDE: Version = Version { major: 2, minor: 0, release: 0 };

impl BelowObject {
    /// An operation for which HDF5 may write chunks of its own cache through the filters, or change the index: both look
    /// into property lists.
    fn chunk_operation(
        &self,
        questions: Questions,
        operation: c_int,
        args: &mut H5VL_native_dataset_optional_args_t,
    ) -> Option<()> {
        apart(questions.host(), || self.dataset_optional(questions, operation, args))
    }

    /// The storage of a chunk in the file; `None` if HDF5 fails. Unlike all other questions about chunks, this one does not
    /// walk the index.
    pub fn chunk_storage(&self, questions: Questions, origin: &[u64]) -> Option<ChunkStorage> {
        let mut size = 0;
        let mut args = H5VL_native_dataset_optional_args_t {
            get_chunk_storage_size: H5VL_native_dataset_get_chunk_storage_size_t {
                offset: origin.as_ptr(),
                size: &raw mut size,
            },
        };
        let host = questions.host();
        match self.chunk_operation(questions, H5VL_NATIVE_DATASET_GET_CHUNK_STORAGE_SIZE, &mut args) {
            // Before any chunk has storage HDF5 leaves the size alone.
            Some(()) if size == 0 => Some(ChunkStorage::Missing),
            Some(()) => Some(ChunkStorage::Bytes(size)),
            // That a chunk has no storage is an error to HDF5, which must be told from those of reading the index.
            None => began_with(host, c"chunk storage is not allocated").then_some(ChunkStorage::Missing),
        }
    }

    /// Makes native HDF5 write the changed chunks of a dataset from its own cache.
    pub fn flush_chunks(&self, questions: Questions) -> Option<()> {
        unsafe extern "C" fn stop(
            _origin: *const u64,
            _filter_mask: c_uint,
            _address: u64,
            _size: u64,
            _data: *mut c_void,
        ) -> c_int {
            1
        }
        // Before it walks over the index, HDF5 writes what is not there yet. The walk itself is not wanted.
        let mut args = H5VL_native_dataset_optional_args_t {
            chunk_iter: H5VL_native_dataset_chunk_iter_t { op: Some(stop), op_data: core::ptr::null_mut() },
        };
        self.chunk_operation(questions, H5VL_NATIVE_DATASET_CHUNK_ITER, &mut args)
    }

    /// Reads a chunk, as it is stored, into `bytes`, whose length is that of [`chunk_storage`](Self::chunk_storage).
    /// Returns the mask of the filters that were skipped.
    pub fn read_chunk(&self, questions: Questions, origin: &[u64], bytes: &mut [u8]) -> Option<u32> {
        if questions.host().version() < WIDE {
            // These versions are not told how much room there is.
            match self.chunk_storage(questions, origin)? {
                ChunkStorage::Bytes(size) if size == bytes.len() as u64 => {}
                _ => return None,
            }
            let chunk_read_v1 = H5VL_native_dataset_chunk_read_v1_t {
                offset: origin.as_ptr(),
                filters: 0,
                buf: bytes.as_mut_ptr().cast(),
            };
            let mut args = H5VL_native_dataset_optional_args_t { chunk_read_v1 };
            self.chunk_operation(questions, H5VL_NATIVE_DATASET_CHUNK_READ, &mut args)?;
            // SAFETY: the member that belongs to the operation in this version.
            return Some(unsafe { args.chunk_read_v1.filters });
        }
        let mut size = bytes.len();
        let chunk_read = H5VL_native_dataset_chunk_read_t {
            offset: origin.as_ptr(),
            filters: 0,
            buf: bytes.as_mut_ptr().cast(),
            buf_size: &raw mut size,
        };
        let mut args = H5VL_native_dataset_optional_args_t { chunk_read };
        self.chunk_operation(questions, H5VL_NATIVE_DATASET_CHUNK_READ, &mut args)?;
        // SAFETY: the member that belongs to the operation.
        (size == bytes.len()).then_some(unsafe { args.chunk_read.filters })
    }

    /// Stores a chunk, and allocates space if it has none or the size differs. Native HDF5 drops the chunk from its own
    /// cache. `mask` holds the filters that were skipped.
    pub fn write_chunk(&self, questions: Questions, origin: &[u64], mask: u32, bytes: &[u8]) -> Option<()> {
        let mut args = if questions.host().version() < WIDE {
            H5VL_native_dataset_optional_args_t {
                chunk_write_v1: H5VL_native_dataset_chunk_write_v1_t {
                    offset: origin.as_ptr(),
                    filters: mask,
                    size: u32::try_from(bytes.len()).ok()?,
                    buf: bytes.as_ptr().cast(),
                },
            }
        } else {
            H5VL_native_dataset_optional_args_t {
                chunk_write: H5VL_native_dataset_chunk_write_t {
                    offset: origin.as_ptr(),
                    filters: mask,
                    size: bytes.len(),
                    buf: bytes.as_ptr().cast(),
                },
            }
        };
        self.chunk_operation(questions, H5VL_NATIVE_DATASET_CHUNK_WRITE, &mut args)
    }
}
