//! How a dataset of a file that processes share through MPI is stored, as far as all of them must agree.

use h5_host::Questions;
use h5_host::questions::StorageLayout;
use h5_vol::{BelowObject, OwnedId};

/// How a dataset is stored. All processes find the same, whatever each of them reads of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stored {
    /// Nothing was stored.
    Missing,
    Contiguous,
    Chunked {
        is_filtered: bool,
        /// Its chunks fit into native HDF5's cache.
        is_cached: bool,
    },
    Compact,
    /// In other files, or in a way that only native HDF5 knows.
    Elsewhere,
    /// HDF5 did not say, in this process.
    Untold,
}

impl Stored {
    /// What HDF5 says.
    pub(crate) fn ask(questions: Questions, below: &BelowObject) -> Self {
        Self::find(questions, below).unwrap_or(Self::Untold)
    }

    fn find(questions: Questions, below: &BelowObject) -> Option<Self> {
        if below.is_stored_in_one_piece(questions) {
            return Some(Self::Contiguous);
        }
        if is_virtual(questions, below) {
            return Some(Self::Elsewhere);
        }
        let creation = below.dataset_creation_list(questions)?;
        Some(match questions.layout(creation.id()) {
            StorageLayout::Compact => Self::Compact,
            StorageLayout::Contiguous if questions.external_segments(creation.id())?.is_empty() => {
                Self::Missing
            }
            StorageLayout::Chunked => {
                let access = below.dataset_access_list(questions);
                let access = access.as_ref().map(OwnedId::id);
                let room = access.and_then(|access| questions.chunk_cache_bytes(access)).unwrap_or(0);
                let datatype = below.dataset_type(questions)?;
                let element = questions.element_size(datatype.id())? as u64;
                let chunk = questions.chunk_dimensions(creation.id())?;
                let bytes = chunk.iter().copied().fold(element, u64::saturating_mul);
                Self::Chunked {
                    is_filtered: !questions.filters(creation.id())?.is_empty(),
                    is_cached: bytes <= room as u64,
                }
            }
            _ => Self::Elsewhere,
        })
    }

    /// Whether its raw data is ours to read, or native HDF5's to read independently.
    pub(crate) fn is_in_the_file(self) -> bool {
        self != Self::Elsewhere
    }

    /// Whether it has filters.
    pub(crate) fn is_filtered(self) -> bool {
        matches!(self, Self::Chunked { is_filtered: true, .. })
    }
}

/// Whether a dataset is virtual, and has no place in the file. Its creation list must not be asked for if processes share the file
/// through MPI: HDF5 copies the access list of its sources with it, and all processes would have to. Only of a virtual dataset HDF5
/// says that it is allocated although it has no storage.
pub(crate) fn is_virtual(questions: Questions, below: &BelowObject) -> bool {
    if below.chunk_index_kind(questions).is_some() {
        return false;
    }
    questions.host().forget_errors();
    below.storage_bytes(questions) == Some(0) && below.is_allocated(questions) == Some(true)
}
