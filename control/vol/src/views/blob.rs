//! Blobs: what `blob_specific` does, and their identifiers and bytes.
//!
//! The connector itself states the size of an identifier for each file (`file_get`,
//! [`FileQuestion::Container`](super::FileQuestion::Container)). HDF5 makes room for that many bytes.

use core::ffi::c_void;
use std::sync::Arc;

use h5_abi::{
    H5VL_BLOB_DELETE, H5VL_BLOB_ISNULL, H5VL_BLOB_SETNULL, H5VL_CONTAINER_INFO_VERSION,
    H5VL_FILE_GET_CONT_INFO, H5VL_MAX_BLOB_ID_SIZE, H5VL_blob_specific_args_t, H5VL_file_cont_info_t,
    H5VL_file_get_args_t, H5VL_file_get_args_u, H5VL_file_get_cont_info_t,
};

use super::memory::{TargetBytes, source_slice};
use super::out::Out;
use crate::calls::method;
use crate::calls::{Argument, Arguments, BlobGet, BlobId, BlobPut, BlobSpecific, FileGet, RequestSlot};
use crate::connector::Connector;
use crate::error::{Error, Result};
use crate::methods::PassThrough;
use crate::native_blobs::HeapObject;
use crate::object::{Object, ObjectKind};

/// What is done to a blob.
#[non_exhaustive]
pub enum BlobOperation<'a> {
    /// Deletes it.
    Delete,
    /// Tells whether its identifier is the null identifier.
    IsNull(Out<'a, bool>),
    /// Sets its identifier to the null identifier.
    SetNull,
    /// An operation of a newer HDF5.
    Unknown(i32),
}

impl Arguments<'_, H5VL_blob_specific_args_t> {
    /// What is to be done.
    pub fn view(&mut self) -> BlobOperation<'_> {
        let Some(all) = self.get() else { return BlobOperation::Unknown(-1) };
        match all.op_type {
            H5VL_BLOB_DELETE => BlobOperation::Delete,
            // SAFETY: the operation says which member of the union is set; its pointer is valid for the call.
            H5VL_BLOB_ISNULL => BlobOperation::IsNull(unsafe { Out::new(all.args.is_null.isnull.cast()) }),
            H5VL_BLOB_SETNULL => BlobOperation::SetNull,
            other => BlobOperation::Unknown(other.0),
        }
    }
}

/// The size of blob identifiers, as the connector states it.
fn id_size<C: Connector>(object: &Arc<Object<C>>) -> Result<usize> {
    if object.kind() != ObjectKind::File {
        return Err(Error::bad_argument("HDF5 passes the file with a blob"));
    }
    let mut info = H5VL_file_cont_info_t {
        version: H5VL_CONTAINER_INFO_VERSION,
        feature_flags: 0,
        token_size: 0,
        blob_id_size: 0,
    };
    let mut arguments = H5VL_file_get_args_t {
        op_type: H5VL_FILE_GET_CONT_INFO,
        args: H5VL_file_get_args_u { get_cont_info: H5VL_file_get_cont_info_t { info: &raw mut info } },
    };
    // SAFETY: the arguments outlive the call, which is synchronous.
    let call = unsafe {
        FileGet {
            object: Arc::clone(object),
            arguments: <Arguments<'static, _> as Argument>::safe(&raw mut arguments),
            transfer: object.host().default_transfer(),
            request: RequestSlot::new(core::ptr::null_mut()),
        }
    };
    method!(C, file_cls.get)(object.connector(), call)?;
    if info.blob_id_size > H5VL_MAX_BLOB_ID_SIZE {
        return Err(Error::failed("the connector states blob identifiers larger than HDF5 allows"));
    }
    Ok(info.blob_id_size)
}

/// That the identifiers of blobs of a file begin with an address of 8 bytes, as they do in most files of native HDF5.
#[derive(Debug, Clone, Copy)]
pub struct HeapAddresses {
    /// The file, as an address that is only compared.
    file: usize,
}

impl HeapAddresses {
    /// Asks that for the file of a blob, which is not cheap; `None` if its identifiers are others.
    pub fn of<C: PassThrough>(file: &Arc<Object<C>>) -> Option<Self> {
        let is_wide = file.below().is_some_and(|below| below.connector().is_native())
            && id_size(file).is_ok_and(|size| size == HeapObject::SIZE);
        is_wide.then(|| Self { file: Arc::as_ptr(file).addr() })
    }

    /// The object that an identifier of a blob of this file names.
    fn read<C: Connector>(self, file: &Arc<Object<C>>, id: &BlobId) -> Option<HeapObject> {
        if Arc::as_ptr(file).addr() != self.file || id.as_ptr().is_null() {
            return None;
        }
        let mut bytes = [0; HeapObject::SIZE];
        // SAFETY: HDF5 passes an identifier of the size that was stated for this very file.
        unsafe { core::ptr::copy_nonoverlapping(id.as_ptr(), bytes.as_mut_ptr(), bytes.len()) };
        Some(HeapObject::decode(&bytes))
    }
}

/// Writes a blob's identifier.
fn write_id<C: Connector>(object: &Arc<Object<C>>, id: &BlobId, bytes: &[u8]) -> Result<()> {
    let size = id_size(object)?;
    if bytes.len() != size || id.as_ptr().is_null() {
        return Err(Error::bad_argument(format_args!("a blob identifier has {size} bytes here")));
    }
    // SAFETY: HDF5 made room for as many bytes as the connector stated.
    unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), id.as_ptr(), size) };
    Ok(())
}

/// Reads a blob's identifier.
fn read_id<C: Connector>(object: &Arc<Object<C>>, id: &BlobId) -> Result<Vec<u8>> {
    let size = id_size(object)?;
    // SAFETY: HDF5 keeps as many bytes as the connector stated, and has them from `blob_put`.
    unsafe { source_slice(id.as_ptr().cast_const().cast::<c_void>(), size) }.map(<[u8]>::to_vec)
}

impl<C: Connector> BlobPut<'_, C> {
    /// The bytes to store.
    pub fn source_bytes(&self) -> Result<&[u8]> {
        // SAFETY: HDF5 passes a buffer of the stated size.
        unsafe { source_slice(self.bytes.as_ptr().cast(), self.size) }
    }

    /// Answers with the blob's identifier.
    pub fn answer_id(&mut self, id: &[u8]) -> Result<()> {
        write_id(&self.object, &self.id, id)
    }

    /// Which object of native HDF5's heap it is.
    pub fn heap_object(&self, addresses: HeapAddresses) -> Option<HeapObject> {
        addresses.read(&self.object, &self.id)
    }
}

impl<C: Connector> BlobGet<'_, C> {
    /// Identifier of the blob.
    pub fn id_bytes(&self) -> Result<Vec<u8>> {
        read_id(&self.object, &self.id)
    }

    /// Where the bytes go.
    pub fn target_bytes(&mut self) -> TargetBytes<'_> {
        // SAFETY: HDF5 passes a buffer of the stated size.
        unsafe { TargetBytes::new(self.target.as_ptr(), self.size) }
    }
}

impl<C: Connector> BlobSpecific<'_, C> {
    /// Identifier of the blob.
    pub fn id_bytes(&self) -> Result<Vec<u8>> {
        read_id(&self.object, &self.id)
    }

    /// Changes the identifier ([`BlobOperation::SetNull`]).
    pub fn answer_id(&mut self, id: &[u8]) -> Result<()> {
        write_id(&self.object, &self.id, id)
    }
    /// Which object of native HDF5's heap it is.
    pub fn heap_object(&self, addresses: HeapAddresses) -> Option<HeapObject> {
        addresses.read(&self.object, &self.id)
    }
}
