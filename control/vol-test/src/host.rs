//! Stock libraries, and sessions that drive one.

use core::ffi::{CStr, c_void};
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use h5_abi::{H5E_DEFAULT, hid_t};
use libloading::Library;

use crate::api::Api;
use crate::failure::{Failure, Result};

/// A libhdf5 as users have it, loaded into this process until it ends.
pub struct StockHost {
    name: String,
    path: PathBuf,
    api: Api,
    turn: Mutex<()>,
}

impl StockHost {
    /// All hosts listed in the file that `H5_HOSTS_FILE` names, one `name<TAB>/path/to/libhdf5.so` a line.
    ///
    /// # Panics
    /// If there are none, or one cannot be loaded: a test without a host must not pass.
    pub fn all() -> &'static [Self] {
        static ALL: OnceLock<Vec<StockHost>> = OnceLock::new();
        ALL.get_or_init(|| {
            let Some(file) = std::env::var_os("H5_HOSTS_FILE") else {
                panic!("H5_HOSTS_FILE is not set: run `cargo xtask test`");
            };
            let list = std::fs::read_to_string(&file)
                .unwrap_or_else(|error| panic!("{}: {error}: run `cargo xtask test`", file.display()));
            let hosts: Vec<_> =
                list.lines().filter(|line| !line.trim().is_empty()).map(Self::of_line).collect();
            assert!(!hosts.is_empty(), "{} lists no host: run `cargo xtask test`", file.display());
            hosts
        })
    }

    /// The host of this name.
    ///
    /// # Panics
    /// If there is none.
    pub fn named(name: &str) -> &'static Self {
        let host = Self::all().iter().find(|host| host.name == name);
        host.unwrap_or_else(|| panic!("no host is named {name}"))
    }

    fn of_line(line: &str) -> Self {
        let (name, path) = line
            .split_once('\t')
            .unwrap_or_else(|| panic!("'{line}' is not name<TAB>path: run `cargo xtask test`"));
        Self::load(name.trim(), Path::new(path.trim()))
    }

    /// Loads a libhdf5.
    ///
    /// # Panics
    /// If it cannot be loaded.
    pub fn load(name: &str, path: &Path) -> Self {
        // SAFETY: libhdf5's initialisers have no demands.
        let library = unsafe { Library::new(path) };
        let library = library.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        // It stays loaded: its exit handler runs when the process ends.
        let library: &'static Library = Box::leak(Box::new(library));
        // SAFETY: the hosts file lists HDF5 libraries.
        let api = unsafe { Api::resolve(library) };
        let api = api.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { name: name.to_owned(), path: path.to_owned(), api, turn: Mutex::new(()) }
    }

    /// Name of the host in the list.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it was loaded from.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// An address inside it, by which the framework finds it.
    pub fn address(&self) -> *const c_void {
        self.api.H5open as *const c_void
    }

    /// Takes this thread's turn with the host. Errors are not printed, but returned with their stack.
    pub fn enter(&self) -> Session<'_> {
        let turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let session = Session { host: self, _turn: turn };
        session.open_library();
        session
    }
}

/// A host, for one thread alone.
pub struct Session<'h> {
    host: &'h StockHost,
    _turn: MutexGuard<'h, ()>,
}

impl Session<'_> {
    /// The host.
    pub fn host(&self) -> &StockHost {
        self.host
    }

    /// The C API. What a test calls there is its own responsibility.
    pub fn api(&self) -> &Api {
        &self.host.api
    }

    /// `H5open`.
    pub fn open_library(&self) {
        // SAFETY: no arguments; a null function switches printing off for this thread.
        unsafe {
            assert!((self.api().H5open)() >= 0, "{}: H5open failed", self.host.name);
            (self.api().H5Eset_auto2)(H5E_DEFAULT, None, core::ptr::null_mut());
            (self.api().H5Eclear2)(H5E_DEFAULT);
        }
    }

    /// `H5close`: the library terminates. Call [`Session::open_library`] before anything else.
    pub fn close_library(&self) -> Result<()> {
        // SAFETY: no arguments.
        let status = unsafe { (self.api().H5close)() };
        if status < 0 { Err(Failure::default()) } else { Ok(()) }
    }

    /// Checks a status (`herr_t`, `htri_t`, lengths): a negative one becomes the error stack.
    pub(crate) fn check<T: Copy + PartialOrd + Default>(&self, status: T) -> Result<T> {
        if status < T::default() { Err(self.take_failure()) } else { Ok(status) }
    }

    /// Checks an identifier.
    pub(crate) fn check_id(&self, id: hid_t) -> Result<hid_t> {
        self.check(id)
    }

    /// A text of HDF5's: `ask(buffer, size)` returns the full length.
    pub(crate) fn text(&self, ask: impl Fn(*mut core::ffi::c_char, usize) -> isize) -> Result<String> {
        let length = self.check(ask(core::ptr::null_mut(), 0))?;
        let mut buffer = vec![0_u8; length.unsigned_abs() + 1];
        self.check(ask(buffer.as_mut_ptr().cast(), buffer.len()))?;
        let text = CStr::from_bytes_until_nul(&buffer).map_err(|_| Failure::default())?;
        Ok(text.to_string_lossy().into_owned())
    }
}

/// A C string for HDF5.
pub(crate) fn c_string(text: &str) -> CString {
    CString::new(text).expect("names in tests have no NUL")
}
