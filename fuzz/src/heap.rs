//! Global heap collections: a file of arbitrary bytes, whose collections are where the first bytes say.
//!
//! The first byte is how many addresses follow, of two bytes each, in units of eight. The rest is the file.

use std::io;

use heap::fetch;
use store::{ReadAt, Run, Store, Target};

use crate::Outcome;

/// A file of these bytes.
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl ReadAt for Bytes<'_> {
    fn read_at(&self, offset: u64, target: Target<'_>) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.0.get(offset..)).unwrap_or_default();
        let length = rest.len().min(target.len());
        target.part(Run { offset: 0, length }).copy_from(&rest[..length]);
        Ok(length)
    }
}

pub(crate) fn run(bytes: &[u8]) -> Outcome {
    let Some((&count, rest)) = bytes.split_first() else { return Outcome::Unsupported };
    let Some((addresses, file)) = rest.split_at_checked(2 * usize::from(count)) else {
        return Outcome::Unsupported;
    };
    let address = |pair: &[u8]| 8 * u64::from(u16::from_le_bytes([pair[0], pair[1]]));
    let mut addresses: Vec<u64> = addresses.chunks_exact(2).map(address).collect();
    addresses.sort_unstable();
    addresses.dedup();
    let store = Store::new(Bytes(file), file.len() as u64);
    let Ok(found) = fetch(&store, 0, &addresses) else { return Outcome::Refused };
    assert_eq!(found.len(), addresses.len());
    for collection in &found {
        assert_eq!(collection.object(0), None);
        let objects = (1..=u32::from(u16::MAX)).filter_map(|index| collection.object(index));
        assert!(objects.map(<[u8]>::len).max().unwrap_or(0) <= file.len());
    }
    Outcome::Done
}
