//! The host's error stack: our own calls leave it unchanged, and our own errors add entries to it.
//!
//! Most HDF5 functions clear the error stack when they are entered. A connector that releases something after the connector
//! below has failed would erase the reason for the failure. Clients read it: h5py takes `errno` from it. So our own calls
//! run inside [`preserve`].

use core::ffi::{CStr, c_char, c_uint, c_void};
use std::ffi::CString;

use h5_abi::{H5E_MAJOR, H5E_MINOR, H5E_WALK_UPWARD, H5E_error2_t, H5E_type_t, herr_t, hid_t};

use crate::host::Host;
use crate::id::Id;
use crate::locate;

/// Runs `calls` and then restores the error stack: existing entries are kept, and entries that the calls add are removed.
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

/// Whether the first error of the last failed call has this description.
pub fn began_with(host: Host, description: &CStr) -> bool {
    unsafe extern "C" fn visit(_number: c_uint, entry: *const H5E_error2_t, data: *mut c_void) -> herr_t {
        // SAFETY: the data is the `Search` below, used by nobody else; HDF5 passes null or a valid entry.
        let (search, entry) = unsafe { (&mut *data.cast::<Search<'_>>(), entry.as_ref()) };
        if let Some(text) = entry.map(|entry| entry.desc).filter(|text| !text.is_null()) {
            // SAFETY: a C string that lives as long as the entry.
            search.found = unsafe { CStr::from_ptr(text) } == search.description;
        }
        // Only the first one is needed.
        1
    }
    struct Search<'a> {
        description: &'a CStr,
        found: bool,
    }

    let mut search = Search { description, found: false };
    // SAFETY: the function and its data fit each other; both are valid for the call.
    unsafe {
        (host.functions().H5Ewalk2)(Id::DEFAULT.0, H5E_WALK_UPWARD, Some(visit), (&raw mut search).cast())
    };
    search.found
}

/// Runs `calls` without HDF5 printing the error stack if one of them fails. Public functions of HDF5 print it when they
/// return an error, unless the application has turned that off. Inside a callback, it would be printed in the middle of the
/// application's own call, which prints it again. The stack itself is not changed.
pub fn quietly<R>(host: Host, calls: impl FnOnce() -> R) -> R {
    /// The function that prints: of the old or the new kind, or none.
    struct Printing {
        host: Host,
        is_new: bool,
        function: *mut c_void,
        data: *mut c_void,
    }
    impl Drop for Printing {
        fn drop(&mut self) {
            // SAFETY: what was set before, set again.
            unsafe { self.set(self.function, self.data) };
        }
    }
    impl Printing {
        /// # Safety
        /// Null, or function and data that HDF5 returned for this kind.
        unsafe fn set(&self, function: *mut c_void, data: *mut c_void) {
            let functions = self.host.functions();
            // SAFETY: by the contract.
            unsafe {
                if self.is_new {
                    (functions.H5Eset_auto2)(Id::DEFAULT.0, function, data);
                } else if let Some(set) = functions.H5Eset_auto1 {
                    set(function, data);
                }
            }
        }
    }

    let functions = host.functions();
    let mut is_new: c_uint = 1;
    let (mut function, mut data) = (core::ptr::null_mut(), core::ptr::null_mut());
    // SAFETY: valid out-pointers; the old function exists wherever the old kind can have been set.
    unsafe {
        (functions.H5Eauto_is_v2)(Id::DEFAULT.0, &raw mut is_new);
        if is_new != 0 {
            (functions.H5Eget_auto2)(Id::DEFAULT.0, &raw mut function, &raw mut data);
        } else if let Some(get) = functions.H5Eget_auto1 {
            get(&raw mut function, &raw mut data);
        }
    }
    if function.is_null() {
        return calls();
    }
    let printing = Printing { host, is_new: is_new != 0, function, data };
    // SAFETY: nothing prints.
    unsafe { printing.set(core::ptr::null_mut(), core::ptr::null_mut()) };
    calls()
}

/// Like [`preserve`], for a library that is not (or not yet) a [`Host`]. Existing entries are kept if the library has the
/// functions for that.
///
/// # Safety
/// `lookup` returns null or the address of the HDF5 function of that name.
pub(crate) unsafe fn preserve_by_symbols<R>(
    lookup: impl Fn(&str) -> *mut c_void,
    calls: impl FnOnce() -> R,
) -> R {
    let (get, set) = (lookup("H5Eget_current_stack"), lookup("H5Eset_current_stack"));
    if get.is_null() || set.is_null() {
        return calls();
    }
    // SAFETY: by the contract; both have had these prototypes since they exist (1.8).
    let (get, set) = unsafe {
        (
            core::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> hid_t>(get),
            core::mem::transmute::<*mut c_void, unsafe extern "C" fn(hid_t) -> herr_t>(set),
        )
    };
    // SAFETY: takes no pointers.
    let saved = unsafe { get() };
    let result = calls();
    // SAFETY: the library verifies the identifier; this also releases it.
    unsafe { set(saved) };
    result
}

/// The kind of failure that one of our entries reports: its minor message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// An info string or an environment variable is wrong.
    Configuration,
    /// The connector does not do this.
    Unsupported,
    /// The caller passed an invalid argument.
    BadArgument,
    /// The operation failed.
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

/// The place in our source where an error occurred.
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
    /// Registers the class. Do this when the connector is initialised, not when an error occurs.
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

    /// Adds an entry on top of the current error stack. The entries below it are kept.
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
        // A host that terminates releases all classes itself, in its own order.
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

/// `text` as a C string. A NUL in it becomes `?`.
fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "?")).unwrap_or_default()
}

/// Puts a message on the error stack of a libhdf5 that cannot be one of our hosts, using only functions that every HDF5
/// with plugins has. Does nothing if one of them is missing, or if the stack already describes a failure: then the library
/// is only probing us because of that failure.
///
/// # Safety
/// `address` lies in a libhdf5.
pub unsafe fn push_to_unsupported(address: *const c_void, message: &str) {
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

    type Count = unsafe extern "C" fn(hid_t) -> isize;

    let symbols = [
        "H5Eget_num",
        "H5Epush2",
        "H5E_ERR_CLS_g",
        "H5E_PLUGIN_g",
        "H5E_VOL_g",
        "H5E_UNSUPPORTED_g",
        "H5E_CANTINIT_g",
    ];
    let Ok([count, push, class, plugin, vol, unsupported, cannot_start]) =
        locate::symbols_of_image(address, symbols)
    else {
        return;
    };
    let major = if vol.is_null() { plugin } else { vol };
    let minor = if unsupported.is_null() { cannot_start } else { unsupported };
    if count.is_null() || push.is_null() || class.is_null() || major.is_null() || minor.is_null() {
        return;
    }
    let message = c_string(message);
    // SAFETY: `H5Epush2` has had this prototype since it exists, the other symbols are `hid_t` variables that
    // the library has set when it loads plugins; "%s" takes the one string that follows.
    unsafe {
        let count = core::mem::transmute::<*mut c_void, Count>(count);
        if count(Id::DEFAULT.0) > 0 {
            return;
        }
        let push = core::mem::transmute::<*mut c_void, Push>(push);
        let value = |variable: *mut c_void| *variable.cast::<hid_t>();
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
