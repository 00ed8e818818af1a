//! The yardstick of the benchmarks: what this machine can do without HDF5, and nothing else.
//!
//! * [`read`] reads a range with several threads, [`read_rows`] rows that lie apart;
//! * [`decode`] reads, unpacks and unshuffles chunks with several threads, [`decode_apart`] does so safely;
//! * [`copy`] does the same to each chunk once, and copies many small reads out of them;
//! * [`convert`] reads and converts numbers with several threads;
//! * [`write()`] writes a range with several threads;
//! * [`encode`] gathers, shuffles, packs and writes chunks with several threads.
//!
//! Nothing of the project's own codecs or kernels is used here: a fault there must not make the yardstick shorter.

mod convert;
mod copy;
mod decode;
mod encode;
mod fletcher;
mod lzf;
mod parallel;
#[cfg(test)]
mod testing;

pub use convert::{Conversion, convert};
pub use copy::{Piece, copy};
pub use decode::{Chunk, Form, Packing, Shape, Shuffled, decode, decode_apart};
pub use encode::{Pack, encode};
pub use parallel::{Rows, read, read_rows, write};
