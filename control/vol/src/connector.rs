//! The part of a connector that does not depend on whether another one stands below it.

use core::ffi::CStr;

use h5_abi::H5VL_class_value_t;
use h5_host::Host;

use crate::callback::Callback;
use crate::error::Result;
use crate::info::Settings;
use crate::methods::Methods;
use crate::slots::Slots;

/// A VOL connector. It also implements [`PassThrough`](crate::PassThrough) or [`Terminal`](crate::Terminal), and says
/// which one in [`METHODS`](Connector::METHODS).
///
/// # Threads
/// A value of this type lives once per host. HDF5 holds its global lock while it calls, so in one
/// host calls come one at a time; different hosts call at the same time from different threads, each
/// its own value. Data shared between hosts needs locks of its own.
pub trait Connector: Sized + Send + Sync + 'static {
    /// Name under which HDF5 finds the connector (`HDF5_VOL_CONNECTOR`).
    const NAME: &'static CStr;
    /// Number under which HDF5 finds the connector; registered with The HDF Group or above 255.
    const VALUE: H5VL_class_value_t;
    /// Version of the connector, for HDF5's own records.
    const VERSION: u32;
    /// The same as text, for the error class.
    const VERSION_TEXT: &'static CStr;
    /// [`Methods::pass_through`] or [`Methods::terminal`].
    const METHODS: Methods<Self>;
    /// Capability flags (`H5VL_CAP_FLAG_...`) it adds to those of the connector below.
    const CAPABILITIES: u64 = 0;

    /// The connector's own keys in its info string.
    type Settings: Settings;
    /// The data that the connector keeps with each open object.
    type Data: Send + Sync + 'static;

    /// Where the connector's instances live: write [`slots!`](crate::slots)`(TheType);`.
    fn slots() -> &'static Slots<Self>;

    /// Starts in a host. Problems such as a bad environment variable are better reported when a file is opened:
    /// failing here can disable the whole library.
    fn new(host: Host) -> Self;

    /// Shuts down in a host. Objects may still exist if HDF5 is being torn down with files open.
    fn terminate(&self) {}

    /// A host is about to close everything. It still works. Called if an object has
    /// [asked for it](crate::Object::call_before_library_closes).
    fn library_closes(&self, host: Host) {
        let _ = host;
    }

    /// The process is about to end; all hosts have terminated or never will. Called once, outside of
    /// HDF5, if the plugin was declared with [`export!`](crate::export).
    fn process_exit() {}

    /// Runs in a child process that was just forked, with files open. Drop here what belongs to the parent alone (its
    /// threads, its counters), without waiting for a lock.
    fn process_forked() {}

    /// Answers a question that somebody who has loaded the plugin's file asks, about all hosts in this process. `Err` says what is
    /// wrong. Called from any thread, outside of HDF5.
    fn answer(question: &str) -> core::result::Result<String, String> {
        Err(format!("there is no answer to '{question}'"))
    }

    /// Runs around every callback that comes with an instance: the place to count and time. `run`
    /// must be called.
    fn observe<R>(&self, callback: Callback, run: impl FnOnce() -> Result<R>) -> Result<R> {
        let _ = callback;
        run()
    }
}
