//! Datasets of a file that is open for writing, kept beyond the close of their handles.
//!
//! Many programs open a dataset anew for each call. What was found out about it holds as long as nothing happens to it
//! through this host, which is what its generation tells. The file's handle keeps it, and gives it up when it is closed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::coherency::resolved::Resolved;
use crate::inspect::storage::Storage;

/// How many are kept; then none of them is, and it begins again.
const MOST: usize = 256;

/// The datasets that a file's handle keeps, by the place in memory of what their handles share.
#[derive(Debug, Default)]
pub(crate) struct RecentDatasets(Mutex<HashMap<usize, Arc<Resolved>>>);

impl RecentDatasets {
    /// Keeps a dataset, in the place of what was known about it before.
    pub(crate) fn keep(&self, dataset: &Arc<Resolved>) {
        // Where external files are depends on how the dataset is opened.
        let (Some(shared), Storage::Missing | Storage::Contiguous(..) | Storage::Chunked(_)) =
            (&dataset.shared, dataset.storage())
        else {
            return;
        };
        let mut datasets = self.datasets();
        if datasets.len() >= MOST {
            datasets.clear();
        }
        datasets.insert(Arc::as_ptr(shared).addr(), Arc::clone(dataset));
    }

    /// Gives all of them up.
    pub(crate) fn clear(&self) {
        // Dropped when the lock is not held any more.
        let _given_up = std::mem::take(&mut *self.datasets());
    }

    fn datasets(&self) -> MutexGuard<'_, HashMap<usize, Arc<Resolved>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
