//! Datasets of native HDF5 that the application did not open: sources of a virtual dataset, copies.

use core::ffi::{CStr, c_void};
use core::mem::ManuallyDrop;
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, FromRawFd, RawFd};
use std::sync::Arc;

use h5_abi::{
    H5VL_NATIVE_FILE_GET_VFD_HANDLE, H5VL_OBJECT_BY_NAME, H5VL_OBJECT_EXISTS, H5VL_loc_by_name_t,
    H5VL_loc_data_u, H5VL_loc_params_t, H5VL_native_file_get_vfd_handle_t, H5VL_native_file_optional_args_t,
    H5VL_object_exists_t, H5VL_object_specific_args_t, H5VL_object_specific_args_u,
};
use h5_host::context::apart;
use h5_host::{Id, PosixDriver, Questions};

use crate::below::{BelowObject, location_of_self};
use crate::native::NativeFile;
use crate::object::ObjectKind;

impl NativeFile {
    /// Opens a dataset by its name. It has no identifier, and is closed when the value is dropped. `None` if there is none.
    pub fn open_dataset(&self, questions: Questions, name: &CStr, access: Id) -> Option<BelowObject> {
        let open = self.class()?.dataset_cls.open?;
        let (location, transfer) =
            (location_of_self(ObjectKind::File), questions.host().default_transfer().0);
        // SAFETY: a file of the native connector, a complete location and a valid C string; the host verifies the list.
        let dataset = unsafe {
            open(
                self.pointer(),
                &raw const location,
                name.as_ptr(),
                access.0,
                transfer,
                core::ptr::null_mut(),
            )
        };
        BelowObject::new(dataset, ObjectKind::Dataset, self.connector()).ok()
    }

    /// Whether something of this name is in it; `None` if HDF5 cannot tell.
    pub fn has(&self, questions: Questions, name: &CStr) -> Option<bool> {
        let specific = self.class()?.object_cls.specific?;
        let location = H5VL_loc_params_t {
            obj_type: ObjectKind::File.id_type(),
            type_: H5VL_OBJECT_BY_NAME,
            loc_data: H5VL_loc_data_u {
                loc_by_name: H5VL_loc_by_name_t { name: name.as_ptr(), lapl_id: Id::DEFAULT.0 },
            },
        };
        let mut exists = false;
        let question = H5VL_object_exists_t { exists: &raw mut exists };
        let mut args = H5VL_object_specific_args_t {
            op_type: H5VL_OBJECT_EXISTS,
            args: H5VL_object_specific_args_u { exists: question },
        };
        let transfer = questions.host().default_transfer().0;
        // SAFETY: a file of the native connector, a complete location and arguments; the answer goes to a bool.
        let status = unsafe {
            specific(self.pointer(), &raw const location, &raw mut args, transfer, core::ptr::null_mut())
        };
        (status >= 0).then_some(exists)
    }

    /// The file's own descriptor, which stays open as long as a dataset in it does. `None` if it is not a plain file. The
    /// driver is that of the access list with which the file was opened.
    pub fn lent_descriptor(
        &self,
        questions: Questions,
        driver: PosixDriver,
        dataset: &Arc<BelowObject>,
    ) -> Option<LentDescriptor> {
        let descriptor = self.raw_descriptor(questions, driver)?;
        // SAFETY: open as long as the file is, which outlives this call, and not closed here.
        let file = ManuallyDrop::new(unsafe { File::from_raw_fd(descriptor) });
        let is_plain = file.metadata().ok()?.is_file();
        is_plain.then(|| LentDescriptor { descriptor, _dataset: Arc::clone(dataset) })
    }

    /// The descriptor that the driver of the file reads from.
    pub(crate) fn raw_descriptor(&self, questions: Questions, _driver: PosixDriver) -> Option<RawFd> {
        let mut handle = core::ptr::null_mut::<c_void>();
        let mut args = H5VL_native_file_optional_args_t {
            get_vfd_handle: H5VL_native_file_get_vfd_handle_t {
                fapl_id: Id::DEFAULT.0,
                file_handle: &raw mut handle,
            },
        };
        self.optional(questions, H5VL_NATIVE_FILE_GET_VFD_HANDLE, &mut args)?;
        // SAFETY: the driver says that its handle is a POSIX descriptor: null or a pointer to its own.
        let descriptor = *unsafe { handle.cast::<RawFd>().as_ref() }?;
        (descriptor >= 0).then_some(descriptor)
    }
}

impl BelowObject {
    /// Opens a dataset of native HDF5 by its name, relative to this object. It has no identifier, and is closed when the value is
    /// dropped. `None` if there is none.
    pub fn dataset_at(&self, questions: Questions, kind: ObjectKind, name: &CStr) -> Option<BelowObject> {
        if !self.connector().is_native() {
            return None;
        }
        let open = self.direct()?.dataset_cls.open?;
        let (location, transfer) = (location_of_self(kind), questions.host().default_transfer().0);
        let access = questions.host().default_dataset_access()?.0;
        // SAFETY: an object of the native connector, a complete location and a valid C string.
        let dataset = apart(questions.host(), || unsafe {
            open(self.as_ptr(), &raw const location, name.as_ptr(), access, transfer, core::ptr::null_mut())
        });
        BelowObject::new(dataset, ObjectKind::Dataset, self.connector()).ok()
    }
}

/// A descriptor of native HDF5's, and an open dataset in the file, which keeps that open.
#[derive(Debug)]
pub struct LentDescriptor {
    descriptor: RawFd,
    /// Nobody but us knows the dataset, and it is closed when it is dropped.
    _dataset: Arc<BelowObject>,
}

impl AsFd for LentDescriptor {
    fn as_fd(&self) -> BorrowedFd<'_> {
        // SAFETY: HDF5 closes it with the file, and the file not before the last dataset in it: it was opened so that it
        // stays open. (A library that ends closes everything; no call is in it then.)
        unsafe { BorrowedFd::borrow_raw(self.descriptor) }
    }
}
