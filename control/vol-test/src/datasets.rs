//! Datasets of `int` elements, and of variable-length strings.

use core::ffi::{CStr, c_char, c_int, c_void};

use h5_abi::{H5P_DEFAULT, H5S_ALL, H5S_SCALAR, H5S_SELECT_SET, hid_t};

use crate::failure::Result;
use crate::handle::Handle;
use crate::host::{Session, c_string};

/// `H5T_VARIABLE`.
const VARIABLE: usize = usize::MAX;

impl Session<'_> {
    /// `H5Screate_simple`, without limits if `growing`; no dimensions make a scalar.
    pub fn space(&self, dimensions: &[u64], growing: bool) -> Result<Handle<'_>> {
        let api = self.api();
        let rank = c_int::try_from(dimensions.len()).expect("few dimensions");
        let unlimited = vec![h5_abi::H5S_UNLIMITED; dimensions.len()];
        let maximum = if growing { unlimited.as_ptr() } else { core::ptr::null() };
        // SAFETY: arrays of `rank` entries, or none.
        let id = unsafe {
            if dimensions.is_empty() {
                (api.H5Screate)(H5S_SCALAR)
            } else {
                (api.H5Screate_simple)(rank, dimensions.as_ptr(), maximum)
            }
        };
        Handle::new(self, id, api.H5Sclose)
    }

    /// Dimensions of a dataspace.
    pub fn dimensions(&self, space: &Handle<'_>) -> Result<Vec<u64>> {
        let api = self.api();
        // SAFETY: HDF5 verifies the identifier.
        let rank = self.check(unsafe { (api.H5Sget_simple_extent_ndims)(space.id()) })?;
        let mut dimensions = vec![0; usize::try_from(rank).unwrap_or(0)];
        // SAFETY: room for `rank` entries.
        self.check(unsafe {
            (api.H5Sget_simple_extent_dims)(space.id(), dimensions.as_mut_ptr(), core::ptr::null_mut())
        })?;
        Ok(dimensions)
    }

    /// `H5Dcreate` of `int` elements, stored as 32-bit big-endian if `big_endian`; chunked if `chunk` says so.
    pub fn create_dataset(
        &self,
        location: &Handle<'_>,
        name: &str,
        dimensions: &[u64],
        chunk: Option<&[u64]>,
        big_endian: bool,
    ) -> Result<Handle<'_>> {
        let api = self.api();
        let name = c_string(name);
        let space = self.space(dimensions, chunk.is_some())?;
        // SAFETY: a predefined class.
        let creation =
            Handle::new(self, unsafe { (api.H5Pcreate)(api.H5P_CLS_DATASET_CREATE_ID_g()) }, api.H5Pclose)?;
        if let Some(chunk) = chunk {
            let rank = c_int::try_from(chunk.len()).expect("few dimensions");
            // SAFETY: `rank` entries.
            self.check(unsafe { (api.H5Pset_chunk)(creation.id(), rank, chunk.as_ptr()) })?;
        }
        let datatype = if big_endian { api.H5T_STD_I32BE_g() } else { api.H5T_NATIVE_INT_g() };
        // SAFETY: a C string; HDF5 verifies identifiers.
        let id = unsafe {
            (api.H5Dcreate2)(
                location.id(),
                name.as_ptr(),
                datatype,
                space.id(),
                H5P_DEFAULT,
                creation.id(),
                H5P_DEFAULT,
            )
        };
        Handle::new(self, id, api.H5Dclose)
    }

    /// `H5Dopen`.
    pub fn open_dataset(&self, location: &Handle<'_>, name: &str) -> Result<Handle<'_>> {
        let name = c_string(name);
        // SAFETY: a C string; HDF5 verifies identifiers.
        let id = unsafe { (self.api().H5Dopen2)(location.id(), name.as_ptr(), H5P_DEFAULT) };
        Handle::new(self, id, self.api().H5Dclose)
    }

    /// `H5Dwrite` of a whole dataset.
    ///
    /// # Panics
    /// If there are not as many values as elements.
    pub fn write(&self, dataset: &Handle<'_>, values: &[c_int]) -> Result<()> {
        let elements = self.elements(dataset)?;
        assert_eq!(elements, values.len(), "values for each element");
        let api = self.api();
        // SAFETY: as many values as the dataset has elements.
        self.check(unsafe {
            (api.H5Dwrite)(
                dataset.id(),
                api.H5T_NATIVE_INT_g(),
                H5S_ALL,
                H5S_ALL,
                H5P_DEFAULT,
                values.as_ptr().cast(),
            )
        })
        .map(|_| ())
    }

    /// `H5Dread` of a whole dataset.
    pub fn read(&self, dataset: &Handle<'_>) -> Result<Vec<c_int>> {
        let mut values = vec![0; self.elements(dataset)?];
        let api = self.api();
        // SAFETY: room for as many values as the dataset has elements.
        self.check(unsafe {
            (api.H5Dread)(
                dataset.id(),
                api.H5T_NATIVE_INT_g(),
                H5S_ALL,
                H5S_ALL,
                H5P_DEFAULT,
                values.as_mut_ptr().cast(),
            )
        })?;
        Ok(values)
    }

    /// `H5Dread` of every `stride`th element along the first dimension.
    pub fn read_rows(&self, dataset: &Handle<'_>, stride: u64) -> Result<Vec<c_int>> {
        let api = self.api();
        // SAFETY: HDF5 verifies the identifier.
        let space = Handle::new(self, unsafe { (api.H5Dget_space)(dataset.id()) }, api.H5Sclose)?;
        let dimensions = self.dimensions(&space)?;
        let start = vec![0; dimensions.len()];
        let mut strides = vec![1; dimensions.len()];
        strides[0] = stride;
        let mut count = dimensions.clone();
        count[0] = dimensions[0].div_ceil(stride);
        // SAFETY: arrays of one entry per dimension.
        self.check(unsafe {
            (api.H5Sselect_hyperslab)(
                space.id(),
                H5S_SELECT_SET,
                start.as_ptr(),
                strides.as_ptr(),
                count.as_ptr(),
                core::ptr::null(),
            )
        })?;
        let memory = self.space(&count, false)?;
        let elements = count.iter().product::<u64>();
        let mut values = vec![0; usize::try_from(elements).expect("a small dataset")];
        // SAFETY: room for as many values as are selected.
        self.check(unsafe {
            (api.H5Dread)(
                dataset.id(),
                api.H5T_NATIVE_INT_g(),
                memory.id(),
                space.id(),
                H5P_DEFAULT,
                values.as_mut_ptr().cast(),
            )
        })?;
        Ok(values)
    }

    /// Dimensions of a dataset.
    pub fn extent(&self, dataset: &Handle<'_>) -> Result<Vec<u64>> {
        // SAFETY: HDF5 verifies the identifier.
        let space = unsafe { (self.api().H5Dget_space)(dataset.id()) };
        self.dimensions(&Handle::new(self, space, self.api().H5Sclose)?)
    }

    /// `H5Dset_extent`.
    ///
    /// # Panics
    /// If there is not one size per dimension.
    pub fn set_extent(&self, dataset: &Handle<'_>, dimensions: &[u64]) -> Result<()> {
        assert_eq!(self.extent(dataset)?.len(), dimensions.len(), "one size per dimension");
        // SAFETY: one size per dimension.
        self.check(unsafe { (self.api().H5Dset_extent)(dataset.id(), dimensions.as_ptr()) }).map(|_| ())
    }

    /// `H5Dget_storage_size`.
    pub fn storage_size(&self, dataset: &Handle<'_>) -> u64 {
        // SAFETY: HDF5 verifies the identifier.
        unsafe { (self.api().H5Dget_storage_size)(dataset.id()) }
    }

    /// `H5Drefresh`.
    pub fn refresh_dataset(&self, dataset: &Handle<'_>) -> Result<()> {
        // SAFETY: HDF5 verifies the identifier.
        self.check(unsafe { (self.api().H5Drefresh)(dataset.id()) }).map(|_| ())
    }

    /// Whether a dataset's elements are stored as 32-bit big-endian integers.
    pub fn is_big_endian(&self, dataset: &Handle<'_>) -> Result<bool> {
        let api = self.api();
        // SAFETY: HDF5 verifies the identifier.
        let datatype = Handle::new(self, unsafe { (api.H5Dget_type)(dataset.id()) }, api.H5Tclose)?;
        // SAFETY: HDF5 verifies the identifiers.
        Ok(self.check(unsafe { (api.H5Tequal)(datatype.id(), api.H5T_STD_I32BE_g()) })? > 0)
    }

    fn elements(&self, dataset: &Handle<'_>) -> Result<usize> {
        let elements = self.extent(dataset)?.iter().product::<u64>();
        Ok(usize::try_from(elements).expect("a small dataset"))
    }

    fn string_type(&self) -> Result<Handle<'_>> {
        let api = self.api();
        // SAFETY: a predefined type.
        let datatype = Handle::new(self, unsafe { (api.H5Tcopy)(api.H5T_C_S1_g()) }, api.H5Tclose)?;
        // SAFETY: HDF5 verifies the identifier.
        self.check(unsafe { (api.H5Tset_size)(datatype.id(), VARIABLE) })?;
        Ok(datatype)
    }

    /// Creates a scalar dataset of one variable-length string and writes it.
    pub fn write_string(&self, location: &Handle<'_>, name: &str, text: &str) -> Result<()> {
        let api = self.api();
        let (name, text) = (c_string(name), c_string(text));
        let datatype = self.string_type()?;
        let space = self.space(&[], false)?;
        // SAFETY: a C string; HDF5 verifies identifiers.
        let id = unsafe {
            (api.H5Dcreate2)(
                location.id(),
                name.as_ptr(),
                datatype.id(),
                space.id(),
                H5P_DEFAULT,
                H5P_DEFAULT,
                H5P_DEFAULT,
            )
        };
        let dataset = Handle::new(self, id, api.H5Dclose)?;
        let value: *const c_char = text.as_ptr();
        let buffer: *const c_void = (&raw const value).cast();
        // SAFETY: one pointer to a C string, as the datatype says.
        self.check(unsafe {
            (api.H5Dwrite)(dataset.id(), datatype.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer)
        })?;
        dataset.close()
    }

    /// Reads what [`Session::write_string`] wrote.
    pub fn read_string(&self, location: &Handle<'_>, name: &str) -> Result<String> {
        let api = self.api();
        let datatype = self.string_type()?;
        let dataset = self.open_dataset(location, name)?;
        let mut value: *mut c_char = core::ptr::null_mut();
        let buffer: *mut c_void = (&raw mut value).cast();
        // SAFETY: room for one pointer, as the datatype says.
        self.check(unsafe {
            (api.H5Dread)(dataset.id(), datatype.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer)
        })?;
        if value.is_null() {
            return Ok(String::new());
        }
        // SAFETY: a C string that HDF5 allocated for us.
        let text = unsafe { CStr::from_ptr(value) }.to_string_lossy().into_owned();
        // SAFETY: allocated by HDF5, not used again.
        unsafe { (api.H5free_memory)(value.cast()) };
        Ok(text)
    }

    /// Whether an identifier is valid.
    pub fn is_valid(&self, id: hid_t) -> bool {
        // SAFETY: HDF5 verifies the identifier.
        unsafe { (self.api().H5Iis_valid)(id) > 0 }
    }
}
