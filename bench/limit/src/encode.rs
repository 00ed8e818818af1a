//! Parallel gathering, shuffling, packing and writing of chunks: what a chunked write must do, and nothing else.

use std::fs::File;
use std::io;
use std::num::NonZero;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};

use libdeflater::{CompressionLvl, Compressor};

use crate::decode::Shape;
use crate::parallel::in_parallel;

/// What is done to chunks before they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pack {
    /// Nothing.
    Plain,
    /// zlib's format, at this level, by libdeflate.
    Gzip(i32),
    /// The same, and nothing is shuffled.
    GzipAlone(i32),
    /// Zstandard, at this level.
    Zstd(i32),
}

/// Writes the chunks of a matrix with `threads` threads, the caller among them, one behind the other in the order in
/// which they are packed.
///
/// `element` is the number of bytes of what is shuffled, 4 or 8; packing nothing also shuffles nothing. The sides of
/// the matrix are multiples of those of a chunk.
///
/// # Errors
/// What the system says, that a chunk cannot be packed, or that matrix, chunk and element do not fit.
pub fn encode(
    file: &File,
    pack: Pack,
    element: usize,
    shape: Shape,
    matrix: &[u8],
    threads: NonZero<usize>,
) -> io::Result<()> {
    let fault = io::Error::other;
    let too_large = || fault("a chunk is too large");
    let size = shape.rows.checked_mul(shape.row).ok_or_else(too_large)?;
    let band = shape.rows.checked_mul(shape.distance).ok_or_else(too_large)?;
    if size == 0 || !shape.distance.is_multiple_of(shape.row) || !matrix.len().is_multiple_of(band) {
        return Err(fault("the matrix is not made of chunks"));
    }
    if !matches!(element, 4 | 8) || !shape.row.is_multiple_of(element) {
        return Err(fault("a row is not made of elements of 4 or 8 bytes"));
    }
    let end = &AtomicU64::new(0);
    let append = |bytes: &[u8]| {
        let length = u64::try_from(bytes.len()).map_err(io::Error::other)?;
        file.write_all_at(bytes, end.fetch_add(length, Ordering::Relaxed))
    };
    let corners =
        (0..matrix.len()).step_by(band).flat_map(|band| (band..band + shape.distance).step_by(shape.row));
    in_parallel(threads, corners, || {
        let shuffles = !matches!(pack, Pack::GzipAlone(_));
        let mut pack = packer(pack);
        let (mut chunk, mut packed) = (vec![0; size], Vec::new());
        move |corner: usize| {
            let rows = matrix[corner..].chunks(shape.distance).map(|row| &row[..shape.row]);
            let Some(pack) = &mut pack else {
                if shape.row == shape.distance {
                    return append(&matrix[corner..corner + size]);
                }
                for (row, target) in rows.zip(chunk.chunks_exact_mut(shape.row)) {
                    target.copy_from_slice(row);
                }
                return append(&chunk);
            };
            if !shuffles {
                for (row, target) in rows.zip(chunk.chunks_exact_mut(shape.row)) {
                    target.copy_from_slice(row);
                }
                let length = pack(&chunk, &mut packed).ok_or_else(|| fault("a chunk cannot be packed"))?;
                return append(&packed[..length]);
            }
            for (number, row) in rows.take(shape.rows).enumerate() {
                let first = number * (shape.row / element);
                if element == 4 {
                    shuffle::<4>(row, first, &mut chunk);
                } else {
                    shuffle::<8>(row, first, &mut chunk);
                }
            }
            let length = pack(&chunk, &mut packed).ok_or_else(|| fault("a chunk cannot be packed"))?;
            append(&packed[..length])
        }
    })
}

/// Packs the first into the second, which grows as needed: the number of bytes, or nothing when it cannot.
type Packer = dyn FnMut(&[u8], &mut Vec<u8>) -> Option<usize>;

fn packer(pack: Pack) -> Option<Box<Packer>> {
    match pack {
        Pack::Plain => None,
        Pack::Gzip(level) | Pack::GzipAlone(level) => {
            let mut deflate = CompressionLvl::new(level).ok().map(Compressor::new);
            Some(Box::new(move |chunk, packed| {
                let deflate = deflate.as_mut()?;
                packed.resize(deflate.zlib_compress_bound(chunk.len()), 0);
                deflate.zlib_compress(chunk, packed).ok()
            }))
        }
        Pack::Zstd(level) => {
            let mut context = zstd::bulk::Compressor::new(level).ok();
            Some(Box::new(move |chunk, packed| {
                packed.resize(zstd::zstd_safe::compress_bound(chunk.len()), 0);
                context.as_mut()?.compress_to_buffer(chunk, &mut packed[..]).ok()
            }))
        }
    }
}

/// Takes the elements of a row, which are the chunk's from `first` on, apart: all first bytes go to the first part of
/// `planes`, all second ones to the second, and so on.
fn shuffle<const SIZE: usize>(row: &[u8], first: usize, planes: &mut [u8]) {
    let (elements, count) = (row.as_chunks::<SIZE>().0, planes.len() / SIZE);
    for (byte, plane) in planes.chunks_exact_mut(count).enumerate() {
        for (element, target) in elements.iter().zip(&mut plane[first..]) {
            *target = element[byte];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::{Chunk, Form, Packing, Shuffled, decode_apart};
    use crate::testing::{content_of, file_of};

    const THREADS: NonZero<usize> = NonZero::new(2).unwrap();

    fn matrix(rows: u32) -> Vec<u8> {
        (0..rows * 64).flat_map(|number| (number * 40_503).to_le_bytes()).collect()
    }

    fn encoded(pack: Pack, element: usize, shape: Shape, matrix: &[u8]) -> io::Result<Vec<u8>> {
        let file = tempfile::tempfile()?;
        encode(&file, pack, element, shape, matrix, THREADS)?;
        Ok(content_of(&file))
    }

    #[test]
    fn plain_chunks_are_all_there() {
        let matrix = matrix(32);
        for shape in [
            Shape { rows: 16, row: 128, distance: 256 },
            Shape { rows: 8, row: 256, distance: 256 },
            Shape { rows: 32, row: 8, distance: 256 },
        ] {
            let stored = encoded(Pack::Plain, 8, shape, &matrix).unwrap();
            let mut expected: Vec<Vec<u8>> = (0..matrix.len())
                .step_by(shape.rows * shape.distance)
                .flat_map(|band| (band..band + shape.distance).step_by(shape.row))
                .map(|corner| {
                    let rows = (0..shape.rows).map(|row| corner + row * shape.distance);
                    rows.flat_map(|place| matrix[place..place + shape.row].to_vec()).collect()
                })
                .collect();
            let mut found: Vec<Vec<u8>> = stored.chunks(shape.rows * shape.row).map(<[u8]>::to_vec).collect();
            // Which thread comes first is not known.
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn what_is_packed_can_be_unpacked() {
        let matrix = matrix(16);
        let shape = Shape { rows: 16, row: 256, distance: 256 };
        let shuffled = Some(Shuffled { element: 4, at: 0 });
        for (pack, packing, shuffled) in [
            (Pack::Gzip(4), Packing::Gzip, shuffled),
            (Pack::GzipAlone(4), Packing::Gzip, None),
            (Pack::Zstd(3), Packing::Zstd, shuffled),
        ] {
            let stored = encoded(pack, 4, shape, &matrix).unwrap();
            let chunk = Chunk { offset: 0, stored: stored.len(), target: 0 };
            let form = Form { packing, shuffled };
            let mut output = vec![0; matrix.len()];
            decode_apart(&file_of(&stored), form, &[chunk], shape, &mut output, THREADS).unwrap();
            assert_eq!(output, matrix, "{pack:?}");
        }
    }

    #[test]
    fn bytes_of_a_kind_come_together() {
        let mut planes = [0; 32];
        shuffle::<8>(b"abcdefghABCDEFGH", 0, &mut planes);
        shuffle::<8>(b"01234567........", 2, &mut planes);
        assert_eq!(&planes, b"aA0.bB1.cC2.dD3.eE4.fF5.gG6.hH7.");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let matrix = matrix(16);
        let shape = Shape { rows: 16, row: 256, distance: 256 };
        for (element, shape) in [
            (2, shape),
            (4, Shape { rows: 5, ..shape }),
            (4, Shape { row: 96, ..shape }),
            (8, Shape { row: 4, ..shape }),
            (4, Shape { rows: 0, ..shape }),
            (4, Shape { rows: usize::MAX, ..shape }),
            (4, Shape { row: 0, ..shape }),
        ] {
            assert!(encoded(Pack::Plain, element, shape, &matrix).is_err(), "{element} {shape:?}");
        }
        assert!(encoded(Pack::Gzip(77), 4, shape, &matrix).is_err(), "there is no such level");
    }
}
