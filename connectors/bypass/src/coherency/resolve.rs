//! From a handle to the dataset behind it.

use std::sync::Arc;

use h5_host::Questions;
use h5_vol::{BelowObject, Host, NewObject, Object, ObjectKind};

use crate::Bypass;
use crate::coherency::examine::examine;
use crate::coherency::handle::DatasetHandle;
use crate::coherency::resolved::{Decision, Resolved};
use crate::coherency::shared::{Shared, Through};
use crate::inspect::header_data::Compact;
use crate::report::reason::Reason;

impl Bypass {
    /// A dataset, if it is the engine's.
    pub(crate) fn ours(&self, questions: Questions, dataset: &Object<Self>) -> Decision {
        let below = dataset.below().ok_or(Reason::NotNative)?;
        let state = dataset.data().dataset.as_ref().ok_or(Reason::NotNative)?;
        state.resolve(questions, below, &self.files, self.configuration.as_ref().ok())
    }

    /// The same for one that was written.
    pub(crate) fn ours_through(&self, questions: Questions, through: &Through) -> Decision {
        match through {
            Through::Handle(handle) => self.ours(questions, handle),
            Through::Source(below) => {
                let identity = below.identity(questions, ObjectKind::Dataset).ok_or(Reason::NotNative)?;
                let configuration = self.configuration.as_ref().ok();
                examine(questions, below, &self.files, configuration, identity, None, Compact::IsRead)
            }
        }
    }

    /// A dataset, if it is the engine's. Nothing is asked if that is known.
    pub(crate) fn ours_now(&self, host: Host, dataset: &Object<Self>) -> Decision {
        let known = dataset.data().dataset.as_ref().and_then(DatasetHandle::known);
        match known.filter(|known| !known.is_outdated()) {
            Some(known) => Ok(known),
            None => host.ask(|questions| self.ours(questions, dataset)),
        }
    }

    /// What all handles of a dataset share, if it may be written and anybody has used it.
    pub(crate) fn shared(&self, questions: Questions, object: &Object<Self>) -> Option<Arc<Shared>> {
        object.data().dataset.as_ref()?.shared(questions, object.below()?, &self.files)
    }

    /// Before anything is read or written: what native HDF5 has of the dataset must be in the file, and how far the
    /// file reaches then must be known.
    pub(crate) fn bring_up_to_date(
        &self,
        questions: Questions,
        dataset: &Resolved,
        below: &BelowObject,
    ) -> Result<(), Reason> {
        dataset.catch_up(questions, below)?;
        if dataset.is_inside_file() || dataset.in_header().is_some() {
            return Ok(());
        }
        self.files.look_for_end(questions, &dataset.file, below);
        Ok(())
    }

    /// A dataset was created: what is known about one that was deleted, whose place in the file it has now, is not about it.
    pub(crate) fn forget_predecessor(&self, new: &NewObject<Self>) {
        if let Some(below) = new.below().filter(|_| self.files.has_entries_to_write())
            && let Some(identity) =
                below.connector().host().ask_below(|questions| below.identity(questions, ObjectKind::Dataset))
        {
            self.files.forget_dataset(identity);
            if let Some(state) = &new.data.dataset {
                state.note_identity(identity);
            }
        }
    }
}
