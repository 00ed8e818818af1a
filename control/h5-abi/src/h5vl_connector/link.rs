//! The link part of `H5VLconnector.h`.

use core::ffi::{c_char, c_int, c_void};

use crate::h5l::{H5L_info2_t, H5L_iterate2_t, H5L_type_t};
use crate::h5vl_connector::{H5VL_loc_params_t, H5VL_optional_args_t};
use crate::public::{H5_index_t, H5_iter_order_t, herr_t, hid_t, hsize_t};

c_enum! {
    /// Which kind of link to create.
    H5VL_link_create_t {
        H5VL_LINK_CREATE_HARD = 0,
        H5VL_LINK_CREATE_SOFT = 1,
        H5VL_LINK_CREATE_UD = 2,
    }
}

c_arguments! {
    /// Arguments of the link `create` callback.
    H5VL_link_create_args_t, H5VL_link_create_t, H5VL_link_create_args_u {
        hard: H5VL_link_hard_t { curr_obj: *mut c_void, curr_loc_params: H5VL_loc_params_t },
        soft: H5VL_link_soft_t { target: *const c_char },
        ud: H5VL_link_ud_t { type_: H5L_type_t, buf: *const c_void, buf_size: usize },
    }
}

c_enum! {
    /// Which link `get` operation is asked for.
    H5VL_link_get_t {
        H5VL_LINK_GET_INFO = 0,
        H5VL_LINK_GET_NAME = 1,
        H5VL_LINK_GET_VAL = 2,
    }
}

c_arguments! {
    /// Arguments of the link `get` callback.
    H5VL_link_get_args_t, H5VL_link_get_t, H5VL_link_get_args_u {
        get_info: H5VL_link_get_info_t { linfo: *mut H5L_info2_t },
        get_name: H5VL_link_get_name_t { name_size: usize, name: *mut c_char, name_len: *mut usize },
        get_val: H5VL_link_get_val_t { buf_size: usize, buf: *mut c_void },
    }
}

c_enum! {
    /// Which link `specific` operation is asked for.
    H5VL_link_specific_t {
        H5VL_LINK_DELETE = 0,
        H5VL_LINK_EXISTS = 1,
        H5VL_LINK_ITER = 2,
    }
}

/// Arguments of the link operation `iterate`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_link_iterate_args_t {
    pub recursive: bool,
    pub idx_type: H5_index_t,
    pub order: H5_iter_order_t,
    pub idx_p: *mut hsize_t,
    pub op: H5L_iterate2_t,
    pub op_data: *mut c_void,
}

c_arguments! {
    /// Arguments of the link `specific` callback.
    H5VL_link_specific_args_t, H5VL_link_specific_t, H5VL_link_specific_args_u {
        exists: H5VL_link_exists_t { exists: *mut bool },
        iterate: H5VL_link_iterate_args_t,
    }
}

/// Number of an optional link operation.
pub type H5VL_link_optional_t = c_int;

c_callbacks! {
    /// The link callbacks of a connector.
    H5VL_link_class_t {
        fn create(
            args: *mut H5VL_link_create_args_t,
            obj: *mut c_void,
            loc_params: *const H5VL_loc_params_t,
            lcpl_id: hid_t,
            lapl_id: hid_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t;
        fn copy(
            src_obj: *mut c_void,
            loc_params1: *const H5VL_loc_params_t,
            dst_obj: *mut c_void,
            loc_params2: *const H5VL_loc_params_t,
            lcpl_id: hid_t,
            lapl_id: hid_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t;
        fn move_(
            src_obj: *mut c_void,
            loc_params1: *const H5VL_loc_params_t,
            dst_obj: *mut c_void,
            loc_params2: *const H5VL_loc_params_t,
            lcpl_id: hid_t,
            lapl_id: hid_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t;
        fn get(
            obj: *mut c_void,
            loc_params: *const H5VL_loc_params_t,
            args: *mut H5VL_link_get_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t;
        fn specific(
            obj: *mut c_void,
            loc_params: *const H5VL_loc_params_t,
            args: *mut H5VL_link_specific_args_t,
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
