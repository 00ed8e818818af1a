//! Extents beyond 32 bits, overflow, and cost that does not depend on the extent.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use selection::{ChunkGrid, Extent, Row, Selection, SelectionError, copies};

const OUTSIDE: SelectionError = SelectionError::OutOfBounds { dim: 0 };

#[test]
fn extents_up_to_the_last_element() {
    let extent = Extent::new(&[u64::MAX]).unwrap();
    assert_eq!(Selection::all(&extent).as_row(), Some(Row::run(0, u64::MAX, 0)));
    let last = Selection::tile(&extent, &[u64::MAX - 1], &[1]).unwrap();
    assert_eq!(last.as_contiguous(), Some(u64::MAX - 1));
    let strided = Selection::hyperslab(&extent, &[0], &[1 << 62], &[4], &[3]).unwrap();
    assert_eq!(strided.as_row(), Some(Row { offset: 0, block: 3, count: 4, stride: 1 << 62, rank: 0 }));
    let mut cursor = strided.cursor(11);
    assert_eq!(cursor.next_run(9), Some((3 * (1 << 62) + 2, 1)));
    assert_eq!(cursor.next_run(9), None);
    let grid = ChunkGrid::new(&extent, &[1 << 63]).unwrap();
    let touched = grid.touched(&strided).unwrap();
    assert_eq!(touched.count(), 2);
    let upper = touched.local(&touched.nth(1).unwrap());
    assert_eq!(upper.as_row(), Some(Row { offset: 0, block: 3, count: 2, stride: 1 << 62, rank: 6 }));
}

#[test]
fn numbers_that_overflow_are_errors() {
    let extent = Extent::new(&[1 << 40, 1 << 20]).unwrap();
    let slab = |start, stride, count, block| {
        Selection::hyperslab(&extent, &[start, 0], &[stride, 1], &[count, 1], &[block, 1]).map(|_| ())
    };
    let max = u64::MAX;
    for (start, stride, count, block) in
        [(max, 1, 1, 1), (1, max, 2, 1), (0, max, max, 1), (0, 1, max, 1), (0, max, max, max), (5, 1, 1, max)]
    {
        assert_eq!(slab(start, stride, count, block), Err(OUTSIDE));
    }
    assert_eq!(slab(0, 1, 2, 2), Err(SelectionError::BlocksOverlap));
    assert_eq!(slab(max, max, 0, max), Ok(()), "nothing is nowhere");
    assert_eq!(Selection::tile(&extent, &[max, 0], &[max, 1]).map(|_| ()), Err(OUTSIDE));
    assert_eq!(Selection::points(&extent, &[max, 0]).map(|_| ()), Err(OUTSIDE));
    assert_eq!(Selection::blocks(&extent, &[0, 0, max, 0]).map(|_| ()), Err(OUTSIDE));
    assert_eq!(ChunkGrid::new(&extent, &[1 << 32, 1 << 32]).map(|_| ()), Err(SelectionError::ChunkOverflow));
    assert_eq!(ChunkGrid::new(&extent, &[1, 0]).map(|_| ()), Err(SelectionError::ZeroChunk { dim: 1 }));
    assert!(ChunkGrid::new(&extent, &[1]).is_err());
    let tile = Selection::tile(&extent, &[8, 8], &[2, 2]).unwrap();
    for by in [[-9, 0], [i64::MIN, 0], [i64::MAX, 0]] {
        assert_eq!(tile.offset_by(&by).map(|_| ()), Err(OUTSIDE));
    }
    assert!(tile.offset_by(&[-8]).is_err());
    // What lies outside by itself and inside with its offset.
    let moved = Selection::hyperslab_at(&extent, &[-8, 0], &[1 << 40, 0], &[1, 1], &[1, 1], &[8, 4]).unwrap();
    assert_eq!(moved.bounds().unwrap().0[..], [(1 << 40) - 8, 0]);
    let moved = Selection::blocks_at(&extent, &[-5, 3], &[5, 0, 6, 1]).unwrap();
    assert_eq!(moved.as_row(), Some(Row { offset: 3, block: 2, count: 2, stride: 1 << 20, rank: 0 }));
    let moved = Selection::points_at(&extent, &[-5, 3], &[5, 0]).unwrap();
    assert_eq!(moved.as_contiguous(), Some(3));
}

#[test]
fn thirty_two_dimensions() {
    let extent = Extent::new(&[3; 32]).unwrap();
    assert_eq!(Selection::all(&extent).as_row(), Some(Row::run(0, extent.count(), 0)));
    // Two of three in each dimension: 31 loops around runs of two, the innermost pair one row.
    let corner = Selection::tile(&extent, &[1; 32], &[2; 32]).unwrap();
    assert_eq!((corner.len(), corner.row_count()), (1 << 32, 1 << 30));
    let last = corner.rows((1 << 30) - 1..u64::MAX).next().unwrap();
    assert_eq!((last.end(), last.rank), (extent.count(), (1 << 32) - 4));
    assert_eq!(corner.cursor((1 << 32) - 1).next_run(7), Some((extent.count() - 1, 1)));
    let grid = ChunkGrid::new(&extent, &[2; 32]).unwrap();
    let touched = grid.touched(&corner).unwrap();
    assert_eq!(touched.count(), 1 << 32);
    let chunk = touched.nth((1 << 32) - 1).unwrap();
    assert_eq!(chunk.scaled[..], [1; 32]);
    assert_eq!(touched.local(&chunk).as_row(), Some(Row::run(0, 1, (1 << 32) - 1)));
    assert_eq!(touched.range((1 << 32) - 2..u64::MAX).count(), 2);
    assert!(Extent::new(&[1; 33]).is_err());
}

#[test]
fn cost_does_not_depend_on_the_number_of_chunks() {
    let begin = Instant::now();
    let extent = Extent::new(&[1 << 30, 1 << 30]).unwrap();
    let grid = ChunkGrid::new(&extent, &[1 << 10, 1 << 10]).unwrap();
    assert_eq!(grid.shape().iter().product::<u64>(), 1 << 40);
    let memory = Selection::all(&Extent::new(&[16, 16]).unwrap());
    for step in 0..1000 {
        let start = [step << 20 | 5, 1 << 29 | 7];
        let tile = Selection::tile(&extent, &start, &[16, 16]).unwrap();
        let points = Selection::points(&extent, &start).unwrap();
        let blocks = Selection::blocks(&extent, &[start[0], start[1], start[0] + 3, start[1] + 3]).unwrap();
        for selection in [&tile, &points, &blocks] {
            let touched = grid.touched(selection).unwrap();
            assert_eq!(touched.count(), 1);
            let chunk = touched.nth(0).unwrap();
            assert_eq!(chunk.scaled[..], [step << 10, 1 << 19]);
            let mut copied = 0;
            copies(touched.local(&chunk).rows(), &memory, |_, _, len| copied += len).unwrap();
            assert_eq!(copied, selection.len());
        }
    }
    // Everything, and every 4096th column of it: the middle is found as fast as the first.
    let all = Selection::all(&extent);
    let columns = Selection::hyperslab(&extent, &[0, 3], &[1, 4096], &[1 << 30, 1 << 18], &[1, 2]).unwrap();
    assert_eq!(grid.touched(&all).unwrap().count(), 1 << 40);
    let touched = grid.touched(&columns).unwrap();
    assert_eq!(touched.count(), 1 << 38);
    assert_eq!(touched.nth((1 << 37) + 5).unwrap().scaled[..], [1 << 19, 20]);
    assert_eq!(touched.range((1 << 38) - 3..u64::MAX).count(), 3);
    assert_eq!(columns.rows((1 << 29)..u64::MAX).next().unwrap().offset, (1 << 59) + 3);
    assert_eq!(columns.cursor(1 << 48).next_run(5), Some(((1 << 59) + 3, 2)));
    assert!(begin.elapsed() < Duration::from_secs(30), "took {:?}", begin.elapsed());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    /// A few elements anywhere in extents of up to 2^64 - 1 elements: nothing overflows, and all are found.
    #[test]
    fn a_few_elements_of_huge_extents(pool in prop::collection::vec(any::<u64>(), 40)) {
        let mut next = pool.into_iter();
        let mut number = |low: u64, high: u64| low + next.next().unwrap() % (high - low).saturating_add(1);
        let rank = usize::try_from(number(1, 4)).unwrap();
        let mut room = u64::MAX;
        let mut dims: Vec<u64> = (0..rank).map(|d| {
            let bits = number(0, 63 / rank as u64);
            let dim = if d + 1 == rank { room } else { number(1, 1 << bits) };
            room /= dim;
            dim
        }).collect();
        dims.rotate_left(usize::try_from(number(0, 3)).unwrap() % rank);
        let extent = Extent::new(&dims).unwrap();
        let (mut start, mut stride, mut count, mut block, mut chunk) = (vec![], vec![], vec![], vec![], vec![]);
        for &dim in &dims {
            let size = number(1, dim.min(3));
            let from = number(0, dim - size);
            let rest = dim - from - size;
            let apart = size + number(0, rest).saturating_sub(size).min(rest);
            let times = if rest >= apart { number(1, (rest / apart + 1).min(3)) } else { 1 };
            start.push(from);
            stride.push(apart);
            count.push(times);
            block.push(size);
            chunk.push(dim / number(1, dim.min(5)));
        }
        let selection = Selection::hyperslab(&extent, &start, &stride, &count, &block).unwrap();
        let mut expected = vec![(0_u64, vec![])];
        for d in 0..rank {
            expected = expected.into_iter().flat_map(|(offset, at): (u64, Vec<u64>)| {
                let (start, stride, block, size) = (start[d], stride[d], block[d], dims[d]);
                (0..count[d]).flat_map(move |j| (0..block).map(move |k| start + j * stride + k))
                    .map(move |x| (offset * size + x, [&at[..], &[x]].concat())).collect::<Vec<_>>()
            }).collect();
        }
        let expand = |row: Row| (0..row.count)
            .flat_map(move |j| (0..row.block).map(move |k| (row.offset + j * row.stride + k, row.rank + j * row.block + k)));
        let found: Vec<(u64, u64)> = selection.rows(0..u64::MAX).flat_map(expand).collect();
        let wanted: Vec<(u64, u64)> = expected.iter().map(|(offset, _)| *offset).zip(0..).collect();
        prop_assert_eq!(found, wanted);
        let last = expected.len() as u64 - 1;
        prop_assert_eq!(selection.cursor(last).next_run(9), Some((expected.last().unwrap().0, 1)));
        // By chunks: every rank once, at its place.
        let grid = ChunkGrid::new(&extent, &chunk).unwrap();
        let touched = grid.touched(&selection).unwrap();
        let mut seen = vec![false; expected.len()];
        for (index, part) in touched.iter().enumerate() {
            prop_assert_eq!(touched.nth(index as u64), Some(part.clone()));
            for (offset, rank) in touched.local(&part).rows().flat_map(expand) {
                let rank = usize::try_from(rank).unwrap();
                prop_assert!(!std::mem::replace(&mut seen[rank], true));
                let at = &expected[rank].1;
                let local = at.iter().zip(&chunk).fold(0, |sum, (x, c)| sum * c + x % c);
                prop_assert_eq!(offset, local);
                prop_assert!(at.iter().zip(&chunk).zip(part.scaled.iter()).all(|((x, c), s)| x / c == *s));
            }
        }
        prop_assert!(seen.into_iter().all(|seen| seen));
        // The same elements as points and as blocks of one element each.
        let points: Vec<u64> = expected.iter().flat_map(|(_, at)| at.clone()).collect();
        let corners: Vec<u64> = expected.iter().flat_map(|(_, at)| [&at[..], &at[..]].concat()).collect();
        for listed in [Selection::points(&extent, &points).unwrap(), Selection::blocks(&extent, &corners).unwrap()] {
            let found: Vec<u64> = listed.rows(0..u64::MAX).flat_map(expand).map(|(offset, _)| offset).collect();
            prop_assert!(found.iter().eq(expected.iter().map(|(offset, _)| offset)));
            prop_assert_eq!(grid.touched(&listed).unwrap().count(), touched.count());
        }
    }
}
