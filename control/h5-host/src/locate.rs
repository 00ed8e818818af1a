//! Finds the host: from an address inside it to its functions.
//!
//! The host calls the plugin's entry point, so the return address is in the host's image. `dladdr` gives the file, and
//! `dlopen` with `RTLD_NOLOAD` gives its symbols, with whatever visibility it was loaded. The handle is closed at once:
//! keeping it open would keep the host mapped after the application's `dlclose`.

use core::ffi::{CStr, c_uint, c_void};
use core::mem::MaybeUninit;
use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use libloading::os::unix::{Library, RTLD_LAZY};

use crate::errors;
use crate::functions::{Functions, MissingFunction};
use crate::host::{Host, HostEntry, Version};
use crate::variable::Variable;

/// Why an image cannot be our host.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LocateError {
    /// The address belongs to no loaded image.
    #[error("address {0:#x} lies in no loaded library")]
    NoImage(usize),
    /// The image exists, but its symbols cannot be looked up.
    #[error("{path}: {reason}")]
    Unreadable {
        /// File of the image.
        path: PathBuf,
        /// What the dynamic linker said.
        reason: String,
    },
    /// The image is not libhdf5.
    #[error("{0} is not an HDF5 library: it does not export H5get_libversion")]
    NotHdf5(PathBuf),
    /// An HDF5 that is older than the VOL interface that we implement.
    #[error("{path} is HDF5 {version}; HDF5 {oldest} or newer is needed", oldest = Version::OLDEST_SUPPORTED)]
    TooOld {
        /// File of the host.
        path: PathBuf,
        /// Its version.
        version: Version,
    },
    /// A function is missing that every supported version has.
    #[error("{path} (HDF5 {version}): {missing}")]
    Incomplete {
        /// File of the host.
        path: PathBuf,
        /// Its version.
        version: Version,
        /// The absent function.
        missing: MissingFunction,
    },
}

/// Variables of the datatypes that C programs use most in memory.
const PREDEFINED_TYPES: [&str; 12] = [
    "H5T_NATIVE_DOUBLE_g",
    "H5T_NATIVE_FLOAT_g",
    "H5T_NATIVE_INT_g",
    "H5T_NATIVE_LONG_g",
    "H5T_NATIVE_LLONG_g",
    "H5T_NATIVE_SHORT_g",
    "H5T_NATIVE_SCHAR_g",
    "H5T_NATIVE_UINT_g",
    "H5T_NATIVE_ULONG_g",
    "H5T_NATIVE_ULLONG_g",
    "H5T_NATIVE_USHORT_g",
    "H5T_NATIVE_UCHAR_g",
];

/// Variable of the datatype of a `_Float16`.
const NATIVE_HALF: &str = "H5T_NATIVE_FLOAT16_g";

/// Variable of the default transfer property list.
const DEFAULT_TRANSFER: &str = "H5P_LST_DATASET_XFER_ID_g";

/// Variable of the default dataset access property list.
const DEFAULT_DATASET_ACCESS: &str = "H5P_LST_DATASET_ACCESS_ID_g";

/// Variables of classes of property lists.
const DATASET_CREATION: &str = "H5P_CLS_DATASET_CREATE_ID_g";
const FILE_ACCESS: &str = "H5P_CLS_FILE_ACCESS_ID_g";

/// Every host seen so far. A process has a few at most, so a linear search is fast enough.
static HOSTS: Mutex<Vec<&'static HostEntry>> = Mutex::new(Vec::new());

/// Finds the host whose image contains `address`. Its functions are resolved the first time.
///
/// # Safety
/// If the image exports HDF5's functions, they must be HDF5's.
pub unsafe fn host_containing(address: *const c_void) -> Result<Host, LocateError> {
    let image = Image::containing(address)?;
    let mut hosts = HOSTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = hosts.iter().find(|host| host.base == image.base && host.path == image.path) {
        return Ok(Host(known));
    }
    // SAFETY: by this function's contract.
    let entry = unsafe { image.into_entry() }?;
    let entry: &'static HostEntry = Box::leak(Box::new(entry));
    hosts.push(entry);
    Ok(Host(entry))
}

/// Whether the library of a host is still loaded at the same address.
pub fn is_loaded(host: Host) -> bool {
    Image::containing(host.functions().H5get_libversion as *const c_void)
        .is_ok_and(|image| image.base == host.0.base && image.path == host.0.path)
}

/// Where the image that contains an address is mapped.
pub(crate) fn base_of_image(address: *const c_void) -> Option<usize> {
    Image::containing(address).ok().map(|image| image.base)
}

/// Where the executable of this process is mapped.
pub(crate) fn base_of_program() -> Option<usize> {
    // SAFETY: asks for a number that the kernel has given the process.
    let entry = unsafe { libc::getauxval(libc::AT_ENTRY) };
    base_of_image(core::ptr::without_provenance(usize::try_from(entry).ok()?))
}

/// A loaded image, as the dynamic linker describes it.
struct Image {
    path: PathBuf,
    base: usize,
}

impl Image {
    fn containing(address: *const c_void) -> Result<Self, LocateError> {
        let mut info = MaybeUninit::<libc::Dl_info>::zeroed();
        // SAFETY: `dladdr` accepts any address and fills the struct when it returns non-zero.
        let found = unsafe { libc::dladdr(address, info.as_mut_ptr()) };
        // SAFETY: zero-initialised above; all-zero bytes are a valid `Dl_info`.
        let info = unsafe { info.assume_init() };
        if found == 0 || info.dli_fname.is_null() {
            return Err(LocateError::NoImage(address.addr()));
        }
        // SAFETY: non-null file name owned by the dynamic linker, valid while the image is loaded.
        let name = unsafe { CStr::from_ptr(info.dli_fname) };
        Ok(Self { path: PathBuf::from(OsStr::from_bytes(name.to_bytes())), base: info.dli_fbase.addr() })
    }

    fn open(&self) -> Result<Library, LocateError> {
        open_loaded(&self.path).map_err(|reason| LocateError::Unreadable { path: self.path.clone(), reason })
    }

    /// Resolves the host's functions.
    ///
    /// # Safety
    /// If the image exports HDF5's functions, they must be HDF5's.
    unsafe fn into_entry(self) -> Result<HostEntry, LocateError> {
        let library = self.open()?;
        let lookup = |name: &str| address_of(&library, name);

        let get_version = lookup("H5get_libversion");
        if get_version.is_null() {
            return Err(LocateError::NotHdf5(self.path));
        }
        // Asking for the version clears the error stack, and the host may be probing us because of a failure
        // that is described there. `preserve` needs the table that is still to be made.
        // SAFETY: addresses of the functions of that name in an HDF5.
        let version = unsafe { errors::preserve_by_symbols(lookup, || ask_version(get_version)) };
        if version < Version::OLDEST_SUPPORTED {
            return Err(LocateError::TooOld { path: self.path, version });
        }

        // SAFETY: the image is an HDF5 of a supported version, by the contract and the check above.
        let functions = match unsafe { Functions::resolve(lookup) } {
            Ok(functions) => functions,
            Err(missing) => return Err(LocateError::Incomplete { path: self.path, version, missing }),
        };
        // SAFETY: HDF5's variables of these names are identifiers.
        let variable = |name: &'static str| unsafe { Variable::new(lookup(name), name) };
        let needed = |name| variable(name).ok_or(MissingFunction(name));
        let variables = needed(DEFAULT_TRANSFER)
            .and_then(|transfer| Ok((transfer, needed(DATASET_CREATION)?, needed(FILE_ACCESS)?)));
        let (default_transfer, dataset_creation_class, file_access_class) = match variables {
            Ok(variables) => variables,
            Err(missing) => return Err(LocateError::Incomplete { path: self.path, version, missing }),
        };
        let mut thread_safe = false;
        if let Some(ask) = functions.H5is_library_threadsafe {
            // SAFETY: writes one bool; the other addresses are as above.
            unsafe { errors::preserve_by_symbols(lookup, || ask(&raw mut thread_safe)) };
        }
        Ok(HostEntry {
            path: self.path,
            base: self.base,
            version,
            thread_safe,
            functions,
            default_transfer,
            default_dataset_access: variable(DEFAULT_DATASET_ACCESS),
            dataset_creation_class,
            file_access_class,
            predefined_types: PREDEFINED_TYPES.into_iter().filter_map(variable).collect(),
            native_half: variable(NATIVE_HALF),
            bundled_plugins: OnceLock::new(),
        })
    }
}

/// The addresses of more symbols of a host, for a crate that has a table of functions of its own. Null for symbols that it
/// does not have.
pub fn symbols(host: Host, names: &[&str]) -> Vec<*mut c_void> {
    match (Image { path: host.0.path.clone(), base: host.0.base }).open() {
        Ok(library) => names.iter().map(|name| address_of(&library, name)).collect(),
        Err(_) => vec![core::ptr::null_mut(); names.len()],
    }
}

/// A variable of a host that holds an identifier, such as `H5T_STD_I8LE_g`. `None` if there is no such variable.
///
/// # Safety
/// If the host has a symbol of this name, it is a variable of type `hid_t`.
pub unsafe fn variable(host: Host, name: &str) -> Option<Variable> {
    let address = symbols(host, &[name])[0];
    // SAFETY: by the contract.
    unsafe { Variable::new(address, name) }
}

/// The addresses of symbols in the image that contains `address`. Null for symbols that it does not have.
pub(crate) fn symbols_of_image<const N: usize>(
    address: *const c_void,
    names: [&str; N],
) -> Result<[*mut c_void; N], LocateError> {
    let library = Image::containing(address)?.open()?;
    Ok(names.map(|name| address_of(&library, name)))
}

/// The address of a symbol, or null. It is valid while the image is loaded.
fn address_of(library: &Library, name: &str) -> *mut c_void {
    let Ok(name) = CString::new(name) else { return core::ptr::null_mut() };
    // SAFETY: only the address is taken; its user gives it a type.
    unsafe { library.get::<*mut c_void>(name.as_bytes_with_nul()) }
        .map_or(core::ptr::null_mut(), |symbol| symbol.into_raw().cast())
}

/// A handle to a library that is already loaded, or to the executable if HDF5 is linked into it.
fn open_loaded(path: &Path) -> Result<Library, String> {
    // SAFETY: the image is loaded already, so no initialiser runs.
    match unsafe { Library::open(Some(path), RTLD_LAZY | libc::RTLD_NOLOAD) } {
        Ok(library) => Ok(library),
        Err(_) if std::env::current_exe().is_ok_and(|exe| same_file(&exe, path)) => Ok(Library::this()),
        Err(error) => Err(error.to_string()),
    }
}

fn same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

/// # Safety
/// `function` must be the address of an `H5get_libversion`, which has had the same prototype in all versions.
unsafe fn ask_version(function: *mut c_void) -> Version {
    type GetVersion = unsafe extern "C" fn(*mut c_uint, *mut c_uint, *mut c_uint) -> h5_abi::herr_t;
    // SAFETY: by this function's contract.
    let get_version = unsafe { core::mem::transmute::<*mut c_void, GetVersion>(function) };
    let (mut major, mut minor, mut release) = (0, 0, 0);
    // SAFETY: three valid out-pointers.
    unsafe { get_version(&raw mut major, &raw mut minor, &raw mut release) };
    Version { major, minor, release }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_that_is_not_hdf5_is_named() {
        // SAFETY: libc exports none of HDF5's functions.
        let error = unsafe { host_containing(libc::malloc as *const c_void) }.unwrap_err();
        assert!(matches!(error, LocateError::NotHdf5(_)), "{error}");
    }

    #[test]
    fn an_address_outside_every_image_is_refused() {
        // SAFETY: no image, no functions.
        let error = unsafe { host_containing(core::ptr::without_provenance(8)) }.unwrap_err();
        assert!(matches!(error, LocateError::NoImage(8)), "{error}");
    }
}
