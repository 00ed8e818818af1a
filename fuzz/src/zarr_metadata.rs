//! Metadata documents of Zarr. An input is the document of a root, or in version 2 that of an array and its attributes with a
//! zero byte between them.
//!
//! What is read must come back from what is written, and data must come back through the codecs that an array has.

use codecs::Work;
use zarr::{ArrayMetadata, Chain, Node, Object, Values, nodes_of_root, parse_document};

use crate::Outcome;

/// Chunks with more bytes are not tried: that would only take time.
const LARGEST: usize = 1 << 16;

/// Whether an element may be so large that a fill value of its size takes more memory than a target may.
fn has_large_elements(document: &[u8]) -> bool {
    let runs: Vec<&[u8]> =
        document.chunk_by(|one, other| one.is_ascii_digit() == other.is_ascii_digit()).collect();
    runs.windows(2).any(|pair| {
        let (before, digits) = (pair[0].trim_ascii_end(), pair[1]);
        let is_length =
            before.ends_with(b"length_bytes\":") || matches!(before.last(), Some(b'S' | b'U' | b'V'));
        is_length && digits.len() > 6
    })
}

pub(crate) fn run(bytes: &[u8]) -> Outcome {
    if has_large_elements(bytes) {
        return Outcome::Unsupported;
    }
    let Ok(nodes) = nodes_of_root(bytes) else { return Outcome::Refused };
    let mut outcome = Outcome::Refused;
    for listed in nodes {
        if let Ok(node) = &listed.node {
            check(node);
            outcome = Outcome::Done;
        }
    }
    outcome
}

pub(crate) fn run_version_2(bytes: &[u8]) -> Outcome {
    if has_large_elements(bytes) {
        return Outcome::Unsupported;
    }
    let mut parts = bytes.splitn(2, |&byte| byte == 0);
    let Ok(document) = parse_document(parts.next().unwrap_or_default()) else { return Outcome::Refused };
    let attributes = parts.next().and_then(|part| parse_document(part).ok()).unwrap_or_else(Object::new);
    if Node::group_from_version_2(&document, attributes.clone()).is_err() {
        return Outcome::Refused;
    }
    let Ok(Node::Array(array)) = Node::array_from_version_2(&document, attributes) else {
        return Outcome::Refused;
    };
    check_data(&array);
    Outcome::Done
}

fn check(node: &Node) {
    let document = node.to_document().expect("what was read can be written");
    let again = Node::from_document(document.clone()).expect("what was written can be read");
    assert_eq!(again.attributes(), node.attributes());
    assert_eq!(again.to_document().as_ref(), Ok(&document));
    if let Node::Array(array) = node {
        check_data(array);
    }
}

fn check_data(array: &ArrayMetadata) {
    let Ok(chain) = Chain::new(array) else { return };
    let (mut stored, mut work) = (Vec::new(), Work::new());
    if chain.elements() > LARGEST {
        return;
    }
    match chain.chunk_bytes() {
        Some(bytes) if bytes <= LARGEST => {
            let elements: Vec<u8> = (0_u8..=250).cycle().take(bytes).collect();
            let Ok(is_stored) = chain.encode(&elements, &mut stored, &mut work) else { return };
            let mut decoded = vec![0; bytes];
            if is_stored {
                chain.decode(&stored, &mut decoded, &mut work).expect("what was encoded can be decoded");
                assert!(decoded == elements, "data comes back");
            }
        }
        Some(_) => {}
        None => {
            let words = [&b"a"[..], b"", b"bcd"];
            let values = Values::new(words.into_iter().cycle().take(chain.elements()));
            let Ok(is_stored) = chain.encode_values(&values, &mut stored, &mut work) else { return };
            if is_stored {
                let decoded =
                    chain.decode_values(&stored, &mut work).expect("what was encoded can be decoded");
                assert!(decoded.iter().eq(values.iter()), "data comes back");
            }
        }
    }
}
