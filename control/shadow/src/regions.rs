//! Selections, virtual datasets and external files, described and made again. HDF5 decodes its own encoding of them with few checks, so
//! that nothing of it comes from a container: what is made here, it verifies.

#![expect(unsafe_code, reason = "calls HDF5's public functions")]

use core::ffi::{c_char, c_uint};

use h5_abi::{H5D_VIRTUAL, H5S_SELECT_OR, H5S_SELECT_SET, H5S_UNLIMITED};
use h5_host::{Id, OwnedId, SelectionDescription};
use h5_vol::{Error, Result};

use crate::hdf5::{Hdf5, c_string, failed, good};
use crate::spec::{Elsewhere, ExternalSpec, Layout, RegionSpec, SelectionSpec, SourceSpec, SpaceSpec};

/// No selection of a container begins, steps or has blocks beyond this.
const FARTHEST: u64 = 1 << 62;
/// No selection of a container has more blocks or points.
const MOST_PARTS: usize = 1 << 22;
/// Bytes of the longest name of an external file.
const LONGEST_NAME: usize = 1 << 14;

impl Hdf5 {
    /// What a dataspace selects.
    pub(crate) fn region_spec(self, space: Id) -> Result<RegionSpec> {
        let extent = self.space_spec(space)?;
        let told = self.host().ask(|questions| questions.space(space));
        let told = told.filter(|told| told.shift.is_none()).ok_or_else(|| failed("describe a selection"))?;
        let selection = match told.selection {
            SelectionDescription::All => SelectionSpec::All,
            SelectionDescription::None => SelectionSpec::None,
            SelectionDescription::Regular { start, stride, count, block } => SelectionSpec::Regular {
                start: start.as_slice().to_vec(),
                stride: stride.as_slice().to_vec(),
                count: count.as_slice().to_vec(),
                block: block.as_slice().to_vec(),
            },
            SelectionDescription::Blocks(corners) => SelectionSpec::Blocks(corners),
            SelectionDescription::Points(points) => SelectionSpec::Points(points),
        };
        Ok(RegionSpec { space: extent, selection })
    }

    /// A dataspace that selects the same.
    pub(crate) fn make_region(self, region: &RegionSpec) -> Result<OwnedId> {
        if !region.is_sound() {
            return Err(Error::failed("a container has a selection that makes no sense"));
        }
        let made = self.make_space(&region.space)?;
        let (functions, id) = (self.functions(), made.id().0);
        // SAFETY: our own dataspace. All lists have as many numbers as it has dimensions, or a multiple: that was checked.
        let status = unsafe {
            match &region.selection {
                SelectionSpec::All => functions.H5Sselect_all()?(id),
                SelectionSpec::None => functions.H5Sselect_none()?(id),
                SelectionSpec::Regular { start, stride, count, block } => functions.H5Sselect_hyperslab()?(
                    id,
                    H5S_SELECT_SET,
                    start.as_ptr(),
                    stride.as_ptr(),
                    count.as_ptr(),
                    block.as_ptr(),
                ),
                SelectionSpec::Blocks(corners) => {
                    let rank = region.rank();
                    let (ones, mut operation, mut status) = (vec![1; rank], H5S_SELECT_SET, 0);
                    for corners in corners.chunks_exact(2 * rank) {
                        let (first, last) = corners.split_at(rank);
                        let block: Vec<u64> =
                            first.iter().zip(last).map(|(first, last)| last - first + 1).collect();
                        let select = functions.H5Sselect_hyperslab()?;
                        let (first, ones) = (first.as_ptr(), ones.as_ptr());
                        status = status.min(select(id, operation, first, ones, ones, block.as_ptr()));
                        operation = H5S_SELECT_OR;
                    }
                    status
                }
                SelectionSpec::Points(points) => {
                    let count = points.len() / region.rank();
                    (self.host().functions().H5Sselect_elements)(id, H5S_SELECT_SET, count, points.as_ptr())
                }
            }
        };
        good(status, "select a region").map(|()| made)
    }

    /// Where the elements of a dataset are, by its creation list, if they are in other files or datasets.
    pub(crate) fn elsewhere(self, list: Id, layout: Layout) -> Result<Elsewhere> {
        let mut elsewhere = Elsewhere::default();
        let functions = self.host().functions();
        if layout == Layout::Virtual {
            let unknown = || failed("ask for the sources of a virtual dataset");
            let count = self.host().ask(|questions| questions.virtual_count(list)).ok_or_else(unknown)?;
            for index in 0..count {
                let mapping = self.host().ask(|questions| questions.virtual_mapping(list, index));
                let mapping = mapping.ok_or_else(unknown)?;
                // SAFETY: the host verifies list and index; the answers are ours.
                let (mapped, source) = unsafe {
                    (
                        self.own((functions.H5Pget_virtual_vspace)(list.0, index), "ask for a source")?,
                        self.own((functions.H5Pget_virtual_srcspace)(list.0, index), "ask for a source")?,
                    )
                };
                elsewhere.sources.push(SourceSpec {
                    file: mapping.file.to_bytes().to_vec(),
                    dataset: mapping.dataset.to_bytes().to_vec(),
                    source: self.region_spec(source.id())?,
                    mapped: self.region_spec(mapped.id())?,
                });
            }
        }
        // SAFETY: the host verifies the list.
        let count = unsafe { (functions.H5Pget_external_count)(list.0) };
        for index in 0..c_uint::try_from(count).unwrap_or(0) {
            let (mut name, mut offset, mut size) = (vec![0_u8; LONGEST_NAME], 0, 0);
            // SAFETY: room for the name, which HDF5 cuts, and valid out-pointers.
            let status = unsafe {
                let (room, buffer) = (name.len() - 1, name.as_mut_ptr().cast::<c_char>());
                (functions.H5Pget_external)(list.0, index, room, buffer, &raw mut offset, &raw mut size)
            };
            good(status, "ask for an external file")?;
            let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
            name.truncate(end);
            elsewhere.external.push(ExternalSpec { file: name, offset, size });
        }
        Ok(elsewhere)
    }

    /// Makes a creation list say the same.
    pub(crate) fn set_elsewhere(self, list: Id, layout: Layout, elsewhere: Option<&Elsewhere>) -> Result<()> {
        let functions = self.functions();
        if layout == Layout::Virtual {
            // SAFETY: our own list.
            let status = unsafe { functions.H5Pset_layout()?(list.0, H5D_VIRTUAL) };
            good(status, "set a layout")?;
        }
        let Some(elsewhere) = elsewhere else { return Ok(()) };
        for SourceSpec { file, dataset, source, mapped } in &elsewhere.sources {
            let (source, mapped) = (self.make_region(source)?, self.make_region(mapped)?);
            let (file, dataset) = (c_string(file)?, c_string(dataset)?);
            // SAFETY: our own list and dataspaces, and C strings.
            let status = unsafe {
                let set = functions.H5Pset_virtual()?;
                set(list.0, mapped.id().0, file.as_ptr(), dataset.as_ptr(), source.id().0)
            };
            good(status, "map a source of a virtual dataset")?;
        }
        for ExternalSpec { file, offset, size } in &elsewhere.external {
            let file = c_string(file)?;
            // SAFETY: our own list and a C string; the host verifies the numbers.
            let status = unsafe { functions.H5Pset_external()?(list.0, file.as_ptr(), *offset, *size) };
            good(status, "add an external file")?;
        }
        Ok(())
    }
}

impl RegionSpec {
    fn rank(&self) -> usize {
        self.space.dims().map_or(0, <[u64]>::len)
    }

    /// Whether it lies within its extent. HDF5 does not always look.
    fn is_sound(&self) -> bool {
        let SpaceSpec::Simple { dims, .. } = &self.space else {
            return matches!(self.selection, SelectionSpec::All | SelectionSpec::None);
        };
        let rank = dims.len();
        let is_inside = |point: &[u64]| point.iter().zip(dims).all(|(at, size)| at < size);
        match &self.selection {
            SelectionSpec::All | SelectionSpec::None => true,
            SelectionSpec::Regular { start, stride, count, block } => {
                let is_complete = [start, stride, count, block].iter().all(|list| list.len() == rank);
                is_complete
                    && (0..rank).all(|dim| {
                        let (start, stride) = (start[dim], stride[dim]);
                        let (count, block) = (count[dim], block[dim]);
                        if count == H5S_UNLIMITED || block == H5S_UNLIMITED {
                            let is_near =
                                |number: u64| number == H5S_UNLIMITED || (1..FARTHEST).contains(&number);
                            return start < FARTHEST
                                && (1..FARTHEST).contains(&stride)
                                && [count, block].into_iter().all(is_near)
                                && (count == 1 || count != block && block <= stride);
                        }
                        let end = count.checked_sub(1).and_then(|steps| steps.checked_mul(stride));
                        let end = end.and_then(|end| end.checked_add(start)?.checked_add(block));
                        block > 0
                            && stride > 0
                            && (count == 1 || block <= stride)
                            && end.is_some_and(|end| end <= dims[dim])
                    })
            }
            SelectionSpec::Blocks(corners) => {
                rank > 0
                    && corners.len().is_multiple_of(2 * rank)
                    && (1..=MOST_PARTS).contains(&(corners.len() / (2 * rank)))
                    && corners.chunks_exact(2 * rank).all(|corners| {
                        let (first, last) = corners.split_at(rank);
                        is_inside(last) && first.iter().zip(last).all(|(first, last)| first <= last)
                    })
            }
            SelectionSpec::Points(points) => {
                rank > 0
                    && points.len().is_multiple_of(rank)
                    && (1..=MOST_PARTS).contains(&(points.len() / rank))
                    && points.chunks_exact(rank).all(is_inside)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(selection: SelectionSpec) -> RegionSpec {
        RegionSpec { space: SpaceSpec::Simple { dims: vec![4, 6], maximum: vec![Some(4), None] }, selection }
    }

    fn slab(start: u64, stride: u64, count: u64, block: u64) -> SelectionSpec {
        let [start, stride, count, block] = [start, stride, count, block].map(|number| vec![0, number]);
        let one = |mut list: Vec<u64>| {
            list[0] = 1;
            list
        };
        SelectionSpec::Regular { start, stride: one(stride), count: one(count), block: one(block) }
    }

    #[test]
    fn selections_lie_within_their_extent() {
        for sound in [slab(0, 1, 6, 1), slab(1, 2, 2, 2), slab(0, 2, H5S_UNLIMITED, 1), SelectionSpec::All] {
            assert!(region(sound.clone()).is_sound(), "{sound:?}");
        }
        for wrong in [
            slab(1, 1, 6, 1),
            slab(0, 1, 2, 2),
            slab(0, 0, 2, 1),
            slab(0, 1, 0, 1),
            slab(u64::MAX - 1, 3, 2, 1),
            slab(0, u64::MAX - 1, 3, 1),
            slab(0, 1, H5S_UNLIMITED, H5S_UNLIMITED),
            SelectionSpec::Points(vec![1, 2, 3]),
            SelectionSpec::Points(vec![1, 6]),
            SelectionSpec::Points(Vec::new()),
            SelectionSpec::Blocks(vec![1, 1, 0, 2]),
            SelectionSpec::Blocks(vec![0, 0, 3, 6]),
        ] {
            assert!(!region(wrong.clone()).is_sound(), "{wrong:?}");
        }
        assert!(region(SelectionSpec::Points(vec![3, 5, 0, 0])).is_sound());
        assert!(region(SelectionSpec::Blocks(vec![0, 0, 3, 5, 1, 1, 1, 1])).is_sound());
    }
}
