//! Objects of the global heap in a file that is open for writing.

use std::sync::Arc;

use engine::{HeapWriter, InFile, NewerObjects};
use h5_host::Questions;
use h5_vol::native::{HeapObject, NativeFile};
use h5_vol::{BelowObject, ObjectKind};
use store::Store;

use crate::coherency::entry::FileEntry;
use crate::coherency::files::Files;
use crate::coherency::heaps::ChangedHeaps;
use crate::coherency::open_file::OpenFile;
use crate::coherency::resolved::Resolved;
use crate::report::reason::Reason;

/// A file of native HDF5 whose heap is used.
pub(crate) enum HeapFile {
    /// The application has it open.
    Open(Arc<OpenFile>),
    /// Only objects in it are open.
    Left(NativeFile),
}

impl HeapFile {
    /// The file that a dataset lies in.
    pub(crate) fn find(
        questions: Questions,
        files: &Files,
        dataset: &Resolved,
        below: &BelowObject,
    ) -> Result<Self, Reason> {
        let number = dataset.file.number();
        if let Some(handle) = files.handle(number) {
            return Ok(Self::Open(handle));
        }
        // Native HDF5 would believe that there is no identifier, or one more.
        if files.found.has(number) || dataset.file.may_be_open_several_times() {
            return Err(Reason::OnlyFound);
        }
        let file = below.file_without_identifier(questions, ObjectKind::Dataset);
        Ok(Self::Left(file.ok_or(Reason::NotNative)?))
    }

    pub(crate) fn native(&self) -> &NativeFile {
        match self {
            Self::Open(handle) => handle.native(),
            Self::Left(file) => file,
        }
    }
}

/// Stores objects through native HDF5.
pub(crate) struct StoredObjects<'a> {
    pub(crate) questions: Questions,
    pub(crate) file: &'a HeapFile,
    pub(crate) entry: &'a FileEntry,
    pub(crate) changed: &'a ChangedHeaps,
}

impl HeapWriter for StoredObjects<'_> {
    fn put(&mut self, bytes: &[u8]) -> Option<(u64, u32)> {
        let object = self.file.native().put_heap_object(self.questions, bytes)?;
        self.changed.stored(object, || self.entry.has_no_collection(object.address));
        Some((object.address, object.index))
    }

    fn get(&mut self, address: u64, index: u32, bytes: &mut [u8]) -> Option<()> {
        self.file.native().get_heap_object(self.questions, HeapObject { address, index }, bytes)
    }

    fn delete(&mut self, address: u64, index: u32) -> Option<()> {
        self.changed.deleted(address);
        self.file.native().delete_heap_object(self.questions, HeapObject { address, index })
    }

    fn longest(&self) -> u64 {
        self.entry.raw().growing().map_or(0, Store::end)
    }
}

/// The objects that native HDF5 has in its metadata cache, and that may not be in the file yet.
pub(crate) struct CachedObjects<'a> {
    pub(crate) questions: Questions,
    pub(crate) file: &'a HeapFile,
    pub(crate) changed: &'a ChangedHeaps,
}

impl NewerObjects for CachedObjects<'_> {
    fn in_file(&self, address: u64) -> InFile {
        self.changed.in_file(address)
    }

    fn get(&mut self, address: u64, index: u32, bytes: &mut [u8]) -> Option<()> {
        self.file.native().get_heap_object(self.questions, HeapObject { address, index }, bytes)
    }
}
