//! What HDF5 wants to know about objects, links, groups, attributes and containers.

use core::ffi::{c_uint, c_ulong};

use h5_abi::{
    H5A_info_t, H5G_STORAGE_TYPE_COMPACT, H5G_STORAGE_TYPE_DENSE, H5G_STORAGE_TYPE_SYMBOL_TABLE,
    H5G_STORAGE_TYPE_UNKNOWN, H5G_info_t, H5L_TYPE_EXTERNAL, H5L_TYPE_HARD, H5L_TYPE_SOFT, H5L_info2_t,
    H5L_info2_u, H5L_type_t, H5O_TYPE_DATASET, H5O_TYPE_GROUP, H5O_TYPE_MAP, H5O_TYPE_NAMED_DATATYPE,
    H5O_TYPE_UNKNOWN, H5O_info2_t, H5O_type_t, H5T_CSET_ASCII, H5T_CSET_UTF8, H5T_cset_t,
    H5VL_CONTAINER_INFO_VERSION, H5VL_file_cont_info_t,
};

use super::out::{Answer, Readable};
use crate::object::ObjectKind;
use crate::token::Token;

fn character_set(utf8: bool) -> H5T_cset_t {
    if utf8 { H5T_CSET_UTF8 } else { H5T_CSET_ASCII }
}

/// The kind of an object in a file. A file counts as its root group.
impl Answer for ObjectKind {
    type Raw = H5O_type_t;

    fn encode(self) -> H5O_type_t {
        match self {
            Self::File | Self::Group => H5O_TYPE_GROUP,
            Self::Dataset => H5O_TYPE_DATASET,
            Self::Datatype => H5O_TYPE_NAMED_DATATYPE,
            Self::Map => H5O_TYPE_MAP,
            Self::Attribute | Self::Request | Self::Other => H5O_TYPE_UNKNOWN,
        }
    }
}

impl Readable for ObjectKind {
    fn decode(raw: H5O_type_t) -> Self {
        match raw {
            H5O_TYPE_GROUP => Self::Group,
            H5O_TYPE_DATASET => Self::Dataset,
            H5O_TYPE_NAMED_DATATYPE => Self::Datatype,
            H5O_TYPE_MAP => Self::Map,
            _ => Self::Other,
        }
    }
}

/// What `H5Oget_info` reports. Times are seconds since 1970, zero if not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ObjectInfo {
    /// Number of the file, the same for all objects in it.
    pub file_number: c_ulong,
    /// Token of the object in its file.
    pub token: Token,
    /// What it is.
    pub kind: ObjectKind,
    /// Number of hard links to it.
    pub links: u32,
    /// Last access.
    pub accessed: i64,
    /// Last change of the data.
    pub modified: i64,
    /// Last change of the metadata.
    pub changed: i64,
    /// Creation.
    pub born: i64,
    /// Number of attributes.
    pub attributes: u64,
}

impl ObjectInfo {
    /// An object with one link, no attributes and no times.
    pub fn new(file_number: c_ulong, token: Token, kind: ObjectKind) -> Self {
        Self {
            file_number,
            token,
            kind,
            links: 1,
            accessed: 0,
            modified: 0,
            changed: 0,
            born: 0,
            attributes: 0,
        }
    }
}

impl Answer for ObjectInfo {
    type Raw = H5O_info2_t;

    fn encode(self) -> H5O_info2_t {
        H5O_info2_t {
            fileno: self.file_number,
            token: self.token.encode(),
            type_: self.kind.encode(),
            rc: c_uint::from(self.links),
            atime: self.accessed,
            mtime: self.modified,
            ctime: self.changed,
            btime: self.born,
            num_attrs: self.attributes,
        }
    }
}

impl Readable for ObjectInfo {
    fn decode(raw: H5O_info2_t) -> Self {
        Self {
            file_number: raw.fileno,
            token: Token::decode(raw.token),
            kind: ObjectKind::decode(raw.type_),
            links: raw.rc,
            accessed: raw.atime,
            modified: raw.mtime,
            changed: raw.ctime,
            born: raw.btime,
            attributes: raw.num_attrs,
        }
    }
}

/// Kind of a link, and what it leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkKind {
    /// A hard link to the object with this token.
    Hard(Token),
    /// A soft link whose value (a path and its terminating zero) has this size.
    Soft(usize),
    /// An external link whose value has this size.
    External(usize),
    /// A link of a user-defined class.
    UserDefined {
        /// Number of the class, 64 to 255.
        class: i32,
        /// Size of the value.
        size: usize,
    },
}

/// What `H5Lget_info` reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkInfo {
    /// Kind and target.
    pub kind: LinkKind,
    /// Position in the order of creation, if that is kept.
    pub creation_order: Option<i64>,
    /// Whether the name is UTF-8 (otherwise ASCII).
    pub utf8: bool,
}

impl Answer for LinkInfo {
    type Raw = H5L_info2_t;

    fn encode(self) -> H5L_info2_t {
        let (type_, u) = match self.kind {
            LinkKind::Hard(token) => (H5L_TYPE_HARD, H5L_info2_u { token: token.encode() }),
            LinkKind::Soft(val_size) => (H5L_TYPE_SOFT, H5L_info2_u { val_size }),
            LinkKind::External(val_size) => (H5L_TYPE_EXTERNAL, H5L_info2_u { val_size }),
            LinkKind::UserDefined { class, size } => (H5L_type_t(class), H5L_info2_u { val_size: size }),
        };
        H5L_info2_t {
            type_,
            corder_valid: self.creation_order.is_some(),
            corder: self.creation_order.unwrap_or(0),
            cset: character_set(self.utf8),
            u,
        }
    }
}

/// How a group stores its links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GroupStorage {
    /// In another way.
    #[default]
    Other,
    /// In a symbol table.
    SymbolTable,
    /// In the object header.
    Compact,
    /// In a heap with indexes.
    Dense,
}

/// What `H5Gget_info` reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GroupInfo {
    /// How the links are stored.
    pub storage: GroupStorage,
    /// Number of links.
    pub links: u64,
    /// Largest creation order so far.
    pub max_creation_order: i64,
    /// Whether a file is mounted here.
    pub mounted: bool,
}

impl Answer for GroupInfo {
    type Raw = H5G_info_t;

    fn encode(self) -> H5G_info_t {
        H5G_info_t {
            storage_type: match self.storage {
                GroupStorage::Other => H5G_STORAGE_TYPE_UNKNOWN,
                GroupStorage::SymbolTable => H5G_STORAGE_TYPE_SYMBOL_TABLE,
                GroupStorage::Compact => H5G_STORAGE_TYPE_COMPACT,
                GroupStorage::Dense => H5G_STORAGE_TYPE_DENSE,
            },
            nlinks: self.links,
            max_corder: self.max_creation_order,
            mounted: self.mounted,
        }
    }
}

/// What `H5Aget_info` reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AttributeInfo {
    /// Position in the order of creation, if that is kept.
    pub creation_order: Option<u32>,
    /// Whether the name is UTF-8 (otherwise ASCII).
    pub utf8: bool,
    /// Size of the data in bytes.
    pub data_size: u64,
}

impl Answer for AttributeInfo {
    type Raw = H5A_info_t;

    fn encode(self) -> H5A_info_t {
        H5A_info_t {
            corder_valid: self.creation_order.is_some(),
            corder: self.creation_order.unwrap_or(0),
            cset: character_set(self.utf8),
            data_size: self.data_size,
        }
    }
}

/// What HDF5 must know about a file before it stores references and variable-length data in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ContainerInfo {
    /// Feature flags (`H5VL_CONTAINER_...`); none exist so far.
    pub features: u64,
    /// The number of bytes of a token that are used, at most 16.
    pub token_size: usize,
    /// Size of a blob's identifier, at most 16.
    pub blob_id_size: usize,
}

impl Answer for ContainerInfo {
    type Raw = H5VL_file_cont_info_t;

    fn encode(self) -> H5VL_file_cont_info_t {
        H5VL_file_cont_info_t {
            version: H5VL_CONTAINER_INFO_VERSION,
            feature_flags: self.features,
            token_size: self.token_size,
            blob_id_size: self.blob_id_size,
        }
    }
}

impl Readable for ContainerInfo {
    fn decode(raw: H5VL_file_cont_info_t) -> Self {
        Self { features: raw.feature_flags, token_size: raw.token_size, blob_id_size: raw.blob_id_size }
    }
}
