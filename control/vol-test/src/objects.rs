//! Objects of any kind, and identifiers.

use core::ffi::{c_char, c_int, c_void};

use h5_abi::{H5_INDEX_NAME, H5_ITER_INC, H5I_type_t, H5O_INFO_ALL, H5O_info2_t, H5P_DEFAULT, hid_t};

use crate::failure::Result;
use crate::groups::{visit, with_visitor};
use crate::handle::Handle;
use crate::host::{Session, c_string};

unsafe extern "C" fn visit_object(
    object: hid_t,
    name: *const c_char,
    _: *const H5O_info2_t,
    visitor: *mut c_void,
) -> c_int {
    // SAFETY: HDF5 passes the object's name and the visitor given to it.
    unsafe { visit(object, name, visitor) }
}

impl Session<'_> {
    /// `H5Oopen`.
    pub fn open_object(&self, location: &Handle<'_>, name: &str) -> Result<Handle<'_>> {
        let name = c_string(name);
        // SAFETY: a C string; HDF5 verifies identifiers.
        let id = unsafe { (self.api().H5Oopen)(location.id(), name.as_ptr(), H5P_DEFAULT) };
        Handle::new(self, id, self.api().H5Oclose)
    }

    /// `H5Oget_info`.
    pub fn object_info(&self, object: &Handle<'_>) -> Result<H5O_info2_t> {
        let mut info = core::mem::MaybeUninit::zeroed();
        // SAFETY: room for the information.
        self.check(unsafe { (self.api().H5Oget_info3)(object.id(), info.as_mut_ptr(), H5O_INFO_ALL) })?;
        // SAFETY: all-zero bytes are valid, and HDF5 has filled it.
        Ok(unsafe { info.assume_init() })
    }

    /// `H5Oexists_by_name`.
    pub fn object_exists(&self, location: &Handle<'_>, name: &str) -> Result<bool> {
        let name = c_string(name);
        // SAFETY: a C string; HDF5 verifies identifiers.
        let exists = unsafe { (self.api().H5Oexists_by_name)(location.id(), name.as_ptr(), H5P_DEFAULT) };
        Ok(self.check(exists)? > 0)
    }

    /// `H5Ocopy`.
    pub fn copy_object(&self, source: &Handle<'_>, name: &str, target: &Handle<'_>, new: &str) -> Result<()> {
        let (name, new) = (c_string(name), c_string(new));
        // SAFETY: C strings; HDF5 verifies identifiers.
        self.check(unsafe {
            (self.api().H5Ocopy)(
                source.id(),
                name.as_ptr(),
                target.id(),
                new.as_ptr(),
                H5P_DEFAULT,
                H5P_DEFAULT,
            )
        })
        .map(|_| ())
    }

    /// `H5Ovisit` by name: names of all objects from here on.
    pub fn visit_objects(
        &self,
        object: &Handle<'_>,
        mut function: impl FnMut(hid_t, &str) -> c_int,
    ) -> Result<c_int> {
        // SAFETY: the visitor that the callback expects.
        let status = with_visitor(&mut function, |visitor| unsafe {
            (self.api().H5Ovisit3)(
                object.id(),
                H5_INDEX_NAME,
                H5_ITER_INC,
                Some(visit_object),
                visitor,
                H5O_INFO_ALL,
            )
        });
        self.check(status)
    }

    /// `H5Orefresh`.
    pub fn refresh(&self, object: &Handle<'_>) -> Result<()> {
        // SAFETY: HDF5 verifies the identifier.
        self.check(unsafe { (self.api().H5Orefresh)(object.id()) }).map(|_| ())
    }

    /// `H5Iget_type`.
    pub fn id_type(&self, id: hid_t) -> H5I_type_t {
        // SAFETY: HDF5 verifies the identifier.
        unsafe { (self.api().H5Iget_type)(id) }
    }

    /// `H5Iget_name`.
    pub fn name_of(&self, id: hid_t) -> Result<String> {
        // SAFETY: a buffer of the stated size or none.
        self.text(|buffer, size| unsafe { (self.api().H5Iget_name)(id, buffer, size) })
    }

    /// `H5Iget_file_id`.
    pub fn file_of(&self, object: &Handle<'_>) -> Result<Handle<'_>> {
        // SAFETY: HDF5 verifies the identifier.
        Handle::new(self, unsafe { (self.api().H5Iget_file_id)(object.id()) }, self.api().H5Fclose)
    }

    /// Number of open identifiers of a kind in the whole library.
    pub fn id_count(&self, kind: H5I_type_t) -> u64 {
        let mut count = 0;
        // SAFETY: an out-pointer.
        unsafe { (self.api().H5Inmembers)(kind, &raw mut count) };
        count
    }

    /// `H5Rcreate_object` and `H5Ropen_object`: the object of this name, by way of a reference.
    pub fn open_by_reference(&self, location: &Handle<'_>, name: &str) -> Result<Handle<'_>> {
        let name = c_string(name);
        let api = self.api();
        // `H5R_ref_t`: 64 bytes with the alignment of an `int64_t`.
        let mut reference = [0_u64; 8];
        let reference = reference.as_mut_ptr().cast::<c_void>();
        // SAFETY: a C string and room for a reference.
        self.check(unsafe { (api.H5Rcreate_object)(location.id(), name.as_ptr(), H5P_DEFAULT, reference) })?;
        // SAFETY: the reference just made.
        let opened = unsafe { (api.H5Ropen_object)(reference, H5P_DEFAULT, H5P_DEFAULT) };
        let opened = Handle::new(self, opened, api.H5Oclose);
        // SAFETY: the reference made above, not used again.
        unsafe { (api.H5Rdestroy)(reference) };
        opened
    }

    /// `H5Tcommit` of a 32-bit integer type, then `H5Tclose`.
    pub fn commit_integer_type(&self, location: &Handle<'_>, name: &str) -> Result<()> {
        let name = c_string(name);
        let api = self.api();
        // SAFETY: a predefined type.
        let datatype = Handle::new(self, unsafe { (api.H5Tcopy)(api.H5T_STD_I32BE_g()) }, api.H5Tclose)?;
        // SAFETY: a C string; HDF5 verifies identifiers.
        self.check(unsafe {
            (api.H5Tcommit2)(
                location.id(),
                name.as_ptr(),
                datatype.id(),
                H5P_DEFAULT,
                H5P_DEFAULT,
                H5P_DEFAULT,
            )
        })?;
        datatype.close()
    }

    /// `H5Topen` and `H5Tget_size`.
    pub fn committed_type_size(&self, location: &Handle<'_>, name: &str) -> Result<usize> {
        let name = c_string(name);
        let api = self.api();
        // SAFETY: a C string; HDF5 verifies identifiers.
        let id = unsafe { (api.H5Topen2)(location.id(), name.as_ptr(), H5P_DEFAULT) };
        let datatype = Handle::new(self, id, api.H5Tclose)?;
        // SAFETY: HDF5 verifies the identifier.
        Ok(unsafe { (api.H5Tget_size)(datatype.id()) })
    }
}
