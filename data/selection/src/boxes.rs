//! Boxes in space: which of many a box touches, and whether they are apart from each other.

use crate::{Dims, Selection};

/// How many pairs of boxes are compared before they count as not apart.
const MOST_PAIRS: usize = 1 << 22;

/// The boxes around selections of one extent, sorted along the dimension in which they differ most.
#[derive(Clone, Debug)]
pub struct Boxes {
    /// The first and the last corner of each, inclusive; `None` if it is empty.
    corners: Vec<Option<(Dims, Dims)>>,
    dim: usize,
    /// Those that are not empty, by their lower end along that dimension.
    sorted: Vec<Sorted>,
    are_apart: bool,
}

#[derive(Clone, Copy, Debug)]
struct Sorted {
    low: u64,
    /// The highest end of this one and all before it.
    reach: u64,
    number: usize,
}

impl Boxes {
    /// The boxes around selections, which are numbered in their order.
    pub fn around<'a>(selections: impl IntoIterator<Item = &'a Selection>) -> Self {
        let corners: Vec<_> = selections.into_iter().map(Selection::bounds).collect();
        let rank = corners.iter().flatten().map(|(low, _)| low.len()).min().unwrap_or(0);
        let distinct = |dim: &usize| {
            let mut lows: Vec<_> = corners.iter().flatten().map(|(low, _)| low[*dim]).collect();
            lows.sort_unstable();
            lows.dedup();
            lows.len()
        };
        let dim = (0..rank).max_by_key(distinct).unwrap_or(0);
        let along = |number: usize| {
            let (low, high) = corners[number].as_ref()?;
            // Without dimensions all are at the same place.
            let (low, reach) = (low.get(dim).copied().unwrap_or(0), high.get(dim).copied().unwrap_or(0));
            Some(Sorted { low, reach, number })
        };
        let mut sorted: Vec<_> = (0..corners.len()).filter_map(along).collect();
        sorted.sort_unstable_by_key(|entry| (entry.low, entry.number));
        let are_apart = are_apart(&corners, &sorted);
        let mut reach = 0;
        for entry in &mut sorted {
            reach = reach.max(entry.reach);
            entry.reach = reach;
        }
        Self { corners, dim, sorted, are_apart }
    }

    /// Whether no two of them are known to touch.
    pub fn are_apart(&self) -> bool {
        self.are_apart
    }

    /// The numbers of those that a box touches, which is given by its first and its last corner. In their order.
    pub fn touched(&self, low: &[u64], high: &[u64]) -> Vec<usize> {
        let (from, to) = (low.get(self.dim).copied().unwrap_or(0), high.get(self.dim).copied().unwrap_or(0));
        let end = self.sorted.partition_point(|entry| entry.low <= to);
        let near = self.sorted[..end].iter().rev().take_while(|entry| entry.reach >= from);
        let is_touched = |number: &usize| {
            self.corners[*number].as_ref().is_some_and(|corners| touch((low, high), (&corners.0, &corners.1)))
        };
        let mut touched: Vec<_> = near.map(|entry| entry.number).filter(is_touched).collect();
        touched.sort_unstable();
        touched
    }
}

fn touch(one: (&[u64], &[u64]), other: (&[u64], &[u64])) -> bool {
    let lows = one.0.iter().zip(other.1).all(|(low, high)| low <= high);
    lows && other.0.iter().zip(one.1).all(|(low, high)| low <= high)
}

/// Whether no two boxes touch; false if that takes too long to find out.
fn are_apart(corners: &[Option<(Dims, Dims)>], sorted: &[Sorted]) -> bool {
    let mut open: Vec<Sorted> = Vec::new();
    let mut pairs = 0;
    for entry in sorted {
        open.retain(|before| before.reach >= entry.low);
        pairs += open.len();
        if pairs > MOST_PAIRS {
            return false;
        }
        let Some((low, high)) = &corners[entry.number] else { continue };
        let touches = |before: &Sorted| {
            corners[before.number].as_ref().is_some_and(|other| touch((low, high), (&other.0, &other.1)))
        };
        if open.iter().any(touches) {
            return false;
        }
        open.push(*entry);
    }
    true
}
