//! The bytes of a stub.
//!
//! ```text
//!    0  HDF5's superblock, version 2           HDF5 1.8 and newer read it
//!   48  our mark, the connector, the container for us; HDF5 does not look at this place
//! 1088  object header of the root group        three attributes in words
//!       zeros up to SIZE
//! ```

use headers::checksum;

/// Bytes of every stub.
pub const SIZE: usize = 4096;

/// Where our own part begins: after the superblock.
const OURS: usize = 48;

/// Where the object header of the root group is.
const ROOT: usize = 1088;

/// What a stub is known by. The number is the version of this layout.
const MARK: &[u8] = b"h5bypass stub 1\n";

/// The most bytes that connector and container may have together, with the characters that end them.
pub(crate) const LONGEST: usize = 900;

const UNDEFINED: [u8; 8] = [0xff; 8];

/// Whether these are bytes of a stub.
pub(crate) fn has_mark(bytes: &[u8]) -> bool {
    bytes.get(OURS..).is_some_and(|bytes| bytes.starts_with(MARK))
}

/// The connector and the container that a stub names.
pub(crate) fn said(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let text = bytes.get(OURS + MARK.len()..ROOT)?;
    let mut lines = text.splitn(2, |byte| *byte == b'\n');
    let connector = str::from_utf8(lines.next()?).ok()?;
    let container = lines.next()?.split(|byte| *byte == 0).next()?;
    (connector.len() + container.len() <= LONGEST).then_some((connector, container))
}

/// All bytes of a stub. Connector and container are not longer than [`LONGEST`] together.
pub(crate) fn file(connector: &str, container: &[u8]) -> Vec<u8> {
    let mut file = superblock();
    file.extend_from_slice(MARK);
    file.extend_from_slice(connector.as_bytes());
    file.push(b'\n');
    file.extend_from_slice(container);
    file.resize(ROOT, 0);
    file.extend_from_slice(&root_group(connector, container));
    debug_assert!(file.len() <= SIZE, "{} bytes", file.len());
    file.resize(SIZE, 0);
    file
}

fn superblock() -> Vec<u8> {
    let mut block = b"\x89HDF\r\n\x1a\n".to_vec();
    // Version 2, offsets and lengths of 8 bytes, no flags.
    block.extend_from_slice(&[2, 8, 8, 0]);
    block.extend_from_slice(&0_u64.to_le_bytes());
    block.extend_from_slice(&UNDEFINED);
    block.extend_from_slice(&(SIZE as u64).to_le_bytes());
    block.extend_from_slice(&(ROOT as u64).to_le_bytes());
    with_checksum(block)
}

/// The object header of a group without links.
fn root_group(connector: &str, container: &[u8]) -> Vec<u8> {
    let about = [
        b"The data of this file is not here, but in '".as_slice(),
        container,
        b"' beside it. HDF5 opens it with the VOL connector '",
        connector.as_bytes(),
        b"' of h5bypass: set HDF5_VOL_CONNECTOR=",
        connector.as_bytes(),
        b" and HDF5_PLUGIN_PATH. Move and copy both together.",
    ];
    let link_info = [&[0, 0][..], &UNDEFINED, &UNDEFINED].concat();
    let messages = [
        message(0x02, &link_info),
        message(0x0a, &[0, 0]),
        message(0x0c, &attribute("about", &about.concat())),
        message(0x0c, &attribute("connector", connector.as_bytes())),
        message(0x0c, &attribute("container", container)),
    ]
    .concat();
    // Version 2; the flag says that the size of the messages has two bytes.
    let mut header = b"OHDR\x02\x01".to_vec();
    header.extend_from_slice(&size(messages.len()));
    header.extend_from_slice(&messages);
    with_checksum(header)
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let [low, high] = size(body.len());
    [&[kind, low, high, 0][..], body].concat()
}

/// An attribute message, version 3: one text in UTF-8.
fn attribute(name: &str, text: &[u8]) -> Vec<u8> {
    let [low, high] = size(text.len());
    // A string, padded with zeros, in UTF-8.
    let datatype = [0x13, 0x11, 0, 0, low, high, 0, 0];
    // Version 2, a scalar.
    let dataspace = [2, 0, 0, 0];
    let mut attribute = vec![3, 0];
    for length in [name.len() + 1, datatype.len(), dataspace.len()] {
        attribute.extend_from_slice(&size(length));
    }
    // The name is ASCII.
    attribute.push(0);
    attribute.extend_from_slice(name.as_bytes());
    attribute.push(0);
    attribute.extend_from_slice(&datatype);
    attribute.extend_from_slice(&dataspace);
    attribute.extend_from_slice(text);
    attribute
}

/// A size, which is less than [`SIZE`], as two bytes.
fn size(bytes: usize) -> [u8; 2] {
    u16::try_from(bytes).unwrap_or(u16::MAX).to_le_bytes()
}

fn with_checksum(mut block: Vec<u8>) -> Vec<u8> {
    let sum = checksum(&block);
    block.extend_from_slice(&sum.to_le_bytes());
    block
}
