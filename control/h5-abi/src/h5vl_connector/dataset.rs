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

c_arguments! {
    /// Arguments of the dataset `get` callback.
    H5VL_dataset_get_args_t, H5VL_dataset_get_t, H5VL_dataset_get_args_u {
        get_dapl: H5VL_dataset_get_dapl_t { dapl_id: hid_t },
        get_dcpl: H5VL_dataset_get_dcpl_t { dcpl_id: hid_t },
        get_space: H5VL_dataset_get_space_t { space_id: hid_t },
        get_space_status: H5VL_dataset_get_space_status_t { status: *mut H5D_space_status_t },
        get_storage_size: H5VL_dataset_get_storage_size_t { storage_size: *mut hsize_t },
        get_type: H5VL_dataset_get_type_t { type_id: hid_t },
    }
}

c_enum! {
    /// Which dataset `specific` operation is asked for.
    H5VL_dataset_specific_t {
        H5VL_DATASET_SET_EXTENT = 0,
        H5VL_DATASET_FLUSH = 1,
        H5VL_DATASET_REFRESH = 2,
    }
}

c_arguments! {
    /// Arguments of the dataset `specific` callback.
    H5VL_dataset_specific_args_t, H5VL_dataset_specific_t, H5VL_dataset_specific_args_u {
        set_extent: H5VL_dataset_set_extent_t { size: *const hsize_t },
        flush: H5VL_dataset_flush_t { dset_id: hid_t },
        refresh: H5VL_dataset_refresh_t { dset_id: hid_t },
    }
}

/// Number of an optional dataset operation.
pub type H5VL_dataset_optional_t = c_int;

c_callbacks! {
    /// The dataset callbacks of a connector.
    H5VL_dataset_class_t {
        fn create(
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
        ) -> *mut c_void;
        fn open(
            obj: *mut c_void,
            loc_params: *const H5VL_loc_params_t,
            name: *const c_char,
            dapl_id: hid_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> *mut c_void;
        fn read(
            count: usize,
            dset: *mut *mut c_void,
            mem_type_id: *mut hid_t,
            mem_space_id: *mut hid_t,
            file_space_id: *mut hid_t,
            dxpl_id: hid_t,
            buf: *mut *mut c_void,
            req: *mut *mut c_void,
        ) -> herr_t;
        fn write(
            count: usize,
            dset: *mut *mut c_void,
            mem_type_id: *mut hid_t,
            mem_space_id: *mut hid_t,
            file_space_id: *mut hid_t,
            dxpl_id: hid_t,
            buf: *mut *const c_void,
            req: *mut *mut c_void,
        ) -> herr_t;
        fn get(
            obj: *mut c_void,
            args: *mut H5VL_dataset_get_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t;
        fn specific(
            obj: *mut c_void,
            args: *mut H5VL_dataset_specific_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t;
        fn optional(
            obj: *mut c_void,
            args: *mut H5VL_optional_args_t,
            dxpl_id: hid_t,
            req: *mut *mut c_void,
        ) -> herr_t;
        fn close(dset: *mut c_void, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    }
}
