//! From where to where: rows of one side and the selection of the other walked together.
//!
//! The rows say which ranks are wanted and where they are on their side (a file, a chunk); the memory
//! selection says where elements of those ranks are in memory. Both come as blocks at regular distances, so
//! most of what a copy has to do can be said as one [`Piece`] for a strided kernel instead of one call for
//! each run.

use crate::row::Walk;
use crate::{Row, Selection, SelectionError};

/// `count` blocks of `block` elements, at regular distances on both sides. Offsets and strides in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Offset of the first block on the side of the rows: in the extent, or in the chunk.
    pub file: u64,
    /// From one block to the next on the side of the rows.
    pub file_stride: u64,
    /// Offset of the first block in memory.
    pub memory: u64,
    /// From one block to the next in memory.
    pub memory_stride: u64,
    /// Contiguous elements of a block.
    pub block: u64,
    /// Number of blocks.
    pub count: u64,
}

impl Piece {
    #[inline]
    fn run(file: u64, memory: u64, len: u64) -> Self {
        Self { file, file_stride: len, memory, memory_stride: len, block: len, count: 1 }
    }
}

/// Calls `f` with strided pieces that together bring every element of `rows` to the element of `memory` with
/// the same rank. The pieces come in the order of the rows.
///
/// # Errors
/// `LengthMismatch` if a row reaches beyond the memory selection (pieces of earlier rows have been given by
/// then).
pub fn pieces(
    rows: impl IntoIterator<Item = Row>,
    memory: &Selection,
    mut f: impl FnMut(Piece),
) -> Result<(), SelectionError> {
    let len = memory.len();
    if let Some(base) = memory.as_contiguous() {
        // From inside the iterator, which is the fastest way to walk rows.
        let mut result = Ok(());
        rows.into_iter().for_each(|row| match check(&row, len) {
            Ok(()) if result.is_ok() => f(Piece {
                file: row.offset,
                file_stride: row.stride,
                memory: base + row.rank,
                memory_stride: row.block,
                block: row.block,
                count: row.count,
            }),
            Ok(()) => {}
            error => result = error,
        });
        return result;
    }
    let mut cursor = memory.cursor(0);
    for row in rows {
        check(&row, len)?;
        if cursor.rank() != row.rank {
            cursor.seek(row.rank);
        }
        let mut file = Walk::new(&row);
        while !file.is_done() {
            let piece = zip(&mut file, cursor.walk());
            cursor.advanced(piece.block * piece.count);
            f(piece);
        }
    }
    Ok(())
}

/// Calls `f` with contiguous pieces: offset on the side of the rows, offset in memory, and length. Otherwise
/// as [`pieces`].
///
/// # Errors
/// As [`pieces`].
pub fn copies(
    rows: impl IntoIterator<Item = Row>,
    memory: &Selection,
    mut f: impl FnMut(u64, u64, u64),
) -> Result<(), SelectionError> {
    pieces(rows, memory, |piece| {
        f(piece.file, piece.memory, piece.block);
        for turn in 1..piece.count {
            f(piece.file + turn * piece.file_stride, piece.memory + turn * piece.memory_stride, piece.block);
        }
    })
}

#[inline]
fn check(row: &Row, len: u64) -> Result<(), SelectionError> {
    match row.rank.checked_add(row.len()) {
        Some(needed) if needed <= len => Ok(()),
        needed => Err(SelectionError::LengthMismatch { needed: needed.unwrap_or(u64::MAX), memory: len }),
    }
}

/// The largest piece that begins where both sides stand; advances both. Neither side is done.
#[inline]
fn zip(file: &mut Walk, memory: &mut Walk) -> Piece {
    // Whole blocks of one side that fit into the other's current block, or blocks of the same length.
    if file.at_block_start() && memory.left >= file.block && file.blocks > 0 {
        let block = file.block;
        let same = memory.left == block && memory.at_block_start();
        let room = if same { memory.blocks + 1 } else { memory.left / block };
        let count = room.min(file.blocks + 1);
        let piece = Piece {
            file_stride: file.stride,
            memory_stride: if same && memory.blocks > 0 { memory.stride } else { block },
            file: file.take_blocks(count),
            memory: if same { memory.take_blocks(count) } else { memory.take(count * block) },
            block,
            count,
        };
        return tidy(piece);
    }
    if memory.at_block_start() && file.left >= memory.block && memory.blocks > 0 {
        let block = memory.block;
        let count = (file.left / block).min(memory.blocks + 1);
        let piece = Piece {
            file_stride: block,
            memory_stride: memory.stride,
            file: file.take(count * block),
            memory: memory.take_blocks(count),
            block,
            count,
        };
        return tidy(piece);
    }
    let len = file.left.min(memory.left);
    Piece::run(file.take(len), memory.take(len), len)
}

/// A single block has its own length as strides.
#[inline]
fn tidy(piece: Piece) -> Piece {
    if piece.count == 1 { Piece::run(piece.file, piece.memory, piece.block) } else { piece }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Extent;

    fn all_pieces(file: &Selection, memory: &Selection) -> Vec<Piece> {
        let mut found = Vec::new();
        pieces(file.rows(0..u64::MAX), memory, |piece| found.push(piece)).unwrap();
        found
    }

    #[test]
    fn regular_sides_make_single_pieces() {
        let wide = Extent::new(&[10, 20]).unwrap();
        let columns = Selection::hyperslab(&wide, &[0, 0], &[1, 2], &[10, 10], &[1, 1]).unwrap();
        let dense = Selection::all(&Extent::new(&[100]).unwrap());
        let gather = Piece { file: 0, file_stride: 2, memory: 0, memory_stride: 1, block: 1, count: 100 };
        assert_eq!(all_pieces(&columns, &dense), [gather]);
        let scatter = Piece { file: 0, file_stride: 1, memory: 0, memory_stride: 2, block: 1, count: 100 };
        assert_eq!(all_pieces(&dense, &columns), [scatter]);
        let tile = Selection::tile(&wide, &[2, 3], &[4, 5]).unwrap();
        let other = Selection::tile(&Extent::new(&[4, 6]).unwrap(), &[0, 1], &[4, 5]).unwrap();
        let both = Piece { file: 43, file_stride: 20, memory: 1, memory_stride: 6, block: 5, count: 4 };
        assert_eq!(all_pieces(&tile, &other), [both]);
    }

    #[test]
    fn rows_beyond_memory_are_an_error() {
        let file = Selection::all(&Extent::new(&[10]).unwrap());
        let memory = Selection::all(&Extent::new(&[9]).unwrap());
        let error = SelectionError::LengthMismatch { needed: 10, memory: 9 };
        assert_eq!(copies(file.rows(0..1), &memory, |_, _, _| {}), Err(error));
        let nothing = Selection::none(&Extent::new(&[9]).unwrap());
        assert!(copies(file.rows(0..1), &nothing, |_, _, _| {}).is_err());
    }
}
