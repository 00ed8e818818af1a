//! The functions of HDF5's C API that tests use.

#![expect(non_snake_case, reason = "the fields carry HDF5's own names")]

use core::ffi::{c_char, c_int, c_uint, c_void};

use h5_abi::{
    H5_index_t, H5_iter_order_t, H5A_operator2_t, H5E_auto2_t, H5E_direction_t, H5E_type_t, H5E_walk2_t,
    H5F_scope_t, H5G_info_t, H5I_type_t, H5L_iterate2_t, H5O_info2_t, H5O_iterate2_t, H5S_class_t,
    H5S_seloper_t, H5VL_class_t, herr_t, hid_t, hsize_t, htri_t,
};
use libloading::Library;

macro_rules! api {
    (
        $( fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty; )*
        $( static $variable:ident; )*
    ) => {
        /// Functions and predefined identifiers of one libhdf5, under their C names. Calling one is unsafe:
        /// only while the host's [`Session`](crate::Session) is held, with arguments as HDF5 documents them.
        #[expect(missing_docs, reason = "HDF5's reference manual documents them")]
        pub struct Api {
            $( pub $name: unsafe extern "C" fn($($arg: $ty),*) -> $ret, )*
            $( $variable: *const hid_t, )*
        }

        impl Api {
            /// # Safety
            /// `library` is an HDF5 from 1.14 on.
            pub(crate) unsafe fn resolve(library: &Library) -> Result<Self, libloading::Error> {
                Ok(Self {
                    // SAFETY: by the contract, the functions have the prototypes written here.
                    $( $name: unsafe { *library.get(concat!(stringify!($name), "\0").as_bytes())? }, )*
                    // SAFETY: by the contract, the variables are identifiers.
                    $( $variable: unsafe { *library.get(concat!(stringify!($variable), "\0").as_bytes())? }, )*
                })
            }

            $(
                /// The predefined identifier of this name.
                pub fn $variable(&self) -> hid_t {
                    // SAFETY: a variable of the loaded library, initialised by `H5open`.
                    unsafe { *self.$variable }
                }
            )*
        }
    };
}

// SAFETY: addresses in a library that stays loaded; the identifiers only change in `H5open` and `H5close`,
// which are called with the host's lock held.
unsafe impl Send for Api {}
// SAFETY: as for `Send`.
unsafe impl Sync for Api {}

api! {
    fn H5open() -> herr_t;
    fn H5close() -> herr_t;
    fn H5free_memory(memory: *mut c_void) -> herr_t;

    fn H5Eset_auto2(stack: hid_t, function: H5E_auto2_t, data: *mut c_void) -> herr_t;
    fn H5Eget_num(stack: hid_t) -> isize;
    fn H5Eget_current_stack() -> hid_t;
    fn H5Eclose_stack(stack: hid_t) -> herr_t;
    fn H5Eclear2(stack: hid_t) -> herr_t;
    fn H5Ewalk2(stack: hid_t, direction: H5E_direction_t, function: H5E_walk2_t, data: *mut c_void) -> herr_t;
    fn H5Eget_class_name(class: hid_t, name: *mut c_char, size: usize) -> isize;
    fn H5Eget_msg(message: hid_t, kind: *mut H5E_type_t, text: *mut c_char, size: usize) -> isize;

    fn H5Iget_type(id: hid_t) -> H5I_type_t;
    fn H5Iget_name(id: hid_t, name: *mut c_char, size: usize) -> isize;
    fn H5Iget_file_id(id: hid_t) -> hid_t;
    fn H5Iis_valid(id: hid_t) -> htri_t;
    fn H5Iinc_ref(id: hid_t) -> c_int;
    fn H5Idec_ref(id: hid_t) -> c_int;
    fn H5Inmembers(kind: H5I_type_t, count: *mut hsize_t) -> herr_t;

    fn H5Pcreate(class: hid_t) -> hid_t;
    fn H5Pcopy(list: hid_t) -> hid_t;
    fn H5Pclose(list: hid_t) -> herr_t;
    fn H5Pset_vol(list: hid_t, connector: hid_t, info: *const c_void) -> herr_t;
    fn H5Pget_vol_info(list: hid_t, info: *mut *mut c_void) -> herr_t;
    fn H5Pset_chunk(list: hid_t, rank: c_int, dimensions: *const hsize_t) -> herr_t;

    fn H5VLregister_connector(class: *const H5VL_class_t, vipl: hid_t) -> hid_t;
    fn H5VLis_connector_registered_by_name(name: *const c_char) -> htri_t;
    fn H5VLclose(connector: hid_t) -> herr_t;
    fn H5VLunregister_connector(connector: hid_t) -> herr_t;
    fn H5VLget_connector_name(id: hid_t, name: *mut c_char, size: usize) -> isize;
    fn H5VLconnector_str_to_info(text: *const c_char, connector: hid_t, info: *mut *mut c_void) -> herr_t;
    fn H5VLconnector_info_to_str(info: *const c_void, connector: hid_t, text: *mut *mut c_char) -> herr_t;
    fn H5VLcopy_connector_info(connector: hid_t, copy: *mut *mut c_void, info: *mut c_void) -> herr_t;
    fn H5VLcmp_connector_info(order: *mut c_int, connector: hid_t, a: *const c_void, b: *const c_void) -> herr_t;
    fn H5VLfree_connector_info(connector: hid_t, info: *mut c_void) -> herr_t;

    fn H5Fcreate(name: *const c_char, flags: c_uint, fcpl: hid_t, fapl: hid_t) -> hid_t;
    fn H5Fopen(name: *const c_char, flags: c_uint, fapl: hid_t) -> hid_t;
    fn H5Freopen(file: hid_t) -> hid_t;
    fn H5Fclose(file: hid_t) -> herr_t;
    fn H5Fflush(object: hid_t, scope: H5F_scope_t) -> herr_t;
    fn H5Fis_accessible(name: *const c_char, fapl: hid_t) -> htri_t;
    fn H5Fdelete(name: *const c_char, fapl: hid_t) -> herr_t;
    fn H5Fget_name(object: hid_t, name: *mut c_char, size: usize) -> isize;
    fn H5Fget_intent(file: hid_t, flags: *mut c_uint) -> herr_t;
    fn H5Fget_obj_count(file: hid_t, kinds: c_uint) -> isize;
    fn H5Fmount(location: hid_t, name: *const c_char, child: hid_t, properties: hid_t) -> herr_t;
    fn H5Funmount(location: hid_t, name: *const c_char) -> herr_t;

    fn H5Gcreate2(location: hid_t, name: *const c_char, lcpl: hid_t, gcpl: hid_t, gapl: hid_t) -> hid_t;
    fn H5Gopen2(location: hid_t, name: *const c_char, gapl: hid_t) -> hid_t;
    fn H5Gget_info(group: hid_t, info: *mut H5G_info_t) -> herr_t;
    fn H5Gclose(group: hid_t) -> herr_t;

    fn H5Lexists(location: hid_t, name: *const c_char, lapl: hid_t) -> htri_t;
    fn H5Ldelete(location: hid_t, name: *const c_char, lapl: hid_t) -> herr_t;
    fn H5Lmove(source: hid_t, name: *const c_char, target: hid_t, new: *const c_char, lcpl: hid_t, lapl: hid_t) -> herr_t;
    fn H5Lcreate_soft(path: *const c_char, location: hid_t, name: *const c_char, lcpl: hid_t, lapl: hid_t) -> herr_t;
    fn H5Lcreate_hard(source: hid_t, name: *const c_char, target: hid_t, new: *const c_char, lcpl: hid_t, lapl: hid_t) -> herr_t;
    fn H5Lget_val(location: hid_t, name: *const c_char, buffer: *mut c_void, size: usize, lapl: hid_t) -> herr_t;
    fn H5Literate2(group: hid_t, index: H5_index_t, order: H5_iter_order_t, position: *mut hsize_t, function: H5L_iterate2_t, data: *mut c_void) -> herr_t;

    fn H5Oopen(location: hid_t, name: *const c_char, lapl: hid_t) -> hid_t;
    fn H5Oclose(object: hid_t) -> herr_t;
    fn H5Oget_info3(object: hid_t, info: *mut H5O_info2_t, fields: c_uint) -> herr_t;
    fn H5Ocopy(source: hid_t, name: *const c_char, target: hid_t, new: *const c_char, ocpypl: hid_t, lcpl: hid_t) -> herr_t;
    fn H5Ovisit3(object: hid_t, index: H5_index_t, order: H5_iter_order_t, function: H5O_iterate2_t, data: *mut c_void, fields: c_uint) -> herr_t;
    fn H5Oexists_by_name(location: hid_t, name: *const c_char, lapl: hid_t) -> htri_t;
    fn H5Orefresh(object: hid_t) -> herr_t;

    fn H5Dcreate2(location: hid_t, name: *const c_char, datatype: hid_t, space: hid_t, lcpl: hid_t, dcpl: hid_t, dapl: hid_t) -> hid_t;
    fn H5Dopen2(location: hid_t, name: *const c_char, dapl: hid_t) -> hid_t;
    fn H5Dclose(dataset: hid_t) -> herr_t;
    fn H5Dread(dataset: hid_t, memory_type: hid_t, memory_space: hid_t, file_space: hid_t, dxpl: hid_t, buffer: *mut c_void) -> herr_t;
    fn H5Dwrite(dataset: hid_t, memory_type: hid_t, memory_space: hid_t, file_space: hid_t, dxpl: hid_t, buffer: *const c_void) -> herr_t;
    fn H5Dget_space(dataset: hid_t) -> hid_t;
    fn H5Dget_type(dataset: hid_t) -> hid_t;
    fn H5Dget_storage_size(dataset: hid_t) -> hsize_t;
    fn H5Dset_extent(dataset: hid_t, dimensions: *const hsize_t) -> herr_t;
    fn H5Dflush(dataset: hid_t) -> herr_t;
    fn H5Drefresh(dataset: hid_t) -> herr_t;

    fn H5Acreate2(object: hid_t, name: *const c_char, datatype: hid_t, space: hid_t, acpl: hid_t, aapl: hid_t) -> hid_t;
    fn H5Aopen(object: hid_t, name: *const c_char, aapl: hid_t) -> hid_t;
    fn H5Aread(attribute: hid_t, memory_type: hid_t, buffer: *mut c_void) -> herr_t;
    fn H5Awrite(attribute: hid_t, memory_type: hid_t, buffer: *const c_void) -> herr_t;
    fn H5Aget_name(attribute: hid_t, size: usize, name: *mut c_char) -> isize;
    fn H5Aget_space(attribute: hid_t) -> hid_t;
    fn H5Aexists(object: hid_t, name: *const c_char) -> htri_t;
    fn H5Adelete(object: hid_t, name: *const c_char) -> herr_t;
    fn H5Arename(object: hid_t, old: *const c_char, new: *const c_char) -> herr_t;
    fn H5Aiterate2(object: hid_t, index: H5_index_t, order: H5_iter_order_t, position: *mut hsize_t, function: H5A_operator2_t, data: *mut c_void) -> herr_t;
    fn H5Aclose(attribute: hid_t) -> herr_t;

    fn H5Screate(class: H5S_class_t) -> hid_t;
    fn H5Screate_simple(rank: c_int, dimensions: *const hsize_t, maximum: *const hsize_t) -> hid_t;
    fn H5Sclose(space: hid_t) -> herr_t;
    fn H5Sget_simple_extent_ndims(space: hid_t) -> c_int;
    fn H5Sget_simple_extent_dims(space: hid_t, dimensions: *mut hsize_t, maximum: *mut hsize_t) -> c_int;
    fn H5Sselect_hyperslab(space: hid_t, operation: H5S_seloper_t, start: *const hsize_t, stride: *const hsize_t, count: *const hsize_t, block: *const hsize_t) -> herr_t;

    fn H5Tcopy(datatype: hid_t) -> hid_t;
    fn H5Tset_size(datatype: hid_t, size: usize) -> herr_t;
    fn H5Tget_size(datatype: hid_t) -> usize;
    fn H5Tequal(a: hid_t, b: hid_t) -> htri_t;
    fn H5Tclose(datatype: hid_t) -> herr_t;
    fn H5Tcommit2(location: hid_t, name: *const c_char, datatype: hid_t, lcpl: hid_t, tcpl: hid_t, tapl: hid_t) -> herr_t;
    fn H5Topen2(location: hid_t, name: *const c_char, tapl: hid_t) -> hid_t;

    // `H5R_ref_t` is 64 opaque bytes.
    fn H5Rcreate_object(location: hid_t, name: *const c_char, oapl: hid_t, reference: *mut c_void) -> herr_t;
    fn H5Ropen_object(reference: *mut c_void, rapl: hid_t, oapl: hid_t) -> hid_t;
    fn H5Rdestroy(reference: *mut c_void) -> herr_t;

    static H5P_CLS_FILE_ACCESS_ID_g;
    static H5P_CLS_DATASET_CREATE_ID_g;
    static H5T_NATIVE_INT_g;
    static H5T_NATIVE_DOUBLE_g;
    static H5T_STD_I32BE_g;
    static H5T_C_S1_g;
}
