//! The filter "nbit": only the significant bits of numbers are stored.
//!
//! The filter's parameters describe the datatype with the size, byte order, precision and bit offset of each
//! number in it. Packed elements follow each other without gaps, the most significant bit first. One byte more
//! than needed is written if the bits end with a byte.

pub(crate) mod fields;
mod layout;
mod pack;
#[cfg(test)]
mod tests;

use core::ops::Range;

use fields::{FieldWriter, Fields, reserve};
use layout::{Sized, nonsense};

use crate::codec::Codec;
use crate::error::{CodecError, Unsupported};
use crate::work::{Work, copied};

/// The codec with these parameters.
pub(crate) fn codec(parameters: &[u32]) -> Result<Box<dyn Codec>, Unsupported> {
    let [count, nothing_to_do, elements, datatype @ ..] = parameters else {
        return Err(nonsense("there are fewer than 3"));
    };
    if usize::try_from(*count) != Ok(parameters.len()) {
        return Err(nonsense(&format!("there are {}, not {count}", parameters.len())));
    }
    if *nothing_to_do != 0 {
        return Ok(Box::new(AsIs));
    }
    let Sized { layout, size, bits, .. } = layout::parse(datatype)?;
    let elements = usize::try_from(*elements).map_err(|_| nonsense("too large"))?;
    let len = elements.checked_mul(size).ok_or_else(|| nonsense("too large"))?;
    let bits = elements.checked_mul(bits).ok_or_else(|| nonsense("too large"))?;
    Ok(Box::new(Nbit { layout, size, len, bits }))
}

/// All bits are significant, so there is nothing to pack.
#[derive(Debug)]
struct AsIs;

impl Codec for AsIs {
    fn decode(&self, input: &[u8], output: &mut [u8], _work: &mut Work) -> Result<usize, CodecError> {
        output.get_mut(..input.len()).ok_or(CodecError::NoRoom)?.copy_from_slice(input);
        Ok(input.len())
    }

    fn decoded_len(&self, input: &[u8]) -> Option<usize> {
        Some(input.len())
    }

    fn contained(&self, input: &[u8], _verify: bool) -> Option<Result<Range<usize>, CodecError>> {
        Some(Ok(0..input.len()))
    }

    fn encode(&self, input: &[u8], output: &mut Vec<u8>, _work: &mut Work) -> Result<(), CodecError> {
        copied(output, input)
    }

    fn encoded_len(&self, input: usize) -> Option<usize> {
        Some(input)
    }
}

#[derive(Debug)]
struct Nbit {
    layout: layout::Layout,
    /// Of an element, in bytes.
    size: usize,
    /// Of a chunk, in bytes.
    len: usize,
    /// Of a packed chunk, in bits.
    bits: usize,
}

impl Codec for Nbit {
    fn decode(&self, input: &[u8], output: &mut [u8], _work: &mut Work) -> Result<usize, CodecError> {
        let output = output.get_mut(..self.len).ok_or(CodecError::NoRoom)?;
        if input.len() < self.bits.div_ceil(8) {
            return Err(CodecError::Corrupt("the packed elements end too early"));
        }
        if !matches!(self.layout, layout::Layout::Number(_)) {
            output.fill(0);
        }
        pack::unpack(&self.layout, self.size, &mut Fields::new(input), output);
        Ok(self.len)
    }

    fn decoded_len(&self, _input: &[u8]) -> Option<usize> {
        Some(self.len)
    }

    fn encode(&self, input: &[u8], output: &mut Vec<u8>, _work: &mut Work) -> Result<(), CodecError> {
        if input.len() != self.len {
            return Err(CodecError::NotApplicable("not a whole chunk"));
        }
        output.clear();
        let packed = self.bits / 8 + 1;
        reserve(output, packed)?;
        let mut fields = FieldWriter::new(output);
        pack::pack(&self.layout, self.size, input, &mut fields);
        fields.finish();
        output.resize(packed, 0);
        Ok(())
    }

    fn encoded_len(&self, input: usize) -> Option<usize> {
        (input == self.len).then_some(self.bits / 8 + 1)
    }
}
