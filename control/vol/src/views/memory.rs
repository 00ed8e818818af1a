//! The application's memory in reads and writes, for connectors that read or write it themselves.
//!
//! C passes a bare pointer. The size of the memory follows from the call: it is the size of an element in memory times the
//! extent of the memory dataspace. A call without one uses the file dataspace, and a call with neither the dataset's.
//!
//! # What safety depends on
//! * The application promises HDF5 that its buffer is as large as the dataspace and datatype say. The native connector
//!   relies on the same promise.
//! * The extent and the size come from the host, not from the connector.
//! * For a call with neither dataspace, and for attributes, the connector itself answers with the dataspace (`dataset_get`,
//!   `attr_get`). The application can only make its buffer by that answer.
//! * The identifiers and the memory of a call belong together, as HDF5 passed them. A connector that replaces them is
//!   responsible for the new ones.
//!
//! Within these limits every access is checked.

use core::ffi::c_void;
use core::marker::PhantomData;
use std::sync::Arc;

use h5_abi::{
    H5S_ALL, H5S_BLOCK, H5S_PLIST, H5VL_ATTR_GET_SPACE, H5VL_DATASET_GET_SPACE, H5VL_attr_get_args_t,
    H5VL_attr_get_args_u, H5VL_attr_get_space_t, H5VL_dataset_get_args_t, H5VL_dataset_get_args_u,
    H5VL_dataset_get_space_t,
};
use h5_host::{Host, Id, OwnedId};

use crate::calls::method;
use crate::calls::{
    Argument, Arguments, AttributeGet, AttributeRead, AttributeWrite, DatasetGet, DatasetPart, MemorySource,
    MemoryTarget, RequestSlot,
};
use crate::connector::Connector;
use crate::error::{Error, Result};
use crate::object::Object;

/// The application's memory that a read fills. It may be uninitialised, so there is no reference to it.
pub struct TargetBytes<'a> {
    start: *mut u8,
    length: usize,
    lifetime: PhantomData<&'a mut [u8]>,
}

impl TargetBytes<'_> {
    /// # Safety
    /// `start` is null or valid for writes of `length` bytes as long as the value lives.
    pub(super) unsafe fn new(start: *mut u8, length: usize) -> Self {
        Self { start, length: if start.is_null() { 0 } else { length }, lifetime: PhantomData }
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Writes bytes at an offset. If they do not all fit, it fails and writes nothing.
    pub fn write_at(&mut self, offset: usize, bytes: &[u8]) -> Result<()> {
        match offset.checked_add(bytes.len()) {
            Some(end) if end <= self.length => {
                // SAFETY: from `offset` on there is room for the bytes, as just checked. They cannot overlap:
                // safe code has no other way to the application's memory.
                unsafe {
                    core::ptr::copy_nonoverlapping(bytes.as_ptr(), self.start.add(offset), bytes.len());
                }
                Ok(())
            }
            _ => Err(Error::bad_argument(format_args!(
                "{} bytes at offset {offset} do not fit into the application's {} bytes",
                bytes.len(),
                self.length
            ))),
        }
    }
}

/// The application's memory that a write takes.
///
/// # Safety
/// `start` is null or valid for reads of `length` bytes for `'a`.
pub(super) unsafe fn source_slice<'a>(start: *const c_void, length: usize) -> Result<&'a [u8]> {
    if start.is_null() || length == 0 {
        return Ok(&[]);
    }
    if isize::try_from(length).is_err() {
        return Err(Error::bad_argument("a buffer larger than the address space"));
    }
    // SAFETY: by the contract, and not too large.
    Ok(unsafe { core::slice::from_raw_parts(start.cast(), length) })
}

/// The dataspace of a dataset, as its connector answers.
pub(super) fn space_of_dataset<C: Connector>(dataset: &Arc<Object<C>>, transfer: Id) -> Result<OwnedId> {
    let mut arguments = H5VL_dataset_get_args_t {
        op_type: H5VL_DATASET_GET_SPACE,
        args: H5VL_dataset_get_args_u { get_space: H5VL_dataset_get_space_t { space_id: Id::INVALID.0 } },
    };
    // SAFETY: the arguments outlive the call, which is synchronous.
    let call = unsafe {
        DatasetGet {
            object: Arc::clone(dataset),
            arguments: <Arguments<'static, _> as Argument>::safe(&raw mut arguments),
            transfer,
            request: RequestSlot::new(core::ptr::null_mut()),
        }
    };
    method!(C, dataset_cls.get)(dataset.connector(), call)?;
    // SAFETY: the member set above.
    OwnedId::take(dataset.host(), unsafe { arguments.args.get_space.space_id })
        .ok_or_else(|| Error::failed("the connector gave no dataspace for the dataset"))
}

/// The dataspace of an attribute, as its connector answers.
fn space_of_attribute<C: Connector>(attribute: &Arc<Object<C>>, transfer: Id) -> Result<OwnedId> {
    let mut arguments = H5VL_attr_get_args_t {
        op_type: H5VL_ATTR_GET_SPACE,
        args: H5VL_attr_get_args_u { get_space: H5VL_attr_get_space_t { space_id: Id::INVALID.0 } },
    };
    // SAFETY: the arguments outlive the call, which is synchronous.
    let call = unsafe {
        AttributeGet {
            object: Arc::clone(attribute),
            arguments: <Arguments<'static, _> as Argument>::safe(&raw mut arguments),
            transfer,
            request: RequestSlot::new(core::ptr::null_mut()),
        }
    };
    method!(C, attr_cls.get)(attribute.connector(), call)?;
    // SAFETY: the member set above.
    OwnedId::take(attribute.host(), unsafe { arguments.args.get_space.space_id })
        .ok_or_else(|| Error::failed("the connector gave no dataspace for the attribute"))
}

fn extent(host: Host, space: Id) -> Result<u64> {
    host.ask(|questions| questions.extent_elements(space))
        .ok_or_else(|| Error::bad_argument(format_args!("identifier {} is not a dataspace", space.0)))
}

fn bytes(host: Host, elements: u64, memory_type: Id) -> Result<usize> {
    let size = host
        .ask(|questions| questions.element_size(memory_type))
        .ok_or_else(|| Error::bad_argument(format_args!("identifier {} is not a datatype", memory_type.0)))?;
    usize::try_from(elements)
        .ok()
        .and_then(|elements| elements.checked_mul(size))
        .ok_or_else(|| Error::bad_argument("a buffer larger than the address space"))
}

impl<C: Connector, M> DatasetPart<C, M> {
    /// The number of elements in the application's memory, selected or not.
    fn memory_elements(&self) -> Result<u64> {
        let host = self.host();
        match (self.memory_space.0, self.file_space.0) {
            // All of the dataset.
            (H5S_ALL | H5S_BLOCK, H5S_ALL) => {
                extent(host, space_of_dataset(&self.dataset, host.default_transfer())?.id())
            }
            (H5S_ALL | H5S_BLOCK, H5S_PLIST) => {
                Err(Error::unsupported("a selection in the transfer property list (H5S_PLIST)"))
            }
            // HDF5 uses the dataspace of the file for the memory, too. Its extent need not be the dataset's.
            (H5S_ALL, _) => extent(host, self.file_space),
            // One block of as many elements as are selected in the dataset.
            (H5S_BLOCK, _) => host
                .ask(|questions| questions.selected_elements(self.file_space))
                .ok_or_else(|| Error::bad_argument("the file dataspace has no selection")),
            _ => extent(host, self.memory_space),
        }
    }

    /// The size of the application's memory in bytes.
    fn memory_bytes(&self) -> Result<usize> {
        bytes(self.host(), self.memory_elements()?, self.memory_type)
    }
}

impl<C: Connector> DatasetPart<C, MemoryTarget<'_>> {
    /// The memory to fill.
    pub fn target_bytes(&mut self) -> Result<TargetBytes<'_>> {
        let length = self.memory_bytes()?;
        // SAFETY: the application's promise, see the module's comment.
        Ok(unsafe { TargetBytes::new(self.memory.as_ptr(), length) })
    }
}

impl<C: Connector> DatasetPart<C, MemorySource<'_>> {
    /// The memory to take.
    pub fn source_bytes(&self) -> Result<&[u8]> {
        let length = self.memory_bytes()?;
        // SAFETY: the application's promise, see the module's comment.
        unsafe { source_slice(self.memory.as_ptr().cast(), length) }
    }
}

impl<C: Connector> AttributeRead<'_, C> {
    /// The memory to fill.
    pub fn target_bytes(&mut self) -> Result<TargetBytes<'_>> {
        let host = self.object.host();
        let space = space_of_attribute(&self.object, self.transfer)?;
        let length = bytes(host, extent(host, space.id())?, self.memory_type)?;
        // SAFETY: the application's promise, see the module's comment.
        Ok(unsafe { TargetBytes::new(self.target.as_ptr(), length) })
    }
}

impl<C: Connector> AttributeWrite<'_, C> {
    /// The memory to take.
    pub fn source_bytes(&self) -> Result<&[u8]> {
        let host = self.object.host();
        let space = space_of_attribute(&self.object, self.transfer)?;
        let length = bytes(host, extent(host, space.id())?, self.memory_type)?;
        // SAFETY: the application's promise, see the module's comment.
        unsafe { source_slice(self.source.as_ptr().cast(), length) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_beyond_the_end_are_refused_and_change_nothing() {
        let mut memory = [0_u8; 4];
        // SAFETY: four valid bytes.
        let mut target = unsafe { TargetBytes::new(memory.as_mut_ptr(), 4) };
        target.write_at(1, &[7, 8]).unwrap();
        assert!(target.write_at(3, &[9, 9]).is_err());
        assert!(target.write_at(usize::MAX, &[9]).is_err());
        assert!(target.write_at(5, &[]).is_err());
        target.write_at(4, &[]).unwrap();
        assert_eq!(memory, [0, 7, 8, 0]);
    }

    #[test]
    fn a_null_buffer_is_an_empty_one() {
        // SAFETY: null is allowed.
        let mut target = unsafe { TargetBytes::new(core::ptr::null_mut(), 100) };
        assert!(target.is_empty());
        assert!(target.write_at(0, &[1]).is_err());
        // SAFETY: null is allowed.
        assert_eq!(unsafe { source_slice(core::ptr::null(), 100) }.unwrap(), b"");
    }
}
