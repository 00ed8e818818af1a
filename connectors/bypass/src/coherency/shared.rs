//! What all handles of a dataset in a file that is open for writing share.
//!
//! Two caches over one file would corrupt data: while the engine owns a dataset, native HDF5 has nothing of it. Where
//! native HDF5 had to move some of the data itself, it may have kept copies of chunks. These cannot be dropped, except
//! one by one by writing chunks through it; so from then on chunks are written that way only.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use engine::{Behind, Source};
use global_lock::Claims;
use h5_host::Questions;
use h5_vol::{BelowObject, Object};
use pool::Pool;
use selection::Chunk;
use store::{StoreError, Windows};

use crate::Bypass;
use crate::coherency::dirty::{self, DirtyChunks};
use crate::inspect::chunks::Chunks;
use crate::inspect::dataset::OurDataset;
use crate::inspect::file::RawFile;
use crate::inspect::version::Version;
use crate::report::reason::Reason;
use crate::report::summary;

/// Bytes of a chunk from which waking a thread for it is worthwhile.
const WORTH_ENCODING_BEHIND: u64 = 16 * 1024;

/// Bytes on the disk that must stay free for what native HDF5 writes about chunks.
const FREE_FOR_METADATA: u64 = 1 << 20;

/// Counts datasets in the order of their first use.
static FIRST_USES: AtomicU64 = AtomicU64::new(0);

/// A dataset that may be written.
#[derive(Debug)]
pub(crate) struct Shared {
    /// Its place in the order of first uses.
    first_use: u64,
    /// Who uses which part of it.
    pub(crate) claims: Arc<Claims>,
    /// Chunks that are newer in memory than in the file.
    pub(crate) dirty: DirtyChunks,
    /// Parts of what is stored as it is, some of them newer than in the file.
    pub(crate) windows: Windows,
    /// The file it lies in.
    raw: Arc<RawFile>,
    /// Tells when what was found out about it stops being true.
    version: Arc<Version>,
    is_chunked: AtomicBool,
    /// Native HDF5 may have copies of chunks in its cache.
    native_has_copies: AtomicBool,
    /// It may have changed them there.
    native_has_changes: AtomicBool,
    /// A chunk was stored, so there is an index to store others in.
    has_index: AtomicBool,
    /// The number of its file among the open ones.
    file: u64,
    /// Native HDF5 has failed to store a chunk.
    has_failed: AtomicBool,
    /// There was hardly room on the disk for what is in memory when a chunk became complete.
    lacks_room: AtomicBool,
    /// What was last found out about it.
    current: Mutex<Weak<OurDataset>>,
    /// Handles through which it was written.
    handles: Mutex<Vec<WrittenThrough>>,
}

/// What a dataset was written through.
#[derive(Debug)]
enum WrittenThrough {
    Handle(Weak<Object<Bypass>>),
    /// A virtual dataset, which has it open as a source.
    Source(Weak<BelowObject>),
}

/// What a dataset can be written through.
#[derive(Debug)]
pub(crate) enum Through {
    Handle(Arc<Object<Bypass>>),
    /// A virtual dataset, which has it open as a source.
    Source(Arc<BelowObject>),
}

impl Through {
    /// The dataset of the connector below; `None` if it is closed.
    pub(crate) fn below(&self) -> Option<&BelowObject> {
        match self {
            Self::Handle(handle) => handle.below(),
            Self::Source(source) => Some(source),
        }
    }
}

impl WrittenThrough {
    fn upgrade(&self) -> Option<Through> {
        match self {
            Self::Handle(handle) => handle.upgrade().map(Through::Handle),
            Self::Source(source) => source.upgrade().map(Through::Source),
        }
    }

    /// Where it is, or was, in memory.
    fn place(&self) -> *const () {
        match self {
            Self::Handle(handle) => handle.as_ptr().cast(),
            Self::Source(source) => source.as_ptr().cast(),
        }
    }

    fn is_open(&self) -> bool {
        match self {
            Self::Handle(handle) => handle.strong_count() > 0,
            Self::Source(source) => source.strong_count() > 0,
        }
    }
}

impl Shared {
    /// A dataset of the file with this number. `native_was_here`: native HDF5 may have moved data of it already.
    pub(super) fn new(file: u64, raw: &Arc<RawFile>, native_was_here: bool) -> Self {
        Self {
            // Relaxed: a number that stands for itself.
            first_use: FIRST_USES.fetch_add(1, Ordering::Relaxed),
            claims: Claims::new(),
            dirty: DirtyChunks::default(),
            windows: Windows::default(),
            raw: Arc::clone(raw),
            version: Arc::default(),
            is_chunked: AtomicBool::new(false),
            native_has_copies: AtomicBool::new(native_was_here),
            native_has_changes: AtomicBool::new(native_was_here),
            has_index: AtomicBool::new(false),
            file,
            has_failed: AtomicBool::new(false),
            lacks_room: AtomicBool::new(false),
            current: Mutex::default(),
            handles: Mutex::default(),
        }
    }

    /// Its place in the order in which datasets were first used: what concerns several is done in this order, so that the
    /// same program gives the same file.
    pub(crate) fn first_use(&self) -> u64 {
        self.first_use
    }

    /// Tells when what was found out about it stops being true.
    pub(crate) fn version(&self) -> &Arc<Version> {
        &self.version
    }

    /// Native HDF5 has read some of it, or written.
    pub(crate) fn native_was_here(&self, wrote: bool) {
        // It keeps nothing but chunks.
        let is_chunked = self.is_chunked.load(Ordering::Acquire);
        self.native_has_copies.fetch_or(is_chunked, Ordering::AcqRel);
        if wrote {
            self.native_has_changes.fetch_or(is_chunked, Ordering::AcqRel);
            self.outdate();
        }
    }

    /// It must be examined again: its storage may be elsewhere, and may have been written without us. What was newer in memory
    /// was written before, but for what was done meanwhile: by a function of the application's that native HDF5 has called, or by
    /// the connector below if that is one of ours.
    pub(crate) fn outdate(&self) {
        // What cannot be written stays, and is told by a flush or a close.
        let _ = self.leave_windows();
        self.version.outdate();
    }

    /// Whether something of it is newer in memory than in the file.
    pub(crate) fn has_unwritten(&self) -> bool {
        !self.dirty.is_empty() || self.windows.is_changed()
    }

    /// Writes what is newer in windows.
    pub(crate) fn flush_windows(&self) -> Result<(), StoreError> {
        self.raw.growing().map_or(Ok(()), |store| self.windows.flush(store))
    }

    /// Writes what is newer in windows, and gives them up: somebody else will write the same bytes.
    pub(crate) fn leave_windows(&self) -> Result<(), StoreError> {
        self.raw.growing().map_or(Ok(()), |store| self.windows.leave(store))
    }

    /// Whether chunks may be written behind native HDF5's back.
    pub(crate) fn is_unknown_to_native(&self) -> bool {
        !self.native_has_copies.load(Ordering::Acquire)
    }

    /// Whether native HDF5 has changed nothing in its own cache.
    pub(crate) fn is_caught_up(&self) -> bool {
        !self.native_has_changes.load(Ordering::Acquire)
    }

    /// Makes native HDF5 write what it has changed in its own cache.
    pub(crate) fn catch_up(&self, questions: Questions, below: &BelowObject) -> Result<(), Reason> {
        if self.native_has_changes.swap(false, Ordering::AcqRel) && below.flush_chunks(questions).is_none() {
            self.native_was_here(true);
            return Err(Reason::Untold("chunks"));
        }
        Ok(())
    }

    /// The number of its file among the open ones.
    pub(crate) fn file(&self) -> u64 {
        self.file
    }

    /// Whether a chunk was stored for certain.
    pub(crate) fn has_index(&self) -> bool {
        self.has_index.load(Ordering::Acquire)
    }

    /// A chunk was stored.
    pub(crate) fn note_index(&self) {
        self.has_index.store(true, Ordering::Release);
    }

    /// Native HDF5 has failed to store a chunk: from now on it is not believed.
    pub(crate) fn note_failure(&self) {
        self.has_failed.store(true, Ordering::Release);
    }

    /// Whether it ever has.
    pub(crate) fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Acquire)
    }

    /// What was found out about it, if that still holds.
    pub(crate) fn current(&self) -> Option<Arc<OurDataset>> {
        let current = self.current.lock().unwrap_or_else(PoisonError::into_inner).upgrade();
        current.filter(|dataset| !dataset.is_outdated())
    }

    pub(crate) fn set_current(&self, dataset: &Arc<OurDataset>) {
        let is_chunked = dataset.chunks().is_some();
        self.is_chunked.store(is_chunked, Ordering::Release);
        // Native HDF5 keeps nothing of others.
        self.native_has_copies.fetch_and(is_chunked, Ordering::AcqRel);
        self.native_has_changes.fetch_and(is_chunked, Ordering::AcqRel);
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = Arc::downgrade(dataset);
    }

    /// Notes a handle through which it is written.
    pub(crate) fn note_handle(&self, handle: &Arc<Object<Bypass>>) {
        self.note(Arc::as_ptr(handle).cast(), || WrittenThrough::Handle(Arc::downgrade(handle)));
    }

    /// Notes that it is written as a source of a virtual dataset.
    pub(crate) fn note_source(&self, source: &Arc<BelowObject>) {
        self.note(Arc::as_ptr(source).cast(), || WrittenThrough::Source(Arc::downgrade(source)));
    }

    fn note(&self, place: *const (), through: impl FnOnce() -> WrittenThrough) {
        let mut handles = self.handles.lock().unwrap_or_else(PoisonError::into_inner);
        // What is noted weakly keeps its memory, so nothing else is in its place.
        if !handles.iter().any(|known| std::ptr::eq(known.place(), place)) {
            handles.retain(WrittenThrough::is_open);
            handles.push(through());
        }
    }

    /// An open handle through which it was written, other than this one.
    pub(crate) fn handle(&self, other_than: Option<&Object<Bypass>>) -> Option<Through> {
        let handles = self.handles.lock().unwrap_or_else(PoisonError::into_inner);
        handles.iter().filter_map(WrittenThrough::upgrade).find(|through| {
            let is_other = match (through, other_than) {
                (Through::Handle(handle), Some(other)) => !std::ptr::eq(other, &raw const **handle),
                _ => true,
            };
            is_other && through.below().is_some()
        })
    }

    /// Lets an idle thread encode a changed chunk that looks complete.
    pub(crate) fn encode_behind(&self, chunks: &Chunks, chunk: &Chunk) {
        let is_wanted = chunks.filtering.as_ref().is_some_and(|filtering| filtering.encodes_behind);
        if !is_wanted || chunks.index.kind().bytes < WORTH_ENCODING_BEHIND || !chunks.is_filtered(chunk) {
            return;
        }
        self.dirty.encode_behind(&chunk.origin, |elements| {
            let origin = chunk.origin.clone();
            Behind::start(Pool::global(), &chunks.pipeline, elements, origin, summary::encoded_behind)
        });
        self.lacks_room.store(!self.has_room_on_disk(0), Ordering::Relaxed);
    }

    /// Whether complete chunks should be stored at once, while there is room for them.
    pub(crate) fn is_short_of_room(&self) -> bool {
        self.lacks_room.load(Ordering::Relaxed) && self.dirty.complete_bytes() > 0
    }

    /// Whether there is room on the disk for everything in memory, and so many bytes more, even if nothing can be compressed.
    pub(crate) fn has_room_on_disk(&self, more: u64) -> bool {
        let bytes = (dirty::bytes_in_process() as u64).saturating_add(more).saturating_add(FREE_FOR_METADATA);
        matches!(self.raw.source(), Ok(Source::File(store)) if store.check_room(bytes).is_ok())
    }
}
