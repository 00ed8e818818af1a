//! Compound types: members by name.
//!
//! What belongs to no common member keeps its value in the destination: members that the source lacks, and the
//! bytes between members. There is one exception, as HDF5 has it: if the type with fewer members is the
//! beginning of the other, everything up to its last member is copied at once, the bytes between included.

use std::collections::{HashMap, HashSet};

use crate::conversion::{self, Kernel};
use crate::datatype::{Class, Datatype, Member};
use crate::host::HostTraits;
use crate::strided::{self, Field};

/// The kernel between two compound types.
pub(crate) fn kernel(from: &Datatype, to: &Datatype, host: HostTraits) -> Option<Box<dyn Kernel>> {
    let (Class::Compound(from_members), Class::Compound(to_members)) = (&from.class, &to.class) else {
        return None;
    };
    let mut parts = Vec::new();
    add_members(&mut parts, (from_members, from.size, 0), (to_members, to.size, 0))?;
    let steps = join(parts).into_iter().map(|part| part.into_step(host)).collect::<Option<Vec<_>>>()?;
    let writes_all = covers(&steps, to.size);
    Some(Box::new(Compound { from_size: from.size, to_size: to.size, steps, writes_all }))
}

/// One or more members of each element, and what becomes of them.
#[derive(Debug, Clone, Copy)]
struct Part<'a> {
    from: Field,
    to: Field,
    /// The types of one of them; the bytes stay as they are if there are none.
    types: Option<(&'a Datatype, &'a Datatype)>,
}

impl Part<'_> {
    fn copy(from_offset: usize, to_offset: usize, size: usize) -> Self {
        let (from, to) = (Field { offset: from_offset, size }, Field { offset: to_offset, size });
        Self { from, to, types: None }
    }

    fn into_step(self, host: HostTraits) -> Option<Step> {
        let kernel = match self.types {
            Some((from, to)) => Some(conversion::kernel(from, to, host)?),
            None => None,
        };
        Some(Step { from: self.from, to: self.to, kernel })
    }
}

/// Members of a compound type, its size, and where it begins in the element.
type Inside<'a> = (&'a [Member], usize, usize);

/// Adds what is to be done for a compound type, be it the element or a member of it.
fn add_members<'a>(parts: &mut Vec<Part<'a>>, from: Inside<'a>, to: Inside<'a>) -> Option<()> {
    let ((from, from_size, from_base), (to, to_size, to_base)) = (from, to);
    let (from, to) = (in_order(from, from_size)?, in_order(to, to_size)?);
    if let Some(size) = common_beginning(&from, &to) {
        parts.push(Part::copy(from_base, to_base, size));
        return Some(());
    }
    let by_name: HashMap<_, _> = to.iter().map(|member| (&member.name, *member)).collect();
    for from in from {
        let Some(to) = by_name.get(&from.name) else { continue };
        let (from_offset, to_offset) = (from_base.checked_add(from.offset)?, to_base.checked_add(to.offset)?);
        let (from, to) = (&from.datatype, &to.datatype);
        match (&from.class, &to.class) {
            _ if conversion::is_copy(from, to) => parts.push(Part::copy(from_offset, to_offset, from.size)),
            (Class::Compound(from_members), Class::Compound(to_members)) => {
                add_members(parts, (from_members, from.size, from_offset), (to_members, to.size, to_offset))?;
            }
            _ => parts.push(Part {
                from: Field { offset: from_offset, size: from.size },
                to: Field { offset: to_offset, size: to.size },
                types: Some((from, to)),
            }),
        }
    }
    Some(())
}

/// The members in the order of their places; `None` if they are not as HDF5 makes them: at least one, with
/// different names, inside the type and apart from one another.
fn in_order(members: &[Member], size: usize) -> Option<Vec<&Member>> {
    let mut sorted: Vec<_> = members.iter().collect();
    sorted.sort_by_key(|member| member.offset);
    let mut end = 0;
    for member in &sorted {
        if member.offset < end || member.datatype.size == 0 {
            return None;
        }
        end = member.offset.checked_add(member.datatype.size)?;
    }
    let names: HashSet<_> = sorted.iter().map(|member| &member.name).collect();
    (!sorted.is_empty() && names.len() == sorted.len() && end <= size).then_some(sorted)
}

/// If the type with fewer members is the beginning of the other: how many bytes they have in common.
fn common_beginning(from: &[&Member], to: &[&Member]) -> Option<usize> {
    let fewer = if from.len() < to.len() { from } else { to };
    let last = fewer.last()?;
    let same = from.len() != to.len()
        && from.iter().zip(to).all(|(from, to)| {
            from.name == to.name && from.offset == to.offset && from.datatype.passes_as(&to.datatype)
        });
    same.then(|| last.offset + last.datatype.size)
}

/// Neighbours on both sides that fare the same become one, as if they were an array.
fn join(mut parts: Vec<Part<'_>>) -> Vec<Part<'_>> {
    parts.sort_by_key(|part| part.to.offset);
    parts.dedup_by(|next, part| {
        let neighbours = part.from.end() == next.from.offset && part.to.end() == next.to.offset;
        let joined = neighbours && part.types == next.types;
        if joined {
            part.from.size += next.from.size;
            part.to.size += next.to.size;
        }
        joined
    });
    parts
}

/// Whether steps, in the order of their places, write every byte of an element.
fn covers(steps: &[Step], size: usize) -> bool {
    let end = steps
        .iter()
        .try_fold(0, |end, step| (step.to.offset == end && step.writes_all()).then_some(step.to.end()));
    end == Some(size)
}

/// What is done to a field of each element.
#[derive(Debug)]
struct Step {
    from: Field,
    to: Field,
    /// How it changes; the bytes stay as they are if there is none.
    kernel: Option<Box<dyn Kernel>>,
}

impl Step {
    fn writes_all(&self) -> bool {
        self.kernel.as_ref().is_none_or(|kernel| kernel.writes_all())
    }
}

/// Members of one type to members of another.
#[derive(Debug)]
struct Compound {
    from_size: usize,
    to_size: usize,
    /// In the order of their places in the destination.
    steps: Vec<Step>,
    writes_all: bool,
}

impl Kernel for Compound {
    fn convert(&self, source: &[u8], destination: &mut [u8]) {
        // Few enough elements at a time that they stay in a fast cache from one step to the next.
        const BLOCK: usize = 16384;
        let elements = (BLOCK / self.from_size.max(self.to_size)).max(1);
        let mut scratch = Scratch::default();
        let sources = source.chunks(elements * self.from_size);
        let destinations = destination.chunks_mut(elements * self.to_size);
        for (source, destination) in sources.zip(destinations) {
            for step in &self.steps {
                self.take(step, source, destination, &mut scratch);
            }
        }
    }

    fn writes_all(&self) -> bool {
        self.writes_all
    }
}

/// Fields taken out of their elements, to be converted all at once.
#[derive(Default)]
struct Scratch {
    from: Vec<u8>,
    to: Vec<u8>,
}

impl Compound {
    fn take(&self, step: &Step, source: &[u8], destination: &mut [u8], scratch: &mut Scratch) {
        let Some(kernel) = &step.kernel else {
            strided::copy((source, self.from_size, step.from), (destination, self.to_size, step.to));
            return;
        };
        let count = source.len() / self.from_size;
        let source = if step.from.size == self.from_size {
            source
        } else {
            scratch.from.resize(count * step.from.size, 0);
            let alone = Field { offset: 0, ..step.from };
            strided::copy((source, self.from_size, step.from), (&mut scratch.from, alone.size, alone));
            &scratch.from
        };
        if step.to.size == self.to_size {
            kernel.convert(source, destination);
            return;
        }
        scratch.to.resize(count * step.to.size, 0);
        let alone = Field { offset: 0, ..step.to };
        if !kernel.writes_all() {
            strided::copy((destination, self.to_size, step.to), (&mut scratch.to, alone.size, alone));
        }
        kernel.convert(source, &mut scratch.to);
        strided::copy((&scratch.to, alone.size, alone), (destination, self.to_size, step.to));
    }
}
