//! Chunks touched and their local parts against plain enumeration of coordinates.

mod common;

use std::collections::BTreeMap;

use common::{Case, Draw, case, everywhere, expand, linear, memory};
use proptest::prelude::*;
use selection::{Chunk, ChunkGrid, Extent, Row, Selection, copies};

/// Chunk coordinates -> (offset in the chunk, rank), in order of rank.
fn by_chunk(case: &Case, chunk: &[u64]) -> BTreeMap<Vec<u64>, Vec<(u64, u64)>> {
    let mut map: BTreeMap<Vec<u64>, Vec<(u64, u64)>> = BTreeMap::new();
    for (at, rank) in case.coordinates.iter().zip(0..) {
        let scaled: Vec<u64> = at.iter().zip(chunk).map(|(x, c)| x / c).collect();
        let within: Vec<u64> = at.iter().zip(chunk).map(|(x, c)| x % c).collect();
        map.entry(scaled).or_default().push((linear(chunk, &within), rank));
    }
    map
}

fn grid(draw: &mut Draw, case: &Case) -> ChunkGrid {
    let chunk: Vec<u64> = case
        .dims
        .iter()
        .map(|&dim| if draw.number(0, 3) == 0 { dim.max(1) } else { draw.number(1, (dim + 1).min(7)) })
        .collect();
    ChunkGrid::new(&case.extent, &chunk).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn chunks_and_their_parts(pool in prop::collection::vec(any::<u32>(), 96)) {
        let mut draw = Draw::new(&pool);
        let case = case(&mut draw);
        let grid = grid(&mut draw, &case);
        let chunk = grid.chunk_dims().to_vec();
        let memory = memory(&mut draw, case.selection.len());
        let goals = memory.offsets();
        let expected = by_chunk(&case, &chunk);
        let touched = grid.touched(&case.selection).unwrap();
        // Which: the same, in the same order, whichever way they are asked for.
        let chunks: Vec<Chunk> = touched.iter().collect();
        let scaled: Vec<Vec<u64>> = chunks.iter().map(|chunk| chunk.scaled.to_vec()).collect();
        prop_assert_eq!(&scaled, &expected.keys().cloned().collect::<Vec<_>>(), "{:?} {:?}", &case, &chunk);
        prop_assert_eq!(touched.count(), chunks.len() as u64);
        for (index, chunk) in chunks.iter().enumerate() {
            prop_assert_eq!(touched.nth(index as u64), Some(chunk.clone()));
            prop_assert_eq!(&grid.chunk(&chunk.scaled).unwrap(), chunk);
            prop_assert_eq!(chunk.number, linear(grid.shape(), &chunk.scaled));
        }
        prop_assert_eq!(touched.nth(chunks.len() as u64), None);
        let from = draw.number(0, chunks.len() as u64);
        let until = draw.number(from, chunks.len() as u64 + 2);
        let part: Vec<Chunk> = touched.range(from..until).collect();
        let (a, b) = (usize::try_from(from).unwrap(), usize::try_from(until).unwrap().min(chunks.len()));
        prop_assert_eq!(&part, &chunks[a..b]);
        // What in each.
        for (chunk_found, (scaled, elements)) in chunks.iter().zip(&expected) {
            let local = touched.local(chunk_found);
            let rows: Vec<Row> = local.rows().collect();
            prop_assert_eq!(&expand(rows.iter().copied()), elements, "{:?} {:?}", &case, &chunk);
            prop_assert_eq!(local.len(), elements.len() as u64);
            prop_assert_eq!(local.row_count(), rows.len() as u64);
            prop_assert_eq!(local.as_row(), if rows.len() == 1 { Some(rows[0]) } else { None });
            let cut = draw.number(0, rows.len() as u64);
            let halves: Vec<Row> = local.rows_in(0..cut).chain(local.rows_in(cut..u64::MAX)).collect();
            prop_assert_eq!(&halves, &rows);
            let inside: u64 = (0..chunk.len())
                .map(|d| (case.dims[d] - scaled[d] * chunk[d]).min(chunk[d])).product();
            prop_assert_eq!(grid.elements_inside(chunk_found), inside);
            let mut different: Vec<u64> = elements.iter().map(|(offset, _)| *offset).collect();
            different.sort_unstable();
            different.dedup();
            prop_assert_eq!(local.is_whole_chunk(), different.len() as u64 == inside);
            // And where it goes.
            let mut found = vec![];
            copies(local.rows(), &memory.selection, |from, to, len| {
                found.extend((0..len).map(|k| (from + k, to + k)));
            }).unwrap();
            let pairs: Vec<(u64, u64)> = elements.iter()
                .map(|&(offset, rank)| (offset, goals[usize::try_from(rank).unwrap()])).collect();
            prop_assert_eq!(found, pairs);
        }
        // Chunks that are not touched have nothing.
        if case.extent.count() > 0 {
            let anywhere: Vec<u64> = grid.shape().iter().map(|&n| draw.number(0, n - 1)).collect();
            let local = touched.local(&grid.chunk(&anywhere).unwrap()).len();
            prop_assert_eq!(local, expected.get(&anywhere).map_or(0, |elements| elements.len() as u64));
        }
    }
}

/// Blocks cut by chunk borders in every dimension: all loops start with a partial block.
#[test]
fn cut_blocks_in_all_dimensions() {
    let dims = vec![12; 4];
    let extent = Extent::new(&dims).unwrap();
    let selection = Selection::hyperslab(&extent, &[0; 4], &[4; 4], &[3; 4], &[3; 4]).unwrap();
    let coordinates = everywhere(&dims).into_iter().filter(|at| at.iter().all(|x| x % 4 < 3)).collect();
    let case = Case { dims, extent, selection, coordinates, moves: true };
    let grid = ChunkGrid::new(&case.extent, &[6; 4]).unwrap();
    let touched = grid.touched(&case.selection).unwrap();
    for (chunk, (scaled, elements)) in touched.iter().zip(by_chunk(&case, &[6; 4])) {
        assert_eq!(chunk.scaled[..], scaled[..]);
        let local = touched.local(&chunk);
        assert_eq!(expand(local.rows()), elements);
        for from in 0..local.row_count() {
            assert!(local.rows_in(from..u64::MAX).eq(local.rows().skip(usize::try_from(from).unwrap())));
        }
    }
}

#[test]
fn chunks_as_wide_as_the_dataset_are_one_row() {
    let extent = Extent::new(&[100, 7, 9]).unwrap();
    let grid = ChunkGrid::new(&extent, &[8, 7, 9]).unwrap();
    let all = Selection::all(&extent);
    let touched = grid.touched(&all).unwrap();
    assert_eq!(touched.count(), 13);
    for (index, chunk) in touched.iter().enumerate() {
        let local = touched.local(&chunk);
        let rows = if index == 12 { 4 } else { 8 };
        assert!(local.is_whole_chunk());
        assert_eq!(local.as_row(), Some(Row::run(0, rows * 63, index as u64 * 8 * 63)));
    }
}

#[test]
fn a_tile_inside_one_chunk_is_one_row() {
    let extent = Extent::new(&[1000, 1000]).unwrap();
    let grid = ChunkGrid::new(&extent, &[64, 64]).unwrap();
    let tile = Selection::tile(&extent, &[70, 80], &[16, 16]).unwrap();
    let touched = grid.touched(&tile).unwrap();
    assert_eq!(touched.count(), 1);
    let local = touched.local(&touched.nth(0).unwrap());
    assert_eq!(local.as_row(), Some(Row { offset: 6 * 64 + 16, block: 16, count: 16, stride: 64, rank: 0 }));
}

#[test]
fn every_second_row_skips_chunks_of_one_row() {
    let extent = Extent::new(&[1000, 10]).unwrap();
    let grid = ChunkGrid::new(&extent, &[1, 10]).unwrap();
    let selection = Selection::hyperslab(&extent, &[1, 0], &[2, 1], &[500, 1], &[1, 10]).unwrap();
    let touched = grid.touched(&selection).unwrap();
    assert_eq!(touched.count(), 500);
    assert_eq!(touched.nth(499).unwrap().origin[..], [999, 0]);
    assert!(touched.iter().all(|chunk| touched.local(&chunk).is_whole_chunk()));
}
