//! The host's error stack: left as it was by our own calls, and extended by our own entries.
//!
//! Most HDF5 functions clear the error stack when they are entered. A connector that releases something
//! after the connector below has failed would so erase the reason of the failure, and clients read it: h5py
//! takes `errno` from it. Therefore our own calls run inside [`preserve`].

use core::ffi::{CStr, c_char, c_uint};
use std::ffi::CString;

use h5_abi::{H5E_MAJOR, H5E_MINOR, H5E_type_t, herr_t, hid_t};

use crate::host::Host;
use crate::id::Id;
use crate::locate;

/// Runs `calls` so that the error stack afterwards is what it was before: entries present stay, entries the
/// calls add go.
pub fn preserve<R>(host: Host, calls: impl FnOnce() -> R) -> R {
    /// Restores in `drop`, so that a panic in `calls` does not lose the saved stack.
    struct Restore {
        host: Host,
        saved: Id,
    }
    impl Drop for Restore {
        fn drop(&mut self) {
            let functions = self.host.functions();
            // SAFETY: identifiers are verified by the host. Setting the saved stack also releases it.
            unsafe {
                if self.saved.is_valid() {
                    (functions.H5Eset_current_stack)(self.saved.0);
                } else {
                    (functions.H5Eclear2)(Id::DEFAULT.0);
                }
            }
        }
    }

    let functions = host.functions();
    // SAFETY: takes no pointers; asking does not clear the stack.
    let entries = unsafe { (functions.H5Eget_num)(Id::DEFAULT.0) };
    let saved = if entries > 0 {
        // SAFETY: takes no pointers; moves the current stack into a new identifier.
        Id(unsafe { (functions.H5Eget_current_stack)() })
    } else {
        Id::INVALID
    };
    let _restore = Restore { host, saved };
    calls()
}

/// What kind of failure an entry of ours reports: its minor message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// An info string or an environment variable is wrong.
    Configuration,
    /// The connector does not do this.
    Unsupported,
    /// The caller passed something that makes no sense.
    BadArgument,
    /// The operation was tried and failed.
    Failed,
    /// A fault in the connector itself (a caught panic).
    Internal,
}

impl Kind {
    const ALL: [Self; 5] =
        [Self::Configuration, Self::Unsupported, Self::BadArgument, Self::Failed, Self::Internal];

    fn text(self) -> &'static CStr {
        match self {
            Self::Configuration => c"Bad configuration",
            Self::Unsupported => c"Not supported by this connector",
            Self::BadArgument => c"Bad argument",
            Self::Failed => c"Operation failed",
            Self::Internal => c"Internal fault",
        }
    }

    fn index(self) -> usize {
        match self {
            Self::Configuration => 0,
            Self::Unsupported => 1,
            Self::BadArgument => 2,
            Self::Failed => 3,
            Self::Internal => 4,
        }
    }
}

/// Where in our source an error arose.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// Source file.
    pub file: &'a str,
    /// The VOL callback.
    pub function: &'a CStr,
    /// Line in `file`.
    pub line: u32,
}

/// A connector's own error class in one host.
#[derive(Debug)]
pub struct ErrorClass {
    host: Host,
    class: Id,
    major: Id,
    minors: [Id; Kind::ALL.len()],
}

impl ErrorClass {
    /// Registers the class. To be done when the connector is initialised, not when an error occurs.
    pub fn register(host: Host, name: &CStr, version: &CStr) -> Self {
        let functions = host.functions();
        preserve(host, || {
            // SAFETY: three valid C strings.
            let class =
                unsafe { (functions.H5Eregister_class)(name.as_ptr(), name.as_ptr(), version.as_ptr()) };
            let message = |kind: H5E_type_t, text: &CStr| {
                // SAFETY: the host verifies the class and copies the valid C string.
                Id(unsafe { (functions.H5Ecreate_msg)(class, kind, text.as_ptr()) })
            };
            Self {
                host,
                class: Id(class),
                major: message(H5E_MAJOR, c"VOL connector"),
                minors: Kind::ALL.map(|kind| message(H5E_MINOR, kind.text())),
            }
        })
    }

    /// Adds an entry on top of the current error stack, keeping those below it.
    pub fn push(&self, kind: Kind, place: Place<'_>, message: &str) {
        let file = c_string(place.file);
        let message = c_string(message);
        // SAFETY: valid C strings; "%s" takes exactly the one string argument that follows. HDF5 copies all.
        unsafe {
            (self.host.functions().H5Epush2)(
                Id::DEFAULT.0,
                file.as_ptr(),
                place.function.as_ptr(),
                c_uint::from(place.line),
                self.class.0,
                self.major.0,
                self.minors[kind.index()].0,
                c"%s".as_ptr(),
                message.as_ptr(),
            );
        }
    }
}

impl Drop for ErrorClass {
    fn drop(&mut self) {
        // A terminating host releases all classes by itself, in an order of its own.
        if self.host.is_terminating() {
            return;
        }
        let functions = self.host.functions();
        preserve(self.host, || {
            for message in self.minors.iter().chain([&self.major]) {
                // SAFETY: the host verifies the identifier.
                unsafe { (functions.H5Eclose_msg)(message.0) };
            }
            // SAFETY: the host verifies the identifier.
            unsafe { (functions.H5Eunregister_class)(self.class.0) };
        });
    }
}

/// A C string of `text`; what cannot be in one (a NUL from a file name, say) is shown as `?`.
fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "?")).unwrap_or_default()
}

/// Puts a message on the error stack of a libhdf5 that is not (and cannot be) one of our hosts, using only
/// what every HDF5 with plugins has. Does nothing if even that is missing.
///
/// # Safety
/// `address` lies in a libhdf5.
pub unsafe fn push_to_unsupported(address: *const core::ffi::c_void, message: &str) {
    type Push = unsafe extern "C" fn(
        hid_t,
        *const c_char,
        *const c_char,
        c_uint,
        hid_t,
        hid_t,
        hid_t,
        *const c_char,
        ...
    ) -> herr_t;

    let symbols =
        ["H5Epush2", "H5E_ERR_CLS_g", "H5E_PLUGIN_g", "H5E_VOL_g", "H5E_UNSUPPORTED_g", "H5E_CANTINIT_g"];
    let Ok([push, class, plugin, vol, unsupported, cannot_start]) =
        locate::symbols_of_image(address, symbols)
    else {
        return;
    };
    let major = if vol.is_null() { plugin } else { vol };
    let minor = if unsupported.is_null() { cannot_start } else { unsupported };
    if push.is_null() || class.is_null() || major.is_null() || minor.is_null() {
        return;
    }
    let message = c_string(message);
    // SAFETY: `H5Epush2` has had this prototype since it exists, the other symbols are `hid_t` variables that
    // the library has set when it loads plugins; "%s" takes the one string that follows.
    unsafe {
        let push = core::mem::transmute::<*mut core::ffi::c_void, Push>(push);
        let value = |variable: *mut core::ffi::c_void| *variable.cast::<hid_t>();
        push(
            Id::DEFAULT.0,
            concat!(file!(), "\0").as_ptr().cast(),
            c"H5PLget_plugin_info".as_ptr(),
            line!(),
            value(class),
            value(major),
            value(minor),
            c"%s".as_ptr(),
            message.as_ptr(),
        );
    }
}
