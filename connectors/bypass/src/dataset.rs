//! Datasets: whose they are, and where their bytes lie.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};

use engine::{ChunkAddress, Fill, Layout, Source};
use h5_host::questions::{CreationFacts, FillTime, FillValue, IndirectPart, StorageLayout};
use h5_host::{ExtentDescription, Questions};
use h5_vol::{BelowObject, Id, ObjectKind, OwnedId};
use selection::{ChunkGrid, Extent, Selection};

use crate::chunk_index::LazyIndex;
use crate::external::{self, ExternalFiles};
use crate::file::{FileEntry, Files};
use crate::reason::Reason;

/// What the connector keeps with an open dataset: decided at the first read, and then for good, since nothing
/// that it depends on can change in a file that nobody writes.
#[derive(Debug, Default)]
pub(crate) struct DatasetState {
    decision: OnceLock<Result<OurDataset, Reason>>,
    was_read: AtomicBool,
}

impl DatasetState {
    /// Whether this is the first time that the dataset is read, and nothing is known about it yet.
    pub(crate) fn is_first_read(&self) -> bool {
        !self.was_read.swap(true, Ordering::Relaxed) && self.decision.get().is_none()
    }

    /// Number of elements, if the dataset is known to be ours.
    pub(crate) fn elements(&self) -> Option<u64> {
        let ours = self.decision.get()?.as_ref().ok()?;
        Some(ours.extent.count())
    }

    /// The dataset, if it is ours.
    pub(crate) fn ours(
        &self,
        questions: Questions,
        below: &BelowObject,
        files: &Files,
    ) -> Result<&OurDataset, Reason> {
        self.decision
            .get_or_init(|| OurDataset::examine(questions, below, files))
            .as_ref()
            .map_err(Clone::clone)
    }
}

/// A dataset whose raw data the engine reads.
#[derive(Debug)]
pub(crate) struct OurDataset {
    /// Keeps the file's entry alive.
    _file: Arc<FileEntry>,
    source: Source,
    extent: Extent,
    /// The datatype of its elements.
    datatype: OwnedId,
    element: u64,
    storage: Storage,
    /// Asked for when storage is found missing: most datasets have all of theirs.
    fill: OnceLock<Result<Fill, Reason>>,
    /// A predefined datatype that was found to be the dataset's own, so that it need not be compared again.
    same_type: AtomicI64,
}

/// How it is stored.
#[derive(Debug)]
enum Storage {
    Missing,
    Contiguous(u64),
    External(ExternalFiles),
    Chunked(Box<Chunks>),
}

#[derive(Debug)]
struct Chunks {
    grid: ChunkGrid,
    index: LazyIndex,
}

impl OurDataset {
    fn examine(questions: Questions, below: &BelowObject, files: &Files) -> Result<Self, Reason> {
        let native_file = below.native_file(ObjectKind::Dataset).ok_or(Reason::NotNative)?;
        let entry = files.entry(questions, &native_file)?;
        let file_source = entry.source()?;

        let creation = below.dataset_creation_list().ok_or(Reason::Untold("creation properties"))?;
        let creation = creation.id();
        let is_chunked = match questions.layout(creation) {
            StorageLayout::Contiguous => false,
            StorageLayout::Chunked => true,
            StorageLayout::Compact => return Err(Reason::Compact),
            StorageLayout::Virtual => return Err(Reason::Virtual),
            _ => return Err(Reason::UnknownLayout),
        };
        let filters = questions.filters(creation).ok_or(Reason::Untold("filters"))?;
        if !filters.is_empty() {
            let names = filters.iter().map(|filter| format!("{} ({})", filter.name, filter.id));
            return Err(Reason::Filters(names.collect::<Vec<_>>().join(", ")));
        }

        let facts = entry.facts()?;
        let (datatype, element) = element_type(questions, below, facts)?;
        let extent = extent_of(questions, below)?;
        // Every byte of it can be counted, so no offset inside it overflows.
        extent.count().checked_mul(element).ok_or(Reason::TooLarge)?;

        let source = file_source.clone();
        let storage = if is_chunked {
            chunked(questions, below, creation, &extent, element, facts)?
        } else {
            let segments = questions.external_segments(creation).ok_or(Reason::Untold("external files"))?;
            if segments.is_empty() {
                let offset = below.contiguous_offset().ok_or(Reason::Untold("place in the file"))?;
                if facts.is_undefined(offset) { Storage::Missing } else { Storage::Contiguous(offset) }
            } else {
                let prefix = questions.external_prefix(below.dataset_access_list().as_ref().map(OwnedId::id));
                let file = below.file_name(ObjectKind::Dataset).map(PathBuf::from);
                Storage::External(ExternalFiles::new(
                    segments,
                    prefix,
                    file.as_deref(),
                    external::prefix_of_environment(),
                ))
            }
        };
        Ok(Self {
            _file: entry,
            source,
            extent,
            datatype,
            element,
            storage,
            fill: OnceLock::new(),
            same_type: AtomicI64::new(Id::INVALID.0),
        })
    }

    pub(crate) fn extent(&self) -> &Extent {
        &self.extent
    }

    /// Bytes of an element.
    pub(crate) fn element(&self) -> u64 {
        self.element
    }

    /// Where its bytes are. External files are opened anew for each read, as native HDF5 does: they may have
    /// been replaced.
    pub(crate) fn source(&self) -> Result<Source, Reason> {
        match &self.storage {
            Storage::External(files) => files.open(),
            _ => Ok(self.source.clone()),
        }
    }

    /// What missing data reads as, if the layout of a request has any.
    pub(crate) fn fill(
        &self,
        questions: Questions,
        below: &BelowObject,
        layout: &Layout,
    ) -> Result<Fill, Reason> {
        let has_missing = match layout {
            Layout::Missing => true,
            Layout::Contiguous(_) => false,
            Layout::Chunked { chunks, .. } => chunks.contains(&ChunkAddress::Missing),
        };
        if !has_missing {
            return Ok(Fill::Untouched);
        }
        self.fill.get_or_init(|| fill_of(questions, below, &self.datatype, self.element)).clone()
    }

    /// Whether elements of this type in memory are the stored bytes.
    pub(crate) fn is_stored_as(&self, questions: Questions, memory_type: Id) -> bool {
        if self.same_type.load(Ordering::Relaxed) == memory_type.0 {
            return true;
        }
        let same = questions.same_type(self.datatype.id(), memory_type);
        // Others may be changed under the same identifier.
        if same && questions.is_predefined_type(memory_type) {
            self.same_type.store(memory_type.0, Ordering::Relaxed);
        }
        same
    }

    /// The layout, as far as a selection needs it.
    pub(crate) fn layout(&self, below: &BelowObject, file: &Selection) -> Result<Layout, Reason> {
        match &self.storage {
            Storage::Missing => Ok(Layout::Missing),
            Storage::Contiguous(offset) => Ok(Layout::Contiguous(*offset)),
            Storage::External(_) => Ok(Layout::Contiguous(0)),
            Storage::Chunked(chunks) => {
                let Chunks { grid, index } = &**chunks;
                let touched = grid.touched(file).map_err(|_| Reason::Selection)?;
                let index = index.for_request(touched.count(), grid, below)?;
                let chunks = touched.iter().map(|chunk| index.address(chunk.number)).collect();
                Ok(Layout::Chunked { grid: grid.clone(), chunks })
            }
        }
    }
}

/// The datatype of a dataset's elements and their size, if the stored bytes are all there is to them.
fn element_type(
    questions: Questions,
    below: &BelowObject,
    facts: CreationFacts,
) -> Result<(OwnedId, u64), Reason> {
    let datatype = below.dataset_type().ok_or(Reason::Untold("datatype"))?;
    match questions.indirect_part(datatype.id(), facts) {
        Some(IndirectPart::VariableLength) => return Err(Reason::VariableLength),
        Some(IndirectPart::Reference) => return Err(Reason::Reference),
        None => {}
    }
    // A copy: holding a committed datatype open would be seen by the application, and keep its file open.
    let datatype = questions.copy_of_type(datatype.id()).ok_or(Reason::Untold("datatype"))?;
    let size = questions.element_size(datatype.id()).ok_or(Reason::Untold("datatype"))?;
    Ok((datatype, u64::try_from(size).map_err(|_| Reason::TooLarge)?))
}

fn extent_of(questions: Questions, below: &BelowObject) -> Result<Extent, Reason> {
    let space = below.dataset_space().ok_or(Reason::Untold("dataspace"))?;
    match questions.extent(space.id()) {
        Some(ExtentDescription::Simple(dims)) => Extent::new(dims.as_slice()).map_err(|_| Reason::TooLarge),
        Some(ExtentDescription::Null) => Err(Reason::Nothing),
        None => Err(Reason::Untold("dataspace")),
    }
}

fn chunked(
    questions: Questions,
    below: &BelowObject,
    creation: Id,
    extent: &Extent,
    element: u64,
    facts: CreationFacts,
) -> Result<Storage, Reason> {
    // Such an index stores its chunks in another order than it tells (`H5D__earray_idx_iterate` in 1.14 to
    // 2.2 does not undo what `H5D__earray_idx_insert` did).
    let extensible_array = below.has_extensible_array().ok_or(Reason::Untold("chunks"))?;
    if extensible_array
        && !questions.grows_in_first_dimension(below.dataset_space().ok_or(Reason::Untold("dataspace"))?.id())
    {
        return Err(Reason::UntoldIndex);
    }
    let chunk = questions.chunk_dimensions(creation).ok_or(Reason::Untold("chunks"))?;
    let grid = ChunkGrid::new(extent, &chunk).map_err(|_| Reason::TooLarge)?;
    let bytes = grid.chunk_len().checked_mul(element).ok_or(Reason::TooLarge)?;
    Ok(Storage::Chunked(Box::new(Chunks { grid, index: LazyIndex::new(bytes, facts) })))
}

/// What missing data reads as, by HDF5's rules.
fn fill_of(
    questions: Questions,
    below: &BelowObject,
    datatype: &OwnedId,
    element: u64,
) -> Result<Fill, Reason> {
    let creation = below.dataset_creation_list().ok_or(Reason::Untold("creation properties"))?;
    let (time, value) = questions.fill_rules(creation.id()).ok_or(Reason::Untold("fill value"))?;
    match (time, value) {
        (FillTime::Never, _) => Ok(Fill::Untouched),
        // Native HDF5 refuses to read what is missing then.
        (_, FillValue::Undefined) => Err(Reason::NoFillValue),
        (_, FillValue::Default | FillValue::Set) => {
            let size = usize::try_from(element).map_err(|_| Reason::TooLarge)?;
            questions
                .fill_value(creation.id(), datatype.id(), size)
                .map(Fill::Element)
                .ok_or(Reason::Untold("fill value"))
        }
    }
}
