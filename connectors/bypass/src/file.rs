//! Open files, as far as raw data is concerned.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use engine::Source;
use h5_host::Questions;
use h5_host::questions::CreationFacts;
use h5_vol::native::NativeFile;
use store::{Descriptor, Store};

use crate::reason::Reason;

/// The files of one host that have been read from. All handles of a file, and all datasets in it, share an
/// entry, whichever way they were reached; it lives as long as one of them does.
#[derive(Debug, Default)]
pub(crate) struct Files(Mutex<HashMap<u64, Weak<FileEntry>>>);

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
}

impl Files {
    /// The entry of a file.
    pub(crate) fn entry(&self, questions: Questions, file: &NativeFile) -> Result<Arc<FileEntry>, Reason> {
        let number = file.number().ok_or(Reason::Untold("file"))?;
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = files.get(&number).and_then(Weak::upgrade) {
            return Ok(entry);
        }
        files.retain(|_, entry| entry.strong_count() > 0);
        let facts = file.creation_list().and_then(|list| questions.creation_facts(list.id()));
        let entry = Arc::new(FileEntry { source: source_of(questions, file), facts });
        files.insert(number, Arc::downgrade(&entry));
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
