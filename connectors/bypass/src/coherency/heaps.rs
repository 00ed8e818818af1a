//! Which collections of the global heap are newer in native HDF5's metadata cache than in the file.
//!
//! Native HDF5 stores and deletes the objects of variable-length values through the blob callbacks of the connectors above it,
//! so we see each of them. Objects never change: they are stored once, and deleted. So what lies in the file of a collection
//! that was not touched since the file was last flushed is what its references mean, whatever else has happened. If objects were
//! stored in it, and none deleted, those that are found in the file are right as well, and native HDF5 has the others. (HDF5
//! stores other things in the heap without telling: mappings of virtual datasets, regions. Elements of datasets do not refer to
//! those.)

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::InFile;
use h5_vol::native::HeapObject;
use h5_vol::views::HeapAddresses;

/// How many collections are remembered of a file. If more have changed, all count as changed.
const MANY: usize = 1 << 18;

/// The index of the first object of a collection.
const FIRST: u32 = 1;

/// How many files are remembered before those that nobody knows any more are forgotten.
const MANY_FILES: usize = 64;

/// The heap of the file of a blob: what an address is, and which collections have changed.
pub(crate) type HeapOfFile = (HeapAddresses, Arc<ChangedHeaps>);

/// The collections of a file that have changed since it was last flushed.
#[derive(Debug, Default)]
pub(crate) struct ChangedHeaps {
    changed: Mutex<Changed>,
    /// Those that objects were stored in and deleted from last: most of the time they are the same again. Whoever changes a heap
    /// holds the host's lock.
    last_grown: AtomicU64,
    last_shrunk: AtomicU64,
}

#[derive(Debug, Default)]
struct Changed {
    collections: HashMap<u64, Change>,
    /// Nothing is known about any collection.
    all: bool,
}

/// What has happened to a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    /// Objects were stored in it, and nothing else. So whatever objects are found of it in the file are its own.
    Grown,
    /// Objects were deleted, or there may be something else in the file.
    Any,
}

impl ChangedHeaps {
    /// An object was stored in a collection. `is_elsewhere` tells whether there is no collection in the file where it is, if it
    /// is a new one: what lies there may be an older one that was deleted.
    pub(crate) fn stored(&self, object: HeapObject, is_elsewhere: impl FnOnce() -> bool) {
        if self.last_grown.load(Ordering::Relaxed) == object.address {
            return;
        }
        let mut changed = self.changed();
        if changed.all {
            return;
        }
        self.last_grown.store(object.address, Ordering::Relaxed);
        changed.collections.entry(object.address).or_insert_with(|| {
            if object.index > FIRST || is_elsewhere() { Change::Grown } else { Change::Any }
        });
        changed.limit();
    }

    /// An object of the collection at this address is deleted.
    pub(crate) fn deleted(&self, address: u64) {
        if self.last_shrunk.load(Ordering::Relaxed) == address {
            return;
        }
        let mut changed = self.changed();
        if changed.all {
            return;
        }
        self.last_shrunk.store(address, Ordering::Relaxed);
        changed.collections.insert(address, Change::Any);
        changed.limit();
    }

    /// How much of the collection at this address is in the file.
    pub(crate) fn in_file(&self, address: u64) -> InFile {
        let changed = self.changed();
        match changed.collections.get(&address) {
            _ if changed.all => InFile::Nothing,
            Some(Change::Any) => InFile::Nothing,
            Some(Change::Grown) => InFile::Something,
            None => InFile::Everything,
        }
    }

    /// Whether nothing has changed.
    pub(crate) fn is_empty(&self) -> bool {
        let changed = self.changed();
        !changed.all && changed.collections.is_empty()
    }

    fn clear(&self) {
        let mut changed = self.changed();
        *changed = Changed::default();
        self.last_grown.store(0, Ordering::Relaxed);
        self.last_shrunk.store(0, Ordering::Relaxed);
    }

    fn changed(&self) -> MutexGuard<'_, Changed> {
        self.changed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Changed {
    /// Does not remember too much.
    fn limit(&mut self) {
        if self.collections.len() > MANY {
            *self = Self { all: true, ..Self::default() };
        }
    }
}

/// The changed collections of all files.
#[derive(Debug, Default)]
pub(crate) struct Heaps(Mutex<All>);

#[derive(Debug, Default)]
struct All {
    /// By the numbers of the files.
    files: HashMap<u64, Arc<ChangedHeaps>>,
    /// Something was forgotten of a file with a number up to this. Files get their numbers in the order in which they are opened.
    forgotten: u64,
}

impl Heaps {
    /// The changed collections of a file. `is_known` tells whether a file is still open, as far as we know.
    pub(crate) fn of(&self, number: u64, is_known: impl Fn(u64) -> bool) -> Arc<ChangedHeaps> {
        let mut all = self.all();
        if let Some(known) = all.files.get(&number) {
            return Arc::clone(known);
        }
        if all.files.len() >= MANY_FILES {
            // A file that nobody knows may still be open through a link.
            let (kept, left) = all.files.drain().partition(|(number, _)| is_known(*number));
            all.files = kept;
            let unsure = |(number, heaps): (u64, Arc<ChangedHeaps>)| (!heaps.is_empty()).then_some(number);
            let left: HashMap<_, _> = left;
            all.forgotten = left.into_iter().filter_map(unsure).fold(all.forgotten, u64::max);
        }
        let heaps = Arc::new(ChangedHeaps::default());
        if number <= all.forgotten {
            heaps.changed().all = true;
        }
        all.files.insert(number, Arc::clone(&heaps));
        heaps
    }

    /// The changed collections of a file, if there are any.
    pub(crate) fn changed(&self, number: u64) -> Option<Arc<ChangedHeaps>> {
        let all = self.all();
        if number <= all.forgotten && !all.files.contains_key(&number) {
            drop(all);
            return Some(self.of(number, |_| true));
        }
        all.files.get(&number).filter(|heaps| !heaps.is_empty()).cloned()
    }

    /// A file was flushed.
    pub(crate) fn flushed(&self, number: u64) {
        if let Some(heaps) = self.changed(number) {
            heaps.clear();
        }
    }

    fn all(&self) -> MutexGuard<'_, All> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An object that is not the first of its collection.
    fn object(address: u64) -> HeapObject {
        HeapObject { address, index: 2 }
    }

    #[test]
    fn collections_are_changed_until_the_file_is_flushed() {
        let heaps = Heaps::default();
        assert!(heaps.changed(1).is_none());
        let first = heaps.of(1, |_| true);
        assert!(heaps.changed(1).is_none(), "nothing has changed yet");
        for address in [4096, 4096, 8192, 4096] {
            first.stored(object(address), || false);
        }
        let changed = heaps.changed(1).unwrap();
        assert_eq!([4096, 8192].map(|address| changed.in_file(address)), [InFile::Something; 2]);
        assert_eq!(changed.in_file(0), InFile::Everything);
        assert!(heaps.changed(2).is_none(), "another file");
        heaps.flushed(1);
        assert!(heaps.changed(1).is_none() && changed.in_file(4096) == InFile::Everything);
        first.stored(object(4096), || false);
        assert_eq!(changed.in_file(4096), InFile::Something, "the last one counts again after a flush");
    }

    #[test]
    fn what_was_deleted_from_is_not_believed() {
        let heaps = ChangedHeaps::default();
        heaps.stored(object(4096), || false);
        heaps.deleted(4096);
        heaps.stored(object(8192), || false);
        heaps.stored(object(4096), || false);
        assert_eq!(heaps.in_file(4096), InFile::Nothing);
        assert_eq!(heaps.in_file(8192), InFile::Something);
    }

    #[test]
    fn a_new_collection_is_believed_if_nothing_like_it_was_in_its_place() {
        let heaps = ChangedHeaps::default();
        heaps.stored(HeapObject { address: 4096, index: 1 }, || true);
        heaps.stored(HeapObject { address: 8192, index: 1 }, || false);
        assert_eq!([4096, 8192].map(|address| heaps.in_file(address)), [InFile::Something, InFile::Nothing]);
    }

    #[test]
    fn too_many_collections_are_all() {
        let heaps = ChangedHeaps::default();
        (1..=MANY as u64 + 1).for_each(|number| heaps.stored(object(number * 4096), || false));
        assert!(heaps.in_file(1) == InFile::Nothing && !heaps.is_empty());
        heaps.clear();
        assert_eq!(heaps.in_file(1), InFile::Everything);
    }

    #[test]
    fn what_was_forgotten_of_a_file_counts_as_changed() {
        let heaps = Heaps::default();
        heaps.of(1, |_| true).deleted(4096);
        heaps.of(2, |_| true).deleted(4096);
        heaps.of(3, |_| true);
        for number in 10..10 + MANY_FILES as u64 {
            heaps.of(number, |known| known == 2);
        }
        let in_file = |number, address| heaps.changed(number).map(|changed| changed.in_file(address));
        assert_eq!(
            [4096, 8192].map(|address| in_file(2, address)),
            [Some(InFile::Nothing), Some(InFile::Everything)]
        );
        assert_eq!(in_file(1, 8192), Some(InFile::Nothing), "unsure");
        assert_eq!(in_file(200, 4096), None, "opened afterwards");
    }
}
