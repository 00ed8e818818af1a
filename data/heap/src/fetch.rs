//! Reading collections.

use core::ops::Range;
use std::sync::Arc;

use store::{ReadAt, Store, StoreError};

use crate::collection::{Collection, HEADER, LEAST, size_of_collection};

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
    let failed = |address: u64| move |damage: Damage| HeapError { address, damage };
    let Some(&first) = addresses.first() else { return Ok(Vec::new()) };
    let shared = read_span(store, base, addresses).map_err(failed(first))?;
    let each =
        addresses.iter().map(|&address| one(store, base, address, (&shared, first)).map_err(failed(address)));
    each.collect()
}

/// Those of the collections at these addresses that are there: others may not have been written yet.
pub fn fetch_present<F: ReadAt>(store: &Store<F>, base: u64, addresses: &[u64]) -> Vec<(u64, Collection)> {
    let Some(&first) = addresses.first() else { return Vec::new() };
    let Ok(shared) = read_span(store, base, addresses) else { return Vec::new() };
    let each = addresses
        .iter()
        .filter_map(|&address| Some((address, one(store, base, address, (&shared, first)).ok()?)));
    each.collect()
}

/// Whether it is certain that no collection is at an offset of a file.
pub fn has_no_collection<F: ReadAt>(store: &Store<F>, offset: u64) -> bool {
    match store.read_new(offset, HEADER) {
        Ok(Some(header)) => size_of_collection(&header).is_err(),
        Ok(None) | Err(_) => false,
    }
}

/// Reads from the first of some collections to the last one.
fn read_span<F: ReadAt>(store: &Store<F>, base: u64, addresses: &[u64]) -> Result<Arc<Vec<u8>>, Damage> {
    let [first, .., last] = *addresses else {
        return read(store, base, addresses.first().copied().unwrap_or(0), LEAST as u64);
    };
    // The last one may be larger; the others end before the next one begins.
    read(store, base, first, (last - first).saturating_add(LEAST as u64))
}

/// The collection at an address, in bytes that were read from an address on if it is complete there.
fn one<F: ReadAt>(
    store: &Store<F>,
    base: u64,
    address: u64,
    (shared, first): (&Arc<Vec<u8>>, u64),
) -> Result<Collection, Damage> {
    // Inside of what was read, and so in memory.
    let start = usize::try_from(address - first).unwrap_or(usize::MAX);
    let size = size_of_collection(shared.get(start..).unwrap_or_default())?;
    let end = usize::try_from(size).ok().and_then(|size| start.checked_add(size));
    if let Some(end) = end.filter(|end| *end <= shared.len()) {
        return Collection::find(shared, start..end);
    }
    let alone = read(store, base, address, size)?;
    Collection::find(&alone, 0..alone.len())
}

/// Reads bytes from an address on.
fn read<F: ReadAt>(store: &Store<F>, base: u64, address: u64, length: u64) -> Result<Arc<Vec<u8>>, Damage> {
    let outside = || StoreError::OutsideFile { offset: address, length, end: store.end() };
    let offset = address.checked_add(base).ok_or_else(outside)?;
    let bytes = usize::try_from(length).map_err(|_| Damage::Memory(length))?;
    store.read_new(offset, bytes)?.map(Arc::new).ok_or(Damage::Memory(length))
}
