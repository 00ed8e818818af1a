//! Parallel decoding of chunks, each once, and copying of parts of them, in order: what many small reads must do, with
//! a cache that knows what will be read and keeps what will be read again.

use std::fs::File;
use std::io;
use std::iter::once;
use std::num::NonZero;
use std::slice;
use std::sync::{Mutex, PoisonError};

use crate::decode::{Chunk, Decoder, Form, Shape};
use crate::parallel::in_parallel;

/// Rows of a decoded chunk that one read asks for.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Piece {
    /// The number of the chunk.
    pub chunk: usize,
    /// Where in it the first row begins.
    pub from: usize,
    /// Where in the output that goes.
    pub to: usize,
    /// How many rows.
    pub rows: usize,
    /// Bytes of one.
    pub row: usize,
}

/// What is decoded and not yet copied, and what is still to be copied.
struct Cache<'call> {
    /// By the numbers of the chunks.
    decoded: Vec<Option<Vec<u8>>>,
    /// Pieces of each chunk that are still to be copied.
    uses: Vec<usize>,
    /// Memory of chunks of which nothing is.
    spare: Vec<Vec<u8>>,
    pieces: slice::Iter<'call, Piece>,
    shape: Shape,
    output: &'call mut [u8],
}

impl Cache<'_> {
    /// Takes a decoded chunk, and copies all pieces whose turn it is by that.
    fn add(&mut self, number: usize, chunk: Vec<u8>) -> io::Result<()> {
        self.decoded[number] = Some(chunk);
        while let [piece, ..] = self.pieces.as_slice()
            && let Some(chunk) = &self.decoded[piece.chunk]
        {
            put(piece, chunk, self.shape, self.output)
                .ok_or_else(|| io::Error::other("a piece is outside"))?;
            self.uses[piece.chunk] -= 1;
            if self.uses[piece.chunk] == 0 {
                self.spare.extend(self.decoded[piece.chunk].take());
            }
            self.pieces.next();
        }
        Ok(())
    }
}

/// Copies a piece; nothing when it is outside the chunk or the output.
fn put(piece: &Piece, chunk: &[u8], shape: Shape, output: &mut [u8]) -> Option<()> {
    let sources = chunk.get(piece.from..)?.chunks(shape.row);
    let targets = output.get_mut(piece.to..)?.chunks_mut(shape.distance);
    let mut left = piece.rows;
    for (source, target) in sources.zip(targets).take(piece.rows) {
        target.get_mut(..piece.row)?.copy_from_slice(source.get(..piece.row)?);
        left -= 1;
    }
    (left == 0).then_some(())
}

/// Reads and decodes `chunks` with `threads` threads, the caller among them, and copies the pieces, in their order, as
/// soon as they are there. The distance of `shape` is that of the rows of a piece in the output.
///
/// # Errors
/// What the system says, that a chunk is damaged, or that a piece is outside its chunk or the output.
pub fn copy(
    file: &File,
    form: Form,
    chunks: &[Chunk],
    shape: Shape,
    pieces: &[Piece],
    output: &mut [u8],
    threads: NonZero<usize>,
) -> io::Result<()> {
    let (size, outside) = (shape.size()?, || io::Error::other("a piece is outside"));
    let mut uses = vec![0; chunks.len()];
    for piece in pieces {
        *uses.get_mut(piece.chunk).filter(|_| shape.distance > 0).ok_or_else(outside)? += 1;
    }
    let (decoded, spare, pieces) = (vec![None; chunks.len()], Vec::new(), pieces.iter());
    let cache = &Mutex::new(Cache { decoded, uses, spare, pieces, shape, output });
    let lock = || cache.lock().unwrap_or_else(PoisonError::into_inner);
    in_parallel(threads, chunks.iter().enumerate(), || {
        let mut own = Decoder::new(form, size);
        move |(number, chunk): (usize, &Chunk)| {
            let spare = lock().spare.pop();
            let mut memory = spare.unwrap_or_else(|| vec![0; size]);
            own.decode(file, chunk, once(Some(&mut memory[..])))?;
            lock().add(number, memory)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::Packing;
    use crate::testing::file_of;

    /// Of three chunks, whose bytes are numbered.
    const SHAPE: Shape = Shape { rows: 4, row: 8, distance: 12 };

    fn copied(pieces: &[Piece], threads: usize) -> io::Result<Vec<u8>> {
        let (mut content, mut chunks) = (Vec::new(), Vec::new());
        for number in 0..3_u8 {
            let chunk: Vec<u8> = (0..32).map(|byte| 32 * number + byte).collect();
            let packed = zstd::bulk::compress(&chunk, 3)?;
            chunks.push(Chunk { offset: content.len().try_into().unwrap(), stored: packed.len(), target: 0 });
            content.extend(packed);
        }
        let (form, mut output) = (Form { packing: Packing::Zstd, shuffled: None }, vec![255; 24]);
        let threads = NonZero::new(threads).unwrap();
        copy(&file_of(&content), form, &chunks, SHAPE, pieces, &mut output, threads)?;
        Ok(output)
    }

    #[test]
    fn pieces_are_copied_in_their_order() {
        let pieces = [
            // What a later one hides, of a chunk that is needed again.
            Piece { chunk: 0, from: 0, to: 0, rows: 2, row: 8 },
            Piece { chunk: 2, from: 0, to: 0, rows: 1, row: 8 },
            // A window across two chunks.
            Piece { chunk: 1, from: 12, to: 0, rows: 2, row: 4 },
            Piece { chunk: 0, from: 8, to: 4, rows: 2, row: 8 },
        ];
        for threads in [1, 2, 3] {
            let expected = [
                44, 45, 46, 47, 8, 9, 10, 11, 12, 13, 14, 15, 52, 53, 54, 55, 16, 17, 18, 19, 20, 21, 22, 23,
            ];
            assert_eq!(copied(&pieces, threads).unwrap(), expected);
        }
    }

    #[test]
    fn what_is_outside_is_refused() {
        let piece = Piece { chunk: 2, from: 16, to: 0, rows: 2, row: 8 };
        copied(&[piece], 2).unwrap();
        for piece in [
            Piece { chunk: 3, ..piece },
            Piece { from: 24, ..piece },
            Piece { from: 33, ..piece },
            Piece { from: 28, rows: 1, ..piece },
            Piece { to: 12, ..piece },
            Piece { to: 25, ..piece },
            Piece { to: 20, rows: 1, ..piece },
            Piece { row: 9, ..piece },
        ] {
            assert!(copied(&[piece], 2).is_err(), "{piece:?}");
        }
    }
}
