//! Requests: the tokens of asynchronous operations.
//!
//! HDF5's event sets use a request after it has completed (`request_specific` after `request_wait`), and always free it
//! themselves. So only `request_free` releases a request, here and in the connector below.

use core::ffi::{c_int, c_void};
use std::sync::Arc;

use h5_abi::{
    H5VL_REQUEST_STATUS_CANCELED, H5VL_REQUEST_STATUS_CANT_CANCEL, H5VL_REQUEST_STATUS_FAIL,
    H5VL_REQUEST_STATUS_IN_PROGRESS, H5VL_REQUEST_STATUS_SUCCEED, H5VL_optional_args_t,
    H5VL_request_notify_t, H5VL_request_specific_args_t, H5VL_request_status_t,
};

use super::argument::{Argument, Arguments, OptionalOperation};
use super::{call_below, method, releasing_object, status, with_object};
use crate::callback::Callback;
use crate::connector::Connector;
use crate::error::Result;
use crate::methods::PassThrough;
use crate::object::Object;

/// How an operation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestStatus {
    /// It is under way.
    InProgress,
    /// It has succeeded.
    Succeeded,
    /// It has failed.
    Failed,
    /// It is under way and cannot be cancelled. No answer to one who waits.
    CannotCancel,
    /// It was cancelled.
    Cancelled,
}

impl RequestStatus {
    fn raw(self) -> H5VL_request_status_t {
        match self {
            Self::InProgress => H5VL_REQUEST_STATUS_IN_PROGRESS,
            Self::Succeeded => H5VL_REQUEST_STATUS_SUCCEED,
            Self::Failed => H5VL_REQUEST_STATUS_FAIL,
            Self::CannotCancel => H5VL_REQUEST_STATUS_CANT_CANCEL,
            Self::Cancelled => H5VL_REQUEST_STATUS_CANCELED,
        }
    }
}

/// Waits for an operation.
pub struct RequestWait<'a, C: Connector> {
    /// The request.
    pub request: Arc<Object<C>>,
    /// How long to wait, in nanoseconds.
    pub timeout: u64,
    /// How the operation stands afterwards.
    pub status: &'a mut H5VL_request_status_t,
}

/// Cancels an operation.
pub struct RequestCancel<'a, C: Connector> {
    /// The request.
    pub request: Arc<Object<C>>,
    /// How the operation stands afterwards.
    pub status: &'a mut H5VL_request_status_t,
}

/// Registers a function to be called when the operation is complete.
pub struct RequestNotify<C: Connector> {
    /// The request.
    pub request: Arc<Object<C>>,
    function: H5VL_request_notify_t,
    context: *mut c_void,
}

/// Asks a request for its error stack or execution time.
pub struct RequestSpecific<'a, C: Connector> {
    /// The request.
    pub request: Arc<Object<C>>,
    /// What is asked.
    pub arguments: Arguments<'a, H5VL_request_specific_args_t>,
}

/// Operations on requests that only some connectors know.
pub struct RequestOptional<'a, C: Connector> {
    /// The request.
    pub request: Arc<Object<C>>,
    /// What is to be done.
    pub operation: OptionalOperation<'a>,
}

/// Frees a request. The operation itself continues.
pub struct RequestFree<C: Connector> {
    /// The request.
    pub request: Arc<Object<C>>,
}

impl<C: Connector> RequestWait<'_, C> {
    /// Tells how the operation stands, for connectors that do not forward the call.
    pub fn answer(&mut self, status: RequestStatus) {
        *self.status = status.raw();
    }
}

impl<C: Connector> RequestCancel<'_, C> {
    /// Tells how the operation stands, for connectors that do not forward the call.
    pub fn answer(&mut self, status: RequestStatus) {
        *self.status = status.raw();
    }
}

/// Forwards a call on a request to the connector below.
macro_rules! forwarding {
    ($call:ty, $member:ident, $function:ident, |$this:ident| ($($argument:expr),*)) => {
        impl<C: PassThrough> $call {
            /// Lets the connector below do it.
            pub fn forward(&mut self) -> Result<c_int> {
                let $this = self;
                let request = Arc::clone(&$this.request);
                let below = request.require_below()?;
                // SAFETY: our request's counterpart below, and the arguments of our own call.
                status(unsafe {
                    call_below!(below, request_cls.$member, $function, (below.as_ptr()), ($($argument),*))
                })
            }
        }
    };
}

forwarding!(RequestWait<'_, C>, wait, H5VLrequest_wait, |call| (call.timeout, &raw mut *call.status));
forwarding!(RequestCancel<'_, C>, cancel, H5VLrequest_cancel, |call| (&raw mut *call.status));
forwarding!(RequestNotify<C>, notify, H5VLrequest_notify, |call| (call.function, call.context));
forwarding!(RequestSpecific<'_, C>, specific, H5VLrequest_specific, |call| (call.arguments.as_ptr()));
forwarding!(RequestOptional<'_, C>, optional, H5VLrequest_optional, |call| (call.operation.as_ptr()));

impl<C: Connector> RequestNotify<C> {
    /// What is to be called when the operation is complete, for connectors that do not forward the call.
    pub fn notification(&self) -> Option<Notification> {
        Some(Notification { function: self.function?, context: self.context })
    }
}

/// A function of the application that wants to hear of the end of an operation.
#[derive(Debug)]
pub struct Notification {
    function: unsafe extern "C" fn(*mut c_void, H5VL_request_status_t) -> c_int,
    context: *mut c_void,
}

// SAFETY: the context is only handed back to the application's function, in a callback of the host, where HDF5 lets the
// application's functions run.
unsafe impl Send for Notification {}

impl Notification {
    /// Tells how the operation has ended. To be called in a callback of the host. False if the function has failed.
    pub fn tell(self, status: RequestStatus) -> bool {
        // SAFETY: function and context belong together, as the application has passed them.
        unsafe { (self.function)(self.context, status.raw()) >= 0 }
    }
}

impl<C: PassThrough> RequestFree<C> {
    /// Frees the request below.
    pub fn forward(self) -> Result<()> {
        let below = self.request.require_below()?;
        // SAFETY: our request's counterpart below, given up.
        status(unsafe { call_below!(below, request_cls.free, H5VLrequest_free, (below.as_ptr()), ()) })?;
        self.request.mark_below_closed();
        Ok(())
    }
}

/// Declares the C function of a callback on a request.
macro_rules! request_function {
    ($method:ident, $callback:ident, $member:ident, $call:ident { $($field:ident: $raw:ty => $safe:expr,)* }) => {
        pub(crate) unsafe extern "C" fn $method<C: Connector>(raw: *mut c_void $(, $field: $raw)*) -> c_int {
            // SAFETY: HDF5 passes one of our requests and arguments valid for the call.
            unsafe {
                with_object::<C, _>(raw, Callback::$callback, |instance, request| {
                    method!(C, request_cls.$member)(instance.connector(), $call { request, $($field: $safe,)* })
                })
            }
        }
    };
}

request_function!(request_wait, RequestWait, wait, RequestWait {
    timeout: u64 => timeout,
    status: *mut H5VL_request_status_t => &mut *status,
});
request_function!(request_cancel, RequestCancel, cancel, RequestCancel {
    status: *mut H5VL_request_status_t => &mut *status,
});
request_function!(request_notify, RequestNotify, notify, RequestNotify {
    function: H5VL_request_notify_t => function,
    context: *mut c_void => context,
});
request_function!(request_specific, RequestSpecific, specific, RequestSpecific {
    arguments: *mut H5VL_request_specific_args_t => <Arguments<'static, _> as Argument>::safe(arguments),
});
request_function!(request_optional, RequestOptional, optional, RequestOptional {
    operation: *mut H5VL_optional_args_t => <OptionalOperation<'static> as Argument>::safe(operation),
});

pub(crate) unsafe extern "C" fn request_free<C: Connector>(raw: *mut c_void) -> c_int {
    // SAFETY: HDF5 passes one of our requests and gives it up if we succeed.
    unsafe {
        releasing_object::<C>(raw, Callback::RequestFree, |instance, request| {
            method!(C, request_cls.free)(instance.connector(), RequestFree { request })
        })
    }
}
