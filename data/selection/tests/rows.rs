//! Rows, cursors and copies against plain enumeration of coordinates.

mod common;

use common::{Draw, case, expand, linear, memory};
use proptest::prelude::*;
use selection::{Row, Selection, SelectionError, copies, pieces};

fn all(selection: &Selection) -> Vec<Row> {
    selection.rows(0..u64::MAX).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rows_are_the_selection(pool in prop::collection::vec(any::<u32>(), 64)) {
        let mut draw = Draw::new(&pool);
        let case = case(&mut draw);
        let offsets = case.offsets();
        let selection = &case.selection;
        let expected: Vec<(u64, u64)> = offsets.iter().copied().zip(0..).collect();
        prop_assert_eq!(selection.len(), offsets.len() as u64);
        prop_assert_eq!(selection.is_empty(), offsets.is_empty());
        let rows = all(selection);
        prop_assert_eq!(rows.len() as u64, selection.row_count());
        prop_assert_eq!(selection.rows(0..u64::MAX).remaining(), selection.row_count());
        prop_assert_eq!(expand(rows.iter().copied()), expected, "{:?}", &case);
        // Internal iteration gives the same as external.
        let mut folded = vec![];
        selection.rows(0..u64::MAX).for_each(|row| folded.push(row));
        prop_assert_eq!(&folded, &rows);
        // Contiguous exactly when it is.
        let contiguous = !offsets.is_empty() && offsets.windows(2).all(|pair| pair[1] == pair[0] + 1);
        prop_assert_eq!(selection.as_contiguous(), contiguous.then(|| offsets[0]), "{:?}", &case);
        prop_assert_eq!(selection.as_row(), if rows.len() == 1 { Some(rows[0]) } else { None });
        // The box around it.
        let bounds = selection.bounds();
        prop_assert_eq!(bounds.is_none(), offsets.is_empty());
        if let Some((low, high)) = bounds {
            for d in 0..case.dims.len() {
                prop_assert_eq!(Some(low[d]), case.coordinates.iter().map(|at| at[d]).min());
                prop_assert_eq!(Some(high[d]), case.coordinates.iter().map(|at| at[d]).max());
            }
        }
        // By offset: the same rows, sorted.
        let mut sorted = rows.clone();
        sorted.sort_by_key(|row| (row.offset, row.rank));
        prop_assert_eq!(selection.rows_by_offset().collect::<Vec<_>>(), sorted);
    }

    #[test]
    fn ranges_split_anywhere(pool in prop::collection::vec(any::<u32>(), 64)) {
        let mut draw = Draw::new(&pool);
        let case = case(&mut draw);
        let rows = all(&case.selection);
        for from in 0..=rows.len() {
            let rest: Vec<Row> = case.selection.rows(from as u64..u64::MAX).collect();
            prop_assert_eq!(&rest, &rows[from..], "from {} of {:?}", from, &case);
            let mut folded = vec![];
            case.selection.rows(from as u64..from as u64 + 3).for_each(|row| folded.push(row));
            prop_assert_eq!(&folded, &rows[from..rows.len().min(from + 3)]);
        }
        prop_assert_eq!(case.selection.rows(u64::MAX..u64::MAX).count(), 0);
        let offsets = case.offsets();
        let from = draw.number(0, offsets.len() as u64);
        let until = draw.number(from, offsets.len() as u64);
        let part = expand(case.selection.rows_of_ranks(from..until));
        let expected: Vec<(u64, u64)> = (from..until).map(|r| (offsets[usize::try_from(r).unwrap()], r)).collect();
        prop_assert_eq!(part, expected);
    }

    #[test]
    fn cursors_find_every_rank(pool in prop::collection::vec(any::<u32>(), 64)) {
        let mut draw = Draw::new(&pool);
        let case = case(&mut draw);
        let offsets = case.offsets();
        let len = offsets.len() as u64;
        let mut wanderer = case.selection.cursor(0);
        for rank in (0..=len).chain([len + 5]) {
            let rest = &offsets[usize::try_from(rank.min(len)).unwrap()..];
            let mut cursor = case.selection.cursor(rank);
            prop_assert_eq!(cursor.rank(), rank.min(len));
            prop_assert_eq!(cursor.next_run(0), None);
            let mut found = vec![];
            while let Some((offset, run)) = cursor.next_run(draw.number(1, 9)) {
                found.extend(offset..offset + run);
            }
            prop_assert_eq!(&found, rest, "from rank {} of {:?}", rank, &case);
            prop_assert_eq!(cursor.rank(), len);
            let mut cursor = case.selection.cursor(rank);
            let mut found = vec![];
            loop {
                let max = draw.number(1, 20);
                let Some(row) = cursor.next_row(max) else { break };
                prop_assert!(row.len() <= max);
                prop_assert_eq!(row.rank + row.len(), cursor.rank());
                found.extend(expand([row]));
            }
            let expected: Vec<(u64, u64)> = rest.iter().copied().zip(rank..).collect();
            prop_assert_eq!(found, expected);
            // One cursor sent here and there.
            let target = draw.number(0, len);
            wanderer.seek(target);
            let run = wanderer.next_run(3);
            prop_assert_eq!(run.map(|(offset, _)| offset), offsets.get(usize::try_from(target).unwrap()).copied());
        }
    }

    #[test]
    fn copies_pair_equal_ranks(pool in prop::collection::vec(any::<u32>(), 96)) {
        let mut draw = Draw::new(&pool);
        let file = case(&mut draw);
        let memory = memory(&mut draw, file.selection.len());
        let expected: Vec<(u64, u64)> = file.offsets().into_iter().zip(memory.offsets()).collect();
        let mut found = vec![];
        copies(file.selection.rows(0..u64::MAX), &memory.selection, |from, to, len| {
            found.extend((0..len).map(|k| (from + k, to + k)));
        }).unwrap();
        prop_assert_eq!(&found, &expected, "{:?} {:?}", &file, &memory);
        let mut found = vec![];
        pieces(file.selection.rows(0..u64::MAX), &memory.selection, |piece| {
            assert!(piece.count > 0 && piece.block > 0);
            for j in 0..piece.count {
                found.extend((0..piece.block).map(|k| {
                    (piece.file + j * piece.file_stride + k, piece.memory + j * piece.memory_stride + k)
                }));
            }
        }).unwrap();
        prop_assert_eq!(&found, &expected);
        // In order of offset, every pair once.
        let mut found = vec![];
        copies(file.selection.rows_by_offset(), &memory.selection, |from, to, len| {
            found.extend((0..len).map(|k| (from + k, to + k)));
        }).unwrap();
        let mut expected = expected;
        found.sort_unstable();
        expected.sort_unstable();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn offsets_move_the_selection(pool in prop::collection::vec(any::<u32>(), 64)) {
        let mut draw = Draw::new(&pool);
        let case = case(&mut draw);
        let by: Vec<i64> = case.dims.iter().map(|_| i64::try_from(draw.number(0, 4)).unwrap() - 2).collect();
        let moved: Option<Vec<u64>> = case.coordinates.iter().map(|at| {
            let at: Option<Vec<u64>> = at.iter().zip(&by).zip(&case.dims)
                .map(|((x, by), dim)| x.checked_add_signed(*by).filter(|x| x < dim)).collect();
            at.map(|at| linear(&case.dims, &at))
        }).collect();
        let result = case.selection.offset_by(&by);
        if !case.moves {
            prop_assert_eq!(all(&result.unwrap()), all(&case.selection));
        } else if let Some(moved) = moved {
            let found: Vec<u64> = expand(all(&result.unwrap())).into_iter().map(|(offset, _)| offset).collect();
            prop_assert_eq!(found, moved);
        } else {
            let outside = matches!(result, Err(SelectionError::OutOfBounds { .. }));
            prop_assert!(outside);
        }
    }
}
