//! Finding out what there is to know about a dataset, and whether it is ours.

use std::sync::{Arc, OnceLock};

use engine::{ByteStore, Source};
use h5_host::Questions;
use h5_host::questions::StorageLayout;
use h5_vol::BelowObject;
use selection::Extent;

use crate::configuration::Configuration;
use crate::inspect::chunks::Chunks;
use crate::inspect::dataset::OurDataset;
use crate::inspect::element_type::ElementType;
use crate::inspect::file::RawFile;
use crate::inspect::header_data::{Compact, HeaderData};
use crate::inspect::missing::Fillings;
use crate::inspect::selection::extent_of;
use crate::inspect::storage::{Created, Storage, missing_or_external};
use crate::inspect::version::Version;
use crate::inspect::virtual_layout::{Numbers, VirtualLayout};
use crate::inspect::virtual_mappings::VirtualMappings;
use crate::report::reason::Reason;
use crate::run::cache::Place;
use crate::run::locality::Locality;
use crate::run::revisited::Revisited;

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
        compact: Compact,
    ) -> Result<Self, Reason> {
        Self::examine_as(questions, below, file, configuration, version, (None, compact))
    }

    /// The same if it is known how much there is of a virtual dataset.
    pub(crate) fn examine_grown(
        questions: Questions,
        below: &BelowObject,
        file: Arc<RawFile>,
        grown: Grown,
    ) -> Result<Self, Reason> {
        Self::examine_as(questions, below, file, None, None, (Some(grown), Compact::IsLeft))
    }

    fn examine_as(
        questions: Questions,
        below: &BelowObject,
        file: Arc<RawFile>,
        configuration: Option<&Configuration>,
        version: Option<&Arc<Version>>,
        (grown, compact): (Option<Grown>, Compact),
    ) -> Result<Self, Reason> {
        // Before anything is asked: what changes meanwhile makes this outdated.
        let version = version.map(|version| (Arc::clone(version), version.generation()));
        let mut source = file.source()?.clone();

        let facts = file.facts()?;
        // HDF5 tells a place only of contiguous datasets that have storage in the file. They have no filters either: all that
        // the creation list would tell is known, and copying it would take as long as everything else together.
        let offset = below.contiguous_offset(questions).ok_or(Reason::Untold("place in the file"))?;
        let created = if facts.is_undefined(offset) {
            Some(Created::find(questions, below, version.is_some(), compact)?)
        } else {
            None
        };
        let elements = ElementType::ask(questions, below, &file, facts)?;
        let element = elements.size();
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
        if elements.variable().is_some()
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
                if elements.has_references() || elements.variable().is_some() {
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
                if chunks.filtering.is_none() {
                    chunks.revisited = Some(Revisited::new(Place::new(configuration, 0)));
                }
                match &version {
                    Some((version, generation)) => {
                        chunks.index = version.one_index(*generation, &chunks.grid, chunks.index);
                    }
                    None if chunks.filtering.is_none() => {
                        chunks.windows = Some(Place::new(configuration, 0));
                    }
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
            elements: Arc::new(elements),
            storage,
            in_header,
            fillings: Fillings::of(element),
            locality: Locality::default(),
            label: OnceLock::new(),
        })
    }
}
