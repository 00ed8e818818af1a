//! Where the bytes of a matrix are in a file, and reading and writing them without HDF5.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::bench::Bench;
use crate::filtered::places::Matrix;

/// How a matrix is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Stored {
    /// At this offset in the file.
    Contiguous(u64),
    /// Chunks with this many rows of this many bytes each, at these offsets in the file, in row-major order.
    Chunked { rows: usize, row: usize, offsets: Vec<u64> },
}

/// Where a matrix is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Raw {
    /// Bytes of a row.
    row: usize,
    stored: Stored,
}

/// Bytes that are together in the file: rows, which are a distance apart in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    offset: u64,
    /// Where in memory the first row begins.
    start: usize,
    rows: usize,
    row: usize,
}

impl Raw {
    /// Where native HDF5 has stored a square matrix.
    pub(super) fn of(bench: &Bench, path: &Path, dataset: &str, row: usize) -> Result<Self> {
        if let Ok(offset) = bench.offset_of(path, dataset) {
            return Ok(Self { row, stored: Stored::Contiguous(offset) });
        }
        let (chunks, shape) = Matrix::of(bench, path, dataset)?.whole();
        ensure!(
            shape.distance == row && row.is_multiple_of(shape.row),
            "the chunks are not those of the matrix"
        );
        let across = row / shape.row;
        let place = |target: usize| target / row / shape.rows * across + target % row / shape.row;
        let mut offsets = vec![None; chunks.len()];
        for chunk in &chunks {
            *offsets.get_mut(place(chunk.target)).context("a chunk is outside")? = Some(chunk.offset);
        }
        let offsets = offsets.into_iter().collect::<Option<Vec<_>>>().context("a chunk is missing")?;
        Ok(Self { row, stored: Stored::Chunked { rows: shape.rows, row: shape.row, offsets } })
    }

    /// A matrix at this offset in a file, contiguous or in consecutive square chunks. Its side is in elements of 4 bytes, and
    /// a multiple of a chunk's.
    pub(super) fn new(side: usize, chunk: Option<usize>, offset: u64) -> Self {
        let row = 4 * side;
        let stored = match chunk {
            None => Stored::Contiguous(offset),
            Some(chunk) => {
                let (chunks, length) = ((side / chunk).pow(2) as u64, 4 * (chunk * chunk) as u64);
                let places = (0..chunks).map(|number| offset + number * length);
                Stored::Chunked { rows: chunk, row: 4 * chunk, offsets: places.collect() }
            }
        };
        Self { row, stored }
    }

    /// Bytes of a row.
    pub(super) fn row(&self) -> usize {
        self.row
    }

    fn pieces(&self, rows: Range<usize>) -> Vec<Piece> {
        match &self.stored {
            Stored::Contiguous(offset) => {
                let offset = offset + (rows.start * self.row) as u64;
                vec![Piece { offset, start: 0, rows: 1, row: rows.len() * self.row }]
            }
            Stored::Chunked { rows: height, row, offsets } => {
                let (across, mut pieces) = (self.row / row, Vec::new());
                let mut first = rows.start;
                while first < rows.end {
                    let (down, inner) = (first / height, first % height);
                    let count = (height - inner).min(rows.end - first);
                    let below = (first - rows.start) * self.row;
                    pieces.extend(offsets[down * across..][..across].iter().enumerate().map(
                        |(column, offset)| Piece {
                            offset: offset + (inner * row) as u64,
                            start: below + column * row,
                            rows: count,
                            row: *row,
                        },
                    ));
                    first += count;
                }
                pieces
            }
        }
    }

    /// Reads rows to the beginning of the memory.
    pub(super) fn read(&self, file: &File, rows: Range<usize>, memory: &mut [u8]) -> io::Result<()> {
        let mut scratch = Vec::new();
        for Piece { offset, start, rows, row } in self.pieces(rows) {
            if row == self.row || rows == 1 {
                file.read_exact_at(&mut memory[start..][..rows * row], offset)?;
                continue;
            }
            scratch.resize(rows * row, 0);
            file.read_exact_at(&mut scratch, offset)?;
            for (target, source) in memory[start..].chunks_mut(self.row).zip(scratch.chunks(row)) {
                target[..row].copy_from_slice(source);
            }
        }
        Ok(())
    }

    /// Writes rows from the beginning of the memory.
    pub(super) fn write(&self, file: &File, rows: Range<usize>, memory: &[u8]) -> io::Result<()> {
        let mut scratch = Vec::new();
        for Piece { offset, start, rows, row } in self.pieces(rows) {
            if row == self.row || rows == 1 {
                file.write_all_at(&memory[start..][..rows * row], offset)?;
                continue;
            }
            scratch.clear();
            for source in memory[start..].chunks(self.row).take(rows) {
                scratch.extend_from_slice(&source[..row]);
            }
            file.write_all_at(&scratch, offset)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again_in_any_bands() {
        let file = tempfile::tempfile().unwrap();
        let matrix: Vec<u8> = (0..64_u32 * 64).flat_map(u32::to_le_bytes).collect();
        for chunk in [None, Some(16), Some(64)] {
            let raw = Raw::new(64, chunk, 100);
            file.set_len(0).unwrap();
            for rows in [0..10, 10..32, 32..64] {
                raw.write(&file, rows.clone(), &matrix[rows.start * 256..rows.end * 256]).unwrap();
            }
            assert_eq!(file.metadata().unwrap().len(), 100 + 64 * 64 * 4, "{chunk:?}");
            for rows in [0..64, 5..6, 15..17, 20..61] {
                let mut found = vec![0; rows.len() * 256];
                raw.read(&file, rows.clone(), &mut found).unwrap();
                assert_eq!(found, matrix[rows.start * 256..rows.end * 256], "{chunk:?}, {rows:?}");
            }
        }
        // The second chunk begins with element 16.
        let mut number = [0; 4];
        Raw::new(64, Some(16), 100).write(&file, 0..64, &matrix).unwrap();
        file.read_exact_at(&mut number, 100 + 16 * 16 * 4).unwrap();
        assert_eq!(u32::from_le_bytes(number), 16);
    }
}
