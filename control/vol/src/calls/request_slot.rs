//! Where a callback leaves the request of an operation that goes on after the call.

use core::ffi::{c_int, c_void};
use core::marker::PhantomData;

use super::{call_below, status};
use crate::below::BelowObject;
use crate::connector::Connector;
use crate::error::{Error, Result};
use crate::methods::PassThrough;
use crate::object::{NewObject, Object, ObjectKind, Origin};

/// Where a callback may leave the request (HDF5: token) of an asynchronous operation.
pub struct RequestSlot<'a> {
    raw: *mut *mut c_void,
    lifetime: PhantomData<&'a mut *mut c_void>,
}

impl RequestSlot<'_> {
    /// That of a call which is not asynchronous.
    pub(crate) const NONE: Self = Self { raw: core::ptr::null_mut(), lifetime: PhantomData };

    /// # Safety
    /// `raw` is null or valid for the call.
    pub(crate) unsafe fn new(raw: *mut *mut c_void) -> Self {
        Self { raw, lifetime: PhantomData }
    }

    /// Whether the application asked for asynchronous execution.
    pub fn is_asynchronous(&self) -> bool {
        !self.raw.is_null()
    }

    /// Answers with a request of the connector's own: the operation goes on after the call, which must then succeed. If the
    /// connector passes calls through, its request methods tell its own requests from those of the connector below by their
    /// data. Fails if the application did not ask for asynchronous execution, or has got a request already.
    pub fn give<C: Connector>(&self, object: &Object<C>, data: C::Data) -> Result<()> {
        if self.raw.is_null() {
            return Err(Error::bad_argument("no request was asked for"));
        }
        // SAFETY: not null, so valid by the contract of `new`.
        if unsafe { !(*self.raw).is_null() } {
            return Err(Error::bad_argument("there is a request already"));
        }
        let request = NewObject { kind: ObjectKind::Request, below: None, data };
        let request = request.into_object(object.instance());
        // SAFETY: as above.
        unsafe { *self.raw = request.into_raw() };
        Ok(())
    }

    pub(crate) fn as_ptr(&self) -> *mut *mut c_void {
        self.raw
    }

    /// What the connector below has left.
    fn left_below(&self) -> Option<*mut c_void> {
        if self.raw.is_null() {
            return None;
        }
        // SAFETY: not null, so valid by the contract of `new`.
        let below = unsafe { *self.raw };
        (!below.is_null()).then_some(below)
    }

    /// Wraps the request that the connector below has left. If it has failed, HDF5 would never free the request: it is freed
    /// here.
    pub(crate) fn take_over<C: PassThrough>(&self, object: &Object<C>, outcome: c_int) -> Result<()> {
        let Some(below) = self.left_below() else { return Ok(()) };
        // The call may have closed the object, but the connector stays.
        let Some(connector) = object.below_connector() else { return Ok(()) };
        // SAFETY: not null, so valid by the contract of `new`. What is there belongs to the connector below.
        unsafe { *self.raw = core::ptr::null_mut() };
        if outcome < 0 {
            let below = BelowObject::new(below, ObjectKind::Request, connector)?;
            // SAFETY: a request that nobody else knows.
            let freed =
                unsafe { call_below!(below, request_cls.free, H5VLrequest_free, (below.as_ptr()), ()) };
            return status(freed).map(|_| ());
        }
        let instance = object.instance();
        let request =
            NewObject::from_below(instance, &Origin::Object(object), ObjectKind::Request, below, connector)?;
        // SAFETY: as above.
        unsafe { *self.raw = request.into_object(instance).into_raw() };
        Ok(())
    }
}
