//! Parallel reading, decoding and unshuffling of chunks: what a filtered read must do, and nothing else.

use std::fs::File;
use std::io;
use std::num::NonZero;
use std::os::unix::fs::FileExt;

use libdeflater::Decompressor;

use crate::parallel::in_parallel;
use crate::{fletcher, lzf};

/// Bytes of an element in memory.
const ELEMENT: usize = 4;

/// How chunks are packed, below the shuffling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// zlib's format.
    Gzip,
    /// What h5py's filter writes.
    Lzf,
    /// Zstandard.
    Zstd,
    /// As they are, with a checksum behind them.
    Fletcher32,
    /// As they are.
    Plain,
}

/// What the shuffling makes of elements: their first bytes come first, all second ones after them, and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shuffled {
    /// Bytes of an element in the file.
    pub element: usize,
    /// Where in it are the four bytes that are read.
    pub at: usize,
}

/// What is to be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    /// How chunks are packed.
    pub packing: Packing,
    /// Nothing where elements are stored as they are read.
    pub shuffled: Option<Shuffled>,
}

/// A stored chunk.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Chunk {
    /// Where in the file it begins.
    pub offset: u64,
    /// Its bytes in the file.
    pub stored: usize,
    /// Where in the output its first element goes, in bytes.
    pub target: usize,
}

/// What a decoded chunk is, the same for all: rows, which go to the output a distance apart.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct Shape {
    /// Rows of a chunk.
    pub rows: usize,
    /// Bytes of a row of a chunk.
    pub row: usize,
    /// Bytes from one row to the next in the output.
    pub distance: usize,
}

impl Shape {
    /// Bytes of a chunk in memory.
    pub(crate) fn size(self) -> io::Result<usize> {
        let size =
            self.rows.checked_mul(self.row).filter(|_| self.row != 0 && self.row.is_multiple_of(ELEMENT));
        size.ok_or_else(|| io::Error::other("a chunk is too large, or a row not made of elements"))
    }
}

/// The memory that the threads fill, each its own rows of it.
struct Output {
    start: *mut u8,
    length: usize,
}

// SAFETY: only `row` touches the memory, and those who call it have rows of their own.
unsafe impl Sync for Output {}

impl Output {
    /// Part of the memory, which may end before it: chunks reach over the edge of a dataset.
    ///
    /// # Safety
    /// No part of it is in use elsewhere.
    #[expect(clippy::mut_from_ref, reason = "the promise of the caller")]
    unsafe fn row(&self, from: usize, length: usize) -> Option<&mut [u8]> {
        let length = self.length.checked_sub(from).filter(|&left| left > 0)?.min(length);
        // SAFETY: inside the memory, which was borrowed for writing when this was made.
        Some(unsafe { std::slice::from_raw_parts_mut(self.start.add(from), length) })
    }
}

/// Reads and decodes `chunks` with `threads` threads, the caller among them, to their places in `output`.
///
/// # Errors
/// What the system says, or that a chunk is damaged or outside the output.
///
/// # Safety
/// The places of the chunks do not overlap.
pub unsafe fn decode(
    file: &File,
    form: Form,
    chunks: &[Chunk],
    shape: Shape,
    output: &mut [u8],
    threads: NonZero<usize>,
) -> io::Result<()> {
    let size = shape.size()?;
    let (rows, row) = if shape.row == shape.distance { (1, size) } else { (shape.rows, shape.row) };
    let output = Output { start: output.as_mut_ptr(), length: output.len() };
    let output = &output;
    in_parallel(threads, chunks.iter(), || {
        let mut decoder = Decoder::new(form, size);
        move |chunk: &Chunk| {
            let place = |number: usize| chunk.target.checked_add(number.checked_mul(shape.distance)?);
            // SAFETY: every row of every chunk is asked for once, and by the caller's promise they do not overlap.
            let target = |number| unsafe { output.row(place(number)?, row) };
            decoder.decode(file, chunk, (0..rows).map(target))
        }
    })
}

/// The same for chunks whose places are seen not to overlap: `shape` divides the output into places for chunks, and each
/// chunk has one of its own.
///
/// # Errors
/// As of [`decode`], or that two chunks have one place, or one has none of these.
pub fn decode_apart(
    file: &File,
    form: Form,
    chunks: &[Chunk],
    shape: Shape,
    output: &mut [u8],
    threads: NonZero<usize>,
) -> io::Result<()> {
    let outside = || io::Error::other("a chunk has no place of its own");
    let Shape { rows, row, distance } = shape;
    if row == 0 || rows == 0 || !distance.is_multiple_of(row) {
        return Err(outside());
    }
    let band = rows.checked_mul(distance).ok_or_else(outside)?;
    let mut taken = vec![false; output.len().div_ceil(band) * (distance / row)];
    for Chunk { target, .. } in chunks {
        // Of its first row: in which band of chunks, in which row of that, and where.
        let (down, inner, across) = (target / band, target % band / distance, target % distance);
        let place = taken.get_mut(down * (distance / row) + across / row);
        match place {
            Some(taken) if inner == 0 && across.is_multiple_of(row) && !*taken => *taken = true,
            _ => return Err(outside()),
        }
    }
    // SAFETY: each chunk is in a place of its own.
    unsafe { decode(file, form, chunks, shape, output, threads) }
}

/// What one thread needs to decode chunks.
pub(crate) struct Decoder {
    /// Nothing where there is nothing to unpack.
    unpack: Option<Box<Unpack>>,
    shuffled: Option<Shuffled>,
    /// Bytes of a chunk in memory.
    size: usize,
    packed: Vec<u8>,
    unpacked: Vec<u8>,
}

impl Decoder {
    pub(crate) fn new(form: Form, size: usize) -> Self {
        let Form { packing, shuffled } = form;
        Self { unpack: unpacker(packing), shuffled, size, packed: Vec::new(), unpacked: Vec::new() }
    }

    /// Reads a chunk and decodes it into its rows, the last of which may be shorter; at once, where there is nothing
    /// to unshuffle and one row.
    pub(crate) fn decode<'rows>(
        &mut self,
        file: &File,
        chunk: &Chunk,
        mut rows: impl ExactSizeIterator<Item = Option<&'rows mut [u8]>>,
    ) -> io::Result<()> {
        let (damaged, outside) = ("a chunk is damaged", "a chunk is outside the output");
        let require = |fine, otherwise: &str| if fine { Ok(()) } else { Err(io::Error::other(otherwise)) };
        let is_whole = self.shuffled.is_none() && rows.len() == 1;
        if is_whole && self.unpack.is_none() {
            let target = rows.next().flatten().ok_or_else(|| io::Error::other(outside))?;
            require(chunk.stored == self.size, damaged)?;
            return file.read_exact_at(target, chunk.offset);
        }
        if self.packed.len() < chunk.stored {
            self.packed.resize(chunk.stored, 0);
        }
        let packed = &mut self.packed[..chunk.stored];
        file.read_exact_at(packed, chunk.offset)?;
        let element = self.shuffled.map_or(ELEMENT, |shuffled| shuffled.element);
        let stored = (self.size / ELEMENT).checked_mul(element).ok_or_else(|| io::Error::other(damaged))?;
        let unpacked = match &mut self.unpack {
            Some(unpack) if is_whole => {
                let target = rows.next().flatten().ok_or_else(|| io::Error::other(outside))?;
                return require(unpack(packed, target) == Some(self.size), damaged);
            }
            Some(unpack) => {
                self.unpacked.resize(stored, 0);
                require(unpack(packed, &mut self.unpacked) == Some(stored), damaged)?;
                &self.unpacked[..]
            }
            None => &packed[..],
        };
        require(unpacked.len() == stored, damaged)?;
        let row = self.size / rows.len();
        for (number, target) in rows.enumerate() {
            let target = target.ok_or_else(|| io::Error::other(outside))?;
            match self.shuffled {
                Some(shuffled) => unshuffle(unpacked, shuffled, number * (row / ELEMENT), target),
                None => target.copy_from_slice(&unpacked[number * row..][..target.len()]),
            }
        }
        Ok(())
    }
}

/// Unpacks the first into the second: the number of bytes, or nothing when it cannot.
type Unpack = dyn FnMut(&[u8], &mut [u8]) -> Option<usize>;

fn unpacker(packing: Packing) -> Option<Box<Unpack>> {
    Some(match packing {
        Packing::Gzip => {
            let mut inflate = Decompressor::new();
            Box::new(move |packed, out| inflate.zlib_decompress(packed, out).ok())
        }
        Packing::Lzf => Box::new(lzf::decode),
        Packing::Zstd => {
            let mut context = zstd::bulk::Decompressor::new().ok();
            Box::new(move |packed, out| context.as_mut()?.decompress_to_buffer(packed, out).ok())
        }
        Packing::Fletcher32 => Box::new(fletcher::decode),
        Packing::Plain => return None,
    })
}

/// Puts the elements from `first` on together again.
fn unshuffle(planes: &[u8], Shuffled { element, at }: Shuffled, first: usize, target: &mut [u8]) {
    let (target, count) = (target.as_chunks_mut::<ELEMENT>().0, planes.len() / element);
    let end = first + target.len();
    let part = |plane: usize| &planes[(at + plane) * count..][first..end];
    let (a, b, c, d) = (part(0), part(1), part(2), part(3));
    for (number, element) in target.iter_mut().enumerate() {
        *element = [a[number], b[number], c[number], d[number]];
    }
}

#[cfg(test)]
mod tests {
    use libdeflater::{CompressionLvl, Compressor};

    use super::*;
    use crate::testing::file_of;

    /// 2 x 2 chunks of 16 rows of 32 elements.
    const SHAPE: Shape = Shape { rows: 16, row: 128, distance: 256 };

    fn matrix() -> Vec<u8> {
        (0..2 * 16 * 64_u32).flat_map(|number| (number * 40_503).to_le_bytes()).collect()
    }

    const FLOATS: Option<Shuffled> = Some(Shuffled { element: 4, at: 0 });

    /// The chunk at `target`, shuffled if that is asked for.
    fn chunk_at(matrix: &[u8], target: usize, shuffled: Option<Shuffled>) -> Vec<u8> {
        let rows = (0..SHAPE.rows).map(|row| target + row * SHAPE.distance);
        let chunk: Vec<u8> = rows.flat_map(|place| matrix[place..place + SHAPE.row].to_vec()).collect();
        if shuffled.is_some() { shuffle(&chunk, ELEMENT) } else { chunk }
    }

    fn shuffle(chunk: &[u8], element: usize) -> Vec<u8> {
        (0..element).flat_map(|byte| chunk.iter().skip(byte).step_by(element).copied()).collect()
    }

    fn pack(packing: Packing, chunk: &[u8]) -> Vec<u8> {
        match packing {
            Packing::Gzip => {
                let mut deflate = Compressor::new(CompressionLvl::default());
                let mut packed = vec![0; deflate.zlib_compress_bound(chunk.len())];
                let length = deflate.zlib_compress(chunk, &mut packed).unwrap();
                packed.truncate(length);
                packed
            }
            // Literals only.
            Packing::Lzf => chunk.chunks(32).flat_map(|part| [&[31], part].concat()).collect(),
            Packing::Zstd => zstd::bulk::compress(chunk, 3).unwrap(),
            Packing::Fletcher32 => unreachable!("its own tests see to it"),
            Packing::Plain => chunk.to_vec(),
        }
    }

    fn decoded(form: Form, damage: bool) -> io::Result<Vec<u8>> {
        let (matrix, mut content, mut chunks) = (matrix(), vec![9; 77], Vec::new());
        for target in [0, SHAPE.row, SHAPE.rows * SHAPE.distance, SHAPE.rows * SHAPE.distance + SHAPE.row] {
            let packed = pack(form.packing, &chunk_at(&matrix, target, form.shuffled));
            chunks.push(Chunk { offset: content.len().try_into().unwrap(), stored: packed.len(), target });
            content.extend(packed);
        }
        if damage {
            chunks[2].stored -= 5;
        }
        let mut output = vec![0; matrix.len()];
        decode_apart(&file_of(&content), form, &chunks, SHAPE, &mut output, NonZero::new(2).unwrap())?;
        Ok(output)
    }

    /// The output of this many bytes after one chunk was decoded to `target`.
    fn alone(packed: &[u8], form: Form, shape: Shape, target: usize, length: usize) -> io::Result<Vec<u8>> {
        let chunk = Chunk { offset: 0, stored: packed.len(), target };
        let mut output = vec![0; length];
        // SAFETY: there is one chunk.
        unsafe { decode(&file_of(packed), form, &[chunk], shape, &mut output, NonZero::<usize>::MIN)? };
        Ok(output)
    }

    #[test]
    fn every_chunk_comes_to_its_place() {
        for packing in [Packing::Gzip, Packing::Lzf, Packing::Zstd, Packing::Plain] {
            for shuffled in [FLOATS, None] {
                let form = Form { packing, shuffled };
                assert_eq!(decoded(form, false).unwrap(), matrix(), "{form:?}");
                assert!(decoded(form, true).is_err(), "{form:?}");
            }
        }
    }

    #[test]
    fn chunks_of_one_row_are_unpacked_in_place() {
        let (matrix, shape) = (matrix(), Shape { rows: 32, row: 256, distance: 256 });
        for packing in [Packing::Gzip, Packing::Plain] {
            let (form, packed) = (Form { packing, shuffled: None }, pack(packing, &matrix));
            let output = alone(&packed, form, shape, 16, 16 + matrix.len()).unwrap();
            assert_eq!(output[16..], matrix);
            assert!(alone(&packed[1..], form, shape, 16, 16 + matrix.len()).is_err());
        }
    }

    #[test]
    fn chunks_without_a_place_of_their_own_are_refused() {
        let (file, threads) = (file_of(&vec![5; 2048]), NonZero::new(1).unwrap());
        let form = Form { packing: Packing::Plain, shuffled: None };
        let decoded = |targets: &[usize]| {
            let chunk = |&target: &usize| Chunk { offset: 0, stored: 2048, target };
            let (chunks, mut output): (Vec<_>, _) = (targets.iter().map(chunk).collect(), vec![0; 8192]);
            decode_apart(&file, form, &chunks, SHAPE, &mut output, threads)
        };
        decoded(&[0, 128, 4096, 4096 + 128]).unwrap();
        for targets in [&[0, 0][..], &[64], &[256], &[4096 + 256], &[8192], &[usize::MAX]] {
            assert!(decoded(targets).is_err(), "{targets:?}");
        }
    }

    #[test]
    fn a_field_is_picked_up_to_the_edge() {
        let records: Vec<u8> =
            (0..100_u32).flat_map(|number| [&[7; 6][..], &number.to_le_bytes(), &[8; 3]].concat()).collect();
        let packed = pack(Packing::Gzip, &shuffle(&records, 13));
        let shape = Shape { rows: 1, row: 400, distance: 400 };
        let form = Form { packing: Packing::Gzip, shuffled: Some(Shuffled { element: 13, at: 6 }) };
        let output = alone(&packed, form, shape, 0, 4 * 77).unwrap();
        assert_eq!(output, (0..77_u32).flat_map(u32::to_le_bytes).collect::<Vec<u8>>());
    }

    #[test]
    fn nothing_is_written_outside_the_output() {
        let packed = pack(Packing::Gzip, &chunk_at(&matrix(), 0, FLOATS));
        let form = Form { packing: Packing::Gzip, shuffled: FLOATS };
        let result = alone(&packed, form, SHAPE, SHAPE.distance, SHAPE.rows * SHAPE.distance);
        assert_eq!(result.unwrap_err().to_string(), "a chunk is outside the output");
    }
}
