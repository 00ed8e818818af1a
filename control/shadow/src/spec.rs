//! Objects of a container, described without HDF5's identifiers and addresses.
//!
//! `K` is a format's key: the lasting identity of an object in its container.

use convert::Datatype;

/// What kind of object a key stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A group.
    Group,
    /// A dataset.
    Dataset,
    /// A committed datatype.
    Datatype,
}

/// A datatype. What HDF5 describes has all that can be told. A format gives back at least one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeSpec<K> {
    /// What its bytes mean. Elements of variable length are as they are in memory. `None` if it cannot be told this way.
    pub structure: Option<Datatype>,
    /// All of it, as HDF5 encodes datatypes (`H5Tencode`). Preferred to the structure.
    pub encoded: Option<Vec<u8>>,
    /// The committed datatype that it is.
    pub committed: Option<K>,
}

impl<K> TypeSpec<K> {
    /// A datatype of which only its structure is known.
    pub fn of_structure(structure: Datatype) -> Self {
        Self { structure: Some(structure), encoded: None, committed: None }
    }
}

/// The extent of a dataset or attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpaceSpec {
    /// No elements, ever.
    Null,
    /// One element.
    Scalar,
    /// An array.
    Simple {
        /// Its size along each dimension.
        dims: Vec<u64>,
        /// How far it can grow; `None` means without limit.
        maximum: Vec<Option<u64>>,
    },
}

impl SpaceSpec {
    /// The size along each dimension; none for a scalar. `None` if there are no elements at all.
    pub fn dims(&self) -> Option<&[u64]> {
        match self {
            Self::Null => None,
            Self::Scalar => Some(&[]),
            Self::Simple { dims, .. } => Some(dims),
        }
    }
}

/// Which elements of an extent are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SelectionSpec {
    /// All of them.
    All,
    /// None of them.
    None,
    /// Blocks in regular distances, said for each dimension. The largest number means without limit.
    Regular {
        /// The first element.
        start: Vec<u64>,
        /// From one block to the next.
        stride: Vec<u64>,
        /// How many blocks.
        count: Vec<u64>,
        /// The size of a block.
        block: Vec<u64>,
    },
    /// Other blocks: the first and the last element of each.
    Blocks(Vec<u64>),
    /// Single elements.
    Points(Vec<u64>),
}

/// A part of an extent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionSpec {
    /// The extent.
    pub space: SpaceSpec,
    /// The part.
    pub selection: SelectionSpec,
}

/// A source of a virtual dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceSpec {
    /// Name of its file.
    pub file: Vec<u8>,
    /// Name of the dataset in it.
    pub dataset: Vec<u8>,
    /// What of it is taken.
    pub source: RegionSpec,
    /// Where in the virtual dataset that is.
    pub mapped: RegionSpec,
}

/// A part of an external file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExternalSpec {
    /// Name of the file.
    pub file: Vec<u8>,
    /// Where it begins there.
    pub offset: i64,
    /// Its bytes; the largest number means without limit.
    pub size: u64,
}

/// Where the elements of a dataset are that are in other files or datasets.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Elsewhere {
    /// Sources of a virtual dataset.
    pub sources: Vec<SourceSpec>,
    /// External files, one after the other.
    pub external: Vec<ExternalSpec>,
}

/// Elements of an attribute, or of a dataset whose elements are not plain bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Values<K> {
    /// Bytes of the datatype, one element after the other.
    Plain(Vec<u8>),
    /// Elements that lead to something outside of themselves.
    Cells(Vec<Cell<K>>),
}

/// One value that leads to something outside of itself, said without pointers and addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell<K> {
    /// Plain bytes.
    Bytes(Vec<u8>),
    /// A text of variable length; `None` if there is none, which is not the same as an empty one.
    Text(Option<Vec<u8>>),
    /// The members of a compound, or the elements of an array or of a sequence.
    List(Vec<Cell<K>>),
    /// A reference to an object; `None` if it refers to nothing.
    Object(Option<K>),
    /// A reference to a part of a dataset: which one, and which part.
    Region(Option<(K, RegionSpec)>),
}

/// An attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeSpec<K> {
    /// Its name.
    pub name: String,
    /// The type of its elements.
    pub datatype: TypeSpec<K>,
    /// Its extent.
    pub space: SpaceSpec,
    /// Its elements. Empty for a null extent.
    pub values: Values<K>,
}

/// A filter of a dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterSpec {
    /// HDF5's number of it.
    pub id: i32,
    /// Its parameters.
    pub parameters: Vec<u32>,
    /// Whether chunks may be stored without it.
    pub optional: bool,
}

/// How a dataset is stored in HDF5's own files. A format may do it differently, but HDF5's functions tell this.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// In the dataset's header.
    Compact,
    /// In one piece.
    #[default]
    Contiguous,
    /// In chunks.
    Chunked,
    /// In other datasets.
    Virtual,
}

/// Which orders of creation are kept. As HDF5 has them: 1 is kept, 3 is kept and indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Orders {
    /// That of links, for groups.
    pub links: u32,
    /// That of attributes.
    pub attributes: u32,
}

/// Who has the elements of a dataset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// The format, chunk by chunk, as plain bytes.
    Chunks,
    /// The shadow, because elements lead to something outside of themselves. The format keeps [`Values`].
    Values,
    /// Other files or datasets (`H5Pset_external`, `H5Pset_virtual`).
    Elsewhere,
}

/// A dataset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatasetSpec<K> {
    /// The type of its elements.
    pub datatype: TypeSpec<K>,
    /// Its extent.
    pub space: SpaceSpec,
    /// How it is stored in HDF5's own files.
    pub layout: Layout,
    /// Which orders are kept.
    pub orders: Orders,
    /// When storage is taken, by HDF5's number (`H5D_alloc_time_t`); `None` for the usual time.
    pub allocation: Option<i32>,
    /// When storage is filled, by HDF5's number (`H5D_fill_time_t`); `None` for the usual time.
    pub fill_time: Option<i32>,
    /// Dimensions of a chunk; `None` if it is stored in one piece, which then is its only chunk.
    pub chunks: Option<Vec<u64>>,
    /// Its filters, in the order in which they are applied when writing.
    pub filters: Vec<FilterSpec>,
    /// What was never written, as an element of its type; `None` if that is zeros.
    pub fill: Option<Vec<u8>>,
    /// Who has its elements.
    pub storage: Storage,
    /// Where they are, if that is elsewhere.
    pub elsewhere: Option<Box<Elsewhere>>,
    /// Everything in its creation property list (`H5Pencode`). Preferred to the above. HDF5 does not verify these bytes well when it
    /// decodes them: a format whose containers come from others must not keep them.
    pub creation: Option<Vec<u8>>,
}

/// A group.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GroupSpec {
    /// Which orders are kept.
    pub orders: Orders,
    /// Everything in its creation property list (`H5Pencode`); `None` for a default one.
    pub creation: Option<Vec<u8>>,
}

/// How HDF5's own files manage their space. A format has no use for it, but HDF5's functions tell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileSpace {
    /// Bytes before the file itself that are the application's.
    pub user_block: u64,
    /// By HDF5's number (`H5F_fspace_strategy_t`).
    pub strategy: i32,
    /// Whether free space is remembered.
    pub persist: bool,
    /// The smallest piece of free space that is.
    pub threshold: u64,
    /// Bytes of a page.
    pub page: u64,
}

impl Default for FileSpace {
    /// As HDF5 has it if nobody says anything.
    fn default() -> Self {
        Self { user_block: 0, strategy: 0, persist: false, threshold: 1, page: 4096 }
    }
}

/// A container.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileSpec {
    /// Which orders are kept in the root group.
    pub orders: Orders,
    /// Everything in its creation property list (`H5Pencode`); `None` for a default one.
    pub creation: Option<Vec<u8>>,
    /// How it would manage its space if it were a file of HDF5's.
    pub space: FileSpace,
    /// Whether an object may have several hard links. If so, everything is read when the container is opened. Otherwise groups are
    /// read when they are looked at.
    pub has_shared_objects: bool,
}

/// What an object is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Thing<K> {
    /// A group.
    Group(GroupSpec),
    /// A dataset.
    Dataset(DatasetSpec<K>),
    /// A committed datatype.
    Datatype(TypeSpec<K>),
}

impl<K> Thing<K> {
    /// Its kind.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Group(_) => Kind::Group,
            Self::Dataset(_) => Kind::Dataset,
            Self::Datatype(_) => Kind::Datatype,
        }
    }
}

/// An object and its attributes, in the order of creation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description<K> {
    /// What it is.
    pub thing: Thing<K>,
    /// Its attributes.
    pub attributes: Vec<AttributeSpec<K>>,
}

/// A link of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Link<K> {
    /// To an object.
    Hard(K),
    /// To a path.
    Soft(Vec<u8>),
    /// To a path in another file.
    External {
        /// The file's name.
        file: Vec<u8>,
        /// The path in it.
        path: Vec<u8>,
    },
}

/// What a container has become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change<K> {
    /// The creation property list of a new container.
    File(FileSpec),
    /// An object that is new, or that has changed. It need not have a link (yet).
    Object {
        /// Which one.
        key: K,
        /// What it is now.
        description: Box<Description<K>>,
        /// All elements, if they have changed and [`Storage::Values`] says that the shadow has them.
        values: Option<Vec<Cell<K>>>,
    },
    /// All links of a group, in the order of creation if HDF5 knows it, otherwise by name.
    Links {
        /// The group.
        group: K,
        /// Name and target.
        links: Vec<(String, Link<K>)>,
    },
    /// An object has no link any more, and nobody uses it. What is in a group that is gone comes as changes of its own.
    Gone(K),
}
