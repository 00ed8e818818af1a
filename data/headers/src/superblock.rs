//! The first bytes of a file.

use store::ReadAt;

use crate::bytes::{Fields, FileBytes, UNDEFINED};
use crate::checksum::checksum;

const SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";

/// What the first bytes of a file say.
pub(crate) struct Superblock {
    pub(crate) version: u8,
    /// Where the file should end.
    pub(crate) end: u64,
    /// The address of the root group's header.
    pub(crate) root: u64,
    /// How large the pieces of old groups are.
    pub(crate) sizes: Sizes,
}

/// Half of how many entries the pieces of old groups have room for.
#[derive(Clone, Copy)]
pub(crate) struct Sizes {
    pub(crate) leaf: usize,
    pub(crate) internal: usize,
}

/// Those of files that do not say, whose groups are of the new form.
const USUAL: Sizes = Sizes { leaf: 4, internal: 16 };

impl Superblock {
    /// Reads them. Only files without a user block are understood, whose addresses have eight bytes, that have no driver of their own,
    /// no extension, and that were closed properly.
    pub(crate) fn read<F: ReadAt>(file: &mut FileBytes<'_, F>) -> Option<Self> {
        let length = usize::try_from(file.end().min(100)).ok()?;
        let bytes = file.get(0, length)?;
        let mut fields = Fields(&bytes);
        fields.expect(SIGNATURE)?;
        let version = fields.byte()?;
        let found = match version {
            0 | 1 => {
                // Versions of the free space, of the root group, and of shared messages.
                fields.expect(&[0, 0, 0, 0])?;
                fields.expect(&[8, 8, 0])?;
                let [leaf, internal] = [fields.short()?, fields.short()?];
                let flags = fields.number(4)?;
                if leaf == 0 || internal == 0 || flags != 0 {
                    return None;
                }
                if version == 1 {
                    fields.take(4)?;
                }
                let [base, free, end, driver] =
                    [fields.address()?, fields.address()?, fields.address()?, fields.address()?];
                if base != 0 || free != UNDEFINED || driver != UNDEFINED {
                    return None;
                }
                // The place of a name that the root group does not have.
                fields.address()?;
                let root = fields.address()?;
                // What is known of the root group besides: nothing, or where its members are.
                if fields.number(4)? > 1 {
                    return None;
                }
                Self { version, end, root, sizes: Sizes { leaf, internal } }
            }
            2 | 3 => {
                fields.expect(&[8, 8, 0])?;
                let [base, extension, end, root] =
                    [fields.address()?, fields.address()?, fields.address()?, fields.address()?];
                let sum = fields.number(4)?;
                if base != 0 || extension != UNDEFINED || u64::from(checksum(bytes.get(..44)?)) != sum {
                    return None;
                }
                Self { version, end, root, sizes: USUAL }
            }
            _ => return None,
        };
        // HDF5 refuses files that are shorter than they should be.
        (found.end <= file.end()).then_some(found)
    }
}
