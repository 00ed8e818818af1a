//! The functions of HDF5's C API that other sides are worked on with.
//!
//! `tests/prototypes.rs` compares each with its prototype in the headers of HDF5, so the list is written as the headers
//! have it: names and types, one line each.

#![expect(non_snake_case, reason = "the fields carry HDF5's own names")]

use core::ffi::{c_char, c_int, c_uint, c_void};

use h5_abi::{
    H5_index_t, H5_iter_order_t, H5A_operator2_t, H5D_gather_func_t, H5F_scope_t, H5L_iterate2_t, H5L_type_t,
    H5O_info2_t, H5R_ref_t, H5S_seloper_t, H5VL_optional_args_t, herr_t, hid_t, hsize_t, htri_t,
};
use h5_vol::host_functions as functions;

functions! {
    fn H5Fcreate(name: *const c_char, flags: c_uint, fcpl: hid_t, fapl: hid_t) -> hid_t;
    fn H5Fopen(name: *const c_char, flags: c_uint, fapl: hid_t) -> hid_t;
    fn H5Freopen(file: hid_t) -> hid_t;
    fn H5Fflush(object: hid_t, scope: H5F_scope_t) -> herr_t;
    fn H5Fdelete(name: *const c_char, fapl: hid_t) -> herr_t;
    fn H5Fmount(location: hid_t, name: *const c_char, child: hid_t, plist: hid_t) -> herr_t;
    fn H5Funmount(location: hid_t, name: *const c_char) -> herr_t;
    fn H5Iget_file_id(id: hid_t) -> hid_t;
    fn H5Iget_name(id: hid_t, name: *mut c_char, size: usize) -> isize;
    fn H5Pget_fapl_core(list: hid_t, increment: *mut usize, backing_store: *mut bool) -> herr_t;
    fn H5Pget_fapl_family(list: hid_t, size: *mut hsize_t, member: *mut hid_t) -> herr_t;
    fn H5Pset_fapl_stdio(list: hid_t) -> herr_t;
    fn H5Pset_file_locking(list: hid_t, locks: bool, ignores: bool) -> herr_t;
    fn H5Pget_modify_write_buf(list: hid_t, modify: *mut bool) -> herr_t;
    fn H5Pset_modify_write_buf(list: hid_t, modify: bool) -> herr_t;

    fn H5VLfile_optional_op(file: *const c_char, func: *const c_char, line: c_uint, id: hid_t, args: *mut H5VL_optional_args_t, dxpl: hid_t, es: hid_t) -> herr_t;
    fn H5VLdataset_optional_op(file: *const c_char, func: *const c_char, line: c_uint, id: hid_t, args: *mut H5VL_optional_args_t, dxpl: hid_t, es: hid_t) -> herr_t;
    fn H5VLobject_optional_op(file: *const c_char, func: *const c_char, line: c_uint, id: hid_t, name: *const c_char, lapl: hid_t, args: *mut H5VL_optional_args_t, dxpl: hid_t, es: hid_t) -> herr_t;

    fn H5Gcreate2(location: hid_t, name: *const c_char, lcpl: hid_t, gcpl: hid_t, gapl: hid_t) -> hid_t;
    fn H5Gcreate_anon(location: hid_t, gcpl: hid_t, gapl: hid_t) -> hid_t;
    fn H5Gopen2(location: hid_t, name: *const c_char, gapl: hid_t) -> hid_t;
    fn H5Gflush(group: hid_t) -> herr_t;
    fn H5Grefresh(group: hid_t) -> herr_t;

    fn H5Lcreate_hard(source: hid_t, name: *const c_char, target: hid_t, new: *const c_char, lcpl: hid_t, lapl: hid_t) -> herr_t;
    fn H5Lcreate_soft(path: *const c_char, location: hid_t, name: *const c_char, lcpl: hid_t, lapl: hid_t) -> herr_t;
    fn H5Lcreate_ud(location: hid_t, name: *const c_char, kind: H5L_type_t, data: *const c_void, size: usize, lcpl: hid_t, lapl: hid_t) -> herr_t;
    fn H5Lcopy(source: hid_t, name: *const c_char, target: hid_t, new: *const c_char, lcpl: hid_t, lapl: hid_t) -> herr_t;
    fn H5Lmove(source: hid_t, name: *const c_char, target: hid_t, new: *const c_char, lcpl: hid_t, lapl: hid_t) -> herr_t;
    fn H5Ldelete(location: hid_t, name: *const c_char, lapl: hid_t) -> herr_t;
    fn H5Ldelete_by_idx(location: hid_t, group: *const c_char, index: H5_index_t, order: H5_iter_order_t, n: hsize_t, lapl: hid_t) -> herr_t;
    fn H5Lget_val(location: hid_t, name: *const c_char, buffer: *mut c_void, size: usize, lapl: hid_t) -> herr_t;
    fn H5Literate2(group: hid_t, index: H5_index_t, order: H5_iter_order_t, position: *mut hsize_t, op: H5L_iterate2_t, data: *mut c_void) -> herr_t;

    fn H5Oopen(location: hid_t, name: *const c_char, lapl: hid_t) -> hid_t;
    fn H5Oopen_by_idx(location: hid_t, group: *const c_char, index: H5_index_t, order: H5_iter_order_t, n: hsize_t, lapl: hid_t) -> hid_t;
    fn H5Olink(object: hid_t, location: hid_t, name: *const c_char, lcpl: hid_t, lapl: hid_t) -> herr_t;
    fn H5Ocopy(source: hid_t, name: *const c_char, target: hid_t, new: *const c_char, ocpypl: hid_t, lcpl: hid_t) -> herr_t;
    fn H5Oincr_refcount(object: hid_t) -> herr_t;
    fn H5Odecr_refcount(object: hid_t) -> herr_t;
    fn H5Oflush(object: hid_t) -> herr_t;
    fn H5Orefresh(object: hid_t) -> herr_t;
    fn H5Oget_info3(object: hid_t, info: *mut H5O_info2_t, fields: c_uint) -> herr_t;
    fn H5Oget_info_by_name3(location: hid_t, name: *const c_char, info: *mut H5O_info2_t, fields: c_uint, lapl: hid_t) -> herr_t;

    fn H5Rget_type(reference: *const H5R_ref_t) -> c_int;
    fn H5Rget_attr_name(reference: *const H5R_ref_t, name: *mut c_char, size: usize) -> isize;
    fn H5Rcreate_object(location: hid_t, name: *const c_char, oapl: hid_t, reference: *mut H5R_ref_t) -> herr_t;
    fn H5Rcreate_region(location: hid_t, name: *const c_char, space: hid_t, oapl: hid_t, reference: *mut H5R_ref_t) -> herr_t;
    fn H5Rcreate_attr(location: hid_t, name: *const c_char, attribute: *const c_char, oapl: hid_t, reference: *mut H5R_ref_t) -> herr_t;
    fn H5Ropen_object(reference: *mut H5R_ref_t, rapl: hid_t, oapl: hid_t) -> hid_t;
    fn H5Ropen_region(reference: *mut H5R_ref_t, rapl: hid_t, oapl: hid_t) -> hid_t;
    fn H5Rdestroy(reference: *mut H5R_ref_t) -> herr_t;
    fn H5Rcreate(reference: *mut c_void, location: hid_t, name: *const c_char, kind: c_int, space: hid_t) -> herr_t;
    fn H5Rdereference2(object: hid_t, oapl: hid_t, kind: c_int, reference: *const c_void) -> hid_t;
    fn H5Rget_region(dataset: hid_t, kind: c_int, reference: *const c_void) -> hid_t;

    fn H5Dcreate2(location: hid_t, name: *const c_char, datatype: hid_t, space: hid_t, lcpl: hid_t, dcpl: hid_t, dapl: hid_t) -> hid_t;
    fn H5Dcreate_anon(location: hid_t, datatype: hid_t, space: hid_t, dcpl: hid_t, dapl: hid_t) -> hid_t;
    fn H5Dopen2(location: hid_t, name: *const c_char, dapl: hid_t) -> hid_t;
    fn H5Dread(dataset: hid_t, memory_type: hid_t, memory: hid_t, file: hid_t, dxpl: hid_t, buffer: *mut c_void) -> herr_t;
    fn H5Dwrite(dataset: hid_t, memory_type: hid_t, memory: hid_t, file: hid_t, dxpl: hid_t, buffer: *const c_void) -> herr_t;
    fn H5Dset_extent(dataset: hid_t, dims: *const hsize_t) -> herr_t;
    fn H5Dflush(dataset: hid_t) -> herr_t;
    fn H5Drefresh(dataset: hid_t) -> herr_t;
    fn H5Dget_space(dataset: hid_t) -> hid_t;
    fn H5Dget_type(dataset: hid_t) -> hid_t;
    fn H5Dget_create_plist(dataset: hid_t) -> hid_t;
    fn H5Dget_storage_size(dataset: hid_t) -> hsize_t;
    fn H5Pequal(a: hid_t, b: hid_t) -> htri_t;
    fn H5Dgather(space: hid_t, source: *const c_void, datatype: hid_t, size: usize, target: *mut c_void, op: H5D_gather_func_t, data: *mut c_void) -> herr_t;

    fn H5Acreate2(object: hid_t, name: *const c_char, datatype: hid_t, space: hid_t, acpl: hid_t, aapl: hid_t) -> hid_t;
    fn H5Aopen(object: hid_t, name: *const c_char, aapl: hid_t) -> hid_t;
    fn H5Aopen_by_idx(location: hid_t, object: *const c_char, index: H5_index_t, order: H5_iter_order_t, n: hsize_t, aapl: hid_t, lapl: hid_t) -> hid_t;
    fn H5Aread(attribute: hid_t, memory_type: hid_t, buffer: *mut c_void) -> herr_t;
    fn H5Awrite(attribute: hid_t, memory_type: hid_t, buffer: *const c_void) -> herr_t;
    fn H5Aget_space(attribute: hid_t) -> hid_t;
    fn H5Aget_type(attribute: hid_t) -> hid_t;
    fn H5Aexists(object: hid_t, name: *const c_char) -> htri_t;
    fn H5Adelete(object: hid_t, name: *const c_char) -> herr_t;
    fn H5Adelete_by_idx(location: hid_t, object: *const c_char, index: H5_index_t, order: H5_iter_order_t, n: hsize_t, lapl: hid_t) -> herr_t;
    fn H5Arename(object: hid_t, old: *const c_char, new: *const c_char) -> herr_t;
    fn H5Aiterate2(object: hid_t, index: H5_index_t, order: H5_iter_order_t, position: *mut hsize_t, op: H5A_operator2_t, data: *mut c_void) -> herr_t;

    fn H5Screate_simple(rank: c_int, dims: *const hsize_t, maximum: *const hsize_t) -> hid_t;
    fn H5Sextent_equal(a: hid_t, b: hid_t) -> htri_t;
    fn H5Sselect_hyperslab(space: hid_t, operation: H5S_seloper_t, start: *const hsize_t, stride: *const hsize_t, count: *const hsize_t, block: *const hsize_t) -> herr_t;

    fn H5Tcommit2(location: hid_t, name: *const c_char, datatype: hid_t, lcpl: hid_t, tcpl: hid_t, tapl: hid_t) -> herr_t;
    fn H5Tcommit_anon(location: hid_t, datatype: hid_t, tcpl: hid_t, tapl: hid_t) -> herr_t;
    fn H5Tcommitted(datatype: hid_t) -> htri_t;
    fn H5Topen2(location: hid_t, name: *const c_char, tapl: hid_t) -> hid_t;
    fn H5Tflush(datatype: hid_t) -> herr_t;
    fn H5Trefresh(datatype: hid_t) -> herr_t;
    fn H5Tset_size(datatype: hid_t, size: usize) -> herr_t;
    fn H5Treclaim(datatype: hid_t, space: hid_t, dxpl: hid_t, buffer: *mut c_void) -> herr_t;
}

/// Variables of the library that hold identifiers. Only these are read.
pub(crate) const IDENTIFIERS: &[&str] =
    &["H5T_C_S1_g", "H5T_STD_REF_DSETREG_g", "H5T_STD_REF_OBJ_g", "H5T_STD_REF_g"];
