//! The values of variable-length elements: from references to pointers.
//!
//! Elements are read first, as they are stored: references to objects in the file's heap. Here the collections with these
//! objects are fetched, each once for a group of elements; memory is taken for each value, and its pointer put in the place of
//! the reference. When all values are there, the elements go to the application's memory.

mod heap_reader;
mod memory;
mod newer;

use core::mem;
use core::ops::Range;
use std::sync::{Mutex, PoisonError};

use convert::{Base, Value, VariableConversion, VariableForm};
use heap::{Collection, Gathered, HeapError, Reference, fetch, fetch_present, neighbours};
use selection::Selection;
use store::Store;

use crate::Engine;
use crate::memory::Memory;
use heap_reader::HeapReader;
use memory::Piece;
pub use memory::{Allocator, Owned, SystemAllocator};
pub use newer::{InFile, NewerObjects};

/// Bytes of values for which collections are kept in memory at a time.
const GROUP_BYTES: u64 = 32 << 20;

/// Elements of a task.
const TASK: usize = 2048;

/// Elements whose values are wanted in memory.
#[derive(Debug)]
pub struct Values<'a> {
    /// What becomes of them.
    pub conversion: &'a VariableConversion,
    /// The file that their values are in.
    pub store: &'a Store,
    /// Where its addresses are counted from.
    pub base: u64,
    /// The elements as they are stored. They are changed.
    pub elements: &'a mut [u8],
    /// Where they go.
    pub places: &'a Selection,
    /// The rank of the first of them among those places.
    pub first: u64,
    /// The application's memory.
    pub memory: &'a Memory<'a>,
}

/// A value that could not be had.
#[derive(Debug, thiserror::Error)]
#[error("the value of element {element}: {fault}")]
pub struct ValueError {
    /// Which of the elements of the call it is.
    pub element: u64,
    /// Why.
    fault: Fault,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    #[error("{0}")]
    Heap(#[from] HeapError),
    #[error("the heap collection at address {address} has no object {index}")]
    NoObject { address: u64, index: u32 },
    #[error("object {index} of the heap collection at address {address} has {found} bytes, not {wanted}")]
    Length { address: u64, index: u32, found: usize, wanted: u64 },
    #[error("out of memory for {0} bytes")]
    OutOfMemory(usize),
}

impl Engine<'_> {
    /// Takes memory for the values of elements, and gives the elements to the application. On failure nothing was given, and
    /// the memory goes with `owned`. `newer` has those objects that are not in the file yet, if there may be any.
    pub fn read_values(
        &self,
        values: &mut Values<'_>,
        owned: &mut Owned,
        mut newer: Option<&mut dyn NewerObjects>,
    ) -> Result<(), ValueError> {
        let mut known = Vec::new();
        for Group { elements, mut addresses } in groups(values) {
            let Some(newer) = newer.as_deref_mut() else {
                known = self.fetch(values, &elements, addresses, known)?;
                self.resolve(values, elements, (&known, &Gathered::default()), owned)?;
                continue;
            };
            let mut unsure = addresses.clone();
            unsure.retain(|address| newer.in_file(*address) == InFile::Something);
            addresses.retain(|address| newer.in_file(*address) == InFile::Everything);
            known = self.fetch(values, &elements, addresses, known)?;
            self.fetch_present(values, unsure, &mut known);
            let gathered = newer::gather(values, elements.clone(), &known, newer)?;
            self.resolve(values, elements, (&known, &gathered), owned)?;
        }
        self.deliver(values);
        Ok(())
    }

    /// The collections that some elements refer to, sorted by their addresses. Some are known already.
    fn fetch(
        &self,
        values: &Values<'_>,
        elements: &Range<usize>,
        mut wanted: Vec<u64>,
        mut known: Vec<(u64, Collection)>,
    ) -> Result<Vec<(u64, Collection)>, ValueError> {
        wanted.sort_unstable();
        wanted.dedup();
        known.retain(|(address, _)| wanted.binary_search(address).is_ok());
        wanted.retain(|address| known.binary_search_by_key(address, |(known, _)| *known).is_err());
        let groups = neighbours(&wanted);
        let found = Mutex::new(known);
        let outcome = self.pool.run(groups.len(), usize::MAX, |index, _| {
            let addresses = &wanted[groups[index].clone()];
            let collections = fetch(values.store, values.base, addresses)?;
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            found.extend(addresses.iter().copied().zip(collections));
            Ok(())
        });
        outcome.map_err(|error: HeapError| {
            let element = elements.start + element_at(values, elements, error.address);
            ValueError { element: values.first + element as u64, fault: error.into() }
        })?;
        let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.sort_unstable_by_key(|(address, _)| *address);
        Ok(found)
    }

    /// Adds those of some collections that are in the file.
    fn fetch_present(&self, values: &Values<'_>, mut wanted: Vec<u64>, known: &mut Vec<(u64, Collection)>) {
        wanted.sort_unstable();
        wanted.dedup();
        let groups = neighbours(&wanted);
        let found = Mutex::new(Vec::new());
        let outcome: Result<(), core::convert::Infallible> =
            self.pool.run(groups.len(), usize::MAX, |index, _| {
                let present = fetch_present(values.store, values.base, &wanted[groups[index].clone()]);
                found.lock().unwrap_or_else(PoisonError::into_inner).extend(present);
                Ok(())
            });
        let Ok(()) = outcome;
        known.extend(found.into_inner().unwrap_or_else(PoisonError::into_inner));
        known.sort_unstable_by_key(|(address, _)| *address);
    }

    /// Replaces the references of some elements by pointers.
    fn resolve(
        &self,
        values: &mut Values<'_>,
        group: Range<usize>,
        (known, newer): (&[(u64, Collection)], &Gathered),
        owned: &mut Owned,
    ) -> Result<(), ValueError> {
        let (conversion, size) = (values.conversion, values.conversion.stored());
        let allocator = owned.allocator();
        let helpers = if allocator.is_for_every_thread() { usize::MAX } else { 0 };
        let first = values.first + group.start as u64;
        let reader = HeapReader::new(values, known, newer);
        let count = group.len();
        let elements = Memory::from_slice(&mut values.elements[group.start * size..group.end * size]);
        let pieces = Mutex::new(Vec::new());
        let outcome = self.pool.run(count.div_ceil(TASK), helpers, |index, _| {
            let start = index * TASK;
            let end = count.min(start + TASK);
            let part = elements.slice(start * size, (end - start) * size);
            let mut resolver = Resolver {
                heap: reader.clone(),
                allocator,
                pieces: Vec::with_capacity((end - start) * conversion.values().len()),
            };
            let outcome = part.chunks_exact_mut(size).enumerate().try_for_each(|(number, element)| {
                let failed = |fault| ValueError { element: first + (start + number) as u64, fault };
                resolver.element(conversion, element).map_err(failed)
            });
            pieces.lock().unwrap_or_else(PoisonError::into_inner).push(resolver.pieces);
            outcome
        });
        owned.add(pieces.into_inner().unwrap_or_else(PoisonError::into_inner));
        outcome
    }

    /// Gives elements with pointers to the application.
    fn deliver(&self, values: &Values<'_>) {
        let (size, in_memory) = (values.conversion.stored(), values.conversion.memory());
        let count = values.elements.len() / size;
        let outcome: Result<(), core::convert::Infallible> =
            self.pool.run(count.div_ceil(TASK), usize::MAX, |index, _| {
                let (mut done, end) = (index * TASK, count.min((index + 1) * TASK));
                let mut cursor = values.places.cursor(values.first + done as u64);
                while let Some((place, length)) = cursor.next_run((end - done) as u64) {
                    let (place, length) = (in_bytes(place, in_memory), in_bytes(length, 1));
                    let run = values.memory.slice(place, length * in_memory);
                    values.conversion.finish(&values.elements[done * size..(done + length) * size], run);
                    done += length;
                }
                Ok(())
            });
        let Ok(()) = outcome;
    }
}

/// Bytes of so many elements of the application's memory, which can be counted.
fn in_bytes(elements: u64, size: usize) -> usize {
    usize::try_from(elements).expect("elements that are in memory") * size
}

/// The references in an element.
fn references<'a>(
    conversion: &'a VariableConversion,
    element: &'a [u8],
) -> impl Iterator<Item = (&'a Value, Reference)> {
    conversion.values().iter().filter_map(|value| Some((value, Reference::read(element.get(value.from..)?)?)))
}

/// The first of some elements that refers to an address.
fn element_at(values: &Values<'_>, elements: &Range<usize>, address: u64) -> usize {
    let (conversion, size) = (values.conversion, values.conversion.stored());
    let refers = |element: &[u8]| references(conversion, element).any(|(_, found)| found.address == address);
    values.elements[elements.start * size..elements.end * size]
        .chunks_exact(size)
        .position(refers)
        .unwrap_or(0)
}

/// Elements whose values are in memory at the same time.
struct Group {
    elements: Range<usize>,
    /// The collections that they refer to. Neighbours that are the same are named once.
    addresses: Vec<u64>,
}

/// Divides elements into groups whose values have a bounded number of bytes.
fn groups(values: &Values<'_>) -> Vec<Group> {
    let new = |start| Group { elements: start..start, addresses: Vec::new() };
    let (mut groups, mut group, mut bytes) = (Vec::new(), new(0), 0_u64);
    for element in values.elements.chunks_exact(values.conversion.stored()) {
        if bytes >= GROUP_BYTES {
            let end = group.elements.end;
            groups.push(mem::replace(&mut group, new(end)));
            bytes = 0;
        }
        for (value, reference) in references(values.conversion, element) {
            let length = u64::from(reference.length).saturating_mul(value.base.stored() as u64);
            bytes = bytes.saturating_add(length);
            if !reference.is_nil() && group.addresses.last() != Some(&reference.address) {
                group.addresses.push(reference.address);
            }
        }
        group.elements.end += 1;
    }
    groups.push(group);
    groups
}

/// Makes values, one after another.
struct Resolver<'a> {
    heap: HeapReader<'a>,
    allocator: &'a dyn Allocator,
    /// The memory that was taken.
    pieces: Vec<Piece>,
}

impl Resolver<'_> {
    /// Replaces the references of an element by pointers.
    fn element(&mut self, conversion: &VariableConversion, element: &mut [u8]) -> Result<(), Fault> {
        for value in conversion.values() {
            let Some(reference) = element.get(value.from..).and_then(Reference::read) else { continue };
            let pointer = self.value(value, reference)?.to_ne_bytes();
            // A pointer never needs more room than a reference, so nothing is overwritten that is still needed.
            match value.form {
                VariableForm::Text { .. } => element[value.to..][..8].copy_from_slice(&pointer),
                VariableForm::Sequence => {
                    let length = if reference.is_nil() { 0 } else { u64::from(reference.length) };
                    element[value.to..][..8].copy_from_slice(&length.to_ne_bytes());
                    element[value.to + 8..][..8].copy_from_slice(&pointer);
                }
            }
        }
        Ok(())
    }

    /// The address of a value in memory; 0 if there is none.
    fn value(&mut self, value: &Value, reference: Reference) -> Result<u64, Fault> {
        if reference.is_nil() {
            return Ok(0);
        }
        let Reference { length, address, index } = reference;
        let object = self.heap.object(address, index)?;
        let wanted = u64::from(length).saturating_mul(value.base.stored() as u64);
        if object.len() as u64 != wanted {
            return Err(Fault::Length { address, index, found: object.len(), wanted });
        }
        let text = matches!(value.form, VariableForm::Text { .. });
        let piece = match &value.base {
            _ if text => {
                let piece = Piece::new(self.allocator, object.len() + 1)?;
                piece.fill(object);
                piece
            }
            _ if object.is_empty() => return Ok(0),
            Base::Same(_) => {
                let piece = Piece::new(self.allocator, object.len())?;
                piece.fill(object);
                piece
            }
            Base::Converted { stored, memory, conversion } => {
                let piece = Piece::new(self.allocator, sized(object.len() / stored, *memory)?)?;
                // SAFETY: the piece is ours, and nobody else knows of it.
                conversion.convert(object, unsafe { piece.cleared() });
                piece
            }
            Base::Nested(nested) => {
                let mut inner = object.to_vec();
                let count = inner.len() / nested.stored();
                inner
                    .chunks_exact_mut(nested.stored())
                    .try_for_each(|element| self.element(nested, element))?;
                let piece = Piece::new(self.allocator, sized(count, nested.memory())?)?;
                // SAFETY: as above.
                nested.finish(&inner, unsafe { piece.cleared() });
                piece
            }
        };
        let address = piece.address();
        self.pieces.push(piece);
        Ok(address)
    }
}

/// Bytes of so many elements.
fn sized(count: usize, size: usize) -> Result<usize, Fault> {
    let bytes = count.checked_mul(size).filter(|bytes| isize::try_from(*bytes).is_ok());
    bytes.ok_or(Fault::OutOfMemory(usize::MAX))
}
