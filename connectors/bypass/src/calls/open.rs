//! Opening and creating files.

use std::sync::{Arc, OnceLock};

use h5_host::{Driver, Questions};
use h5_vol::calls::{FileCreate, FileOpen};
use h5_vol::{BelowObject, Error, Host, Id, NewObject, ObjectKind, Origin, OwnedId, Result};
use pool::Pool;

use crate::coherency::found::FoundFile;
use crate::coherency::handle::DatasetHandle;
use crate::coherency::open_file::OpenFile;
use crate::coherency::opening::Opening;
use crate::coherency::source_file;
use crate::configuration::{self, MpiReads};
use crate::inspect::shared_file::SharedFile;
use crate::report::reason::Reason;
use crate::report::summary;
use crate::run::cache;
use crate::{Bypass, Data};

impl Bypass {
    /// Reports errors in the configuration when a file is opened.
    fn check_configuration(&self) -> Result<()> {
        let configuration = self.configuration.as_ref().map_err(Error::configuration)?;
        Pool::global().configure(configuration.threads.map(Into::into), configuration.no_pool);
        cache::configure(configuration);
        if let Some(file) = &configuration.trace {
            let fault = |error| configuration::unwritable(settings::TRACE, file, &error);
            trace::start(file).map_err(|error| Error::configuration(fault(error)))?;
        }
        summary::file_opened(configuration).map_err(Error::configuration)
    }

    /// What is kept with an object that was opened, created or found.
    pub(crate) fn data_of(&self, origin: &Origin<'_, Self>, kind: ObjectKind, below: &BelowObject) -> Data {
        let is_wrapped = matches!(origin, Origin::Wrapped(_));
        let file =
            (kind == ObjectKind::File && !is_wrapped).then(|| self.files.opened(below, kind)).flatten();
        let opening = match origin {
            _ if kind == ObjectKind::File && !is_wrapped => {
                let opening = Opening::new(file.as_ref());
                if let Origin::Object(before) = origin {
                    self.open_once_more(before.data(), &opening, file.as_deref());
                }
                Some(Arc::new(opening))
            }
            Origin::Object(object) => object.data().opening.clone(),
            // Nothing that must go when the file is closed may depend on an object that perhaps never is.
            Origin::Opened(_) | Origin::Wrapped(_) => None,
        };
        let dataset = (kind == ObjectKind::Dataset).then(|| DatasetHandle::new(opening.clone()));
        let found =
            (kind == ObjectKind::File && is_wrapped).then(|| FoundFile::new(&self.files.found, below));
        Data { opening, dataset, file, _found: found.flatten(), heap: OnceLock::new(), request: None }
    }

    /// Opens a file. If it can be written, native HDF5 gets no buffer for raw data in it.
    pub(crate) fn open_file(&self, mut call: FileOpen<'_, Self>) -> Result<NewObject<Self>> {
        if let Some(driver) = source_file::opened_with() {
            let file = opened_through(driver, call.forward()?);
            if let Some(opened) = &file.data.file {
                source_file::opened(opened);
            }
            return Ok(file);
        }
        self.check_configuration()?;
        self.finish_closed_files(call.host());
        if call.is_for_writing() {
            self.open_plain_sources(call.host());
        } else {
            self.open_plain_sources_in(call.host(), call.name);
        }
        let is_ours = !self.is_disabled() && !call.is_for_swmr();
        let (driver, list) = how_to_open(call.host(), call.access, is_ours && call.is_for_writing());
        if is_ours && !call.is_for_writing() {
            return if driver == Driver::Mpi {
                self.open_shared_file(call)
            } else {
                self.open_file_to_read(call, driver)
            };
        }
        self.open_to_write(driver, list.as_ref(), |list| {
            call.access = list.unwrap_or(call.access);
            call.forward()
        })
    }

    /// Opens a file for reading. If it is already open for writing, HDF5 shares it, and it can also be written.
    fn open_file_to_read(&self, call: FileOpen<'_, Self>, driver: Driver) -> Result<NewObject<Self>> {
        if !self.files.has_writers() {
            return Ok(opened_through(driver, call.forward()?));
        }
        let host = call.host();
        // What is told if the handle that was opened first is closed by now.
        let wanted = host.ask(|questions| questions.sieve_bytes(call.access));
        let file = opened_through(driver, call.forward()?);
        if let Some(opened) = &file.data.file
            && let Some(facts) = host.ask_below(|_| opened.facts()).filter(|facts| facts.is_writable)
            && let Some(sieve) = self.files.sieve(facts.number).or(wanted)
        {
            self.note_writer(&file.data, sieve);
        }
        Ok(file)
    }

    /// Opens a file for reading that processes share through MPI. What is decided here all of them decide in the same way.
    fn open_shared_file(&self, call: FileOpen<'_, Self>) -> Result<NewObject<Self>> {
        let reads = self.configuration.as_ref().map_or(MpiReads::Native, |configuration| configuration.mpi);
        let refused = if reads == MpiReads::Native {
            Some(Reason::MpiNative)
        } else {
            let is_collective =
                call.host().ask_first(|questions| questions.reads_metadata_collectively(call.access));
            is_collective.then_some(Reason::MpiMetadata)
        };
        let name = call.name;
        let file = call.forward()?;
        let (Some(opened), Some(opening)) = (&file.data.file, &file.data.opening) else {
            return Ok(opened_through(Driver::Mpi, file));
        };
        opened.note_driver(Driver::Mpi);
        match (refused, name) {
            (None, Some(name)) => {
                let shared = Arc::new(SharedFile::open(name, reads));
                opened.note_shared(&shared);
                opening.note_shared(&shared);
            }
            (refused, _) => opening.refuse(refused.unwrap_or(Reason::Mpi)),
        }
        Ok(file)
    }

    /// Creates a file, likewise without a sieve buffer.
    pub(crate) fn create_file(&self, mut call: FileCreate<'_, Self>) -> Result<NewObject<Self>> {
        self.check_configuration()?;
        self.finish_closed_files(call.host());
        self.open_plain_sources(call.host());
        let is_ours = !self.is_disabled() && !call.is_for_swmr();
        let (driver, list) = how_to_open(call.host(), call.access, is_ours);
        self.open_to_write(driver, list.as_ref(), |list| {
            call.access = list.unwrap_or(call.access);
            call.forward()
        })
    }

    /// Opens or creates a file with this access list without a sieve buffer, if there is one, and notes what was wanted.
    fn open_to_write(
        &self,
        driver: Driver,
        list: Option<&(OwnedId, usize)>,
        open: impl FnOnce(Option<Id>) -> Result<NewObject<Self>>,
    ) -> Result<NewObject<Self>> {
        let file = opened_through(driver, open(list.map(|(list, _)| list.id()))?);
        if let Some((_, sieve)) = list {
            self.note_writer(&file.data, *sieve);
        }
        Ok(file)
    }

    /// Notes that a file was opened for writing, and how large a sieve the application wanted.
    fn note_writer(&self, file: &Data, sieve: usize) {
        if let Some(opening) = &file.opening {
            opening.note_writer(self.files.writer(), sieve);
        }
        if let Some(file) = &file.file {
            file.note_sieve(sieve);
        }
    }

    /// A file that is opened again is opened as before.
    fn open_once_more(&self, before: &Data, opening: &Opening, file: Option<&OpenFile>) {
        let Some(first) = before.opening.as_deref() else { return };
        if let Some(sieve) = first.sieve() {
            opening.note_writer(self.files.writer(), sieve);
        }
        if let Some(reason) = first.refused() {
            opening.refuse(reason.clone());
        }
        if let Some(shared) = first.shared() {
            opening.note_shared(shared);
            if let Some(file) = file {
                file.note_shared(shared);
            }
        }
        if let (Some(file), Some(driver)) = (file, before.file.as_ref().and_then(|first| first.driver())) {
            file.note_driver(driver);
        }
    }
}

/// A file that was opened through this driver.
fn opened_through(driver: Driver, file: NewObject<Bypass>) -> NewObject<Bypass> {
    if let Some(opened) = &file.data.file {
        opened.note_driver(driver);
    }
    if let (Driver::Mpi, Some(opening)) = (driver, &file.data.opening) {
        opening.refuse(Reason::Mpi);
    }
    file
}

/// The driver that an access property list names, and if files opened with it are to be ours to write: what
/// [`without_sieve`] finds.
fn how_to_open(host: Host, access: Id, to_write: bool) -> (Driver, Option<(OwnedId, usize)>) {
    let (driver, list) = host.ask_first(|questions| {
        let driver = questions.driver(access);
        (driver, if to_write { without_sieve(questions, access, driver) } else { None })
    });
    if to_write && list.is_none() {
        host.forget_errors();
    }
    (driver, list)
}

/// A copy of an access property list without a sieve, and how large the sieve was; `None` if files opened with it cannot be
/// ours.
fn without_sieve(questions: Questions, access: Id, driver: Driver) -> Option<(OwnedId, usize)> {
    let Driver::Posix(_) = driver else { return None };
    if questions.has_page_buffer(access) {
        return None;
    }
    let sieve = questions.sieve_bytes(access)?;
    let list = questions.copy_of_list(access)?;
    questions.set_sieve_bytes(list.id(), 0).then_some((list, sieve))
}
