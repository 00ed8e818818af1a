//! The connector below, which gets the calls that a connector does not answer itself.

use core::ffi::{CStr, c_char, c_void};
use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use h5_abi::{
    H5O_INFO_BASIC, H5O_info2_t, H5VL_FILE_GET_NAME, H5VL_GET_CONN_LVL_CURR, H5VL_NATIVE_VALUE,
    H5VL_OBJECT_BY_NAME, H5VL_OBJECT_BY_SELF, H5VL_OBJECT_BY_TOKEN, H5VL_OBJECT_GET_INFO,
    H5VL_OBJECT_GET_NAME, H5VL_class_t, H5VL_class_value_t, H5VL_dataset_get_args_t, H5VL_file_get_args_t,
    H5VL_file_get_args_u, H5VL_file_get_name_args_t, H5VL_loc_by_name_t, H5VL_loc_by_token_t,
    H5VL_loc_data_u, H5VL_loc_params_t, H5VL_object_get_args_t, H5VL_object_get_args_u,
    H5VL_object_get_info_t, H5VL_object_get_name_t, herr_t,
};
use h5_host::errors::{preserve, quietly};
use h5_host::{Host, Id, OwnedId, Questions};

use crate::connector::Connector;
use crate::error::{Error, Result};
use crate::object::ObjectKind;
use crate::token::Token;

/// A connector below another one. All objects of a file share one value, so opening and closing objects takes no extra
/// call into the host.
#[derive(Debug)]
pub struct BelowConnector {
    id: OwnedId,
    value: H5VL_class_value_t,
    /// Its table of callbacks, learnt from the first object it makes.
    class: OnceLock<Option<&'static H5VL_class_t>>,
}

impl BelowConnector {
    /// Registers the connector with this value, and loads its plugin if needed.
    pub(crate) fn by_value(host: Host, value: H5VL_class_value_t) -> Result<Arc<Self>> {
        let register = host.functions().H5VLregister_connector_by_value;
        // SAFETY: takes two numbers, both verified by the host.
        let id = preserve(host, || quietly(host, || unsafe { register(value, Id::DEFAULT.0) }));
        match OwnedId::take(host, id) {
            Some(id) => Ok(Arc::new(Self { id, value, class: OnceLock::new() })),
            None => Err(Error::configuration(format_args!(
                "under_vol={value}: no VOL connector with this value is registered or found in the plugin path"
            ))),
        }
    }

    /// HDF5's own connector.
    pub fn native(host: Host) -> Result<Arc<Self>> {
        Self::by_value(host, H5VL_NATIVE_VALUE)
    }

    /// The connector `C` itself. It is not terminated as long as this is held: HDF5 does that with the last object of it, in the
    /// middle of closing this object.
    pub fn itself<C: Connector>(host: Host) -> Result<Arc<Self>> {
        Self::by_value(host, C::VALUE)
    }

    /// Its identifier in the host.
    pub fn id(&self) -> Id {
        self.id.id()
    }

    /// Its value, `under_vol` of an info string.
    pub fn value(&self) -> H5VL_class_value_t {
        self.value
    }

    /// The host it is registered in.
    pub fn host(&self) -> Host {
        self.id.host()
    }

    /// Whether it is HDF5's own connector, which neither wraps objects nor has an info.
    pub fn is_native(&self) -> bool {
        self.value == H5VL_NATIVE_VALUE
    }

    /// The callbacks of HDF5's own connector, if this is it. Its `file_open` and `file_create` do not look at which connector
    /// the access list names, so they can be given the application's own list; any other connector finds its info there and
    /// needs a list of its own.
    pub(crate) fn native_class(&self) -> Option<&'static H5VL_class_t> {
        // It does not look at the object either. So the first file of a process is opened as all others: were its list
        // copied, this process would duplicate a communicator of MPI, and others that have opened a file before would not.
        if self.is_native() { self.class(NonNull::dangling()) } else { None }
    }

    /// The connector's own callbacks. Calling them is what `H5VLdataset_open` and its kin come down to; but
    /// those are public functions of HDF5, which print the error stack when they fail, in the middle of a
    /// call of the application that will print it again.
    pub(crate) fn class(&self, object: NonNull<c_void>) -> Option<&'static H5VL_class_t> {
        *self.class.get_or_init(|| {
            let mut class = core::ptr::null();
            // SAFETY: an object of this connector, or one that is not looked at, and a valid out-pointer.
            let status = preserve(self.host(), || unsafe {
                (self.host().functions().H5VLintrospect_get_conn_cls)(
                    object.as_ptr(),
                    self.id().0,
                    H5VL_GET_CONN_LVL_CURR,
                    &raw mut class,
                )
            });
            // SAFETY: null or the table of a connector that stays registered as long as `id` is held, in a
            // library that stays loaded as long as it is registered.
            if status < 0 { None } else { unsafe { class.as_ref() } }
        })
    }
}

/// An open object of the connector below. Only that connector knows what is behind the pointer.
///
/// It is closed once: by the application's close that is forwarded to it, or when a new object is given up
/// before the application got it (a method fails or panics after forwarding). After that, calls on it fail.
#[derive(Debug)]
pub struct BelowObject {
    pointer: NonNull<c_void>,
    kind: ObjectKind,
    connector: Arc<BelowConnector>,
    closed: AtomicBool,
    /// Whether somebody else closes it.
    lent: bool,
}

// SAFETY: the pointer is an opaque handle. It is only handed back to the connector below, by a thread that is
// inside a callback and so holds the host's lock.
unsafe impl Send for BelowObject {}
// SAFETY: as for `Send`.
unsafe impl Sync for BelowObject {}

impl BelowObject {
    /// Wraps what the connector below returned; null means that it failed.
    pub(crate) fn new(
        pointer: *mut c_void,
        kind: ObjectKind,
        connector: &Arc<BelowConnector>,
    ) -> Result<Self> {
        match NonNull::new(pointer) {
            Some(pointer) => {
                let closed = AtomicBool::new(false);
                Ok(Self { pointer, kind, connector: Arc::clone(connector), closed, lent: false })
            }
            None => Err(Error::Below(-1)),
        }
    }

    /// The same for an object that somebody else closes, after this is gone.
    pub(crate) fn lent(
        pointer: *mut c_void,
        kind: ObjectKind,
        connector: &Arc<BelowConnector>,
    ) -> Result<Self> {
        let mut object = Self::new(pointer, kind, connector)?;
        object.lent = true;
        Ok(object)
    }

    /// The pointer to hand to HDF5's functions; null, which they refuse, once the object is closed.
    pub(crate) fn as_ptr(&self) -> *mut c_void {
        if self.is_closed() { core::ptr::null_mut() } else { self.pointer.as_ptr() }
    }

    /// The callbacks to call it with, and the pointer to give them; `None` if they are not to be had, or the
    /// object is closed: then HDF5's public functions have to say so.
    pub(crate) fn direct(&self) -> Option<&'static H5VL_class_t> {
        if self.is_closed() {
            return None;
        }
        if self.kind == ObjectKind::Request {
            // No object to ask with, but a connector that makes requests was usually asked before.
            return *self.connector.class.get()?;
        }
        self.connector.class(self.pointer)
    }

    /// Asks a question about the object, or about what a location relative to it names. Fails without a word if the
    /// connector below has no callback for it.
    ///
    /// # Safety
    /// The location and the arguments are complete, and where they point to takes an answer.
    pub(crate) unsafe fn object_get(
        &self,
        questions: Questions,
        location: &H5VL_loc_params_t,
        args: &mut H5VL_object_get_args_t,
    ) -> herr_t {
        let Some(get) = self.direct().and_then(|class| class.object_cls.get) else { return -1 };
        let transfer = questions.host().default_transfer().0;
        // SAFETY: our own object; the rest by the contract.
        unsafe { get(self.as_ptr(), location, args, transfer, core::ptr::null_mut()) }
    }

    /// The same about the file it lives in.
    ///
    /// # Safety
    /// As above.
    unsafe fn file_get(&self, questions: Questions, args: &mut H5VL_file_get_args_t) -> herr_t {
        let Some(get) = self.direct().and_then(|class| class.file_cls.get) else { return -1 };
        let transfer = questions.host().default_transfer().0;
        // SAFETY: our own object; the rest by the contract.
        unsafe { get(self.as_ptr(), args, transfer, core::ptr::null_mut()) }
    }

    /// The same about a dataset.
    ///
    /// # Safety
    /// As above.
    pub(crate) unsafe fn dataset_get(
        &self,
        questions: Questions,
        args: &mut H5VL_dataset_get_args_t,
    ) -> herr_t {
        let Some(get) = self.direct().and_then(|class| class.dataset_cls.get) else { return -1 };
        let transfer = questions.host().default_transfer().0;
        // SAFETY: our own object; the rest by the contract.
        unsafe { get(self.as_ptr(), args, transfer, core::ptr::null_mut()) }
    }

    /// Whether the connector below has released the object. Its pointer is then invalid.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Notes that the connector below has released the object, or that HDF5 has taken it over.
    pub(crate) fn mark_closed(&self) {
        self.closed.store(true, Ordering::Release);
    }

    /// The connector it belongs to.
    pub fn connector(&self) -> &Arc<BelowConnector> {
        &self.connector
    }

    /// Absolute name of the object in its file, if it has one. `kind` must be the kind of the object; with any other the
    /// answer is `None`.
    pub fn name(&self, questions: Questions, kind: ObjectKind) -> Option<String> {
        if !self.is_open_as(kind) {
            return None;
        }
        let location = location_of_self(kind);
        read_text(|buffer, size, length| {
            let mut args = H5VL_object_get_args_t {
                op_type: H5VL_OBJECT_GET_NAME,
                args: H5VL_object_get_args_u {
                    get_name: H5VL_object_get_name_t { buf_size: size, buf: buffer, name_len: length },
                },
            };
            // SAFETY: a complete location and arguments whose buffer has the stated size.
            unsafe { self.object_get(questions, &location, &mut args) }
        })
    }

    /// The name of the object with this token, in the file that this object is in. `None` if it has none (any more).
    pub fn name_of_token(&self, questions: Questions, kind: ObjectKind, token: &Token) -> Option<String> {
        if !self.is_open_as(kind) {
            return None;
        }
        let mut token = *token;
        let mut location = location_of_self(kind);
        location.type_ = H5VL_OBJECT_BY_TOKEN;
        location.loc_data.loc_by_token.token = (&raw mut token).cast();
        read_text(|buffer, size, length| {
            let mut args = H5VL_object_get_args_t {
                op_type: H5VL_OBJECT_GET_NAME,
                args: H5VL_object_get_args_u {
                    get_name: H5VL_object_get_name_t { buf_size: size, buf: buffer, name_len: length },
                },
            };
            // SAFETY: a complete location, whose token is alive, and arguments whose buffer has the stated size.
            unsafe { self.object_get(questions, &location, &mut args) }
        })
    }

    /// The number of the file that the object is in: the same for all that is open in it, whichever connector is below.
    pub fn file_number(&self, questions: Questions, kind: ObjectKind) -> Option<u64> {
        if !self.is_open_as(kind) {
            return None;
        }
        self.basic_info(questions, kind).map(|info| info.fileno)
    }

    /// The same for what has this name, relative to the object.
    pub fn file_number_at(&self, questions: Questions, kind: ObjectKind, name: &CStr) -> Option<u64> {
        if !self.is_open_as(kind) {
            return None;
        }
        let location = H5VL_loc_params_t {
            obj_type: kind.id_type(),
            type_: H5VL_OBJECT_BY_NAME,
            loc_data: H5VL_loc_data_u {
                loc_by_name: H5VL_loc_by_name_t { name: name.as_ptr(), lapl_id: Id::DEFAULT.0 },
            },
        };
        self.info_at(questions, &location).map(|info| info.fileno)
    }

    /// What HDF5 knows about any object.
    pub(crate) fn basic_info(&self, questions: Questions, kind: ObjectKind) -> Option<H5O_info2_t> {
        self.info_at(questions, &location_of_self(kind))
    }

    fn info_at(&self, questions: Questions, location: &H5VL_loc_params_t) -> Option<H5O_info2_t> {
        let mut info = core::mem::MaybeUninit::<H5O_info2_t>::zeroed();
        let mut args = H5VL_object_get_args_t {
            op_type: H5VL_OBJECT_GET_INFO,
            args: H5VL_object_get_args_u {
                get_info: H5VL_object_get_info_t { fields: H5O_INFO_BASIC, oinfo: info.as_mut_ptr() },
            },
        };
        // SAFETY: a complete location and arguments.
        let status = unsafe { self.object_get(questions, location, &mut args) };
        // SAFETY: zeros are a value of each of its fields, and HDF5 has written some of them.
        (status >= 0).then(|| unsafe { info.assume_init() })
    }

    /// Name of the file the object lives in, which for an object reached through an external link or a mount
    /// is not the file the application opened.
    pub fn file_name(&self, questions: Questions, kind: ObjectKind) -> Option<String> {
        if !self.is_open_as(kind) {
            return None;
        }
        read_text(|buffer, size, length| {
            let mut args = H5VL_file_get_args_t {
                op_type: H5VL_FILE_GET_NAME,
                args: H5VL_file_get_args_u {
                    get_name: H5VL_file_get_name_args_t {
                        type_: kind.id_type(),
                        buf_size: size,
                        buf: buffer,
                        file_name_len: length,
                    },
                },
            };
            // SAFETY: arguments whose buffer has the stated size.
            unsafe { self.file_get(questions, &mut args) }
        })
    }

    /// Number of elements in a dataset's current extent.
    pub fn dataset_elements(&self, questions: Questions) -> Option<u64> {
        if !self.is_open_as(ObjectKind::Dataset) {
            return None;
        }
        questions.extent_elements(self.dataset_space(questions)?.id())
    }

    /// Whether questions about an object of this kind may be put to the pointer.
    fn is_open_as(&self, kind: ObjectKind) -> bool {
        !self.is_closed() && kind == self.kind && !matches!(kind, ObjectKind::Request | ObjectKind::Other)
    }
}

impl Drop for BelowObject {
    /// Closes an object that was given up before the application got it. Requests are not: the operation may still
    /// run, and to give up one that does is for the application to decide.
    fn drop(&mut self) {
        let host = self.connector.host();
        if self.is_closed() || self.lent {
            return;
        }
        let Some(class) = self.direct() else { return };
        let close = match self.kind {
            ObjectKind::File => class.file_cls.close,
            ObjectKind::Group => class.group_cls.close,
            ObjectKind::Dataset => class.dataset_cls.close,
            ObjectKind::Datatype => class.datatype_cls.close,
            ObjectKind::Attribute => class.attr_cls.close,
            ObjectKind::Map | ObjectKind::Request | ObjectKind::Other => return,
        };
        let Some(close) = close else { return };
        // SAFETY: an open object of that kind and connector, not used again.
        preserve(host, || unsafe { close(self.as_ptr(), host.default_transfer().0, core::ptr::null_mut()) });
    }
}

/// Location parameters that mean "the object itself".
pub(crate) fn location_of_self(kind: ObjectKind) -> H5VL_loc_params_t {
    H5VL_loc_params_t {
        obj_type: kind.id_type(),
        type_: H5VL_OBJECT_BY_SELF,
        loc_data: H5VL_loc_data_u { loc_by_token: H5VL_loc_by_token_t { token: core::ptr::null_mut() } },
    }
}

/// Calls `ask(buffer, size, length out)` once or, if the text is longer than expected, twice.
fn read_text(ask: impl Fn(*mut c_char, usize, *mut usize) -> i32) -> Option<String> {
    let mut buffer = vec![0_u8; 256];
    loop {
        let mut length = 0;
        let status = ask(buffer.as_mut_ptr().cast(), buffer.len(), &raw mut length);
        if status < 0 || length == 0 {
            return None;
        }
        if length < buffer.len() {
            let text = CStr::from_bytes_until_nul(&buffer).ok()?;
            return Some(text.to_string_lossy().into_owned());
        }
        buffer.resize(length.checked_add(1)?, 0);
    }
}
