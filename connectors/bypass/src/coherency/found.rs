//! Files for which HDF5 has made an identifier by itself.
//!
//! It does if the application asks for the file of an object (`H5Iget_file_id`) and there is none, because the file was reached
//! through a link, or the application has closed it. Native HDF5 notes that a file has an identifier, but not how many. So
//! whoever asks it for the file of an object, and takes the note back afterwards, must know that there was none: else the file
//! is released while the application uses it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use h5_vol::{BelowObject, Object, ObjectKind};

use crate::Bypass;

/// How many such identifiers there are.
#[derive(Debug, Default)]
pub(crate) struct FoundFiles {
    /// By the numbers of the files.
    counts: Mutex<HashMap<u64, usize>>,
    /// The object whose file was asked for last. Which one that is need not be known most of the time.
    asked: Mutex<Weak<Object<Bypass>>>,
}

impl FoundFiles {
    /// The application has asked for the file of an object. If it has no identifier, HDF5 makes one now.
    pub(crate) fn ask(&self, object: &Arc<Object<Bypass>>) {
        *self.asked() = Arc::downgrade(object);
    }

    /// Whether HDF5 has made an identifier for a file.
    pub(crate) fn has(&self, number: u64) -> bool {
        self.counts().contains_key(&number)
    }

    fn asked(&self) -> MutexGuard<'_, Weak<Object<Bypass>>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<u64, usize>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts an identifier as long as it lives.
#[derive(Debug)]
pub(crate) struct FoundFile {
    number: u64,
    all: Arc<FoundFiles>,
}

impl FoundFile {
    /// HDF5 wraps a file; `None` if that was not asked for. (Files behind links are wrapped when they are opened, get no
    /// identifier, and their wrappers are never released.)
    pub(crate) fn new(all: &Arc<FoundFiles>, below: &BelowObject) -> Option<Self> {
        let asked = std::mem::take(&mut *all.asked()).upgrade()?;
        let file = below.as_native_file(ObjectKind::File)?;
        let number = below.connector().host().ask_below(|questions| {
            let asked = asked.below()?.identity(questions, asked.kind())?.file;
            file.number(questions).filter(|number| *number == asked)
        })?;
        *all.counts().entry(number).or_default() += 1;
        Some(Self { number, all: Arc::clone(all) })
    }
}

impl Drop for FoundFile {
    fn drop(&mut self) {
        let mut counts = self.all.counts();
        if let Some(count) = counts.get_mut(&self.number) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.number);
            }
        }
    }
}
