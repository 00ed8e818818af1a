//! What event sets ask and do with requests.

use core::ffi::c_int;
use std::sync::Arc;
use std::time::{Duration, Instant};

use h5_vol::calls::{
    RequestCancel, RequestFree, RequestNotify, RequestOptional, RequestSpecific, RequestStatus, RequestWait,
};
use h5_vol::views::RequestQuestion;
use h5_vol::{Error, Host, KeptErrors, Object, Result};
use pool::Job;

use crate::Bypass;
use crate::requests::order::{self, Asked};
use crate::requests::request::{End, Request};

/// `H5ES_WAIT_FOREVER`.
const FOREVER: u64 = u64::MAX;

impl End {
    pub(super) fn status(&self) -> RequestStatus {
        match self {
            Self::Succeeded => RequestStatus::Succeeded,
            Self::Cancelled => RequestStatus::Cancelled,
            Self::Failed { .. } => RequestStatus::Failed,
        }
    }
}

/// The request, if it is one of ours and not of the connector below.
fn own(object: &Object<Bypass>) -> Option<&Arc<Request>> {
    object.data().request.as_ref()
}

impl Bypass {
    /// Waits for a request.
    pub(crate) fn wait_for_request(&self, mut call: RequestWait<'_, Self>) -> Result<c_int> {
        let (host, object) = (call.request.host(), Arc::clone(&call.request));
        let Some(request) = own(&object) else { return call.forward() };
        self.check_process(request)?;
        let status = if call.timeout == FOREVER {
            order::forget();
            self.finish(host, request).status()
        } else {
            self.look_at(host, request, Duration::from_nanos(call.timeout))
        };
        call.answer(status);
        Ok(0)
    }

    /// How a request stands after this time at the latest, but for what it takes to store chunks if the rest is done.
    fn look_at(&self, host: Host, request: &Arc<Request>, patience: Duration) -> RequestStatus {
        let asked = self.asked(request);
        if !asked.comes_after_unfinished() && self.has_worked(host, request, patience) {
            order::forget();
            return self.finish(host, request).status();
        }
        asked.is_unfinished();
        RequestStatus::InProgress
    }

    /// Whether a request can be finished without waiting, after this time at the latest.
    fn has_worked(&self, host: Host, request: &Arc<Request>, patience: Duration) -> bool {
        if request.end().is_some() {
            return true;
        }
        let end = Instant::now().checked_add(patience);
        let earlier = if request.stores { self.requests.storing_before(request) } else { Vec::new() };
        let has_worked = |request: &Arc<Request>| {
            let left = end.map_or(patience, |end| end.saturating_duration_since(Instant::now()));
            request.has_worked()
                || !left.is_zero()
                    && self.locks.without(host, || {
                        request.job.get().is_none_or(|job: &Job| job.wait_for(left).is_some())
                    })
        };
        earlier.iter().chain([request]).all(has_worked)
    }

    /// Cancels a request, if it has not begun.
    pub(crate) fn cancel_request(&self, mut call: RequestCancel<'_, Self>) -> Result<c_int> {
        let object = Arc::clone(&call.request);
        let Some(request) = own(&object) else { return call.forward() };
        self.check_process(request)?;
        let asked = self.asked(request);
        let end = match request.end() {
            None if request.job.get().is_some_and(Job::cancel) => Some(self.end_cancelled(request)),
            end => end,
        };
        let status = match end {
            Some(end) if !asked.comes_after_unfinished() => end.status(),
            Some(_) => {
                asked.is_unfinished();
                RequestStatus::InProgress
            }
            None => {
                asked.is_unfinished();
                RequestStatus::CannotCancel
            }
        };
        call.answer(status);
        Ok(0)
    }

    /// Calls a function of the application when a request has ended.
    pub(crate) fn notify_of_request(&self, mut call: RequestNotify<Self>) -> Result<c_int> {
        let object = Arc::clone(&call.request);
        let Some(request) = own(&object) else { return call.forward() };
        self.check_process(request)?;
        let ended = call.notification().and_then(|notification| request.notify(notification));
        if ended.is_none_or(|(notification, end)| notification.tell(end.status())) {
            return Ok(0);
        }
        Err(Error::failed("the function that hears of the end of a request has failed"))
    }

    /// Answers when a request has run, or what went wrong.
    pub(crate) fn answer_about_request(mut call: RequestSpecific<'_, Self>) -> Result<c_int> {
        let object = Arc::clone(&call.request);
        let Some(request) = own(&object) else { return call.forward() };
        match call.arguments.view() {
            RequestQuestion::ExecutionTime { mut started, mut lasted } => {
                let (start, nanoseconds) = request.time();
                started.set(start);
                lasted.set(nanoseconds);
                Ok(0)
            }
            RequestQuestion::ErrorStack(mut answer) => {
                request.note_explained();
                let end = request.end();
                let errors = match end.as_deref() {
                    Some(End::Failed { errors, .. }) => errors.as_ref().and_then(KeptErrors::hand_out),
                    _ => None,
                };
                let errors = errors.ok_or_else(|| Error::failed("the operation has not failed"))?;
                answer.set(errors);
                Ok(0)
            }
            _ => Err(Error::unsupported("this question about a request")),
        }
    }

    /// Operations on requests that we do not know.
    pub(crate) fn request_operation(mut call: RequestOptional<'_, Self>) -> Result<c_int> {
        if own(&call.request).is_none() {
            return call.forward();
        }
        Err(Error::unsupported("this operation on a request"))
    }

    /// Releases a request. One that is under way (an event set could not take it) is cancelled, or else finished.
    pub(crate) fn free_request(&self, call: RequestFree<Self>) -> Result<()> {
        let object = Arc::clone(&call.request);
        let Some(request) = own(&object) else { return call.forward() };
        if !self.requests.is_here(request) {
            // What it holds belongs to the parent.
            std::mem::forget(Arc::clone(request));
            return Ok(());
        }
        if request.end().is_none() {
            if request.job.get().is_some_and(Job::cancel) {
                self.end_cancelled(request);
            } else {
                self.finish(object.host(), request);
            }
        }
        if request.has_failed_unexplained() {
            self.requests.forget_failure();
        }
        Ok(())
    }

    /// Fails if a request was begun by the parent process.
    fn check_process(&self, request: &Request) -> Result<()> {
        if self.requests.is_here(request) {
            return Ok(());
        }
        Err(Error::failed("the operation was begun before this process was forked"))
    }

    fn asked(&self, request: &Request) -> Asked {
        Asked { registry: self.requests.address(), number: request.number }
    }
}
