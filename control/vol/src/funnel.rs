//! The one way from C into a connector: panics stop here, errors become entries on the error stack.

use core::any::Any;
use core::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::callback::Callback;
use crate::connector::Connector;
use crate::error::{Error, Result};
use crate::instance::Instance;
use h5_host::errors::Kind;

/// A type that callbacks return to C.
pub(crate) trait Outcome {
    /// What tells the caller that the callback failed.
    const FAILURE: Self;

    /// What to return when the connector below failed with this status.
    fn below_failed(status: c_int) -> Self;
}

impl Outcome for c_int {
    const FAILURE: Self = -1;

    fn below_failed(status: c_int) -> Self {
        status
    }
}

impl Outcome for *mut c_void {
    const FAILURE: Self = core::ptr::null_mut();

    fn below_failed(_: c_int) -> Self {
        Self::FAILURE
    }
}

/// Runs the body of a callback.
pub(crate) fn enter<C: Connector, R: Outcome>(
    instance: &Instance<C>,
    callback: Callback,
    body: impl FnOnce() -> Result<R>,
) -> R {
    // The connector's own state may be half changed when a method panics. Connectors that keep state across
    // calls keep it behind locks, which poison; so observing it afterwards is their decision.
    let outcome = catch_unwind(AssertUnwindSafe(|| instance.connector().observe(callback, body)));
    let error = match outcome {
        Ok(Ok(value)) => return value,
        Ok(Err(Error::Below(status))) => return R::below_failed(status),
        Ok(Err(error)) => error,
        Err(panic) => panic_error(callback, panic.as_ref()),
    };
    report(instance, callback, &error);
    R::FAILURE
}

/// Reports a panic that was caught elsewhere.
pub(crate) fn report_panic<C: Connector>(
    instance: &Instance<C>,
    callback: Callback,
    panic: &(dyn Any + Send),
) {
    report(instance, callback, &panic_error(callback, panic));
}

fn report<C: Connector>(instance: &Instance<C>, callback: Callback, error: &Error) {
    // Reporting allocates and calls the host; if even that panics, the failure value alone must do.
    let _ = catch_unwind(AssertUnwindSafe(|| instance.report(callback, error)));
}

/// Runs something that must not unwind into C; `None` if it panicked.
pub(crate) fn catch<R>(body: impl FnOnce() -> R) -> Option<R> {
    catch_unwind(AssertUnwindSafe(body)).ok()
}

/// Runs the body of a callback that has no instance to report through: before initialisation, or with a null
/// object. Panics become the failure value.
pub(crate) fn enter_without_instance<R: Outcome>(body: impl FnOnce() -> R) -> R {
    catch(body).unwrap_or(R::FAILURE)
}

#[track_caller]
fn panic_error(callback: Callback, panic: &(dyn Any + Send)) -> Error {
    let message = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("unknown cause");
    Error::new(Kind::Internal, format_args!("panic in {}: {message}", callback.name()))
}
