//! Calls that native HDF5 does on a dataset that is otherwise ours, in a file that is open for writing.
//!
//! It must find what we have of the dataset in the file, and afterwards we must find what it has.

use std::sync::Arc;

use global_lock::Use;
use h5_vol::{Host, Object, Result};

use crate::Bypass;
use crate::reason::Reason;
use crate::writable::Writable;

impl Bypass {
    /// Lets native HDF5 read or write parts of these datasets, for these reasons.
    pub(crate) fn hand_over<R>(
        &self,
        host: Host,
        datasets: &[(&Arc<Object<Self>>, Reason)],
        wrote: bool,
        forward: impl FnOnce() -> Result<R>,
    ) -> Result<R> {
        let shared: Vec<_> =
            host.ask(|_| datasets.iter().filter_map(|(object, _)| self.shared(object)).collect());
        let concerns_others =
            self.files.has_writers() && datasets.iter().any(|(_, reason)| reason.concerns_others());
        if concerns_others {
            self.settle_all(host)?;
        }
        let claims = self.claim_whole(host, &shared, Use::Write);
        for shared in &shared {
            self.settle_claimed(host, shared)?;
        }
        let outcome = forward();
        // Also after a failure: it may have done a part.
        for shared in &shared {
            shared.native_was_here(wrote);
        }
        if concerns_others {
            self.files.native_was_here(wrote);
        }
        drop(claims);
        outcome
    }

    /// What all handles of a dataset share, if it may be written and anybody has used it.
    pub(crate) fn shared(&self, object: &Object<Self>) -> Option<Arc<Writable>> {
        object.data().dataset.as_ref()?.writable(object.below()?, &self.files)
    }
}
