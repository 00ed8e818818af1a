//! VOL connectors, and their infos.

use core::ffi::{CStr, c_int, c_void};
use std::rc::Rc;

use h5_abi::{H5P_DEFAULT, H5VL_class_t, hid_t};

use crate::failure::{Failure, Result};
use crate::handle::{Handle, closer, handles};
use crate::name::Name;
use crate::session::Session;

handles! {
    /// A connector that is registered in a library.
    Connector;
}

impl Connector {
    pub(crate) fn of_id(session: &Session, id: hid_t) -> Result<Self> {
        Ok(Self { handle: Handle::new(session, id, closer!(session, H5VLclose)) })
    }

    /// HDF5's own.
    pub fn native(session: &Session) -> Result<Self> {
        // SAFETY: a C string.
        Self::of_id(session, unsafe { call!(session, H5VLget_connector_id_by_name(c"native".as_ptr())) }?)
    }

    /// The one of a name, from a plugin if it is not registered. HDF5's cache of plugins keeps the pointer to the name.
    pub fn by_name(session: &Session, name: &'static CStr) -> Result<Self> {
        // SAFETY: a C string that lives as long as the process.
        let id = unsafe { call!(session, H5VLregister_connector_by_name(name.as_ptr(), H5P_DEFAULT)) }?;
        Self::of_id(session, id)
    }

    /// Registers a connector that is in this process.
    ///
    /// # Safety
    /// The callbacks of the class do what HDF5 asks of them, in this library.
    pub unsafe fn register(session: &Session, class: &'static H5VL_class_t) -> Result<Self> {
        // SAFETY: a complete class that lives as long as the process.
        Self::of_id(session, unsafe { call!(session, H5VLregister_connector(class, H5P_DEFAULT)) }?)
    }

    /// Its info from a text.
    pub fn info(&self, text: &(impl Name + ?Sized)) -> Result<ConnectorInfo> {
        let (session, text) = (self.session(), text.to_c()?);
        let mut raw = core::ptr::null_mut();
        // SAFETY: a C string and a place for the info.
        unsafe { call!(session, H5VLconnector_str_to_info(text.as_ptr(), self.id(), &raw mut raw)) }?;
        ConnectorInfo::of_raw(self, raw)
    }
}

/// A connector's info, as HDF5 holds it.
pub struct ConnectorInfo {
    session: Session,
    connector: hid_t,
    /// Keeps the connector registered, if nobody else does.
    kept: Option<Rc<Connector>>,
    raw: *mut c_void,
    free: unsafe extern "C" fn(hid_t, *mut c_void) -> c_int,
}

impl Drop for ConnectorInfo {
    fn drop(&mut self) {
        // SAFETY: an info of that connector, which is not used again.
        unsafe { (self.free)(self.connector, self.raw) };
    }
}

impl ConnectorInfo {
    /// Takes an info over that HDF5 has made.
    pub(crate) fn of_raw(connector: &Connector, raw: *mut c_void) -> Result<Self> {
        let session = connector.session().clone();
        let free = session.functions().H5VLfree_connector_info()?;
        Ok(Self { session, connector: connector.id(), kept: None, raw, free })
    }

    /// The same, which keeps the connector.
    pub(crate) fn keeping(connector: Connector, raw: *mut c_void) -> Result<Self> {
        let mut info = Self::of_raw(&connector, raw)?;
        info.kept = Some(Rc::new(connector));
        Ok(info)
    }

    /// The pointer for HDF5, if it is an info of this connector.
    pub(crate) fn raw_for(&self, connector: &Connector) -> Result<*const c_void> {
        if self.connector == connector.handle().id_in(&self.session)? {
            Ok(self.raw)
        } else {
            Err(Failure::refused("the info of another connector"))
        }
    }

    /// A copy, made by the connector.
    pub fn copy(&self) -> Result<Self> {
        let mut raw = core::ptr::null_mut();
        // SAFETY: an info of that connector, and a place for the copy.
        unsafe { call!(&self.session, H5VLcopy_connector_info(self.connector, &raw mut raw, self.raw)) }?;
        let (session, kept) = (self.session.clone(), self.kept.clone());
        Ok(Self { session, connector: self.connector, kept, raw, free: self.free })
    }

    /// How it compares with another one, as the connector says: negative, zero, positive.
    pub fn compare(&self, other: &Self) -> Result<c_int> {
        if self.connector != other.connector || !self.session.is_of(other.session.library()) {
            return Err(Failure::refused("the info of another connector"));
        }
        let mut order = 0;
        // SAFETY: two infos of that connector, and a place for the answer.
        unsafe {
            call!(&self.session, H5VLcmp_connector_info(&raw mut order, self.connector, self.raw, other.raw))
        }?;
        Ok(order)
    }

    /// Its text.
    pub fn text(&self) -> Result<String> {
        let mut text = core::ptr::null_mut();
        // SAFETY: an info of that connector, and a place for the text.
        unsafe { call!(&self.session, H5VLconnector_info_to_str(self.raw, self.connector, &raw mut text)) }?;
        // SAFETY: a text that HDF5 has allocated for us, or null.
        let text = unsafe { self.session.take_text(text) }?.unwrap_or_default();
        Ok(text.to_string_lossy().into_owned())
    }
}
