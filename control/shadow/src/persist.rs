//! Telling the format what has changed, by describing it.

use core::sync::atomic::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

use global_lock::{Area, Claim, Use};
use h5_vol::{Error, Result, Token};
use pool::Pool;

use crate::backend::{Failure, Store};
use crate::container::Container;
use crate::counters::{COUNTERS, count};
use crate::hdf5::{RawLink, aside};
use crate::moving::{SPARES, Trouble};
use crate::node::Node;
use crate::spec::{Change, Description, FileSpec, Kind, Link, Values};
use crate::stubs;

impl<S: Store> Container<S> {
    /// Waits for calls on other threads that move elements of the container, and keeps others from it until the result is dropped.
    pub(crate) fn alone(&self) -> Vec<Claim> {
        let host = self.host();
        if !host.can_release_global_lock() {
            return Vec::new();
        }
        let all = [(Arc::clone(&self.claims), Area::Everything, Use::Write)];
        self.locks.claim(host, &all.into_iter().collect())
    }

    /// Tells the format everything that it does not know yet, when no other thread moves elements.
    pub(crate) fn persist(&self) -> Result<()> {
        if self.has_ended.load(Ordering::Relaxed) {
            return Ok(());
        }
        let _alone = self.alone();
        // While an object is being closed, HDF5 must not be used by another thread.
        self.persist_now(false)
    }

    /// The lock is given up while chunks are stored if it is said that nobody else moves elements.
    fn persist_now(&self, is_alone: bool) -> Result<()> {
        if !self.is_writable() || self.has_ended.load(Ordering::Relaxed) {
            return Ok(());
        }
        let has_changed = self.has_changes();
        let changes = aside(self.host(), || self.changes())?;
        if !changes.is_empty() {
            COUNTERS.changes.fetch_add(changes.len() as u64, Ordering::Relaxed);
            let told: Vec<_> = changes.iter().map(Told::of).collect();
            if let Err(failure) = self.store.persist(changes) {
                self.tell_again(told);
                return Err(self.error(&failure));
            }
            self.note_told(&told);
        }
        self.store_pending(is_alone)?;
        if has_changed {
            stubs::touch(&self.place);
        }
        Ok(())
    }

    /// The format knows these objects now.
    fn note_told(&self, told: &[Told<S::Key>]) {
        let state = self.state();
        for one in told {
            if let Told::Object(key, _) = one
                && let Some(node) = state.places.get(key).and_then(|token| state.nodes.get(token))
            {
                node.note_described();
            }
        }
    }

    /// The format could not take note of these changes, or not of all of them. The next time it is told again.
    fn tell_again(&self, told: Vec<Told<S::Key>>) {
        let mut state = self.state();
        for one in told {
            let token = match &one {
                Told::Object(key, _) | Told::Links(key) => state.places.get(key).copied(),
                Told::File(_) | Told::Gone(_) => None,
            };
            match (one, token) {
                (Told::Object(_, has_values), Some(token)) => {
                    state.changed.insert(token);
                    if let Some(node) = state.nodes.get(&token).filter(|_| has_values) {
                        node.note_rewritten();
                    }
                }
                (Told::Links(_), Some(token)) => drop(state.relinked.insert(token)),
                (Told::File(file), _) => state.file = state.file.take().or(Some(file)),
                (Told::Gone(key), _) => state.gone.push(key),
                (Told::Object(..) | Told::Links(_), None) => {}
            }
        }
    }

    /// Whether there is anything that the format does not know.
    pub(crate) fn has_changes(&self) -> bool {
        let state = self.state();
        let changed = !state.changed.is_empty()
            || !state.relinked.is_empty()
            || !state.gone.is_empty()
            || state.file.is_some();
        self.is_writable() && (changed || self.pending_bytes.load(Ordering::Relaxed) > 0)
    }

    /// The same, and lets it last.
    pub(crate) fn flush(&self) -> Result<()> {
        let alone = self.alone();
        self.flush_now(!alone.is_empty())
    }

    /// The same at the end of the process, when threads that move elements may not exist any more.
    pub(crate) fn flush_now(&self, is_alone: bool) -> Result<()> {
        self.persist_now(is_alone)?;
        if self.is_writable() {
            self.store.flush().map_err(|failure| self.error(&failure))?;
        }
        Ok(())
    }

    /// Describes what has changed.
    fn changes(&self) -> Result<Vec<Change<S::Key>>> {
        let mut changes: Vec<Change<S::Key>> =
            self.state().file.take().map(Change::File).into_iter().collect();
        let mut dropped = Vec::new();
        // Describing links may find new objects.
        loop {
            let (objects, groups) = {
                let mut state = self.state();
                (std::mem::take(&mut state.changed), std::mem::take(&mut state.relinked))
            };
            let mut waiting = HashSet::new();
            for &token in &objects {
                match self.described(token)? {
                    Described::Change(change) => changes.push(*change),
                    Described::Nameless => drop(waiting.insert(token)),
                    Described::Gone => {}
                }
            }
            for token in groups {
                if let Some(change) = self.described_links(token, &mut dropped)? {
                    changes.push(change);
                }
            }
            let mut state = self.state();
            let is_done = state.changed.is_empty() && state.relinked.is_empty();
            state.changed.extend(waiting);
            if is_done {
                break;
            }
        }
        let gone = self.gone(dropped);
        // What was described and then found to be gone has no place any more.
        changes.retain(|change| match change {
            Change::Object { key, .. } | Change::Links { group: key, .. } => !gone.contains(key),
            Change::File(_) | Change::Gone(_) => true,
        });
        changes.extend(gone.into_iter().map(Change::Gone));
        Ok(changes)
    }

    /// Describes an object, unless it has no link.
    fn described(&self, token: Token) -> Result<Described<S::Key>> {
        let Some(node) = self.node(token) else { return Ok(Described::Gone) };
        // What is deleted cannot be opened.
        let Ok(object) = self.master.open(token) else { return Ok(Described::Gone) };
        let (_, _, links) = self.master.hdf5().info(object.id())?;
        if links == 0 && !node.is_described() {
            return Ok(Described::Nameless);
        }
        self.describe(&node, &object).map(|change| Described::Change(Box::new(change)))
    }

    fn describe(&self, node: &Node<S::Key>, object: &h5_host::OwnedId) -> Result<Change<S::Key>> {
        let thing = self.master.describe(object.id(), node.hidden, self)?;
        let attributes = self.master.attributes(object.id(), self)?;
        let is_new = !node.is_described();
        let values =
            if node.kind == Kind::Dataset && node.hidden.is_none() && (node.take_rewritten() || is_new) {
                match &thing {
                    crate::spec::Thing::Dataset(spec) if spec.storage == crate::spec::Storage::Values => {
                        match self.master.read_values(object.id(), self)? {
                            Values::Cells(cells) => Some(cells),
                            Values::Plain(_) => None,
                        }
                    }
                    _ => None,
                }
            } else {
                None
            };
        Ok(Change::Object {
            key: node.key.clone(),
            description: Box::new(Description { thing, attributes }),
            values,
        })
    }

    /// All links of a group, and what it had links to before and has no more.
    fn described_links(&self, token: Token, dropped: &mut Vec<S::Key>) -> Result<Option<Change<S::Key>>> {
        let Some(node) = self.node(token) else { return Ok(None) };
        let Ok(group) = self.master.open(token) else { return Ok(None) };
        let mut links = Vec::new();
        for (name, link) in self.master.hdf5().links(group.id())? {
            let name = name.to_string_lossy().into_owned();
            links.push(match link {
                RawLink::Hard(token) => {
                    let known = self.node(token);
                    let node = match known {
                        Some(node) => node,
                        None => self.adopt_found(token)?,
                    };
                    (name, Link::Hard(node.key.clone()))
                }
                RawLink::Soft(path) => (name, Link::Soft(path)),
                RawLink::External { file, path } => (name, Link::External { file, path }),
                // A link that an application has defined means nothing elsewhere.
                RawLink::Other => continue,
            });
        }
        let old = self.state().links.insert(node.key.clone(), links.clone());
        for (_, link) in old.into_iter().flatten() {
            if let Link::Hard(key) = link
                && !links.iter().any(|(_, link)| *link == Link::Hard(key.clone()))
            {
                dropped.push(key);
            }
        }
        Ok(Some(Change::Links { group: node.key.clone(), links }))
    }

    /// Gives an object an identity that native HDF5 has made on its own.
    fn adopt_found(&self, token: Token) -> Result<Arc<Node<S::Key>>> {
        let object = self.master.open(token)?;
        let (_, kind, _) = self.master.hdf5().info(object.id())?;
        Ok(self.adopt(token, kind, None))
    }

    /// Which of the objects that have lost a link have none any more and are not open, with everything below them.
    fn gone(&self, mut dropped: Vec<S::Key>) -> Vec<S::Key> {
        let mut state = self.state();
        let mut gone = std::mem::take(&mut state.gone);
        // Those that have waited for somebody to close them.
        let closed: Vec<Token> = state.nameless.iter().copied().collect();
        for token in closed {
            let key = state.nodes.get(&token).map(|node| node.key.clone());
            state.nameless.remove(&token);
            dropped.extend(key);
        }
        while let Some(key) = dropped.pop() {
            let is_linked = state.links.values().flatten().any(|(_, link)| *link == Link::Hard(key.clone()));
            if is_linked || gone.contains(&key) {
                continue;
            }
            let node = state.places.get(&key).and_then(|token| state.nodes.get(token).cloned());
            let node = node.filter(|node| node.key == key);
            if let Some(node) = node {
                // One reference is the list's and one is ours. Others are handles of the application.
                if Arc::strong_count(&node) > 2 {
                    state.nameless.insert(node.token);
                    continue;
                }
                state.nodes.remove(&node.token);
                state.places.remove(&key);
                state.unfilled.remove(&node.token);
                state.changed.remove(&node.token);
                let bytes: usize = node.pending().values().map(|chunk| chunk.len()).sum();
                self.pending_bytes.fetch_sub(bytes, Ordering::Relaxed);
            }
            let below = match state.links.remove(&key) {
                Some(links) => links,
                // A group that nobody has looked into.
                None => self.store.links(&key).unwrap_or_default(),
            };
            dropped.extend(below.into_iter().filter_map(|(_, link)| match link {
                Link::Hard(key) => Some(key),
                _ => None,
            }));
            gone.push(key);
        }
        gone
    }

    /// Stores all chunks that are newer than the format's, of objects that it knows.
    fn store_pending(&self, is_alone: bool) -> Result<()> {
        if self.pending_bytes.load(Ordering::Relaxed) == 0 {
            return Ok(());
        }
        let nodes: Vec<_> = self.state().nodes.values().cloned().collect();
        let failed = |trouble| Error::failed(format_args!("{}: {trouble}", self.name()));
        let mut described = nodes.iter().filter(|node| node.is_described());
        let mut store = || described.try_for_each(|node| self.store_chunks(node));
        let stored = if is_alone { self.locks.without_but_claims(self.host(), store) } else { store() };
        stored.map_err(failed)
    }

    /// Describes a dataset whose chunks are going to be stored.
    pub(crate) fn describe_dataset(&self, node: &Node<S::Key>) -> Result<()> {
        // The format must know how large it is by now.
        if !node.is_described() || self.state().changed.remove(&node.token) {
            let is_new = !node.is_described();
            let change = aside(self.host(), || {
                let object = self.master.open(node.token)?;
                self.describe(node, &object)
            })?;
            let told = Told::of(&change);
            if let Err(failure) = self.store.persist(vec![change]) {
                self.tell_again(vec![told]);
                return Err(self.error(&failure));
            }
            node.note_described();
            let mut state = self.state();
            if is_new {
                // It may have no link yet. The group that has one tells the next time.
                state.nameless.insert(node.token);
            }
        }
        Ok(())
    }

    /// Stores the chunks of one dataset, on all cores. Who calls it has claimed all of the dataset. What cannot be stored is kept.
    pub(crate) fn store_chunks(&self, node: &Node<S::Key>) -> core::result::Result<(), Trouble> {
        let mut chunks: Vec<_> = std::mem::take(&mut *node.pending()).into_iter().collect();
        if chunks.is_empty() {
            return Ok(());
        }
        chunks.sort_by(|one, other| one.0.cmp(&other.0));
        let helpers = self.helpers.load(Ordering::Relaxed);
        let stored = Pool::global().run(chunks.len(), helpers, |index, _| {
            let (place, elements) = &chunks[index];
            count(&COUNTERS.chunks_written);
            self.store.write_chunk(&node.key, place, elements)
        });
        let bytes: usize = chunks.iter().map(|(_, chunk)| chunk.len()).sum();
        match stored {
            Ok(()) => {
                self.pending_bytes.fetch_sub(bytes, Ordering::Relaxed);
                for (_, elements) in chunks {
                    if let Ok(elements) = Arc::try_unwrap(elements) {
                        SPARES.give(elements);
                    }
                }
                Ok(())
            }
            Err(failure) => {
                let failure: Failure = failure;
                node.pending().extend(chunks);
                Err(failure.to_string())
            }
        }
    }
}

/// What the format was told, without the description.
enum Told<K> {
    File(FileSpec),
    /// Whether elements that the shadow has were told, too.
    Object(K, bool),
    Links(K),
    Gone(K),
}

impl<K: Clone> Told<K> {
    fn of(change: &Change<K>) -> Self {
        match change {
            Change::File(file) => Self::File(file.clone()),
            Change::Object { key, values, .. } => Self::Object(key.clone(), values.is_some()),
            Change::Links { group, .. } => Self::Links(group.clone()),
            Change::Gone(key) => Self::Gone(key.clone()),
        }
    }
}

/// What became of an object that had changed.
enum Described<K> {
    Change(Box<Change<K>>),
    /// It has no link yet, so the format need not know it.
    Nameless,
    Gone,
}
