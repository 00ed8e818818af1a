//! Selections of HDF5 dataspaces as arithmetic: which elements a request takes, in what order, and where they
//! lie.
//!
//! This is the algebra of the data plane. It knows no HDF5 ids, no bytes and no files; its unit is the
//! *element*, and what it answers is always one of three questions:
//!
//! * **Which runs?** [`Selection::rows`] gives a selection as [`Row`]s: equal blocks at equal distances, in
//!   selection order. A tile, a band, everything, every second column: each is *one* row, found in O(rank)
//!   from start, stride, count and block, without looking at a single element.
//! * **Which chunks?** [`ChunkGrid::touched`] finds the chunks a selection touches by arithmetic on the grid,
//!   and [`TouchedChunks::local`] gives the part of the selection inside one of them.
//! * **From where to where?** The k-th selected element of the file goes to the k-th selected element of
//!   memory. That k is the element's *rank* (not to be confused with the rank of a dataspace: its number of
//!   dimensions). Rows carry the rank of their first element, [`Selection::cursor`] finds an element by rank,
//!   and [`copies`] and [`pieces`] walk both sides together.
//!
//! Where elements reach their place by way of a third selection (a virtual dataset), [`common`] and
//! [`Selection::of_ranks`] find which ranks are concerned, and [`Boxes`] which of many selections are.
//!
//! ```
//! use selection::{ChunkGrid, Extent, Selection, pieces};
//!
//! // A 100 x 100 tile of a 2-D dataset in 64 x 64 chunks goes into a 100 x 100 buffer.
//! let extent = Extent::new(&[4096, 4096])?;
//! let file = Selection::tile(&extent, &[1000, 1000], &[100, 100])?;
//! let memory = Selection::all(&Extent::new(&[100, 100])?);
//! let grid = ChunkGrid::new(&extent, &[64, 64])?;
//! let touched = grid.touched(&file)?;
//! assert_eq!(touched.count(), 9);
//! let mut copied = 0;
//! for chunk in touched.iter() {
//!     pieces(touched.local(&chunk).rows(), &memory, |piece| copied += piece.block * piece.count)?;
//! }
//! assert_eq!(copied, 100 * 100);
//! # Ok::<(), selection::SelectionError>(())
//! ```
//!
//! # Cost
//! Nothing here depends on the extent or on the number of chunks in it. A regular selection of up to four
//! dimensions allocates only if it is more than equal rows at equal distances; so does its part in a chunk.
//! Rows, chunks and cursors are positioned by mixed-radix arithmetic and then advanced by additions alone.
//! Irregular hyperslabs and points are lists of rows, and cost what they list.
//!
//! # Overflow
//! Every number from outside is checked when an [`Extent`], a [`Selection`] or a [`ChunkGrid`] is made. After
//! that each selected element is known to lie inside an extent whose element count fits in 64 bits, so the
//! arithmetic on offsets and ranks inside this crate cannot overflow.

#![forbid(unsafe_code)]
#![allow(
    clippy::large_enum_variant,
    reason = "small requests must not allocate, so the large variants are not boxed"
)]

mod axis;
mod blocks;
mod boxes;
mod buckets;
mod copies;
mod cursor;
mod dims;
mod error;
mod grid;
mod growing;
mod listed;
mod local;
mod mapping;
mod nest;
mod points;
mod row;
mod rows;
mod selection;
mod slab;
mod small;
mod stops;
mod taken;
mod touched;

pub use boxes::Boxes;
pub use copies::{Piece, copies, pieces};
pub use cursor::Cursor;
pub use dims::{Dims, Extent, MAX_RANK};
pub use error::SelectionError;
pub use grid::{Chunk, ChunkGrid};
pub use growing::{Growing, NumberedBlock};
pub use local::LocalSelection;
pub use mapping::{Common, common, rest};
pub use row::Row;
pub use rows::Rows;
pub use selection::{RowsByOffset, Selection};
pub use taken::{Free, Taken};
pub use touched::{TouchedChunks, TouchedIter};
