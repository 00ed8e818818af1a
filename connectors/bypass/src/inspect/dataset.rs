//! A dataset that is ours: where its bytes lie, and what is known about it.

use std::sync::{Arc, OnceLock};

use engine::{Kept, Source};
use h5_host::Questions;
use h5_vol::BelowObject;
use selection::{ChunkGrid, Extent, Selection};
use store::{Stamp, Store};
use trace::Label;

use crate::inspect::chunks::Chunks;
use crate::inspect::element_type::ElementType;
use crate::inspect::file::RawFile;
use crate::inspect::header_data::HeaderData;
use crate::inspect::missing::Fillings;
use crate::inspect::selection::extent_of;
use crate::inspect::storage::Storage;
use crate::inspect::version::Version;
use crate::inspect::virtual_layout::VirtualLayout;
use crate::report::reason::Reason;
use crate::run::cache::Place;
use crate::run::locality::Locality;

/// A dataset whose raw data the engine moves, as it was found when it was last looked at.
#[derive(Debug)]
pub(crate) struct OurDataset {
    pub(super) file: Arc<RawFile>,
    /// How the file was when this was found out.
    pub(super) stamp: Option<Stamp>,
    /// If the file is open for writing: the version that all handles of the dataset share, and its generation at that time.
    pub(super) version: Option<(Arc<Version>, u64)>,
    pub(super) source: Source,
    pub(super) extent: Extent,
    pub(super) elements: Arc<ElementType>,
    pub(super) storage: Storage,
    /// All of its elements, if they are in the object header. To others it is contiguous.
    pub(super) in_header: Option<Arc<HeaderData>>,
    pub(super) fillings: Fillings,
    /// Where it was read last.
    pub(super) locality: Locality,
    /// What it is called in a trace.
    pub(super) label: OnceLock<Label>,
}

impl OurDataset {
    /// The dataset after it has grown to this extent, if the chunks that it has keep their numbers: nothing else need be
    /// found out anew.
    pub(crate) fn grown(&self, extent: &[u64]) -> Option<Self> {
        let (version, _) = self.version.as_ref()?;
        let chunks = self.chunks()?;
        let extent = Extent::new(extent).ok()?;
        extent.count().checked_mul(self.element())?;
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
            revisited: None,
            ..*chunks
        };
        Some(Self {
            file: Arc::clone(&self.file),
            stamp: self.stamp,
            version: Some((Arc::clone(version), version.generation())),
            source: self.source.clone(),
            extent,
            elements: Arc::clone(&self.elements),
            storage: Storage::Chunked(Box::new(chunks)),
            in_header: None,
            fillings: self.fillings.clone(),
            locality: Locality::default(),
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

    /// What its elements are.
    pub(crate) fn elements(&self) -> &ElementType {
        &self.elements
    }

    /// What those of its elements read as that were never written.
    pub(crate) fn fillings(&self) -> &Fillings {
        &self.fillings
    }

    /// What it is called in a trace; found once.
    pub(crate) fn label(&self, find: impl FnOnce() -> Label) -> Label {
        *self.label.get_or_init(find)
    }

    /// Bytes of an element.
    pub(crate) fn element(&self) -> u64 {
        self.elements.size()
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

    /// Whether all of it is known to lie in the file. Where a contiguous dataset lies does not change as long as this holds.
    pub(crate) fn is_inside_file(&self) -> bool {
        let end = |start: u64| start.checked_add(self.extent.count().checked_mul(self.element())?);
        match (&self.storage, &self.source) {
            (Storage::Contiguous(start, _), Source::File(store)) => {
                end(*start).is_some_and(|end| end <= store.end())
            }
            _ => false,
        }
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
            elements * self.element()
        };
        files.open_to_write(&(place(&low)..=place(&high) + self.element() - 1))
    }
}
