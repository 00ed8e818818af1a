//! Cutting rows.

use super::*;

#[test]
fn cut_rows_are_the_elements_between() {
    let places = |rows: &mut dyn Iterator<Item = Row>| -> Vec<(u64, u64)> {
        let mut found = Vec::new();
        for row in rows {
            assert!(row.block > 0 && row.count > 0 && (row.count > 1 || row.stride == row.block), "{row:?}");
            for element in 0..row.len() {
                let (block, within) = (element / row.block, element % row.block);
                found.push((row.offset + block * row.stride + within, row.rank + element));
            }
        }
        found
    };
    let rows = [
        Row { offset: 3, block: 4, count: 5, stride: 10, rank: 7 },
        Row::run(100, 6, 50),
        Row { offset: 200, block: 1, count: 3, stride: 2, rank: 60 },
    ];
    let all = places(&mut rows.iter().copied());
    assert_eq!(places(&mut cut(rows.iter().copied(), 0..u64::MAX)), all);
    for begin in 0..=all.len() {
        for end in begin..=all.len() + 1 {
            let found = places(&mut cut(rows.iter().copied(), begin as u64..end as u64));
            assert_eq!(found, all[begin..end.min(all.len())], "{begin}..{end}");
        }
    }
}
