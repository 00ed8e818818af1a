//! Values in collections that are newer in somebody's memory than in the file.
//!
//! Only the calling thread may ask for these, so they are gathered before the values are made.

use core::ops::Range;

use convert::{Base, VariableConversion};
use heap::{Collection, Gathered, Reference};

use crate::values::heap_reader::HeapReader;
use crate::values::{Fault, ValueError, Values, references};

/// How much of a collection is in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InFile {
    /// All of it.
    Everything,
    /// The objects that are found there, if there is anything. There may be others.
    Something,
    /// What is there may be wrong.
    Nothing,
}

/// Who has objects that are newer than those in the file.
pub trait NewerObjects {
    /// How much of the collection at this address is in the file.
    fn in_file(&self, address: u64) -> InFile;

    /// Fetches an object of a collection that is not all in the file, if it has exactly so many bytes.
    fn get(&mut self, address: u64, index: u32, bytes: &mut [u8]) -> Option<()>;
}

/// The newer objects that some elements refer to, also from inside of other values. `known` are collections of the file.
pub(super) fn gather(
    values: &Values<'_>,
    elements: Range<usize>,
    known: &[(u64, Collection)],
    newer: &mut dyn NewerObjects,
) -> Result<Gathered, ValueError> {
    let nothing = Gathered::default();
    let mut gatherer = Gatherer {
        newer,
        heap: HeapReader::new(values, known, &nothing),
        // Nothing in a file is longer than that.
        longest: values.store.end(),
        gathered: Gathered::default(),
    };
    let size = values.conversion.stored();
    let first = values.first + elements.start as u64;
    let stored = &values.elements[elements.start * size..elements.end * size];
    for (number, element) in stored.chunks_exact(size).enumerate() {
        let failed = |fault| ValueError { element: first + number as u64, fault };
        gatherer.element(values.conversion, element).map_err(failed)?;
    }
    Ok(gatherer.gathered)
}

struct Gatherer<'a> {
    newer: &'a mut dyn NewerObjects,
    heap: HeapReader<'a>,
    longest: u64,
    gathered: Gathered,
}

impl Gatherer<'_> {
    fn element(&mut self, conversion: &VariableConversion, element: &[u8]) -> Result<(), Fault> {
        for (value, reference) in references(conversion, element) {
            if reference.is_nil() {
                continue;
            }
            let nested = match &value.base {
                Base::Nested(nested) => Some(&**nested),
                Base::Same(_) | Base::Converted { .. } => None,
            };
            let length = u64::from(reference.length).saturating_mul(value.base.stored() as u64);
            let Reference { address, index, .. } = reference;
            let is_known = match self.newer.in_file(address) {
                InFile::Everything => true,
                InFile::Something => self.heap.knows(address, index),
                InFile::Nothing => false,
            };
            // Even if it is known, its inner values may not be.
            let inner = if is_known {
                let inner = |_| self.heap.object(address, index).map(<[u8]>::to_vec);
                nested.map(inner).transpose()?
            } else {
                let object = self.object(reference, length)?;
                nested.map(|_| object.to_vec())
            };
            if let (Some(nested), Some(inner)) = (nested, inner) {
                let mut elements = inner.chunks_exact(nested.stored());
                elements.try_for_each(|element| self.element(nested, element))?;
            }
        }
        Ok(())
    }

    /// An object that is newer than in the file.
    fn object(&mut self, reference: Reference, length: u64) -> Result<&[u8], Fault> {
        let Reference { address, index, .. } = reference;
        let wanted = usize::try_from(length).ok().filter(|_| length <= self.longest);
        let wanted = wanted.ok_or(Fault::NoObject { address, index })?;
        let fill = |bytes: &mut [u8]| self.newer.get(address, index, bytes);
        self.gathered.add(address, index, wanted, fill).ok_or(Fault::NoObject { address, index })
    }
}
