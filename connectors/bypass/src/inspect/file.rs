//! The bytes of a file: whether they are ours, and where.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::Source;
use h5_host::questions::CreationFacts;
use h5_host::{Driver, Questions};
use h5_vol::BelowObject;
use h5_vol::native::NativeFile;
use store::{Descriptor, Stamp, Store};

use crate::inspect::shared_file::SharedFile;
use crate::inspect::superblock;
use crate::report::reason::Reason;

/// A file's bytes, or why they are not ours.
#[derive(Debug)]
pub(crate) struct RawFile {
    source: Result<Source, Reason>,
    facts: Option<CreationFacts>,
    is_writable: bool,
    /// Metadata is where its addresses say.
    has_plain_metadata: bool,
    /// It was ours, but is native's now.
    revoked: AtomicBool,
}

impl RawFile {
    /// What HDF5 says about a file that is open. If it is known to stay open as long as a dataset in it, it is read through
    /// HDF5's own descriptor.
    pub(crate) fn examine(
        questions: Questions,
        file: &NativeFile,
        driver: Driver,
        dataset: Option<&Arc<BelowObject>>,
    ) -> Self {
        let is_writable = file.intent(questions).is_none_or(|intent| intent.writable);
        Self::of_source(questions, file, is_writable, source_of(questions, file, driver, dataset))
    }

    /// The same for a file that processes share through MPI to read it.
    pub(crate) fn examine_shared(questions: Questions, file: &NativeFile, shared: &SharedFile) -> Self {
        Self::of_source(questions, file, false, shared.source(questions, file))
    }

    fn of_source(
        questions: Questions,
        file: &NativeFile,
        is_writable: bool,
        source: Result<Source, Reason>,
    ) -> Self {
        let read = match &source {
            Ok(Source::File(store)) => superblock::creation_facts(store),
            _ => None,
        };
        let ask = || file.creation_list(questions).and_then(|list| questions.creation_facts(list.id()));
        Self {
            source,
            facts: read.or_else(ask),
            is_writable,
            has_plain_metadata: file.has_cache_image(questions) == Some(false),
            revoked: AtomicBool::new(false),
        }
    }

    pub(crate) fn source(&self) -> Result<&Source, Reason> {
        if self.is_revoked() {
            return Err(Reason::SwmrWriter);
        }
        self.source.as_ref().map_err(Clone::clone)
    }

    /// The file, if it is open for writing and ours, or was.
    pub(crate) fn growing(&self) -> Option<&Store> {
        match &self.source {
            Ok(Source::File(store)) if self.is_writable => Some(store),
            _ => None,
        }
    }

    /// Where addresses are counted from, and how wide they are.
    pub(crate) fn facts(&self) -> Result<CreationFacts, Reason> {
        self.facts.ok_or(Reason::Untold("file"))
    }

    /// Whether metadata can be read from where its addresses say. If the file is open for writing, native HDF5 may have newer
    /// metadata in its cache: see [`crate::coherency::heaps`].
    pub(crate) fn has_plain_metadata(&self) -> bool {
        self.has_plain_metadata
    }

    /// Whether it is open for writing.
    pub(crate) fn is_writable(&self) -> bool {
        self.is_writable
    }

    /// The file is native's from now on.
    pub(crate) fn revoke(&self) {
        self.revoked.store(true, Ordering::Release);
    }

    /// Whether it was ours and is not any more.
    pub(crate) fn is_revoked(&self) -> bool {
        self.revoked.load(Ordering::Acquire)
    }

    /// The state of the file now, if nobody should write it.
    pub(crate) fn stamp(&self) -> Option<Stamp> {
        match &self.source {
            Ok(Source::File(store)) if !self.is_writable => store.stamp(),
            _ => None,
        }
    }
}

/// Decides what the engine owns: files with a plain descriptor, of which native HDF5 has nothing in its own buffers that it might
/// write later.
fn source_of(
    questions: Questions,
    file: &NativeFile,
    driver: Driver,
    dataset: Option<&Arc<BelowObject>>,
) -> Result<Source, Reason> {
    let intent = file.intent(questions).ok_or(Reason::Untold("file"))?;
    if intent.swmr_reader {
        return Err(Reason::SwmrReader);
    }
    if intent.swmr_writer {
        return Err(Reason::SwmrWriter);
    }
    let Driver::Posix(driver) = driver else { return Err(Reason::Driver) };
    let descriptor = match dataset {
        None => file.descriptor(questions, driver).map(Descriptor::new),
        Some(dataset) => file
            .lent_descriptor(questions, driver, dataset)
            .map(|descriptor| Descriptor::lent(Arc::new(descriptor))),
    };
    let descriptor = descriptor.ok_or(Reason::Driver)?;
    if intent.writable {
        let access = file.access_list(questions).ok_or(Reason::Untold("file"))?;
        if questions.has_page_buffer(access.id()) {
            return Err(Reason::PageBuffer);
        }
        // We open files that can be written without a sieve: this one was open before.
        if questions.sieve_bytes(access.id()) != Some(0) {
            return Err(Reason::OpenNatively);
        }
    }
    let end = file.allocated_end(questions).ok_or(Reason::Untold("file"))?;
    Ok(Source::File(Arc::new(Store::new(descriptor, end))))
}
