//! Links: the names of objects.

use core::ffi::{CStr, c_int};
use core::mem::MaybeUninit;
use core::ptr;
use std::ffi::CString;

use h5_abi::{
    H5_INDEX_CRT_ORDER, H5_INDEX_NAME, H5_ITER_INC, H5L_TYPE_EXTERNAL, H5L_TYPE_HARD, H5L_TYPE_SOFT,
    H5L_info2_t, H5L_type_t, H5O_token_t, H5P_DEFAULT, H5T_cset_t, hid_t,
};

use crate::failure::Result;
use crate::group::Location;
use crate::iteration::{Visitor, visit};
use crate::name::Name;
use crate::session::Session;

/// A link of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its name.
    pub name: CString,
    /// Where it leads.
    pub target: LinkTarget,
    /// Its place in the order of creation, if the group keeps that.
    pub creation_order: Option<i64>,
    /// The characters of its name.
    pub character_set: H5T_cset_t,
}

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkTarget {
    /// To the object with this token.
    Hard(H5O_token_t),
    /// To this path.
    Soft(CString),
    /// To an object of another file.
    External {
        /// The file.
        file: CString,
        /// The path of the object.
        object: CString,
    },
    /// Wherever the class of links says.
    UserDefined {
        /// Number of the class.
        class: i32,
        /// What it stores for this link.
        value: Vec<u8>,
    },
}

/// Links in a file's root group or in a group.
pub trait Links: Location + Sized {
    /// All links in it, in the order of their names.
    fn links(&self) -> Result<Vec<Link>> {
        links_by(self, false)
    }

    /// All links in it, in the order of their creation, which the group must keep.
    fn links_by_creation(&self) -> Result<Vec<Link>> {
        links_by(self, true)
    }

    /// The link of a name.
    fn link(&self, name: &(impl Name + ?Sized)) -> Result<Link> {
        let (session, name) = (self.handle().session(), name.to_c()?);
        let mut info = MaybeUninit::<H5L_info2_t>::zeroed();
        // SAFETY: a C string, and room for the information.
        unsafe {
            call!(session, H5Lget_info2(self.handle().id(), name.as_ptr(), info.as_mut_ptr(), H5P_DEFAULT))
        }?;
        // SAFETY: all-zero bytes are valid, and HDF5 has filled it in.
        link(self, name.into_owned(), unsafe { info.assume_init() })
    }

    /// Calls the function with the group's identifier and the name of each link, in the order of names. It
    /// returns zero to go on, a positive number to stop, a negative one to fail.
    fn iterate_links(&self, mut function: impl FnMut(hid_t, &CStr) -> c_int) -> Result<c_int> {
        iterate(self, false, &mut |group, name, _| function(group, name))
    }

    /// Whether there is a link of this name.
    fn link_exists(&self, name: &(impl Name + ?Sized)) -> Result<bool> {
        let name = name.to_c()?;
        // SAFETY: a C string; HDF5 verifies the location.
        let exists = unsafe {
            call!(self.handle().session(), H5Lexists(self.handle().id(), name.as_ptr(), H5P_DEFAULT))
        }?;
        Ok(exists > 0)
    }

    /// Deletes a link.
    fn delete_link(&self, name: &(impl Name + ?Sized)) -> Result<()> {
        let name = name.to_c()?;
        // SAFETY: a C string; HDF5 verifies the location.
        unsafe { call!(self.handle().session(), H5Ldelete(self.handle().id(), name.as_ptr(), H5P_DEFAULT)) }
            .map(|_| ())
    }

    /// Gives a link another name.
    fn move_link(&self, from: &(impl Name + ?Sized), to: &(impl Name + ?Sized)) -> Result<()> {
        let (from, to, id) = (from.to_c()?, to.to_c()?, self.handle().id());
        // SAFETY: C strings; HDF5 verifies the location.
        unsafe {
            call!(
                self.handle().session(),
                H5Lmove(id, from.as_ptr(), id, to.as_ptr(), H5P_DEFAULT, H5P_DEFAULT)
            )
        }
        .map(|_| ())
    }

    /// Creates a soft link to a path, whether or not there is an object.
    fn create_soft_link(&self, path: &(impl Name + ?Sized), name: &(impl Name + ?Sized)) -> Result<()> {
        let (path, name) = (path.to_c()?, name.to_c()?);
        // SAFETY: C strings; HDF5 verifies the location.
        unsafe {
            call!(
                self.handle().session(),
                H5Lcreate_soft(path.as_ptr(), self.handle().id(), name.as_ptr(), H5P_DEFAULT, H5P_DEFAULT)
            )
        }
        .map(|_| ())
    }

    /// Creates another hard link, in another place, to an object that has a name here.
    fn create_hard_link(
        &self,
        name: &(impl Name + ?Sized),
        place: &(impl Location + ?Sized),
        new_name: &(impl Name + ?Sized),
    ) -> Result<()> {
        let (session, name, new_name) = (self.handle().session(), name.to_c()?, new_name.to_c()?);
        let place = place.handle().id_in(session)?;
        // SAFETY: C strings; HDF5 verifies identifiers.
        unsafe {
            call!(
                session,
                H5Lcreate_hard(
                    self.handle().id(),
                    name.as_ptr(),
                    place,
                    new_name.as_ptr(),
                    H5P_DEFAULT,
                    H5P_DEFAULT,
                )
            )
        }
        .map(|_| ())
    }

    /// Creates a link to an object of another file.
    fn create_external_link(
        &self,
        file: &(impl Name + ?Sized),
        object: &(impl Name + ?Sized),
        name: &(impl Name + ?Sized),
    ) -> Result<()> {
        let (file, object, name) = (file.to_c()?, object.to_c()?, name.to_c()?);
        // SAFETY: C strings; HDF5 verifies the location.
        unsafe {
            call!(
                self.handle().session(),
                H5Lcreate_external(
                    file.as_ptr(),
                    object.as_ptr(),
                    self.handle().id(),
                    name.as_ptr(),
                    H5P_DEFAULT,
                    H5P_DEFAULT,
                )
            )
        }
        .map(|_| ())
    }

    /// Creates a link of a user-defined class, which must be registered.
    fn create_user_link(&self, name: &(impl Name + ?Sized), class: i32, value: &[u8]) -> Result<()> {
        let name = name.to_c()?;
        // SAFETY: a C string, and as many bytes as are said; HDF5 verifies the rest.
        unsafe {
            call!(
                self.handle().session(),
                H5Lcreate_ud(
                    self.handle().id(),
                    name.as_ptr(),
                    H5L_type_t(class),
                    value.as_ptr().cast(),
                    value.len(),
                    H5P_DEFAULT,
                    H5P_DEFAULT,
                )
            )
        }
        .map(|_| ())
    }
}

impl<L: Location> Links for L {}

fn iterate(
    location: &impl Location,
    by_creation: bool,
    function: &mut dyn FnMut(hid_t, &CStr, &H5L_info2_t) -> c_int,
) -> Result<c_int> {
    let (session, id) = (location.handle().session(), location.handle().id());
    let index = if by_creation { H5_INDEX_CRT_ORDER } else { H5_INDEX_NAME };
    let mut position = 0;
    Visitor::run(function, |visitor| {
        // SAFETY: the visitor that the callback expects, and a place for the position.
        unsafe {
            call!(
                session,
                H5Literate2(id, index, H5_ITER_INC, &raw mut position, Some(visit::<H5L_info2_t>), visitor,)
            )
        }
    })
}

fn links_by(location: &impl Location, by_creation: bool) -> Result<Vec<Link>> {
    let mut found = Vec::new();
    iterate(location, by_creation, &mut |_, name, info| {
        found.push((name.to_owned(), *info));
        0
    })?;
    found.into_iter().map(|(name, info)| link(location, name, info)).collect()
}

fn link(location: &impl Location, name: CString, info: H5L_info2_t) -> Result<Link> {
    let target = match info.type_ {
        // SAFETY: what HDF5 says of hard links; any bytes are a token.
        H5L_TYPE_HARD => LinkTarget::Hard(unsafe { info.u.token }),
        kind => {
            // SAFETY: what HDF5 says of all other links; any bytes are a number.
            let value = link_value(location, &name, unsafe { info.u.val_size })?;
            match kind {
                H5L_TYPE_SOFT => LinkTarget::Soft(soft_path(&value)),
                H5L_TYPE_EXTERNAL => external(location.handle().session(), &value)?,
                class => LinkTarget::UserDefined { class: class.0, value },
            }
        }
    };
    let creation_order = info.corder_valid.then_some(info.corder);
    Ok(Link { name, target, creation_order, character_set: info.cset })
}

fn link_value(location: &impl Location, name: &CStr, size: usize) -> Result<Vec<u8>> {
    let mut value = vec![0_u8; size];
    let (session, id) = (location.handle().session(), location.handle().id());
    // SAFETY: a C string, and room of the stated size.
    unsafe { call!(session, H5Lget_val(id, name.as_ptr(), value.as_mut_ptr().cast(), size, H5P_DEFAULT)) }?;
    Ok(value)
}

fn soft_path(value: &[u8]) -> CString {
    let text = value.split(|byte| *byte == 0).next().unwrap_or_default();
    CString::new(text).unwrap_or_default()
}

fn external(session: &Session, value: &[u8]) -> Result<LinkTarget> {
    let (mut flags, mut file, mut object) = (0, ptr::null(), ptr::null());
    // SAFETY: as many bytes as are said, of which HDF5 verifies that two texts end inside; places for the answers.
    unsafe {
        call!(
            session,
            H5Lunpack_elink_val(
                value.as_ptr().cast(),
                value.len(),
                &raw mut flags,
                &raw mut file,
                &raw mut object,
            )
        )
    }?;
    // SAFETY: two C strings inside the value.
    let [file, object] = unsafe { [CStr::from_ptr(file), CStr::from_ptr(object)] };
    Ok(LinkTarget::External { file: file.to_owned(), object: object.to_owned() })
}
