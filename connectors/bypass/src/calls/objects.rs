//! Calls about objects of any kind.

use core::cell::LazyCell;
use core::ffi::c_int;
use std::sync::Arc;

use h5_vol::calls::{ObjectCopy, ObjectGet, ObjectOptional, ObjectSpecific};
use h5_vol::views::{ObjectOperation, ObjectQuestion};
use h5_vol::{Object, Result};

use crate::Bypass;

impl Bypass {
    /// Answers questions about an object.
    pub(crate) fn answer_about_object(&self, mut call: ObjectGet<'_, Self>) -> Result<c_int> {
        let is_about_file = matches!(call.arguments.view(), ObjectQuestion::File);
        let status = call.forward()?;
        if is_about_file {
            self.file_asked_for(&call.object);
        }
        Ok(status)
    }

    /// The application asks for the file of an object, and HDF5 may make an identifier for it.
    fn file_asked_for(&self, object: &Arc<Object<Self>>) {
        // Nothing is asked about files that are not ours anyway.
        if object.data().opening.as_deref().is_none_or(|opening| opening.refused().is_none()) {
            self.files.found.ask(object);
        }
    }

    /// Copies an object, which native HDF5 does by reading its raw data.
    pub(crate) fn copy_object(&self, mut call: ObjectCopy<'_, Self>) -> Result<c_int> {
        if call.is_across() {
            // Reads and writes of its own claim what they need.
            return h5_across::copy_object(&call);
        }
        let host = call.source.host();
        // Asked for only if there is a dataset that is not in the file as it should be.
        let file = LazyCell::new(|| {
            let identity = |questions| call.source.below()?.identity(questions, call.source.kind());
            host.ask_below(identity).map(|identity| identity.file)
        });
        let _callback = self.locks.user_callback(host);
        let _claims = self.claim_busy(host, &[], |dataset| file.is_none_or(|file| dataset.file() == file))?;
        let outcome = call.forward();
        self.files.forget_recent();
        outcome
    }

    /// Flushes or refreshes an object, visits it, or looks it up.
    pub(crate) fn change_object(&self, mut call: ObjectSpecific<'_, Self>) -> Result<c_int> {
        let settled = match call.arguments.view() {
            ObjectOperation::Flush(_) | ObjectOperation::Refresh(_) => self.settle_file(&call.object),
            _ => Ok(()),
        };
        if call.is_refresh() {
            self.refresh(&call.object);
        }
        let _callback = self.locks.user_callback(call.object.host());
        let status = call.forward()?;
        settled.map(|()| status)
    }

    /// Operations that only native HDF5 knows: questions about sizes. A flush or a close tells what cannot be written.
    pub(crate) fn object_operation(&self, mut call: ObjectOptional<'_, Self>) -> Result<c_int> {
        let _ = self.settle_file(&call.object);
        call.forward()
    }

    /// Forgets what is known about a dataset that HDF5 will reload.
    pub(crate) fn refresh(&self, object: &Object<Self>) {
        if let (Some(state), Some(below)) = (&object.data().dataset, object.below()) {
            object.host().ask_below(|questions| {
                if let Some(shared) = self.shared(questions, object) {
                    shared.outdate();
                }
                state.refresh(questions, below);
            });
        }
    }
}
