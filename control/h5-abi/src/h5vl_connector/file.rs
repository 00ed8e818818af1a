//! The file part of `H5VLconnector.h`.

use core::ffi::{c_char, c_int, c_uint, c_ulong, c_void};

use crate::h5f::H5F_scope_t;
use crate::h5i::H5I_type_t;
use crate::h5vl_connector::H5VL_optional_args_t;
use crate::public::{herr_t, hid_t};

/// Version of [`H5VL_file_cont_info_t`].
pub const H5VL_CONTAINER_INFO_VERSION: c_uint = 0x01;

/// What `H5VL_FILE_GET_CONT_INFO` fills in.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_file_cont_info_t {
    pub version: c_uint,
    pub feature_flags: u64,
    pub token_size: usize,
    pub blob_id_size: usize,
}

c_enum! {
    /// Which file `get` operation is asked for.
    H5VL_file_get_t {
        H5VL_FILE_GET_CONT_INFO = 0,
        H5VL_FILE_GET_FAPL = 1,
        H5VL_FILE_GET_FCPL = 2,
        H5VL_FILE_GET_FILENO = 3,
        H5VL_FILE_GET_INTENT = 4,
        H5VL_FILE_GET_NAME = 5,
        H5VL_FILE_GET_OBJ_COUNT = 6,
        H5VL_FILE_GET_OBJ_IDS = 7,
    }
}

/// Arguments of the file operation `get_name`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_file_get_name_args_t {
    pub type_: H5I_type_t,
    pub buf_size: usize,
    pub buf: *mut c_char,
    pub file_name_len: *mut usize,
}

/// Arguments of the file operation `get_obj_ids`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_file_get_obj_ids_args_t {
    pub types: c_uint,
    pub max_objs: usize,
    pub oid_list: *mut hid_t,
    pub count: *mut usize,
}

c_arguments! {
    /// Arguments of the file `get` callback.
    H5VL_file_get_args_t, H5VL_file_get_t, H5VL_file_get_args_u {
        get_cont_info: H5VL_file_get_cont_info_t { info: *mut H5VL_file_cont_info_t },
        get_fapl: H5VL_file_get_fapl_t { fapl_id: hid_t },
        get_fcpl: H5VL_file_get_fcpl_t { fcpl_id: hid_t },
        get_fileno: H5VL_file_get_fileno_t { fileno: *mut c_ulong },
        get_intent: H5VL_file_get_intent_t { flags: *mut c_uint },
        get_name: H5VL_file_get_name_args_t,
        get_obj_count: H5VL_file_get_obj_count_t { types: c_uint, count: *mut usize },
        get_obj_ids: H5VL_file_get_obj_ids_args_t,
    }
}

c_enum! {
    /// Which file `specific` operation is asked for.
    H5VL_file_specific_t {
        H5VL_FILE_FLUSH = 0,
        H5VL_FILE_REOPEN = 1,
        H5VL_FILE_IS_ACCESSIBLE = 2,
        H5VL_FILE_DELETE = 3,
        H5VL_FILE_IS_EQUAL = 4,
    }
}

c_arguments! {
    /// Arguments of the file `specific` callback.
    H5VL_file_specific_args_t, H5VL_file_specific_t, H5VL_file_specific_args_u {
        flush: H5VL_file_flush_t { obj_type: H5I_type_t, scope: H5F_scope_t },
        reopen: H5VL_file_reopen_t { file: *mut *mut c_void },
        is_accessible: H5VL_file_is_accessible_t {
            filename: *const c_char,
            fapl_id: hid_t,
            accessible: *mut bool,
        },
        del: H5VL_file_del_t { filename: *const c_char, fapl_id: hid_t },
        is_equal: H5VL_file_is_equal_t { obj2: *mut c_void, same_file: *mut bool },
    }
}

/// Number of an optional file operation.
pub type H5VL_file_optional_t = c_int;

c_callbacks! {
    /// The file callbacks of a connector.
    H5VL_file_class_t {
        fn create(
            name: *const c_char,
            flags: c_uint,
            fcpl_id: hid_t,
            fapl_id: hid_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> *mut c_void;
        fn open(
            name: *const c_char,
            flags: c_uint,
            fapl_id: hid_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> *mut c_void;
        fn get(
            obj: *mut c_void,
            args: *mut H5VL_file_get_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t;
        fn specific(
            obj: *mut c_void,
            args: *mut H5VL_file_specific_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t;
        fn optional(
            obj: *mut c_void,
            args: *mut H5VL_optional_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t;
        fn close(file: *mut c_void, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    }
}
