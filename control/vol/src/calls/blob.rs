//! Blobs: byte sequences that a connector stores in a file for HDF5 (variable-length data, references).

use core::ffi::{c_int, c_void};
use std::sync::Arc;

use h5_abi::{H5VL_blob_specific_args_t, H5VL_optional_args_t};

use super::argument::{Argument, Arguments, MemorySource, MemoryTarget, OptionalOperation};
use super::{call_below, method, status, with_object};
use crate::callback::Callback;
use crate::connector::Connector;
use crate::error::Result;
use crate::methods::PassThrough;
use crate::object::Object;

/// The identifier of a blob. The connector states its size for each file.
pub struct BlobId(*mut c_void);

impl BlobId {
    /// The address of its bytes.
    pub fn as_ptr(&self) -> *mut u8 {
        self.0.cast()
    }
}

/// Stores a blob.
pub struct BlobPut<'a, C: Connector> {
    /// The file.
    pub object: Arc<Object<C>>,
    /// The bytes.
    pub bytes: MemorySource<'a>,
    /// How many.
    pub size: usize,
    /// Where its identifier goes.
    pub id: BlobId,
    context: *mut c_void,
}

impl<C: PassThrough> BlobPut<'_, C> {
    /// Lets the connector below store it.
    pub fn forward(&mut self) -> Result<c_int> {
        let below = self.object.require_below()?;
        // SAFETY: our object's counterpart below; buffer, size and identifier are those of the call.
        status(unsafe {
            let bytes = self.bytes.as_ptr().cast();
            call_below!(
                below,
                blob_cls.put,
                H5VLblob_put,
                (below.as_ptr()),
                (bytes, self.size, self.id.0, self.context)
            )
        })
    }
}

/// Fetches a blob.
pub struct BlobGet<'a, C: Connector> {
    /// The file.
    pub object: Arc<Object<C>>,
    /// Its identifier.
    pub id: BlobId,
    /// Where the bytes go.
    pub target: MemoryTarget<'a>,
    /// How many.
    pub size: usize,
    context: *mut c_void,
}

impl<C: PassThrough> BlobGet<'_, C> {
    /// Lets the connector below fetch it.
    pub fn forward(&mut self) -> Result<c_int> {
        let below = self.object.require_below()?;
        // SAFETY: our object's counterpart below; buffer, size and identifier are those of the call.
        status(unsafe {
            let target = self.target.as_ptr().cast();
            call_below!(
                below,
                blob_cls.get,
                H5VLblob_get,
                (below.as_ptr()),
                (self.id.0, target, self.size, self.context)
            )
        })
    }
}

/// Deletes a blob, asks whether an identifier is null, or sets it to null.
pub struct BlobSpecific<'a, C: Connector> {
    /// The file.
    pub object: Arc<Object<C>>,
    /// Identifier of the blob.
    pub id: BlobId,
    /// What is to be done.
    pub arguments: Arguments<'a, H5VL_blob_specific_args_t>,
}

impl<C: PassThrough> BlobSpecific<'_, C> {
    /// Lets the connector below do it.
    pub fn forward(&mut self) -> Result<c_int> {
        let below = self.object.require_below()?;
        // SAFETY: our object's counterpart below and arguments valid for the call.
        status(unsafe {
            let arguments = self.arguments.as_ptr();
            call_below!(below, blob_cls.specific, H5VLblob_specific, (below.as_ptr()), (self.id.0, arguments))
        })
    }
}

/// Operations on blobs that only some connectors know.
pub struct BlobOptional<'a, C: Connector> {
    /// The file.
    pub object: Arc<Object<C>>,
    /// Identifier of the blob.
    pub id: BlobId,
    /// What is to be done.
    pub operation: OptionalOperation<'a>,
}

impl<C: PassThrough> BlobOptional<'_, C> {
    /// Lets the connector below do it.
    pub fn forward(&mut self) -> Result<c_int> {
        let below = self.object.require_below()?;
        // SAFETY: our object's counterpart below and arguments valid for the call.
        status(unsafe {
            let operation = self.operation.as_ptr();
            call_below!(below, blob_cls.optional, H5VLblob_optional, (below.as_ptr()), (self.id.0, operation))
        })
    }
}

pub(crate) unsafe extern "C" fn blob_put<C: Connector>(
    object: *mut c_void,
    bytes: *const c_void,
    size: usize,
    id: *mut c_void,
    context: *mut c_void,
) -> c_int {
    // SAFETY: HDF5 passes one of our objects and buffers valid for the call.
    unsafe {
        with_object::<C, _>(object, Callback::BlobPut, |instance, object| {
            let bytes = MemorySource::new(bytes);
            method!(C, blob_cls.put)(
                instance.connector(),
                BlobPut { object, bytes, size, id: BlobId(id), context },
            )
        })
    }
}

pub(crate) unsafe extern "C" fn blob_get<C: Connector>(
    object: *mut c_void,
    id: *const c_void,
    target: *mut c_void,
    size: usize,
    context: *mut c_void,
) -> c_int {
    // SAFETY: HDF5 passes one of our objects and buffers valid for the call.
    unsafe {
        with_object::<C, _>(object, Callback::BlobGet, |instance, object| {
            let target = MemoryTarget::new(target);
            let id = BlobId(id.cast_mut());
            method!(C, blob_cls.get)(instance.connector(), BlobGet { object, id, target, size, context })
        })
    }
}

pub(crate) unsafe extern "C" fn blob_specific<C: Connector>(
    object: *mut c_void,
    id: *mut c_void,
    arguments: *mut H5VL_blob_specific_args_t,
) -> c_int {
    // SAFETY: HDF5 passes one of our objects and arguments valid for the call.
    unsafe {
        with_object::<C, _>(object, Callback::BlobSpecific, |instance, object| {
            let arguments = <Arguments<'static, _> as Argument>::safe(arguments);
            method!(C, blob_cls.specific)(
                instance.connector(),
                BlobSpecific { object, id: BlobId(id), arguments },
            )
        })
    }
}

pub(crate) unsafe extern "C" fn blob_optional<C: Connector>(
    object: *mut c_void,
    id: *mut c_void,
    arguments: *mut H5VL_optional_args_t,
) -> c_int {
    // SAFETY: HDF5 passes one of our objects and arguments valid for the call.
    unsafe {
        with_object::<C, _>(object, Callback::BlobOptional, |instance, object| {
            let operation = <OptionalOperation<'static> as Argument>::safe(arguments);
            method!(C, blob_cls.optional)(
                instance.connector(),
                BlobOptional { object, id: BlobId(id), operation },
            )
        })
    }
}
