//! The Bypass VOL connector.
//!
//! It stands on HDF5's native connector (or any other) and takes over the raw data of datasets; names, links,
//! attributes and everything else stay with the connector below.
//!
//! * `read` and `write` turn a call into the engine's request, asking HDF5 where everything is;
//! * `file` and `dataset` decide whose a dataset is, and `anchor` remembers it; `reason` is why it is not ours; `found` knows
//!   which files have identifiers that the application did not open;
//! * `writable` is what handles of a dataset share that can be written, `dirty` its write-back cache, `settle` empties
//!   that, `hand_over` lets native HDF5 do a call in between, `raw_data` watches for calls that move raw data;
//! * `host_filters` finds out whose a filter is and lends ours, `filter_image` is what it tries filters on;
//! * `filters`, `datatypes` and `conversions` turn what HDF5 says into what the data plane does; `decoded` is the
//!   cache of decoded chunks, `ahead` guesses which are wanted next;
//! * `host_conversion` knows which other conversions HDF5 can do for us, `staged` has it do them, in `batches`;
//! * `summary` counts both, for `BYPASS_VOL_STATS`, on a `board` in forked processes, `tally` is what comes of it, as a table
//!   or in a `summary_file`; `traced` records them, for `BYPASS_VOL_TRACE`.

#![deny(unsafe_code)]

mod calls;
mod coherency;
mod configuration;
mod inspect;
mod read;
mod report;
mod run;
mod transfer;
mod write;

use core::ffi::{CStr, c_int};
use std::sync::Arc;

use global_lock::{Committers, GlobalLock, UserCallbackScope};
use h5_host::Questions;
use h5_host::errors::preserve;
use h5_vol::calls::{
    AttributeSpecific, DatasetClose, DatasetCreate, DatasetGet, DatasetOptional, DatasetRead,
    DatasetSpecific, DatasetWrite, FileClose, FileCreate, FileGet, FileOpen, FileOptional, FileSpecific,
    LinkSpecific, ObjectCopy, ObjectGet, ObjectOptional, ObjectSpecific,
};
use h5_vol::views::{ObjectOperation, ObjectQuestion};
use h5_vol::{BelowObject, Connector, Error, Host, NewObject, Object, ObjectKind, Origin, Result};
use pool::Pool;
use trace::Kind;

use coherency::files::{Files, OpenFile};
use coherency::found::FoundFile;
use coherency::handle::{DatasetState, Decision};
use coherency::opening::Anchor;
use configuration::Configuration;
use inspect::{external, host_filters};
use report::description::{self, Thresholds};
use report::reason::Reason;
use report::summary::{self, Direction};
use run::cache;
use run::lock::HostGlobalLock;
use transfer::traced::Traced;
use write::new_dataset;

/// The connector in one host.
pub struct Bypass {
    /// The environment's settings, or what is wrong with them: told when a file is opened.
    configuration: Result<Configuration, configuration::Fault>,
    files: Files,
    lock: GlobalLock,
    committers: Committers,
}

/// What is kept with an open object.
pub struct Data {
    /// The opening of the file that it was reached through.
    anchor: Option<Arc<Anchor>>,
    /// For datasets only.
    dataset: Option<DatasetState>,
    /// For files that were opened, as opposed to found.
    file: Option<Arc<OpenFile>>,
    /// For files that were found.
    _found: Option<FoundFile>,
}

impl Bypass {
    /// A file is about to be opened: the moment to complain about the configuration.
    fn opening_file(&self) -> Result<()> {
        let configuration = self.configuration.as_ref().map_err(Error::configuration)?;
        Pool::global().configure(configuration.threads.map(Into::into), configuration.no_pool);
        cache::configure(configuration);
        if let Some(file) = &configuration.trace {
            let fault = |error| configuration::unwritable(settings::TRACE, file, &error);
            trace::start(file).map_err(|error| Error::configuration(fault(error)))?;
        }
        summary::file_opened(configuration).map_err(Error::configuration)
    }

    /// Whether a dataset is the engine's, apart from what a single call asks for.
    fn decide(&self, dataset: &Object<Self>) -> Result<(), Reason> {
        dataset.host().ask(|questions| self.ours(questions, dataset).map(|_| ()))
    }

    /// A dataset, if it is the engine's.
    fn ours(&self, questions: Questions, dataset: &Object<Self>) -> Decision {
        let below = dataset.below().ok_or(Reason::NotNative)?;
        let state = dataset.data().dataset.as_ref().ok_or(Reason::NotNative)?;
        state.ours(questions, below, &self.files, self.configuration.as_ref().ok())
    }

    fn is_disabled(&self) -> bool {
        self.configuration.as_ref().is_ok_and(|configuration| configuration.disabled)
    }
}

impl Connector for Bypass {
    const NAME: &'static CStr = c"bypass";
    const VALUE: c_int = 518;
    const VERSION: u32 = 1;
    const VERSION_TEXT: &'static CStr = c"0.1.0";
    const DATASET_DESCRIPTION: Option<&'static CStr> = Some(c"h5bypass.explain");

    type Settings = ();
    type Data = Data;

    h5_vol::slots!(Bypass);

    fn new(_host: Host) -> Self {
        external::prefix_of_environment();
        let configuration = Configuration::from_environment();
        if let Ok(configuration) = &configuration {
            summary::prepare(configuration);
        }
        Self {
            configuration,
            files: Files::default(),
            lock: GlobalLock::new(),
            committers: Committers::new(),
        }
    }

    fn terminate(&self) {
        // The next host's call starts new ones; a process that ends has none left to run unloaded code.
        Pool::global().shutdown();
    }

    fn process_forked() {
        pool::after_fork_in_child();
        global_lock::after_fork_in_child();
        cache::after_fork_in_child();
        summary::start_anew();
        trace::after_fork_in_child();
    }

    fn process_exit() {
        summary::tell_if_wanted();
        trace::finish();
    }

    fn attach(&self, origin: &Origin<'_, Self>, kind: ObjectKind, below: &BelowObject) -> Data {
        let is_wrapped = matches!(origin, Origin::Wrapped(_));
        let file = (kind == ObjectKind::File && !is_wrapped)
            .then(|| OpenFile::new(&self.files, below, kind))
            .flatten();
        let anchor = match origin {
            _ if kind == ObjectKind::File && !is_wrapped => {
                let anchor = Anchor::new(file.as_ref());
                if let Origin::Object(before) = origin {
                    self.open_once_more(before.data(), &anchor, file.as_deref());
                }
                Some(Arc::new(anchor))
            }
            Origin::Object(object) => object.data().anchor.clone(),
            // Nothing that must go when the file is closed may depend on an object that perhaps never is.
            Origin::Opened(_) | Origin::Wrapped(_) => None,
        };
        let dataset = (kind == ObjectKind::Dataset).then(|| DatasetState::new(anchor.clone()));
        let found =
            (kind == ObjectKind::File && is_wrapped).then(|| FoundFile::new(&self.files.found, below));
        Data { anchor, dataset, file, _found: found.flatten() }
    }

    fn file_open(&self, call: FileOpen<'_, Self>) -> Result<NewObject<Self>> {
        self.opening_file()?;
        self.open_file(call)
    }

    fn file_create(&self, call: FileCreate<'_, Self>) -> Result<NewObject<Self>> {
        self.opening_file()?;
        self.create_file(call)
    }

    fn file_get(&self, call: FileGet<'_, Self>) -> Result<c_int> {
        self.answer_about_file(call)
    }

    fn file_specific(&self, mut call: FileSpecific<'_, Self>) -> Result<c_int> {
        // Flushes, for one. The rest is flushed also if that fails.
        let settled = call.object.as_ref().map_or(Ok(()), |object| self.settle_file(object));
        let status = call.forward()?;
        settled.map(|()| status)
    }

    fn file_optional(&self, call: FileOptional<'_, Self>) -> Result<c_int> {
        self.file_operation(call)
    }

    fn file_close(&self, call: FileClose<'_, Self>) -> Result<()> {
        let host = call.object.host();
        // Who is in the middle of writing on another thread came first.
        self.committers.wait_for_none(&self.lock, &HostGlobalLock(host));
        let (settled, object) = (self.settle_file(&call.object), Arc::clone(&call.object));
        if let Data { anchor: Some(anchor), file: Some(file), .. } = object.data()
            && Arc::strong_count(anchor) > 1
        {
            host.ask(|questions| self.files.survive(questions, file, anchor));
        }
        let closed = call.forward();
        if let Some(file) = &object.data().file {
            file.close();
        }
        trace::save();
        closed.and(settled)
    }

    fn dataset_create(&self, call: DatasetCreate<'_, Self>) -> Result<NewObject<Self>> {
        if self.is_disabled() {
            return call.forward();
        }
        let is_small = call.object.host().ask(|questions| {
            // Native HDF5 refuses to create a dataset with a filter that it does not have.
            host_filters::lend_for(questions, call.creation);
            new_dataset::is_small_and_contiguous(questions, &call)
        });
        let new = self.create_dataset(call)?;
        self.forget_predecessor(&new);
        if is_small {
            new_dataset::note(&new);
        }
        Ok(new)
    }

    fn dataset_close(&self, call: DatasetClose<'_, Self>) -> Result<()> {
        self.close_dataset(call)
    }

    fn dataset_get(&self, call: DatasetGet<'_, Self>) -> Result<c_int> {
        self.answer_about_dataset(call)
    }

    fn object_copy(&self, call: ObjectCopy<'_, Self>) -> Result<c_int> {
        self.copy_object(call)
    }

    fn object_get(&self, mut call: ObjectGet<'_, Self>) -> Result<c_int> {
        let is_about_file = matches!(call.arguments.view(), ObjectQuestion::File);
        let status = call.forward()?;
        if is_about_file {
            self.file_asked_for(&call.object);
        }
        Ok(status)
    }

    fn object_optional(&self, mut call: ObjectOptional<'_, Self>) -> Result<c_int> {
        // Questions about sizes. What cannot be written is told by a flush, or a close.
        let _ = self.settle_file(&call.object);
        call.forward()
    }

    fn describe_dataset(&self, dataset: &Object<Self>) -> Result<String> {
        let bytes = || {
            let ours = dataset.host().ask(|questions| self.ours(questions, dataset))?;
            Ok(ours.extent().count().saturating_mul(ours.element()))
        };
        let decision = if self.is_disabled() { Err(Reason::Disabled) } else { bytes() };
        let small = self.configuration.as_ref().map_or(0, |configuration| configuration.small_read);
        let thresholds = Thresholds { small, first: small.saturating_mul(read::FIRST_READ) };
        Ok(description::of_dataset(decision, thresholds))
    }

    fn dataset_read(&self, mut call: DatasetRead<'_, Self>) -> Result<c_int> {
        if self.is_disabled() {
            call.parts.iter().for_each(|_| summary::passed_on(Direction::Read, &Reason::Disabled));
            let mut traced = Traced::new(trace::begin(Kind::Read));
            traced.note(&call.parts, 0);
            let _native = traced.native(&Reason::Disabled);
            return call.forward();
        }
        self.read(call)
    }

    fn dataset_write(&self, mut call: DatasetWrite<'_, Self>) -> Result<c_int> {
        if self.is_disabled() {
            call.parts.iter().for_each(|_| summary::passed_on(Direction::Write, &Reason::Disabled));
            let mut traced = Traced::new(trace::begin(Kind::Write));
            traced.note(&call.parts, 0);
            let _native = traced.native(&Reason::Disabled);
            return call.forward();
        }
        self.write(call)
    }

    // These may run a callback of the application, in which native HDF5 holds metadata protected: a read made
    // from there must not give the global lock up.

    fn link_specific(&self, mut call: LinkSpecific<'_, Self>) -> Result<c_int> {
        let _callback = self.user_callback(call.object.host());
        call.forward()
    }

    fn object_specific(&self, mut call: ObjectSpecific<'_, Self>) -> Result<c_int> {
        let settled = match call.arguments.view() {
            ObjectOperation::Flush(_) | ObjectOperation::Refresh(_) => self.settle_file(&call.object),
            _ => Ok(()),
        };
        if call.is_refresh() {
            self.refresh(&call.object);
        }
        let _callback = self.user_callback(call.object.host());
        let status = call.forward()?;
        settled.map(|()| status)
    }

    fn attr_specific(&self, mut call: AttributeSpecific<'_, Self>) -> Result<c_int> {
        let _callback = self.user_callback(call.object.host());
        call.forward()
    }

    fn dataset_specific(&self, call: DatasetSpecific<'_, Self>) -> Result<c_int> {
        self.change_dataset(call)
    }

    fn dataset_optional(&self, call: DatasetOptional<'_, Self>) -> Result<c_int> {
        self.chunk_operation(call)
    }
}

impl Bypass {
    /// Marks this thread as one that a function of the application may be called from.
    fn user_callback(&self, host: Host) -> UserCallbackScope {
        self.committers.wait_for_none(&self.lock, &HostGlobalLock(host));
        UserCallbackScope::enter()
    }

    /// Forgets what is known about a dataset that HDF5 will read anew.
    fn refresh(&self, object: &Object<Self>) {
        if let (Some(state), Some(below)) = (&object.data().dataset, object.below()) {
            preserve(object.host(), || {
                if let Some(shared) = self.shared(object) {
                    shared.outdate();
                }
                state.refresh(below);
            });
        }
    }
}
