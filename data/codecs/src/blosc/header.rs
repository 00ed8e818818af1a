//! The sixteen bytes every chunk begins with.

use crate::blosc::Shuffle;
use crate::blosc::stream::Format;
use crate::error::CodecError;

/// Its length.
pub(super) const HEADER: usize = 16;

/// The one version of the format there is.
const VERSION: u8 = 2;
/// The versions of all compressors' formats.
const VERSION_OF_STREAMS: u8 = 1;

const SHUFFLED: u8 = 1;
const COPIED: u8 = 2;
const BITS_SHUFFLED: u8 = 4;
const RESERVED: u8 = 8;
const NOT_SPLIT: u8 = 16;

/// Blocks are split into one stream per byte of an element only if each has so many bytes...
const LEAST_SPLIT: usize = 128;
/// ... and elements are not longer than this.
const MOST_SPLITS: usize = 16;

/// What a chunk says of itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    /// Bytes before compression; not 0.
    pub(super) len: usize,
    /// Bytes of a block; not 0.
    pub(super) block: usize,
    /// Bytes of the chunk, this header included; never more than there are.
    pub(super) stored: usize,
    /// Bytes of an element; not 0.
    pub(super) element: usize,
    pub(super) shuffle: Shuffle,
    pub(super) content: Content,
}

/// What follows the header.
#[derive(Debug, Clone, Copy)]
pub(super) enum Content {
    /// The bytes as they were.
    Copied,
    /// Where the blocks begin, and the blocks.
    Blocks {
        format: Format,
        /// Whether blocks are split into streams, if they are long enough.
        split: bool,
    },
}

impl Header {
    /// Reads and checks the header of a chunk.
    pub(super) fn read(input: &[u8]) -> Result<Self, CodecError> {
        let Some(&[version, streams, flags, element, ref sizes @ ..]) = input.first_chunk::<HEADER>() else {
            return Err(CodecError::Corrupt("the chunk is shorter than its header"));
        };
        if version != VERSION || flags & RESERVED != 0 {
            return Err(CodecError::Corrupt("the chunk has another version of Blosc's format"));
        }
        let size = |at: usize| -> Result<usize, CodecError> {
            let bytes = [sizes[at], sizes[at + 1], sizes[at + 2], sizes[at + 3]];
            let size = i32::from_le_bytes(bytes);
            usize::try_from(size).map_err(|_| CodecError::Corrupt("a size in the header is negative"))
        };
        let (len, block, stored) = (size(0)?, size(4)?, size(8)?);
        if len == 0 || block == 0 || block > len || element == 0 {
            return Err(CodecError::Corrupt("a size in the header makes no sense"));
        }
        if stored < HEADER || stored > input.len() {
            return Err(CodecError::Corrupt("the chunk is shorter than its header says"));
        }
        let shuffle = match (flags & SHUFFLED != 0, flags & BITS_SHUFFLED != 0) {
            (true, _) if element > 1 => Shuffle::Bytes,
            (_, true) => Shuffle::Bits,
            _ => Shuffle::None,
        };
        let content = if flags & COPIED != 0 {
            if stored != len + HEADER {
                return Err(CodecError::Corrupt("a copied chunk does not have the length of its data"));
            }
            Content::Copied
        } else {
            let format = Format::from_flags(flags)?;
            if streams != VERSION_OF_STREAMS {
                return Err(CodecError::Corrupt("the chunk has another version of its compressor's format"));
            }
            Content::Blocks { format, split: flags & NOT_SPLIT == 0 }
        };
        Ok(Self { len, block, stored, element: usize::from(element), shuffle, content })
    }

    /// As it is stored. `None` if a size is too large.
    pub(super) fn to_bytes(self) -> Option<[u8; HEADER]> {
        let mut bytes = [0; HEADER];
        let flags = match self.shuffle {
            Shuffle::None => 0,
            Shuffle::Bytes => SHUFFLED,
            Shuffle::Bits => BITS_SHUFFLED,
        } | match self.content {
            Content::Copied => COPIED | NOT_SPLIT,
            Content::Blocks { format, split } => format.flags() | if split { 0 } else { NOT_SPLIT },
        };
        bytes[..4].copy_from_slice(&[VERSION, VERSION_OF_STREAMS, flags, u8::try_from(self.element).ok()?]);
        for (bytes, size) in bytes[4..].chunks_exact_mut(4).zip([self.len, self.block, self.stored]) {
            bytes.copy_from_slice(&i32::try_from(size).ok()?.to_le_bytes());
        }
        Some(bytes)
    }

    /// Number of blocks.
    pub(super) fn blocks(&self) -> usize {
        self.len.div_ceil(self.block)
    }

    /// Into how many streams a block of this length is split. A last block that is shorter never is.
    pub(super) fn streams(&self, block: usize) -> usize {
        match self.content {
            Content::Blocks { split: true, .. } if block == self.block && splits(self.element, block) => {
                self.element
            }
            _ => 1,
        }
    }
}

/// Whether blocks of this length can be split into one stream per byte of an element.
pub(super) fn splits(element: usize, block: usize) -> bool {
    element <= MOST_SPLITS && block / element >= LEAST_SPLIT
}
