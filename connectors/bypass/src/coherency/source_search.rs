//! Looking for the sources of a virtual dataset, as native HDF5 does: when something of them is first read. One that is not there
//! is looked for again by each read.

use std::ffi::{CStr, CString, OsStr, OsString};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::sync::{Arc, MutexGuard, PoisonError};

use engine::Source;
use h5_host::Questions;
use h5_vol::native::{Identity, NativeFile};
use h5_vol::{BelowObject, Connector, Id, ObjectKind, OwnedId};

use crate::Bypass;
use crate::coherency::entry::FileEntry;
use crate::coherency::examine::examine;
use crate::coherency::files::Files;
use crate::coherency::open_file::OpenFile;
use crate::coherency::resolved::Decision;
use crate::coherency::source_access::SourceAccess;
use crate::coherency::source_file::SourceFile;
use crate::coherency::source_names::Folders;
use crate::coherency::sources::{SourceDataset, Sources};
use crate::configuration::Configuration;
use crate::inspect::header_data::Compact;
use crate::inspect::storage::Storage;
use crate::inspect::virtual_layout::{Numbers, SourceName};
use crate::report::reason::Reason;

/// Who asks for sources.
#[derive(Clone, Copy)]
pub(crate) struct Asking<'a> {
    pub(crate) questions: Questions,
    pub(crate) files: &'a Files,
    pub(crate) configuration: Option<&'a Configuration>,
}

/// A virtual dataset whose sources are looked for by one call.
pub(crate) struct Searcher<'a> {
    pub(super) asking: Asking<'a>,
    /// The file that the virtual dataset lies in.
    file: &'a FileEntry,
    below: &'a BelowObject,
    pub(super) sources: &'a Sources,
}

impl Asking<'_> {
    /// What is known about a source now.
    pub(crate) fn resolve(&self, source: &SourceDataset) -> Decision {
        let known = source.known();
        if !known.is_outdated() {
            return Ok(known);
        }
        let Self { questions, files, configuration } = *self;
        let found =
            examine(questions, &source.below, files, configuration, source.identity, None, Compact::IsRead)?;
        source.set_known(&found);
        Ok(found)
    }
}

impl<'a> Searcher<'a> {
    pub(crate) fn new(
        asking: Asking<'a>,
        file: &'a FileEntry,
        below: &'a BelowObject,
        sources: &'a Sources,
    ) -> Self {
        Self { asking, file, below, sources }
    }

    /// The names by which the file of a source is looked for, in this order.
    pub(super) fn paths(&self, name: &SourceName) -> Result<Vec<CString>, Reason> {
        let find = || folders_of(self.asking.questions, self.file, self.below);
        let folders = self.sources.folders.get_or_init(find).as_ref().ok_or(Reason::Virtual)?;
        Ok(folders.names(&name.file, std::env::var_os("HDF5_VDS_PREFIX")))
    }

    /// The numbers of the sources, if the extent of the virtual dataset depends on them.
    pub(super) fn numbers(&self) -> MutexGuard<'_, Numbers> {
        self.sources.numbers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a source is open, if the extent of the virtual dataset depends on it.
    pub(super) fn has(&self, name: &SourceName) -> bool {
        let number = self.numbers().get(name).copied();
        number.is_some_and(|number| self.sources.known(number).is_some())
    }

    /// The file that the virtual dataset lies in.
    pub(super) fn file(&self) -> &FileEntry {
        self.file
    }

    /// The source with this number and name; `None` if it is missing.
    pub(crate) fn find(
        &self,
        number: usize,
        name: &SourceName,
    ) -> Result<Option<Arc<SourceDataset>>, Reason> {
        if let Some(known) = self.sources.known(number) {
            return Ok(Some(known));
        }
        let found = self.look_for(name)?.map(Arc::new);
        match &found {
            Some(found) => self.sources.note(number, found),
            // What HDF5 has said about it is of no interest: the call goes on.
            None => self.asking.questions.host().forget_errors(),
        }
        Ok(found)
    }

    /// Whether there is a source with this name. It does not stay open: there may be many.
    pub(super) fn exists(&self, name: &SourceName) -> Result<bool, Reason> {
        let exists = self.has(name) || self.look_for(name)?.is_some();
        if !exists {
            self.asking.questions.host().forget_errors();
        }
        Ok(exists)
    }

    fn look_for(&self, name: &SourceName) -> Result<Option<SourceDataset>, Reason> {
        let asking = self.asking;
        let Asking { questions, files, .. } = asking;
        if name.file.as_bytes() == b"." {
            return with_file(asking, self.sources.of.file, self.below, |file| {
                let access = dataset_access(questions, self.below)?;
                let Some(dataset) = open_dataset(questions, file, name, access.id())? else {
                    return Ok(None);
                };
                let identity = dataset.identity(questions, ObjectKind::Dataset).ok_or(Reason::NotNative)?;
                let _entry = files.known(identity.file).ok_or_else(|| failed(name, "a link leads to it"))?;
                examine_source(asking, dataset, identity, name).map(Some)
            });
        }
        for path in self.paths(name)? {
            let os_path = OsStr::from_bytes(path.to_bytes());
            if fs::metadata(os_path).is_err() {
                continue;
            }
            let access = self.access()?;
            // As native HDF5 does, if the virtual dataset is not even written.
            let to_write = self.file.raw().is_writable();
            let opened = SourceFile::open(questions, &path, access.file.id(), access.driver, to_write);
            if let Some(file) = opened {
                return open_in(asking, file.file(), access, name);
            }
            questions.host().forget_errors();
            match File::open(os_path) {
                // Native HDF5 fails, too, and says why.
                Ok(_) => return Err(failed(name, "HDF5 cannot open it")),
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => {}
                // Perhaps too many files are open, and some of them are ours.
                Err(error) => return Err(failed(name, &error.to_string())),
            }
        }
        Ok(None)
    }

    /// What sources are opened with.
    pub(super) fn access(&self) -> Result<&SourceAccess, Reason> {
        let (asking, file) = (self.asking, self.sources.of.file);
        if let Some(known) = self.sources.access.get() {
            // HDF5 copies all properties of a list, which takes as long as opening a source. They stay the same.
            return handle_of(asking, file).map(|_| known);
        }
        let found = find_access(asking, file, self.below)?;
        Ok(self.sources.access.get_or_init(|| found))
    }
}

/// Opens a source in its file; `None` if it is missing.
fn open_in(
    asking: Asking<'_>,
    file: &Arc<OpenFile>,
    access: &SourceAccess,
    name: &SourceName,
) -> Result<Option<SourceDataset>, Reason> {
    let Asking { questions, files, .. } = asking;
    let found = open_dataset(questions, file.native(), name, access.dataset.id())?;
    let Some(dataset) = found else { return Ok(None) };
    let identity = dataset.identity(questions, ObjectKind::Dataset).ok_or(Reason::NotNative)?;
    if file.facts().map(|facts| facts.number) != Some(identity.file) {
        return Err(failed(name, "a link leads to it"));
    }
    let _entry = files.entry_of_source(questions, file, identity.file, access.driver, &dataset)?;
    examine_source(asking, dataset, identity, name).map(Some)
}

/// Opens a dataset in a file; `None` if it is missing. What is there but cannot be opened is an error in some versions of HDF5.
fn open_dataset(
    questions: Questions,
    file: &NativeFile,
    name: &SourceName,
    access: Id,
) -> Result<Option<Arc<BelowObject>>, Reason> {
    // In native HDF5's order: after a failure, it does not find the same damage again.
    match file.has(questions, &name.dataset) {
        Some(true) => {}
        Some(false) => return Ok(None),
        None => return Err(failed(name, "it cannot be looked for")),
    }
    let dataset = file.open_dataset(questions, &name.dataset, access);
    dataset.map(|dataset| Some(Arc::new(dataset))).ok_or_else(|| failed(name, "it cannot be opened"))
}

/// What is known about a source, if it is ours.
fn examine_source(
    asking: Asking<'_>,
    below: Arc<BelowObject>,
    identity: Identity,
    name: &SourceName,
) -> Result<SourceDataset, Reason> {
    let Asking { questions, files, configuration } = asking;
    let examined = examine(questions, &below, files, configuration, identity, None, Compact::IsRead);
    let dataset = examined.map_err(|reason| not_ours(name, &reason))?;
    if let Storage::External(_) = dataset.storage() {
        return Err(failed(name, "its data is in external files"));
    }
    Ok(SourceDataset::new(dataset, below, identity))
}

/// Finds out what the sources of a virtual dataset are opened with.
fn find_access(asking: Asking<'_>, file: u64, virtual_dataset: &BelowObject) -> Result<SourceAccess, Reason> {
    let questions = asking.questions;
    // The list of a shared file must not be asked for by one process alone.
    if questions.host().is_built_for_mpi() {
        return Err(Reason::LinkUnderMpi);
    }
    let list = with_file(asking, file, virtual_dataset, |file| {
        file.access_list(questions).ok_or(Reason::Untold("file"))
    })?;
    // Other connectors would see that a file is opened; and what native HDF5 keeps open it does not open again.
    let is_plain = questions.connector_value(list.id()) == Some(Bypass::VALUE)
        && questions.kept_files(list.id()) == Some(0);
    if !is_plain || !questions.set_weak_close(list.id()) {
        return Err(Reason::Virtual);
    }
    let driver = questions.driver(list.id());
    Ok(SourceAccess { file: list, dataset: dataset_access(questions, virtual_dataset)?, driver })
}

fn dataset_access(questions: Questions, dataset: &BelowObject) -> Result<OwnedId, Reason> {
    dataset.dataset_access_list(questions).ok_or(Reason::Untold("access properties"))
}

/// Does something with the file that a virtual dataset lies in.
fn with_file<R>(
    asking: Asking<'_>,
    number: u64,
    dataset: &BelowObject,
    work: impl FnOnce(&NativeFile) -> Result<R, Reason>,
) -> Result<R, Reason> {
    if let Some(handle) = handle_of(asking, number)? {
        return work(handle.native());
    }
    let file = dataset.file_without_identifier(asking.questions, ObjectKind::Dataset);
    work(&file.ok_or(Reason::NotNative)?)
}

/// The only handle of the file that a virtual dataset lies in; `None` if there is none, and native HDF5 can be asked for the file.
fn handle_of(asking: Asking<'_>, number: u64) -> Result<Option<Arc<OpenFile>>, Reason> {
    let mut handles = asking.files.handles(number);
    match handles.len() {
        1 => Ok(handles.pop()),
        // The file of a source that is virtual itself. If it can be written, native HDF5 cannot be asked for it: it may be open
        // several times.
        0 if !asking.files.found.has(number) && !is_writable(asking, number) => Ok(None),
        // It may have been opened by another name first, which counts.
        _ => Err(Reason::Virtual),
    }
}

fn is_writable(asking: Asking<'_>, file: u64) -> bool {
    asking.files.known(file).is_none_or(|file| file.raw().is_writable())
}

/// Where the sources of a virtual dataset are looked for.
fn folders_of(questions: Questions, file: &FileEntry, below: &BelowObject) -> Option<Folders> {
    let access = below.dataset_access_list(questions)?;
    let prefix = questions.virtual_prefix(access.id())?;
    let name = OsString::from(below.file_name(questions, ObjectKind::Dataset)?);
    let Ok(Source::File(store)) = file.raw().source() else { return None };
    Folders::new(&prefix, &name, store.identity()?)
}

fn not_ours(name: &SourceName, reason: &Reason) -> Reason {
    failed(name, &reason.to_string())
}

fn failed(name: &SourceName, cause: &str) -> Reason {
    let text = |text: &CStr| text.to_string_lossy().into_owned();
    Reason::VirtualSource(format!("'{}' of file '{}': {cause}", text(&name.dataset), text(&name.file)))
}
