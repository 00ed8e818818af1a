//! Calls of HDF5's public functions from inside a callback.

use core::ffi::{CStr, c_uint, c_void};

use h5_abi::{H5E_WALK_UPWARD, H5E_error2_t, H5P_DEFAULT, herr_t, hid_t};
use h5_host::errors::{preserve, quietly};
use h5_vol::{Host, Id, OwnedId};

use crate::failure::{Failure, Outcome};
use crate::functions::{Functions, Table};

pub(crate) const DEFAULT: hid_t = H5P_DEFAULT;

/// One libhdf5, for calls on other sides. To be used inside its callbacks only.
#[derive(Clone, Copy)]
pub struct Hdf5 {
    host: Host,
    table: &'static Table,
}

/// Calls a function of HDF5 and checks its result, leaving the application's error stack as it is. The caller vouches for the
/// arguments.
macro_rules! call {
    ($hdf5:expr, $name:ident($($argument:expr),* $(,)?)) => {{
        let hdf5: $crate::Hdf5 = $hdf5;
        let function = hdf5.functions().$name()?;
        hdf5.checked(stringify!($name), || function($($argument),*))
    }};
}

/// What HDF5's functions return if they fail.
pub(crate) trait Checked: Copy {
    fn has_failed(self) -> bool;
}

impl Checked for herr_t {
    fn has_failed(self) -> bool {
        self < 0
    }
}

impl Checked for hid_t {
    fn has_failed(self) -> bool {
        self < 0
    }
}

impl Checked for isize {
    fn has_failed(self) -> bool {
        self < 0
    }
}

impl Hdf5 {
    /// That of a host.
    pub fn of(host: Host) -> Self {
        Self { host, table: Table::of(host) }
    }

    /// The host.
    pub fn host(self) -> Host {
        self.host
    }

    pub(crate) fn functions(self) -> &'static Functions {
        &self.table.functions
    }

    pub(crate) fn identifier(self, name: &str) -> Outcome<Id> {
        Ok(self.table.identifier(name)?)
    }

    /// Makes a call and checks its result.
    pub(crate) fn checked<R: Checked>(self, name: &str, call: impl FnOnce() -> R) -> Outcome<R> {
        preserve(self.host, || {
            quietly(self.host, || {
                let result = call();
                if result.has_failed() {
                    return Err(Failure::new(format!("{name}: {}", self.reason())));
                }
                Ok(result)
            })
        })
    }

    /// Takes over an identifier that a call returned.
    pub(crate) fn own(self, id: hid_t) -> Outcome<OwnedId> {
        OwnedId::take(self.host, id).ok_or_else(|| Failure::new("HDF5 returned no identifier"))
    }

    /// Closes an object, and tells whether that worked. `OwnedId` cannot tell.
    pub fn close(self, id: OwnedId) -> Outcome<()> {
        let functions = self.host.functions();
        // A library that is ending closes identifiers by itself.
        // SAFETY: the host verifies the identifier.
        if preserve(self.host, || unsafe { (functions.H5Iis_valid)(id.id().0) }) <= 0 {
            return Ok(());
        }
        let id = id.into_id();
        // SAFETY: as above; the reference is given back.
        self.checked("close", || unsafe { (functions.H5Idec_ref)(id.0) }).map(|_| ())
    }

    /// The first entry of the error stack, which is the cause, and the last one, which is the call.
    fn reason(self) -> String {
        unsafe extern "C" fn visit(_: c_uint, entry: *const H5E_error2_t, data: *mut c_void) -> herr_t {
            // SAFETY: the data is the list below, used by nobody else; HDF5 passes null or a valid entry.
            let (found, entry) = unsafe { (&mut *data.cast::<Vec<String>>(), entry.as_ref()) };
            if let Some(text) = entry.map(|entry| entry.desc).filter(|text| !text.is_null()) {
                // SAFETY: a C string that lives as long as the entry.
                found.push(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned());
            }
            0
        }
        let mut found: Vec<String> = Vec::new();
        // SAFETY: the function and its data fit each other; both are valid for the call.
        unsafe {
            (self.host.functions().H5Ewalk2)(DEFAULT, H5E_WALK_UPWARD, Some(visit), (&raw mut found).cast())
        };
        match (found.first(), found.last()) {
            (Some(first), Some(last)) if first != last => format!("{last}: {}", plain(first)),
            (Some(first), _) => plain(first).to_owned(),
            (None, _) => "failed without a reason".to_owned(),
        }
    }
}

/// The system's own words, if the reason has them. Clients look for the number of the error in messages, and would take it for that of
/// the application's file.
fn plain(reason: &str) -> &str {
    let words = reason.split_once("error message = '").and_then(|(_, rest)| rest.split_once('\''));
    words.map_or(reason, |(words, _)| words)
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn numbers_of_errors_are_left_out() {
        let reason = "unable to open file: name = 'x', errno = 2, error message = 'No such file or directory', flags = 0";
        assert_eq!(plain(reason), "No such file or directory");
        assert_eq!(plain("truncated file"), "truncated file");
    }
}
