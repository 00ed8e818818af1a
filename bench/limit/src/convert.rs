//! Parallel reading and converting of numbers.

use std::fs::File;
use std::io;
use std::num::NonZero;
use std::os::unix::fs::FileExt;

use crate::parallel::in_parallel;

/// Bytes that are read together: they stay in a core's own cache until they are converted.
const PIECE: usize = 256 << 10;

/// What to make of what is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conversion {
    /// Big-endian doubles to native floats.
    BigDoubles,
    /// Little-endian 16-bit integers to native floats.
    Shorts,
    /// Four bytes of every record, as they are.
    Field {
        /// Bytes of a record.
        record: usize,
        /// Where in it they are.
        at: usize,
    },
}

impl Conversion {
    /// Bytes of one number in the file, with all that lies between it and the next.
    fn stored(self) -> usize {
        match self {
            Self::BigDoubles => 8,
            Self::Shorts => 2,
            Self::Field { record, .. } => record,
        }
    }

    fn convert(self, stored: &[u8], target: &mut [[u8; 4]]) {
        match self {
            Self::BigDoubles => each(stored, target, |&number| narrow(f64::from_be_bytes(number))),
            Self::Shorts => {
                each(stored, target, |&number| f32::from(i16::from_le_bytes(number)).to_ne_bytes());
            }
            Self::Field { record, at } => {
                for (record, target) in stored.chunks_exact(record).zip(target) {
                    target.copy_from_slice(&record[at..at + 4]);
                }
            }
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the conversion in question")]
fn narrow(number: f64) -> [u8; 4] {
    (number as f32).to_ne_bytes()
}

fn each<const SIZE: usize>(stored: &[u8], target: &mut [[u8; 4]], convert: impl Fn(&[u8; SIZE]) -> [u8; 4]) {
    for (number, target) in stored.as_chunks().0.iter().zip(target) {
        *target = convert(number);
    }
}

/// Fills `buffer` with the numbers that begin at `offset` with `threads` threads, the caller among them.
///
/// # Errors
/// What the system says, that the file is shorter, or that a field is outside its record.
pub fn convert(
    file: &File,
    offset: u64,
    conversion: Conversion,
    buffer: &mut [u8],
    threads: NonZero<usize>,
) -> io::Result<()> {
    if let Conversion::Field { record, at } = conversion
        && at.checked_add(4).is_none_or(|end| end > record)
    {
        return Err(io::Error::other("the field is outside its record"));
    }
    let count = (PIECE / conversion.stored()).max(1);
    let piece = count * conversion.stored();
    let targets = buffer.as_chunks_mut::<4>().0.chunks_mut(count);
    let pieces = (offset..).step_by(piece).zip(targets);
    in_parallel(threads, pieces, || {
        let mut stored = vec![0; piece];
        move |(place, target): (u64, &mut [[u8; 4]])| {
            let stored = &mut stored[..target.len() * conversion.stored()];
            file.read_exact_at(stored, place)?;
            conversion.convert(stored, target);
            Ok(())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::file_of;

    /// What is read from `content`, after a byte that does not belong to it.
    fn converted(content: &[u8], conversion: Conversion, count: usize) -> io::Result<Vec<f32>> {
        let mut buffer = vec![0; 4 * count];
        let file = file_of(&[&[1], content].concat());
        convert(&file, 1, conversion, &mut buffer, NonZero::new(2).unwrap())?;
        Ok(buffer.as_chunks().0.iter().map(|&number| f32::from_ne_bytes(number)).collect())
    }

    #[test]
    fn numbers_are_converted() {
        let count = 2 * PIECE + 17;
        let numbers = || (0_u32..).take(count).map(|number| f64::from(number % 40_000) - 20_000.0);
        #[expect(clippy::cast_possible_truncation, reason = "they are small whole numbers")]
        let expected: Vec<f32> = numbers().map(|number| number as f32).collect();
        let doubles: Vec<u8> = numbers().flat_map(f64::to_be_bytes).collect();
        assert_eq!(converted(&doubles, Conversion::BigDoubles, count).unwrap(), expected);
        #[expect(clippy::cast_possible_truncation, reason = "they are small whole numbers")]
        let shorts: Vec<u8> = numbers().flat_map(|number| (number as i16).to_le_bytes()).collect();
        assert_eq!(converted(&shorts, Conversion::Shorts, count).unwrap(), expected);
        assert!(converted(&shorts, Conversion::Shorts, count + 1).is_err(), "the file is shorter");
    }

    #[test]
    fn a_field_is_picked() {
        let count = PIECE + 5;
        let records: Vec<u8> = (0..=u16::MAX)
            .cycle()
            .take(count)
            .flat_map(|number| [&[7; 6][..], &f32::from(number).to_ne_bytes(), &[7; 3]].concat())
            .collect();
        let expected: Vec<f32> = (0..=u16::MAX).cycle().take(count).map(f32::from).collect();
        assert_eq!(converted(&records, Conversion::Field { record: 13, at: 6 }, count).unwrap(), expected);
        assert!(converted(&records, Conversion::Field { record: 13, at: 10 }, count).is_err());
    }
}
