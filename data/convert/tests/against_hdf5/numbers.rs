//! Numbers to numbers.

use convert::{Class, Datatype, HostTraits, Order};

use crate::check::{Answer, Case};
use crate::hdf5::Host;
use crate::random::Random;
use crate::types::{
    ORDERS, bitfield, brain, complex, double, extended, half, integer, reduced, single, text,
};

/// Integers of all sizes, with and without a sign, in both orders.
fn integers() -> Vec<Datatype> {
    let mut types = Vec::new();
    for size in [1, 2, 4, 8] {
        for signed in [true, false] {
            types.extend(ORDERS.map(|order| integer(size, signed, order)));
        }
    }
    types
}

fn floats() -> Vec<Datatype> {
    let mut types: Vec<_> =
        ORDERS.iter().flat_map(|&order| [half, brain, single, double].map(|of| of(order))).collect();
    types.push(extended());
    types
}

fn numbers() -> Vec<Datatype> {
    [integers(), floats()].concat()
}

/// The pairs that are left to a host.
fn is_left_to_hdf5(from: &Datatype, to: &Datatype, host: HostTraits) -> bool {
    if from == to {
        return false;
    }
    let of_compiler = |datatype: &Datatype| match &datatype.class {
        Class::Integer(integer) => {
            let whole = integer.bits.precision == 8 * datatype.size && datatype.size.is_power_of_two();
            whole && integer.bits.order == Order::Little
        }
        Class::Float(_) if *datatype == half(Order::Little) => host.native_half,
        Class::Float(float) => float.bits.order == Order::Little && *datatype != brain(Order::Little),
        _ => false,
    };
    let hard = of_compiler(from) && of_compiler(to);
    // The format of `long double` depends on how HDF5 was built.
    if hard && (*from == extended() || *to == extended()) {
        return true;
    }
    let is_half = |datatype: &Datatype| *datatype == half(Order::Little) || *datatype == half(Order::Big);
    match (&from.class, &to.class) {
        // Where one part is infinite or not a number, the other is left as it was.
        (Class::Complex(from), Class::Complex(to)) => {
            let hard = of_compiler(from) && of_compiler(to) && !is_half(from) && !is_half(to);
            from.size != to.size && !hard
        }
        // The result depends on the elements before (1.14).
        (Class::Float(source), Class::Float(destination)) => {
            let rounded = source.mantissa.1 > destination.mantissa.1;
            *from == extended() || host.keeps_denormal_flag && rounded && !hard
        }
        // HDF5 looks at bits that are not there.
        (Class::Float(_), Class::Integer(integer)) => {
            let precision = integer.bits.precision;
            precision > 8 * from.size && precision / 8 <= from.size
        }
        _ => false,
    }
}

/// Checks a pair on all hosts: the same bytes, unless it is on the list.
fn compare(from: &Datatype, to: &Datatype, source: &[u8]) {
    let by_list = |host| if is_left_to_hdf5(from, to, host) { Answer::LeftToHdf5 } else { Answer::Same };
    expect_of_each(from, to, source, by_list);
}

fn expect(from: &Datatype, to: &Datatype, source: &[u8], expected: Answer) {
    expect_of_each(from, to, source, |_| expected);
}

fn expect_of_each(from: &Datatype, to: &Datatype, source: &[u8], expected_of: impl Fn(HostTraits) -> Answer) {
    let case = Case::new(from, to, source);
    for host in Host::all() {
        let expected = expected_of(host.traits);
        let answer = case.check(&host.enter());
        assert!(
            answer == expected || answer == Answer::Unknown,
            "{}: {answer:?} and not {expected:?}\n{from:?}\nto\n{to:?}",
            host.name
        );
    }
}

/// All values that two bytes can have, or one.
fn all_values(size: usize) -> Vec<u8> {
    match size {
        1 => (0..=u8::MAX).collect(),
        2 => (0..=u16::MAX).flat_map(u16::to_le_bytes).collect(),
        _ => panic!("too many"),
    }
}

/// Brings elements given with their least significant byte first into an order.
fn in_order(datatype: &Datatype, mut elements: Vec<u8>) -> Vec<u8> {
    let order = match &datatype.class {
        Class::Integer(integer) => integer.bits.order,
        Class::Float(float) => float.bits.order,
        other => panic!("{other:?} is not a number"),
    };
    if order == Order::Big {
        elements.chunks_exact_mut(datatype.size).for_each(<[u8]>::reverse);
    }
    elements
}

/// Integers around every power of two, and others of all magnitudes.
fn integer_values(datatype: &Datatype) -> Vec<u8> {
    let mut random = Random::new(11);
    let mut values = vec![0];
    for shift in 0..64 {
        let power = 1_u64 << shift;
        values.extend([power, power.wrapping_sub(1), power.wrapping_add(1), power.wrapping_neg(), !power]);
        values.extend([power | power >> 24, power | power >> 53, power | power >> 25 | power >> 24 | 1]);
        values.extend((0..20).map(|_| random.next() >> shift));
        values.extend((0..20).map(|_| !(random.next() >> shift)));
    }
    let bytes = values.iter().flat_map(|value| value.to_le_bytes()[..datatype.size].to_vec());
    in_order(datatype, bytes.collect())
}

/// Floats with every exponent, mantissas of all kinds, and both signs.
fn float_values(datatype: &Datatype) -> Vec<u8> {
    let Class::Float(float) = &datatype.class else { panic!("{datatype:?} is not a float") };
    let mut random = Random::new(12);
    let mantissa_mask = u64::MAX >> (64 - float.mantissa.1);
    let exponents = 1_u64 << float.exponent.1;
    // Of very many exponents, those around the middle and the ends.
    let middle = exponents / 2;
    let exponents = (0..exponents).filter(|exponent| {
        exponents <= 2048 || *exponent < 8 || exponents - exponent < 8 || exponent.abs_diff(middle) < 200
    });
    let mut values: Vec<u128> = Vec::new();
    for exponent in exponents {
        let one = random.next();
        let mut mantissas = vec![0, 1, u64::MAX, u64::MAX << 1, 1 << (float.mantissa.1 - 1), one, one];
        mantissas.push(one << random.below(float.mantissa.1));
        // Exactly half, and a little less and more, where narrower types round.
        mantissas.push(one & !((1 << 29) - 1) | 1 << 28);
        mantissas.push(one & !((1 << 29) - 1) | ((1 << 28) - 1));
        for cut in [13, 42] {
            let kept = one & !((1 << cut) - 1);
            mantissas.extend([0, 1, u64::MAX].map(|more| (kept | 1 << (cut - 1)).wrapping_add(more)));
        }
        for mantissa in mantissas {
            // The first bit is stored in some types.
            let stored = float.normalization != convert::Normalization::Implied && exponent != 0;
            let first = u64::from(stored) << 63;
            let mantissa = u128::from((mantissa & mantissa_mask) | first);
            let magnitude = u128::from(exponent) << float.exponent.0 | mantissa << float.mantissa.0;
            values.extend([magnitude, magnitude | 1 << float.sign]);
        }
    }
    let bytes = values.iter().flat_map(|value| value.to_le_bytes()[..datatype.size].to_vec());
    in_order(datatype, bytes.collect())
}

#[test]
fn all_integers_of_one_and_two_bytes() {
    for from in integers().iter().filter(|datatype| datatype.size <= 2) {
        let source = all_values(from.size);
        for to in &numbers() {
            compare(from, to, &source);
        }
    }
}

#[test]
fn all_floats_of_two_bytes() {
    let source = all_values(2);
    for from in floats().iter().filter(|datatype| datatype.size == 2) {
        for to in &numbers() {
            compare(from, to, &source);
        }
    }
}

#[test]
fn integers_of_more_bytes() {
    for from in integers().iter().filter(|datatype| datatype.size > 2) {
        let source = integer_values(from);
        for to in &numbers() {
            compare(from, to, &source);
        }
    }
}

/// Every half, and what lies in the middle between it and the next.
fn halves_and_middles() -> impl Iterator<Item = f64> {
    (0..=0x7c00_u16).flat_map(|bits| {
        let (exponent, mantissa) = (i32::from(bits >> 10), f64::from(bits & 0x3ff));
        let first = if exponent == 0 { 0.0 } else { 1024.0 };
        let last_bit = 2.0_f64.powi(exponent.max(1) - 25);
        [(first + mantissa) * last_bit, (first + mantissa + 0.5) * last_bit]
    })
}

/// Numbers of some size by their words, their neighbours, and all of them with the other sign.
fn with_neighbours(size: usize, words: impl Iterator<Item = u64>) -> Vec<u8> {
    let around = words.flat_map(|word| [word.saturating_sub(1), word, word + 1]);
    let signed = around.flat_map(|word| [word, word | 1 << (8 * size - 1)]);
    signed.flat_map(|word| word.to_le_bytes()[..size].to_vec()).collect()
}

#[test]
fn floats_around_all_halves() {
    let doubles = with_neighbours(8, halves_and_middles().map(f64::to_bits));
    // All of these are exact.
    let narrow = |number: f64| (number.to_bits() >> 29).saturating_sub((1023 - 127) << 23);
    let singles = with_neighbours(4, halves_and_middles().map(narrow));
    for (from, source) in [(single(Order::Little), singles), (double(Order::Little), doubles)] {
        for to in ORDERS.map(half) {
            compare(&from, &to, &source);
        }
    }
}

#[test]
fn integers_around_all_halves() {
    for size in [4, 8] {
        for signed in [true, false] {
            let first = if signed { -70_000_i64 } else { 0 };
            let source: Vec<u8> =
                (first..70_000).flat_map(|value| value.to_le_bytes()[..size].to_vec()).collect();
            for to in ORDERS.map(half) {
                compare(&integer(size, signed, Order::Little), &to, &source);
            }
        }
    }
}

#[test]
fn floats_of_more_bytes() {
    for from in floats().iter().filter(|datatype| datatype.size > 2) {
        let source = float_values(from);
        for to in &numbers() {
            compare(from, to, &source);
        }
    }
}

/// Integers that do not use all their bits, from and to one another and whole ones.
#[test]
fn integers_of_reduced_precision() {
    let mut random = Random::new(13);
    let mut types = Vec::new();
    for signed in [true, false] {
        for order in ORDERS {
            types.extend(
                [(1, 5, 0), (1, 4, 3), (2, 12, 0), (2, 12, 4), (3, 24, 0), (4, 20, 7), (8, 33, 2)]
                    .map(|(size, precision, offset)| reduced(size, signed, order, precision, offset)),
            );
        }
    }
    types.extend([1, 2, 4, 8].map(|size| integer(size, true, Order::Little)));
    types.extend([2, 4].map(|size| integer(size, false, Order::Big)));
    for from in &types {
        let source = random.bytes(from.size * 400);
        for to in types.iter().chain(&floats()) {
            compare(from, to, &source);
        }
    }
    for to in &types {
        for from in ORDERS.iter().flat_map(|&order| [half(order), single(order), double(order)]) {
            let source = float_values(&from);
            let some: Vec<_> = source.chunks(from.size).step_by(7).flatten().copied().collect();
            compare(&from, to, &some);
        }
    }
}

#[test]
fn bitfields() {
    let source = Random::new(14).bytes(8 * 100);
    let types: Vec<_> =
        [1, 2, 4, 8].iter().flat_map(|&size| ORDERS.map(|order| bitfield(size, order))).collect();
    for from in &types {
        for to in &types {
            compare(from, to, &source);
        }
        expect(from, &integer(from.size, false, Order::Little), &source, Answer::Refused);
        expect(&integer(from.size, false, Order::Little), from, &source, Answer::Refused);
    }
}

#[test]
fn numbers_are_not_texts() {
    let source = Random::new(15).bytes(8 * 10);
    for number in numbers() {
        let text = text(number.size, convert::StringPadding::NullPadded, 0);
        let source = &source[..number.size];
        expect(&number, &text, source, Answer::Refused);
        expect(&text, &number, source, Answer::Refused);
    }
}

#[test]
fn complex_numbers() {
    let parts: Vec<_> =
        ORDERS.iter().flat_map(|&order| [half(order), single(order), double(order)]).collect();
    for from in &parts {
        // Two floats after one another are a complex number.
        let source = float_values(from);
        let source = &source[..source.len() / (2 * from.size) * 2 * from.size];
        for to in &parts {
            compare(&complex(from), &complex(to), source);
            compare(&complex(from), to, source);
            compare(from, &complex(to), source);
        }
        for to in integers() {
            compare(&complex(from), &to, source);
            compare(&to, &complex(from), &source[..source.len() / to.size * to.size]);
        }
    }
}
