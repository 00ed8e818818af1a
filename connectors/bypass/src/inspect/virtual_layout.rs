//! Where the elements of a virtual dataset are, given its extent.

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::Arc;

use selection::{Boxes, Extent, Growing, Selection};

use crate::inspect::plain_hint::PlainHint;
use crate::inspect::virtual_mappings::{AskedMapping, Described, MappingKind, VirtualMappings};
use crate::report::reason::Reason;

/// How many mappings a numbered one may become.
const MOST_NUMBERED: u64 = 1 << 20;

/// Where the elements of a virtual dataset are.
#[derive(Debug)]
pub(crate) struct VirtualLayout {
    mappings: Vec<Mapping>,
    /// Around what they map.
    boxes: Boxes,
    /// How many there are to native HDF5.
    asked: usize,
    /// Whether the sources are plain.
    pub(crate) plain: PlainHint,
}

/// Elements of a virtual dataset that are those of a source, in their order.
#[derive(Debug)]
pub(crate) struct Mapping {
    /// Of the virtual dataset.
    pub(crate) mapped: Selection,
    /// Of the source.
    of_source: OfSource,
    /// The number of the source, and its names.
    pub(crate) source: usize,
    pub(crate) name: Arc<SourceName>,
    /// The number of a source, and its names, whose extent native HDF5 takes this one's to have.
    pub(crate) like: Option<(usize, Arc<SourceName>)>,
}

/// The names of a source.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct SourceName {
    /// That of its file; `.` is that of the virtual dataset.
    pub(crate) file: CString,
    pub(crate) dataset: CString,
}

/// What of a source is mapped.
#[derive(Debug)]
enum OfSource {
    Described(Arc<Described>),
    /// Only elements with these ranks.
    Part(Arc<Described>, Selection),
    /// So many slices of it.
    First(Growing, u64),
}

/// What there is of the sources of a mapping, if the extent of the virtual dataset depends on that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Growth {
    Limited,
    /// So many slices are mapped.
    Slices(u64),
    /// Sources up to this number, of which the first that exists has the second number.
    Sources(u64, u64),
}

/// Gives numbers to sources.
pub(crate) type Numbers = HashMap<Arc<SourceName>, usize>;

impl VirtualLayout {
    /// The layout of a virtual dataset of this extent. What each mapping has of growing sources must be known.
    pub(crate) fn new(
        asked: &VirtualMappings,
        extent: &Extent,
        growth: &[Growth],
        numbers: &mut Numbers,
    ) -> Result<Self, Reason> {
        let mut mappings = Vec::new();
        for (number, mapping) in asked.all.iter().enumerate() {
            let growth = growth.get(number).copied().unwrap_or(Growth::Limited);
            add(&mut mappings, mapping, extent, growth, numbers)?;
        }
        let boxes = Boxes::around(mappings.iter().map(|mapping| &mapping.mapped));
        Ok(Self { mappings, boxes, asked: asked.count, plain: PlainHint::default() })
    }

    /// The mappings that may have something of a selection, in their order.
    pub(crate) fn touched(&self, selection: &Selection) -> impl Iterator<Item = &Mapping> {
        let numbers = selection.bounds().map(|(low, high)| self.boxes.touched(&low, &high));
        numbers.unwrap_or_default().into_iter().map(|number| &self.mappings[number])
    }

    /// The same for a block, which is given by its first and its last element.
    pub(crate) fn touched_between(&self, low: &[u64], high: &[u64]) -> impl Iterator<Item = &Mapping> {
        self.boxes.touched(low, high).into_iter().map(|number| &self.mappings[number])
    }

    /// How many mappings there are to native HDF5.
    pub(crate) fn asked(&self) -> usize {
        self.asked
    }

    /// Whether no two mappings are known to map the same element.
    pub(crate) fn are_apart(&self) -> bool {
        self.boxes.are_apart()
    }
}

impl AskedMapping {
    /// The names of its source with this number.
    pub(crate) fn name(&self, number: u64) -> SourceName {
        SourceName { file: self.file.name(number), dataset: self.dataset.name(number) }
    }
}

/// Adds what a mapping is in an extent.
fn add(
    mappings: &mut Vec<Mapping>,
    asked: &AskedMapping,
    extent: &Extent,
    growth: Growth,
    numbers: &mut Numbers,
) -> Result<(), Reason> {
    let mut numbered = |number: u64| number_of(numbers, asked.name(number));
    match (&asked.kind, growth) {
        (MappingKind::Limited { mapped, of_source }, _) => {
            let (source, name) = numbered(0);
            let of_source = OfSource::Described(Arc::clone(of_source));
            mappings.push(Mapping { mapped: mapped.in_extent(extent)?, of_source, source, name, like: None });
        }
        (MappingKind::Following { mapped, of_source }, Growth::Slices(slices)) if slices > 0 => {
            let mapped = mapped.first(extent, slices).map_err(|_| Reason::VirtualUnlimited)?;
            let (source, name) = numbered(0);
            let of_source = OfSource::First(of_source.clone(), slices);
            mappings.push(Mapping { mapped, of_source, source, name, like: None });
        }
        (MappingKind::Following { .. }, Growth::Slices(_)) => {}
        (MappingKind::Numbered { mapped, of_source }, Growth::Sources(end, first)) => {
            if end > MOST_NUMBERED {
                return Err(Reason::VirtualUnlimited);
            }
            let like = (end > 0).then(|| numbered(first));
            for number in 0..end {
                let found = mapped.numbered(extent, number).map_err(|_| Reason::VirtualUnlimited)?;
                let Some(block) = found else { break };
                let (source, name) = numbered(number);
                let of_source = match block.ranks {
                    None => OfSource::Described(Arc::clone(of_source)),
                    Some(ranks) => OfSource::Part(Arc::clone(of_source), ranks),
                };
                mappings.push(Mapping {
                    mapped: block.selection,
                    of_source,
                    source,
                    name,
                    like: like.clone(),
                });
            }
        }
        _ => return Err(Reason::VirtualUnlimited),
    }
    Ok(())
}

/// The number of a source, which gets one if it has none.
pub(crate) fn number_of(numbers: &mut Numbers, name: SourceName) -> (usize, Arc<SourceName>) {
    if let Some((name, number)) = numbers.get_key_value(&name) {
        return (*number, Arc::clone(name));
    }
    let (number, name) = (numbers.len(), Arc::new(name));
    numbers.insert(Arc::clone(&name), number);
    (number, name)
}

impl Mapping {
    /// What is selected of the source, which has this extent, and had another one when it was opened: to native HDF5, all of it is
    /// what it was then. Native HDF5 has its own ways if that does not fit.
    pub(crate) fn of_source(&self, extent: &Extent, when_opened: &Extent) -> Result<Selection, Reason> {
        let all_of = |described: &Described| match described {
            Described::All if extent != when_opened => {
                let origin = vec![0; when_opened.rank()];
                Selection::tile(extent, &origin, when_opened.dims()).map_err(|_| Reason::VirtualMapping)
            }
            described => described.in_extent(extent),
        };
        let selection = match &self.of_source {
            OfSource::Described(described) => all_of(described)?,
            OfSource::Part(described, ranks) => {
                all_of(described)?.of_ranks(ranks).map_err(|_| Reason::VirtualMapping)?
            }
            OfSource::First(growing, slices) => {
                growing.first(extent, *slices).map_err(|_| Reason::VirtualMapping)?
            }
        };
        if selection.len() == self.mapped.len() { Ok(selection) } else { Err(Reason::VirtualMapping) }
    }
}
