//! What can be wrong with a selection. Written by hand: the crate has no dependencies.

use std::fmt;

/// Why an extent, a selection or a chunk grid was refused.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectionError {
    /// More dimensions than HDF5 knows.
    RankTooLarge {
        /// The number of dimensions asked for.
        rank: usize,
    },
    /// A list of one number per dimension has the wrong length.
    RankMismatch {
        /// The number of dimensions of the extent.
        expected: usize,
        /// The number of entries given.
        found: usize,
    },
    /// A flat list of points or blocks does not hold a whole number of them.
    RaggedList {
        /// How many numbers make one entry.
        entry: usize,
        /// How many numbers were given.
        found: usize,
    },
    /// The number of elements of an extent does not fit in 64 bits.
    ExtentOverflow,
    /// The number of elements of a chunk does not fit in 64 bits.
    ChunkOverflow,
    /// A chunk dimension is zero.
    ZeroChunk {
        /// The dimension.
        dim: usize,
    },
    /// The selection leaves the extent.
    OutOfBounds {
        /// The dimension in which it does.
        dim: usize,
    },
    /// The blocks of a hyperslab overlap: a stride smaller than the block, or a block list that is not
    /// disjoint.
    BlocksOverlap,
    /// A block ends before it starts.
    ReversedBlock {
        /// The dimension in which it does.
        dim: usize,
    },
    /// Selection and chunk grid, or two selections, are of different extents.
    ExtentMismatch,
    /// The two sides of a copy select different numbers of elements.
    LengthMismatch {
        /// Elements the rows need.
        needed: u64,
        /// Elements selected in memory.
        memory: u64,
    },
}

impl fmt::Display for SelectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::RankTooLarge { rank } => write!(f, "{rank} dimensions, more than 32"),
            Self::RankMismatch { expected, found } => {
                write!(f, "{found} numbers given for a dataspace of {expected} dimensions")
            }
            Self::RaggedList { entry, found } => {
                write!(f, "list of {found} numbers is not made of whole entries of {entry}")
            }
            Self::ExtentOverflow => f.write_str("number of elements in the extent exceeds 64 bits"),
            Self::ChunkOverflow => f.write_str("number of elements in a chunk exceeds 64 bits"),
            Self::ZeroChunk { dim } => write!(f, "chunk dimension {dim} is zero"),
            Self::OutOfBounds { dim } => write!(f, "selection leaves the extent in dimension {dim}"),
            Self::BlocksOverlap => f.write_str("blocks of the hyperslab overlap"),
            Self::ReversedBlock { dim } => write!(f, "block ends before it starts in dimension {dim}"),
            Self::ExtentMismatch => {
                f.write_str("selections, or selection and chunk grid, have different extents")
            }
            Self::LengthMismatch { needed, memory } => {
                write!(f, "rows reach element {needed} of a memory selection of {memory}")
            }
        }
    }
}

impl std::error::Error for SelectionError {}
