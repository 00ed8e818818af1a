//! One opening of a container (`H5Fopen`, `H5Fcreate`), and what the objects reached through it keep.

use core::any::Any;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use h5_host::OwnedId;
use h5_vol::{BelowObject, Error, Host, ObjectKind, Result};

use crate::backend::Store;
use crate::container::Container;
use crate::node::Node;

/// One opening of a container, shared by all objects reached through it.
pub(crate) struct Opening<S: Store> {
    pub(crate) container: Arc<Container<S>>,
    /// How many openings of the container there are.
    count: Arc<AtomicUsize>,
    /// The name that the application has used.
    pub(crate) name: String,
    /// Its access list.
    pub(crate) access: OwnedId,
    writable: bool,
    /// Containers that are let go when HDF5 can close their files.
    leaving: Arc<Leaving<S>>,
}

/// Containers whose last object is gone. HDF5 must not close their files while it closes that object.
pub(crate) type Leaving<S> = Mutex<Vec<Arc<Container<S>>>>;

impl<S: Store> Opening<S> {
    pub(crate) fn new(
        container: Arc<Container<S>>,
        name: String,
        access: OwnedId,
        writable: bool,
        leaving: &Arc<Leaving<S>>,
    ) -> Arc<Self> {
        let count = Arc::clone(&container.openings);
        count.fetch_add(1, Ordering::Relaxed);
        Arc::new(Self { container, count, name, access, writable, leaving: Arc::clone(leaving) })
    }

    pub(crate) fn is_writable(&self) -> bool {
        self.writable
    }

    /// Fails if it is for reading only.
    pub(crate) fn require_writable(&self) -> Result<()> {
        if self.writable {
            return Ok(());
        }
        Err(Error::failed(format_args!("no write intent on file '{}'", self.name)))
    }
}

impl<S: Store> Drop for Opening<S> {
    fn drop(&mut self) {
        if self.count.fetch_sub(1, Ordering::Relaxed) == 1 {
            let mut leaving = self.leaving.lock().unwrap_or_else(PoisonError::into_inner);
            leaving.push(Arc::clone(&self.container));
        }
    }
}

/// What an object of a container keeps.
pub struct Attached<S: Store> {
    pub(crate) opening: Arc<Opening<S>>,
    /// The handle through which it was reached behind an external link.
    pub(crate) through: Option<Arc<dyn Any + Send + Sync>>,
    /// What the container knows of it, once that was asked for.
    node: Mutex<Option<Arc<Node<S::Key>>>>,
    /// What the application was told of a virtual dataset, if it is one. It counts until the next time.
    told: Mutex<Option<Told>>,
}

/// What an application knows of a virtual dataset whose extent depends on its sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Told {
    pub(crate) dims: Vec<u64>,
    /// How many sources each mapping had.
    pub(crate) sources: Vec<usize>,
}

impl<S: Store> Attached<S> {
    pub(crate) fn new(opening: Arc<Opening<S>>) -> Self {
        Self { opening, through: None, node: Mutex::new(None), told: Mutex::new(None) }
    }

    /// Whether the object that holds this is the last one of the container.
    pub(crate) fn is_last(&self) -> bool {
        // The handle behind a link holds the opening, too, and goes with the last object that was reached through it.
        let held = match &self.through {
            Some(through) if Arc::strong_count(through) == 1 => 2,
            _ => 1,
        };
        Arc::strong_count(&self.opening) == held && self.opening.count.load(Ordering::Relaxed) == 1
    }

    pub(crate) fn container(&self) -> &Arc<Container<S>> {
        &self.opening.container
    }

    /// What the container knows of the object. `None` if it is in another file, behind an external link, or is being made.
    pub(crate) fn node(
        &self,
        host: Host,
        below: &BelowObject,
        kind: ObjectKind,
    ) -> Option<Arc<Node<S::Key>>> {
        let known = self.known().clone();
        if known.is_some() {
            return known;
        }
        let identity = host.ask_below(|questions| below.identity(questions, kind))?;
        let container = self.container();
        if identity.file != container.master.number() {
            return None;
        }
        let node = container.node(identity.token())?;
        *self.known() = Some(Arc::clone(&node));
        Some(node)
    }

    /// The object is new, and this is its identity. What was at its place before is gone.
    pub(crate) fn set_node(&self, node: Arc<Node<S::Key>>) {
        *self.known() = Some(node);
    }

    /// What the application was told of the extent of a virtual dataset.
    pub(crate) fn told(&self) -> MutexGuard<'_, Option<Told>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(&self) -> MutexGuard<'_, Option<Arc<Node<S::Key>>>> {
        self.node.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
