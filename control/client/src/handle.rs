//! Identifiers that close themselves.

use core::fmt;
use core::mem::ManuallyDrop;

use h5_abi::{herr_t, hid_t};

use crate::failure::{Failure, Result};
use crate::session::Session;

/// The function that closes a kind of identifier, and its name.
pub(crate) type Close = (&'static str, unsafe extern "C" fn(hid_t) -> herr_t);

/// The function of this name, for [`Handle::new`].
macro_rules! closer {
    ($session:expr, $name:ident) => {
        (stringify!($name), $session.functions().$name()?)
    };
}

pub(crate) use closer;

/// An open identifier of a library. Dropping it closes it; [`Handle::close`] tells whether that worked.
pub struct Handle {
    session: Session,
    id: hid_t,
    /// Nothing if it belongs to the library.
    close: Option<Close>,
}

impl Handle {
    /// Takes an identifier over that HDF5 has just returned.
    pub(crate) fn new(session: &Session, id: hid_t, close: Close) -> Self {
        Self { session: session.clone(), id, close: Some(close) }
    }

    /// An identifier that the library never closes.
    pub(crate) fn of_library(session: &Session, id: hid_t) -> Self {
        Self { session: session.clone(), id, close: None }
    }

    /// The identifier.
    pub fn id(&self) -> hid_t {
        self.id
    }

    /// The turn that it holds.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The identifier, if it is one of the same library: in another one it would mean something else.
    pub(crate) fn id_in(&self, session: &Session) -> Result<hid_t> {
        if session.is_of(self.session.library()) {
            Ok(self.id)
        } else {
            Err(Failure::refused("identifiers of two libraries in one call"))
        }
    }

    /// Closes it. The identifier is given up even if that fails.
    pub fn close(self) -> Result<()> {
        let (session, id, close) = self.into_parts();
        let Some((name, close)) = close else { return Ok(()) };
        // SAFETY: our own identifier, of the kind that this closes.
        session.check(name, unsafe { close(id) }).map(|_| ())
    }

    /// Leaves it open: the library closes it when it terminates.
    pub fn leave_open(self) -> hid_t {
        self.into_parts().1
    }

    fn into_parts(self) -> (Session, hid_t, Option<Close>) {
        let this = ManuallyDrop::new(self);
        // SAFETY: `this` is not dropped, so the session is moved out once.
        (unsafe { core::ptr::read(&raw const this.session) }, this.id, this.close)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if let Some((_, close)) = self.close {
            // SAFETY: our own identifier, of the kind that this closes. HDF5 refuses one that went with its file.
            unsafe { close(self.id) };
        }
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Handle").field(&self.id).finish()
    }
}

/// Declares a kind of handle.
macro_rules! handles {
    ($($(#[$meta:meta])* $name:ident;)+) => {
        $(
            $(#[$meta])*
            #[derive(Debug)]
            pub struct $name {
                pub(crate) handle: $crate::handle::Handle,
            }

            impl $name {
                /// Its handle.
                pub fn handle(&self) -> &$crate::handle::Handle {
                    &self.handle
                }

                /// Its identifier.
                pub fn id(&self) -> h5_abi::hid_t {
                    self.handle.id()
                }

                /// The turn that it holds.
                pub fn session(&self) -> &$crate::Session {
                    self.handle.session()
                }

                /// Closes it, and tells whether that worked.
                pub fn close(self) -> $crate::Result<()> {
                    self.handle.close()
                }

                /// Leaves it open: the library closes it when it terminates.
                pub fn leave_open(self) -> h5_abi::hid_t {
                    self.handle.leave_open()
                }
            }
        )+
    };
}

pub(crate) use handles;
