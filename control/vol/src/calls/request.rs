//! Tokens of asynchronous operations.

use core::ffi::{c_int, c_void};
use std::sync::Arc;

use h5_abi::{
    H5VL_REQUEST_STATUS_IN_PROGRESS, H5VL_optional_args_t, H5VL_request_notify_t,
    H5VL_request_specific_args_t, H5VL_request_status_t,
};

use super::argument::{Argument, Arguments, OptionalOperation};
use super::{method, releasing_object, status, with_object};
use crate::callback::Callback;
use crate::connector::Connector;
use crate::error::Result;
use crate::methods::PassThrough;
use crate::object::Object;

/// Waits for an operation, or cancels it.
pub struct RequestWait<'a, C: Connector> {
    /// The request.
    pub request: Arc<Object<C>>,
    /// How long to wait, in nanoseconds.
    pub timeout: u64,
    /// How the operation stands afterwards.
    pub status: &'a mut H5VL_request_status_t,
}

impl<C: PassThrough> RequestWait<'_, C> {
    /// Lets the connector below wait.
    pub fn forward(&mut self) -> Result<c_int> {
        let below = self.request.require_below()?;
        // SAFETY: our request's counterpart below and a valid out-pointer.
        let outcome = status(unsafe {
            (self.request.host().functions().H5VLrequest_wait)(
                below.as_ptr(),
                below.connector().id().0,
                self.timeout,
                self.status,
            )
        })?;
        if *self.status != H5VL_REQUEST_STATUS_IN_PROGRESS {
            self.request.mark_below_closed();
        }
        Ok(outcome)
    }
}

/// Cancels an operation.
pub struct RequestCancel<'a, C: Connector> {
    /// The request.
    pub request: Arc<Object<C>>,
    /// How the operation stands afterwards.
    pub status: &'a mut H5VL_request_status_t,
}

impl<C: PassThrough> RequestCancel<'_, C> {
    /// Lets the connector below cancel.
    pub fn forward(&mut self) -> Result<c_int> {
        let below = self.request.require_below()?;
        // SAFETY: our request's counterpart below and a valid out-pointer.
        let outcome = status(unsafe {
            (self.request.host().functions().H5VLrequest_cancel)(
                below.as_ptr(),
                below.connector().id().0,
                self.status,
            )
        })?;
        self.request.mark_below_closed();
        Ok(outcome)
    }
}

/// Registers a function to be called when the operation is complete.
pub struct RequestNotify<C: Connector> {
    /// The request.
    pub request: Arc<Object<C>>,
    function: H5VL_request_notify_t,
    context: *mut c_void,
}

impl<C: PassThrough> RequestNotify<C> {
    /// Lets the connector below notify.
    pub fn forward(&mut self) -> Result<c_int> {
        let below = self.request.require_below()?;
        // SAFETY: our request's counterpart below; function and context are the application's.
        let outcome = status(unsafe {
            (self.request.host().functions().H5VLrequest_notify)(
                below.as_ptr(),
                below.connector().id().0,
                self.function,
                self.context,
            )
        })?;
        self.request.mark_below_closed();
        Ok(outcome)
    }
}

/// Asks a request for its error stack or execution time.
pub struct RequestSpecific<'a, C: Connector> {
    /// The request.
    pub request: Arc<Object<C>>,
    /// What is asked.
    pub arguments: Arguments<'a, H5VL_request_specific_args_t>,
}

impl<C: PassThrough> RequestSpecific<'_, C> {
    /// Asks the connector below.
    pub fn forward(&mut self) -> Result<c_int> {
        let below = self.request.require_below()?;
        // SAFETY: our request's counterpart below and arguments valid for the call.
        status(unsafe {
            (self.request.host().functions().H5VLrequest_specific)(
                below.as_ptr(),
                below.connector().id().0,
                self.arguments.as_ptr(),
            )
        })
    }
}

/// Operations on requests that only some connectors know.
pub struct RequestOptional<'a, C: Connector> {
    /// The request.
    pub request: Arc<Object<C>>,
    /// What is to be done.
    pub operation: OptionalOperation<'a>,
}

impl<C: PassThrough> RequestOptional<'_, C> {
    /// Lets the connector below do it.
    pub fn forward(&mut self) -> Result<c_int> {
        let below = self.request.require_below()?;
        // SAFETY: our request's counterpart below and arguments valid for the call.
        status(unsafe {
            (self.request.host().functions().H5VLrequest_optional)(
                below.as_ptr(),
                below.connector().id().0,
                self.operation.as_ptr(),
            )
        })
    }
}

/// Gives a request up; the operation goes on unobserved.
pub struct RequestFree<C: Connector> {
    /// The request.
    pub request: Arc<Object<C>>,
}

impl<C: PassThrough> RequestFree<C> {
    /// Frees the request below.
    pub fn forward(self) -> Result<()> {
        let below = self.request.require_below()?;
        // SAFETY: our request's counterpart below, given up.
        status(unsafe {
            (self.request.host().functions().H5VLrequest_free)(below.as_ptr(), below.connector().id().0)
        })
        .map(|_| self.request.mark_below_closed())
    }
}

pub(crate) unsafe extern "C" fn request_wait<C: Connector>(
    raw: *mut c_void,
    timeout: u64,
    progress: *mut H5VL_request_status_t,
) -> c_int {
    // SAFETY: HDF5 passes one of our requests and a valid out-pointer.
    unsafe {
        let outcome = with_object::<C, _>(raw, Callback::RequestWait, |instance, request| {
            method!(C, request_cls.wait)(
                instance.connector(),
                RequestWait { request, timeout, status: &mut *progress },
            )
        });
        // A request that is no longer in progress is released with the answer.
        if outcome >= 0 && *progress != H5VL_REQUEST_STATUS_IN_PROGRESS {
            super::release::<C>(raw, Callback::RequestWait);
        }
        outcome
    }
}

pub(crate) unsafe extern "C" fn request_notify<C: Connector>(
    raw: *mut c_void,
    function: H5VL_request_notify_t,
    context: *mut c_void,
) -> c_int {
    // SAFETY: HDF5 passes one of our requests; it gives it up if we succeed.
    unsafe {
        releasing_object::<C>(raw, Callback::RequestNotify, |instance, request| {
            let call = RequestNotify { request, function, context };
            method!(C, request_cls.notify)(instance.connector(), call).map(|_| ())
        })
    }
}

pub(crate) unsafe extern "C" fn request_cancel<C: Connector>(
    raw: *mut c_void,
    progress: *mut H5VL_request_status_t,
) -> c_int {
    // SAFETY: HDF5 passes one of our requests and a valid out-pointer; it gives the request up if we succeed.
    unsafe {
        releasing_object::<C>(raw, Callback::RequestCancel, |instance, request| {
            let call = RequestCancel { request, status: &mut *progress };
            method!(C, request_cls.cancel)(instance.connector(), call).map(|_| ())
        })
    }
}

pub(crate) unsafe extern "C" fn request_specific<C: Connector>(
    raw: *mut c_void,
    arguments: *mut H5VL_request_specific_args_t,
) -> c_int {
    // SAFETY: HDF5 passes one of our requests and arguments valid for the call.
    unsafe {
        with_object::<C, _>(raw, Callback::RequestSpecific, |instance, request| {
            let arguments = <Arguments<'static, _> as Argument>::safe(arguments);
            method!(C, request_cls.specific)(instance.connector(), RequestSpecific { request, arguments })
        })
    }
}

pub(crate) unsafe extern "C" fn request_optional<C: Connector>(
    raw: *mut c_void,
    arguments: *mut H5VL_optional_args_t,
) -> c_int {
    // SAFETY: HDF5 passes one of our requests and arguments valid for the call.
    unsafe {
        with_object::<C, _>(raw, Callback::RequestOptional, |instance, request| {
            let operation = <OptionalOperation<'static> as Argument>::safe(arguments);
            method!(C, request_cls.optional)(instance.connector(), RequestOptional { request, operation })
        })
    }
}

pub(crate) unsafe extern "C" fn request_free<C: Connector>(raw: *mut c_void) -> c_int {
    // SAFETY: HDF5 passes one of our requests and gives it up if we succeed.
    unsafe {
        releasing_object::<C>(raw, Callback::RequestFree, |instance, request| {
            method!(C, request_cls.free)(instance.connector(), RequestFree { request })
        })
    }
}
