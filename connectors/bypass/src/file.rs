//! Open files, as far as raw data is concerned.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use engine::Source;
use h5_host::Questions;
use h5_host::questions::CreationFacts;
use h5_vol::native::NativeFile;
use h5_vol::{BelowObject, ObjectKind};
use store::{Descriptor, Stamp, Store};

use crate::anchor::Anchor;
use crate::reason::Reason;

/// The files of one host.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// Those that have been read from. All handles of a file, and all datasets in it, share an entry, whichever way
    /// they were reached; it lives as long as one of them does.
    entries: Mutex<HashMap<u64, Weak<FileEntry>>>,
    /// Those that the application has opened and not closed, by their numbers.
    open: Mutex<HashMap<u64, Vec<NativeFile>>>,
}

/// A file's bytes, or why they are not ours.
#[derive(Debug)]
pub(crate) struct FileEntry {
    source: Result<Source, Reason>,
    facts: Option<CreationFacts>,
}

impl FileEntry {
    pub(crate) fn source(&self) -> Result<&Source, Reason> {
        self.source.as_ref().map_err(Clone::clone)
    }

    /// Where addresses are counted from, and how wide they are.
    pub(crate) fn facts(&self) -> Result<CreationFacts, Reason> {
        self.facts.ok_or(Reason::Untold("file"))
    }

    /// How the file is now.
    pub(crate) fn stamp(&self) -> Option<Stamp> {
        match &self.source {
            Ok(Source::File(store)) => store.stamp(),
            _ => None,
        }
    }
}

/// A handle of a file that the application has open.
#[derive(Debug)]
pub(crate) struct OpenFile {
    files: Arc<Files>,
    number: u64,
    file: NativeFile,
}

impl OpenFile {
    /// Notes that a file was opened; `None` if it is not one of native HDF5.
    pub(crate) fn new(files: &Arc<Files>, below: &BelowObject, kind: ObjectKind) -> Option<Self> {
        let file = below.as_native_file(kind)?;
        let number = file.number()?;
        files.open().entry(number).or_default().push(file.share());
        Some(Self { files: Arc::clone(files), number, file })
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    pub(crate) fn is_writable(&self) -> bool {
        self.file.intent().is_none_or(|intent| intent.writable)
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        let mut open = self.files.open();
        if let Some(handles) = open.get_mut(&self.number) {
            handles.retain(|handle| !handle.is_same_handle(&self.file));
            if handles.is_empty() {
                open.remove(&self.number);
            }
        }
    }
}

impl Files {
    fn open(&self) -> MutexGuard<'_, HashMap<u64, Vec<NativeFile>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The entry of the file that a dataset lies in: its number is `number`, and it was reached by way of `anchor`.
    pub(crate) fn entry(
        &self,
        questions: Questions,
        dataset: &BelowObject,
        number: u64,
        anchor: Option<&Anchor>,
    ) -> Result<Arc<FileEntry>, Reason> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.get(&number).and_then(Weak::upgrade) {
            return Ok(entry);
        }
        entries.retain(|_, entry| entry.strong_count() > 0);
        let handle = self.open().get(&number).and_then(|handles| handles.first()).map(NativeFile::share);
        let file = match handle {
            Some(file) => file,
            // Behind a link files are opened as the file with the link was, unless the application says otherwise.
            None if anchor.is_none_or(Anchor::is_writable) => return Err(Reason::OpenForWriting),
            None => dataset.file_without_identifier(ObjectKind::Dataset).ok_or(Reason::NotNative)?,
        };
        let facts = file.creation_list().and_then(|list| questions.creation_facts(list.id()));
        let entry = Arc::new(FileEntry { source: source_of(questions, &file), facts });
        entries.insert(number, Arc::downgrade(&entry));
        Ok(entry)
    }
}

/// This is the line between what the engine owns and what it does not yet: reads of files that nobody can
/// write through this host. As long as a file may change, native's own caches are part of its content.
fn source_of(questions: Questions, file: &NativeFile) -> Result<Source, Reason> {
    let intent = file.intent().ok_or(Reason::Untold("file"))?;
    if intent.writable {
        return Err(Reason::OpenForWriting);
    }
    if intent.swmr_reader {
        return Err(Reason::SwmrReader);
    }
    let descriptor = file.descriptor(questions).ok_or(Reason::Driver)?;
    let end = file.allocated_end().ok_or(Reason::Untold("file"))?;
    Ok(Source::File(Arc::new(Store::new(Descriptor::new(descriptor), end))))
}
