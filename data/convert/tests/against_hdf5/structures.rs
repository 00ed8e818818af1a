//! Strings, enumerations, arrays and compound types.

use convert::{Datatype, Order, StringPadding};

use crate::check::{Answer, Case};
use crate::hdf5::Host;
use crate::imagination::Imagination;
use crate::random::Random;
use crate::types::{
    ORDERS, PADDINGS, array, compound, double, enumeration, half, integer, opaque, packed, reference, single,
    text,
};

/// Checks a pair on all hosts.
fn expect(from: &Datatype, to: &Datatype, source: &[u8], expected: Answer) {
    let case = Case::new(from, to, source);
    for host in Host::all() {
        let answer = case.check(&host.enter());
        assert_eq!(answer, expected, "{}:\n{from:?}\nto\n{to:?}", host.name);
    }
}

/// Texts with spaces and zero bytes in all places.
fn texts(random: &mut Random, size: usize, count: usize) -> Vec<u8> {
    let letters = [b'a', b'b', 0xc3, b' ', b' ', 0];
    (0..size * count).map(|_| *random.pick(&letters)).collect()
}

#[test]
fn strings_of_all_lengths_and_paddings() {
    let mut random = Random::new(1);
    for (from_padding, to_padding) in PADDINGS.iter().flat_map(|from| PADDINGS.map(|to| (*from, to))) {
        for (from_size, to_size) in
            [1, 2, 3, 7, 8, 20].iter().flat_map(|from| [1, 2, 5, 8, 21].map(|to| (*from, to)))
        {
            let source = texts(&mut random, from_size, 300);
            let (from, to) = (text(from_size, from_padding, 0), text(to_size, to_padding, 0));
            expect(&from, &to, &source, Answer::Same);
        }
    }
}

#[test]
fn strings_of_different_character_sets_are_refused() {
    let source = b"some text   ";
    for padding in PADDINGS {
        expect(&text(4, padding, 1), &text(6, padding, 1), source, Answer::Same);
        expect(&text(4, padding, 0), &text(4, padding, 1), source, Answer::Refused);
        expect(&text(4, padding, 1), &text(3, padding, 0), source, Answer::Refused);
    }
}

#[test]
fn enumerations_go_by_name() {
    let mut random = Random::new(2);
    let dense = [("zero", 0), ("one", 1), ("two", 2), ("three", 3)];
    let sparse = [("three", 5), ("one", -1), ("zero", 100), ("two", 7)];
    for (from_size, to_size) in [1, 2, 4, 8].iter().flat_map(|from| [1, 2, 4, 8].map(|to| (*from, to))) {
        for (from_order, to_order) in ORDERS.iter().flat_map(|from| ORDERS.map(|to| (*from, to))) {
            for (from_members, to_members) in [(dense, sparse), (sparse, dense), (sparse, sparse)] {
                let from = enumeration(&integer(from_size, true, from_order), &from_members);
                let to = enumeration(&integer(to_size, true, to_order), &to_members);
                // Values of members, and some that none has.
                let mut source = Vec::new();
                for _ in 0..200 {
                    let value = match random.below(12) {
                        8.. => -1,
                        value => i64::try_from(value).expect("small"),
                    };
                    let mut bytes = value.to_le_bytes()[..from_size].to_vec();
                    if from_order == Order::Big {
                        bytes.reverse();
                    }
                    source.extend(bytes);
                }
                expect(&from, &to, &source, Answer::Same);
            }
        }
    }
}

/// HDF5 pairs the members of these by their rank among the names: what it does is its own affair.
#[test]
fn enumerations_with_other_names_are_left_to_hdf5() {
    let base = integer(2, true, Order::Little);
    let from = enumeration(&base, &[("b", 1), ("c", 2)]);
    let wider = enumeration(&base, &[("a", 10), ("b", 11), ("c", 12)]);
    let source = [1, 0, 2, 0];
    expect(&from, &wider, &source, Answer::LeftToHdf5);
    // The same values: the bytes stay as they are.
    let more = enumeration(&base, &[("a", 10), ("b", 1), ("c", 2)]);
    expect(&from, &more, &[1, 0, 77, 0], Answer::Same);
}

#[test]
fn enumerations_become_numbers_but_not_the_reverse() {
    let base = integer(1, true, Order::Little);
    let truth = enumeration(&base, &[("FALSE", 0), ("TRUE", 1)]);
    let source = [0, 1, 2, 255];
    expect(&truth, &base, &source, Answer::Same);
    for order in ORDERS {
        expect(&truth, &integer(4, true, order), &source, Answer::Same);
        expect(&truth, &integer(2, false, order), &source, Answer::Same);
        expect(&truth, &single(order), &source, Answer::Same);
        expect(&single(order), &truth, &source, Answer::Refused);
    }
    expect(&base, &truth, &source, Answer::Refused);
    expect(&truth, &text(1, StringPadding::NullPadded, 0), &source, Answer::Refused);
}

#[test]
fn bytes_without_meaning_stay_as_they_are_or_are_refused() {
    let source = Random::new(3).bytes(24);
    expect(&opaque(3, "tag"), &opaque(3, "tag"), &source, Answer::Same);
    expect(&opaque(3, "tag"), &opaque(3, "other"), &source, Answer::Refused);
    expect(&opaque(3, "tag"), &opaque(4, "tag"), &source, Answer::Refused);
    expect(&opaque(4, "tag"), &integer(4, true, Order::Little), &source, Answer::Refused);
    for size in [8, 12] {
        expect(&reference(size), &reference(size), &source, Answer::Same);
    }
    expect(&reference(8), &integer(8, false, Order::Little), &source, Answer::Refused);
}

#[test]
fn arrays_go_by_element() {
    let mut random = Random::new(4);
    let (from, to) = (text(3, PADDINGS[2], 0), text(5, PADDINGS[0], 0));
    let source = texts(&mut random, 3, 60);
    expect(&array(&[2, 3], &from), &array(&[2, 3], &to), &source, Answer::Same);
    expect(&array(&[6], &from), &array(&[2, 3], &to), &source, Answer::Refused);
    expect(&array(&[3, 2], &from), &array(&[2, 3], &from), &source, Answer::Refused);
    expect(&array(&[1], &from), &from, &source, Answer::Refused);
    let (numbers, swapped) = (integer(4, true, Order::Little), integer(4, true, Order::Big));
    let source = random.bytes(4 * 60);
    expect(&array(&[5], &numbers), &array(&[5], &swapped), &source, Answer::Same);
    expect(&array(&[2], &array(&[3], &numbers)), &array(&[2], &array(&[3], &swapped)), &source, Answer::Same);
}

/// The bytes between members: HDF5 leaves them, but copies them where one type is the beginning of the other.
#[test]
fn gaps_between_members() {
    let word = || integer(4, true, Order::Little);
    let byte = || integer(1, false, Order::Little);
    let source = Random::new(5).bytes(12 * 16);
    let three = compound(12, &[("a", 0, byte()), ("b", 4, word()), ("c", 8, word())]);
    let beginning = compound(12, &[("a", 0, byte()), ("b", 4, word())]);
    let end = compound(12, &[("b", 4, word()), ("c", 8, word())]);
    let wider = compound(20, &[("a", 0, byte()), ("b", 4, word()), ("c", 8, word())]);
    for (from, to) in [(&three, &beginning), (&three, &end), (&beginning, &three), (&end, &three)] {
        expect(from, to, &source, Answer::Same);
        let (from, to) = (array(&[2], from), array(&[2], to));
        expect(&from, &to, &source, Answer::Same);
    }
    expect(&three, &wider, &source, Answer::Same);
    expect(&three, &three, &source, Answer::Same);
    expect(
        &packed(&[("x", three.clone()), ("y", byte())]),
        &packed(&[("x", beginning)]),
        &source[..13 * 14],
        Answer::Same,
    );
}

#[test]
fn members_are_found_by_name() {
    let word = |order| integer(4, true, order);
    let names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let from = packed(&names.map(|name| (name, word(Order::Little))));
    let source = Random::new(6).bytes(from.size * 3000);
    for name in names {
        expect(&from, &packed(&[(name, word(Order::Little))]), &source, Answer::Same);
        expect(&from, &packed(&[(name, word(Order::Big))]), &source, Answer::Same);
    }
    let mut reversed = names.map(|name| (name, word(Order::Big)));
    reversed.reverse();
    expect(&from, &packed(&reversed), &source, Answer::Same);
    expect(&from, &packed(&[("none", word(Order::Little))]), &source, Answer::Same);
    expect(&from, &packed(&[("a", text(4, PADDINGS[0], 0))]), &source, Answer::Refused);
}

/// Floats that are rounded, where HDF5 1.14 may round them in one way or another: not there.
#[test]
fn rounded_floats_within_other_types() {
    let source = Random::new(7).bytes(8 * 600);
    for (from, to) in [
        (double(Order::Big), single(Order::Little)),
        (double(Order::Little), single(Order::Big)),
        (single(Order::Big), half(Order::Little)),
    ] {
        let inside = |datatype: &Datatype| {
            [
                datatype.clone(),
                array(&[3], datatype),
                packed(&[("number", datatype.clone())]),
                packed(&[("outer", array(&[2], &packed(&[("inner", datatype.clone())])))]),
            ]
        };
        for (from, to) in inside(&from).iter().zip(&inside(&to)) {
            let case = Case::new(from, to, &source);
            for host in Host::all() {
                let left = host.traits.keeps_denormal_flag;
                let expected = if left { Answer::LeftToHdf5 } else { Answer::Same };
                assert_eq!(case.check(&host.enter()), expected, "{}:\n{from:?}\nto\n{to:?}", host.name);
            }
        }
    }
}

#[test]
fn compound_types_of_all_kinds() {
    let mut same = 0;
    for seed in 0..1500 {
        let mut imagination = Imagination { random: Random::new(seed), depth: 3 };
        let members = imagination.members();
        let from = imagination.placed(members);
        let to = imagination.related(&from);
        // Bytes that are letters, spaces, members of enumerations and numbers.
        let elements = 1 + imagination.random.below(40);
        let bytes = imagination.random.bytes(from.size * elements);
        let source: Vec<u8> = bytes
            .iter()
            .map(|&byte| match byte {
                0..64 => byte % 4,
                64..96 => b' ',
                _ => byte,
            })
            .collect();
        for (from, to, source) in
            [(&from, &to, &source[..]), (&to, &from, &source[..source.len() / to.size * to.size])]
        {
            let case = Case::new(from, to, source);
            for host in Host::all() {
                match case.check(&host.enter()) {
                    Answer::Same => same += 1,
                    Answer::Refused => {}
                    // One float in it may be rounded to another.
                    Answer::LeftToHdf5 if host.traits.keeps_denormal_flag => {}
                    answer => panic!("{}: {answer:?} ({seed})\n{from:?}\nto\n{to:?}", host.name),
                }
            }
        }
    }
    assert!(same > 3000, "only {same} pairs were converted");
}
