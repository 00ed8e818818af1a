//! Streams that are wrong in one place. Each is tried where everything is counted, and with much after that place, where
//! it is not.

use super::random::Random;
use super::writer::{DISTANCES, END, ORDER, Writer};
use super::{Decoded, decode, decode_pair};
use crate::error::CodecError;

fn is_corrupt(decoded: &Decoded) -> bool {
    matches!(decoded, Err(CodecError::Corrupt(_)))
}

/// What was written is refused, whatever follows; a valid stream beside it is not.
#[track_caller]
fn is_refused(writer: Writer) {
    let (stream, data) = writer.finish();
    let longer = [&stream[..], &[0; 400]].concat();
    let (valid, valid_data) = super::valid::arbitrary(5);
    for stream in [stream, longer] {
        for room in [data.len() + 300, data.len() + 5000] {
            assert!(is_corrupt(&decode(&stream, room)), "{:?}", decode(&stream, room));
            let [first, second] = decode_pair([(&stream, room, 0), (&valid, valid_data.len(), 0)]);
            assert!(is_corrupt(&first) && second.as_ref() == Ok(&valid_data));
            let [first, second] = decode_pair([(&valid, valid_data.len(), 0), (&stream, room, 0)]);
            assert!(first.as_ref() == Ok(&valid_data) && is_corrupt(&second));
        }
    }
}

/// What was written is decoded: so that it is one thing that makes the others wrong.
#[track_caller]
fn is_accepted(writer: Writer) {
    let (stream, data) = writer.finish();
    assert_eq!(decode(&stream, data.len()), Ok(data));
}

/// Tries something with nothing before it, and with many bytes.
fn tried(what: impl Fn(&mut Writer), then: fn(Writer)) {
    for before in [0, 400] {
        let mut writer = Writer::new();
        writer.begin_fixed(false);
        for _ in 0..before {
            writer.byte(17);
        }
        writer.end();
        what(&mut writer);
        then(writer);
    }
}

fn all_refused(what: impl Fn(&mut Writer)) {
    tried(what, is_refused);
}

fn all_accepted(what: impl Fn(&mut Writer)) {
    tried(what, is_accepted);
}

#[test]
fn reserved_kind_of_block() {
    all_refused(|writer| writer.begin(true, 3));
    all_refused(|writer| writer.begin(false, 3));
}

#[test]
fn stored_length_that_does_not_agree() {
    for wrong in 0..32 {
        all_refused(|writer| {
            writer.begin(true, 0);
            let right = [10, 0, !10, !0];
            writer.bytes(&(u32::from_le_bytes(right) ^ 1 << wrong).to_le_bytes());
            writer.bytes(&[1; 10]);
            writer.data.extend([1; 10]);
        });
    }
}

/// The codes of a block, by lengths that are given one by one, after how many of each there are said to be.
fn told(writer: &mut Writer, symbols: usize, distances: usize, lengths: &[u8]) {
    writer.begin(true, 2);
    writer.bits(symbols - 257, 5);
    writer.bits(distances - 1, 5);
    writer.bits(15, 4);
    // Codes of four bits for lengths up to 15, so that a length is its own code.
    for place in ORDER {
        writer.bits(if place < 16 { 4 } else { 0 }, 3);
    }
    for &length in lengths {
        for place in (0..4).rev() {
            writer.bits(usize::from(length >> place & 1), 1);
        }
    }
}

/// Lengths for the symbols 0 and of the end, and then of these distances.
fn two_symbols(symbols: usize, distances: &[u8]) -> Vec<u8> {
    let mut lengths = vec![0; symbols];
    (lengths[0], lengths[END]) = (1, 1);
    lengths.extend_from_slice(distances);
    lengths
}

#[test]
fn too_many_symbols_or_distances() {
    for (symbols, distances, accepted) in [
        (286, 30, true),
        (287, 30, false),
        (288, 1, false),
        (257, 31, false),
        (257, 32, false),
        (257, 30, true),
    ] {
        let what = |writer: &mut Writer| {
            told(writer, symbols, distances, &two_symbols(symbols, &vec![0; distances]));
            // The end of the block.
            writer.bits(1, 1);
        };
        if accepted { all_accepted(what) } else { all_refused(what) }
    }
}

#[test]
fn no_end_of_block() {
    all_refused(|writer| {
        let mut lengths = vec![0; 258];
        (lengths[0], lengths[1]) = (1, 1);
        told(writer, 257, 1, &lengths);
    });
}

/// Codes for symbols or distances that are not complete, or more than that.
#[test]
fn codes_that_cannot_be() {
    let with = |first: &[(usize, u8)], distances: &[u8]| {
        let mut lengths = vec![0; 257];
        for &(symbol, length) in first {
            lengths[symbol] = length;
        }
        lengths.extend_from_slice(distances);
        lengths
    };
    let refused = |lengths: Vec<u8>| all_refused(|writer| told(writer, 257, lengths.len() - 257, &lengths));
    let end = (END, 1);
    // Incomplete: a single code of more than one bit, or less than all of two or fifteen bits.
    for length in 2..=15 {
        refused(with(&[(END, length)], &[0]));
        refused(with(&[end, (3, length)], &[0]));
        refused(with(&[end, (3, 1)], &[length]));
    }
    refused(with(&[end, (3, 2)], &[0]));
    refused(with(&[(END, 2), (3, 2), (4, 2)], &[0]));
    refused(with(&[end, (3, 1)], &[2, 2]));
    refused(with(&[end, (3, 1)], &[1, 2]));
    refused(with(&[end, (3, 1)], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]));
    // More than there can be.
    refused(with(&[end, (3, 1), (4, 1)], &[0]));
    refused(with(&[end, (3, 1), (4, 15)], &[0]));
    refused(with(&[end, (3, 1)], &[1, 1, 1]));
    refused(with(&[end, (3, 1)], &[1, 1, 15]));
    refused(with(&[end, (3, 1)], &[1; 30]));
    // Such that a sum of too few bits would not notice.
    let mut many = vec![1; 257];
    many.extend([1; 30]);
    refused(many);
    for accepted in [&[0][..], &[1], &[0, 1], &[1, 1], &[1, 2, 2]] {
        let lengths = with(&[end, (3, 1)], accepted);
        all_accepted(|writer| {
            told(writer, 257, accepted.len(), &lengths);
            writer.bits(1, 1);
        });
    }
}

/// The same for the code of the lengths. Not even a single one of one bit may be.
#[test]
fn codes_for_lengths_that_cannot_be() {
    for lengths in [&[][..], &[1_u8], &[2], &[1, 2], &[1, 1, 1], &[1, 2, 2, 7], &[7; 19], &[3; 7]] {
        all_refused(|writer| {
            writer.begin(true, 2);
            writer.bits(0, 10);
            writer.bits(15, 4);
            for place in 0..19 {
                writer.bits(lengths.get(place).copied().map_or(0, usize::from), 3);
            }
        });
    }
}

/// Lengths by a code of two bits each for 0, 1, and two of the repetitions, and zeros after them.
fn repeated(writer: &mut Writer, distances: usize, repetitions: [usize; 2], codes: &[(usize, usize, u32)]) {
    writer.begin(true, 2);
    writer.bits(0, 5);
    writer.bits(distances - 1, 5);
    writer.bits(15, 4);
    for place in ORDER {
        writer.bits(if place < 2 || repetitions.contains(&place) { 2 } else { 0 }, 3);
    }
    for &(code, extra, bits) in codes {
        // The first bit of a code is the highest.
        writer.bits(code >> 1, 1);
        writer.bits(code & 1, 1);
        writer.bits(extra, bits);
    }
}

#[test]
fn repetitions_of_nothing_or_beyond_the_end() {
    // 257 symbols and a distance; 16 and 18 are the codes 2 and 3.
    let (previous, zeros) = (|times: usize| (2, times - 3, 2), |times: usize| (3, times - 11, 7));
    let (zero, one) = ((0, 0, 0), (1, 0, 0));
    let repetitions = [16, 18];
    all_refused(|writer| {
        repeated(writer, 1, repetitions, &[previous(3), one, zeros(138), zeros(115), one, zero]);
    });
    let accepted = [one, zeros(138), zeros(117), one, zero];
    all_accepted(|writer| {
        repeated(writer, 1, repetitions, &accepted);
        writer.bits(1, 1);
    });
    // The last distance, and one more.
    all_refused(|writer| repeated(writer, 1, repetitions, &[one, zeros(138), zeros(117), one, zeros(11)]));
    all_refused(|writer| repeated(writer, 1, repetitions, &[one, zeros(138), zeros(117), one, previous(3)]));
    let third = |times: usize| (2, times - 3, 3);
    all_refused(|writer| repeated(writer, 1, [17, 18], &[one, zeros(138), zeros(117), one, third(3)]));
    // From symbols to distances is no border, but the end of these is one.
    let across = [zeros(138), zeros(117), one, previous(3)];
    all_accepted(|writer| {
        repeated(writer, 2, repetitions, &across);
        writer.bits(1, 1);
    });
    all_refused(|writer| {
        repeated(writer, 1, repetitions, &across);
        writer.bits(1, 1);
    });
}

#[test]
fn symbols_and_distances_without_a_meaning() {
    for symbol in [286, 287] {
        all_refused(|writer| {
            writer.begin_fixed(true);
            writer.byte(1);
            writer.symbol(symbol);
            writer.end();
        });
    }
    for distance in [30, 31] {
        all_refused(|writer| {
            writer.begin_fixed(true);
            writer.byte(1);
            writer.symbol(257);
            writer.distance_symbol(distance);
            writer.end();
        });
    }
}

/// The other bit of a single code of one bit, and a distance where there are none.
#[test]
fn codes_that_there_are_not() {
    all_refused(|writer| {
        let mut lengths = vec![0; 258];
        lengths[END] = 1;
        told(writer, 257, 1, &lengths);
        writer.bits(1, 1);
    });
    let copying = |distance: u8| {
        let mut lengths = vec![0; 258];
        (lengths[END], lengths[257]) = (1, 1);
        lengths.push(distance);
        lengths
    };
    for distance in [0, 1] {
        all_refused(|writer| {
            writer.begin_fixed(false);
            writer.byte(1);
            writer.end();
            told(writer, 258, 1, &copying(distance));
            // A copy, a distance that is not there, the end.
            writer.bits(0b011, 3);
        });
    }
}

/// The checksum is right for zeros before the beginning, which is what there is when they are decoded.
#[test]
fn distances_before_the_beginning() {
    for so_far in [0, 1, 2, 5, 200, 1000] {
        for further in [1, 2, 10, 20_000] {
            let mut writer = Writer::new();
            writer.begin_fixed(true);
            for _ in 0..so_far {
                writer.byte(1);
            }
            let distance = DISTANCES.iter().rposition(|&(base, _)| base <= so_far + further).unwrap();
            let (base, extra) = DISTANCES[distance];
            writer.symbol(257);
            writer.distance_symbol(distance);
            writer.bits(so_far + further - base, extra);
            let with_zeros = [vec![0; further], writer.data.clone()].concat();
            writer.data.extend(with_zeros.iter().cycle().take(3));
            writer.end();
            is_refused(writer);
        }
    }
}

#[test]
fn headers() {
    let (stream, data) = super::valid::arbitrary(3);
    let mut accepted = 0;
    for header in 0..=u16::MAX {
        let [method, flags] = header.to_be_bytes();
        let changed = [&[method, flags], &stream[2..]].concat();
        let decoded = decode(&changed, data.len());
        let valid = method & 15 == 8 && method >> 4 <= 7 && flags & 32 == 0 && header % 31 == 0;
        accepted += usize::from(valid);
        assert_eq!(decoded.is_ok(), valid, "{header:#06x}");
    }
    // Eight windows with four levels each.
    assert_eq!(accepted, 32);
}

#[test]
fn checksums() {
    for seed in 0..20 {
        let (stream, data) = super::valid::arbitrary(seed);
        for bit in 0..32 {
            let mut changed = stream.clone();
            changed[stream.len() - 4 + bit / 8] ^= 1 << (bit % 8);
            assert!(is_corrupt(&decode(&changed, data.len())), "{seed}, {bit}");
            let [first, second] = decode_pair([(&changed, data.len(), 0), (&stream, data.len(), 0)]);
            assert!(is_corrupt(&first) && second.as_ref() == Ok(&data), "{seed}, {bit}");
        }
    }
}

/// Bytes by chance are hardly ever a stream.
#[test]
fn noise() {
    for seed in 0..3000 {
        let mut random = Random::new(seed);
        let mut stream: Vec<u8> = (0..random.below(300)).map(|_| random.byte()).collect();
        stream.splice(0..0, [0x78, 0x9C]);
        assert!(decode(&stream, 5000).is_err());
        let [first, second] = decode_pair([(&stream, 5000, 1), (&stream, 400, 2)]);
        assert!(first.is_err() && second.is_err());
    }
}
