//! HDF5's functions about event sets, and others that only tests of requests need.

use core::ffi::{CStr, c_char, c_int, c_uint, c_void};

use h5_abi::{H5F_scope_t, H5VL_request_notify_t, hid_t};
use h5_vol_test::{File, Session};
use libloading::Library;

type FlushAsync =
    unsafe extern "C" fn(*const c_char, *const c_char, c_uint, hid_t, H5F_scope_t, hid_t) -> c_int;
type CloseAsync = unsafe extern "C" fn(*const c_char, *const c_char, c_uint, hid_t, hid_t) -> c_int;
pub(crate) type Completed = unsafe extern "C" fn(*const c_void, c_int, hid_t, *mut c_void) -> c_int;

/// What `H5ESget_err_info` tells, as H5ESpublic.h has it.
#[repr(C)]
pub(crate) struct Failed {
    _strings: [*mut c_char; 4],
    _line: c_uint,
    _numbers: [u64; 4],
    pub(crate) stack: hid_t,
}

/// Declares the functions and finds them in a library.
macro_rules! functions {
    ($($name:ident: $prototype:ty,)*) => {
        #[expect(non_snake_case, reason = "the fields carry HDF5's own names")]
        pub(crate) struct EventSets {
            $(pub(crate) $name: $prototype,)*
        }

        impl EventSets {
            pub(crate) fn of(h5: &Session<'_>) -> Self {
                // SAFETY: loaded already, so nothing is initialised; it stays loaded when this handle is closed.
                let library = unsafe { Library::new(h5.host().path()) }.unwrap();
                // SAFETY: the prototypes are those of HDF5's headers.
                unsafe { Self { $($name: *library.get(stringify!($name)).unwrap(),)* } }
            }
        }
    };
}

functions! {
    H5EScreate: unsafe extern "C" fn() -> hid_t,
    H5ESclose: unsafe extern "C" fn(hid_t) -> c_int,
    H5ESwait: unsafe extern "C" fn(hid_t, u64, *mut usize, *mut bool) -> c_int,
    H5EScancel: unsafe extern "C" fn(hid_t, *mut usize, *mut bool) -> c_int,
    H5ESget_count: unsafe extern "C" fn(hid_t, *mut usize) -> c_int,
    H5ESget_requests:
        unsafe extern "C" fn(hid_t, c_int, *mut hid_t, *mut *mut c_void, usize, *mut usize) -> c_int,
    H5ESregister_complete_func: unsafe extern "C" fn(hid_t, Completed, *mut c_void) -> c_int,
    H5ESget_err_info: unsafe extern "C" fn(hid_t, usize, *mut Failed, *mut usize) -> c_int,
    H5VLrequest_notify: unsafe extern "C" fn(*mut c_void, hid_t, H5VL_request_notify_t, *mut c_void) -> c_int,
    H5Eget_num: unsafe extern "C" fn(hid_t) -> isize,
    H5Eclose_stack: unsafe extern "C" fn(hid_t) -> c_int,
    H5Fflush_async: FlushAsync,
    H5Fclose_async: CloseAsync,
}

/// Where calls come from, as HDF5 is told.
const CALLER: [&CStr; 2] = [c"event_sets.rs", c"test"];

impl EventSets {
    /// Flushes a file asynchronously.
    ///
    /// # Safety
    /// The set is open.
    pub(crate) unsafe fn flush(&self, h5: &Session<'_>, file: &File, set: hid_t) {
        let [from, function] = CALLER.map(CStr::as_ptr);
        // SAFETY: open identifiers and texts.
        let status = unsafe { (self.H5Fflush_async)(from, function, 1, file.id(), H5F_scope_t(0), set) };
        assert!(status >= 0, "{:?}", h5.take_failure());
    }

    /// Closes a file asynchronously.
    ///
    /// # Safety
    /// The set is open.
    pub(crate) unsafe fn close(&self, h5: &Session<'_>, file: &File, set: hid_t) {
        let [from, function] = CALLER.map(CStr::as_ptr);
        // SAFETY: open identifiers and texts.
        let status = unsafe { (self.H5Fclose_async)(from, function, 2, file.id(), set) };
        assert!(status >= 0, "{:?}", h5.take_failure());
    }

    /// Waits for a set and closes it. Gives whether an operation has failed.
    ///
    /// # Safety
    /// The set is open.
    pub(crate) unsafe fn finish(&self, set: hid_t) -> bool {
        let (mut left, mut failed) = (0, false);
        // SAFETY: an open set and valid pointers.
        unsafe {
            assert!((self.H5ESwait)(set, u64::MAX, &raw mut left, &raw mut failed) >= 0);
            assert_eq!(left, 0);
            assert!((self.H5ESclose)(set) >= 0);
        }
        failed
    }
}
