//! The callback for all other operations outside the interface.

use core::ffi::{c_int, c_void};
use std::sync::Arc;

use h5_abi::hid_t;
use h5_host::Id;

use super::argument::{Argument, OptionalOperation};
use super::{RequestSlot, call_below, method, status, status_call, with_object};
use crate::callback::Callback;
use crate::connector::Connector;
use crate::error::Result;
use crate::methods::PassThrough;
use crate::object::Object;

status_call! {
    /// An operation that belongs to no part of the interface.
    Optional: Optional, optional, H5VLoptional / optional {
        /// What is to be done.
        operation: OptionalOperation<'static>,
    }
}
