//! A container: a folder with a group or an array as its root.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{fs, io};

use crate::array::Array;
use crate::consolidated::{Consolidated, ConsolidatedV2, parse_root, parse_version_2};
use crate::directory::{Directory, Durability, is_temporary};
use crate::error::{Problem, ZarrError};
use crate::json::{self, Object};
use crate::metadata::{CONSOLIDATED, Format, GroupMetadata, Node};
use crate::path::NodePath;

const ZARR_JSON: &str = "zarr.json";
const ZGROUP: &str = ".zgroup";
const ZARRAY: &str = ".zarray";
const ZATTRS: &str = ".zattrs";
const ZMETADATA: &str = ".zmetadata";

/// More than any metadata document has.
const LARGEST_DOCUMENT: u64 = 1 << 31;

/// What a container is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reading.
    ReadOnly,
    /// Reading and writing.
    ReadWrite,
}

/// How a container is opened.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// What for.
    pub access: Access,
    /// When what was written is sure to survive a failure of the machine.
    pub durability: Durability,
    /// Whether consolidated metadata is believed, if there is any. Who changes a container without keeping it true makes it lie.
    pub consolidated: bool,
}

impl Options {
    /// To read.
    pub const READ: Self =
        Self { access: Access::ReadOnly, durability: Durability::System, consolidated: true };
    /// To read and write.
    pub const WRITE: Self = Self { access: Access::ReadWrite, ..Self::READ };
}

/// A folder with a group or an array as its root. Clones are the same container.
///
/// # Consolidated metadata
/// If the root has consolidated metadata, nodes are read from it. Before the first change it is taken out of the document of the
/// root, so that it never lies; [`Container::flush`] puts it back, with all changes. Two processes that change metadata at the
/// same time need a lock ([`Container::lock`]) for that: what one of them puts back lacks the changes of the other.
#[derive(Debug, Clone)]
pub struct Container {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    directory: Directory,
    options: Options,
    format: Format,
    consolidated: Mutex<Known>,
}

/// What is known without reading documents.
#[derive(Debug, Default)]
struct Known {
    all: Option<All>,
    /// The root itself, if its document has consolidated metadata: that is long.
    root: Option<Node>,
    /// Whether the file of the root has no consolidated metadata at the moment, although it should.
    is_withdrawn: bool,
    /// Groups that were found to have no consolidated metadata of their own.
    plain_groups: std::collections::HashSet<NodePath>,
}

#[derive(Debug)]
enum All {
    V3(Box<Consolidated>),
    V2(ConsolidatedV2),
}

/// A node in a group.
#[derive(Debug)]
pub struct Child {
    /// Its name there.
    pub name: String,
    /// Its metadata, or why that cannot be read.
    pub node: Result<Node, ZarrError>,
}

impl Container {
    /// Whether there is a Zarr group or array in this folder.
    pub fn exists(path: &Path) -> bool {
        [ZARR_JSON, ZGROUP, ZARRAY].iter().any(|document| path.join(document).is_file())
    }

    /// Opens the container in this folder.
    pub fn open(path: &Path, options: Options) -> Result<Self, ZarrError> {
        let directory = Directory::open(path, options.durability)?;
        let mut known = Known::default();
        let format = if let Some(bytes) = directory.read(&path.join(ZARR_JSON), LARGEST_DOCUMENT)? {
            let file = path.join(ZARR_JSON);
            let (root, consolidated) = parse_root(&bytes).map_err(ZarrError::metadata(&file))?;
            let root = Node::from_document(root).map_err(ZarrError::metadata(&file))?;
            known.all = consolidated.map(|all| All::V3(Box::new(all)));
            known.root = known.all.is_some().then_some(root);
            Format::V3
        } else if Self::exists(path) {
            if options.consolidated
                && let Some(bytes) = directory.read(&path.join(ZMETADATA), LARGEST_DOCUMENT)?
            {
                let parsed = parse_version_2(&bytes).map_err(ZarrError::metadata(&path.join(ZMETADATA)))?;
                known.all = Some(All::V2(parsed));
            }
            Format::V2
        } else {
            return Err(ZarrError::NotZarr { path: path.to_owned() });
        };
        if !options.consolidated {
            // What is not believed is not kept true, but must not lie after a change.
            (known.all, known.root) = (None, None);
        }
        let shared = Shared { directory, options, format, consolidated: Mutex::new(known) };
        let container = Self { shared: Arc::new(shared) };
        if container.is_writable() {
            container.directory().check_writable()?;
        }
        Ok(container)
    }

    /// Makes a container of version 3 with an empty root. Fails if there is anything of that name, except an empty folder.
    pub fn create(path: &Path, root: &GroupMetadata, options: Options) -> Result<Self, ZarrError> {
        match fs::create_dir(path) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                let is_empty = fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
                if !is_empty {
                    return Err(ZarrError::Exists { path: path.to_owned() });
                }
            }
            Err(error) => return Err(ZarrError::io("make", path)(error)),
        }
        let directory = Directory::open(path, options.durability)?;
        let options = Options { access: Access::ReadWrite, ..options };
        let shared = Shared { directory, options, format: Format::V3, consolidated: Mutex::default() };
        let container = Self { shared: Arc::new(shared) };
        container.write(&NodePath::ROOT, &Node::Group(root.clone()))?;
        Ok(container)
    }

    /// Removes the container in this folder. Fails if there is none.
    pub fn delete(path: &Path) -> Result<(), ZarrError> {
        if !Self::exists(path) {
            return Err(ZarrError::NotZarr { path: path.to_owned() });
        }
        Directory::open(path, Durability::System)?.remove_folder(path)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.shared.directory.root()
    }

    /// The version of its format.
    pub fn format(&self) -> Format {
        self.shared.format
    }

    /// Whether it can be changed.
    pub fn is_writable(&self) -> bool {
        self.shared.options.access == Access::ReadWrite && self.shared.format == Format::V3
    }

    pub(crate) fn directory(&self) -> &Directory {
        &self.shared.directory
    }

    /// Locks the container against other processes that lock it: exclusively, or together with others that do not. The lock
    /// goes with the result. It is a lock of the folder itself, so that other programs find no file that they do not know.
    pub fn lock(&self, exclusive: bool) -> Result<Lock, ZarrError> {
        self.shared.directory.lock(exclusive).map(|folder| Lock { _folder: folder })
    }

    /// The node of this path.
    pub fn node(&self, path: &NodePath) -> Result<Node, ZarrError> {
        self.find(path)?.ok_or_else(|| self.no_such_node(path))
    }

    /// The node of this path; `None` if there is none.
    pub fn find(&self, path: &NodePath) -> Result<Option<Node>, ZarrError> {
        if path.is_root() {
            let known = self.known().root.clone();
            if known.is_some() {
                return Ok(known);
            }
        } else {
            match &self.known().all {
                Some(All::V3(all)) => {
                    return all.node(path).transpose().map_err(ZarrError::metadata(&self.document(path)));
                }
                Some(All::V2(all)) => {
                    return all.node(path).transpose().map_err(ZarrError::metadata(&self.folder(path)));
                }
                None => {}
            }
        }
        self.read(path)
    }

    /// The nodes in a group, by name.
    pub fn children(&self, group: &NodePath) -> Result<Vec<Child>, ZarrError> {
        let names = self.names(group)?;
        let mut children = Vec::with_capacity(names.len());
        for name in names {
            // Folders whose names are no names of nodes are none of ours.
            let Ok(path) = group.child(&name) else { continue };
            match self.find(&path) {
                Ok(None) => {}
                Ok(Some(node)) => children.push(Child { name, node: Ok(node) }),
                Err(error) => children.push(Child { name, node: Err(error) }),
            }
        }
        Ok(children)
    }

    /// Names of what may be nodes, in order.
    fn names(&self, group: &NodePath) -> Result<Vec<String>, ZarrError> {
        match &self.known().all {
            Some(All::V3(all)) => return Ok(all.names(group).map(str::to_owned).collect()),
            Some(All::V2(all)) => return Ok(all.names(group).map(str::to_owned).collect()),
            None => {}
        }
        let entries = self.shared.directory.list(&self.folder(group), self.is_writable())?;
        let folders = entries.into_iter().filter(|entry| entry.is_folder);
        let mut names: Vec<String> = folders.map(|entry| entry.name).collect();
        names.sort_unstable();
        Ok(names)
    }

    /// An array, to read and write its chunks.
    pub fn array(&self, path: &NodePath) -> Result<Array, ZarrError> {
        match self.node(path)? {
            Node::Array(metadata) => Array::new(self.clone(), path.clone(), metadata),
            Node::Group(_) => Err(ZarrError::OtherKind {
                name: path.to_string(),
                container: self.path().to_owned(),
                wanted: "an array",
            }),
        }
    }

    /// Makes a node. Fails if there is one, or anything else in its place.
    pub fn create_node(&self, path: &NodePath, node: &Node) -> Result<(), ZarrError> {
        let folder = self.folder(path);
        self.check_parent(path)?;
        if folder.symlink_metadata().is_ok() && (self.find(path)?.is_some() || !is_empty_folder(&folder)) {
            return Err(ZarrError::Exists { path: folder });
        }
        self.write(path, node)
    }

    /// Makes a node, or replaces the metadata of one. The chunks of an array stay as they are.
    pub fn write_node(&self, path: &NodePath, node: &Node) -> Result<(), ZarrError> {
        self.check_parent(path)?;
        self.write(path, node)
    }

    fn write(&self, path: &NodePath, node: &Node) -> Result<(), ZarrError> {
        self.check_writable()?;
        let file = self.document(path);
        let document = node.to_document().map_err(ZarrError::metadata(&file))?;
        let mut known = self.known();
        self.withdraw(path, &mut known)?;
        self.shared.directory.replace(&file, &json::print(&document))?;
        if path.is_root() {
            known.root = known.root.is_some().then(|| node.clone());
        } else if let Some(All::V3(all)) = &mut known.all {
            all.set(path, &document).map_err(ZarrError::metadata(&file))?;
        }
        Ok(())
    }

    /// Removes a node with all that is in it. Not the root.
    pub fn remove_node(&self, path: &NodePath) -> Result<(), ZarrError> {
        self.check_writable()?;
        if path.is_root() {
            return Err(self.request(path, "the root cannot be removed"));
        }
        if self.find(path)?.is_none() {
            return Err(self.no_such_node(path));
        }
        let mut known = self.known();
        self.withdraw(path, &mut known)?;
        self.shared.directory.remove_folder(&self.folder(path))?;
        if let Some(All::V3(all)) = &mut known.all {
            all.remove(path);
        }
        known.plain_groups.retain(|group| !group.is_in(path));
        Ok(())
    }

    /// Moves a node with all that is in it to a path where there is nothing.
    pub fn rename_node(&self, from: &NodePath, to: &NodePath) -> Result<(), ZarrError> {
        self.check_writable()?;
        self.check_parent(to)?;
        if from.is_root() || to.is_in(from) {
            return Err(self.request(from, "a node cannot be moved into itself"));
        }
        if self.find(from)?.is_none() {
            return Err(self.no_such_node(from));
        }
        let mut known = self.known();
        self.withdraw(from, &mut known)?;
        self.withdraw(to, &mut known)?;
        self.shared.directory.rename(&self.folder(from), &self.folder(to))?;
        known.plain_groups.retain(|group| !group.is_in(from));
        if let Some(All::V3(all)) = &mut known.all {
            all.remove(from);
            self.enter_again(to, all)?;
        }
        Ok(())
    }

    /// Enters the documents of a folder that has another name now.
    fn enter_again(&self, path: &NodePath, all: &mut Consolidated) -> Result<(), ZarrError> {
        let mut left = vec![path.clone()];
        while let Some(path) = left.pop() {
            let Some(node) = self.read(&path)? else { continue };
            let document = node.to_document().map_err(ZarrError::metadata(&self.document(&path)))?;
            all.set(&path, &document).map_err(ZarrError::metadata(&self.document(&path)))?;
            if !node.is_array() {
                let entries = self.shared.directory.list(&self.folder(&path), false)?;
                left.extend(
                    entries
                        .iter()
                        .filter(|entry| entry.is_folder)
                        .filter_map(|entry| path.child(&entry.name).ok()),
                );
            }
        }
        Ok(())
    }

    /// Puts consolidated metadata back where it was, with all changes.
    pub fn flush(&self) -> Result<(), ZarrError> {
        let mut known = self.known();
        if !known.is_withdrawn {
            return Ok(());
        }
        if let Some(All::V3(all)) = &known.all {
            let file = self.document(&NodePath::ROOT);
            let root = self.read_document(&file)?.ok_or_else(|| self.no_such_node(&NodePath::ROOT))?;
            let printed = all.print(&root).map_err(ZarrError::metadata(&file))?;
            self.shared.directory.replace(&file, &printed)?;
            known.plain_groups.remove(&NodePath::ROOT);
        }
        known.is_withdrawn = false;
        Ok(())
    }

    /// Gives the root consolidated metadata, if it has none, and keeps it true from now on.
    pub fn consolidate(&self) -> Result<(), ZarrError> {
        self.check_writable()?;
        let mut all = Consolidated::default();
        let mut left: Vec<NodePath> = vec![NodePath::ROOT];
        while let Some(group) = left.pop() {
            let entries = self.shared.directory.list(&self.folder(&group), true)?;
            for entry in entries.iter().filter(|entry| entry.is_folder) {
                let Ok(path) = group.child(&entry.name) else { continue };
                let file = self.document(&path);
                let Some(node) = self.read(&path)? else { continue };
                let document = node.to_document().map_err(ZarrError::metadata(&file))?;
                all.set(&path, &document).map_err(ZarrError::metadata(&file))?;
                if !node.is_array() {
                    left.push(path);
                }
            }
        }
        let mut known = self.known();
        known.all = Some(All::V3(Box::new(all)));
        known.is_withdrawn = true;
        drop(known);
        self.flush()
    }

    /// Removes what processes that were killed have left behind, in all folders. Listing a group does so in its own.
    pub fn clean(&self) -> Result<(), ZarrError> {
        self.check_writable()?;
        let mut left = vec![self.path().to_owned()];
        while let Some(folder) = left.pop() {
            let entries = self.shared.directory.list(&folder, true)?;
            left.extend(
                entries.into_iter().filter(|entry| entry.is_folder).map(|entry| folder.join(entry.name)),
            );
        }
        Ok(())
    }

    /// Takes consolidated metadata out of the documents of all groups that this node is in.
    fn withdraw(&self, path: &NodePath, known: &mut Known) -> Result<(), ZarrError> {
        let mut group = path.parent();
        if path.is_root() {
            // Its document is replaced by one without it.
            known.is_withdrawn |= known.all.is_some();
        }
        while let Some(this) = group {
            group = this.parent();
            if known.plain_groups.contains(&this) {
                continue;
            }
            let file = self.document(&this);
            if let Some(mut document) = self.read_document(&file)?
                && document.shift_remove(CONSOLIDATED).is_some()
            {
                self.shared.directory.replace(&file, &json::print(&document))?;
                known.is_withdrawn |= this.is_root();
            }
            known.plain_groups.insert(this);
        }
        Ok(())
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.shared.consolidated.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The folder of a node.
    pub fn folder(&self, path: &NodePath) -> PathBuf {
        self.shared.directory.path(path.as_str())
    }

    /// The metadata document of a node of version 3.
    pub fn document(&self, path: &NodePath) -> PathBuf {
        self.folder(path).join(ZARR_JSON)
    }

    fn read_document(&self, file: &Path) -> Result<Option<Object>, ZarrError> {
        let Some(bytes) = self.shared.directory.read(file, LARGEST_DOCUMENT)? else { return Ok(None) };
        json::parse(&bytes).map(Some).map_err(ZarrError::metadata(file))
    }

    /// Reads a node from its own documents.
    fn read(&self, path: &NodePath) -> Result<Option<Node>, ZarrError> {
        let file = self.document(path);
        if let Some(document) = self.read_document(&file)? {
            return Node::from_document(document).map(Some).map_err(ZarrError::metadata(&file));
        }
        if self.shared.format == Format::V3 {
            return Ok(None);
        }
        let folder = self.folder(path);
        let attributes = || self.read_document(&folder.join(ZATTRS)).map(Option::unwrap_or_default);
        if let Some(array) = self.read_document(&folder.join(ZARRAY))? {
            let read = Node::array_from_version_2(&array, attributes()?);
            return read.map(Some).map_err(ZarrError::metadata(&folder.join(ZARRAY)));
        }
        if let Some(group) = self.read_document(&folder.join(ZGROUP))? {
            let read = Node::group_from_version_2(&group, attributes()?);
            return read.map(Some).map_err(ZarrError::metadata(&folder.join(ZGROUP)));
        }
        Ok(None)
    }

    pub(crate) fn check_writable(&self) -> Result<(), ZarrError> {
        let reason = if self.shared.options.access == Access::ReadOnly {
            "it was opened for reading only"
        } else if self.shared.format == Format::V2 {
            "Zarr of version 2 can only be read"
        } else {
            return Ok(());
        };
        Err(ZarrError::ReadOnly { path: self.path().to_owned(), reason })
    }

    fn check_parent(&self, path: &NodePath) -> Result<(), ZarrError> {
        let Some(parent) = path.parent() else { return Ok(()) };
        if is_temporary(path.name()) {
            return Err(ZarrError::Name {
                name: path.name().to_owned(),
                reason: "temporary files are named like that",
            });
        }
        match self.find(&parent)? {
            Some(Node::Group(_)) => Ok(()),
            Some(Node::Array(_)) => Err(ZarrError::OtherKind {
                name: parent.to_string(),
                container: self.path().to_owned(),
                wanted: "a group",
            }),
            None => Err(self.no_such_node(&parent)),
        }
    }

    fn no_such_node(&self, path: &NodePath) -> ZarrError {
        ZarrError::NoSuchNode { name: path.to_string(), container: self.path().to_owned() }
    }

    fn request(&self, path: &NodePath, reason: &str) -> ZarrError {
        ZarrError::Request { path: self.folder(path), reason: reason.to_owned() }
    }
}

fn is_empty_folder(path: &Path) -> bool {
    fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}

/// A lock of a container.
#[derive(Debug)]
pub struct Lock {
    _folder: File,
}

impl Problem {
    /// Whether the document makes sense, but asks for something that is not supported.
    pub fn is_unsupported(&self) -> bool {
        matches!(self, Self::Unsupported { .. })
    }
}
