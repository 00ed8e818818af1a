//! What this machine can do with a user's dataset without HDF5, in simple cases: no conversion, and contiguous or in gzip
//! chunks.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::rc::Rc;

use anyhow::Result;
use limit::{Chunk, Form, Packing, Shape, Shuffled};

use super::source::Source;
use crate::Way;
use crate::bench::Bench;
use crate::hdf5::{Buffer, Dataset, File as Opened, Filter, StoredChunk};
use crate::plain::bytes_of;
use crate::plain::limit::{LimitReads, PIECE};
use crate::registry::Subject;

/// HDF5's numbers of the filters.
const DEFLATE: i32 = 1;
const SHUFFLE: i32 = 2;
/// The size of the elements that the limit can unshuffle.
const SHUFFLED: usize = 4;
/// The beginning of a file without a user block, in which offsets count from the first byte.
const SIGNATURE: [u8; 8] = *b"\x89HDF\r\n\x1a\n";

/// How the bytes are read.
enum Kind {
    /// As they are stored, from this offset on.
    Plain { offset: u64 },
    /// Decoded.
    Packed { form: Form, chunks: Vec<Chunk>, shape: Shape },
}

/// The limit, which reads into the memory of the reads that it is compared with. `None` if it cannot read this dataset.
pub(super) fn limit_of(
    bench: &Bench,
    source: &Source,
    buffer: &Rc<Buffer>,
) -> Result<Option<Box<dyn Subject>>> {
    if !source.is_stored_so || !begins_with_signature(&source.path) {
        return Ok(None);
    }
    let opened = Opened::open(bench.library, &source.path, Way::Native)?;
    let kind = kind_of(source, &Dataset::open(&opened, &source.dataset)?)?;
    opened.close()?;
    let Some(kind) = kind else { return Ok(None) };
    let threads = bench.limit_threads;
    let read = move |file: &File, memory: &mut [u8]| match &kind {
        Kind::Plain { offset } => limit::read(file, *offset, memory, threads, PIECE),
        Kind::Packed { form, chunks, shape } => {
            // SAFETY: `places` took each place of the grid once.
            unsafe { limit::decode(file, *form, chunks, *shape, memory, threads) }
        }
    };
    let length = bytes_of(&source.region.count, source.element)?;
    Ok(Some(Box::new(LimitReads::new(&source.path, buffer, length, read)?)))
}

/// Whether the file has no user block. With one, offsets would not count from the first byte.
fn begins_with_signature(path: &Path) -> bool {
    let mut begin = [0; SIGNATURE.len()];
    File::open(path).and_then(|mut file| file.read_exact(&mut begin)).is_ok() && begin == SIGNATURE
}

fn kind_of(source: &Source, dataset: &Dataset) -> Result<Option<Kind>> {
    let filters = source.creation.filters()?;
    if let Some(chunk) = source.creation.chunk()? {
        let Some(form) = form_of(&filters, source.element) else { return Ok(None) };
        let grid = Grid {
            extent: &source.extent,
            count: &source.region.count,
            chunk: &chunk,
            element: source.element,
        };
        let Some(shape) = grid.shape(form) else { return Ok(None) };
        let chunks = grid.places(&dataset.chunks()?);
        return Ok(chunks.map(|chunks| Kind::Packed { form, chunks, shape }));
    }
    let is_plain = filters.is_empty() && source.creation.layout()? == h5_abi::H5D_CONTIGUOUS;
    Ok(dataset.offset().filter(|_| is_plain).map(|offset| Kind::Plain { offset }))
}

/// How chunks are compressed, if the limit can decompress them.
fn form_of(filters: &[Filter], element: usize) -> Option<Form> {
    let numbers: Vec<_> = filters.iter().map(|filter| filter.number).collect();
    let shuffled = match numbers.as_slice() {
        [DEFLATE] => None,
        // A shuffle of single bytes does nothing.
        [SHUFFLE, DEFLATE] if element == 1 => None,
        [SHUFFLE, DEFLATE] if element == SHUFFLED => Some(Shuffled { element, at: 0 }),
        _ => return None,
    };
    Some(Form { packing: Packing::Gzip, shuffled })
}

/// Where the chunks of a dataset are in the part that is read.
struct Grid<'source> {
    extent: &'source [u64],
    /// What is read.
    count: &'source [u64],
    chunk: &'source [u64],
    element: usize,
}

impl Grid<'_> {
    /// The shape of a chunk in memory: rows at a distance. `None` if chunks are divided in more ways than that, or if one
    /// extends past an edge of the dataset in a way that the limit cannot handle.
    fn shape(&self, form: Form) -> Option<Shape> {
        let rank = self.count.len();
        let is_row_wise = self.chunk.get(1..)? == self.count.get(1..)?;
        let is_whole = self.count[0].is_multiple_of(*self.chunk.first().filter(|chunk| **chunk > 0)?);
        let fits = self.count[1..] == self.extent[1..]
            && (is_whole || is_row_wise && form.shuffled.is_some())
            && (is_row_wise || self.count[1].is_multiple_of(self.chunk[1].max(1)))
            && (rank < 3 || self.chunk[2..] == self.count[2..]);
        let bytes = |lengths: &[u64]| {
            let elements = lengths.iter().try_fold(1_u64, |all, length| all.checked_mul(*length))?;
            usize::try_from(elements).ok()?.checked_mul(self.element)
        };
        let shape = if rank == 1 {
            let row = bytes(self.chunk)?;
            Shape { rows: 1, row, distance: row }
        } else {
            let rows = usize::try_from(self.chunk[0]).ok()?;
            Shape { rows, row: bytes(&self.chunk[1..])?, distance: bytes(&self.count[1..])? }
        };
        // The unit in which the limit counts rows.
        (fits && shape.row.is_multiple_of(4)).then_some(shape)
    }

    /// The chunks of the part that is read. `None` unless each is stored once and has gone through all filters.
    fn places(&self, stored: &[StoredChunk]) -> Option<Vec<Chunk>> {
        let mut taken = HashSet::new();
        let mut chunks = Vec::new();
        for found in stored.iter().filter(|found| found.place.first().is_some_and(|row| *row < self.count[0]))
        {
            let is_regular = found.filter_mask == 0
                && found.place.iter().zip(self.chunk).all(|(place, chunk)| place.is_multiple_of(*chunk))
                && found.place.iter().zip(self.count).all(|(place, count)| place < count)
                && taken.insert(found.place.clone());
            if !is_regular {
                return None;
            }
            let elements = found
                .place
                .iter()
                .zip(self.count)
                .try_fold(0_u64, |all, (place, count)| all.checked_mul(*count)?.checked_add(*place))?;
            let target = usize::try_from(elements).ok()?.checked_mul(self.element)?;
            chunks.push(Chunk { offset: found.address, stored: usize::try_from(found.size).ok()?, target });
        }
        let all: u64 =
            self.count.iter().zip(self.chunk).map(|(count, chunk)| count.div_ceil(*chunk)).product();
        (chunks.len() as u64 == all).then_some(chunks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Form = Form { packing: Packing::Gzip, shuffled: None };
    const FLOATS: Form = Form { packing: Packing::Gzip, shuffled: Some(Shuffled { element: 4, at: 0 }) };

    fn shape(extent: &[u64], chunk: &[u64], form: Form) -> Option<(usize, usize, usize)> {
        let grid = Grid { extent, count: extent, chunk, element: 4 };
        grid.shape(form).map(|shape| (shape.rows, shape.row, shape.distance))
    }

    #[test]
    fn chunks_that_are_rows_apart_have_a_shape() {
        assert_eq!(shape(&[64, 64], &[16, 16], PLAIN), Some((16, 64, 256)));
        assert_eq!(shape(&[64, 64, 3], &[16, 16, 3], PLAIN), Some((16, 192, 768)));
        assert_eq!(shape(&[64, 64], &[16, 64], PLAIN), Some((16, 256, 256)));
        assert_eq!(shape(&[64], &[16], PLAIN), Some((1, 64, 64)));
        assert_eq!(shape(&[65], &[16], FLOATS), Some((1, 64, 64)), "the last one is cut");
        assert_eq!(shape(&[65, 5], &[16, 5], FLOATS), Some((16, 20, 20)));
    }

    #[test]
    fn others_have_none() {
        assert_eq!(shape(&[65], &[16], PLAIN), None);
        assert_eq!(shape(&[64, 65], &[16, 16], FLOATS), None);
        assert_eq!(shape(&[65, 64], &[16, 16], FLOATS), None);
        assert_eq!(shape(&[64, 64, 3], &[16, 16, 1], FLOATS), None);
        assert_eq!(shape(&[], &[], FLOATS), None);
        assert_eq!(shape(&[4], &[0], FLOATS), None);
        let bytes = Grid { extent: &[10], count: &[10], chunk: &[5], element: 1 };
        assert!(bytes.shape(PLAIN).is_none());
    }

    #[test]
    fn every_chunk_must_be_there_and_packed() {
        let grid = Grid { extent: &[8, 4], count: &[4, 4], chunk: &[2, 2], element: 4 };
        let chunk =
            |place: [u64; 2]| StoredChunk { place: place.to_vec(), filter_mask: 0, address: 9, size: 5 };
        let mut stored: Vec<_> = [[0, 0], [0, 2], [2, 0], [2, 2], [6, 2]].map(chunk).to_vec();
        let targets = |stored: &[StoredChunk]| {
            grid.places(stored).map(|chunks| chunks.iter().map(|chunk| chunk.target).collect::<Vec<_>>())
        };
        assert_eq!(targets(&stored), Some(vec![0, 8, 32, 40]), "what is not read does not matter");
        assert_eq!(targets(&stored[1..]), None);
        stored[1].filter_mask = 1;
        assert_eq!(targets(&stored), None);
        stored[1] = chunk([0, 0]);
        assert_eq!(targets(&stored), None, "twice the same");
        stored[1] = chunk([0, 1]);
        assert_eq!(targets(&stored), None);
    }

    #[test]
    fn only_gzip_is_known() {
        let form = |numbers: &[i32], element| {
            form_of(&numbers.iter().map(|number| Filter::new(*number, &[])).collect::<Vec<_>>(), element)
        };
        assert_eq!(form(&[1], 8), Some(PLAIN));
        assert_eq!(form(&[2, 1], 4), Some(FLOATS));
        assert_eq!(form(&[2, 1], 1), Some(PLAIN));
        for (numbers, element) in [(&[][..], 4), (&[2, 1], 8), (&[1, 2], 4), (&[2, 1, 3], 4), (&[32015], 4)] {
            assert_eq!(form(numbers, element), None, "{numbers:?}");
        }
    }
}
