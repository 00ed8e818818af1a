//! The introspection and token parts of `H5VLconnector.h`, and the connector class itself.

use core::ffi::{c_char, c_int, c_uint, c_void};

use crate::h5i::H5I_type_t;
use crate::h5vl_connector::{
    H5VL_attr_class_t, H5VL_blob_class_t, H5VL_dataset_class_t, H5VL_datatype_class_t, H5VL_file_class_t,
    H5VL_group_class_t, H5VL_info_class_t, H5VL_link_class_t, H5VL_object_class_t, H5VL_optional_args_t,
    H5VL_request_class_t, H5VL_wrap_class_t,
};
use crate::h5vl_public::{H5VL_VERSION, H5VL_class_value_t, H5VL_subclass_t};
use crate::public::{H5O_token_t, herr_t, hid_t};

/// Optional operations below this number are reserved for the native connector.
pub const H5VL_RESERVED_NATIVE_OPTIONAL: c_int = 1024;

c_enum! {
    /// Which connector `get_conn_cls` asks for.
    H5VL_get_conn_lvl_t {
        H5VL_GET_CONN_LVL_CURR = 0,
        H5VL_GET_CONN_LVL_TERM = 1,
    }
}

c_callbacks! {
    /// The callbacks that tell what a connector can do.
    H5VL_introspect_class_t {
        fn get_conn_cls(
            obj: *mut c_void,
            lvl: H5VL_get_conn_lvl_t,
            conn_cls: *mut *const H5VL_class_t,
        ) -> herr_t;
        fn get_cap_flags(info: *const c_void, cap_flags: *mut u64) -> herr_t;
        fn opt_query(obj: *mut c_void, cls: H5VL_subclass_t, opt_type: c_int, flags: *mut u64) -> herr_t;
    }
}

c_callbacks! {
    /// The object token callbacks of a connector.
    H5VL_token_class_t {
        fn cmp(
            obj: *mut c_void,
            token1: *const H5O_token_t,
            token2: *const H5O_token_t,
            cmp_value: *mut c_int,
        ) -> herr_t;
        fn to_str(
            obj: *mut c_void,
            obj_type: H5I_type_t,
            token: *const H5O_token_t,
            token_str: *mut *mut c_char,
        ) -> herr_t;
        fn from_str(
            obj: *mut c_void,
            obj_type: H5I_type_t,
            token_str: *const c_char,
            token: *mut H5O_token_t,
        ) -> herr_t;
    }
}

/// A VOL connector, as `H5PLget_plugin_info` returns it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_class_t {
    pub version: c_uint,
    pub value: H5VL_class_value_t,
    pub name: *const c_char,
    pub conn_version: c_uint,
    pub cap_flags: u64,
    pub initialize: Option<unsafe extern "C" fn(vipl_id: hid_t) -> herr_t>,
    pub terminate: Option<unsafe extern "C" fn() -> herr_t>,
    pub info_cls: H5VL_info_class_t,
    pub wrap_cls: H5VL_wrap_class_t,
    pub attr_cls: H5VL_attr_class_t,
    pub dataset_cls: H5VL_dataset_class_t,
    pub datatype_cls: H5VL_datatype_class_t,
    pub file_cls: H5VL_file_class_t,
    pub group_cls: H5VL_group_class_t,
    pub link_cls: H5VL_link_class_t,
    pub object_cls: H5VL_object_class_t,
    pub introspect_cls: H5VL_introspect_class_t,
    pub request_cls: H5VL_request_class_t,
    pub blob_cls: H5VL_blob_class_t,
    pub token_cls: H5VL_token_class_t,
    pub optional: Option<
        unsafe extern "C" fn(
            obj: *mut c_void,
            args: *mut H5VL_optional_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t,
    >,
}

// SAFETY: the table is plain data: function pointers, and a name that its author points at a static string;
// nothing in it is written after it is built.
unsafe impl Sync for H5VL_class_t {}

impl H5VL_class_t {
    /// No name, no number, no callback: what a connector is built from.
    pub const EMPTY: Self = Self {
        version: H5VL_VERSION,
        value: 0,
        name: core::ptr::null(),
        conn_version: 0,
        cap_flags: 0,
        initialize: None,
        terminate: None,
        info_cls: H5VL_info_class_t::EMPTY,
        wrap_cls: H5VL_wrap_class_t::EMPTY,
        attr_cls: H5VL_attr_class_t::EMPTY,
        dataset_cls: H5VL_dataset_class_t::EMPTY,
        datatype_cls: H5VL_datatype_class_t::EMPTY,
        file_cls: H5VL_file_class_t::EMPTY,
        group_cls: H5VL_group_class_t::EMPTY,
        link_cls: H5VL_link_class_t::EMPTY,
        object_cls: H5VL_object_class_t::EMPTY,
        introspect_cls: H5VL_introspect_class_t::EMPTY,
        request_cls: H5VL_request_class_t::EMPTY,
        blob_cls: H5VL_blob_class_t::EMPTY,
        token_cls: H5VL_token_class_t::EMPTY,
        optional: None,
    };
}
