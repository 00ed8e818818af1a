//! Visits each object of a tree once, and remembers where.

use std::collections::HashMap;
use std::ffi::{CStr, CString};

use h5_abi::H5O_token_t;
use h5_client::{AnyObject, LinkTarget, Links as _, Object as _};

use crate::error::{At as _, Result};
use crate::place::Side;

/// The identity of an object in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity([u8; 16]);

impl From<H5O_token_t> for Identity {
    fn from(token: H5O_token_t) -> Self {
        Self(token.__data)
    }
}

/// The objects below a root, each under the first of its names. The root is `/`.
#[derive(Debug, Default)]
pub struct Tree {
    /// Objects in the order in which they were found.
    pub objects: Vec<(CString, Identity)>,
    names: HashMap<Identity, usize>,
}

/// A path and a name in it.
pub fn join(path: &CStr, name: &CStr) -> CString {
    let path = path.to_bytes();
    let slash: &[u8] = if path.ends_with(b"/") { b"" } else { b"/" };
    CString::new([path, slash, name.to_bytes()].concat()).unwrap_or_default()
}

impl Tree {
    /// Walks along hard links, in the order of names. Other links lead to what is in the tree by itself, or out of it.
    pub fn of(side: &Side) -> Result<Self> {
        let mut tree = Self::default();
        let root = side.root.info().at(|| side.place.shown())?.token;
        tree.add(c"/".to_owned(), root.into());
        let mut open = vec![c"/".to_owned()];
        while let Some(path) = open.pop() {
            let AnyObject::Group(group) = side.open(&path)? else { continue };
            let mut below = Vec::new();
            for link in group.links().at(|| side.shown(&path))? {
                let LinkTarget::Hard(token) = link.target else { continue };
                let name = join(&path, &link.name);
                if tree.add(name.clone(), token.into()) {
                    below.push(name);
                }
            }
            open.extend(below.into_iter().rev());
        }
        Ok(tree)
    }

    fn add(&mut self, path: CString, object: Identity) -> bool {
        if self.names.contains_key(&object) {
            return false;
        }
        self.names.insert(object, self.objects.len());
        self.objects.push((path, object));
        true
    }

    /// The name under which an object was found.
    pub fn name(&self, object: Identity) -> Option<&CStr> {
        self.names.get(&object).map(|index| self.objects[*index].0.as_c_str())
    }
}
