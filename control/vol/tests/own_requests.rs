//! A connector that passes calls through may answer some of them with requests of its own, put a close off, and be called
//! before its host closes everything.

mod support;

use core::ffi::{c_int, c_void};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use h5_abi::H5VL_request_status_t;
use h5_vol::calls::{
    FileClose, FileSpecific, Notification, RequestCancel, RequestFree, RequestNotify, RequestSpecific,
    RequestStatus, RequestWait,
};
use h5_vol::views::{FileOperation, RequestQuestion};
use h5_vol::{
    BelowObject, Callback, Error, Host, KeptErrors, Object, ObjectKind, Origin, PassThrough, Result,
};
use h5_vol_test::Session;
use support::event_sets::{EventSets, Failed};
use support::in_every_host;

support::recording::recording_connector!(Above, c"test_above_delaying", 685);

/// Flushes files at once, and tells it later. Closes a file with its request, if that is still there.
struct Delaying;

static DONE: Mutex<Vec<String>> = Mutex::new(Vec::new());
static NOTIFICATION: Mutex<Option<Notification>> = Mutex::new(None);
static CLOSED_LATER: Mutex<Vec<Arc<Object<Delaying>>>> = Mutex::new(Vec::new());
static FAILS: Mutex<bool> = Mutex::new(false);

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn note(what: impl Into<String>) {
    locked(&DONE).push(what.into());
}

/// Data of a request.
struct Flushed {
    errors: Option<KeptErrors>,
    /// Whether it has failed.
    failed: bool,
}

support::connector!(Delaying, c"test_delaying", 684, pass_through {
    type Settings = ();
    type Data = Option<Flushed>;

    fn library_closes(&self, _: Host) {
        note("library closes");
        close_late().unwrap();
    }
});

fn close_late() -> Result<()> {
    let late = std::mem::take(&mut *locked(&CLOSED_LATER));
    for file in late {
        FileClose::late(file).forward()?;
        note("closed");
    }
    Ok(())
}

impl PassThrough for Delaying {
    fn attach(&self, _: &Origin<'_, Self>, _: ObjectKind, _: &BelowObject) -> Option<Flushed> {
        None
    }

    fn file_specific(&self, mut call: FileSpecific<'_, Self>) -> Result<c_int> {
        let is_flush = matches!(call.arguments.view(), FileOperation::Flush { .. });
        let status = call.forward()?;
        if is_flush
            && call.request.is_asynchronous()
            && let Some(file) = &call.object
        {
            assert!(file.call_before_library_closes());
            let failed = *locked(&FAILS);
            let error = Error::failed("it was not meant to succeed");
            let errors = failed.then(|| file.keep_errors(Callback::FileSpecific, &error)).flatten();
            call.request.give(file, Some(Flushed { errors, failed }))?;
            assert!(call.request.give(file, None).is_err(), "there is one");
        }
        Ok(status)
    }

    fn file_close(&self, call: FileClose<'_, Self>) -> Result<()> {
        if call.request.is_asynchronous() {
            locked(&CLOSED_LATER).push(Arc::clone(&call.object));
            return Ok(());
        }
        call.forward()
    }

    fn request_wait(&self, mut call: RequestWait<'_, Self>) -> Result<c_int> {
        let failed = call.request.data().as_ref().is_some_and(|flushed| flushed.failed);
        let status = if failed { RequestStatus::Failed } else { RequestStatus::Succeeded };
        call.answer(status);
        if let Some(notification) = locked(&NOTIFICATION).take() {
            assert!(notification.tell(status));
        }
        close_late()?;
        Ok(0)
    }

    fn request_cancel(&self, _: RequestCancel<'_, Self>) -> Result<c_int> {
        Err(Error::unsupported("cancelling"))
    }

    fn request_notify(&self, call: RequestNotify<Self>) -> Result<c_int> {
        *locked(&NOTIFICATION) = call.notification();
        Ok(0)
    }

    fn request_specific(&self, mut call: RequestSpecific<'_, Self>) -> Result<c_int> {
        let request = Arc::clone(&call.request);
        match call.arguments.view() {
            RequestQuestion::ErrorStack(mut answer) => {
                let errors = request.data().as_ref().and_then(|flushed| flushed.errors.as_ref());
                answer.set(errors.and_then(KeptErrors::hand_out).unwrap());
                Ok(0)
            }
            _ => Err(Error::unsupported("this question")),
        }
    }

    fn request_free(&self, _: RequestFree<Self>) -> Result<()> {
        note("freed");
        Ok(())
    }
}

unsafe extern "C" fn ended(_: *mut c_void, status: H5VL_request_status_t) -> c_int {
    note(format!("ended with {}", status.0));
    0
}

/// Runs a test with files opened through the connector alone, and with another one above it.
fn with_each_access(test: impl Fn(&Session<'_>, &EventSets, &h5_vol_test::FileAccess)) {
    in_every_host(|h5| {
        let sets = EventSets::of(h5);
        let delaying = h5.register::<Delaying>().unwrap();
        let above = h5.register::<Above>().unwrap();
        for access in [
            h5.access_through(&delaying, "under_vol=0"),
            h5.access_through(&above, "under_vol=684;under_info={under_vol=0}"),
        ] {
            locked(&DONE).clear();
            *locked(&FAILS) = false;
            test(h5, &sets, &access.unwrap());
        }
    });
}

#[test]
fn a_request_of_its_own_is_waited_for_notified_and_freed() {
    with_each_access(|h5, sets, access| {
        let file = h5.create_file("own", access).unwrap();
        // SAFETY: open identifiers, valid pointers and a function of the right type.
        unsafe {
            let set = (sets.H5EScreate)();
            sets.flush(h5, &file, set);
            let (mut connector, mut request, mut count) = (0, core::ptr::null_mut(), 0);
            (sets.H5ESget_requests)(set, 0, &raw mut connector, &raw mut request, 1, &raw mut count);
            assert_eq!(count, 1);
            let told = (sets.H5VLrequest_notify)(request, connector, Some(ended), core::ptr::null_mut());
            assert!(told >= 0, "{:?}", h5.take_failure());
            assert!(!sets.finish(set));
        }
        file.close().unwrap();
        assert_eq!(*locked(&DONE), ["ended with 1", "freed"]);
        assert_eq!(Above::record().live(), 0);
    });
}

#[test]
fn a_close_may_come_late() {
    with_each_access(|h5, sets, access| {
        let file = h5.create_file("late", access).unwrap();
        // SAFETY: open identifiers and valid pointers.
        unsafe {
            let set = (sets.H5EScreate)();
            sets.flush(h5, &file, set);
            sets.close(h5, &file, set);
            assert!(file.close().is_err(), "the identifier is gone");
            let mut count = 0;
            (sets.H5ESget_count)(set, &raw mut count);
            assert_eq!(count, 1, "the close has no request");
            assert_eq!(*locked(&DONE), [""; 0]);
            assert!(!sets.finish(set));
        }
        assert_eq!(*locked(&DONE), ["closed", "freed"]);
        assert_eq!(Above::record().live(), 0);
    });
}

#[test]
fn errors_are_kept_until_somebody_asks() {
    with_each_access(|h5, sets, access| {
        let file = h5.create_file("failing", access).unwrap();
        *locked(&FAILS) = true;
        // SAFETY: open identifiers and valid pointers; all zeros are a value of the structure.
        unsafe {
            let set = (sets.H5EScreate)();
            sets.flush(h5, &file, set);
            let (mut left, mut failed, mut failure, mut told) = (0, false, core::mem::zeroed::<Failed>(), 0);
            assert!((sets.H5ESwait)(set, u64::MAX, &raw mut left, &raw mut failed) >= 0);
            assert!(failed);
            assert!((sets.H5ESget_err_info)(set, 1, &raw mut failure, &raw mut told) >= 0);
            assert_eq!((told, (sets.H5Eget_num)(failure.stack)), (1, 1));
            assert!((sets.H5Eclose_stack)(failure.stack) >= 0);
            assert!((sets.H5ESclose)(set) >= 0);
        }
        file.close().unwrap();
        assert_eq!(*locked(&DONE), ["freed"]);
        assert_eq!(Above::record().live(), 0);
    });
}
