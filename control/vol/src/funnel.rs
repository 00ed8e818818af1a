//! The one way from C into a connector: panics stop here, errors become entries on the error stack.

use core::any::Any;
use core::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::callback::Callback;
use crate::connector::Connector;
use crate::error::{Error, Result};
use crate::instance::Instance;
use h5_host::errors::Kind;

/// A type that callbacks return to C.
pub(crate) trait Outcome {
    /// Tells the caller that the callback failed.
    const FAILURE: Self;

    /// The value to return when the connector below failed with this status.
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

/// The instance that a callback runs in, and what the call is about; absent if there is no instance.
pub(crate) type Found<C, T> = Option<(Arc<Instance<C>>, T)>;

/// Runs a callback: finds the instance and what the call is about, and runs `body` inside
/// [`Connector::observe`]. Fails without a message if there is no instance to report through.
pub(crate) fn enter<C: Connector, T, R: Outcome>(
    callback: Callback,
    find: impl FnOnce() -> Found<C, T>,
    body: impl FnOnce(&Arc<Instance<C>>, T) -> Result<R>,
) -> R {
    guard(callback, find, |instance, subject| {
        instance.connector().observe(callback, || body(instance, subject))
    })
}

/// As [`enter`], but the connector does not observe it.
///
/// This is the only place where panics are caught on the way in. Everything that may run the connector's code
/// happens inside: the search, the body, the destructors of what the body was given, and the release of the instance.
pub(crate) fn guard<C: Connector, T, R: Outcome>(
    callback: Callback,
    find: impl FnOnce() -> Found<C, T>,
    body: impl FnOnce(&Arc<Instance<C>>, T) -> Result<R>,
) -> R {
    // Kept outside of the closure so that a panic can be reported through it.
    let mut kept = None;
    // The connector's own state may be half changed when a method panics. Connectors that keep state across
    // calls keep it behind locks, which poison; so observing it afterwards is their decision.
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let Some((instance, subject)) = find() else { return R::FAILURE };
        let instance = &*kept.insert(instance);
        let outcome = match body(instance, subject) {
            Ok(value) => value,
            Err(Error::Below(status)) => R::below_failed(status),
            Err(error) => {
                instance.report(callback, &error);
                R::FAILURE
            }
        };
        kept = None;
        outcome
    }));
    outcome.unwrap_or_else(|panic| {
        report_panic(kept, callback, panic);
        R::FAILURE
    })
}

#[cold]
fn report_panic<C: Connector>(
    instance: Option<Arc<Instance<C>>>,
    callback: Callback,
    panic: Box<dyn Any + Send>,
) {
    // Reporting allocates and calls the host. If even that panics, the failure value alone must do.
    let _ = catch(move || {
        if let Some(instance) = instance {
            instance.report(callback, &panic_error(callback, panic.as_ref()));
        }
    });
}

/// Runs something that must not unwind into C; `None` if it panicked.
pub(crate) fn catch<R>(body: impl FnOnce() -> R) -> Option<R> {
    catch_unwind(AssertUnwindSafe(body)).ok()
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
