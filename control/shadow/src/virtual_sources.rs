//! Which sources a virtual dataset has, and how large they make it.
//!
//! A mapping may have no end along a dimension. Then it *follows* a source that can grow, or its blocks are in one source after
//! another, whose names are *numbered*. Native HDF5 looks at the sources whenever the dataspace is asked for.

use h5_host::VirtualView;
use h5_translate::SourcePattern;
use selection::Growing;

use crate::hdf5::c_string;
use crate::spec::{RegionSpec, SelectionSpec, SourceSpec};

/// How many sources of one mapping are looked for.
const MOST_NUMBERED: u64 = 1 << 20;

/// A mapping of a virtual dataset.
pub(crate) struct Mapping {
    file: SourcePattern,
    dataset: SourcePattern,
    pub(crate) spec: SourceSpec,
    pub(crate) kind: MappingKind,
}

pub(crate) enum MappingKind {
    /// Something of the virtual dataset is something of the source.
    Fixed,
    /// The more there is of the source, the more there is of the virtual dataset.
    Following { mapped: Growing, source: Growing },
    /// Block after block is in one source after another.
    Numbered { mapped: Growing },
}

/// What a source is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SourceName {
    pub(crate) file: std::ffi::CString,
    pub(crate) dataset: std::ffi::CString,
}

/// What there is of a mapping's sources: the place of each, and its extent. Of numbered ones, those up to the last that exists.
pub(crate) struct Seen<P> {
    pub(crate) sources: Vec<Option<(P, Vec<u64>)>>,
}

impl Mapping {
    /// `None` if HDF5 does not make such mappings.
    pub(crate) fn new(spec: SourceSpec) -> Option<Self> {
        let pattern = |name: &[u8]| SourcePattern::new(c_string(name).ok()?.as_c_str());
        let (file, dataset) = (pattern(&spec.file)?, pattern(&spec.dataset)?);
        let is_numbered = file.is_numbered() || dataset.is_numbered();
        let kind = match (growing(&spec.mapped), growing(&spec.source)) {
            (None, None) if !is_numbered => MappingKind::Fixed,
            (Some(mapped), Some(source)) if !is_numbered => MappingKind::Following { mapped, source },
            (Some(mapped), None) if is_numbered && mapped.has_blocks() => MappingKind::Numbered { mapped },
            _ => return None,
        };
        Some(Self { file, dataset, spec, kind })
    }

    /// What its source with this number is called.
    fn name(&self, number: u64) -> SourceName {
        SourceName { file: self.file.name(number), dataset: self.dataset.name(number) }
    }

    /// Looks at its sources. `find` gives the place of one and its extent, if it exists.
    pub(crate) fn look<P>(
        &self,
        view: VirtualView,
        mut find: impl FnMut(&SourceName) -> Option<(P, Vec<u64>)>,
    ) -> Seen<P> {
        if !matches!(self.kind, MappingKind::Numbered { .. }) {
            return Seen { sources: vec![find(&self.name(0))] };
        }
        // Natively, too, those count that come before too many are missing in a row.
        let (mut sources, mut end, mut number) = (Vec::new(), 0, 0);
        while number <= view.gap().saturating_add(end as u64) && number < MOST_NUMBERED {
            sources.push(find(&self.name(number)));
            number += 1;
            if sources.last().is_some_and(Option::is_some) {
                end = sources.len();
            }
        }
        sources.truncate(end);
        Seen { sources }
    }

    /// The size of the virtual dataset along the dimension in which this mapping has no end, and which one that is.
    fn size<P>(&self, view: VirtualView, seen: &Seen<P>) -> Option<(usize, u64)> {
        let first_missing = view.is_first_missing();
        match &self.kind {
            MappingKind::Fixed => None,
            MappingKind::Following { mapped, source } => {
                let size =
                    seen.sources.first().and_then(Option::as_ref).map(|(_, dims)| dims.get(source.dim()));
                let size = size.map_or(Some(0), |size| mapped.size_of(source.slices(*size?), first_missing));
                Some((mapped.dim(), size?))
            }
            MappingKind::Numbered { mapped } => {
                let end = seen.sources.len() as u64;
                let size = match end.checked_sub(1) {
                    None => Some(0),
                    Some(_) if first_missing => mapped.block(end).map(|(start, _)| start),
                    Some(last) => mapped.block(last).map(|(_, end)| end),
                };
                Some((mapped.dim(), size?))
            }
        }
    }

    /// The size along each dimension that everything has room in that the mapping maps.
    pub(crate) fn reach<P>(&self, seen: &Seen<P>, dims: &mut [u64]) {
        let last_available = VirtualView::LastAvailable { gap: 0 };
        if let Some((dim, size)) = self.size(last_available, seen)
            && let Some(known) = dims.get_mut(dim)
        {
            *known = (*known).max(size);
        }
    }
}

/// Whether the extent of a virtual dataset depends on its sources.
pub(crate) fn are_growing(mappings: &[Mapping]) -> bool {
    mappings.iter().any(|mapping| !matches!(mapping.kind, MappingKind::Fixed))
}

/// The extent of a virtual dataset, given its extent where that does not depend on sources.
pub(crate) fn extent_of<P>(
    mappings: &[Mapping],
    seen: &[Seen<P>],
    view: VirtualView,
    known: &[u64],
) -> Vec<u64> {
    let mut sizes = vec![None; known.len()];
    for (mapping, seen) in mappings.iter().zip(seen) {
        let Some((dim, size)) = mapping.size(view, seen) else { continue };
        let Some(found) = sizes.get_mut(dim) else { continue };
        *found = Some(match *found {
            None => size,
            Some(other) if view.is_first_missing() => size.min(other),
            Some(other) => size.max(other),
        });
    }
    let mut least = vec![0; known.len()];
    for mapping in mappings {
        for (least, end) in least.iter_mut().zip(ends(&mapping.spec.mapped)) {
            *least = end.map_or(*least, |end| (*least).max(end.saturating_add(1)));
        }
    }
    let all = sizes.into_iter().zip(least).zip(known);
    all.map(|((size, least), known)| size.map_or(*known, |size| size.max(least))).collect()
}

fn growing(region: &RegionSpec) -> Option<Growing> {
    let SelectionSpec::Regular { start, stride, count, block } = &region.selection else { return None };
    Growing::new(start, stride, count, block)
}

/// The last coordinates of what is selected; `None` along a dimension without an end.
fn ends(region: &RegionSpec) -> Vec<Option<u64>> {
    let rank = region.space.dims().map_or(0, <[u64]>::len);
    match &region.selection {
        SelectionSpec::All | SelectionSpec::None => Vec::new(),
        SelectionSpec::Regular { start, stride, count, block } => {
            let end = |dim: usize| {
                if [count[dim], block[dim]].contains(&u64::MAX) {
                    return None;
                }
                let steps = count[dim].checked_sub(1)?.checked_mul(stride[dim])?;
                start[dim].checked_add(steps)?.checked_add(block[dim].checked_sub(1)?)
            };
            (0..start.len()).map(end).collect()
        }
        SelectionSpec::Blocks(points) | SelectionSpec::Points(points) => {
            let last = |dim: usize| points.chunks_exact(rank.max(1)).map(|point| point[dim]).max();
            (0..rank).map(last).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::SpaceSpec;

    const ENDLESS: u64 = u64::MAX;
    const LAST: VirtualView = VirtualView::LastAvailable { gap: 0 };

    fn region(dims: &[u64], numbers: [[u64; 2]; 4]) -> RegionSpec {
        let [start, stride, count, block] = numbers.map(|numbers| numbers.to_vec());
        let space = SpaceSpec::Simple { dims: dims.to_vec(), maximum: vec![None; dims.len()] };
        RegionSpec { space, selection: SelectionSpec::Regular { start, stride, count, block } }
    }

    fn mapping(file: &str, mapped: RegionSpec, source: RegionSpec) -> Option<Mapping> {
        Mapping::new(SourceSpec { file: file.into(), dataset: b"d".to_vec(), source, mapped })
    }

    fn following() -> Mapping {
        let mapped = region(&[0, 3], [[1, 0], [3, 1], [ENDLESS, 3], [2, 1]]);
        let source = region(&[4, 3], [[0, 0], [1, 1], [ENDLESS, 3], [1, 1]]);
        mapping("s.zarr", mapped, source).unwrap()
    }

    fn numbered() -> Mapping {
        let mapped = region(&[0, 3], [[0, 0], [2, 1], [ENDLESS, 1], [2, 3]]);
        let source = region(&[2, 3], [[0, 0], [1, 1], [2, 3], [1, 1]]);
        mapping("s%b.zarr", mapped, source).unwrap()
    }

    #[test]
    fn a_source_that_grows_makes_the_dataset_grow() {
        for (rows, size) in [(0, 0), (1, 2), (2, 3), (3, 5), (5, 8)] {
            let seen = following().look(LAST, |_| Some(((), vec![rows, 3])));
            assert_eq!(extent_of(&[following()], &[seen], LAST, &[9, 3]), [size, 3], "{rows}");
        }
        let seen = following().look(LAST, |_| None::<((), Vec<u64>)>);
        assert_eq!(extent_of(&[following()], &[seen], LAST, &[9, 3]), [0, 3]);
    }

    #[test]
    fn numbered_sources_count_until_too_many_are_missing() {
        let there = [c"s0.zarr", c"s1.zarr", c"s3.zarr", c"s6.zarr"];
        for (view, size) in [
            (LAST, 4),
            (VirtualView::LastAvailable { gap: 1 }, 8),
            (VirtualView::LastAvailable { gap: 2 }, 14),
            (VirtualView::FirstMissing, 4),
        ] {
            let find = |name: &SourceName| there.contains(&&*name.file).then(|| ((), vec![2, 3]));
            let seen = numbered().look(view, find);
            assert_eq!(extent_of(&[numbered()], &[seen], view, &[0, 3]), [size, 3], "{view:?}");
        }
    }

    #[test]
    fn several_mappings_have_one_extent() {
        let both = [following(), numbered()];
        let seen = |view| {
            [
                both[0].look(view, |_| Some(((), vec![5, 3]))),
                both[1].look(view, |name| (name.file.as_c_str() == c"s0.zarr").then(|| ((), vec![2, 3]))),
            ]
        };
        assert_eq!(extent_of(&both, &seen(LAST), LAST, &[0, 3]), [8, 3]);
        let first = VirtualView::FirstMissing;
        assert_eq!(extent_of(&both, &seen(first), first, &[0, 3]), [2, 3]);
    }

    #[test]
    fn what_hdf5_does_not_make_is_refused() {
        let endless = || region(&[0, 3], [[0, 0], [2, 1], [ENDLESS, 1], [2, 3]]);
        let fixed = || region(&[2, 3], [[0, 0], [1, 1], [2, 3], [1, 1]]);
        assert!(mapping("s%b.zarr", fixed(), fixed()).is_none());
        assert!(mapping("s.zarr", endless(), fixed()).is_none());
        assert!(mapping("s%d.zarr", fixed(), fixed()).is_none());
        assert!(mapping("s%%.zarr", fixed(), fixed()).is_some());
    }
}
