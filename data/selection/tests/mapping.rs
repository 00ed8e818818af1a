//! Mappings against plain enumeration of elements.

mod common;

use std::collections::{HashMap, HashSet};

use common::{Case, Draw, case, memory};
use proptest::prelude::*;
use selection::{Boxes, Extent, Selection, SelectionError, common as in_common, rest};

/// The offsets of a selection's elements, in its order.
fn offsets(selection: &Selection) -> Vec<u64> {
    let (mut cursor, mut found) = (selection.cursor(0), vec![]);
    while let Some((offset, length)) = cursor.next_run(u64::MAX) {
        found.extend(offset..offset + length);
    }
    assert_eq!(found.len() as u64, selection.len());
    found
}

/// Another selection of the same extent.
fn of_same_extent(draw: &mut Draw<'_>, like: &Case) -> Option<Case> {
    (0..40).map(|_| case(draw)).find(|other| other.dims == like.dims)
}

/// A random box or pattern of blocks in an extent.
fn pattern(draw: &mut Draw<'_>, extent: &Extent) -> Selection {
    let (mut start, mut stride, mut count, mut block) = (vec![], vec![], vec![], vec![]);
    for &dim in extent.dims().iter() {
        let from = draw.number(0, dim - 1);
        let size = draw.number(1, dim - from);
        let apart = size + draw.number(0, 3);
        let most = (dim - from - size) / apart + 1;
        start.push(from);
        stride.push(apart);
        count.push(draw.number(1, most));
        block.push(size);
    }
    Selection::hyperslab(extent, &start, &stride, &count, &block).unwrap()
}

fn check(first: &Selection, second: &Selection) -> Result<(), TestCaseError> {
    let (one, other) = (offsets(first), offsets(second));
    let places: HashMap<u64, u64> = other.iter().copied().zip(0..).collect();
    let expected: Vec<(u64, u64)> =
        one.iter().zip(0..).filter_map(|(offset, rank)| Some((rank, *places.get(offset)?))).collect();
    let found = in_common(first, second).unwrap();
    prop_assert_eq!(found.is_none(), expected.is_empty(), "{:?} {:?}", first, second);
    if let Some(found) = found {
        prop_assert_eq!(found.first.extent().count(), first.len());
        prop_assert_eq!(found.second.extent().count(), second.len());
        let pairs: Vec<_> = offsets(&found.first).into_iter().zip(offsets(&found.second)).collect();
        prop_assert_eq!(pairs, expected, "{:?} {:?}", first, second);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn common_elements_are_found(pool in prop::collection::vec(any::<u32>(), 96)) {
        let mut draw = Draw::new(&pool);
        let first = case(&mut draw);
        if let Some(second) = of_same_extent(&mut draw, &first)
            && first.selection.is_rising() && second.selection.is_rising()
        {
            check(&first.selection, &second.selection)?;
        }
    }

    #[test]
    fn common_elements_of_patterns_are_found(pool in prop::collection::vec(any::<u32>(), 96)) {
        let mut draw = Draw::new(&pool);
        let dims: Vec<u64> = (0..draw.number(1, 3)).map(|_| draw.number(1, 12)).collect();
        let extent = Extent::new(&dims).unwrap();
        let (first, second) = (pattern(&mut draw, &extent), pattern(&mut draw, &extent));
        check(&first, &second)?;
    }

    #[test]
    fn rising_is_strictly_rising(pool in prop::collection::vec(any::<u32>(), 64)) {
        let case = case(&mut Draw::new(&pool));
        let rises = case.offsets().windows(2).all(|pair| pair[0] < pair[1]);
        prop_assert_eq!(case.selection.is_rising(), rises, "{:?}", &case);
    }

    #[test]
    fn elements_are_found_by_their_ranks(pool in prop::collection::vec(any::<u32>(), 128)) {
        let mut draw = Draw::new(&pool);
        let ranks = case(&mut draw).selection;
        let target = memory(&mut draw, ranks.extent().count());
        let (all, wanted) = (target.offsets(), offsets(&ranks));
        let expected: Vec<u64> = wanted.iter().map(|rank| all[usize::try_from(*rank).unwrap()]).collect();
        let found = target.selection.of_ranks(&ranks).unwrap();
        prop_assert_eq!(found.extent(), &target.extent);
        prop_assert_eq!(offsets(&found), expected.clone(), "{:?} {:?}", &target, &ranks);
        // What lies outside of the box is not selected.
        if let Some((low, high)) = found.bounds() {
            let strides = target.extent.strides();
            for offset in &expected {
                let mut left = *offset;
                for (dim, stride) in strides.iter().enumerate() {
                    prop_assert!((low[dim]..=high[dim]).contains(&(left / stride)));
                    left %= stride;
                }
            }
        }
        // By offset it is the same.
        let mut sorted = expected;
        sorted.sort_unstable();
        let mut by_offset: Vec<u64> = found
            .rows_by_offset()
            .flat_map(|row| (0..row.count).flat_map(move |turn| {
                let start = row.offset + turn * row.stride;
                start..start + row.block
            }))
            .collect();
        // Rows of repeated points lie on each other.
        by_offset.sort_unstable();
        prop_assert_eq!(by_offset, sorted);
    }

    #[test]
    fn patterns_of_patterns(pool in prop::collection::vec(any::<u32>(), 128)) {
        let mut draw = Draw::new(&pool);
        let dims: Vec<u64> = (0..draw.number(1, 3)).map(|_| draw.number(1, 12)).collect();
        let target = pattern(&mut draw, &Extent::new(&dims).unwrap());
        let all = offsets(&target);
        // The same elements in one dimension, and in as many as the box around them has.
        let flat = Extent::new(&[target.len()]).unwrap();
        let whole = in_common(&target, &target).unwrap().unwrap().first;
        for extent in [&flat, whole.extent()] {
            let ranks = pattern(&mut draw, extent);
            let expected: Vec<u64> =
                offsets(&ranks).iter().map(|rank| all[usize::try_from(*rank).unwrap()]).collect();
            prop_assert_eq!(offsets(&target.of_ranks(&ranks).unwrap()), expected, "{:?} {:?}", &target, &ranks);
        }
    }

    #[test]
    fn the_rest_is_what_nobody_has(pool in prop::collection::vec(any::<u32>(), 96)) {
        let mut draw = Draw::new(&pool);
        let first = case(&mut draw);
        let Some(second) = of_same_extent(&mut draw, &first) else { return Ok(()) };
        let len = first.extent.count();
        let taken = [first.selection.clone(), second.selection.clone()];
        let (one, other) = (first.offsets(), second.offsets());
        let distinct: HashSet<u64> = one.iter().chain(&other).copied().collect();
        match rest(len, &taken) {
            Ok(left) => {
                prop_assert_eq!(distinct.len(), one.len() + other.len());
                let expected: Vec<u64> = (0..len).filter(|rank| !distinct.contains(rank)).collect();
                prop_assert_eq!(left.is_none(), expected.is_empty());
                prop_assert_eq!(left.map(|left| offsets(&left)).unwrap_or_default(), expected);
            }
            Err(error) => {
                prop_assert_eq!(error, SelectionError::BlocksOverlap);
                prop_assert!(distinct.len() < one.len() + other.len());
            }
        }
    }

    #[test]
    fn boxes_know_what_they_touch(pool in prop::collection::vec(any::<u32>(), 128)) {
        let mut draw = Draw::new(&pool);
        let dims: Vec<u64> = (0..draw.number(1, 3)).map(|_| draw.number(1, 9)).collect();
        let extent = Extent::new(&dims).unwrap();
        let many: Vec<_> = (0..draw.number(0, 6)).map(|_| match draw.number(0, 5) {
            0 => Selection::none(&extent),
            _ => pattern(&mut draw, &extent),
        }).collect();
        let boxes = Boxes::around(&many);
        let touch = |(low, high): &(selection::Dims, selection::Dims), other: &Selection| {
            other.bounds().is_some_and(|(from, to)| {
                (0..low.len()).all(|dim| low[dim] <= to[dim] && from[dim] <= high[dim])
            })
        };
        let wanted = pattern(&mut draw, &extent).bounds().unwrap();
        let expected: Vec<usize> = (0..many.len()).filter(|number| touch(&wanted, &many[*number])).collect();
        prop_assert_eq!(boxes.touched(&wanted.0, &wanted.1), expected);
        let apart = (0..many.len()).all(|one| {
            many[one].bounds().is_none_or(|corners| many[one + 1..].iter().all(|other| !touch(&corners, other)))
        });
        prop_assert_eq!(boxes.are_apart(), apart);
    }
}

#[test]
fn tiles_of_tiles_stay_regular() {
    // A frame of a stack, of which a corner is wanted, in memory of the corner's size.
    let stack = Extent::new(&[1000, 2048, 2048]).unwrap();
    let frame = Selection::tile(&stack, &[7, 0, 0], &[1, 2048, 2048]).unwrap();
    let wanted = Selection::tile(&stack, &[5, 100, 200], &[10, 300, 400]).unwrap();
    let found = in_common(&wanted, &frame).unwrap().unwrap();
    let source = Selection::all(&Extent::new(&[2048, 2048]).unwrap()).of_ranks(&found.second).unwrap();
    let (low, high) = source.bounds().unwrap();
    assert_eq!((&low[..], &high[..]), (&[100, 200][..], &[399, 599][..]));
    assert_eq!(source.row_count(), 1);
    let memory = Selection::all(&Extent::new(&[10, 300, 400]).unwrap()).of_ranks(&found.first).unwrap();
    assert_eq!(memory.as_contiguous(), Some(2 * 300 * 400));
    let flat = Selection::all(&Extent::new(&[10 * 300 * 400]).unwrap()).of_ranks(&found.first).unwrap();
    assert_eq!(flat.as_contiguous(), Some(2 * 300 * 400));
}
