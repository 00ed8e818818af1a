//! Streams of all kinds, valid or not, decoded alone and in pairs: always what the specification says, and nothing outside
//! of the slices is touched.
//!
//! An input is the end of what was allocated for it, so that tools that watch memory see what is read beyond it.

mod invalid;
mod mutated;
mod naive;
mod random;
mod valid;
mod writer;
mod written;

use libdeflater::Decompressor;

use super::{Codes, Wrapping, inflate, inflate_pair};
use crate::error::CodecError;

type Decoded = Result<Vec<u8>, CodecError>;

/// Bytes on both sides of an output that nobody may write to.
const GUARD: usize = 64;

/// An input or output at a given distance from where memory was allocated.
struct Place {
    bytes: Box<[u8]>,
    shift: usize,
}

impl Place {
    fn of_input(stream: &[u8], shift: usize) -> Self {
        let bytes = [&vec![0xEE; shift], stream].concat().into_boxed_slice();
        Self { bytes, shift }
    }

    fn of_output(room: usize, shift: usize, before: u8) -> Self {
        let shift = GUARD + shift;
        Self { bytes: vec![before; shift + room + GUARD].into_boxed_slice(), shift }
    }

    fn input(&self) -> &[u8] {
        &self.bytes[self.shift..]
    }

    fn output(&mut self) -> &mut [u8] {
        let end = self.bytes.len() - GUARD;
        &mut self.bytes[self.shift..end]
    }

    /// What was decoded, if nothing was written elsewhere.
    fn decoded(mut self, result: Result<usize, CodecError>, before: u8) -> Decoded {
        let end = self.bytes.len() - GUARD;
        let outside = self.bytes[..self.shift].iter().chain(&self.bytes[end..]);
        assert!(outside.copied().all(|byte| byte == before), "written outside of the output");
        result.map(|count| self.output()[..count].to_vec())
    }
}

/// Decodes over zeros and over ones: what was in the output before does not matter.
fn decode_at(stream: &[u8], room: usize, shift: usize) -> Decoded {
    let input = Place::of_input(stream, shift);
    let mut codes = Codes::default();
    let [first, second] = [0x00, 0xFF].map(|before| {
        let mut output = Place::of_output(room, shift, before);
        let result = inflate(Wrapping::Zlib, input.input(), output.output(), &mut codes);
        output.decoded(result, before)
    });
    assert!(first == second, "depends on what was in the output");
    first
}

fn decode(stream: &[u8], room: usize) -> Decoded {
    decode_at(stream, room, 0)
}

/// Two streams at the same time, each with its room and shift.
fn decode_pair(streams: [(&[u8], usize, usize); 2]) -> [Decoded; 2] {
    let inputs = streams.map(|(stream, _, shift)| Place::of_input(stream, shift));
    let [mut one, mut other] = [Codes::default(), Codes::default()];
    let [first, second] = [0x00, 0xFF].map(|before| {
        let [mut to, mut and_to] = streams.map(|(_, room, shift)| Place::of_output(room, shift, before));
        let results = inflate_pair(
            Wrapping::Zlib,
            inputs.each_ref().map(Place::input),
            [to.output(), and_to.output()],
            [&mut one, &mut other],
        );
        let [result, other_result] = results;
        [to.decoded(result, before), and_to.decoded(other_result, before)]
    });
    assert!(first == second, "depends on what was in the output");
    first
}

/// What libdeflate says of a stream and so much room: nothing if it is wrong, or longer.
fn by_libdeflate(stream: &[u8], room: usize) -> Option<Vec<u8>> {
    let mut output = vec![0; room];
    let count = Decompressor::new().zlib_decompress(stream, &mut output).ok()?;
    output.truncate(count);
    Some(output)
}

/// Streams that are these data, decoded alone and in pairs, each with the next one.
fn all_decode(streams: &[(Vec<u8>, Vec<u8>)]) {
    let mut before = streams.last();
    for (number, (stream, data)) in streams.iter().enumerate() {
        let (shift, more) = (number % 16, number % 3 * 150);
        let alone = decode_at(stream, data.len() + more, shift);
        assert!(alone.as_ref() == Ok(data), "number {number}: {alone:?}");
        assert!(by_libdeflate(stream, data.len() + more).as_ref() == Some(data), "number {number}");
        if let Some((other, other_data)) = before.replace(&streams[number]) {
            let pair =
                decode_pair([(stream, data.len() + more, shift), (other, other_data.len(), number % 7)]);
            assert!(pair == [Ok(data.clone()), Ok(other_data.clone())], "number {number} in a pair");
        }
    }
}
