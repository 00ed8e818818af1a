//! Calls beside reading and writing that have to do with raw data: native HDF5 must find what we have of it, and we
//! must find what native HDF5 has changed.

use core::ffi::c_int;
use std::sync::Arc;

use global_lock::Use;
use h5_host::Driver;
use h5_host::errors::preserve;
use h5_vol::calls::{
    DatasetClose, DatasetGet, DatasetOptional, DatasetSpecific, FileCreate, FileGet, FileOpen, FileOptional,
    ObjectCopy,
};
use h5_vol::views::{DatasetOperation, DatasetQuestion, FileQuestion};
use h5_vol::{Host, Id, NewObject, Object, OwnedId, Result};

use crate::coherency::dirty;
use crate::coherency::files::OpenFile;
use crate::coherency::handle::DatasetState;
use crate::coherency::opening::Anchor;
use crate::coherency::shared::Writable;
use crate::report::reason::Reason;
use crate::{Bypass, Data};

impl Bypass {
    /// Opens a file. If it can be written, native HDF5 gets no buffer for raw data in it.
    pub(crate) fn open_file(&self, mut call: FileOpen<'_, Self>) -> Result<NewObject<Self>> {
        let driver = call.host().ask_first(|questions| questions.driver(call.access));
        if self.is_disabled() || call.is_for_swmr() {
            return Ok(opened_through(driver, call.forward()?));
        }
        if !call.is_for_writing() {
            return self.open_file_to_read(call, driver);
        }
        let Some((list, sieve)) = without_sieve(call.host(), call.access, driver) else {
            return Ok(opened_through(driver, call.forward()?));
        };
        call.access = list.id();
        let file = opened_through(driver, call.forward()?);
        self.note_writer(&file.data, sieve);
        Ok(file)
    }

    /// Opens a file to read it. If it is open for writing already, HDF5 shares it, and it can be written in this way, too.
    fn open_file_to_read(&self, call: FileOpen<'_, Self>, driver: Driver) -> Result<NewObject<Self>> {
        if !self.files.has_writers() {
            return Ok(opened_through(driver, call.forward()?));
        }
        let host = call.host();
        // What is told if the handle that was opened first is closed by now.
        let wanted = host.ask(|questions| questions.sieve_bytes(call.access));
        let file = opened_through(driver, call.forward()?);
        if let Some(opened) = &file.data.file
            && let Some(facts) = preserve(host, || opened.facts()).filter(|facts| facts.is_writable)
            && let Some(sieve) = self.files.sieve(facts.number).or(wanted)
        {
            self.note_writer(&file.data, sieve);
        }
        Ok(file)
    }

    /// Creates a file; the same.
    pub(crate) fn create_file(&self, mut call: FileCreate<'_, Self>) -> Result<NewObject<Self>> {
        let driver = call.host().ask_first(|questions| questions.driver(call.access));
        if self.is_disabled() || call.is_for_swmr() {
            return Ok(opened_through(driver, call.forward()?));
        }
        let Some((list, sieve)) = without_sieve(call.host(), call.access, driver) else {
            return Ok(opened_through(driver, call.forward()?));
        };
        call.access = list.id();
        let file = opened_through(driver, call.forward()?);
        self.note_writer(&file.data, sieve);
        Ok(file)
    }

    /// Notes that a file was opened for writing, and how large a sieve the application wanted.
    fn note_writer(&self, file: &Data, sieve: usize) {
        if let Some(anchor) = &file.anchor {
            anchor.note_writer(self.files.writer(), sieve);
        }
        if let Some(file) = &file.file {
            file.note_sieve(sieve);
        }
    }

    /// A file that is opened once more is opened as it was before.
    pub(crate) fn open_once_more(&self, before: &Data, anchor: &Anchor, file: Option<&OpenFile>) {
        let Some(first) = before.anchor.as_deref() else { return };
        if let Some(sieve) = first.sieve() {
            anchor.note_writer(self.files.writer(), sieve);
        }
        if let Some(reason) = first.refused() {
            anchor.refuse(reason.clone());
        }
        if let (Some(file), Some(driver)) = (file, before.file.as_ref().and_then(|first| first.driver())) {
            file.note_driver(driver);
        }
    }

    /// The application asks for the file of an object, and HDF5 may make an identifier for it.
    pub(crate) fn file_asked_for(&self, object: &Object<Self>) {
        // Nothing is asked about files that are not ours anyway.
        if object.data().anchor.as_deref().is_some_and(|anchor| anchor.refused().is_some()) {
            return;
        }
        let identity = object.host().ask(|_| object.below()?.identity(object.kind()));
        if let Some(identity) = identity {
            self.files.found.ask(identity.file);
        }
    }

    /// What we have changed in the access property list is not for the application to see.
    pub(crate) fn answer_about_file(&self, mut call: FileGet<'_, Self>) -> Result<c_int> {
        let status = call.forward()?;
        if let FileQuestion::AccessList(answer) = call.arguments.view()
            && self.files.has_writers()
            && let Some(sieve) = self.sieve_of(&call.object)
            && let Some(list) = answer.get()
        {
            call.object.host().ask(|questions| questions.set_sieve_bytes(list, sieve));
        }
        Ok(status)
    }

    /// How large a sieve the application wanted for the file of an object when it opened that first; or when it opened this
    /// handle, if another connector is below us and the file has no number.
    fn sieve_of(&self, object: &Object<Self>) -> Option<usize> {
        let number = preserve(object.host(), || number_of(object));
        let first = number.and_then(|number| self.files.sieve(number));
        first.or_else(|| object.data().anchor.as_deref().and_then(Anchor::sieve))
    }

    /// Operations of native HDF5 on a file: its size, its free space, an image of it.
    pub(crate) fn file_operation(&self, mut call: FileOptional<'_, Self>) -> Result<c_int> {
        // What cannot be written is told by a flush, or a close; but afterwards it could not be written any more.
        let settled = self.settle_file(&call.object);
        if call.is_start_of_swmr() {
            settled?;
        }
        let status = call.forward()?;
        if call.is_start_of_swmr()
            && let Some(number) = call.object.data().anchor.as_deref().and_then(Anchor::file_number)
        {
            self.files.revoke(number);
        }
        Ok(status)
    }

    /// Closes a handle of a dataset. What is newer in memory is written with the last one through which it was written.
    pub(crate) fn close_dataset(&self, call: DatasetClose<'_, Self>) -> Result<()> {
        let (host, object) = (call.object.host(), Arc::clone(&call.object));
        let known = object.data().dataset.as_ref().and_then(DatasetState::known);
        let shared = known.and_then(|known| known.writable().cloned());
        let shared = shared.or_else(|| self.shared_if_dirty(host, &object));
        let shared = shared.filter(|shared| !shared.dirty.is_empty() || !shared.claims.is_idle());
        // Who is in the middle of writing through this handle on another thread came first, and may leave something.
        let claims = self.claim_whole(host, &shared, Use::Write);
        let shared = shared.filter(|shared| shared.handle(Some(&object)).is_none());
        let settled = shared.as_ref().map_or(Ok(()), |shared| self.settle_claimed(host, shared));
        let closed = call.forward();
        if let (Some(shared), Err(_)) = (&shared, &settled)
            && shared.handle(None).is_none()
        {
            // It is told now, and there is no way left to write it.
            shared.dirty.clear();
        }
        drop(claims);
        if let Some(state) = &object.data().dataset {
            // If this fails, HDF5 keeps the handle, and with it we would keep the file open.
            state.forget();
        }
        settled.and(closed)
    }

    /// Questions whose answers depend on what is stored.
    pub(crate) fn answer_about_dataset(&self, mut call: DatasetGet<'_, Self>) -> Result<c_int> {
        let depends = matches!(
            call.arguments.view(),
            DatasetQuestion::StorageSize(_) | DatasetQuestion::SpaceStatus(_) | DatasetQuestion::Unknown(_)
        );
        if depends {
            self.settle_object(call.object.host(), &call.object)?;
        }
        call.forward()
    }

    /// Copies an object, which native HDF5 does by reading its raw data.
    pub(crate) fn copy_object(&self, mut call: ObjectCopy<'_, Self>) -> Result<c_int> {
        let host = call.source.host();
        let file = preserve(host, || {
            let below = call.source.below()?;
            Some(below.identity(call.source.kind())?.file)
        });
        let _callback = self.user_callback(host);
        let _claims = self.claim_busy(host, &[], |dataset| file.is_none_or(|file| dataset.file() == file))?;
        let outcome = call.forward();
        self.files.forget_recent();
        outcome
    }

    /// Changes the extent of a dataset, flushes or refreshes it.
    pub(crate) fn change_dataset(&self, mut call: DatasetSpecific<'_, Self>) -> Result<c_int> {
        let (host, object) = (call.object.host(), Arc::clone(&call.object));
        match call.arguments.view() {
            DatasetOperation::SetExtent => {
                // Nobody may have used it before, but what native HDF5 keeps of it must be noted.
                let _ = self.files.has_writers().then(|| self.decide(&object));
                match preserve(host, || self.shared(&object)) {
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
        shared: &Arc<Writable>,
    ) -> Result<c_int> {
        let _claims = self.claim_whole(host, [shared], Use::Write);
        let change = self.change_of_extent(host, &call);
        if change != ExtentChange::Grows {
            self.settle_claimed(host, shared)?;
        }
        let outcome = call.forward();
        match change {
            ExtentChange::Grows => {
                shared.outdate_extent();
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
        host.ask(|questions| {
            let Ok(dataset) = self.ours(questions, &call.object) else {
                return ExtentChange::Rewrites;
            };
            let Some(chunks) = dataset.chunks() else { return ExtentChange::Rewrites };
            let dims = dataset.extent().dims();
            let grows =
                wanted.len() == dims.len() && wanted.iter().zip(dims.iter()).all(|(new, old)| new >= old);
            if !grows || chunks.index.kind().edges_unfiltered {
                return ExtentChange::Rewrites;
            }
            if chunks.allocates_by_chunk { ExtentChange::Grows } else { ExtentChange::Allocates }
        })
    }

    /// Questions about chunks, and chunks that the application reads and writes itself.
    pub(crate) fn chunk_operation(&self, mut call: DatasetOptional<'_, Self>) -> Result<c_int> {
        let (host, object) = (call.object.host(), Arc::clone(&call.object));
        self.settle_object(host, &object)?;
        if !call.is_chunk_write() && !call.is_format_conversion() {
            let _callback = self.user_callback(host);
            return call.forward();
        }
        let Some(shared) = preserve(host, || self.shared(&object)) else { return call.forward() };
        let _claims = self.claim_settled(host, std::slice::from_ref(&shared))?;
        let outcome = call.forward();
        shared.outdate();
        outcome
    }

    /// Writes what is newer in memory of the dataset of this handle.
    fn settle_object(&self, host: Host, object: &Object<Self>) -> Result<()> {
        self.shared_if_dirty(host, object).map_or(Ok(()), |shared| self.settle(host, &shared))
    }

    fn shared_if_dirty(&self, host: Host, object: &Object<Self>) -> Option<Arc<Writable>> {
        // Most of the time nothing is, and which dataset this is need not be asked.
        if dirty::bytes_in_process() == 0 {
            return None;
        }
        preserve(host, || self.shared(object)).filter(|shared| !shared.dirty.is_empty())
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

/// The number of the file of an object among the open ones.
fn number_of(object: &Object<Bypass>) -> Option<u64> {
    let anchored = object.data().anchor.as_deref().and_then(Anchor::file_number);
    anchored.or_else(|| object.below()?.as_native_file(object.kind())?.number())
}

/// A file that was opened through this driver.
fn opened_through(driver: Driver, file: NewObject<Bypass>) -> NewObject<Bypass> {
    if let Some(opened) = &file.data.file {
        opened.note_driver(driver);
    }
    if let (Driver::Mpi, Some(anchor)) = (driver, &file.data.anchor) {
        anchor.refuse(Reason::Mpi);
    }
    file
}

/// A copy of an access property list without a sieve, and how large the sieve was; `None` if files opened with it cannot be
/// ours.
fn without_sieve(host: Host, access: Id, driver: Driver) -> Option<(OwnedId, usize)> {
    let Driver::Posix(_) = driver else { return None };
    host.ask(|questions| {
        if questions.has_page_buffer(access) {
            return None;
        }
        let sieve = questions.sieve_bytes(access)?;
        let list = questions.copy_of_list(access)?;
        questions.set_sieve_bytes(list.id(), 0).then_some((list, sieve))
    })
}
