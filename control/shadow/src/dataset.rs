//! A dataset whose elements the format has: what is known of it, and its chunks.

use core::fmt;
use std::sync::Arc;

use convert::Datatype;
use engine::{MakesChunks, PairFailure};
use h5_host::questions::{FillTime, StorageLayout};
use h5_host::{ExtentDescription, OwnedId, Questions};
use h5_vol::{BelowObject, Error, Result};
use selection::{ChunkGrid, Extent};

use crate::backend::Store;
use crate::container::Container;
use crate::counters::{COUNTERS, count};
use crate::node::Node;

/// What never changes about a dataset.
#[derive(Debug)]
pub(crate) struct Facts {
    /// What its elements mean, if our own conversions understand that.
    pub(crate) structure: Option<Datatype>,
    /// Bytes of an element.
    pub(crate) element: usize,
    /// Dimensions of a chunk, if it has chunks.
    pub(crate) chunk: Option<Vec<u64>>,
    /// What was never written, one element.
    pub(crate) fill: Vec<u8>,
}

/// A dataset in one call.
pub(crate) struct Ours<S: Store> {
    pub(crate) container: Arc<Container<S>>,
    pub(crate) node: Arc<Node<S::Key>>,
    pub(crate) facts: Arc<Facts>,
    /// Its datatype, for HDF5's own conversions.
    pub(crate) datatype: OwnedId,
    /// `None` if it never has elements.
    pub(crate) extent: Option<Extent>,
}

impl Facts {
    fn ask(questions: Questions, below: &BelowObject, datatype: &OwnedId) -> Option<Self> {
        let list = below.dataset_creation_list(questions)?;
        let element = questions.element_size(datatype.id())?;
        let chunk = match questions.layout(list.id()) {
            StorageLayout::Chunked => Some(questions.chunk_dimensions(list.id())?),
            _ => None,
        };
        // What is never filled, or has no fill value, natively reads as anything.
        let is_filled = questions.fill_rules(list.id()).is_none_or(|(time, _)| time != FillTime::Never);
        let fill = if is_filled { questions.fill_value(list.id(), datatype.id(), element) } else { None };
        let fill = fill.unwrap_or_else(|| vec![0; element]);
        Some(Self { structure: h5_translate::describe(questions, datatype.id()), element, chunk, fill })
    }
}

impl<S: Store> Ours<S> {
    /// What is known of a dataset whose elements the format has.
    pub(crate) fn ask(
        container: &Arc<Container<S>>,
        node: &Arc<Node<S::Key>>,
        below: &BelowObject,
    ) -> Result<Self> {
        let unknown = || Error::failed("HDF5 does not say what a dataset of the container is");
        container.host().ask(|questions| {
            let datatype = below.dataset_type(questions).ok_or_else(unknown)?;
            let facts = if let Some(facts) = node.facts.get() {
                Arc::clone(facts)
            } else {
                let facts = Arc::new(Facts::ask(questions, below, &datatype).ok_or_else(unknown)?);
                Arc::clone(node.facts.get_or_init(|| facts))
            };
            let space = below.dataset_space(questions).ok_or_else(unknown)?;
            let extent = match questions.extent(space.id()).ok_or_else(unknown)? {
                ExtentDescription::Null => None,
                ExtentDescription::Simple(dims) => Some(
                    Extent::new(dims.as_slice())
                        .map_err(|error| Error::failed(format_args!("a dataset: {error}")))?,
                ),
            };
            Ok(Self { container: Arc::clone(container), node: Arc::clone(node), facts, datatype, extent })
        })
    }

    /// The same for a dataset that was just copied, which has an identifier of ours. `None` if it has no elements.
    pub(crate) fn of_copy(
        container: &Arc<Container<S>>,
        node: &Arc<Node<S::Key>>,
        dataset: h5_host::Id,
    ) -> Result<Option<Self>> {
        let file = container.master.file();
        file.with_object(dataset, |below| Self::ask(container, node, below)).map(Some)
    }

    /// Its chunks with this extent.
    pub(crate) fn grid(&self, extent: &Extent) -> Result<ChunkGrid> {
        let whole;
        let chunk = if let Some(chunk) = &self.facts.chunk {
            chunk.as_slice()
        } else {
            whole = extent.dims().iter().map(|size| (*size).max(1)).collect::<Vec<u64>>();
            &whole
        };
        ChunkGrid::new(extent, chunk)
            .map_err(|error| Error::failed(format_args!("a dataset's chunks: {error}")))
    }

    /// Bytes of a chunk.
    pub(crate) fn chunk_bytes(&self, grid: &ChunkGrid) -> Result<usize> {
        let bytes =
            usize::try_from(grid.chunk_len()).ok().and_then(|count| count.checked_mul(self.facts.element));
        bytes
            .filter(|bytes| isize::try_from(*bytes).is_ok())
            .ok_or_else(|| Error::failed("a chunk is larger than the address space"))
    }

    /// Who knows its chunks.
    pub(crate) fn chunks(&self) -> Arc<dyn MakesChunks> {
        Arc::new(StoredChunks {
            store: Arc::clone(&self.container.store),
            node: Arc::clone(&self.node),
            facts: Arc::clone(&self.facts),
        })
    }
}

/// The chunks that the format has.
struct StoredChunks<S: Store> {
    store: Arc<S>,
    node: Arc<Node<S::Key>>,
    facts: Arc<Facts>,
}

impl<S: Store> fmt::Debug for StoredChunks<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredChunks").field("node", &self.node.key).finish_non_exhaustive()
    }
}

impl<S: Store> MakesChunks for StoredChunks<S> {
    fn make(&self, place: &[u64], elements: &mut [u8]) -> core::result::Result<(), String> {
        let is_stored = self.node.is_described()
            && self
                .store
                .read_chunk(&self.node.key, place, elements)
                .map_err(|failure| failure.to_string())?;
        self.filled(elements, is_stored);
        Ok(())
    }

    fn gains_by_pairs(&self) -> bool {
        self.node.is_described() && self.store.gains_by_pairs(&self.node.key)
    }

    fn make_pair(
        &self,
        places: [&[u64]; 2],
        elements: [&mut [u8]; 2],
    ) -> core::result::Result<(), PairFailure> {
        let [first, second] = elements;
        let [is_stored, is_second_stored] = if self.node.is_described() {
            let read = self.store.read_pair(&self.node.key, places, [&mut *first, &mut *second]);
            read.map_err(|(which, failure)| PairFailure { which, message: failure.to_string() })?
        } else {
            [false; 2]
        };
        self.filled(first, is_stored);
        self.filled(second, is_second_stored);
        Ok(())
    }
}

impl<S: Store> StoredChunks<S> {
    /// Fills what was never written.
    fn filled(&self, elements: &mut [u8], is_stored: bool) {
        if is_stored {
            count(&COUNTERS.chunks_read);
        } else {
            fill(elements, &self.facts.fill);
        }
    }
}

/// Fills elements with copies of one.
pub(crate) fn fill(elements: &mut [u8], element: &[u8]) {
    if element.iter().all(|byte| *byte == 0) {
        elements.fill(0);
        return;
    }
    for place in elements.chunks_exact_mut(element.len()) {
        place.copy_from_slice(element);
    }
}
