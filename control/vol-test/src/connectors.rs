//! Registering connectors, and access property lists that name them.

use core::ffi::{CStr, c_int, c_void};
use core::marker::PhantomData;

use h5_abi::{H5P_DEFAULT, hid_t};
use h5_vol::{Connector, class_for};

use crate::failure::Result;
use crate::handle::Handle;
use crate::host::{Session, c_string};

/// Connector `C`, registered in a host.
pub struct Connected<'s, C: Connector> {
    handle: Handle<'s>,
    connector: PhantomData<C>,
}

impl<C: Connector> Connected<'_, C> {
    /// Its identifier.
    pub fn id(&self) -> hid_t {
        self.handle.id()
    }

    /// Gives the registration up; the connector terminates when nothing uses it any more.
    pub fn close(self) -> Result<()> {
        self.handle.close()
    }
}

/// A connector's info, as HDF5 holds it.
pub struct ConnectorInfo<'s> {
    session: &'s Session<'s>,
    connector: hid_t,
    raw: *mut c_void,
}

impl Drop for ConnectorInfo<'_> {
    fn drop(&mut self) {
        // SAFETY: an info of that connector, not used again.
        unsafe { (self.session.api().H5VLfree_connector_info)(self.connector, self.raw) };
    }
}

impl ConnectorInfo<'_> {
    /// A copy, made by the connector.
    pub fn copy(&self) -> Result<Self> {
        let mut raw = core::ptr::null_mut();
        // SAFETY: an info of that connector, and an out-pointer.
        self.session.check(unsafe {
            (self.session.api().H5VLcopy_connector_info)(self.connector, &raw mut raw, self.raw)
        })?;
        Ok(Self { session: self.session, connector: self.connector, raw })
    }

    /// How it compares with another one, as the connector says: negative, zero, positive.
    pub fn compare(&self, other: &Self) -> Result<c_int> {
        let mut order = 0;
        // SAFETY: two infos of that connector, and an out-pointer.
        self.session.check(unsafe {
            (self.session.api().H5VLcmp_connector_info)(&raw mut order, self.connector, self.raw, other.raw)
        })?;
        Ok(order)
    }

    /// Its text.
    pub fn text(&self) -> Result<String> {
        let api = self.session.api();
        let mut text = core::ptr::null_mut();
        // SAFETY: an info of that connector, and an out-pointer.
        let status = unsafe { (api.H5VLconnector_info_to_str)(self.raw, self.connector, &raw mut text) };
        self.session.check(status)?;
        if text.is_null() {
            return Ok(String::new());
        }
        // SAFETY: a C string that HDF5 allocated for us.
        let owned = unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned();
        // SAFETY: allocated by HDF5, not used again.
        unsafe { (api.H5free_memory)(text.cast()) };
        Ok(owned)
    }
}

impl Session<'_> {
    /// Registers `C` without a plugin file.
    pub fn register<C: Connector>(&self) -> Result<Connected<'_, C>> {
        // SAFETY: the address lies in an HDF5.
        let class = unsafe { class_for::<C>(self.host().address()) };
        let class = class.unwrap_or_else(|refusal| panic!("{}: {refusal}", self.host().name()));
        let api = self.api();
        // SAFETY: a complete class that lives as long as the process.
        let id = unsafe { (api.H5VLregister_connector)(class, H5P_DEFAULT) };
        Ok(Connected { handle: Handle::new(self, id, api.H5VLclose)?, connector: PhantomData })
    }

    /// Whether a connector of this name is registered.
    pub fn is_registered(&self, name: &CStr) -> bool {
        // SAFETY: a C string.
        unsafe { (self.api().H5VLis_connector_registered_by_name)(name.as_ptr()) > 0 }
    }

    /// Name of the connector on top of an object.
    pub fn connector_of(&self, object: &Handle<'_>) -> Result<String> {
        // SAFETY: a buffer of the stated size or none.
        self.text(|buffer, size| unsafe { (self.api().H5VLget_connector_name)(object.id(), buffer, size) })
    }

    /// A connector's info from its text.
    pub fn info<C: Connector>(&self, connector: &Connected<'_, C>, text: &str) -> Result<ConnectorInfo<'_>> {
        let text = c_string(text);
        let mut raw = core::ptr::null_mut();
        // SAFETY: a C string and an out-pointer.
        self.check(unsafe {
            (self.api().H5VLconnector_str_to_info)(text.as_ptr(), connector.id(), &raw mut raw)
        })?;
        Ok(ConnectorInfo { session: self, connector: connector.id(), raw })
    }

    /// The info in an access property list.
    pub fn info_in<C: Connector>(
        &self,
        access: &Handle<'_>,
        connector: &Connected<'_, C>,
    ) -> Result<ConnectorInfo<'_>> {
        let mut raw = core::ptr::null_mut();
        // SAFETY: an out-pointer; HDF5 verifies the list.
        self.check(unsafe { (self.api().H5Pget_vol_info)(access.id(), &raw mut raw) })?;
        Ok(ConnectorInfo { session: self, connector: connector.id(), raw })
    }

    /// A file access property list for HDF5's own connector.
    pub fn native_access(&self) -> Result<Handle<'_>> {
        let api = self.api();
        // SAFETY: HDF5 verifies the class.
        let list = unsafe { (api.H5Pcreate)(api.H5P_CLS_FILE_ACCESS_ID_g()) };
        Handle::new(self, list, api.H5Pclose)
    }

    /// A file access property list for the connector with an info string; an empty one means no info.
    pub fn access_through<C: Connector>(
        &self,
        connector: &Connected<'_, C>,
        info: &str,
    ) -> Result<Handle<'_>> {
        let access = self.native_access()?;
        let info = if info.is_empty() { None } else { Some(self.info(connector, info)?) };
        let raw = info.as_ref().map_or(core::ptr::null(), |info| info.raw.cast_const());
        // SAFETY: an info of that connector, which is copied, or none.
        self.check(unsafe { (self.api().H5Pset_vol)(access.id(), connector.id(), raw) })?;
        Ok(access)
    }
}
