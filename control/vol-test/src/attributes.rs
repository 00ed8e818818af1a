//! Attributes of `int` elements.

use core::ffi::{c_char, c_int, c_void};

use h5_abi::{H5_INDEX_NAME, H5_ITER_INC, H5A_info_t, H5P_DEFAULT, hid_t};

use crate::failure::Result;
use crate::groups::{visit, with_visitor};
use crate::handle::Handle;
use crate::host::{Session, c_string};

unsafe extern "C" fn visit_attribute(
    object: hid_t,
    name: *const c_char,
    _: *const H5A_info_t,
    visitor: *mut c_void,
) -> c_int {
    // SAFETY: HDF5 passes the attribute's name and the visitor given to it.
    unsafe { visit(object, name, visitor) }
}

impl Session<'_> {
    /// `H5Acreate` and `H5Awrite`.
    pub fn write_attribute(&self, object: &Handle<'_>, name: &str, values: &[c_int]) -> Result<()> {
        let api = self.api();
        let name = c_string(name);
        let space = self.space(&[values.len() as u64], false)?;
        // SAFETY: a C string; HDF5 verifies identifiers.
        let id = unsafe {
            (api.H5Acreate2)(
                object.id(),
                name.as_ptr(),
                api.H5T_NATIVE_INT_g(),
                space.id(),
                H5P_DEFAULT,
                H5P_DEFAULT,
            )
        };
        let attribute = Handle::new(self, id, api.H5Aclose)?;
        // SAFETY: as many values as the attribute has elements.
        self.check(unsafe {
            (api.H5Awrite)(attribute.id(), api.H5T_NATIVE_INT_g(), values.as_ptr().cast())
        })?;
        attribute.close()
    }

    /// `H5Aopen`.
    pub fn open_attribute(&self, object: &Handle<'_>, name: &str) -> Result<Handle<'_>> {
        let name = c_string(name);
        // SAFETY: a C string; HDF5 verifies identifiers.
        let id = unsafe { (self.api().H5Aopen)(object.id(), name.as_ptr(), H5P_DEFAULT) };
        Handle::new(self, id, self.api().H5Aclose)
    }

    /// `H5Aread` of a whole attribute.
    pub fn read_attribute(&self, object: &Handle<'_>, name: &str) -> Result<Vec<c_int>> {
        let api = self.api();
        let attribute = self.open_attribute(object, name)?;
        // SAFETY: HDF5 verifies the identifier.
        let space = Handle::new(self, unsafe { (api.H5Aget_space)(attribute.id()) }, api.H5Sclose)?;
        let elements = self.dimensions(&space)?.iter().product::<u64>();
        let mut values = vec![0; usize::try_from(elements).expect("a small attribute")];
        // SAFETY: room for as many values as the attribute has elements.
        self.check(unsafe {
            (api.H5Aread)(attribute.id(), api.H5T_NATIVE_INT_g(), values.as_mut_ptr().cast())
        })?;
        Ok(values)
    }

    /// `H5Aget_name`.
    pub fn attribute_name(&self, attribute: &Handle<'_>) -> Result<String> {
        // SAFETY: a buffer of the stated size or none.
        self.text(|buffer, size| unsafe { (self.api().H5Aget_name)(attribute.id(), size, buffer) })
    }

    /// `H5Aexists`.
    pub fn attribute_exists(&self, object: &Handle<'_>, name: &str) -> Result<bool> {
        let name = c_string(name);
        // SAFETY: a C string; HDF5 verifies identifiers.
        Ok(self.check(unsafe { (self.api().H5Aexists)(object.id(), name.as_ptr()) })? > 0)
    }

    /// `H5Adelete`.
    pub fn delete_attribute(&self, object: &Handle<'_>, name: &str) -> Result<()> {
        let name = c_string(name);
        // SAFETY: a C string; HDF5 verifies identifiers.
        self.check(unsafe { (self.api().H5Adelete)(object.id(), name.as_ptr()) }).map(|_| ())
    }

    /// `H5Arename`.
    pub fn rename_attribute(&self, object: &Handle<'_>, from: &str, to: &str) -> Result<()> {
        let (from, to) = (c_string(from), c_string(to));
        // SAFETY: C strings; HDF5 verifies identifiers.
        self.check(unsafe { (self.api().H5Arename)(object.id(), from.as_ptr(), to.as_ptr()) }).map(|_| ())
    }

    /// `H5Aiterate` by name: names of all attributes.
    pub fn attributes(&self, object: &Handle<'_>) -> Result<Vec<String>> {
        let mut names = Vec::new();
        let mut function = |_: hid_t, name: &str| {
            names.push(name.to_owned());
            0
        };
        let mut position = 0;
        // SAFETY: the visitor that the callback expects, and a valid position.
        let status = with_visitor(&mut function, |visitor| unsafe {
            (self.api().H5Aiterate2)(
                object.id(),
                H5_INDEX_NAME,
                H5_ITER_INC,
                &raw mut position,
                Some(visit_attribute),
                visitor,
            )
        });
        self.check(status)?;
        Ok(names)
    }
}
