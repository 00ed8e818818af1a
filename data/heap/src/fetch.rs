//! Reading collections.

use core::ops::Range;
use std::sync::Arc;

use store::{ReadAt, Store, StoreError};

use crate::collection::{Collection, LEAST, size_of_collection};

/// Two collections with at most this many bytes between the beginning of one and that of the next are read together.
const NEAR: u64 = 32 * 1024;

/// The most bytes that are read together, but for a collection that is larger.
const TOGETHER: u64 = 1 << 20;

/// A collection that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the heap collection at address {address} {damage}")]
pub struct HeapError {
    /// Where it should begin, not counting the user block.
    pub address: u64,
    /// Why it cannot be read.
    #[source]
    pub damage: Damage,
}

/// Why a collection cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Damage {
    /// Something else is there.
    #[error("is not one: its signature is missing")]
    Signature,
    /// Of a version that nobody knows.
    #[error("has version {0}, which is unknown")]
    Version(u8),
    /// Smaller than any.
    #[error("has a size of {0} bytes, which is too small")]
    Size(u64),
    /// An object reaches beyond the collection.
    #[error("has an object at its byte {0} that does not fit in")]
    Object(usize),
    /// There is no memory for it.
    #[error("needs {0} bytes of memory")]
    Memory(u64),
    /// The file could not be read.
    #[error("cannot be read: {0}")]
    Store(#[from] StoreError),
}

/// Divides addresses, which are sorted, into groups of neighbours that are best read together.
pub fn neighbours(addresses: &[u64]) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for (index, &address) in addresses.iter().enumerate() {
        let is_near = |group: &&mut Range<usize>| {
            address - addresses[group.end - 1] <= NEAR && address - addresses[group.start] < TOGETHER
        };
        match groups.last_mut().filter(is_near) {
            Some(group) => group.end = index + 1,
            None => groups.push(index..index + 1),
        }
    }
    groups
}

/// Reads the collections at these addresses, which are sorted, different and at least one. Addresses in the file are counted
/// from `base`.
pub fn fetch<F: ReadAt>(
    store: &Store<F>,
    base: u64,
    addresses: &[u64],
) -> Result<Vec<Collection>, HeapError> {
    let [first, ..] = *addresses else { return Ok(Vec::new()) };
    let last = addresses[addresses.len() - 1];
    let failed = |address: u64| move |damage: Damage| HeapError { address, damage };
    // The last one may be larger; the others end before the next one begins.
    let span = (last - first).saturating_add(LEAST as u64);
    let shared = read(store, base, first, span).map_err(failed(first))?;
    let one = |&address: &u64| {
        // Inside of what was read, and so in memory.
        let start = usize::try_from(address - first).unwrap_or(usize::MAX);
        let size = size_of_collection(shared.get(start..).unwrap_or_default())?;
        let end = usize::try_from(size).ok().and_then(|size| start.checked_add(size));
        if let Some(end) = end.filter(|end| *end <= shared.len()) {
            return Collection::find(&shared, start..end);
        }
        let alone = read(store, base, address, size)?;
        Collection::find(&alone, 0..alone.len())
    };
    addresses.iter().map(|address| one(address).map_err(failed(*address))).collect()
}

/// Reads bytes from an address on.
fn read<F: ReadAt>(store: &Store<F>, base: u64, address: u64, length: u64) -> Result<Arc<Vec<u8>>, Damage> {
    let outside = || StoreError::OutsideFile { offset: address, length, end: store.end() };
    let offset = address.checked_add(base).ok_or_else(outside)?;
    let bytes = usize::try_from(length).map_err(|_| Damage::Memory(length))?;
    store.read_new(offset, bytes)?.map(Arc::new).ok_or(Damage::Memory(length))
}
