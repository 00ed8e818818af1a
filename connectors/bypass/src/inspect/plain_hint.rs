//! What is known about whether the sources of a virtual dataset are plain enough to be opened without HDF5.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::Source;

/// Versions of superblocks up to this one are valid whatever the application says about versions.
const ALWAYS_VALID: u8 = 2;

/// Kept with the mappings, which handles share one after another.
#[derive(Debug, Default)]
pub(crate) struct PlainHint {
    /// A source was not plain: the others are probably like it.
    is_refused: AtomicBool,
    datatype: OnceLock<Option<StoredType>>,
}

/// The datatype that sources must have.
#[derive(Debug)]
pub(crate) struct StoredType {
    /// As it is stored with the virtual dataset.
    bytes: Box<[u8]>,
    /// The newest version of superblocks that HDF5 accepts for certain.
    pub(crate) newest: u8,
}

impl PlainHint {
    /// Whether sources may be plain.
    pub(crate) fn may_be_plain(&self) -> bool {
        !self.is_refused.load(Ordering::Relaxed) && self.datatype.get().is_none_or(Option::is_some)
    }

    /// A source was not.
    pub(crate) fn refuse(&self) {
        self.is_refused.store(true, Ordering::Relaxed);
    }

    /// The datatype that sources must have: that of the virtual dataset, whose header is at this address.
    pub(crate) fn datatype(&self, file: &Source, address: u64) -> Option<&StoredType> {
        let read = || {
            let Source::File(store) = file else { return None };
            let (bytes, version) = headers::stored_datatype(store, address)?;
            Some(StoredType { bytes, newest: version.max(ALWAYS_VALID) })
        };
        self.datatype.get_or_init(read).as_ref()
    }
}

impl StoredType {
    /// Whether another one is stored in the same way. Some messages are filled up with zeros.
    pub(crate) fn is(&self, other: &[u8]) -> bool {
        let (short, long) =
            if self.bytes.len() < other.len() { (&*self.bytes, other) } else { (other, &*self.bytes) };
        let (same, rest) = long.split_at(short.len());
        same == short && rest.len() < 8 && rest.iter().all(|byte| *byte == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_does_not_count() {
        let stored = StoredType { bytes: [1, 2, 3].into(), newest: 2 };
        assert!(stored.is(&[1, 2, 3]) && stored.is(&[1, 2, 3, 0, 0]));
        assert!(!stored.is(&[1, 2]) && !stored.is(&[1, 2, 4]) && !stored.is(&[1, 2, 3, 1]));
        assert!(!stored.is(&[1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0]));
    }
}
