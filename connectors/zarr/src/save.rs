//! Writing what has changed.
//!
//! First objects that get another home are put aside, then what is gone is removed, then everything finds its place, from the root
//! down. Each document is replaced as a whole, so that it is old or new whenever the process ends.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::{SystemTime, UNIX_EPOCH};

use convert::Datatype;
use h5_shadow::spec::{AttributeSpec, Cell, Change, DatasetSpec, Description, FileSpec, Kind, Link, Thing};
use h5_shadow::{Failure, Outcome};
use serde_json::{Map, Value, json};
use zarr::{GroupMetadata, Node, NodePath};

use crate::arrays::to_array;
use crate::attributes::{self, LINKS, OURS, type_to_json};
use crate::dimensions;
use crate::failure;
use crate::load::file_space_words;
use crate::store::ZarrStore;
use crate::tree::{Entry, HIDDEN, Key, ROOT, can_be_folder};

/// What has changed.
#[derive(Default)]
struct Changed {
    file: Option<FileSpec>,
    objects: HashMap<Key, Description<Key>>,
    values: HashMap<Key, Vec<Cell<Key>>>,
    /// Groups with other links.
    relinked: HashSet<Key>,
    gone: Vec<Key>,
}

impl ZarrStore {
    pub(crate) fn save(&self, all: Vec<Change<Key>>) -> Outcome<()> {
        let mut changed = Changed::default();
        for change in all {
            match change {
                Change::File(file) => changed.file = Some(file),
                Change::Object { key, description, values } => {
                    if let Some(entry) = self.state().tree.entries.get_mut(&key) {
                        entry.kind = Some(description.thing.kind());
                    }
                    changed.values.extend(values.map(|values| (key, values)));
                    changed.objects.insert(key, *description);
                }
                Change::Links { group, links } => {
                    if let Some(entry) = self.state().tree.entries.get_mut(&group) {
                        entry.links = Some(links);
                    }
                    changed.relinked.insert(group);
                }
                Change::Gone(key) => changed.gone.push(key),
            }
        }
        for key in &changed.gone {
            // It had changed before.
            changed.objects.remove(key);
            changed.values.remove(key);
            changed.relinked.remove(key);
        }
        self.forget_arrays();
        self.state().nodes.clear();
        let homes = self.new_homes(&changed);
        self.put_aside(&homes)?;
        self.remove(&changed.gone)?;
        self.settle(&homes, &changed)?;
        let written = self.write_documents(&changed);
        self.forget_arrays();
        changed.values.iter().fold(written, |all, (key, values)| all.and(self.save_values(*key, values)))
    }

    /// Objects that live under another link than before: from the root down.
    fn new_homes(&self, changed: &Changed) -> Vec<(Key, (Key, String))> {
        let state = self.state();
        let tree = &state.tree;
        let links = |key: Key| tree.entries.get(&key).and_then(|entry| entry.links.as_ref());
        // Where the home is still one of the links, it stays.
        let stays = |key: Key| {
            // One that could not be written the last time.
            let is_missing = |entry: &&Entry| {
                !entry.is_stored && entry.kind != Some(Kind::Datatype) && changed.objects.contains_key(&key)
            };
            let entry = tree.entries.get(&key).filter(|entry| !is_missing(entry));
            let home = entry.and_then(|entry| entry.home.as_ref());
            home.is_some_and(|(group, name)| {
                !changed.gone.contains(group)
                    && match links(*group) {
                        Some(links) => links.iter().any(|(link, to)| {
                            let is_home =
                                if can_be_folder(link) { link == name } else { name.starts_with(HIDDEN) };
                            is_home && *to == Link::Hard(key)
                        }),
                        // Nobody has looked into that group, so nothing in it has changed.
                        None => true,
                    }
            })
        };
        let (mut homes, mut seen) = (Vec::new(), HashSet::from([ROOT]));
        let mut waiting = VecDeque::from([ROOT]);
        while let Some(group) = waiting.pop_front() {
            for (name, link) in links(group).into_iter().flatten() {
                let Link::Hard(key) = link else { continue };
                if !seen.insert(*key) {
                    continue;
                }
                if !stays(*key) {
                    let folder = if can_be_folder(name) { name.clone() } else { String::new() };
                    homes.push((*key, (group, folder)));
                }
                waiting.push_back(*key);
            }
        }
        // Objects that have no link yet.
        for key in changed.objects.keys() {
            if !seen.contains(key) && tree.entries.get(key).is_some_and(|entry| entry.home.is_none()) {
                homes.push((*key, (ROOT, String::new())));
            }
        }
        homes
    }

    /// A name that is no link, and that nothing else has: not even what this process or another has left earlier.
    fn hidden_name(&self) -> String {
        let mut state = self.state();
        state.next_hidden += 1;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        format!("{HIDDEN}{}_{}_{}", std::process::id(), since.as_nanos(), state.next_hidden)
    }

    /// Moves folders out of the way that get another place, and those that others get the place of.
    fn put_aside(&self, homes: &[(Key, (Key, String))]) -> Outcome<()> {
        for (key, (group, name)) in homes {
            // An object that has lost its link and is still open lives where it was.
            let there = self.state().tree.known_child(*group, name);
            for key in [Some(*key), there].into_iter().flatten() {
                let is_stored = self.state().tree.entries.get(&key).is_some_and(|entry| entry.is_stored);
                if is_stored {
                    self.relocate(key, (ROOT, self.hidden_name()))?;
                }
            }
        }
        Ok(())
    }

    fn node_path(&self, key: Key) -> Outcome<NodePath> {
        self.state().tree.node_path(key).map_err(|error| failure(&error))
    }

    fn relocate(&self, key: Key, home: (Key, String)) -> Outcome<()> {
        let from = self.node_path(key)?;
        self.state().tree.set_home(key, Some(home));
        let to = self.node_path(key)?;
        self.container.rename_node(&from, &to).map_err(|error| failure(&error))
    }

    fn remove(&self, gone: &[Key]) -> Outcome<()> {
        // A group that is gone takes everything in it along. What has moved elsewhere is elsewhere by now.
        let mut stored: Vec<(NodePath, Key)> = Vec::new();
        for key in gone {
            let mut state = self.state();
            state.types.remove(key);
            if state.tree.entries.get(key).is_some_and(|entry| entry.is_stored && entry.home.is_some()) {
                stored.push((state.tree.node_path(*key).map_err(|error| failure(&error))?, *key));
            }
        }
        stored.sort();
        let mut removed: Option<NodePath> = None;
        for (path, _) in stored {
            if removed.as_ref().is_some_and(|removed| path.is_in(removed)) {
                continue;
            }
            self.container.remove_node(&path).map_err(|error| failure(&error))?;
            removed = Some(path);
        }
        let mut state = self.state();
        for key in gone {
            state.tree.remove(*key);
        }
        Ok(())
    }

    /// Gives objects their new homes. Groups come before what is in them.
    fn settle(&self, homes: &[(Key, (Key, String))], changed: &Changed) -> Outcome<()> {
        for (key, (group, name)) in homes {
            let name = if name.is_empty() { self.hidden_name() } else { name.clone() };
            let entry = self.state().tree.entries.get(key).map(|entry| (entry.is_stored, entry.kind));
            let Some((is_stored, kind)) = entry else { continue };
            if is_stored {
                self.relocate(*key, (*group, name))?;
                continue;
            }
            self.state().tree.set_home(*key, Some((*group, name)));
            if kind == Some(Kind::Group) {
                // What is in it needs its folder. Its attributes follow.
                let path = self.node_path(*key)?;
                let empty = Node::Group(GroupMetadata::default());
                self.container.create_node(&path, &empty).map_err(|error| failure(&error))?;
                self.note_stored(*key);
            }
            debug_assert!(changed.objects.contains_key(key), "what has no folder is new");
        }
        Ok(())
    }

    fn note_stored(&self, key: Key) {
        if let Some(entry) = self.state().tree.entries.get_mut(&key) {
            entry.is_stored = true;
        }
    }

    /// Writes documents. What cannot be kept does not keep others from being written; the failure is that of the first.
    fn write_documents(&self, changed: &Changed) -> Outcome<()> {
        let (mut types_changed, mut all) = (false, Ok(()));
        for (key, description) in &changed.objects {
            match &description.thing {
                Thing::Datatype(_) => {
                    types_changed = true;
                    self.state().types.insert(*key, description.clone());
                }
                Thing::Dataset(dataset) => {
                    all = all.and(self.write_array(*key, description, dataset, changed));
                }
                Thing::Group(_) => {}
            }
        }
        types_changed |= !changed.gone.is_empty() || !changed.relinked.is_empty();
        types_changed &= !self.state().types.is_empty() || types_changed;
        let mut groups: HashSet<Key> = changed.relinked.clone();
        let is_group = |description: &&Description<Key>| description.thing.kind() == Kind::Group;
        groups.extend(changed.objects.iter().filter(|(_, one)| is_group(one)).map(|(key, _)| *key));
        if types_changed || changed.file.is_some() {
            groups.insert(ROOT);
        }
        groups.into_iter().fold(all, |all, key| all.and(self.write_group(key, changed)))
    }

    /// Replaces the document of an array.
    fn write_array(
        &self,
        key: Key,
        description: &Description<Key>,
        dataset: &DatasetSpec<Key>,
        changed: &Changed,
    ) -> Outcome<()> {
        let path = self.node_path(key)?;
        let before = match self.container.find(&path) {
            Ok(Some(Node::Array(array))) => Some(array),
            _ => None,
        };
        let path_of = |key| self.path_of(key);
        let values = changed.values.get(&key).map(Vec::as_slice);
        let old = before.as_ref().map(|array| array.attributes.clone()).unwrap_or_default();
        let (mut array, mut ours) = to_array(dataset, values, before, &self.settings, &path_of)?;
        let made = self.unchanged_made(key, description);
        let own = description.attributes.iter().filter(|own| !made.iter().any(|made| made.name == own.name));
        let of = dataset.datatype.structure.as_ref();
        array.attributes = self.attributes_to_json(own, &old, of, &mut ours)?;
        let own_path = self.path_of(key).unwrap_or_default();
        let names = dimensions::names(description, &own_path, &path_of);
        // Names that another tool has written are gone if somebody has detached their scales.
        if names.is_some() || array.dimension_names.iter().flatten().any(Option::is_some) {
            array.dimension_names = names;
        }
        self.container.write_node(&path, &Node::Array(array)).map_err(|error| failure(&error))?;
        self.note_stored(key);
        Ok(())
    }

    /// The attributes that were made of the names of dimensions, if nobody has changed any of them: then no document needs them.
    fn unchanged_made(&self, key: Key, description: &Description<Key>) -> Vec<AttributeSpec<Key>> {
        let Some(made) = self.state().made.remove(&key) else { return Vec::new() };
        let is_there = |made: &AttributeSpec<Key>| {
            let same = description.attributes.iter().find(|own| own.name == made.name);
            same.is_some_and(|own| attributes::are_same(own, made))
        };
        if !made.iter().all(is_there) {
            return Vec::new();
        }
        self.state().made.insert(key, made.clone());
        made
    }

    /// Replaces the document of a group.
    fn write_group(&self, key: Key, changed: &Changed) -> Outcome<()> {
        let path = self.node_path(key)?;
        let mut group = match self.container.find(&path).map_err(|error| failure(&error))? {
            Some(Node::Group(group)) => group,
            _ => GroupMetadata::default(),
        };
        let mut ours = match group.attributes.get(OURS) {
            Some(Value::Object(ours)) => ours.clone(),
            _ => Map::new(),
        };
        let links = group.attributes.get(LINKS).cloned();
        if let Some(description) = changed.objects.get(&key) {
            ours.shift_remove("attributes");
            let own = description.attributes.iter();
            group.attributes = self.attributes_to_json(own, &group.attributes, None, &mut ours)?;
            if let Thing::Group(spec) = &description.thing {
                let mut put = |key: &str, flags: u32| {
                    ours.shift_remove(key);
                    if flags != 0 {
                        ours.insert(key.to_owned(), json!(flags));
                    }
                };
                put("link_order", spec.orders.links);
                put("attribute_order", spec.orders.attributes);
            }
            if let Some(links) = links {
                group.attributes.insert(LINKS.to_owned(), links);
            }
        }
        if changed.relinked.contains(&key) {
            self.put_links(key, &mut group.attributes, &mut ours);
        }
        if key == ROOT {
            self.put_types(&mut ours)?;
            if let Some(words) = changed.file.as_ref().and_then(|file| file_space_words(file.space)) {
                ours.insert("file".to_owned(), words);
            }
        }
        group.attributes.shift_remove(OURS);
        if !ours.is_empty() {
            group.attributes.insert(OURS.to_owned(), Value::Object(ours));
        }
        self.container.write_node(&path, &Node::Group(group)).map_err(|error| failure(&error))?;
        self.note_stored(key);
        Ok(())
    }

    /// The attributes of an object, and what our key says about them.
    fn attributes_to_json<'a>(
        &self,
        attributes: impl Iterator<Item = &'a AttributeSpec<Key>>,
        before: &Map<String, Value>,
        of: Option<&Datatype>,
        ours: &mut Map<String, Value>,
    ) -> Outcome<Map<String, Value>> {
        let known = before.get(OURS).map_or(&Value::Null, |ours| &ours["attributes"]);
        let (mut all, mut exact) = (Map::new(), Map::new());
        for attribute in attributes {
            attributes::accept(&attribute.name)?;
            if attribute.datatype.structure.is_none() {
                return Err(Failure::new(format!(
                    "attribute {}: a datatype of HDF5 that has no description cannot be kept in Zarr",
                    attribute.name
                )));
            }
            // What has not changed stays as it was written, by whomever: JSON has more than HDF5.
            let old = before.get(&attribute.name);
            let read = old.map(|old| self.attribute(&attribute.name, old, known, of));
            let is_old = read.is_some_and(|read| attributes::are_same(&read, attribute));
            let (plain, more) = match old.filter(|_| is_old) {
                Some(old) => (old.clone(), known.get(&attribute.name).cloned()),
                None => attributes::to_json(attribute, of, &|key| self.path_of(key)),
            };
            all.insert(attribute.name.clone(), plain);
            exact.extend(more.map(|more| (attribute.name.clone(), more)));
        }
        if !exact.is_empty() {
            ours.insert("attributes".to_owned(), Value::Object(exact));
        }
        if !ours.is_empty() {
            all.insert(OURS.to_owned(), Value::Object(ours.clone()));
        }
        Ok(all)
    }

    /// The links of a group that are no folders, and their order.
    fn put_links(&self, group: Key, attributes: &mut Map<String, Value>, ours: &mut Map<String, Value>) {
        let state = self.state();
        let links = state.tree.entries.get(&group).and_then(|entry| entry.links.clone()).unwrap_or_default();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut notes = Vec::new();
        for (name, link) in &links {
            match link {
                Link::Hard(key) => {
                    let home = state.tree.entries.get(key).and_then(|entry| entry.home.as_ref());
                    if home.is_none_or(|home| *home != (group, name.clone())) {
                        let path = state.tree.path(*key);
                        notes.push(json!({"name": name, "source": ".", "path": path, "kind": "hard"}));
                    }
                }
                Link::Soft(path) => {
                    notes.push(json!({"name": name, "source": ".", "path": text(path), "kind": "soft"}));
                }
                Link::External { file, path } => {
                    notes.push(
                        json!({"name": name, "source": text(file), "path": text(path), "kind": "external"}),
                    );
                }
            }
        }
        attributes.shift_remove(LINKS);
        if !notes.is_empty() {
            attributes.insert(LINKS.to_owned(), Value::Array(notes));
        }
        ours.shift_remove("order");
        if ours.contains_key("link_order") {
            let names: Vec<&str> = links.iter().map(|(name, _)| name.as_str()).collect();
            ours.insert("order".to_owned(), json!(names));
        }
    }

    /// What the document of the root says of all: committed datatypes, and whether objects have several links.
    fn put_types(&self, ours: &mut Map<String, Value>) -> Outcome<()> {
        let types: Vec<_> = self.state().types.iter().map(|(key, one)| (*key, one.clone())).collect();
        let mut all = Vec::new();
        for (key, description) in types {
            let (Some(path), Thing::Datatype(datatype)) = (self.path_of(key), &description.thing) else {
                continue;
            };
            let mut exact = Map::new();
            let own = description.attributes.iter();
            let mut attributes = self.attributes_to_json(own, &Map::new(), None, &mut exact)?;
            attributes.shift_remove(OURS);
            let exact = exact.shift_remove("attributes").unwrap_or_default();
            let words = type_to_json(datatype, &|key| self.path_of(key));
            all.push((path, json!({"type": words, "attributes": attributes, "exact": exact})));
        }
        all.sort_by(|one, other| one.0.cmp(&other.0));
        ours.shift_remove("types");
        if !all.is_empty() {
            ours.insert("types".to_owned(), Value::Object(all.into_iter().collect()));
        }
        let state = self.state();
        let mut seen = HashSet::new();
        let is_shared = state
            .tree
            .entries
            .values()
            .flat_map(|entry| entry.links.iter().flatten())
            .any(|(_, link)| matches!(link, Link::Hard(key) if !seen.insert(*key)));
        ours.shift_remove("shared");
        if is_shared {
            ours.insert("shared".to_owned(), json!(true));
        }
        Ok(())
    }
}
