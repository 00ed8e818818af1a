//! The filter "scaleoffset": what exceeds the smallest element is stored, in as few bits as the largest needs.
//!
//! A stored chunk begins with a header: the number of bits, four bytes; the size of the smallest element, one
//! byte; the smallest element, eight bytes; and eight bytes that nobody uses. Packed elements follow, the most
//! significant bit first. If all bits of the elements are needed they follow as they are, little-endian (native
//! HDF5 uses the order of the machine that wrote, which nobody could know when reading). Elements equal to the
//! fill value are stored as ones.
//!
//! Floating-point elements are made integers first: they are multiplied by a power of ten and rounded. Their
//! smallest element stays a floating-point number.

mod floats;
mod integers;
#[cfg(test)]
mod tests;

use core::fmt;
use core::ops::Range;

use crate::codec::Codec;
use crate::error::{CodecError, Unsupported};
use crate::nbit::fields::{FieldWriter, Fields, from_bytes, holds, low_bits, reserve, to_bytes};
use crate::work::{Work, copied};

/// Bytes before the packed elements.
const HEADER: usize = 21;
/// Bytes of the smallest element in the header.
const SMALLEST: usize = 8;

/// The codec with these parameters.
pub(crate) fn codec(parameters: &[u32]) -> Result<Box<dyn Codec>, Unsupported> {
    let [scale_type, factor, elements, class, size, sign, order, filled, low, high, ..] = *parameters else {
        return Err(nonsense("there are too few"));
    };
    if parameters.len() != 20 {
        return Err(nonsense(&format!("there are {}, not 20", parameters.len())));
    }
    let big_endian = flag(order, "order of bytes")?;
    let fill = flag(filled, "kind of fill value")?.then_some(u64::from(low) | u64::from(high) << 32);
    // Stored as unsigned, meant as signed.
    let factor = i32::from_ne_bytes(factor.to_ne_bytes());
    let numbers: Box<dyn Numbers> = match (class, scale_type, size) {
        (0, 2, 1) => integers::numbers::<1>(factor, flag(sign, "sign")?, fill)?,
        (0, 2, 2) => integers::numbers::<2>(factor, flag(sign, "sign")?, fill)?,
        (0, 2, 4) => integers::numbers::<4>(factor, flag(sign, "sign")?, fill)?,
        (0, 2, 8) => integers::numbers::<8>(factor, flag(sign, "sign")?, fill)?,
        (1, 0, 4) => floats::numbers::<f32, 4>(factor, fill),
        (1, 0, 8) => floats::numbers::<f64, 8>(factor, fill),
        _ => {
            let what = format!("scale type {scale_type} for class {class} with elements of {size} bytes");
            return Err(nonsense(&what));
        }
    };
    let size = numbers.size();
    match usize::try_from(elements).ok().and_then(|elements| elements.checked_mul(size)) {
        None | Some(0) => Err(nonsense(&format!("chunks have {elements} elements"))),
        Some(len) => Ok(Box::new(Scaleoffset { numbers, big_endian, len })),
    }
}

/// What is wrong with the parameters.
fn nonsense(why: &str) -> Unsupported {
    Unsupported(format!("parameters of filter scaleoffset: {why}"))
}

fn flag(value: u32, what: &str) -> Result<bool, Unsupported> {
    match value {
        0 => Ok(false),
        1 => Ok(true),
        _ => Err(nonsense(&format!("{value} is not a {what}"))),
    }
}

/// How elements of a type become small integers, and these elements again.
///
/// Elements and integers are handled as bit patterns: `u64` with zeroes above the element's own size.
trait Numbers: fmt::Debug + Send + Sync {
    /// Of an element, in bytes: 1, 2, 4 or 8.
    fn size(&self) -> usize;

    /// Whether elements are stored as they are, without even a header.
    fn as_is(&self) -> bool {
        false
    }

    /// Undoes the packing of `output`'s number of elements. There are enough bits.
    fn unpack(&self, header: Header, packed: &[u8], output: &mut [u8], big_endian: bool);

    /// Looks at all elements to see what the header must be.
    fn header(&self, input: &[u8], big_endian: bool) -> Header;

    /// Packs all elements.
    fn pack(&self, header: Header, input: &[u8], big_endian: bool, fields: &mut FieldWriter);
}

/// What a chunk begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Header {
    /// Bits per element.
    width: u32,
    /// What is subtracted from all elements: an integer with its sign extended to 64 bits, or the bit pattern
    /// of a floating-point number.
    smallest: u64,
}

impl Header {
    fn read(input: &[u8]) -> Result<Self, CodecError> {
        let short = CodecError::Corrupt("the header is not complete");
        let (width, rest) = input.split_first_chunk().ok_or(short.clone())?;
        let (size, rest) = rest.split_first().ok_or(short.clone())?;
        let size = usize::from(*size).min(SMALLEST);
        let mut smallest = [0; SMALLEST];
        smallest[..size].copy_from_slice(rest.get(..size).ok_or(short)?);
        Ok(Self { width: u32::from_le_bytes(*width), smallest: u64::from_le_bytes(smallest) })
    }

    fn write(self, output: &mut Vec<u8>) {
        output.extend_from_slice(&self.width.to_le_bytes());
        output.extend_from_slice(&[8]);
        output.extend_from_slice(&self.smallest.to_le_bytes());
        output.resize(HEADER, 0);
    }
}

#[derive(Debug)]
struct Scaleoffset {
    numbers: Box<dyn Numbers>,
    big_endian: bool,
    /// Of a chunk, in bytes.
    len: usize,
}

impl Scaleoffset {
    fn elements(&self) -> usize {
        self.len / self.numbers.size()
    }

    /// Bits of an element that is not packed.
    fn full_width(&self) -> u32 {
        match self.numbers.size() {
            1 => u8::BITS,
            2 => u16::BITS,
            4 => u32::BITS,
            _ => u64::BITS,
        }
    }
}

impl Codec for Scaleoffset {
    fn decode(&self, input: &[u8], output: &mut [u8], _work: &mut Work) -> Result<usize, CodecError> {
        if self.numbers.as_is() {
            output.get_mut(..input.len()).ok_or(CodecError::NoRoom)?.copy_from_slice(input);
            return Ok(input.len());
        }
        let output = output.get_mut(..self.len).ok_or(CodecError::NoRoom)?;
        let header = Header::read(input)?;
        let packed = input.get(HEADER..).unwrap_or_default();
        if header.width > self.full_width() {
            return Err(CodecError::Corrupt("more bits per element than an element has"));
        }
        if !holds(packed, self.elements(), header.width) {
            return Err(CodecError::Corrupt("the packed elements end too early"));
        }
        if header.width == self.full_width() {
            output.copy_from_slice(&packed[..self.len]);
            reorder(output, self.numbers.size(), self.big_endian);
        } else {
            self.numbers.unpack(header, packed, output, self.big_endian);
        }
        Ok(self.len)
    }

    fn decoded_len(&self, input: &[u8]) -> Option<usize> {
        Some(if self.numbers.as_is() { input.len() } else { self.len })
    }

    fn contained(&self, input: &[u8], _verify: bool) -> Option<Result<Range<usize>, CodecError>> {
        self.numbers.as_is().then_some(Ok(0..input.len()))
    }

    fn encode(&self, input: &[u8], output: &mut Vec<u8>, _work: &mut Work) -> Result<(), CodecError> {
        if self.numbers.as_is() {
            return copied(output, input);
        }
        if input.len() != self.len {
            return Err(CodecError::NotApplicable("not a whole chunk"));
        }
        let header = self.numbers.header(input, self.big_endian);
        if header.width > self.full_width() {
            // The range could not be told, because of infinities or what is not a number.
            return Err(CodecError::NotApplicable("elements that cannot be scaled"));
        }
        let bits = self.elements().checked_mul(header.width as usize);
        let packed = bits.ok_or(CodecError::NotApplicable("the chunk is too large"))? / 8 + 1;
        output.clear();
        reserve(output, HEADER + packed)?;
        header.write(output);
        if header.width == self.full_width() {
            output.extend_from_slice(input);
            reorder(&mut output[HEADER..], self.numbers.size(), self.big_endian);
            return Ok(());
        }
        if header.width > 0 {
            let mut fields = FieldWriter::new(output);
            self.numbers.pack(header, input, self.big_endian, &mut fields);
            fields.finish();
        }
        output.resize(HEADER + packed, 0);
        Ok(())
    }

    fn encoded_len(&self, input: usize) -> Option<usize> {
        self.numbers.as_is().then_some(input)
    }
}

/// Turns little-endian elements into the order they have in the dataset, and the other way round.
fn reorder(elements: &mut [u8], size: usize, big_endian: bool) {
    if big_endian {
        elements.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
}

/// Makes each element from its packed bits.
#[inline]
fn unpack_each<const SIZE: usize>(
    width: u32,
    packed: &[u8],
    output: &mut [u8],
    big_endian: bool,
    element: impl Fn(u64) -> u64,
) {
    let output = output.as_chunks_mut::<SIZE>().0;
    if width == 0 {
        return output.fill(to_bytes(element(0), big_endian));
    }
    let mut fields = Fields::new(packed);
    for bytes in output {
        *bytes = to_bytes(element(fields.next(width)), big_endian);
    }
}

/// Packs what each element is made of.
#[inline]
fn pack_each<const SIZE: usize>(
    width: u32,
    input: &[u8],
    big_endian: bool,
    fields: &mut FieldWriter,
    bits: impl Fn(u64) -> u64,
) {
    for bytes in input.as_chunks::<SIZE>().0 {
        fields.put(bits(from_bytes(*bytes, big_endian)) & low_bits(width), width);
    }
}

/// The bits it takes to tell that many values from each other; zero means 2 to the power of 64.
fn bits_for(values: u64) -> u32 {
    u64::BITS - values.wrapping_sub(1).leading_zeros()
}
