//! Errors of an operation that nobody is waiting for, kept until somebody asks what went wrong.

use h5_host::errors::preserve;
use h5_host::{Id, OwnedId};

use crate::callback::Callback;
use crate::connector::Connector;
use crate::error::Error;
use crate::object::Object;

/// An error stack that was put aside.
#[derive(Debug)]
pub struct KeptErrors {
    stack: OwnedId,
}

impl KeptErrors {
    /// A reference to the stack for the application, which gives it back when it is done with it. `None` if the host is
    /// ending.
    pub fn hand_out(&self) -> Option<Id> {
        let (host, id) = (self.stack.host(), self.stack.id());
        // SAFETY: the host verifies the identifier.
        preserve(host, || unsafe { (host.functions().H5Iinc_ref)(id.0) > 0 }).then_some(id)
    }
}

impl<C: Connector> Object<C> {
    /// Takes everything off the error stack, after this error was put on top of it, as if this callback had failed.
    pub fn keep_errors(&self, callback: Callback, error: &Error) -> Option<KeptErrors> {
        let host = self.host();
        self.instance().report(callback, error);
        // SAFETY: takes no pointers; moves the current stack into a new identifier.
        let stack = unsafe { (host.functions().H5Eget_current_stack)() };
        OwnedId::take(host, stack).map(|stack| KeptErrors { stack })
    }
}
