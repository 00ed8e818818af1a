//! Types of all kinds, made up at random.

use convert::{Class, Datatype, Member};

use crate::random::Random;
use crate::types::{
    ORDERS, PADDINGS, array, compound, double, enumeration, half, integer, opaque, single, text,
};

/// Makes up types, and others that they may or may not convert to.
pub(crate) struct Imagination {
    pub(crate) random: Random,
    /// Levels of types in types that are left.
    pub(crate) depth: usize,
}

impl Imagination {
    fn deeper<R>(&mut self, inside: impl FnOnce(&mut Self) -> R) -> R {
        self.depth -= 1;
        let result = inside(self);
        self.depth += 1;
        result
    }

    fn number(&mut self) -> Datatype {
        let order = *self.random.pick(&ORDERS);
        match self.random.below(6) {
            0 => half(order),
            1 => single(order),
            2 => double(order),
            _ => integer(*self.random.pick(&[1, 2, 4, 8]), self.random.once_in(2), order),
        }
    }

    fn enumeration(&mut self) -> Datatype {
        let base = integer(*self.random.pick(&[1, 2, 4]), true, *self.random.pick(&ORDERS));
        let values = *self.random.pick(&[[0, 1, 2], [7, -3, 100]]);
        enumeration(&base, &[("red", values[0]), ("green", values[1]), ("blue", values[2])])
    }

    fn text(&mut self) -> Datatype {
        text(1 + self.random.below(9), *self.random.pick(&PADDINGS), 0)
    }

    fn any(&mut self) -> Datatype {
        match self.random.below(if self.depth == 0 { 7 } else { 11 }) {
            0 | 1 => self.text(),
            2 => self.enumeration(),
            3 => opaque(1 + self.random.below(5), "tag"),
            4..=6 => self.number(),
            7 | 8 => {
                let dims = *self.random.pick(&[&[3][..], &[1], &[2, 2]]);
                let element = self.deeper(Self::any);
                array(dims, &element)
            }
            _ => {
                let members = self.deeper(Self::members);
                self.placed(members)
            }
        }
    }

    pub(crate) fn members(&mut self) -> Vec<(String, Datatype)> {
        let count = 1 + self.random.below(6);
        (0..count).map(|index| (format!("m{index}"), self.any())).collect()
    }

    /// A compound type of these members, in any order and with gaps.
    pub(crate) fn placed(&mut self, mut members: Vec<(String, Datatype)>) -> Datatype {
        if self.random.once_in(2) {
            let by = self.random.below(members.len());
            members.rotate_left(by);
        }
        let loose = self.random.once_in(2);
        let mut end = 0;
        let gap = |random: &mut Random| if loose { random.below(4) } else { 0 };
        let placed: Vec<_> = members
            .iter()
            .map(|(name, datatype)| {
                let offset = end + gap(&mut self.random);
                end = offset + datatype.size;
                (name.as_str(), offset, datatype.clone())
            })
            .collect();
        let size = end + gap(&mut self.random);
        compound(size, &placed)
    }

    /// A type that this one may well convert to.
    pub(crate) fn related(&mut self, datatype: &Datatype) -> Datatype {
        if self.random.once_in(3) {
            return datatype.clone();
        }
        match &datatype.class {
            Class::Integer(_) | Class::Float(_) => self.number(),
            Class::Enum { .. } if self.random.once_in(3) => self.number(),
            Class::Enum { .. } => self.enumeration(),
            Class::String { .. } => self.text(),
            Class::Array { dims, element } => array(dims, &self.related(element)),
            Class::Compound(members) => self.related_members(members),
            _ => datatype.clone(),
        }
    }

    fn related_members(&mut self, members: &[Member]) -> Datatype {
        // The first members as they are, which HDF5 copies together.
        if self.random.once_in(3) {
            let kept = &members[..=self.random.below(members.len())];
            let end = kept.last().map_or(1, |last| last.offset + last.datatype.size);
            return Datatype { size: end + self.random.below(3), class: Class::Compound(kept.to_vec()) };
        }
        let mut related = Vec::new();
        for member in members {
            if !self.random.once_in(4) {
                related.push((member.name.clone(), self.related(&member.datatype)));
            }
        }
        if related.is_empty() || self.random.once_in(3) {
            related.push(("new".to_owned(), self.number()));
        }
        self.placed(related)
    }
}
