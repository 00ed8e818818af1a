//! The Bypass VOL connector.
//!
//! It is placed on HDF5's native connector (or any other) and takes over the raw data of datasets. Names, links, attributes and
//! everything else stay with the connector below.
//!
//! The rooms, from the bottom up. No room uses one that comes after it:
//!
//! * `report`: reasons for leaving data to native HDF5, failures, and what is counted;
//! * `run`: the locks, the application's memory, the cache and the engine;
//! * `inspect`: what HDF5 says about files and datasets, turned into what the data plane understands;
//! * `requests`: operations that go on after the call that has begun them;
//! * `coherency`: who owns the bytes of a dataset, what its handles share, and when changes reach the file;
//! * `transfer`: the steps of every read and write;
//! * `read` and `write`: what each does in these steps;
//! * `calls`: other calls that concern raw data.
//!
//! This file has the connector itself, which only says what serves each callback.

#![deny(unsafe_code)]

mod calls;
mod coherency;
mod configuration;
mod inspect;
mod read;
mod report;
mod requests;
mod run;
mod transfer;
mod write;

use core::ffi::{CStr, c_int};
use std::sync::{Arc, OnceLock};

use h5_vol::calls::{
    AttributeSpecific, BlobPut, BlobSpecific, DatasetClose, DatasetCreate, DatasetGet, DatasetOptional,
    DatasetRead, DatasetSpecific, DatasetWrite, FileClose, FileCreate, FileGet, FileOpen, FileOptional,
    FileSpecific, LinkSpecific, ObjectCopy, ObjectGet, ObjectOptional, ObjectSpecific, RequestCancel,
    RequestFree, RequestNotify, RequestOptional, RequestSpecific, RequestWait,
};
use h5_vol::{
    BelowObject, Connector, Host, Lends, Methods, NewObject, Object, ObjectKind, Origin, PassThrough, Result,
};
use pool::Pool;

use coherency::files::Files;
use coherency::found::FoundFile;
use coherency::handle::DatasetHandle;
use coherency::heaps::HeapOfFile;
use coherency::open_file::OpenFile;
use coherency::opening::Opening;
use configuration::Configuration;
use inspect::external;
use report::summary;
use requests::registry::Requests;
use requests::request::Request;
use run::locks::Locks;
use run::{cache, heap_top};

/// The connector in one host.
pub struct Bypass {
    /// The environment's settings, or what is wrong with them, which is reported when a file is opened.
    configuration: Result<Configuration, configuration::Fault>,
    files: Files,
    locks: Locks,
    requests: Requests,
}

/// What is kept with an open object.
pub struct Data {
    /// The opening of the file that it was reached through.
    opening: Option<Arc<Opening>>,
    /// For datasets only.
    dataset: Option<DatasetHandle>,
    /// For files that were opened, as opposed to found.
    file: Option<Arc<OpenFile>>,
    /// For files that were found.
    _found: Option<FoundFile>,
    /// For files that values of variable length were stored in, or deleted.
    heap: OnceLock<Option<HeapOfFile>>,
    /// For requests only.
    request: Option<Arc<Request>>,
}

impl Data {
    fn of_request(request: Arc<Request>) -> Self {
        Self {
            opening: None,
            dataset: None,
            file: None,
            _found: None,
            heap: OnceLock::new(),
            request: Some(request),
        }
    }
}

impl Bypass {
    fn is_disabled(&self) -> bool {
        self.configuration.as_ref().is_ok_and(|configuration| configuration.disabled)
    }
}

impl Connector for Bypass {
    const NAME: &'static CStr = c"bypass";
    const VALUE: c_int = 518;
    const VERSION: u32 = 1;
    const VERSION_TEXT: &'static CStr = h5_vol::version_text!();
    const METHODS: Methods<Self> = Methods::pass_through();
    const CAPABILITIES: u64 = h5_vol::ASYNCHRONOUS;

    type Settings = ();
    type Data = Data;

    h5_vol::slots!(Bypass);

    fn new(_host: Host) -> Self {
        external::prefix_of_environment();
        let configuration = Configuration::from_environment();
        if let Ok(configuration) = &configuration {
            summary::prepare(configuration);
            if !configuration.disabled {
                heap_top::keep();
            }
        }
        Self { configuration, files: Files::default(), locks: Locks::new(), requests: Requests::new() }
    }

    fn library_closes(&self, host: Host) {
        self.finish_at_the_end(host);
    }

    fn terminate(&self) {
        // The next host's call starts new ones; a process that ends has none left to run unloaded code.
        Pool::global().shutdown();
    }

    fn process_forked() {
        pool::after_fork_in_child();
        global_lock::after_fork_in_child();
        cache::after_fork_in_child();
        write::deferred::after_fork_in_child();
        summary::start_anew();
        trace::after_fork_in_child();
    }

    fn process_exit() {
        summary::tell_if_wanted();
        trace::finish();
    }

    fn answer(question: &str) -> core::result::Result<String, String> {
        report::questions::answer(question)
    }
}

impl PassThrough for Bypass {
    const DATASET_DESCRIPTION: Option<&'static CStr> = Some(c"h5bypass.explain");

    fn attach(&self, origin: &Origin<'_, Self>, kind: ObjectKind, below: &BelowObject) -> Data {
        self.data_of(origin, kind, below)
    }

    fn file_open(&self, call: FileOpen<'_, Self>) -> Result<NewObject<Self>> {
        self.open_file(call)
    }

    fn file_create(&self, call: FileCreate<'_, Self>) -> Result<NewObject<Self>> {
        self.create_file(call)
    }

    fn file_get(&self, call: FileGet<'_, Self>) -> Result<c_int> {
        self.answer_about_file(call)
    }

    fn file_specific(&self, call: FileSpecific<'_, Self>) -> Result<c_int> {
        self.change_file(call)
    }

    fn file_optional(&self, call: FileOptional<'_, Self>) -> Result<c_int> {
        self.file_operation(call)
    }

    fn file_close(&self, call: FileClose<'_, Self>) -> Result<()> {
        self.close_file(call)
    }

    fn dataset_create(&self, call: DatasetCreate<'_, Self>) -> Result<NewObject<Self>> {
        self.create_dataset(call)
    }

    fn dataset_read(&self, call: DatasetRead<'_, Self>) -> Result<c_int> {
        self.transfer(&call)
    }

    fn dataset_write(&self, call: DatasetWrite<'_, Self>) -> Result<c_int> {
        self.transfer(&call)
    }

    fn dataset_get(&self, call: DatasetGet<'_, Self>) -> Result<c_int> {
        self.answer_about_dataset(call)
    }

    fn dataset_specific(&self, call: DatasetSpecific<'_, Self>) -> Result<c_int> {
        self.change_dataset(call)
    }

    fn dataset_optional(&self, call: DatasetOptional<'_, Self>) -> Result<c_int> {
        self.chunk_operation(call)
    }

    fn dataset_close(&self, call: DatasetClose<'_, Self>) -> Result<()> {
        self.close_dataset(call)
    }

    fn describe_dataset(&self, dataset: &Object<Self>) -> Result<String> {
        Ok(self.explain_dataset(dataset))
    }

    fn object_copy(&self, call: ObjectCopy<'_, Self>) -> Result<c_int> {
        self.copy_object(call)
    }

    fn object_get(&self, call: ObjectGet<'_, Self>) -> Result<c_int> {
        self.answer_about_object(call)
    }

    fn object_specific(&self, call: ObjectSpecific<'_, Self>) -> Result<c_int> {
        self.change_object(call)
    }

    fn object_optional(&self, call: ObjectOptional<'_, Self>) -> Result<c_int> {
        self.object_operation(call)
    }

    fn blob_put(&self, call: BlobPut<'_, Self>) -> Result<c_int> {
        self.put_blob(call)
    }

    fn blob_specific(&self, call: BlobSpecific<'_, Self>) -> Result<c_int> {
        self.change_blob(call)
    }

    fn request_wait(&self, call: RequestWait<'_, Self>) -> Result<c_int> {
        self.wait_for_request(call)
    }

    fn request_notify(&self, call: RequestNotify<Self>) -> Result<c_int> {
        self.notify_of_request(call)
    }

    fn request_cancel(&self, call: RequestCancel<'_, Self>) -> Result<c_int> {
        self.cancel_request(call)
    }

    fn request_specific(&self, call: RequestSpecific<'_, Self>) -> Result<c_int> {
        Self::answer_about_request(call)
    }

    fn request_optional(&self, call: RequestOptional<'_, Self>) -> Result<c_int> {
        Self::request_operation(call)
    }

    fn request_free(&self, call: RequestFree<Self>) -> Result<()> {
        self.free_request(call)
    }

    // These may run a function of the application.

    fn link_specific(&self, mut call: LinkSpecific<'_, Self>) -> Result<c_int> {
        let _callback = self.locks.user_callback(call.object.host());
        call.forward()
    }

    fn attr_specific(&self, mut call: AttributeSpecific<'_, Self>) -> Result<c_int> {
        let _callback = self.locks.user_callback(call.object.host());
        call.forward()
    }
}

impl Lends for Bypass {
    const LENDER: &'static CStr = c"bypass_lender";
    h5_vol::lends!(Bypass);
}
