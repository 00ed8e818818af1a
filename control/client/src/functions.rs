//! The functions of HDF5's C API that the client calls.
//!
//! `tests/prototypes.rs` compares each with its prototype in the headers of HDF5, so the list is written as the headers
//! have it: names and types, one line each.

#![expect(non_snake_case, reason = "the fields carry HDF5's own names")]

use core::ffi::{c_char, c_int, c_uint, c_void};

use h5_abi::{
    H5_index_t, H5_iter_order_t, H5A_operator2_t, H5D_alloc_time_t, H5D_chunk_iter_op_t, H5D_fill_time_t,
    H5D_fill_value_t, H5D_layout_t, H5E_auto2_t, H5E_direction_t, H5E_type_t, H5E_walk2_t,
    H5F_close_degree_t, H5F_libver_t, H5F_scope_t, H5G_info_t, H5I_type_t, H5L_elink_traverse_t, H5L_info2_t,
    H5L_iterate2_t, H5L_type_t, H5O_info2_t, H5O_iterate2_t, H5O_token_t, H5R_ref_t, H5R_type_t, H5S_class_t,
    H5S_sel_type, H5S_seloper_t, H5T_class_t, H5T_cset_t, H5T_direction_t, H5T_norm_t, H5T_order_t,
    H5T_pad_t, H5T_sign_t, H5T_str_t, H5VL_class_t, H5VL_optional_args_t, H5VL_subclass_t, H5Z_filter_t,
    haddr_t, herr_t, hid_t, hsize_t, hssize_t, htri_t,
};

use crate::failure::{Failure, Result};

macro_rules! functions {
    ($( fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $result:ty; )*) => {
        /// The functions of one libhdf5, under their C names.
        ///
        /// Calling one is unsafe: only in the thread that holds a [`Session`](crate::Session) of that library, with
        /// arguments as HDF5 documents them.
        #[derive(Clone, Copy)]
        pub struct Functions {
            $( $name: Option<unsafe extern "C" fn($($argument: $type),*) -> $result>, )*
        }

        impl Functions {
            /// Their names.
            pub(crate) const NAMES: &'static [&'static str] = &[$( stringify!($name), )*];

            /// Those at these addresses, one for each of [`NAMES`](Self::NAMES), null for what the library does not have.
            ///
            /// # Safety
            /// They are addresses of HDF5's functions of these names, in a library that is not unloaded while they are used.
            pub(crate) unsafe fn at(addresses: &[*mut c_void]) -> Self {
                let mut addresses = addresses.iter();
                Self {
                    $(
                        // SAFETY: null, which becomes `None`, or the address of a function that has this prototype, by the contract.
                        $name: unsafe {
                            core::mem::transmute::<
                                *mut c_void,
                                Option<unsafe extern "C" fn($($argument: $type),*) -> $result>,
                            >(addresses.next().copied().unwrap_or(core::ptr::null_mut()))
                        },
                    )*
                }
            }

            $(
                /// The function of this name, if the library has it.
                pub fn $name(&self) -> Result<unsafe extern "C" fn($($argument: $type),*) -> $result> {
                    self.$name.ok_or_else(|| Failure::lacks(stringify!($name)))
                }
            )*
        }
    };
}

functions! {
    fn H5open() -> herr_t;
    fn H5close() -> herr_t;
    fn H5get_libversion(majnum: *mut c_uint, minnum: *mut c_uint, relnum: *mut c_uint) -> herr_t;
    fn H5is_library_threadsafe(is_ts: *mut bool) -> herr_t;
    fn H5free_memory(mem: *mut c_void) -> herr_t;

    fn H5Eset_auto2(estack: hid_t, func: H5E_auto2_t, data: *mut c_void) -> herr_t;
    fn H5Eget_num(stack: hid_t) -> isize;
    fn H5Eget_current_stack() -> hid_t;
    fn H5Eclose_stack(stack: hid_t) -> herr_t;
    fn H5Eclear2(stack: hid_t) -> herr_t;
    fn H5Ewalk2(stack: hid_t, direction: H5E_direction_t, func: H5E_walk2_t, data: *mut c_void) -> herr_t;
    fn H5Eget_class_name(class: hid_t, name: *mut c_char, size: usize) -> isize;
    fn H5Eget_msg(message: hid_t, kind: *mut H5E_type_t, text: *mut c_char, size: usize) -> isize;

    fn H5Iget_type(id: hid_t) -> H5I_type_t;
    fn H5Iget_name(id: hid_t, name: *mut c_char, size: usize) -> isize;
    fn H5Iget_file_id(id: hid_t) -> hid_t;
    fn H5Iis_valid(id: hid_t) -> htri_t;
    fn H5Inmembers(kind: H5I_type_t, count: *mut hsize_t) -> herr_t;

    fn H5PLappend(path: *const c_char) -> herr_t;
    fn H5Zfilter_avail(id: H5Z_filter_t) -> htri_t;

    fn H5Pcreate(class: hid_t) -> hid_t;
    fn H5Pclose(list: hid_t) -> herr_t;
    fn H5Pset_vol(list: hid_t, connector: hid_t, info: *const c_void) -> herr_t;
    fn H5Pget_vol_id(list: hid_t, connector: *mut hid_t) -> herr_t;
    fn H5Pget_vol_info(list: hid_t, info: *mut *mut c_void) -> herr_t;
    fn H5Pset_fclose_degree(list: hid_t, degree: H5F_close_degree_t) -> herr_t;
    fn H5Pset_libver_bounds(list: hid_t, low: H5F_libver_t, high: H5F_libver_t) -> herr_t;
    fn H5Pset_elink_cb(list: hid_t, func: H5L_elink_traverse_t, data: *mut c_void) -> herr_t;
    fn H5Pset_link_creation_order(list: hid_t, flags: c_uint) -> herr_t;
    fn H5Pset_chunk(list: hid_t, rank: c_int, dims: *const hsize_t) -> herr_t;
    fn H5Pget_chunk(list: hid_t, most: c_int, dims: *mut hsize_t) -> c_int;
    fn H5Pget_layout(list: hid_t) -> H5D_layout_t;
    fn H5Pget_external_count(list: hid_t) -> c_int;
    fn H5Pset_virtual(list: hid_t, space: hid_t, file: *const c_char, dataset: *const c_char, source: hid_t) -> herr_t;
    fn H5Pget_virtual_count(list: hid_t, count: *mut usize) -> herr_t;
    fn H5Pset_filter(list: hid_t, id: H5Z_filter_t, flags: c_uint, count: usize, values: *const c_uint) -> herr_t;
    fn H5Pget_nfilters(list: hid_t) -> c_int;
    fn H5Pget_filter2(list: hid_t, index: c_uint, flags: *mut c_uint, count: *mut usize, values: *mut c_uint, size: usize, name: *mut c_char, config: *mut c_uint) -> H5Z_filter_t;

    fn H5Pcopy(list: hid_t) -> hid_t;
    fn H5Pget_copy_object(list: hid_t, flags: *mut c_uint) -> herr_t;
    fn H5Pget_userblock(list: hid_t, size: *mut hsize_t) -> herr_t;
    fn H5Pget_link_creation_order(list: hid_t, flags: *mut c_uint) -> herr_t;
    fn H5Pget_attr_creation_order(list: hid_t, flags: *mut c_uint) -> herr_t;
    fn H5Pset_attr_creation_order(list: hid_t, flags: c_uint) -> herr_t;
    fn H5Pget_link_phase_change(list: hid_t, compact: *mut c_uint, dense: *mut c_uint) -> herr_t;
    fn H5Pset_link_phase_change(list: hid_t, compact: c_uint, dense: c_uint) -> herr_t;
    fn H5Pget_attr_phase_change(list: hid_t, compact: *mut c_uint, dense: *mut c_uint) -> herr_t;
    fn H5Pset_attr_phase_change(list: hid_t, compact: c_uint, dense: c_uint) -> herr_t;
    fn H5Pget_est_link_info(list: hid_t, count: *mut c_uint, length: *mut c_uint) -> herr_t;
    fn H5Pset_est_link_info(list: hid_t, count: c_uint, length: c_uint) -> herr_t;
    fn H5Pget_obj_track_times(list: hid_t, tracked: *mut bool) -> herr_t;
    fn H5Pset_obj_track_times(list: hid_t, tracked: bool) -> herr_t;
    fn H5Pget_char_encoding(list: hid_t, set: *mut H5T_cset_t) -> herr_t;
    fn H5Pset_char_encoding(list: hid_t, set: H5T_cset_t) -> herr_t;
    fn H5Pset_create_intermediate_group(list: hid_t, create: c_uint) -> herr_t;
    fn H5Pfill_value_defined(list: hid_t, status: *mut H5D_fill_value_t) -> herr_t;
    fn H5Pget_fill_value(list: hid_t, datatype: hid_t, value: *mut c_void) -> herr_t;
    fn H5Pset_fill_value(list: hid_t, datatype: hid_t, value: *const c_void) -> herr_t;
    fn H5Pget_fill_time(list: hid_t, time: *mut H5D_fill_time_t) -> herr_t;
    fn H5Pset_fill_time(list: hid_t, time: H5D_fill_time_t) -> herr_t;
    fn H5Pget_alloc_time(list: hid_t, time: *mut H5D_alloc_time_t) -> herr_t;
    fn H5Pget_chunk_opts(list: hid_t, options: *mut c_uint) -> herr_t;
    fn H5Premove_filter(list: hid_t, id: H5Z_filter_t) -> herr_t;
    fn H5Pset_layout(list: hid_t, layout: H5D_layout_t) -> herr_t;
    fn H5Pget_external(list: hid_t, index: c_uint, length: usize, name: *mut c_char, offset: *mut i64, size: *mut hsize_t) -> herr_t;
    fn H5Pget_virtual_vspace(list: hid_t, index: usize) -> hid_t;
    fn H5Pget_virtual_srcspace(list: hid_t, index: usize) -> hid_t;
    fn H5Pget_virtual_filename(list: hid_t, index: usize, name: *mut c_char, size: usize) -> isize;
    fn H5Pget_virtual_dsetname(list: hid_t, index: usize, name: *mut c_char, size: usize) -> isize;

    fn H5VLregister_connector(class: *const H5VL_class_t, vipl: hid_t) -> hid_t;
    fn H5VLregister_connector_by_name(name: *const c_char, vipl: hid_t) -> hid_t;
    fn H5VLget_connector_id_by_name(name: *const c_char) -> hid_t;
    fn H5VLis_connector_registered_by_name(name: *const c_char) -> htri_t;
    fn H5VLget_connector_name(id: hid_t, name: *mut c_char, size: usize) -> isize;
    fn H5VLclose(connector: hid_t) -> herr_t;
    fn H5VLconnector_str_to_info(text: *const c_char, connector: hid_t, info: *mut *mut c_void) -> herr_t;
    fn H5VLconnector_info_to_str(info: *const c_void, connector: hid_t, text: *mut *mut c_char) -> herr_t;
    fn H5VLcopy_connector_info(connector: hid_t, copy: *mut *mut c_void, info: *mut c_void) -> herr_t;
    fn H5VLcmp_connector_info(order: *mut c_int, connector: hid_t, a: *const c_void, b: *const c_void) -> herr_t;
    fn H5VLfree_connector_info(connector: hid_t, info: *mut c_void) -> herr_t;
    fn H5VLfind_opt_operation(subclass: H5VL_subclass_t, name: *const c_char, value: *mut c_int) -> herr_t;
    fn H5VLdataset_optional_op(file: *const c_char, func: *const c_char, line: c_uint, dataset: hid_t, args: *mut H5VL_optional_args_t, dxpl: hid_t, es: hid_t) -> herr_t;

    fn H5Fcreate(name: *const c_char, flags: c_uint, fcpl: hid_t, fapl: hid_t) -> hid_t;
    fn H5Fopen(name: *const c_char, flags: c_uint, fapl: hid_t) -> hid_t;
    fn H5Fget_create_plist(file: hid_t) -> hid_t;
    fn H5Freopen(file: hid_t) -> hid_t;
    fn H5Fclose(file: hid_t) -> herr_t;
    fn H5Fflush(object: hid_t, scope: H5F_scope_t) -> herr_t;
    fn H5Fis_accessible(name: *const c_char, fapl: hid_t) -> htri_t;
    fn H5Fdelete(name: *const c_char, fapl: hid_t) -> herr_t;
    fn H5Fget_name(object: hid_t, name: *mut c_char, size: usize) -> isize;
    fn H5Fget_intent(file: hid_t, flags: *mut c_uint) -> herr_t;
    fn H5Fget_obj_count(file: hid_t, kinds: c_uint) -> isize;
    fn H5Fmount(location: hid_t, name: *const c_char, child: hid_t, plist: hid_t) -> herr_t;
    fn H5Funmount(location: hid_t, name: *const c_char) -> herr_t;

    fn H5Gcreate2(location: hid_t, name: *const c_char, lcpl: hid_t, gcpl: hid_t, gapl: hid_t) -> hid_t;
    fn H5Gopen2(location: hid_t, name: *const c_char, gapl: hid_t) -> hid_t;
    fn H5Gget_create_plist(group: hid_t) -> hid_t;
    fn H5Gget_info(group: hid_t, info: *mut H5G_info_t) -> herr_t;
    fn H5Gclose(group: hid_t) -> herr_t;

    fn H5Lexists(location: hid_t, name: *const c_char, lapl: hid_t) -> htri_t;
    fn H5Ldelete(location: hid_t, name: *const c_char, lapl: hid_t) -> herr_t;
    fn H5Lmove(source: hid_t, name: *const c_char, target: hid_t, new: *const c_char, lcpl: hid_t, lapl: hid_t) -> herr_t;
    fn H5Lcreate_soft(path: *const c_char, location: hid_t, name: *const c_char, lcpl: hid_t, lapl: hid_t) -> herr_t;
    fn H5Lcreate_hard(source: hid_t, name: *const c_char, target: hid_t, new: *const c_char, lcpl: hid_t, lapl: hid_t) -> herr_t;
    fn H5Lcreate_external(file: *const c_char, object: *const c_char, location: hid_t, name: *const c_char, lcpl: hid_t, lapl: hid_t) -> herr_t;
    fn H5Lcreate_ud(location: hid_t, name: *const c_char, kind: H5L_type_t, data: *const c_void, size: usize, lcpl: hid_t, lapl: hid_t) -> herr_t;
    fn H5Lget_info2(location: hid_t, name: *const c_char, info: *mut H5L_info2_t, lapl: hid_t) -> herr_t;
    fn H5Lget_val(location: hid_t, name: *const c_char, buffer: *mut c_void, size: usize, lapl: hid_t) -> herr_t;
    fn H5Lunpack_elink_val(value: *const c_void, size: usize, flags: *mut c_uint, file: *mut *const c_char, object: *mut *const c_char) -> herr_t;
    fn H5Literate2(group: hid_t, index: H5_index_t, order: H5_iter_order_t, position: *mut hsize_t, op: H5L_iterate2_t, data: *mut c_void) -> herr_t;

    fn H5Oopen(location: hid_t, name: *const c_char, lapl: hid_t) -> hid_t;
    fn H5Oopen_by_token(location: hid_t, token: H5O_token_t) -> hid_t;
    fn H5Olink(object: hid_t, location: hid_t, name: *const c_char, lcpl: hid_t, lapl: hid_t) -> herr_t;
    fn H5Oclose(object: hid_t) -> herr_t;
    fn H5Oget_info3(object: hid_t, info: *mut H5O_info2_t, fields: c_uint) -> herr_t;
    fn H5Ocopy(source: hid_t, name: *const c_char, target: hid_t, new: *const c_char, ocpypl: hid_t, lcpl: hid_t) -> herr_t;
    fn H5Ovisit3(object: hid_t, index: H5_index_t, order: H5_iter_order_t, op: H5O_iterate2_t, data: *mut c_void, fields: c_uint) -> herr_t;
    fn H5Oexists_by_name(location: hid_t, name: *const c_char, lapl: hid_t) -> htri_t;
    fn H5Orefresh(object: hid_t) -> herr_t;

    fn H5Rcreate_object(location: hid_t, name: *const c_char, oapl: hid_t, reference: *mut H5R_ref_t) -> herr_t;
    fn H5Ropen_object(reference: *mut H5R_ref_t, rapl: hid_t, oapl: hid_t) -> hid_t;
    fn H5Rcreate_region(location: hid_t, name: *const c_char, space: hid_t, oapl: hid_t, reference: *mut H5R_ref_t) -> herr_t;
    fn H5Rcreate_attr(location: hid_t, name: *const c_char, attribute: *const c_char, oapl: hid_t, reference: *mut H5R_ref_t) -> herr_t;
    fn H5Rget_type(reference: *const H5R_ref_t) -> H5R_type_t;
    fn H5Ropen_region(reference: *mut H5R_ref_t, rapl: hid_t, oapl: hid_t) -> hid_t;
    fn H5Rget_attr_name(reference: *const H5R_ref_t, name: *mut c_char, size: usize) -> isize;
    fn H5Rcreate(reference: *mut c_void, location: hid_t, name: *const c_char, kind: H5R_type_t, space: hid_t) -> herr_t;
    fn H5Rdereference2(object: hid_t, oapl: hid_t, kind: H5R_type_t, reference: *const c_void) -> hid_t;
    fn H5Rget_region(object: hid_t, kind: H5R_type_t, reference: *const c_void) -> hid_t;
    fn H5Rdestroy(reference: *mut H5R_ref_t) -> herr_t;

    fn H5Dcreate2(location: hid_t, name: *const c_char, datatype: hid_t, space: hid_t, lcpl: hid_t, dcpl: hid_t, dapl: hid_t) -> hid_t;
    fn H5Dopen2(location: hid_t, name: *const c_char, dapl: hid_t) -> hid_t;
    fn H5Dclose(dataset: hid_t) -> herr_t;
    fn H5Dread(dataset: hid_t, memory_type: hid_t, memory: hid_t, file: hid_t, dxpl: hid_t, buffer: *mut c_void) -> herr_t;
    fn H5Dwrite(dataset: hid_t, memory_type: hid_t, memory: hid_t, file: hid_t, dxpl: hid_t, buffer: *const c_void) -> herr_t;
    fn H5Dread_multi(count: usize, datasets: *mut hid_t, memory_types: *mut hid_t, memories: *mut hid_t, files: *mut hid_t, dxpl: hid_t, buffers: *mut *mut c_void) -> herr_t;
    fn H5Dwrite_multi(count: usize, datasets: *mut hid_t, memory_types: *mut hid_t, memories: *mut hid_t, files: *mut hid_t, dxpl: hid_t, buffers: *mut *const c_void) -> herr_t;
    fn H5Dread_chunk(dataset: hid_t, dxpl: hid_t, offset: *const hsize_t, filters: *mut u32, buffer: *mut c_void) -> herr_t;
    fn H5Dread_chunk2(dataset: hid_t, dxpl: hid_t, offset: *const hsize_t, filters: *mut u32, buffer: *mut c_void, size: *mut usize) -> herr_t;
    fn H5Dwrite_chunk(dataset: hid_t, dxpl: hid_t, filters: u32, offset: *const hsize_t, size: usize, buffer: *const c_void) -> herr_t;
    fn H5Dget_chunk_storage_size(dataset: hid_t, offset: *const hsize_t, size: *mut hsize_t) -> herr_t;
    fn H5Dchunk_iter(dataset: hid_t, dxpl: hid_t, op: H5D_chunk_iter_op_t, data: *mut c_void) -> herr_t;
    fn H5Dget_offset(dataset: hid_t) -> haddr_t;
    fn H5Dget_space(dataset: hid_t) -> hid_t;
    fn H5Dget_type(dataset: hid_t) -> hid_t;
    fn H5Dget_create_plist(dataset: hid_t) -> hid_t;
    fn H5Dget_storage_size(dataset: hid_t) -> hsize_t;
    fn H5Dset_extent(dataset: hid_t, dims: *const hsize_t) -> herr_t;
    fn H5Dflush(dataset: hid_t) -> herr_t;
    fn H5Drefresh(dataset: hid_t) -> herr_t;

    fn H5Acreate2(object: hid_t, name: *const c_char, datatype: hid_t, space: hid_t, acpl: hid_t, aapl: hid_t) -> hid_t;
    fn H5Aopen(object: hid_t, name: *const c_char, aapl: hid_t) -> hid_t;
    fn H5Aread(attribute: hid_t, memory_type: hid_t, buffer: *mut c_void) -> herr_t;
    fn H5Awrite(attribute: hid_t, memory_type: hid_t, buffer: *const c_void) -> herr_t;
    fn H5Aget_name(attribute: hid_t, size: usize, name: *mut c_char) -> isize;
    fn H5Aget_space(attribute: hid_t) -> hid_t;
    fn H5Aget_type(attribute: hid_t) -> hid_t;
    fn H5Aget_create_plist(attribute: hid_t) -> hid_t;
    fn H5Aexists(object: hid_t, name: *const c_char) -> htri_t;
    fn H5Adelete(object: hid_t, name: *const c_char) -> herr_t;
    fn H5Arename(object: hid_t, old: *const c_char, new: *const c_char) -> herr_t;
    fn H5Aiterate2(object: hid_t, index: H5_index_t, order: H5_iter_order_t, position: *mut hsize_t, op: H5A_operator2_t, data: *mut c_void) -> herr_t;
    fn H5Aclose(attribute: hid_t) -> herr_t;

    fn H5Screate(class: H5S_class_t) -> hid_t;
    fn H5Screate_simple(rank: c_int, dims: *const hsize_t, maximum: *const hsize_t) -> hid_t;
    fn H5Scopy(space: hid_t) -> hid_t;
    fn H5Sclose(space: hid_t) -> herr_t;
    fn H5Sget_simple_extent_type(space: hid_t) -> H5S_class_t;
    fn H5Sget_simple_extent_ndims(space: hid_t) -> c_int;
    fn H5Sget_simple_extent_dims(space: hid_t, dims: *mut hsize_t, maximum: *mut hsize_t) -> c_int;
    fn H5Sget_simple_extent_npoints(space: hid_t) -> hssize_t;
    fn H5Sget_select_npoints(space: hid_t) -> hssize_t;
    fn H5Sget_select_type(space: hid_t) -> H5S_sel_type;
    fn H5Sget_select_hyper_nblocks(space: hid_t) -> hssize_t;
    fn H5Sget_select_hyper_blocklist(space: hid_t, first: hsize_t, count: hsize_t, blocks: *mut hsize_t) -> herr_t;
    fn H5Sget_select_elem_npoints(space: hid_t) -> hssize_t;
    fn H5Sget_select_elem_pointlist(space: hid_t, first: hsize_t, count: hsize_t, points: *mut hsize_t) -> herr_t;
    fn H5Sselect_hyperslab(space: hid_t, operation: H5S_seloper_t, start: *const hsize_t, stride: *const hsize_t, count: *const hsize_t, block: *const hsize_t) -> herr_t;
    fn H5Sselect_elements(space: hid_t, operation: H5S_seloper_t, count: usize, coordinates: *const hsize_t) -> herr_t;

    fn H5Tcreate(class: H5T_class_t, size: usize) -> hid_t;
    fn H5Tcopy(datatype: hid_t) -> hid_t;
    fn H5Tclose(datatype: hid_t) -> herr_t;
    fn H5Tequal(a: hid_t, b: hid_t) -> htri_t;
    fn H5Tcommit2(location: hid_t, name: *const c_char, datatype: hid_t, lcpl: hid_t, tcpl: hid_t, tapl: hid_t) -> herr_t;
    fn H5Tcommit_anon(location: hid_t, datatype: hid_t, tcpl: hid_t, tapl: hid_t) -> herr_t;
    fn H5Tget_create_plist(datatype: hid_t) -> hid_t;
    fn H5Tcommitted(datatype: hid_t) -> htri_t;
    fn H5Topen2(location: hid_t, name: *const c_char, tapl: hid_t) -> hid_t;
    fn H5Tget_class(datatype: hid_t) -> H5T_class_t;
    fn H5Tdetect_class(datatype: hid_t, class: H5T_class_t) -> htri_t;
    fn H5Tis_variable_str(datatype: hid_t) -> htri_t;
    fn H5Tget_native_type(datatype: hid_t, direction: H5T_direction_t) -> hid_t;
    fn H5Tget_super(datatype: hid_t) -> hid_t;
    fn H5Tget_size(datatype: hid_t) -> usize;
    fn H5Tset_size(datatype: hid_t, size: usize) -> herr_t;
    fn H5Tget_order(datatype: hid_t) -> H5T_order_t;
    fn H5Tset_order(datatype: hid_t, order: H5T_order_t) -> herr_t;
    fn H5Tget_precision(datatype: hid_t) -> usize;
    fn H5Tset_precision(datatype: hid_t, bits: usize) -> herr_t;
    fn H5Tget_offset(datatype: hid_t) -> c_int;
    fn H5Tset_offset(datatype: hid_t, offset: usize) -> herr_t;
    fn H5Tget_pad(datatype: hid_t, low: *mut H5T_pad_t, high: *mut H5T_pad_t) -> herr_t;
    fn H5Tset_pad(datatype: hid_t, low: H5T_pad_t, high: H5T_pad_t) -> herr_t;
    fn H5Tget_sign(datatype: hid_t) -> H5T_sign_t;
    fn H5Tset_sign(datatype: hid_t, sign: H5T_sign_t) -> herr_t;
    fn H5Tget_fields(datatype: hid_t, sign: *mut usize, exponent: *mut usize, exponent_size: *mut usize, mantissa: *mut usize, mantissa_size: *mut usize) -> herr_t;
    fn H5Tset_fields(datatype: hid_t, sign: usize, exponent: usize, exponent_size: usize, mantissa: usize, mantissa_size: usize) -> herr_t;
    fn H5Tget_ebias(datatype: hid_t) -> usize;
    fn H5Tset_ebias(datatype: hid_t, bias: usize) -> herr_t;
    fn H5Tget_norm(datatype: hid_t) -> H5T_norm_t;
    fn H5Tset_norm(datatype: hid_t, norm: H5T_norm_t) -> herr_t;
    fn H5Tget_inpad(datatype: hid_t) -> H5T_pad_t;
    fn H5Tset_inpad(datatype: hid_t, pad: H5T_pad_t) -> herr_t;
    fn H5Tget_strpad(datatype: hid_t) -> H5T_str_t;
    fn H5Tset_strpad(datatype: hid_t, pad: H5T_str_t) -> herr_t;
    fn H5Tget_cset(datatype: hid_t) -> H5T_cset_t;
    fn H5Tset_cset(datatype: hid_t, cset: H5T_cset_t) -> herr_t;
    fn H5Tget_tag(datatype: hid_t) -> *mut c_char;
    fn H5Tset_tag(datatype: hid_t, tag: *const c_char) -> herr_t;
    fn H5Tget_nmembers(datatype: hid_t) -> c_int;
    fn H5Tget_member_name(datatype: hid_t, number: c_uint) -> *mut c_char;
    fn H5Tget_member_offset(datatype: hid_t, number: c_uint) -> usize;
    fn H5Tget_member_type(datatype: hid_t, number: c_uint) -> hid_t;
    fn H5Tget_member_value(datatype: hid_t, number: c_uint, value: *mut c_void) -> herr_t;
    fn H5Tinsert(datatype: hid_t, name: *const c_char, offset: usize, member: hid_t) -> herr_t;
    fn H5Tenum_create(base: hid_t) -> hid_t;
    fn H5Tenum_insert(datatype: hid_t, name: *const c_char, value: *const c_void) -> herr_t;
    fn H5Tvlen_create(base: hid_t) -> hid_t;
    fn H5Tarray_create2(base: hid_t, rank: c_uint, dims: *const hsize_t) -> hid_t;
    fn H5Tget_array_ndims(datatype: hid_t) -> c_int;
    fn H5Tget_array_dims2(datatype: hid_t, dims: *mut hsize_t) -> c_int;
    fn H5Tcomplex_create(base: hid_t) -> hid_t;
    fn H5Tconvert(from: hid_t, to: hid_t, count: usize, buffer: *mut c_void, background: *mut c_void, dxpl: hid_t) -> herr_t;
    fn H5Treclaim(datatype: hid_t, space: hid_t, dxpl: hid_t, buffer: *mut c_void) -> herr_t;
}

/// Variables of the library that hold identifiers: classes of property lists, and datatypes. Only these are read.
pub(crate) const IDENTIFIERS: &[&str] = &[
    "H5P_CLS_FILE_ACCESS_ID_g",
    "H5P_CLS_GROUP_CREATE_ID_g",
    "H5P_CLS_DATASET_CREATE_ID_g",
    "H5P_CLS_DATASET_ACCESS_ID_g",
    "H5P_CLS_LINK_CREATE_ID_g",
    "H5T_C_S1_g",
    "H5T_IEEE_F16BE_g",
    "H5T_IEEE_F16LE_g",
    "H5T_IEEE_F32BE_g",
    "H5T_IEEE_F32LE_g",
    "H5T_IEEE_F64BE_g",
    "H5T_IEEE_F64LE_g",
    "H5T_NATIVE_DOUBLE_g",
    "H5T_NATIVE_FLOAT16_g",
    "H5T_NATIVE_FLOAT_g",
    "H5T_NATIVE_INT16_g",
    "H5T_NATIVE_INT32_g",
    "H5T_NATIVE_INT64_g",
    "H5T_NATIVE_INT8_g",
    "H5T_NATIVE_INT_g",
    "H5T_NATIVE_LDOUBLE_g",
    "H5T_NATIVE_UINT16_g",
    "H5T_NATIVE_UINT32_g",
    "H5T_NATIVE_UINT64_g",
    "H5T_NATIVE_UINT8_g",
    "H5T_STD_B64LE_g",
    "H5T_STD_I16BE_g",
    "H5T_STD_I16LE_g",
    "H5T_STD_I32BE_g",
    "H5T_STD_I32LE_g",
    "H5T_STD_I64BE_g",
    "H5T_STD_I64LE_g",
    "H5T_STD_I8BE_g",
    "H5T_STD_I8LE_g",
    "H5T_STD_REF_DSETREG_g",
    "H5T_STD_REF_OBJ_g",
    "H5T_STD_REF_g",
    "H5T_STD_U16BE_g",
    "H5T_STD_U16LE_g",
    "H5T_STD_U32BE_g",
    "H5T_STD_U32LE_g",
    "H5T_STD_U64BE_g",
    "H5T_STD_U64LE_g",
    "H5T_STD_U8BE_g",
    "H5T_STD_U8LE_g",
];
