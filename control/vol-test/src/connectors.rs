//! Registering connectors, and access property lists that name them.

use core::ffi::CStr;
use core::marker::PhantomData;

use h5_abi::hid_t;
use h5_client::{ConnectorInfo, FileAccess, Object, Result};
use h5_vol::{Connector, class_for};

use crate::host::Session;

/// Connector `C`, registered in a host.
pub struct Connected<C: Connector> {
    registered: h5_client::Connector,
    connector: PhantomData<C>,
}

impl<C: Connector> Connected<C> {
    /// Its identifier.
    pub fn id(&self) -> hid_t {
        self.registered.id()
    }

    /// Gives the registration up; the connector terminates when nothing uses it any more.
    pub fn close(self) -> Result<()> {
        self.registered.close()
    }

    /// Leaves it to the library.
    pub fn leave_open(self) -> hid_t {
        self.registered.leave_open()
    }
}

impl Session<'_> {
    /// Registers `C` without a plugin file.
    ///
    /// # Panics
    /// If the framework refuses the host.
    pub fn register<C: Connector>(&self) -> Result<Connected<C>> {
        // SAFETY: the address lies in an HDF5.
        let class = unsafe { class_for::<C>(self.host().address()) };
        let class = class.unwrap_or_else(|refusal| panic!("{}: {refusal}", self.host().name()));
        // SAFETY: the framework has made the class for this host.
        let registered = unsafe { h5_client::Connector::register(&self.h5, class) }?;
        Ok(Connected { registered, connector: PhantomData })
    }

    /// Whether a connector of this name is registered.
    ///
    /// # Panics
    /// If HDF5 cannot tell.
    pub fn is_registered(&self, name: &CStr) -> bool {
        self.h5.is_registered(name).expect("an answer")
    }

    /// Name of the connector on top of an object.
    pub fn connector_of(&self, object: &impl Object) -> Result<String> {
        Ok(object.connector()?.unwrap_or_default())
    }

    /// A connector's info from its text.
    pub fn info<C: Connector>(&self, connector: &Connected<C>, text: &str) -> Result<ConnectorInfo> {
        connector.registered.info(text)
    }

    /// The info in an access property list.
    pub fn info_in(&self, access: &FileAccess) -> Result<ConnectorInfo> {
        access.connector_info()
    }

    /// A file access property list for HDF5's own connector.
    pub fn native_access(&self) -> Result<FileAccess> {
        FileAccess::native(&self.h5)
    }

    /// A file access property list for the connector with an info string; an empty one means no info.
    pub fn access_through<C: Connector>(&self, connector: &Connected<C>, info: &str) -> Result<FileAccess> {
        let info = if info.is_empty() { None } else { Some(self.info(connector, info)?) };
        FileAccess::through(&connector.registered, info.as_ref())
    }
}
