//! Inspecting: what HDF5 says about a dataset, turned into what the data plane understands.

pub(crate) mod array_order;
pub(crate) mod chunk_index;
pub(crate) mod chunks;
pub(crate) mod conversions;
pub(crate) mod dataset;
pub(crate) mod datatypes;
pub(crate) mod element_type;
pub(crate) mod examine;
pub(crate) mod external;
pub(crate) mod file;
pub(crate) mod fill;
pub(crate) mod filter_image;
pub(crate) mod filters;
pub(crate) mod header_data;
pub(crate) mod host_filters;
pub(crate) mod missing;
pub(crate) mod plain_hint;
pub(crate) mod selection;
pub(crate) mod shared_file;
pub(crate) mod storage;
pub(crate) mod stored;
pub(crate) mod superblock;
pub(crate) mod variable;
pub(crate) mod version;
pub(crate) mod virtual_layout;
pub(crate) mod virtual_mappings;
