//! A selection in parts of consecutive elements, none of them large.

use h5_host::{Questions, SelectionDescription, SpaceDescription};
use h5_vol::Id;
use selection::{Extent, Selection};

use crate::inspect::dataset::OurDataset;
use crate::inspect::selection::Selected;
use crate::report::reason::Reason;

/// Bytes of elements that are in a buffer at a time, at most.
const LARGEST: usize = 64 << 20;

/// A regular hyperslab.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Slab {
    start: Vec<u64>,
    stride: Vec<u64>,
    count: Vec<u64>,
    block: Vec<u64>,
}

impl Slab {
    fn len(&self) -> u64 {
        self.count.iter().chain(&self.block).product()
    }

    /// Parts of at most so many elements, in order; `None` if that is less than one.
    fn parts(self, chunk: Option<&[u64]>, largest: u64) -> Option<Vec<Self>> {
        let (mut found, mut pending) = (Vec::new(), vec![self]);
        while let Some(slab) = pending.pop() {
            if slab.len() <= largest {
                found.push(slab);
                continue;
            }
            let (low, high) = slab.halves(chunk)?;
            pending.push(high);
            pending.push(low);
        }
        Some(found)
    }

    fn select(&self, extent: &Extent, shift: &[i64]) -> Option<Selection> {
        let Self { start, stride, count, block } = self;
        Selection::hyperslab_at(extent, shift, start, stride, count, block).ok()
    }

    /// Two parts, the elements of the first before those of the second: the slowest dimension that has more than one
    /// place is cut. Where that is a single block, it is cut at the beginning of a chunk if there is one inside.
    fn halves(&self, chunk: Option<&[u64]>) -> Option<(Self, Self)> {
        let dim = (0..self.start.len()).find(|&dim| self.count[dim] > 1 || self.block[dim] > 1)?;
        let (mut low, mut high) = (self.clone(), self.clone());
        if self.count[dim] > 1 {
            low.count[dim] = self.count[dim] / 2;
            high.count[dim] -= low.count[dim];
            high.start[dim] += low.count[dim] * self.stride[dim];
        } else {
            let (start, length) = (self.start[dim], self.block[dim]);
            let step = chunk.map_or(1, |chunk| chunk[dim]);
            let middle = start + length / 2;
            let below = middle / step * step;
            let cuts = [below, below.saturating_add(step)];
            let is_inside = |cut: &u64| *cut > start && *cut < start + length;
            let cut = cuts.into_iter().find(is_inside).unwrap_or(middle);
            low.block[dim] = cut - start;
            high.block[dim] -= cut - start;
            high.start[dim] = cut;
        }
        Some((low, high))
    }
}

/// What a dataspace selects of a dataset in parts that are small enough for a buffer, if an element needs so many bytes there.
pub(crate) fn in_batches(
    questions: Questions,
    space: Id,
    dataset: &OurDataset,
    file: Selected,
    element: usize,
) -> Result<Vec<Selected>, Reason> {
    let largest = LARGEST / element.max(1);
    if file.selection.len() <= largest as u64 {
        return Ok(vec![file]);
    }
    // Between two batches others may come in: what they write must not be seen in one and not in the other.
    if largest == 0 || dataset.is_writable() {
        return Err(Reason::Conversion);
    }
    let space = match space {
        Id::DEFAULT => None,
        space => Some(questions.space(space).ok_or(Reason::Selection)?),
    };
    let chunk = dataset.chunks().map(|chunks| &**chunks.grid.chunk_dims());
    let parts = batches(dataset.extent(), space.as_ref(), chunk, largest as u64);
    let parts = parts.ok_or(Reason::Conversion)?.into_iter();
    Ok(parts.map(|selection| Selected { selection, ..file }).collect())
}

/// The parts of a selection of all of an extent, or of what a dataspace selects of it, each of at most `largest`
/// elements. `None` if it cannot be divided like that: the blocks of an irregular hyperslab are not consecutive.
fn batches(
    extent: &Extent,
    space: Option<&SpaceDescription>,
    chunk: Option<&[u64]>,
    largest: u64,
) -> Option<Vec<Selection>> {
    let shift = space.and_then(|space| space.shift.as_deref()).unwrap_or_default();
    let slab = match space.map_or(&SelectionDescription::All, |space| &space.selection) {
        SelectionDescription::All => {
            let dims = extent.dims().to_vec();
            let ones = vec![1; dims.len()];
            Slab { start: vec![0; dims.len()], stride: dims.clone(), count: ones, block: dims }
        }
        SelectionDescription::Regular { start, stride, count, block } => {
            let [start, stride, count, block] =
                [start, stride, count, block].map(|dims| dims.as_slice().to_vec());
            Slab { start, stride, count, block }
        }
        SelectionDescription::Points(points) => {
            let length = usize::try_from(largest).ok()?.checked_mul(extent.rank())?;
            let parts = points.chunks(length.max(1));
            return parts.map(|part| Selection::points_at(extent, shift, part).ok()).collect();
        }
        SelectionDescription::Blocks(_) | SelectionDescription::None => return None,
    };
    // A shifted selection is not where the chunks are. That of everything does not move.
    let is_all = matches!(space.map(|space| &space.selection), None | Some(SelectionDescription::All));
    let chunk = chunk.filter(|_| is_all || shift.is_empty());
    let shift = if is_all { &[] } else { shift };
    slab.parts(chunk, largest)?.iter().map(|part| part.select(extent, shift)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offsets(selection: &Selection) -> Vec<u64> {
        let mut cursor = selection.cursor(0);
        core::iter::from_fn(|| cursor.next_run(1)).map(|(offset, _)| offset).collect()
    }

    #[test]
    fn everything_is_cut_at_chunks_and_stays_in_order() {
        let extent = Extent::new(&[10, 7, 3]).unwrap();
        for largest in [1, 2, 5, 21, 40, 100, 300] {
            for chunk in [None, Some([4, 7, 3].as_slice())] {
                let parts = batches(&extent, None, chunk, largest).unwrap();
                let got: Vec<_> = parts.iter().flat_map(offsets).collect();
                assert_eq!(got, (0..210).collect::<Vec<_>>());
                assert!(parts.iter().all(|part| !part.is_empty() && part.len() <= largest));
            }
        }
        let parts = batches(&extent, None, Some(&[4, 7, 3]), 100).unwrap();
        assert_eq!(parts.iter().map(Selection::len).collect::<Vec<_>>(), [84, 84, 42]);
    }

    #[test]
    fn strided_slabs_stay_in_order() {
        let extent = Extent::new(&[20, 30]).unwrap();
        let slab = Slab { start: vec![1, 2], stride: vec![4, 9], count: vec![5, 3], block: vec![2, 4] };
        let whole = slab.select(&extent, &[]).unwrap();
        for largest in [1, 3, 12, 50] {
            let parts = slab.clone().parts(None, largest).unwrap();
            let got: Vec<_> =
                parts.iter().flat_map(|part| offsets(&part.select(&extent, &[]).unwrap())).collect();
            assert_eq!(got, offsets(&whole));
        }
    }
}
