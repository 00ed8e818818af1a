//! Links (`H5L`).

use core::ffi::{c_int, c_void};
use std::sync::Arc;

use h5_abi::{
    H5VL_LINK_CREATE_HARD, H5VL_link_create_args_t, H5VL_link_get_args_t, H5VL_link_specific_args_t,
    H5VL_loc_params_t, hid_t,
};
use h5_host::Id;

use super::argument::{Argument, Arguments, OptionalOperation};
use super::{RequestSlot, call_below, method, operations, status, with_object};
use crate::callback::Callback;
use crate::connector::Connector;
use crate::error::{Error, Result};
use crate::location::Location;
use crate::methods::PassThrough;
use crate::object::Object;

operations! {
    /// Questions about a link.
    LinkGet at location: link_get, H5VLlink_get / link_cls.get, asks(H5VL_link_get_args_t);
    /// Delete, exists, iterate.
    LinkSpecific at location: link_specific, H5VLlink_specific / link_cls.specific, does(H5VL_link_specific_args_t);
    /// Operations only some connectors know.
    LinkOptional at location: link_optional, H5VLlink_optional / link_cls.optional, optional();
}

/// Creates a hard, soft or user-defined link.
pub struct LinkCreate<'a, C: Connector> {
    /// The kind of link, and what it points to.
    pub arguments: Arguments<'a, H5VL_link_create_args_t>,
    /// The object that the link's location is relative to. `None` if that is the target of a hard link.
    pub object: Option<Arc<Object<C>>>,
    /// Where the link goes.
    pub location: Location<'a>,
    /// Link creation property list.
    pub link_creation: Id,
    /// Link access property list.
    pub link_access: Id,
    /// Data transfer property list.
    pub transfer: Id,
    /// Where a token of asynchronous execution goes.
    pub request: RequestSlot<'a>,
}

impl<C: Connector> LinkCreate<'_, C> {
    /// The object that a hard link points to, if it was given as an object.
    pub fn hard_link_target(&self) -> Option<Arc<Object<C>>> {
        let arguments = self.arguments.peek()?;
        if arguments.op_type != H5VL_LINK_CREATE_HARD {
            return None;
        }
        // SAFETY: the operation says which member of the union is set; the target is one of our objects.
        unsafe { Object::borrow_raw(arguments.args.hard.curr_obj) }
    }
}

impl<C: PassThrough> LinkCreate<'_, C> {
    /// Lets the connector below do it.
    pub fn forward(&mut self) -> Result<c_int> {
        let mut arguments =
            *self.arguments.peek().ok_or_else(|| Error::bad_argument("no arguments for a new link"))?;
        let target = self.hard_link_target();
        if let Some(target) = &target {
            if let Some(object) = &self.object {
                object.require_same_below(target)?;
            }
            arguments.args.hard.curr_obj = target.require_below()?.as_ptr();
        }
        let either = self
            .object
            .as_ref()
            .or(target.as_ref())
            .ok_or_else(|| Error::bad_argument("a new link needs a location or a target object"))?;
        let object = match &self.object {
            Some(object) => object.require_below()?.as_ptr(),
            None => core::ptr::null_mut(),
        };
        // SAFETY: the objects' counterparts below, and a copy of the arguments with the target unwrapped.
        let outcome = unsafe {
            call_below!(
                either.require_below()?,
                link_cls.create,
                H5VLlink_create,
                (&raw mut arguments, object, self.location.as_ptr()),
                (self.link_creation.0, self.link_access.0, self.transfer.0, self.request.as_ptr())
            )
        };
        self.request.take_over(either, outcome)?;
        status(outcome)
    }
}

pub(crate) unsafe extern "C" fn link_create<C: Connector>(
    arguments: *mut H5VL_link_create_args_t,
    object: *mut c_void,
    location: *const H5VL_loc_params_t,
    link_creation: hid_t,
    link_access: hid_t,
    transfer: hid_t,
    request: *mut *mut c_void,
) -> c_int {
    // SAFETY: HDF5 passes arguments valid for the call, and our objects, one of which is not null.
    unsafe {
        let hard = arguments.as_ref().filter(|arguments| arguments.op_type == H5VL_LINK_CREATE_HARD);
        let target = hard.map_or(core::ptr::null_mut(), |arguments| arguments.args.hard.curr_obj);
        let either = if object.is_null() { target } else { object };
        with_object::<C, _>(either, Callback::LinkCreate, |instance, _| {
            method!(C, link_cls.create)(
                instance.connector(),
                LinkCreate {
                    arguments: <Arguments<'static, _> as Argument>::safe(arguments),
                    object: Object::borrow_raw(object),
                    location: Location::new(location),
                    link_creation: Id(link_creation),
                    link_access: Id(link_access),
                    transfer: Id(transfer),
                    request: RequestSlot::new(request),
                },
            )
        })
    }
}

/// Copies or moves a link. If one of the two objects is absent, it is the same as the other.
pub struct LinkTransfer<'a, C: Connector> {
    /// The object that the source's location is relative to.
    pub source: Option<Arc<Object<C>>>,
    /// Where the source is.
    pub source_location: Location<'a>,
    /// The object that the destination's location is relative to.
    pub target: Option<Arc<Object<C>>>,
    /// Where the destination is.
    pub target_location: Location<'a>,
    /// Link creation property list.
    pub link_creation: Id,
    /// Link access property list.
    pub link_access: Id,
    /// Data transfer property list.
    pub transfer: Id,
    /// Where a token of asynchronous execution goes.
    pub request: RequestSlot<'a>,
    moving: bool,
}

impl<C: PassThrough> LinkTransfer<'_, C> {
    /// Lets the connector below do it.
    pub fn forward(&mut self) -> Result<c_int> {
        let either = self.source.as_ref().or(self.target.as_ref()).ok_or_else(|| {
            Error::bad_argument("copying or moving a link needs a source or a destination object")
        })?;
        let below = |object: &Option<Arc<Object<C>>>| -> Result<*mut c_void> {
            object.as_ref().map_or(Ok(core::ptr::null_mut()), |object| Ok(object.require_below()?.as_ptr()))
        };
        if let (Some(source), Some(target)) = (&self.source, &self.target) {
            source.require_same_below(target)?;
        }
        let (source, target) = (below(&self.source)?, below(&self.target)?);
        let (source_location, target_location) =
            (self.source_location.as_ptr(), self.target_location.as_ptr());
        let one = either.require_below()?;
        macro_rules! transfer {
            ($member:ident, $function:ident) => {
                call_below!(
                    one,
                    link_cls.$member,
                    $function,
                    (source, source_location, target, target_location),
                    (self.link_creation.0, self.link_access.0, self.transfer.0, self.request.as_ptr())
                )
            };
        }
        // SAFETY: the objects' counterparts below.
        let outcome = unsafe {
            if self.moving { transfer!(move_, H5VLlink_move) } else { transfer!(copy, H5VLlink_copy) }
        };
        self.request.take_over(either, outcome)?;
        status(outcome)
    }
}

macro_rules! link_transfer {
    ($method:ident, $callback:ident, $member:ident, $moving:literal) => {
        pub(crate) unsafe extern "C" fn $method<C: Connector>(
            source: *mut c_void,
            source_location: *const H5VL_loc_params_t,
            target: *mut c_void,
            target_location: *const H5VL_loc_params_t,
            link_creation: hid_t,
            link_access: hid_t,
            transfer: hid_t,
            request: *mut *mut c_void,
        ) -> c_int {
            let either = if source.is_null() { target } else { source };
            // SAFETY: HDF5 passes our objects, one of which is not null.
            unsafe {
                with_object::<C, _>(either, Callback::$callback, |instance, _| {
                    method!(C, link_cls.$member)(
                        instance.connector(),
                        LinkTransfer {
                            source: Object::borrow_raw(source),
                            source_location: Location::new(source_location),
                            target: Object::borrow_raw(target),
                            target_location: Location::new(target_location),
                            link_creation: Id(link_creation),
                            link_access: Id(link_access),
                            transfer: Id(transfer),
                            request: RequestSlot::new(request),
                            moving: $moving,
                        },
                    )
                })
            }
        }
    };
}

link_transfer!(link_copy, LinkCopy, copy, false);
link_transfer!(link_move, LinkMove, move_, true);
