//! Calls about datasets, apart from reading, writing and changing them.

use core::ffi::c_int;
use std::sync::Arc;

use global_lock::Use;
use h5_host::context::KeptContext;
use h5_host::questions::StorageLayout;
use h5_vol::calls::{DatasetClose, DatasetCreate, DatasetGet, DatasetOptional};
use h5_vol::views::DatasetQuestion;
use h5_vol::{NewObject, Object, Result};

use crate::Bypass;
use crate::coherency::handle::DatasetHandle;
use crate::inspect::host_filters;
use crate::read::plain_first::{LARGE, is_usually_plain};
use crate::read::small::FIRST_READ;
use crate::report::description::{self, Described, Thresholds};
use crate::report::reason::Reason;
use crate::write::new_dataset;

impl Bypass {
    /// Creates a dataset.
    pub(crate) fn create_dataset(&self, call: DatasetCreate<'_, Self>) -> Result<NewObject<Self>> {
        if self.is_disabled() {
            return call.forward();
        }
        let (layout, kind) = call.object.host().ask(|questions| {
            let layout = questions.layout(call.creation);
            if layout == StorageLayout::Contiguous {
                return (layout, new_dataset::kind(questions, &call));
            }
            // Native HDF5 refuses to create a dataset with a filter that it does not have.
            host_filters::lend_for(questions, call.creation);
            (layout, None)
        });
        let (new, offset) = self.create_with_clear_storage(call)?;
        self.forget_predecessor(&new);
        if let Some(state) = &new.data.dataset {
            // The list that native HDF5 makes for this question later takes as long as a small write.
            state.note_virtual(layout == StorageLayout::Virtual);
        }
        if let Some(kind) = kind {
            new_dataset::note(&new, kind, offset);
        }
        Ok(new)
    }

    /// Closes a handle of a dataset. Changes in memory are written with the last handle through which it was written.
    pub(crate) fn close_dataset(&self, call: DatasetClose<'_, Self>) -> Result<()> {
        let (host, object) = (call.object.host(), Arc::clone(&call.object));
        if call.request.is_asynchronous() && self.requests.has_any_of(&object) {
            // It comes when the last of them has ended, and is told with that.
            let (late, context) = (Arc::clone(&object), KeptContext::of_call(host));
            let close =
                move |connector: &Self| context.resume(|| connector.close_dataset(DatasetClose::late(late)));
            self.requests.put_off(object, Box::new(close));
            return Ok(());
        }
        let finished = self.finish_handle(host, &object);
        let state = object.data().dataset.as_ref();
        if !state.is_some_and(DatasetHandle::was_decided) {
            // Nothing was read or written through it: there is nothing that would have to be written with it.
            return call.forward().and(finished);
        }
        let finished = finished.and(self.settle_sources(host, &object));
        let used = state.and_then(DatasetHandle::known).and_then(|known| known.shared.clone());
        let shared = used.clone().or_else(|| self.shared_if_dirty(host, &object));
        let shared = shared.filter(|shared| shared.has_unwritten() || !shared.claims.is_idle());
        // Who is in the middle of writing through this handle on another thread came first, and may leave something.
        let claims = self.claim_whole(host, &shared, Use::Write);
        let shared = shared.filter(|shared| shared.handle(Some(&object)).is_none());
        let settled = shared.as_ref().map_or(Ok(()), |shared| self.settle_claimed(host, shared));
        if let Some(used) = used {
            // Other handles open theirs again. After the last one another dataset may get the same place in the file.
            used.windows.forget_unchanged();
        }
        if let Some(state) = &object.data().dataset {
            state.close_sources();
        }
        let closed = call.forward();
        if let (Some(shared), Err(_)) = (&shared, &settled)
            && shared.handle(None).is_none()
        {
            // It is told now, and there is no way left to write it.
            shared.dirty.clear();
            shared.windows.forget();
        }
        drop(claims);
        if let Some(state) = state {
            // If this fails, HDF5 keeps the handle, and with it we would keep the file open.
            state.forget();
        }
        finished.and(settled).and(closed)
    }

    /// Questions whose answers depend on what is stored.
    pub(crate) fn answer_about_dataset(&self, mut call: DatasetGet<'_, Self>) -> Result<c_int> {
        let depends = matches!(
            call.arguments.view(),
            DatasetQuestion::StorageSize(_) | DatasetQuestion::SpaceStatus(_) | DatasetQuestion::Unknown(_)
        );
        if depends {
            self.settle_object(call.object.host(), &call.object)?;
        } else if let (DatasetQuestion::Space(_), Some(state)) =
            (call.arguments.view(), &call.object.data().dataset)
        {
            state.note_space_told();
        }
        call.forward()
    }

    /// Questions about chunks, and chunks that the application reads and writes itself.
    pub(crate) fn chunk_operation(&self, mut call: DatasetOptional<'_, Self>) -> Result<c_int> {
        let (host, object) = (call.object.host(), Arc::clone(&call.object));
        self.settle_object(host, &object)?;
        if !call.is_chunk_write() && !call.is_format_conversion() {
            let _callback = self.locks.user_callback(host);
            return call.forward();
        }
        let Some(shared) = host.ask_below(|questions| self.shared(questions, &object)) else {
            return call.forward();
        };
        let _claims = self.claim_settled(host, std::slice::from_ref(&shared))?;
        let outcome = call.forward();
        shared.outdate();
        outcome
    }

    /// Tells whether a dataset is bypassed, and which reads of it are not.
    pub(crate) fn explain_dataset(&self, dataset: &Object<Self>) -> String {
        let described = || {
            let ours = dataset.host().ask(|questions| match self.ours(questions, dataset) {
                Err(Reason::VirtualUnlimited) => self.ours_by_its_sources(questions, dataset, None),
                decision => decision,
            })?;
            let bytes = ours.extent().count().saturating_mul(ours.element());
            Ok(Described { bytes, is_compact: ours.in_header().is_some(), is_plain: is_usually_plain(&ours) })
        };
        let decision = if self.is_disabled() { Err(Reason::Disabled) } else { described() };
        let small = self.configuration.as_ref().map_or(0, |configuration| configuration.small_read);
        let thresholds = Thresholds { small, first: small.saturating_mul(FIRST_READ), first_piece: LARGE };
        description::of_dataset(decision, thresholds)
    }
}
