//! Enumerations: to one another by the names of their members, to numbers by value.

use std::collections::{BTreeMap, BTreeSet};

use crate::conversion::{self, Kernel};
use crate::datatype::{Class, Datatype};
use crate::host::HostTraits;

/// The kernel from an enumeration to something. Nothing but an enumeration converts to one.
pub(crate) fn kernel(from: &Datatype, to: &Datatype, host: HostTraits) -> Option<Box<dyn Kernel>> {
    let Class::Enum { base, members } = &from.class else { return None };
    if base.size != from.size {
        return None;
    }
    match &to.class {
        Class::Integer(_) | Class::Float(_) => conversion::kernel(base, to, host),
        Class::Enum { members: to_members, .. } => {
            let values = values_by_name(members, from.size, to_members, to.size)?;
            Some(match from.size {
                1 => Box::new(Table::new(&values, to.size)),
                _ => Box::new(Search::new(values, from.size, to.size)),
            })
        }
        _ => None,
    }
}

/// What each value of the source becomes, in the order of [`key`]; `None` unless both types have the same names.
///
/// HDF5 (1.14 and 2.x) means to go by name, but in fact pairs the first name of the source in alphabetical order
/// with the first of the destination, the second with the second and so on. With the same names that is the
/// same; with others it is HDF5's affair. So is a name or value that is there twice.
fn values_by_name(
    from: &[(String, Vec<u8>)],
    from_size: usize,
    to: &[(String, Vec<u8>)],
    to_size: usize,
) -> Option<BTreeMap<u64, Vec<u8>>> {
    let by_name: BTreeMap<_, _> = to.iter().map(|(name, value)| (name, value)).collect();
    let names: BTreeSet<_> = from.iter().map(|(name, _)| name).collect();
    if by_name.len() != to.len() || names.len() != from.len() || from.len() != to.len() {
        return None;
    }
    let mut values = BTreeMap::new();
    for (name, value) in from {
        let becomes = *by_name.get(name)?;
        let well_formed = value.len() == from_size && becomes.len() == to_size;
        if !well_formed || values.insert(key(value)?, becomes.clone()).is_some() {
            return None;
        }
    }
    Some(values)
}

/// The bytes of a value as a number, whatever their order: it only has to tell values apart.
fn key(value: &[u8]) -> Option<u64> {
    let mut bytes = [0; 8];
    bytes.get_mut(..value.len())?.copy_from_slice(value);
    Some(u64::from_le_bytes(bytes))
}

/// The keys of values of a size that the compiler knows.
fn keys<const SIZE: usize>(values: &[u8]) -> impl Iterator<Item = u64> {
    let (values, _) = values.as_chunks::<SIZE>();
    values.iter().map(|value| {
        let mut bytes = [0; 8];
        bytes[..SIZE].copy_from_slice(value);
        u64::from_le_bytes(bytes)
    })
}

/// What a value that no member has is filled with.
const NO_MEMBER: u8 = 0xff;

/// Every value of one byte, with what it becomes.
#[derive(Debug)]
struct Table {
    lines: Vec<u8>,
    to_size: usize,
}

impl Table {
    fn new(values: &BTreeMap<u64, Vec<u8>>, to_size: usize) -> Self {
        let lines = (0..=u64::from(u8::MAX))
            .flat_map(|value| values.get(&value).cloned().unwrap_or_else(|| vec![NO_MEMBER; to_size]));
        Self { lines: lines.collect(), to_size }
    }
}

impl Kernel for Table {
    fn convert(&self, source: &[u8], destination: &mut [u8]) {
        let indices = source.iter().map(|&value| usize::from(value));
        put_lines(indices, &self.lines, self.to_size, destination);
    }

    fn writes_all(&self) -> bool {
        true
    }
}

/// The values of the members in order, and a line for each with what it becomes; a last one for all others.
#[derive(Debug)]
struct Search {
    keys: Vec<u64>,
    lines: Vec<u8>,
    from_size: usize,
    to_size: usize,
}

impl Search {
    fn new(values: BTreeMap<u64, Vec<u8>>, from_size: usize, to_size: usize) -> Self {
        let (keys, lines): (Vec<_>, Vec<_>) = values.into_iter().unzip();
        let mut lines = lines.concat();
        lines.resize(lines.len() + to_size, NO_MEMBER);
        Self { keys, lines, from_size, to_size }
    }
}

impl Search {
    fn convert_keys(&self, keys: impl Iterator<Item = u64>, destination: &mut [u8]) {
        let index_of = |key| self.keys.binary_search(&key).unwrap_or(self.keys.len());
        // Neighbours are often equal.
        let mut last = (0, index_of(0));
        let indices = keys.map(|key| {
            if key != last.0 {
                last = (key, index_of(key));
            }
            last.1
        });
        put_lines(indices, &self.lines, self.to_size, destination);
    }
}

impl Kernel for Search {
    fn convert(&self, source: &[u8], destination: &mut [u8]) {
        match self.from_size {
            2 => self.convert_keys(keys::<2>(source), destination),
            4 => self.convert_keys(keys::<4>(source), destination),
            8 => self.convert_keys(keys::<8>(source), destination),
            // No value is longer than a key.
            size => {
                let keys = source.chunks_exact(size).map(|value| key(value).unwrap_or_default());
                self.convert_keys(keys, destination);
            }
        }
    }

    fn writes_all(&self) -> bool {
        true
    }
}

/// Puts lines of a table one after another.
fn put_lines(indices: impl Iterator<Item = usize>, lines: &[u8], size: usize, destination: &mut [u8]) {
    match size {
        1 => put_lines_of::<1>(indices, lines, destination),
        2 => put_lines_of::<2>(indices, lines, destination),
        4 => put_lines_of::<4>(indices, lines, destination),
        8 => put_lines_of::<8>(indices, lines, destination),
        _ => {
            for (index, to) in indices.zip(destination.chunks_exact_mut(size)) {
                to.copy_from_slice(&lines[index * size..][..size]);
            }
        }
    }
}

/// With a size that the compiler knows, each is one load and one store.
fn put_lines_of<const SIZE: usize>(
    indices: impl Iterator<Item = usize>,
    lines: &[u8],
    destination: &mut [u8],
) {
    let (lines, _) = lines.as_chunks::<SIZE>();
    let (destination, _) = destination.as_chunks_mut::<SIZE>();
    for (index, to) in indices.zip(destination) {
        *to = lines[index];
    }
}
