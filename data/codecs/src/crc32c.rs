//! A checksum after the bytes: Castagnoli's CRC of them in 4 bytes, little-endian. Zarr has it.

use core::ops::Range;

use crate::codec::Codec;
use crate::error::{CodecError, Unsupported};
use crate::work::{Work, appended, copied};

/// The codec, which has no parameters.
pub(crate) fn codec(parameters: &[u32]) -> Result<Box<dyn Codec>, Unsupported> {
    match parameters {
        [] => Ok(Box::new(Crc32c)),
        _ => Err(Unsupported(format!("{} parameters instead of none", parameters.len()))),
    }
}

#[derive(Debug)]
struct Crc32c;

impl Codec for Crc32c {
    fn always_applies(&self) -> bool {
        true
    }

    fn decode(&self, input: &[u8], output: &mut [u8], _work: &mut Work) -> Result<usize, CodecError> {
        let data = checked(input, true)?;
        output.get_mut(..data.len()).ok_or(CodecError::NoRoom)?.copy_from_slice(data);
        Ok(data.len())
    }

    fn decoded_len(&self, input: &[u8]) -> Option<usize> {
        input.len().checked_sub(4)
    }

    fn contained(&self, input: &[u8], verify: bool) -> Option<Result<Range<usize>, CodecError>> {
        Some(checked(input, verify).map(|data| 0..data.len()))
    }

    fn encode(&self, input: &[u8], output: &mut Vec<u8>, _work: &mut Work) -> Result<(), CodecError> {
        copied(output, input)?;
        appended(output, &checksum(input).to_le_bytes())
    }

    fn encoded_len(&self, input: usize) -> Option<usize> {
        input.checked_add(4)
    }
}

/// The bytes before the checksum, which agrees with them if it is looked at.
fn checked(input: &[u8], verify: bool) -> Result<&[u8], CodecError> {
    let (data, stored) =
        input.split_last_chunk::<4>().ok_or(CodecError::Corrupt("no room for a checksum"))?;
    let stored = u32::from_le_bytes(*stored);
    if verify {
        let computed = checksum(data);
        if stored != computed {
            return Err(CodecError::Checksum { stored, computed });
        }
    }
    Ok(data)
}

/// The polynomial, with its lowest power first.
const POLYNOMIAL: u32 = 0x82F6_3B78;

/// Bytes that are looked up at a time. More look-ups that do not wait for each other are faster.
const STEP: usize = 16;

/// What each byte adds to the checksum if so many bytes follow it.
static TABLES: [[u32; 256]; STEP] = tables();

const fn tables() -> [[u32; 256]; STEP] {
    let mut tables = [[0; 256]; STEP];
    let mut byte = 0;
    let mut start = 0_u32;
    while byte < 256 {
        let mut value = start;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { value >> 1 ^ POLYNOMIAL } else { value >> 1 };
            bit += 1;
        }
        tables[0][byte] = value;
        byte += 1;
        start += 1;
    }
    let mut step = 1;
    while step < STEP {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[step - 1][byte];
            tables[step][byte] = before >> 8 ^ tables[0][(before & 0xFF) as usize];
            byte += 1;
        }
        step += 1;
    }
    tables
}

fn checksum(data: &[u8]) -> u32 {
    let (steps, rest) = data.as_chunks::<STEP>();
    let mut sum = !0_u32;
    for step in steps {
        let mut bytes = *step;
        for (byte, of_sum) in bytes.iter_mut().zip(sum.to_le_bytes()) {
            *byte ^= of_sum;
        }
        sum = 0;
        for (number, byte) in bytes.into_iter().enumerate() {
            sum ^= TABLES[STEP - 1 - number][usize::from(byte)];
        }
    }
    for &byte in rest {
        let [lowest, ..] = sum.to_le_bytes();
        sum = sum >> 8 ^ TABLES[0][usize::from(lowest ^ byte)];
    }
    !sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::decoded_by;

    #[test]
    fn checksums_are_those_of_the_standard() {
        // From RFC 3720.
        assert_eq!(checksum(&[0; 32]), 0x8A91_36AA);
        assert_eq!(checksum(&[0xFF; 32]), 0x62A8_AB43);
        assert_eq!(checksum(&(0..32).collect::<Vec<u8>>()), 0x46DD_794E);
        assert_eq!(checksum(b"123456789"), 0xE306_9283);
        assert_eq!(checksum(b""), 0);
    }

    #[test]
    fn changed_bytes_are_found() {
        let data: Vec<u8> = (0..100).collect();
        let mut stored = Vec::new();
        Crc32c.encode(&data, &mut stored, &mut Work::new()).unwrap();
        assert_eq!(decoded_by(&Crc32c, &stored, 100), Ok(data));
        for at in 0..stored.len() {
            stored[at] ^= 1;
            assert!(matches!(decoded_by(&Crc32c, &stored, 100), Err(CodecError::Checksum { .. })));
            stored[at] ^= 1;
        }
        assert!(matches!(decoded_by(&Crc32c, &[1, 2, 3], 100), Err(CodecError::Corrupt(_))));
    }
}
