//! Which filters there are.
//!
//! HDF5's have the numbers that are registered for them. What only other formats have is in [`beyond`].

use crate::codec::Codec;
use crate::error::Unsupported;

/// A filter as a dataset's creation properties name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Filter {
    /// Its registered number.
    pub id: i32,
    /// Its name, for messages.
    pub name: String,
    /// Whether a chunk may be stored without it if it fails.
    pub optional: bool,
    /// Its parameters ("cd_values"), as stored with the dataset.
    pub parameters: Vec<u32>,
}

/// Filters that no HDF5 file has: what Zarr has beyond those. Their numbers are ours, and below zero.
pub mod beyond {
    /// Deflate in gzip's format. The parameter is the level, 0 to 9.
    pub const GZIP: i32 = -1;
    /// The bytes and a checksum (Castagnoli's) of them in 4 bytes, little-endian. No parameters.
    pub const CRC32C: i32 = -2;
    /// Elements in another order of dimensions. Parameters: bytes of an element, the number of dimensions, the length of each,
    /// and for each dimension of what is stored which one it is.
    pub const TRANSPOSE: i32 = -3;
    /// One block of LZ4 after its length in 4 bytes, little-endian, as numcodecs has it. No parameters.
    pub const LZ4: i32 = -4;
    /// The filter blosc, but data that becomes no shorter is stored in its format, too. The parameters are the same.
    pub const BLOSC: i32 = -5;
}

/// The codec of a filter.
pub(crate) fn codec(filter: &Filter) -> Result<Box<dyn Codec>, Unsupported> {
    let parameters = filter.parameters.as_slice();
    let codec = match filter.id {
        beyond::GZIP => crate::deflate::gzip_codec(parameters),
        beyond::CRC32C => crate::crc32c::codec(parameters),
        beyond::TRANSPOSE => crate::transpose::codec(parameters),
        beyond::LZ4 => crate::lz4::single_block_codec(parameters),
        beyond::BLOSC => crate::blosc::always_codec(parameters),
        1 => crate::deflate::codec(parameters),
        2 => crate::shuffle::codec(parameters),
        3 => crate::fletcher32::codec(parameters),
        4 => crate::szip::codec(parameters),
        5 => crate::nbit::codec(parameters),
        6 => crate::scaleoffset::codec(parameters),
        307 => crate::bzip2::codec(parameters),
        32000 => crate::lzf::codec(parameters),
        32001 => crate::blosc::codec(parameters),
        32004 => crate::lz4::codec(parameters),
        32008 => crate::bitshuffle::codec(parameters),
        32015 => crate::zstd::codec(parameters),
        32026 => crate::blosc2::codec(parameters),
        _ => Err(Unsupported("there is no codec for it".to_owned())),
    };
    codec.map_err(|Unsupported(reason)| {
        Unsupported(format!("filter {} ({}): {reason}", filter.name, filter.id))
    })
}
