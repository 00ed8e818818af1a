//! What all objects of a file have in common, and objects of any kind.

use core::ffi::c_int;
use core::mem::MaybeUninit;
use std::ffi::CStr;

use h5_abi::{
    H5_INDEX_NAME, H5_ITER_INC, H5F_SCOPE_GLOBAL, H5I_DATASET, H5I_DATATYPE, H5I_GROUP, H5O_INFO_ALL,
    H5O_INFO_BASIC, H5O_info2_t, H5P_DEFAULT, H5R_ref_t, hid_t,
};

use crate::dataset::Dataset;
use crate::datatype::Datatype;
use crate::failure::{Failure, Result};
use crate::file::File;
use crate::group::{Group, Location};
use crate::handle::{Handle, closer};
use crate::iteration::{Visitor, visit};
use crate::name::Name;
use crate::properties::DatasetAccess;
use crate::session::Session;

/// What `H5Oget_info` tells: kind, token, references, times and number of attributes.
pub type ObjectInfo = H5O_info2_t;

/// An object of a file.
pub trait Object {
    /// Its handle.
    fn handle(&self) -> &Handle;

    /// What HDF5 knows about it.
    fn info(&self) -> Result<ObjectInfo> {
        let (session, id) = (self.handle().session(), self.handle().id());
        let mut info = MaybeUninit::<ObjectInfo>::zeroed();
        // SAFETY: room for the information.
        unsafe { call!(session, H5Oget_info3(id, info.as_mut_ptr(), H5O_INFO_ALL)) }?;
        // SAFETY: all-zero bytes are valid, and HDF5 has filled it in.
        Ok(unsafe { info.assume_init() })
    }

    /// Its path in the file.
    fn path(&self) -> Result<String> {
        self.handle().session().id_name(self.handle().id())
    }

    /// The name of its file.
    fn file_name(&self) -> Result<String> {
        let (session, id) = (self.handle().session(), self.handle().id());
        let get = session.functions().H5Fget_name()?;
        // SAFETY: a buffer of the stated size or none.
        let name = session.ask_text("H5Fget_name", |buffer, size| unsafe { get(id, buffer, size) })?;
        Ok(name.to_string_lossy().into_owned())
    }

    /// Its file.
    fn file(&self) -> Result<File> {
        let session = self.handle().session();
        // SAFETY: our own identifier.
        File::of_id(session, unsafe { call!(session, H5Iget_file_id(self.handle().id())) }?)
    }

    /// Name of the connector that serves it; nothing if the library is too old to tell.
    fn connector(&self) -> Result<Option<String>> {
        let (session, id) = (self.handle().session(), self.handle().id());
        let Ok(get) = session.functions().H5VLget_connector_name() else { return Ok(None) };
        let call = "H5VLget_connector_name";
        let mut name = [0_u8; 256];
        // SAFETY: room of the stated size.
        session.check(call, unsafe { get(id, name.as_mut_ptr().cast(), name.len()) })?;
        let name = CStr::from_bytes_until_nul(&name)
            .map_err(|_| Failure::refused(format!("{call} returned a text without an end")))?;
        Ok(Some(name.to_string_lossy().into_owned()))
    }

    /// Flushes its whole file (`H5Fflush`).
    fn flush_file(&self) -> Result<()> {
        let session = self.handle().session();
        // SAFETY: our own identifier.
        unsafe { call!(session, H5Fflush(self.handle().id(), H5F_SCOPE_GLOBAL)) }.map(|_| ())
    }

    /// Calls the function with each object from here on, itself first, each object once, in the order of names. The
    /// function returns zero to go on, a positive number to stop, a negative one to fail.
    fn visit_objects(&self, mut function: impl FnMut(hid_t, &CStr, &ObjectInfo) -> c_int) -> Result<c_int>
    where
        Self: Sized,
    {
        let (session, id) = (self.handle().session(), self.handle().id());
        Visitor::run(&mut function, |visitor| {
            // SAFETY: the visitor that the callback expects.
            unsafe {
                call!(
                    session,
                    H5Ovisit3(
                        id,
                        H5_INDEX_NAME,
                        H5_ITER_INC,
                        Some(visit::<ObjectInfo>),
                        visitor,
                        H5O_INFO_BASIC,
                    )
                )
            }
        })
    }
}

/// An object of any kind.
#[derive(Debug)]
pub enum AnyObject {
    /// A group.
    Group(Group),
    /// A dataset.
    Dataset(Dataset),
    /// A committed datatype.
    Datatype(Datatype),
}

impl Object for AnyObject {
    fn handle(&self) -> &Handle {
        match self {
            Self::Group(group) => group.handle(),
            Self::Dataset(dataset) => dataset.handle(),
            Self::Datatype(datatype) => datatype.handle(),
        }
    }
}

impl AnyObject {
    /// Takes an object over that HDF5 has just opened.
    pub(crate) fn of_id(session: &Session, id: hid_t) -> Result<Self> {
        let handle = Handle::new(session, id, closer!(session, H5Oclose));
        match session.id_kind(id)? {
            H5I_GROUP => Ok(Self::Group(Group { handle })),
            H5I_DATASET => Ok(Self::Dataset(Dataset { handle })),
            H5I_DATATYPE => Ok(Self::Datatype(Datatype { handle })),
            kind => Err(Failure::refused(format!("an object of the kind {}", kind.0))),
        }
    }

    /// Opens the object of a name. `.` is the object itself, of whatever kind it is.
    pub fn open(location: &(impl Object + ?Sized), name: &(impl Name + ?Sized)) -> Result<Self> {
        Self::open_with(location, name, None)
    }

    /// The same with a list that says how links are followed.
    pub fn open_with(
        location: &(impl Object + ?Sized),
        name: &(impl Name + ?Sized),
        access: Option<&DatasetAccess>,
    ) -> Result<Self> {
        let (session, name) = (location.handle().session(), name.to_c()?);
        let access = access.map_or(Ok(H5P_DEFAULT), |list| list.handle().id_in(session))?;
        // SAFETY: a C string; HDF5 verifies the location and the list.
        let id = unsafe { call!(session, H5Oopen(location.handle().id(), name.as_ptr(), access)) }?;
        Self::of_id(session, id)
    }

    /// Opens the object with a token, as links and [`Object::info`] have it.
    pub fn by_token(location: &(impl Object + ?Sized), token: h5_abi::H5O_token_t) -> Result<Self> {
        let session = location.handle().session();
        // SAFETY: the connector verifies the token.
        Self::of_id(session, unsafe { call!(session, H5Oopen_by_token(location.handle().id(), token)) }?)
    }

    /// Opens the object of a name by way of a reference to it (`H5Rcreate_object`, `H5Ropen_object`).
    pub fn by_reference(location: &(impl Location + ?Sized), name: &(impl Name + ?Sized)) -> Result<Self> {
        let (session, name) = (location.handle().session(), name.to_c()?);
        let destroy = session.functions().H5Rdestroy()?;
        let mut reference = MaybeUninit::<H5R_ref_t>::zeroed();
        // SAFETY: a C string and room for a reference.
        unsafe {
            call!(
                session,
                H5Rcreate_object(location.handle().id(), name.as_ptr(), H5P_DEFAULT, reference.as_mut_ptr(),)
            )
        }?;
        // SAFETY: the reference just made.
        let opened = unsafe {
            session
                .functions()
                .H5Ropen_object()
                .map(|open| open(reference.as_mut_ptr(), H5P_DEFAULT, H5P_DEFAULT))
        };
        let opened = opened.and_then(|id| session.check("H5Ropen_object", id));
        // SAFETY: the reference made above, which is not used again.
        unsafe { destroy(reference.as_mut_ptr()) };
        Self::of_id(session, opened?)
    }

    /// The dataset that it is.
    pub fn into_dataset(self) -> Result<Dataset> {
        match self {
            Self::Dataset(dataset) => Ok(dataset),
            _ => Err(Failure::refused("the object is not a dataset")),
        }
    }
}
