//! A decoder that does everything in the plainest way, one bit after another, and accepts what zlib does.

use super::writer::{DISTANCES, END, LENGTHS, ORDER, codes, fixed_lengths};

struct Bits<'i> {
    input: &'i [u8],
    at: usize,
}

impl Bits<'_> {
    fn bit(&mut self) -> Option<usize> {
        let byte = self.input.get(self.at / 8)?;
        let bit = byte >> (self.at % 8) & 1;
        self.at += 1;
        Some(bit.into())
    }

    fn number(&mut self, bits: u32) -> Option<usize> {
        (0..bits).try_fold(0, |number, place| Some(number | self.bit()? << place))
    }

    fn symbol(&mut self, code: &Code) -> Option<usize> {
        let mut bits = 0;
        for length in 1..=15 {
            bits = bits << 1 | self.bit()?;
            if let Some(symbol) = code.symbols.iter().position(|own| *own == (bits, length)) {
                return Some(symbol);
            }
        }
        None
    }
}

/// The code and length of each symbol.
struct Code {
    symbols: Vec<(usize, u8)>,
}

impl Code {
    /// A complete code; or, if it may be `partial`, a single one of one bit, or none.
    fn new(lengths: &[u8], partial: bool) -> Option<Self> {
        let used: Vec<u8> = lengths.iter().copied().filter(|&length| length > 0).collect();
        let taken: usize = used.iter().map(|length| 1 << (15 - length)).sum();
        if taken != 1 << 15 && !(partial && (used.is_empty() || used == [1])) {
            return None;
        }
        Some(Self { symbols: codes(lengths).into_iter().zip(lengths.iter().copied()).collect() })
    }
}

/// What the blocks of a stream without a header decode to, at most so many bytes, and how long they are.
pub(super) fn inflate(input: &[u8], most: usize) -> Option<(Vec<u8>, usize)> {
    let mut bits = Bits { input, at: 0 };
    let mut output = Vec::new();
    loop {
        let last = bits.bit()? == 1;
        match bits.number(2)? {
            0 => stored(&mut bits, &mut output)?,
            1 => {
                let (symbols, distances) = fixed_lengths();
                let codes = (Code::new(&symbols, false)?, Code::new(&distances, false)?);
                coded(&mut bits, &codes, &mut output, most)?;
            }
            2 => {
                let codes = dynamic(&mut bits)?;
                coded(&mut bits, &codes, &mut output, most)?;
            }
            _ => return None,
        }
        if output.len() > most {
            return None;
        }
        if last {
            return Some((output, bits.at.div_ceil(8)));
        }
    }
}

fn stored(bits: &mut Bits<'_>, output: &mut Vec<u8>) -> Option<()> {
    bits.at = bits.at.next_multiple_of(8);
    let (length, check) = (bits.number(16)?, bits.number(16)?);
    if length ^ check != 0xFFFF {
        return None;
    }
    let begin = bits.at / 8;
    output.extend_from_slice(bits.input.get(begin..begin + length)?);
    bits.at += 8 * length;
    Some(())
}

fn dynamic(bits: &mut Bits<'_>) -> Option<(Code, Code)> {
    let (symbols, distances) = (257 + bits.number(5)?, 1 + bits.number(5)?);
    if symbols > 286 || distances > 30 {
        return None;
    }
    let mut own = [0; 19];
    for &place in &ORDER[..4 + bits.number(4)?] {
        own[place] = u8::try_from(bits.number(3)?).ok()?;
    }
    let code = Code::new(&own, false)?;
    let mut lengths = Vec::new();
    while lengths.len() < symbols + distances {
        let (length, times) = match bits.symbol(&code)? {
            16 => (*lengths.last()?, 3 + bits.number(2)?),
            17 => (0, 3 + bits.number(3)?),
            18 => (0, 11 + bits.number(7)?),
            length => (u8::try_from(length).ok()?, 1),
        };
        lengths.extend(vec![length; times]);
    }
    if lengths.len() > symbols + distances || lengths[END] == 0 {
        return None;
    }
    Some((Code::new(&lengths[..symbols], true)?, Code::new(&lengths[symbols..], true)?))
}

fn coded(
    bits: &mut Bits<'_>,
    (symbols, distances): &(Code, Code),
    output: &mut Vec<u8>,
    most: usize,
) -> Option<()> {
    while output.len() <= most {
        match bits.symbol(symbols)? {
            END => break,
            byte @ 0..END => output.push(u8::try_from(byte).ok()?),
            symbol => {
                let &(base, extra) = LENGTHS.get(symbol - END - 1)?;
                let length = base + bits.number(extra)?;
                let &(base, extra) = DISTANCES.get(bits.symbol(distances)?)?;
                let from = output.len().checked_sub(base + bits.number(extra)?)?;
                for at in from..from + length {
                    output.push(output[at]);
                }
            }
        }
    }
    Some(())
}
