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

c_arguments! {
    /// Arguments of the blob `specific` callback.
    H5VL_blob_specific_args_t, H5VL_blob_specific_t, H5VL_blob_specific_args_u {
        is_null: H5VL_blob_is_null_t { isnull: *mut bool },
    }
}

/// Number of an optional blob operation.
pub type H5VL_blob_optional_t = c_int;

c_callbacks! {
    /// The blob callbacks of a connector.
    H5VL_blob_class_t {
        fn put(
            obj: *mut c_void,
            buf: *const c_void,
            size: usize,
            blob_id: *mut c_void,
            ctx: *mut c_void,
        ) -> herr_t;
        fn get(
            obj: *mut c_void,
            blob_id: *const c_void,
            buf: *mut c_void,
            size: usize,
            ctx: *mut c_void,
        ) -> herr_t;
        fn specific(obj: *mut c_void, blob_id: *mut c_void, args: *mut H5VL_blob_specific_args_t) -> herr_t;
        fn optional(obj: *mut c_void, blob_id: *mut c_void, args: *mut H5VL_optional_args_t) -> herr_t;
    }
}
