//! The beginning of a file, which tells how addresses are stored.
//!
//! HDF5 tells the same by a copy of the file's creation property list. Making that takes longer than all other questions about
//! a file together.

use h5_host::questions::CreationFacts;
use store::{ReadAt, Store, Target};

const SIGNATURE: &[u8; 8] = b"\x89HDF\r\n\x1a\n";

/// Bytes up to the end of what is of interest, in every version.
const LENGTH: usize = 40;

/// What the superblock of an HDF5 file says about addresses; `None` in case of doubt, then HDF5 must be asked. Only files that
/// begin with their superblock are understood: those without a user block.
pub(crate) fn creation_facts<F: ReadAt>(store: &Store<F>) -> Option<CreationFacts> {
    let mut bytes = [0; LENGTH];
    store.read(0, Target::from_slice(&mut bytes), &mut []).ok()?;
    parse(&bytes)
}

fn parse(bytes: &[u8; LENGTH]) -> Option<CreationFacts> {
    if !bytes.starts_with(SIGNATURE) {
        return None;
    }
    // Where the sizes of addresses and lengths are, and where the first address is.
    let (sizes, base): (usize, usize) = match bytes[8] {
        0 => (13, 24),
        1 => (13, 28),
        2 | 3 => (9, 12),
        _ => return None,
    };
    let (address_size, length_size) = (usize::from(bytes[sizes]), usize::from(bytes[sizes + 1]));
    let has_no_user_block = bytes.get(base..base + address_size)?.iter().all(|byte| *byte == 0);
    let is_valid = |size| matches!(size, 2 | 4 | 8);
    (has_no_user_block && is_valid(address_size) && is_valid(length_size)).then_some(CreationFacts {
        user_block: 0,
        address_size,
        length_size,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A superblock with these bytes behind the signature.
    fn superblock(fields: &[u8]) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        bytes[..8].copy_from_slice(SIGNATURE);
        bytes[8..8 + fields.len()].copy_from_slice(fields);
        bytes
    }

    fn sizes(bytes: &[u8; LENGTH]) -> Option<(u64, usize, usize)> {
        parse(bytes).map(|facts| (facts.user_block, facts.address_size, facts.length_size))
    }

    #[test]
    fn sizes_are_found_in_every_version() {
        assert_eq!(sizes(&superblock(&[0, 0, 0, 0, 0, 8, 4])), Some((0, 8, 4)));
        assert_eq!(sizes(&superblock(&[1, 0, 0, 0, 0, 4, 8])), Some((0, 4, 8)));
        assert_eq!(sizes(&superblock(&[2, 8, 8])), Some((0, 8, 8)));
        assert_eq!(sizes(&superblock(&[3, 4, 2])), Some((0, 4, 2)));
    }

    #[test]
    fn doubtful_ones_are_not_understood() {
        let mut unsigned = superblock(&[3, 8, 8]);
        unsigned[0] = 0;
        assert_eq!(sizes(&unsigned), None);
        assert_eq!(sizes(&superblock(&[4, 8, 8])), None);
        assert_eq!(sizes(&superblock(&[3, 16, 8])), None);
        assert_eq!(sizes(&superblock(&[3, 255, 8])), None);
        assert_eq!(sizes(&superblock(&[3, 8, 0])), None);
        // Addresses are not counted from the beginning of the file.
        let mut moved = superblock(&[3, 8, 8]);
        moved[13] = 2;
        assert_eq!(sizes(&moved), None);
    }
}
