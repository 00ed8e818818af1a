//! One host: which file it is, its version, its functions.

use core::fmt;
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::functions::Functions;
use crate::id::Id;
use crate::variable::Variable;

/// Version of a libhdf5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// Major number: 1 or 2.
    pub major: u32,
    /// Minor number.
    pub minor: u32,
    /// Release number.
    pub release: u32,
}

impl Version {
    /// The first version whose VOL interface is the one this project speaks (`H5VL_VERSION` 3). Newer hosts
    /// compare that number themselves and refuse a connector of another one.
    pub(crate) const OLDEST_SUPPORTED: Self = Self { major: 1, minor: 14, release: 0 };
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.release)
    }
}

/// What was found out about one libhdf5 when it was located. Lives as long as the process.
pub(crate) struct HostEntry {
    pub(crate) path: PathBuf,
    /// Where the image is mapped: tells a library that was unloaded and loaded again from the first one.
    pub(crate) base: usize,
    pub(crate) version: Version,
    pub(crate) thread_safe: bool,
    pub(crate) functions: Functions,
    /// The variable `H5P_LST_DATASET_XFER_ID_g`.
    pub(crate) default_transfer: Variable,
    /// The variable `H5P_LST_DATASET_ACCESS_ID_g`.
    pub(crate) default_dataset_access: Option<Variable>,
    /// The variables `H5P_CLS_DATASET_CREATE_ID_g` and `H5P_CLS_FILE_ACCESS_ID_g`.
    pub(crate) dataset_creation_class: Variable,
    pub(crate) file_access_class: Variable,
    /// The variables of some predefined datatypes, such as `H5T_NATIVE_INT_g`.
    pub(crate) predefined_types: Vec<Variable>,
    /// The variable `H5T_NATIVE_FLOAT16_g`, which versions before 1.14.4 do not have.
    pub(crate) native_half: Option<Variable>,
    /// Folder of filter plugins to put back into the search path: see [`crate::bundled_plugins`].
    pub(crate) bundled_plugins: OnceLock<Option<CString>>,
}

// SAFETY: the pointers are to variables of the host that are read only inside its callbacks.
unsafe impl Send for HostEntry {}
// SAFETY: as for `Send`.
unsafe impl Sync for HostEntry {}

/// A libhdf5 in this process. Copying it is free; its functions are resolved once.
#[derive(Clone, Copy)]
pub struct Host(pub(crate) &'static HostEntry);

impl Host {
    /// The file the host was loaded from, as the dynamic linker names it.
    pub fn path(self) -> &'static Path {
        &self.0.path
    }

    /// Version of the host.
    pub fn version(self) -> Version {
        self.0.version
    }

    /// Whether the host was built thread-safe, that is, has a global lock.
    pub fn is_thread_safe(self) -> bool {
        self.0.thread_safe
    }

    /// The host's functions. Calling one is unsafe: see the crate's Safety section.
    pub fn functions(self) -> &'static Functions {
        &self.0.functions
    }

    /// Datatypes of the library that applications use most.
    pub(crate) fn predefined_types(self) -> impl Iterator<Item = Id> {
        self.0.predefined_types.iter().map(|variable| variable.get()).filter(|id| id.is_valid())
    }

    /// Whether the host was built by a compiler with a `_Float16`, and has conversions of its own for it.
    pub fn has_native_half(self) -> bool {
        // It stays invalid in a build without the type.
        self.0.native_half.is_some_and(|variable| variable.get().is_valid())
    }

    /// The list that HDF5 puts in place of a default transfer property list (`H5P_DATASET_XFER_DEFAULT`).
    ///
    /// Callbacks must be given this one and not `H5P_DEFAULT`: native HDF5 notes the list of an optional
    /// operation in the context of the application's call, and cannot end that call properly if it is none.
    pub fn default_transfer(self) -> Id {
        self.0.default_transfer.get()
    }

    /// The list that HDF5 puts in place of a default dataset access property list. Callbacks must be given this one, too: native HDF5
    /// cannot close a dataset that was opened with `H5P_DEFAULT`, and so never closes its file.
    pub fn default_dataset_access(self) -> Option<Id> {
        self.0.default_dataset_access.map(Variable::get).filter(|list| list.is_valid())
    }

    /// Whether the host is shutting down, so that its objects are being released anyway.
    pub(crate) fn is_terminating(self) -> bool {
        let mut terminating = false;
        if let Some(ask) = self.functions().H5is_library_terminating {
            // SAFETY: writes one bool; the function needs no initialised library.
            unsafe { ask(&raw mut terminating) };
        }
        terminating
    }
}

impl PartialEq for Host {
    fn eq(&self, other: &Self) -> bool {
        core::ptr::eq(self.0, other.0)
    }
}

impl Eq for Host {}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host")
            .field("path", &self.0.path)
            .field("version", &self.0.version)
            .field("thread_safe", &self.0.thread_safe)
            .finish_non_exhaustive()
    }
}
