//! Datasets that are found without HDF5: the input is a file, in which `group/d` is looked for.

use headers::{find, stored_datatype};
use store::Store;

use crate::Outcome;
use crate::heap::Bytes;

pub(crate) fn run(bytes: &[u8]) -> Outcome {
    let store = Store::new(Bytes(bytes), bytes.len() as u64);
    // Where a header could be is anywhere.
    let place = bytes.first_chunk().map_or(0, |first| u64::from_le_bytes(*first));
    let _ = stored_datatype(&store, place % (bytes.len() as u64).max(1));
    let Some(found) = find(&store, b"group/d", 3) else { return Outcome::Refused };
    let end = found.offset.checked_add(found.length).expect("it can be counted");
    assert!(end <= bytes.len() as u64 && found.length > 0, "{found:?}");
    let elements = found.extent.iter().try_fold(1_u64, |product, dim| product.checked_mul(*dim));
    assert_eq!(found.length % elements.expect("they can be counted"), 0, "{found:?}");
    Outcome::Done
}
