//! What an element looks like: the datatype as the filter's parameters describe it.

use crate::error::Unsupported;

/// Deeper nesting than this is nobody's datatype.
const MAX_DEPTH: u32 = 32;

/// Classes of datatypes as parameters name them.
const NUMBER: u32 = 1;
const ARRAY: u32 = 2;
const COMPOUND: u32 = 3;
const BYTES: u32 = 4;

/// A datatype, as far as packing is concerned.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// An integer or floating-point number.
    Number(Number),
    /// Elements of the same layout, one after another.
    Array {
        /// Size of one of them.
        stride: usize,
        /// Their layout.
        element: Box<Layout>,
    },
    /// Members at their offsets; the gaps between them are not stored.
    Compound(Vec<Member>),
    /// Bytes that are stored as they are.
    Bytes,
}

/// Part of a compound.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) offset: usize,
    pub(super) size: usize,
    pub(super) layout: Layout,
}

/// A number of which only some bits are significant, and stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number {
    /// In bytes.
    pub(super) size: usize,
    pub(super) big_endian: bool,
    /// How many bits are significant.
    pub(super) precision: u32,
    /// How many insignificant bits are below them.
    pub(super) offset: u32,
}

/// A layout with its size in memory and its size when packed.
#[derive(Debug)]
pub(super) struct Sized {
    pub(super) layout: Layout,
    /// In bytes, never zero.
    pub(super) size: usize,
    /// When packed.
    pub(super) bits: usize,
    /// Whether native HDF5 goes on at a wrong place in the parameters after this: it does after arrays of arrays
    /// and of compounds.
    loses_place: bool,
}

/// Understands parameters, those that describe the datatype.
pub(super) fn parse(parameters: &[u32]) -> Result<Sized, Unsupported> {
    let mut parser = Parser { parameters };
    let sized = parser.layout(0)?;
    if !parser.parameters.is_empty() {
        return Err(nonsense("more parameters than the datatype needs"));
    }
    if sized.layout == Layout::Bytes {
        return Err(nonsense("nothing to pack"));
    }
    Ok(sized)
}

/// What is wrong with the parameters.
pub(super) fn nonsense(why: &str) -> Unsupported {
    Unsupported(format!("parameters of filter nbit: {why}"))
}

struct Parser<'a> {
    /// Those not looked at yet.
    parameters: &'a [u32],
}

impl Parser<'_> {
    fn next(&mut self) -> Result<u32, Unsupported> {
        let (next, rest) = self.parameters.split_first().ok_or_else(|| nonsense("some are missing"))?;
        self.parameters = rest;
        Ok(*next)
    }

    fn size(&mut self) -> Result<usize, Unsupported> {
        match self.next()? {
            0 => Err(nonsense("a datatype has size 0")),
            size => usize::try_from(size).map_err(|_| nonsense("a datatype is too large")),
        }
    }

    fn layout(&mut self, depth: u32) -> Result<Sized, Unsupported> {
        if depth > MAX_DEPTH {
            return Err(nonsense("the datatype is nested too deeply"));
        }
        match self.next()? {
            NUMBER => self.number(),
            ARRAY => self.array(depth),
            COMPOUND => self.compound(depth),
            BYTES => bytes(self.size()?),
            class => Err(nonsense(&format!("{class} is not a class of datatypes"))),
        }
    }

    fn number(&mut self) -> Result<Sized, Unsupported> {
        let size = self.size()?;
        let big_endian = match self.next()? {
            0 => false,
            1 => true,
            order => return Err(nonsense(&format!("{order} is not an order of bytes"))),
        };
        let (precision, offset) = (self.next()?, self.next()?);
        let fits = precision.checked_add(offset).is_some_and(|end| u64::from(end) <= 8 * size as u64);
        if precision == 0 || !fits {
            return Err(nonsense(&format!("{precision} bits at bit {offset} of a number of {size} bytes")));
        }
        let layout = Layout::Number(Number { size, big_endian, precision, offset });
        Ok(Sized { layout, size, bits: precision as usize, loses_place: false })
    }

    fn array(&mut self, depth: u32) -> Result<Sized, Unsupported> {
        let size = self.size()?;
        // Looked at beforehand: once understood, an array of bytes is no longer an array.
        let loses_place = matches!(self.parameters.first(), Some(&(ARRAY | COMPOUND)));
        let element = self.layout(depth + 1)?;
        if size % element.size != 0 {
            return Err(nonsense(&format!("an array of {size} bytes has elements of {}", element.size)));
        }
        if element.layout == Layout::Bytes {
            return Ok(Sized { loses_place, ..bytes(size)? });
        }
        let bits = element.bits.checked_mul(size / element.size).ok_or_else(|| nonsense("too large"))?;
        let layout = Layout::Array { stride: element.size, element: Box::new(element.layout) };
        Ok(Sized { layout, size, bits, loses_place })
    }

    fn compound(&mut self, depth: u32) -> Result<Sized, Unsupported> {
        let size = self.size()?;
        let count = self.next()?;
        let mut members = Vec::new();
        let mut bits = 0_usize;
        let mut loses_place = false;
        for _ in 0..count {
            if loses_place {
                // What is stored then is not what the datatype says, and only native HDF5 can read it.
                return Err(nonsense("a member follows an array of arrays or of compounds"));
            }
            let offset = usize::try_from(self.next()?).map_err(|_| nonsense("an offset is too large"))?;
            let member = self.layout(depth + 1)?;
            loses_place = member.loses_place;
            bits = bits.checked_add(member.bits).ok_or_else(|| nonsense("too large"))?;
            members.push(Member { offset, size: member.size, layout: member.layout });
        }
        check_places(&members, size)?;
        Ok(Sized { layout: Layout::Compound(members), size, bits, loses_place })
    }
}

fn bytes(size: usize) -> Result<Sized, Unsupported> {
    let bits = size.checked_mul(8).ok_or_else(|| nonsense("too large"))?;
    Ok(Sized { layout: Layout::Bytes, size, bits, loses_place: false })
}

/// Members must be inside the compound, and must not overlap.
fn check_places(members: &[Member], size: usize) -> Result<(), Unsupported> {
    let mut places: Vec<_> = members.iter().map(|member| (member.offset, member.size)).collect();
    places.sort_unstable();
    let mut end = 0;
    for (offset, member) in places {
        if offset < end {
            return Err(nonsense("members of a compound overlap"));
        }
        end = offset.checked_add(member).ok_or_else(|| nonsense("too large"))?;
    }
    if end > size {
        return Err(nonsense("a member is outside its compound"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(parameters: &[u32]) -> String {
        parse(parameters).unwrap_err().0
    }

    #[test]
    fn nesting_is_understood() {
        let parameters = [3, 12, 2, 0, 1, 2, 0, 9, 3, 4, 2, 8, 1, 4, 1, 17, 2];
        let sized = parse(&parameters).unwrap();
        assert_eq!((sized.size, sized.bits), (12, 9 + 2 * 17));
        for len in 0..parameters.len() {
            assert!(parse(&parameters[..len]).is_err());
        }
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(why(&[9, 1]).contains("9 is not a class"));
        assert!(why(&[1, 0, 0, 1, 0]).contains("size 0"));
        assert!(why(&[1, 4, 2, 1, 0]).contains("2 is not an order"));
        assert!(why(&[1, 4, 0, 0, 0]).contains("0 bits"));
        assert!(why(&[1, 4, 0, 20, 13]).contains("20 bits at bit 13"));
        assert!(why(&[1, 4, 0, u32::MAX, u32::MAX]).contains("bits at bit"));
        assert!(why(&[1, 4, 0, 20, 1, 0]).contains("more parameters"));
        assert!(why(&[2, 6, 1, 4, 0, 20, 0]).contains("an array of 6 bytes"));
        assert!(why(&[3, 6, 2, 0, 1, 4, 0, 20, 0, 3, 4, 2]).contains("overlap"));
        assert!(why(&[3, 6, 1, 4, 1, 4, 0, 20, 0]).contains("outside"));
        assert!(why(&[4, 8]).contains("nothing to pack"));
        assert!(why(&[2, 8, 4, 8]).contains("nothing to pack"));
        assert!(why(&[3, 8, u32::MAX]).contains("missing"));
        assert!(why(&[2, 8].repeat(10_000)).contains("too deeply"));
    }

    #[test]
    fn what_native_hdf5_gets_wrong_is_left_to_it() {
        let number = [1, 1, 0, 5, 0];
        let arrays = [&[2, 4, 2, 2][..], &number].concat();
        let compounds = [&[2, 2, 3, 1, 1, 0][..], &number].concat();
        let bytes = vec![2, 4, 2, 2, 4, 1];
        for array in [&arrays, &compounds, &bytes] {
            let last = [&[3, 6, 2, 0][..], &number, &[1], array].concat();
            parse(&last).unwrap();
            let first = [&[3, 6, 2, 0][..], array, &[5], &number].concat();
            assert!(why(&first).contains("a member follows"));
            let inside = [&[3, 9, 2, 0, 3, 6, 1, 0][..], array, &[8], &number].concat();
            assert!(why(&inside).contains("a member follows"));
        }
        let simple = [&[3, 9, 2, 0, 2, 4][..], &number, &[8], &number].concat();
        parse(&simple).unwrap();
    }
}
