//! What is known about the datasets of an open file, kept for as long as it is open.
//!
//! Many programs open a dataset anew for each read. So what was found out about it stays with the file: all
//! objects that were reached through one opening of a file share an anchor, and the last of them takes it along.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use h5_vol::native::Identity;

use crate::dataset::Decision;
use crate::file::OpenFile;

/// How many datasets are remembered; beyond that those that are not open are forgotten.
const MOST: usize = 1024;

/// One opening of a file.
#[derive(Debug)]
pub(crate) struct Anchor {
    /// Number of the file. What was reached through it but lies in another file is not kept: that other file would
    /// stay open.
    file: Option<u64>,
    is_writable: bool,
    datasets: Mutex<HashMap<Identity, Known>>,
}

/// What is known about a dataset.
#[derive(Debug)]
enum Known {
    /// It was read before.
    Seen,
    /// Whose it is, and where its bytes are.
    Decided(Decision),
}

impl Anchor {
    pub(crate) fn new(file: Option<&OpenFile>) -> Self {
        Self {
            file: file.map(OpenFile::number),
            is_writable: file.is_none_or(OpenFile::is_writable),
            datasets: Mutex::default(),
        }
    }

    /// Whether the file was opened for writing.
    pub(crate) fn is_writable(&self) -> bool {
        self.is_writable
    }

    /// Drops what is known about a dataset.
    pub(crate) fn forget(&self, identity: Identity) {
        self.datasets.lock().unwrap_or_else(PoisonError::into_inner).remove(&identity);
    }

    /// Notes that a dataset is being read through a new handle. Whether this is the first time, and what was decided
    /// before.
    pub(crate) fn see(&self, identity: Identity) -> (bool, Option<Decision>) {
        if Some(identity.file) != self.file {
            return (true, None);
        }
        let mut datasets = self.datasets.lock().unwrap_or_else(PoisonError::into_inner);
        match datasets.get(&identity) {
            Some(Known::Decided(decision)) => (false, Some(decision.clone())),
            Some(Known::Seen) => (false, None),
            None => {
                make_room(&mut datasets);
                datasets.insert(identity, Known::Seen);
                (true, None)
            }
        }
    }

    /// Keeps what was decided about a dataset.
    pub(crate) fn keep(&self, identity: Identity, decision: &Decision) {
        if Some(identity.file) == self.file {
            let mut datasets = self.datasets.lock().unwrap_or_else(PoisonError::into_inner);
            make_room(&mut datasets);
            datasets.insert(identity, Known::Decided(decision.clone()));
        }
    }
}

fn make_room(datasets: &mut HashMap<Identity, Known>) {
    if datasets.len() >= MOST {
        datasets.retain(|_, known| matches!(known, Known::Decided(Ok(ours)) if Arc::strong_count(ours) > 1));
        // All of them are open: begin again, rather than look through all of them each time.
        if datasets.len() >= MOST {
            datasets.clear();
        }
    }
}
