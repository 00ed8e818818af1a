//! The shape of a stream of coded samples.

use crate::error::Unsupported;

/// The most samples a block may have. HDF5 allows 32 and the standard 64; with many more, libaec's encoder would
/// write pairs that its decoder does not accept.
pub(super) const MAX_BLOCK: usize = 64;
/// The most samples a line may have.
const MAX_LINE: usize = 4096;
/// Runs of blocks of zeroes do not go beyond a multiple of this many blocks, counted from the line's start, if
/// their code does not say how many there are.
pub(super) const SEGMENT: usize = 64;

/// How samples are coded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stream {
    /// Bits per sample, 1 to 31.
    pub(super) bits: u32,
    /// Whether samples in memory have their most significant byte first.
    pub(super) big_endian: bool,
    /// Whether the differences to the sample before are coded, not samples.
    pub(super) differences: bool,
    /// Samples per block: even, at most [`MAX_BLOCK`].
    pub(super) block: usize,
    /// Samples per line. Each line begins with a block of its own.
    pub(super) line: usize,
}

impl Stream {
    /// Checks what comes from a file.
    pub(super) fn new(
        bits: u32,
        big_endian: bool,
        differences: bool,
        block: u32,
        line: u32,
    ) -> Result<Self, Unsupported> {
        let limited = |value: u32, most: usize| usize::try_from(value).ok().filter(|value| *value <= most);
        let block = limited(block, MAX_BLOCK).filter(|block| *block > 0 && *block % 2 == 0);
        let block = block.ok_or_else(|| nonsense("that many pixels per block cannot be"))?;
        let line = limited(line, MAX_LINE).filter(|line| *line > 0);
        let line = line.ok_or_else(|| nonsense("that many pixels per scanline cannot be"))?;
        Ok(Self { bits, big_endian, differences, block, line })
    }

    /// Bytes of a sample in memory: 1, 2 or 4.
    pub(super) fn bytes(&self) -> usize {
        match self.bits {
            ..=8 => 1,
            9..=16 => 2,
            _ => 4,
        }
    }

    /// Bits that say how a block is coded.
    pub(super) fn option_bits(&self) -> u32 {
        match self.bits {
            ..=8 => 3,
            9..=16 => 4,
            _ => 5,
        }
    }

    /// The largest sample.
    pub(super) fn largest(&self) -> u32 {
        u32::MAX >> (32 - self.bits)
    }

    /// Blocks per line. The last one is filled up with samples nobody reads.
    pub(super) fn blocks(&self) -> usize {
        self.line.div_ceil(self.block)
    }
}

/// What is wrong with the parameters.
pub(super) fn nonsense(why: &str) -> Unsupported {
    Unsupported(format!("parameters of filter szip: {why}"))
}
