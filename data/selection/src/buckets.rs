//! Listed selections sorted into chunks.
//!
//! Irregular hyperslabs and points have no arithmetic to find their chunks by: each run is cut at the chunk
//! borders it crosses, and the cuts are sorted by chunk.

use crate::listed::{List, Listed};
use crate::{ChunkGrid, Row, Rows};

/// What a listed selection has in each chunk.
#[derive(Clone, Debug)]
pub(crate) struct Buckets {
    cuts: Vec<Cut>,
    /// For each touched chunk, in order: its number, and where its cuts end (they begin where the previous
    /// end).
    ends: Vec<(u64, usize)>,
    /// No element twice?
    pub(crate) distinct: bool,
}

/// A run inside a chunk: its offset is in the chunk, its rank in the whole selection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    /// The chunk's number.
    number: u64,
    offset: u64,
    len: u64,
    rank: u64,
}

impl Cut {
    #[inline]
    pub(crate) fn row(&self) -> Row {
        Row::run(self.offset, self.len, self.rank)
    }

    /// Appends `next` if it carries on in the same chunk, in offset and in rank.
    #[inline]
    fn append(&mut self, next: &Cut) -> bool {
        let continues = self.number == next.number
            && self.offset + self.len == next.offset
            && self.rank + self.len == next.rank;
        if continues {
            self.len += next.len;
        }
        continues
    }
}

impl Buckets {
    pub(crate) fn new(grid: &ChunkGrid, listed: &Listed) -> Self {
        let mut cuts = Vec::with_capacity(usize::try_from(listed.row_count()).unwrap_or(0));
        let strides = grid.extent().strides();
        for row in Rows::of_list(&listed.list, &(0..u64::MAX)) {
            for turn in 0..row.count {
                let rank = row.rank + turn * row.block;
                cut(grid, &strides, row.offset + turn * row.stride, row.block, rank, &mut cuts);
            }
        }
        // Cuts are in order of rank, and stay so within a chunk. The stable sort makes use of the rising
        // sequences that an ordered selection gives; for points in any order the other one needs no memory of
        // its own.
        if listed.sorted {
            cuts.sort_by_key(|cut| cut.number);
        } else {
            cuts.sort_unstable_by_key(|cut| (cut.number, cut.rank));
        }
        cuts.dedup_by(|next, cut| cut.append(next));
        let mut ends: Vec<(u64, usize)> = Vec::new();
        for (index, cut) in cuts.iter().enumerate() {
            match ends.last_mut() {
                Some((number, end)) if *number == cut.number => *end = index + 1,
                _ => ends.push((cut.number, index + 1)),
            }
        }
        Self { cuts, ends, distinct: matches!(listed.list, List::Rows(_)) }
    }

    /// Number of chunks.
    pub(crate) fn count(&self) -> u64 {
        self.ends.len() as u64
    }

    /// The number of the chunk at place `index`.
    pub(crate) fn number(&self, index: u64) -> Option<u64> {
        self.ends.get(usize::try_from(index).ok()?).map(|(number, _)| *number)
    }

    /// What is in a chunk; nothing if it is not touched.
    pub(crate) fn cuts(&self, number: u64) -> &[Cut] {
        let Ok(index) = self.ends.binary_search_by_key(&number, |(number, _)| *number) else { return &[] };
        let begin = index.checked_sub(1).map_or(0, |before| self.ends[before].1);
        &self.cuts[begin..self.ends[index].1]
    }
}

/// Cuts one run at the borders of lines and chunks.
fn cut(grid: &ChunkGrid, strides: &[u64], mut offset: u64, mut len: u64, mut rank: u64, cuts: &mut Vec<Cut>) {
    let Some(last) = strides.len().checked_sub(1) else { return };
    let (width, chunk_width) = (grid.extent().dims()[last], grid.chunk_dims()[last]);
    while len > 0 {
        let mut rest = offset;
        let (mut number, mut local) = (0, 0);
        for (dim, &stride) in strides[..last].iter().enumerate() {
            let (coordinate, size) = (rest / stride, grid.chunk_dims()[dim]);
            rest %= stride;
            number += coordinate / size * grid.weights()[dim];
            local += coordinate % size * grid.chunk_strides()[dim];
        }
        // Along one line of the extent, chunk by chunk.
        let line = len.min(width - rest);
        let mut done = 0;
        while done < line {
            let (column, within) = ((rest + done) / chunk_width, (rest + done) % chunk_width);
            let part = (line - done).min(chunk_width - within);
            cuts.push(Cut { number: number + column, offset: local + within, len: part, rank });
            done += part;
            rank += part;
        }
        offset += line;
        len -= line;
    }
}
