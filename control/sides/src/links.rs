//! Links.

use core::ffi::CStr;

use h5_abi::H5L_type_t;
use h5_vol::Id;

use crate::failure::Outcome;
use crate::hdf5::Hdf5;
use crate::place::Place;

impl Hdf5 {
    /// A hard link at `new` to what is at a place.
    pub fn link_hard(
        self,
        target: (Id, &Place<'_>),
        new: (Id, &Place<'_>),
        link_creation: Id,
        link_access: Id,
    ) -> Outcome<()> {
        let ((at, place), (new_at, new)) = (target, new);
        let (name, _) = new.name()?;
        // SAFETY: C strings; the host verifies the identifiers.
        unsafe {
            if matches!(place, Place::Itself) {
                call!(self, H5Olink(at.0, new_at.0, name.as_ptr(), link_creation.0, link_access.0))
            } else {
                let (old, _) = place.name()?;
                let (old, name) = (old.as_ptr(), name.as_ptr());
                call!(self, H5Lcreate_hard(at.0, old, new_at.0, name, link_creation.0, link_access.0))
            }
        }
        .map(|_| ())
    }

    /// A soft link.
    pub fn link_soft(
        self,
        path: &CStr,
        new: (Id, &Place<'_>),
        link_creation: Id,
        link_access: Id,
    ) -> Outcome<()> {
        let (name, _) = new.1.name()?;
        // SAFETY: as above.
        unsafe {
            let (path, name) = (path.as_ptr(), name.as_ptr());
            call!(self, H5Lcreate_soft(path, new.0.0, name, link_creation.0, link_access.0))
        }
        .map(|_| ())
    }

    /// A link of another class, such as an external link.
    pub fn link_of_class(
        self,
        class: i32,
        value: &[u8],
        new: (Id, &Place<'_>),
        link_creation: Id,
        link_access: Id,
    ) -> Outcome<()> {
        let (name, _) = new.1.name()?;
        // SAFETY: as above; as many bytes as there are.
        unsafe {
            let (name, class) = (name.as_ptr(), H5L_type_t(class));
            let (bytes, size) = (value.as_ptr().cast(), value.len());
            call!(self, H5Lcreate_ud(new.0.0, name, class, bytes, size, link_creation.0, link_access.0))
        }
        .map(|_| ())
    }

    /// Copies or moves a link. Two places without an identifier are relative to the same object.
    pub fn transfer_link(
        self,
        moving: bool,
        (source, from): (Id, &Place<'_>),
        (target, to): (Id, &Place<'_>),
        link_creation: Id,
        link_access: Id,
    ) -> Outcome<()> {
        let ((from, _), (to, _)) = (from.name()?, to.name()?);
        let (from, to) = (from.as_ptr(), to.as_ptr());
        // SAFETY: as above.
        unsafe {
            if moving {
                call!(self, H5Lmove(source.0, from, target.0, to, link_creation.0, link_access.0))
            } else {
                call!(self, H5Lcopy(source.0, from, target.0, to, link_creation.0, link_access.0))
            }
        }
        .map(|_| ())
    }

    /// Deletes a link.
    pub fn delete_link(self, at: Id, place: &Place<'_>) -> Outcome<()> {
        if let Place::Index { group, index, order, n, links } = place {
            // SAFETY: as above.
            return unsafe {
                call!(self, H5Ldelete_by_idx(at.0, group.as_ptr(), *index, *order, *n, links.0))
            }
            .map(|_| ());
        }
        let (name, links) = place.name()?;
        // SAFETY: as above.
        unsafe { call!(self, H5Ldelete(at.0, name.as_ptr(), links.0)) }.map(|_| ())
    }
}
