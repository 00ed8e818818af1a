//! Streams that no compressor writes, but that are valid.

use super::random::Random;
use super::writer::{DISTANCES, END, LENGTHS, Writer};
use super::{all_decode, by_libdeflate, decode, decode_at, decode_pair};

/// Streams of blocks by chance.
const STREAMS: u64 = 600;

/// The farthest a copy may be from what it copies.
const FARTHEST: usize = 32768;

/// Bytes and copies by the symbols that there are, in a block that has begun.
fn fill(writer: &mut Writer, symbols: &[usize], distances: &[usize], count: usize, random: &mut Random) {
    for _ in 0..count {
        let symbol = random.pick(symbols);
        match u8::try_from(symbol) {
            Ok(byte) => writer.byte(byte),
            Err(_) if symbol == END => {}
            Err(_) => {
                let so_far = writer.data.len();
                let near: Vec<usize> =
                    distances.iter().copied().filter(|&distance| DISTANCES[distance].0 <= so_far).collect();
                if !near.is_empty() {
                    let (length, distance) = (symbol - END - 1, random.pick(&near));
                    let more = random.below(1 << LENGTHS[length].1);
                    let (base, extra) = DISTANCES[distance];
                    let further = random.below((1 << extra).min(so_far - base + 1));
                    writer.copy_by((length, more), (distance, further));
                }
            }
        }
    }
    writer.end();
}

/// A block with codes by chance, of all lengths.
fn dynamic(writer: &mut Writer, last: bool, random: &mut Random) {
    // Distances, too, are often few, or there are none.
    let distances = match random.below(8) {
        0 => Vec::new(),
        1 => vec![random.below(30)],
        2 => random.some(0..8),
        _ => random.some(0..30),
    };
    let mut symbols = if random.once_in(10) { Vec::new() } else { random.some(0..256) };
    symbols.push(END);
    if !distances.is_empty() && !random.once_in(6) {
        symbols.extend(random.some(257..286));
    }
    let deeper = random.pick(&[0, 0, 3, 30]);
    let (symbol_lengths, distance_lengths) =
        (random.code(&symbols, 15, deeper), random.code(&distances, 15, deeper));
    writer.begin_dynamic(last, &symbol_lengths, &distance_lengths, random);
    let count = random.pick(&[0, 1, 20, 300]);
    fill(writer, &symbols, &distances, count, random);
}

fn fixed(writer: &mut Writer, last: bool, random: &mut Random) {
    writer.begin_fixed(last);
    let (symbols, distances): (Vec<usize>, Vec<usize>) = ((0..286).collect(), (0..30).collect());
    let count = random.pick(&[0, 1, 20, 300]);
    fill(writer, &symbols, &distances, count, random);
}

fn stored(writer: &mut Writer, last: bool, random: &mut Random) {
    let count = random.pick(&[0, 1, 7, 300]);
    let bytes: Vec<u8> = (0..count).map(|_| random.byte()).collect();
    writer.stored(last, &bytes);
}

/// A stream of a few blocks by chance, and its data.
pub(super) fn arbitrary(seed: u64) -> (Vec<u8>, Vec<u8>) {
    let mut random = Random::new(seed);
    let mut writer = Writer::new();
    for left in (0..=random.below(5)).rev() {
        let block = random.pick(&[stored, fixed, dynamic, dynamic, dynamic]);
        block(&mut writer, left == 0, &mut random);
    }
    writer.finish()
}

#[test]
fn blocks_by_chance() {
    let streams: Vec<_> = (0..STREAMS).map(arbitrary).collect();
    all_decode(&streams);
}

/// The longest tables that there can be: many codes of 15 bits, which have parts of the tables with others.
#[test]
fn codes_of_fifteen_bits() {
    let (symbols, distances): (Vec<usize>, Vec<usize>) = ((0..286).collect(), (0..30).collect());
    let streams: Vec<_> = (0..STREAMS / 10)
        .map(|seed| {
            let mut random = Random::new(seed);
            let mut writer = Writer::new();
            // Enough that all distances can be used.
            writer.stored(false, &(0..=FARTHEST).map(|_| random.byte()).collect::<Vec<u8>>());
            let deeper = random.pick(&[1, 10, 100, 1000]);
            let lengths = random.code(&symbols, 15, deeper);
            let distance_lengths = random.code(&distances, 15, deeper);
            writer.begin_dynamic(true, &lengths, &distance_lengths, &mut random);
            fill(&mut writer, &symbols, &distances, 500, &mut random);
            writer.finish()
        })
        .collect();
    all_decode(&streams);
}

/// As many bits as can be between two looks at how many are left: two bytes of 11, and a copy of 20 and 28.
#[test]
fn the_most_bits_at_once() {
    let chain = |symbols: &[usize]| {
        let mut lengths = vec![0; symbols.iter().max().unwrap() + 1];
        for (length, &symbol) in (1..).zip(symbols) {
            lengths[symbol] = length.min(15);
        }
        lengths
    };
    // The eleventh symbol has 11 bits, the last two have 15 each.
    let symbols = chain(&[END, 1, 2, 3, 4, 5, 6, 7, 8, 9, 77, 10, 11, 12, 284, 285]);
    let distances = chain(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 28, 29]);
    let streams: Vec<_> = (0..20)
        .map(|seed| {
            let mut random = Random::new(seed);
            let mut writer = Writer::new();
            writer.stored(false, &(0..FARTHEST).map(|_| random.byte()).collect::<Vec<u8>>());
            writer.begin_dynamic(true, &symbols, &distances, &mut random);
            for _ in 0..100 {
                let bytes = random.pick(&[0, 1, 2, 2, 2, 3, 4, 5]);
                for _ in 0..bytes {
                    writer.byte(77);
                }
                writer.copy_by((27, random.below(32)), (random.pick(&[28, 29]), random.below(1 << 13)));
            }
            writer.end();
            writer.finish()
        })
        .collect();
    all_decode(&streams);
}

/// The lengths for which the tables have the most entries, found by trying all.
#[test]
fn the_largest_tables() {
    let repeated = |counts: &[(usize, u8)]| -> Vec<u8> {
        counts.iter().flat_map(|&(count, length)| vec![length; count]).collect()
    };
    let short = [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5)];
    let symbols = repeated(&[&short[..], &[(1, 12), (229, 13), (49, 14), (2, 15)]].concat());
    let long = [(1, 6), (1, 9), (9, 10), (9, 11), (1, 12), (1, 13), (1, 14), (2, 15)];
    let distances = repeated(&[&short[..], &long].concat());
    assert_eq!((symbols.len(), entries(&symbols, 11)), (286, 2340));
    assert_eq!((distances.len(), entries(&distances, 8)), (30, 400));
    let streams: Vec<_> = (0..20)
        .map(|seed| {
            let mut random = Random::new(seed);
            let mut writer = Writer::new();
            writer.stored(false, &(0..FARTHEST).map(|_| random.byte()).collect::<Vec<u8>>());
            let (mut symbols, mut distances) = (symbols.clone(), distances.clone());
            symbols.rotate_left(random.below(286));
            distances.rotate_left(random.below(30));
            writer.begin_dynamic(true, &symbols, &distances, &mut random);
            fill(&mut writer, &(0..286).collect::<Vec<_>>(), &(0..30).collect::<Vec<_>>(), 900, &mut random);
            writer.finish()
        })
        .collect();
    all_decode(&streams);
}

/// The entries of a table as it is built: what codes of the same first bits need.
fn entries(lengths: &[u8], bits: u8) -> usize {
    use std::collections::BTreeMap;
    let mut parts = BTreeMap::new();
    for (code, &length) in super::writer::codes(lengths).into_iter().zip(lengths) {
        if length > bits {
            let part: &mut u8 = parts.entry(code >> (length - bits)).or_default();
            *part = (length - bits).max(*part);
        }
    }
    (1 << bits) + parts.values().map(|more| 1 << more).sum::<usize>()
}

#[test]
fn copies_of_all_lengths() {
    let mut random = Random::new(1);
    let start: Vec<u8> = (0..FARTHEST).map(|_| random.byte()).collect();
    let far = [41, 63, 64, 65, 255, 256, 257, 4095, 4096, 24576, 24577, 32767, FARTHEST];
    let mut streams = Vec::new();
    for distances in [(1..=40).collect::<Vec<_>>(), far.to_vec()] {
        let mut writer = Writer::new();
        writer.stored(false, &start);
        writer.begin_fixed(true);
        for &distance in &distances {
            for length in 3..=258 {
                writer.copy(length, distance);
                // So that not everything becomes the same.
                for _ in 0..distance.min(5) {
                    writer.byte(random.byte());
                }
            }
        }
        writer.end();
        streams.push(writer.finish());
    }
    all_decode(&streams);
}

/// Here most is decoded where every byte of input and room is counted.
#[test]
fn copies_up_to_the_last_byte() {
    let mut random = Random::new(2);
    for distance in 1..=40 {
        for length in 3..=258 {
            let mut writer = Writer::new();
            writer.begin_fixed(true);
            for _ in 0..distance {
                writer.byte(random.byte());
            }
            writer.copy(length, distance);
            writer.end();
            let (stream, data) = writer.finish();
            assert!(decode(&stream, data.len()).as_ref() == Ok(&data), "{length} from {distance}");
            assert!(decode(&stream, data.len() - 1).is_err(), "{length} from {distance}");
        }
    }
}

/// The rest of a stream after a copy goes through what is needed before the fast loop ends, byte by byte.
#[test]
fn all_rests_of_input_and_room() {
    for (distance, length) in [(1, 258), (2, 258), (7, 258), (15, 257), (16, 258), (40, 3)] {
        for rest in 0..330 {
            let mut random = Random::new(rest);
            let mut writer = Writer::new();
            writer.begin_fixed(true);
            for _ in 0..60 {
                writer.byte(random.byte());
            }
            writer.copy(length, distance);
            for _ in 0..rest {
                writer.byte(random.byte());
            }
            writer.copy(length, distance);
            writer.end();
            let (stream, data) = writer.finish();
            assert!(decode(&stream, data.len()).as_ref() == Ok(&data), "{length}, {distance}, {rest}");
            let long = [&stream[..], &[0xFF; 40]].concat();
            assert!(decode(&long, data.len()).as_ref() == Ok(&data), "{length}, {distance}, {rest}");
            assert!(decode(&stream, data.len() + 300).as_ref() == Ok(&data), "{length}, {distance}, {rest}");
        }
    }
}

#[test]
fn all_alignments() {
    let [(one, data), (other, other_data)] = [11, 12].map(|seed| {
        let mut random = Random::new(seed);
        let mut writer = Writer::new();
        dynamic(&mut writer, false, &mut random);
        fixed(&mut writer, false, &mut random);
        for length in [258, 257, 100] {
            writer.begin_fixed(false);
            for byte in 0..20 {
                writer.byte(byte);
            }
            writer.copy(length, 1 + random.below(20));
            writer.end();
        }
        fixed(&mut writer, true, &mut random);
        writer.finish()
    });
    for shift in 0..16 {
        assert!(decode_at(&one, data.len(), shift).as_ref() == Ok(&data), "{shift}");
        for other_shift in 0..16 {
            let pair = decode_pair([(&one, data.len(), shift), (&other, other_data.len(), other_shift)]);
            assert!(pair == [Ok(data.clone()), Ok(other_data.clone())], "{shift}, {other_shift}");
        }
    }
}

#[test]
fn stored_blocks() {
    let bytes: Vec<u8> = (0..=u16::MAX).map(|number| number.to_le_bytes()[0]).collect();
    let mut streams = Vec::new();
    for lengths in [&[0][..], &[0, 0, 0], &[65535], &[65535, 0, 65535], &[1, 0, 2], &[23, 24]] {
        let mut writer = Writer::new();
        for (number, &length) in lengths.iter().enumerate() {
            // At other places in a byte, too.
            writer.begin_fixed(false);
            for _ in 0..number {
                writer.byte(200);
            }
            writer.end();
            writer.stored(number + 1 == lengths.len(), &bytes[..length]);
        }
        streams.push(writer.finish());
    }
    all_decode(&streams);
}

#[test]
fn few_codes() {
    let mut random = Random::new(3);
    let code = |symbols: &[usize], random: &mut Random| random.code(symbols, 15, 0);
    let mut streams = Vec::new();
    // No code but the one for the end: a single one, of one bit.
    let mut writer = Writer::new();
    writer.begin_dynamic(true, &code(&[END], &mut random), &[], &mut random);
    writer.end();
    streams.push(writer.finish());
    // No distances, or a single one.
    for distances in [&[][..], &[0], &[3], &[29]] {
        let mut writer = Writer::new();
        writer.stored(false, &vec![7; FARTHEST]);
        let symbols = [5, 9, END, 257, 285];
        writer.begin_dynamic(true, &code(&symbols, &mut random), &code(distances, &mut random), &mut random);
        writer.byte(5);
        for &distance in distances {
            for symbol in [0, 28, 0] {
                writer.copy_by((symbol, 0), (distance, 0));
                writer.byte(9);
            }
        }
        writer.end();
        streams.push(writer.finish());
    }
    all_decode(&streams);
}

/// The length 258 can be told in two ways.
#[test]
fn the_longest_copy_by_its_other_code() {
    let mut writer = Writer::new();
    writer.begin_fixed(true);
    for byte in 0..50 {
        writer.byte(byte);
    }
    writer.copy_by((27, 31), (10, 3));
    writer.end();
    let (stream, data) = writer.finish();
    assert_eq!(data.len(), 50 + 258);
    for room in [data.len(), 1000] {
        assert_eq!(decode(&stream, room).as_ref(), Ok(&data));
        assert_eq!(by_libdeflate(&stream, room).as_ref(), Some(&data));
    }
}
