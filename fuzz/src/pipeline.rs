//! Several filters. An input is
//!
//! ```text
//! u8   bits as for one codec: 1, 2, 4; 8 an arbitrary number in place of each filter's own, once in a while
//! u32  mask of the filters that were left out
//! u8   number of filters; for each:
//!        u8   which
//!        u8   bits: 1 optional, 2 the parameters are given, not made up
//!        ...  the parameters, as for one codec
//! u16  length of the decoded chunk, see `Input::length`
//! ...  the stored chunk; there and back: the elements, to be repeated up to that length
//! ```

use core::{mem, slice};

use codecs::{Filter, Pipeline, Work};

use crate::Outcome;
use crate::chunk::{Fidelity, decode, round_trip};
use crate::filters::Kind;
use crate::input::{Input, repeated};

const MOST_PARAMETERS: u8 = 24;

pub(crate) fn run(bytes: &[u8]) -> Outcome {
    let mut input = Input::new(bytes);
    let options = input.byte();
    let set = |bit: u8| options & bit != 0;
    let mask = input.u32();
    let mut filters = Vec::new();
    let (mut exact, mut longest) = (true, usize::MAX);
    for _ in 0..number_of_filters(&mut input) {
        let kind = input.pick(&Kind::ALL);
        let bits = input.byte();
        let parameters =
            if bits & 2 != 0 { input.numbers(MOST_PARAMETERS) } else { kind.made_up(&mut input).0 };
        longest = longest.min(kind.longest_to_encode());
        exact &= kind.fidelity(&parameters) == Fidelity::Exact;
        let id = if set(8) && input.once_in(8) { input.u32().cast_signed() } else { kind.id() };
        filters.push(Filter { id, name: kind.name().to_owned(), optional: bits & 1 != 0, parameters });
    }
    let chunk = input.length();
    let Ok(pipeline) = Pipeline::new(&filters) else { return Outcome::Unsupported };
    let pipeline = if set(4) { pipeline.refusing_longer_chunks() } else { pipeline };
    let (verify, rest) = (!set(2), input.rest());
    if set(1) {
        let elements = repeated(rest, chunk.min(longest));
        if !exact || grows_too_much(&filters, &elements) {
            let _ = pipeline.encode(&elements, &mut Vec::new(), &mut Work::new());
            return Outcome::Unsupported;
        }
        return round_trip(&pipeline, &elements, verify, Fidelity::Exact);
    }
    decode(&pipeline, rest, mask, verify, chunk).map_or(Outcome::Refused, |_| Outcome::Done)
}

/// Few most of the time; at most one more than a pipeline may have.
fn number_of_filters(input: &mut Input<'_>) -> u8 {
    match input.byte() {
        few @ 0..224 => few % 5,
        many => many - 222,
    }
}

/// Whether something between two filters is longer than a pipeline wants to decode: such chunks are not decoded,
/// although they could be made (LZ4 in blocks of one byte has five for each).
fn grows_too_much(filters: &[Filter], elements: &[u8]) -> bool {
    let most = 2 * elements.len() + 64 * 1024;
    let (mut bytes, mut stored) = (elements.to_vec(), Vec::new());
    filters.iter().any(|filter| {
        let encoded = Pipeline::new(slice::from_ref(filter))
            .is_ok_and(|pipeline| pipeline.encode(&bytes, &mut stored, &mut Work::new()).is_ok());
        if encoded {
            mem::swap(&mut bytes, &mut stored);
        }
        bytes.len() > most
    })
}
