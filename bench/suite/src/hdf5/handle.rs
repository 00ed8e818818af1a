//! Identifiers that are closed when nobody needs them any more.

use core::mem;

use anyhow::Result;
use h5_abi::{herr_t, hid_t};

use super::Library;

/// How a kind of identifier is closed, and what that is called.
pub(super) type Close = (&'static str, unsafe extern "C" fn(hid_t) -> herr_t);

/// An identifier.
pub(super) struct Handle {
    pub(super) library: &'static Library,
    pub(super) id: hid_t,
    /// Nothing where it belongs to the library.
    close: Option<Close>,
}

impl Handle {
    /// Takes over what `call` returned.
    pub(super) fn new(library: &'static Library, call: &str, id: hid_t, close: Close) -> Result<Self> {
        let id = library.api.check(call, id)?;
        Ok(Self { library, id, close: Some(close) })
    }

    /// One that the library never closes.
    pub(super) fn of_library(library: &'static Library, id: hid_t) -> Self {
        Self { library, id, close: None }
    }

    /// Closes it, and says whether that went well, as dropping it does not.
    pub(super) fn close(self) -> Result<()> {
        let (library, id, close) = (self.library, self.id, self.close);
        mem::forget(self);
        let Some((call, close)) = close else { return Ok(()) };
        // SAFETY: our own identifier, of the kind that this closes.
        library.api.check(call, unsafe { close(id) }).map(|_| ())
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if let Some((_, close)) = self.close {
            // SAFETY: our own identifier, of the kind that this closes. One that went with its file is refused.
            unsafe { close(self.id) };
        }
    }
}
