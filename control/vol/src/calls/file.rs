//! Files (`H5F`).
//!
//! The calls that create, open or delete a file, or ask whether it is accessible, have no object. The info in the file
//! access property list names the connector below.

use core::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::sync::Arc;

use h5_abi::{
    H5VL_FILE_DELETE, H5VL_FILE_IS_ACCESSIBLE, H5VL_FILE_IS_EQUAL, H5VL_FILE_REOPEN, H5VL_file_get_args_t,
    H5VL_file_specific_args_t, hid_t,
};
use h5_host::errors::quietly;
use h5_host::{Host, Id, OwnedId};

use super::argument::{Argument, Arguments, Name, OptionalOperation};
use super::{
    RequestSlot, call_below, closing_call, method, operations, releasing_object, status, with_object,
};
use crate::below::BelowConnector;
use crate::callback::Callback;
use crate::connector::Connector;
use crate::error::{Error, Result};
use crate::funnel;
use crate::info::{Info, info_of, select};
use crate::instance::Instance;
use crate::methods::PassThrough;
use crate::object::{NewObject, Object, ObjectKind, Origin, nothing_below};

operations! {
    /// Questions about a file, asked of the file or of any object in it.
    FileGet: file_get, H5VLfile_get / file_cls.get, asks(H5VL_file_get_args_t);
    /// Operations only some connectors know.
    FileOptional: file_optional, H5VLfile_optional / file_cls.optional, optional();
}

closing_call! {
    /// `H5Fclose`.
    FileClose: FileClose, file_close, H5VLfile_close / file_cls.close
}

/// A copy of the application's file access property list that names the connector below.
struct BelowAccess<'i> {
    list: OwnedId,
    connector: &'i Arc<BelowConnector>,
}

impl<'i> BelowAccess<'i> {
    fn new<C: Connector>(host: Host, access: Id, info: &'i Info<C>) -> Result<Self> {
        let (connector, below_info) = info.below().ok_or_else(nothing_below)?;
        Ok(Self { list: select(host, access, connector, below_info)?, connector })
    }

    fn id(&self) -> Id {
        self.list.id()
    }
}

/// A call that opens or creates a file.
macro_rules! file_opening_call {
    (
        $(#[$doc:meta])*
        $name:ident: $callback:ident, $method:ident, $function:ident / $member:ident {
            $( $(#[$field_doc:meta])* $field:ident, )*
        }
    ) => {
        $(#[$doc])*
        pub struct $name<'a, C: Connector> {
            instance: &'a Arc<Instance<C>>,
            /// Name of the file.
            pub name: Option<&'a CStr>,
            /// Access flags (`H5F_ACC_...`).
            pub flags: c_uint,
            $( $(#[$field_doc])* pub $field: Id, )*
            /// Access property list.
            pub access: Id,
            /// The connector's info from that list.
            pub info: Box<Info<C>>,
            /// Data transfer property list.
            pub transfer: Id,
            /// Where a token of asynchronous execution goes.
            pub request: RequestSlot<'a>,
        }

        impl<C: Connector> $name<'_, C> {
            /// The host that asks.
            pub fn host(&self) -> Host {
                self.instance.host()
            }

            pub(crate) fn instance(&self) -> &Instance<C> {
                self.instance
            }
        }

        impl<C: PassThrough> $name<'_, C> {
            /// Lets the connector below do it.
            pub fn forward(self) -> Result<NewObject<C>> {
                self.forward_named(self.name)
            }

            /// Lets the connector below do it with a file of another name.
            pub fn forward_named(&self, name: Option<&CStr>) -> Result<NewObject<C>> {
                let host = self.host();
                let (connector, _) = self.info.below().ok_or_else(nothing_below)?;
                let direct = connector.native_class().and_then(|class| class.file_cls.$member);
                let pointer = if let Some(call) = direct {
                    // SAFETY: the arguments are those of our own call.
                    unsafe {
                        call(
                            Name::raw(&name),
                            self.flags,
                            $( self.$field.0, )*
                            self.access.0,
                            self.transfer.0,
                            self.request.as_ptr(),
                        )
                    }
                } else {
                    let below = BelowAccess::new(host, self.access, &self.info)?;
                    // SAFETY: the arguments are those of our own call, but for the access list.
                    quietly(host, || unsafe {
                        (host.functions().$function)(
                            Name::raw(&name),
                            self.flags,
                            $( self.$field.0, )*
                            below.id().0,
                            self.transfer.0,
                            self.request.as_ptr(),
                        )
                    })
                };
                let origin = Origin::Opened(&self.info);
                let new =
                    NewObject::from_below(self.instance, &origin, ObjectKind::File, pointer, connector)?;
                wrap_request(self.instance, &origin, &self.request, connector)?;
                Ok(new)
            }
        }

        pub(crate) unsafe extern "C" fn $method<C: Connector, const SLOT: usize>(
            name: *const c_char,
            flags: c_uint,
            $( $field: hid_t, )*
            access: hid_t,
            transfer: hid_t,
            request: *mut *mut c_void,
        ) -> *mut c_void {
            with_slot::<C, SLOT, _>(Callback::$callback, |instance| {
                h5_host::bundled_plugins::restore(instance.host());
                let info = info_of::<C>(instance.host(), Id(access))?;
                // SAFETY: HDF5 passes arguments valid for the call.
                let (name, request) = unsafe { (Name::safe(name), RequestSlot::new(request)) };
                let new = method!(C, file_cls.$member)(instance.connector(), $name {
                    instance,
                    name,
                    flags,
                    $( $field: Id($field), )*
                    access: Id(access),
                    info,
                    transfer: Id(transfer),
                    request,
                })?;
                Ok(new.into_object(instance).into_raw())
            })
        }
    };
}

file_opening_call! {
    /// `H5Fcreate`.
    FileCreate: FileCreate, file_create, H5VLfile_create / create {
        /// Creation property list.
        creation,
    }
}

file_opening_call! {
    /// `H5Fopen`.
    FileOpen: FileOpen, file_open, H5VLfile_open / open {}
}

/// Runs a callback that comes without an object.
pub(super) fn with_slot<C: Connector, const SLOT: usize, R: funnel::Outcome>(
    callback: Callback,
    body: impl FnOnce(&Arc<Instance<C>>) -> Result<R>,
) -> R {
    funnel::enter(callback, || Some((C::slots().instance(SLOT)?, ())), |instance, ()| body(instance))
}

/// Wraps the token of an asynchronous operation for which there is no object of ours yet.
fn wrap_request<C: PassThrough>(
    instance: &Arc<Instance<C>>,
    origin: &Origin<'_, C>,
    slot: &RequestSlot<'_>,
    connector: &Arc<BelowConnector>,
) -> Result<()> {
    if !slot.is_asynchronous() {
        return Ok(());
    }
    // SAFETY: not null, so valid for the call.
    let below = unsafe { *slot.as_ptr() };
    if below.is_null() {
        return Ok(());
    }
    let request = NewObject::from_below(instance, origin, ObjectKind::Request, below, connector)?;
    // SAFETY: as above.
    unsafe { *slot.as_ptr() = request.into_object(instance).into_raw() };
    Ok(())
}

/// Flush, reopen, is-accessible, delete, is-equal.
pub struct FileSpecific<'a, C: Connector> {
    instance: &'a Arc<Instance<C>>,
    /// The file or an object in it. `None` if the file is given by its name (is-accessible, delete).
    pub object: Option<Arc<Object<C>>>,
    /// What is to be done.
    pub arguments: Arguments<'a, H5VL_file_specific_args_t>,
    /// Data transfer property list.
    pub transfer: Id,
    /// Where a token of asynchronous execution goes.
    pub request: RequestSlot<'a>,
}

impl<C: Connector> FileSpecific<'_, C> {
    /// The host that asks.
    pub fn host(&self) -> Host {
        self.instance.host()
    }

    /// Answers a reopen with a new file object, for connectors that do not forward it.
    pub fn answer_reopen(&mut self, file: NewObject<C>) -> Result<c_int> {
        let slot = self.arguments.get().filter(|arguments| arguments.op_type == H5VL_FILE_REOPEN);
        // SAFETY: the operation says which member of the union is set.
        let slot = slot.and_then(|arguments| unsafe { arguments.args.reopen.file.as_mut() });
        match slot {
            Some(slot) if file.kind() == ObjectKind::File => {
                *slot = file.into_object(self.instance).into_raw();
                Ok(0)
            }
            _ => Err(Error::bad_argument("the reopened file was not asked for, or is not a file")),
        }
    }

    /// The second file of a comparison, for terminal connectors. `None` if it does not belong to this connector.
    pub fn other_file(&self) -> Option<Arc<Object<C>>> {
        let arguments = self.arguments.peek()?;
        if arguments.op_type != H5VL_FILE_IS_EQUAL {
            return None;
        }
        // SAFETY: the operation says which member of the union is set.
        let other = unsafe { arguments.args.is_equal.obj2 };
        if !self.instance.holds(other) {
            return None;
        }
        // SAFETY: HDF5 holds an object of ours at this address.
        unsafe { Object::borrow_raw(other) }
    }
}

impl<C: PassThrough> FileSpecific<'_, C> {
    /// Lets the connector below do it.
    pub fn forward(&mut self) -> Result<c_int> {
        let mut arguments =
            *self.arguments.peek().ok_or_else(|| Error::bad_argument("no arguments for a file operation"))?;
        match arguments.op_type {
            H5VL_FILE_IS_ACCESSIBLE | H5VL_FILE_DELETE => self.forward_by_name(&mut arguments),
            _ => self.forward_by_object(&mut arguments),
        }
    }

    fn forward_by_name(&self, arguments: &mut H5VL_file_specific_args_t) -> Result<c_int> {
        let host = self.host();
        // SAFETY: the operation says which member of the union is set.
        let access = unsafe {
            if arguments.op_type == H5VL_FILE_DELETE {
                &mut arguments.args.del.fapl_id
            } else {
                &mut arguments.args.is_accessible.fapl_id
            }
        };
        let info = info_of::<C>(host, Id(*access))?;
        let below = BelowAccess::new(host, Id(*access), &info)?;
        *access = below.id().0;
        // SAFETY: no object, as HDF5 does it; a copy of the arguments with the list for the one below.
        let outcome = quietly(host, || unsafe {
            (host.functions().H5VLfile_specific)(
                core::ptr::null_mut(),
                below.connector.id().0,
                arguments,
                self.transfer.0,
                self.request.as_ptr(),
            )
        });
        wrap_request(self.instance, &Origin::Opened(&info), &self.request, below.connector)?;
        status(outcome)
    }

    fn forward_by_object(&self, arguments: &mut H5VL_file_specific_args_t) -> Result<c_int> {
        let object =
            self.object.as_ref().ok_or_else(|| Error::bad_argument("a file operation without a file"))?;
        let below = object.require_below()?;
        // SAFETY: our object's counterpart below, and arguments valid for the call.
        let outcome = unsafe {
            let arguments: *mut H5VL_file_specific_args_t = arguments;
            call_below!(
                below,
                file_cls.specific,
                H5VLfile_specific,
                (below.as_ptr()),
                (arguments, self.transfer.0, self.request.as_ptr())
            )
        };
        self.request.take_over(object, outcome)?;
        let outcome = status(outcome)?;
        if arguments.op_type == H5VL_FILE_REOPEN {
            // SAFETY: the operation says which member of the union is set.
            if let Some(file) = unsafe { arguments.args.reopen.file.as_mut() }
                && !file.is_null()
            {
                let origin = Origin::Object(object);
                let new = NewObject::from_below(
                    self.instance,
                    &origin,
                    ObjectKind::File,
                    *file,
                    below.connector(),
                )?;
                *file = new.into_object(self.instance).into_raw();
            }
        }
        Ok(outcome)
    }
}

pub(crate) unsafe extern "C" fn file_specific<C: Connector, const SLOT: usize>(
    object: *mut c_void,
    arguments: *mut H5VL_file_specific_args_t,
    transfer: hid_t,
    request: *mut *mut c_void,
) -> c_int {
    with_slot::<C, SLOT, _>(Callback::FileSpecific, |instance| {
        // SAFETY: HDF5 passes null or one of our objects, and arguments valid for the call.
        let call = unsafe {
            FileSpecific {
                instance,
                object: Object::borrow_raw(object),
                arguments: <Arguments<'static, _> as Argument>::safe(arguments),
                transfer: Id(transfer),
                request: RequestSlot::new(request),
            }
        };
        method!(C, file_cls.specific)(instance.connector(), call)
    })
}
