//! Requests of asynchronous operations: event sets ask them after they have completed, and only freeing releases them.

mod support;

use core::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

use h5_abi::{
    H5F_scope_t, H5VL_REQUEST_STATUS_CANCELED, H5VL_REQUEST_STATUS_FAIL, H5VL_REQUEST_STATUS_SUCCEED,
    H5VL_request_status_t, hid_t,
};
use h5_vol::calls::{FileCreate, FileSpecific, RequestCancel, RequestFree, RequestSpecific, RequestWait};
use h5_vol::views::{FileOperation, RequestQuestion};
use h5_vol::{Connector, Error, Files, Host, Id, Methods, NewObject, ObjectKind, Requests, Result, Terminal};
use h5_vol_test::Session;
use libloading::Library;
use support::in_every_host;

support::recording::recording_connector!(Above, c"test_above_deferred", 682);

/// Flushes files asynchronously: there is nothing to flush, but the application gets a request.
struct Deferred;

/// What was done with requests, in this order.
static DONE: Mutex<Vec<&str>> = Mutex::new(Vec::new());
/// How the next request ends.
static END: Mutex<H5VL_request_status_t> = Mutex::new(H5VL_REQUEST_STATUS_SUCCEED);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn note(what: &'static str) {
    locked(&DONE).push(what);
}

/// The data of a file or of a request, whose end is noted.
enum Open {
    File,
    Request,
}

impl Drop for Open {
    fn drop(&mut self) {
        if matches!(self, Self::Request) {
            note("gone");
        }
    }
}

impl Connector for Deferred {
    const NAME: &'static CStr = c"test_deferred";
    const VALUE: i32 = 681;
    const VERSION: u32 = 1;
    const VERSION_TEXT: &'static CStr = c"1";
    const METHODS: Methods<Self> = Methods::terminal();

    type Settings = ();
    type Data = Open;

    h5_vol::slots!(Deferred);

    fn new(_: Host) -> Self {
        Self
    }
}

impl Terminal for Deferred {
    const FILES: Files<Self> =
        Files { create: Some(create), specific: Some(flush), close: Some(|_, _| Ok(())), ..Files::NONE };
    const REQUESTS: Requests<Self> = Requests {
        wait: Some(wait),
        cancel: Some(cancel),
        specific: Some(answer),
        free: Some(free),
        ..Requests::NONE
    };
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of the callback")]
fn create(_: &Deferred, _: FileCreate<'_, Deferred>) -> Result<NewObject<Deferred>> {
    Ok(NewObject::terminal(ObjectKind::File, Open::File))
}

fn flush(_: &Deferred, mut call: FileSpecific<'_, Deferred>) -> Result<c_int> {
    let FileOperation::Flush { .. } = call.arguments.view() else {
        return Err(Error::unsupported("anything but a flush"));
    };
    if let Some(file) = &call.object
        && call.request.is_asynchronous()
    {
        call.request.give(file, Open::Request)?;
    }
    Ok(0)
}

#[expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "the signature of the callback")]
fn wait(_: &Deferred, call: RequestWait<'_, Deferred>) -> Result<c_int> {
    note("waited");
    *call.status = *locked(&END);
    Ok(0)
}

#[expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "the signature of the callback")]
fn cancel(_: &Deferred, call: RequestCancel<'_, Deferred>) -> Result<c_int> {
    note("cancelled");
    *call.status = H5VL_REQUEST_STATUS_CANCELED;
    Ok(0)
}

fn answer(_: &Deferred, mut call: RequestSpecific<'_, Deferred>) -> Result<c_int> {
    match call.arguments.view() {
        RequestQuestion::ExecutionTime { mut started, mut lasted } => {
            note("asked for its time");
            started.set(1);
            lasted.set(2);
            Ok(0)
        }
        RequestQuestion::ErrorStack(mut stack) => {
            note("asked for its errors");
            let get = call.request.host().functions().H5Eget_current_stack;
            // SAFETY: takes nothing; HDF5 owns the answer.
            stack.set(Id(unsafe { get() }));
            Ok(0)
        }
        _ => Err(Error::unsupported("an unknown question")),
    }
}

#[expect(clippy::unnecessary_wraps, reason = "the signature of the callback")]
fn free(_: &Deferred, _: RequestFree<Deferred>) -> Result<()> {
    note("freed");
    Ok(())
}

/// HDF5's functions about event sets.
#[expect(non_snake_case, reason = "the fields carry HDF5's own names")]
struct EventSets {
    H5EScreate: unsafe extern "C" fn() -> hid_t,
    H5ESclose: unsafe extern "C" fn(hid_t) -> c_int,
    H5ESwait: unsafe extern "C" fn(hid_t, u64, *mut usize, *mut bool) -> c_int,
    H5EScancel: unsafe extern "C" fn(hid_t, *mut usize, *mut bool) -> c_int,
    H5ESregister_complete_func: unsafe extern "C" fn(hid_t, Completed, *mut c_void) -> c_int,
    H5Fflush_async:
        unsafe extern "C" fn(*const c_char, *const c_char, c_uint, hid_t, H5F_scope_t, hid_t) -> c_int,
}

type Completed = unsafe extern "C" fn(*const c_void, c_int, hid_t, *mut c_void) -> c_int;

impl EventSets {
    fn of(h5: &Session<'_>) -> Self {
        // SAFETY: loaded already, so nothing is initialised; it stays loaded when this handle is closed.
        let library = unsafe { Library::new(h5.host().path()) }.unwrap();
        // SAFETY: the prototypes are those of H5ESpublic.h and H5Fpublic.h.
        unsafe {
            Self {
                H5EScreate: *library.get(b"H5EScreate\0").unwrap(),
                H5ESclose: *library.get(b"H5ESclose\0").unwrap(),
                H5ESwait: *library.get(b"H5ESwait\0").unwrap(),
                H5EScancel: *library.get(b"H5EScancel\0").unwrap(),
                H5ESregister_complete_func: *library.get(b"H5ESregister_complete_func\0").unwrap(),
                H5Fflush_async: *library.get(b"H5Fflush_async\0").unwrap(),
            }
        }
    }
}

/// Objects of the connector above, the request among them, when HDF5 says that the operation is complete.
static LIVE_AT_COMPLETION: Mutex<Vec<i64>> = Mutex::new(Vec::new());

unsafe extern "C" fn completed(_: *const c_void, _: c_int, _: hid_t, _: *mut c_void) -> c_int {
    note("completed");
    locked(&LIVE_AT_COMPLETION).push(Above::record().live());
    0
}

/// How an event set ends.
#[derive(Clone, Copy)]
enum Ends {
    WithWait,
    WithCancel,
}

/// Flushes a file asynchronously and ends the event set. Gives what was done with the request.
fn run(h5: &Session<'_>, info: Option<&str>, ends: Ends) -> Vec<&'static str> {
    let es = EventSets::of(h5);
    let deferred = h5.register::<Deferred>().unwrap();
    let above = h5.register::<Above>().unwrap();
    let access = match info {
        None => h5.access_through(&deferred, "").unwrap(),
        Some(info) => h5.access_through(&above, info).unwrap(),
    };
    let file = h5.create_file("deferred", &access).unwrap();
    locked(&DONE).clear();
    let (mut left, mut failed) = (0, false);
    // SAFETY: open identifiers, valid pointers and a function of the right type.
    unsafe {
        let set = (es.H5EScreate)();
        assert!(set >= 0);
        assert!((es.H5ESregister_complete_func)(set, completed, core::ptr::null_mut()) >= 0);
        let names = (c"requests.rs".as_ptr(), c"run".as_ptr());
        assert!((es.H5Fflush_async)(names.0, names.1, 1, file.id(), H5F_scope_t(0), set) >= 0);
        let ended = match ends {
            Ends::WithWait => (es.H5ESwait)(set, u64::MAX, &raw mut left, &raw mut failed),
            Ends::WithCancel => (es.H5EScancel)(set, &raw mut left, &raw mut failed),
        };
        assert!(ended >= 0, "{:?}", h5.take_failure());
        assert_eq!(failed, matches!(ends, Ends::WithWait) && *locked(&END) == H5VL_REQUEST_STATUS_FAIL);
        assert!((es.H5ESclose)(set) >= 0, "{:?}", h5.take_failure());
    }
    file.close().unwrap();
    std::mem::take(&mut *locked(&DONE))
}

#[test]
fn a_request_lives_until_it_is_freed() {
    in_every_host(|h5| {
        for info in [None, Some("under_vol=681")] {
            *locked(&END) = H5VL_REQUEST_STATUS_SUCCEED;
            locked(&LIVE_AT_COMPLETION).clear();
            let done = run(h5, info, Ends::WithWait);
            assert_eq!(done, ["waited", "asked for its time", "completed", "freed", "gone"], "{info:?}");
            if info.is_some() {
                assert_eq!(*locked(&LIVE_AT_COMPLETION), [2], "the file and its request");
            }
            assert_eq!(Above::record().live(), 0, "every object's data was dropped");
        }
    });
}

#[test]
fn a_failed_request_is_asked_and_freed_with_its_event_set() {
    in_every_host(|h5| {
        for info in [None, Some("under_vol=681")] {
            *locked(&END) = H5VL_REQUEST_STATUS_FAIL;
            let done = run(h5, info, Ends::WithWait);
            assert_eq!(done[..2], ["waited", "asked for its errors"], "{done:?}");
            assert_eq!(done[done.len() - 2..], ["freed", "gone"], "{done:?}");
            assert_eq!(Above::record().live(), 0, "every object's data was dropped");
        }
    });
}

#[test]
fn a_cancelled_request_is_freed_afterwards() {
    in_every_host(|h5| {
        for info in [None, Some("under_vol=681")] {
            *locked(&END) = H5VL_REQUEST_STATUS_SUCCEED;
            let done = run(h5, info, Ends::WithCancel);
            assert_eq!(done.first(), Some(&"cancelled"), "{done:?}");
            assert_eq!(done[done.len() - 2..], ["freed", "gone"], "{done:?}");
            assert_eq!(Above::record().live(), 0, "every object's data was dropped");
        }
    });
}
