//! Streams of which some bits were changed: what we accept is what the plainest decoder accepts, and libdeflate accepts
//! it, too.

use proptest::prelude::*;

use super::naive;
use super::writer::checksum;
use super::{by_libdeflate, decode, decode_pair};

/// Room for what streams become.
const ROOM: usize = 20_000;

/// Flips bits of the blocks of a stream.
fn flipped(stream: &[u8], flips: &[(usize, u8)]) -> Vec<u8> {
    let mut changed = stream.to_vec();
    let (begin, end) = (2, stream.len() - 4);
    for &(place, bit) in flips {
        changed[begin + place % (end - begin)] ^= 1 << bit;
    }
    changed
}

/// The same with the right checksum where the blocks end, if they do: otherwise the checksum would hide what they are.
fn with_checksum(mut stream: Vec<u8>) -> (Vec<u8>, Option<Vec<u8>>) {
    let decoded = naive::inflate(&stream[2..], ROOM);
    if let Some((data, len)) = &decoded {
        stream.truncate(2 + len);
        stream.extend(checksum(data));
    }
    (stream, decoded.map(|(data, _)| data))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

    #[test]
    fn as_the_plainest_decoder(
        seed in 0..10_000_u64,
        flips in prop::collection::vec((any::<prop::sample::Index>(), 0..8_u8), 0..4),
        // Most of what can go wrong is where codes are told, and that is at the beginning.
        near in 1..400_usize,
    ) {
        let (valid, data) = super::valid::arbitrary(seed);
        let flips: Vec<(usize, u8)> = flips.iter().map(|(place, bit)| (place.index(near), *bit)).collect();
        let (stream, expected) = with_checksum(flipped(&valid, &flips));
        if flips.is_empty() {
            prop_assert!(expected.as_ref() == (data.len() <= ROOM).then_some(&data), "the plain decoder is wrong");
        }
        let ours = decode(&stream, ROOM);
        prop_assert!(ours.as_ref().ok() == expected.as_ref(), "{:?}", ours.err());
        let [first, second] = decode_pair([(&stream, ROOM, 0), (&valid, data.len(), 3)]);
        prop_assert!(first == ours && second.as_ref() == Ok(&data));
        let [first, second] = decode_pair([(&valid, data.len() + 300, 5), (&stream, ROOM, 1)]);
        prop_assert!(first.as_ref() == Ok(&data) && second == ours);
        if let Ok(ours) = &ours {
            let theirs = by_libdeflate(&stream, ROOM);
            prop_assert!(Some(ours) == theirs.as_ref(), "libdeflate: {:?}", theirs.map(|theirs| theirs.len()));
            let exactly = decode(&stream, ours.len());
            prop_assert!(exactly.as_ref() == Ok(ours), "{:?}", exactly.err());
            if let Some(less) = ours.len().checked_sub(1) {
                prop_assert_eq!(decode(&stream, less), Err(crate::error::CodecError::NoRoom));
            }
        }
    }

    /// Without a new checksum, hardly anything is accepted that was not before.
    #[test]
    fn never_more_than_libdeflate(seed in 0..10_000_u64, place in any::<usize>(), bit in 0..8_u8) {
        let (valid, _) = super::valid::arbitrary(seed);
        let stream = flipped(&valid, &[(place, bit)]);
        if let Ok(ours) = decode(&stream, ROOM) {
            prop_assert!(Some(ours) == by_libdeflate(&stream, ROOM));
        }
    }
}
