//! The object part of `H5VLconnector.h`.

use core::ffi::{c_char, c_int, c_uint, c_void};

use crate::h5i::H5I_type_t;
use crate::h5o::{H5O_info2_t, H5O_iterate2_t, H5O_type_t};
use crate::h5vl_connector::{H5VL_loc_params_t, H5VL_optional_args_t};
use crate::public::{H5_index_t, H5_iter_order_t, H5O_token_t, herr_t, hid_t};

c_enum! {
    /// Which object `get` operation is asked for.
    H5VL_object_get_t {
        H5VL_OBJECT_GET_FILE = 0,
        H5VL_OBJECT_GET_NAME = 1,
        H5VL_OBJECT_GET_TYPE = 2,
        H5VL_OBJECT_GET_INFO = 3,
    }
}

c_arguments! {
    /// Arguments of the object `get` callback.
    H5VL_object_get_args_t, H5VL_object_get_t, H5VL_object_get_args_u {
        get_file: H5VL_object_get_file_t { file: *mut *mut c_void },
        get_name: H5VL_object_get_name_t { buf_size: usize, buf: *mut c_char, name_len: *mut usize },
        get_type: H5VL_object_get_type_t { obj_type: *mut H5O_type_t },
        get_info: H5VL_object_get_info_t { fields: c_uint, oinfo: *mut H5O_info2_t },
    }
}

c_enum! {
    /// Which object `specific` operation is asked for.
    H5VL_object_specific_t {
        H5VL_OBJECT_CHANGE_REF_COUNT = 0,
        H5VL_OBJECT_EXISTS = 1,
        H5VL_OBJECT_LOOKUP = 2,
        H5VL_OBJECT_VISIT = 3,
        H5VL_OBJECT_FLUSH = 4,
        H5VL_OBJECT_REFRESH = 5,
    }
}

/// Arguments of the object operation `visit`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_object_visit_args_t {
    pub idx_type: H5_index_t,
    pub order: H5_iter_order_t,
    pub fields: c_uint,
    pub op: H5O_iterate2_t,
    pub op_data: *mut c_void,
}

c_arguments! {
    /// Arguments of the object `specific` callback.
    H5VL_object_specific_args_t, H5VL_object_specific_t, H5VL_object_specific_args_u {
        change_rc: H5VL_object_change_rc_t { delta: c_int },
        exists: H5VL_object_exists_t { exists: *mut bool },
        lookup: H5VL_object_lookup_t { token_ptr: *mut H5O_token_t },
        visit: H5VL_object_visit_args_t,
        flush: H5VL_object_flush_t { obj_id: hid_t },
        refresh: H5VL_object_refresh_t { obj_id: hid_t },
    }
}

/// Number of an optional object operation.
pub type H5VL_object_optional_t = c_int;

c_callbacks! {
    /// The object callbacks of a connector.
    H5VL_object_class_t {
        fn open(
            obj: *mut c_void,
            loc_params: *const H5VL_loc_params_t,
            opened_type: *mut H5I_type_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> *mut c_void;
        fn copy(
            src_obj: *mut c_void,
            loc_params1: *const H5VL_loc_params_t,
            src_name: *const c_char,
            dst_obj: *mut c_void,
            loc_params2: *const H5VL_loc_params_t,
            dst_name: *const c_char,
            ocpypl_id: hid_t,
            lcpl_id: hid_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t;
        fn get(
            obj: *mut c_void,
            loc_params: *const H5VL_loc_params_t,
            args: *mut H5VL_object_get_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t;
        fn specific(
            obj: *mut c_void,
            loc_params: *const H5VL_loc_params_t,
            args: *mut H5VL_object_specific_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t;
        fn optional(
            obj: *mut c_void,
            loc_params: *const H5VL_loc_params_t,
            args: *mut H5VL_optional_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t;
    }
}
