//! Calls about files that are open.

use core::ffi::c_int;
use std::sync::Arc;

use h5_host::{Driver, Questions};
use h5_vol::calls::{FileClose, FileGet, FileOptional, FileSpecific};
use h5_vol::views::{FileOperation, FileQuestion};
use h5_vol::{Object, Result};

use crate::coherency::dirty;
use crate::coherency::opening::Opening;
use crate::coherency::source_file;
use crate::coherency::write_back::number_of_file;
use crate::{Bypass, Data};

impl Bypass {
    /// Answers questions about a file. Our changes of the access property list are hidden from the application.
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

    /// The size of the sieve buffer that the application wanted when it first opened the file of an object, or when it opened
    /// this handle, if another connector is below us and the file has no number.
    fn sieve_of(&self, object: &Object<Self>) -> Option<usize> {
        let number = object.host().ask_below(|questions| number_of(questions, object));
        let first = number.and_then(|number| self.files.sieve(number));
        first.or_else(|| object.data().opening.as_deref().and_then(Opening::sieve))
    }

    /// Flushes a file, for one. The rest is flushed even if our changes cannot be written.
    pub(crate) fn change_file(&self, mut call: FileSpecific<'_, Self>) -> Result<c_int> {
        if call.object.is_none() {
            self.finish_closed_files(call.host());
        }
        let settled = call.object.as_ref().map_or(Ok(()), |object| self.settle_file(object));
        let is_flush = matches!(call.arguments.view(), FileOperation::Flush { .. });
        let status = call.forward()?;
        if let Some(object) = call.object.as_ref().filter(|_| is_flush && self.files.has_writers())
            && let Some(number) = number_of_file(object)
        {
            self.files.heaps.flushed(number);
        }
        settled.map(|()| status)
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
            && let Some(number) = call.object.data().opening.as_deref().and_then(Opening::file_number)
        {
            self.files.revoke(number);
        }
        Ok(status)
    }

    /// Closes a handle of a file.
    pub(crate) fn close_file(&self, call: FileClose<'_, Self>) -> Result<()> {
        let host = call.object.host();
        if let Some(file) = source_file::closed() {
            host.ask(|questions| questions.close_unflushed(file));
            return call.forward();
        }
        // Who is in the middle of writing on another thread came first.
        self.locks.wait_for_committers(host);
        if call.request.is_asynchronous()
            && !self.requests.is_empty()
            && closes_with_its_objects(&call.object)
        {
            // Native HDF5 keeps it open as long as objects in it are: until the last close that was put off.
            return self.close_handle(call, Ok(()));
        }
        let settled = self.settle_file(&call.object);
        self.close_handle(call, settled)
    }

    fn close_handle(&self, call: FileClose<'_, Self>, settled: Result<()>) -> Result<()> {
        let (host, object) = (call.object.host(), Arc::clone(&call.object));
        if let Data { opening: Some(opening), file: Some(file), .. } = object.data()
            && Arc::strong_count(opening) > 1
        {
            let survivor = host.ask(|questions| {
                opening.file_number().and_then(|number| self.files.survive(questions, file, number))
            });
            if let Some(survivor) = survivor {
                opening.survive(survivor);
            }
        }
        let closed = call.forward();
        if let Some(file) = &object.data().file {
            file.close();
        }
        trace::save();
        closed.and(settled)
    }
}

/// Whether a file stays open as long as objects in it are, and nothing but requests is in the way of closing it.
fn closes_with_its_objects(object: &Object<Bypass>) -> bool {
    // Its access list cannot be asked for: all processes would have to.
    let driver = object.data().file.as_ref().and_then(|file| file.driver());
    if driver == Some(Driver::Mpi) {
        return false;
    }
    let weak = |questions: Questions| {
        let file = object.below()?.as_native_file(object.kind())?;
        questions.is_closed_weakly(file.access_list(questions)?.id())
    };
    dirty::is_all_written() && object.host().ask_below(weak).unwrap_or(false)
}

/// The number of the file of an object among the open ones.
fn number_of(questions: Questions, object: &Object<Bypass>) -> Option<u64> {
    let of_opening = object.data().opening.as_deref().and_then(Opening::file_number);
    of_opening.or_else(|| object.below()?.as_native_file(object.kind())?.number(questions))
}
