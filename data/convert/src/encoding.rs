//! Types with variable-length parts, the other way: from elements in memory to those that are stored.
//!
//! A [`VariableEncoding`] works in two steps as well. [`VariableEncoding::arrange`] converts what is not of variable length, puts
//! it where it is stored, and leaves everything else of the stored element as it was. It returns the element with the pointers.
//! Then whoever stores the values puts a reference in the place of each ([`EncodedValue`]).

use std::borrow::Cow;
use std::collections::HashMap;

use crate::conversion::Conversion;
use crate::datatype::{Class, Datatype, Member, Variable, VariableForm};
use crate::host::HostTraits;
use crate::variable::{MOST, STORED, count_of, has_others, has_variable, stored_places};

/// A way from a type in memory to a stored type with variable-length parts.
#[derive(Debug)]
pub struct VariableEncoding {
    memory: usize,
    stored: usize,
    values: Vec<EncodedValue>,
    /// `None` if the element is one value and nothing else.
    rest: Option<Rest>,
}

/// What of an element is not of variable length.
#[derive(Debug)]
struct Rest {
    /// To the dataset's type as it is in memory, with pointers.
    conversion: Conversion,
    /// Bytes of that.
    size: usize,
    /// What goes where from there.
    runs: Vec<Run>,
}

#[derive(Debug, Clone, Copy)]
struct Run {
    from: usize,
    to: usize,
    length: usize,
}

/// One variable-length part of each element.
#[derive(Debug)]
pub struct EncodedValue {
    /// Where its pointer is in the element with pointers.
    pub from: usize,
    /// Where its reference belongs in the stored element.
    pub to: usize,
    /// What it is in memory.
    pub form: VariableForm,
    /// What becomes of its elements.
    pub base: EncodedBase,
}

/// What becomes of the elements of a value.
#[derive(Debug)]
pub enum EncodedBase {
    /// They stay as they are, and have this many bytes.
    Same(usize),
    /// They are converted.
    Converted {
        /// Bytes of an element in memory.
        memory: usize,
        /// Bytes of an element in the file.
        stored: usize,
        /// Writes every byte.
        conversion: Conversion,
    },
    /// They have variable-length parts themselves.
    Nested(Box<VariableEncoding>),
}

impl EncodedBase {
    /// Bytes of an element in memory.
    pub fn memory(&self) -> usize {
        match self {
            Self::Same(size) => *size,
            Self::Converted { memory, .. } => *memory,
            Self::Nested(nested) => nested.memory,
        }
    }
}

impl VariableEncoding {
    /// The way from one type to another, both described as they are in memory, if we have one that gives what the host's own does.
    pub fn new(from: &Datatype, to: &Datatype, host: HostTraits) -> Option<Self> {
        let mut finder = Finder { host, values: Vec::new(), runs: Vec::new() };
        let (with_pointers, stored) = finder.part(from, to, 0, 0)?;
        let rest = if matches!(to.class, Class::Variable(_)) {
            None
        } else {
            let conversion = Conversion::new(&with_pointers, to, host)?;
            Some(Rest { conversion, size: to.size, runs: finder.runs })
        };
        (from.size > 0 && stored > 0).then_some(Self {
            memory: from.size,
            stored,
            values: finder.values,
            rest,
        })
    }

    /// Bytes of an element in memory.
    pub fn memory(&self) -> usize {
        self.memory
    }

    /// Bytes of a stored element.
    pub fn stored(&self) -> usize {
        self.stored
    }

    /// Whether an element is one value and nothing else.
    pub fn is_one_value(&self) -> bool {
        self.rest.is_none()
    }

    /// The variable-length parts that are written, in the order of their places.
    pub fn values(&self) -> &[EncodedValue] {
        &self.values
    }

    /// Puts what is not of variable length into a stored element; the element with the pointers.
    ///
    /// # Panics
    /// If one of the elements has another size.
    pub fn arrange<'e>(&self, element: &'e [u8], stored: &mut [u8]) -> Cow<'e, [u8]> {
        let Some(rest) = &self.rest else { return Cow::Borrowed(element) };
        let mut with_pointers = vec![0; rest.size];
        rest.conversion.convert(element, &mut with_pointers);
        for run in &rest.runs {
            stored[run.to..][..run.length].copy_from_slice(&with_pointers[run.from..][..run.length]);
        }
        Cow::Owned(with_pointers)
    }
}

/// Looks for the values of an element, and what else is in it.
struct Finder {
    host: HostTraits,
    values: Vec<EncodedValue>,
    runs: Vec<Run>,
}

impl Finder {
    /// Finds what a part consists of that begins at `place` in the element with pointers, and at `start` in the stored one. Tells
    /// its type in memory, with the stored type's variable-length parts, and its stored size.
    fn part(
        &mut self,
        from: &Datatype,
        to: &Datatype,
        place: usize,
        start: usize,
    ) -> Option<(Datatype, usize)> {
        if has_others(from) && !has_variable(from) || self.values.len() + self.runs.len() > MOST {
            return None;
        }
        match (&from.class, &to.class) {
            (Class::Variable(variable), Class::Variable(wanted)) => {
                if from.size != to.size {
                    return None;
                }
                let base = self.base(variable, wanted)?;
                self.values.push(EncodedValue { from: place, to: start, form: wanted.form, base });
                Some((to.clone(), STORED))
            }
            (Class::Compound(members), Class::Compound(wanted)) => {
                self.compound((members, from.size), (wanted, to.size), place, start)
            }
            (Class::Array { dims, element }, Class::Array { dims: wanted_dims, element: wanted })
                if dims == wanted_dims && (has_variable(wanted) || has_members(wanted)) =>
            {
                self.array(dims, element, wanted, place, start)
            }
            _ if has_variable(from) || has_variable(to) || has_others(to) => None,
            _ => {
                self.add_run(Run { from: place, to: start, length: to.size });
                Some((from.clone(), to.size))
            }
        }
    }

    fn add_run(&mut self, run: Run) {
        match self.runs.last_mut() {
            Some(last) if last.from + last.length == run.from && last.to + last.length == run.to => {
                last.length += run.length;
            }
            _ => self.runs.push(run),
        }
    }

    fn array(
        &mut self,
        dims: &[u64],
        from: &Datatype,
        to: &Datatype,
        place: usize,
        start: usize,
    ) -> Option<(Datatype, usize)> {
        let count = count_of(dims).filter(|count| (1..=MOST).contains(count))?;
        let (first, each) = self.part(from, to, place, start)?;
        let stored = count.checked_mul(each)?;
        start.checked_add(stored)?;
        place.checked_add(count.checked_mul(to.size)?)?;
        for number in 1..count {
            self.part(from, to, place + number * to.size, start + number * each)?;
        }
        let size = count.checked_mul(from.size)?;
        let class = Class::Array { dims: dims.to_vec(), element: Box::new(first) };
        Some((Datatype { size, class }, stored))
    }

    /// Members that are not given stay as they are in the file.
    fn compound(
        &mut self,
        (given, size): (&[Member], usize),
        (wanted, wanted_size): (&[Member], usize),
        place: usize,
        start: usize,
    ) -> Option<(Datatype, usize)> {
        let by_name: HashMap<_, _> = given.iter().map(|member| (&member.name, member)).collect();
        let (stored, places) = stored_places(wanted, wanted_size)?;
        let mut types = HashMap::new();
        for (offset, member) in places {
            let Some(from) = by_name.get(&member.name) else { continue };
            let (place, start) = (place.checked_add(member.offset)?, start.checked_add(offset)?);
            let (datatype, _) = self.part(&from.datatype, &member.datatype, place, start)?;
            types.insert(&member.name, datatype);
        }
        // What the stored type lacks is not written.
        let members = given.iter().filter_map(|member| {
            let datatype = types.remove(&member.name)?;
            Some(Member { name: member.name.clone(), offset: member.offset, datatype })
        });
        Some((Datatype { size, class: Class::Compound(members.collect()) }, stored))
    }

    /// What becomes of the elements of a value; as for reading.
    fn base(&self, from: &Variable, to: &Variable) -> Option<EncodedBase> {
        match (from.form, to.form) {
            (VariableForm::Sequence, VariableForm::Sequence) => {}
            (from, to) if from == to => return Some(EncodedBase::Same(1)),
            _ => return None,
        }
        let (from, to) = (&from.element, &to.element);
        if from.size == 0 || to.size == 0 {
            return None;
        }
        if has_variable(to) {
            let nested = VariableEncoding::new(from, to, self.host)?;
            return nested.is_complete().then(|| EncodedBase::Nested(Box::new(nested)));
        }
        if has_others(from) || has_others(to) {
            return None;
        }
        if from == to {
            return Some(EncodedBase::Same(from.size));
        }
        let conversion = Conversion::new(from, to, self.host)?;
        let (memory, stored) = (from.size, to.size);
        conversion.writes_all().then_some(EncodedBase::Converted { memory, stored, conversion })
    }
}

impl VariableEncoding {
    /// Whether every byte of a stored element is written.
    fn is_complete(&self) -> bool {
        let runs: usize = self.rest.iter().flat_map(|rest| &rest.runs).map(|run| run.length).sum();
        runs + self.values.len() * STORED == self.stored
            && self.rest.as_ref().is_none_or(|rest| rest.conversion.writes_all())
    }
}

/// Whether a type has members.
fn has_members(datatype: &Datatype) -> bool {
    match &datatype.class {
        Class::Compound(_) => true,
        Class::Array { element, .. } => has_members(element),
        _ => false,
    }
}
