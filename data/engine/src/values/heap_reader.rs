//! The objects of a heap, as one thread reads them.

use std::collections::HashMap;

use heap::{Collection, Gathered, fetch};
use store::Store;

use crate::values::{Fault, Values};

/// How many collections are kept that only inner values refer to.
const MOST: usize = 256;

/// Objects by collection and index. Collections that are not known are fetched: inner values may be anywhere.
#[derive(Clone)]
pub(super) struct HeapReader<'a> {
    store: &'a Store,
    base: u64,
    /// Sorted by their addresses.
    known: &'a [(u64, Collection)],
    /// The known one that was used last: neighbours are often in the same.
    last: usize,
    others: HashMap<u64, Collection>,
    /// Objects that are not in the file yet.
    newer: &'a Gathered,
}

impl<'a> HeapReader<'a> {
    pub(super) fn new(values: &Values<'a>, known: &'a [(u64, Collection)], newer: &'a Gathered) -> Self {
        let (store, base) = (values.store, values.base);
        Self { store, base, known, last: 0, others: HashMap::new(), newer }
    }

    /// The bytes of an object.
    #[inline]
    pub(super) fn object(&mut self, address: u64, index: u32) -> Result<&[u8], Fault> {
        let missing = Fault::NoObject { address, index };
        let known = self.known(address);
        if let Some(object) = known.and_then(|known| known.object(index)) {
            return Ok(object);
        }
        if let Some(object) = self.newer.object(address, index) {
            return Ok(object);
        }
        match known {
            Some(_) => Err(missing),
            None => self.other(address)?.object(index).ok_or(missing),
        }
    }

    /// Whether an object is in one of the collections that are known.
    pub(super) fn knows(&mut self, address: u64, index: u32) -> bool {
        self.known(address).is_some_and(|known| known.object(index).is_some())
    }

    #[inline]
    fn known(&mut self, address: u64) -> Option<&'a Collection> {
        if self.known.get(self.last).is_none_or(|(known, _)| *known != address) {
            self.last = self.known.binary_search_by_key(&address, |(known, _)| *known).ok()?;
        }
        Some(&self.known[self.last].1)
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
