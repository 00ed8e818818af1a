//! What must hold for every pipeline, whatever it is given.

use codecs::{Packed, Pipeline, PipelineError, Work};

use crate::Outcome;

/// Bytes on both sides of an output that nobody may write to.
const GUARD: usize = 64;

/// How faithful a filter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fidelity {
    /// Nothing is known about what comes back.
    Rough,
    /// What does not fit is lost, but only once.
    Settled,
    /// Every byte comes back.
    Exact,
}

/// Decodes twice. The result must not depend on what was in the output before, nor on what earlier work left; nor on what
/// is decoded at the same time.
pub(crate) fn decode(
    pipeline: &Pipeline,
    stored: &[u8],
    mask: u32,
    verify: bool,
    chunk: usize,
) -> Result<Vec<u8>, PipelineError> {
    let mut work = Work::new();
    let first = decode_over(0x55, pipeline, stored, mask, verify, chunk, &mut work);
    let second = decode_over(0xaa, pipeline, stored, mask, verify, chunk, &mut work);
    match (&first, &second) {
        (Ok(first), Ok(second)) => assert!(first == second, "decoded once {first:x?}, again {second:x?}"),
        (Err(first), Err(second)) => assert_eq!(first.to_string(), second.to_string()),
        _ => panic!("decoded once {first:?}, again {second:?}"),
    }
    if pipeline.gains_by_pairs() {
        decode_beside(pipeline, stored, mask, verify, chunk, &second);
    }
    second
}

/// Decodes again, together with the beginning of the same chunk, which is damaged most of the time.
fn decode_beside(
    pipeline: &Pipeline,
    stored: &[u8],
    mask: u32,
    verify: bool,
    chunk: usize,
    expected: &Result<Vec<u8>, PipelineError>,
) {
    let beginning = &stored[..stored.len() / 2];
    let half = decode_over(0x33, pipeline, beginning, mask, verify, chunk, &mut Work::new());
    for swapped in [false, true] {
        let chunks = if swapped { [beginning, stored] } else { [stored, beginning] };
        let mut rooms = [0x55, 0xaa].map(|before| vec![before; chunk + 2 * GUARD]);
        let [room, other_room] = &mut rooms;
        let outputs = [room, other_room].map(|room| &mut room[GUARD..GUARD + chunk]);
        let [mut work, mut other_work] = [Work::new(), Work::new()];
        let [one, other] = outputs;
        let results = pipeline.decode_pair(
            [
                Packed { stored: chunks[0], mask, output: one },
                Packed { stored: chunks[1], mask, output: other },
            ],
            verify,
            [&mut work, &mut other_work],
        );
        let inside = rooms.iter().zip([0x55, 0xaa]).map(|(room, before)| inside(room, chunk, before));
        let decoded =
            results.into_iter().zip(inside).map(|(result, inside)| result.map(|()| inside.to_vec()));
        let expected = if swapped { [&half, expected] } else { [expected, &half] };
        for (decoded, expected) in decoded.zip(expected) {
            assert!(&decoded == expected, "decoded alone {expected:x?}, beside another {decoded:x?}");
        }
    }
}

fn decode_over(
    before: u8,
    pipeline: &Pipeline,
    stored: &[u8],
    mask: u32,
    verify: bool,
    chunk: usize,
    work: &mut Work,
) -> Result<Vec<u8>, PipelineError> {
    let mut room = vec![before; chunk + 2 * GUARD];
    let decoded = pipeline.decode(stored, mask, verify, &mut room[GUARD..GUARD + chunk], work);
    let inside = inside(&room, chunk, before);
    decoded.map(|()| inside.to_vec())
}

/// The output in its room. What is around it must be as it was before.
fn inside(room: &[u8], chunk: usize, before: u8) -> &[u8] {
    let outside = room[..GUARD].iter().chain(&room[GUARD + chunk..]);
    assert!(outside.copied().all(|byte| byte == before), "written outside of the output");
    &room[GUARD..GUARD + chunk]
}

/// Encodes and decodes these elements, which must come back as they should. There are no chunks without any.
pub(crate) fn round_trip(pipeline: &Pipeline, elements: &[u8], verify: bool, fidelity: Fidelity) -> Outcome {
    if elements.is_empty() {
        return Outcome::Unsupported;
    }
    let Some(once) = there_and_back(pipeline, elements, verify) else { return Outcome::Refused };
    match fidelity {
        Fidelity::Exact => assert!(once == elements, "{elements:x?} came back as {once:x?}"),
        Fidelity::Settled => {
            if let Some(twice) = there_and_back(pipeline, &once, verify) {
                assert!(twice == once, "{once:x?} came back as {twice:x?}");
            }
        }
        Fidelity::Rough => {}
    }
    Outcome::Done
}

/// `None` if the filters cannot be applied to these bytes.
fn there_and_back(pipeline: &Pipeline, elements: &[u8], verify: bool) -> Option<Vec<u8>> {
    let mut work = Work::new();
    let mut stored = b"from before".to_vec();
    let mask = pipeline.encode(elements, &mut stored, &mut work).ok()?;
    let mut again = Vec::new();
    let mask_again = pipeline.encode(elements, &mut again, &mut work);
    assert_eq!(mask_again.ok(), Some(mask), "the filters that were left out");
    assert!(again == stored, "encoded once {stored:x?}, again {again:x?}");
    let decoded = decode(pipeline, &stored, mask, verify, elements.len());
    Some(decoded.unwrap_or_else(|error| panic!("what was encoded, {stored:x?}, is not decoded: {error}")))
}
