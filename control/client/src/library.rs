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
    /// Addresses of any symbol, for those who need one that is not an HDF5 function. Nothing if others have loaded it.
    loaded: Option<ManuallyDrop<Loaded>>,
    functions: Functions,
    /// Whose turn it is. Nothing if a thread is inside of the library whenever it calls.
    pub(crate) turns: Option<Turns>,
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
        let find = |names: &[&str]| {
            // SAFETY: the address is only passed on.
            let address = |name: &&str| unsafe { loaded.get::<*mut c_void>(format!("{name}\0").as_bytes()) };
            names.iter().map(|name| address(name).map_or(core::ptr::null_mut(), |symbol| *symbol)).collect()
        };
        // SAFETY: whoever loads a library as a libhdf5 says that it is one; it is never unloaded.
        let known = unsafe { Self::known(path, find) };
        let (loaded, turns) = (Some(ManuallyDrop::new(loaded)), Some(Turns::default()));
        Ok(Box::leak(Box::new(Self { loaded, turns, ..known })))
    }

    /// The libhdf5 that calls: for code that runs inside of its callbacks, and so holds its global lock. `find` gives the addresses of
    /// symbols, null for those that it does not have.
    ///
    /// # Safety
    /// The symbols are those of a libhdf5. The result is used inside of its callbacks only.
    pub unsafe fn inside(path: &Path, find: impl Fn(&[&str]) -> Vec<*mut c_void>) -> &'static Self {
        // SAFETY: by the contract.
        Box::leak(Box::new(unsafe { Self::known(path, find) }))
    }

    /// # Safety
    /// The symbols are those of a libhdf5, which is not unloaded while they are used.
    unsafe fn known(path: &Path, find: impl Fn(&[&str]) -> Vec<*mut c_void>) -> Self {
        let variables = find(IDENTIFIERS).into_iter().map(|variable| variable.cast_const().cast::<hid_t>());
        let identifiers = IDENTIFIERS.iter().copied().zip(variables);
        Self {
            path: path.to_owned(),
            identifiers: identifiers.filter(|(_, variable)| !variable.is_null()).collect(),
            loaded: None,
            // SAFETY: by the contract.
            functions: unsafe { Functions::at(&find(Functions::NAMES)) },
            turns: None,
            extents_changed: AtomicU64::new(0),
        }
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
        let symbol = |loaded: &Loaded| unsafe {
            loaded.get::<*const c_void>(format!("{name}\0").as_bytes()).map(|_| ()).ok()
        };
        self.loaded.as_deref().and_then(symbol).ok_or_else(|| Failure::lacks(name))
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
