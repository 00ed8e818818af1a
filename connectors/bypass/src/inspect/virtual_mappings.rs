//! The mappings of a virtual dataset as its creation list has them: of no extent yet.

use std::sync::Arc;

use h5_host::{ExtentDescription, PerDimension, Questions, SelectionDescription, SpaceDescription};
use h5_translate::SourcePattern;
use h5_vol::Id;
use selection::{Extent, Growing, Selection};

use crate::report::reason::Reason;

/// All mappings of a virtual dataset.
#[derive(Debug)]
pub(crate) struct VirtualMappings {
    /// Those that map something.
    pub(crate) all: Vec<AskedMapping>,
    /// How many there are.
    pub(crate) count: usize,
}

/// A mapping to a source, or to one source after another.
#[derive(Debug)]
pub(crate) struct AskedMapping {
    pub(crate) file: SourcePattern,
    pub(crate) dataset: SourcePattern,
    pub(crate) kind: MappingKind,
}

#[derive(Debug)]
pub(crate) enum MappingKind {
    /// Something of the virtual dataset is something of the source.
    Limited { mapped: Described, of_source: Arc<Described> },
    /// The more there is of the source, the more there is of the virtual dataset.
    Following { mapped: Growing, of_source: Growing },
    /// Block after block is in one source after another.
    Numbered { mapped: Growing, of_source: Arc<Described> },
}

/// What is selected of a dataset whose extent is not known yet.
#[derive(Debug)]
pub(crate) enum Described {
    All,
    /// Start, stride, count and block, one number for each dimension.
    Regular(Box<[u64]>),
    Blocks(Box<[u64]>),
}

impl VirtualMappings {
    /// Asks for them. Nothing is asked about the extent of the dataset, because HDF5 would change it to what its sources are now.
    pub(crate) fn ask(questions: Questions, creation: Id) -> Result<Self, Reason> {
        let count = questions.virtual_count(creation).ok_or(Reason::Untold("mappings"))?;
        let mut all = Vec::new();
        for index in 0..count {
            let found = questions.virtual_mapping(creation, index).ok_or(Reason::Untold("mappings"))?;
            let pattern = |name| SourcePattern::new(name).ok_or(Reason::VirtualMapping);
            let (file, dataset) = (pattern(&found.file)?, pattern(&found.dataset)?);
            let is_simple = matches!(found.mapped.extent, ExtentDescription::Simple(_));
            if !is_simple {
                return Err(Reason::VirtualMapping);
            }
            let both = (Described::new(&found.mapped)?, Described::new(&found.source)?);
            let (Some(mapped), Some(of_source)) = both else { continue };
            let kind = MappingKind::new(mapped, of_source, file.is_numbered() || dataset.is_numbered())?;
            all.push(AskedMapping { file, dataset, kind });
        }
        Ok(Self { all, count })
    }

    /// How many dimensions the virtual dataset has, if its extent depends on its sources.
    pub(crate) fn rank(&self) -> Option<usize> {
        self.all.iter().find_map(|mapping| match &mapping.kind {
            MappingKind::Limited { .. } => None,
            MappingKind::Following { mapped, .. } | MappingKind::Numbered { mapped, .. } => {
                Some(mapped.ends().count())
            }
        })
    }

    /// Whether the extent of the virtual dataset depends on its sources.
    pub(crate) fn are_growing(&self) -> bool {
        self.all.iter().any(|mapping| !matches!(mapping.kind, MappingKind::Limited { .. }))
    }
}

impl MappingKind {
    fn new(mapped: Described, of_source: Described, is_numbered: bool) -> Result<Self, Reason> {
        match (mapped.growing(), of_source.growing(), is_numbered) {
            (None, None, false) => Ok(Self::Limited { mapped, of_source: Arc::new(of_source) }),
            (Some(mapped), Some(of_source), false) => Ok(Self::Following { mapped, of_source }),
            (Some(mapped), None, true) if mapped.has_blocks() => {
                Ok(Self::Numbered { mapped, of_source: Arc::new(of_source) })
            }
            // HDF5 does not make such mappings.
            _ => Err(Reason::VirtualMapping),
        }
    }
}

impl Described {
    /// What a dataspace selects; `None` if that is nothing.
    fn new(space: &SpaceDescription) -> Result<Option<Self>, Reason> {
        if space.shift.is_some() {
            return Err(Reason::VirtualMapping);
        }
        Ok(Some(match &space.selection {
            SelectionDescription::All => Self::All,
            SelectionDescription::None => return Ok(None),
            SelectionDescription::Regular { start, stride, count, block } => {
                Self::Regular([start, stride, count, block].map(PerDimension::as_slice).concat().into())
            }
            SelectionDescription::Blocks(corners) => Self::Blocks(corners.as_slice().into()),
            // HDF5 has none of these in mappings.
            SelectionDescription::Points(_) => return Err(Reason::VirtualMapping),
        }))
    }

    /// The numbers of a regular selection.
    fn regular(&self) -> Option<[&[u64]; 4]> {
        let Self::Regular(numbers) = self else { return None };
        let mut each = numbers.chunks_exact((numbers.len() / 4).max(1));
        Some([(); 4].map(|()| each.next().unwrap_or_default()))
    }

    /// The last coordinates in each dimension, unless everything is selected.
    pub(crate) fn ends(&self, rank: usize) -> Vec<u64> {
        match self {
            Self::All => Vec::new(),
            Self::Regular(_) => {
                let [start, stride, count, block] = self.regular().unwrap_or_default();
                let end = |dim: usize| {
                    let blocks = count[dim].saturating_sub(1).saturating_mul(stride[dim]);
                    start[dim].saturating_add(blocks).saturating_add(block[dim].saturating_sub(1))
                };
                (0..start.len()).map(end).collect()
            }
            Self::Blocks(corners) => {
                let mut ends = vec![0; rank];
                for block in corners.chunks_exact((2 * rank).max(1)) {
                    ends.iter_mut().zip(&block[rank..]).for_each(|(end, last)| *end = (*end).max(*last));
                }
                ends
            }
        }
    }

    /// The same without an end, if it has none.
    fn growing(&self) -> Option<Growing> {
        let [start, stride, count, block] = self.regular()?;
        Growing::new(start, stride, count, block)
    }

    /// What is selected of a dataset of this extent. Native HDF5 has its own ways if that does not fit.
    pub(crate) fn in_extent(&self, extent: &Extent) -> Result<Selection, Reason> {
        let selection = match self {
            Self::All => Ok(Selection::all(extent)),
            Self::Blocks(corners) => Selection::blocks(extent, corners),
            Self::Regular(_) => {
                let [start, stride, count, block] = self.regular().unwrap_or_default();
                Selection::hyperslab(extent, start, stride, count, block)
            }
        };
        selection.map_err(|_| Reason::VirtualMapping)
    }
}
