//! The functions, looked up once.

#![expect(non_snake_case, reason = "the fields carry HDF5's own names")]

use core::ffi::{c_char, c_int, c_uint, c_void};

use h5_abi::{
    H5D_layout_t, H5E_auto2_t, H5E_direction_t, H5E_walk2_t, H5F_close_degree_t, H5F_libver_t, H5S_seloper_t,
    haddr_t, herr_t, hid_t, hsize_t, htri_t,
};
use libloading::os::unix::Library;

/// What `H5Dchunk_iter` calls with each chunk: its place in the dataset and its filter mask, and its place and bytes in the
/// file.
pub(super) type ChunkVisitor =
    unsafe extern "C" fn(*const hsize_t, c_uint, haddr_t, hsize_t, *mut c_void) -> c_int;

macro_rules! api {
    ($( fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty; )*) => {
        /// Functions of one libhdf5, under their C names.
        #[derive(Clone, Copy)]
        pub(super) struct Api {
            $( pub(super) $name: unsafe extern "C" fn($($arg: $ty),*) -> $ret, )*
        }

        impl Api {
            /// # Safety
            /// `library` is an HDF5 from 1.14 on, and stays loaded.
            pub(super) unsafe fn resolve(library: &Library) -> Result<Self, libloading::Error> {
                Ok(Self {
                    // SAFETY: by the contract, the functions have the prototypes written here.
                    $( $name: unsafe { *library.get(concat!(stringify!($name), "\0").as_bytes())? }, )*
                })
            }
        }
    };
}

api! {
    fn H5open() -> herr_t;
    fn H5get_libversion(major: *mut c_uint, minor: *mut c_uint, release: *mut c_uint) -> herr_t;
    fn H5is_library_threadsafe(is_thread_safe: *mut bool) -> herr_t;

    fn H5Eset_auto2(stack: hid_t, function: H5E_auto2_t, data: *mut c_void) -> herr_t;
    fn H5Eclear2(stack: hid_t) -> herr_t;
    fn H5Ewalk2(stack: hid_t, direction: H5E_direction_t, function: H5E_walk2_t, data: *mut c_void) -> herr_t;

    fn H5PLappend(folder: *const c_char) -> herr_t;
    fn H5Zfilter_avail(filter: c_int) -> htri_t;

    fn H5VLregister_connector_by_name(name: *const c_char, properties: hid_t) -> hid_t;
    fn H5VLget_connector_id_by_name(name: *const c_char) -> hid_t;
    fn H5VLconnector_str_to_info(text: *const c_char, connector: hid_t, info: *mut *mut c_void) -> herr_t;
    fn H5VLfree_connector_info(connector: hid_t, info: *mut c_void) -> herr_t;
    fn H5VLget_connector_name(object: hid_t, name: *mut c_char, size: usize) -> isize;
    fn H5VLclose(connector: hid_t) -> herr_t;

    fn H5Pcreate(class: hid_t) -> hid_t;
    fn H5Pclose(list: hid_t) -> herr_t;
    fn H5Pset_fclose_degree(list: hid_t, degree: H5F_close_degree_t) -> herr_t;
    fn H5Pset_libver_bounds(list: hid_t, low: H5F_libver_t, high: H5F_libver_t) -> herr_t;
    fn H5Pset_vol(list: hid_t, connector: hid_t, info: *const c_void) -> herr_t;
    fn H5Pset_chunk(list: hid_t, rank: c_int, dimensions: *const hsize_t) -> herr_t;
    fn H5Pget_chunk(list: hid_t, most: c_int, dimensions: *mut hsize_t) -> c_int;
    fn H5Pget_layout(list: hid_t) -> H5D_layout_t;
    fn H5Pset_filter(list: hid_t, filter: c_int, flags: c_uint, count: usize, options: *const c_uint) -> herr_t;
    fn H5Pget_nfilters(list: hid_t) -> c_int;
    fn H5Pget_filter2(list: hid_t, index: c_uint, flags: *mut c_uint, count: *mut usize, options: *mut c_uint, length: usize, name: *mut c_char, config: *mut c_uint) -> c_int;

    fn H5Fopen(name: *const c_char, flags: c_uint, access: hid_t) -> hid_t;
    fn H5Fcreate(name: *const c_char, flags: c_uint, creation: hid_t, access: hid_t) -> hid_t;
    fn H5Fclose(file: hid_t) -> herr_t;

    fn H5Dopen2(location: hid_t, name: *const c_char, access: hid_t) -> hid_t;
    fn H5Dcreate2(location: hid_t, name: *const c_char, datatype: hid_t, space: hid_t, link: hid_t, creation: hid_t, access: hid_t) -> hid_t;
    fn H5Dset_extent(dataset: hid_t, extent: *const hsize_t) -> herr_t;
    fn H5Dclose(dataset: hid_t) -> herr_t;
    fn H5Dread(dataset: hid_t, datatype: hid_t, memory: hid_t, file: hid_t, transfer: hid_t, buffer: *mut c_void) -> herr_t;
    fn H5Dwrite(dataset: hid_t, datatype: hid_t, memory: hid_t, file: hid_t, transfer: hid_t, buffer: *const c_void) -> herr_t;
    fn H5Dread_multi(count: usize, datasets: *const hid_t, datatypes: *const hid_t, memories: *const hid_t, files: *const hid_t, transfer: hid_t, buffers: *const *mut c_void) -> herr_t;
    fn H5Dwrite_multi(count: usize, datasets: *const hid_t, datatypes: *const hid_t, memories: *const hid_t, files: *const hid_t, transfer: hid_t, buffers: *const *const c_void) -> herr_t;
    fn H5Dwrite_chunk(dataset: hid_t, transfer: hid_t, mask: u32, place: *const hsize_t, size: usize, buffer: *const c_void) -> herr_t;
    fn H5Dget_offset(dataset: hid_t) -> haddr_t;
    fn H5Dget_space(dataset: hid_t) -> hid_t;
    fn H5Dget_type(dataset: hid_t) -> hid_t;
    fn H5Dget_create_plist(dataset: hid_t) -> hid_t;
    fn H5Dchunk_iter(dataset: hid_t, transfer: hid_t, visitor: ChunkVisitor, data: *mut c_void) -> herr_t;

    fn H5Screate_simple(rank: c_int, extent: *const hsize_t, most: *const hsize_t) -> hid_t;
    fn H5Sselect_hyperslab(space: hid_t, operation: H5S_seloper_t, start: *const hsize_t, stride: *const hsize_t, count: *const hsize_t, block: *const hsize_t) -> herr_t;
    fn H5Sget_simple_extent_ndims(space: hid_t) -> c_int;
    fn H5Sget_simple_extent_dims(space: hid_t, extent: *mut hsize_t, most: *mut hsize_t) -> c_int;
    fn H5Sget_simple_extent_npoints(space: hid_t) -> i64;
    fn H5Sclose(space: hid_t) -> herr_t;

    fn H5Tcopy(datatype: hid_t) -> hid_t;
    fn H5Tset_precision(datatype: hid_t, bits: usize) -> herr_t;
    fn H5Tcreate(class: c_int, size: usize) -> hid_t;
    fn H5Tinsert(compound: hid_t, name: *const c_char, offset: usize, datatype: hid_t) -> herr_t;
    fn H5Tget_native_type(datatype: hid_t, direction: c_int) -> hid_t;
    fn H5Tget_class(datatype: hid_t) -> c_int;
    fn H5Tdetect_class(datatype: hid_t, class: c_int) -> htri_t;
    fn H5Tis_variable_str(datatype: hid_t) -> htri_t;
    fn H5Tget_size(datatype: hid_t) -> usize;
    fn H5Tequal(a: hid_t, b: hid_t) -> htri_t;
    fn H5Tclose(datatype: hid_t) -> herr_t;
}
