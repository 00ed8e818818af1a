//! Filters together: order, those left out, lengths that are not as they should be.

mod common;

use codecs::{CodecError, Packed, Pipeline, Unsupported, Work};
use common::*;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_was_encoded_is_decoded(
        filters in prop::collection::vec(any_filter(), 0..5),
        elements in data(6000),
        left_out in any::<u32>(),
    ) {
        let all = pipeline(&filters);
        let (stored, mask) = encode(&all, &elements).unwrap();
        prop_assert_eq!(&decode(&all, &stored, mask, elements.len()).unwrap(), &elements);
        // The same with some filters left out by the writer.
        let kept: Vec<_> =
            (0..).zip(&filters).filter(|(index, _)| left_out >> index & 1 == 0).map(|(_, kept)| kept.clone()).collect();
        let (stored, mask) = encode(&pipeline(&kept), &elements).unwrap();
        let mut whole = left_out;
        let mut bits = (0..filters.len()).filter(|index| left_out >> index & 1 == 0);
        for index in 0..kept.len() {
            let bit = bits.next().unwrap();
            whole |= (mask >> index & 1) << bit;
        }
        prop_assert_eq!(&decode(&all, &stored, whole, elements.len()).unwrap(), &elements);
    }

    #[test]
    fn work_is_used_again(
        chunks in prop::collection::vec((prop::collection::vec(any_filter(), 1..4), data(3000)), 1..6),
    ) {
        let mut work = Work::new();
        let mut stored = Vec::new();
        for (filters, elements) in chunks {
            let pipeline = pipeline(&filters);
            let mask = pipeline.encode(&elements, &mut stored, &mut work).unwrap();
            prop_assert_eq!(&(stored.clone(), mask), &encode(&pipeline, &elements).unwrap());
            let mut output = vec![0; elements.len()];
            pipeline.decode(&stored, mask, true, &mut output, &mut work).unwrap();
            prop_assert_eq!(output, elements);
        }
    }

    #[test]
    fn two_at_a_time_as_one_by_one(
        filters in prop::collection::vec(prop_oneof![Just(filter(DEFLATE, &[4])), any_filter()], 0..4),
        chunks in prop::array::uniform2(data(3000)),
        are_shorter in any::<[bool; 2]>(),
        damage in any::<[Option<prop::sample::Index>; 2]>(),
        left_out in prop::array::uniform2(prop_oneof![3 => Just(0), 1 => any::<u32>()]),
        verify in any::<bool>(),
        exact in any::<bool>(),
    ) {
        let pipeline = pipeline(&filters);
        let pipeline = if exact { pipeline.refusing_longer_chunks() } else { pipeline };
        let stored = [0, 1].map(|number: usize| {
            let (mut stored, mask) = encode(&pipeline, &chunks[number]).unwrap();
            if let Some(place) = damage[number].filter(|_| !stored.is_empty()) {
                let place = place.index(stored.len());
                stored[place] ^= 0x10;
            }
            (stored, mask | left_out[number])
        });
        // As long as the elements, or shorter.
        let lengths = [0, 1].map(|number: usize| chunks[number].len() - usize::from(are_shorter[number]));
        let mut works = [Work::new(), Work::new()];
        let mut one_by_one = [Vec::new(), Vec::new()];
        for (number, output) in one_by_one.iter_mut().enumerate() {
            output.resize(lengths[number], 0);
            let (stored, mask) = &stored[number];
            let decoded = pipeline.decode(stored, *mask, verify, output, &mut works[0]);
            // What is in the output after an error is not specified.
            if let Err(error) = decoded {
                *output = format!("{error}").into_bytes();
            }
        }
        for _ in 0..2 {
            let [mut first, mut second] = lengths.map(|length| vec![0; length]);
            let [work, second_work] = &mut works;
            let decoded = pipeline.decode_pair(
                [
                    Packed { stored: &stored[0].0, mask: stored[0].1, output: &mut first },
                    Packed { stored: &stored[1].0, mask: stored[1].1, output: &mut second },
                ],
                verify,
                [work, second_work],
            );
            for ((decoded, output), expected) in decoded.into_iter().zip([first, second]).zip(&one_by_one) {
                let found = decoded.map_or_else(|error| format!("{error}").into_bytes(), |()| output);
                prop_assert_eq!(&found, expected);
            }
        }
    }

    #[test]
    fn longer_and_shorter_chunks(
        filters in prop::collection::vec(any_filter(), 0..4),
        elements in data(2000),
        len in 1..2000_usize,
    ) {
        let pipeline = pipeline(&filters);
        let (stored, mask) = encode(&pipeline, &elements).unwrap();
        let decoded = decode(&pipeline, &stored, mask, len);
        let exact = Pipeline::new(&filters).unwrap().refusing_longer_chunks();
        prop_assert_eq!(decode(&exact, &stored, mask, len).is_ok(), len == elements.len());
        match elements.get(..len) {
            Some(first) => prop_assert_eq!(&decoded.unwrap(), first),
            None => prop_assert!(decoded.is_err()),
        }
    }

    #[test]
    fn shuffle_by_its_definition(elements in data(9000), size in prop_oneof![1..=40_usize, 1..4000_usize]) {
        let pipeline = pipeline(&[filter(SHUFFLE, &[u32::try_from(size).unwrap()])]);
        let count = elements.len() / size;
        let mut expected: Vec<u8> =
            (0..size).flat_map(|byte| (0..count).map(move |index| (byte, index)))
                .map(|(byte, index)| elements[index * size + byte])
                .collect();
        expected.extend_from_slice(&elements[count * size..]);
        let (stored, _) = encode(&pipeline, &elements).unwrap();
        prop_assert_eq!(&stored, &expected);
        prop_assert_eq!(&decode(&pipeline, &stored, 0, elements.len()).unwrap(), &elements);
    }

    #[test]
    fn fletcher32_by_its_definition(elements in data(30_000)) {
        let (mut first, mut second) = (0_u32, 0_u32);
        for word in elements.chunks(2) {
            first += u32::from(word[0]) << 8 | u32::from(word.get(1).copied().unwrap_or_default());
            first = (first & 0xffff) + (first >> 16);
            second += first;
            second = (second & 0xffff) + (second >> 16);
        }
        let (stored, _) = encode(&pipeline(&[filter(FLETCHER32, &[])]), &elements).unwrap();
        prop_assert_eq!(&stored[elements.len()..], (second << 16 | first).to_le_bytes());
    }
}

#[test]
fn threads_share_pipelines_and_own_their_work() {
    fn shared<T: Send + Sync>() {}
    fn owned<T: Send>() {}
    shared::<Pipeline>();
    owned::<Work>();
}

#[test]
fn large_sums_do_not_overflow() {
    let elements = vec![0xff; 1 << 20];
    let (stored, _) = encode(&pipeline(&[filter(FLETCHER32, &[])]), &elements).unwrap();
    assert_eq!(stored[1 << 20..], [0xff; 4]);
}

#[test]
fn checksums_are_looked_at_only_if_wanted() {
    let pipeline = pipeline(&[filter(FLETCHER32, &[])]);
    let stored = [1, 2, 3, 4, 9, 9, 9, 9];
    let mut output = [0; 4];
    let error = pipeline.decode(&stored, 0, true, &mut output, &mut Work::new()).unwrap_err();
    assert_eq!((error.id, error.name.as_str()), (FLETCHER32, "number 3"));
    assert!(matches!(error.source, CodecError::Checksum { stored: 0x0909_0909, .. }));
    pipeline.decode(&stored, 0, false, &mut output, &mut Work::new()).unwrap();
    assert_eq!(output, [1, 2, 3, 4]);
    assert!(pipeline.decode(&stored[..3], 0, false, &mut output, &mut Work::new()).is_err());
}

#[test]
fn optional_filters_that_fail_are_left_out() {
    // Nothing to gain for LZF here.
    let elements: Vec<u8> = (0..=255).collect();
    let filters = [filter(SHUFFLE, &[16]), optional(LZF, &[]), filter(FLETCHER32, &[])];
    let (stored, mask) = encode(&pipeline(&filters), &elements).unwrap();
    assert_eq!((stored.len(), mask), (260, 0b010));
    assert_eq!(decode(&pipeline(&filters), &stored, mask, 256).unwrap(), elements);
    let error = encode(&pipeline(&[filter(LZF, &[])]), &elements).unwrap_err();
    assert_eq!(error.id, LZF);
    assert!(matches!(error.source, CodecError::NotApplicable(_)));
    // An invalid size of blocks is a failure only when encoding.
    assert_eq!(encode(&pipeline(&[optional(BZIP2, &[10])]), &elements).unwrap(), (elements, 1));
}

#[test]
fn deflate_is_kept_even_if_it_gains_nothing() {
    let (stored, mask) = encode(&pipeline(&[optional(DEFLATE, &[9])]), &[1]).unwrap();
    assert!(stored.len() > 1);
    assert_eq!(mask, 0);
}

#[test]
fn no_filter_is_a_copy() {
    for (filters, mask) in [(vec![], 0), (vec![filter(DEFLATE, &[1]), filter(SHUFFLE, &[4])], 0b11)] {
        let pipeline = pipeline(&filters);
        assert_eq!(decode(&pipeline, &[1, 2, 3], mask, 3).unwrap(), [1, 2, 3]);
        assert_eq!(decode(&pipeline, &[1, 2, 3], mask, 2).unwrap(), [1, 2]);
        let error = decode(&pipeline, &[1, 2, 3], mask, 4).unwrap_err();
        assert_eq!(error.source, CodecError::Corrupt("the data is shorter than a chunk"));
    }
}

#[test]
fn more_than_the_chunk_explains_is_refused() {
    let pipeline = pipeline(&[filter(DEFLATE, &[9])]);
    let (stored, _) = encode(&pipeline, &vec![0; 1 << 20]).unwrap();
    assert_eq!(decode(&pipeline, &stored, 0, 1 << 20).unwrap(), vec![0; 1 << 20]);
    assert_eq!(decode(&pipeline, &stored, 0, 1 << 10).unwrap_err().source, CodecError::NoRoom);
}

#[test]
fn unknown_filters_and_parameters_are_named() {
    let unsupported = |id, parameters: &[u32]| Pipeline::new(&[filter(id, parameters)]).unwrap_err();
    assert_eq!(
        unsupported(4711, &[]),
        Unsupported("filter number 4711 (4711): there is no codec for it".to_owned())
    );
    for (id, parameters) in
        [(DEFLATE, &[10][..]), (DEFLATE, &[]), (DEFLATE, &[1, 2]), (SHUFFLE, &[0]), (SHUFFLE, &[4, 4])]
    {
        assert!(unsupported(id, parameters).0.starts_with(&format!("filter number {id} ({id}): ")));
    }
    assert!(Pipeline::new(&vec![filter(FLETCHER32, &[]); 33]).is_err());
    assert!(Pipeline::new(&vec![filter(FLETCHER32, &[]); 32]).is_ok());
}
