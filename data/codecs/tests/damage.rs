//! Damaged chunks: errors or wrong bytes, but nothing worse.

mod common;

use codecs::Work;
use common::*;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes(
        filters in prop::collection::vec(any_filter(), 1..4),
        stored in data(500),
        mask in any::<u32>(),
        len in 1..600_usize,
    ) {
        let _ = decode(&pipeline(&filters), &stored, mask, len);
        let _ = decode(&pipeline(&filters), &stored, 0, len);
    }

    #[test]
    fn cut_and_flipped(
        filters in prop::collection::vec(any_filter(), 1..4),
        elements in data(3000),
        cut in any::<prop::sample::Index>(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), 0..8_u32), 1..4),
    ) {
        let pipeline = pipeline(&filters);
        let (mut stored, mask) = encode(&pipeline, &elements).unwrap();
        let mut work = Work::new();
        let mut output = vec![0; elements.len()];
        let cut = cut.index(stored.len());
        // Fewer bytes can be enough: of what follows a stream, or of a checksum nobody looks at.
        if pipeline.decode(&stored[..cut], mask, true, &mut output, &mut work).is_ok() {
            prop_assert_eq!(&output, &elements);
        }
        for (at, bit) in flips {
            let at = at.index(stored.len());
            stored[at] ^= 1_u8 << bit;
        }
        let _ = pipeline.decode(&stored, mask, true, &mut output, &mut work);
        let _ = pipeline.decode(&stored, mask, false, &mut output, &mut work);
        // What is kept in the memory for work must be none the worse for it.
        let (stored, mask) = encode(&pipeline, &elements).unwrap();
        pipeline.decode(&stored, mask, true, &mut output, &mut work).unwrap();
        prop_assert_eq!(&output, &elements);
    }
}

#[test]
fn any_prefix_of_a_header() {
    for id in [DEFLATE, FLETCHER32, BZIP2, LZF, LZ4, ZSTD] {
        let parameters: &[u32] = if id == DEFLATE { &[1] } else { &[] };
        let pipeline = pipeline(&[filter(id, parameters)]);
        let (stored, _) = encode(&pipeline, &[7; 100]).unwrap();
        for len in 0..stored.len() {
            assert!(decode(&pipeline, &stored[..len], 0, 100).is_err(), "{id} {len}");
        }
    }
}

#[test]
fn lengths_in_headers_are_not_believed() {
    let huge = "ffffffffffffffff40000000000000030102034444";
    assert!(decode(&pipeline(&[filter(LZ4, &[])]), &bytes(huge), 0, 100).is_err());
    let twice = [filter(SHUFFLE, &[4]), filter(LZ4, &[])];
    assert!(decode(&pipeline(&twice), &bytes(huge), 0, 100).is_err());
    // No bytes in a block: would never end.
    let empty = "0000000000000064000000000000000000000000000000000000";
    assert!(decode(&pipeline(&[filter(LZ4, &[])]), &bytes(empty), 0, 100).is_err());
    // A zstd frame that says it has 2^62 bytes.
    let zstd = "28b52ffde00000000000000040010000";
    assert!(decode(&pipeline(&[filter(ZSTD, &[])]), &bytes(zstd), 0, 100).is_err());
    assert!(decode(&pipeline(&[filter(SHUFFLE, &[4]), filter(ZSTD, &[])]), &bytes(zstd), 0, 100).is_err());
}
