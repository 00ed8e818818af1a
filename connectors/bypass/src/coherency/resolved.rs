//! What a handle of a dataset is resolved to: once for a call, and kept with the handle.

use core::ops::Deref;
use std::sync::Arc;

use h5_host::Questions;
use h5_vol::BelowObject;

use crate::coherency::entry::FileEntry;
use crate::coherency::shared::Shared;
use crate::inspect::dataset::OurDataset;
use crate::report::reason::Reason;

/// Whose a dataset is: ours, or why not. Decided at the first use, and then for good: by what does not change from call
/// to call. Where its bytes are may change, in a file that can be written.
pub(crate) type Decision = Result<Arc<Resolved>, Reason>;

/// A dataset that is ours: all that claims, allocation and preparation of a call need to know.
#[derive(Debug)]
pub(crate) struct Resolved {
    /// What HDF5 said about it.
    pub(crate) dataset: Arc<OurDataset>,
    /// What all of its handles share, if the file is open for writing.
    pub(crate) shared: Option<Arc<Shared>>,
    /// The file it lies in.
    pub(crate) file: Arc<FileEntry>,
}

impl Deref for Resolved {
    type Target = OurDataset;

    fn deref(&self) -> &OurDataset {
        &self.dataset
    }
}

impl Resolved {
    /// Before anything is read or written: makes native HDF5 write what it has of the dataset, so that it is in the file.
    pub(crate) fn catch_up(&self, questions: Questions, below: &BelowObject) -> Result<(), Reason> {
        match (&self.shared, self.dataset.chunks()) {
            (Some(shared), Some(_)) => shared.catch_up(questions, below),
            _ => Ok(()),
        }
    }
}
