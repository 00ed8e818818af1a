//! The shadow itself: a file of native HDF5 in memory, without a file on disk, that has the metadata of a container.

#![expect(unsafe_code, reason = "calls HDF5's public functions")]

use core::ffi::{c_int, c_uint};

use h5_abi::{
    H5D_ALLOC_TIME_INCR, H5D_ALLOC_TIME_LATE, H5D_CHUNKED, H5D_COMPACT, H5D_CONTIGUOUS, H5D_FILL_TIME_IFSET,
    H5D_alloc_time_t, H5D_fill_time_t, H5D_layout_t, H5F_ACC_TRUNC, H5T_CSET_UTF8,
};
use h5_host::questions::{FillValue, StorageLayout};
use h5_host::{Host, Id, OwnedId};
use h5_vol::{BelowConnector, Error, InnerFile, Result, Token};

use crate::hdf5::{DEFAULT, Hdf5, aside, c_string, failed, good};
use crate::spec::{
    AttributeSpec, DatasetSpec, FilterSpec, GroupSpec, Kind, Layout, Storage, Thing, TypeSpec, Values,
};
use crate::types::leads_outside;
use crate::values::{Elements, Objects};

/// By how much the file grows in memory.
const INCREMENT: usize = 1 << 16;

/// `H5Z_FLAG_OPTIONAL`.
const OPTIONAL: c_uint = 1;

/// The shadow of one container.
pub(crate) struct Master {
    hdf5: Hdf5,
    file: InnerFile,
    /// Number of the open file: objects of other files have another one.
    number: u64,
    /// Names of links and attributes are UTF-8.
    link_creation: OwnedId,
    attribute_creation: OwnedId,
}

/// What of a dataset's creation list native HDF5 must not know, and who asks for the list must.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hidden {
    layout: H5D_layout_t,
    allocation: H5D_alloc_time_t,
    fill_time: H5D_fill_time_t,
}

impl Master {
    /// An empty one, with the application's access list but for driver and connector.
    pub(crate) fn create(host: Host, access: Id, creation: Id, label: &str) -> Result<Self> {
        let hdf5 = Hdf5::of(host);
        aside(host, || {
            let functions = host.functions();
            let native = BelowConnector::native(host)?;
            let list = hdf5.copy_list(access)?;
            let name = c_string(label.as_bytes())?;
            // SAFETY: the host verifies the identifiers; native has no info; a C string.
            let file = unsafe {
                let id = list.id().0;
                good(
                    (functions.H5Pset_vol)(id, native.id().0, core::ptr::null()),
                    "choose the native connector",
                )?;
                good((functions.H5Pset_fapl_core)(id, INCREMENT, false), "choose memory for a file")?;
                good(hdf5.functions().H5Pset_page_buffer_size()?(id, 0, 0, 0), "do without a page buffer")?;
                good(hdf5.functions().H5Pset_evict_on_close()?(id, false), "keep metadata")?;
                hdf5.functions().H5Fcreate()?(name.as_ptr(), H5F_ACC_TRUNC, creation.0, id)
            };
            let file = InnerFile::new(hdf5.own(file, "make a file in memory")?)?;
            let utf8 = |class: &str| {
                let list = hdf5.new_list(class)?;
                // SAFETY: our own list.
                let status = unsafe { hdf5.functions().H5Pset_char_encoding()?(list.id().0, H5T_CSET_UTF8) };
                good(status, "choose UTF-8").map(|()| list)
            };
            let number = file.number().ok_or_else(|| failed("ask for the number of a file"))?;
            Ok(Self {
                number,
                link_creation: utf8("H5P_CLS_LINK_CREATE_ID_g")?,
                attribute_creation: utf8("H5P_CLS_ATTRIBUTE_CREATE_ID_g")?,
                hdf5,
                file,
            })
        })
    }

    pub(crate) fn host(&self) -> Host {
        self.hdf5.host()
    }

    pub(crate) fn hdf5(&self) -> Hdf5 {
        self.hdf5
    }

    pub(crate) fn file(&self) -> &InnerFile {
        &self.file
    }

    /// The number of the open file.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The file, as a place for calls.
    pub(crate) fn id(&self) -> Id {
        self.file.id()
    }

    /// Where the root group is.
    pub(crate) fn root(&self) -> Result<Token> {
        self.hdf5.info(self.id()).map(|(token, _, _)| token)
    }

    /// Opens an object.
    pub(crate) fn open(&self, token: Token) -> Result<OwnedId> {
        self.hdf5.open(self.id(), token)
    }

    /// Where an object is.
    pub(crate) fn token(&self, object: Id) -> Result<Token> {
        self.hdf5.info(object).map(|(token, _, _)| token)
    }

    fn elements<'e, K>(&self, objects: &'e dyn Objects<K>) -> Elements<'e, K> {
        Elements { hdf5: self.hdf5, file: self.id(), objects }
    }

    /// The datatype of a description.
    pub(crate) fn datatype<K>(&self, spec: &TypeSpec<K>, objects: &dyn Objects<K>) -> Result<OwnedId> {
        let committed = spec.committed.as_ref().and_then(|key| objects.place(key));
        if let Some(committed) = committed.and_then(|(token, _)| self.open(token).ok()) {
            return Ok(committed);
        }
        match (&spec.encoded, &spec.structure) {
            (Some(bytes), _) => self.hdf5.decode_type(bytes),
            (None, Some(structure)) => self.hdf5.build_type(structure),
            (None, None) => Err(Error::failed("a container does not say what datatype an object has")),
        }
    }

    /// Makes a group. A null name makes one without a link.
    pub(crate) fn make_group(&self, at: Id, name: &str, group: &GroupSpec) -> Result<(OwnedId, Token)> {
        let creation = if let Some(bytes) = &group.creation {
            self.hdf5.decode_list(bytes)?
        } else {
            let list = self.hdf5.new_list("H5P_CLS_GROUP_CREATE_ID_g")?;
            self.hdf5.set_orders(list.id(), group.orders)?;
            list
        };
        let creation = creation.id().0;
        let name = c_string(name.as_bytes())?;
        // SAFETY: the host verifies the identifiers; a C string.
        let id = unsafe {
            self.hdf5.functions().H5Gcreate2()?(
                at.0,
                name.as_ptr(),
                self.link_creation.id().0,
                creation,
                DEFAULT,
            )
        };
        let group = self.hdf5.own(id, "make a group")?;
        let token = self.token(group.id())?;
        Ok((group, token))
    }

    /// Makes a dataset. If the format has its elements, it never gets storage here.
    pub(crate) fn make_dataset<K>(
        &self,
        at: Id,
        name: &str,
        dataset: &DatasetSpec<K>,
        objects: &dyn Objects<K>,
    ) -> Result<(OwnedId, Token, Option<Hidden>)> {
        let datatype = self.datatype(&dataset.datatype, objects)?;
        let space = self.hdf5.make_space(&dataset.space)?;
        let list = self.creation_list(dataset, datatype.id())?;
        let hidden = match dataset.storage {
            Storage::Chunks => without_storage(self.hdf5, list.id())?,
            Storage::Values | Storage::Elsewhere => None,
        };
        let name = c_string(name.as_bytes())?;
        // SAFETY: the host verifies the identifiers; a C string.
        let id = unsafe {
            self.hdf5.functions().H5Dcreate2()?(
                at.0,
                name.as_ptr(),
                datatype.id().0,
                space.id().0,
                self.link_creation.id().0,
                list.id().0,
                DEFAULT,
            )
        };
        let dataset = self.hdf5.own(id, "make a dataset")?;
        let token = self.token(dataset.id())?;
        Ok((dataset, token, hidden))
    }

    /// The creation list of a dataset. Filters that the host lacks become optional: it refuses others.
    fn creation_list<K>(&self, dataset: &DatasetSpec<K>, datatype: Id) -> Result<OwnedId> {
        let (host, functions) = (self.host().functions(), self.hdf5.functions());
        if let Some(bytes) = &dataset.creation {
            let list = self.hdf5.decode_list(bytes)?;
            for filter in self.filters(list.id())? {
                let (count, parameters) = (filter.parameters.len(), filter.parameters.as_ptr());
                // SAFETY: our own list, and as many parameters as are said.
                unsafe {
                    if !filter.optional && (host.H5Zfilter_avail)(filter.id) <= 0 {
                        let status =
                            (host.H5Pmodify_filter)(list.id().0, filter.id, OPTIONAL, count, parameters);
                        good(status, "make a filter optional")?;
                    }
                }
            }
            return Ok(list);
        }
        let list = self.hdf5.new_list("H5P_CLS_DATASET_CREATE_ID_g")?;
        self.hdf5.set_orders(list.id(), dataset.orders)?;
        // SAFETY: our own list; HDF5 verifies the numbers.
        unsafe {
            if dataset.layout == Layout::Compact {
                good(functions.H5Pset_layout()?(list.id().0, H5D_COMPACT), "set a layout")?;
            }
            if let Some(time) = dataset.allocation {
                let time = H5D_alloc_time_t(time);
                good(functions.H5Pset_alloc_time()?(list.id().0, time), "set when storage is taken")?;
            }
            if let Some(time) = dataset.fill_time {
                let time = H5D_fill_time_t(time);
                good(functions.H5Pset_fill_time()?(list.id().0, time), "set when storage is filled")?;
            }
        }
        self.hdf5.set_elsewhere(list.id(), dataset.layout, dataset.elsewhere.as_deref())?;
        if let Some(chunk) = &dataset.chunks {
            let rank =
                c_int::try_from(chunk.len()).map_err(|_| Error::failed("chunks of too many dimensions"))?;
            // SAFETY: our own list, and that many numbers.
            let status = unsafe { functions.H5Pset_chunk()?(list.id().0, rank, chunk.as_ptr()) };
            good(status, "set the size of chunks")?;
        }
        for filter in &dataset.filters {
            let (count, parameters) = (filter.parameters.len(), filter.parameters.as_ptr());
            // SAFETY: our own list, and as many parameters as are said.
            let status = unsafe {
                let has = (host.H5Zfilter_avail)(filter.id) > 0;
                let flags = if filter.optional || !has { OPTIONAL } else { 0 };
                (host.H5Pset_filter)(list.id().0, filter.id, flags, count, parameters)
            };
            good(status, "set a filter")?;
        }
        if let Some(fill) = &dataset.fill {
            let size = self.host().ask(|questions| questions.element_size(datatype));
            if size != Some(fill.len()) || leads_outside(self.hdf5, datatype) {
                return Err(Error::failed("a container has a fill value that is not an element"));
            }
            // SAFETY: our own list, and an element of the datatype.
            let status =
                unsafe { functions.H5Pset_fill_value()?(list.id().0, datatype.0, fill.as_ptr().cast()) };
            good(status, "set a fill value")?;
        }
        Ok(list)
    }

    /// Makes a committed datatype.
    pub(crate) fn make_type<K>(
        &self,
        at: Id,
        name: &str,
        datatype: &TypeSpec<K>,
        objects: &dyn Objects<K>,
    ) -> Result<(OwnedId, Token)> {
        let datatype = self.datatype(datatype, objects)?;
        let name = c_string(name.as_bytes())?;
        // SAFETY: the host verifies the identifiers; a C string.
        let status = unsafe {
            self.hdf5.functions().H5Tcommit2()?(
                at.0,
                name.as_ptr(),
                datatype.id().0,
                self.link_creation.id().0,
                DEFAULT,
                DEFAULT,
            )
        };
        good(status, "commit a datatype")?;
        let token = self.token(datatype.id())?;
        Ok((datatype, token))
    }

    /// Makes a soft link.
    pub(crate) fn make_soft_link(&self, at: Id, name: &str, path: &[u8]) -> Result<()> {
        let (name, path) = (c_string(name.as_bytes())?, c_string(path)?);
        // SAFETY: the host verifies the identifiers; C strings.
        let status = unsafe {
            self.hdf5.functions().H5Lcreate_soft()?(
                path.as_ptr(),
                at.0,
                name.as_ptr(),
                self.link_creation.id().0,
                DEFAULT,
            )
        };
        good(status, "make a soft link")
    }

    /// Makes an external link.
    pub(crate) fn make_external_link(&self, at: Id, name: &str, file: &[u8], path: &[u8]) -> Result<()> {
        let (name, file, path) = (c_string(name.as_bytes())?, c_string(file)?, c_string(path)?);
        // SAFETY: the host verifies the identifiers; C strings.
        let status = unsafe {
            self.hdf5.functions().H5Lcreate_external()?(
                file.as_ptr(),
                path.as_ptr(),
                at.0,
                name.as_ptr(),
                self.link_creation.id().0,
                DEFAULT,
            )
        };
        good(status, "make an external link")
    }

    /// Makes one more hard link.
    pub(crate) fn make_hard_link(&self, at: Id, name: &str, object: Token) -> Result<()> {
        let (name, object) = (c_string(name.as_bytes())?, self.open(object)?);
        // SAFETY: the host verifies the identifiers; a C string.
        let status = unsafe {
            self.hdf5.functions().H5Olink()?(
                object.id().0,
                at.0,
                name.as_ptr(),
                self.link_creation.id().0,
                DEFAULT,
            )
        };
        good(status, "make a hard link")
    }

    /// Makes an attribute.
    pub(crate) fn make_attribute<K>(
        &self,
        at: Id,
        attribute: &AttributeSpec<K>,
        objects: &dyn Objects<K>,
    ) -> Result<()> {
        let functions = self.hdf5.functions();
        let datatype = self.datatype(&attribute.datatype, objects)?;
        let space = self.hdf5.make_space(&attribute.space)?;
        let name = c_string(attribute.name.as_bytes())?;
        // SAFETY: the host verifies the identifiers; a C string.
        let id = unsafe {
            functions.H5Acreate2()?(
                at.0,
                name.as_ptr(),
                datatype.id().0,
                space.id().0,
                self.attribute_creation.id().0,
                DEFAULT,
            )
        };
        let made = self.hdf5.own(id, "make an attribute")?;
        let write = functions.H5Awrite()?;
        self.elements(objects).give(datatype.id(), space.id(), &attribute.values, |buffer| {
            // SAFETY: elements of the datatype, as many as the attribute has.
            unsafe { write(made.id().0, datatype.id().0, buffer) }
        })
    }

    /// Puts elements into a dataset whose storage is here.
    pub(crate) fn write_values<K>(
        &self,
        dataset: Id,
        values: &Values<K>,
        objects: &dyn Objects<K>,
    ) -> Result<()> {
        let (datatype, space) = self.type_and_space(dataset)?;
        let write = self.hdf5.functions().H5Dwrite()?;
        self.elements(objects).give(datatype.id(), space.id(), values, |buffer| {
            // SAFETY: elements of the datatype, as many as the dataset has.
            unsafe { write(dataset.0, datatype.id().0, DEFAULT, DEFAULT, DEFAULT, buffer) }
        })
    }

    /// All elements of a dataset whose storage is here.
    pub(crate) fn read_values<K>(&self, dataset: Id, objects: &dyn Objects<K>) -> Result<Values<K>> {
        let (datatype, space) = self.type_and_space(dataset)?;
        let read = self.host().functions().H5Dread;
        self.elements(objects).take(datatype.id(), space.id(), |buffer| {
            // SAFETY: room for as many elements as the dataset has.
            unsafe { read(dataset.0, datatype.id().0, DEFAULT, DEFAULT, DEFAULT, buffer) }
        })
    }

    fn type_and_space(&self, dataset: Id) -> Result<(OwnedId, OwnedId)> {
        // SAFETY: the host verifies the identifier.
        unsafe {
            Ok((
                self.hdf5.own((self.host().functions().H5Dget_type)(dataset.0), "ask for a datatype")?,
                self.hdf5.own(self.hdf5.functions().H5Dget_space()?(dataset.0), "ask for a dataspace")?,
            ))
        }
    }

    /// What an object is. `hidden` is what was hidden of a dataset's creation list.
    pub(crate) fn describe<K>(
        &self,
        object: Id,
        hidden: Option<Hidden>,
        objects: &dyn Objects<K>,
    ) -> Result<Thing<K>> {
        let (_, kind, _) = self.hdf5.info(object)?;
        match kind {
            Kind::Group => {
                // SAFETY: the host verifies the identifier.
                let list = unsafe { self.hdf5.functions().H5Gget_create_plist()?(object.0) };
                let list = self.hdf5.own(list, "ask for a creation list")?;
                let orders = self.hdf5.orders(list.id(), true)?;
                Ok(Thing::Group(GroupSpec { orders, creation: Some(self.hdf5.encode_list(list.id())?) }))
            }
            Kind::Dataset => self.describe_dataset(object, hidden, objects).map(Thing::Dataset),
            Kind::Datatype => {
                let mut spec = self.type_spec(object, objects)?;
                spec.committed = None;
                Ok(Thing::Datatype(spec))
            }
        }
    }

    fn describe_dataset<K>(
        &self,
        dataset: Id,
        hidden: Option<Hidden>,
        objects: &dyn Objects<K>,
    ) -> Result<DatasetSpec<K>> {
        let (datatype, space) = self.type_and_space(dataset)?;
        // SAFETY: the host verifies the identifier.
        let list = unsafe { self.hdf5.functions().H5Dget_create_plist()?(dataset.0) };
        let list = self.hdf5.own(list, "ask for a creation list")?;
        if let Some(hidden) = hidden {
            reveal(self.hdf5, list.id(), hidden)?;
        }
        let leads_outside = leads_outside(self.hdf5, datatype.id());
        let chunks = self.host().ask(|questions| questions.chunk_dimensions(list.id()));
        let layout = match self.host().ask(|questions| questions.layout(list.id())) {
            StorageLayout::Compact => Layout::Compact,
            StorageLayout::Chunked => Layout::Chunked,
            StorageLayout::Virtual => Layout::Virtual,
            _ => Layout::Contiguous,
        };
        let mut times = (H5D_ALLOC_TIME_LATE, H5D_FILL_TIME_IFSET);
        let host = self.host().functions();
        // SAFETY: the host verifies the list; valid out-pointers.
        unsafe {
            good((host.H5Pget_alloc_time)(list.id().0, &raw mut times.0), "ask when storage is taken")?;
            good((host.H5Pget_fill_time)(list.id().0, &raw mut times.1), "ask when storage is filled")?;
        }
        let fill = self.host().ask(|questions| {
            let (_, value) = questions.fill_rules(list.id())?;
            let size = questions.element_size(datatype.id())?;
            let set = value == FillValue::Set && !leads_outside;
            if set { questions.fill_value(list.id(), datatype.id(), size) } else { None }
        });
        Ok(DatasetSpec {
            datatype: self.type_spec(datatype.id(), objects)?,
            space: self.hdf5.space_spec(space.id())?,
            layout,
            orders: self.hdf5.orders(list.id(), false)?,
            allocation: Some(times.0.0),
            fill_time: Some(times.1.0),
            chunks,
            filters: self.filters(list.id())?,
            fill,
            elsewhere: match hidden {
                None => Some(Box::new(self.hdf5.elsewhere(list.id(), layout)?)),
                Some(_) => None,
            },
            storage: match (hidden, leads_outside) {
                (Some(_), _) => Storage::Chunks,
                (None, true) => Storage::Values,
                (None, false) => Storage::Elsewhere,
            },
            // A fill value of variable length would be encoded as its address in memory.
            creation: if leads_outside { None } else { Some(self.hdf5.encode_list(list.id())?) },
        })
    }

    /// What is to be hidden of a dataset that native HDF5 has made with its storage, and the dataset's filters. `None` if its elements are
    /// not the format's: they lead outside of themselves, or are in other files or datasets.
    pub(crate) fn hidden_of(&self, dataset: Id) -> Result<Option<(Hidden, Vec<FilterSpec>)>> {
        let (datatype, _) = self.type_and_space(dataset)?;
        if leads_outside(self.hdf5, datatype.id()) {
            return Ok(None);
        }
        // SAFETY: the host verifies the identifier.
        let list = unsafe { self.hdf5.functions().H5Dget_create_plist()?(dataset.0) };
        let list = self.hdf5.own(list, "ask for a creation list")?;
        let filters = self.filters(list.id())?;
        Ok(without_storage(self.hdf5, list.id())?.map(|hidden| (hidden, filters)))
    }

    pub(crate) fn filters(&self, list: Id) -> Result<Vec<FilterSpec>> {
        let filters = self.host().ask(|questions| questions.filters(list));
        let filters = filters.ok_or_else(|| failed("ask for the filters of a dataset"))?;
        let of = |filter: h5_host::questions::FilterDescription| FilterSpec {
            id: filter.id,
            parameters: filter.parameters,
            optional: filter.optional,
        };
        Ok(filters.into_iter().map(of).collect())
    }

    /// A datatype as a description.
    pub(crate) fn type_spec<K>(&self, datatype: Id, objects: &dyn Objects<K>) -> Result<TypeSpec<K>> {
        // SAFETY: the host verifies the identifier.
        let is_committed = unsafe { self.hdf5.functions().H5Tcommitted()?(datatype.0) } > 0;
        let committed =
            if is_committed { self.token(datatype).ok().and_then(|token| objects.key(token)) } else { None };
        Ok(TypeSpec {
            structure: self.hdf5.structure(datatype),
            encoded: Some(self.hdf5.encode_type(datatype)?),
            committed,
        })
    }

    /// The attributes of an object.
    pub(crate) fn attributes<K>(
        &self,
        object: Id,
        objects: &dyn Objects<K>,
    ) -> Result<Vec<AttributeSpec<K>>> {
        let functions = self.hdf5.functions();
        let mut found = Vec::new();
        for name in self.hdf5.attribute_names(object)? {
            // SAFETY: the host verifies the identifiers; a C string.
            let (attribute, datatype, space) = unsafe {
                let attribute = self
                    .hdf5
                    .own(functions.H5Aopen()?(object.0, name.as_ptr(), DEFAULT), "open an attribute")?;
                let id = attribute.id().0;
                let datatype = self.hdf5.own(functions.H5Aget_type()?(id), "ask for a datatype")?;
                (attribute, datatype, self.hdf5.own(functions.H5Aget_space()?(id), "ask for a dataspace")?)
            };
            let read = functions.H5Aread()?;
            let values = self.elements(objects).take(datatype.id(), space.id(), |buffer| {
                // SAFETY: room for as many elements as the attribute has.
                unsafe { read(attribute.id().0, datatype.id().0, buffer) }
            })?;
            found.push(AttributeSpec {
                name: name.to_string_lossy().into_owned(),
                datatype: self.type_spec(datatype.id(), objects)?,
                space: self.hdf5.space_spec(space.id())?,
                values,
            });
        }
        Ok(found)
    }
}

/// Makes a creation list one that takes no storage; `None` if the elements are in other files or datasets.
pub(crate) fn without_storage(hdf5: Hdf5, list: Id) -> Result<Option<Hidden>> {
    let (host, functions) = (hdf5.host().functions(), hdf5.functions());
    // SAFETY: the host verifies the list; valid out-pointers.
    unsafe {
        let layout = (host.H5Pget_layout)(list.0);
        let is_ours = matches!(layout, H5D_CONTIGUOUS | H5D_CHUNKED | H5D_COMPACT);
        if !is_ours || (host.H5Pget_external_count)(list.0) > 0 {
            return Ok(None);
        }
        let mut hidden = Hidden { layout, allocation: H5D_ALLOC_TIME_LATE, fill_time: H5D_FILL_TIME_IFSET };
        good((host.H5Pget_alloc_time)(list.0, &raw mut hidden.allocation), "ask when storage is taken")?;
        good((host.H5Pget_fill_time)(list.0, &raw mut hidden.fill_time), "ask when storage is filled")?;
        if layout == H5D_COMPACT {
            good(functions.H5Pset_layout()?(list.0, H5D_CONTIGUOUS), "set a layout")?;
        }
        let late = if layout == H5D_CHUNKED { H5D_ALLOC_TIME_INCR } else { H5D_ALLOC_TIME_LATE };
        good(functions.H5Pset_alloc_time()?(list.0, late), "put off taking storage")?;
        Ok(Some(hidden))
    }
}

/// Puts what was hidden back into a creation list.
pub(crate) fn reveal(hdf5: Hdf5, list: Id, hidden: Hidden) -> Result<()> {
    let functions = hdf5.functions();
    // SAFETY: the host verifies the list.
    unsafe {
        if hidden.layout == H5D_COMPACT {
            good(functions.H5Pset_layout()?(list.0, H5D_COMPACT), "set a layout")?;
        }
        good(functions.H5Pset_alloc_time()?(list.0, hidden.allocation), "set when storage is taken")?;
        good(functions.H5Pset_fill_time()?(list.0, hidden.fill_time), "set when storage is filled")
    }
}
