//! Reading what is in a container.

use std::sync::Arc;

use h5_shadow::spec::{
    AttributeSpec, Description, FileSpace, FileSpec, GroupSpec, Kind, Link, Orders, Thing,
};
use h5_shadow::{Failure, Outcome};
use serde_json::{Map, Value, json};
use zarr::{Chain, Node};

use convert::{Class, Datatype, VariableForm};

use crate::arrays::from_array;
use crate::attributes::{self, LINKS, OURS, type_from_json};
use crate::cells::{KeyOf, PathOf};
use crate::failure;
use crate::scales::{GroupDimensions, is_sound};
use crate::store::ZarrStore;
use crate::tree::{HIDDEN, Key, ROOT};

impl ZarrStore {
    /// The document of a node.
    pub(crate) fn node(&self, key: Key) -> Outcome<Node> {
        let path = self.state().tree.node_path(key).map_err(|error| failure(&error))?;
        self.container.node(&path).map_err(|error| failure(&error))
    }

    fn key_at(&self, path: &str) -> Key {
        self.state().tree.at(path)
    }

    pub(crate) fn path_of(&self, key: Key) -> Option<String> {
        self.state().tree.path(key)
    }

    /// What our key says of a node.
    fn ours(node: &Node) -> Value {
        node.attributes().get(OURS).cloned().unwrap_or(Value::Null)
    }

    pub(crate) fn load_file(&self) -> Outcome<FileSpec> {
        let root = self.node(ROOT)?;
        let ours = Self::ours(&root);
        Ok(FileSpec {
            orders: orders(&ours),
            creation: None,
            space: file_space(&ours["file"]),
            // Objects with several links are read with everything else, so that none of them is taken for deleted.
            has_shared_objects: ours["shared"] == true,
        })
    }

    /// The committed datatypes.
    pub(crate) fn load_types(&self) -> Outcome<()> {
        let root = self.node(ROOT)?;
        if root.is_array() {
            // It has no name that a dataset could have.
            let above = "the folder that it is in can be opened if it is a Zarr group";
            return Err(Failure::new(format!(
                "the directory is a single array, not a group of arrays: {above}"
            )));
        }
        let ours = Self::ours(&root);
        let Some(types) = ours["types"].as_object() else { return Ok(()) };
        for (path, words) in types {
            let key = self.state().tree.at(path);
            let Some(datatype) = type_from_json(&words["type"], &|path| Some(self.key_at(path))) else {
                continue;
            };
            let empty = Map::new();
            let attributes = words["attributes"].as_object().unwrap_or(&empty);
            let description = Description {
                thing: Thing::Datatype(datatype),
                attributes: self.attributes(attributes, &words["exact"], None),
            };
            let mut state = self.state();
            state.types.insert(key, description);
            if let Some(entry) = state.tree.entries.get_mut(&key) {
                entry.kind = Some(Kind::Datatype);
            }
        }
        Ok(())
    }

    /// What an object is.
    pub(crate) fn load(&self, key: Key) -> Outcome<Description<Key>> {
        let known = self.state().types.get(&key).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let (node, thing) = self.load_thing(key)?;
        let ours = Self::ours(&node);
        let (of, rank) = match &thing {
            Thing::Dataset(dataset) => {
                (dataset.datatype.structure.as_ref(), dataset.space.dims().map_or(0, <[u64]>::len))
            }
            _ => (None, 0),
        };
        let mut attributes = self.attributes(node.attributes(), &ours["attributes"], of);
        attributes.retain(|attribute| !node.is_array() || is_sound(attribute, rank));
        let made = if node.is_array() { self.scale_attributes(key) } else { Vec::new() };
        if !made.is_empty() {
            attributes.extend(made.iter().cloned());
            self.state().made.insert(key, made);
        }
        Ok(Description { thing, attributes })
    }

    /// The document of an object, and what it is but for its attributes.
    fn load_thing(&self, key: Key) -> Outcome<(Node, Thing<Key>)> {
        let waiting = self.state().nodes.remove(&key);
        let node = match waiting {
            Some(node) => node,
            None => self.node(key)?,
        };
        let ours = Self::ours(&node);
        let thing = match &node {
            Node::Group(_) => Thing::Group(GroupSpec { orders: orders(&ours), creation: None }),
            Node::Array(array) => {
                let name = || self.path_of(key).unwrap_or_default();
                let chain = Chain::new(array)
                    .map_err(|problem| Failure::new(format!("array {}: {problem}", name())))?;
                let dataset = from_array(array, chain.order(), &|path| Some(self.key_at(path)));
                Thing::Dataset(dataset.ok_or_else(|| {
                    Failure::new(format!("array {}: HDF5 has no datatype for its elements", name()))
                })?)
            }
        };
        let mut state = self.state();
        if let Some(entry) = state.tree.entries.get_mut(&key) {
            entry.kind = Some(thing.kind());
            entry.is_stored = true;
        }
        drop(state);
        Ok((node, thing))
    }

    fn attributes(
        &self,
        all: &Map<String, Value>,
        exact: &Value,
        of: Option<&Datatype>,
    ) -> Vec<AttributeSpec<Key>> {
        all.iter()
            .filter(|(name, _)| !matches!(name.as_str(), OURS | LINKS))
            .map(|(name, value)| self.attribute(name, value, exact, of))
            .collect()
    }

    /// One attribute. `exact` is what our key says about all of them, and `of` the datatype of the array that has it.
    pub(crate) fn attribute(
        &self,
        name: &str,
        value: &Value,
        exact: &Value,
        of: Option<&Datatype>,
    ) -> AttributeSpec<Key> {
        let ways: (KeyOf<'_>, PathOf<'_>) = (&|path| Some(self.key_at(path)), &|key| self.path_of(key));
        attributes::from_json(name, value, exact.get(name), of, ways)
    }

    /// The links of a group.
    pub(crate) fn load_links(&self, group: Key) -> Outcome<Vec<(String, Link<Key>)>> {
        let known = self.state().tree.entries.get(&group).map(|entry| (entry.kind, entry.links.clone()));
        match known {
            Some((_, Some(links))) => return Ok(links),
            Some((Some(Kind::Dataset | Kind::Datatype), _)) => return Ok(Vec::new()),
            _ => {}
        }
        let path = self.state().tree.node_path(group).map_err(|error| failure(&error))?;
        let document = self.container.node(&path).map_err(|error| failure(&error))?;
        if document.is_array() {
            return Ok(Vec::new());
        }
        let (mut links, mut dimensions) = (Vec::new(), GroupDimensions::default());
        for child in self.container.children(&path).map_err(|error| failure(&error))? {
            if child.name.starts_with(HIDDEN) {
                continue;
            }
            let node = child.node.map_err(|error| failure(&error))?;
            let mut state = self.state();
            let key = state.tree.child(group, &child.name);
            dimensions.add(key, &child.name, &node);
            state.nodes.insert(key, node);
            links.push((child.name, Link::Hard(key)));
        }
        let mut state = self.state();
        state.dimensions.insert(group, Arc::new(dimensions));
        let types: Vec<_> = state.types.keys().copied().collect();
        for key in types {
            if let Some((parent, name)) = state.tree.entries.get(&key).and_then(|entry| entry.home.clone())
                && parent == group
                && !name.starts_with(HIDDEN)
            {
                links.push((name, Link::Hard(key)));
            }
        }
        drop(state);
        for link in document.attributes().get(LINKS).and_then(Value::as_array).into_iter().flatten() {
            links.extend(self.link(link));
        }
        let ours = Self::ours(&document);
        if let Some(order) = ours["order"].as_array() {
            let place: std::collections::HashMap<&str, usize> =
                order.iter().enumerate().filter_map(|(place, name)| Some((name.as_str()?, place))).collect();
            links.sort_by_key(|(name, _)| place.get(name.as_str()).copied().unwrap_or(usize::MAX));
        }
        if let Some(entry) = self.state().tree.entries.get_mut(&group) {
            entry.links = Some(links.clone());
        }
        Ok(links)
    }

    /// A link that Zarr does not have.
    fn link(&self, words: &Value) -> Option<(String, Link<Key>)> {
        let name = words["name"].as_str()?.to_owned();
        let path = words["path"].as_str()?;
        let source = words["source"].as_str().unwrap_or(".");
        let link = match words["kind"].as_str().unwrap_or(if source == "." { "soft" } else { "external" }) {
            "hard" => Link::Hard(self.key_at(path)),
            "soft" => Link::Soft(path.as_bytes().to_vec()),
            "external" => Link::External { file: source.as_bytes().to_vec(), path: path.as_bytes().to_vec() },
            _ => return None,
        };
        Some((name, link))
    }

    /// Bytes of the elements of a sequence.
    pub(crate) fn sequence_step(&self, key: Key) -> Outcome<usize> {
        let (_, thing) = self.load_thing(key)?;
        let Thing::Dataset(dataset) = &thing else { return Ok(1) };
        Ok(match dataset.datatype.structure.as_ref().map(|datatype| &datatype.class) {
            Some(Class::Variable(variable)) if variable.form == VariableForm::Sequence => {
                variable.element.size.max(1)
            }
            _ => 1,
        })
    }
}

/// How the file would manage its space if it were one of HDF5's. What HDF5 would not take makes no sense.
fn file_space(words: &Value) -> FileSpace {
    let usual = FileSpace::default();
    let number = |key: &str, usual: u64| words[key].as_u64().unwrap_or(usual);
    let is_size = |size: u64| size.is_power_of_two() && (512..=1 << 30).contains(&size);
    FileSpace {
        user_block: Some(number("user_block", 0)).filter(|size| is_size(*size)).unwrap_or(0),
        strategy: words["strategy"]
            .as_i64()
            .and_then(|number| i32::try_from(number).ok())
            .filter(|number| (0..=3).contains(number))
            .unwrap_or(usual.strategy),
        persist: words["persist"].as_bool().unwrap_or(usual.persist),
        threshold: number("threshold", usual.threshold),
        page: Some(number("page", usual.page)).filter(|size| is_size(*size)).unwrap_or(usual.page),
    }
}

/// The same in words; `None` if it is as usual.
pub(crate) fn file_space_words(space: FileSpace) -> Option<Value> {
    let FileSpace { user_block, strategy, persist, threshold, page } = space;
    (space != FileSpace::default()).then(|| {
        json!({"user_block": user_block, "strategy": strategy, "persist": persist, "threshold": threshold, "page": page})
    })
}

/// Which orders of creation are kept.
fn orders(ours: &Value) -> Orders {
    let flags = |key: &str| ours[key].as_u64().and_then(|flags| u32::try_from(flags).ok()).unwrap_or(0) & 3;
    Orders { links: flags("link_order"), attributes: flags("attribute_order") }
}
