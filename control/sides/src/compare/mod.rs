//! Whether two files have the same content: links, attributes, types, extents, and every element, bit for bit.

#[expect(
    unsafe_code,
    reason = "calls HDF5's public functions, and follows pointers of elements that it has read"
)]
mod values;

use core::ffi::CStr;
use std::collections::{HashMap, HashSet};
use std::ffi::CString;

use h5_abi::{H5O_TYPE_DATASET, H5O_TYPE_GROUP};
use h5_vol::Id;

use crate::failure::{Failure, Outcome};
use crate::hdf5::Hdf5;
use crate::place::Place;

/// How deep groups may be nested in groups.
const DEEPEST: u32 = 1000;

/// How far a comparison goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Links and attributes of the root only, by their names.
    Root,
    /// Everything.
    All,
}

/// A comparison that is under way.
struct Comparison {
    hdf5: Hdf5,
    /// Attributes of the root that do not count.
    ignored: Vec<CString>,
    /// Objects that were seen, by token and token: hard links lead to some of them again.
    seen: HashMap<[u8; 16], [u8; 16]>,
    /// Those of the second file among them.
    reached: HashSet<[u8; 16]>,
}

impl Hdf5 {
    /// Fails with the first difference between two files, given by an object of each. Attributes of the root with one of the
    /// `ignored` names do not count.
    pub fn compare(self, a: Id, b: Id, ignored: &[&CStr]) -> Outcome<()> {
        self.compare_to(a, b, ignored, Depth::All)
    }

    /// The same for the names of links and attributes in the root only.
    pub fn compare_roots(self, a: Id, b: Id, ignored: &[&CStr]) -> Outcome<()> {
        self.compare_to(a, b, ignored, Depth::Root)
    }

    fn compare_to(self, a: Id, b: Id, ignored: &[&CStr], depth: Depth) -> Outcome<()> {
        let root = Place::Path(c"/".to_owned());
        let (a, b) = (self.open_any(a, &root)?, self.open_any(b, &root)?);
        let ignored = ignored.iter().map(|&name| name.to_owned()).collect();
        let mut comparison =
            Comparison { hdf5: self, ignored, seen: HashMap::new(), reached: HashSet::new() };
        match depth {
            Depth::Root => comparison.names(a.id(), b.id()),
            Depth::All => comparison.object(a.id(), b.id(), "/", 0),
        }
    }
}

fn differs(path: &str, what: &str) -> Failure {
    Failure::new(format!("{path}: {what}"))
}

impl Comparison {
    /// Names in the root.
    fn names(&self, a: Id, b: Id) -> Outcome<()> {
        let names = |group| -> Outcome<Vec<CString>> {
            Ok(self.hdf5.links_of(group)?.into_iter().map(|(name, _)| name).collect())
        };
        let (ours, theirs) = (names(a)?, names(b)?);
        if ours != theirs {
            return Err(differs("/", &format!("{} and {} links, or others", ours.len(), theirs.len())));
        }
        if self.attributes(a, "/")? != self.attributes(b, "/")? {
            return Err(differs("/", "not the same attributes"));
        }
        Ok(())
    }

    fn attributes(&self, object: Id, path: &str) -> Outcome<Vec<CString>> {
        let mut names = self.hdf5.attributes_of(object)?;
        if path == "/" {
            names.retain(|name| !self.ignored.contains(name));
        }
        Ok(names)
    }

    fn object(&mut self, a: Id, b: Id, path: &str, depth: u32) -> Outcome<()> {
        if depth > DEEPEST {
            return Err(differs(path, "nested too deeply to compare"));
        }
        let (ours, theirs) = (self.hdf5.info_of(a)?, self.hdf5.info_of(b)?);
        if ours.type_ != theirs.type_ {
            return Err(differs(path, "not the same kind of object"));
        }
        match self.seen.get(&ours.token.__data) {
            Some(token) if *token == theirs.token.__data => return Ok(()),
            Some(_) => return Err(differs(path, "a hard link to another object")),
            None => {}
        }
        if !self.reached.insert(theirs.token.__data) {
            return Err(differs(path, "a hard link to another object"));
        }
        self.seen.insert(ours.token.__data, theirs.token.__data);
        self.attributes_equal(a, b, path)?;
        match ours.type_ {
            H5O_TYPE_GROUP => self.groups_equal(a, b, path, depth),
            H5O_TYPE_DATASET => self.hdf5.same_dataset(a, b).map_err(|what| differs(path, &what.to_string())),
            _ if self.hdf5.same_type(a, b)? => Ok(()),
            _ => Err(differs(path, "not the same datatype")),
        }
    }

    fn attributes_equal(&self, a: Id, b: Id, path: &str) -> Outcome<()> {
        let names = self.attributes(a, path)?;
        if names != self.attributes(b, path)? {
            return Err(differs(path, "not the same attributes"));
        }
        for name in names {
            let open = |object| self.hdf5.open_attribute(object, &Place::Itself, Some(&name), Id::DEFAULT);
            let (ours, theirs) = (open(a)?, open(b)?);
            self.hdf5
                .same_attribute(ours.id(), theirs.id())
                .map_err(|what| differs(&format!("{path}@{}", name.to_string_lossy()), &what.to_string()))?;
        }
        Ok(())
    }

    fn groups_equal(&mut self, a: Id, b: Id, path: &str, depth: u32) -> Outcome<()> {
        let (ours, theirs) = (self.hdf5.links_of(a)?, self.hdf5.links_of(b)?);
        if ours != theirs {
            let odd = ours.iter().find(|link| !theirs.contains(link));
            let odd = odd.or_else(|| theirs.iter().find(|link| !ours.contains(link)));
            let name = odd.map(|(name, _)| name.to_string_lossy().into_owned()).unwrap_or_default();
            return Err(differs(path, &format!("the link '{name}' is not the same")));
        }
        for (name, link) in ours {
            if link != crate::iteration::Link::Hard {
                continue;
            }
            let place = Place::Name { name: &name, links: Id::DEFAULT };
            let (one, other) = (self.hdf5.open_any(a, &place)?, self.hdf5.open_any(b, &place)?);
            let below = format!("{}/{}", path.trim_end_matches('/'), name.to_string_lossy());
            self.object(one.id(), other.id(), &below, depth + 1)?;
        }
        Ok(())
    }
}
