//! Identifiers that close themselves.

use core::fmt;

use h5_abi::{herr_t, hid_t};

use crate::failure::Result;
use crate::host::Session;

/// An open identifier. Dropping it closes it; [`Handle::close`] tells whether that worked.
pub struct Handle<'s> {
    session: &'s Session<'s>,
    id: hid_t,
    close: unsafe extern "C" fn(hid_t) -> herr_t,
}

impl<'s> Handle<'s> {
    pub(crate) fn new(
        session: &'s Session<'s>,
        id: hid_t,
        close: unsafe extern "C" fn(hid_t) -> herr_t,
    ) -> Result<Self> {
        let id = session.check_id(id)?;
        Ok(Self { session, id, close })
    }

    /// The identifier.
    pub fn id(&self) -> hid_t {
        self.id
    }

    /// Closes it.
    pub fn close(self) -> Result<()> {
        let (session, id, close) = (self.session, self.id, self.close);
        core::mem::forget(self);
        // SAFETY: our own identifier.
        session.check(unsafe { close(id) }).map(|_| ())
    }

    /// Leaves it open: the library closes it when it terminates.
    pub fn leave_open(self) -> hid_t {
        let id = self.id;
        core::mem::forget(self);
        id
    }
}

impl Drop for Handle<'_> {
    fn drop(&mut self) {
        // SAFETY: our own identifier.
        unsafe { (self.close)(self.id) };
    }
}

impl fmt::Debug for Handle<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Handle").field(&self.id).finish()
    }
}
