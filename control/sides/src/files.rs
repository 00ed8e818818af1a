//! Files.

use core::ffi::{CStr, c_uint};

use h5_abi::{H5F_SCOPE_GLOBAL, H5F_SCOPE_LOCAL};
use h5_host::Driver;
use h5_vol::calls::OptionalOperation;
use h5_vol::{Id, OwnedId};

use crate::failure::Outcome;
use crate::hdf5::{DEFAULT, Hdf5};
use crate::place::Place;

/// Who asks, for HDF5's records of optional operations.
const ASKING: (&CStr, &CStr) = (c"h5-sides", c"optional");

impl Hdf5 {
    /// `H5Fcreate`.
    pub fn create_file(self, name: &CStr, flags: u32, creation: Id, access: Id) -> Outcome<OwnedId> {
        // SAFETY: a C string; the host verifies the lists.
        self.own(unsafe { call!(self, H5Fcreate(name.as_ptr(), flags, creation.0, access.0)) }?)
    }

    /// `H5Fopen`.
    pub fn open_file(self, name: &CStr, flags: u32, access: Id) -> Outcome<OwnedId> {
        // SAFETY: as above.
        self.own(unsafe { call!(self, H5Fopen(name.as_ptr(), flags, access.0)) }?)
    }

    /// Whether files that are opened with this access list are where their name says, so that another name means another file.
    /// (A driver of the application's may read and write anything.)
    pub fn has_named_files(self, access: Id) -> bool {
        let driver = self.host().ask(|questions| questions.driver(access));
        if !matches!(driver, Driver::Other) {
            return matches!(driver, Driver::Posix(_));
        }
        let (size, flag) = (core::ptr::null_mut(), core::ptr::null_mut());
        let is_in_memory = || -> Outcome<_> {
            // SAFETY: the host verifies the list; nothing is asked for but whether it is one of this driver.
            unsafe { call!(self, H5Pget_fapl_core(access.0, size, flag)) }
        };
        is_in_memory().is_ok() || self.is_family(access)
    }

    /// An access list with which a file is opened apart from all of its handles. `None` if its driver spreads it over several files.
    ///
    /// HDF5 shares one state between all handles of a file, and in it notes the connector that has opened it first. A handle that
    /// was opened through another one is closed as if it belonged to that: HDF5 crashes. Files of different drivers share nothing,
    /// and an application hardly uses stdio. What is not on the disk yet is not seen.
    pub fn apart(self, access: Id) -> Outcome<Option<OwnedId>> {
        let copy = self.host().functions().H5Pcopy;
        // SAFETY: the host verifies the list.
        let list = self.own(self.checked("H5Pcopy", || unsafe { copy(access.0) })?)?;
        if self.is_family(access) {
            return Ok(None);
        }
        // SAFETY: as above.
        unsafe {
            call!(self, H5Pset_fapl_stdio(list.id().0))?;
            call!(self, H5Pset_file_locking(list.id().0, false, true))?;
        }
        Ok(Some(list))
    }

    /// Whether the list has the driver that spreads a file over several ones.
    fn is_family(self, access: Id) -> bool {
        let (size, member) = (core::ptr::null_mut(), core::ptr::null_mut());
        let ask = || -> Outcome<_> {
            // SAFETY: the host verifies the list; nothing is asked for but whether it is one of this driver.
            unsafe { call!(self, H5Pget_fapl_family(access.0, size, member)) }
        };
        ask().is_ok()
    }

    /// `H5Freopen`.
    pub fn reopen_file(self, file: Id) -> Outcome<OwnedId> {
        // SAFETY: the host verifies the identifier.
        self.own(unsafe { call!(self, H5Freopen(file.0)) }?)
    }

    /// The file that an object is in.
    pub fn file_of(self, object: Id) -> Outcome<OwnedId> {
        // SAFETY: as above.
        self.own(unsafe { call!(self, H5Iget_file_id(object.0)) }?)
    }

    /// `H5Fflush` of the file that an object is in, and of the files mounted in it if `global`.
    pub fn flush_file(self, object: Id, global: bool) -> Outcome<()> {
        let scope = if global { H5F_SCOPE_GLOBAL } else { H5F_SCOPE_LOCAL };
        // SAFETY: as above.
        unsafe { call!(self, H5Fflush(object.0, scope)) }.map(|_| ())
    }

    /// `H5Fdelete`.
    pub fn delete_file(self, name: &CStr, access: Id) -> Outcome<()> {
        // SAFETY: a C string; the host verifies the list.
        unsafe { call!(self, H5Fdelete(name.as_ptr(), access.0)) }.map(|_| ())
    }

    /// `H5Fmount`.
    pub fn mount(self, group: Id, name: &CStr, child: Id, properties: Id) -> Outcome<()> {
        // SAFETY: a C string; the host verifies the identifiers.
        unsafe { call!(self, H5Fmount(group.0, name.as_ptr(), child.0, properties.0)) }.map(|_| ())
    }

    /// `H5Funmount`.
    pub fn unmount(self, group: Id, name: &CStr) -> Outcome<()> {
        // SAFETY: as above.
        unsafe { call!(self, H5Funmount(group.0, name.as_ptr())) }.map(|_| ())
    }

    /// An operation on the file that its connector knows, with the arguments of the application.
    pub fn optional_on_file(self, file: Id, operation: &OptionalOperation<'_>) -> Outcome<()> {
        let (args, line): (_, c_uint) = (operation.as_ptr(), line!());
        // Native HDF5 cannot end the call properly with `H5P_DEFAULT`.
        let transfer = self.host().default_transfer().0;
        // SAFETY: arguments that are valid for the call of the application that we are in; the connector knows them by their number.
        unsafe {
            call!(
                self,
                H5VLfile_optional_op(
                    ASKING.0.as_ptr(),
                    ASKING.1.as_ptr(),
                    line,
                    file.0,
                    args,
                    transfer,
                    DEFAULT
                )
            )
        }
        .map(|_| ())
    }

    /// The same for a dataset.
    pub fn optional_on_dataset(self, dataset: Id, operation: &OptionalOperation<'_>) -> Outcome<()> {
        let (args, line): (_, c_uint) = (operation.as_ptr(), line!());
        // Native HDF5 cannot end the call properly with `H5P_DEFAULT`.
        let transfer = self.host().default_transfer().0;
        // SAFETY: as above.
        unsafe {
            call!(
                self,
                H5VLdataset_optional_op(
                    ASKING.0.as_ptr(),
                    ASKING.1.as_ptr(),
                    line,
                    dataset.0,
                    args,
                    transfer,
                    DEFAULT
                )
            )
        }
        .map(|_| ())
    }

    /// The same for any object.
    pub fn optional_on_object(
        self,
        object: Id,
        place: &Place<'_>,
        operation: &OptionalOperation<'_>,
    ) -> Outcome<()> {
        let (args, line): (_, c_uint) = (operation.as_ptr(), line!());
        // Native HDF5 cannot end the call properly with `H5P_DEFAULT`.
        let transfer = self.host().default_transfer().0;
        let (name, links) = place.name()?;
        // SAFETY: as above.
        unsafe {
            call!(
                self,
                H5VLobject_optional_op(
                    ASKING.0.as_ptr(),
                    ASKING.1.as_ptr(),
                    line,
                    object.0,
                    name.as_ptr(),
                    links.0,
                    args,
                    transfer,
                    DEFAULT
                )
            )
        }
        .map(|_| ())
    }
}
