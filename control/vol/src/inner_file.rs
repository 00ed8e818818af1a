//! A file of native HDF5 that a connector has made for itself, and that applications get handles of.
//!
//! A connector whose data is not in an HDF5 file keeps groups, attributes and datatypes in one that exists in memory only. It opens
//! or creates that file by public functions of HDF5, with the native connector. What the application gets are further handles of the
//! same file, wrapped like those of a file below.

use core::ffi::{c_int, c_void};
use std::sync::Arc;

use h5_abi::{
    H5VL_FILE_REOPEN, H5VL_NATIVE_FILE_POST_OPEN, H5VL_OBJECT_GET_FILE, H5VL_file_reopen_t,
    H5VL_file_specific_args_t, H5VL_file_specific_args_u, H5VL_optional_args_t,
};
use h5_host::context::apart;
use h5_host::errors::preserve;
use h5_host::{Host, Id, OwnedId};

use crate::below::{BelowConnector, BelowObject};
use crate::calls::{FileCreate, FileOpen, FileOptional, FileSpecific, ObjectGet};
use crate::connector::Connector;
use crate::error::{Error, Result};
use crate::methods::PassThrough;
use crate::object::{NewObject, Object, ObjectKind, Origin};

/// An open file of native HDF5 that belongs to the connector.
#[derive(Debug)]
pub struct InnerFile {
    /// Keeps it open, whatever the application does with its own handles.
    id: OwnedId,
    /// Native's own pointer for the identifier.
    pointer: *mut c_void,
    native: Arc<BelowConnector>,
}

// SAFETY: the pointer means something only to functions of its host, which are called from inside its callbacks.
unsafe impl Send for InnerFile {}
// SAFETY: as for `Send`.
unsafe impl Sync for InnerFile {}

impl InnerFile {
    /// Takes over a file that was opened or created natively.
    pub fn new(id: OwnedId) -> Result<Self> {
        let host = id.host();
        let native = BelowConnector::native(host)?;
        // SAFETY: the host verifies the identifier.
        let pointer = preserve(host, || unsafe { (host.functions().H5VLobject)(id.id().0) });
        if pointer.is_null() {
            return Err(Error::failed("HDF5 does not give the object of a file in memory"));
        }
        Ok(Self { id, pointer, native })
    }

    /// Its identifier.
    pub fn id(&self) -> Id {
        self.id.id()
    }

    /// The host it is open in.
    pub fn host(&self) -> Host {
        self.id.host()
    }

    /// A number that is the same for all handles of it and differs from that of every other open file.
    pub fn number(&self) -> Option<u64> {
        let below = BelowObject::lent(self.pointer, ObjectKind::File, &self.native).ok()?;
        let identity = self.host().ask_below(|questions| below.identity(questions, ObjectKind::File));
        identity.map(|identity| identity.file)
    }

    /// Lends an object of it that has an identifier, for questions that are put to objects below.
    pub fn with_object<R>(&self, id: Id, ask: impl FnOnce(&BelowObject) -> Result<R>) -> Result<R> {
        let host = self.host();
        // SAFETY: the host verifies the identifier.
        let pointer = preserve(host, || unsafe { (host.functions().H5VLobject)(id.0) });
        ask(&BelowObject::lent(pointer, ObjectKind::Dataset, &self.native)?)
    }

    /// One more handle of native's for it, to stand below a file of the application's.
    ///
    /// Native notes in the handle how datatypes in the file reach it (`H5F__post_open`): wrapped by whoever wraps objects in the
    /// present call, but under the connector with which the file was made. That is native here, so nobody may wrap. It is done here, in
    /// a context of its own, and [`FileOptional::is_post_open`] must not be passed on.
    fn reopen(&self) -> Result<*mut c_void> {
        let host = self.host();
        let class =
            self.native.native_class().ok_or_else(|| Error::failed("HDF5 has no native connector"))?;
        let (Some(specific), Some(optional)) = (class.file_cls.specific, class.file_cls.optional) else {
            return Err(Error::failed("the native connector cannot reopen files"));
        };
        let mut file = core::ptr::null_mut();
        let mut reopen = H5VL_file_specific_args_t {
            op_type: H5VL_FILE_REOPEN,
            args: H5VL_file_specific_args_u { reopen: H5VL_file_reopen_t { file: &raw mut file } },
        };
        let mut post_open =
            H5VL_optional_args_t { op_type: H5VL_NATIVE_FILE_POST_OPEN, args: core::ptr::null_mut() };
        let (transfer, null) = (host.default_transfer().0, core::ptr::null_mut());
        let status: c_int = apart(host, || {
            // SAFETY: a file of the native connector, and complete arguments of both operations.
            unsafe {
                let reopened = specific(self.pointer, &raw mut reopen, transfer, null);
                if reopened < 0 || file.is_null() {
                    return reopened.min(-1);
                }
                optional(file, &raw mut post_open, transfer, null)
            }
        });
        if status < 0 {
            return Err(Error::Below(status));
        }
        Ok(file)
    }
}

macro_rules! answered {
    ($call:ident) => {
        impl<C: PassThrough> $call<'_, C> {
            /// Answers with a handle of a file that the connector has made for itself.
            pub fn answer_with(&self, file: &InnerFile) -> Result<NewObject<C>> {
                let origin = Origin::Opened(&self.info);
                NewObject::from_below(
                    self.instance(),
                    &origin,
                    ObjectKind::File,
                    file.reopen()?,
                    &file.native,
                )
            }
        }
    };
}

answered!(FileOpen);
answered!(FileCreate);

impl<C: PassThrough> FileSpecific<'_, C> {
    /// Answers a reopen with another handle of a file that the connector has made for itself.
    pub fn reopen_with(&mut self, file: &InnerFile) -> Result<c_int> {
        let object = self.object.clone().ok_or_else(|| Error::bad_argument("a reopen without a file"))?;
        let new = NewObject::from_below(
            object.instance(),
            &Origin::Object(&object),
            ObjectKind::File,
            file.reopen()?,
            &file.native,
        )?;
        self.answer_reopen(new)
    }
}

impl<C: PassThrough> Object<C> {
    /// The file that the connector has made for itself, as an object that HDF5 never sees: to make calls that go on there. The file
    /// must stay open as long as this and the objects that are opened through it ([`ObjectGet::forward_file`]).
    pub fn inside(&self, file: &InnerFile, data: C::Data) -> Result<Arc<Self>> {
        // Not a handle of its own: without an identifier native could not close it (`H5VL__native_file_close`).
        let below = BelowObject::lent(file.pointer, ObjectKind::File, &file.native)?;
        let new = NewObject { kind: ObjectKind::File, below: Some(below), data };
        Ok(Arc::new(new.into_object(self.instance())))
    }
}

impl<C: PassThrough> ObjectGet<'_, C> {
    /// Lets the connector below say which file the object is in. If it is the one that the connector has made for itself, the
    /// application gets a handle of it: it would be given the connector's own identifier, and close it.
    pub fn forward_file(mut self, file: &InnerFile) -> Result<c_int> {
        let slot = self.arguments.get().filter(|arguments| arguments.op_type == H5VL_OBJECT_GET_FILE);
        // SAFETY: the operation says which member of the union is set.
        let slot = slot.map_or(core::ptr::null_mut(), |arguments| unsafe { arguments.args.get_file.file });
        let status = self.forward()?;
        // SAFETY: null or HDF5's own variable, which lives as long as the call.
        if let Some(answer) = unsafe { slot.as_mut() }.filter(|answer| **answer == file.pointer) {
            *answer = file.reopen()?;
        }
        Ok(status)
    }
}

impl<C: Connector> FileOptional<'_, C> {
    /// Whether native HDF5 is told that a file was opened. For handles of an [`InnerFile`] that was done before.
    pub fn is_post_open(&self) -> bool {
        self.operation.number() == Some(H5VL_NATIVE_FILE_POST_OPEN)
    }
}
