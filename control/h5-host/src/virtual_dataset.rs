//! What HDF5 tells about virtual datasets, and what it needs to open their sources.

use core::ffi::{CStr, c_char, c_uint};
use std::ffi::CString;

use h5_abi::{
    H5D_VDS_ERROR, H5D_VDS_FIRST_MISSING, H5D_VDS_LAST_AVAILABLE, H5F_ACC_RDONLY, H5F_ACC_RDWR,
    H5F_CLOSE_DEFAULT, H5F_CLOSE_WEAK, H5VL_class_value_t, hid_t,
};

use crate::dataspace::SpaceDescription;
use crate::id::{Id, OwnedId};
use crate::questions::Questions;

/// A mapping of a virtual dataset: elements of the first selection are those of the second one, in their order.
#[derive(Debug, Clone)]
pub struct VirtualMapping {
    /// The name of the source's file; `.` is that of the virtual dataset.
    pub file: CString,
    /// The name of the source in there.
    pub dataset: CString,
    /// What of the virtual dataset is mapped.
    pub mapped: SpaceDescription,
    /// What of the source. Its extent is not that of the source.
    pub source: SpaceDescription,
}

/// Which sources count, if the extent of a virtual dataset depends on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VirtualView {
    /// Those before the first that is missing.
    FirstMissing,
    /// Those up to the last that there is, if no more than so many are missing in a row.
    LastAvailable {
        /// How many.
        gap: u64,
    },
}

impl VirtualView {
    /// Whether the first source that is missing is the end.
    pub fn is_first_missing(self) -> bool {
        self == Self::FirstMissing
    }

    /// How many may be missing in a row.
    pub fn gap(self) -> u64 {
        match self {
            Self::FirstMissing => 0,
            Self::LastAvailable { gap } => gap,
        }
    }
}

impl Questions {
    /// How many mappings a virtual dataset has, from its creation property list.
    pub fn virtual_count(self, creation: Id) -> Option<usize> {
        let mut count = 0;
        // SAFETY: the host verifies the list; a valid out-pointer.
        let status = unsafe { (self.0.functions().H5Pget_virtual_count)(creation.0, &raw mut count) };
        (status >= 0).then_some(count)
    }

    /// One of them. `None` if HDF5 does not tell.
    pub fn virtual_mapping(self, creation: Id, index: usize) -> Option<VirtualMapping> {
        let functions = self.0.functions();
        let name = |ask: unsafe extern "C" fn(hid_t, usize, *mut c_char, usize) -> isize| {
            // SAFETY: the host verifies the list and cuts the text to the room there is.
            text(|buffer, size| unsafe { ask(creation.0, index, buffer, size) })
        };
        let space = |ask: unsafe extern "C" fn(hid_t, usize) -> hid_t| {
            // SAFETY: the host verifies list and index; the answer is ours.
            let space = OwnedId::take(self.0, unsafe { ask(creation.0, index) })?;
            self.space(space.id())
        };
        Some(VirtualMapping {
            file: name(functions.H5Pget_virtual_filename)?,
            dataset: name(functions.H5Pget_virtual_dsetname)?,
            mapped: space(functions.H5Pget_virtual_vspace)?,
            source: space(functions.H5Pget_virtual_srcspace)?,
        })
    }

    /// Which sources count, from a dataset access property list. `None` if HDF5 does not tell, or has another view.
    pub fn virtual_view(self, access: Id) -> Option<VirtualView> {
        let functions = self.0.functions();
        let (mut view, mut gap) = (H5D_VDS_ERROR, 0);
        // SAFETY: the host verifies the list; valid out-pointers.
        let told = unsafe {
            (functions.H5Pget_virtual_view)(access.0, &raw mut view) >= 0
                && (functions.H5Pget_virtual_printf_gap)(access.0, &raw mut gap) >= 0
        };
        match view {
            H5D_VDS_FIRST_MISSING if told => Some(VirtualView::FirstMissing),
            H5D_VDS_LAST_AVAILABLE if told => Some(VirtualView::LastAvailable { gap }),
            _ => None,
        }
    }

    /// The prefix of the names of source files, from a dataset access property list; empty if there is none. `None` if
    /// HDF5 does not tell.
    pub fn virtual_prefix(self, access: Id) -> Option<CString> {
        // SAFETY: the host verifies the list and cuts the text to the room there is.
        text(|buffer, size| unsafe { (self.0.functions().H5Pget_virtual_prefix)(access.0, buffer, size) })
    }

    /// Makes files that are opened with an access list stay open as long as objects in them are.
    pub fn set_weak_close(self, access: Id) -> bool {
        // SAFETY: the host verifies the list.
        unsafe { (self.0.functions().H5Pset_fclose_degree)(access.0, H5F_CLOSE_WEAK) >= 0 }
    }

    /// Whether files with this access list stay open as long as objects in them are.
    pub fn is_closed_weakly(self, access: Id) -> Option<bool> {
        let mut degree = H5F_CLOSE_DEFAULT;
        // SAFETY: the host verifies the list; a valid out-pointer.
        let status = unsafe { (self.0.functions().H5Pget_fclose_degree)(access.0, &raw mut degree) };
        (status >= 0).then_some(degree == H5F_CLOSE_WEAK)
    }

    /// How many files behind links and mappings HDF5 keeps open, from a file access property list.
    pub fn kept_files(self, access: Id) -> Option<u32> {
        let mut files: c_uint = 0;
        // SAFETY: the host verifies the list; a valid out-pointer.
        let status = unsafe { (self.0.functions().H5Pget_elink_file_cache_size)(access.0, &raw mut files) };
        (status >= 0).then_some(files)
    }

    /// Whether HDF5 locks files that it opens with an access list. That of an open file tells how that one was opened, whatever the
    /// environment says.
    pub fn locks_files(self, access: Id) -> Option<bool> {
        let (mut locks, mut ignores_disabled) = (true, false);
        // SAFETY: the host verifies the list; valid out-pointers.
        let status = unsafe {
            (self.0.functions().H5Pget_file_locking)(access.0, &raw mut locks, &raw mut ignores_disabled)
        };
        (status >= 0).then_some(locks)
    }

    /// The value of the connector that files are opened through with an access list.
    pub fn connector_value(self, access: Id) -> Option<H5VL_class_value_t> {
        let functions = self.0.functions();
        let (mut connector, mut value) = (Id::INVALID.0, -1);
        // SAFETY: the host verifies the list; a valid out-pointer.
        let status = unsafe { (functions.H5Pget_vol_id)(access.0, &raw mut connector) };
        let connector = OwnedId::take(self.0, connector).filter(|_| status >= 0)?;
        // SAFETY: the host verifies the identifier; a valid out-pointer.
        let status = unsafe { (functions.H5VLget_value)(connector.id().0, &raw mut value) };
        (status >= 0).then_some(value)
    }

    /// Opens a file for a source. Its identifier must not outlive the call of the application.
    pub fn open_source_file(self, name: &CStr, access: Id, to_write: bool) -> Option<OwnedId> {
        let flags = if to_write { H5F_ACC_RDWR } else { H5F_ACC_RDONLY };
        // SAFETY: a valid C string; the host verifies the list.
        let file = unsafe { (self.0.functions().H5Fopen)(name.as_ptr(), flags, access.0) };
        OwnedId::take(self.0, file)
    }

    /// In the callback that closes the file of this identifier, which is removed afterwards: native HDF5 takes it for one
    /// that others use as well, and does not flush the file. It flushes none that it has opened for a source by itself.
    pub fn close_unflushed(self, file: Id) {
        // SAFETY: the host verifies the identifier.
        unsafe { (self.0.functions().H5Iinc_ref)(file.0) };
    }
}

/// Calls `ask(buffer, size)` once or, if the text is longer than expected, twice. It returns the length of the text.
fn text(ask: impl Fn(*mut c_char, usize) -> isize) -> Option<CString> {
    let mut buffer = vec![0_u8; 256];
    loop {
        let length = usize::try_from(ask(buffer.as_mut_ptr().cast(), buffer.len())).ok()?;
        if length < buffer.len() {
            buffer.truncate(length);
            return CString::new(buffer).ok();
        }
        buffer.resize(length.checked_add(1)?, 0);
    }
}
