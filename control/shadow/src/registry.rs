//! The containers that are open in a host.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::backend::Store;
use crate::container::Container;
use crate::opening::Leaving;

/// The containers that are open in a host, by their places.
pub(crate) struct Registry<S: Store> {
    open: Mutex<HashMap<PathBuf, Weak<Container<S>>>>,
    pub(crate) leaving: Arc<Leaving<S>>,
    serial: AtomicU64,
}

impl<S: Store> Default for Registry<S> {
    fn default() -> Self {
        Self { open: Mutex::default(), leaving: Arc::default(), serial: AtomicU64::new(0) }
    }
}

impl<S: Store> Registry<S> {
    /// The container at a place, if it is open.
    pub(crate) fn find(&self, root: &Path) -> Option<Arc<Container<S>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).get(root).and_then(Weak::upgrade)
    }

    /// Notes a container.
    pub(crate) fn insert(&self, container: &Arc<Container<S>>) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|_, container| container.strong_count() > 0);
        open.insert(container.place.root.clone(), Arc::downgrade(container));
    }

    /// A name for a shadow that no other has.
    pub(crate) fn label(&self, root: &Path) -> String {
        format!("{}#{}", root.display(), self.serial.fetch_add(1, Ordering::Relaxed))
    }

    /// Lets containers go that nobody uses. Called when HDF5 can close files.
    pub(crate) fn sweep(&self) {
        let gone = std::mem::take(&mut *self.leaving.lock().unwrap_or_else(PoisonError::into_inner));
        for container in gone {
            // Whoever had it last has told the format everything, unless HDF5 has closed an object on its own.
            if container.has_changes()
                && let Err(error) = container.persist()
            {
                eprintln!("{error}");
            }
            container.store.close();
        }
    }

    /// All containers that exist.
    pub(crate) fn all(&self) -> Vec<Arc<Container<S>>> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.values().filter_map(Weak::upgrade).collect()
    }
}
