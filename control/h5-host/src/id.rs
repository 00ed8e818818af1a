//! Identifiers of a host, borrowed and owned.

use h5_abi::{H5I_INVALID_HID, H5P_DEFAULT, H5S_BLOCK, H5S_PLIST, hid_t};

use crate::errors;
use crate::host::Host;

/// An identifier of some host: a property list, a datatype, a dataspace, a connector. A plain number: HDF5
/// verifies it at each use, so a stale one is an error there and not a danger here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Id(pub hid_t);

impl Id {
    /// `H5P_DEFAULT`, and equally `H5S_ALL` and `H5E_DEFAULT`.
    pub const DEFAULT: Self = Self(H5P_DEFAULT);
    /// `H5S_BLOCK` in place of a memory dataspace: a plain sequence of the selected elements.
    pub const BLOCK: Self = Self(H5S_BLOCK);
    /// `H5S_PLIST` in place of a dataspace: the selection is in the transfer property list.
    pub const IN_TRANSFER_LIST: Self = Self(H5S_PLIST);
    /// What HDF5 returns in place of an identifier when it fails.
    pub const INVALID: Self = Self(H5I_INVALID_HID);

    /// Whether this can be an identifier at all (the default is not one).
    pub fn is_valid(self) -> bool {
        self.0 > 0
    }
}

/// An identifier whose reference is ours: given back when dropped, leaving the error stack as it is.
#[derive(Debug)]
pub struct OwnedId {
    host: Host,
    id: Id,
}

impl OwnedId {
    /// Takes over a reference that HDF5 handed to us; `None` if it is no valid identifier.
    pub fn take(host: Host, id: hid_t) -> Option<Self> {
        let id = Id(id);
        id.is_valid().then_some(Self { host, id })
    }

    /// The identifier, for as long as `self` lives.
    pub fn id(&self) -> Id {
        self.id
    }

    /// The host it belongs to.
    pub fn host(&self) -> Host {
        self.host
    }

    /// Gives the reference to somebody else.
    pub fn into_id(self) -> Id {
        let id = self.id;
        core::mem::forget(self);
        id
    }
}

impl Drop for OwnedId {
    fn drop(&mut self) {
        errors::preserve(self.host, || {
            let functions = self.host.functions();
            // A library that is ending closes identifiers by itself, and would complain.
            // SAFETY: the host verifies the identifier.
            unsafe {
                if (functions.H5Iis_valid)(self.id.0) > 0 {
                    (functions.H5Idec_ref)(self.id.0);
                }
            }
        });
    }
}
