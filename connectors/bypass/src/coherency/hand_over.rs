//! Calls that native HDF5 does on a dataset that is otherwise ours, in a file that is open for writing.
//!
//! It must find what we have of the dataset in the file, and afterwards we must find what it has.

use std::sync::Arc;

use global_lock::{Claim, Use};
use h5_vol::{Host, Object, Result};

use crate::Bypass;
use crate::coherency::handle::DatasetHandle;
use crate::coherency::shared::Shared;
use crate::report::reason::Reason;

impl Bypass {
    /// Lets native HDF5 read or write parts of these datasets, of which there is at least one, for these reasons. `forward`
    /// is told the first.
    pub(crate) fn hand_over<R>(
        &self,
        host: Host,
        datasets: &[(&Arc<Object<Self>>, Reason)],
        wrote: bool,
        forward: impl FnOnce(&Reason) -> Result<R>,
    ) -> Result<R> {
        // Conversions and filters of the application's own may be called, and may do what they like with datasets.
        let _callback = self.locks.user_callback(host);
        // Compact data is in metadata: nobody else's raw data is moved. Of its own there is at most a copy in our memory.
        if let [(object, reason @ Reason::Compact)] = datasets {
            let outcome = forward(reason);
            if wrote
                && self.files.has_header_data()
                && let Some(shared) = host.ask_below(|questions| self.shared(questions, object))
            {
                // Also after a failure: it may have done a part.
                shared.outdate();
            }
            return outcome;
        }
        let concerns_others = self.files.has_writers()
            && datasets.iter().any(|(object, reason)| reason.concerns_others() || is_virtual(host, object));
        if !concerns_others && !self.files.has_entries_to_write() {
            // We have nothing of any dataset.
            return forward(&datasets[0].1);
        }
        let shared: Vec<_> = host.ask_below(|questions| {
            datasets.iter().filter_map(|(object, _)| self.shared(questions, object)).collect()
        });
        let claims = if concerns_others {
            self.claim_busy(host, &shared, |_| true)?
        } else {
            self.claim_settled(host, &shared)?
        };
        let outcome = forward(&datasets[0].1);
        // Also after a failure: it may have done a part.
        for shared in &shared {
            shared.native_was_here(wrote);
        }
        if concerns_others {
            let only_sources = datasets.iter().all(|(object, reason)| is_in_its_file(object, reason));
            self.files.native_was_here(only_sources, wrote);
        }
        drop(claims);
        outcome
    }

    /// The same for these datasets and all others that are in use or have something in memory only. It is a failure if
    /// something of these cannot be written, or of others that matter.
    pub(crate) fn claim_busy(
        &self,
        host: Host,
        datasets: &[Arc<Shared>],
        matters: impl Fn(&Shared) -> bool,
    ) -> Result<Vec<Claim>> {
        // In a user's callback, where this is called, nobody else begins anything before this thread is done.
        let busy = self.files.busy_datasets();
        let claims = self.claim_whole(host, busy.iter().chain(datasets), Use::Write);
        for dataset in busy.iter().chain(datasets) {
            let settled = self.settle_claimed(host, dataset);
            if matters(dataset) || datasets.iter().any(|own| Arc::ptr_eq(own, dataset)) {
                settled?;
            }
        }
        Ok(claims)
    }

    /// Claims all of these datasets and writes what is newer of them in memory, so that native HDF5 finds it.
    pub(crate) fn claim_settled(&self, host: Host, datasets: &[Arc<Shared>]) -> Result<Vec<Claim>> {
        let claims = self.claim_whole(host, datasets, Use::Write);
        datasets.iter().try_for_each(|dataset| self.settle_claimed(host, dataset))?;
        Ok(claims)
    }
}

/// Whether a dataset was opened by way of its own file, which is counted as long as it is open, if it can be written. Native HDF5
/// then moves raw data of nothing but it and its sources.
fn is_in_its_file(object: &Object<Bypass>, reason: &Reason) -> bool {
    let is_told =
        matches!(reason, Reason::VirtualUnlimited | Reason::VirtualMapping | Reason::VirtualSource(_))
            || !reason.concerns_others();
    let state = object.data().dataset.as_ref();
    is_told && state.is_some_and(DatasetHandle::is_counted)
}

/// Whether a dataset is virtual, also if that is not why it is native HDF5's.
fn is_virtual(host: Host, object: &Object<Bypass>) -> bool {
    let (Some(state), Some(below)) = (&object.data().dataset, object.below()) else { return false };
    host.ask(|questions| state.is_virtual(questions, below))
}
