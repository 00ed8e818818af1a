//! An HDF5 file with one small filtered chunk, made without HDF5. Reading it calls only the decoder of the filter. Creating such
//! a dataset would also call the functions in which a filter decides whether and how it is applied.
//!
//! The format is the oldest one, which has no checksums.

use codecs::Filter;

/// The dataset's name.
pub(crate) const NAME: &core::ffi::CStr = c"d";

/// What HDF5 writes in place of an address that is none.
const NOWHERE: u64 = u64::MAX;

/// Bytes of the superblock, and of a B-tree's node for one dimension: it has room for 64 children.
const SUPERBLOCK: usize = 96;
const TREE: usize = 24 + 64 * 8 + 65 * KEY;
const KEY: usize = 8 + 2 * 8;

/// Kinds of messages in object headers.
const DATASPACE: u16 = 0x01;
const LINK_INFO: u16 = 0x02;
const DATATYPE: u16 = 0x03;
const FILL_VALUE: u16 = 0x05;
const LINK: u16 = 0x06;
const LAYOUT: u16 = 0x08;
const GROUP_INFO: u16 = 0x0A;
const FILTERS: u16 = 0x0B;

/// The file, with a dataset of so many bytes, as the filter has made them. `None` if there are too many of anything.
pub(crate) fn image(filter: &Filter, bytes: u32, stored: &[u8]) -> Option<Vec<u8>> {
    let root_size = group(0).len();
    let data_size = dataset(filter, bytes, 0)?.len();
    let data_at = SUPERBLOCK + root_size;
    let tree_at = data_at + data_size;
    let chunk_at = tree_at + TREE;
    let address = |at: usize| u64::try_from(at).ok();
    let mut file = superblock(address(chunk_at + stored.len())?);
    file.extend(group(address(data_at)?));
    file.extend(dataset(filter, bytes, address(tree_at)?)?);
    file.extend(tree(bytes, u32::try_from(stored.len()).ok()?, address(chunk_at)?));
    file.extend(stored);
    Some(file)
}

fn superblock(end: u64) -> Vec<u8> {
    let mut block = b"\x89HDF\r\n\x1a\n".to_vec();
    // Versions, and eight bytes for addresses and lengths; nodes of groups have 4 and 16 entries, and nothing is open.
    block.extend([0, 0, 0, 0, 0, 8, 8, 0, 4, 0, 16, 0, 0, 0, 0, 0]);
    for address in [0, NOWHERE, end, NOWHERE] {
        block.extend(address.to_le_bytes());
    }
    // The entry of the root group: its name, its header, and nothing cached.
    block.extend(0_u64.to_le_bytes());
    block.extend((SUPERBLOCK as u64).to_le_bytes());
    block.extend([0; 24]);
    block
}

/// A group with a link to an object at this address.
fn group(at: u64) -> Vec<u8> {
    let mut info = vec![0, 0];
    info.extend(NOWHERE.to_le_bytes());
    info.extend(NOWHERE.to_le_bytes());
    let mut link = vec![1, 0, 1];
    link.extend(NAME.to_bytes());
    link.extend(at.to_le_bytes());
    header(&[(LINK_INFO, info), (GROUP_INFO, vec![0, 0]), (LINK, link)])
}

/// A dataset of so many bytes in one chunk, whose B-tree is at this address.
fn dataset(filter: &Filter, bytes: u32, tree: u64) -> Option<Vec<u8>> {
    let mut space = vec![1, 1, 0, 0, 0, 0, 0, 0];
    space.extend(u64::from(bytes).to_le_bytes());
    // An unsigned integer of one byte, all 8 bits of it.
    let datatype = vec![0x10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0];
    // Allocated chunk by chunk, filled when allocated, with nothing of the application's.
    let fill = vec![2, 3, 0, 0];
    let mut layout = vec![3, 2, 2];
    layout.extend(tree.to_le_bytes());
    layout.extend(bytes.to_le_bytes());
    layout.extend(1_u32.to_le_bytes());
    let mut filters = vec![1, 1, 0, 0, 0, 0, 0, 0];
    let count = u16::try_from(filter.parameters.len()).ok()?;
    for number in [u16::try_from(filter.id).ok()?, 0, 0, count] {
        filters.extend(number.to_le_bytes());
    }
    for parameter in &filter.parameters {
        filters.extend(parameter.to_le_bytes());
    }
    Some(header(&[
        (DATASPACE, space),
        (DATATYPE, datatype),
        (FILL_VALUE, fill),
        (LAYOUT, layout),
        (FILTERS, filters),
    ]))
}

/// An object header of version 1.
fn header(messages: &[(u16, Vec<u8>)]) -> Vec<u8> {
    let mut body = Vec::new();
    for (kind, content) in messages {
        let length = content.len().next_multiple_of(8);
        body.extend(kind.to_le_bytes());
        body.extend(u16::try_from(length).unwrap_or(0).to_le_bytes());
        body.extend([0; 4]);
        body.extend(content);
        body.resize(body.len() + length - content.len(), 0);
    }
    let mut header = vec![1, 0];
    header.extend(u16::try_from(messages.len()).unwrap_or(0).to_le_bytes());
    header.extend(1_u32.to_le_bytes());
    header.extend(u32::try_from(body.len()).unwrap_or(0).to_le_bytes());
    header.extend([0; 4]);
    header.extend(body);
    header
}

/// The B-tree of a dataset with one chunk.
fn tree(bytes: u32, stored: u32, chunk: u64) -> Vec<u8> {
    let mut node = b"TREE".to_vec();
    // Of chunks, a leaf, with one child and no siblings.
    node.extend([1, 0, 1, 0]);
    node.extend(NOWHERE.to_le_bytes());
    node.extend(NOWHERE.to_le_bytes());
    let key = |size: u32, at: u32, behind: u64| {
        let mut key = size.to_le_bytes().to_vec();
        key.extend([0; 4]);
        key.extend(u64::from(at).to_le_bytes());
        key.extend(behind.to_le_bytes());
        key
    };
    node.extend(key(stored, 0, 0));
    node.extend(chunk.to_le_bytes());
    node.extend(key(0, bytes, 1));
    node.resize(TREE, 0);
    node
}
