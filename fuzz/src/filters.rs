//! The filters, with parameters that make sense more often than arbitrary ones.

use crate::chunk::Fidelity;
use crate::input::Input;

/// Parameters, and the length of a chunk in bytes where they know it.
pub(crate) type Parameters = (Vec<u32>, Option<usize>);

/// Which filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Deflate,
    Shuffle,
    Fletcher32,
    Szip,
    Nbit,
    Scaleoffset,
    Bzip2,
    Lzf,
    Blosc,
    Lz4,
    Bitshuffle,
    Zstd,
    Blosc2,
}

impl Kind {
    /// In the order that inputs of the corpus know.
    pub(crate) const ALL: [Self; 13] = [
        Self::Deflate,
        Self::Shuffle,
        Self::Fletcher32,
        Self::Szip,
        Self::Nbit,
        Self::Scaleoffset,
        Self::Bzip2,
        Self::Lzf,
        Self::Blosc,
        Self::Lz4,
        Self::Bitshuffle,
        Self::Zstd,
        Self::Blosc2,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Deflate => "deflate",
            Self::Shuffle => "shuffle",
            Self::Fletcher32 => "fletcher32",
            Self::Szip => "szip",
            Self::Nbit => "nbit",
            Self::Scaleoffset => "scaleoffset",
            Self::Bzip2 => "bzip2",
            Self::Lzf => "lzf",
            Self::Blosc => "blosc",
            Self::Lz4 => "lz4",
            Self::Bitshuffle => "bitshuffle",
            Self::Zstd => "zstd",
            Self::Blosc2 => "blosc2",
        }
    }

    pub(crate) const fn id(self) -> i32 {
        match self {
            Self::Deflate => 1,
            Self::Shuffle => 2,
            Self::Fletcher32 => 3,
            Self::Szip => 4,
            Self::Nbit => 5,
            Self::Scaleoffset => 6,
            Self::Bzip2 => 307,
            Self::Lzf => 32000,
            Self::Blosc => 32001,
            Self::Lz4 => 32004,
            Self::Bitshuffle => 32008,
            Self::Zstd => 32015,
            Self::Blosc2 => 32026,
        }
    }

    /// Parameters that are mostly valid, made up of a few bytes.
    pub(crate) fn made_up(self, input: &mut Input<'_>) -> Parameters {
        let any = |parameters: Vec<u32>| (parameters, None);
        match self {
            Self::Deflate => any(vec![small(input, 10)]),
            Self::Shuffle => any(vec![element(input)]),
            Self::Fletcher32 => any(Vec::new()),
            Self::Szip => any(szip(input)),
            Self::Nbit => nbit(input),
            Self::Scaleoffset => scaleoffset(input),
            Self::Bzip2 => any(vec![1 + small(input, 9)]),
            Self::Lzf => any(vec![4, 261, u32::from(input.u16())]),
            Self::Blosc => any(blosc(input)),
            Self::Lz4 => any(vec![u32::from(input.u16())]),
            Self::Bitshuffle => any(bitshuffle(input)),
            // Higher levels are slow.
            Self::Zstd => any(vec![i32::from(input.byte().cast_signed() / 8).cast_unsigned()]),
            Self::Blosc2 => blosc2(input),
        }
    }

    /// The longest chunk that is encoded in no time. bzip2 takes long to sort bytes that repeat.
    pub(crate) const fn longest_to_encode(self) -> usize {
        match self {
            Self::Bzip2 => 1024,
            _ => 1 << 16,
        }
    }

    /// What can be expected of a round trip.
    pub(crate) fn fidelity(self, parameters: &[u32]) -> Fidelity {
        match (self, parameters) {
            // Samples of all the bits their bytes have, nothing to pack, integers in as many bits as they need.
            (Self::Szip, [_, _, 8 | 16 | 32 | 64, ..])
            | (Self::Nbit, [_, 1, ..])
            | (Self::Scaleoffset, [2, 0, _, 0, ..]) => Fidelity::Exact,
            (Self::Szip | Self::Nbit, _) => Fidelity::Settled,
            (Self::Scaleoffset, _) => Fidelity::Rough,
            _ => Fidelity::Exact,
        }
    }
}

fn small(input: &mut Input<'_>, limit: u8) -> u32 {
    u32::from(input.below(limit))
}

/// Size of an element: a usual one, any small one, or a large one.
fn element(input: &mut Input<'_>) -> u32 {
    match input.byte() {
        usual @ 0..128 => 1 << (usual % 5),
        any @ 128..250 => u32::from(any - 127),
        _ => 1 + u32::from(input.u16()),
    }
}

fn szip(input: &mut Input<'_>) -> Vec<u32> {
    let options = u32::from(input.byte());
    let block = 2 + 2 * small(input, 32);
    let bits = match input.byte() {
        usual @ 0..128 => [8, 16, 32, 64][usize::from(usual % 4)],
        any => u32::from(any % 32),
    };
    let line = 1 + u32::from(input.u16()) % 4096;
    vec![options, block, bits, line]
}

fn nbit(input: &mut Input<'_>) -> Parameters {
    let nothing_to_do = u32::from(input.once_in(16));
    let elements = u32::from(input.u16() % 512);
    let mut parameters = vec![0, nothing_to_do, elements];
    let size = nbit_type(input, 3, &mut parameters);
    parameters[0] = u32::try_from(parameters.len()).unwrap_or(u32::MAX);
    let len = usize::try_from(u64::from(elements) * u64::from(size)).ok().filter(|&len| len <= 1 << 16);
    (parameters, len)
}

/// Adds the description of a datatype and gives its size.
fn nbit_type(input: &mut Input<'_>, depth: u8, parameters: &mut Vec<u32>) -> u32 {
    match if depth == 0 { 0 } else { input.below(8) } {
        4 => {
            let size = element(input);
            parameters.extend([4, size]);
            size
        }
        5 | 6 => {
            let at = parameters.len();
            parameters.extend([2, 0]);
            let size = nbit_type(input, depth - 1, parameters).saturating_mul(1 + small(input, 5));
            parameters[at + 1] = size;
            size
        }
        7 => {
            let at = parameters.len();
            let count = small(input, 5);
            parameters.extend([3, 0, count]);
            let mut end = 0_u32;
            for _ in 0..count {
                let offset = end.saturating_add(small(input, 3));
                parameters.push(offset);
                end = offset.saturating_add(nbit_type(input, depth - 1, parameters));
            }
            let size = end.saturating_add(small(input, 3));
            parameters[at + 1] = size;
            size
        }
        _ => {
            let size = match input.byte() {
                usual @ 0..192 => 1 << (usual % 4),
                any => 1 + u32::from(any % 20),
            };
            let (order, bits) = (small(input, 2), 8 * size);
            let precision = 1 + u32::from(input.byte()) % bits;
            let offset = u32::from(input.byte()) % (bits - precision + 1);
            parameters.extend([1, size, order, precision, offset]);
            size
        }
    }
}

fn scaleoffset(input: &mut Input<'_>) -> Parameters {
    let class = small(input, 2);
    let size = if class == 0 { 1 << small(input, 4) } else { 4 << small(input, 2) };
    let scale_type = if class == 0 { 2 } else { 0 };
    // Often the number of bits is left to the filter; decimal digits can be negative.
    let factor = match input.byte() {
        0..128 => 0,
        bits => i32::from(bits) - 160,
    };
    let elements = u32::from(input.u16() % 1024);
    let (sign, order, filled) = (small(input, 2), small(input, 2), small(input, 2));
    let fill = if filled == 1 { [input.u32(), input.u32()] } else { [0; 2] };
    let mut parameters = vec![
        scale_type,
        factor.cast_unsigned(),
        elements,
        class,
        size,
        sign,
        order,
        filled,
        fill[0],
        fill[1],
    ];
    parameters.resize(20, 0);
    (parameters, usize::try_from(elements * size).ok())
}

fn blosc(input: &mut Input<'_>) -> Vec<u32> {
    let (element, level, shuffle) = (element(input), small(input, 10), small(input, 3));
    let compressor = input.pick(&[0, 1, 2, 4, 5]);
    vec![2, 2, element, u32::from(u16::MAX), level, shuffle, compressor]
}

fn bitshuffle(input: &mut Input<'_>) -> Vec<u32> {
    let element = element(input);
    let block = 8 * if input.once_in(2) { 0 } else { u32::from(input.byte()) };
    let compressor = input.pick(&[0, 2, 3]);
    vec![0, 4, element, block, compressor, small(input, 20)]
}

fn blosc2(input: &mut Input<'_>) -> Parameters {
    let block = if input.once_in(2) { 0 } else { u32::from(input.u16()) };
    let (element, level, filter) = (element(input), small(input, 10), small(input, 5));
    let compressor = input.pick(&[0, 1, 2, 4, 5]);
    let mut parameters = vec![1, block, element, u32::from(u16::MAX), level, filter, compressor];
    let dimensions = small(input, 5);
    if dimensions < 2 {
        return (parameters, None);
    }
    parameters.push(dimensions);
    let lengths: Vec<u32> = (0..dimensions).map(|_| 1 + small(input, 40)).collect();
    let len = lengths.iter().try_fold(element, |len, &length| len.checked_mul(length));
    parameters.extend(lengths);
    (parameters, len.and_then(|len| usize::try_from(len).ok()).filter(|&len| len <= 1 << 16))
}
