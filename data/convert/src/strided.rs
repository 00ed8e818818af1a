//! Copying the same part of each of many elements, as fast as memory allows.

/// A part of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Field {
    /// Where it begins.
    pub(crate) offset: usize,
    /// Its bytes.
    pub(crate) size: usize,
}

impl Field {
    pub(crate) fn end(self) -> usize {
        self.offset + self.size
    }
}

/// Copies a field of each element to a field of the same size. Both sides are given as bytes, the size of an
/// element, and the field.
pub(crate) fn copy(from: (&[u8], usize, Field), to: (&mut [u8], usize, Field)) {
    let ((source, from_stride, from), (destination, to_stride, to)) = (from, to);
    if from.size == from_stride && to.size == to_stride {
        destination.copy_from_slice(source);
        return;
    }
    // Each begins at its first field, so that every piece but the last has the size of an element.
    let sources = source.get(from.offset..).unwrap_or_default().chunks(from_stride);
    let destinations = destination.get_mut(to.offset..).unwrap_or_default().chunks_mut(to_stride);
    let pieces = sources.zip(destinations);
    match from.size {
        1 => exactly::<1>(pieces),
        2 => exactly::<2>(pieces),
        4 => exactly::<4>(pieces),
        8 => exactly::<8>(pieces),
        16 => exactly::<16>(pieces),
        size @ 3 => from_both_ends::<2>(pieces, size),
        size @ 5..8 => from_both_ends::<4>(pieces, size),
        size @ 9..16 => from_both_ends::<8>(pieces, size),
        size @ 17..=32 => from_both_ends::<16>(pieces, size),
        size @ 33..=64 => from_both_ends::<32>(pieces, size),
        size => pieces.for_each(|(from, to)| to[..size].copy_from_slice(&from[..size])),
    }
}

/// The compiler makes one load and one store of it.
fn exactly<'a, const SIZE: usize>(pieces: impl Iterator<Item = (&'a [u8], &'a mut [u8])>) {
    for (from, to) in pieces {
        if let (Some(from), Some(to)) = (from.first_chunk::<SIZE>(), to.first_chunk_mut()) {
            *to = *from;
        }
    }
}

/// Between one and two times `HALF` bytes: the first and the last `HALF` of them, which may overlap.
fn from_both_ends<'a, const HALF: usize>(
    pieces: impl Iterator<Item = (&'a [u8], &'a mut [u8])>,
    size: usize,
) {
    for (from, to) in pieces {
        let (from, to) = (&from[..size], &mut to[..size]);
        if let (Some(first), Some(last)) = (from.first_chunk::<HALF>(), from.last_chunk::<HALF>()) {
            if let Some(to) = to.first_chunk_mut() {
                *to = *first;
            }
            if let Some(to) = to.last_chunk_mut() {
                *to = *last;
            }
        }
    }
}
