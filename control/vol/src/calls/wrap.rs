//! Wrapping: objects that the library creates itself (in iterations, from references, in `H5Iget_file_id`) get the same
//! stack of connectors as the object that they come from.

use core::ffi::{c_int, c_void};
use std::sync::{Arc, Weak};

use h5_abi::H5I_type_t;

use super::with_object;
use crate::below::BelowConnector;
use crate::callback::Callback;
use crate::connector::Connector;
use crate::error::{Error, Result};
use crate::funnel;
use crate::instance::Instance;
use crate::methods::PassThrough;
use crate::object::{NewObject, Object, ObjectKind, Origin, left_over, nothing_below};

/// What is needed to wrap objects as `origin` is wrapped.
///
/// HDF5 makes one for every call, even for one that closes `origin`, so it must not keep the object alive.
struct WrapContext<C: Connector> {
    instance: Arc<Instance<C>>,
    origin: Weak<Object<C>>,
    /// Context of the connector below, if it wraps.
    below: Option<(Arc<BelowConnector>, *mut c_void)>,
}

/// The terminal object behind one of ours.
pub(crate) unsafe extern "C" fn get_object<C: PassThrough>(object: *const c_void) -> *mut c_void {
    // SAFETY: HDF5 passes one of our objects.
    unsafe {
        with_object::<C, _>(object.cast_mut(), Callback::GetObject, |_, object| {
            let below = object.require_below()?;
            if below.connector().is_native() {
                return Ok(below.as_ptr());
            }
            // SAFETY: our object's counterpart below.
            Ok((object.host().functions().H5VLget_object)(below.as_ptr(), below.connector().id().0))
        })
    }
}

pub(crate) unsafe extern "C" fn get_wrap_context<C: PassThrough>(
    object: *const c_void,
    context: *mut *mut c_void,
) -> c_int {
    // An object whose close has failed cannot be wrapped, but HDF5 asks for a context before it closes it again.
    if left_over::contains(object.cast_mut()) {
        // SAFETY: a valid out-pointer; HDF5 does not free an absent context.
        unsafe { *context = core::ptr::null_mut() };
        return 0;
    }
    // SAFETY: HDF5 passes one of our objects and a valid out-pointer.
    unsafe {
        with_object::<C, _>(object.cast_mut(), Callback::GetWrapContext, |instance, origin| {
            let Some(below) = origin.below() else {
                *context = core::ptr::null_mut();
                return Ok(0);
            };
            let connector = below.connector();
            let mut below_context = core::ptr::null_mut();
            if !connector.is_native() {
                let outcome = (origin.host().functions().H5VLget_wrap_ctx)(
                    below.as_ptr(),
                    connector.id().0,
                    &raw mut below_context,
                );
                super::status(outcome)?;
            }
            let wraps = !below_context.is_null();
            *context = Box::into_raw(Box::new(WrapContext {
                instance: Arc::clone(instance),
                origin: Arc::downgrade(&origin),
                below: wraps.then(|| (Arc::clone(connector), below_context)),
            }))
            .cast();
            Ok(0)
        })
    }
}

pub(crate) unsafe extern "C" fn wrap_object<C: PassThrough>(
    object: *mut c_void,
    id_type: H5I_type_t,
    context: *mut c_void,
) -> *mut c_void {
    let find = || {
        // SAFETY: the context is one of ours, alive during the call.
        let context = unsafe { context.cast::<WrapContext<C>>().as_ref() }?;
        Some((Arc::clone(&context.instance), context))
    };
    funnel::enter(Callback::WrapObject, find, |instance, context| {
        let origin = context.origin.upgrade().ok_or_else(|| Error::failed("the object is already closed"))?;
        let connector = origin.below_connector().ok_or_else(nothing_below)?;
        let below = match &context.below {
            None => object,
            // SAFETY: an object for the connector below, with its own context.
            Some((connector, below)) => unsafe {
                (instance.host().functions().H5VLwrap_object)(object, id_type, connector.id().0, *below)
            },
        };
        let new = NewObject::from_below(
            instance,
            &Origin::Wrapped(&origin),
            ObjectKind::from_id_type(id_type),
            below,
            connector,
        )?;
        Ok(new.into_object(instance).into_raw())
    })
}

pub(crate) unsafe extern "C" fn unwrap_object<C: PassThrough>(raw: *mut c_void) -> *mut c_void {
    let unwrap = |_: &Arc<Instance<C>>, object: Arc<Object<C>>| -> Result<*mut c_void> {
        let below = object.require_below()?;
        let inner = if below.connector().is_native() {
            below.as_ptr()
        } else {
            // SAFETY: our object's counterpart below.
            unsafe { (object.host().functions().H5VLunwrap_object)(below.as_ptr(), below.connector().id().0) }
        };
        if inner.is_null() {
            return Err(Error::Below(-1));
        }
        object.mark_below_closed();
        Ok(inner)
    };
    // SAFETY: HDF5 passes one of our objects.
    let below = unsafe { with_object::<C, _>(raw, Callback::UnwrapObject, unwrap) };
    if !below.is_null() {
        // SAFETY: unwrapping succeeded, so HDF5 gives up the wrapper, whatever becomes of its data.
        unsafe { super::release::<C>(raw, Callback::UnwrapObject) };
    }
    below
}

pub(crate) unsafe extern "C" fn free_wrap_context<C: PassThrough>(context: *mut c_void) -> c_int {
    if context.is_null() {
        return 0;
    }
    let find = || {
        // SAFETY: the context is one of ours and HDF5 gives it up.
        let WrapContext { instance, origin, below } =
            *unsafe { Box::from_raw(context.cast::<WrapContext<C>>()) };
        drop(origin);
        Some((instance, below))
    };
    funnel::enter(Callback::FreeWrapContext, find, |instance, below| {
        let Some((connector, below)) = below else { return Ok(0) };
        // SAFETY: the context of the connector below, given up.
        super::status(unsafe { (instance.host().functions().H5VLfree_wrap_ctx)(below, connector.id().0) })
    })
}
