//! One codec. An input is
//!
//! ```text
//! u8   bits: 1 there and back, 2 checksums are not verified, 4 longer chunks are refused, 8 the parameters are
//!      made up of the bytes that follow, 16 the chunk has the length given even if the parameters know better
//! ...  the parameters: u8 how many and that many u32, unless they are made up
//! u16  length of the decoded chunk, see `Input::length`
//! ...  the stored chunk; there and back: the elements, to be repeated up to that length
//! ```

use codecs::{Filter, Pipeline};
use libdeflater::Decompressor;

use crate::Outcome;
use crate::chunk::{decode, round_trip};
use crate::filters::Kind;
use crate::input::{Input, repeated};

/// As many as the longest of our filters' parameters that are not made up have.
const MOST_PARAMETERS: u8 = 40;

pub(crate) fn run(kind: Kind, bytes: &[u8]) -> Outcome {
    let mut input = Input::new(bytes);
    let options = input.byte();
    let set = |bit: u8| options & bit != 0;
    let (parameters, natural) =
        if set(8) { kind.made_up(&mut input) } else { (input.numbers(MOST_PARAMETERS), None) };
    let given = input.length();
    let chunk = natural.filter(|_| !set(16)).unwrap_or(given);
    let fidelity = kind.fidelity(&parameters);
    let filter = Filter { id: kind.id(), name: kind.name().to_owned(), optional: false, parameters };
    let Ok(pipeline) = Pipeline::new(&[filter]) else { return Outcome::Unsupported };
    let pipeline = if set(4) { pipeline.refusing_longer_chunks() } else { pipeline };
    let (verify, rest) = (!set(2), input.rest());
    if set(1) {
        return round_trip(&pipeline, &repeated(rest, chunk.min(kind.longest_to_encode())), verify, fidelity);
    }
    let Ok(decoded) = decode(&pipeline, rest, 0, verify, chunk) else { return Outcome::Refused };
    if kind == Kind::Deflate {
        as_by_libdeflate(rest, &decoded);
    }
    Outcome::Done
}

/// What we take for a zlib stream is one for libdeflate, too, and begins with the same bytes.
fn as_by_libdeflate(stored: &[u8], decoded: &[u8]) {
    // As long as a pipeline may find a chunk that should not be longer than this one.
    let mut output = vec![0; 2 * decoded.len() + 64 * 1024];
    let len = Decompressor::new().zlib_decompress(stored, &mut output);
    let len = len.unwrap_or_else(|error| panic!("decoded {decoded:x?}, but libdeflate says: {error}"));
    assert!(output[..len].starts_with(decoded), "decoded {decoded:x?}, but libdeflate {:x?}", &output[..len]);
}
