//! The statistics connector: counts and times every VOL callback, and the bytes of dataset I/O by file and
//! dataset. It changes nothing: every call goes on to the connector below.
//!
//! When the process ends, it prints a table to stderr, or writes to the file that `H5STATS_OUT` names (`%p` in the name
//! becomes the process id): a page if that ends in `.html`, otherwise JSON. A process that opened no file through it prints nothing.
//!
//! ```text
//! HDF5_VOL_CONNECTOR="h5stats under_vol=0;under_info={}"                                over native
//! HDF5_VOL_CONNECTOR="h5stats under_vol=518;under_info={under_vol=0;under_info={}}"     over bypass
//! ```

#![forbid(unsafe_code)]

mod counters;
mod json;
mod output;
mod page;
mod registry;
mod sizes;
mod table;
mod timeline;
mod volume;

use core::ffi::{CStr, c_int};
use std::sync::Arc;
use std::time::Instant;

use h5_vol::calls::{DatasetClose, DatasetPart, DatasetRead, DatasetWrite, FileCreate, FileOpen, ObjectCopy};
use h5_vol::{
    BelowObject, Callback, Connector, Host, Lends, Methods, NewObject, ObjectKind, Origin, PassThrough,
    Result,
};

use counters::Direction;
use registry::{DatasetEntry, Registry};
use timeline::Kind;

/// The connector in one host.
pub struct Stats {
    host: Host,
}

impl Connector for Stats {
    const NAME: &'static CStr = c"h5stats";
    const VALUE: c_int = 519;
    const VERSION: u32 = 1;
    const VERSION_TEXT: &'static CStr = c"0.1.0";
    const METHODS: Methods<Self> = Methods::pass_through();

    type Settings = ();
    /// The dataset's entry, for datasets.
    type Data = Option<DatasetEntry>;

    h5_vol::slots!(Stats);

    fn new(host: Host) -> Self {
        Registry::current().callback(Callback::Initialize).record(std::time::Duration::ZERO, true);
        Self { host }
    }

    fn terminate(&self) {
        Registry::current().callback(Callback::Terminate).record(std::time::Duration::ZERO, true);
    }

    fn process_forked() {
        Registry::start_anew();
    }

    fn process_exit() {
        output::report(&Registry::current());
    }

    fn observe<R>(&self, callback: Callback, run: impl FnOnce() -> Result<R>) -> Result<R> {
        let start = Instant::now();
        let result = run();
        let registry = Registry::current();
        registry.callback(callback).record(start.elapsed(), result.is_ok());
        if let Some(kind) = Kind::of(callback) {
            registry.timeline.called(kind, start);
        }
        result
    }
}

impl PassThrough for Stats {
    fn attach(&self, _origin: &Origin<'_, Self>, kind: ObjectKind, below: &BelowObject) -> Self::Data {
        (kind == ObjectKind::Dataset).then(|| {
            // The file the dataset is in, which behind an external link is not the one that was opened.
            self.host.ask_below(|questions| {
                let file = below.file_name(questions, kind).unwrap_or_else(|| "(unknown file)".to_owned());
                DatasetEntry::new(file, below.name(questions, kind))
            })
        })
    }

    fn file_open(&self, call: FileOpen<'_, Self>) -> Result<NewObject<Self>> {
        let new = call.forward()?;
        self.file_opened(&new);
        Ok(new)
    }

    fn file_create(&self, call: FileCreate<'_, Self>) -> Result<NewObject<Self>> {
        let new = call.forward()?;
        self.file_opened(&new);
        Ok(new)
    }

    fn dataset_read(&self, call: DatasetRead<'_, Self>) -> Result<c_int> {
        timed(&call.parts, Direction::Read, || call.forward())
    }

    fn dataset_close(&self, call: DatasetClose<'_, Self>) -> Result<()> {
        if let Some(entry) = call.object.data() {
            entry.close(|| {
                let name = |questions| call.object.below()?.name(questions, ObjectKind::Dataset);
                self.host.ask_below(name)
            });
        }
        call.forward()
    }

    fn dataset_write(&self, call: DatasetWrite<'_, Self>) -> Result<c_int> {
        timed(&call.parts, Direction::Write, || call.forward())
    }

    fn object_copy(&self, mut call: ObjectCopy<'_, Self>) -> Result<c_int> {
        if call.is_across() { h5_across::copy_object(&call) } else { call.forward() }
    }
}

impl Lends for Stats {
    const LENDER: &'static CStr = c"h5stats_lender";
    h5_vol::lends!(Stats);
}

impl Stats {
    fn file_opened(&self, file: &NewObject<Self>) {
        let name = self.host.ask_below(|questions| file.below()?.file_name(questions, ObjectKind::File));
        let registry: Arc<Registry> = Registry::current();
        registry.file_opened(name.unwrap_or_else(|| "(unknown file)".to_owned()), self.host);
    }
}

/// Lets the connector below move these parts, and counts what it does.
fn timed<M>(
    parts: &[DatasetPart<Stats, M>],
    direction: Direction,
    forward: impl FnOnce() -> Result<c_int>,
) -> Result<c_int> {
    let sizes: Vec<_> = parts.iter().map(volume::of_part).collect();
    let start = Instant::now();
    let result = forward();
    let entries = parts.iter().map(|part| part.dataset.data().as_ref());
    volume::record(entries, &sizes, direction, start, result.is_ok());
    result
}
