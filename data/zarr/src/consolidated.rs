//! Consolidated metadata: copies of all documents in that of the root, so that reading one file is enough.
//!
//! It is read as text and understood only where it is asked for: a container may have many thousand arrays.

use core::fmt;
use std::collections::{BTreeMap, BTreeSet};

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::error::Problem;
use crate::json::{self, Object, quoted_words};
use crate::metadata::{CONSOLIDATED, Node};
use crate::path::{NodePath, check_name};

/// Documents by the paths of their nodes; by their own paths in version 2.
pub(crate) type Documents = BTreeMap<String, Box<RawValue>>;

/// Consolidated metadata of version 3.
#[derive(Debug, Default, Clone)]
pub(crate) struct Consolidated {
    documents: Documents,
    /// The names of nodes in each group that has any.
    children: BTreeMap<String, BTreeSet<String>>,
}

impl Consolidated {
    fn new(documents: Documents) -> Self {
        let mut all = Self { documents, children: BTreeMap::new() };
        let paths: Vec<String> = all.documents.keys().cloned().collect();
        for path in &paths {
            all.enter(path);
        }
        all
    }

    /// Enters a node among those of its group.
    fn enter(&mut self, path: &str) {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        if check_name(name).is_ok() {
            self.children.entry(parent.to_owned()).or_default().insert(name.to_owned());
        }
    }

    /// The names of nodes in a group.
    pub(crate) fn names(&self, group: &NodePath) -> impl Iterator<Item = &str> {
        self.children.get(group.as_str()).into_iter().flatten().map(String::as_str)
    }

    /// The node of this path.
    pub(crate) fn node(&self, path: &NodePath) -> Option<Result<Node, Problem>> {
        let document = self.documents.get(path.as_str())?;
        Some(json::parse(document.get().as_bytes()).and_then(Node::from_document))
    }

    /// Enters a document in place of an older one.
    pub(crate) fn set(&mut self, path: &NodePath, document: &Object) -> Result<(), Problem> {
        let raw =
            serde_json::value::to_raw_value(document).map_err(|error| Problem::Json(error.to_string()))?;
        self.documents.insert(path.as_str().to_owned(), raw);
        self.enter(path.as_str());
        Ok(())
    }

    /// Removes a node with all that is in it.
    pub(crate) fn remove(&mut self, path: &NodePath) {
        let inside = |other: &str| NodePath::new(other).is_ok_and(|other| other.is_in(path));
        self.documents.retain(|other, _| !inside(other));
        self.children.retain(|group, _| !inside(group));
        if let Some(names) = path.parent().and_then(|parent| self.children.get_mut(parent.as_str())) {
            names.remove(path.name());
        }
    }

    /// The document of the root with all of it in the end.
    pub(crate) fn print(&self, root: &Object) -> Result<Vec<u8>, Problem> {
        serde_json::to_vec(&RootToPrint { root, consolidated: self })
            .map_err(|error| Problem::Json(error.to_string()))
    }
}

/// Reads the document of a root: what is in it, and its consolidated metadata.
pub(crate) fn parse_root(bytes: &[u8]) -> Result<(Object, Option<Consolidated>), Problem> {
    let parsed: Root = match serde_json::from_slice(bytes) {
        Ok(parsed) => parsed,
        Err(error) => {
            let changed = quoted_words(bytes).ok_or_else(|| Problem::Json(error.to_string()))?;
            serde_json::from_slice(&changed).map_err(|error| Problem::Json(error.to_string()))?
        }
    };
    Ok((parsed.rest, parsed.documents.map(Consolidated::new)))
}

/// A node that the document of a root has.
#[derive(Debug)]
pub struct NodeOfRoot {
    /// Its path.
    pub path: NodePath,
    /// Its metadata, or what is wrong with it.
    pub node: Result<Node, Problem>,
}

/// All nodes that the document of a root has, with their paths: the root itself, and what its consolidated metadata has. Those that
/// make no sense come with what is wrong with them.
pub fn nodes_of_root(document: &[u8]) -> Result<Vec<NodeOfRoot>, Problem> {
    let (root, consolidated) = parse_root(document)?;
    let mut nodes = vec![NodeOfRoot { path: NodePath::ROOT, node: Node::from_document(root) }];
    let consolidated = consolidated.unwrap_or_default();
    for path in consolidated.documents.keys().filter_map(|path| NodePath::new(path).ok()) {
        if let Some(node) = consolidated.node(&path) {
            nodes.push(NodeOfRoot { path, node });
        }
    }
    Ok(nodes)
}

struct Root {
    rest: Object,
    documents: Option<Documents>,
}

impl<'de> Deserialize<'de> for Root {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Root;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Root, A::Error> {
                let mut root = Root { rest: Object::new(), documents: None };
                while let Some(key) = map.next_key::<String>()? {
                    if key == CONSOLIDATED {
                        root.documents = map.next_value::<Option<Inline>>()?.and_then(|inline| inline.0);
                    } else {
                        root.rest.insert(key, map.next_value()?);
                    }
                }
                Ok(root)
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

/// The value of the key `consolidated_metadata`: `None` if it is of another kind.
struct Inline(Option<Documents>);

impl<'de> Deserialize<'de> for Inline {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Inline;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("consolidated metadata")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Inline, A::Error> {
                let (mut documents, mut is_inline) = (None, true);
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "metadata" => documents = map.next_value::<Option<Documents>>()?,
                        "kind" => is_inline = map.next_value::<Value>()? == "inline",
                        _ => drop(map.next_value::<Value>()?),
                    }
                }
                Ok(Inline(documents.filter(|_| is_inline)))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

struct RootToPrint<'r> {
    root: &'r Object,
    consolidated: &'r Consolidated,
}

impl Serialize for RootToPrint<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (key, value) in self.root {
            map.serialize_entry(key, value)?;
        }
        map.serialize_entry(CONSOLIDATED, &InlineToPrint(&self.consolidated.documents))?;
        map.end()
    }
}

struct InlineToPrint<'r>(&'r Documents);

impl Serialize for InlineToPrint<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("kind", "inline")?;
        map.serialize_entry("must_understand", &false)?;
        map.serialize_entry("metadata", self.0)?;
        map.end()
    }
}

/// Reads `.zmetadata` of version 2: the documents of all nodes, as those of version 3.
pub(crate) fn parse_version_2(bytes: &[u8]) -> Result<ConsolidatedV2, Problem> {
    let document = json::parse(bytes)?;
    let Some(Value::Object(metadata)) = document.get("metadata") else {
        return Err(Problem::invalid("metadata", "is not an object"));
    };
    let mut all = ConsolidatedV2::default();
    for (key, value) in metadata {
        let (folder, file) = key.rsplit_once('/').unwrap_or(("", key));
        let (Value::Object(document), Ok(path)) = (value, NodePath::new(folder)) else { continue };
        let entry = all.nodes.entry(path).or_default();
        match file {
            ".zgroup" => entry.group = Some(document.clone()),
            ".zarray" => entry.array = Some(document.clone()),
            ".zattrs" => entry.attributes.clone_from(document),
            _ => {}
        }
    }
    all.nodes.retain(|_, node| node.group.is_some() || node.array.is_some());
    Ok(all)
}

/// Consolidated metadata of version 2.
#[derive(Debug, Default, Clone)]
pub(crate) struct ConsolidatedV2 {
    nodes: BTreeMap<NodePath, NodeV2>,
}

#[derive(Debug, Default, Clone)]
struct NodeV2 {
    group: Option<Object>,
    array: Option<Object>,
    attributes: Object,
}

impl ConsolidatedV2 {
    pub(crate) fn names(&self, group: &NodePath) -> impl Iterator<Item = &str> {
        self.nodes.keys().filter(|path| path.parent().as_ref() == Some(group)).map(NodePath::name)
    }

    pub(crate) fn node(&self, path: &NodePath) -> Option<Result<Node, Problem>> {
        let node = self.nodes.get(path)?;
        Some(match (&node.array, &node.group) {
            (Some(array), _) => Node::array_from_version_2(array, node.attributes.clone()),
            (None, Some(group)) => Node::group_from_version_2(group, node.attributes.clone()),
            (None, None) => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read() {
        let text = r#"{"zarr_format": 3, "attributes": {"x": NaN}, "consolidated_metadata": {"kind": "inline",
            "must_understand": false, "metadata": {"a": {"zarr_format": 3, "node_type": "group"},
            "a/b": {"zarr_format": 3, "node_type": "group", "attributes": {"z": 1, "y": 2}}, "../c": {}}},
            "node_type": "group"}"#;
        let (root, consolidated) = parse_root(text.as_bytes()).unwrap();
        assert_eq!(root.keys().collect::<Vec<_>>(), ["zarr_format", "attributes", "node_type"]);
        let mut consolidated = consolidated.unwrap();
        let path = |text| NodePath::new(text).unwrap();
        assert_eq!(consolidated.names(&NodePath::ROOT).collect::<Vec<_>>(), ["a"]);
        assert_eq!(consolidated.names(&path("a")).collect::<Vec<_>>(), ["b"]);
        let (_, again) = parse_root(&consolidated.print(&root).unwrap()).unwrap();
        let node = again.unwrap().node(&path("a/b")).unwrap().unwrap();
        assert_eq!(node.attributes().keys().collect::<Vec<_>>(), ["z", "y"]);
        consolidated.remove(&path("a"));
        assert!(consolidated.node(&path("a/b")).is_none());
        assert_eq!(consolidated.names(&NodePath::ROOT).count(), 0);
    }

    #[test]
    fn other_kinds_are_as_if_there_were_none() {
        for text in [
            r#"{"consolidated_metadata": null}"#,
            r#"{"consolidated_metadata": {"kind": "other", "metadata": {}}}"#,
            r#"{"consolidated_metadata": {"kind": "inline", "metadata": null}}"#,
        ] {
            assert!(parse_root(text.as_bytes()).unwrap().1.is_none(), "{text}");
        }
        assert!(parse_root(br#"{"consolidated_metadata": 3}"#).is_err());
    }
}
