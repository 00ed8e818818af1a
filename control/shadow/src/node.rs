//! One object of an open container.

use core::sync::atomic::{AtomicBool, Ordering};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use global_lock::Claims;
use h5_vol::Token;

use crate::dataset::Facts;
use crate::kept::KeptChunks;
use crate::master::Hidden;
use crate::spec::Kind;

/// Chunks that are newer than the format's, by their place in the grid.
pub(crate) type Pending = HashMap<Vec<u64>, Arc<Vec<u8>>>;

/// An object that is in the shadow.
#[derive(Debug)]
pub(crate) struct Node<K> {
    pub(crate) key: K,
    pub(crate) kind: Kind,
    /// Its place in the shadow.
    pub(crate) token: Token,
    /// For datasets whose elements the format has: what native must not know.
    pub(crate) hidden: Option<Hidden>,
    /// Whether the format knows it.
    described: AtomicBool,
    /// Whether elements that the shadow has are there.
    loaded: AtomicBool,
    /// Whether they are newer than the format's.
    rewritten: AtomicBool,
    pending: Mutex<Pending>,
    /// Chunks that were read and are kept.
    pub(crate) kept: KeptChunks,
    /// Who moves its elements.
    pub(crate) claims: Arc<Claims>,
    /// What never changes about a dataset.
    pub(crate) facts: OnceLock<Arc<Facts>>,
}

impl<K> Node<K> {
    /// An object that the format has told of.
    pub(crate) fn known(key: K, kind: Kind, token: Token, hidden: Option<Hidden>) -> Self {
        Self {
            key,
            kind,
            token,
            hidden,
            described: AtomicBool::new(true),
            loaded: AtomicBool::new(false),
            rewritten: AtomicBool::new(false),
            pending: Mutex::default(),
            kept: KeptChunks::new(),
            claims: Claims::new(),
            facts: OnceLock::new(),
        }
    }

    /// An object that the application has made.
    pub(crate) fn new(key: K, kind: Kind, token: Token, hidden: Option<Hidden>) -> Self {
        let node = Self::known(key, kind, token, hidden);
        node.described.store(false, Ordering::Relaxed);
        node.loaded.store(true, Ordering::Relaxed);
        node
    }

    /// Whether the format has the elements, chunk by chunk.
    pub(crate) fn is_in_chunks(&self) -> bool {
        self.hidden.is_some()
    }

    pub(crate) fn is_described(&self) -> bool {
        self.described.load(Ordering::Relaxed)
    }

    pub(crate) fn note_described(&self) {
        self.described.store(true, Ordering::Relaxed);
    }

    /// Whether its elements are in the shadow by now. True only once if they are not: who asks puts them there.
    pub(crate) fn must_load(&self) -> bool {
        self.kind == Kind::Dataset && self.hidden.is_none() && !self.loaded.swap(true, Ordering::Relaxed)
    }

    /// Its elements could not be put there.
    pub(crate) fn note_not_loaded(&self) {
        self.loaded.store(false, Ordering::Relaxed);
    }

    /// The application has written elements that the shadow has.
    pub(crate) fn note_rewritten(&self) {
        self.rewritten.store(true, Ordering::Relaxed);
    }

    /// Whether it has, since the last time.
    pub(crate) fn take_rewritten(&self) -> bool {
        self.rewritten.swap(false, Ordering::Relaxed)
    }

    /// Chunks that are newer than the format's.
    pub(crate) fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
