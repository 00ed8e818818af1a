//! The mappings of a virtual dataset.

use std::collections::HashMap;
use std::ffi::CString;

use h5_host::{ExtentDescription, Questions, SelectionDescription, SpaceDescription};
use h5_vol::Id;
use selection::{Boxes, Extent, Selection};

use crate::inspect::selection::Selected;
use crate::report::reason::Reason;

/// Where the elements of a virtual dataset are. What HDF5 may change as sources appear is not here: such datasets are
/// left to it.
#[derive(Debug)]
pub(crate) struct VirtualLayout {
    mappings: Vec<Mapping>,
    /// Around what they map.
    boxes: Boxes,
    sources: Vec<SourceName>,
}

/// Elements of a virtual dataset that are those of a source, in their order.
#[derive(Debug)]
pub(crate) struct Mapping {
    /// Of the virtual dataset.
    pub(crate) mapped: Selection,
    /// Of the source.
    of_source: OfSource,
    /// The number of the source.
    pub(crate) source: usize,
}

/// The names of a source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct SourceName {
    /// That of its file; `.` is that of the virtual dataset.
    pub(crate) file: CString,
    pub(crate) dataset: CString,
}

/// What is selected of a source whose extent is not known yet.
#[derive(Debug)]
enum OfSource {
    All,
    /// One number for each dimension: start, stride, count and block.
    Regular([Box<[u64]>; 4]),
    Blocks(Box<[u64]>),
}

impl VirtualLayout {
    pub(crate) fn examine(questions: Questions, creation: Id, extent: &Extent) -> Result<Self, Reason> {
        let count = questions.virtual_count(creation).ok_or(Reason::Untold("mappings"))?;
        let (mut mappings, mut sources, mut numbers) = (Vec::new(), Vec::new(), HashMap::new());
        for index in 0..count {
            let found = questions.virtual_mapping(creation, index).ok_or(Reason::Untold("mappings"))?;
            // A `%` stands for a number, or for itself.
            let is_pattern = |name: &CString| name.as_bytes().contains(&b'%');
            if found.is_unlimited() || is_pattern(&found.file) || is_pattern(&found.dataset) {
                return Err(Reason::VirtualUnlimited);
            }
            let name = SourceName { file: found.file, dataset: found.dataset };
            let source = *numbers.entry(name).or_insert_with_key(|name| {
                sources.push(name.clone());
                sources.len() - 1
            });
            let Some(of_source) = OfSource::new(&found.source)? else { continue };
            mappings.push(Mapping { mapped: mapped(&found.mapped, extent)?, of_source, source });
        }
        let boxes = Boxes::around(mappings.iter().map(|mapping| &mapping.mapped));
        Ok(Self { mappings, boxes, sources })
    }

    /// The mappings that may have something of a selection, in their order.
    pub(crate) fn touched(&self, selection: &Selection) -> impl Iterator<Item = &Mapping> {
        let numbers = selection.bounds().map(|(low, high)| self.boxes.touched(&low, &high));
        numbers.unwrap_or_default().into_iter().map(|number| &self.mappings[number])
    }

    /// Whether no two mappings are known to map the same element.
    pub(crate) fn are_apart(&self) -> bool {
        self.boxes.are_apart()
    }

    /// The names of a source.
    pub(crate) fn name(&self, source: usize) -> &SourceName {
        &self.sources[source]
    }
}

impl Mapping {
    /// What is selected of the source, which has this extent. Native HDF5 has its own ways if that does not fit.
    pub(crate) fn of_source(&self, extent: &Extent) -> Result<Selection, Reason> {
        let selection = match &self.of_source {
            OfSource::All => Ok(Selection::all(extent)),
            OfSource::Regular([start, stride, count, block]) => {
                Selection::hyperslab(extent, start, stride, count, block)
            }
            OfSource::Blocks(corners) => Selection::blocks(extent, corners),
        };
        let selection = selection.map_err(|_| Reason::VirtualMapping)?;
        if selection.len() == self.mapped.len() { Ok(selection) } else { Err(Reason::VirtualMapping) }
    }
}

impl OfSource {
    /// What a dataspace selects; `None` if that is nothing.
    fn new(space: &SpaceDescription) -> Result<Option<Self>, Reason> {
        if space.shift.is_some() {
            return Err(Reason::VirtualMapping);
        }
        Ok(Some(match &space.selection {
            SelectionDescription::All => Self::All,
            SelectionDescription::None => return Ok(None),
            SelectionDescription::Regular { start, stride, count, block } => {
                Self::Regular([start, stride, count, block].map(|numbers| numbers.as_slice().into()))
            }
            SelectionDescription::Blocks(corners) => Self::Blocks(corners.as_slice().into()),
            SelectionDescription::Points(_) => return Err(Reason::VirtualMapping),
        }))
    }
}

/// What is mapped of a virtual dataset of this extent.
fn mapped(space: &SpaceDescription, extent: &Extent) -> Result<Selection, Reason> {
    let is_simple = matches!(space.extent, ExtentDescription::Simple(_));
    let is_in_order = !matches!(space.selection, SelectionDescription::Points(_));
    if space.shift.is_some() || !is_simple || !is_in_order {
        return Err(Reason::VirtualMapping);
    }
    Selected::in_extent(extent, space).map(|found| found.selection).map_err(|_| Reason::VirtualMapping)
}
