//! Elements without a fixed size: the codecs `vlen-utf8` and `vlen-bytes`.
//!
//! A chunk is the number of elements (4 bytes, little-endian), then for each its length (the same) and its bytes.

use core::ops::Range;

use crate::error::ChunkProblem;

/// The elements of a chunk that have no fixed size, in row-major order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Values {
    bytes: Vec<u8>,
    places: Vec<Range<usize>>,
}

impl Values {
    /// These elements.
    pub fn new<'v>(values: impl IntoIterator<Item = &'v [u8]>) -> Self {
        let mut all = Self::default();
        values.into_iter().for_each(|value| all.push(value));
        all
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The element of this number.
    pub fn get(&self, number: usize) -> Option<&[u8]> {
        self.places.get(number).map(|place| &self.bytes[place.clone()])
    }

    /// All of them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        self.places.iter().map(|place| &self.bytes[place.clone()])
    }

    /// Replaces one of them.
    ///
    /// # Panics
    /// If there are not as many.
    pub fn set(&mut self, number: usize, value: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(value);
        self.places[number] = start..self.bytes.len();
    }

    fn push(&mut self, value: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(value);
        self.places.push(start..self.bytes.len());
    }

    /// So many times the same element.
    pub(crate) fn repeated(value: &[u8], count: usize) -> Result<Self, ChunkProblem> {
        let mut places = Vec::new();
        places.try_reserve_exact(count).map_err(|_| ChunkProblem::OutOfMemory(count as u64 * 16))?;
        places.resize(count, 0..value.len());
        Ok(Self { bytes: value.to_vec(), places })
    }

    /// In another order: the element of each number in it.
    pub(crate) fn reordered(&mut self, order: impl Iterator<Item = usize>) {
        self.places = order.map(|number| self.places[number].clone()).collect();
    }

    /// Reads a chunk of exactly `count` elements.
    pub(crate) fn decode(bytes: Vec<u8>, count: usize, is_text: bool) -> Result<Self, ChunkProblem> {
        let cut_short = || ChunkProblem::corrupt("the elements end too early");
        let number = |at: usize| {
            let four = bytes.get(at..).and_then(<[u8]>::first_chunk).ok_or_else(cut_short)?;
            usize::try_from(u32::from_le_bytes(*four)).map_err(|_| cut_short())
        };
        let given = number(0)?;
        if given != count {
            return Err(ChunkProblem::corrupt(format!("there are {given} elements instead of {count}")));
        }
        // Each takes four bytes at least.
        if bytes.len() / 4 < count {
            return Err(cut_short());
        }
        let mut places = Vec::new();
        places.try_reserve_exact(count).map_err(|_| ChunkProblem::OutOfMemory(count as u64 * 16))?;
        let mut at = 4_usize;
        for _ in 0..count {
            let start = at + 4;
            let end =
                start.checked_add(number(at)?).filter(|&end| end <= bytes.len()).ok_or_else(cut_short)?;
            if is_text && core::str::from_utf8(&bytes[start..end]).is_err() {
                return Err(ChunkProblem::corrupt("an element is not UTF-8"));
            }
            places.push(start..end);
            at = end;
        }
        Ok(Self { bytes, places })
    }

    /// A chunk to store.
    pub(crate) fn encode(&self, output: &mut Vec<u8>) -> Result<(), ChunkProblem> {
        let too_long = |_| ChunkProblem::Elements("an element of 4 GiB and more".to_owned());
        output.clear();
        let all: usize = self.places.iter().map(|place| place.len() + 4).sum();
        output.try_reserve(all + 4).map_err(|_| ChunkProblem::OutOfMemory(all as u64))?;
        output.extend_from_slice(&u32::try_from(self.len()).map_err(too_long)?.to_le_bytes());
        for value in self.iter() {
            output.extend_from_slice(&u32::try_from(value.len()).map_err(too_long)?.to_le_bytes());
            output.extend_from_slice(value);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_there_and_back() {
        let values = Values::new([&b"ab"[..], b"", b"h\xc3\xa9"]);
        let mut stored = Vec::new();
        values.encode(&mut stored).unwrap();
        assert_eq!(stored, b"\x03\0\0\0\x02\0\0\0ab\0\0\0\0\x03\0\0\0h\xc3\xa9");
        let read = Values::decode(stored.clone(), 3, true).unwrap();
        assert!(read.iter().eq(values.iter()));
        for length in 0..stored.len() {
            assert!(Values::decode(stored[..length].to_vec(), 3, true).is_err(), "{length}");
        }
        assert!(Values::decode(stored, 2, true).is_err());
        assert!(Values::decode(b"\x01\0\0\0\x01\0\0\0\xff".to_vec(), 1, true).is_err());
        assert!(Values::decode(b"\x01\0\0\0\x01\0\0\0\xff".to_vec(), 1, false).is_ok());
    }
}
