//! A format that keeps containers in the memory of the process: the smallest complete one.
//!
//! docs/writing-a-format.md goes through it. The tests load it as a plugin (`libmemory_format.so`) and use it with h5py.

use core::ffi::{CStr, c_int};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use h5_shadow::spec::{Cell, Change, Description, FileSpec, GroupSpec, Kind, Link, Thing};
use h5_shadow::{Backend, Failure, Mode, Outcome, Place, Shadow, Store};
use h5_vol::{Lender, Settings, Slots};

/// The containers of the process. They are gone when it ends.
static CONTAINERS: LazyLock<Mutex<HashMap<PathBuf, Arc<Mutex<Contents>>>>> = LazyLock::new(Mutex::default);

fn containers() -> MutexGuard<'static, HashMap<PathBuf, Arc<Mutex<Contents>>>> {
    CONTAINERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An object's number in its container. Numbers are never used again.
type Key = u64;

const ROOT: Key = 0;

/// What is in a container.
#[derive(Debug, Default)]
struct Contents {
    file: FileSpec,
    objects: HashMap<Key, Object>,
}

#[derive(Debug)]
struct Object {
    description: Description<Key>,
    links: Vec<(String, Link<Key>)>,
    values: Option<Vec<Cell<Key>>>,
    chunks: HashMap<Vec<u64>, Vec<u8>>,
}

/// The format.
pub struct MemoryFormat;

/// `all=1` in the info string: every file is a container, whatever its name.
#[derive(Debug, Clone, Default)]
pub struct MemorySettings {
    all: bool,
}

impl Settings for MemorySettings {
    fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match (key, value) {
            ("all", "0" | "1") => {
                self.all = value == "1";
                Ok(())
            }
            _ => Err(format!("unknown key or value: '{key}={value}' ('all=0' and 'all=1' are known)")),
        }
    }

    fn pairs(&self) -> Vec<(String, String)> {
        if self.all { vec![("all".to_owned(), "1".to_owned())] } else { Vec::new() }
    }
}

impl Backend for MemoryFormat {
    const NAME: &'static CStr = c"memory";
    const VALUE: c_int = 597;
    const VERSION: u32 = 1;
    const VERSION_TEXT: &'static CStr = c"0.1.0";
    const STATISTICS: &'static str = "MEMORY_FORMAT_STATS";

    type Settings = MemorySettings;
    type Store = MemoryStore;

    fn slots() -> &'static Slots<Shadow<Self>> {
        static SLOTS: Slots<Shadow<MemoryFormat>> = Slots::new();
        &SLOTS
    }

    const LENDER: &'static CStr = c"memory_lender";

    fn lender_slots() -> &'static Slots<Lender<Shadow<Self>>> {
        static SLOTS: Slots<Lender<Shadow<MemoryFormat>>> = Slots::new();
        &SLOTS
    }

    fn new() -> Self {
        Self
    }

    fn existing(&self, name: &Path, _: &MemorySettings) -> Option<Place> {
        let root = std::path::absolute(name).ok()?;
        containers().contains_key(&root).then(|| Place::new(root))
    }

    fn new_place(&self, name: &Path, settings: &MemorySettings) -> Option<Place> {
        let is_ours = settings.all || name.extension().is_some_and(|extension| extension == "mem");
        if is_ours { std::path::absolute(name).ok().map(Place::new) } else { None }
    }

    fn open(&self, place: &Place, mode: Mode, _: &MemorySettings) -> Outcome<MemoryStore> {
        let mut containers = containers();
        if mode == Mode::Create {
            containers.insert(place.root.clone(), Arc::default());
        }
        let gone = || Failure::new(format!("{} is gone", place.root.display()));
        let contents = Arc::clone(containers.get(&place.root).ok_or_else(gone)?);
        let used = contents.lock().unwrap_or_else(PoisonError::into_inner).objects.keys().max().copied();
        Ok(MemoryStore { contents, next: AtomicU64::new(used.unwrap_or(ROOT) + 1) })
    }

    fn delete(&self, place: &Place, _: &MemorySettings) -> Outcome<()> {
        containers().remove(&place.root);
        Ok(())
    }
}

/// An open container.
#[derive(Debug)]
pub struct MemoryStore {
    contents: Arc<Mutex<Contents>>,
    next: AtomicU64,
}

impl MemoryStore {
    fn contents(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<R>(&self, key: Key, ask: impl FnOnce(&mut Object) -> R) -> Outcome<R> {
        let mut contents = self.contents();
        contents
            .objects
            .get_mut(&key)
            .map(ask)
            .ok_or_else(|| Failure::new(format!("there is no object {key}")))
    }
}

impl Store for MemoryStore {
    type Key = Key;

    fn root(&self) -> Key {
        ROOT
    }

    fn file(&self) -> Outcome<FileSpec> {
        let mut file = self.contents().file.clone();
        // Every object may have several links here.
        file.has_shared_objects = true;
        Ok(file)
    }

    fn new_key(&self, _: Kind) -> Key {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    fn describe(&self, keys: &[Key]) -> Outcome<Vec<Description<Key>>> {
        keys.iter().map(|key| self.with(*key, |object| object.description.clone())).collect()
    }

    fn links(&self, group: &Key) -> Outcome<Vec<(String, Link<Key>)>> {
        self.with(*group, |object| object.links.clone())
    }

    fn path(&self, key: &Key) -> Outcome<Option<String>> {
        let contents = self.contents();
        let mut path = String::new();
        let mut here = *key;
        while here != ROOT {
            let parent = contents.objects.iter().find_map(|(parent, object)| {
                let leads_here = |(_, link): &&(String, Link<Key>)| *link == Link::Hard(here);
                object.links.iter().find(leads_here).map(|(name, _)| (*parent, name.clone()))
            });
            let Some((parent, name)) = parent else { return Ok(None) };
            path = format!("/{name}{path}");
            here = parent;
        }
        Ok(Some(if path.is_empty() { "/".to_owned() } else { path }))
    }

    fn values(&self, dataset: &Key) -> Outcome<Option<Vec<Cell<Key>>>> {
        self.with(*dataset, |object| object.values.clone())
    }

    fn read_chunk(&self, dataset: &Key, place: &[u64], elements: &mut [u8]) -> Outcome<bool> {
        self.with(*dataset, |object| match object.chunks.get(place) {
            Some(chunk) if chunk.len() == elements.len() => {
                elements.copy_from_slice(chunk);
                true
            }
            _ => false,
        })
    }

    fn write_chunk(&self, dataset: &Key, place: &[u64], elements: &[u8]) -> Outcome<()> {
        self.with(*dataset, |object| drop(object.chunks.insert(place.to_vec(), elements.to_vec())))
    }

    fn resize(&self, dataset: &Key, dims: &[u64], chunk: &[u64]) -> Outcome<()> {
        let is_inside = |place: &[u64]| {
            place.iter().zip(dims.iter().zip(chunk)).all(|(place, (size, chunk))| place * chunk < *size)
        };
        self.with(*dataset, |object| object.chunks.retain(|place, _| is_inside(place)))
    }

    fn stored_bytes(&self, dataset: &Key) -> Outcome<u64> {
        self.with(*dataset, |object| object.chunks.values().map(|chunk| chunk.len() as u64).sum())
    }

    fn persist(&self, changes: Vec<Change<Key>>) -> Outcome<()> {
        let mut contents = self.contents();
        for change in changes {
            match change {
                Change::File(file) => contents.file = file,
                Change::Object { key, description, values } => {
                    let object = contents.objects.entry(key).or_insert_with(new_object);
                    object.description = *description;
                    object.values = values.or(object.values.take());
                }
                Change::Links { group, links } => {
                    contents.objects.entry(group).or_insert_with(new_object).links = links;
                }
                Change::Gone(key) => drop(contents.objects.remove(&key)),
            }
        }
        Ok(())
    }

    fn flush(&self) -> Outcome<()> {
        Ok(())
    }
}

fn new_object() -> Object {
    let thing = Thing::Group(GroupSpec::default());
    Object {
        description: Description { thing, attributes: Vec::new() },
        links: Vec::new(),
        values: None,
        chunks: HashMap::new(),
    }
}

h5_vol::export!(Shadow<MemoryFormat>);
