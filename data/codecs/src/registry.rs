//! Which filters there are.

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

/// The codec of a filter.
pub(crate) fn codec(filter: &Filter) -> Result<Box<dyn Codec>, Unsupported> {
    let parameters = filter.parameters.as_slice();
    let codec = match filter.id {
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
