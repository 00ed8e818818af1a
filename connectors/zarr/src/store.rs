//! An open container.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use h5_shadow::spec::{AttributeSpec, Cell, Change, Description, FileSpec, FilterSpec, Kind, Link};
use h5_shadow::{Failure, Outcome, Place, Store, Version};
use zarr::{Array, Container, Lock, Node};

use crate::attributes;
use crate::failure;
use crate::filters;
use crate::scales::GroupDimensions;
use crate::settings::ZarrSettings;
use crate::tree::{Key, ROOT, Tree};

/// An open container.
#[derive(Debug)]
pub struct ZarrStore {
    pub(crate) container: Container,
    pub(crate) settings: ZarrSettings,
    state: Mutex<State>,
    /// Arrays whose chunks were asked for.
    pub(crate) arrays: Mutex<HashMap<Key, Arc<Array>>>,
    lock: Mutex<Option<Lock>>,
}

/// What is known of it.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) tree: Tree,
    /// Documents that were read when a group was listed, until they are asked for.
    pub(crate) nodes: HashMap<Key, Node>,
    /// The committed datatypes, which are in the document of the root.
    pub(crate) types: HashMap<Key, Description<Key>>,
    pub(crate) next_hidden: u64,
    /// What the arrays of groups say about dimensions, of groups that were listed.
    pub(crate) dimensions: HashMap<Key, Arc<GroupDimensions>>,
    /// Attributes that no document has: they were made of the names of dimensions.
    pub(crate) made: HashMap<Key, Vec<AttributeSpec<Key>>>,
}

impl ZarrStore {
    pub(crate) fn new(container: Container, settings: ZarrSettings, place: &Place) -> Outcome<Self> {
        let lock = if locks(place) {
            Some(container.lock(container.is_writable()).map_err(|error| failure(&error))?)
        } else {
            None
        };
        let store = Self {
            container,
            settings,
            state: Mutex::default(),
            arrays: Mutex::default(),
            lock: Mutex::new(lock),
        };
        store.load_types()?;
        Ok(store)
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a container is locked, as HDF5 locks its files.
pub(crate) fn locks(place: &Place) -> bool {
    let off = std::env::var("HDF5_USE_FILE_LOCKING").unwrap_or_default();
    place.is_locked && !matches!(off.to_ascii_uppercase().as_str(), "FALSE" | "0")
}

impl Store for ZarrStore {
    type Key = Key;

    fn root(&self) -> Key {
        ROOT
    }

    fn file(&self) -> Outcome<FileSpec> {
        self.load_file()
    }

    fn new_key(&self, kind: Kind) -> Key {
        self.state().tree.new_key(Some(kind))
    }

    fn accept(&self, filters: &[FilterSpec]) -> Outcome<()> {
        filters::to_codecs(filters, 1, self.settings.unknown_filters).map(drop)
    }

    fn accept_attribute(&self, name: &str) -> Outcome<()> {
        attributes::accept(name)
    }

    fn describe(&self, keys: &[Key]) -> Outcome<Vec<Description<Key>>> {
        keys.iter().map(|key| self.load(*key)).collect()
    }

    fn links(&self, group: &Key) -> Outcome<Vec<(String, Link<Key>)>> {
        self.load_links(*group)
    }

    fn path(&self, key: &Key) -> Outcome<Option<String>> {
        Ok(self.state().tree.path(*key))
    }

    fn values(&self, dataset: &Key) -> Outcome<Option<Vec<Cell<Key>>>> {
        self.load_values(*dataset)
    }

    fn read_chunk(&self, dataset: &Key, place: &[u64], elements: &mut [u8]) -> Outcome<bool> {
        self.read_elements(*dataset, place, elements)
    }

    fn gains_by_pairs(&self, dataset: &Key) -> bool {
        self.reads_in_pairs(*dataset)
    }

    fn read_pair(
        &self,
        dataset: &Key,
        places: [&[u64]; 2],
        elements: [&mut [u8]; 2],
    ) -> Result<[bool; 2], (usize, Failure)> {
        self.read_two(*dataset, places, elements)
    }

    fn chunk_version(&self, dataset: &Key, place: &[u64]) -> Option<Version> {
        self.version(*dataset, place)
    }

    fn write_chunk(&self, dataset: &Key, place: &[u64], elements: &[u8]) -> Outcome<()> {
        self.write_elements(*dataset, place, elements)
    }

    fn resize(&self, dataset: &Key, dims: &[u64], chunk: &[u64]) -> Outcome<()> {
        self.forget_outside(*dataset, dims, chunk)
    }

    fn stored_places(&self, dataset: &Key) -> Outcome<Option<Vec<Vec<u64>>>> {
        self.list_stored(*dataset).map(Some)
    }

    fn stored_bytes(&self, dataset: &Key) -> Outcome<u64> {
        self.count_stored(*dataset)
    }

    fn persist(&self, changes: Vec<Change<Key>>) -> Outcome<()> {
        self.save(changes)
    }

    fn flush(&self) -> Outcome<()> {
        self.container.flush().map_err(|error| failure(&error))
    }

    fn close(&self) {
        // A failure was told when it was flushed; what is left is for the next time.
        let _ = self.container.flush();
        drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}
