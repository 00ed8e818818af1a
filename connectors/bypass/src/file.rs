//! Open files, as far as raw data is concerned.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

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
    /// Those that the application has opened and not closed.
    open: Mutex<Vec<Weak<OpenFile>>>,
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
    file: NativeFile,
    /// Asked for when somebody wants to know: many files are opened for a few attributes.
    facts: OnceLock<Option<OpenFacts>>,
}

/// What is known about an open file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenFacts {
    /// Its number among the open files.
    pub(crate) number: u64,
    /// Whether it was opened for writing.
    pub(crate) is_writable: bool,
}

impl OpenFile {
    /// Notes that a file was opened; `None` if it is not one of native HDF5.
    pub(crate) fn new(files: &Files, below: &BelowObject, kind: ObjectKind) -> Option<Arc<Self>> {
        let file = Arc::new(Self { file: below.as_native_file(kind)?, facts: OnceLock::new() });
        let mut open = files.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|handle| handle.strong_count() > 0);
        open.push(Arc::downgrade(&file));
        Some(file)
    }

    pub(crate) fn facts(&self) -> Option<OpenFacts> {
        *self.facts.get_or_init(|| {
            let (number, intent) = (self.file.number()?, self.file.intent()?);
            Some(OpenFacts { number, is_writable: intent.writable })
        })
    }
}

impl Files {
    /// A handle of the file with this number.
    fn handle(&self, number: u64) -> Option<Arc<OpenFile>> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.iter()
            .filter_map(Weak::upgrade)
            .find(|handle| handle.facts().is_some_and(|facts| facts.number == number))
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
        let handle = self.handle(number);
        let found;
        let file = match &handle {
            Some(handle) => &handle.file,
            // Behind a link files are opened as the file with the link was, unless the application says otherwise.
            None if anchor.is_none_or(Anchor::is_writable) => return Err(Reason::OpenForWriting),
            None => {
                found = dataset.file_without_identifier(ObjectKind::Dataset).ok_or(Reason::NotNative)?;
                &found
            }
        };
        let facts = file.creation_list().and_then(|list| questions.creation_facts(list.id()));
        let entry = Arc::new(FileEntry { source: source_of(questions, file), facts });
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
