//! What must hold for every pipeline, whatever it is given.

use codecs::{Pipeline, PipelineError, Work};

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

/// Decodes twice. The result must not depend on what was in the output before, nor on what earlier work left.
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
    second
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
    let outside = room[..GUARD].iter().chain(&room[GUARD + chunk..]);
    assert!(outside.copied().all(|byte| byte == before), "written outside of the output");
    decoded.map(|()| room[GUARD..GUARD + chunk].to_vec())
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
