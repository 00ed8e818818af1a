//! The group part of `H5VLconnector.h`.

use core::ffi::{c_char, c_int, c_void};

use crate::h5g::H5G_info_t;
use crate::h5vl_connector::{H5VL_loc_params_t, H5VL_optional_args_t};
use crate::public::{herr_t, hid_t};

c_enum! {
    /// Which group `get` operation is asked for.
    H5VL_group_get_t {
        H5VL_GROUP_GET_GCPL = 0,
        H5VL_GROUP_GET_INFO = 1,
    }
}

/// Arguments of the group operation `get_info`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct H5VL_group_get_info_args_t {
    pub loc_params: H5VL_loc_params_t,
    pub ginfo: *mut H5G_info_t,
}

c_arguments! {
    /// Arguments of the group `get` callback.
    H5VL_group_get_args_t, H5VL_group_get_t, H5VL_group_get_args_u {
        get_gcpl: H5VL_group_get_gcpl_t { gcpl_id: hid_t },
        get_info: H5VL_group_get_info_args_t,
    }
}

c_enum! {
    /// Which group `specific` operation is asked for.
    H5VL_group_specific_t {
        H5VL_GROUP_MOUNT = 0,
        H5VL_GROUP_UNMOUNT = 1,
        H5VL_GROUP_FLUSH = 2,
        H5VL_GROUP_REFRESH = 3,
    }
}

/// Arguments of the group operation `mount`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_group_spec_mount_args_t {
    pub name: *const c_char,
    pub child_file: *mut c_void,
    pub fmpl_id: hid_t,
}

c_arguments! {
    /// Arguments of the group `specific` callback.
    H5VL_group_specific_args_t, H5VL_group_specific_t, H5VL_group_specific_args_u {
        mount: H5VL_group_spec_mount_args_t,
        unmount: H5VL_group_unmount_t { name: *const c_char },
        flush: H5VL_group_flush_t { grp_id: hid_t },
        refresh: H5VL_group_refresh_t { grp_id: hid_t },
    }
}

/// Number of an optional group operation.
pub type H5VL_group_optional_t = c_int;

c_callbacks! {
    /// The group callbacks of a connector.
    H5VL_group_class_t {
        fn create(
            obj: *mut c_void,
            loc_params: *const H5VL_loc_params_t,
            name: *const c_char,
            lcpl_id: hid_t,
            gcpl_id: hid_t,
            gapl_id: hid_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> *mut c_void;
        fn open(
            obj: *mut c_void,
            loc_params: *const H5VL_loc_params_t,
            name: *const c_char,
            gapl_id: hid_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> *mut c_void;
        fn get(
            obj: *mut c_void,
            args: *mut H5VL_group_get_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t;
        fn specific(
            obj: *mut c_void,
            args: *mut H5VL_group_specific_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t;
        fn optional(
            obj: *mut c_void,
            args: *mut H5VL_optional_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t;
        fn close(grp: *mut c_void, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    }
}
