//! Objects of a file's global heap, through the blob callbacks of HDF5's native connector.

use core::ffi::c_void;

use h5_abi::{H5VL_BLOB_DELETE, H5VL_blob_is_null_t, H5VL_blob_specific_args_t, H5VL_blob_specific_args_u};
use h5_host::Questions;

use crate::native::NativeFile;

/// Room for an identifier of native HDF5: an address of at most 32 bytes, and 4 bytes for an index.
const ROOM: usize = 36;

/// The address of a collection in a file whose addresses have 8 bytes, and the index of an object in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeapObject {
    /// Where the collection begins, not counting the user block.
    pub address: u64,
    /// Which of its objects it is.
    pub index: u32,
}

impl HeapObject {
    /// Bytes of its identifier.
    pub(crate) const SIZE: usize = 12;

    fn encode(self) -> [u8; ROOM] {
        let mut id = [0; ROOM];
        id[..8].copy_from_slice(&self.address.to_le_bytes());
        id[8..12].copy_from_slice(&self.index.to_le_bytes());
        id
    }

    pub(crate) fn decode(id: &[u8]) -> Self {
        let (address, rest) = id.split_first_chunk().unwrap_or((&[0; 8], &[]));
        let (index, _) = rest.split_first_chunk().unwrap_or((&[0; 4], &[]));
        Self { address: u64::from_le_bytes(*address), index: u32::from_le_bytes(*index) }
    }
}

/// These are for files whose addresses have 8 bytes.
impl NativeFile {
    /// Stores an object; `None` if HDF5 fails.
    pub fn put_heap_object(&self, _: Questions, bytes: &[u8]) -> Option<HeapObject> {
        let put = self.class()?.blob_cls.put?;
        let mut id = [0_u8; ROOM];
        let (bytes, size) = (bytes.as_ptr().cast::<c_void>(), bytes.len());
        // SAFETY: a file of the native connector, as many bytes as stated, and room for any of its identifiers.
        let status =
            unsafe { put(self.pointer(), bytes, size, id.as_mut_ptr().cast(), core::ptr::null_mut()) };
        (status >= 0).then(|| HeapObject::decode(&id))
    }

    /// Fetches an object, which must have exactly as many bytes; `None` if HDF5 fails.
    pub fn get_heap_object(&self, _: Questions, object: HeapObject, bytes: &mut [u8]) -> Option<()> {
        let get = self.class()?.blob_cls.get?;
        let id = object.encode();
        let (target, size) = (bytes.as_mut_ptr().cast::<c_void>(), bytes.len());
        // SAFETY: a file of the native connector, a complete identifier, and room for as many bytes as stated.
        let status = unsafe { get(self.pointer(), id.as_ptr().cast(), target, size, core::ptr::null_mut()) };
        (status >= 0).then_some(())
    }

    /// Deletes an object; `None` if HDF5 fails.
    pub fn delete_heap_object(&self, _: Questions, object: HeapObject) -> Option<()> {
        let specific = self.class()?.blob_cls.specific?;
        let mut id = object.encode();
        let mut args = H5VL_blob_specific_args_t {
            op_type: H5VL_BLOB_DELETE,
            // This operation does not look at it.
            args: H5VL_blob_specific_args_u {
                is_null: H5VL_blob_is_null_t { isnull: core::ptr::null_mut() },
            },
        };
        // SAFETY: a file of the native connector, a complete identifier and arguments.
        let status = unsafe { specific(self.pointer(), id.as_mut_ptr().cast(), &raw mut args) };
        (status >= 0).then_some(())
    }
}
