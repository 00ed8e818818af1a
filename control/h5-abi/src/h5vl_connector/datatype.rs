//! The named datatype part of `H5VLconnector.h`.

use core::ffi::{c_char, c_int, c_void};

use crate::h5vl_connector::{H5VL_loc_params_t, H5VL_optional_args_t};
use crate::public::{herr_t, hid_t};

c_enum! {
    /// Which named datatype `get` operation is asked for.
    H5VL_datatype_get_t {
        H5VL_DATATYPE_GET_BINARY_SIZE = 0,
        H5VL_DATATYPE_GET_BINARY = 1,
        H5VL_DATATYPE_GET_TCPL = 2,
    }
}

c_arguments! {
    /// Arguments of the named datatype `get` callback.
    H5VL_datatype_get_args_t, H5VL_datatype_get_t, H5VL_datatype_get_args_u {
        get_binary_size: H5VL_datatype_get_binary_size_t { size: *mut usize },
        get_binary: H5VL_datatype_get_binary_t { buf: *mut c_void, buf_size: usize },
        get_tcpl: H5VL_datatype_get_tcpl_t { tcpl_id: hid_t },
    }
}

c_enum! {
    /// Which named datatype `specific` operation is asked for.
    H5VL_datatype_specific_t {
        H5VL_DATATYPE_FLUSH = 0,
        H5VL_DATATYPE_REFRESH = 1,
    }
}

c_arguments! {
    /// Arguments of the named datatype `specific` callback.
    H5VL_datatype_specific_args_t, H5VL_datatype_specific_t, H5VL_datatype_specific_args_u {
        flush: H5VL_datatype_flush_t { type_id: hid_t },
        refresh: H5VL_datatype_refresh_t { type_id: hid_t },
    }
}

/// Number of an optional named datatype operation.
pub type H5VL_datatype_optional_t = c_int;

c_callbacks! {
    /// The named datatype callbacks of a connector.
    H5VL_datatype_class_t {
        fn commit(
            obj: *mut c_void,
            loc_params: *const H5VL_loc_params_t,
            name: *const c_char,
            type_id: hid_t,
            lcpl_id: hid_t,
            tcpl_id: hid_t,
            tapl_id: hid_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> *mut c_void;
        fn open(
            obj: *mut c_void,
            loc_params: *const H5VL_loc_params_t,
            name: *const c_char,
            tapl_id: hid_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> *mut c_void;
        fn get(
            obj: *mut c_void,
            args: *mut H5VL_datatype_get_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t;
        fn specific(
            obj: *mut c_void,
            args: *mut H5VL_datatype_specific_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t;
        fn optional(
            obj: *mut c_void,
            args: *mut H5VL_optional_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t;
        fn close(dt: *mut c_void, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    }
}
