//! Objects that did not come from the file with their collections, but one by one.

use core::ops::Range;
use std::collections::HashMap;

/// The largest index of an object that HDF5 gives.
const LARGEST: u32 = u16::MAX as u32;

/// Nothing begins at 0: that would be an object that does not exist.
const BEFORE: usize = 1;

/// Objects of some collections.
#[derive(Debug, Default)]
pub struct Gathered {
    places: HashMap<u64, usize>,
    collections: Vec<(u64, Vec<u8>, Vec<Range<usize>>)>,
    /// The collection that was used last: neighbours are often in the same.
    last: usize,
}

impl Gathered {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.collections.is_empty()
    }

    /// The bytes of an object, if they are there.
    pub fn object(&self, address: u64, index: u32) -> Option<&[u8]> {
        let (_, bytes, objects) = &self.collections[*self.places.get(&address)?];
        let place = objects.get(usize::try_from(index).ok()?)?;
        if place.start == 0 { None } else { bytes.get(place.clone()) }
    }

    /// Adds an object of so many bytes, which `fill` writes. `None` if there cannot be one, if there is no memory for it, or if
    /// `fill` fails.
    pub fn add(
        &mut self,
        address: u64,
        index: u32,
        length: usize,
        fill: impl FnOnce(&mut [u8]) -> Option<()>,
    ) -> Option<&[u8]> {
        if index > LARGEST {
            return None;
        }
        let collection = self.collection(address);
        let (_, bytes, objects) = &mut self.collections[collection];
        let index = usize::try_from(index).ok()?;
        if objects.len() <= index {
            objects.resize(index + 1, 0..0);
        }
        bytes.try_reserve(length).ok()?;
        let start = bytes.len();
        bytes.resize(start + length, 0);
        fill(&mut bytes[start..])?;
        objects[index] = start..start + length;
        Some(&bytes[start..])
    }

    fn collection(&mut self, address: u64) -> usize {
        if self.collections.get(self.last).is_none_or(|(known, ..)| *known != address) {
            let collections = &mut self.collections;
            self.last = *self.places.entry(address).or_insert_with(|| {
                collections.push((address, vec![0; BEFORE], Vec::new()));
                collections.len() - 1
            });
        }
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(bytes: &'static [u8]) -> impl FnOnce(&mut [u8]) -> Option<()> {
        move |target| {
            target.copy_from_slice(bytes);
            Some(())
        }
    }

    #[test]
    fn objects_are_found_by_collection_and_index() {
        let mut gathered = Gathered::default();
        assert!(gathered.is_empty());
        assert_eq!(gathered.add(4096, 2, 3, with(b"two")), Some(&b"two"[..]));
        assert_eq!(gathered.add(8192, 1, 5, with(b"other")), Some(&b"other"[..]));
        assert_eq!(gathered.add(4096, 7, 0, with(b"")), Some(&b""[..]));
        assert_eq!(gathered.object(4096, 2), Some(&b"two"[..]));
        assert_eq!(gathered.object(4096, 3), None);
        assert_eq!(gathered.object(4096, 7), Some(&b""[..]), "an empty object is one");
        assert_eq!((gathered.object(4096, 1), gathered.object(8192, 1)), (None, Some(&b"other"[..])));
        assert_eq!(gathered.object(0, 1), None);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let mut gathered = Gathered::default();
        assert_eq!(gathered.add(4096, 65536, 1, with(b"a")), None, "no such index");
        assert_eq!(gathered.add(4096, 1, usize::MAX / 4, |_| Some(())), None, "no such memory");
        assert_eq!(gathered.add(4096, 1, 1, |_| None), None, "nobody has it");
        assert_eq!(gathered.object(4096, 1), None);
    }
}
