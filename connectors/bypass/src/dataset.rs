//! Datasets: whose they are, and where their bytes lie.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use codecs::Pipeline;
use convert::Datatype;
use engine::{ChunkAddress, Converted, Fill, FilteredChunks, Kept, Layout, Source};
use h5_host::questions::{CreationFacts, FillTime, FillValue, IndirectPart, StorageLayout};
use h5_host::{ExtentDescription, Questions};
use h5_vol::{BelowObject, Id, ObjectKind, OwnedId};
use selection::{ChunkGrid, Extent, Selection};
use store::{Stamp, Store};

use crate::ahead::Steps;
use crate::anchor::Anchor;
use crate::array_order::ArrayOrder;
use crate::chunk_index::{ChunkKind, LazyIndex};
use crate::configuration::Configuration;
use crate::conversions::Conversions;
use crate::datatypes::describe;
use crate::decoded::Place;
use crate::external::{self, ExternalFiles};
use crate::file::{FileEntry, Files};
use crate::filters::pipeline;
use crate::reason::Reason;

/// Whose a dataset is: ours, or why not. Decided at the first read, and then for good, since nothing that it depends
/// on can change in a file that nobody writes.
pub(crate) type Decision = Result<Arc<OurDataset>, Reason>;

/// What the connector keeps with a handle of a dataset.
#[derive(Debug)]
pub(crate) struct DatasetState {
    anchor: Option<Arc<Anchor>>,
    decision: RwLock<Option<Decision>>,
    was_read: AtomicBool,
}

impl DatasetState {
    pub(crate) fn new(anchor: Option<Arc<Anchor>>) -> Self {
        Self { anchor, decision: RwLock::new(None), was_read: AtomicBool::new(false) }
    }

    fn decision(&self) -> Option<Decision> {
        self.decision.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn decide(&self, decision: &Decision) {
        *self.decision.write().unwrap_or_else(PoisonError::into_inner) = Some(decision.clone());
    }

    /// Whether this is the first time that the dataset is read, and nothing is known about it yet. Who reads many
    /// datasets in one call keeps them open: that is not worth asking which ones they are, unless some are known.
    pub(crate) fn is_first_read(&self, questions: Questions, below: &BelowObject, is_alone: bool) -> bool {
        if self.was_read.swap(true, Ordering::Relaxed) || self.is_decided() {
            return false;
        }
        let Some(anchor) = &self.anchor else { return true };
        if anchor.is_first_read() || !(is_alone || anchor.knows_some()) {
            return true;
        }
        let Some(identity) = below.identity(ObjectKind::Dataset) else { return true };
        let (is_first, decision) = anchor.see(identity);
        if let Some(decision) = decision.filter(|decision| still_holds(questions, below, decision)) {
            self.decide(&decision);
        }
        is_first
    }

    /// Whether it is known whose the dataset is.
    pub(crate) fn is_decided(&self) -> bool {
        self.decision.read().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// The dataset, if it is known to be ours.
    pub(crate) fn known(&self) -> Option<Arc<OurDataset>> {
        self.decision()?.ok()
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
    ) -> Decision {
        if let Some(decision) = self.decision() {
            return decision;
        }
        let identity = below.identity(ObjectKind::Dataset).ok_or(Reason::NotNative)?;
        let anchor = self.anchor.as_deref();
        let kept = anchor.and_then(|anchor| anchor.see(identity).1);
        let kept = kept.filter(|decision| still_holds(questions, below, decision));
        let decision = kept.unwrap_or_else(|| {
            let entry = files.entry(questions, below, identity.file, anchor);
            let decision = entry
                .and_then(|entry| OurDataset::examine(questions, below, entry, configuration))
                .map(Arc::new);
            if let Some(anchor) = anchor {
                anchor.keep(identity, &decision);
            }
            decision
        });
        self.decide(&decision);
        decision
    }

    /// HDF5 is told to read everything about the dataset anew: so do we.
    pub(crate) fn refresh(&self, below: &BelowObject) {
        if let (Some(anchor), Some(identity)) = (&self.anchor, below.identity(ObjectKind::Dataset)) {
            anchor.forget(identity);
        }
        *self.decision.write().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Whether what was decided for another handle holds for this one: nobody should write the file, but if somebody does,
/// native HDF5 shows it to handles that are opened afterwards.
fn still_holds(questions: Questions, below: &BelowObject, decision: &Decision) -> bool {
    match decision {
        Err(_) => true,
        Ok(dataset) => {
            dataset.stamp == dataset.file.stamp()
                && extent_of(questions, below).is_ok_and(|extent| extent == dataset.extent)
        }
    }
}

/// A dataset whose raw data the engine reads.
#[derive(Debug)]
pub(crate) struct OurDataset {
    file: Arc<FileEntry>,
    /// How the file was when this was found out.
    stamp: Option<Stamp>,
    source: Source,
    extent: Extent,
    /// The datatype of its elements. Not an identifier: the application can count those.
    datatype: Datatype,
    /// Elements contain references: native HDF5 does not copy such elements as a whole even to the same type, but
    /// member by member, and leaves the gaps alone.
    has_references: bool,
    element: u64,
    storage: Storage,
    /// Asked for when storage is found missing: most datasets have all of theirs.
    fill: OnceLock<Result<Filling, Reason>>,
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
        entry: Arc<FileEntry>,
        configuration: Option<&Configuration>,
    ) -> Result<Self, Reason> {
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
        let (datatype, has_references) = element_type(questions, below, facts)?;
        let element = u64::try_from(datatype.size).map_err(|_| Reason::TooLarge)?;
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
            stamp: entry.stamp(),
            file: entry,
            source,
            extent,
            has_references,
            datatype,
            element,
            storage,
            fill: OnceLock::new(),
            same_type: AtomicI64::new(Id::DEFAULT.0),
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
        memory_type != Id::DEFAULT && self.same_type.load(Ordering::Relaxed) == memory_type.0
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
        let fill = self.fill.get_or_init(|| filling_of(questions, below, self.element)).clone()?;
        match (fill, conversion) {
            (Filling::Untouched, _) => Ok(Fill::Untouched),
            // How native HDF5 fills what the conversion leaves alone is its own business.
            (_, Some(with)) if !with.conversion.writes_all() => Err(Reason::Conversion),
            // Zeros are not converted, whatever they would become.
            (Filling::Zeros, with) => zeros(with.map_or(self.element, |with| with.element)),
            (Filling::Value(value), None) => Ok(Fill::Element(value)),
            (Filling::Value(value), Some(with)) => {
                let mut converted = vec![0; usize::try_from(with.element).map_err(|_| Reason::TooLarge)?];
                with.conversion.convert(&value, &mut converted);
                Ok(Fill::Element(converted))
            }
        }
    }

    /// How elements become those of this type in memory; `None` if they are the stored bytes.
    pub(crate) fn conversion(
        &self,
        questions: Questions,
        memory_type: Id,
    ) -> Result<Option<Arc<Converted>>, Reason> {
        if self.is_known_to_be_stored_as(memory_type) {
            return Ok(None);
        }
        let wanted = describe(questions, memory_type).ok_or(Reason::Conversion)?;
        if self.has_references || wanted != self.datatype {
            return self.conversions.to(questions.host(), &self.datatype, wanted).map(Some);
        }
        // Others may be changed under the same identifier.
        if questions.is_predefined_type(memory_type) {
            self.same_type.store(memory_type.0, Ordering::Relaxed);
        }
        Ok(None)
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

/// The datatype of a dataset's elements, if the stored bytes are all there is to them, and whether it has references.
fn element_type(
    questions: Questions,
    below: &BelowObject,
    facts: CreationFacts,
) -> Result<(Datatype, bool), Reason> {
    let datatype = below.dataset_type().ok_or(Reason::Untold("datatype"))?;
    match questions.indirect_part(datatype.id(), facts) {
        Some(IndirectPart::VariableLength) => return Err(Reason::VariableLength),
        Some(IndirectPart::Reference) => return Err(Reason::Reference),
        None => {}
    }
    let description = describe(questions, datatype.id()).ok_or(Reason::UnknownType)?;
    Ok((description, questions.has_references(datatype.id())))
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
    let chunk = questions.chunk_dimensions(creation).ok_or(Reason::Untold("chunks"))?;
    let order = if below.has_extensible_array().ok_or(Reason::Untold("chunks"))? {
        let space = below.dataset_space().ok_or(Reason::Untold("dataspace"))?;
        let largest = questions.largest_dimensions(space.id()).ok_or(Reason::Untold("dataspace"))?;
        Some(ArrayOrder::new(largest.as_slice(), &chunk).ok_or(Reason::OddIndex)?)
    } else {
        None
    };
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
    Ok(Chunks { grid, index: LazyIndex::new(kind, order, facts), filtering })
}

/// What missing data reads as, before any conversion.
#[derive(Debug, Clone)]
enum Filling {
    /// The application's memory stays as it is.
    Untouched,
    /// Zero bytes, of whatever type.
    Zeros,
    /// This element of the dataset's own type.
    Value(Vec<u8>),
}

/// An element of zero bytes.
fn zeros(element: u64) -> Result<Fill, Reason> {
    Ok(Fill::Element(vec![0; usize::try_from(element).map_err(|_| Reason::TooLarge)?]))
}

/// What missing data reads as, by HDF5's rules.
fn filling_of(questions: Questions, below: &BelowObject, element: u64) -> Result<Filling, Reason> {
    let creation = below.dataset_creation_list().ok_or(Reason::Untold("creation properties"))?;
    let (time, value) = questions.fill_rules(creation.id()).ok_or(Reason::Untold("fill value"))?;
    match (time, value) {
        (FillTime::Never, _) => Ok(Filling::Untouched),
        // Native HDF5 refuses to read what is missing then.
        (_, FillValue::Undefined) => Err(Reason::NoFillValue),
        (_, FillValue::Default) => Ok(Filling::Zeros),
        (_, FillValue::Set) => {
            let size = usize::try_from(element).map_err(|_| Reason::TooLarge)?;
            let datatype = below.dataset_type().ok_or(Reason::Untold("datatype"))?;
            questions
                .fill_value(creation.id(), datatype.id(), size)
                .map(Filling::Value)
                .ok_or(Reason::Untold("fill value"))
        }
    }
}
