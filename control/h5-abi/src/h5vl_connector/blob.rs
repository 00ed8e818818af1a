//! The blob part of `H5VLconnector.h`.

use core::ffi::{c_int, c_void};

use crate::h5vl_connector::H5VL_optional_args_t;
use crate::public::herr_t;

/// Largest size of a blob identifier.
pub const H5VL_MAX_BLOB_ID_SIZE: usize = 16;

c_enum! {
    /// Which blob `specific` operation is asked for.
    H5VL_blob_specific_t {
        H5VL_BLOB_DELETE = 0,
        H5VL_BLOB_ISNULL = 1,
        H5VL_BLOB_SETNULL = 2,
    }
}

/// `is_null` of [`H5VL_blob_specific_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_blob_is_null_t {
    pub isnull: *mut bool,
}

/// The union `args` of [`H5VL_blob_specific_args_t`]: `op_type` says which member is in use.
#[repr(C)]
#[derive(Clone, Copy)]
pub union H5VL_blob_specific_args_u {
    pub is_null: H5VL_blob_is_null_t,
}

/// Arguments of the blob `specific` callback.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct H5VL_blob_specific_args_t {
    pub op_type: H5VL_blob_specific_t,
    pub args: H5VL_blob_specific_args_u,
}

/// Number of an optional blob operation.
pub type H5VL_blob_optional_t = c_int;

/// The blob callbacks of a connector.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_blob_class_t {
    pub put: Option<
        unsafe extern "C" fn(
            obj: *mut c_void,
            buf: *const c_void,
            size: usize,
            blob_id: *mut c_void,
            ctx: *mut c_void,
        ) -> herr_t,
    >,
    pub get: Option<
        unsafe extern "C" fn(
            obj: *mut c_void,
            blob_id: *const c_void,
            buf: *mut c_void,
            size: usize,
            ctx: *mut c_void,
        ) -> herr_t,
    >,
    pub specific: Option<
        unsafe extern "C" fn(
            obj: *mut c_void,
            blob_id: *mut c_void,
            args: *mut H5VL_blob_specific_args_t,
        ) -> herr_t,
    >,
    pub optional: Option<
        unsafe extern "C" fn(
            obj: *mut c_void,
            blob_id: *mut c_void,
            args: *mut H5VL_optional_args_t,
        ) -> herr_t,
    >,
}

impl H5VL_blob_class_t {
    /// Nothing implemented: every callback is `None`.
    pub const EMPTY: Self = Self { put: None, get: None, specific: None, optional: None };
}
