//! The objects of a heap, as one thread reads them.

use std::collections::HashMap;

use heap::{Collection, fetch};
use store::Store;

use crate::values::Fault;

/// How many collections are kept that only inner values refer to.
const MOST: usize = 256;

/// Objects by collection and index. Collections that are not known are fetched: inner values may be anywhere.
pub(super) struct HeapReader<'a> {
    store: &'a Store,
    base: u64,
    /// Sorted by their addresses.
    known: &'a [(u64, Collection)],
    /// The known one that was used last: neighbours are often in the same.
    last: usize,
    others: HashMap<u64, Collection>,
}

impl<'a> HeapReader<'a> {
    pub(super) fn new(store: &'a Store, base: u64, known: &'a [(u64, Collection)]) -> Self {
        Self { store, base, known, last: 0, others: HashMap::new() }
    }

    /// The bytes of an object.
    #[inline]
    pub(super) fn object(&mut self, address: u64, index: u32) -> Result<&[u8], Fault> {
        let object = self.collection(address)?.object(index);
        object.ok_or(Fault::NoObject { address, index })
    }

    #[inline]
    fn collection(&mut self, address: u64) -> Result<&Collection, Fault> {
        if self.known.get(self.last).is_none_or(|(known, _)| *known != address) {
            match self.known.binary_search_by_key(&address, |(known, _)| *known) {
                Ok(found) => self.last = found,
                Err(_) => return self.other(address),
            }
        }
        Ok(&self.known[self.last].1)
    }

    fn other(&mut self, address: u64) -> Result<&Collection, Fault> {
        if self.others.len() >= MOST && !self.others.contains_key(&address) {
            self.others.clear();
        }
        match self.others.entry(address) {
            std::collections::hash_map::Entry::Occupied(found) => Ok(found.into_mut()),
            std::collections::hash_map::Entry::Vacant(free) => {
                let mut fetched = fetch(self.store, self.base, &[address])?;
                let collection = fetched.pop().ok_or(Fault::NoObject { address, index: 0 })?;
                Ok(free.insert(collection))
            }
        }
    }
}
