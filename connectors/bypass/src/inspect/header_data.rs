//! The data of compact datasets, which is in their object headers.
//!
//! HDF5 does not tell where in the file that is. It has read the header to open the dataset, so it is asked for the elements once,
//! and they are kept: a compact dataset has at most 64 KiB.

use std::sync::Arc;

use engine::{ByteStore, Costs};
use h5_host::Questions;
use h5_vol::BelowObject;
use store::{StoreError, Target};

use crate::report::reason::Reason;

/// The most bytes of a compact dataset, by the file format.
const MOST: u64 = 1 << 16;

/// Whether all elements of a compact dataset are asked for if its file can be written: native HDF5 may change them at any write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compact {
    /// They are, and are outdated by the next write.
    IsRead,
    /// They are not.
    IsLeft,
}

/// The elements of a compact dataset, as they are stored.
#[derive(Debug)]
pub(crate) struct HeaderData(Box<[u8]>);

impl HeaderData {
    /// Asks for the elements of a dataset, which are so many bytes. Their datatype must be one whose elements HDF5 copies as a
    /// whole.
    pub(super) fn read(questions: Questions, below: &BelowObject, bytes: u64) -> Result<Arc<Self>, Reason> {
        let length = usize::try_from(bytes).ok().filter(|_| (1..=MOST).contains(&bytes));
        let mut elements = vec![0; length.ok_or(Reason::Compact)?].into_boxed_slice();
        let datatype = below.dataset_type(questions).ok_or(Reason::Untold("datatype"))?;
        below.read_all(questions, datatype.id(), &mut elements).ok_or(Reason::Untold("data"))?;
        Ok(Arc::new(Self(elements)))
    }

    /// Some of its bytes, if it has them.
    pub(crate) fn get(&self, offset: u64, length: usize) -> Option<&[u8]> {
        self.0.get(usize::try_from(offset).ok()?..)?.get(..length)
    }

    fn outside(&self, offset: u64, length: u64) -> StoreError {
        StoreError::OutsideFile { offset, length, end: self.0.len() as u64 }
    }
}

impl ByteStore for HeaderData {
    /// Nothing but copying.
    fn costs(&self) -> Costs {
        Costs { request: 0, write: 0, gap: 0, direct: 0, window: Costs::LOCAL_FILE.window }
    }

    fn check(&self, offset: u64, length: u64) -> Result<(), StoreError> {
        let found = usize::try_from(length).ok().and_then(|length| self.get(offset, length));
        found.map(|_| ()).ok_or_else(|| self.outside(offset, length))
    }

    fn read(&self, offset: u64, target: Target<'_>) -> Result<(), StoreError> {
        let length = target.len();
        target.copy_from(self.get(offset, length).ok_or_else(|| self.outside(offset, length as u64))?);
        Ok(())
    }

    /// Native HDF5 writes them.
    fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), StoreError> {
        Err(self.outside(offset, bytes.len() as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_read_outside_of_it() {
        let data = HeaderData([1, 2, 3, 4].into());
        let mut bytes = [0; 2];
        data.read(2, Target::from_slice(&mut bytes)).unwrap();
        assert_eq!(bytes, [3, 4]);
        assert!(data.read(3, Target::from_slice(&mut bytes)).is_err());
        assert!(data.check(0, 4).is_ok() && data.check(4, 0).is_ok());
        assert!(
            data.check(1, 4).is_err() && data.check(u64::MAX, 1).is_err() && data.check(1, u64::MAX).is_err()
        );
        assert!(data.write(0, &[1]).is_err());
    }
}
