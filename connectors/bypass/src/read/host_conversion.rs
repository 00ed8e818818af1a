//! Conversions that our kernels lack, by HDF5 itself on the calling thread.
//!
//! Native HDF5 gives elements to a conversion in batches, whose size depends on the layout, the selection and the
//! transfer property list, and it converts each batch in place. So a conversion is one to do ourselves only if an
//! element's result depends on nothing but the element: not on what was converted before it, and not on what was in
//! the buffer. [`is_repeatable`] knows which ones are like that.

use std::collections::{HashMap, HashSet};

use convert::{Bits, Class, Conversion, Datatype, Float, HostTraits, Member, Normalization, Order, Pad};
use h5_host::{OwnedId, Questions};
use h5_vol::{BelowObject, Id};

use crate::inspect::conversions::traits_of;
use crate::inspect::dataset::OurDataset;
use crate::inspect::datatypes::describe;
use crate::report::reason::Reason;

/// A conversion from a dataset's datatype to one in memory, by HDF5.
#[derive(Debug)]
pub(crate) struct HostConversion {
    from: OwnedId,
    /// A copy: the application may change its own while HDF5's lock is given up.
    to: OwnedId,
    stored_size: usize,
    memory_size: usize,
    needs_background: bool,
}

impl HostConversion {
    /// The conversion, if HDF5 has one that gives what native HDF5's read does.
    pub(crate) fn find(
        questions: Questions,
        below: &BelowObject,
        dataset: &OurDataset,
        memory_type: Id,
    ) -> Result<Self, Reason> {
        let to = questions.copy_of_type(memory_type).ok_or(Reason::Conversion)?;
        let wanted = describe(questions, to.id()).ok_or(Reason::Conversion)?;
        if questions.has_references(to.id()) || dataset.elements().has_references() {
            return Err(Reason::Conversion);
        }
        let from = below.dataset_type(questions).ok_or(Reason::Untold("datatype"))?;
        let own = dataset.elements().datatype();
        let way = questions.conversion_way(from.id(), to.id()).ok_or(Reason::Conversion)?;
        if !way.by_cast && !is_repeatable(own, &wanted, traits_of(questions.host())) {
            return Err(Reason::Conversion);
        }
        let (stored_size, memory_size) = (own.size, wanted.size);
        Ok(Self { from, to, stored_size, memory_size, needs_background: way.needs_background })
    }

    /// Bytes of an element in the dataset.
    pub(crate) fn stored_size(&self) -> usize {
        self.stored_size
    }

    /// Bytes of an element in memory.
    pub(crate) fn memory_size(&self) -> usize {
        self.memory_size
    }

    /// Whether what is in memory must be known, for parts of it stay.
    pub(crate) fn needs_background(&self) -> bool {
        self.needs_background
    }

    /// Converts elements in place. If HDF5 fails, it says why on the error stack.
    pub(crate) fn convert(
        &self,
        questions: Questions,
        elements: usize,
        buffer: &mut [u8],
        background: Option<&mut [u8]>,
    ) -> bool {
        questions.convert((self.from.id(), self.to.id()), elements, buffer, background)
    }

    /// What a fill value becomes. Nothing of what is in memory stays then.
    pub(crate) fn convert_fill(&self, questions: Questions, value: &[u8]) -> Option<Vec<u8>> {
        let mut element = vec![0; self.stored_size.max(self.memory_size)];
        element.get_mut(..self.stored_size)?.copy_from_slice(value);
        let mut background = vec![0; element.len()];
        let converted = self.convert(questions, 1, &mut element, Some(&mut background));
        element.truncate(self.memory_size);
        converted.then_some(element)
    }
}

/// Whether HDF5 makes the same of an element wherever it is among others. The bytes that a `long double` does not use
/// do not count: what native HDF5 leaves there is chance.
fn is_repeatable(from: &Datatype, to: &Datatype, host: HostTraits) -> bool {
    if Conversion::new(from, to, host).is_some() {
        return true;
    }
    match (&from.class, &to.class) {
        (Class::Compound(source), Class::Compound(destination)) => {
            are_sound(source, from.size)
                && are_sound(destination, to.size)
                && members_are_repeatable(source, destination, host)
        }
        (Class::Array { dims, element: source }, Class::Array { dims: other_dims, element: destination }) => {
            dims == other_dims && is_repeatable(source, destination, host)
        }
        (Class::Enum { members: source, .. }, Class::Enum { members: destination, .. }) => {
            are_paired(source, destination)
        }
        (Class::Enum { base, .. }, Class::Integer(_) | Class::Float(_)) => is_repeatable(base, to, host),
        // With parts of different sizes, a part stays as it was in the buffer if only the other one is infinite or
        // not a number; with equal ones, HDF5 goes by way of a place that it clears.
        (Class::Complex(_), Class::Complex(_)) => from.size == to.size,
        (Class::Integer(_) | Class::Float(_), Class::Float(float)) if float.bits.order == Order::Vax => {
            is_repeatable_to_vax(from, to.size, float, host)
        }
        (Class::Integer(_) | Class::Float(_), Class::Integer(_) | Class::Float(_)) => {
            is_cast_of_long_double(from, to)
        }
        _ => false,
    }
}

/// Whether the members that two compound types have in common are repeatable. The others stay as they are.
fn members_are_repeatable(from: &[Member], to: &[Member], host: HostTraits) -> bool {
    let by_name: HashMap<_, _> = to.iter().map(|member| (&member.name, &member.datatype)).collect();
    from.iter()
        .all(|member| by_name.get(&member.name).is_none_or(|to| is_repeatable(&member.datatype, to, host)))
}

/// Whether members are as HDF5 makes them: at least one, with different names, inside the type and apart.
fn are_sound(members: &[Member], size: usize) -> bool {
    let mut sorted: Vec<_> = members.iter().collect();
    sorted.sort_by_key(|member| member.offset);
    let end = sorted.iter().try_fold(0, |end, member| {
        let is_apart = member.offset >= end && member.datatype.size > 0;
        member.offset.checked_add(member.datatype.size).filter(|_| is_apart)
    });
    let names: HashSet<_> = members.iter().map(|member| &member.name).collect();
    !members.is_empty() && names.len() == members.len() && end.is_some_and(|end| end <= size)
}

/// Whether HDF5 finds a value for each member of an enumeration in another. It pairs them in alphabetical order, and
/// reads behind the last one if the other has fewer.
fn are_paired(from: &[(String, Vec<u8>)], to: &[(String, Vec<u8>)]) -> bool {
    let names = |members: &[(String, Vec<u8>)]| {
        members.iter().map(|(name, _)| name.clone()).collect::<HashSet<_>>().len() == members.len()
    };
    let values: HashSet<_> = from.iter().map(|(_, value)| value).collect();
    from.len() <= to.len() && names(from) && names(to) && values.len() == from.len()
}

/// Whether a number becomes a VAX float in the way in which it becomes a big-endian one of the same format, but for
/// the last step.
fn is_repeatable_to_vax(from: &Datatype, size: usize, to: &Float, host: HostTraits) -> bool {
    let twin = Float { bits: Bits { order: Order::Big, ..to.bits }, ..*to };
    matches!(size, 4 | 8)
        && to.normalization == Normalization::Implied
        && Conversion::new(from, &Datatype { size, class: Class::Float(twin) }, host).is_some()
}

/// Whether this is a cast from or to `long double` that every build of HDF5 for this processor has.
fn is_cast_of_long_double(from: &Datatype, to: &Datatype) -> bool {
    cfg!(target_arch = "x86_64")
        && (is_long_double(from) && is_machine_number(to) || is_machine_number(from) && is_long_double(to))
}

/// Whether a type is x86's 80-bit float in 16 bytes.
fn is_long_double(datatype: &Datatype) -> bool {
    let extended = Float {
        bits: bits_of(80),
        sign: 79,
        exponent: (64, 15),
        bias: 16383,
        mantissa: (0, 64),
        normalization: Normalization::None,
        inner_pad: Pad::Zero,
    };
    datatype.size == 16 && datatype.class == Class::Float(extended)
}

/// Whether a type is another number of the compiler's, not counting halves, which not all compilers have.
fn is_machine_number(datatype: &Datatype) -> bool {
    let is_ieee = |float: &Float, exponent: usize, mantissa: usize| {
        let ieee = Float {
            bits: bits_of(8 * datatype.size),
            sign: exponent + mantissa,
            exponent: (mantissa, exponent),
            bias: (1 << (exponent - 1)) - 1,
            mantissa: (0, mantissa),
            normalization: Normalization::Implied,
            inner_pad: Pad::Zero,
        };
        *float == ieee
    };
    match (&datatype.class, datatype.size) {
        (Class::Integer(integer), size @ (1 | 2 | 4 | 8)) => integer.bits == bits_of(8 * size),
        (Class::Float(float), 4) => is_ieee(float, 8, 23),
        (Class::Float(float), 8) => is_ieee(float, 11, 52),
        _ => false,
    }
}

/// Where the bits of a little-endian number are that begins with its lowest one.
fn bits_of(precision: usize) -> Bits {
    Bits { order: Order::Little, precision, offset: 0, low_pad: Pad::Zero, high_pad: Pad::Zero }
}
