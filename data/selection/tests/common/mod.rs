//! The naive oracle: selections as lists of coordinates, and random ones drawn from a pool of numbers.

#![allow(dead_code, reason = "each test file uses its own part")]

mod draw;

use selection::{Extent, Row, Selection};

pub(crate) use draw::{Draw, everywhere, linear, size, walk};

/// A selection and what it is: the coordinates selected, in order.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) dims: Vec<u64>,
    pub(crate) extent: Extent,
    pub(crate) selection: Selection,
    pub(crate) coordinates: Vec<Vec<u64>>,
    /// May the selection be moved (is it anything but all or none)?
    pub(crate) moves: bool,
}

impl Case {
    pub(crate) fn offsets(&self) -> Vec<u64> {
        self.coordinates.iter().map(|at| linear(&self.dims, at)).collect()
    }
}

/// Every element of the rows as (offset, rank).
pub(crate) fn expand(rows: impl IntoIterator<Item = Row>) -> Vec<(u64, u64)> {
    let mut elements = Vec::new();
    for row in rows {
        assert!(row.block > 0 && row.count > 0 && (row.count > 1 || row.stride == row.block), "{row:?}");
        assert!(row.stride >= row.block);
        let mut rank = row.rank;
        for j in 0..row.count {
            for k in 0..row.block {
                elements.push((row.offset + j * row.stride + k, rank));
                rank += 1;
            }
        }
        assert_eq!(rank, row.rank + row.len());
        assert_eq!(elements.last().unwrap().0 + 1, row.end());
    }
    elements
}

pub(crate) fn dims(draw: &mut Draw) -> Vec<u64> {
    let rank = draw.number(0, 5);
    let top = [0, 40, 14, 8, 6, 4][size(rank)];
    (0..rank).map(|_| if draw.number(0, 40) == 0 { 0 } else { draw.number(1, top) }).collect()
}

/// A random selection of a random kind.
pub(crate) fn case(draw: &mut Draw) -> Case {
    let dims = dims(draw);
    let extent = Extent::new(&dims).unwrap();
    let volume = extent.count();
    let (selection, coordinates, moves) = match draw.number(0, 9) {
        0 => (Selection::none(&extent), vec![], false),
        1 => (Selection::all(&extent), everywhere(&dims), false),
        2 | 3 if volume > 0 && !dims.is_empty() => blocks(draw, &dims, &extent),
        4 | 5 if volume > 0 && !dims.is_empty() => points(draw, &dims, &extent),
        _ => slab(draw, &dims, &extent),
    };
    Case { dims, extent, selection, coordinates, moves }
}

fn slab(draw: &mut Draw, dims: &[u64], extent: &Extent) -> (Selection, Vec<Vec<u64>>, bool) {
    let (mut start, mut stride, mut count, mut block) = (vec![], vec![], vec![], vec![]);
    for &dim in dims {
        if dim == 0 || draw.number(0, 60) == 0 {
            start.push(draw.number(0, 9));
            stride.push(draw.number(0, 9));
            let empty = draw.number(0, 1);
            count.push(empty);
            block.push(if empty == 1 { 0 } else { 3 });
            continue;
        }
        let full = draw.number(0, 2) == 0;
        let from = if full { 0 } else { draw.number(0, dim - 1) };
        let size = if full { dim } else { draw.number(1, (dim - from).min(4)) };
        let apart = size + draw.number(0, 3);
        let most = (dim - from - size) / apart + 1;
        let times = if draw.number(0, 1) == 0 { most } else { draw.number(1, most) };
        start.push(from);
        stride.push(if times == 1 { draw.number(0, 9) } else { apart });
        count.push(times);
        block.push(size);
    }
    let chosen = |at: &Vec<u64>| {
        (0..dims.len()).all(|d| {
            (0..count[d]).any(|j| {
                let low = start[d] + j * stride[d];
                (low..low + block[d]).contains(&at[d])
            })
        })
    };
    let empty = (0..dims.len()).any(|d| count[d] == 0 || block[d] == 0);
    let coordinates = if empty { vec![] } else { everywhere(dims).into_iter().filter(chosen).collect() };
    let selection = Selection::hyperslab(extent, &start, &stride, &count, &block).unwrap();
    (selection, coordinates, !empty)
}

fn blocks(draw: &mut Draw, dims: &[u64], extent: &Extent) -> (Selection, Vec<Vec<u64>>, bool) {
    let mut taken: Vec<(Vec<u64>, Vec<u64>)> = vec![];
    for _ in 0..draw.number(1, 12) {
        let low: Vec<u64> = dims.iter().map(|&dim| draw.number(0, dim - 1)).collect();
        let high: Vec<u64> = dims
            .iter()
            .zip(&low)
            .map(|(&dim, &low)| if draw.number(0, 3) == 0 { dim - 1 } else { draw.number(low, dim - 1) })
            .collect();
        let free = taken.iter().all(|(l, h)| (0..dims.len()).any(|d| high[d] < l[d] || h[d] < low[d]));
        if free {
            taken.push((low, high));
        }
    }
    let inside =
        |at: &Vec<u64>| taken.iter().any(|(l, h)| (0..dims.len()).all(|d| (l[d]..=h[d]).contains(&at[d])));
    let corners: Vec<u64> = taken.iter().flat_map(|(l, h)| [&l[..], &h[..]].concat()).collect();
    let coordinates = everywhere(dims).into_iter().filter(inside).collect();
    (Selection::blocks(extent, &corners).unwrap(), coordinates, true)
}

fn points(draw: &mut Draw, dims: &[u64], extent: &Extent) -> (Selection, Vec<Vec<u64>>, bool) {
    let coordinates = walk(draw, dims);
    let moves = !coordinates.is_empty();
    (Selection::points(extent, &coordinates.concat()).unwrap(), coordinates, moves)
}

/// A random memory selection of `len` elements.
pub(crate) fn memory(draw: &mut Draw, len: u64) -> Case {
    let kind = if len == 0 { 0 } else { draw.number(0, 4) };
    let (dims, selection, coordinates) = match kind {
        0 => {
            let dims = vec![len];
            (dims.clone(), Selection::all(&Extent::new(&dims).unwrap()), everywhere(&dims))
        }
        1 => {
            // Points, in a small space.
            let dims = vec![draw.number(1, 9), draw.number(1, 9)];
            let coordinates: Vec<Vec<u64>> =
                (0..len).map(|_| dims.iter().map(|&dim| draw.number(0, dim - 1)).collect()).collect();
            let extent = Extent::new(&dims).unwrap();
            (dims, Selection::points(&extent, &coordinates.concat()).unwrap(), coordinates)
        }
        2 => {
            // Runs on the lines of a two-dimensional space.
            let width = draw.number(1, 12);
            let mut corners = vec![];
            let mut coordinates = vec![];
            let mut place = draw.number(0, 5);
            while (coordinates.len() as u64) < len {
                let (y, x) = (place / width, place % width);
                let most = (width - x).min(len - coordinates.len() as u64);
                let run = draw.number(1, most);
                corners.extend([y, x, y, x + run - 1]);
                coordinates.extend((0..run).map(|k| vec![y, x + k]));
                place += run + draw.number(0, 4);
            }
            let dims = vec![place / width + 1, width];
            let extent = Extent::new(&dims).unwrap();
            (dims, Selection::blocks(&extent, &corners).unwrap(), coordinates)
        }
        _ => {
            // A factorisation of the length, each factor a number of blocks.
            let mut rest = len;
            let (mut dims, mut start, mut stride, mut count, mut block) =
                (vec![], vec![], vec![], vec![], vec![]);
            for d in 0..3 {
                let n = if d == 2 { rest } else { draw.divisor(rest) };
                rest /= n;
                let size = draw.divisor(n);
                let gap = draw.number(0, 2);
                start.push(draw.number(0, 2));
                stride.push(size + gap);
                count.push(n / size);
                block.push(size);
                dims.push(start[d] + n / size * (size + gap) + draw.number(0, 2));
            }
            let extent = Extent::new(&dims).unwrap();
            let selection = Selection::hyperslab(&extent, &start, &stride, &count, &block).unwrap();
            let along = |d: usize, i: u64| start[d] + i / block[d] * stride[d] + i % block[d];
            let counts: Vec<u64> = (0..3).map(|d| count[d] * block[d]).collect();
            let coordinates = everywhere(&counts)
                .iter()
                .map(|index| (0..3).map(|d| along(d, index[d])).collect())
                .collect();
            (dims, selection, coordinates)
        }
    };
    assert_eq!(coordinates.len() as u64, len);
    Case { extent: Extent::new(&dims).unwrap(), dims, selection, coordinates, moves: false }
}
