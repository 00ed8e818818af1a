//! Making native HDF5 take storage for a dataset that has none.

use h5_abi::{H5S_SCALAR, H5S_SELECT_SET};
use h5_host::context::apart;
use h5_host::{Id, OwnedId, Questions};

use crate::below::BelowObject;

impl BelowObject {
    /// Writes one element of a dataset, in its memory form. If the dataset has no chunks, native HDF5 then allocates storage
    /// for all of it. `None` if HDF5 fails.
    pub fn write_element(
        &self,
        questions: Questions,
        coordinates: &[u64],
        memory_type: Id,
        element: &[u8],
    ) -> Option<()> {
        let host = questions.host();
        let functions = host.functions();
        // SAFETY: the host verifies the identifier.
        let size = unsafe { (functions.H5Tget_size)(memory_type.0) };
        if size == 0 || size > element.len() {
            return None;
        }
        let file = self.dataset_space(questions)?;
        // SAFETY: the host verifies the identifier.
        let rank = unsafe { (functions.H5Sget_simple_extent_ndims)(file.id().0) };
        if usize::try_from(rank).ok()? != coordinates.len() || coordinates.is_empty() {
            return None;
        }
        // SAFETY: one point, with a coordinate for each dimension.
        let selected =
            unsafe { (functions.H5Sselect_elements)(file.id().0, H5S_SELECT_SET, 1, coordinates.as_ptr()) };
        if selected < 0 {
            return None;
        }
        // SAFETY: takes no pointers.
        let memory = OwnedId::take(host, unsafe { (functions.H5Screate)(H5S_SCALAR) })?;
        let (mut object, mut memory_type, mut memory, mut file_space) =
            (self.as_ptr(), memory_type.0, memory.id().0, file.id().0);
        let mut buffer = element.as_ptr().cast();
        let write = self.direct()?.dataset_cls.write?;
        // SAFETY: our own dataset; arrays of one entry each; the buffer has as many bytes as the datatype.
        let status = apart(host, || unsafe {
            write(
                1,
                &raw mut object,
                &raw mut memory_type,
                &raw mut memory,
                &raw mut file_space,
                host.default_transfer().0,
                &raw mut buffer,
                core::ptr::null_mut(),
            )
        });
        (status >= 0).then_some(())
    }
}
