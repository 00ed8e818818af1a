//! One open container: its shadow, what of it the shadow has by now, and what has changed.

use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use global_lock::Claims;
use h5_vol::{BelowConnector, Error, Host, Token};

use crate::backend::{Failure, Place, Store};
use crate::hdf5::aside;
use crate::locks::Locks;
use crate::master::{Hidden, Master};
use crate::node::Node;
use crate::spec::{AttributeSpec, FileSpec, Kind, Link};
use crate::values::Objects;

/// An open container. All openings of it in a process share one.
pub(crate) struct Container<S: Store> {
    pub(crate) store: Arc<S>,
    pub(crate) master: Master,
    pub(crate) place: Place,
    writable: AtomicBool,
    state: Mutex<State<S::Key>>,
    /// Bytes of chunks that are newer than the format's.
    pub(crate) pending_bytes: AtomicUsize,
    /// Who moves its elements.
    pub(crate) claims: Arc<Claims>,
    pub(crate) locks: &'static Locks,
    /// How many threads may help to store chunks: none when HDF5 ends. A library that is being unloaded keeps the loader's lock, which
    /// they may need.
    pub(crate) helpers: AtomicUsize,
    /// Whether HDF5 has ended.
    pub(crate) has_ended: AtomicBool,
    /// Whether a link may lead to another file.
    pub(crate) leads_out: AtomicBool,
    /// How the access list of the first opening wants it to be locked.
    pub(crate) locking: OnceLock<Option<(bool, bool)>>,
    /// How many openings there are.
    pub(crate) openings: Arc<AtomicUsize>,
    /// Our own connector. Its end would close the shadow, and it may come while HDF5 closes the container's last object.
    _connector: Arc<BelowConnector>,
}

pub(crate) struct State<K> {
    /// What is where in the shadow.
    pub(crate) nodes: HashMap<Token, Arc<Node<K>>>,
    /// The way back.
    pub(crate) places: HashMap<K, Token>,
    /// Groups whose links are not in the shadow yet.
    pub(crate) unfilled: HashMap<Token, K>,
    /// Attributes that refer to objects which were not there yet.
    pub(crate) late: Vec<(Token, Vec<AttributeSpec<K>>)>,
    /// Objects that have changed, but for their links.
    pub(crate) changed: HashSet<Token>,
    /// Groups whose links have changed.
    pub(crate) relinked: HashSet<Token>,
    /// What the container itself has become, if that is new.
    pub(crate) file: Option<FileSpec>,
    /// The links that the format knows.
    pub(crate) links: HashMap<K, Vec<(String, Link<K>)>>,
    /// Objects that the format knows and that have no link.
    pub(crate) nameless: HashSet<Token>,
    /// Objects that do not exist any more, which the format was told in vain.
    pub(crate) gone: Vec<K>,
}

impl<S: Store> Container<S> {
    /// A name that is new. Formats have text for names, and two that are not would become the same.
    pub(crate) fn as_text<'n>(&self, name: &'n [u8]) -> h5_vol::Result<&'n str> {
        core::str::from_utf8(name).map_err(|_| {
            let shown = String::from_utf8_lossy(name);
            Error::failed(format_args!(
                "{}: the name '{shown}' is not UTF-8, and cannot be kept",
                self.name()
            ))
        })
    }

    /// A container with an empty shadow.
    pub(crate) fn new(
        store: S,
        master: Master,
        place: Place,
        writable: bool,
        connector: Arc<BelowConnector>,
    ) -> Self {
        let locks = Locks::of(master.host());
        Self {
            store: Arc::new(store),
            master,
            place,
            writable: AtomicBool::new(writable),
            state: Mutex::new(State {
                nodes: HashMap::new(),
                places: HashMap::new(),
                unfilled: HashMap::new(),
                late: Vec::new(),
                changed: HashSet::new(),
                relinked: HashSet::new(),
                file: None,
                links: HashMap::new(),
                nameless: HashSet::new(),
                gone: Vec::new(),
            }),
            pending_bytes: AtomicUsize::new(0),
            claims: Claims::new(),
            locks,
            helpers: AtomicUsize::new(usize::MAX),
            has_ended: AtomicBool::new(false),
            leads_out: AtomicBool::new(false),
            locking: OnceLock::new(),
            openings: Arc::default(),
            _connector: connector,
        }
    }

    pub(crate) fn host(&self) -> Host {
        self.master.host()
    }

    /// What is known of it. HDF5 is never called while it is held.
    pub(crate) fn state(&self) -> MutexGuard<'_, State<S::Key>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_writable(&self) -> bool {
        self.writable.load(Ordering::Relaxed)
    }

    /// The name of the container, for messages.
    pub(crate) fn name(&self) -> String {
        self.place.root.display().to_string()
    }

    /// A failure of the format, as an error of the connector.
    #[track_caller]
    pub(crate) fn error(&self, failure: &Failure) -> Error {
        Error::failed(format_args!("{}: {failure}", self.name()))
    }

    /// A path to an object, for messages.
    pub(crate) fn path_of(&self, node: &Node<S::Key>) -> String {
        self.store.path(&node.key).ok().flatten().unwrap_or_else(|| "(without a name)".to_owned())
    }

    /// The node of an object in the shadow.
    pub(crate) fn node(&self, token: Token) -> Option<Arc<Node<S::Key>>> {
        self.state().nodes.get(&token).cloned()
    }

    /// Notes an object that was put into the shadow.
    pub(crate) fn insert(&self, node: Node<S::Key>) -> Arc<Node<S::Key>> {
        let node = Arc::new(node);
        let mut state = self.state();
        if let Some(old) = state.nodes.insert(node.token, Arc::clone(&node)) {
            // The place of an object that was deleted.
            if state.places.get(&old.key) == Some(&node.token) {
                state.places.remove(&old.key);
            }
        }
        state.places.insert(node.key.clone(), node.token);
        node
    }

    /// Gives an object that the application has made an identity.
    pub(crate) fn adopt(&self, token: Token, kind: Kind, hidden: Option<Hidden>) -> Arc<Node<S::Key>> {
        let node = self.insert(Node::new(self.store.new_key(kind), kind, token, hidden));
        let mut state = self.state();
        state.changed.insert(token);
        state.nameless.remove(&token);
        if kind == Kind::Group {
            state.relinked.insert(token);
            state.unfilled.remove(&token);
        }
        node
    }

    /// An object has changed.
    pub(crate) fn note_changed(&self, token: Token) {
        self.state().changed.insert(token);
    }

    /// The links of a group have changed.
    pub(crate) fn note_relinked(&self, token: Token) {
        self.state().relinked.insert(token);
    }
}

impl<S: Store> Objects<S::Key> for Container<S> {
    fn key(&self, token: Token) -> Option<S::Key> {
        self.node(token).map(|node| node.key.clone())
    }

    fn place(&self, key: &S::Key) -> Option<(Token, String)> {
        let path = || self.store.path(key).ok().flatten();
        let known = self.state().places.get(key).copied();
        if let Some(token) = known {
            return Some((token, path().unwrap_or_default()));
        }
        // It is in a group that nobody has looked at yet.
        let path = path()?;
        let token = aside(self.host(), || {
            let root = self.master.root().ok()?;
            self.resolve(root, path.as_bytes()).ok()?;
            self.state().places.get(key).copied()
        })?;
        Some((token, path))
    }
}
