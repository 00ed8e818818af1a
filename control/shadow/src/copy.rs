//! Copies of objects (`H5Ocopy`). Native HDF5 copies everything but the elements that formats have; these are copied here.

use std::collections::HashSet;
use std::sync::Arc;

use h5_vol::{BelowObject, ObjectKind, Result, Token};

use crate::backend::{Failure, Store};
use crate::container::Container;
use crate::dataset::Ours;
use crate::hdf5::{RawLink, c_string};
use crate::spec::Kind;

/// Something in a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// Names from the beginning of the tree.
    names: Vec<Vec<u8>>,
    token: Token,
    kind: Kind,
}

/// How objects are copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CopyFlags(pub(crate) u32);

impl CopyFlags {
    /// Only what is in the group itself (`H5O_COPY_SHALLOW_HIERARCHY_FLAG`).
    fn is_shallow(self) -> bool {
        self.0 & 1 != 0
    }

    /// What soft links lead to, instead of them (`H5O_COPY_EXPAND_SOFT_LINK_FLAG`).
    fn expands_soft_links(self) -> bool {
        self.0 & 2 != 0
    }

    /// What external links lead to, instead of them (`H5O_COPY_EXPAND_EXT_LINK_FLAG`).
    pub(crate) fn expands_external_links(self) -> bool {
        self.0 & 4 != 0
    }

    /// What references lead to, too (`H5O_COPY_EXPAND_REFERENCE_FLAG`).
    pub(crate) fn expands_references(self) -> bool {
        self.0 & 8 != 0
    }
}

impl<S: Store> Container<S> {
    /// The object that a hard link leads to.
    pub(crate) fn child(&self, group: Token, name: &[u8]) -> Result<Option<(Token, Kind)>> {
        let group = self.master.open(group)?;
        let name = c_string(name)?;
        let Some(RawLink::Hard(_)) = self.master.hdf5().link(group.id(), &name)? else { return Ok(None) };
        self.master.hdf5().info_of(group.id(), &name).map(Some)
    }

    /// Everything that is copied with an object.
    pub(crate) fn tree(&self, from: Token, flags: CopyFlags) -> Result<Vec<Found>> {
        let start = self.master.open(from)?;
        let (_, kind, _) = self.master.hdf5().info(start.id())?;
        drop(start);
        let (mut found, mut seen) = (Vec::new(), HashSet::new());
        let mut waiting = vec![Found { names: Vec::new(), token: from, kind }];
        while let Some(here) = waiting.pop() {
            if !seen.insert(here.token) {
                continue;
            }
            if here.kind == Kind::Group && (here.names.is_empty() || !flags.is_shallow()) {
                let group = self.master.open(here.token)?;
                for (name, link) in self.master.hdf5().links(group.id())? {
                    let (token, kind) = match link {
                        RawLink::Hard(_) => self.master.hdf5().info_of(group.id(), &name)?,
                        RawLink::Soft(path) if flags.expands_soft_links() => {
                            let resolved = self.resolve(here.token, &path)?;
                            match self.node(resolved.reached).filter(|_| resolved.rest.is_empty()) {
                                Some(node) => (node.token, node.kind),
                                None => continue,
                            }
                        }
                        _ => continue,
                    };
                    let mut names = here.names.clone();
                    names.push(name.to_bytes().to_vec());
                    waiting.push(Found { names, token, kind });
                }
            }
            found.push(here);
        }
        Ok(found)
    }

    /// Puts elements that the shadow has there, for everything that is copied.
    pub(crate) fn load_all(&self, found: &[Found]) -> Result<()> {
        for token in found.iter().map(|found| found.token) {
            if let Some(node) = self.node(token) {
                self.load_values(&node)?;
            }
        }
        Ok(())
    }

    /// Fails if the format cannot keep the datasets that native HDF5 has copied into the shadow.
    pub(crate) fn accept_copies(&self, new: Token) -> Result<()> {
        for found in self.tree(new, CopyFlags(0))?.iter().filter(|found| found.kind == Kind::Dataset) {
            let dataset = self.master.open(found.token)?;
            if let Some((_, filters)) = self.master.hidden_of(dataset.id())? {
                self.store.accept(&filters).map_err(|failure| self.error(&failure))?;
            }
        }
        Ok(())
    }
}

/// Gives copies their identities and elements. `from` is what they are copies of, if that is in a container.
pub(crate) fn copied<S: Store>(
    from: Option<(&Container<S>, Token)>,
    into: &Arc<Container<S>>,
    new: Token,
) -> Result<()> {
    for Found { names, token, kind } in into.tree(new, CopyFlags(0))? {
        let original = match from {
            // Soft links may have been copied as what they lead to.
            Some((container, start)) => {
                let resolved = container.resolve(start, &names.join(&b'/'))?;
                let reached = resolved.rest.is_empty().then_some(resolved.reached);
                reached.and_then(|token| container.node(token)).map(|node| (container, node))
            }
            None => None,
        };
        if kind != Kind::Dataset {
            into.adopt(token, kind, None);
            continue;
        }
        let dataset = into.master.open(token)?;
        let Some((container, original)) = original else {
            // Native HDF5 has copied the elements, too, into the shadow.
            let hidden = into.master.hidden_of(dataset.id())?.map(|(hidden, _)| hidden);
            let node = into.adopt(token, kind, hidden);
            if hidden.is_some()
                && let Some(ours) = Ours::of_copy(into, &node, dataset.id())?
            {
                into.master.file().with_object(dataset.id(), |below| ours.take_from_native(below))?;
            }
            continue;
        };
        let node = into.adopt(token, kind, original.hidden);
        if !original.is_in_chunks() {
            continue;
        }
        let Some(ours) = Ours::of_copy(into, &node, dataset.id())? else { continue };
        ours.take_chunks(|place, elements| {
            if let Some(pending) = original.pending().get(place) {
                elements.copy_from_slice(pending);
                return Ok(true);
            }
            if !original.is_described() {
                return Ok(false);
            }
            let read = container.store.read_chunk(&original.key, place, elements);
            read.map_err(|failure| container.error(&failure))
        })?;
    }
    Ok(())
}

/// Gives copies in a file of native HDF5 their elements. `name` is that of the copy, relative to `target`.
pub(crate) fn copied_out<S: Store>(
    from: &Arc<Container<S>>,
    originals: &[Found],
    (target, kind): (&BelowObject, ObjectKind),
    name: &[u8],
) -> Result<()> {
    for found in originals {
        let Some(node) = from.node(found.token).filter(|node| node.is_in_chunks()) else { continue };
        let original = from.master.open(found.token)?;
        let Some(ours) = Ours::of_copy(from, &node, original.id())? else { continue };
        let mut path = vec![name.to_vec()];
        path.extend(found.names.iter().cloned());
        let path = c_string(&path.join(&b'/'))?;
        let copy = from.host().ask(|questions| target.dataset_at(questions, kind, &path));
        let copy = copy.ok_or_else(|| {
            let reason =
                format!("the copy '{}' cannot be opened to write its elements", path.to_string_lossy());
            from.error(&Failure::new(reason))
        })?;
        from.master.file().with_object(original.id(), |below| ours.give_to_native(below, &copy))?;
    }
    Ok(())
}
