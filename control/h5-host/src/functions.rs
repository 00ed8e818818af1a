//! The table of functions resolved in one host.

#![expect(non_snake_case, reason = "the fields carry HDF5's own names")]
#![allow(clippy::wildcard_imports, reason = "the table names most of the C types")]

use core::ffi::{c_char, c_int, c_uint, c_void};

use h5_abi::*;

/// A function that every supported host has, and this one lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the library does not export {0}")]
pub struct MissingFunction(pub &'static str);

macro_rules! functions {
    (
        required { $( fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty; )* }
        variadic { $( fn $vname:ident($($varg:ident: $vty:ty),* , ...) -> $vret:ty; )* }
        optional { $( fn $oname:ident($($oarg:ident: $oty:ty),* $(,)?) -> $oret:ty; )* }
    ) => {
        /// Functions of one host, under their C names. Those that only some versions or builds have are
        /// `Option`s: the caller states what it does without them.
        #[expect(missing_docs, reason = "HDF5's reference manual documents them")]
        pub struct Functions {
            $( pub $name: unsafe extern "C" fn($($arg: $ty),*) -> $ret, )*
            $( pub $vname: unsafe extern "C" fn($($varg: $vty),*, ...) -> $vret, )*
            $( pub $oname: Option<unsafe extern "C" fn($($oarg: $oty),*) -> $oret>, )*
        }

        impl Functions {
            /// Resolves the table with `lookup`, which returns the address of a symbol or null.
            ///
            /// # Safety
            /// Each address must be that of the HDF5 function of that name (HDF5 1.14 to 2.x).
            pub(crate) unsafe fn resolve(
                lookup: impl Fn(&'static str) -> *mut c_void,
            ) -> Result<Self, MissingFunction> {
                let required = |name| {
                    let address = lookup(name);
                    if address.is_null() { Err(MissingFunction(name)) } else { Ok(address) }
                };
                Ok(Self {
                    $(
                        // SAFETY: non-null, and by this function's contract the address is that of the
                        // function whose C prototype is written in the table.
                        $name: unsafe {
                            core::mem::transmute::<*mut c_void, unsafe extern "C" fn($($ty),*) -> $ret>(
                                required(stringify!($name))?)
                        },
                    )*
                    $(
                        // SAFETY: as above; the C function is variadic.
                        $vname: unsafe {
                            core::mem::transmute::<*mut c_void, unsafe extern "C" fn($($vty),*, ...) -> $vret>(
                                required(stringify!($vname))?)
                        },
                    )*
                    $(
                        // SAFETY: as above; null becomes `None` by the null-pointer optimisation.
                        $oname: unsafe {
                            core::mem::transmute::<*mut c_void, Option<unsafe extern "C" fn($($oty),*) -> $oret>>(
                                lookup(stringify!($oname)))
                        },
                    )*
                })
            }
        }
    };
}

functions! {
required {
    // The library.
    fn H5get_libversion(major: *mut c_uint, minor: *mut c_uint, release: *mut c_uint) -> herr_t;
    fn H5allocate_memory(size: usize, clear: bool) -> *mut c_void;
    fn H5free_memory(memory: *mut c_void) -> herr_t;

    // Identifiers and property lists.
    fn H5Iinc_ref(id: hid_t) -> c_int;
    fn H5Iis_valid(id: hid_t) -> c_int;
    fn H5Idec_ref(id: hid_t) -> c_int;
    fn H5Pcopy(plist_id: hid_t) -> hid_t;
    fn H5Pclose(plist_id: hid_t) -> herr_t;
    fn H5Pset_vol(plist_id: hid_t, connector_id: hid_t, info: *const c_void) -> herr_t;
    fn H5Pget_vol_info(plist_id: hid_t, info: *mut *mut c_void) -> herr_t;

    fn H5Pget_data_transform(plist_id: hid_t, expression: *mut c_char, size: usize) -> isize;
    fn H5Pget(plist_id: hid_t, name: *const c_char, value: *mut c_void) -> herr_t;
    fn H5Pset(plist_id: hid_t, name: *const c_char, value: *const c_void) -> herr_t;
    fn H5Pget_buffer(plist_id: hid_t, conversion: *mut *mut c_void, background: *mut *mut c_void) -> usize;
    fn H5Pget_edc_check(plist_id: hid_t) -> c_int;
    fn H5Pget_type_conv_cb(plist_id: hid_t, function: *mut Option<unsafe extern "C" fn()>, data: *mut *mut c_void) -> herr_t;
    fn H5Pget_vlen_mem_manager(plist_id: hid_t, allocate: *mut Option<unsafe extern "C" fn(size: usize, info: *mut c_void) -> *mut c_void>, allocate_info: *mut *mut c_void, free: *mut Option<unsafe extern "C" fn(memory: *mut c_void, info: *mut c_void)>, free_info: *mut *mut c_void) -> herr_t;
    fn H5Pget_chunk_opts(plist_id: hid_t, options: *mut c_uint) -> herr_t;
    fn H5Pget_chunk_cache(plist_id: hid_t, slots: *mut usize, bytes: *mut usize, preemption: *mut f64) -> herr_t;
    fn H5Pget_userblock(plist_id: hid_t, size: *mut hsize_t) -> herr_t;
    fn H5Pget_sizes(plist_id: hid_t, address_size: *mut usize, length_size: *mut usize) -> herr_t;
    fn H5Pget_layout(plist_id: hid_t) -> H5D_layout_t;
    fn H5Pget_chunk(plist_id: hid_t, rank: c_int, dims: *mut hsize_t) -> c_int;
    fn H5Pget_nfilters(plist_id: hid_t) -> c_int;
    fn H5Pget_filter2(plist_id: hid_t, index: c_uint, flags: *mut c_uint, parameter_count: *mut usize, parameters: *mut c_uint, name_size: usize, name: *mut c_char, config: *mut c_uint) -> c_int;
    fn H5Pget_external_count(plist_id: hid_t) -> c_int;
    fn H5Pget_external(plist_id: hid_t, index: c_uint, name_size: usize, name: *mut c_char, offset: *mut i64, size: *mut hsize_t) -> herr_t;
    fn H5Pget_fill_time(plist_id: hid_t, time: *mut H5D_fill_time_t) -> herr_t;
    fn H5Pget_alloc_time(plist_id: hid_t, time: *mut H5D_alloc_time_t) -> herr_t;
    fn H5Pfill_value_defined(plist_id: hid_t, status: *mut H5D_fill_value_t) -> herr_t;
    fn H5Pget_fill_value(plist_id: hid_t, type_id: hid_t, value: *mut c_void) -> herr_t;
    fn H5Pget_efile_prefix(dapl_id: hid_t, prefix: *mut c_char, size: usize) -> isize;
    fn H5Pget_virtual_count(dcpl_id: hid_t, count: *mut usize) -> herr_t;
    fn H5Pget_virtual_vspace(dcpl_id: hid_t, index: usize) -> hid_t;
    fn H5Pget_virtual_srcspace(dcpl_id: hid_t, index: usize) -> hid_t;
    fn H5Pget_virtual_filename(dcpl_id: hid_t, index: usize, name: *mut c_char, size: usize) -> isize;
    fn H5Pget_virtual_dsetname(dcpl_id: hid_t, index: usize, name: *mut c_char, size: usize) -> isize;
    fn H5Pget_virtual_view(dapl_id: hid_t, view: *mut H5D_vds_view_t) -> herr_t;
    fn H5Pget_virtual_printf_gap(dapl_id: hid_t, gap_size: *mut hsize_t) -> herr_t;
    fn H5Pget_virtual_prefix(dapl_id: hid_t, prefix: *mut c_char, size: usize) -> isize;
    fn H5Pget_fclose_degree(fapl_id: hid_t, degree: *mut H5F_close_degree_t) -> herr_t;
    fn H5Pset_fclose_degree(fapl_id: hid_t, degree: H5F_close_degree_t) -> herr_t;
    fn H5Pget_elink_file_cache_size(fapl_id: hid_t, files: *mut c_uint) -> herr_t;
    fn H5Pget_file_locking(fapl_id: hid_t, uses_locks: *mut bool, ignores_disabled: *mut bool) -> herr_t;
    fn H5Pget_vol_id(fapl_id: hid_t, connector_id: *mut hid_t) -> herr_t;
    fn H5Pget_driver(plist_id: hid_t) -> hid_t;
    fn H5Pget_sieve_buf_size(fapl_id: hid_t, size: *mut usize) -> herr_t;
    fn H5Pset_sieve_buf_size(fapl_id: hid_t, size: usize) -> herr_t;
    fn H5Pget_page_buffer_size(fapl_id: hid_t, bytes: *mut usize, metadata: *mut c_uint, raw_data: *mut c_uint) -> herr_t;
    fn H5FDdriver_query(driver_id: hid_t, flags: *mut core::ffi::c_ulong) -> herr_t;

    // Filters, and a file in memory to try them on.
    fn H5Zfilter_avail(id: H5Z_filter_t) -> htri_t;
    fn H5Zget_filter_info(id: H5Z_filter_t, flags: *mut c_uint) -> herr_t;
    fn H5Zregister(class: *const c_void) -> herr_t;
    fn H5Pcreate(class_id: hid_t) -> hid_t;
    fn H5Pset_filter(plist_id: hid_t, filter: H5Z_filter_t, flags: c_uint, count: usize, parameters: *const c_uint) -> herr_t;
    fn H5Pget_filter_by_id2(plist_id: hid_t, filter: H5Z_filter_t, flags: *mut c_uint, count: *mut usize, parameters: *mut c_uint, name_size: usize, name: *mut c_char, config: *mut c_uint) -> herr_t;
    fn H5Pmodify_filter(plist_id: hid_t, filter: H5Z_filter_t, flags: c_uint, count: usize, parameters: *const c_uint) -> herr_t;
    fn H5Pset_fapl_core(fapl_id: hid_t, increment: usize, has_backing_store: bool) -> herr_t;
    fn H5Pset_file_image(fapl_id: hid_t, image: *mut c_void, length: usize) -> herr_t;
    fn H5Fopen(name: *const c_char, flags: c_uint, fapl_id: hid_t) -> hid_t;
    fn H5Dopen2(location_id: hid_t, name: *const c_char, dapl_id: hid_t) -> hid_t;
    fn H5Dget_type(dataset_id: hid_t) -> hid_t;
    fn H5Dread(dataset_id: hid_t, mem_type_id: hid_t, mem_space_id: hid_t, file_space_id: hid_t, dxpl_id: hid_t, buffer: *mut c_void) -> herr_t;

    // Dataspaces and datatypes.
    fn H5Scopy(space_id: hid_t) -> hid_t;
    fn H5Screate(class: H5S_class_t) -> hid_t;
    fn H5Sselect_elements(space_id: hid_t, operation: H5S_seloper_t, count: usize, coordinates: *const hsize_t) -> herr_t;
    fn H5Sclose(space_id: hid_t) -> herr_t;
    fn H5Sget_simple_extent_type(space_id: hid_t) -> H5S_class_t;
    fn H5Sget_simple_extent_ndims(space_id: hid_t) -> c_int;
    fn H5Sget_simple_extent_dims(space_id: hid_t, dims: *mut hsize_t, max_dims: *mut hsize_t) -> c_int;
    fn H5Sget_select_type(space_id: hid_t) -> H5S_sel_type;
    fn H5Sget_select_bounds(space_id: hid_t, start: *mut hsize_t, end: *mut hsize_t) -> herr_t;
    fn H5Sget_regular_hyperslab(space_id: hid_t, start: *mut hsize_t, stride: *mut hsize_t, count: *mut hsize_t, block: *mut hsize_t) -> herr_t;
    fn H5Sget_select_hyper_nblocks(space_id: hid_t) -> hssize_t;
    fn H5Sget_select_hyper_blocklist(space_id: hid_t, first: hsize_t, count: hsize_t, blocks: *mut hsize_t) -> herr_t;
    fn H5Sget_select_elem_npoints(space_id: hid_t) -> hssize_t;
    fn H5Sget_select_elem_pointlist(space_id: hid_t, first: hsize_t, count: hsize_t, points: *mut hsize_t) -> herr_t;
    fn H5Sget_select_npoints(space_id: hid_t) -> hssize_t;
    fn H5Sget_simple_extent_npoints(space_id: hid_t) -> hssize_t;
    fn H5Tcopy(type_id: hid_t) -> hid_t;
    fn H5Tclose(type_id: hid_t) -> herr_t;
    fn H5Tget_size(type_id: hid_t) -> usize;
    fn H5Tget_class(type_id: hid_t) -> H5T_class_t;
    fn H5Tequal(left: hid_t, right: hid_t) -> htri_t;
    fn H5Tis_variable_str(type_id: hid_t) -> htri_t;
    fn H5Tdetect_class(type_id: hid_t, class: H5T_class_t) -> c_int;
    fn H5Tget_super(type_id: hid_t) -> hid_t;
    fn H5Tget_nmembers(type_id: hid_t) -> c_int;
    fn H5Tget_member_type(type_id: hid_t, index: c_uint) -> hid_t;
    fn H5Tget_member_name(type_id: hid_t, index: c_uint) -> *mut c_char;
    fn H5Tget_member_offset(type_id: hid_t, index: c_uint) -> usize;
    fn H5Tget_member_value(type_id: hid_t, index: c_uint, value: *mut c_void) -> herr_t;
    fn H5Tget_order(type_id: hid_t) -> H5T_order_t;
    fn H5Tget_precision(type_id: hid_t) -> usize;
    fn H5Tget_offset(type_id: hid_t) -> c_int;
    fn H5Tget_pad(type_id: hid_t, low: *mut H5T_pad_t, high: *mut H5T_pad_t) -> herr_t;
    fn H5Tget_sign(type_id: hid_t) -> H5T_sign_t;
    fn H5Tget_fields(type_id: hid_t, sign: *mut usize, exponent: *mut usize, exponent_size: *mut usize, mantissa: *mut usize, mantissa_size: *mut usize) -> herr_t;
    fn H5Tget_ebias(type_id: hid_t) -> usize;
    fn H5Tget_norm(type_id: hid_t) -> H5T_norm_t;
    fn H5Tget_inpad(type_id: hid_t) -> H5T_pad_t;
    fn H5Tget_strpad(type_id: hid_t) -> H5T_str_t;
    fn H5Tget_cset(type_id: hid_t) -> H5T_cset_t;
    fn H5Tget_tag(type_id: hid_t) -> *mut c_char;
    fn H5Tget_array_ndims(type_id: hid_t) -> c_int;
    fn H5Tget_array_dims2(type_id: hid_t, dims: *mut hsize_t) -> c_int;
    fn H5Tfind(src_id: hid_t, dst_id: hid_t, data: *mut *mut H5T_cdata_t) -> H5T_conv_t;
    fn H5Tcompiler_conv(src_id: hid_t, dst_id: hid_t) -> htri_t;
    fn H5Tconvert(src_id: hid_t, dst_id: hid_t, count: usize, buffer: *mut c_void, background: *mut c_void, dxpl_id: hid_t) -> herr_t;

    // The error stack.
    fn H5Eget_num(stack_id: hid_t) -> isize;
    fn H5Eget_current_stack() -> hid_t;
    fn H5Eset_current_stack(stack_id: hid_t) -> herr_t;
    fn H5Eclear2(stack_id: hid_t) -> herr_t;
    fn H5Ewalk2(stack_id: hid_t, direction: H5E_direction_t, visit: H5E_walk2_t, data: *mut c_void) -> herr_t;
    fn H5Eauto_is_v2(stack_id: hid_t, is_v2: *mut c_uint) -> herr_t;
    fn H5Eget_auto2(stack_id: hid_t, function: *mut *mut c_void, data: *mut *mut c_void) -> herr_t;
    fn H5Eset_auto2(stack_id: hid_t, function: *mut c_void, data: *mut c_void) -> herr_t;
    fn H5Eregister_class(name: *const c_char, library: *const c_char, version: *const c_char) -> hid_t;
    fn H5Eunregister_class(class_id: hid_t) -> herr_t;
    fn H5Ecreate_msg(class_id: hid_t, kind: H5E_type_t, text: *const c_char) -> hid_t;
    fn H5Eclose_msg(message_id: hid_t) -> herr_t;

    // Connectors.
    fn H5VLfind_opt_operation(subclass: H5VL_subclass_t, name: *const c_char, number: *mut c_int) -> herr_t;
    fn H5VLregister_opt_operation(subclass: H5VL_subclass_t, name: *const c_char, number: *mut c_int) -> herr_t;
    fn H5VLwrap_register(object: *mut c_void, id_type: H5I_type_t) -> hid_t;
    fn H5VLregister_connector_by_value(value: H5VL_class_value_t, vipl_id: hid_t) -> hid_t;
    fn H5VLobject(id: hid_t) -> *mut c_void;
    fn H5VLget_value(connector_id: hid_t, value: *mut H5VL_class_value_t) -> herr_t;

    // The connector below us, one function per VOL callback.
    fn H5VLcmp_connector_cls(cmp: *mut c_int, connector_id1: hid_t, connector_id2: hid_t) -> herr_t;
    fn H5VLget_object(obj: *mut c_void, connector_id: hid_t) -> *mut c_void;
    fn H5VLget_wrap_ctx(obj: *mut c_void, connector_id: hid_t, wrap_ctx: *mut *mut c_void) -> herr_t;
    fn H5VLwrap_object(obj: *mut c_void, obj_type: H5I_type_t, connector_id: hid_t, wrap_ctx: *mut c_void) -> *mut c_void;
    fn H5VLunwrap_object(obj: *mut c_void, connector_id: hid_t) -> *mut c_void;
    fn H5VLfree_wrap_ctx(wrap_ctx: *mut c_void, connector_id: hid_t) -> herr_t;
    fn H5VLcopy_connector_info(connector_id: hid_t, dst_vol_info: *mut *mut c_void, src_vol_info: *mut c_void) -> herr_t;
    fn H5VLcmp_connector_info(cmp: *mut c_int, connector_id: hid_t, info1: *const c_void, info2: *const c_void) -> herr_t;
    fn H5VLfree_connector_info(connector_id: hid_t, vol_info: *mut c_void) -> herr_t;
    fn H5VLconnector_info_to_str(info: *const c_void, connector_id: hid_t, str: *mut *mut c_char) -> herr_t;
    fn H5VLconnector_str_to_info(str: *const c_char, connector_id: hid_t, info: *mut *mut c_void) -> herr_t;
    fn H5VLattr_create(obj: *mut c_void, loc_params: *const H5VL_loc_params_t, connector_id: hid_t, attr_name: *const c_char, type_id: hid_t, space_id: hid_t, acpl_id: hid_t, aapl_id: hid_t, dxpl_id: hid_t, req: *mut *mut c_void) -> *mut c_void;
    fn H5VLattr_open(obj: *mut c_void, loc_params: *const H5VL_loc_params_t, connector_id: hid_t, name: *const c_char, aapl_id: hid_t, dxpl_id: hid_t, req: *mut *mut c_void) -> *mut c_void;
    fn H5VLattr_read(attr: *mut c_void, connector_id: hid_t, dtype_id: hid_t, buf: *mut c_void, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLattr_write(attr: *mut c_void, connector_id: hid_t, dtype_id: hid_t, buf: *const c_void, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLattr_get(obj: *mut c_void, connector_id: hid_t, args: *mut H5VL_attr_get_args_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLattr_specific(obj: *mut c_void, loc_params: *const H5VL_loc_params_t, connector_id: hid_t, args: *mut H5VL_attr_specific_args_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLattr_optional(obj: *mut c_void, connector_id: hid_t, args: *mut H5VL_optional_args_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLattr_close(attr: *mut c_void, connector_id: hid_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLdataset_create(obj: *mut c_void, loc_params: *const H5VL_loc_params_t, connector_id: hid_t, name: *const c_char, lcpl_id: hid_t, type_id: hid_t, space_id: hid_t, dcpl_id: hid_t, dapl_id: hid_t, dxpl_id: hid_t, req: *mut *mut c_void) -> *mut c_void;
    fn H5VLdataset_open(obj: *mut c_void, loc_params: *const H5VL_loc_params_t, connector_id: hid_t, name: *const c_char, dapl_id: hid_t, dxpl_id: hid_t, req: *mut *mut c_void) -> *mut c_void;
    fn H5VLdataset_read(count: usize, dset: *mut *mut c_void, connector_id: hid_t, mem_type_id: *mut hid_t, mem_space_id: *mut hid_t, file_space_id: *mut hid_t, plist_id: hid_t, buf: *mut *mut c_void, req: *mut *mut c_void) -> herr_t;
    fn H5VLdataset_write(count: usize, dset: *mut *mut c_void, connector_id: hid_t, mem_type_id: *mut hid_t, mem_space_id: *mut hid_t, file_space_id: *mut hid_t, plist_id: hid_t, buf: *mut *const c_void, req: *mut *mut c_void) -> herr_t;
    fn H5VLdataset_get(dset: *mut c_void, connector_id: hid_t, args: *mut H5VL_dataset_get_args_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLdataset_specific(obj: *mut c_void, connector_id: hid_t, args: *mut H5VL_dataset_specific_args_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLdataset_optional(obj: *mut c_void, connector_id: hid_t, args: *mut H5VL_optional_args_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLdataset_close(dset: *mut c_void, connector_id: hid_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLdatatype_commit(obj: *mut c_void, loc_params: *const H5VL_loc_params_t, connector_id: hid_t, name: *const c_char, type_id: hid_t, lcpl_id: hid_t, tcpl_id: hid_t, tapl_id: hid_t, dxpl_id: hid_t, req: *mut *mut c_void) -> *mut c_void;
    fn H5VLdatatype_open(obj: *mut c_void, loc_params: *const H5VL_loc_params_t, connector_id: hid_t, name: *const c_char, tapl_id: hid_t, dxpl_id: hid_t, req: *mut *mut c_void) -> *mut c_void;
    fn H5VLdatatype_get(dt: *mut c_void, connector_id: hid_t, args: *mut H5VL_datatype_get_args_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLdatatype_specific(obj: *mut c_void, connector_id: hid_t, args: *mut H5VL_datatype_specific_args_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLdatatype_optional(obj: *mut c_void, connector_id: hid_t, args: *mut H5VL_optional_args_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLdatatype_close(dt: *mut c_void, connector_id: hid_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLfile_create(name: *const c_char, flags: c_uint, fcpl_id: hid_t, fapl_id: hid_t, dxpl_id: hid_t, req: *mut *mut c_void) -> *mut c_void;
    fn H5VLfile_open(name: *const c_char, flags: c_uint, fapl_id: hid_t, dxpl_id: hid_t, req: *mut *mut c_void) -> *mut c_void;
    fn H5VLfile_get(file: *mut c_void, connector_id: hid_t, args: *mut H5VL_file_get_args_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLfile_specific(obj: *mut c_void, connector_id: hid_t, args: *mut H5VL_file_specific_args_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLfile_optional(obj: *mut c_void, connector_id: hid_t, args: *mut H5VL_optional_args_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLfile_close(file: *mut c_void, connector_id: hid_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLgroup_create(obj: *mut c_void, loc_params: *const H5VL_loc_params_t, connector_id: hid_t, name: *const c_char, lcpl_id: hid_t, gcpl_id: hid_t, gapl_id: hid_t, dxpl_id: hid_t, req: *mut *mut c_void) -> *mut c_void;
    fn H5VLgroup_open(obj: *mut c_void, loc_params: *const H5VL_loc_params_t, connector_id: hid_t, name: *const c_char, gapl_id: hid_t, dxpl_id: hid_t, req: *mut *mut c_void) -> *mut c_void;
    fn H5VLgroup_get(obj: *mut c_void, connector_id: hid_t, args: *mut H5VL_group_get_args_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLgroup_specific(obj: *mut c_void, connector_id: hid_t, args: *mut H5VL_group_specific_args_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLgroup_optional(obj: *mut c_void, connector_id: hid_t, args: *mut H5VL_optional_args_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLgroup_close(grp: *mut c_void, connector_id: hid_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLlink_create(args: *mut H5VL_link_create_args_t, obj: *mut c_void, loc_params: *const H5VL_loc_params_t, connector_id: hid_t, lcpl_id: hid_t, lapl_id: hid_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLlink_copy(src_obj: *mut c_void, loc_params1: *const H5VL_loc_params_t, dst_obj: *mut c_void, loc_params2: *const H5VL_loc_params_t, connector_id: hid_t, lcpl_id: hid_t, lapl_id: hid_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLlink_move(src_obj: *mut c_void, loc_params1: *const H5VL_loc_params_t, dst_obj: *mut c_void, loc_params2: *const H5VL_loc_params_t, connector_id: hid_t, lcpl_id: hid_t, lapl_id: hid_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLlink_get(obj: *mut c_void, loc_params: *const H5VL_loc_params_t, connector_id: hid_t, args: *mut H5VL_link_get_args_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLlink_specific(obj: *mut c_void, loc_params: *const H5VL_loc_params_t, connector_id: hid_t, args: *mut H5VL_link_specific_args_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLlink_optional(obj: *mut c_void, loc_params: *const H5VL_loc_params_t, connector_id: hid_t, args: *mut H5VL_optional_args_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLobject_open(obj: *mut c_void, loc_params: *const H5VL_loc_params_t, connector_id: hid_t, opened_type: *mut H5I_type_t, dxpl_id: hid_t, req: *mut *mut c_void) -> *mut c_void;
    fn H5VLobject_copy(src_obj: *mut c_void, loc_params1: *const H5VL_loc_params_t, src_name: *const c_char, dst_obj: *mut c_void, loc_params2: *const H5VL_loc_params_t, dst_name: *const c_char, connector_id: hid_t, ocpypl_id: hid_t, lcpl_id: hid_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLobject_get(obj: *mut c_void, loc_params: *const H5VL_loc_params_t, connector_id: hid_t, args: *mut H5VL_object_get_args_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLobject_specific(obj: *mut c_void, loc_params: *const H5VL_loc_params_t, connector_id: hid_t, args: *mut H5VL_object_specific_args_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLobject_optional(obj: *mut c_void, loc_params: *const H5VL_loc_params_t, connector_id: hid_t, args: *mut H5VL_optional_args_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
    fn H5VLintrospect_get_conn_cls(obj: *mut c_void, connector_id: hid_t, lvl: H5VL_get_conn_lvl_t, conn_cls: *mut *const H5VL_class_t) -> herr_t;
    fn H5VLintrospect_get_cap_flags(info: *const c_void, connector_id: hid_t, cap_flags: *mut u64) -> herr_t;
    fn H5VLintrospect_opt_query(obj: *mut c_void, connector_id: hid_t, subcls: H5VL_subclass_t, opt_type: c_int, flags: *mut u64) -> herr_t;
    fn H5VLrequest_wait(req: *mut c_void, connector_id: hid_t, timeout: u64, status: *mut H5VL_request_status_t) -> herr_t;
    fn H5VLrequest_notify(req: *mut c_void, connector_id: hid_t, cb: H5VL_request_notify_t, ctx: *mut c_void) -> herr_t;
    fn H5VLrequest_cancel(req: *mut c_void, connector_id: hid_t, status: *mut H5VL_request_status_t) -> herr_t;
    fn H5VLrequest_specific(req: *mut c_void, connector_id: hid_t, args: *mut H5VL_request_specific_args_t) -> herr_t;
    fn H5VLrequest_optional(req: *mut c_void, connector_id: hid_t, args: *mut H5VL_optional_args_t) -> herr_t;
    fn H5VLrequest_free(req: *mut c_void, connector_id: hid_t) -> herr_t;
    fn H5VLblob_put(obj: *mut c_void, connector_id: hid_t, buf: *const c_void, size: usize, blob_id: *mut c_void, ctx: *mut c_void) -> herr_t;
    fn H5VLblob_get(obj: *mut c_void, connector_id: hid_t, blob_id: *const c_void, buf: *mut c_void, size: usize, ctx: *mut c_void) -> herr_t;
    fn H5VLblob_specific(obj: *mut c_void, connector_id: hid_t, blob_id: *mut c_void, args: *mut H5VL_blob_specific_args_t) -> herr_t;
    fn H5VLblob_optional(obj: *mut c_void, connector_id: hid_t, blob_id: *mut c_void, args: *mut H5VL_optional_args_t) -> herr_t;
    fn H5VLtoken_cmp(obj: *mut c_void, connector_id: hid_t, token1: *const H5O_token_t, token2: *const H5O_token_t, cmp_value: *mut c_int) -> herr_t;
    fn H5VLtoken_to_str(obj: *mut c_void, obj_type: H5I_type_t, connector_id: hid_t, token: *const H5O_token_t, token_str: *mut *mut c_char) -> herr_t;
    fn H5VLtoken_from_str(obj: *mut c_void, obj_type: H5I_type_t, connector_id: hid_t, token_str: *const c_char, token: *mut H5O_token_t) -> herr_t;
    fn H5VLoptional(obj: *mut c_void, connector_id: hid_t, args: *mut H5VL_optional_args_t, dxpl_id: hid_t, req: *mut *mut c_void) -> herr_t;
}
variadic {
    fn H5Epush2(stack_id: hid_t, file: *const c_char, function: *const c_char, line: c_uint,
        class_id: hid_t, major_id: hid_t, minor_id: hid_t, format: *const c_char, ...) -> herr_t;
}
optional {
    // Absent in builds without deprecated functions.
    fn H5Eget_auto1(function: *mut *mut c_void, data: *mut *mut c_void) -> herr_t;
    fn H5Eset_auto1(function: *mut c_void, data: *mut c_void) -> herr_t;
    fn H5is_library_threadsafe(threadsafe: *mut bool) -> herr_t;
    fn H5PLappend(search_path: *const c_char) -> herr_t;
    fn H5PLsize(count: *mut c_uint) -> herr_t;
    fn H5PLget(index: c_uint, path: *mut c_char, size: usize) -> isize;
    fn H5is_library_terminating(terminating: *mut bool) -> herr_t;
    fn H5atclose(function: Option<unsafe extern "C" fn(data: *mut c_void)>, data: *mut c_void) -> herr_t;
    // Only in builds for MPI.
    fn H5Pget_dxpl_mpio(plist_id: hid_t, mode: *mut c_int) -> herr_t;
    fn H5Pset_dxpl_mpio(plist_id: hid_t, mode: c_int) -> herr_t;
    fn H5Pget_all_coll_metadata_ops(plist_id: hid_t, is_collective: *mut bool) -> herr_t;
    // Since 1.14.1, and the last one since 1.14.3.
    fn H5Pget_selection_io(plist_id: hid_t, mode: *mut c_int) -> herr_t;
    fn H5Pget_no_selection_io_cause(plist_id: hid_t, cause: *mut u32) -> herr_t;
    fn H5Pget_actual_selection_io_mode(plist_id: hid_t, mode: *mut u32) -> herr_t;
    // In a host with a global lock: gives it up, and takes it back if it is free.
    fn H5TSmutex_release(count: *mut c_uint) -> herr_t;
    fn H5TSmutex_acquire(count: c_uint, acquired: *mut bool) -> herr_t;
    // A context of its own for calls of a connector: in 1.14, and in 2.x.
    fn H5VLstart_lib_state() -> herr_t;
    fn H5VLfinish_lib_state() -> herr_t;
    fn H5VLopen_lib_context(context: *mut *mut c_void) -> herr_t;
    fn H5VLclose_lib_context(context: *mut c_void) -> herr_t;
    // What is known in a context, for another one.
    fn H5VLretrieve_lib_state(state: *mut *mut c_void) -> herr_t;
    fn H5VLrestore_lib_state(state: *const c_void) -> herr_t;
    fn H5VLfree_lib_state(state: *mut c_void) -> herr_t;
}
}
