//! The attribute part of `H5VLconnector.h`.

use core::ffi::{c_char, c_int, c_void};

use crate::h5a::{H5A_info_t, H5A_operator2_t};
use crate::h5vl_connector::{H5VL_loc_params_t, H5VL_optional_args_t};
use crate::public::{H5_index_t, H5_iter_order_t, herr_t, hid_t, hsize_t};

c_enum! {
    /// Which attribute `get` operation is asked for.
    H5VL_attr_get_t {
        H5VL_ATTR_GET_ACPL = 0,
        H5VL_ATTR_GET_INFO = 1,
        H5VL_ATTR_GET_NAME = 2,
        H5VL_ATTR_GET_SPACE = 3,
        H5VL_ATTR_GET_STORAGE_SIZE = 4,
        H5VL_ATTR_GET_TYPE = 5,
    }
}

/// Arguments of the attribute operation `get_name`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct H5VL_attr_get_name_args_t {
    pub loc_params: H5VL_loc_params_t,
    pub buf_size: usize,
    pub buf: *mut c_char,
    pub attr_name_len: *mut usize,
}

/// Arguments of the attribute operation `get_info`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct H5VL_attr_get_info_args_t {
    pub loc_params: H5VL_loc_params_t,
    pub attr_name: *const c_char,
    pub ainfo: *mut H5A_info_t,
}

c_arguments! {
    /// Arguments of the attribute `get` callback.
    H5VL_attr_get_args_t, H5VL_attr_get_t, H5VL_attr_get_args_u {
        get_acpl: H5VL_attr_get_acpl_t { acpl_id: hid_t },
        get_info: H5VL_attr_get_info_args_t,
        get_name: H5VL_attr_get_name_args_t,
        get_space: H5VL_attr_get_space_t { space_id: hid_t },
        get_storage_size: H5VL_attr_get_storage_size_t { data_size: *mut hsize_t },
        get_type: H5VL_attr_get_type_t { type_id: hid_t },
    }
}

c_enum! {
    /// Which attribute `specific` operation is asked for.
    H5VL_attr_specific_t {
        H5VL_ATTR_DELETE = 0,
        H5VL_ATTR_DELETE_BY_IDX = 1,
        H5VL_ATTR_EXISTS = 2,
        H5VL_ATTR_ITER = 3,
        H5VL_ATTR_RENAME = 4,
    }
}

/// Arguments of the attribute operation `iterate`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_attr_iterate_args_t {
    pub idx_type: H5_index_t,
    pub order: H5_iter_order_t,
    pub idx: *mut hsize_t,
    pub op: H5A_operator2_t,
    pub op_data: *mut c_void,
}

/// Arguments of the attribute operation `delete_by_idx`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_attr_delete_by_idx_args_t {
    pub idx_type: H5_index_t,
    pub order: H5_iter_order_t,
    pub n: hsize_t,
}

c_arguments! {
    /// Arguments of the attribute `specific` callback.
    H5VL_attr_specific_args_t, H5VL_attr_specific_t, H5VL_attr_specific_args_u {
        del: H5VL_attr_del_t { name: *const c_char },
        delete_by_idx: H5VL_attr_delete_by_idx_args_t,
        exists: H5VL_attr_exists_t { name: *const c_char, exists: *mut bool },
        iterate: H5VL_attr_iterate_args_t,
        rename: H5VL_attr_rename_t { old_name: *const c_char, new_name: *const c_char },
    }
}

/// Number of an optional attribute operation.
pub type H5VL_attr_optional_t = c_int;

c_callbacks! {
    /// The attribute callbacks of a connector.
    H5VL_attr_class_t {
        fn create(
            obj: *mut c_void,
            loc_params: *const H5VL_loc_params_t,
            attr_name: *const c_char,
            type_id: hid_t,
            space_id: hid_t,
            acpl_id: hid_t,
            aapl_id: hid_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> *mut c_void;
        fn open(
            obj: *mut c_void,
            loc_params: *const H5VL_loc_params_t,
            attr_name: *const c_char,
            aapl_id: hid_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> *mut c_void;
        fn read(
            attr: *mut c_void,
            mem_type_id: hid_t,
            buf: *mut c_void,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t;
        fn write(
            attr: *mut c_void,
            mem_type_id: hid_t,
            buf: *const c_void,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t;
        fn get(
            obj: *mut c_void,
            args: *mut H5VL_attr_get_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t;
        fn specific(
            obj: *mut c_void,
            loc_params: *const H5VL_loc_params_t,
            args: *mut H5VL_attr_specific_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t;
        fn optional(
            obj: *mut c_void,
            args: *mut H5VL_optional_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t;
        fn close(attr: *mut c_void, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    }
}
