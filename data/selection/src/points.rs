//! Points: any order, repeats allowed, each point's rank its place in the list.

use crate::listed::{List, Listed, Run, shift};
use crate::{Dims, Extent, SelectionError};

/// Makes rows of a flat list of coordinates. Points that follow each other in the list and in the extent
/// become one row. `None` if there are no points.
pub(crate) fn listed(
    extent: &Extent,
    coordinates: &[u64],
    offset: &[i64],
) -> Result<Option<Listed>, SelectionError> {
    let rank = extent.rank();
    check_whole(coordinates, rank)?;
    if coordinates.is_empty() {
        return Ok(None);
    }
    let strides = extent.strides();
    let mut low = Dims::filled(u64::MAX, rank);
    let mut high = Dims::filled(0, rank);
    let mut runs: Vec<Run> = Vec::new();
    let mut sorted = true;
    // The current run, and where a point has to be to carry it on.
    let mut start = 0;
    let mut next = None;
    let (sizes, strides) = (&extent.dims()[..], &strides[..]);
    let (lows, highs) = (&mut low[..], &mut high[..]);
    for (point, place_in_list) in coordinates.chunks_exact(rank).zip(0..) {
        let mut place = 0;
        let sizes = sizes.iter().zip(strides);
        let bounds = lows.iter_mut().zip(highs.iter_mut());
        for (dim, ((&coordinate, (&size, &stride)), (low, high))) in
            point.iter().zip(sizes).zip(bounds).enumerate()
        {
            let coordinate = match offset.get(dim) {
                Some(&by) => shift(coordinate, by, dim)?,
                None => coordinate,
            };
            if coordinate >= size {
                return Err(SelectionError::OutOfBounds { dim });
            }
            *low = coordinate.min(*low);
            *high = coordinate.max(*high);
            place += coordinate * stride;
        }
        if next != Some(place) {
            sorted &= next.is_none() || place > start;
            start = place;
            runs.push(Run { offset: place, rank: place_in_list });
        }
        next = place.checked_add(1);
    }
    runs.push(Run { offset: 0, rank: (coordinates.len() / rank) as u64 });
    Ok(Some(Listed { list: List::Runs(runs), low, high, sorted }))
}

/// Checks that a flat list is made of whole entries.
pub(crate) fn check_whole(list: &[u64], entry: usize) -> Result<(), SelectionError> {
    let whole = if entry == 0 { list.is_empty() } else { list.len().is_multiple_of(entry) };
    if whole { Ok(()) } else { Err(SelectionError::RaggedList { entry, found: list.len() }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Row;

    #[test]
    fn consecutive_points_are_rows() {
        let extent = Extent::new(&[4, 5]).unwrap();
        let found = |points: &[u64]| {
            let listed = listed(&extent, points, &[]).unwrap().unwrap();
            let List::Runs(runs) = listed.list else { panic!("points are runs") };
            (runs.windows(2).map(Run::row).collect::<Vec<_>>(), listed.sorted)
        };
        // Over the end of a line, then back, then a repeat.
        let (rows, sorted) = found(&[0, 3, 0, 4, 1, 0, 0, 0, 0, 0]);
        assert_eq!((rows, sorted), (vec![Row::run(3, 3, 0), Row::run(0, 1, 3), Row::run(0, 1, 4)], false));
        assert_eq!(found(&[0, 0, 0, 1, 3, 3]), (vec![Row::run(0, 2, 0), Row::run(18, 1, 2)], true));
    }

    #[test]
    fn bad_points() {
        let extent = Extent::new(&[4, 5]).unwrap();
        let error = |points: &[u64], offset: &[i64]| listed(&extent, points, offset).map(|_| ()).unwrap_err();
        assert_eq!(error(&[0, 0, 0], &[]), SelectionError::RaggedList { entry: 2, found: 3 });
        assert_eq!(error(&[0, 5], &[]), SelectionError::OutOfBounds { dim: 1 });
        assert_eq!(error(&[0, 4], &[-1, 0]), SelectionError::OutOfBounds { dim: 0 });
        assert!(listed(&extent, &[5, 8], &[-2, -4]).is_ok());
        assert!(listed(&Extent::scalar(), &[], &[]).unwrap().is_none());
    }
}
