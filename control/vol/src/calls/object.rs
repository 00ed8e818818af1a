//! Objects of any kind (`H5O`).

use core::ffi::{c_char, c_int, c_void};
use std::sync::Arc;

use h5_abi::{
    H5I_BADID, H5I_type_t, H5VL_OBJECT_GET_FILE, H5VL_loc_params_t, H5VL_object_get_args_t,
    H5VL_object_specific_args_t, hid_t,
};
use h5_host::Id;

use super::argument::{Argument, Arguments, Name, OptionalOperation};
use super::{RequestSlot, call_below, method, operations, status, with_object};
use crate::callback::Callback;
use crate::connector::Connector;
use crate::error::{Error, Result};
use crate::location::Location;
use crate::methods::PassThrough;
use crate::object::{NewObject, Object, ObjectKind, Origin};

operations! {
    /// Questions about an object: its file, name, type, info.
    ObjectGet at location: object_get, H5VLobject_get / object_cls.get, asks(H5VL_object_get_args_t);
    /// Reference count, existence, look-up, visit, flush, refresh.
    ObjectSpecific at location: object_specific, H5VLobject_specific / object_cls.specific, does(H5VL_object_specific_args_t);
    /// Operations only some connectors know.
    ObjectOptional at location: object_optional, H5VLobject_optional / object_cls.optional, optional();
}

impl<C: Connector> ObjectGet<'_, C> {
    /// Answers which file the object is in ([`ObjectQuestion::File`](crate::views::ObjectQuestion)), for terminal
    /// connectors. `file` is an object that the connector gave to HDF5 as a file. It may be closed by now.
    pub fn answer_file(&mut self, file: &Arc<Object<C>>) -> Result<c_int> {
        let same_host = Arc::ptr_eq(file.instance(), self.object.instance());
        if file.kind() != ObjectKind::File || file.below_connector().is_some() || !same_host {
            return Err(Error::bad_argument("not a file of this terminal connector"));
        }
        let slot = self.arguments.get().filter(|arguments| arguments.op_type == H5VL_OBJECT_GET_FILE);
        // SAFETY: the operation says which member of the union is set.
        match slot.and_then(|arguments| unsafe { arguments.args.get_file.file.as_mut() }) {
            Some(slot) => *slot = file.hand_out(),
            None => return Err(Error::bad_argument("the file of the object was not asked for")),
        }
        Ok(0)
    }
}

/// `H5Oopen`: opens an object of any kind.
pub struct ObjectOpen<'a, C: Connector> {
    /// The object that the location is relative to.
    pub object: Arc<Object<C>>,
    /// Where the call points, relative to `object`.
    pub location: Location<'a>,
    /// Data transfer property list.
    pub transfer: Id,
    /// Where a token of asynchronous execution goes.
    pub request: RequestSlot<'a>,
}

impl<C: PassThrough> ObjectOpen<'_, C> {
    /// Lets the connector below do it. The kind of the result says what was found.
    pub fn forward(self) -> Result<NewObject<C>> {
        let below = self.object.require_below()?;
        let connector = below.connector();
        let mut opened = H5I_BADID;
        // SAFETY: our object's counterpart below; `opened` is written by the connector below.
        let pointer = unsafe {
            call_below!(
                below,
                object_cls.open,
                H5VLobject_open,
                (below.as_ptr(), self.location.as_ptr()),
                (&raw mut opened, self.transfer.0, self.request.as_ptr())
            )
        };
        let kind = ObjectKind::from_id_type(opened);
        let origin = Origin::Object(&self.object);
        let new = NewObject::from_below(self.object.instance(), &origin, kind, pointer, connector)?;
        self.request.take_over(&self.object, 0)?;
        Ok(new)
    }
}

pub(crate) unsafe extern "C" fn object_open<C: Connector>(
    object: *mut c_void,
    location: *const H5VL_loc_params_t,
    opened: *mut H5I_type_t,
    transfer: hid_t,
    request: *mut *mut c_void,
) -> *mut c_void {
    // SAFETY: HDF5 passes one of our objects and a valid pointer for the type found.
    unsafe {
        with_object::<C, _>(object, Callback::ObjectOpen, |instance, object| {
            let new = method!(C, object_cls.open)(
                instance.connector(),
                ObjectOpen {
                    object,
                    location: Location::new(location),
                    transfer: Id(transfer),
                    request: RequestSlot::new(request),
                },
            )?;
            if !opened.is_null() {
                *opened = new.kind().id_type();
            }
            Ok(new.into_object(instance).into_raw())
        })
    }
}

/// `H5Ocopy`.
pub struct ObjectCopy<'a, C: Connector> {
    /// The object that the source's location is relative to.
    pub source: Arc<Object<C>>,
    /// Where the source is, relative to `source`.
    pub source_location: Location<'a>,
    /// Name of the source.
    pub source_name: Option<&'a core::ffi::CStr>,
    /// The object that the copy's location is relative to.
    pub target: Arc<Object<C>>,
    /// Where the copy goes, relative to `target`.
    pub target_location: Location<'a>,
    /// Name of the copy.
    pub target_name: Option<&'a core::ffi::CStr>,
    /// Object copy property list.
    pub copy: Id,
    /// Link creation property list.
    pub link_creation: Id,
    /// Data transfer property list.
    pub transfer: Id,
    /// Where a token of asynchronous execution goes.
    pub request: RequestSlot<'a>,
}

impl<C: PassThrough> ObjectCopy<'_, C> {
    /// Whether source and target stand on different connectors, so that the one below cannot do it.
    pub fn is_across(&self) -> bool {
        match (self.source.below_connector(), self.target.below_connector()) {
            (Some(source), Some(target)) => source.value() != target.value(),
            _ => false,
        }
    }

    /// Lets the connector below do it.
    pub fn forward(&mut self) -> Result<c_int> {
        self.source.require_same_below(&self.target)?;
        let source = self.source.require_below()?;
        let target = self.target.require_below()?;
        // SAFETY: both objects' counterparts below, in one connector as just checked.
        let outcome = unsafe {
            call_below!(
                source,
                object_cls.copy,
                H5VLobject_copy,
                (
                    source.as_ptr(),
                    self.source_location.as_ptr(),
                    Name::raw(&self.source_name),
                    target.as_ptr(),
                    self.target_location.as_ptr(),
                    Name::raw(&self.target_name)
                ),
                (self.copy.0, self.link_creation.0, self.transfer.0, self.request.as_ptr())
            )
        };
        self.request.take_over(&self.source, outcome)?;
        status(outcome)
    }
}

pub(crate) unsafe extern "C" fn object_copy<C: Connector>(
    source: *mut c_void,
    source_location: *const H5VL_loc_params_t,
    source_name: *const c_char,
    target: *mut c_void,
    target_location: *const H5VL_loc_params_t,
    target_name: *const c_char,
    copy: hid_t,
    link_creation: hid_t,
    transfer: hid_t,
    request: *mut *mut c_void,
) -> c_int {
    // SAFETY: HDF5 passes two of our objects and arguments valid for the call.
    unsafe {
        with_object::<C, _>(source, Callback::ObjectCopy, |instance, source| {
            let target = Object::<C>::borrow_raw(target)
                .ok_or_else(|| Error::bad_argument("object copy without a destination"))?;
            method!(C, object_cls.copy)(
                instance.connector(),
                ObjectCopy {
                    source,
                    source_location: Location::new(source_location),
                    source_name: Name::safe(source_name),
                    target,
                    target_location: Location::new(target_location),
                    target_name: Name::safe(target_name),
                    copy: Id(copy),
                    link_creation: Id(link_creation),
                    transfer: Id(transfer),
                    request: RequestSlot::new(request),
                },
            )
        })
    }
}
