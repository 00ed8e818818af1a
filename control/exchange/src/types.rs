//! Whether two datatypes are the same, or their elements can be compared all the same.

use h5_client::{Class, Description, Member};

/// Members in an order that does not depend on who made the type.
pub(crate) fn normal(description: &Description) -> Description {
    let boxed = |base: &Description| Box::new(normal(base));
    let class = match &description.class {
        Class::Compound(members) => {
            let mut members: Vec<_> = members
                .iter()
                .map(|member| Member { datatype: normal(&member.datatype), ..member.clone() })
                .collect();
            members.sort_by(|a, b| (a.offset, &a.name).cmp(&(b.offset, &b.name)));
            Class::Compound(members)
        }
        Class::Enum { base, members } => {
            let mut members = members.clone();
            members.sort();
            Class::Enum { base: boxed(base), members }
        }
        Class::Array { dimensions, element } => {
            Class::Array { dimensions: dimensions.clone(), element: boxed(element) }
        }
        Class::VariableLength(base) => Class::VariableLength(boxed(base)),
        Class::Complex(base) => Class::Complex(boxed(base)),
        other => other.clone(),
    };
    Description { size: description.size, class }
}

/// Whether elements of both types can be compared: numbers with numbers, strings with strings, members of the same names.
pub(crate) fn are_comparable(a: &Description, b: &Description) -> bool {
    use Class::{
        Array, Bitfield, Complex, Compound, Enum, Float, Integer, ObjectReference, Opaque, Reference,
        RegionReference, String, Time, Unknown, VariableLength, VariableString,
    };
    match (&a.class, &b.class) {
        (Integer { .. } | Float(_) | Enum { .. }, Integer { .. } | Float(_) | Enum { .. })
        | (String { .. } | VariableString { .. }, String { .. } | VariableString { .. })
        | (ObjectReference | Reference, ObjectReference | Reference)
        | (RegionReference | Reference, RegionReference | Reference)
        | (Bitfield(_), Bitfield(_))
        | (Time(_), Time(_)) => true,
        (Compound(a), Compound(b)) => {
            a.len() == b.len()
                && a.iter().all(|member| {
                    let other = b.iter().find(|other| other.name == member.name);
                    other.is_some_and(|other| are_comparable(&member.datatype, &other.datatype))
                })
        }
        (Array { dimensions: first, element: a }, Array { dimensions: second, element: b }) => {
            first == second && are_comparable(a, b)
        }
        (VariableLength(a), VariableLength(b)) | (Complex(a), Complex(b)) => are_comparable(a, b),
        (Opaque { .. }, Opaque { .. }) => a.size == b.size,
        (Unknown(first), Unknown(second)) => first == second && a.size == b.size,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use h5_abi::{H5T_CSET_ASCII, H5T_ORDER_LE, H5T_PAD_ZERO, H5T_STR_NULLTERM};
    use h5_client::Bits;

    use super::*;

    fn integer(size: usize) -> Description {
        let bits = Bits {
            order: H5T_ORDER_LE,
            precision: 8 * size,
            offset: 0,
            low_pad: H5T_PAD_ZERO,
            high_pad: H5T_PAD_ZERO,
        };
        Description { size, class: Class::Integer { bits, signed: true } }
    }

    fn compound(members: &[(&str, usize)]) -> Description {
        let members = members.iter().map(|(name, offset)| Member {
            name: std::ffi::CString::new(*name).unwrap(),
            offset: *offset,
            datatype: integer(4),
        });
        Description { size: 8, class: Class::Compound(members.collect()) }
    }

    #[test]
    fn the_order_of_members_is_told_by_their_places() {
        assert_eq!(normal(&compound(&[("a", 0), ("b", 4)])), normal(&compound(&[("b", 4), ("a", 0)])));
        assert_ne!(normal(&compound(&[("a", 0), ("b", 4)])), normal(&compound(&[("a", 4), ("b", 0)])));
    }

    #[test]
    fn members_are_compared_by_name() {
        assert!(are_comparable(&compound(&[("a", 0), ("b", 4)]), &compound(&[("b", 0), ("a", 4)])));
        assert!(!are_comparable(&compound(&[("a", 0), ("b", 4)]), &compound(&[("a", 0), ("c", 4)])));
        let text = Class::String { padding: H5T_STR_NULLTERM, character_set: H5T_CSET_ASCII };
        assert!(!are_comparable(&integer(4), &Description { size: 4, class: text }));
        assert!(are_comparable(&integer(4), &integer(8)));
    }
}
