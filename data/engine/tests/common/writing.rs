//! Random parts of writes, and the naive model: one element after another.

use std::sync::Arc;

use convert::{Bits, Class, Conversion, Datatype, HostTraits, Integer, Member, Order, Pad};
use engine::{Converted, WritePart};
use selection::{Extent, Selection};

use super::{Case, Draw, file_case, memory_case, size};

/// What is written of a dataset, and from where.
pub(crate) struct Written {
    pub(crate) element: u64,
    pub(crate) conversion: Option<Arc<Converted>>,
    pub(crate) file: Case,
    file_in_order: bool,
    memory: Case,
    buffer: Vec<u8>,
}

impl Written {
    /// Of any dataset.
    pub(crate) fn new(draw: &mut Draw<'_>) -> Self {
        let (element, conversion) = kind(draw);
        let file = distinct(file_case(draw, element));
        Self::of(draw, element, conversion, file)
    }

    /// These places of a dataset of these elements.
    pub(crate) fn of(
        draw: &mut Draw<'_>,
        element: u64,
        conversion: Option<Arc<Converted>>,
        file: Case,
    ) -> Self {
        let memory = memory(draw, file.offsets.len() as u64);
        let in_memory = conversion.as_ref().map_or(element, |with| with.element);
        let length = size(memory.dims.iter().product::<u64>() * in_memory);
        let seed = draw.number(0, 255);
        // Numbers small enough for all integers, in either order of bytes.
        let byte =
            |at: u64| if conversion.is_some() { (at * 7 + seed) % 120 } else { (at * 31 + seed) % 251 };
        let buffer = (0..length as u64).map(|at| u8::try_from(byte(at)).unwrap()).collect();
        let file_in_order = file.offsets.is_sorted() && draw.number(0, 3) > 0;
        Self { element, conversion, file, file_in_order, memory, buffer }
    }

    pub(crate) fn part(&self) -> WritePart<'_> {
        WritePart {
            element: self.element,
            conversion: self.conversion.clone(),
            file: self.file.selection.clone(),
            file_in_order: self.file_in_order,
            memory_selection: self.memory.selection.clone(),
            memory: &self.buffer,
        }
    }

    /// Writes the element with this rank over what is there.
    pub(crate) fn write(&self, rank: usize, element: &mut [u8]) {
        let in_memory = self.conversion.as_ref().map_or(self.element, |with| with.element);
        let from = &self.buffer[size(self.memory.offsets[rank] * in_memory)..][..size(in_memory)];
        match &self.conversion {
            None => element.copy_from_slice(from),
            Some(with) => with.conversion.convert(from, element),
        }
    }

    /// Whether only some bytes of each element are written.
    pub(crate) fn keeps_some(&self) -> bool {
        self.conversion.as_ref().is_some_and(|with| !with.conversion.writes_all())
    }
}

/// The size of an element, and how one comes from memory.
pub(crate) fn kind(draw: &mut Draw<'_>) -> (u64, Option<Arc<Converted>>) {
    match draw.number(0, 8) {
        0 | 1 => {
            let element = draw.pick(&[1, 2, 4, 8]);
            let conversion = conversion(&integer(8, Order::Big), &integer(size(element), Order::Little));
            (element, Some(Arc::new(Converted { conversion, element: 8 })))
        }
        2 => {
            // Two of four members, one of them in another order of bytes.
            let member = |name: &str, offset, datatype| Member { name: name.to_owned(), offset, datatype };
            let little = |size| integer(size, Order::Little);
            let file = Datatype {
                size: 14,
                class: Class::Compound(vec![
                    member("a", 0, little(2)),
                    member("b", 3, little(4)),
                    member("c", 7, little(1)),
                    member("d", 8, little(4)),
                ]),
            };
            let memory = Datatype {
                size: 9,
                class: Class::Compound(vec![
                    member("d", 4, integer(4, Order::Big)),
                    member("a", 0, little(2)),
                ]),
            };
            let conversion = conversion(&memory, &file);
            assert!(!conversion.writes_all());
            (14, Some(Arc::new(Converted { conversion, element: 9 })))
        }
        _ => (draw.pick(&[1, 2, 3, 4, 8, 16, 100, 4000]), None),
    }
}

fn integer(size: usize, order: Order) -> Datatype {
    let bits = Bits { order, precision: size * 8, offset: 0, low_pad: Pad::Zero, high_pad: Pad::Zero };
    Datatype { size, class: Class::Integer(Integer { bits, signed: false }) }
}

fn conversion(from: &Datatype, to: &Datatype) -> Conversion {
    Conversion::new(from, to, HostTraits { native_half: true, keeps_denormal_flag: false }).unwrap()
}

/// The same without points that repeat.
pub(crate) fn distinct(mut case: Case) -> Case {
    let mut seen = std::collections::HashSet::new();
    let before = case.offsets.len();
    case.offsets.retain(|offset| seen.insert(*offset));
    if case.offsets.len() < before {
        let coordinates = |&offset: &u64| {
            let mut rest = offset;
            let mut at: Vec<u64> = case.dims.iter().rev().map(|dim| (rest % dim, rest /= dim).0).collect();
            at.reverse();
            at
        };
        let points: Vec<u64> = case.offsets.iter().flat_map(coordinates).collect();
        case.selection = Selection::points(&Extent::new(&case.dims).unwrap(), &points).unwrap();
    }
    case
}

/// A memory selection, of which some places may be selected several times.
fn memory(draw: &mut Draw<'_>, length: u64) -> Case {
    if length == 0 || draw.number(0, 5) > 0 {
        return memory_case(draw, length);
    }
    let places = draw.number(1, length);
    let offsets: Vec<u64> = (0..length).map(|_| draw.number(0, places - 1)).collect();
    let dims = vec![places];
    let selection = Selection::points(&Extent::new(&dims).unwrap(), &offsets).unwrap();
    Case { dims, selection, offsets, points: true }
}
