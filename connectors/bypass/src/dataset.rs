//! Datasets: whose they are, and where their bytes lie.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};

use codecs::Pipeline;
use engine::{ChunkAddress, Converted, Fill, FilteredChunks, Kept, Layout, Source};
use h5_host::questions::{CreationFacts, FillTime, FillValue, IndirectPart, StorageLayout};
use h5_host::{ExtentDescription, Questions};
use h5_vol::{BelowObject, Id, ObjectKind, OwnedId};
use selection::{ChunkGrid, Extent, Selection};
use store::Store;

use crate::ahead::Steps;
use crate::anchor::Anchor;
use crate::chunk_index::{ChunkKind, LazyIndex};
use crate::configuration::Configuration;
use crate::conversions::Conversions;
use crate::decoded::Place;
use crate::external::{self, ExternalFiles};
use crate::file::{FileEntry, Files};
use crate::filters::pipeline;
use crate::reason::Reason;

/// Whose a dataset is: ours, or why not. Decided at the first read, and then for good, since nothing that it depends
/// on can change in a file that nobody writes.
pub(crate) type Decision = Result<OurDataset, Reason>;

/// What the connector keeps with a handle of a dataset.
#[derive(Debug)]
pub(crate) struct DatasetState {
    anchor: Option<Arc<Anchor>>,
    decision: OnceLock<Arc<Decision>>,
    was_read: AtomicBool,
}

impl DatasetState {
    pub(crate) fn new(anchor: Option<Arc<Anchor>>) -> Self {
        Self { anchor, decision: OnceLock::new(), was_read: AtomicBool::new(false) }
    }

    /// Whether this is the first time that the dataset is read, and nothing is known about it yet.
    pub(crate) fn is_first_read(&self, below: &BelowObject) -> bool {
        if self.decision.get().is_some() || self.was_read.swap(true, Ordering::Relaxed) {
            return false;
        }
        match (&self.anchor, below.identity(ObjectKind::Dataset)) {
            (Some(anchor), Some(identity)) => {
                let (is_first, decision) = anchor.see(identity);
                if let Some(decision) = decision {
                    let _ = self.decision.set(decision);
                }
                is_first
            }
            _ => true,
        }
    }

    /// Whether it is known whose the dataset is.
    pub(crate) fn is_decided(&self) -> bool {
        self.decision.get().is_some()
    }

    /// The dataset, if it is known to be ours.
    pub(crate) fn known(&self) -> Option<&OurDataset> {
        (**self.decision.get()?).as_ref().ok()
    }

    /// Number of elements, if the dataset is known to be ours.
    pub(crate) fn elements(&self) -> Option<u64> {
        Some(self.known()?.extent.count())
    }

    /// The dataset, if it is ours.
    pub(crate) fn ours(
        &self,
        questions: Questions,
        below: &BelowObject,
        files: &Files,
        configuration: Option<&Configuration>,
    ) -> Result<&OurDataset, Reason> {
        let decision = self.decision.get_or_init(|| {
            let examine = || Arc::new(OurDataset::examine(questions, below, files, configuration));
            let place = self.anchor.as_ref().zip(below.identity(ObjectKind::Dataset));
            let Some((anchor, identity)) = place else { return examine() };
            anchor.see(identity).1.unwrap_or_else(|| {
                let decision = examine();
                // A datatype with references holds its file open (HDF5's `owned_vol_obj`), and the file its anchor.
                if !(*decision).as_ref().is_ok_and(|dataset| dataset.has_references) {
                    anchor.keep(identity, &decision);
                }
                decision
            })
        });
        (**decision).as_ref().map_err(Clone::clone)
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
    /// Elements contain references: native HDF5 does not copy such elements as a whole even to the same type, but
    /// member by member, and leaves the gaps alone.
    has_references: bool,
    element: u64,
    storage: Storage,
    /// Asked for when storage is found missing: most datasets have all of theirs.
    fill: OnceLock<Result<Fill, Reason>>,
    /// A predefined datatype that was found to be the dataset's own, so that it need not be compared again.
    same_type: AtomicI64,
    conversions: Conversions,
}

/// How it is stored.
#[derive(Debug)]
enum Storage {
    Missing,
    /// From this offset on; short runs are read in windows that are kept here.
    Contiguous(u64, Place),
    External(ExternalFiles),
    Chunked(Box<Chunks>),
}

#[derive(Debug)]
struct Chunks {
    grid: ChunkGrid,
    index: LazyIndex,
    filtering: Option<Filtering>,
}

/// What chunks that filters have gone over take to be read.
#[derive(Debug)]
struct Filtering {
    pipeline: Arc<Pipeline>,
    chunk_bytes: u64,
    place: Place,
    steps: Steps,
}

impl OurDataset {
    fn examine(
        questions: Questions,
        below: &BelowObject,
        files: &Files,
        configuration: Option<&Configuration>,
    ) -> Decision {
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
        let pipeline = pipeline(questions, creation)?;

        let facts = entry.facts()?;
        let (datatype, element) = element_type(questions, below, facts)?;
        let extent = extent_of(questions, below)?;
        // Every byte of it can be counted, so no offset inside it overflows.
        extent.count().checked_mul(element).ok_or(Reason::TooLarge)?;

        let source = file_source.clone();
        let storage = if is_chunked {
            let chunks =
                chunked(questions, below, creation, &extent, element, facts, pipeline, configuration)?;
            Storage::Chunked(Box::new(chunks))
        } else {
            let segments = questions.external_segments(creation).ok_or(Reason::Untold("external files"))?;
            if segments.is_empty() {
                let offset = below.contiguous_offset().ok_or(Reason::Untold("place in the file"))?;
                if facts.is_undefined(offset) {
                    Storage::Missing
                } else {
                    Storage::Contiguous(offset, Place::new(configuration, 0))
                }
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
            has_references: questions.has_references(datatype.id()),
            datatype,
            element,
            storage,
            fill: OnceLock::new(),
            same_type: AtomicI64::new(Id::INVALID.0),
            conversions: Conversions::default(),
        })
    }

    pub(crate) fn extent(&self) -> &Extent {
        &self.extent
    }

    /// Bytes of an element.
    pub(crate) fn element(&self) -> u64 {
        self.element
    }

    /// Where a contiguous dataset begins, and where windows of it are kept.
    pub(crate) fn windows(&self) -> Option<(u64, Kept)> {
        match &self.storage {
            Storage::Contiguous(offset, place) => Some((*offset, place.kept())),
            _ => None,
        }
    }

    /// The file that a dataset which is not in external files lies in.
    pub(crate) fn store(&self) -> Option<&Store> {
        match &self.source {
            Source::File(store) => Some(store),
            Source::External(_) => None,
        }
    }

    /// Whether elements of this type in memory are the stored bytes, as far as that is known without asking.
    pub(crate) fn is_known_to_be_stored_as(&self, memory_type: Id) -> bool {
        self.same_type.load(Ordering::Relaxed) == memory_type.0
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
        conversion: Option<&Converted>,
    ) -> Result<Fill, Reason> {
        let has_missing = match layout {
            Layout::Missing => true,
            Layout::Contiguous(_) => false,
            Layout::Chunked { chunks, .. } => chunks.contains(&ChunkAddress::Missing),
            Layout::Filtered(chunks) => chunks.chunks.contains(&None),
        };
        if !has_missing {
            return Ok(Fill::Untouched);
        }
        let fill =
            self.fill.get_or_init(|| fill_of(questions, below, &self.datatype, self.element)).clone()?;
        match (fill, conversion) {
            // How native HDF5 fills what the conversion leaves alone is its own business.
            (Fill::Element(_), Some(with)) if !with.conversion.writes_all() => Err(Reason::Conversion),
            (Fill::Element(value), Some(with)) => {
                let mut converted = vec![0; usize::try_from(with.element).map_err(|_| Reason::TooLarge)?];
                with.conversion.convert(&value, &mut converted);
                Ok(Fill::Element(converted))
            }
            (fill, _) => Ok(fill),
        }
    }

    /// How elements become those of this type in memory; `None` if they are the stored bytes.
    pub(crate) fn conversion(
        &self,
        questions: Questions,
        memory_type: Id,
    ) -> Result<Option<Arc<Converted>>, Reason> {
        if !self.has_references && self.is_stored_as(questions, memory_type) {
            return Ok(None);
        }
        self.conversions.to(questions, self.datatype.id(), memory_type).map(Some)
    }

    /// Whether elements of this type in memory are the stored bytes.
    fn is_stored_as(&self, questions: Questions, memory_type: Id) -> bool {
        if self.is_known_to_be_stored_as(memory_type) {
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
    pub(crate) fn layout(
        &self,
        below: &BelowObject,
        file: &Selection,
        manner: Manner,
    ) -> Result<Layout, Reason> {
        match &self.storage {
            Storage::Missing => Ok(Layout::Missing),
            Storage::Contiguous(offset, _) => Ok(Layout::Contiguous(*offset)),
            Storage::External(_) => Ok(Layout::Contiguous(0)),
            Storage::Chunked(chunks) => {
                let Chunks { grid, index, filtering } = &**chunks;
                let touched = grid.touched(file).map_err(|_| Reason::Selection)?;
                let index = index.for_request(touched.count(), grid, below)?;
                let Some(filtering) = filtering else {
                    let chunks = touched.iter().map(|chunk| index.address(chunk.number)).collect();
                    return Ok(Layout::Chunked { grid: grid.clone(), chunks });
                };
                let ahead = filtering.ahead(grid, file, touched.count(), manner.threads);
                let ahead = ahead.into_iter().filter_map(|number| Some((number, index.stored(number)?)));
                Ok(Layout::Filtered(Box::new(FilteredChunks {
                    grid: grid.clone(),
                    chunks: touched.iter().map(|chunk| index.stored(chunk.number)).collect(),
                    ahead: ahead.collect(),
                    pipeline: Arc::clone(&filtering.pipeline),
                    verify: manner.verify,
                    // What was not verified is not for those who want it verified.
                    kept: manner.verify.then(|| filtering.place.kept()),
                })))
            }
        }
    }
}

/// How a call wants its data.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Manner {
    /// Whether checksums are verified.
    pub(crate) verify: bool,
    /// Threads that work on a call.
    pub(crate) threads: usize,
}

impl Filtering {
    /// Numbers of chunks to decode ahead: as many as there are threads that a request of few chunks leaves idle.
    fn ahead(&self, grid: &ChunkGrid, file: &Selection, touched: u64, threads: usize) -> Vec<u64> {
        let idle = threads.saturating_sub(usize::try_from(touched).unwrap_or(usize::MAX));
        let room = self.place.kept().cache.capacity() as u64 / 4 / self.chunk_bytes.max(1);
        self.steps.next(grid, file, idle.min(usize::try_from(room).unwrap_or(usize::MAX)))
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

#[expect(clippy::too_many_arguments, reason = "all that was found out so far, used once")]
fn chunked(
    questions: Questions,
    below: &BelowObject,
    creation: Id,
    extent: &Extent,
    element: u64,
    facts: CreationFacts,
    pipeline: Option<Pipeline>,
    configuration: Option<&Configuration>,
) -> Result<Chunks, Reason> {
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
    let kind = ChunkKind {
        bytes,
        is_filtered: pipeline.is_some(),
        edges_unfiltered: pipeline.is_some()
            && questions.leaves_edges_unfiltered(creation).ok_or(Reason::Untold("chunks"))?,
    };
    let filtering = pipeline.map(|pipeline| {
        let access = below.dataset_access_list();
        let wanted = access.and_then(|access| questions.chunk_cache_bytes(access.id())).unwrap_or(0);
        Filtering {
            pipeline: Arc::new(pipeline),
            chunk_bytes: bytes,
            place: Place::new(configuration, wanted),
            steps: Steps::default(),
        }
    });
    Ok(Chunks { grid, index: LazyIndex::new(kind, facts), filtering })
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
