//! Putting a container's objects into its shadow, group by group, when somebody looks.

use core::sync::atomic::Ordering;

use h5_vol::{Error, Result, Token};

use crate::backend::Store;
use crate::container::Container;
use crate::counters::{COUNTERS, count};
use crate::hdf5::{RawLink, aside, c_string};
use crate::node::Node;
use crate::spec::{AttributeSpec, Cell, Description, Kind, Link, Thing, Values};

/// How many soft links a path may lead through.
const MOST_SOFT_LINKS: u32 = 32;

/// Where a path leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Resolved {
    /// The last object on the path that exists.
    pub(crate) reached: Token,
    /// The names that follow it: none if the path leads to an object.
    pub(crate) rest: Vec<Vec<u8>>,
    /// The file and the path in it, if the path goes on in another file.
    pub(crate) outside: Option<(Vec<u8>, Vec<u8>)>,
}

impl<S: Store> Container<S> {
    /// Puts the root group into the shadow, or everything if that is needed.
    pub(crate) fn fill_root(&self) -> Result<()> {
        aside(self.host(), || {
            let (token, key) = (self.master.root()?, self.store.root());
            let file = self.store.file().map_err(|failure| self.error(&failure))?;
            let mut described =
                self.store.describe(core::slice::from_ref(&key)).map_err(|failure| self.error(&failure))?;
            self.insert(Node::known(key.clone(), Kind::Group, token, None));
            self.state().unfilled.insert(token, key);
            if let Some(Description { attributes, .. }) = described.pop() {
                self.add_attributes(token, attributes)?;
            }
            if file.has_shared_objects {
                self.fill_below(token)?;
            }
            self.add_late()
        })
    }

    /// The same for a container that is new: the shadow has its root already.
    pub(crate) fn adopt_root(&self) -> Result<()> {
        let token = aside(self.host(), || self.master.root())?;
        self.insert(Node::new(self.store.root(), Kind::Group, token, None));
        let mut state = self.state();
        state.changed.insert(token);
        state.relinked.insert(token);
        Ok(())
    }

    /// Puts the links of a group into the shadow, and what they lead to, unless they are there.
    fn fill_group(&self, token: Token) -> Result<()> {
        let Some(key) = self.state().unfilled.remove(&token) else { return Ok(()) };
        let filled = self.fill_links(token, &key);
        if filled.is_err() {
            // Who looks again is told again.
            self.state().unfilled.insert(token, key);
        }
        filled
    }

    fn fill_links(&self, token: Token, key: &S::Key) -> Result<()> {
        let links = self.store.links(key).map_err(|failure| self.error(&failure))?;
        let is_new = |key: &S::Key| !self.state().places.contains_key(key);
        let mut keys: Vec<S::Key> = Vec::new();
        for (_, link) in &links {
            if let Link::Hard(key) = link
                && is_new(key)
                && !keys.contains(key)
            {
                keys.push(key.clone());
            }
        }
        let described = self.store.describe(&keys).map_err(|failure| self.error(&failure))?;
        let mut described: std::collections::HashMap<_, _> = keys.into_iter().zip(described).collect();
        let group = self.master.open(token)?;
        // A dataset needs its committed datatype, which may be in the same group or in one below.
        let thing = |link: &Link<S::Key>| match link {
            Link::Hard(key) => described.get(key).map(|of| &of.thing),
            _ => None,
        };
        let needs = |thing: &Thing<S::Key>| matches!(thing, Thing::Dataset(dataset) if dataset.datatype.committed.is_some());
        let (last, first): (Vec<_>, Vec<_>) =
            links.iter().partition(|(_, link)| thing(link).is_some_and(needs));
        for (name, link) in first.into_iter().chain(last) {
            match link {
                Link::Soft(path) => self.master.make_soft_link(group.id(), name, path)?,
                Link::External { file, path } => {
                    self.leads_out.store(true, Ordering::Relaxed);
                    self.master.make_external_link(group.id(), name, file, path)?;
                }
                Link::Hard(key) => {
                    if let Some(description) = described.remove(key) {
                        let made = self.make(group.id(), name, key, description);
                        let named = |error: Error| {
                            let path = self.store.path(key).ok().flatten().unwrap_or_else(|| name.clone());
                            Error::failed(format_args!("{}: '{path}': {error}", self.name()))
                        };
                        made.map_err(named)?;
                        continue;
                    }
                    let known = self.state().places.get(key).copied();
                    if let Some(known) = known {
                        self.master.make_hard_link(group.id(), name, known)?;
                    }
                }
            }
        }
        count(&COUNTERS.groups_filled);
        self.state().links.insert(key.clone(), links);
        Ok(())
    }

    /// Puts one object into the shadow.
    fn make(
        &self,
        group: h5_host::Id,
        name: &str,
        key: &S::Key,
        description: Description<S::Key>,
    ) -> Result<()> {
        let (object, token, kind, hidden) = match &description.thing {
            Thing::Group(spec) => {
                let (object, token) = self.master.make_group(group, name, spec)?;
                (object, token, Kind::Group, None)
            }
            Thing::Dataset(spec) => {
                let (object, token, hidden) = self.master.make_dataset(group, name, spec, self)?;
                (object, token, Kind::Dataset, hidden)
            }
            Thing::Datatype(spec) => {
                let (object, token) = self.master.make_type(group, name, spec, self)?;
                (object, token, Kind::Datatype, None)
            }
        };
        drop(object);
        count(&COUNTERS.objects_filled);
        self.insert(Node::known(key.clone(), kind, token, hidden));
        if kind == Kind::Group {
            self.state().unfilled.insert(token, key.clone());
        }
        self.add_attributes(token, description.attributes)
    }

    /// Adds attributes to an object. From the first on that refers to other objects, they have to wait for these.
    fn add_attributes(&self, token: Token, mut attributes: Vec<AttributeSpec<S::Key>>) -> Result<()> {
        if attributes.is_empty() {
            return Ok(());
        }
        let waits = |attribute: &AttributeSpec<S::Key>| {
            attribute.datatype.committed.is_some()
                || matches!(&attribute.values, Values::Cells(cells) if cells.iter().any(refers))
        };
        let late = attributes.iter().position(waits).map(|first| attributes.split_off(first));
        let object = self.master.open(token)?;
        for attribute in &attributes {
            self.master.make_attribute(object.id(), attribute, self)?;
        }
        if let Some(late) = late {
            self.state().late.push((token, late));
        }
        Ok(())
    }

    /// Adds the attributes that had to wait.
    fn add_late(&self) -> Result<()> {
        loop {
            let Some((token, attributes)) = self.state().late.pop() else { return Ok(()) };
            let object = self.master.open(token)?;
            for attribute in &attributes {
                self.master.make_attribute(object.id(), attribute, self)?;
            }
        }
    }

    /// Puts a group and everything below it into the shadow.
    fn fill_below(&self, group: Token) -> Result<()> {
        let mut waiting = vec![group];
        let mut seen = std::collections::HashSet::new();
        while let Some(token) = waiting.pop() {
            if !seen.insert(token) || self.node(token).is_none_or(|node| node.kind != Kind::Group) {
                continue;
            }
            self.fill_group(token)?;
            // A group whose subtree is complete already need not be walked again if nothing is left to fill.
            if self.state().unfilled.is_empty() {
                return Ok(());
            }
            let group = self.master.open(token)?;
            for (_, link) in self.master.hdf5().links(group.id())? {
                if let RawLink::Hard(token) = link {
                    waiting.push(token);
                }
            }
        }
        Ok(())
    }

    /// Follows a path, and puts what it leads through into the shadow.
    pub(crate) fn resolve(&self, from: Token, path: &[u8]) -> Result<Resolved> {
        let resolved = self.walk(from, path, MOST_SOFT_LINKS)?;
        if resolved.rest.is_empty() {
            self.fill_group(resolved.reached)?;
        }
        self.add_late()?;
        Ok(resolved)
    }

    /// The same, and everything below its end.
    pub(crate) fn resolve_all(&self, from: Token, path: &[u8]) -> Result<Resolved> {
        let resolved = self.resolve(from, path)?;
        if resolved.rest.is_empty() {
            self.fill_below(resolved.reached)?;
            self.add_late()?;
        }
        Ok(resolved)
    }

    fn walk(&self, from: Token, path: &[u8], patience: u32) -> Result<Resolved> {
        let mut here = if path.first() == Some(&b'/') { self.master.root()? } else { from };
        let names: Vec<&[u8]> =
            path.split(|byte| *byte == b'/').filter(|name| !name.is_empty() && *name != b".").collect();
        for (i, name) in names.iter().enumerate() {
            let stopped = |reached, outside| Resolved {
                reached,
                rest: names[i..].iter().map(|name| name.to_vec()).collect(),
                outside,
            };
            if self.node(here).is_some_and(|node| node.kind != Kind::Group) {
                return Ok(stopped(here, None));
            }
            self.fill_group(here)?;
            let group = self.master.open(here)?;
            let link = self.master.hdf5().link(group.id(), &c_string(name)?)?;
            drop(group);
            match link {
                Some(RawLink::Hard(token)) => here = token,
                Some(RawLink::Soft(target)) if patience > 0 => {
                    let mut path = target;
                    for name in &names[i + 1..] {
                        path.push(b'/');
                        path.extend_from_slice(name);
                    }
                    return self.walk(here, &path, patience - 1);
                }
                Some(RawLink::External { file, path }) => {
                    let mut path = path;
                    for name in &names[i + 1..] {
                        path.push(b'/');
                        path.extend_from_slice(name);
                    }
                    return Ok(stopped(here, Some((file, path))));
                }
                _ => return Ok(stopped(here, None)),
            }
        }
        Ok(Resolved { reached: here, rest: Vec::new(), outside: None })
    }

    /// Makes sure that the elements of a dataset which the shadow has are there.
    pub(crate) fn load_values(&self, node: &Node<S::Key>) -> Result<()> {
        if !node.must_load() {
            return Ok(());
        }
        let loaded = aside(self.host(), || {
            let values = self.store.values(&node.key).map_err(|failure| self.error(&failure))?;
            let Some(values) = values else { return Ok(()) };
            let dataset = self.master.open(node.token)?;
            count(&COUNTERS.values_loaded);
            self.master.write_values(dataset.id(), &Values::Cells(values), self)
        });
        if loaded.is_err() {
            node.note_not_loaded();
        }
        loaded
    }
}

/// Whether a value refers to an object.
fn refers<K>(cell: &Cell<K>) -> bool {
    match cell {
        Cell::Object(key) => key.is_some(),
        Cell::Region(region) => region.is_some(),
        Cell::List(cells) => cells.iter().any(refers),
        Cell::Bytes(_) | Cell::Text(_) => false,
    }
}
