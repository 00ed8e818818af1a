//! Mirror of `H5Dpublic.h`.

use core::ffi::{c_int, c_uint, c_void};

use crate::public::{haddr_t, herr_t, hid_t, hsize_t};

/// `H5Pset_chunk_opts`: do not filter chunks at the edge.
pub const H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS: c_uint = 0x0002;

c_enum! {
    /// Storage layout of a dataset.
    H5D_layout_t {
        H5D_LAYOUT_ERROR = -1,
        H5D_COMPACT = 0,
        H5D_CONTIGUOUS = 1,
        H5D_CHUNKED = 2,
        H5D_VIRTUAL = 3,
        H5D_NLAYOUTS = 4,
    }
}

c_enum! {
    /// How chunks are indexed in the file.
    H5D_chunk_index_t {
        H5D_CHUNK_IDX_BTREE = 0,
        H5D_CHUNK_IDX_SINGLE = 1,
        H5D_CHUNK_IDX_NONE = 2,
        H5D_CHUNK_IDX_FARRAY = 3,
        H5D_CHUNK_IDX_EARRAY = 4,
        H5D_CHUNK_IDX_BT2 = 5,
        H5D_CHUNK_IDX_NTYPES = 6,
    }
}

c_enum! {
    /// When storage is allocated.
    H5D_alloc_time_t {
        H5D_ALLOC_TIME_ERROR = -1,
        H5D_ALLOC_TIME_DEFAULT = 0,
        H5D_ALLOC_TIME_EARLY = 1,
        H5D_ALLOC_TIME_LATE = 2,
        H5D_ALLOC_TIME_INCR = 3,
    }
}

c_enum! {
    /// How much of the storage is allocated.
    H5D_space_status_t {
        H5D_SPACE_STATUS_ERROR = -1,
        H5D_SPACE_STATUS_NOT_ALLOCATED = 0,
        H5D_SPACE_STATUS_PART_ALLOCATED = 1,
        H5D_SPACE_STATUS_ALLOCATED = 2,
    }
}

c_enum! {
    /// When fill values are written.
    H5D_fill_time_t {
        H5D_FILL_TIME_ERROR = -1,
        H5D_FILL_TIME_ALLOC = 0,
        H5D_FILL_TIME_NEVER = 1,
        H5D_FILL_TIME_IFSET = 2,
    }
}

c_enum! {
    /// Which fill value a dataset has.
    H5D_fill_value_t {
        H5D_FILL_VALUE_ERROR = -1,
        H5D_FILL_VALUE_UNDEFINED = 0,
        H5D_FILL_VALUE_DEFAULT = 1,
        H5D_FILL_VALUE_USER_DEFINED = 2,
    }
}

c_enum! {
    /// How a virtual dataset shows missing source data.
    H5D_vds_view_t {
        H5D_VDS_ERROR = -1,
        H5D_VDS_FIRST_MISSING = 0,
        H5D_VDS_LAST_AVAILABLE = 1,
    }
}

/// Callback of `H5Diterate`.
pub type H5D_operator_t = Option<
    unsafe extern "C" fn(
        elem: *mut c_void,
        type_id: hid_t,
        ndim: c_uint,
        point: *const hsize_t,
        operator_data: *mut c_void,
    ) -> herr_t,
>;

/// Callback of `H5Dscatter`.
pub type H5D_scatter_func_t = Option<
    unsafe extern "C" fn(
        src_buf: *mut *const c_void,
        src_buf_bytes_used: *mut usize,
        op_data: *mut c_void,
    ) -> herr_t,
>;

/// Callback of `H5Dgather`.
pub type H5D_gather_func_t = Option<
    unsafe extern "C" fn(dst_buf: *const c_void, dst_buf_bytes_used: usize, op_data: *mut c_void) -> herr_t,
>;

/// Callback of `H5Dchunk_iter`.
pub type H5D_chunk_iter_op_t = Option<
    unsafe extern "C" fn(
        offset: *const hsize_t,
        filter_mask: c_uint,
        addr: haddr_t,
        size: hsize_t,
        op_data: *mut c_void,
    ) -> c_int,
>;
