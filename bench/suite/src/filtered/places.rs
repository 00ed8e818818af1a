//! Where the parts of stored chunks go in memory. The limit needs to know this, because it does not use HDF5.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use limit::{Chunk, Piece, Shape};

use crate::Way;
use crate::bench::Bench;
use crate::hdf5::{Dataset, File};

/// Bytes of an element in memory.
const ELEMENT: usize = 4;

/// A chunk in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stored {
    /// Where it begins.
    pub(crate) offset: u64,
    /// Its bytes.
    pub(crate) bytes: usize,
    /// The row and column of its first element.
    pub(crate) corner: [usize; 2],
}

/// A matrix and its chunks. A dataset with one dimension is a single row.
#[derive(Debug, Clone)]
pub(crate) struct Matrix {
    /// Elements of a row.
    pub(crate) columns: usize,
    /// Rows and columns of a chunk.
    pub(crate) chunk: [usize; 2],
    /// All of them.
    pub(crate) stored: Vec<Stored>,
}

/// A part of a matrix that is read at once: its first row and column, and the number of rows and columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) start: [usize; 2],
    pub(crate) count: [usize; 2],
}

impl Matrix {
    /// What HDF5 says about where the chunks of a dataset are. They do not overlap.
    pub(crate) fn of(bench: &Bench, path: &Path, name: &str) -> Result<Self> {
        let file = File::open(bench.library, path, Way::Native)?;
        let dataset = Dataset::open(&file, name)?;
        let [rows, columns] = pair(&dataset.space()?.extents()?.0, 1)?;
        let chunk = dataset.creation()?.chunk()?.context("it is not chunked")?;
        let chunk = pair(&chunk, 1)?;
        let (mut stored, mut places) = (Vec::new(), HashSet::new());
        for found in dataset.chunks()? {
            ensure!(found.filter_mask == 0, "a chunk of {} was stored without its filters", path.display());
            let corner = pair(&found.place, 0)?;
            let is_inside = corner[0] < rows && corner[1] < columns;
            let is_chunk = corner[0].is_multiple_of(chunk[0]) && corner[1].is_multiple_of(chunk[1]);
            ensure!(
                is_inside && is_chunk && places.insert(corner),
                "{} has unexpected chunks",
                path.display()
            );
            stored.push(Stored { offset: found.address, bytes: usize::try_from(found.size)?, corner });
        }
        dataset.close()?;
        file.close()?;
        Ok(Self { columns, chunk, stored })
    }

    fn shape(&self, distance: usize) -> Shape {
        Shape { rows: self.chunk[0], row: ELEMENT * self.chunk[1], distance }
    }

    /// The chunks, and their shape, if all of the matrix is read at once.
    pub(crate) fn whole(&self) -> (Vec<Chunk>, Shape) {
        let (bands, shape) = self.bands(self.columns);
        (bands.into_iter().flatten().collect(), shape)
    }

    /// The same if bands of this many columns are read one after the other, each to the beginning of the same memory. A
    /// band consists of whole chunks.
    pub(crate) fn bands(&self, width: usize) -> (Vec<Vec<Chunk>>, Shape) {
        let distance = ELEMENT * width;
        let mut bands = vec![Vec::new(); self.columns.div_ceil(width)];
        for &Stored { offset, bytes, corner: [row, column] } in &self.stored {
            let target = row * distance + column % width * ELEMENT;
            bands[column / width].push(Chunk { offset, stored: bytes, target });
        }
        (bands, self.shape(distance))
    }

    /// The chunks that parts of equal size touch, in the order in which they are first needed, and how to copy the parts out of
    /// them, each to the beginning of the same memory.
    pub(crate) fn parts(&self, parts: &[Part]) -> Result<(Vec<Chunk>, Vec<Piece>, Shape)> {
        let [height, width] = parts.first().context("there is nothing to read")?.count;
        let by_place: HashMap<[usize; 2], &Stored> = self
            .stored
            .iter()
            .map(|stored| ([stored.corner[0] / self.chunk[0], stored.corner[1] / self.chunk[1]], stored))
            .collect();
        let (row, distance) = (ELEMENT * self.chunk[1], ELEMENT * width);
        let (mut numbers, mut chunks, mut pieces) = (HashMap::new(), Vec::new(), Vec::new());
        for part in parts {
            ensure!(part.count == [height, width], "the parts have different sizes");
            for down in cuts(part.start[0], height, self.chunk[0]) {
                for across in cuts(part.start[1], width, self.chunk[1]) {
                    let place = [down.chunk, across.chunk];
                    let stored = by_place.get(&place).context("a part is outside the stored chunks")?;
                    let chunk = *numbers.entry(place).or_insert_with(|| {
                        chunks.push(Chunk { offset: stored.offset, stored: stored.bytes, target: 0 });
                        chunks.len() - 1
                    });
                    pieces.push(Piece {
                        chunk,
                        from: down.inside * row + across.inside * ELEMENT,
                        to: down.outside * distance + across.outside * ELEMENT,
                        rows: down.count,
                        row: across.count * ELEMENT,
                    });
                }
            }
        }
        Ok((chunks, pieces, self.shape(distance)))
    }
}

/// Rows and columns. With one dimension there is a single row, and `row` is used for the rows.
pub(super) fn pair(numbers: &[u64], row: usize) -> Result<[usize; 2]> {
    match *numbers {
        [column] => Ok([row, usize::try_from(column)?]),
        [row, column] => Ok([usize::try_from(row)?, usize::try_from(column)?]),
        _ => bail!("{} dimensions are too many for the limit", numbers.len()),
    }
}

/// The part of a range that is in one chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cut {
    /// The number of the chunk.
    chunk: usize,
    /// The offset in the chunk.
    inside: usize,
    /// The offset in the range.
    outside: usize,
    /// The number of elements.
    count: usize,
}

/// Divides a range at the borders of chunks of `side`.
fn cuts(start: usize, count: usize, side: usize) -> impl Iterator<Item = Cut> {
    let mut outside = 0;
    std::iter::from_fn(move || {
        let place = start + outside;
        let inside = place % side;
        let length = (side - inside).min(count - outside);
        let cut = Cut { chunk: place / side, inside, outside, count: length };
        outside += length;
        (length > 0).then_some(cut)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 4 x 6 elements in chunks of 2 x 3, one behind the other.
    fn matrix() -> Matrix {
        let corners = [[0, 0], [0, 3], [2, 0], [2, 3]];
        let stored =
            (0..).zip(corners).map(|(number, corner)| Stored { offset: 24 * number, bytes: 24, corner });
        Matrix { columns: 6, chunk: [2, 3], stored: stored.collect() }
    }

    fn targets(chunks: &[Chunk]) -> Vec<(u64, usize)> {
        chunks.iter().map(|chunk| (chunk.offset, chunk.target)).collect()
    }

    #[test]
    fn every_chunk_has_its_place() {
        let (chunks, shape) = matrix().whole();
        assert_eq!(targets(&chunks), [(0, 0), (24, 12), (48, 48), (72, 60)]);
        assert_eq!((shape.rows, shape.row, shape.distance), (2, 12, 24));
    }

    #[test]
    fn bands_all_go_to_the_beginning() {
        let (bands, shape) = matrix().bands(3);
        let places: Vec<_> = bands.iter().map(|band| targets(band)).collect();
        assert_eq!(places, [[(0, 0), (48, 24)], [(24, 0), (72, 24)]]);
        assert_eq!((shape.rows, shape.row, shape.distance), (2, 12, 12));
    }

    #[test]
    fn a_range_is_cut_at_chunks() {
        let cut = |chunk, inside, outside, count| Cut { chunk, inside, outside, count };
        let found: Vec<_> = cuts(5, 6, 3).collect();
        assert_eq!(found, [cut(1, 2, 0, 1), cut(2, 0, 1, 3), cut(3, 0, 4, 2)]);
        assert_eq!(cuts(7, 0, 3).count(), 0);
    }

    /// Does what the limit does with chunks and pieces, without threads: the parts, one behind the other.
    fn copied(matrix: &Matrix, parts: &[Part]) -> Vec<Vec<u8>> {
        let (chunks, pieces, shape) = matrix.parts(parts).unwrap();
        let length = parts[0].count[0] * parts[0].count[1] * ELEMENT;
        let (mut memory, mut left, mut found) = (vec![0xff; length], length, Vec::new());
        for piece in pieces {
            for row in 0..piece.rows {
                let from = piece.from + row * shape.row;
                // Each byte of the file is the number of its element.
                let first = usize::try_from(chunks[piece.chunk].offset).unwrap() + from;
                for byte in 0..piece.row {
                    memory[piece.to + row * shape.distance + byte] =
                        u8::try_from((first + byte) / ELEMENT).unwrap();
                }
            }
            left -= piece.rows * piece.row;
            if left == 0 {
                found.push(std::mem::replace(&mut memory, vec![0xff; length]));
                left = length;
            }
        }
        found
    }

    #[test]
    fn parts_are_made_of_pieces() {
        let elements =
            |numbers: &[u8]| numbers.iter().flat_map(|&number| [number; ELEMENT]).collect::<Vec<_>>();
        let part = |start| Part { start, count: [2, 2] };
        // The elements are numbered chunk by chunk: 0 1 2 | 6 7 8, 3 4 5 | 9 10 11, and so on.
        let found = copied(&matrix(), &[part([1, 2]), part([0, 0])]);
        assert_eq!(found, [elements(&[5, 9, 14, 18]), elements(&[0, 1, 3, 4])]);
    }

    #[test]
    fn chunks_are_listed_once_and_when_needed() {
        let part = |start| Part { start, count: [1, 2] };
        let (chunks, pieces, _) = matrix().parts(&[part([2, 3]), part([0, 0]), part([3, 4])]).unwrap();
        assert_eq!(chunks.iter().map(|chunk| chunk.offset).collect::<Vec<_>>(), [72, 0]);
        assert_eq!(pieces.iter().map(|piece| piece.chunk).collect::<Vec<_>>(), [0, 1, 0]);
        assert!(matrix().parts(&[part([4, 0])]).is_err(), "outside");
        assert!(matrix().parts(&[]).is_err(), "nothing");
        assert!(matrix().parts(&[part([0, 0]), Part { start: [0, 0], count: [2, 2] }]).is_err(), "two sizes");
    }
}
