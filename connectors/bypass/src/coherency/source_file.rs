//! Files that are opened for the sources of virtual datasets.
//!
//! Native HDF5 opens them by itself, not through a connector. We open them with its public function, because only that
//! notes the connector of the file, as native HDF5 does. The function calls this connector again, which must know that it is not
//! the application who opens a file. The identifier is gone before the application's call ends.

use std::cell::RefCell;
use std::ffi::CStr;
use std::sync::Arc;

use h5_host::{Driver, Questions};
use h5_vol::{Id, OwnedId};

use crate::coherency::open_file::OpenFile;

thread_local! {
    /// What this thread is doing for a virtual dataset.
    static ERRAND: RefCell<Option<Errand>> = const { RefCell::new(None) };
}

enum Errand {
    /// It opens a file with this driver.
    Opens(Driver),
    /// It has opened this one.
    Opened(Arc<OpenFile>),
    /// It closes the file of this identifier.
    Closes(Id),
}

/// The driver of the file that is opened for a virtual dataset; `None` if it is the application who does that.
pub(crate) fn opened_with() -> Option<Driver> {
    let driver = |errand: &RefCell<Option<Errand>>| match &*errand.borrow() {
        Some(Errand::Opens(driver)) => Some(*driver),
        _ => None,
    };
    ERRAND.try_with(driver).ok().flatten()
}

/// The file that is closed for a virtual dataset; `None` if it is the application who does that.
pub(crate) fn closed() -> Option<Id> {
    let file = |errand: &RefCell<Option<Errand>>| match &*errand.borrow() {
        Some(Errand::Closes(file)) => Some(*file),
        _ => None,
    };
    // HDF5 closes files even when the thread has no variables any more, because the process ends.
    ERRAND.try_with(file).ok().flatten()
}

/// The file was opened.
pub(crate) fn opened(file: &Arc<OpenFile>) {
    exchange(Some(Errand::Opened(Arc::clone(file))));
}

/// Says what this thread is doing from now on; what it was doing before.
fn exchange(errand: Option<Errand>) -> Option<Errand> {
    ERRAND.try_with(|before| before.replace(errand)).ok().flatten()
}

/// A file that is open for a short time.
pub(crate) struct SourceFile {
    id: Option<OwnedId>,
    file: Arc<OpenFile>,
}

impl SourceFile {
    /// Opens a file; `None` if HDF5 fails.
    pub(crate) fn open(
        questions: Questions,
        name: &CStr,
        access: Id,
        driver: Driver,
        to_write: bool,
    ) -> Option<Self> {
        exchange(Some(Errand::Opens(driver)));
        let id = questions.open_source_file(name, access, to_write);
        match (id, exchange(None)) {
            (Some(id), Some(Errand::Opened(file))) => Some(Self { id: Some(id), file }),
            _ => None,
        }
    }

    pub(crate) fn file(&self) -> &Arc<OpenFile> {
        &self.file
    }
}

impl Drop for SourceFile {
    fn drop(&mut self) {
        exchange(self.id.as_ref().map(|id| Errand::Closes(id.id())));
        self.id = None;
        exchange(None);
    }
}
