//! Types with variable-length parts: how they are stored, and what becomes of each value.
//!
//! HDF5 describes such a type as it is in memory, with pointers. In a file every variable-length part takes 16 bytes, which
//! say where its value is; so the members of a compound type may be at other places there.
//!
//! A [`VariableConversion`] works in two steps. Whoever has the values replaces each stored part by a pointer, in place
//! ([`Value`]). Then [`VariableConversion::finish`] makes the elements in memory from that.

use core::cmp::Ordering;
use std::collections::HashMap;

use crate::conversion::Conversion;
use crate::datatype::{Class, Datatype, Member, Variable, VariableForm};
use crate::host::HostTraits;

/// Bytes of a variable-length part in a file.
pub(crate) const STORED: usize = 16;

/// The most variable-length parts of an element. Arrays may have any number.
pub(crate) const MOST: usize = 1024;

/// The class number of variable-length types, for parts that are not looked at.
const VARIABLE_LENGTH: i32 = 9;

/// The class number of references.
const REFERENCE: i32 = 7;

/// Bytes of a reference of HDF5 1.12 or later in memory, which its size tells apart from earlier kinds.
pub const LATER_REFERENCE: usize = 64;

/// Bytes of such a reference in a file with addresses of 8 bytes: its kind, flags, a length, and where the rest is in the heap.
const STORED_LATER_REFERENCE: usize = 18;

/// A way from a stored type with variable-length parts to one in memory.
#[derive(Debug)]
pub struct VariableConversion {
    stored: usize,
    memory: usize,
    values: Vec<Value>,
    /// Bytes of an element when every value was replaced by its pointer.
    with_pointers: usize,
    /// From such elements. `None` if the element is one value and nothing else.
    rest: Option<Conversion>,
}

/// One variable-length part of each element.
#[derive(Debug)]
pub struct Value {
    /// Where it begins in the stored element.
    pub from: usize,
    /// Where its pointer belongs, in the same element. That is never behind where it was.
    pub to: usize,
    /// What it is in memory.
    pub form: VariableForm,
    /// What becomes of its elements.
    pub base: Base,
}

/// What becomes of the elements of a value.
#[derive(Debug)]
pub enum Base {
    /// They stay as they are, and have this many bytes.
    Same(usize),
    /// They are converted.
    Converted {
        /// Bytes of an element in the file.
        stored: usize,
        /// Bytes of an element in memory.
        memory: usize,
        /// Writes every byte.
        conversion: Conversion,
    },
    /// They have variable-length parts themselves.
    Nested(Box<VariableConversion>),
}

impl Base {
    /// Bytes of an element in the file.
    pub fn stored(&self) -> usize {
        match self {
            Self::Same(size) => *size,
            Self::Converted { stored, .. } => *stored,
            Self::Nested(nested) => nested.stored,
        }
    }
}

impl VariableConversion {
    /// The conversion between two types, both described as they are in memory, if we have one that gives what the host's
    /// own does.
    pub fn new(from: &Datatype, to: &Datatype, host: HostTraits) -> Option<Self> {
        let mut finder = Finder { host, values: Vec::new() };
        let Part { with_pointers, stored } = finder.part(from, to, 0, 0)?;
        let rest = match &from.class {
            Class::Variable(_) => None,
            _ => Some(Conversion::new(&with_pointers, to, host)?),
        };
        let (memory, with_pointers, values) = (to.size, with_pointers.size, finder.values);
        (stored > 0).then_some(Self { stored, memory, values, with_pointers, rest })
    }

    /// Bytes of a stored element.
    pub fn stored(&self) -> usize {
        self.stored
    }

    /// Bytes of an element in memory.
    pub fn memory(&self) -> usize {
        self.memory
    }

    /// The variable-length parts that are wanted, in the order of their places.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// Whether every byte of an element in memory is written.
    pub fn writes_all(&self) -> bool {
        self.rest.as_ref().is_none_or(Conversion::writes_all)
    }

    /// Makes elements in memory from stored ones in which every value was replaced by its pointer.
    ///
    /// # Panics
    /// If there is not room for exactly as many.
    pub fn finish(&self, with_pointers: &[u8], elements: &mut [u8]) {
        let count = with_pointers.len() / self.stored;
        assert_eq!(elements.len(), count * self.memory, "as many elements in memory");
        if let Some(rest) = self.rest.as_ref().filter(|_| self.with_pointers == self.stored) {
            return rest.convert(with_pointers, elements);
        }
        let each = with_pointers.chunks_exact(self.stored).zip(elements.chunks_exact_mut(self.memory));
        for (pointers, element) in each {
            let pointers = &pointers[..self.with_pointers];
            match &self.rest {
                Some(rest) => rest.convert(pointers, element),
                None => element.copy_from_slice(pointers),
            }
        }
    }
}

/// The type that is stored if HDF5 describes it like this in memory; its variable-length parts and references of HDF5 1.12 are
/// bytes that nobody can convert. `None` if it is not as HDF5 makes types.
pub fn stored_form(datatype: &Datatype) -> Option<Datatype> {
    if !has_variable(datatype) && !has_later_references(datatype) {
        return Some(datatype.clone());
    }
    match &datatype.class {
        Class::Other(class) => Some(Datatype { size: STORED_LATER_REFERENCE, class: Class::Other(*class) }),
        Class::Variable(_) => Some(Datatype { size: STORED, class: Class::Other(VARIABLE_LENGTH) }),
        Class::Array { dims, element } => {
            let count = count_of(dims).filter(|count| count.checked_mul(element.size) == Some(datatype.size));
            let element = stored_form(element)?;
            let (size, dims) = (count?.checked_mul(element.size)?, dims.clone());
            Some(Datatype { size, class: Class::Array { dims, element: Box::new(element) } })
        }
        Class::Compound(members) => {
            let (size, places) = stored_places(members, datatype.size)?;
            let stored = places.into_iter().map(|(offset, member)| {
                Some(Member { name: member.name.clone(), offset, datatype: stored_form(&member.datatype)? })
            });
            Some(Datatype { size, class: Class::Compound(stored.collect::<Option<_>>()?) })
        }
        _ => None,
    }
}

/// Whether a type has variable-length parts.
pub(crate) fn has_variable(datatype: &Datatype) -> bool {
    match &datatype.class {
        Class::Variable(_) => true,
        Class::Array { element, .. } => has_variable(element),
        Class::Compound(members) => members.iter().any(|member| has_variable(&member.datatype)),
        _ => false,
    }
}

/// Whether a type has references of HDF5 1.12 or later, outside of variable-length parts.
pub fn has_later_references(datatype: &Datatype) -> bool {
    match &datatype.class {
        Class::Other(class) => *class == REFERENCE && datatype.size == LATER_REFERENCE,
        Class::Array { element, .. } => has_later_references(element),
        Class::Compound(members) => members.iter().any(|member| has_later_references(&member.datatype)),
        _ => false,
    }
}

/// Whether a type has references, or anything else that only HDF5 understands.
pub(crate) fn has_others(datatype: &Datatype) -> bool {
    match &datatype.class {
        Class::Other(_) => true,
        Class::Variable(variable) => has_others(&variable.element),
        Class::Array { element, .. } => has_others(element),
        Class::Compound(members) => members.iter().any(|member| has_others(&member.datatype)),
        _ => false,
    }
}

pub(crate) fn count_of(dims: &[u64]) -> Option<usize> {
    dims.iter().try_fold(1_usize, |count, &dim| count.checked_mul(usize::try_from(dim).ok()?))
}

/// Bytes of a stored compound type, and where its members are there. Each member moves by what those before it have grown.
pub(crate) fn stored_places(members: &[Member], size: usize) -> Option<(usize, Vec<(usize, &Member)>)> {
    let mut sorted: Vec<_> = members.iter().collect();
    sorted.sort_by_key(|member| member.offset);
    let moved = |place: usize, grown: usize, shrunk: usize| place.checked_add(grown)?.checked_sub(shrunk);
    let (mut grown, mut shrunk, mut places) = (0_usize, 0_usize, Vec::new());
    for member in sorted {
        places.push((moved(member.offset, grown, shrunk)?, member));
        let (before, after) = (member.datatype.size, stored_form(&member.datatype)?.size);
        match after.cmp(&before) {
            Ordering::Greater => grown = grown.checked_add(after - before)?,
            Ordering::Less => shrunk = shrunk.checked_add(before - after)?,
            Ordering::Equal => {}
        }
    }
    Some((moved(size, grown, shrunk)?, places))
}

/// Looks for the values of an element.
struct Finder {
    host: HostTraits,
    values: Vec<Value>,
}

/// A part of an element.
struct Part {
    /// Its type when every value was replaced by its pointer.
    with_pointers: Datatype,
    /// Its size in the file.
    stored: usize,
}

impl Finder {
    /// Finds the values of a part that begins at `start` in the stored element, and at `place` when the values before it
    /// were replaced by pointers.
    fn part(&mut self, from: &Datatype, to: &Datatype, start: usize, place: usize) -> Option<Part> {
        if !has_variable(from) {
            let with_pointers = stored_form(from)?;
            return Some(Part { stored: with_pointers.size, with_pointers });
        }
        match (&from.class, &to.class) {
            (Class::Variable(variable), Class::Variable(wanted)) => {
                let base = self.base(variable, wanted)?;
                if self.values.len() == MOST || to.size > STORED {
                    return None;
                }
                self.values.push(Value { from: start, to: place, form: wanted.form, base });
                Some(Part { with_pointers: to.clone(), stored: STORED })
            }
            (Class::Array { dims, element }, Class::Array { dims: wanted_dims, element: wanted })
                if dims == wanted_dims =>
            {
                self.array(dims, element, wanted, start, place)
            }
            (Class::Compound(members), Class::Compound(wanted)) => {
                self.compound((members, from.size), wanted, start, place)
            }
            _ => None,
        }
    }

    fn array(
        &mut self,
        dims: &[u64],
        from: &Datatype,
        to: &Datatype,
        start: usize,
        place: usize,
    ) -> Option<Part> {
        let count = count_of(dims).filter(|count| (1..=MOST).contains(count))?;
        let first = self.part(from, to, start, place)?;
        let (each_stored, each) = (first.stored, first.with_pointers.size);
        let (stored, size) = (count.checked_mul(each_stored)?, count.checked_mul(each)?);
        start.checked_add(stored)?;
        for number in 1..count {
            self.part(from, to, start + number * each_stored, place + number * each)?;
        }
        let class = Class::Array { dims: dims.to_vec(), element: Box::new(first.with_pointers) };
        Some(Part { with_pointers: Datatype { size, class }, stored })
    }

    /// Members that are not wanted are left out.
    fn compound(
        &mut self,
        (members, size): (&[Member], usize),
        wanted: &[Member],
        start: usize,
        place: usize,
    ) -> Option<Part> {
        let by_name: HashMap<_, _> = wanted.iter().map(|member| (&member.name, member)).collect();
        let (stored, places) = stored_places(members, size)?;
        let mut found = Vec::new();
        for (offset, member) in places {
            let Some(to) = by_name.get(&member.name) else { continue };
            let (start, place) = (start.checked_add(offset)?, place.checked_add(offset)?);
            let part = self.part(&member.datatype, &to.datatype, start, place)?;
            found.push(Member { name: member.name.clone(), offset, datatype: part.with_pointers });
        }
        Some(Part { with_pointers: Datatype { size: stored, class: Class::Compound(found) }, stored })
    }

    /// What becomes of the elements of a value. HDF5 does not convert between character sets, and leaves bytes of a
    /// converted element to chance that the conversion does not write.
    fn base(&self, from: &Variable, to: &Variable) -> Option<Base> {
        match (from.form, to.form) {
            (VariableForm::Sequence, VariableForm::Sequence) => {}
            (from, to) if from == to => return Some(Base::Same(1)),
            _ => return None,
        }
        let (from, to) = (&from.element, &to.element);
        if from.size == 0 || has_others(from) || has_others(to) {
            return None;
        }
        if has_variable(from) {
            let nested = VariableConversion::new(from, to, self.host)?;
            return nested.writes_all().then(|| Base::Nested(Box::new(nested)));
        }
        if from == to {
            return Some(Base::Same(from.size));
        }
        let conversion = Conversion::new(from, to, self.host)?;
        let (stored, memory) = (from.size, to.size);
        conversion.writes_all().then_some(Base::Converted { stored, memory, conversion })
    }
}
