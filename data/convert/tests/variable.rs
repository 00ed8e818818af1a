//! How types with variable-length parts are stored, and what becomes of their values.

use convert::{
    Base, Bits, Class, Datatype, HostTraits, Integer, LATER_REFERENCE, Member, Order, Pad, Variable,
    VariableConversion, VariableForm, has_later_references, stored_form,
};

const HOST: HostTraits = HostTraits { native_half: true, keeps_denormal_flag: false };

fn integer(size: usize) -> Datatype {
    let bits = Bits {
        order: Order::Little,
        precision: 8 * size,
        offset: 0,
        low_pad: Pad::Zero,
        high_pad: Pad::Zero,
    };
    Datatype { size, class: Class::Integer(Integer { bits, signed: true }) }
}

fn text(character_set: i32) -> Datatype {
    let element = Datatype { size: 1, class: Class::Opaque(String::new()) };
    let variable = Variable { form: VariableForm::Text { character_set }, element };
    Datatype { size: 8, class: Class::Variable(Box::new(variable)) }
}

fn sequence(element: Datatype) -> Datatype {
    Datatype {
        size: 16,
        class: Class::Variable(Box::new(Variable { form: VariableForm::Sequence, element })),
    }
}

fn array(count: u64, element: Datatype) -> Datatype {
    let size = usize::try_from(count).unwrap() * element.size;
    Datatype { size, class: Class::Array { dims: vec![count], element: Box::new(element) } }
}

fn compound(size: usize, members: &[(&str, usize, Datatype)]) -> Datatype {
    let member = |(name, offset, datatype): &(&str, usize, Datatype)| Member {
        name: (*name).to_owned(),
        offset: *offset,
        datatype: datatype.clone(),
    };
    Datatype { size, class: Class::Compound(members.iter().map(member).collect()) }
}

fn offsets(datatype: &Datatype) -> Vec<(String, usize)> {
    let Class::Compound(members) = &datatype.class else { panic!("a compound type") };
    members.iter().map(|member| (member.name.clone(), member.offset)).collect()
}

#[test]
fn members_move_by_what_those_before_them_grow() {
    let inner = compound(20, &[("a", 0, text(0)), ("b", 16, integer(4))]);
    let outer = compound(
        100,
        &[
            ("last", 92, integer(8)),
            ("texts", 4, array(3, text(1))),
            ("inner", 40, inner),
            ("n", 0, integer(4)),
        ],
    );
    let stored = stored_form(&outer).unwrap();
    // Each string grows by 8 bytes: three of the array, one of the inner type.
    let expected = [("n", 0), ("texts", 4), ("inner", 64), ("last", 124)];
    assert_eq!(offsets(&stored), expected.map(|(name, offset)| (name.to_owned(), offset)));
    assert_eq!(stored.size, 132);
    // Sequences take 16 bytes in both places, and others have no other form.
    assert_eq!(stored_form(&sequence(integer(4))).unwrap().size, 16);
    assert_eq!(stored_form(&integer(4)), Some(integer(4)));
}

#[test]
fn values_are_found_in_order_and_members_that_are_not_wanted_are_left_out() {
    let from = compound(
        32,
        &[
            ("n", 0, integer(4)),
            ("skipped", 4, text(0)),
            ("l", 12, sequence(integer(2))),
            ("x", 28, integer(4)),
        ],
    );
    let to = compound(24, &[("l", 0, sequence(integer(8))), ("x", 16, integer(8))]);
    let conversion = VariableConversion::new(&from, &to, HOST).unwrap();
    assert_eq!((conversion.stored(), conversion.memory()), (40, 24));
    let [value] = conversion.values() else { panic!("one value") };
    assert_eq!((value.from, value.to), (20, 20));
    assert!(matches!(value.base, Base::Converted { stored: 2, memory: 8, .. }));
    // Its place holds a number and a pointer, and the others what they are.
    let mut element = [0xee; 40];
    element[20..28].copy_from_slice(&7_u64.to_ne_bytes());
    element[28..36].copy_from_slice(&0x1234_5678_u64.to_ne_bytes());
    element[36..40].copy_from_slice(&(-5_i32).to_le_bytes());
    let mut memory = [0; 24];
    conversion.finish(&element, &mut memory);
    assert_eq!(memory[..8], 7_u64.to_ne_bytes());
    assert_eq!(memory[8..16], 0x1234_5678_u64.to_ne_bytes());
    assert_eq!(memory[16..], (-5_i64).to_le_bytes());
}

#[test]
fn pointers_of_an_array_are_put_side_by_side() {
    let texts = array(3, text(0));
    let conversion = VariableConversion::new(&texts, &texts, HOST).unwrap();
    assert_eq!((conversion.stored(), conversion.memory()), (48, 24));
    let places: Vec<_> = conversion.values().iter().map(|value| (value.from, value.to)).collect();
    assert_eq!(places, [(0, 0), (16, 8), (32, 16)]);
    let elements: Vec<u8> = (0..96).collect();
    let mut memory = [0; 48];
    conversion.finish(&elements, &mut memory);
    assert_eq!((&memory[..24], &memory[24..]), (&elements[..24], &elements[48..72]));
}

/// A reference of HDF5 1.12 moves what follows it, and is never made.
#[test]
fn references_are_stored_in_fewer_bytes() {
    let reference = Datatype { size: LATER_REFERENCE, class: Class::Other(7) };
    let members = [("a", 0, integer(4)), ("to", 8, array(2, reference.clone())), ("b", 136, text(0))];
    let record = compound(144, &members);
    let stored = stored_form(&record).unwrap();
    let Class::Compound(places) = &stored.class else { panic!("a compound") };
    assert_eq!(places.iter().map(|member| member.offset).collect::<Vec<_>>(), [0, 8, 44]);
    assert_eq!((stored.size, has_later_references(&record)), (60, true));
    let others = compound(12, &[("b", 0, text(0)), ("a", 8, integer(4))]);
    let conversion = VariableConversion::new(&record, &others, HOST).unwrap();
    assert_eq!((conversion.stored(), conversion.values()[0].from), (60, 44));
    assert!(VariableConversion::new(&record, &record, HOST).is_none(), "only HDF5 makes references");
    assert!(!has_later_references(&sequence(reference)), "what is behind a pointer is stored elsewhere");
}

#[test]
fn what_hdf5_does_otherwise_has_no_conversion() {
    let new = |from: &Datatype, to: &Datatype| VariableConversion::new(from, to, HOST).is_some();
    assert!(new(&text(0), &text(0)) && new(&text(1), &text(1)));
    assert!(!new(&text(0), &text(1)), "HDF5 refuses to convert between character sets");
    assert!(!new(&text(0), &sequence(integer(1))) && !new(&sequence(integer(1)), &text(0)));
    let gaps = compound(8, &[("a", 0, integer(1)), ("b", 4, integer(4))]);
    let other_gaps = compound(12, &[("a", 0, integer(1)), ("b", 8, integer(4))]);
    assert!(new(&sequence(gaps.clone()), &sequence(gaps.clone())));
    assert!(!new(&sequence(gaps), &sequence(other_gaps)), "what is in the gaps is chance");
    let reference = Datatype { size: 8, class: Class::Other(7) };
    assert!(!new(&sequence(reference.clone()), &sequence(reference)), "references may have to be translated");
    assert!(!new(&array(5000, text(0)), &array(5000, text(0))), "too many to list");
    assert!(new(&sequence(sequence(text(0))), &sequence(sequence(text(0)))));
}
