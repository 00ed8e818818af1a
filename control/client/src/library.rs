//! A libhdf5 that is loaded by its path.

use core::ffi::c_void;
use core::fmt;
use std::collections::HashMap;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

use h5_abi::hid_t;
use libloading::os::unix::{Library as Loaded, RTLD_LOCAL, RTLD_NOW};

use crate::failure::{Failure, Result};
use crate::functions::{Functions, IDENTIFIERS};
use crate::session::Turns;

/// Version of a libhdf5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// As 1 of 1.14.6.
    pub major: u32,
    /// As 14 of 1.14.6.
    pub minor: u32,
    /// As 6 of 1.14.6.
    pub release: u32,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}.{}.{}", self.major, self.minor, self.release))
    }
}

/// A loaded libhdf5. It is never unloaded: HDF5 has handlers that run at exit.
pub struct Library {
    path: PathBuf,
    /// Where the library's variables are that hold identifiers.
    identifiers: HashMap<&'static str, *const hid_t>,
    /// Addresses of any symbol, for those who need one that is not an HDF5 function.
    loaded: ManuallyDrop<Loaded>,
    functions: Functions,
    pub(crate) turns: Turns,
    /// Counts the calls that may have changed the extent of a dataset: prepared transfers look at it.
    pub(crate) extents_changed: AtomicU64,
}

// SAFETY: addresses in a library that stays loaded. Functions are called, and variables read, only by a thread that
// holds a session, or in a library that is thread-safe.
unsafe impl Send for Library {}
// SAFETY: as for `Send`.
unsafe impl Sync for Library {}

impl Library {
    /// Loads a shared library, as a program does that links to it. The failure has the dynamic linker's own words.
    ///
    /// Its initialisers run. If it is not a libhdf5, most calls fail because it lacks their functions.
    pub fn load(path: &Path) -> Result<&'static Self> {
        // SAFETY: the initialisers of a libhdf5 have no demands.
        let loaded = unsafe { Loaded::open(Some(path), RTLD_NOW | RTLD_LOCAL) }
            .map_err(|error| Failure::refused(linker_message(&error)))?;
        // SAFETY: whoever loads a library as a libhdf5 says that it is one; it is never unloaded.
        let functions = unsafe { Functions::find(&loaded) };
        let mut identifiers = HashMap::new();
        for name in IDENTIFIERS {
            let symbol = format!("{name}\0");
            // SAFETY: in an HDF5, these names are of variables that hold identifiers.
            if let Ok(variable) = unsafe { loaded.get::<*const hid_t>(symbol.as_bytes()) } {
                identifiers.insert(*name, *variable);
            }
        }
        Ok(Box::leak(Box::new(Self {
            path: path.to_owned(),
            identifiers,
            loaded: ManuallyDrop::new(loaded),
            functions,
            turns: Turns::default(),
            extents_changed: AtomicU64::new(0),
        })))
    }

    /// Where it was loaded from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its functions.
    pub fn functions(&self) -> &Functions {
        &self.functions
    }

    /// An address inside it.
    pub fn address(&self) -> Result<*const c_void> {
        Ok(self.functions.H5open()? as *const c_void)
    }

    /// Fails if the library has no symbol of this name.
    pub fn require(&self, name: &str) -> Result<()> {
        // SAFETY: the address is not used.
        let symbol = unsafe { self.loaded.get::<*const c_void>(format!("{name}\0").as_bytes()) };
        symbol.map(|_| ()).map_err(|_| Failure::lacks(name))
    }

    /// The value of a variable that holds an identifier. Only one of [`IDENTIFIERS`]; `H5open` sets them.
    pub(crate) fn identifier(&self, name: &str) -> Result<hid_t> {
        let variable = *self.identifiers.get(name).ok_or_else(|| Failure::lacks(name))?;
        // SAFETY: a variable of the loaded library, which changes only in `H5open` and `H5close`.
        let id = unsafe { *variable };
        if id < 0 { Err(Failure::lacks(name)) } else { Ok(id) }
    }
}

/// The dynamic linker's own words.
fn linker_message(error: &libloading::Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => source.to_string(),
        None => error.to_string(),
    }
}
