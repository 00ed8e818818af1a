//! Changing the extent of a dataset, and other changes as a whole.

use core::ffi::c_int;
use std::sync::Arc;

use global_lock::Use;
use h5_vol::calls::DatasetSpecific;
use h5_vol::views::DatasetOperation;
use h5_vol::{Host, Result};

use crate::Bypass;
use crate::coherency::shared::Shared;

impl Bypass {
    /// Changes the extent of a dataset, flushes or refreshes it.
    pub(crate) fn change_dataset(&self, mut call: DatasetSpecific<'_, Self>) -> Result<c_int> {
        let (host, object) = (call.object.host(), Arc::clone(&call.object));
        match call.arguments.view() {
            DatasetOperation::SetExtent => {
                // Nobody may have used it before, but what native HDF5 keeps of it must be noted.
                let ours = self.files.has_writers().then(|| self.ours_now(host, &object).ok()).flatten();
                let shared = match ours {
                    Some(ours) => ours.shared.clone(),
                    None => host.ask_below(|questions| self.shared(questions, &object)),
                };
                match shared {
                    Some(shared) => self.set_extent(host, call, &shared),
                    None => call.forward(),
                }
            }
            operation => {
                self.settle_object(host, &object)?;
                if let DatasetOperation::Refresh(_) = operation {
                    self.refresh(&object);
                }
                call.forward()
            }
        }
    }

    fn set_extent(
        &self,
        host: Host,
        mut call: DatasetSpecific<'_, Self>,
        shared: &Arc<Shared>,
    ) -> Result<c_int> {
        let _claims = self.claim_whole(host, [shared], Use::Write);
        let change = self.change_of_extent(host, &call);
        if change != ExtentChange::Grows {
            self.settle_claimed(host, shared)?;
        }
        let outcome = call.forward();
        match change {
            ExtentChange::Grows => {
                shared.version().outdate_extent();
                if let (Ok(_), Some(state), Ok(extent)) =
                    (&outcome, &call.object.data().dataset, call.new_extent())
                {
                    state.grow(&extent);
                }
            }
            ExtentChange::Allocates => shared.outdate(),
            // Also after a failure.
            ExtentChange::Rewrites => shared.native_was_here(true),
        }
        outcome
    }

    /// What a new extent makes native HDF5 do.
    fn change_of_extent(&self, host: Host, call: &DatasetSpecific<'_, Self>) -> ExtentChange {
        let Ok(wanted) = call.new_extent() else { return ExtentChange::Rewrites };
        let Ok(dataset) = self.ours_now(host, &call.object) else { return ExtentChange::Rewrites };
        let Some(chunks) = dataset.chunks() else { return ExtentChange::Rewrites };
        let dims = dataset.extent().dims();
        let grows = wanted.len() == dims.len() && wanted.iter().zip(dims.iter()).all(|(new, old)| new >= old);
        if !grows || chunks.index.kind().edges_unfiltered {
            return ExtentChange::Rewrites;
        }
        if chunks.allocates_by_chunk { ExtentChange::Grows } else { ExtentChange::Allocates }
    }
}

/// What a new extent makes native HDF5 do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExtentChange {
    /// Nothing to chunks.
    Grows,
    /// It may take space for new ones, or take it for all when it takes any.
    Allocates,
    /// It changes or removes some.
    Rewrites,
}
