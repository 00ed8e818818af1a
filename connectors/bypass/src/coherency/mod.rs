//! Coherency: who owns the bytes of a dataset, what its handles share, and when changes reach the file.

pub(crate) mod claims;
pub(crate) mod commit;
pub(crate) mod current_chunks;
pub(crate) mod dirty;
pub(crate) mod entry;
pub(crate) mod files;
pub(crate) mod follow;
pub(crate) mod found;
pub(crate) mod growth;
pub(crate) mod hand_over;
pub(crate) mod handle;
pub(crate) mod heap_objects;
pub(crate) mod heaps;
pub(crate) mod labels;
pub(crate) mod open_file;
pub(crate) mod opening;
pub(crate) mod recent;
pub(crate) mod resolve;
pub(crate) mod resolved;
pub(crate) mod shared;
pub(crate) mod source_file;
pub(crate) mod source_names;
pub(crate) mod source_search;
pub(crate) mod sources;
pub(crate) mod windows;
pub(crate) mod write_back;
