//! A small terminal connector: files that exist only in memory, as long as the connector is registered.
//!
//! It reads and writes whole datasets and attributes of the type they were created with. What it does not do
//! is left to the framework, which then says so.

#![forbid(unsafe_code)]

use core::ffi::{CStr, c_int};
use std::collections::BTreeMap;
use std::ffi::CString;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use h5_abi::{H5F_ACC_EXCL, H5F_ACC_RDWR, H5VL_CAP_FLAG_FILE_BASIC};
use h5_vol::calls::{
    AttributeCreate, AttributeGet, AttributeOpen, AttributeRead, AttributeSpecific, AttributeWrite,
    DatasetCreate, DatasetGet, DatasetOpen, DatasetPart, DatasetRead, DatasetWrite, FileCreate, FileGet,
    FileOpen, FileSpecific, GroupCreate, GroupGet, GroupOpen, LinkGet, LinkSpecific, ObjectGet, ObjectOpen,
    ObjectSpecific,
};
use h5_vol::views::{
    AttributeOperation, AttributeQuestion, ContainerInfo, DatasetQuestion, FileOperation, FileQuestion,
    GroupInfo, GroupQuestion, LinkInfo, LinkKind, LinkOperation, LinkQuestion, ObjectInfo, ObjectOperation,
    ObjectQuestion, copy_datatype, copy_space,
};
use h5_vol::{
    Attributes, Connector, Datasets, Error, Files, Groups, Host, Id, Links, Location, Methods, NewObject,
    Object, ObjectKind, Objects, OwnedId, Result, Target, Terminal, Token,
};

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn text(name: Option<&CStr>) -> Result<&str> {
    name.ok_or_else(|| Error::bad_argument("no name"))?
        .to_str()
        .map_err(|_| Error::bad_argument("the name is not UTF-8"))
}

/// Elements with their shape and type.
struct Array {
    space: OwnedId,
    datatype: OwnedId,
    bytes: Mutex<Vec<u8>>,
}

impl Array {
    fn new(host: Host, space: Id, datatype: Id) -> Result<Self> {
        let unknown = || Error::bad_argument("the dataspace or datatype has no size");
        let elements = host.ask(|questions| questions.extent_elements(space)).ok_or_else(unknown)?;
        let size = host.ask(|questions| questions.element_size(datatype)).ok_or_else(unknown)?;
        let bytes = usize::try_from(elements).ok().and_then(|elements| elements.checked_mul(size));
        Ok(Self {
            space: copy_space(host, space)?,
            datatype: copy_datatype(host, datatype)?,
            bytes: Mutex::new(vec![0; bytes.ok_or_else(unknown)?]),
        })
    }

    fn check_type(&self, host: Host, memory_type: Id) -> Result<()> {
        if host.ask(|host| host.same_type(memory_type, self.datatype.id())) {
            Ok(())
        } else {
            Err(Error::unsupported("datatype conversion"))
        }
    }

    /// Fails unless all elements move, in order.
    fn check_whole<M>(&self, part: &DatasetPart<Memory, M>) -> Result<()> {
        let host = part.host();
        self.check_type(host, part.memory_type)?;
        let elements = |space| host.ask(|questions| questions.extent_elements(space));
        let selected = |space| host.ask(|questions| questions.selected_elements(space));
        let all = elements(self.space.id());
        for space in [part.file_space, part.memory_space] {
            if space != Id::DEFAULT && (selected(space) != all || elements(space) != all) {
                return Err(Error::unsupported("reading or writing a part of a dataset"));
            }
        }
        Ok(())
    }
}

/// Something in a file.
struct Node {
    token: Token,
    attributes: Mutex<BTreeMap<CString, Arc<Array>>>,
    body: Body,
}

enum Body {
    Group(Mutex<BTreeMap<CString, Arc<Node>>>),
    Dataset(Array),
}

impl Node {
    fn kind(&self) -> ObjectKind {
        match self.body {
            Body::Group(_) => ObjectKind::Group,
            Body::Dataset(_) => ObjectKind::Dataset,
        }
    }

    fn links(&self) -> Result<MutexGuard<'_, BTreeMap<CString, Arc<Self>>>> {
        match &self.body {
            Body::Group(links) => Ok(locked(links)),
            Body::Dataset(_) => Err(Error::failed("a dataset has no links")),
        }
    }

    fn array(&self) -> Result<&Array> {
        match &self.body {
            Body::Dataset(array) => Ok(array),
            Body::Group(_) => Err(Error::failed("a group has no elements")),
        }
    }

    fn find_token(self: &Arc<Self>, token: &Token) -> Option<Arc<Self>> {
        if self.token == *token {
            return Some(Arc::clone(self));
        }
        self.links().ok()?.values().find_map(|node| node.find_token(token))
    }
}

/// A file.
struct Container {
    name: String,
    number: u64,
    root: Arc<Node>,
    tokens: AtomicU64,
}

impl Container {
    fn new(name: &str, number: u64) -> Self {
        let root =
            Node { token: token_of(1), attributes: Mutex::default(), body: Body::Group(Mutex::default()) };
        Self { name: name.to_owned(), number, root: Arc::new(root), tokens: AtomicU64::new(2) }
    }

    fn node(&self, body: Body) -> Arc<Node> {
        let token = token_of(self.tokens.fetch_add(1, Ordering::Relaxed));
        Arc::new(Node { token, attributes: Mutex::default(), body })
    }
}

fn token_of(number: u64) -> Token {
    let mut token = Token::default();
    token.0[..8].copy_from_slice(&number.to_le_bytes());
    token
}

/// What the connector keeps with an open object.
pub(crate) struct Open {
    container: Arc<Container>,
    writable: bool,
    /// Absolute name.
    path: String,
    what: What,
    /// The file it was opened from; absent in the file itself.
    file: Option<Arc<Object<Memory>>>,
}

enum What {
    Node(Arc<Node>),
    Attribute(CString, Arc<Array>),
}

impl Open {
    fn node(&self) -> Result<&Arc<Node>> {
        match &self.what {
            What::Node(node) => Ok(node),
            What::Attribute(..) => Err(Error::bad_argument("an attribute has nothing in it")),
        }
    }

    fn attribute(&self) -> Result<(&CString, &Arc<Array>)> {
        match &self.what {
            What::Attribute(name, array) => Ok((name, array)),
            What::Node(_) => Err(Error::bad_argument("not an attribute")),
        }
    }

    fn check_writable(&self) -> Result<()> {
        if self.writable { Ok(()) } else { Err(Error::failed("the file is open for reading only")) }
    }

    /// The group that holds a path's last link, that link's name, and the group's own path.
    fn parent(&self, path: &str) -> Result<(Arc<Node>, CString, String)> {
        let (mut node, mut at) = if path.starts_with('/') {
            (Arc::clone(&self.container.root), String::new())
        } else {
            (Arc::clone(self.node()?), self.path.trim_end_matches('/').to_owned())
        };
        let mut parts = path.split('/').filter(|part| !part.is_empty() && *part != ".").peekable();
        let mut last = parts.next().unwrap_or_default();
        for next in parts {
            let found = node.links()?.get(&*c_name(last)?).cloned();
            node = found.ok_or_else(|| missing(&self.container, path))?;
            at = format!("{at}/{last}");
            last = next;
        }
        Ok((node, c_name(last)?, at))
    }

    /// What is at a path, and its absolute path.
    fn find(&self, path: &str) -> Result<(Arc<Node>, String)> {
        let (parent, name, at) = self.parent(path)?;
        if name.is_empty() {
            return Ok((parent, if at.is_empty() { "/".to_owned() } else { at }));
        }
        let found = parent.links()?.get(&name).cloned();
        let found = found.ok_or_else(|| missing(&self.container, path))?;
        Ok((found, format!("{at}/{}", name.to_string_lossy())))
    }

    /// What a call's location points to.
    fn locate(&self, location: Location<'_>) -> Result<(Arc<Node>, String)> {
        match location.target() {
            Target::Itself => Ok((Arc::clone(self.node()?), self.path.clone())),
            Target::Name(name) => self.find(text(Some(name))?),
            Target::Token(token) => {
                let found = self.container.root.find_token(token);
                Ok((found.ok_or_else(|| Error::failed("no object has this token"))?, String::new()))
            }
            Target::Index { group, n } => {
                let (group, at) = self.find(text(Some(group))?)?;
                let links = group.links()?;
                let found = usize::try_from(n).ok().and_then(|n| links.iter().nth(n));
                let (name, node) = found.ok_or_else(|| Error::failed("no link has this position"))?;
                Ok((Arc::clone(node), format!("{}/{}", at.trim_end_matches('/'), name.to_string_lossy())))
            }
            _ => Err(Error::unsupported("this way of locating an object")),
        }
    }
}

fn c_name(name: &str) -> Result<CString> {
    CString::new(name).map_err(|_| Error::bad_argument("a name with a NUL"))
}

fn missing(container: &Container, path: &str) -> Error {
    Error::failed(format_args!("'{path}' does not exist in {}", container.name))
}

/// The object of the file that an object was opened from.
fn file_of(object: &Arc<Object<Memory>>) -> Arc<Object<Memory>> {
    object.data().file.clone().unwrap_or_else(|| Arc::clone(object))
}

/// An object opened from another one.
fn opened(from: &Arc<Object<Memory>>, kind: ObjectKind, path: String, what: What) -> NewObject<Memory> {
    let Open { container, writable, .. } = from.data();
    let data =
        Open { container: Arc::clone(container), writable: *writable, path, what, file: Some(file_of(from)) };
    NewObject::terminal(kind, data)
}

fn opened_node(from: &Arc<Object<Memory>>, node: Arc<Node>, path: String) -> NewObject<Memory> {
    opened(from, node.kind(), path, What::Node(node))
}

/// Puts a new node under a name; without one, it is anonymous.
fn create(
    from: &Arc<Object<Memory>>,
    location: Location<'_>,
    name: Option<&CStr>,
    body: Body,
) -> Result<NewObject<Memory>> {
    let open = from.data();
    open.check_writable()?;
    let node = open.container.node(body);
    let Some(name) = name else { return Ok(opened_node(from, node, String::new())) };
    let (base, base_path) = open.locate(location)?;
    let base = Open {
        container: Arc::clone(&open.container),
        writable: true,
        path: base_path,
        what: What::Node(base),
        file: None,
    };
    let name = text(Some(name))?;
    let (parent, last, at) = base.parent(name)?;
    let mut links = parent.links()?;
    if last.is_empty() || links.contains_key(&last) {
        return Err(Error::failed(format_args!("'{name}' exists already in {}", open.container.name)));
    }
    let path = format!("{at}/{}", last.to_string_lossy());
    links.insert(last, Arc::clone(&node));
    Ok(opened_node(from, node, path))
}

fn open_named(
    object: &Arc<Object<Memory>>,
    location: Location<'_>,
    name: Option<&CStr>,
    kind: ObjectKind,
) -> Result<NewObject<Memory>> {
    let (node, path) = match location.target() {
        Target::Itself => object.data().find(text(name)?)?,
        _ => object.data().locate(location)?,
    };
    if node.kind() != kind {
        return Err(Error::failed(format_args!("'{path}' is a {:?}", node.kind())));
    }
    Ok(opened_node(object, node, path))
}

/// The connector: the files of one host.
pub(crate) struct Memory {
    files: Mutex<BTreeMap<String, Arc<Container>>>,
    numbers: AtomicU64,
}

impl Connector for Memory {
    const NAME: &'static CStr = c"test_memory";
    const VALUE: i32 = 601;
    const VERSION: u32 = 1;
    const VERSION_TEXT: &'static CStr = c"1";
    const METHODS: Methods<Self> = Methods::terminal();
    const CAPABILITIES: u64 = H5VL_CAP_FLAG_FILE_BASIC;

    type Settings = ();
    type Data = Open;

    h5_vol::slots!(Memory);

    fn new(_: Host) -> Self {
        Self { files: Mutex::default(), numbers: AtomicU64::new(1) }
    }
}

impl Terminal for Memory {
    const FILES: Files<Self> = Files {
        create: Some(Self::file_create),
        open: Some(Self::file_open),
        get: Some(Self::file_get),
        specific: Some(Self::file_specific),
        close: Some(|_, _| Ok(())),
        ..Files::NONE
    };
    const GROUPS: Groups<Self> = Groups {
        create: Some(Self::group_create),
        open: Some(Self::group_open),
        get: Some(Self::group_get),
        close: Some(|_, _| Ok(())),
        ..Groups::NONE
    };
    const DATASETS: Datasets<Self> = Datasets {
        create: Some(Self::dataset_create),
        open: Some(Self::dataset_open),
        read: Some(Self::dataset_read),
        write: Some(Self::dataset_write),
        get: Some(Self::dataset_get),
        close: Some(|_, _| Ok(())),
        ..Datasets::NONE
    };
    const ATTRIBUTES: Attributes<Self> = Attributes {
        create: Some(Self::attr_create),
        open: Some(Self::attr_open),
        read: Some(Self::attr_read),
        write: Some(Self::attr_write),
        get: Some(Self::attr_get),
        specific: Some(Self::attr_specific),
        close: Some(|_, _| Ok(())),
        ..Attributes::NONE
    };
    const LINKS: Links<Self> =
        Links { get: Some(Self::link_get), specific: Some(Self::link_specific), ..Links::NONE };
    const OBJECTS: Objects<Self> = Objects {
        open: Some(Self::object_open),
        get: Some(Self::object_get),
        specific: Some(Self::object_specific),
        ..Objects::NONE
    };
}

/// The answer to a question or operation that the connector does not know.
fn unknown() -> Result<c_int> {
    Err(Error::unsupported("test_memory does not implement this"))
}

#[expect(
    clippy::needless_pass_by_value,
    clippy::unused_self,
    reason = "the signatures are those of the tables of callbacks"
)]
impl Memory {
    fn file_create(&self, call: FileCreate<'_, Self>) -> Result<NewObject<Self>> {
        let name = text(call.name)?;
        let mut files = locked(&self.files);
        if call.flags & H5F_ACC_EXCL != 0 && files.contains_key(name) {
            return Err(Error::failed(format_args!("file '{name}' exists already")));
        }
        let container = Arc::new(Container::new(name, self.numbers.fetch_add(1, Ordering::Relaxed)));
        files.insert(name.to_owned(), Arc::clone(&container));
        Ok(open_container(container, true))
    }

    fn file_open(&self, call: FileOpen<'_, Self>) -> Result<NewObject<Self>> {
        let name = text(call.name)?;
        let container = locked(&self.files).get(name).cloned();
        let container =
            container.ok_or_else(|| Error::failed(format_args!("file '{name}' does not exist")))?;
        Ok(open_container(container, call.flags & H5F_ACC_RDWR != 0))
    }

    fn file_get(&self, mut call: FileGet<'_, Self>) -> Result<c_int> {
        let open = call.object.data();
        match call.arguments.view() {
            FileQuestion::Name { mut name, .. } => name.write(&open.container.name),
            FileQuestion::Number(mut answer) => answer.set(open.container.number),
            FileQuestion::Intent(mut answer) => answer.set(if open.writable { H5F_ACC_RDWR } else { 0 }),
            FileQuestion::Container(mut answer) => {
                answer.set(ContainerInfo { features: 0, token_size: 8, blob_id_size: 8 });
            }
            _ => return unknown(),
        }
        Ok(0)
    }

    fn file_specific(&self, mut call: FileSpecific<'_, Self>) -> Result<c_int> {
        let other = call.other_file();
        match call.arguments.view() {
            FileOperation::Flush { .. } => {}
            FileOperation::IsAccessible { name, mut accessible, .. } => {
                accessible.set(locked(&self.files).contains_key(text(name)?));
            }
            FileOperation::Delete { name, .. } => {
                let name = text(name)?;
                if locked(&self.files).remove(name).is_none() {
                    return Err(Error::failed(format_args!("file '{name}' does not exist")));
                }
            }
            FileOperation::IsEqual(mut answer) => {
                let same = |a: &Object<Self>, b: &Object<Self>| {
                    Arc::ptr_eq(&a.data().container, &b.data().container)
                };
                answer.set(call.object.as_ref().zip(other).is_some_and(|(a, b)| same(a, &b)));
            }
            FileOperation::Reopen => {
                let file = call.object.clone().ok_or_else(|| Error::bad_argument("no file"))?;
                let Open { container, writable, .. } = file.data();
                return call.answer_reopen(open_container(Arc::clone(container), *writable));
            }
            _ => return unknown(),
        }
        Ok(0)
    }

    fn group_create(&self, call: GroupCreate<'_, Self>) -> Result<NewObject<Self>> {
        create(&call.object, call.location, call.name, Body::Group(Mutex::default()))
    }

    fn group_open(&self, call: GroupOpen<'_, Self>) -> Result<NewObject<Self>> {
        open_named(&call.object, call.location, call.name, ObjectKind::Group)
    }

    fn group_get(&self, mut call: GroupGet<'_, Self>) -> Result<c_int> {
        match call.arguments.view() {
            GroupQuestion::Info { location, mut info } => {
                let (group, _) = call.object.data().locate(location)?;
                let links = group.links()?.len() as u64;
                info.set(GroupInfo { links, ..GroupInfo::default() });
                Ok(0)
            }
            _ => unknown(),
        }
    }

    fn dataset_create(&self, call: DatasetCreate<'_, Self>) -> Result<NewObject<Self>> {
        let array = Array::new(call.object.host(), call.space, call.datatype)?;
        create(&call.object, call.location, call.name, Body::Dataset(array))
    }

    fn dataset_open(&self, call: DatasetOpen<'_, Self>) -> Result<NewObject<Self>> {
        open_named(&call.object, call.location, call.name, ObjectKind::Dataset)
    }

    fn dataset_read(&self, mut call: DatasetRead<'_, Self>) -> Result<c_int> {
        for part in &mut call.parts {
            let dataset = Arc::clone(&part.dataset);
            let array = dataset.data().node()?.array()?;
            array.check_whole(part)?;
            part.target_bytes()?.write_at(0, &locked(&array.bytes))?;
        }
        Ok(0)
    }

    fn dataset_write(&self, call: DatasetWrite<'_, Self>) -> Result<c_int> {
        for part in &call.parts {
            let open = part.dataset.data();
            open.check_writable()?;
            let array = open.node()?.array()?;
            array.check_whole(part)?;
            locked(&array.bytes).copy_from_slice(part.source_bytes()?);
        }
        Ok(0)
    }

    fn dataset_get(&self, mut call: DatasetGet<'_, Self>) -> Result<c_int> {
        let host = call.object.host();
        let array = call.object.data().node()?.array()?;
        match call.arguments.view() {
            DatasetQuestion::Space(mut answer) => answer.give(copy_space(host, array.space.id())?),
            DatasetQuestion::Type(mut answer) => answer.give(copy_datatype(host, array.datatype.id())?),
            DatasetQuestion::StorageSize(mut answer) => answer.set(locked(&array.bytes).len() as u64),
            _ => return unknown(),
        }
        Ok(0)
    }

    fn attr_create(&self, call: AttributeCreate<'_, Self>) -> Result<NewObject<Self>> {
        let open = call.object.data();
        open.check_writable()?;
        let (node, path) = open.locate(call.location)?;
        let name = c_name(text(call.name)?)?;
        let array = Arc::new(Array::new(call.object.host(), call.space, call.datatype)?);
        let mut attributes = locked(&node.attributes);
        if attributes.contains_key(&name) {
            return Err(Error::failed(format_args!("attribute {name:?} exists already")));
        }
        attributes.insert(name.clone(), Arc::clone(&array));
        Ok(opened(&call.object, ObjectKind::Attribute, path, What::Attribute(name, array)))
    }

    fn attr_open(&self, call: AttributeOpen<'_, Self>) -> Result<NewObject<Self>> {
        let (node, path) = call.object.data().locate(call.location)?;
        let name = c_name(text(call.name)?)?;
        let array = locked(&node.attributes).get(&name).cloned();
        let array = array.ok_or_else(|| Error::failed(format_args!("attribute {name:?} does not exist")))?;
        Ok(opened(&call.object, ObjectKind::Attribute, path, What::Attribute(name, array)))
    }

    fn attr_read(&self, mut call: AttributeRead<'_, Self>) -> Result<c_int> {
        let object = Arc::clone(&call.object);
        let (_, array) = object.data().attribute()?;
        array.check_type(object.host(), call.memory_type)?;
        call.target_bytes()?.write_at(0, &locked(&array.bytes))?;
        Ok(0)
    }

    fn attr_write(&self, call: AttributeWrite<'_, Self>) -> Result<c_int> {
        let (_, array) = call.object.data().attribute()?;
        array.check_type(call.object.host(), call.memory_type)?;
        locked(&array.bytes).copy_from_slice(call.source_bytes()?);
        Ok(0)
    }

    fn attr_get(&self, mut call: AttributeGet<'_, Self>) -> Result<c_int> {
        let host = call.object.host();
        let (own_name, array) = call.object.data().attribute()?;
        match call.arguments.view() {
            AttributeQuestion::Space(mut answer) => answer.give(copy_space(host, array.space.id())?),
            AttributeQuestion::Type(mut answer) => answer.give(copy_datatype(host, array.datatype.id())?),
            AttributeQuestion::Name { mut name, .. } => name.write_c_str(own_name),
            _ => return unknown(),
        }
        Ok(0)
    }

    fn attr_specific(&self, mut call: AttributeSpecific<'_, Self>) -> Result<c_int> {
        let (node, _) = call.object.data().locate(call.location)?;
        match call.arguments.view() {
            AttributeOperation::Exists { name, mut exists } => {
                exists.set(locked(&node.attributes).contains_key(&*c_name(text(name)?)?));
            }
            AttributeOperation::Delete(name) => {
                let name = c_name(text(name)?)?;
                if locked(&node.attributes).remove(&name).is_none() {
                    return Err(Error::failed(format_args!("attribute {name:?} does not exist")));
                }
            }
            _ => return unknown(),
        }
        Ok(0)
    }

    fn link_get(&self, mut call: LinkGet<'_, Self>) -> Result<c_int> {
        let (node, _) = call.object.data().locate(call.location)?;
        match call.arguments.view() {
            LinkQuestion::Info(mut info) => info.set(hard_link(&node)),
            _ => return unknown(),
        }
        Ok(0)
    }

    fn link_specific(&self, mut call: LinkSpecific<'_, Self>) -> Result<c_int> {
        let object = Arc::clone(&call.object);
        let open = object.data();
        match call.arguments.view() {
            LinkOperation::Exists(mut exists) => exists.set(open.locate(call.location).is_ok()),
            LinkOperation::Delete => {
                open.check_writable()?;
                let Target::Name(path) = call.location.target() else {
                    return Err(Error::unsupported("deleting a link that has no name"));
                };
                let path = text(Some(path))?;
                let (parent, name, _) = open.parent(path)?;
                if parent.links()?.remove(&name).is_none() {
                    return Err(missing(&open.container, path));
                }
            }
            LinkOperation::Iterate(mut iteration) if !iteration.recursive => {
                let (group, path) = open.locate(call.location)?;
                // No lock is held over the application's function: it may come back to us.
                let links: Vec<_> = group.links()?.iter().map(|(n, l)| (n.clone(), Arc::clone(l))).collect();
                let id = object.register(opened_node(&object, group, path))?;
                let from = iteration.position.as_ref().map_or(0, |position| **position);
                for (name, node) in links.iter().skip(usize::try_from(from).unwrap_or(usize::MAX)) {
                    let verdict = iteration.callback.call(id.id(), name, &hard_link(node));
                    if let Some(position) = &mut iteration.position {
                        **position += 1;
                    }
                    match verdict {
                        0 => {}
                        stop if stop > 0 => return Ok(stop),
                        failed => return Err(Error::Below(failed)),
                    }
                }
            }
            _ => return unknown(),
        }
        Ok(0)
    }

    fn object_open(&self, call: ObjectOpen<'_, Self>) -> Result<NewObject<Self>> {
        let (node, path) = call.object.data().locate(call.location)?;
        Ok(opened_node(&call.object, node, path))
    }

    fn object_get(&self, mut call: ObjectGet<'_, Self>) -> Result<c_int> {
        let object = Arc::clone(&call.object);
        let (node, path) = object.data().locate(call.location)?;
        match call.arguments.view() {
            ObjectQuestion::File => return call.answer_file(&file_of(&object)),
            ObjectQuestion::Name(mut name) => name.write(&path),
            ObjectQuestion::Type(mut answer) => answer.set(node.kind()),
            ObjectQuestion::Info { mut info, .. } => {
                let mut found = ObjectInfo::new(object.data().container.number, node.token, node.kind());
                found.attributes = locked(&node.attributes).len() as u64;
                info.set(found);
            }
            _ => return unknown(),
        }
        Ok(0)
    }

    fn object_specific(&self, mut call: ObjectSpecific<'_, Self>) -> Result<c_int> {
        let found = call.object.data().locate(call.location);
        match call.arguments.view() {
            ObjectOperation::Exists(mut exists) => exists.set(found.is_ok()),
            ObjectOperation::LookUp(mut answer) => answer.set(found?.0.token),
            _ => return unknown(),
        }
        Ok(0)
    }
}

fn open_container(container: Arc<Container>, writable: bool) -> NewObject<Memory> {
    let what = What::Node(Arc::clone(&container.root));
    let data = Open { container, writable, path: "/".to_owned(), what, file: None };
    NewObject::terminal(ObjectKind::File, data)
}

fn hard_link(node: &Node) -> LinkInfo {
    LinkInfo { kind: LinkKind::Hard(node.token), creation_order: None, utf8: true }
}
