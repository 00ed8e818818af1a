//! What a filter must be able to do.

use core::fmt::Debug;
use core::ops::Range;

use crate::error::CodecError;
use crate::work::Work;

/// Decodes two inputs, with the memory of two threads. What happens to one does not concern the other.
pub(crate) type DecodePair = fn([&[u8]; 2], [&mut [u8]; 2], [&mut Work; 2]) -> [Result<usize, CodecError>; 2];

/// One filter with its parameters.
pub(crate) trait Codec: Debug + Send + Sync {
    /// Undoes the filter: what was stored becomes what was given to it. Gives the number of bytes written,
    /// which is less than `output` has if the data was shorter.
    ///
    /// # Errors
    /// [`CodecError::NoRoom`] if there are more bytes than `output` has room for; the rest says what is wrong
    /// with the input.
    fn decode(&self, input: &[u8], output: &mut [u8], work: &mut Work) -> Result<usize, CodecError>;

    /// What undoes the filter for two inputs at the same time, if that is faster than one after the other.
    fn pair_decoder(&self) -> Option<DecodePair> {
        None
    }

    /// Whether [`CodecError::Foreign`] may come of a chunk: another implementation of the filter may know more.
    fn may_be_foreign(&self) -> bool {
        false
    }

    /// How many bytes decoding this input gives, if that can be told beforehand. Untrusted, like the input.
    fn decoded_len(&self, input: &[u8]) -> Option<usize>;

    /// For filters that leave the bytes as they are: which part of the input is what decoding would give. The
    /// pipeline then copies nothing and does not call [`Codec::decode`]. `verify` is whether a checksum is
    /// looked at.
    fn contained(&self, _input: &[u8], _verify: bool) -> Option<Result<Range<usize>, CodecError>> {
        None
    }

    /// Whether the filter gives back any input as it was. The pipeline then goes on as if it were not there, so
    /// that the filter before it can decode to the place where the elements belong.
    fn is_identity(&self) -> bool {
        false
    }

    /// What it is given when encoding comes from the filter "shuffle", with elements of so many bytes.
    fn after_shuffle(&mut self, _element: usize) {}

    /// Whether encoding does not fail, except for lack of memory: then no chunk is stored without the filter.
    fn always_applies(&self) -> bool {
        false
    }

    /// Applies the filter: replaces the content of `output`.
    ///
    /// # Errors
    /// If the filter cannot be applied to these bytes; an optional filter is then left out, as HDF5 does.
    fn encode(&self, input: &[u8], output: &mut Vec<u8>, work: &mut Work) -> Result<(), CodecError>;

    /// How many bytes encoding gives for input of this length, if that depends on nothing else.
    fn encoded_len(&self, _input: usize) -> Option<usize> {
        None
    }
}

/// What a codec makes of stored bytes that decode to `len` bytes at most.
#[cfg(test)]
pub(crate) fn decoded_by(codec: &dyn Codec, stored: &[u8], len: usize) -> Result<Vec<u8>, CodecError> {
    let mut output = vec![0xaa; len];
    let written = codec.decode(stored, &mut output, &mut Work::new())?;
    assert_eq!(codec.decoded_len(stored), Some(written));
    output.truncate(written);
    Ok(output)
}
