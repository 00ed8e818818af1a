//! A connector as it runs in one host.

use core::ffi::{CStr, c_int, c_void};
use std::collections::HashSet;
use std::sync::{Mutex, OnceLock, PoisonError};

use h5_abi::H5VL_SUBCLS_DATASET;
use h5_host::Host;
use h5_host::errors::{ErrorClass, Place, preserve, quietly};

use crate::callback::Callback;
use crate::connector::Connector;
use crate::error::Error;

/// One connector in one host, from `initialize` to `terminate` and as long as objects of it exist.
pub(crate) struct Instance<C: Connector> {
    host: Host,
    slot: usize,
    connector: C,
    errors: ErrorClass,
    /// Number of the operation named by [`PassThrough::DATASET_DESCRIPTION`](crate::PassThrough) in this host.
    description: Option<c_int>,
    /// Addresses of the objects that HDF5 holds, kept by terminal connectors only: HDF5 passes them pointers
    /// that need not be theirs (the second file of a comparison).
    held: Mutex<HashSet<usize>>,
    /// Whether the host calls it before it closes anything, once that was asked for.
    before_close: OnceLock<bool>,
}

impl<C: Connector> Instance<C> {
    pub(crate) fn new(host: Host, slot: usize) -> Self {
        let version: &CStr = C::VERSION_TEXT;
        let errors = ErrorClass::register(host, C::NAME, version);
        let description = const { C::METHODS.stacking }
            .and_then(|stacking| stacking.description)
            .and_then(|description| operation_number(host, description.name));
        let (held, before_close) = (Mutex::default(), OnceLock::new());
        Self { host, slot, connector: C::new(host), errors, description, held, before_close }
    }

    pub(crate) fn host(&self) -> Host {
        self.host
    }

    /// Which of the connector's classes this host was given.
    pub(crate) fn slot(&self) -> usize {
        self.slot
    }

    /// Whether the host calls it before it closes anything; `register` is called the first time.
    pub(crate) fn is_called_before_close(&self, register: impl FnOnce(&Self) -> bool) -> bool {
        *self.before_close.get_or_init(|| register(self))
    }

    pub(crate) fn connector(&self) -> &C {
        &self.connector
    }

    /// Whether an optional dataset operation asks for a description.
    pub(crate) fn is_description(&self, operation: Option<c_int>) -> bool {
        operation.is_some() && operation == self.description
    }

    /// Notes whether HDF5 holds the object at this address.
    pub(crate) fn note_held(&self, object: *const c_void, held: bool) {
        if C::METHODS.stacking.is_none() {
            let mut all = self.held.lock().unwrap_or_else(PoisonError::into_inner);
            if held {
                all.insert(object.addr())
            } else {
                all.remove(&object.addr())
            };
        }
    }

    /// Whether HDF5 holds an object of this terminal connector at this address.
    pub(crate) fn holds(&self, object: *const c_void) -> bool {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).contains(&object.addr())
    }

    /// Puts an error on the host's error stack.
    pub(crate) fn report(&self, callback: Callback, error: &Error) {
        match error {
            Error::Below(_) => {}
            Error::Own { kind, message, place } => {
                let place = Place { file: place.file(), function: callback.c_name(), line: place.line() };
                self.errors.push(*kind, place, message);
            }
        }
    }
}

/// The number of a named dataset operation, which is given to it if it has none yet.
fn operation_number(host: Host, name: &CStr) -> Option<c_int> {
    let functions = host.functions();
    let mut number = 0;
    // SAFETY: a valid C string, which the host copies, and a valid out-pointer.
    let find_or_register = || unsafe {
        (functions.H5VLfind_opt_operation)(H5VL_SUBCLS_DATASET, name.as_ptr(), &raw mut number) >= 0
            || (functions.H5VLregister_opt_operation)(H5VL_SUBCLS_DATASET, name.as_ptr(), &raw mut number)
                >= 0
    };
    preserve(host, || quietly(host, find_or_register)).then_some(number)
}
