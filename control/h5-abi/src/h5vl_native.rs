//! Mirror of `H5VLnative.h`: the optional operations of the native connector.
//!
//! Two layouts differ between 1.14.5 and 2.2.0, the releases this is compared with:
//! [`H5VL_native_dataset_chunk_read_t`] got `buf_size` (with `H5Dread_chunk2`, in 2.0), and `size` of
//! [`H5VL_native_dataset_chunk_write_t`] went from 32 bits to `size_t` (with 64-bit chunks), which moves `buf`.
//! The older layouts have the suffix `_v1_t` here. Everything else is the same.
//!
//! The MPI operations and their union members are only in the headers of parallel builds; their numbers and
//! layouts are fixed, so they are always declared here.

use core::ffi::{CStr, c_char, c_double, c_int, c_uint, c_void};

use crate::h5a::H5A_operator1_t;
use crate::h5d::{H5D_chunk_index_t, H5D_chunk_iter_op_t};
use crate::h5f::{H5F_info2_t, H5F_libver_t, H5F_mem_t, H5F_retry_info_t, H5F_sect_info_t};
use crate::h5g::{H5G_iterate_t, H5G_stat_t};
use crate::h5i::H5I_type_t;
use crate::h5o::H5O_native_info_t;
use crate::h5vl_connector::H5VL_loc_params_t;
use crate::h5vl_public::{H5_VOL_NATIVE, H5VL_class_value_t};
use crate::public::{haddr_t, hid_t, hsize_t};

/// Name of the native connector.
pub const H5VL_NATIVE_NAME: &CStr = c"native";

/// Number of the native connector.
pub const H5VL_NATIVE_VALUE: H5VL_class_value_t = H5_VOL_NATIVE;

/// Version of the native connector.
pub const H5VL_NATIVE_VERSION: c_uint = 0;

pub const H5VL_NATIVE_ATTR_ITERATE_OLD: c_int = 0;

/// Arguments of the native optional attr operation `iterate_old`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_attr_iterate_old_t {
    pub loc_id: hid_t,
    pub attr_num: *mut c_uint,
    pub op: H5A_operator1_t,
    pub op_data: *mut c_void,
}

/// Arguments of the native connector's optional attribute operations (`H5VL_optional_args_t::args` points to
/// it).
#[repr(C)]
#[derive(Clone, Copy)]
pub union H5VL_native_attr_optional_args_t {
    pub iterate_old: H5VL_native_attr_iterate_old_t,
}

pub const H5VL_NATIVE_DATASET_FORMAT_CONVERT: c_int = 0;
pub const H5VL_NATIVE_DATASET_GET_CHUNK_INDEX_TYPE: c_int = 1;
pub const H5VL_NATIVE_DATASET_GET_CHUNK_STORAGE_SIZE: c_int = 2;
pub const H5VL_NATIVE_DATASET_GET_NUM_CHUNKS: c_int = 3;
pub const H5VL_NATIVE_DATASET_GET_CHUNK_INFO_BY_IDX: c_int = 4;
pub const H5VL_NATIVE_DATASET_GET_CHUNK_INFO_BY_COORD: c_int = 5;
pub const H5VL_NATIVE_DATASET_CHUNK_READ: c_int = 6;
pub const H5VL_NATIVE_DATASET_CHUNK_WRITE: c_int = 7;
pub const H5VL_NATIVE_DATASET_GET_VLEN_BUF_SIZE: c_int = 8;
pub const H5VL_NATIVE_DATASET_GET_OFFSET: c_int = 9;
pub const H5VL_NATIVE_DATASET_CHUNK_ITER: c_int = 10;

/// Arguments of `H5VL_NATIVE_DATASET_CHUNK_READ`, since 2.0; for 1.x see
/// [`H5VL_native_dataset_chunk_read_v1_t`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_dataset_chunk_read_t {
    pub offset: *const hsize_t,
    pub filters: u32,
    pub buf: *mut c_void,
    pub buf_size: *mut usize,
}

/// Arguments of `H5VL_NATIVE_DATASET_CHUNK_WRITE`, since 2.0; for 1.x see
/// [`H5VL_native_dataset_chunk_write_v1_t`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_dataset_chunk_write_t {
    pub offset: *const hsize_t,
    pub filters: u32,
    pub size: usize,
    pub buf: *const c_void,
}

/// Arguments of the native optional dataset operation `get_vlen_buf_size`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_dataset_get_vlen_buf_size_t {
    pub type_id: hid_t,
    pub space_id: hid_t,
    pub size: *mut hsize_t,
}

/// Arguments of the native optional dataset operation `get_chunk_storage_size`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_dataset_get_chunk_storage_size_t {
    pub offset: *const hsize_t,
    pub size: *mut hsize_t,
}

/// Arguments of the native optional dataset operation `get_num_chunks`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_dataset_get_num_chunks_t {
    pub space_id: hid_t,
    pub nchunks: *mut hsize_t,
}

/// Arguments of the native optional dataset operation `get_chunk_info_by_idx`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_dataset_get_chunk_info_by_idx_t {
    pub space_id: hid_t,
    pub chk_index: hsize_t,
    pub offset: *mut hsize_t,
    pub filter_mask: *mut c_uint,
    pub addr: *mut haddr_t,
    pub size: *mut hsize_t,
}

/// Arguments of the native optional dataset operation `get_chunk_info_by_coord`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_dataset_get_chunk_info_by_coord_t {
    pub offset: *const hsize_t,
    pub filter_mask: *mut c_uint,
    pub addr: *mut haddr_t,
    pub size: *mut hsize_t,
}

/// Arguments of `H5VL_NATIVE_DATASET_CHUNK_READ` in 1.x libraries, where C names it
/// `H5VL_native_dataset_chunk_read_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_dataset_chunk_read_v1_t {
    pub offset: *const hsize_t,
    pub filters: u32,
    pub buf: *mut c_void,
}

/// Arguments of `H5VL_NATIVE_DATASET_CHUNK_WRITE` in 1.x libraries, where C names it
/// `H5VL_native_dataset_chunk_write_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_dataset_chunk_write_v1_t {
    pub offset: *const hsize_t,
    pub filters: u32,
    pub size: u32,
    pub buf: *const c_void,
}

/// `get_chunk_idx_type` of [`H5VL_native_dataset_optional_args_t`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_dataset_get_chunk_idx_type_t {
    pub idx_type: *mut H5D_chunk_index_t,
}

/// `get_offset` of [`H5VL_native_dataset_optional_args_t`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_dataset_get_offset_t {
    pub offset: *mut haddr_t,
}

/// `chunk_iter` of [`H5VL_native_dataset_optional_args_t`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_dataset_chunk_iter_t {
    pub op: H5D_chunk_iter_op_t,
    pub op_data: *mut c_void,
}

/// Arguments of the native connector's optional dataset operations (`H5VL_optional_args_t::args` points to
/// it).
#[repr(C)]
#[derive(Clone, Copy)]
pub union H5VL_native_dataset_optional_args_t {
    pub get_chunk_idx_type: H5VL_native_dataset_get_chunk_idx_type_t,
    pub get_chunk_storage_size: H5VL_native_dataset_get_chunk_storage_size_t,
    pub get_num_chunks: H5VL_native_dataset_get_num_chunks_t,
    pub get_chunk_info_by_idx: H5VL_native_dataset_get_chunk_info_by_idx_t,
    pub get_chunk_info_by_coord: H5VL_native_dataset_get_chunk_info_by_coord_t,
    pub chunk_read: H5VL_native_dataset_chunk_read_t,
    pub chunk_write: H5VL_native_dataset_chunk_write_t,
    pub get_vlen_buf_size: H5VL_native_dataset_get_vlen_buf_size_t,
    pub get_offset: H5VL_native_dataset_get_offset_t,
    pub chunk_iter: H5VL_native_dataset_chunk_iter_t,
    /// Not in C: what `chunk_read` is in a 1.x library.
    pub chunk_read_v1: H5VL_native_dataset_chunk_read_v1_t,
    /// Not in C: what `chunk_write` is in a 1.x library.
    pub chunk_write_v1: H5VL_native_dataset_chunk_write_v1_t,
}

pub const H5VL_NATIVE_FILE_CLEAR_ELINK_CACHE: c_int = 0;
pub const H5VL_NATIVE_FILE_GET_FILE_IMAGE: c_int = 1;
pub const H5VL_NATIVE_FILE_GET_FREE_SECTIONS: c_int = 2;
pub const H5VL_NATIVE_FILE_GET_FREE_SPACE: c_int = 3;
pub const H5VL_NATIVE_FILE_GET_INFO: c_int = 4;
pub const H5VL_NATIVE_FILE_GET_MDC_CONF: c_int = 5;
pub const H5VL_NATIVE_FILE_GET_MDC_HR: c_int = 6;
pub const H5VL_NATIVE_FILE_GET_MDC_SIZE: c_int = 7;
pub const H5VL_NATIVE_FILE_GET_SIZE: c_int = 8;
pub const H5VL_NATIVE_FILE_GET_VFD_HANDLE: c_int = 9;
pub const H5VL_NATIVE_FILE_RESET_MDC_HIT_RATE: c_int = 10;
pub const H5VL_NATIVE_FILE_SET_MDC_CONFIG: c_int = 11;
pub const H5VL_NATIVE_FILE_GET_METADATA_READ_RETRY_INFO: c_int = 12;
pub const H5VL_NATIVE_FILE_START_SWMR_WRITE: c_int = 13;
pub const H5VL_NATIVE_FILE_START_MDC_LOGGING: c_int = 14;
pub const H5VL_NATIVE_FILE_STOP_MDC_LOGGING: c_int = 15;
pub const H5VL_NATIVE_FILE_GET_MDC_LOGGING_STATUS: c_int = 16;
pub const H5VL_NATIVE_FILE_FORMAT_CONVERT: c_int = 17;
pub const H5VL_NATIVE_FILE_RESET_PAGE_BUFFERING_STATS: c_int = 18;
pub const H5VL_NATIVE_FILE_GET_PAGE_BUFFERING_STATS: c_int = 19;
pub const H5VL_NATIVE_FILE_GET_MDC_IMAGE_INFO: c_int = 20;
pub const H5VL_NATIVE_FILE_GET_EOA: c_int = 21;
pub const H5VL_NATIVE_FILE_INCR_FILESIZE: c_int = 22;
pub const H5VL_NATIVE_FILE_SET_LIBVER_BOUNDS: c_int = 23;
pub const H5VL_NATIVE_FILE_GET_MIN_DSET_OHDR_FLAG: c_int = 24;
pub const H5VL_NATIVE_FILE_SET_MIN_DSET_OHDR_FLAG: c_int = 25;
pub const H5VL_NATIVE_FILE_GET_MPI_ATOMICITY: c_int = 26;
pub const H5VL_NATIVE_FILE_SET_MPI_ATOMICITY: c_int = 27;
pub const H5VL_NATIVE_FILE_POST_OPEN: c_int = 28;

/// Metadata cache configuration; only ever behind a pointer here, so its fields are not declared.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5AC_cache_config_t {
    _opaque: [u8; 0],
}

/// Arguments of the native optional file operation `get_file_image`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_file_get_file_image_t {
    pub buf_size: usize,
    pub buf: *mut c_void,
    pub image_len: *mut usize,
}

/// Arguments of the native optional file operation `get_free_sections`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_file_get_free_sections_t {
    pub type_: H5F_mem_t,
    pub sect_info: *mut H5F_sect_info_t,
    pub nsects: usize,
    pub sect_count: *mut usize,
}

/// Arguments of the native optional file operation `get_freespace`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_file_get_freespace_t {
    pub size: *mut hsize_t,
}

/// Arguments of the native optional file operation `get_info`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_file_get_info_t {
    pub type_: H5I_type_t,
    pub finfo: *mut H5F_info2_t,
}

/// Arguments of the native optional file operation `get_mdc_size`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_file_get_mdc_size_t {
    pub max_size: *mut usize,
    pub min_clean_size: *mut usize,
    pub cur_size: *mut usize,
    pub cur_num_entries: *mut u32,
}

/// Arguments of the native optional file operation `get_vfd_handle`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_file_get_vfd_handle_t {
    pub fapl_id: hid_t,
    pub file_handle: *mut *mut c_void,
}

/// Arguments of the native optional file operation `get_mdc_logging_status`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_file_get_mdc_logging_status_t {
    pub is_enabled: *mut bool,
    pub is_currently_logging: *mut bool,
}

/// Arguments of the native optional file operation `get_page_buffering_stats`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_file_get_page_buffering_stats_t {
    pub accesses: *mut c_uint,
    pub hits: *mut c_uint,
    pub misses: *mut c_uint,
    pub evictions: *mut c_uint,
    pub bypasses: *mut c_uint,
}

/// Arguments of the native optional file operation `get_mdc_image_info`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_file_get_mdc_image_info_t {
    pub addr: *mut haddr_t,
    pub len: *mut hsize_t,
}

/// Arguments of the native optional file operation `set_libver_bounds`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_file_set_libver_bounds_t {
    pub low: H5F_libver_t,
    pub high: H5F_libver_t,
}

/// `get_mdc_config` of [`H5VL_native_file_optional_args_t`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_file_get_mdc_config_t {
    pub config: *mut H5AC_cache_config_t,
}

/// `get_mdc_hit_rate` of [`H5VL_native_file_optional_args_t`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_file_get_mdc_hit_rate_t {
    pub hit_rate: *mut c_double,
}

/// `get_size` of [`H5VL_native_file_optional_args_t`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_file_get_size_t {
    pub size: *mut hsize_t,
}

/// `set_mdc_config` of [`H5VL_native_file_optional_args_t`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_file_set_mdc_config_t {
    pub config: *const H5AC_cache_config_t,
}

/// `get_metadata_read_retry_info` of [`H5VL_native_file_optional_args_t`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_file_get_metadata_read_retry_info_t {
    pub info: *mut H5F_retry_info_t,
}

/// `get_eoa` of [`H5VL_native_file_optional_args_t`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_file_get_eoa_t {
    pub eoa: *mut haddr_t,
}

/// `increment_filesize` of [`H5VL_native_file_optional_args_t`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_file_increment_filesize_t {
    pub increment: hsize_t,
}

/// `get_min_dset_ohdr_flag` of [`H5VL_native_file_optional_args_t`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_file_get_min_dset_ohdr_flag_t {
    pub minimize: *mut bool,
}

/// `set_min_dset_ohdr_flag` of [`H5VL_native_file_optional_args_t`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_file_set_min_dset_ohdr_flag_t {
    pub minimize: bool,
}

/// `get_mpi_atomicity` of [`H5VL_native_file_optional_args_t`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_file_get_mpi_atomicity_t {
    pub flag: *mut bool,
}

/// `set_mpi_atomicity` of [`H5VL_native_file_optional_args_t`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_file_set_mpi_atomicity_t {
    pub flag: bool,
}

/// Arguments of the native connector's optional file operations (`H5VL_optional_args_t::args` points to it).
#[repr(C)]
#[derive(Clone, Copy)]
pub union H5VL_native_file_optional_args_t {
    pub get_file_image: H5VL_native_file_get_file_image_t,
    pub get_free_sections: H5VL_native_file_get_free_sections_t,
    pub get_freespace: H5VL_native_file_get_freespace_t,
    pub get_info: H5VL_native_file_get_info_t,
    pub get_mdc_config: H5VL_native_file_get_mdc_config_t,
    pub get_mdc_hit_rate: H5VL_native_file_get_mdc_hit_rate_t,
    pub get_mdc_size: H5VL_native_file_get_mdc_size_t,
    pub get_size: H5VL_native_file_get_size_t,
    pub get_vfd_handle: H5VL_native_file_get_vfd_handle_t,
    pub set_mdc_config: H5VL_native_file_set_mdc_config_t,
    pub get_metadata_read_retry_info: H5VL_native_file_get_metadata_read_retry_info_t,
    pub get_mdc_logging_status: H5VL_native_file_get_mdc_logging_status_t,
    pub get_page_buffering_stats: H5VL_native_file_get_page_buffering_stats_t,
    pub get_mdc_image_info: H5VL_native_file_get_mdc_image_info_t,
    pub get_eoa: H5VL_native_file_get_eoa_t,
    pub increment_filesize: H5VL_native_file_increment_filesize_t,
    pub set_libver_bounds: H5VL_native_file_set_libver_bounds_t,
    pub get_min_dset_ohdr_flag: H5VL_native_file_get_min_dset_ohdr_flag_t,
    pub set_min_dset_ohdr_flag: H5VL_native_file_set_min_dset_ohdr_flag_t,
    pub get_mpi_atomicity: H5VL_native_file_get_mpi_atomicity_t,
    pub set_mpi_atomicity: H5VL_native_file_set_mpi_atomicity_t,
}

pub const H5VL_NATIVE_GROUP_ITERATE_OLD: c_int = 0;
pub const H5VL_NATIVE_GROUP_GET_OBJINFO: c_int = 1;

/// Arguments of the native optional group operation `iterate_old`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct H5VL_native_group_iterate_old_t {
    pub loc_params: H5VL_loc_params_t,
    pub idx: hsize_t,
    pub last_obj: *mut hsize_t,
    pub op: H5G_iterate_t,
    pub op_data: *mut c_void,
}

/// Arguments of the native optional group operation `get_objinfo`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct H5VL_native_group_get_objinfo_t {
    pub loc_params: H5VL_loc_params_t,
    pub follow_link: bool,
    pub statbuf: *mut H5G_stat_t,
}

/// Arguments of the native connector's optional group operations (`H5VL_optional_args_t::args` points to it).
#[repr(C)]
#[derive(Clone, Copy)]
pub union H5VL_native_group_optional_args_t {
    pub iterate_old: H5VL_native_group_iterate_old_t,
    pub get_objinfo: H5VL_native_group_get_objinfo_t,
}

pub const H5VL_NATIVE_OBJECT_GET_COMMENT: c_int = 0;
pub const H5VL_NATIVE_OBJECT_SET_COMMENT: c_int = 1;
pub const H5VL_NATIVE_OBJECT_DISABLE_MDC_FLUSHES: c_int = 2;
pub const H5VL_NATIVE_OBJECT_ENABLE_MDC_FLUSHES: c_int = 3;
pub const H5VL_NATIVE_OBJECT_ARE_MDC_FLUSHES_DISABLED: c_int = 4;
pub const H5VL_NATIVE_OBJECT_GET_NATIVE_INFO: c_int = 5;

/// Arguments of the native optional object operation `get_comment`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_object_get_comment_t {
    pub buf_size: usize,
    pub buf: *mut c_void,
    pub comment_len: *mut usize,
}

/// Arguments of the native optional object operation `get_native_info`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_object_get_native_info_t {
    pub fields: c_uint,
    pub ninfo: *mut H5O_native_info_t,
}

/// `set_comment` of [`H5VL_native_object_optional_args_t`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_object_set_comment_t {
    pub comment: *const c_char,
}

/// `are_mdc_flushes_disabled` of [`H5VL_native_object_optional_args_t`].
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5VL_native_object_are_mdc_flushes_disabled_t {
    pub flag: *mut bool,
}

/// Arguments of the native connector's optional object operations (`H5VL_optional_args_t::args` points to
/// it).
#[repr(C)]
#[derive(Clone, Copy)]
pub union H5VL_native_object_optional_args_t {
    pub get_comment: H5VL_native_object_get_comment_t,
    pub set_comment: H5VL_native_object_set_comment_t,
    pub are_mdc_flushes_disabled: H5VL_native_object_are_mdc_flushes_disabled_t,
    pub get_native_info: H5VL_native_object_get_native_info_t,
}
