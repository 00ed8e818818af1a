//! Requests of asynchronous operations: event sets ask them after they have completed, and only freeing releases them.

mod support;

use core::ffi::{c_int, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

use h5_abi::{
    H5VL_REQUEST_STATUS_CANCELED, H5VL_REQUEST_STATUS_FAIL, H5VL_REQUEST_STATUS_SUCCEED,
    H5VL_request_status_t, hid_t,
};
use h5_vol::calls::{FileCreate, FileSpecific, RequestCancel, RequestFree, RequestSpecific, RequestWait};
use h5_vol::views::{FileOperation, RequestQuestion};
use h5_vol::{Error, Files, Id, NewObject, ObjectKind, Requests, Result, Terminal};
use h5_vol_test::Session;
use support::event_sets::EventSets;
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

support::connector!(Deferred, c"test_deferred", 681, terminal {
    type Settings = ();
    type Data = Open;
});

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
        es.flush(h5, &file, set);
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

/// Runs it with the connector alone and below another one, in every host. `check` gets what was done with the request, and
/// whether there is a connector above.
fn run_both_ways(end: H5VL_request_status_t, ends: Ends, check: impl Fn(&[&str], bool)) {
    in_every_host(|h5| {
        for info in [None, Some("under_vol=681")] {
            *locked(&END) = end;
            locked(&LIVE_AT_COMPLETION).clear();
            let done = run(h5, info, ends);
            check(&done, info.is_some());
            assert_eq!(Above::record().live(), 0, "every object's data was dropped");
        }
    });
}

#[test]
fn a_request_lives_until_it_is_freed() {
    run_both_ways(H5VL_REQUEST_STATUS_SUCCEED, Ends::WithWait, |done, is_below| {
        assert_eq!(done, ["waited", "asked for its time", "completed", "freed", "gone"], "{is_below}");
        if is_below {
            assert_eq!(*locked(&LIVE_AT_COMPLETION), [2], "the file and its request");
        }
    });
}

#[test]
fn a_failed_request_is_asked_and_freed_with_its_event_set() {
    run_both_ways(H5VL_REQUEST_STATUS_FAIL, Ends::WithWait, |done, _| {
        assert_eq!(done[..2], ["waited", "asked for its errors"], "{done:?}");
        assert_eq!(done[done.len() - 2..], ["freed", "gone"], "{done:?}");
    });
}

#[test]
fn a_cancelled_request_is_freed_afterwards() {
    run_both_ways(H5VL_REQUEST_STATUS_SUCCEED, Ends::WithCancel, |done, _| {
        assert_eq!(done.first(), Some(&"cancelled"), "{done:?}");
        assert_eq!(done[done.len() - 2..], ["freed", "gone"], "{done:?}");
    });
}
