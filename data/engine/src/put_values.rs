//! Storing the values of variable-length elements: from pointers to references.
//!
//! This is what HDF5 does when it writes such elements. Values that are overwritten are deleted, each before the new one is stored,
//! so that its place can be used. Only the calling thread can store values.

use core::ffi::{CStr, c_char};
use core::marker::PhantomData;
use core::ops::Range;
use std::borrow::Cow;

use convert::{EncodedBase, EncodedValue, VariableEncoding, VariableForm};
use heap::Reference;
use selection::Selection;

/// The heap of a file.
pub trait HeapWriter {
    /// Stores an object: the address of its collection, and its index there.
    fn put(&mut self, bytes: &[u8]) -> Option<(u64, u32)>;

    /// Fetches an object, if it has exactly so many bytes.
    fn get(&mut self, address: u64, index: u32, bytes: &mut [u8]) -> Option<()>;

    /// Deletes an object.
    fn delete(&mut self, address: u64, index: u32) -> Option<()>;

    /// Bytes that no object is longer than.
    fn longest(&self) -> u64;
}

/// Elements of the application with pointers to values.
#[derive(Debug, Clone, Copy)]
pub struct WithPointers<'a> {
    elements: &'a [u8],
    values: PhantomData<&'a u8>,
}

impl<'a> WithPointers<'a> {
    /// Elements in memory.
    ///
    /// # Safety
    /// Wherever the type with which they are written has a variable-length part, they have a null pointer, or one to as much as they
    /// say, or to a text that ends with a zero byte; the same holds for what these point to. Nobody changes any of it during `'a`.
    pub unsafe fn new(elements: &'a [u8]) -> Self {
        Self { elements, values: PhantomData }
    }
}

/// Elements that are to be written.
#[derive(Debug)]
pub struct PutValues<'a> {
    /// What becomes of them.
    pub encoding: &'a VariableEncoding,
    /// Those of the application, and which of them.
    pub memory: WithPointers<'a>,
    /// Which of them are written.
    pub places: &'a Selection,
    /// Their ranks, in pieces that HDF5 writes one after another: one for each chunk.
    pub pieces: &'a [Vec<Range<u64>>],
    /// What was stored so far, by rank. It becomes what is to be stored.
    pub elements: &'a mut [u8],
}

/// A value that could not be stored.
#[derive(Debug, thiserror::Error)]
#[error("the value of element {element}: {fault}")]
pub struct PutError {
    /// Which of the elements of the call it is.
    pub element: u64,
    fault: Fault,
}

#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error("HDF5 cannot store it in the heap")]
    Put,
    #[error(
        "HDF5 cannot delete the one before it, object {index} of the heap collection at address {address}"
    )]
    Delete { address: u64, index: u32 },
    #[error("HDF5 cannot read the one before it, object {index} of the heap collection at address {address}")]
    Get { address: u64, index: u32 },
    #[error("{0} elements are too many")]
    TooLong(u64),
}

/// Bytes of the buffer in which HDF5 converts elements.
const BUFFER: usize = 1 << 20;

/// Stores the values of elements, and deletes those that were there. The order is that of HDF5, as far as we know it: it decides where
/// values lie in the file.
pub fn put_values(values: &mut PutValues<'_>, heap: &mut dyn HeapWriter) -> Result<(), PutError> {
    let (memory, stored) = (values.encoding.memory(), values.encoding.stored());
    let most = (BUFFER / memory.max(stored)).max(1);
    let mut writer = Writer { heap };
    let mut batch = Batch::default();
    for piece in values.pieces {
        for ranks in piece {
            let mut cursor = values.places.cursor(ranks.start);
            let mut left = ranks.clone();
            while let Some((first, count)) = cursor.next_run(left.end - left.start) {
                for place in first..first + count {
                    // Inside the application's memory, which can be counted.
                    let start = usize::try_from(place).unwrap_or(usize::MAX).saturating_mul(memory);
                    let element = values.memory.elements.get(start..).and_then(|rest| rest.get(..memory));
                    let fault = PutError { element: left.start, fault: Fault::TooLong(place) };
                    batch.elements.push(element.ok_or(fault)?);
                    batch.ranks.push(usize::try_from(left.start).unwrap_or(usize::MAX));
                    left.start += 1;
                    if batch.ranks.len() == most {
                        writer.batch(values.encoding, &batch, values.elements)?;
                        batch.clear();
                    }
                }
            }
        }
        writer.batch(values.encoding, &batch, values.elements)?;
        batch.clear();
    }
    Ok(())
}

/// Elements that HDF5 converts together.
#[derive(Debug, Default)]
struct Batch<'a> {
    elements: Vec<&'a [u8]>,
    /// Where they are stored.
    ranks: Vec<usize>,
}

impl Batch<'_> {
    fn clear(&mut self) {
        self.elements.clear();
        self.ranks.clear();
    }
}

struct Writer<'a> {
    heap: &'a mut dyn HeapWriter,
}

impl Writer<'_> {
    /// Makes stored elements from those of the application, whose pointers are as [`WithPointers`] promises.
    fn batch(
        &mut self,
        encoding: &VariableEncoding,
        batch: &Batch<'_>,
        stored: &mut [u8],
    ) -> Result<(), PutError> {
        let size = encoding.stored();
        let place = |number: usize| batch.ranks[number].saturating_mul(size);
        if let ([only], true) = (encoding.values(), encoding.is_one_value()) {
            let one = |number: usize| {
                let failed = |fault| PutError { element: batch.ranks[number] as u64, fault };
                let target = stored.get_mut(place(number)..).and_then(<[u8]>::first_chunk_mut);
                let target = target.ok_or(failed(Fault::TooLong(number as u64)))?;
                *target =
                    self.value(only, batch.elements[number], Reference::of(target)).map_err(failed)?.bytes();
                Ok(())
            };
            return if encoding.memory() < size {
                each_of_growing(batch.elements.len(), encoding.memory(), size, one)
            } else {
                (0..batch.elements.len()).try_for_each(one)
            };
        }
        let mut with_pointers = Vec::with_capacity(batch.elements.len());
        for (number, element) in batch.elements.iter().enumerate() {
            let target = stored.get_mut(place(number)..).and_then(|rest| rest.get_mut(..size));
            let fault =
                || PutError { element: batch.ranks[number] as u64, fault: Fault::TooLong(number as u64) };
            with_pointers.push(encoding.arrange(element, target.ok_or_else(fault)?));
        }
        for value in in_order(encoding) {
            for (number, with_pointers) in with_pointers.iter().enumerate() {
                let target = &mut stored[place(number) + value.to..][..Reference::SIZE];
                let before = Reference::read(target).unwrap_or(Reference::NIL);
                let after = self.value(value, &with_pointers[value.from..], before);
                let failed = |fault| PutError { element: batch.ranks[number] as u64, fault };
                target.copy_from_slice(&after.map_err(failed)?.bytes());
            }
        }
        Ok(())
    }

    /// Stores a value in the place of another one.
    fn value(&mut self, value: &EncodedValue, pointer: &[u8], before: Reference) -> Result<Reference, Fault> {
        // SAFETY: the pointer is one of the application's elements, for which whoever made the `WithPointers` has promised that.
        let Some(elements) = (unsafe { elements_of(value, pointer) })? else {
            self.delete(before)?;
            return Ok(Reference::NIL);
        };
        let count = elements.len() / value.base.memory();
        let length = u32::try_from(count).map_err(|_| Fault::TooLong(count as u64))?;
        let (bytes, left_over) = match &value.base {
            EncodedBase::Same(_) => (Cow::Borrowed(elements), Vec::new()),
            EncodedBase::Converted { stored, conversion, .. } => {
                let mut bytes = vec![0; sized(count, *stored)?];
                conversion.convert(elements, &mut bytes);
                (Cow::Owned(bytes), Vec::new())
            }
            EncodedBase::Nested(nested) => {
                let mut bytes = self.inner_elements(nested, before)?;
                let size = sized(count, nested.stored())?;
                let left_over = bytes.split_off(bytes.len().min(size));
                bytes.resize(size, 0);
                let elements: Vec<_> = elements.chunks_exact(nested.memory()).collect();
                let inner = Batch { ranks: (0..elements.len()).collect(), elements };
                self.batch(nested, &inner, &mut bytes).map_err(|error| error.fault)?;
                (Cow::Owned(bytes), left_over)
            }
        };
        self.delete(before)?;
        let (address, index) = self.heap.put(&bytes).ok_or(Fault::Put)?;
        if let EncodedBase::Nested(nested) = &value.base {
            self.delete_inner(nested, &left_over)?;
        }
        Ok(Reference { length, address, index })
    }

    /// The elements of a value that will be overwritten, as they are stored.
    fn inner_elements(&mut self, nested: &VariableEncoding, before: Reference) -> Result<Vec<u8>, Fault> {
        let Reference { length, address, index } = before;
        if length == 0 || before.is_nil() {
            return Ok(Vec::new());
        }
        let failed = Fault::Get { address, index };
        let bytes = u64::from(length).checked_mul(nested.stored() as u64);
        let bytes = bytes.filter(|bytes| *bytes <= self.heap.longest());
        let Some(bytes) = bytes.and_then(|bytes| usize::try_from(bytes).ok()) else { return Err(failed) };
        let mut elements = vec![0; bytes];
        self.heap.get(address, index, &mut elements).ok_or(failed)?;
        Ok(elements)
    }

    /// Deletes the values of stored elements. Like HDF5, it does not look inside of them.
    fn delete_inner(&mut self, nested: &VariableEncoding, elements: &[u8]) -> Result<(), Fault> {
        for element in elements.chunks_exact(nested.stored()) {
            for value in nested.values() {
                self.delete(element.get(value.to..).and_then(Reference::read).unwrap_or(Reference::NIL))?;
            }
        }
        Ok(())
    }

    /// Deletes a value. Like HDF5, it leaves empty ones where they are.
    fn delete(&mut self, reference: Reference) -> Result<(), Fault> {
        let Reference { length, address, index } = reference;
        if length == 0 || reference.is_nil() {
            return Ok(());
        }
        self.heap.delete(address, index).ok_or(Fault::Delete { address, index })
    }
}

/// The variable-length parts of an element in the order in which HDF5 converts the members of a compound type: those that do not
/// grow, and then the others from the last one on.
fn in_order(encoding: &VariableEncoding) -> impl Iterator<Item = &EncodedValue> {
    let grows = |value: &&EncodedValue| matches!(value.form, VariableForm::Text { .. });
    let (first, then) = (encoding.values().iter(), encoding.values().iter().rev());
    first.filter(move |value| !grows(value)).chain(then.filter(grows))
}

/// Calls `work` with each number below `count`, in the order in which HDF5 converts elements that grow in place: as many as do not
/// overlap others, from the end on, and the last few backwards.
fn each_of_growing<E>(
    count: usize,
    from: usize,
    to: usize,
    mut work: impl FnMut(usize) -> Result<(), E>,
) -> Result<(), E> {
    let mut left = count;
    while left > 0 {
        let safe = left - (left * from).div_ceil(to);
        if safe < 2 {
            return (0..left).rev().try_for_each(work);
        }
        (left - safe..left).try_for_each(&mut work)?;
        left -= safe;
    }
    Ok(())
}

/// The elements of a value in the application's memory; `None` if there is no value. An empty text is one.
///
/// # Safety
/// The pointer is null, or leads to what [`WithPointers::new`] describes, which nobody changes during `'a`.
unsafe fn elements_of<'a>(value: &EncodedValue, pointer: &[u8]) -> Result<Option<&'a [u8]>, Fault> {
    let word = |place: usize| {
        let bytes = pointer.get(place..).and_then(<[u8]>::first_chunk);
        u64::from_ne_bytes(*bytes.unwrap_or(&[0; 8]))
    };
    let pointer_at = |place| {
        let address = usize::try_from(word(place)).unwrap_or(0);
        core::ptr::with_exposed_provenance::<u8>(address)
    };
    match value.form {
        VariableForm::Text { .. } => {
            let text = pointer_at(0);
            if text.is_null() {
                return Ok(None);
            }
            // SAFETY: not null, so it leads to a text that ends with a zero byte: the caller's promise.
            Ok(Some(unsafe { CStr::from_ptr(text.cast::<c_char>()) }.to_bytes()))
        }
        VariableForm::Sequence => {
            let (count, elements) = (word(0), pointer_at(8));
            if count == 0 || elements.is_null() {
                return Ok(None);
            }
            let bytes = sized(usize::try_from(count).unwrap_or(usize::MAX), value.base.memory())?;
            // SAFETY: as above: it leads to as many elements.
            Ok(Some(unsafe { core::slice::from_raw_parts(elements, bytes) }))
        }
    }
}

/// Bytes of so many elements, which a slice may have.
fn sized(count: usize, size: usize) -> Result<usize, Fault> {
    let bytes = count.checked_mul(size).filter(|bytes| isize::try_from(*bytes).is_ok());
    bytes.ok_or(Fault::TooLong(count as u64))
}
