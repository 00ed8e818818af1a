//! `libh5idle_vol.so`: asynchronous reads that do nothing, and are done as soon as somebody asks.
//!
//! What such a call takes is what HDF5's event sets, its layers for connectors and our framework cost every connector. The benchmark
//! measures it beside the calls of `bypass`.

#![forbid(unsafe_code)]

use core::ffi::{CStr, c_int};

use h5_vol::calls::{DatasetRead, RequestCancel, RequestFree, RequestStatus, RequestWait};
use h5_vol::{BelowObject, Connector, Host, Methods, ObjectKind, Origin, PassThrough, Result};

/// The connector.
pub struct Idle;

impl Connector for Idle {
    const NAME: &'static CStr = c"idle";
    const VALUE: c_int = 689;
    const VERSION: u32 = 1;
    const VERSION_TEXT: &'static CStr = c"1";
    const METHODS: Methods<Self> = Methods::pass_through();

    type Settings = ();
    type Data = ();

    h5_vol::slots!(Idle);

    fn new(_: Host) -> Self {
        Self
    }
}

impl PassThrough for Idle {
    fn attach(&self, _: &Origin<'_, Self>, _: ObjectKind, _: &BelowObject) {}

    fn dataset_read(&self, call: DatasetRead<'_, Self>) -> Result<c_int> {
        match &*call.parts {
            [part] if call.request.is_asynchronous() => call.request.give(&part.dataset, ()).map(|()| 0),
            _ => call.forward(),
        }
    }

    fn request_wait(&self, mut call: RequestWait<'_, Self>) -> Result<c_int> {
        call.answer(RequestStatus::Succeeded);
        Ok(0)
    }

    fn request_cancel(&self, mut call: RequestCancel<'_, Self>) -> Result<c_int> {
        call.answer(RequestStatus::Succeeded);
        Ok(0)
    }

    fn request_free(&self, _: RequestFree<Self>) -> Result<()> {
        Ok(())
    }
}

h5_vol::export!(Idle);
