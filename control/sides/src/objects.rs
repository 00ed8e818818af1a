//! Groups, committed datatypes, and objects of any kind.

use core::ffi::{CStr, c_char};
use core::mem::MaybeUninit;
use std::ffi::CString;

use h5_abi::{H5O_INFO_BASIC, H5O_info2_t};
use h5_host::errors::preserve;
use h5_vol::{Id, ObjectKind, OwnedId, Token};

use crate::failure::{Failure, Outcome};
use crate::hdf5::{DEFAULT, Hdf5};
use crate::place::Place;

impl Hdf5 {
    /// `H5Gcreate`; without a name, `H5Gcreate_anon`.
    pub fn create_group(
        self,
        at: Id,
        name: Option<&CStr>,
        link_creation: Id,
        creation: Id,
        access: Id,
    ) -> Outcome<OwnedId> {
        // SAFETY: a C string; the host verifies the identifiers.
        let id = unsafe {
            if let Some(name) = name {
                call!(self, H5Gcreate2(at.0, name.as_ptr(), link_creation.0, creation.0, access.0))
            } else {
                call!(self, H5Gcreate_anon(at.0, creation.0, access.0))
            }
        }?;
        self.own(id)
    }

    /// `H5Gopen`.
    pub fn open_group(self, at: Id, name: &CStr, access: Id) -> Outcome<OwnedId> {
        // SAFETY: as above.
        self.own(unsafe { call!(self, H5Gopen2(at.0, name.as_ptr(), access.0)) }?)
    }

    /// Commits a copy of a datatype: `H5Tcommit`, or without a name `H5Tcommit_anon`.
    pub fn commit_datatype(
        self,
        at: Id,
        name: Option<&CStr>,
        datatype: Id,
        lists: (Id, Id, Id),
    ) -> Outcome<OwnedId> {
        let copy = self.copy_of_type(datatype)?;
        let (link_creation, creation, access) = lists;
        // SAFETY: as above.
        unsafe {
            if let Some(name) = name {
                let (name, copy) = (name.as_ptr(), copy.id().0);
                call!(self, H5Tcommit2(at.0, name, copy, link_creation.0, creation.0, access.0))
            } else {
                call!(self, H5Tcommit_anon(at.0, copy.id().0, creation.0, access.0))
            }
        }?;
        Ok(copy)
    }

    /// A copy of a datatype, which is not committed.
    pub fn copy_of_type(self, datatype: Id) -> Outcome<OwnedId> {
        // SAFETY: the host verifies the identifier.
        self.own(self.checked("H5Tcopy", || unsafe { (self.host().functions().H5Tcopy)(datatype.0) })?)
    }

    /// `H5Topen`.
    pub fn open_datatype(self, at: Id, name: &CStr, access: Id) -> Outcome<OwnedId> {
        // SAFETY: a C string; the host verifies the identifiers.
        self.own(unsafe { call!(self, H5Topen2(at.0, name.as_ptr(), access.0)) }?)
    }

    /// A datatype for new objects of another file: if it is committed in the application's, the one of the same name there.
    /// `None` if it is not committed, and is good for any file.
    pub fn type_there(self, there: Id, datatype: Id) -> Outcome<Option<OwnedId>> {
        // SAFETY: the host verifies the identifier.
        if unsafe { call!(self, H5Tcommitted(datatype.0)) }? == 0 {
            return Ok(None);
        }
        let name = self.name_of(datatype)?;
        self.open_datatype(there, &name, Id::DEFAULT).map(Some)
    }

    /// The path of an object from the root.
    pub fn name_of(self, object: Id) -> Outcome<CString> {
        text("H5Iget_name", |buffer, size| {
            let get = self.functions().H5Iget_name()?;
            // SAFETY: a buffer of that size, or none; the host verifies the identifier.
            self.checked("H5Iget_name", || unsafe { get(object.0, buffer, size) })
        })
    }

    /// Opens what is at a place.
    pub fn open_any(self, at: Id, place: &Place<'_>) -> Outcome<OwnedId> {
        if let Place::Index { group, index, order, n, links } = place {
            // SAFETY: a C string; the host verifies the identifiers.
            let id =
                unsafe { call!(self, H5Oopen_by_idx(at.0, group.as_ptr(), *index, *order, *n, links.0)) }?;
            return self.own(id);
        }
        let (name, links) = place.name()?;
        // SAFETY: as above.
        self.own(unsafe { call!(self, H5Oopen(at.0, name.as_ptr(), links.0)) }?)
    }

    /// Runs `with` on the object at a place.
    pub(crate) fn with_object<R>(
        self,
        at: Id,
        place: &Place<'_>,
        with: impl FnOnce(Id) -> Outcome<R>,
    ) -> Outcome<R> {
        if let Place::Itself = place {
            return with(at);
        }
        let object = self.open_any(at, place)?;
        with(object.id())
    }

    /// What HDF5 knows about an object.
    pub(crate) fn info_of(self, object: Id) -> Outcome<H5O_info2_t> {
        let mut info = MaybeUninit::<H5O_info2_t>::zeroed();
        // SAFETY: room for the answer; the host verifies the identifier.
        unsafe { call!(self, H5Oget_info3(object.0, info.as_mut_ptr(), H5O_INFO_BASIC)) }?;
        // SAFETY: zeros are a value of each of its fields, and HDF5 has written some of them.
        Ok(unsafe { info.assume_init() })
    }

    /// The token of what has this name.
    pub fn token_of(self, at: Id, name: &CStr) -> Outcome<Token> {
        let mut info = MaybeUninit::<H5O_info2_t>::zeroed();
        // SAFETY: as above.
        unsafe {
            let (info, fields) = (info.as_mut_ptr(), H5O_INFO_BASIC);
            call!(self, H5Oget_info_by_name3(at.0, name.as_ptr(), info, fields, DEFAULT))
        }?;
        // SAFETY: as above.
        Ok(Token(unsafe { info.assume_init() }.token.__data))
    }

    /// `H5Ocopy`.
    pub fn copy_object(
        self,
        source: (Id, &CStr),
        target: (Id, &CStr),
        copy: Id,
        link_creation: Id,
    ) -> Outcome<()> {
        let ((source, name), (target, new)) = (source, target);
        // SAFETY: C strings; the host verifies the identifiers.
        unsafe {
            call!(self, H5Ocopy(source.0, name.as_ptr(), target.0, new.as_ptr(), copy.0, link_creation.0))
        }
        .map(|_| ())
    }

    /// `H5Oincr_refcount` or `H5Odecr_refcount`, as often as needed.
    pub fn change_references(self, object: Id, place: &Place<'_>, by: i32) -> Outcome<()> {
        self.with_object(object, place, |object| {
            for _ in 0..by.unsigned_abs() {
                // SAFETY: the host verifies the identifier.
                unsafe {
                    if by > 0 {
                        call!(self, H5Oincr_refcount(object.0))
                    } else {
                        call!(self, H5Odecr_refcount(object.0))
                    }
                }?;
            }
            Ok(())
        })
    }

    /// `H5Oflush` and its kin.
    pub fn flush_object(self, object: Id, kind: ObjectKind) -> Outcome<()> {
        // SAFETY: the host verifies the identifier.
        unsafe {
            match kind {
                ObjectKind::Group => call!(self, H5Gflush(object.0)),
                ObjectKind::Dataset => call!(self, H5Dflush(object.0)),
                ObjectKind::Datatype => call!(self, H5Tflush(object.0)),
                _ => call!(self, H5Oflush(object.0)),
            }
        }
        .map(|_| ())
    }

    /// `H5Orefresh` and its kin.
    pub fn refresh_object(self, object: Id, kind: ObjectKind) -> Outcome<()> {
        // SAFETY: the host verifies the identifier.
        unsafe {
            match kind {
                ObjectKind::Group => call!(self, H5Grefresh(object.0)),
                ObjectKind::Dataset => call!(self, H5Drefresh(object.0)),
                ObjectKind::Datatype => call!(self, H5Trefresh(object.0)),
                _ => call!(self, H5Orefresh(object.0)),
            }
        }
        .map(|_| ())
    }

    /// Whether two identifiers of datatypes stand for the same type.
    pub(crate) fn same_type(self, a: Id, b: Id) -> Outcome<bool> {
        let equal = self.host().functions().H5Tequal;
        // SAFETY: the host verifies the identifiers.
        self.checked("H5Tequal", || unsafe { equal(a.0, b.0) }).map(|answer| answer > 0)
    }

    /// How many elements a dataspace has.
    pub(crate) fn elements_of(self, space: Id) -> Outcome<usize> {
        let count = self.host().functions().H5Sget_simple_extent_npoints;
        // SAFETY: as above.
        let count = preserve(self.host(), || unsafe { count(space.0) });
        usize::try_from(count).map_err(|_| Failure::new("a dataspace without a number of elements"))
    }
}

/// Reads a text whose length is asked for first.
pub(crate) fn text(what: &str, ask: impl Fn(*mut c_char, usize) -> Outcome<isize>) -> Outcome<CString> {
    let length = usize::try_from(ask(core::ptr::null_mut(), 0)?).unwrap_or(0);
    if length == 0 {
        return Err(Failure::new(format!("{what}: the object has no name")));
    }
    let mut bytes = vec![0_u8; length + 1];
    ask(bytes.as_mut_ptr().cast(), bytes.len())?;
    bytes.truncate(length);
    CString::new(bytes).map_err(|_| Failure::new(format!("{what}: a name with a zero in it")))
}
