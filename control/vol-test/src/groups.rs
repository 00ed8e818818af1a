//! Groups and links.

use core::ffi::{CStr, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use h5_abi::{H5_INDEX_NAME, H5_ITER_INC, H5L_info2_t, H5P_DEFAULT, hid_t};

use crate::failure::Result;
use crate::handle::Handle;
use crate::host::{Session, c_string};

/// Carries a Rust function through C.
struct Visitor<'f> {
    function: &'f mut dyn FnMut(hid_t, &str) -> c_int,
}

/// # Safety
/// `name` is a C string, `visitor` a [`Visitor`].
pub(crate) unsafe fn visit(object: hid_t, name: *const c_char, visitor: *mut c_void) -> c_int {
    // SAFETY: by the contract.
    let (name, visitor) = unsafe { (CStr::from_ptr(name), &mut *visitor.cast::<Visitor<'_>>()) };
    catch_unwind(AssertUnwindSafe(|| (visitor.function)(object, &name.to_string_lossy()))).unwrap_or(-1)
}

/// Runs `call` with the pointer that [`visit`] needs.
pub(crate) fn with_visitor<R>(
    function: &mut dyn FnMut(hid_t, &str) -> c_int,
    call: impl FnOnce(*mut c_void) -> R,
) -> R {
    let mut visitor = Visitor { function };
    call((&raw mut visitor).cast())
}

unsafe extern "C" fn visit_link(
    group: hid_t,
    name: *const c_char,
    _: *const H5L_info2_t,
    visitor: *mut c_void,
) -> c_int {
    // SAFETY: HDF5 passes the link's name and the visitor given to it.
    unsafe { visit(group, name, visitor) }
}

impl Session<'_> {
    /// `H5Gcreate`.
    pub fn create_group(&self, location: &Handle<'_>, name: &str) -> Result<Handle<'_>> {
        let name = c_string(name);
        // SAFETY: a C string; HDF5 verifies identifiers.
        let id = unsafe {
            (self.api().H5Gcreate2)(location.id(), name.as_ptr(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)
        };
        Handle::new(self, id, self.api().H5Gclose)
    }

    /// `H5Gopen`.
    pub fn open_group(&self, location: &Handle<'_>, name: &str) -> Result<Handle<'_>> {
        let name = c_string(name);
        // SAFETY: a C string; HDF5 verifies identifiers.
        let id = unsafe { (self.api().H5Gopen2)(location.id(), name.as_ptr(), H5P_DEFAULT) };
        Handle::new(self, id, self.api().H5Gclose)
    }

    /// `H5Gget_info`: number of links.
    pub fn link_count(&self, group: &Handle<'_>) -> Result<u64> {
        let mut info = core::mem::MaybeUninit::zeroed();
        // SAFETY: room for the information.
        self.check(unsafe { (self.api().H5Gget_info)(group.id(), info.as_mut_ptr()) })?;
        // SAFETY: all-zero bytes are valid, and HDF5 has filled it.
        Ok(unsafe { info.assume_init() }.nlinks)
    }

    /// `H5Lexists`.
    pub fn link_exists(&self, location: &Handle<'_>, name: &str) -> Result<bool> {
        let name = c_string(name);
        // SAFETY: a C string; HDF5 verifies identifiers.
        Ok(self.check(unsafe { (self.api().H5Lexists)(location.id(), name.as_ptr(), H5P_DEFAULT) })? > 0)
    }

    /// `H5Ldelete`.
    pub fn delete_link(&self, location: &Handle<'_>, name: &str) -> Result<()> {
        let name = c_string(name);
        // SAFETY: a C string; HDF5 verifies identifiers.
        self.check(unsafe { (self.api().H5Ldelete)(location.id(), name.as_ptr(), H5P_DEFAULT) }).map(|_| ())
    }

    /// `H5Lmove` within a group.
    pub fn move_link(&self, location: &Handle<'_>, from: &str, to: &str) -> Result<()> {
        let (from, to) = (c_string(from), c_string(to));
        let id = location.id();
        // SAFETY: C strings; HDF5 verifies identifiers.
        self.check(unsafe {
            (self.api().H5Lmove)(id, from.as_ptr(), id, to.as_ptr(), H5P_DEFAULT, H5P_DEFAULT)
        })
        .map(|_| ())
    }

    /// `H5Lcreate_soft`.
    pub fn create_soft_link(&self, location: &Handle<'_>, path: &str, name: &str) -> Result<()> {
        let (path, name) = (c_string(path), c_string(name));
        // SAFETY: C strings; HDF5 verifies identifiers.
        self.check(unsafe {
            (self.api().H5Lcreate_soft)(path.as_ptr(), location.id(), name.as_ptr(), H5P_DEFAULT, H5P_DEFAULT)
        })
        .map(|_| ())
    }

    /// `H5Lcreate_hard` from one group to another.
    pub fn create_hard_link(
        &self,
        source: &Handle<'_>,
        name: &str,
        target: &Handle<'_>,
        new: &str,
    ) -> Result<()> {
        let (name, new) = (c_string(name), c_string(new));
        // SAFETY: C strings; HDF5 verifies identifiers.
        self.check(unsafe {
            (self.api().H5Lcreate_hard)(
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

    /// `H5Lget_val` of a soft link.
    pub fn soft_link_path(&self, location: &Handle<'_>, name: &str) -> Result<String> {
        let name = c_string(name);
        let mut buffer = vec![0_u8; 256];
        // SAFETY: a C string and a buffer of the stated size.
        self.check(unsafe {
            (self.api().H5Lget_val)(
                location.id(),
                name.as_ptr(),
                buffer.as_mut_ptr().cast(),
                buffer.len(),
                H5P_DEFAULT,
            )
        })?;
        let text = CStr::from_bytes_until_nul(&buffer).unwrap_or_default();
        Ok(text.to_string_lossy().into_owned())
    }

    /// `H5Literate` by name: calls the function with the group's identifier and each link's name.
    pub fn iterate_links(
        &self,
        group: &Handle<'_>,
        mut function: impl FnMut(hid_t, &str) -> c_int,
    ) -> Result<c_int> {
        let mut position = 0;
        // SAFETY: the visitor that the callback expects, and a valid position.
        let status = with_visitor(&mut function, |visitor| unsafe {
            (self.api().H5Literate2)(
                group.id(),
                H5_INDEX_NAME,
                H5_ITER_INC,
                &raw mut position,
                Some(visit_link),
                visitor,
            )
        });
        self.check(status)
    }

    /// Names of all links of a group.
    pub fn links(&self, group: &Handle<'_>) -> Result<Vec<String>> {
        let mut names = Vec::new();
        self.iterate_links(group, |_, name| {
            names.push(name.to_owned());
            0
        })?;
        Ok(names)
    }
}
