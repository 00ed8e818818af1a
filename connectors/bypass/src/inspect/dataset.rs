//! A dataset that is ours: where its bytes lie, and how they become the application's.

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use convert::{Datatype, VariableConversion};
use engine::{ByteStore, Converted, Fill, Kept, Layout, Source};
use global_lock::Use;
use h5_host::questions::{CreationFacts, IndirectPart, StorageLayout};
use h5_host::{ExtentDescription, Host, Questions};
use h5_vol::{BelowObject, Id};
use selection::{ChunkGrid, Extent, Selection};
use store::{Stamp, Store};
use trace::Label;

use crate::configuration::Configuration;
use crate::inspect::chunks::Chunks;
use crate::inspect::conversions::Conversions;
use crate::inspect::datatypes::describe;
use crate::inspect::file::RawFile;
use crate::inspect::fill::{
    Filling, Missing, filler_of, filling_of, filling_of_gaps, is_converted_with_others, is_filled_with_zeros,
    zeros,
};
use crate::inspect::header_data::HeaderData;
use crate::inspect::storage::{Created, Storage, missing_or_external};
use crate::inspect::variable::VariableType;
use crate::inspect::version::Version;
use crate::inspect::virtual_layout::{Numbers, VirtualLayout};
use crate::inspect::virtual_mappings::VirtualMappings;
use crate::report::reason::Reason;
use crate::run::cache::Place;
use crate::run::locality::Locality;

/// A dataset whose raw data the engine moves, as it was found when it was last looked at.
#[derive(Debug)]
pub(crate) struct OurDataset {
    file: Arc<RawFile>,
    /// How the file was when this was found out.
    stamp: Option<Stamp>,
    /// If the file is open for writing: the version that all handles of the dataset share, and its generation at that time.
    version: Option<(Arc<Version>, u64)>,
    source: Source,
    extent: Extent,
    /// The datatype of its elements. Not an identifier: the application can count those.
    datatype: Arc<Datatype>,
    /// Elements contain references: native HDF5 does not copy such elements as a whole even to the same type, but
    /// member by member, and leaves the gaps alone.
    has_references: bool,
    /// The datatype in memory, if it has variable-length parts.
    variable: Option<Arc<VariableType>>,
    element: u64,
    storage: Storage,
    /// All of its elements, if they are in the object header. To others it is contiguous.
    in_header: Option<Arc<HeaderData>>,
    /// Asked for when storage is found missing: most datasets have all of theirs.
    fill: OnceLock<Result<Filling, Reason>>,
    /// The same for chunks that are written in part only.
    filler: OnceLock<Result<Arc<[u8]>, Reason>>,
    /// A datatype of the library's own that is the dataset's: others are compared with it in one question. Or one of the
    /// numbers below.
    same_type: AtomicI64,
    /// How often a datatype of the library's own was searched for.
    searches: AtomicU32,
    /// Where it was read last.
    locality: Locality,
    conversions: Arc<Conversions>,
    /// From the application's types to its own.
    written_from: Arc<Conversions>,
    /// What it is called in a trace.
    label: OnceLock<Label>,
}

/// Nobody has used the dataset's own type in memory yet.
const NO_TYPE_YET: i64 = 0;
/// Somebody has, once, by an identifier of their own.
const TYPE_USED_ONCE: i64 = -1;
/// The library has no such type.
const NO_SUCH_TYPE: i64 = -2;

/// How often a datatype of the library's own is searched for: it takes as long as several reads.
const SEARCHES: u32 = 8;

/// A virtual dataset whose extent depends on its sources, as native HDF5 has found it.
pub(crate) struct Grown {
    pub(crate) extent: Extent,
    pub(crate) layout: VirtualLayout,
}

impl OurDataset {
    pub(crate) fn examine(
        questions: Questions,
        below: &BelowObject,
        file: Arc<RawFile>,
        configuration: Option<&Configuration>,
        version: Option<&Arc<Version>>,
    ) -> Result<Self, Reason> {
        Self::examine_as(questions, below, file, configuration, version, None)
    }

    /// The same if it is known how much there is of a virtual dataset.
    pub(crate) fn examine_grown(
        questions: Questions,
        below: &BelowObject,
        file: Arc<RawFile>,
        grown: Grown,
    ) -> Result<Self, Reason> {
        Self::examine_as(questions, below, file, None, None, Some(grown))
    }

    fn examine_as(
        questions: Questions,
        below: &BelowObject,
        file: Arc<RawFile>,
        configuration: Option<&Configuration>,
        version: Option<&Arc<Version>>,
        grown: Option<Grown>,
    ) -> Result<Self, Reason> {
        // Before anything is asked: what changes meanwhile makes this outdated.
        let version = version.map(|version| (Arc::clone(version), version.generation()));
        let mut source = file.source()?.clone();

        let facts = file.facts()?;
        // HDF5 tells a place only of contiguous datasets that have storage in the file. They have no filters either: all that
        // the creation list would tell is known, and copying it would take as long as everything else together.
        let offset = below.contiguous_offset(questions).ok_or(Reason::Untold("place in the file"))?;
        let created = if facts.is_undefined(offset) {
            Some(Created::find(questions, below, version.is_some())?)
        } else {
            None
        };
        let ElementType { datatype, has_references, variable } =
            element_type(questions, below, &file, facts)?;
        let element = u64::try_from(datatype.size).map_err(|_| Reason::TooLarge)?;
        // Asking for the extent of a virtual dataset changes it, if there is more of its sources now.
        let mappings = match &created {
            Some(Created { list, layout: StorageLayout::Virtual, .. }) if grown.is_none() => {
                let asked = VirtualMappings::ask(questions, list.id())?;
                if asked.are_growing() {
                    return Err(Reason::VirtualUnlimited);
                }
                Some(asked)
            }
            _ => None,
        };
        let extent = match &grown {
            Some(grown) => grown.extent.clone(),
            None => extent_of(questions, below)?,
        };
        // Every byte of it can be counted, so no offset inside it overflows.
        extent.count().checked_mul(element).ok_or(Reason::TooLarge)?;

        // How such elements are stored was concluded, not told.
        if variable.is_some()
            && created.is_none()
            && below.contiguous_bytes(questions) != extent.count().checked_mul(element)
        {
            return Err(Reason::UnknownType);
        }
        let mut in_header = None;
        let storage = match created {
            None => Storage::Contiguous(offset, Place::new(configuration, 0)),
            Some(Created { layout: StorageLayout::Compact, .. }) => {
                // Elements of other types are not stored as they are in memory.
                if has_references || variable.is_some() {
                    return Err(Reason::Compact);
                }
                if extent.count() == 0 {
                    return Err(Reason::Nothing);
                }
                let data = HeaderData::read(questions, below, extent.count().saturating_mul(element))?;
                source = Source::Other(Arc::clone(&data) as Arc<dyn ByteStore>);
                in_header = Some(data);
                Storage::Contiguous(0, Place::new(configuration, 0))
            }
            Some(Created { layout: StorageLayout::Virtual, .. }) => {
                let layout = match (grown, mappings) {
                    (Some(grown), _) => grown.layout,
                    (None, Some(asked)) => VirtualLayout::new(&asked, &extent, &[], &mut Numbers::new())?,
                    (None, None) => return Err(Reason::Virtual),
                };
                Storage::Virtual(Box::new(layout))
            }
            Some(Created { list, layout: StorageLayout::Chunked, pipeline, lacks_filter }) => {
                let creation = list.id();
                let mut chunks = Chunks::examine(
                    questions,
                    below,
                    creation,
                    &extent,
                    element,
                    facts,
                    pipeline,
                    configuration,
                )?;
                chunks.lacks_filter = lacks_filter;
                match &version {
                    Some((version, generation)) => {
                        chunks.index = version.one_index(*generation, &chunks.grid, chunks.index);
                    }
                    None if chunks.filtering.is_none() => chunks.windows = Some(Place::new(configuration, 0)),
                    None => {}
                }
                Storage::Chunked(Box::new(chunks))
            }
            Some(Created { list, .. }) => missing_or_external(questions, below, list.id())?,
        };
        Ok(Self {
            stamp: file.stamp(),
            file,
            version,
            source,
            extent,
            has_references,
            variable: variable.map(Arc::new),
            datatype: Arc::new(datatype),
            element,
            storage,
            in_header,
            fill: OnceLock::new(),
            filler: OnceLock::new(),
            same_type: AtomicI64::new(NO_TYPE_YET),
            searches: AtomicU32::new(0),
            locality: Locality::default(),
            conversions: Arc::default(),
            written_from: Arc::default(),
            label: OnceLock::new(),
        })
    }

    /// The dataset after it has grown to this extent, if the chunks that it has keep their numbers: nothing else need be
    /// found out anew.
    pub(crate) fn grown(&self, extent: &[u64]) -> Option<Self> {
        let (version, _) = self.version.as_ref()?;
        let chunks = self.chunks()?;
        let extent = Extent::new(extent).ok()?;
        extent.count().checked_mul(self.element)?;
        let grid = ChunkGrid::new(&extent, chunks.grid.chunk_dims()).ok()?;
        if !chunks.grid.is_beginning_of(&grid) {
            return None;
        }
        let chunks = Chunks {
            grid,
            index: Arc::clone(&chunks.index),
            pipeline: Arc::clone(&chunks.pipeline),
            filtering: chunks.filtering.clone(),
            windows: None,
            ..*chunks
        };
        Some(Self {
            file: Arc::clone(&self.file),
            stamp: self.stamp,
            version: Some((Arc::clone(version), version.generation())),
            source: self.source.clone(),
            extent,
            datatype: Arc::clone(&self.datatype),
            has_references: self.has_references,
            variable: self.variable.clone(),
            element: self.element,
            storage: Storage::Chunked(Box::new(chunks)),
            in_header: None,
            fill: self.fill.clone(),
            filler: self.filler.clone(),
            same_type: AtomicI64::new(self.same_type.load(Ordering::Relaxed)),
            searches: AtomicU32::new(self.searches.load(Ordering::Relaxed)),
            locality: Locality::default(),
            conversions: Arc::clone(&self.conversions),
            written_from: Arc::clone(&self.written_from),
            label: self.label.clone(),
        })
    }

    /// Whether the file is open for writing.
    pub(crate) fn is_writable(&self) -> bool {
        self.version.is_some()
    }

    /// Whether it must be looked at again.
    pub(crate) fn is_outdated(&self) -> bool {
        self.file.is_revoked()
            || self.version.as_ref().is_some_and(|(version, then)| version.generation() != *then)
    }

    /// Whether nothing that it depends on has changed in a file that nobody should write.
    pub(crate) fn is_as_found(&self, questions: Questions, below: &BelowObject) -> bool {
        // A compact dataset cannot be resized.
        self.stamp == self.file.stamp()
            && (self.in_header.is_some()
                || extent_of(questions, below).is_ok_and(|extent| extent == self.extent))
    }

    /// The file it lies in.
    pub(crate) fn file(&self) -> &RawFile {
        &self.file
    }

    pub(crate) fn storage(&self) -> &Storage {
        &self.storage
    }

    /// All of its elements, if they are in the object header.
    pub(crate) fn in_header(&self) -> Option<&HeaderData> {
        self.in_header.as_deref()
    }

    /// Its chunks, if it has any.
    pub(crate) fn chunks(&self) -> Option<&Chunks> {
        match &self.storage {
            Storage::Chunked(chunks) => Some(chunks),
            _ => None,
        }
    }

    /// Its mappings, if it is virtual.
    pub(crate) fn mappings(&self) -> Option<&VirtualLayout> {
        match &self.storage {
            Storage::Virtual(layout) => Some(layout),
            _ => None,
        }
    }

    /// Whether filters have gone over its chunks.
    pub(crate) fn is_filtered(&self) -> bool {
        self.chunks().is_some_and(|chunks| chunks.filtering.is_some())
    }

    pub(crate) fn extent(&self) -> &Extent {
        &self.extent
    }

    /// The datatype of its elements.
    pub(crate) fn datatype(&self) -> &Datatype {
        &self.datatype
    }

    /// The datatype in memory, if it has variable-length parts.
    pub(crate) fn variable(&self) -> Option<&VariableType> {
        self.variable.as_deref()
    }

    /// Whether its elements contain references.
    pub(crate) fn has_references(&self) -> bool {
        self.has_references
    }

    /// What it is called in a trace; found once.
    pub(crate) fn label(&self, find: impl FnOnce() -> Label) -> Label {
        *self.label.get_or_init(find)
    }

    /// Bytes of an element.
    pub(crate) fn element(&self) -> u64 {
        self.element
    }

    /// Where windows of a dataset that is stored as it is and cannot change are kept.
    pub(crate) fn windows(&self) -> Option<Kept> {
        match &self.storage {
            Storage::Contiguous(_, place) if self.version.is_none() => Some(place.kept()),
            Storage::Chunked(chunks) => chunks.windows.as_ref().map(Place::kept),
            _ => None,
        }
    }

    /// Where it was read last.
    pub(crate) fn locality(&self) -> &Locality {
        &self.locality
    }

    /// The file that a dataset which is not in external files lies in.
    pub(crate) fn store(&self) -> Option<&Store> {
        match &self.source {
            Source::File(store) => Some(store),
            Source::External(_) | Source::Other(_) => None,
        }
    }

    /// Whether elements of this type in memory are the stored bytes, as far as that is known after one question.
    fn is_stored_as(&self, questions: Questions, memory_type: Id) -> bool {
        let known = Id(self.same_type.load(Ordering::Relaxed));
        known.is_valid() && (known == memory_type || questions.same_type(known, memory_type))
    }

    /// Notes that elements of this type in memory are the stored bytes.
    fn note_same_type(&self, questions: Questions, memory_type: Id) {
        let known = self.same_type.load(Ordering::Relaxed);
        let noted = if questions.is_predefined_type(memory_type) {
            memory_type.0
        } else if known == NO_TYPE_YET {
            // Many datasets are used once.
            TYPE_USED_ONCE
        } else if known == TYPE_USED_ONCE {
            // Other types may be changed under the same identifier, but not the library's own.
            questions.same_predefined_type(memory_type).map_or(NO_SUCH_TYPE, |same| same.0)
        } else {
            return;
        };
        self.same_type.store(noted, Ordering::Relaxed);
    }

    /// Where its bytes are. External files are opened anew for each read, as native HDF5 does: they may have
    /// been replaced.
    pub(crate) fn source(&self) -> Result<Source, Reason> {
        match &self.storage {
            Storage::External(files) => files.open(),
            _ => Ok(self.source.clone()),
        }
    }

    /// Where these of its elements are to be written to.
    pub(crate) fn target(&self, file: &Selection) -> Result<Source, Reason> {
        let Storage::External(files) = &self.storage else { return Ok(self.source.clone()) };
        let (low, high) = file.bounds().ok_or(Reason::Nothing)?;
        let strides = self.extent.strides();
        // All of it lies in the extent, whose bytes are countable.
        let place = |corner: &[u64]| -> u64 {
            let elements: u64 = corner.iter().zip(strides.iter()).map(|(at, step)| at * step).sum();
            elements * self.element
        };
        files.open_to_write(&(place(&low)..=place(&high) + self.element - 1))
    }

    /// What missing data reads as, if the layout of a request has any.
    pub(crate) fn fill(
        &self,
        questions: Questions,
        below: &BelowObject,
        layout: &Layout,
        conversion: Option<&Converted>,
    ) -> Result<Fill, Reason> {
        let missing = Missing::of(layout);
        if missing == Missing::Nothing {
            return Ok(Fill::Untouched);
        }
        let is_chunked = !matches!(layout, Layout::Missing);
        match (self.filling(questions, below)?, conversion) {
            (Filling::Untouched, _) => Ok(Fill::Untouched),
            // How native HDF5 fills what the conversion leaves alone is its own business.
            (_, Some(with)) if !with.conversion.writes_all() => Err(Reason::Conversion),
            (Filling::Zeros, Some(with)) if is_chunked => {
                let converted = converted(&zeros(self.element)?, with)?;
                let plain = zeros(with.element)?;
                match (is_converted_with_others(questions.host()), missing) {
                    _ if converted == plain => Ok(Fill::Element(plain)),
                    (Some(false), _) => Ok(Fill::Element(plain)),
                    (Some(true), Missing::Some) => Ok(Fill::Element(converted)),
                    // There may be other chunks, or none.
                    _ => Err(Reason::Conversion),
                }
            }
            // Zeros are not converted, whatever they would become.
            (Filling::Zeros, with) => {
                zeros(with.map_or(self.element, |with| with.element)).map(Fill::Element)
            }
            (Filling::Value(value), None) => Ok(Fill::Element(value)),
            (Filling::Value(value), Some(with)) => converted(&value, with).map(Fill::Element),
        }
    }

    /// What is read in place of missing elements that have variable-length parts: no values. `None` if nothing is missing.
    pub(crate) fn fill_variable(
        &self,
        questions: Questions,
        below: &BelowObject,
        layout: &Layout,
        conversion: &VariableConversion,
    ) -> Result<Option<Vec<u8>>, Reason> {
        if Missing::of(layout) == Missing::Nothing {
            return Ok(None);
        }
        let stored = zeros(self.element)?;
        let mut in_memory = vec![0xff; conversion.memory()];
        // What an application sets as fill value may have values itself, which native HDF5 copies for each element.
        if !conversion.writes_all() || !is_filled_with_zeros(questions, below)? {
            return Err(Reason::Conversion);
        }
        conversion.finish(&stored, &mut in_memory);
        if in_memory.iter().all(|byte| *byte == 0) { Ok(Some(stored)) } else { Err(Reason::Conversion) }
    }

    /// What the elements of a virtual dataset read as that no source has. `None` if memory stays as it is.
    pub(crate) fn fill_of_gaps(
        &self,
        questions: Questions,
        below: &BelowObject,
        conversion: Option<&Converted>,
    ) -> Result<Fill, Reason> {
        let filling = || filling_of_gaps(questions, below, self.element);
        match (self.fill.get_or_init(filling).clone()?, conversion) {
            (Filling::Untouched, _) => Ok(Fill::Untouched),
            // Zeros are not converted, whatever they would become.
            (Filling::Zeros, with) => {
                zeros(with.map_or(self.element, |with| with.element)).map(Fill::Element)
            }
            (Filling::Value(value), None) => Ok(Fill::Element(value)),
            // How native HDF5 fills what the conversion leaves alone is its own business.
            (Filling::Value(_), Some(with)) if !with.conversion.writes_all() => Err(Reason::Conversion),
            (Filling::Value(value), Some(with)) => converted(&value, with).map(Fill::Element),
        }
    }

    /// What missing data reads as, before any conversion.
    pub(crate) fn filling(&self, questions: Questions, below: &BelowObject) -> Result<Filling, Reason> {
        self.fill.get_or_init(|| filling_of(questions, below, self.element)).clone()
    }

    /// How elements become those of this type in memory; `None` if they are the stored bytes.
    pub(crate) fn conversion(
        &self,
        questions: Questions,
        memory_type: Id,
    ) -> Result<Option<Arc<Converted>>, Reason> {
        self.conversion_if_needed(questions, memory_type, &self.conversions, Conversions::to)
    }

    /// How elements of this type in memory become those to store; `None` if they are the same.
    pub(crate) fn conversion_from(
        &self,
        questions: Questions,
        memory_type: Id,
    ) -> Result<Option<Arc<Converted>>, Reason> {
        self.conversion_if_needed(questions, memory_type, &self.written_from, Conversions::from)
    }

    /// How elements become those of this type in memory, or the reverse, for short runs; `Some(None)` if they are the stored
    /// bytes. Clients make a datatype for each call: it is compared with the library's own, and the one that is the same is
    /// searched for a few times only. If there is none, it is compared with a copy of the dataset's. `None` if nothing was found.
    #[expect(clippy::option_option, reason = "not known, or not needed")]
    pub(crate) fn conversion_of_short_run(
        &self,
        questions: Questions,
        below: &BelowObject,
        memory_type: Id,
        what: Use,
    ) -> Option<Option<Arc<Converted>>> {
        if self.variable.is_some() {
            return None;
        }
        let conversions = match what {
            Use::Read => &self.conversions,
            Use::Write => &self.written_from,
        };
        let own = Id(self.same_type.load(Ordering::Relaxed));
        if own.is_valid() && own == memory_type {
            return Some(None);
        }
        let known = conversions.last_predefined();
        if let Some((_, with)) = known.as_ref().filter(|(id, _)| *id == memory_type) {
            return Some(Some(Arc::clone(with)));
        }
        if own.is_valid() && questions.same_type(own, memory_type) {
            return Some(None);
        }
        if let Some((_, with)) = known.filter(|(id, _)| questions.same_type(*id, memory_type)) {
            return Some(Some(with));
        }
        if self.searches.fetch_add(1, Ordering::Relaxed) >= SEARCHES {
            self.searches.store(SEARCHES, Ordering::Relaxed);
            return None;
        }
        if own.0 == NO_SUCH_TYPE && questions.same_type_as(below.dataset_type(questions)?, memory_type) {
            self.searches.fetch_sub(1, Ordering::Relaxed);
            return Some(None);
        }
        let same = questions.same_predefined_type(memory_type)?;
        match what {
            Use::Read => self.conversion(questions, same).ok(),
            Use::Write => self.conversion_from(questions, same).ok(),
        }
    }

    /// What is found for a type in memory, unless its elements are the stored bytes.
    fn conversion_if_needed(
        &self,
        questions: Questions,
        memory_type: Id,
        conversions: &Conversions,
        find: impl FnOnce(&Conversions, Host, &Datatype, Datatype) -> Result<Arc<Converted>, Reason>,
    ) -> Result<Option<Arc<Converted>>, Reason> {
        if let Some(known) = conversions.of_predefined(memory_type) {
            return Ok(Some(known));
        }
        if self.is_stored_as(questions, memory_type) {
            return Ok(None);
        }
        let in_memory = describe(questions, memory_type).ok_or(Reason::Conversion)?;
        if self.has_references || in_memory != *self.datatype {
            let found = find(conversions, questions.host(), &self.datatype, in_memory)?;
            if questions.is_predefined_type(memory_type) {
                conversions.note_predefined(memory_type, &found);
            }
            return Ok(Some(found));
        }
        self.note_same_type(questions, memory_type);
        Ok(None)
    }

    /// The element that the rest of a new chunk is filled with when a part of it is written.
    pub(crate) fn filler(&self, questions: Questions, below: &BelowObject) -> Result<Arc<[u8]>, Reason> {
        let filler = || filler_of(questions, below, self.element).map(Arc::from);
        self.filler.get_or_init(filler).clone()
    }

    /// The same, if it was asked for before.
    pub(crate) fn known_filler(&self) -> Option<&[u8]> {
        self.filler.get()?.as_deref().ok()
    }
}

/// The datatype of a dataset's elements.
struct ElementType {
    /// As they are stored.
    datatype: Datatype,
    has_references: bool,
    /// As they are in memory, if they have variable-length parts.
    variable: Option<VariableType>,
}

/// The datatype of a dataset's elements, if the file has all there is to them.
fn element_type(
    questions: Questions,
    below: &BelowObject,
    file: &RawFile,
    facts: CreationFacts,
) -> Result<ElementType, Reason> {
    let id = below.dataset_type(questions).ok_or(Reason::Untold("datatype"))?;
    let (datatype, variable) = match questions.indirect_part(id.id(), facts) {
        Some(IndirectPart::VariableLength) if file.has_plain_metadata() && facts.is_wide() => {
            let (variable, stored) = VariableType::describe(questions, id.id())?;
            (stored, Some(variable))
        }
        Some(IndirectPart::VariableLength) => return Err(Reason::VariableLength),
        Some(IndirectPart::Reference) => return Err(Reason::Reference),
        None => (describe(questions, id.id()).ok_or(Reason::UnknownType)?, None),
    };
    Ok(ElementType { datatype, has_references: questions.has_references(id.id()), variable })
}

/// An element as it is in memory.
fn converted(element: &[u8], with: &Converted) -> Result<Vec<u8>, Reason> {
    let mut converted = zeros(with.element)?;
    with.conversion.convert(element, &mut converted);
    Ok(converted)
}

pub(crate) fn extent_of(questions: Questions, below: &BelowObject) -> Result<Extent, Reason> {
    let space = below.dataset_space(questions).ok_or(Reason::Untold("dataspace"))?;
    match questions.extent(space.id()) {
        Some(ExtentDescription::Simple(dims)) => Extent::new(dims.as_slice()).map_err(|_| Reason::TooLarge),
        Some(ExtentDescription::Null) => Err(Reason::Nothing),
        None => Err(Reason::Untold("dataspace")),
    }
}
