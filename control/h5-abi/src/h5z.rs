//! Mirror of `H5Zpublic.h` and `H5Zdevelop.h`.

use core::ffi::{c_char, c_int, c_uint, c_void};

use crate::public::{herr_t, hid_t, htri_t};

/// Filter number.
pub type H5Z_filter_t = c_int;

pub const H5Z_FILTER_ERROR: H5Z_filter_t = -1;
pub const H5Z_FILTER_NONE: H5Z_filter_t = 0;
pub const H5Z_FILTER_DEFLATE: H5Z_filter_t = 1;
pub const H5Z_FILTER_SHUFFLE: H5Z_filter_t = 2;
pub const H5Z_FILTER_FLETCHER32: H5Z_filter_t = 3;
pub const H5Z_FILTER_SZIP: H5Z_filter_t = 4;
pub const H5Z_FILTER_NBIT: H5Z_filter_t = 5;
pub const H5Z_FILTER_SCALEOFFSET: H5Z_filter_t = 6;
pub const H5Z_FILTER_RESERVED: H5Z_filter_t = 256;
pub const H5Z_FILTER_MAX: H5Z_filter_t = 65535;
pub const H5Z_FILTER_ALL: H5Z_filter_t = 0;

/// Largest number of filters in a pipeline.
pub const H5Z_MAX_NFILTERS: usize = 32;

pub const H5Z_FLAG_DEFMASK: c_uint = 0x00ff;
pub const H5Z_FLAG_MANDATORY: c_uint = 0x0000;
pub const H5Z_FLAG_OPTIONAL: c_uint = 0x0001;
pub const H5Z_FLAG_INVMASK: c_uint = 0xff00;
pub const H5Z_FLAG_REVERSE: c_uint = 0x0100;
pub const H5Z_FLAG_SKIP_EDC: c_uint = 0x0200;
pub const H5Z_FILTER_CONFIG_ENCODE_ENABLED: c_uint = 0x0001;
pub const H5Z_FILTER_CONFIG_DECODE_ENABLED: c_uint = 0x0002;
pub const H5_SZIP_ALLOW_K13_OPTION_MASK: c_uint = 1;
pub const H5_SZIP_CHIP_OPTION_MASK: c_uint = 2;
pub const H5_SZIP_EC_OPTION_MASK: c_uint = 4;
pub const H5_SZIP_NN_OPTION_MASK: c_uint = 32;
pub const H5_SZIP_MAX_PIXELS_PER_BLOCK: c_uint = 32;

c_enum! {
    /// Scale type of the scale-offset filter.
    H5Z_SO_scale_type_t {
        H5Z_SO_FLOAT_DSCALE = 0,
        H5Z_SO_FLOAT_ESCALE = 1,
        H5Z_SO_INT = 2,
    }
}

c_enum! {
    /// Whether error detection is on for reads.
    H5Z_EDC_t {
        H5Z_ERROR_EDC = -1,
        H5Z_DISABLE_EDC = 0,
        H5Z_ENABLE_EDC = 1,
        H5Z_NO_EDC = 2,
    }
}

c_enum! {
    /// What a filter callback decided.
    H5Z_cb_return_t {
        H5Z_CB_ERROR = -1,
        H5Z_CB_FAIL = 0,
        H5Z_CB_CONT = 1,
        H5Z_CB_NO = 2,
    }
}

/// Filter callback (`H5Pset_filter_callback`).
pub type H5Z_filter_func_t = Option<
    unsafe extern "C" fn(
        filter: H5Z_filter_t,
        buf: *mut c_void,
        buf_size: usize,
        op_data: *mut c_void,
    ) -> H5Z_cb_return_t,
>;

/// Version of [`H5Z_class2_t`].
pub const H5Z_CLASS_T_VERS: c_int = 1;

/// `can_apply` of a filter.
pub type H5Z_can_apply_func_t =
    Option<unsafe extern "C" fn(dcpl_id: hid_t, type_id: hid_t, space_id: hid_t) -> htri_t>;

/// `set_local` of a filter.
pub type H5Z_set_local_func_t =
    Option<unsafe extern "C" fn(dcpl_id: hid_t, type_id: hid_t, space_id: hid_t) -> herr_t>;

/// The filter function itself.
pub type H5Z_func_t = Option<
    unsafe extern "C" fn(
        flags: c_uint,
        cd_nelmts: usize,
        cd_values: *const c_uint,
        nbytes: usize,
        buf_size: *mut usize,
        buf: *mut *mut c_void,
    ) -> usize,
>;

/// A filter, as the `H5PLget_plugin_info` of a filter plugin returns it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct H5Z_class2_t {
    pub version: c_int,
    pub id: H5Z_filter_t,
    pub encoder_present: c_uint,
    pub decoder_present: c_uint,
    pub name: *const c_char,
    pub can_apply: H5Z_can_apply_func_t,
    pub set_local: H5Z_set_local_func_t,
    pub filter: H5Z_func_t,
}
