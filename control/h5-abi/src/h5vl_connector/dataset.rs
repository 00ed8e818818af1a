//! The dataset part of `H5VLconnector.h`.

use core::ffi::{c_char, c_int, c_void};

use crate::h5d::H5D_space_status_t;
use crate::h5vl_connector::{H5VL_loc_params_t, H5VL_optional_args_t};
use crate::public::{herr_t, hid_t, hsize_t};

c_enum! {
    /// Which dataset `get` operation is asked for.
    H5VL_dataset_get_t {
        H5VL_DATASET_GET_DAPL = 0,
        H5VL_DATASET_GET_DCPL = 1,
        H5VL_DATASET_GET_SPACE = 2,
        H5VL_DATASET_GET_SPACE_STATUS = 3,
        H5VL_DATASET_GET_STORAGE_SIZE = 4,
        H5VL_DATASET_GET_TYPE = 5,
    }
}

/// `get_dapl` of [`H5VL_dataset_get_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_dataset_get_dapl_t {
    pub dapl_id: hid_t,
}

/// `get_dcpl` of [`H5VL_dataset_get_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_dataset_get_dcpl_t {
    pub dcpl_id: hid_t,
}

/// `get_space` of [`H5VL_dataset_get_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_dataset_get_space_t {
    pub space_id: hid_t,
}

/// `get_space_status` of [`H5VL_dataset_get_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_dataset_get_space_status_t {
    pub status: *mut H5D_space_status_t,
}

/// `get_storage_size` of [`H5VL_dataset_get_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_dataset_get_storage_size_t {
    pub storage_size: *mut hsize_t,
}

/// `get_type` of [`H5VL_dataset_get_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_dataset_get_type_t {
    pub type_id: hid_t,
}

/// The union `args` of [`H5VL_dataset_get_args_t`]: `op_type` says which member is in use.
#[repr(C)]
#[derive(Clone, Copy)]
pub union H5VL_dataset_get_args_u {
    pub get_dapl: H5VL_dataset_get_dapl_t,
    pub get_dcpl: H5VL_dataset_get_dcpl_t,
    pub get_space: H5VL_dataset_get_space_t,
    pub get_space_status: H5VL_dataset_get_space_status_t,
    pub get_storage_size: H5VL_dataset_get_storage_size_t,
    pub get_type: H5VL_dataset_get_type_t,
}

/// Arguments of the dataset `get` callback.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct H5VL_dataset_get_args_t {
    pub op_type: H5VL_dataset_get_t,
    pub args: H5VL_dataset_get_args_u,
}

c_enum! {
    /// Which dataset `specific` operation is asked for.
    H5VL_dataset_specific_t {
        H5VL_DATASET_SET_EXTENT = 0,
        H5VL_DATASET_FLUSH = 1,
        H5VL_DATASET_REFRESH = 2,
    }
}

/// `set_extent` of [`H5VL_dataset_specific_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_dataset_set_extent_t {
    pub size: *const hsize_t,
}

/// `flush` of [`H5VL_dataset_specific_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_dataset_flush_t {
    pub dset_id: hid_t,
}

/// `refresh` of [`H5VL_dataset_specific_args_u`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_dataset_refresh_t {
    pub dset_id: hid_t,
}

/// The union `args` of [`H5VL_dataset_specific_args_t`]: `op_type` says which member is in use.
#[repr(C)]
#[derive(Clone, Copy)]
pub union H5VL_dataset_specific_args_u {
    pub set_extent: H5VL_dataset_set_extent_t,
    pub flush: H5VL_dataset_flush_t,
    pub refresh: H5VL_dataset_refresh_t,
}

/// Arguments of the dataset `specific` callback.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct H5VL_dataset_specific_args_t {
    pub op_type: H5VL_dataset_specific_t,
    pub args: H5VL_dataset_specific_args_u,
}

/// Number of an optional dataset operation.
pub type H5VL_dataset_optional_t = c_int;

/// The dataset callbacks of a connector.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_dataset_class_t {
    pub create: Option<
        unsafe extern "C" fn(
            obj: *mut c_void,
            loc_params: *const H5VL_loc_params_t,
            name: *const c_char,
            lcpl_id: hid_t,
            type_id: hid_t,
            space_id: hid_t,
            dcpl_id: hid_t,
            dapl_id: hid_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> *mut c_void,
    >,
    pub open: Option<
        unsafe extern "C" fn(
            obj: *mut c_void,
            loc_params: *const H5VL_loc_params_t,
            name: *const c_char,
            dapl_id: hid_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> *mut c_void,
    >,
    pub read: Option<
        unsafe extern "C" fn(
            count: usize,
            dset: *mut *mut c_void,
            mem_type_id: *mut hid_t,
            mem_space_id: *mut hid_t,
            file_space_id: *mut hid_t,
            dxpl_id: hid_t,
            buf: *mut *mut c_void,
            req: *mut *mut c_void,
        ) -> herr_t,
    >,
    pub write: Option<
        unsafe extern "C" fn(
            count: usize,
            dset: *mut *mut c_void,
            mem_type_id: *mut hid_t,
            mem_space_id: *mut hid_t,
            file_space_id: *mut hid_t,
            dxpl_id: hid_t,
            buf: *mut *const c_void,
            req: *mut *mut c_void,
        ) -> herr_t,
    >,
    pub get: Option<
        unsafe extern "C" fn(
            obj: *mut c_void,
            args: *mut H5VL_dataset_get_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t,
    >,
    pub specific: Option<
        unsafe extern "C" fn(
            obj: *mut c_void,
            args: *mut H5VL_dataset_specific_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t,
    >,
    pub optional: Option<
        unsafe extern "C" fn(
            obj: *mut c_void,
            args: *mut H5VL_optional_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t,
    >,
    pub close:
        Option<unsafe extern "C" fn(dset: *mut c_void, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t>,
}

impl H5VL_dataset_class_t {
    /// Nothing implemented: every callback is `None`.
    pub const EMPTY: Self = Self {
        create: None,
        open: None,
        read: None,
        write: None,
        get: None,
        specific: None,
        optional: None,
        close: None,
    };
}
