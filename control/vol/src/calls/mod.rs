//! The calls: each VOL callback as a value.
//!
//! A call holds the callback's arguments as safe values. A connector's method may look at them, change them,
//! answer the call itself, or [`forward`](DatasetOpen::forward) it to the connector below, before, after or
//! instead of its own work. Next to each call is the C function that HDF5 calls. It builds the call, runs the connector's
//! method in the funnel, and converts the result to what C expects.

mod argument;
mod attribute;
mod blob;
mod dataset;
mod datatype;
mod description;
mod file;
mod group;
mod info;
mod introspect;
mod lifecycle;
mod link;
mod object;
mod optional;
mod request;
mod request_slot;
mod token;
mod wrap;

use core::ffi::{c_int, c_void};
use std::sync::Arc;

use crate::callback::Callback;
use crate::connector::Connector;
use crate::error::{Error, Result};
use crate::funnel::{self, Outcome};
use crate::instance::Instance;
use crate::object::{Object, left_over};

pub(crate) use argument::{Argument, Name};
pub use argument::{Arguments, MemorySource, MemoryTarget, OptionalOperation};
pub use attribute::*;
pub use blob::*;
pub use dataset::*;
pub use datatype::*;
pub(crate) use description::dataset_optional_or_description;
pub use file::*;
pub use group::*;
pub(crate) use info::{info_compare, info_copy, info_free, info_from_string, info_to_string};
pub use introspect::*;
pub(crate) use lifecycle::{initialize, terminate};
pub use link::*;
pub use object::*;
pub use optional::*;
pub use request::*;
pub use request_slot::RequestSlot;
pub use token::*;
pub(crate) use wrap::{free_wrap_context, get_object, get_wrap_context, unwrap_object, wrap_object};

/// Turns the status of the connector below into a result.
pub(crate) fn status(status: c_int) -> Result<c_int> {
    if status < 0 { Err(Error::Below(status)) } else { Ok(status) }
}

/// Runs a callback that has an object.
///
/// # Safety
/// `raw` is null or an object of `C` that HDF5 holds.
pub(crate) unsafe fn with_object<C: Connector, R: Outcome>(
    raw: *mut c_void,
    callback: Callback,
    body: impl FnOnce(&Arc<Instance<C>>, Arc<Object<C>>) -> Result<R>,
) -> R {
    // SAFETY: by the contract.
    funnel::enter(callback, || unsafe { borrow(raw) }, body)
}

/// The object behind a pointer, with its instance.
///
/// # Safety
/// As [`Object::borrow_raw`].
unsafe fn borrow<C: Connector>(raw: *mut c_void) -> funnel::Found<C, Arc<Object<C>>> {
    // SAFETY: by the contract.
    let object = unsafe { Object::<C>::borrow_raw(raw) }?;
    Some((Arc::clone(object.instance()), object))
}

/// Runs a callback that releases its object if it succeeds (a dataset even if it fails). Returns the value for C.
///
/// # Safety
/// As [`with_object`]; on success HDF5 does not use `raw` again.
pub(crate) unsafe fn releasing_object<C: Connector>(
    raw: *mut c_void,
    callback: Callback,
    body: impl FnOnce(&Arc<Instance<C>>, Arc<Object<C>>) -> Result<()>,
) -> c_int {
    if left_over::remove(raw) {
        return 0;
    }
    // HDF5 forgets a dataset even if closing it has failed (`H5D__close_cb`).
    let always = callback == Callback::DatasetClose;
    let mut is_released = false;
    let run = |instance: &Arc<Instance<C>>, object| {
        let closed = body(instance, object);
        if closed.is_ok() || always {
            is_released = true;
            // SAFETY: HDF5 forgets the pointer; if the destructor panics, it is left over.
            unsafe { Object::<C>::release_raw(raw) };
        }
        closed.map(|()| 0)
    };
    // SAFETY: by the contract.
    let outcome = unsafe { with_object(raw, callback, run) };
    if always && !is_released && !raw.is_null() {
        // SAFETY: as above; the body panicked before it came so far.
        unsafe { release::<C>(raw, callback) };
    }
    outcome
}

/// Takes back HDF5's reference to an object. A panic in the destructor of the connector's data is reported.
///
/// # Safety
/// As [`Object::release_raw`].
pub(crate) unsafe fn release<C: Connector>(raw: *mut c_void, callback: Callback) {
    funnel::guard::<C, _, c_int>(
        callback,
        // SAFETY: by the contract HDF5 still holds its reference.
        || Some((unsafe { Object::<C>::instance_of(raw) }, ())),
        |_, ()| {
            // SAFETY: by the contract.
            unsafe { Object::<C>::release_raw(raw) };
            Ok(0)
        },
    );
}

/// The connector's method for a callback. HDF5 never calls one that is absent.
macro_rules! method {
    ($connector:ident, $($path:ident).+) => {
        const { $connector::METHODS.$($path).+ }.ok_or_else($crate::object::not_implemented::<$connector>)?
    };
}

/// Calls a callback of the connector below with the arguments `before` and `after`. If the connector does not have it, HDF5's
/// public function is called, which reports that. It takes the connector's identifier between the arguments. It must not
/// print the error stack: the application's own call prints it.
macro_rules! call_below {
    ($below:expr, $($path:ident).+, $function:ident, ($($before:expr),*), ($($after:expr),* $(,)?)) => {
        match $below.direct().and_then(|class| class.$($path).+) {
            Some(call) => call($($before,)* $($after,)*),
            None => {
                let (host, connector) = ($below.connector().host(), $below.connector().id().0);
                h5_host::errors::quietly(host, || {
                    (host.functions().$function)($($before,)* connector, $($after,)*)
                })
            }
        }
    };
}

/// Declares a call that opens or creates an object relative to another one.
macro_rules! creating_call {
    (
        $(#[$doc:meta])*
        $name:ident: $callback:ident, $method:ident, $function:ident / $class:ident . $member:ident, $kind:ident {
            $( $(#[$field_doc:meta])* $field:ident: $argument:ty, )*
        }
    ) => {
        $(#[$doc])*
        pub struct $name<'a, C: Connector> {
            /// The object that the location is relative to.
            pub object: Arc<Object<C>>,
            /// Where the call points, relative to `object`.
            pub location: Location<'a>,
            $( $(#[$field_doc])* pub $field: <$argument as Argument>::Safe<'a>, )*
            /// Data transfer property list.
            pub transfer: Id,
            /// Where a token of asynchronous execution goes.
            pub request: RequestSlot<'a>,
        }

        impl<C: PassThrough> $name<'_, C> {
            /// Lets the connector below do it.
            pub fn forward(self) -> Result<NewObject<C>> {
                let below = self.object.require_below()?;
                let connector = below.connector();
                // SAFETY: the arguments are those of our own call, the object is the one below ours.
                let pointer = unsafe {
                    call_below!(
                        below, $class.$member, $function,
                        (below.as_ptr(), self.location.as_ptr()),
                        ($( <$argument as Argument>::raw(&self.$field), )*
                         self.transfer.0, self.request.as_ptr())
                    )
                };
                let origin = Origin::Object(&self.object);
                let new = NewObject::from_below(
                    self.object.instance(), &origin, ObjectKind::$kind, pointer, connector)?;
                self.request.take_over(&self.object, 0)?;
                Ok(new)
            }
        }

        pub(crate) unsafe extern "C" fn $method<C: Connector>(
            object: *mut c_void,
            location: *const H5VL_loc_params_t,
            $( $field: <$argument as Argument>::Raw, )*
            transfer: hid_t,
            request: *mut *mut c_void,
        ) -> *mut c_void {
            // SAFETY: HDF5 passes one of our objects.
            unsafe {
                with_object::<C, _>(object, Callback::$callback, |instance, object| {
                    let new = method!(C, $class.$member)(instance.connector(), $name {
                        object,
                        location: Location::new(location),
                        $( $field: <$argument as Argument>::safe($field), )*
                        transfer: Id(transfer),
                        request: RequestSlot::new(request),
                    })?;
                    Ok(new.into_object(instance).into_raw())
                })
            }
        }
    };
}

/// Declares a call on an object that returns a status. With `located`, it also has location parameters.
macro_rules! status_call {
    (
        $(#[$doc:meta])*
        $name:ident: $callback:ident, $method:ident, $function:ident / $($path:ident).+ {
            $( $(#[$field_doc:meta])* $field:ident: $argument:ty, )*
        }
    ) => {
        $crate::calls::status_call!(@declare [$(#[$doc])*] $name, $callback, $method, $function,
            [$($path).+], [], [], [], [],
            { $( $(#[$field_doc])* $field: $argument, )* });
    };
    (
        located $(#[$doc:meta])*
        $name:ident: $callback:ident, $method:ident, $function:ident / $($path:ident).+ {
            $( $(#[$field_doc:meta])* $field:ident: $argument:ty, )*
        }
    ) => {
        $crate::calls::status_call!(@declare [$(#[$doc])*] $name, $callback, $method, $function,
            [$($path).+],
            [/** Where the call points, relative to `object`. */ pub location: Location<'a>,],
            [location,], [location: *const H5VL_loc_params_t,],
            [location: Location::new(location),],
            { $( $(#[$field_doc])* $field: $argument, )* });
    };
    (@declare [$($doc:tt)*] $name:ident, $callback:ident, $method:ident, $function:ident,
        [$($path:ident).+],
        [$($location_field:tt)*], [$($location:ident,)?], [$($location_parameter:tt)*],
        [$($location_value:tt)*],
        { $( $(#[$field_doc:meta])* $field:ident: $argument:ty, )* }) => {
        $($doc)*
        pub struct $name<'a, C: Connector> {
            /// The object of the call.
            pub object: Arc<Object<C>>,
            $($location_field)*
            $( $(#[$field_doc])* pub $field: <$argument as Argument>::Safe<'a>, )*
            /// Data transfer property list.
            pub transfer: Id,
            /// Where a token of asynchronous execution goes.
            pub request: RequestSlot<'a>,
        }

        impl<C: PassThrough> $name<'_, C> {
            /// Lets the connector below do it.
            pub fn forward(&mut self) -> Result<c_int> {
                let below = self.object.require_below()?;
                // SAFETY: the arguments are those of our own call, the object is the one below ours.
                let outcome = unsafe {
                    call_below!(
                        below, $($path).+, $function,
                        (below.as_ptr() $(, self.$location.as_ptr())?),
                        ($( <$argument as Argument>::raw(&self.$field), )*
                         self.transfer.0, self.request.as_ptr())
                    )
                };
                self.request.take_over(&self.object, outcome)?;
                status(outcome)
            }
        }

        pub(crate) unsafe extern "C" fn $method<C: Connector>(
            object: *mut c_void,
            $($location_parameter)*
            $( $field: <$argument as Argument>::Raw, )*
            transfer: hid_t,
            request: *mut *mut c_void,
        ) -> c_int {
            // SAFETY: HDF5 passes one of our objects and arguments valid for the call.
            unsafe {
                with_object::<C, _>(object, Callback::$callback, |instance, object| {
                    method!(C, $($path).+)(instance.connector(), $name {
                        object,
                        $($location_value)*
                        $( $field: <$argument as Argument>::safe($field), )*
                        transfer: Id(transfer),
                        request: RequestSlot::new(request),
                    })
                })
            }
        }
    };
}

/// Declares calls about an object whose arguments are one structure: it `asks` something or `does` something. What only some
/// connectors know is `optional`.
macro_rules! operations {
    ($(
        $(#[$doc:meta])*
        $name:ident $(at $location:ident)?: $method:ident, $function:ident / $class:ident . $member:ident,
        $what:ident($($arguments:ty)?);
    )+) => {
        $($crate::calls::operations!(@$what [$($location)?] ($($arguments)?)
            { $(#[$doc])* $name: $name, $method, $function / $class.$member });)+
    };
    (@asks [$($location:ident)?] ($arguments:ty) $call:tt) => {
        $crate::calls::operations!(@declare [$($location)?] $call {
            /// What is asked.
            arguments: Arguments<'static, $arguments>,
        });
    };
    (@does [$($location:ident)?] ($arguments:ty) $call:tt) => {
        $crate::calls::operations!(@declare [$($location)?] $call {
            /// What is to be done.
            arguments: Arguments<'static, $arguments>,
        });
    };
    (@optional [$($location:ident)?] () $call:tt) => {
        $crate::calls::operations!(@declare [$($location)?] $call {
            /// What is to be done.
            operation: OptionalOperation<'static>,
        });
    };
    (@declare [] { $($call:tt)* } $fields:tt) => {
        $crate::calls::status_call! { $($call)* $fields }
    };
    (@declare [location] { $($call:tt)* } $fields:tt) => {
        $crate::calls::status_call! { located $($call)* $fields }
    };
}

/// Declares the call that closes an object.
macro_rules! closing_call {
    ($(#[$doc:meta])* $name:ident: $callback:ident, $method:ident, $function:ident / $class:ident . $member:ident) => {
        $(#[$doc])*
        pub struct $name<'a, C: Connector> {
            /// The object to close.
            pub object: Arc<Object<C>>,
            /// Data transfer property list.
            pub transfer: Id,
            /// Where a token of asynchronous execution goes.
            pub request: RequestSlot<'a>,
        }

        impl<C: PassThrough> $name<'static, C> {
            /// A close that the application has asked for in an earlier call, which has succeeded without being
            /// forwarded. To be made in a later callback of the same host.
            pub fn late(object: Arc<Object<C>>) -> Self {
                let transfer = object.host().default_transfer();
                Self { object, transfer, request: RequestSlot::NONE }
            }
        }

        impl<C: PassThrough> $name<'_, C> {
            /// Closes the object below. If that fails, the object is still open, unless it is a dataset: HDF5 closes
            /// datasets even if that fails, for example because a filter could not write its chunk. If an earlier attempt
            /// has already closed the object below, this does nothing.
            pub fn forward(self) -> Result<()> {
                if self.object.is_closed_below() {
                    return Ok(());
                }
                let below = self.object.require_below()?;
                // SAFETY: the object below ours, which HDF5 is giving up.
                let outcome = unsafe {
                    call_below!(
                        below, $class.$member, $function,
                        (below.as_ptr()), (self.transfer.0, self.request.as_ptr())
                    )
                };
                if outcome >= 0 || self.object.kind() == ObjectKind::Dataset {
                    self.object.mark_below_closed();
                }
                self.request.take_over(&self.object, outcome)?;
                status(outcome).map(|_| ())
            }
        }

        pub(crate) unsafe extern "C" fn $method<C: Connector>(
            object: *mut c_void,
            transfer: hid_t,
            request: *mut *mut c_void,
        ) -> c_int {
            // SAFETY: HDF5 passes one of our objects and forgets it if we succeed.
            unsafe {
                releasing_object::<C>(object, Callback::$callback, |instance, object| {
                    method!(C, $class.$member)(instance.connector(), $name {
                        object,
                        transfer: Id(transfer),
                        request: RequestSlot::new(request),
                    })
                })
            }
        }
    };
}

pub(crate) use {call_below, closing_call, creating_call, method, operations, status_call};
