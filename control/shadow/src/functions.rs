//! The functions of HDF5's C API that a shadow is made and read with.
//!
//! `tests/prototypes.rs` compares each with its prototype in the headers of HDF5, so the list is written as the headers
//! have it: names and types, one line each.

#![expect(non_snake_case, reason = "the fields carry HDF5's own names")]

use core::ffi::{c_char, c_int, c_uint, c_ulong, c_void};

use h5_abi::{
    H5_index_t, H5_iter_order_t, H5A_operator2_t, H5D_alloc_time_t, H5D_fill_time_t, H5D_layout_t,
    H5F_fspace_strategy_t, H5L_info2_t, H5L_iterate2_t, H5O_info2_t, H5O_token_t, H5R_ref_t, H5S_seloper_t,
    H5T_class_t, H5T_cset_t, H5T_norm_t, H5T_order_t, H5T_pad_t, H5T_sign_t, H5T_str_t, herr_t, hid_t,
    hsize_t, htri_t,
};
use h5_vol::host_functions as functions;

functions! {
    fn H5Fcreate(name: *const c_char, flags: c_uint, fcpl: hid_t, fapl: hid_t) -> hid_t;
    fn H5Fget_fileno(file: hid_t, number: *mut c_ulong) -> herr_t;
    fn H5Fget_obj_count(file: hid_t, types: c_uint) -> isize;
    fn H5Fget_obj_ids(file: hid_t, types: c_uint, most: usize, ids: *mut hid_t) -> isize;

    fn H5Pset_page_buffer_size(list: hid_t, size: usize, metadata: c_uint, raw: c_uint) -> herr_t;
    fn H5Pset_evict_on_close(list: hid_t, evict: bool) -> herr_t;
    fn H5Pset_layout(list: hid_t, layout: H5D_layout_t) -> herr_t;
    fn H5Pset_chunk(list: hid_t, rank: c_int, dims: *const hsize_t) -> herr_t;
    fn H5Pset_alloc_time(list: hid_t, time: H5D_alloc_time_t) -> herr_t;
    fn H5Pset_fill_time(list: hid_t, time: H5D_fill_time_t) -> herr_t;
    fn H5Pset_fill_value(list: hid_t, datatype: hid_t, value: *const c_void) -> herr_t;
    fn H5Pget_link_creation_order(list: hid_t, flags: *mut c_uint) -> herr_t;
    fn H5Pset_link_creation_order(list: hid_t, flags: c_uint) -> herr_t;
    fn H5Pget_attr_creation_order(list: hid_t, flags: *mut c_uint) -> herr_t;
    fn H5Pset_attr_creation_order(list: hid_t, flags: c_uint) -> herr_t;
    fn H5Pget_virtual_prefix(list: hid_t, prefix: *mut c_char, size: usize) -> isize;
    fn H5Pget_userblock(list: hid_t, size: *mut hsize_t) -> herr_t;
    fn H5Pset_userblock(list: hid_t, size: hsize_t) -> herr_t;
    fn H5Pget_file_space_strategy(list: hid_t, strategy: *mut H5F_fspace_strategy_t, persist: *mut bool, threshold: *mut hsize_t) -> herr_t;
    fn H5Pset_file_space_strategy(list: hid_t, strategy: H5F_fspace_strategy_t, persist: bool, threshold: hsize_t) -> herr_t;
    fn H5Pget_file_space_page_size(list: hid_t, size: *mut hsize_t) -> herr_t;
    fn H5Pset_file_space_page_size(list: hid_t, size: hsize_t) -> herr_t;
    fn H5Pget_file_locking(list: hid_t, locks: *mut bool, ignores: *mut bool) -> herr_t;
    fn H5Pget_copy_object(list: hid_t, flags: *mut c_uint) -> herr_t;
    fn H5Pget_elink_fapl(list: hid_t) -> hid_t;
    fn H5Pget_elink_acc_flags(list: hid_t, flags: *mut c_uint) -> herr_t;
    fn H5Pset_char_encoding(list: hid_t, encoding: H5T_cset_t) -> herr_t;
    fn H5Pencode2(list: hid_t, buffer: *mut c_void, size: *mut usize, fapl: hid_t) -> herr_t;
    fn H5Pdecode(buffer: *const c_void) -> hid_t;

    fn H5Gcreate2(location: hid_t, name: *const c_char, lcpl: hid_t, gcpl: hid_t, gapl: hid_t) -> hid_t;
    fn H5Gget_create_plist(group: hid_t) -> hid_t;

    fn H5Lcreate_soft(path: *const c_char, location: hid_t, name: *const c_char, lcpl: hid_t, lapl: hid_t) -> herr_t;
    fn H5Lcreate_external(file: *const c_char, object: *const c_char, location: hid_t, name: *const c_char, lcpl: hid_t, lapl: hid_t) -> herr_t;
    fn H5Ldelete(location: hid_t, name: *const c_char, lapl: hid_t) -> herr_t;
    fn H5Lget_info2(location: hid_t, name: *const c_char, info: *mut H5L_info2_t, lapl: hid_t) -> herr_t;
    fn H5Lget_val(location: hid_t, name: *const c_char, buffer: *mut c_void, size: usize, lapl: hid_t) -> herr_t;
    fn H5Literate2(group: hid_t, index: H5_index_t, order: H5_iter_order_t, position: *mut hsize_t, op: H5L_iterate2_t, data: *mut c_void) -> herr_t;

    fn H5Oopen_by_token(location: hid_t, token: H5O_token_t) -> hid_t;
    fn H5Oget_info3(object: hid_t, info: *mut H5O_info2_t, fields: c_uint) -> herr_t;
    fn H5Oget_info_by_name3(location: hid_t, name: *const c_char, info: *mut H5O_info2_t, fields: c_uint, lapl: hid_t) -> herr_t;
    fn H5Olink(object: hid_t, location: hid_t, name: *const c_char, lcpl: hid_t, lapl: hid_t) -> herr_t;

    fn H5Rget_type(reference: *const H5R_ref_t) -> c_int;
    fn H5Rcreate_object(location: hid_t, name: *const c_char, oapl: hid_t, reference: *mut H5R_ref_t) -> herr_t;
    fn H5Rcreate_region(location: hid_t, name: *const c_char, space: hid_t, oapl: hid_t, reference: *mut H5R_ref_t) -> herr_t;
    fn H5Ropen_object(reference: *mut H5R_ref_t, rapl: hid_t, oapl: hid_t) -> hid_t;
    fn H5Ropen_region(reference: *mut H5R_ref_t, rapl: hid_t, oapl: hid_t) -> hid_t;
    fn H5Rdestroy(reference: *mut H5R_ref_t) -> herr_t;
    fn H5Rcreate(reference: *mut c_void, location: hid_t, name: *const c_char, kind: c_int, space: hid_t) -> herr_t;
    fn H5Rdereference2(object: hid_t, oapl: hid_t, kind: c_int, reference: *const c_void) -> hid_t;
    fn H5Rget_region(dataset: hid_t, kind: c_int, reference: *const c_void) -> hid_t;

    fn H5Dcreate2(location: hid_t, name: *const c_char, datatype: hid_t, space: hid_t, lcpl: hid_t, dcpl: hid_t, dapl: hid_t) -> hid_t;
    fn H5Dwrite(dataset: hid_t, memory_type: hid_t, memory: hid_t, file: hid_t, dxpl: hid_t, buffer: *const c_void) -> herr_t;
    fn H5Dget_space(dataset: hid_t) -> hid_t;
    fn H5Dget_create_plist(dataset: hid_t) -> hid_t;

    fn H5Acreate2(object: hid_t, name: *const c_char, datatype: hid_t, space: hid_t, acpl: hid_t, aapl: hid_t) -> hid_t;
    fn H5Aopen(object: hid_t, name: *const c_char, aapl: hid_t) -> hid_t;
    fn H5Aread(attribute: hid_t, memory_type: hid_t, buffer: *mut c_void) -> herr_t;
    fn H5Awrite(attribute: hid_t, memory_type: hid_t, buffer: *const c_void) -> herr_t;
    fn H5Aget_space(attribute: hid_t) -> hid_t;
    fn H5Aget_type(attribute: hid_t) -> hid_t;
    fn H5Aiterate2(object: hid_t, index: H5_index_t, order: H5_iter_order_t, position: *mut hsize_t, op: H5A_operator2_t, data: *mut c_void) -> herr_t;

    fn H5Pset_virtual(list: hid_t, mapped: hid_t, file: *const c_char, dataset: *const c_char, source: hid_t) -> herr_t;
    fn H5Pset_external(list: hid_t, name: *const c_char, offset: i64, size: hsize_t) -> herr_t;
    fn H5Sselect_all(space: hid_t) -> herr_t;
    fn H5Sselect_none(space: hid_t) -> herr_t;
    fn H5Sselect_hyperslab(space: hid_t, operation: H5S_seloper_t, start: *const hsize_t, stride: *const hsize_t, count: *const hsize_t, block: *const hsize_t) -> herr_t;
    fn H5Screate_simple(rank: c_int, dims: *const hsize_t, maximum: *const hsize_t) -> hid_t;

    fn H5Tcreate(class: H5T_class_t, size: usize) -> hid_t;
    fn H5Tencode(datatype: hid_t, buffer: *mut c_void, size: *mut usize) -> herr_t;
    fn H5Tdecode(buffer: *const c_void) -> hid_t;
    fn H5Tdecode2(buffer: *const c_void, size: usize) -> hid_t;
    fn H5Tcommit2(location: hid_t, name: *const c_char, datatype: hid_t, lcpl: hid_t, tcpl: hid_t, tapl: hid_t) -> herr_t;
    fn H5Tcommitted(datatype: hid_t) -> htri_t;
    fn H5Tset_size(datatype: hid_t, size: usize) -> herr_t;
    fn H5Tset_order(datatype: hid_t, order: H5T_order_t) -> herr_t;
    fn H5Tset_precision(datatype: hid_t, bits: usize) -> herr_t;
    fn H5Tset_offset(datatype: hid_t, offset: usize) -> herr_t;
    fn H5Tset_pad(datatype: hid_t, low: H5T_pad_t, high: H5T_pad_t) -> herr_t;
    fn H5Tset_sign(datatype: hid_t, sign: H5T_sign_t) -> herr_t;
    fn H5Tset_fields(datatype: hid_t, sign: usize, exponent: usize, exponent_size: usize, mantissa: usize, mantissa_size: usize) -> herr_t;
    fn H5Tset_ebias(datatype: hid_t, bias: usize) -> herr_t;
    fn H5Tset_norm(datatype: hid_t, norm: H5T_norm_t) -> herr_t;
    fn H5Tset_inpad(datatype: hid_t, pad: H5T_pad_t) -> herr_t;
    fn H5Tset_strpad(datatype: hid_t, pad: H5T_str_t) -> herr_t;
    fn H5Tset_cset(datatype: hid_t, cset: H5T_cset_t) -> herr_t;
    fn H5Tset_tag(datatype: hid_t, tag: *const c_char) -> herr_t;
    fn H5Tinsert(datatype: hid_t, name: *const c_char, offset: usize, member: hid_t) -> herr_t;
    fn H5Tenum_create(base: hid_t) -> hid_t;
    fn H5Tenum_insert(datatype: hid_t, name: *const c_char, value: *const c_void) -> herr_t;
    fn H5Tvlen_create(base: hid_t) -> hid_t;
    fn H5Tarray_create2(base: hid_t, rank: c_uint, dims: *const hsize_t) -> hid_t;
    fn H5Tcomplex_create(base: hid_t) -> hid_t;
    fn H5Treclaim(datatype: hid_t, space: hid_t, dxpl: hid_t, buffer: *mut c_void) -> herr_t;
}

/// Variables of the library that hold identifiers. Only these are read.
pub(crate) const IDENTIFIERS: &[&str] = &[
    "H5P_CLS_FILE_ACCESS_ID_g",
    "H5P_CLS_FILE_CREATE_ID_g",
    "H5P_CLS_GROUP_CREATE_ID_g",
    "H5P_CLS_DATASET_CREATE_ID_g",
    "H5P_CLS_LINK_CREATE_ID_g",
    "H5P_CLS_ATTRIBUTE_CREATE_ID_g",
    "H5T_C_S1_g",
    "H5T_IEEE_F64LE_g",
    "H5T_STD_B64LE_g",
    "H5T_STD_I64LE_g",
    "H5T_STD_REF_DSETREG_g",
    "H5T_UNIX_D32BE_g",
    "H5T_UNIX_D32LE_g",
    "H5T_UNIX_D64BE_g",
    "H5T_UNIX_D64LE_g",
    "H5T_STD_REF_OBJ_g",
    "H5T_STD_REF_g",
];
