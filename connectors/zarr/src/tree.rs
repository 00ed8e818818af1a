//! Which object is where in the directory.
//!
//! An object's key is a number that it has as long as the container is open. It lives under one of its links, its *home*: a folder in
//! the folder of the group that has the link. Its other links are notes in the attributes of their groups. A link whose name no folder can
//! have is such a note, too, and the folder has a name that is no link.

use std::collections::HashMap;

use h5_shadow::spec::{Kind, Link};
use zarr::{NodePath, ZarrError};

/// An object's number.
pub(crate) type Key = u64;

/// The root group.
pub(crate) const ROOT: Key = 0;

/// What names begin with that are no links: folders of objects that have none (yet), or none whose name a folder can have.
pub(crate) const HIDDEN: &str = "__h5_";

/// Whether a folder can have the name of a link.
pub(crate) fn can_be_folder(name: &str) -> bool {
    zarr::check_name(name).is_ok() && !name.starts_with(HIDDEN)
}

/// An object.
#[derive(Debug, Default)]
pub(crate) struct Entry {
    /// What it is, if that is known by now.
    pub(crate) kind: Option<Kind>,
    /// The group and the name that its folder has there.
    pub(crate) home: Option<(Key, String)>,
    /// Whether the folder exists.
    pub(crate) is_stored: bool,
    /// The links of a group, if they are known by now.
    pub(crate) links: Option<Vec<(String, Link<Key>)>>,
}

/// All objects that are known by now.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) entries: HashMap<Key, Entry>,
    children: HashMap<(Key, String), Key>,
    next: Key,
}

impl Default for Tree {
    fn default() -> Self {
        let root = Entry { kind: Some(Kind::Group), ..Entry::default() };
        Self { entries: HashMap::from([(ROOT, root)]), children: HashMap::new(), next: 1 }
    }
}

impl Tree {
    /// A number for a new object.
    pub(crate) fn new_key(&mut self, kind: Option<Kind>) -> Key {
        let key = self.next;
        self.next += 1;
        self.entries.insert(key, Entry { kind, ..Entry::default() });
        key
    }

    /// The object whose folder has this name in a group; a new number if it was not known.
    pub(crate) fn child(&mut self, group: Key, name: &str) -> Key {
        if let Some(key) = self.children.get(&(group, name.to_owned())) {
            return *key;
        }
        let key = self.new_key(None);
        self.set_home(key, Some((group, name.to_owned())));
        key
    }

    /// The object whose folder has this name in a group, if it is known.
    pub(crate) fn known_child(&self, group: Key, name: &str) -> Option<Key> {
        self.children.get(&(group, name.to_owned())).copied()
    }

    /// The object at a path of folders.
    pub(crate) fn at(&mut self, path: &str) -> Key {
        path.split('/').filter(|name| !name.is_empty()).fold(ROOT, |group, name| self.child(group, name))
    }

    /// Gives an object another home.
    pub(crate) fn set_home(&mut self, key: Key, home: Option<(Key, String)>) {
        let Some(entry) = self.entries.get_mut(&key) else { return };
        if let Some(old) = entry.home.take()
            && self.children.get(&old) == Some(&key)
        {
            self.children.remove(&old);
        }
        if let Some(home) = &home {
            self.children.insert(home.clone(), key);
        }
        entry.home = home;
    }

    /// Forgets an object.
    pub(crate) fn remove(&mut self, key: Key) {
        self.set_home(key, None);
        self.entries.remove(&key);
    }

    /// The path of an object's folder; `None` if it has none.
    pub(crate) fn path(&self, key: Key) -> Option<String> {
        let mut names = Vec::new();
        let mut here = key;
        while here != ROOT {
            let (group, name) = self.entries.get(&here)?.home.as_ref()?;
            names.push(name.as_str());
            here = *group;
            // Homes are in groups that exist before them, but whoever has damaged a container may say otherwise.
            if names.len() > 1024 {
                return None;
            }
        }
        names.reverse();
        Some(format!("/{}", names.join("/")))
    }

    /// The same as the library has it.
    pub(crate) fn node_path(&self, key: Key) -> Result<NodePath, ZarrError> {
        // Nothing but the root has the root's path.
        let path = self.path(key).ok_or_else(|| ZarrError::Request {
            path: format!("object {key}").into(),
            reason: "it has no place in the container".to_owned(),
        })?;
        NodePath::new(&path)
    }
}
