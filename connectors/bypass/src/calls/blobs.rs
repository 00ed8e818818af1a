//! Values of variable length that native HDF5 stores and deletes: it is noted which heap collections they are in.

use core::ffi::c_int;
use std::sync::Arc;

use h5_vol::calls::{BlobPut, BlobSpecific};
use h5_vol::views::{BlobOperation, HeapAddresses};
use h5_vol::{Object, Result};

use crate::Bypass;
use crate::coherency::heaps::HeapOfFile;

impl Bypass {
    /// Stores a value.
    pub(crate) fn put_blob(&self, mut call: BlobPut<'_, Self>) -> Result<c_int> {
        let status = call.forward()?;
        if let Some((addresses, heaps)) = self.heap_of(&call.object)
            && let Some(object) = call.heap_object(*addresses)
        {
            heaps.stored(object, || self.is_no_collection(&call.object, object.address));
        }
        Ok(status)
    }

    /// Deletes a value, for one.
    pub(crate) fn change_blob(&self, mut call: BlobSpecific<'_, Self>) -> Result<c_int> {
        if matches!(call.arguments.view(), BlobOperation::Delete | BlobOperation::Unknown(_))
            && let Some((addresses, heaps)) = self.heap_of(&call.object)
            && let Some(object) = call.heap_object(*addresses)
        {
            heaps.deleted(object.address);
        }
        call.forward()
    }

    /// Whether it is certain that there is no collection at an address of a file.
    fn is_no_collection(&self, file: &Arc<Object<Self>>, address: u64) -> bool {
        let native = file.below().and_then(|below| below.as_native_file(file.kind()));
        let number = native.and_then(|native| file.host().ask_below(|questions| native.number(questions)));
        number
            .and_then(|number| self.files.known(number))
            .is_some_and(|entry| entry.has_no_collection(address))
    }

    /// The heap of the file of a blob; found once. `None` if variable-length data in that file is never ours.
    fn heap_of<'o>(&self, file: &'o Arc<Object<Self>>) -> Option<&'o HeapOfFile> {
        let find = || {
            let addresses = HeapAddresses::of(file)?;
            let native = file.below()?.as_native_file(file.kind())?;
            let number = file.host().ask_below(|questions| native.number(questions))?;
            Some((addresses, self.files.heap(number)))
        };
        file.data().heap.get_or_init(find).as_ref()
    }
}
