//! Groups (`H5G`).

use core::ffi::{c_int, c_void};
use std::sync::Arc;

use h5_abi::{
    H5I_GROUP, H5VL_GROUP_MOUNT, H5VL_group_get_args_t, H5VL_group_specific_args_t, H5VL_loc_params_t, hid_t,
};
use h5_host::{Id, OwnedId};

use super::argument::{Argument, Arguments, Identifier, Name, OptionalOperation};
use super::{
    RequestSlot, call_below, closing_call, creating_call, method, operations, releasing_object, status,
    with_object,
};
use crate::callback::Callback;
use crate::connector::Connector;
use crate::error::{Error, Result};
use crate::location::{Location, OwnLocation};
use crate::methods::PassThrough;
use crate::object::{NewObject, Object, ObjectKind, Origin, nothing_below};

creating_call! {
    /// `H5Gcreate`.
    GroupCreate: GroupCreate, group_create, H5VLgroup_create / group_cls.create, Group {
        /// Name, absent for an anonymous group.
        name: Name,
        /// Link creation property list.
        link_creation: Identifier,
        /// Creation property list.
        creation: Identifier,
        /// Access property list.
        access: Identifier,
    }
}

creating_call! {
    /// `H5Gopen`.
    GroupOpen: GroupOpen, group_open, H5VLgroup_open / group_cls.open, Group {
        /// Name of the group.
        name: Name,
        /// Access property list.
        access: Identifier,
    }
}

operations! {
    /// Questions about a group.
    GroupGet: group_get, H5VLgroup_get / group_cls.get, asks(H5VL_group_get_args_t);
    /// Operations only some connectors know.
    GroupOptional: group_optional, H5VLgroup_optional / group_cls.optional, optional();
}

closing_call! {
    /// `H5Gclose`.
    GroupClose: GroupClose, group_close, H5VLgroup_close / group_cls.close
}

impl<C: PassThrough> Object<C> {
    /// An identifier of the root of the file that an object is in, wrapped by all connectors as the object of the present call is.
    pub fn register_root(self: &Arc<Self>) -> Result<OwnedId> {
        let (host, itself) = (self.host(), OwnLocation::itself(self.kind()));
        let call = GroupOpen {
            object: Arc::clone(self),
            location: itself.as_location(),
            name: Some(c"/"),
            access: Id::DEFAULT,
            transfer: host.default_transfer(),
            request: RequestSlot::NONE,
        };
        let root = call.forward()?.below.ok_or_else(nothing_below)?;
        // HDF5 wraps what the connector at the bottom knows.
        let inner = if root.connector().is_native() {
            root.as_ptr()
        } else {
            // SAFETY: an open object of that connector, whose wrapper is given up.
            unsafe { (host.functions().H5VLunwrap_object)(root.as_ptr(), root.connector().id().0) }
        };
        if inner.is_null() {
            return Err(Error::Below(-1));
        }
        // SAFETY: an object of the connector at the bottom, which the identifier takes over.
        let id = unsafe { (host.functions().H5VLwrap_register)(inner, H5I_GROUP) };
        let id = OwnedId::take(host, id);
        if id.is_some() || !root.connector().is_native() {
            root.mark_closed();
        }
        id.ok_or(Error::Below(-1))
    }
}

/// Mount, unmount, flush and refresh.
pub struct GroupSpecific<'a, C: Connector> {
    /// The group.
    pub object: Arc<Object<C>>,
    /// What is to be done.
    pub arguments: Arguments<'a, H5VL_group_specific_args_t>,
    /// Data transfer property list.
    pub transfer: Id,
    /// Where a token of asynchronous execution goes.
    pub request: RequestSlot<'a>,
}

impl<C: Connector> GroupSpecific<'_, C> {
    /// The file to mount, if the operation is a mount.
    pub fn mounted_file(&self) -> Option<Arc<Object<C>>> {
        let arguments = self.arguments.peek()?;
        if arguments.op_type != H5VL_GROUP_MOUNT {
            return None;
        }
        // SAFETY: the operation says which member of the union is set; the file is one of our objects.
        unsafe { Object::borrow_raw(arguments.args.mount.child_file) }
    }
}

impl<C: PassThrough> GroupSpecific<'_, C> {
    /// Lets the connector below do it.
    pub fn forward(&mut self) -> Result<c_int> {
        let below = self.object.require_below()?;
        let mut arguments = *self
            .arguments
            .peek()
            .ok_or_else(|| Error::bad_argument("no arguments for a group operation"))?;
        if let Some(file) = self.mounted_file() {
            self.object.require_same_below(&file)?;
            arguments.args.mount.child_file = file.require_below()?.as_ptr();
        }
        // SAFETY: our object's counterpart below, and a copy of the arguments with the file unwrapped.
        let outcome = unsafe {
            call_below!(
                below,
                group_cls.specific,
                H5VLgroup_specific,
                (below.as_ptr()),
                (&raw mut arguments, self.transfer.0, self.request.as_ptr())
            )
        };
        self.request.take_over(&self.object, outcome)?;
        status(outcome)
    }
}

pub(crate) unsafe extern "C" fn group_specific<C: Connector>(
    object: *mut c_void,
    arguments: *mut H5VL_group_specific_args_t,
    transfer: hid_t,
    request: *mut *mut c_void,
) -> c_int {
    // SAFETY: HDF5 passes one of our objects and arguments valid for the call.
    unsafe {
        with_object::<C, _>(object, Callback::GroupSpecific, |instance, object| {
            method!(C, group_cls.specific)(
                instance.connector(),
                GroupSpecific {
                    object,
                    arguments: <Arguments<'static, _> as Argument>::safe(arguments),
                    transfer: Id(transfer),
                    request: RequestSlot::new(request),
                },
            )
        })
    }
}
