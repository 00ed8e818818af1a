//! Elements of any datatype as trees of values, also those that lead outside of themselves.

use core::ffi::{CStr, c_char};
use std::ffi::CString;

use crate::datatype::{Class, Description};
use crate::elements::Elements;
use crate::failure::{Failure, Result};
use crate::object::Object;
use crate::reference::{NewReference, ReferenceTarget, Stored};

/// Bytes of a sequence of any length in memory: its number of elements, and where they are.
const SEQUENCE: usize = 16;
/// Bytes of a pointer.
const POINTER: usize = 8;

/// An element, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Bytes that mean something by themselves, as the datatype says.
    Plain(Vec<u8>),
    /// A string of any length; nothing if there is none, not even an empty one.
    Text(Option<CString>),
    /// Any number of such bytes, without anything between them.
    PlainSequence(Vec<u8>),
    /// Any number of elements that are not plain.
    Sequence(Vec<Value>),
    /// The members of a compound, or the elements of an array, one of which is not plain.
    Parts(Vec<Value>),
    /// A reference.
    Reference(ReferenceTarget),
}

impl Elements {
    /// All elements. `at` is an object of the file that they were read from.
    pub fn values(&mut self, at: &(impl Object + ?Sized)) -> Result<Vec<Value>> {
        let description = self.of_hdf5()?;
        let size = description.size.max(1);
        self.raw().chunks_exact_mut(size).map(|element| value(&description, element, at)).collect()
    }

    /// Replaces the references in them. `at` is an object of the file that they were read from; new ones lead to objects of
    /// `file`.
    pub fn replace_references(
        &mut self,
        at: &(impl Object + ?Sized),
        file: &dyn Object,
        choose: &mut dyn FnMut(ReferenceTarget) -> Result<NewReference>,
    ) -> Result<()> {
        let description = self.of_hdf5()?;
        let size = description.size.max(1);
        let mut change = |stored: &mut Stored<'_>| {
            let new = choose(stored.target(at)?)?;
            stored.replace(at, file, &new)
        };
        self.raw()
            .chunks_exact_mut(size)
            .try_for_each(|element| each_reference(&description, element, &mut change))
    }

    /// The datatype, if HDF5 has filled the elements: only then are pointers what it says.
    fn of_hdf5(&self) -> Result<Description> {
        if self.is_of_hdf5() {
            self.datatype().describe()
        } else {
            Err(Failure::refused("the elements were not read"))
        }
    }
}

/// A part of an element.
fn part(element: &mut [u8], start: usize, size: usize) -> Result<&mut [u8]> {
    let end = start.checked_add(size);
    end.and_then(|end| element.get_mut(start..end))
        .ok_or_else(|| Failure::refused("a datatype has parts outside of itself"))
}

fn word(bytes: &[u8], place: usize) -> Result<usize> {
    let word =
        bytes.get(place..place + POINTER).and_then(|word| word.try_into().ok()).map(u64::from_ne_bytes);
    word.and_then(|word| usize::try_from(word).ok())
        .ok_or_else(|| Failure::refused("an element is too short"))
}

/// The bytes of a sequence that an element leads to.
fn sequence<'m>(base: &Description, element: &'m mut [u8]) -> Result<&'m mut [u8]> {
    if element.len() != SEQUENCE {
        return Err(Failure::refused("a sequence that is not a number and a pointer"));
    }
    let (count, start) = (word(element, 0)?, word(element, POINTER)?);
    let length = count.checked_mul(base.size).filter(|length| isize::try_from(*length).is_ok());
    let length = length.ok_or_else(|| Failure::refused("a sequence is too long"))?;
    let start: *mut u8 = core::ptr::with_exposed_provenance_mut(start);
    if start.is_null() || length == 0 {
        return Ok(&mut []);
    }
    // SAFETY: HDF5 has stored how many elements there are, and where; the borrow of the element keeps others away.
    Ok(unsafe { core::slice::from_raw_parts_mut(start, length) })
}

fn value(description: &Description, element: &mut [u8], at: &(impl Object + ?Sized)) -> Result<Value> {
    if description.is_plain() {
        return Ok(Value::Plain(element.to_vec()));
    }
    match &description.class {
        Class::VariableString { .. } => {
            let text: *const c_char = core::ptr::with_exposed_provenance(word(element, 0)?);
            if text.is_null() {
                return Ok(Value::Text(None));
            }
            // SAFETY: HDF5 has stored a pointer to a C string.
            Ok(Value::Text(Some(unsafe { CStr::from_ptr(text) }.to_owned())))
        }
        Class::VariableLength(base) => {
            let elements = sequence(base, element)?;
            if base.is_plain() {
                return Ok(Value::PlainSequence(elements.to_vec()));
            }
            let each = elements.chunks_exact_mut(base.size.max(1)).map(|element| value(base, element, at));
            each.collect::<Result<_>>().map(Value::Sequence)
        }
        Class::Compound(members) => {
            let each = members.iter().map(|member| {
                let datatype = &member.datatype;
                value(datatype, part(element, member.offset, datatype.size)?, at)
            });
            each.collect::<Result<_>>().map(Value::Parts)
        }
        Class::Array { element: base, .. } => {
            let each = element.chunks_exact_mut(base.size.max(1)).map(|element| value(base, element, at));
            each.collect::<Result<_>>().map(Value::Parts)
        }
        class => Stored::new(class, element)?.target(at).map(Value::Reference),
    }
}

/// Calls the function with each reference in an element.
fn each_reference(
    description: &Description,
    element: &mut [u8],
    function: &mut dyn FnMut(&mut Stored<'_>) -> Result<()>,
) -> Result<()> {
    if description.is_plain() {
        return Ok(());
    }
    match &description.class {
        Class::VariableString { .. } => Ok(()),
        Class::VariableLength(base) => {
            let elements = sequence(base, element)?;
            elements
                .chunks_exact_mut(base.size.max(1))
                .try_for_each(|element| each_reference(base, element, function))
        }
        Class::Compound(members) => members.iter().try_for_each(|member| {
            let datatype = &member.datatype;
            each_reference(datatype, part(element, member.offset, datatype.size)?, function)
        }),
        Class::Array { element: base, .. } => element
            .chunks_exact_mut(base.size.max(1))
            .try_for_each(|element| each_reference(base, element, function)),
        class => function(&mut Stored::new(class, element)?),
    }
}

impl Description {
    /// Whether a part of an element is a reference.
    pub fn has_references(&self) -> bool {
        match &self.class {
            Class::ObjectReference | Class::RegionReference | Class::Reference => true,
            Class::Compound(members) => members.iter().any(|member| member.datatype.has_references()),
            Class::Array { element: base, .. } | Class::VariableLength(base) => base.has_references(),
            _ => false,
        }
    }
}
