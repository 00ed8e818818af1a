//! All elements of a dataset, read or written by native HDF5.

use h5_host::context::apart;
use h5_host::{Id, Questions};

use crate::below::BelowObject;

impl BelowObject {
    /// Reads all elements of a dataset, as this type in memory. They must fill `bytes` exactly. `None` if they do not, or if HDF5
    /// fails.
    pub fn read_all(&self, questions: Questions, memory_type: Id, bytes: &mut [u8]) -> Option<()> {
        let host = questions.host();
        // SAFETY: the host verifies the identifier.
        let size = unsafe { (host.functions().H5Tget_size)(memory_type.0) };
        let all = self.dataset_elements(questions)?.checked_mul(u64::try_from(size).ok()?)?;
        if all != u64::try_from(bytes.len()).ok()? || bytes.is_empty() {
            return None;
        }
        let (mut object, mut memory_type) = (self.as_ptr(), memory_type.0);
        let (mut memory, mut file) = (Id::DEFAULT.0, Id::DEFAULT.0);
        let mut buffer = bytes.as_mut_ptr().cast();
        let read = self.direct()?.dataset_cls.read?;
        // SAFETY: our own dataset; arrays of one entry each; the buffer has room for all elements, which nobody can change in
        // between: the host's lock is held.
        let status = apart(host, || unsafe {
            read(
                1,
                &raw mut object,
                &raw mut memory_type,
                &raw mut memory,
                &raw mut file,
                host.default_transfer().0,
                &raw mut buffer,
                core::ptr::null_mut(),
            )
        });
        (status >= 0).then_some(())
    }

    /// Writes all elements of a dataset, given as this type in memory. There must be exactly as many bytes as they have. `None` if
    /// there are not, or if HDF5 fails.
    pub fn write_all(&self, questions: Questions, memory_type: Id, bytes: &[u8]) -> Option<()> {
        let host = questions.host();
        // SAFETY: the host verifies the identifier.
        let size = unsafe { (host.functions().H5Tget_size)(memory_type.0) };
        let all = self.dataset_elements(questions)?.checked_mul(u64::try_from(size).ok()?)?;
        if all != u64::try_from(bytes.len()).ok()? || bytes.is_empty() {
            return None;
        }
        let (mut object, mut memory_type) = (self.as_ptr(), memory_type.0);
        let (mut memory, mut file) = (Id::DEFAULT.0, Id::DEFAULT.0);
        let mut buffer = bytes.as_ptr().cast();
        let write = self.direct()?.dataset_cls.write?;
        // SAFETY: our own dataset; arrays of one entry each; the buffer has all elements, as was compared.
        let status = apart(host, || unsafe {
            write(
                1,
                &raw mut object,
                &raw mut memory_type,
                &raw mut memory,
                &raw mut file,
                host.default_transfer().0,
                &raw mut buffer,
                core::ptr::null_mut(),
            )
        });
        (status >= 0).then_some(())
    }
}
