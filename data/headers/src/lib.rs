//! Finds plain datasets in HDF5 files without HDF5: their extent, their datatype, and where their elements are.
//!
//! HDF5 takes a hundred microseconds to open a file, most of them to clear the memory of its caches. Who wants a few kilobytes of each
//! of a thousand files has to wait for that a thousand times. [`find`] reads what is necessary and nothing else.
//!
//! It understands what most programs write: contiguous datasets that have storage, in groups of the old or of the new form, found by
//! hard links. Whatever is different, unusual or damaged is [`None`], and then HDF5 has to be asked. So nothing here is an error, and
//! nothing is guessed. Everything in a file is untrusted.

#![forbid(unsafe_code)]

mod bytes;
mod checksum;
mod dataset;
mod group;
mod object;
mod superblock;

use store::{ReadAt, Store};

use bytes::FileBytes;
pub use checksum::checksum;
pub use dataset::PlainDataset;

/// The contiguous dataset of this name; `None` if HDF5 has to be asked about it.
///
/// `newest` is the newest version of a file's first bytes (the superblock) that HDF5 is known to accept.
pub fn find<F: ReadAt>(store: &Store<F>, name: &[u8], newest: u8) -> Option<PlainDataset> {
    let mut file = FileBytes::new(store)?;
    let superblock = superblock::Superblock::read(&mut file)?;
    if superblock.version > newest {
        return None;
    }
    let mut address = superblock.root;
    for part in name.split(|byte| *byte == b'/').filter(|part| !part.is_empty()) {
        address = group::member(&mut file, &superblock, address, part)?;
    }
    let dataset = PlainDataset::read(&mut file, address)?;
    let end = dataset.offset.checked_add(dataset.length)?;
    (end <= superblock.end).then_some(dataset)
}

/// How the datatype of the dataset whose header is at this address is stored, and the version of the file's superblock.
pub fn stored_datatype<F: ReadAt>(store: &Store<F>, address: u64) -> Option<(Box<[u8]>, u8)> {
    let mut file = FileBytes::new(store)?;
    let superblock = superblock::Superblock::read(&mut file)?;
    Some((dataset::datatype(&mut file, address)?, superblock.version))
}
